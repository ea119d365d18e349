//! `typographic-character`: quotes and spaces from word processors and web pages. For YAML they are letters like any other.

use crate::data::{DataFile, FileId, Format, Verdict};
use crate::ide::diagnostics::file::FileContext;
use crate::ide::diagnostics::file::yaml_syntax::{may_quote, reader_words};
use crate::ide::diagnostics::shared::fix::{Fix, MAX_TRIED_BYTES};
use crate::ide::diagnostics::shared::walk::pairs_of;
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity, Subject};
use crate::syntax::tree::{Node, NodeKind, ScalarStyle};
use crate::text::{LineIndex, TextEdit, TextRange, apply_edits};

pub(crate) const RULE: Rule = Rule {
    code: "typographic-character",
    name: "Typographic quotes or spaces",
    severity: Severity::Warning,
    since: "0.2.0",
    summary: "Typographic quotes, or no-break spaces. For YAML, they are letters.",
    page: include_str!("../../../../docs/rules/typographic-character.md"),
    explains: Some(Subject::BrokenFile),
    may_quote,
    checks: &[Check::Entry(check), Check::File(check_file)],
    ..Rule::USUAL
};

/// Pairs of quotes that may surround a whole text.
const DOUBLE: [char; 4] = ['“', '”', '„', '‟'];
const SINGLE: [char; 4] = ['‘', '’', '‚', '‛'];

/// Spaces that YAML does not treat as spaces, and invisible characters.
const BLANKS: [char; 8] =
    ['\u{a0}', '\u{2007}', '\u{2009}', '\u{202f}', '\u{3000}', '\u{200b}', '\u{2060}', '\u{feff}'];

/// Whether a text has typographic quotes.
pub(crate) fn has_quotes(text: &str) -> bool {
    text.contains(DOUBLE) || text.contains(SINGLE)
}

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    if entry.written().is_ascii() || entry.format != Format::Yaml {
        return;
    }
    check_scalar(entry, entry.key, true, report);
    let mut waiting = vec![entry.value];
    while let Some(node) = waiting.pop() {
        match &node.kind {
            NodeKind::Scalar { .. } => check_scalar(entry, node, false, report),
            NodeKind::Sequence(items) => waiting.extend(items.iter().rev()),
            NodeKind::Mapping(_) => {
                for pair in pairs_of(node).iter().rev() {
                    check_scalar(entry, &pair.key, true, report);
                    waiting.push(&pair.value);
                }
            }
            NodeKind::Alias(_) => {}
        }
    }
    for string in &entry.strings {
        for token in &string.tokens {
            let written = token.range.slice(string.text);
            if has_quotes(written) {
                let message = "the quotes in this token are typographic, so Puppet reads the whole token as a name\n\
                               Write `'`.";
                let finding = report.add(&RULE, string.source_range(token.range), message);
                let meant = token.expression_range.slice(string.text);
                let meant = meant.replace(DOUBLE, "'").replace(SINGLE, "'");
                let edit = string.rewritten(token, token.expression_range, &meant);
                let fix = |edit| Fix::changing(format!("Write `%{{{meant}}}`"), vec![edit]);
                finding.fixes.extend(edit.map(fix));
            }
        }
    }
}

fn check_scalar(entry: &EntryContext<'_>, node: &Node, is_key: bool, report: &mut Report) {
    let NodeKind::Scalar { text, style: ScalarStyle::Plain } = &node.kind else { return };
    if text.is_ascii() {
        return;
    }
    if let Some(inner) = in_quotes(text) {
        let message = format!(
            "the quotes are typographic, so they are part of the string\nWrite `\"{inner}\"`, with straight quotes."
        );
        let finding = report.add(&RULE, node.range, message);
        // The fix replaces the whole scalar, so the scalar must be written on one line, as it is read.
        let is_whole = node.range.slice(entry.text) == &**text;
        if is_whole && !entry.is_root_key(node) {
            let meant = serde_json::Value::from(inner).to_string();
            let edit = TextEdit::replace(node.range, &*meant);
            finding.with_fix(Fix::changing("Write straight quotes", vec![edit]));
        }
    } else if is_key && text.starts_with(BLANKS) {
        let message = "this key starts with a character that is not a space for YAML, such as a no-break space\n\
                       It is part of the key. Indent with ordinary spaces.";
        report.add(&RULE, node.range, message);
    }
}

