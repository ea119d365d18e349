//! `duplicate-key`: a hash has the same key twice.
//!
//! Puppet does not report this: the last value wins, at the position of the first. The usual cause is a pasted block.

use std::collections::HashMap;

use crate::data::lower::may_merge;
use crate::data::{Format, Value, inspect, scalar};
use crate::ide::diagnostics::file::FileContext;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::{
    Check, Diagnostic, EntryContext, Family, Related, Report, Rule, Severity,
};
use crate::ide::pair_edits::{remove_entry, remove_pair};
use crate::syntax::tree::{NodeKind, Pair};
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
                check_pairs(entry, pairs, report);
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

fn check_pairs(entry: &EntryContext<'_>, pairs: &[Pair], report: &mut Report) {
    let mut seen: HashMap<Value, usize> = HashMap::new();
    for (number, pair) in pairs.iter().enumerate() {
        if let NodeKind::Scalar { text: name, .. } = &pair.key.kind
            && let Some(identity) = identity(entry.format, pair)
            && let Some(first) = seen.insert(identity, number)
        {
            let finding = add(name, pairs[first].key.range, pair.key.range, report);
            if let Some(edit) = remove_pair(entry.text, pairs, first) {
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

/// The key as Puppet's hash has it. `None` if it is no scalar or Psych refuses it, or if it is a `<<` that merges.
fn identity(format: Format, pair: &Pair) -> Option<Value> {
    let NodeKind::Scalar { text, style } = &pair.key.kind else { return None };
    if format != Format::Yaml {
        return Some(Value::String(text.clone()));
    }
    // Each `<<` merges on its own, so two of them are not duplicates: both have an effect.
    if may_merge(&pair.key, &pair.value) {
        return None;
    }
    match scalar::typed(text, *style, pair.key.tag.as_deref()).ok()? {
        // Puppet makes strings of symbols in keys.
        Value::Symbol(name) => Some(Value::String(name)),
        value => Some(value),
    }
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
    #[test]
    fn keys_that_psych_reads_alike() {
        check(
            r#"
a: {_a: 1, '_a': 2}
#          ^^^^ warning[duplicate-key]: `_a` is already a key of this hash…
b: {"a\x62": 1, ab: 2}
#               ^^ warning[duplicate-key]
c: {1_0: 1, 10: 2, '10': 3}
#           ^^ warning[duplicate-key]: `10` is already a key of this hash…
d: {!!str 5: 1, '5': 2}
#               ^^^ warning[duplicate-key]
e:
  :a: 1
  a: 2
# ^ warning[duplicate-key]
f: {1.0: 1, 1: 2, ':b': 1, b: 2, 1e3: 1, 1000.0: 2}
"#,
        );
    }

    #[test]
    fn root_keys_that_psych_reads_alike() {
        check(
            r#"
_a: 1
'_a': 2
#^^^ warning[duplicate-key]: `_a` is already a key of this hash…
"b\x62": 1
bb: 2
#^ warning[duplicate-key]: `bb` is already a key of this hash…
c: 1
:c: 2
#^ warning[duplicate-key]: `c` is already a key of this hash…
"#,
        );
    }

    #[test]
    fn a_merge_of_text_is_a_key() {
        check(
            r"
a: {<<: b, '<<': c}
#   ^^ warning[merge-key-idle]
#          ^^^^ warning[merge-key-idle]
#          ^^^^ warning[duplicate-key]
",
        );
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: x, data_hash: json_data, path: common.json}]\n\
             #- /data/common.json\n{\"a\": {\"<<\": {}, \"<<\": {}, \"10\": 1, \"1_0\": 2, \":b\": 1, \"b\": 2}}\n\
             #                ^^^^ warning[duplicate-key]\n",
        );
        check("{<<: {a: 1}, <<: {b: 1}}\n");
        check("<<: {a: 1}\n'<<': {b: 1}\nc: 1\n");
    }
}
