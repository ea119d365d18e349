//! `tab-indentation`: a tab before the first character of a line, where YAML requires spaces.

use crate::data::{DataFile, FileId, Format, Verdict};
use crate::ide::diagnostics::file::FileContext;
use crate::ide::diagnostics::file::yaml_syntax::{may_quote, reader_words};
use crate::ide::diagnostics::shared::fix::{Fix, MAX_TRIED_BYTES};
use crate::ide::diagnostics::{Check, Family, Report, Rule, Severity, Subject};
use crate::text::{LineIndex, TextEdit, TextRange, apply_edits};

pub(crate) const RULE: Rule = Rule {
    code: "tab-indentation",
    name: "Tab in the indentation",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A line is indented with a tab, which YAML does not allow.",
    page: include_str!("../../../../docs/rules/tab-indentation.md"),
    family: Family::Syntax,
    explains: Some(Subject::BrokenFile),
    may_quote,
    checks: &[Check::File(check)],
    ..Rule::USUAL
};

/// Checks a file that is broken.
pub(crate) fn check(file: &FileContext<'_>, report: &mut Report) {
    let Some(error) = file.yaml_error() else { return };
    let text = file.text;
    let index = LineIndex::new(text);
    let line = index.line_of(error.range.start);
    // libyaml often reports the error one line earlier, where something is still open.
    let Some(range) = [line, line + 1].into_iter().find_map(|line| tabs(&index, text, line)) else {
        return;
    };
    let words = reader_words(&error.message);
    let message = format!("{words}\nIndent with spaces instead of tabs.");
    let finding = report.add(&RULE, range, message);
    let is_small = text.len() <= MAX_TRIED_BYTES;
    let meant =
        WIDTHS.iter().filter(|_| is_small).map(|width| with_blanks(&index, text, range, *width));
    if let Some(edits) = meant.into_iter().find(|edits| is_whole(text, edits)) {
        // Puppet cannot read the file as it is, so the fix changes no value.
        finding.with_fix(Fix::safe("Indent with spaces", edits));
    }
}

/// The possible widths of a tab; 0 for a tab between spaces that has no width.
const WIDTHS: [usize; 4] = [2, 4, 8, 0];

/// Replaces the tabs of a line, and of all other lines that start with a tab, by spaces. Tabs after spaces in other lines
/// may be part of a string.
fn with_blanks(index: &LineIndex, text: &str, found: TextRange, width: usize) -> Vec<TextEdit> {
    let own = index.line_of(found.start);
    let begins = |line: u32| index.line_range(text, line).slice(text).starts_with('\t');
    let lines = (0..index.line_count()).filter(|line| *line == own || begins(*line));
    let edit = |tabs: TextRange| {
        let written: String = tabs.slice(text).replace('\t', &" ".repeat(width));
        TextEdit::replace(tabs, written)
    };
    lines.filter_map(|line| tabs(index, text, line)).map(edit).collect()
}

/// Whether the file is valid after the edits.
fn is_whole(text: &str, edits: &[TextEdit]) -> bool {
    let fixed = apply_edits(text, edits);
    let data = DataFile::new(FileId(0), Format::Yaml, fixed.into());
    data.verdict() == Verdict::Hash
}

/// The tabs before the first character of a line.
fn tabs(index: &LineIndex, text: &str, line: u32) -> Option<TextRange> {
    let range = index.line_range(text, line);
    let line = range.slice(text);
    let indentation = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
    let first = indentation.find('\t')?;
    let end = indentation.rfind('\t')? + 1;
    let is_blank = line.trim().is_empty();
    (!is_blank).then(|| TextRange::new(range.start + first as u32, range.start + end as u32))
}

#[cfg(test)]
mod tests {
    use super::MAX_TRIED_BYTES;
    use crate::ide::diagnostics::testing::{check, check_fix, fix_counts, padded};

    #[test]
    fn tabs_that_break_the_file() {
        check("a:\n  b: 1\n  \tc: 2\n# ^ error[tab-indentation]\n");
    }

    #[test]
    fn tabs_that_do_no_harm() {
        check("a:\t1\nb: [1,\n\t2]\n");
    }

    #[test]
    fn blanks() {
        check_fix(
            "a:\n\tb: 1\n\tc:\n\t\t- 1\n",
            "Indent with spaces",
            "a:\n  b: 1\n  c:\n    - 1\n",
        );
        check_fix("a:\n  \tb: 1\n  c: 1\n", "Indent with spaces", "a:\n  b: 1\n  c: 1\n");
    }

    #[test]
    fn fixes_of_large_files_are_not_tried() {
        let fixes = |length| fix_counts(&padded("a:\n\tb: 1\n", length), "tab-indentation");
        assert_eq!(fixes(MAX_TRIED_BYTES), [1]);
        assert_eq!(fixes(MAX_TRIED_BYTES + 1), [0]);
    }
}
