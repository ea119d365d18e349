//! `unquoted-interpolation`: an unquoted value starts with `%{`. In YAML, plain text cannot start with `%`.

use crate::data::{DataFile, FileId, Format, Verdict};
use crate::ide::diagnostics::file::FileContext;
use crate::ide::diagnostics::file::yaml_syntax::{
    may_quote, quote_of_an_earlier_line, reader_words,
};
use crate::ide::diagnostics::shared::fix::{Fix, MAX_TRIED_BYTES, quote};
use crate::ide::diagnostics::{Check, Family, Report, Rule, Severity, Subject};
use crate::text::{TextEdit, TextRange, apply_edits};

pub(crate) const RULE: Rule = Rule {
    code: "unquoted-interpolation",
    name: "Unquoted interpolation",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A value starts with `%{` and has no quotes, which YAML does not allow.",
    page: include_str!("../../../../docs/rules/unquoted-interpolation.md"),
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
    // If a quote is missing on an earlier line, the parser only notices it here.
    let is_quote_missing = || quote_of_an_earlier_line(text, error.range.start as usize).is_some();
    if !error.range.slice(text).starts_with("%{") || is_quote_missing() {
        return;
    }
    let words = reader_words(&error.message);
    let message = format!("{words}\nPut quotes around the value.");
    let finding = report.add(&RULE, error.range, message);
    if text.len() <= MAX_TRIED_BYTES
        && let Some(value) = rest_of_line(text, error.range.start)
    {
        let edits = vec![quote(value, value.slice(text))];
        if goes_further(text, &edits, error.range.start) {
            finding.with_fix(Fix::safe("Put quotes around it", edits));
        }
    }
}

/// The value from `start` to the end of its line, without a comment. It follows `key:` or `-`.
fn rest_of_line(text: &str, start: u32) -> Option<TextRange> {
    let (before, rest) = text.split_at_checked(start as usize)?;
    let line = before.rsplit('\n').next().unwrap_or(before);
    let is_block = line.ends_with(": ") || line.trim() == "-" && line.ends_with(' ');
    let rest = rest.lines().next()?;
    let value = rest.find(" #").map_or(rest, |at| &rest[..at]).trim_end();
    let is_whole = is_block && !line.contains(['{', '[', '"', '\'']);
    is_whole.then(|| TextRange::new(start, start + value.len() as u32))
}

/// Whether the YAML is valid up to byte `at` after the edits.
fn goes_further(text: &str, edits: &[TextEdit], at: u32) -> bool {
    let fixed = apply_edits(text, edits);
    let data = DataFile::new(FileId(0), Format::Yaml, fixed.into());
    match data.verdict() {
        // The text before the error is two quotes longer, so an error up to there shows that the quotes did not help.
        Verdict::Broken(error) => error.range.start > at + 2,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::MAX_TRIED_BYTES;
    use crate::ide::diagnostics::testing::{check, check_fix, fix_counts, padded};

    #[test]
    fn only_at_the_begin_of_a_value() {
        check(
            r"
a: x %{facts.y}
b: [%{facts.y}]
#   ^^^^^^^^^^^ error[unquoted-interpolation]: found character that cannot start any token while scanning for the next token Put quotes around the value.
",
        );
    }

    #[test]
    fn a_quote_that_is_missing_lines_before_is_another_mistake() {
        check(
            r#"
a: "b
c: 'x "%{literal("%")}"'
#      ^^^^^^^^^^^^^^^^^ error[yaml-syntax]: found character that cannot start any token while scanning for the next token Is a quote missing? The quoted text that starts on line 1 ends here.
"#,
        );
    }

    #[test]
    fn quotes() {
        check_fix(
            "a: %{environment} x # why\nb: 1\n",
            "Put quotes around it",
            "a: '%{environment} x' # why\nb: 1\n",
        );
        check_fix(
            "a:\n  - %{lookup('b')}\nb: 1\n",
            "Put quotes around it",
            "a:\n  - \"%{lookup('b')}\"\nb: 1\n",
        );
    }

    #[test]
    fn fixes_of_large_files_are_not_tried() {
        let fixes = |length| fix_counts(&padded("a: %{b}\n", length), "unquoted-interpolation");
        assert_eq!(fixes(MAX_TRIED_BYTES), [1]);
        assert_eq!(fixes(MAX_TRIED_BYTES + 1), [0]);
    }
}
