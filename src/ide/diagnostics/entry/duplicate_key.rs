//! `duplicate-key`: a hash has the same key twice.
//!
//! Puppet does not report this: the last value wins, at the position of the first. The usual cause is a pasted block.

use std::collections::HashMap;

use indexmap::IndexMap;

use crate::data::lower::may_merge;
use crate::data::{Format, Value, inspect, scalar};
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::diagnostics::config::ConfigTextContext;
use crate::ide::diagnostics::file::FileContext;
use crate::ide::diagnostics::shared::fix::{Fix, Safety};
use crate::ide::diagnostics::shared::walk::{meant_below, text_of};
use crate::ide::diagnostics::{
    Check, Diagnostic, EntryContext, Family, Related, Report, Rule, Severity,
};
use crate::ide::pair_edits::{remove_entry, remove_pair};
use crate::syntax::tree::{NodeKind, Pair};
use crate::text::{TextEdit, TextRange};

pub(crate) const RULE: Rule = Rule {
    code: "duplicate-key",
    name: "Duplicate key",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A hash has the same key twice; only the last value counts.",
    page: include_str!("../../../../docs/rules/duplicate-key.md"),
    family: Family::Syntax,
    checks: &[Check::Entry(check), Check::File(check_root), Check::ConfigText(check_config)],
    ..Rule::USUAL
};

const LOST: &str = "Remove the one before, which is lost";
const LOST_WITH_POSITION: &str =
    "Remove the one before, which is lost; its position in the hash, too";

/// Hashes within one entry.
pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    let mut waiting = vec![entry.value];
    while let Some(node) = waiting.pop() {
        match &node.kind {
            NodeKind::Sequence(items) => waiting.extend(items),
            NodeKind::Mapping(pairs) => {
                // Each of these was meant to be in a hash of its own.
                let is_options = entry.options.is_some() && std::ptr::eq(node, entry.value);
                let is_apart = |number| is_options && meant_below(pairs, number).is_some();
                check_pairs((entry.text, entry.format), pairs, &is_apart, report);
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
        let is_yaml = data.format() == Format::Yaml;
        let places = duplicate.ranges.iter().map(|range| Occurrence {
            name: &name,
            range: *range,
            is_symbol: is_yaml && range.slice(data.text()).starts_with(':'),
        });
        let places: Vec<Occurrence<'_>> = places.collect();
        // Options that have no effect are hardly meant.
        let safety = if name == LOOKUP_OPTIONS { Safety::ByHand } else { Safety::Safe };
        let fix = |lost: usize| {
            let removal = remove_entry(data, places[lost].range)?;
            Some(Fix::removing(LOST, safety, removal))
        };
        add_all(&places, fix, report);
    }
}

/// All hashes of a `hiera.yaml`.
pub(crate) fn check_config(file: &ConfigTextContext<'_>, report: &mut Report) {
    let Some(root) = file.root else { return };
    let source = (file.text, Format::Yaml);
    let mut waiting = vec![(root, false)];
    while let Some((node, is_hierarchy)) = waiting.pop() {
        match &node.kind {
            NodeKind::Sequence(items) => {
                waiting.extend(items.iter().map(|it| (it, is_hierarchy)));
            }
            NodeKind::Mapping(pairs) => {
                if !(is_hierarchy && check_level(file.text, pairs, report)) {
                    check_pairs(source, pairs, &|_| false, report);
                }
                let is_root = std::ptr::eq(node, root);
                let holds_levels = |it: &Pair| {
                    is_root && text_of(&it.key).is_some_and(|it| it.ends_with("hierarchy"))
                };
                waiting.extend(pairs.iter().map(|it| (&it.value, holds_levels(it))));
            }
            _ => {}
        }
    }
}

/// Reports the second name of a level: another level was meant, so there is nothing else to say about the keys of this one.
/// Returns whether there is a second name.
fn check_level(text: &str, pairs: &[Pair], report: &mut Report) -> bool {
    let keys = pairs.iter().map(|it| &it.key);
    let mut names = keys.filter(|it| text_of(it).is_some_and(|it| &**it == "name"));
    let (Some(first), Some(second)) = (names.next(), names.next()) else { return false };
    let which =
        "Only the last value counts; if another level starts here, write `- ` before this `name`";
    let finding = add("name", [first.range, second.range], which, report);
    let at = second.range.start as usize;
    let is_after_dash = text[..pairs[0].key.range.start as usize].ends_with("- ");
    if is_after_dash && text[..at].ends_with("  ") {
        let before = TextRange::new(second.range.start - 2, second.range.start);
        let edit = TextEdit::replace(before, "- ");
        finding.fixes.push(Fix::by_hand("Start another level here", vec![edit]));
    }
    true
}

/// Checks a hash, without the pairs with the numbers for which `is_apart` holds.
fn check_pairs(
    (text, format): (&str, Format),
    pairs: &[Pair],
    is_apart: &dyn Fn(usize) -> bool,
    report: &mut Report,
) {
    let mut seen: HashMap<Value, usize> = HashMap::new();
    let mut repeated: IndexMap<usize, Vec<usize>> = IndexMap::new();
    for (number, pair) in pairs.iter().enumerate() {
        if let Some((identity, _)) = identity(format, pair)
            && !is_apart(number)
        {
            let first = *seen.entry(identity).or_insert(number);
            if first != number {
                repeated.entry(first).or_insert_with(|| vec![first]).push(number);
            }
        }
    }
    for numbers in repeated.values() {
        let places = numbers.iter().filter_map(|number| {
            let pair = &pairs[*number];
            let NodeKind::Scalar { text: name, .. } = &pair.key.kind else { return None };
            let (_, is_symbol) = identity(format, pair)?;
            Some(Occurrence { name, range: pair.key.range, is_symbol })
        });
        let places: Vec<Occurrence<'_>> = places.collect();
        let fix = |lost: usize| {
            let removal = remove_pair(text, pairs, numbers[lost])?;
            // The first one gives the key its position.
            let is_next = numbers[lost] + 1 == numbers[lost + 1];
            let (title, safety) = if is_next {
                (LOST, Safety::Safe)
            } else {
                (LOST_WITH_POSITION, Safety::ChangesValue)
            };
            Some(Fix::removing(title, safety, removal))
        };
        add_all(&places, fix, report);
    }
}

/// One place at which a key is written.
#[derive(Clone, Copy)]
struct Occurrence<'a> {
    name: &'a str,
    range: TextRange,
    is_symbol: bool,
}

