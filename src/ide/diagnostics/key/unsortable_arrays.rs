//! `unsortable-arrays`: `sort_merged_arrays` with items that Ruby cannot compare. The engine evaluates only keys with that
//! option.

use std::collections::HashMap;

use crate::data::Value;
use crate::ide::diagnostics::key::KeyContext;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::syntax::interpolation::{Token, may_have_tokens, tokens};

pub(crate) const RULE: Rule = Rule {
    code: "unsortable-arrays",
    name: "Lists that cannot be sorted",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "`sort_merged_arrays` sorts a list of items that cannot be compared, so the lookup fails.",
    page: include_str!("../../../../docs/rules/unsortable-arrays.md"),
    checks: &[Check::Key(check)],
    ..Rule::USUAL
};

const RUBYS_WORDS: &str = "comparison of ";

pub(crate) fn check(at: &KeyContext<'_>, report: &mut Report) {
    let Some(above) = at.above() else { return };
    for order in &above.orders {
        if order.merge.option("sort_merged_arrays").is_none() || order.values.is_empty() {
            continue;
        }
        let lower = || order.values.iter().map(|lower| &lower.value.value);
        let values = || lower().chain([&above.own.value.value]);
        // A list is sorted when it is merged with another list or, in a hash, with itself.
        let has_lists = || values().filter(|it| it.as_array().is_some()).count() > 1;
        let is_sorted = |it: &&Value| it.as_array().is_none() || has_lists();
        let is_deep = order.merge.name() == "deep";
        if is_deep && !order.may_be_merged_above && can_be_sorted(values().filter(is_sorted)) {
            continue;
        }
        let Some(failure) = order.evaluator().certain_failure(&above.looked_up()) else { continue };
        if !failure.message.contains(RUBYS_WORDS) {
            continue;
        }
        let message = format!(
            "{}\nThe lookup options of `{}` sort merged lists: their items must be of one kind.",
            failure.message, above.key
        );
        let finding = report.add_as(&RULE, RULE.severity, above.own.key_place.range, message);
        let merged = order.values.iter().map(|lower| lower.related("merged with this value"));
        finding.related.extend(merged);
        return;
    }
}

/// Whether a deep merge can certainly sort all lists that it makes of some values: those at the same place have items of one kind.
/// This takes less time than a lookup.
fn can_be_sorted<'v>(values: impl Iterator<Item = &'v Value>) -> bool {
    let mut kind = None;
    let mut members: HashMap<&Value, Vec<&Value>> = HashMap::new();
    for value in values {
        match value {
            Value::Hash(hash) => {
                for (key, member) in hash.iter() {
                    // It may become the key of another member.
                    if key.as_str().is_some_and(may_have_tokens) {
                        return false;
                    }
                    members.entry(key).or_default().push(&member.value.value);
                }
            }
            Value::Array(items) => {
                for item in items.iter() {
                    let own = Kind::of(&item.value);
                    if own.is_none() || own != *kind.get_or_insert(own) {
                        return false;
                    }
                }
            }
            Value::String(text) if may_become_other(text) => return false,
            _ => {}
        }
    }
    members.into_values().all(|values| can_be_sorted(values.into_iter()))
}

/// Whether a text may become something other than a string: only an alias can.
fn may_become_other(text: &str) -> bool {
    may_have_tokens(text) && tokens(text).iter().any(Token::is_alias)
}

/// What Ruby can compare with one another.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Number,
}

impl Kind {
    /// `None` if Ruby cannot compare the item, or it is not certain what becomes of it.
    fn of(item: &Value) -> Option<Self> {
        match item {
            Value::String(text) if !may_become_other(text) => Some(Self::Text),
            Value::Integer(_) | Value::BigInteger(_) => Some(Self::Number),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_related};

    #[test]
    fn items_of_different_kinds() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]
#- /data/a.yaml
kk: [1, 3]
#^ error[unsortable-arrays]: comparison of …
l: [1]
m: [1]
#- /data/b.yaml
lookup_options:
  kk: {merge: {strategy: deep, sort_merged_arrays: true}}
  l: {merge: {strategy: deep, sort_merged_arrays: true}}
  m: {merge: {strategy: deep}}
kk: [b, a]
l: [3, 2]
m: [a]
",
        );
    }

    #[test]
    fn the_merged_values_are_shown() {
        check_related(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml, c.yaml]}]
#- /data/a.yaml
a: [1]
#- /data/b.yaml
lookup_options: {a: {merge: {strategy: deep, sort_merged_arrays: true}}}
a: [x]
",
            "unsortable-arrays",
            &["/data/b.yaml: a: merged with this value"],
        );
    }

    #[test]
    fn items_that_only_some_values_have() {
        check(
            r#"
#- /.hiera-ls.yaml
nodes:
  one: {facts: {role: web}}
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: ['roles/%{facts.role}.yaml', a.yaml, b.yaml]}]
#- /data/roles/web.yaml
kk: [x]
#^ error[unsortable-arrays]
#- /data/a.yaml
kk: [1]
#^ error[unsortable-arrays]
alias: ["%{alias('one')}"]
#^^^^ error[unsortable-arrays]
deep: {a: [{b: 1}, {b: 2}]}
#^^^ error[unsortable-arrays]
truth: [true]
#^^^^ error[unsortable-arrays]
one: [1]
alone: [1, x]
mixed: {a: 1, b: true, c: [x, "%{facts.role}"], d: [1]}
named: {d: [1], "%{facts.role}": [2]}
#^^^^ error[unsortable-arrays]
numbers: [1]
#- /data/b.yaml
lookup_options:
  '^(kk|alias|alone|deep|truth|mixed|named|numbers)$': {merge: {strategy: deep, sort_merged_arrays: true}}
kk: [2]
alias: [x]
alone: x
deep: {a: []}
truth: [false]
mixed: {c: [y]}
named: {d: [3], web: [x]}
numbers: [3]
"#,
        );
    }

    #[test]
    fn other_failures_are_the_matter_of_other_rules() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]
#- /data/a.yaml
a: [y, "%{Lookup('b')}"]
#       ^^^^^^^^^^^^^^ error[unknown-function]
#- /data/b.yaml
lookup_options: {a: {merge: {strategy: deep, sort_merged_arrays: true}}}
a: [x]
"#,
        );
    }

    #[test]
    fn several_orders_of_levels_are_one_finding() {
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
kk: [1]
#^ error[unsortable-arrays]
#- /data/roles/web.yaml
kk: [x]
#- /data/roles/db.yaml
kk: [y]
#- /data/b.yaml
lookup_options: {kk: {merge: {strategy: deep, sort_merged_arrays: true}}}
",
        );
    }
}
