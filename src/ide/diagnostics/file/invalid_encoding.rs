//! `invalid-encoding`: a file that is not plain UTF-8.
//!
//! Bytes that are not UTF-8, and control characters, break a YAML file. A byte order mark is worse: it shifts the first line
//! by one column, so that the keys of the other lines are silently lost.

use crate::data::{FileError, Format, NOT_UTF8};
use crate::ide::diagnostics::config::ConfigTextContext;
use crate::ide::diagnostics::file::FileContext;
use crate::ide::diagnostics::file::yaml_syntax::{may_quote, reader_words};
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::{Check, Report, Rule, Severity, Subject};
use crate::text::{BYTE_ORDER_MARK, TextEdit, TextRange};

pub(crate) const RULE: Rule = Rule {
    code: "invalid-encoding",
    name: "Encoding that Puppet does not expect",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A data file is not UTF-8 or contains control characters, or it or a `hiera.yaml` starts with a byte order mark.",
    page: include_str!("../../../../docs/rules/invalid-encoding.md"),
    explains: Some(Subject::BrokenFile),
    may_quote,
    checks: &[
        Check::File(check),
        Check::File(check_mark),
        Check::File(check_bytes),
        Check::ConfigText(check_config),
    ],
    ..Rule::USUAL
};

/// libyaml's messages for bytes and characters that it does not accept.
const WORDS: [&str; 5] = [
    "UTF-8",
    "control characters",
    "invalid Unicode character",
    "UTF-16",
    "unexpected low surrogate",
];

const REMOVE_MARK: &str = "Remove the byte order mark";

/// Checks a file that is broken.
pub(crate) fn check(file: &FileContext<'_>, report: &mut Report) {
    let is_ours = |error: &&FileError| file.format != Format::Hocon || error.message == NOT_UTF8;
    let Some(error) = file.error().filter(is_ours) else { return };
    let text = file.text;
    let words = reader_words(&error.message);
    if text.starts_with(BYTE_ORDER_MARK) {
        let message = format!(
            "{words}\nThe file starts with a byte order mark. Save it as UTF-8 without one."
        );
        let finding = report.add(&RULE, mark_range(), message);
        // Puppet cannot read the file at all, so the fix changes no value.
        finding.with_fix(Fix::safe(REMOVE_MARK, vec![TextEdit::delete(mark_range())]));
        return;
    }
    if !WORDS.iter().any(|it| words.contains(it)) {
        return;
    }
    let advice = if words.contains("control") {
        "Write it as an escape within double quotes, e.g. `\"\\e\"`."
    } else {
        "Save the file as UTF-8."
    };
    report.add(&RULE, error.range, format!("{words}\n{advice}"));
}

/// A byte order mark in a file that Puppet can read nevertheless.
pub(crate) fn check_mark(file: &FileContext<'_>, report: &mut Report) {
    let FileContext { text, format, .. } = *file;
    let is_broken = file.error().is_some();
    if format == Format::Yaml && !is_broken {
        report_mark(text, report);
    }
}

/// A byte order mark in a `hiera.yaml`: Puppet may use its default hierarchy, as if nothing was written.
pub(crate) fn check_config(file: &ConfigTextContext<'_>, report: &mut Report) {
    report_mark(file.text, report);
}

fn report_mark(text: &str, report: &mut Report) {
    if text.starts_with(BYTE_ORDER_MARK) {
        let message = "the file starts with a byte order mark, which moves its first line by one column\n\
                       Keys of other lines may be lost. Save it as UTF-8 without one.";
        let finding = report.add_as(&RULE, Severity::Warning, mark_range(), message);
        // Keys that the mark hides are found after the fix, so values change.
        finding.with_fix(Fix::changing(REMOVE_MARK, vec![TextEdit::delete(mark_range())]));
    }
}

/// Bytes in JSON that are not UTF-8. Puppet keeps them as they are.
pub(crate) fn check_bytes(file: &FileContext<'_>, report: &mut Report) {
    if let (Some(at), None) = (file.data.first_replaced_byte(), file.error()) {
        let message = "the file is not UTF-8, and its strings get bytes that are no text\n\
                       A lookup fails where such a string contains `%{…}`. Save the file as UTF-8.";
        report.add_as(&RULE, Severity::Warning, TextRange::empty(at), message);
    }
}

fn mark_range() -> TextRange {
    TextRange::new(0, BYTE_ORDER_MARK.len_utf8() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::PuppetVersion;
    use crate::data::{DataFile, FileId};
    use crate::ide::diagnostics::Diagnostic;
    use crate::ide::diagnostics::testing::{check as check_fixture, check_fix};

    /// What both checks find in a file.
    fn found(data: &DataFile) -> Vec<Diagnostic> {
        let (format, verdict) = (data.format(), data.verdict());
        let version = PuppetVersion::default();
        let (text, left_by_git) = (data.text(), None);
        let file = FileContext { data, text, format, verdict, version, left_by_git, file: None };
        let mut report = Report::default();
        check(&file, &mut report);
        check_mark(&file, &mut report);
        report.findings
    }

    #[test]
    fn bytes_that_are_no_utf_8() {
        let found = found(&DataFile::not_utf8(FileId(0), Format::Yaml, 3, &[0xff, 0xfe]));
        assert_eq!(found[0].range, TextRange::empty(3));
        assert_eq!(found[0].message, "invalid leading UTF-8 octet\nSave the file as UTF-8.");
    }

    #[test]
    fn control_characters() {
        check_fixture(
            "a: 1\nb: x\u{7}y\n#   ^^ error[invalid-encoding]: control characters are not allowed…\n",
        );
        check_fixture("a: \"x\\ay\"\n");
    }

    #[test]
    fn marks_that_only_move_the_first_line() {
        let count = |text: &str| found(&DataFile::new(FileId(0), Format::Yaml, text.into())).len();
        assert_eq!(count("\u{feff}a: 1\nb: 2\n"), 1);
        assert_eq!(count("a: 1\nb: 2\n"), 0);
    }

    #[test]
    fn the_mark_goes() {
        check_fix("\u{feff}a: 1\nb: 2\n", REMOVE_MARK, "a: 1\nb: 2\n");
        check_fix(
            "#- /data/common.json\n\u{feff}{\"a\": 1}\n#- /hiera.yaml\nversion: 5\n\
             hierarchy: [{name: x, data_hash: json_data, path: common.json}]\n",
            REMOVE_MARK,
            "{\"a\": 1}\n",
        );
    }

    #[test]
    fn marks_in_a_hierarchy() {
        check_fixture(
            "#- /hiera.yaml\n\u{feff}version: 5\n\
             #^^ warning[invalid-encoding]: the file starts with a byte order mark…\n\
             hierarchy: [{name: x, path: x.yaml}]\n",
        );
    }

    #[test]
    fn a_mark_is_reason_enough() {
        let found = found(&DataFile::new(FileId(0), Format::Json, "\u{feff}{}".into()));
        assert_eq!(found.len(), 1);
    }
}