/// Reports every value that is lost. `fix` removes the occurrence with a number.
fn add_all(places: &[Occurrence<'_>], fix: impl Fn(usize) -> Option<Fix>, report: &mut Report) {
    let counts = which_counts(places);
    if counts + 1 < places.len() {
        // Removing any one of these can make another value count, so there is no fix.
        for lost in places.iter().filter(|it| it.range != places[counts].range) {
            let message = format!(
                "`{}` is in this hash both as text and as a symbol. This value is lost; remove all but one of them.",
                lost.name
            );
            let finding = report.add_as(&RULE, RULE.severity, lost.range, message);
            let message = "this value counts".to_owned();
            finding.related.push(Related { path: None, range: places[counts].range, message });
        }
        return;
    }
    // Each occurrence is reported together with the one directly before it, so every lost value is shown once.
    for (number, pair) in places.windows(2).enumerate() {
        let which = match places.len() {
            _ if pair[1].name == LOOKUP_OPTIONS => "Only the last value counts; join them",
            2 => "Only this last value counts; remove one of them",
            count if number + 2 == count => "Only this last value counts; remove the others",
            _ => "Only the last value counts, which follows below; remove the others",
        };
        let finding = add(pair[1].name, [pair[0].range, pair[1].range], which, report);
        finding.fixes.extend(fix(number));
    }
}

/// The number of the occurrence whose value Puppet uses. For Psych, `:a` and `a` are two keys of the hash, and the last value
/// of each counts. Puppet then makes text of the symbols, so the key whose first place comes later replaces the other one.
fn which_counts(places: &[Occurrence<'_>]) -> usize {
    let first = places[0].is_symbol;
    let later = places.iter().any(|it| it.is_symbol != first) != first;
    places.iter().rposition(|it| it.is_symbol == later).unwrap_or_default()
}

fn add<'r>(
    name: &str,
    [first, second]: [TextRange; 2],
    which: &str,
    report: &'r mut Report,
) -> &'r mut Diagnostic {
    let message = format!("`{name}` is already a key of this hash. {which}.");
    let finding = report.add_as(&RULE, RULE.severity, second, message);
    let message = "the value given here is lost".to_owned();
    finding.related.push(Related { path: None, range: first, message });
    finding
}

/// The key as Puppet's hash has it, and whether Psych reads a symbol. `None` if it is no scalar or Psych refuses it, or if it
/// is a `<<` that merges.
fn identity(format: Format, pair: &Pair) -> Option<(Value, bool)> {
    let NodeKind::Scalar { text, style } = &pair.key.kind else { return None };
    if format != Format::Yaml {
        return Some((Value::String(text.clone()), false));
    }
    // Each `<<` merges on its own, so two of them are not duplicates: both have an effect.
    if may_merge(&pair.key, &pair.value) {
        return None;
    }
    match scalar::typed(text, *style, pair.key.tag.as_deref()).ok()? {
        // Puppet makes strings of symbols in keys.
        Value::Symbol(name) => Some((Value::String(name), true)),
        value => Some((value, false)),
    }
}

