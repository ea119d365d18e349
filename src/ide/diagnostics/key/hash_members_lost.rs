//! `hash-members-lost`: a hash hides a larger one of a lower level, although a merge seems to be meant: other keys of the
//! same module are merged.

use crate::data::inspect;
use crate::ide::diagnostics::key::KeyContext;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::shared::option_edits::with_option;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};

pub(crate) const RULE: Rule = Rule {
    code: "hash-members-lost",
    former: &["dropped-by-first"],
    name: "Members that are not merged",
    severity: Severity::Hint,
    since: "0.1.0",
    summary: "A hash hides the members of a lower level's hash, because the key has no merge strategy.",
    page: include_str!("../../../../docs/rules/hash-members-lost.md"),
    checks: &[Check::Key(check)],
    ..Rule::USUAL
};

/// The maximum number of lost members in the message.
const MAX_NAMED: usize = 3;

pub(crate) fn check(at: &KeyContext<'_>, report: &mut Report) {
    let Some(above) = at.above() else { return };
    let Some(own) = above.own.value.value.as_hash().filter(|it| !it.is_empty()) else { return };
    for order in above.orders.iter().filter(|order| order.merge.is_first_found()) {
        let Some(lower) = order.values.first().filter(|_| !order.is_first_uncertain) else {
            continue;
        };
        let Some(hidden) = lower.value.value.as_hash() else { continue };
        let is_lost = |(key, _): &(&crate::data::Value, _)| own.get_value(key).is_none();
        let lost: Vec<_> = hidden.iter().filter(is_lost).map(|it| inspect::to_s(it.0)).collect();
        let has_own = own.iter().any(|(key, _)| hidden.get_value(key).is_none());
        // A hash with the same members and other values is an override, and so is one with entirely different members.
        if lost.is_empty()
            || has_own
            || !at.lower.merges_siblings(at.known, above.key, order.evaluator())
        {
            continue;
        }
        let dots = if lost.len() > MAX_NAMED { ", …" } else { "" };
        let named: Vec<_> = lost.iter().take(MAX_NAMED).map(|it| format!("`{it}`")).collect();
        let are = if lost.len() == 1 { "is" } else { "are" };
        let message = format!(
            "{}{dots} of a lower level {are} not found: Puppet uses the first value that it finds\n\
             If the hashes are meant to be merged, say so in `lookup_options`: `{}: {{merge: hash}}`.",
            named.join(", "),
            above.key
        );
        let finding = report.add_as(&RULE, RULE.severity, above.own.key_place.range, message);
        finding.related.push(lower.related("this hash is hidden"));
        // A new entry for the key would hide the options that it has now.
        if order.evaluator().options_for(above.key).is_ok_and(|options| options.is_none()) {
            let edit = with_option(at.data, above.key, "merge", "hash");
            let fix = |edit| Fix::changing("Merge the hashes by lookup_options", vec![edit]);
            finding.fixes.extend(edit.map(fix));
        }
        return;
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix, check_related};

    #[test]
    fn a_part_of_the_members() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]
#- /data/a.yaml
kk: {a: 1}
#^ hint[hash-members-lost]: `b`, `c`, `d`, … of a lower level are not found: Puppet uses the first value that it finds…
same: {a: 1, b: 3}
other: {c: 1}
merged: {a: 1}
none: {}
#- /data/b.yaml
lookup_options: {merged: {merge: hash}}
kk: {a: 2, b: 2, c: 1, d: 1, e: 1}
same: {a: 1, b: 2}
other: {a: 1, b: 2}
merged: {a: 1, b: 2}
none: {a: 1}
",
        );
    }

    #[test]
    fn nothing_is_said_where_nobody_merges() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]
#- /data/a.yaml
m::k: {a: 1}
#- /data/b.yaml
lookup_options: {o::k: {merge: hash}, m::l: {merge: first}}
m::k: {a: 2, b: 2}
m::l: {}
o::k: {}
",
        );
    }

    #[test]
    fn the_hidden_hash_is_shown() {
        check_related(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml, c.yaml]}]
#- /data/a.yaml
m::a: {x: 1}
#- /data/c.yaml
lookup_options: {m::b: {merge: hash}}
m::a: {x: 2, y: 1}
m::b: {}
",
            "hash-members-lost",
            &["/data/c.yaml: m::a: this hash is hidden"],
        );
    }

    #[test]
    fn three_members_are_named_and_one_order_of_levels() {
        check(
            r"
#- /.hiera-ls.yaml
nodes:
  one: {facts: {role: web}}
  two: {facts: {role: db}}
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, 'roles/%{facts.role}.yaml', b.yaml]}]
#- /data/a.yaml
kk: {a: 1}
#^ hint[hash-members-lost]: `b`, `c`, `d` of a lower level are not found: Puppet uses the first value that it finds If…
#- /data/roles/web.yaml
x: 1
#- /data/roles/db.yaml
y: 1
#- /data/b.yaml
lookup_options: {merged: {merge: hash}}
kk: {a: 2, b: 2, c: 1, d: 1}
merged: {a: 1, b: 2}
",
        );
    }

    #[test]
    fn a_merge_finds_them() {
        check_fix(
            "m::a: {x: 1}\n#- /data/b.yaml\nlookup_options: {m::b: {merge: hash}}\nm::a: {x: 2, y: 1}\nm::b: {}\n\
             #- /hiera.yaml\nversion: 5\nhierarchy: [{name: x, paths: [common.yaml, b.yaml]}]\n",
            "Merge the hashes by lookup_options",
            "m::a: {x: 1}\nlookup_options:\n  m::a: {merge: hash}\n",
        );
    }
}
