//! `folded-list`: YAML joins list items to one string, because a string precedes the first of them.

use crate::data::Format;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::shared::walk::pairs_of;
use crate::ide::diagnostics::{Check, Diagnostic, EntryContext, Report, Rule, Severity};
use crate::syntax::tree::{Node, NodeKind, ScalarStyle};
use crate::text::{TextEdit, TextRange};

pub(crate) const RULE: Rule = Rule {
    code: "folded-list",
    name: "List that became a string",
    severity: Severity::Warning,
    since: "0.2.0",
    summary: "Lines that start with `- ` continue a string, so they are not a list.",
    page: include_str!("../../../../docs/rules/folded-list.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    if entry.format != Format::Yaml || !entry.written().contains('\n') {
        return;
    }
    check_pair(entry, entry.key, entry.value, false, report);
    let mut waiting = vec![(entry.value, false)];
    while let Some((node, is_in_flow)) = waiting.pop() {
        let is_in_flow = is_in_flow || node.range.slice(entry.text).starts_with(['[', '{']);
        if let NodeKind::Sequence(items) = &node.kind {
            for item in items.iter().rev() {
                check_value(entry, item, report);
                waiting.push((item, is_in_flow));
            }
        }
        for pair in pairs_of(node) {
            check_pair(entry, &pair.key, &pair.value, is_in_flow, report);
            waiting.push((&pair.value, is_in_flow));
        }
    }
}

fn check_pair(
    entry: &EntryContext<'_>,
    key: &Node,
    value: &Node,
    is_in_flow: bool,
    report: &mut Report,
) {
    let Some(finding) = check_value(entry, value, report) else { return };
    let between = TextRange::new(key.range.end, value.range.start);
    let written = between.slice(entry.text);
    // The edit would remove a comment, an anchor or a tag between the key and the value. Brackets and braces allow no `- `.
    if written.trim() == ":" && !written.contains('\n') && !is_in_flow {
        // The first item gets the indentation of the second, because YAML needs all items of a list in the same column.
        let second = value.range.slice(entry.text).lines().nth(1).unwrap_or("");
        let indentation = &second[..second.len() - second.trim_start().len()];
        let line_end = if entry.text.contains("\r\n") { "\r\n" } else { "\n" };
        let edit = TextEdit::replace(between, format!(":{line_end}{indentation}- "));
        finding.with_fix(Fix::changing("Make it a list", vec![edit]));
    }
}

/// Checks a value, or an item that continues with other items.
fn check_value<'r>(
    entry: &EntryContext<'_>,
    value: &Node,
    report: &'r mut Report,
) -> Option<&'r mut Diagnostic> {
    let NodeKind::Scalar { style: ScalarStyle::Plain, .. } = &value.kind else { return None };
    let mut lines = value.range.slice(entry.text).lines();
    let (first, second) = (lines.next()?, lines.next()?);
    let is_item = |line: &str| line.trim_start().starts_with("- ");
    // If one line does not look like an item, this is more likely prose with dashes.
    if !is_item(second) || !lines.all(is_item) {
        return None;
    }
    let message = format!(
        "this is one string and not a list: it starts with `{}`\nStart every item in the same column, with `- `.",
        first.trim()
    );
    Some(report.add(&RULE, value.range, message))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix, fix_counts};

    #[test]
    fn items_behind_a_text() {
        check(
            r#"
a: b
#  ^ warning[folded-list]: this is one string and not a list: it starts with `b`…
  - c
  - d
e:
  - f
  - g
h: a text
  - with a line
  that is no item
i: "j
  - k"
l: 1 -
  2
m:
  - n
#   ^ warning[folded-list]
   - o
  - p
"#,
        );
    }

    #[test]
    fn no_fix_within_brackets_and_braces() {
        let code = "folded-list";
        assert_eq!(fix_counts("f: {in: first\n    - a\n    - b, z: 1}\nend: 9\n", code), [0]);
        assert_eq!(fix_counts("f:\n  - [in: first\n    - a\n    - b]\nend: 9\n", code), [0]);
        assert_eq!(fix_counts("f:\n  - in: first\n      - a\nend: {x: 1}\n", code), [1]);
    }

    #[test]
    fn a_list() {
        check_fix(
            "a:\n  b: c # d\n  e: f\n    - g\n    - h\n",
            "Make it a list",
            "a:\n  b: c # d\n  e:\n    - f\n    - g\n    - h\n",
        );
    }
}
