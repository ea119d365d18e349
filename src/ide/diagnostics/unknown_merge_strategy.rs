//! `unknown-merge-strategy`: a `merge` in `lookup_options` that Puppet does not know, or with options it does not take.
//!
//! The lookup of the key fails, but not before: nothing is checked until somebody looks it up.

use super::walk::{option_entries, pairs_of, text_of};
use super::{EntryContext, Report, Rule, Severity};
use crate::syntax::interpolation;
use crate::syntax::tree::{Node, NodeKind, Pair, ScalarStyle};

pub(super) const RULE: Rule = Rule {
    code: "unknown-merge-strategy",
    name: "Unknown merge strategy",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "`lookup_options` ask for a merge that Puppet does not know.",
    page: include_str!("../../../docs/rules/unknown-merge-strategy.md"),
    is_on: true,
};

/// The strategies' names; all are case-sensitive.
const STRATEGIES: [&str; 7] =
    ["first", "default", "unique", "hash", "deep", "unconstrained_deep", "reverse_deep"];
/// What `deep` takes beside `strategy`.
const DEEP_OPTIONS: [&str; 4] =
    ["knockout_prefix", "merge_hash_arrays", "sort_merged_arrays", "merge_debug"];

pub(super) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    for option in option_entries(entry) {
        for member in pairs_of(&option.value) {
            if text_of(&member.key).is_some_and(|key| &**key == "merge") {
                check_merge(&member.value, report);
            }
        }
    }
}

fn check_merge(merge: &Node, report: &mut Report) {
    match &merge.kind {
        NodeKind::Scalar { text, style } => {
            let is_unset = *style == ScalarStyle::Plain && is_null_or_false(text);
            if !is_unset {
                check_strategy(merge, text, report);
            }
        }
        NodeKind::Mapping(options) => check_merge_hash(merge, options, report),
        _ => {}
    }
}

fn check_merge_hash(merge: &Node, options: &[Pair], report: &mut Report) {
    let strategy =
        options.iter().find(|pair| text_of(&pair.key).is_some_and(|key| &**key == "strategy"));
    let Some((strategy, name)) =
        strategy.and_then(|pair| text_of(&pair.value).map(|name| (&pair.value, name)))
    else {
        let message = "The hash given as 'merge' must contain the name of a strategy in string form for the key \
                       'strategy'\nAdd e.g. `strategy: deep`.";
        report.add(&RULE, merge.range, message);
        return;
    };
    if !check_strategy(strategy, name, report) || name.ends_with("_deep") {
        return;
    }
    for pair in options {
        let Some(option) = text_of(&pair.key) else { continue };
        let known =
            &**option == "strategy" || (&**name == "deep" && DEEP_OPTIONS.contains(&&**option));
        if !known {
            let takes = if &**name == "deep" {
                "`deep` takes `knockout_prefix`, `merge_hash_arrays`, `sort_merged_arrays` and `merge_debug`."
                    .to_owned()
            } else {
                format!("`{name}` takes no options.")
            };
            let message =
                format!("The merge options has wrong type, unrecognized key '{option}'\n{takes}");
            report.add(&RULE, pair.key.range, message);
        }
    }
}

fn check_strategy(node: &Node, name: &str, report: &mut Report) -> bool {
    let known = STRATEGIES.contains(&name) || interpolation::may_have_tokens(name);
    if !known {
        let message = format!(
            "Unknown merge strategy: '{name}'\nKnown are `first`, `unique`, `hash` and `deep`; case matters."
        );
        report.add(&RULE, node.range, message);
    }
    known
}

fn is_null_or_false(text: &str) -> bool {
    ["", "~", "null", "false", "no", "off"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn names() {
        check(
            r#"
lookup_options:
  a: {merge: deep}
  b: {merge: Deep}
#            ^^^^ error[unknown-merge-strategy]: Unknown merge strategy: 'Deep'…
  c: {merge: ~}
  d: {merge: false}
  e: {merge: "%{facts.x}"}
  f: {merge: 5}
#            ^ error[unknown-merge-strategy]: Unknown merge strategy: '5'…
a: 1
b: 1
c: 1
d: 1
e: 1
f: 1
"#,
        );
    }

    #[test]
    fn options() {
        check(
            r"
lookup_options:
  a: {merge: {strategy: deep, knockout_prefix: '-', merge_debug: true}}
  b: {merge: {strategy: unique, knockout_prefix: '-'}}
#                               ^^^^^^^^^^^^^^^ error[unknown-merge-strategy]: The merge options has wrong type, unrecognized key 'knockout_prefix'…
  c: {merge: {knockout_prefix: '-'}}
#            ^^^^^^^^^^^^^^^^^^^^^^ error[unknown-merge-strategy]: The hash given as 'merge' must contain the name of a strategy…
  d: {merge: {strategy: reverse_deep, anything: 1}}
a: 1
b: 1
c: 1
d: 1
",
        );
    }
}
