//! `duplicate-key`: a hash has the same key twice.
//!
//! Puppet does not report this: the last value wins, at the position of the first. The usual cause is a pasted block.

use std::collections::HashMap;

use crate::data::inspect;
use crate::ide::diagnostics::file::FileContext;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::{
    Check, Diagnostic, EntryContext, Family, Related, Report, Rule, Severity,
};
use crate::ide::pair_edits::{remove_entry, remove_pair};
use crate::syntax::tree::{Node, NodeKind, Pair, ScalarStyle};
use crate::text::TextRange;

pub(crate) const RULE: Rule = Rule {
    code: "duplicate-key",
    name: "Duplicate key",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A hash has the same key twice; only the last value counts.",
    page: include_str!("../../../../docs/rules/duplicate-key.md"),
    family: Family::Syntax,
    checks: &[Check::Entry(check), Check::File(check_root)],
    ..Rule::USUAL
};

const LOST: &str = "Remove the first one, which is lost";
const LOST_WITH_POSITION: &str =
    "Remove the first one, which is lost; its position in the hash, too";

/// Hashes within one entry.
pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    let mut waiting = vec![entry.value];
    while let Some(node) = waiting.pop() {
        match &node.kind {
            NodeKind::Sequence(items) => waiting.extend(items),
            NodeKind::Mapping(pairs) => {
                check_pairs(entry.text, pairs, report);
                waiting.extend(pairs.iter().map(|pair| &pair.value));
            }
            _ => {}
        }
    }
}

/// The root hash of a file.
pub(crate) fn check_root(file: &FileContext<'_>, report: &mut Report) {
    let data = file.data;
    for duplicate in &data.duplicate_keys() {
        let name = inspect::to_s(&duplicate.key);
        // Each occurrence is reported together with the one directly before it, so every lost value is shown once.
        for places in duplicate.ranges.windows(2) {
            let finding = add(&name, places[0], places[1], report);
            let edit = remove_entry(data, places[0]);
            finding.fixes.extend(edit.map(|edit| Fix::safe(LOST, vec![edit])));
        }
    }
}

fn check_pairs(source: &str, pairs: &[Pair], report: &mut Report) {
    let mut seen: HashMap<KeyIdentity<'_>, usize> = HashMap::new();
    for (number, pair) in pairs.iter().enumerate() {
        if let Some(identity) = identity(&pair.key)
            && let Some(first) = seen.insert(identity, number)
        {
            let finding = add(identity.0, pairs[first].key.range, pair.key.range, report);
            if let Some(edit) = remove_pair(source, pairs, first) {
                // The first one gives the key its position.
                let is_next = first + 1 == number;
                let make = if is_next { Fix::safe } else { Fix::changing };
                let title = if is_next { LOST } else { LOST_WITH_POSITION };
                finding.with_fix(make(title, vec![edit]));
            }
        }
    }
}

fn add<'r>(
    name: &str,
    first: TextRange,
    second: TextRange,
    report: &'r mut Report,
) -> &'r mut Diagnostic {
    let message = format!(
        "`{name}` is already a key of this hash. Only this last value counts; remove one of them."
    );
    let finding = report.add_as(&RULE, RULE.severity, second, message);
    let message = "the value given here is lost".to_owned();
    finding.related.push(Related { path: None, range: first, message });
    finding
}

/// What makes two keys equal: plain words may be numbers, booleans or `null`, quoted ones never are.
type KeyIdentity<'a> = (&'a str, bool);

fn identity(key: &Node) -> Option<KeyIdentity<'_>> {
    let NodeKind::Scalar { text, style } = &key.kind else { return None };
    // Each `<<` merges on its own, so two of them are not duplicates: both have an effect.
    if &**text == "<<" {
        return None;
    }
    // An empty key is null for Psych, as `~` is.
    let first = text.bytes().next().unwrap_or(b'~');
    let may_be_typed = !first.is_ascii_alphabetic()
        || ["true", "false", "yes", "no", "on", "off", "null"]
            .iter()
            .any(|word| text.eq_ignore_ascii_case(word));
    // `1` and `'1'` are an integer and a string for Psych, so a hash can have both. `b` and `'b'` are the same key.
    Some((text, *style == ScalarStyle::Plain && may_be_typed))
}

#[cfg(test)]
mod tests {
    use super::{LOST, LOST_WITH_POSITION};
    use crate::ide::diagnostics::testing::{check, check_fix, check_related};

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

    #[test]
    fn the_lost_one_goes() {
        check_fix("# one\na: 1 # x\nb: 2\na: 3\n", LOST, "# one\nb: 2\na: 3\n");
        check_fix("a:\n  b: 1\n  b: 2\n", LOST, "a:\n  b: 2\n");
        check_fix("a: {b: 1, c: 2, b: 3}\n", LOST_WITH_POSITION, "a: {c: 2, b: 3}\n");
        check_fix(
            "#- /data/common.json\n{\n  \"a\": 1,\n  \"b\": 2,\n  \"a\": 3\n}\n#- /hiera.yaml\nversion: 5\nhierarchy: [{name: x, data_hash: json_data, path: common.json}]\n",
            LOST,
            "{\n  \"b\": 2,\n  \"a\": 3\n}\n",
        );
    }

    #[test]
    fn the_lost_value_is_shown() {
        check_related(
            r"
a: 1
b: {c: 1, c: 2}
a: 2
",
            "duplicate-key",
            &[
                "/data/common.yaml: c: the value given here is lost",
                "/data/common.yaml: a: the value given here is lost",
            ],
        );
    }

    #[test]
    fn quotes_matter_only_to_what_may_be_typed() {
        check(
            r"
a: {b: 1, 'b': 2, '1': 1, '1': 2}
#         ^^^ warning[duplicate-key]
#                         ^^^ warning[duplicate-key]
",
        );
    }
}