/// The text inside typographic quotes, if they surround the whole text.
fn in_quotes(text: &str) -> Option<&str> {
    // Text such as `“g” and “h”` has quotes inside as well: they do not surround the whole text.
    for quotes in [DOUBLE, SINGLE] {
        let inner = text.strip_prefix(quotes).and_then(|it| it.strip_suffix(quotes));
        if let Some(inner) = inner.filter(|it| !it.contains(quotes)) {
            return Some(inner);
        }
    }
    None
}

/// Reports such a space if it breaks the file, in the indentation or after a colon.
pub(crate) fn check_file(file: &FileContext<'_>, report: &mut Report) {
    let Some(error) = file.yaml_error() else { return };
    let text = file.text;
    let index = LineIndex::new(text);
    let line = index.line_of(error.range.start);
    // libyaml often reports a line next to the one that has the character.
    let before = line.saturating_sub(1);
    let Some(range) = [line, before, line + 1].into_iter().find_map(|it| blanks(&index, text, it))
    else {
        return;
    };
    let words = reader_words(&error.message);
    let message = format!(
        "{words}\nThis character is not a space for YAML; it may be a no-break space. Write an ordinary space."
    );
    let finding = report.add_as(&RULE, Severity::Error, range, message);
    if text.len() <= MAX_TRIED_BYTES {
        let lines = 0..index.line_count();
        let edit = |range: TextRange| {
            TextEdit::replace(range, " ".repeat(range.slice(text).chars().count()))
        };
        let edits: Vec<_> = lines.filter_map(|line| blanks(&index, text, line)).map(edit).collect();
        // The character may not be the only error, so the fix is offered only if the file can be read after it.
        let data = DataFile::new(FileId(0), Format::Yaml, apply_edits(text, &edits).into());
        if data.verdict() == Verdict::Hash {
            finding.with_fix(Fix::safe("Write ordinary spaces", edits));
        }
    }
}

/// Such spaces in the indentation of a line, or after its first colon.
fn blanks(index: &LineIndex, text: &str, line: u32) -> Option<TextRange> {
    if line >= index.line_count() {
        return None;
    }
    let range = index.line_range(text, line);
    let line = range.slice(text);
    let at = |from: usize| {
        let rest = &line[from..];
        let start = from + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
        let rest = &line[start..];
        let end = start + (rest.len() - rest.trim_start_matches(BLANKS).len());
        let found = TextRange::new(range.start + start as u32, range.start + end as u32);
        (start < end).then_some(found)
    };
    at(0).or_else(|| line.find(':').and_then(|colon| at(colon + 1)))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn quotes_around_a_value() {
        check(
            r#"
a: “b c”
#  ^^^^^^^^^ warning[typographic-character]: the quotes are typographic, so they are part of the string…
d: [‘e’, "“f”", Ann’s, “g” and “h”]
#   ^^^^^^^ warning[typographic-character]
i: "%{lookup(‘a’)}"
#   ^^^^^^^^^^^^^^^^^^ warning[typographic-character]
"#,
        );
    }

    #[test]
    fn blanks_before_a_key() {
        check("a:\n  \u{a0}b: 1\n# ^^^ warning[typographic-character]\n");
        check("a:\n  b: 1\n  c:\u{a0}2\n#   ^^ error[typographic-character]\n  d: 3\n");
    }

    #[test]
    fn the_quotes_of_a_keyboard() {
        check_fix("a: “b c” # d\n", "Write straight quotes", "a: \"b c\" # d\n");
        check_fix(
            "a:\n  b: 1\n  c:\u{a0}2\n  d: 3\n",
            "Write ordinary spaces",
            "a:\n  b: 1\n  c: 2\n  d: 3\n",
        );
    }
}