#[cfg(test)]
mod tests {
    use super::{LOST, LOST_WITH_POSITION};
    use crate::ide::diagnostics::diagnostics;
    use crate::ide::diagnostics::shared::fix::Fix;
    use crate::ide::diagnostics::testing::{check, check_fix, check_related};
    use crate::ide::fixture::Fixture;

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
    fn of_three_the_last_one_counts() {
        check(
            r"
abc: 1
'abc': 2
#^^^^ warning[duplicate-key]: `abc` is already a key of this hash. Only the last value counts, which follows below; remove the others.
abc: 3
#^^ warning[duplicate-key]: `abc` is already a key of this hash. Only this last value counts; remove the others.
",
        );
    }

    #[test]
    fn the_lost_one_goes() {
        let with_comments = format!("{LOST} (also removes 2 comments)");
        check_fix("# one\na: 1 # x\nb: 2\na: 3\n", &with_comments, "b: 2\na: 3\n");
        check_fix("a:\n  b: 1\n  b: 2\n", LOST, "a:\n  b: 2\n");
        check_fix("a: {b: 1, c: 2, b: 3}\n", LOST_WITH_POSITION, "a: {c: 2, b: 3}\n");
        check_fix(
            "#- /data/common.json\n{\n  \"a\": 1,\n  \"b\": 2,\n  \"a\": 3\n}\n#- /hiera.yaml\nversion: 5\nhierarchy: [{name: x, data_hash: json_data, path: common.json}]\n",
            LOST,
            "{\n  \"b\": 2,\n  \"a\": 3\n}\n",
        );
    }

    #[test]
    fn options_are_joined_by_hand() {
        let text = r"
lookup_options:
  a: {merge: hash}
a: {}
b: {}
lookup_options:
#^^^^^^^^^^^^^ warning[duplicate-key]: `lookup_options` is already a key of this hash. Only the last value counts; join them.
  b: {merge: hash}
";
        check(text);
        let fixture = Fixture::parse_without_marks(text);
        let found = diagnostics(&fixture.world(), &fixture.files[0].world_path());
        let fixes = found.iter().flat_map(|it| &it.fixes);
        assert_eq!(fixes.map(Fix::is_by_hand).collect::<Vec<_>>(), [true]);
    }

    #[test]
    fn in_hiera_yaml() {
        check(
            r"
#- /hiera.yaml
version: 5
version: 5
#^^^^^^ warning[duplicate-key]: `version` is already a key of this hash…
defaults: {data_hash: yaml_data, datadir: data, datadir: data}
#                                               ^^^^^^^ warning[duplicate-key]
hierarchy:
  - name: a
    path: a.yaml
    name: b
#   ^^^^ warning[duplicate-key]: `name` is already a key of this hash. Only the last value counts; if another level starts here, write `- ` before this `name`.
    path: b.yaml
  - name: c
    path: c.yaml
    path: common.yaml
#   ^^^^ warning[duplicate-key]
  - name: d
    lookup_key: eyaml_lookup_key
    path: d.eyaml
    options: {x: 1, x: 2, y: [{name: 1, name: 2}]}
#                   ^ warning[duplicate-key]
#                                       ^^^^ warning[duplicate-key]: `name` is already a key of this hash. Only this last value counts; remove one of them.
#- /data/common.yaml
a: 1
",
        );
    }

    #[test]
    fn a_level_that_was_meant() {
        check_fix(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - name: a\n    path: a.yaml\n    name: b\n    path: b.yaml\n\
             #- /data/a.yaml\na: 1\n#- /data/b.yaml\nb: 1\n",
            "Start another level here",
            "version: 5\nhierarchy:\n  - name: a\n    path: a.yaml\n  - name: b\n    path: b.yaml\n",
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

    /// Puppet answers 2 for `a`, `b.a` and `c`.
    #[test]
    fn symbols_and_text_in_turns() {
        check(
            r"
:a: 1
#^ warning[duplicate-key]: `a` is in this hash both as text and as a symbol. This value is lost…
a: 2
:a: 3
#^ warning[duplicate-key]
b:
  :a: 1
# ^^ warning[duplicate-key]: `:a` is in this hash both as text and as a symbol…
  a: 2
  :a: 3
# ^^ warning[duplicate-key]
",
        );
        check_related(
            "c: 1\n:c: 2\nc: 3\n",
            "duplicate-key",
            &[
                "/data/common.yaml: :c: this value counts",
                "/data/common.yaml: :c: this value counts",
            ],
        );
        check_fix("a: 1\na: 2\n:a: 3\n", LOST, "a: 2\n:a: 3\n");
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
