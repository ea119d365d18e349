//! `shadowed-by-plain-entry`: a key's own entry of `lookup_options` hides all patterns, whatever options it lacks.

use super::walk::{option_entries, pairs_of, text_of};
use super::{EntryContext, Related, Report, Rule, Severity};
use crate::syntax::ruby_regex;
use crate::syntax::tree::{Node, NodeKind, Pair};

pub(super) const RULE: Rule = Rule {
    code: "shadowed-by-plain-entry",
    name: "Options hidden by a plain entry",
    severity: Severity::Information,
    since: "0.1.0",
    summary: "A plain entry of `lookup_options` hides a pattern whose options would apply too.",
    page: include_str!("../../../docs/rules/shadowed-by-plain-entry.md"),
    is_on: true,
};

pub(super) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    let entries = option_entries(entry);
    let patterns: Vec<_> = entries.iter().filter(|pair| is_pattern(pair)).collect();
    for plain in entries.iter().filter(|pair| !is_pattern(pair) && is_hash(&pair.value)) {
        let Some(key) = text_of(&plain.key) else { continue };
        let first = patterns.iter().find(|pattern| {
            text_of(&pattern.key)
                .and_then(|text| ruby_regex::translate(text).ok())
                .is_some_and(|regex| regex.is_match(key))
        });
        let Some(pattern) = first else { continue };
        let own = names(&plain.value);
        let lost: Vec<_> =
            names(&pattern.value).into_iter().filter(|it| !own.contains(it)).collect();
        if let (false, Some(text)) = (lost.is_empty(), text_of(&pattern.key)) {
            let lost = lost.join("` and `");
            let message = format!(
                "the `{lost}` of `{text}` does not apply to this key\n\
                 A key's own entry hides all patterns. Repeat here what shall hold."
            );
            let finding = report.add(&RULE, plain.key.range, message);
            let message = "these options do not apply to it".to_owned();
            finding.related.push(Related { path: None, range: pattern.key.range, message });
        }
    }
}

fn is_pattern(pair: &Pair) -> bool {
    text_of(&pair.key).is_some_and(|key| key.starts_with('^'))
}

fn is_hash(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Mapping(_))
}

/// The options that have an effect.
fn names(options: &Node) -> Vec<&str> {
    let names = pairs_of(options).iter().filter_map(|pair| text_of(&pair.key).map(|it| &**it));
    names.filter(|name| matches!(*name, "merge" | "convert_to")).collect()
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn the_first_pattern_would_hold() {
        check(
            r"
lookup_options:
  ^a: {merge: deep}
  ^ab: {convert_to: Sensitive}
  a1: {merge: unique}
  ab: {convert_to: String}
# ^^ information[shadowed-by-plain-entry]: the `merge` of `^a` does not apply to this key…
  b: {}
  ac: ~
a1: 1
ab: 1
ac: 1
b: 1
",
        );
    }
}
