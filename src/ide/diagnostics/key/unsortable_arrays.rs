//! `unsortable-arrays`: `sort_merged_arrays` with items that Ruby cannot compare. The engine evaluates only keys with that
//! option.

use crate::data::{Located, Value};
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
        let values = || order.values.iter().map(|lower| &lower.value).chain([&above.own.value]);
        if order.merge.name() == "deep" && !order.may_be_merged_above && can_be_sorted(values()) {
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

/// Whether a deep merge can certainly sort all lists in some values, because all items are of one kind. This takes less time than a
/// lookup.
fn can_be_sorted<'v>(values: impl Iterator<Item = &'v Located>) -> bool {
    let mut kind = None;
    let mut waiting: Vec<(&Located, bool)> = values.map(|it| (it, false)).collect();
    while let Some((value, is_item)) = waiting.pop() {
        let own = match &value.value {
            Value::Hash(hash) if !is_item => {
                waiting.extend(hash.iter().map(|(_, member)| (&member.value, false)));
                continue;
            }
            Value::Array(items) if !is_item => {
                waiting.extend(items.iter().map(|it| (it, true)));
                continue;
            }
            // Only an alias can become something other than a string.
            Value::String(text)
                if may_have_tokens(text) && tokens(text).iter().any(Token::is_alias) =>
            {
                return false;
            }
            _ if !is_item => continue,
            Value::String(_) => Kind::Text,
            Value::Integer(_) | Value::BigInteger(_) => Kind::Number,
            _ => return false,
        };
        if *kind.get_or_insert(own) != own {
            return false;
        }
    }
    true
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Number,
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
mixed: {a: 1, b: true, c: [x, "%{facts.role}"]}
numbers: [1]
#- /data/b.yaml
lookup_options:
  '^(kk|alias|deep|truth|mixed|numbers)$': {merge: {strategy: deep, sort_merged_arrays: true}}
kk: [2]
alias: [x]
deep: {a: []}
truth: [false]
mixed: {c: [y]}
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
