//! `escape-in-windows-path`: a Windows path in double quotes, in which a backslash and the letter after it are one character.

use crate::data::Format;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::shared::walk::pairs_of;
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::syntax::tree::{Node, NodeKind, ScalarStyle};
use crate::text::{TextEdit, TextRange};

pub(crate) const RULE: Rule = Rule {
    code: "escape-in-windows-path",
    name: "Escape sequence in a Windows path",
    severity: Severity::Warning,
    since: "0.2.0",
    summary: r#"A Windows path is in double quotes, where `\t` is a tab: `"C:\temp"` is not a path."#,
    page: include_str!("../../../../docs/rules/escape-in-windows-path.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    if !entry.written().contains(":\\") || !matches!(entry.format, Format::Yaml | Format::Json) {
        return;
    }
    let mut waiting = vec![entry.value];
    while let Some(node) = waiting.pop() {
        match &node.kind {
            NodeKind::Scalar { style: ScalarStyle::DoubleQuoted, .. } => {
                check_text(entry, node, report);
            }
            NodeKind::Sequence(items) => waiting.extend(items.iter().rev()),
            _ => waiting.extend(pairs_of(node).iter().rev().map(|pair| &pair.value)),
        }
    }
}

fn check_text(entry: &EntryContext<'_>, node: &Node, report: &mut Report) {
    let written = node.range.slice(entry.text);
    let escapes = escapes_of(written);
    let is_only_escape = |at: usize| escapes.first().is_some_and(|first| *first == at);
    let Some(at) = escapes.iter().copied().find(|at| is_after_drive(written, *at)) else { return };
    let escape = &written[at..at + 2];
    let Some(meaning) = meaning_of(escape) else { return };
    let remedy = if entry.format == Format::Yaml {
        "Write the path in single quotes."
    } else {
        r"Write `\\` for each backslash."
    };
    let message =
        format!("`{escape}` is {meaning} in double quotes, so this is not the path\n{remedy}");
    let start = node.range.start + at as u32;
    let finding = report.add(&RULE, TextRange::new(start, start + 2), message);
    // With `\"` or `\\`, other parts of the text would change as well.
    let is_plain =
        |at: &usize| !matches!(written.as_bytes()[*at + 1], b'"' | b'\\' | b'\n' | b'\r');
    let has_other_signs = written.contains(['\'', '\n']);
    if is_only_escape(at) && escapes.iter().all(is_plain) && !has_other_signs {
        let inner = &written[1..written.len() - 1];
        let (title, text) = if entry.format == Format::Yaml {
            ("Write the path in single quotes", format!("'{inner}'"))
        } else {
            ("Double the backslashes", format!("\"{}\"", inner.replace('\\', r"\\")))
        };
        finding.with_fix(Fix::changing(title, vec![TextEdit::replace(node.range, text)]));
    }
}

/// The places of the backslashes that begin an escape sequence.
fn escapes_of(written: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(at) = written[rest..].find('\\').map(|at| rest + at) {
        found.push(at);
        rest = at + 1 + written[at + 1..].chars().next().map_or(0, char::len_utf8);
    }
    found
}

/// Whether a backslash follows a drive, such as `C:`. Texts such as `a:\nb` have a line break there, so a small letter is not
/// enough for `\n`.
fn is_after_drive(written: &str, at: usize) -> bool {
    let before = &written.as_bytes()[..at];
    let [rest @ .., drive, b':'] = before else { return false };
    let is_whole = rest.last().is_none_or(|it| !it.is_ascii_alphanumeric());
    let is_line_break = written[at..].starts_with("\\n");
    let goes_on = written[at + 2..].starts_with(|it: char| it.is_ascii_alphanumeric());
    is_whole
        && if is_line_break {
            drive.is_ascii_uppercase() && goes_on
        } else {
            drive.is_ascii_alphabetic()
        }
}

/// What an escape sequence stands for; `None` if it is the character itself.
fn meaning_of(escape: &str) -> Option<&'static str> {
    Some(match escape.as_bytes()[1] {
        b't' => "a tab",
        b'n' => "a line break",
        b'r' => "a carriage return",
        b'b' => "a backspace",
        b'f' => "a form feed",
        b'v' => "a vertical tab",
        b'a' => "a bell character",
        b'e' => "an escape character",
        b'0' => "a null character",
        b'x' | b'u' | b'U' => "the start of a character's number",
        b'N' => "a next-line character",
        b'L' => "a line separator",
        b'P' => "a paragraph separator",
        b'_' => "a no-break space",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn drives_in_double_quotes() {
        check(
            r#"
a: "C:\temp"
#     ^^ warning[escape-in-windows-path]: `\t` is a tab in double quotes, so this is not the path…
b: ["set X=D:\new", {c: "c:\Programs"}]
#            ^^ warning[escape-in-windows-path]
#                          ^^ warning[escape-in-windows-path]
d: 'C:\temp'
e: C:\temp
f: "C:\\temp"
g: "C:/temp\t"
h: "a:\nb"
i: "see abc:\tdef"
"#,
        );
    }

    #[test]
    fn quotes_that_keep_backslashes() {
        let title = "Write the path in single quotes";
        check_fix(r#"a: "C:\temp\new" # d"#, title, r"a: 'C:\temp\new' # d");
        check(
            r#"
a: "C:\temp is \"it\""
#     ^^ warning[escape-in-windows-path]
"#,
        );
    }
}
