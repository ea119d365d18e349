//! `merge-changes-type`: a value that a merge cannot combine with those of lower levels, so that they are lost. If one
//! value is a list and the other a hash, a deep merge silently uses the higher one.

use crate::data::{Located, Value};
use crate::ide::diagnostics::key::KeyContext;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};

pub(crate) const RULE: Rule = Rule {
    code: "merge-changes-type",
    name: "Merge of a list and a hash",
    severity: Severity::Warning,
    since: "0.2.0",
    summary: "A deep merge meets a list here and a hash in a lower level, or the other way round: the lower one is lost.",
    page: include_str!("../../../../docs/rules/merge-changes-type.md"),
    may_quote: |_| false,
    checks: &[Check::Key(check)],
    ..Rule::USUAL
};

/// Deeper members are not compared.
const MAX_DEPTH: usize = 16;

pub(crate) fn check(at: &KeyContext<'_>, report: &mut Report) {
    let Some(above) = at.above() else { return };
    for order in above.orders.iter().filter(|it| it.merge.is_deep() && !it.is_first_uncertain) {
        let Some(lower) = order.values.first() else { continue };
        let Some(clash) = clash(&above.own.value, &lower.value, 0) else { continue };
        let range = clash.place.map_or(above.own.key_place.range, |place| place.range);
        if report.holds(&RULE, range) {
            return;
        }
        let message = format!(
            "this {} replaces the {} of a lower level\n`{}` is merged with `{}`, which joins hashes with hashes and lists \
             with lists.",
            clash.own,
            clash.other,
            above.key,
            order.merge.name()
        );
        let finding = report.add(&RULE, range, message);
        finding.related.push(lower.related("the value of the lower level"));
        return;
    }
}

/// The place where two values cannot be combined.
struct Clash {
    place: Option<crate::data::Place>,
    own: &'static str,
    other: &'static str,
}

fn clash(own: &Located, other: &Located, depth: usize) -> Option<Clash> {
    if let (Value::Hash(own), Value::Hash(other)) = (&own.value, &other.value) {
        let common = own.iter().filter_map(|(key, member)| Some((member, other.get_value(key)?)));
        let mut common = common.filter(|_| depth < MAX_DEPTH);
        return common.find_map(|(own, other)| clash(&own.value, &other.value, depth + 1));
    }
    let (own_kind, other_kind) = (kind(&own.value)?, kind(&other.value)?);
    (own_kind != other_kind).then_some(Clash { place: own.place, own: own_kind, other: other_kind })
}

/// The kind of a value for a merge. An empty value removes nothing, and a scalar may be meant to replace others.
fn kind(value: &Value) -> Option<&'static str> {
    match value {
        Value::Array(items) if !items.is_empty() => Some("list"),
        Value::Hash(hash) if !hash.is_empty() => Some("hash"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_related};

    #[test]
    fn a_list_over_a_hash() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]
#- /data/a.yaml
kk: [x]
#   ^^^ warning[merge-changes-type]: this list replaces the hash of a lower level…
l: {m: {n: 1}, o: [1]}
#      ^^^^^^ warning[merge-changes-type]: this hash replaces the list of a lower level…
p: []
q: text
r: [1]
#- /data/b.yaml
lookup_options: {'^[klpq]': {merge: deep}}
kk: {y: 1}
l: {m: [1], o: [2]}
p: {x: 1}
q: {x: 1}
r: {x: 1}
",
        );
    }

    #[test]
    fn the_other_value_is_shown() {
        check_related(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: x, paths: [a.yaml, b.yaml]}]\n#- /data/a.yaml\nkk: [x]\n\
             #- /data/b.yaml\nlookup_options: {kk: {merge: deep}}\nkk: {y: 1}\n",
            "merge-changes-type",
            &["/data/b.yaml: kk: the value of the lower level"],
        );
    }
}
