//! `duplicate-key`: a key that the same hash has twice.
//!
//! Puppet says nothing: the last value wins, at the first one's position. Mostly somebody pasted a block.

use std::collections::HashMap;

use super::{EntryContext, Related, Report, Rule, Severity};
use crate::data::{DuplicateKey, inspect};
use crate::syntax::tree::{Node, NodeKind, Pair, ScalarStyle};
use crate::text::TextRange;

pub(super) const RULE: Rule = Rule {
    code: "duplicate-key",
    name: "Duplicate key",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A hash has the same key twice; only the last value counts.",
    page: include_str!("../../../docs/rules/duplicate-key.md"),
    is_on: true,
};

/// Hashes within one entry.
pub(super) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    let mut waiting = vec![entry.value];
    while let Some(node) = waiting.pop() {
        match &node.kind {
            NodeKind::Sequence(items) => waiting.extend(items),
            NodeKind::Mapping(pairs) => {
                check_pairs(pairs, report);
                waiting.extend(pairs.iter().map(|pair| &pair.value));
            }
            _ => {}
        }
    }
}

/// The root hash of a file.
pub(super) fn check_root(duplicates: &[DuplicateKey], report: &mut Report) {
    for duplicate in duplicates {
        let name = inspect::to_s(&duplicate.key);
        for places in duplicate.ranges.windows(2) {
            add(&name, places[0], places[1], report);
        }
    }
}

fn check_pairs(pairs: &[Pair], report: &mut Report) {
    let mut seen: HashMap<KeyIdentity<'_>, TextRange> = HashMap::new();
    for pair in pairs {
        if let Some(identity) = identity(&pair.key)
            && let Some(first) = seen.insert(identity, pair.key.range)
        {
            add(identity.0, first, pair.key.range, report);
        }
    }
}

fn add(name: &str, first: TextRange, second: TextRange, report: &mut Report) {
    let message = format!(
        "`{name}` is already a key of this hash. Only this last value counts; remove one of them."
    );
    let finding = report.add_as(&RULE, RULE.severity, second, message);
    let message = "the value given here is lost".to_owned();
    finding.related.push(Related { path: None, range: first, message });
}

/// What makes two keys the same: plain words may be numbers, booleans or `null`, quoted ones never.
type KeyIdentity<'a> = (&'a str, bool);

fn identity(key: &Node) -> Option<KeyIdentity<'_>> {
    let NodeKind::Scalar { text, style } = &key.kind else { return None };
    if &**text == "<<" {
        return None;
    }
    let first = text.bytes().next().unwrap_or(b'~');
    let may_be_typed = !first.is_ascii_alphabetic()
        || ["true", "false", "yes", "no", "on", "off", "null"]
            .iter()
            .any(|word| text.eq_ignore_ascii_case(word));
    Some((text, *style == ScalarStyle::Plain && may_be_typed))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn at_the_root_and_within() {
        check(
            r"
aa: 1
b: {c: 1, d: 2, c: 3}
#               ^ warning[duplicate-key]
aa: 2
#^ warning[duplicate-key]: `aa` is already a key of this hash…
",
        );
    }

    #[test]
    fn keys_of_other_types_are_other_keys() {
        check(
            r"
a: {1: x, '1': y}
b: {<<: {a: 1}, <<: {b: 1}}
",
        );
    }
}
