//! `invalid-encoding`: a file that is not plain UTF-8.
//!
//! Bytes that are no UTF-8, and control characters, break a YAML file. A byte order mark does worse: it moves the first
//! line by one column, so that the keys of the other lines are lost without a word.

use crate::data::{FileError, Format, Verdict};
use crate::ide::diagnostics::file::yaml_syntax::reader_words;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::{Report, Rule, Severity};
use crate::text::{TextEdit, TextRange};

pub(crate) const RULE: Rule = Rule {
    code: "invalid-encoding",
    name: "Encoding that Puppet does not expect",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A data file is not UTF-8, contains control characters or starts with a byte order mark.",
    page: include_str!("../../../../docs/rules/invalid-encoding.md"),
    is_on: true,
};

/// What libyaml says of bytes and characters that it does not take.
const WORDS: [&str; 5] = [
    "UTF-8",
    "control characters",
    "invalid Unicode character",
    "UTF-16",
    "unexpected low surrogate",
];

const BYTE_ORDER_MARK: char = '\u{feff}';

const REMOVE_MARK: &str = "Remove the byte order mark";

/// Says whether that is why the file is broken.
pub(crate) fn check(error: &FileError, text: &str, report: &mut Report) -> bool {
    let words = reader_words(&error.message);
    if text.starts_with(BYTE_ORDER_MARK) {
        let message = format!(
            "{words}\nThe file starts with a byte order mark. Save it as UTF-8 without one."
        );
        let finding = report.add(&RULE, mark_range(), message);
        finding.with_fix(Fix::safe(REMOVE_MARK, vec![TextEdit::delete(mark_range())]));
        return true;
    }
    if !WORDS.iter().any(|it| words.contains(it)) {
        return false;
    }
    let advice = if words.contains("control") {
        "Write it as an escape within double quotes, e.g. `\"\\e\"`."
    } else {
        "Save the file as UTF-8."
    };
    report.add(&RULE, error.range, format!("{words}\n{advice}"));
    true
}

/// A mark in a file that Puppet takes all the same.
pub(crate) fn check_mark(verdict: &Verdict, format: Format, text: &str, report: &mut Report) {
    let is_broken = matches!(verdict, Verdict::Broken(_));
    if format == Format::Yaml && !is_broken && text.starts_with(BYTE_ORDER_MARK) {
        let message = "the file begins with a byte order mark, which moves its first line by one column\n\
                       Keys of other lines may be lost. Save it as UTF-8 without one.";
        let finding = report.add_as(&RULE, Severity::Warning, mark_range(), message);
        finding.with_fix(Fix::changing(REMOVE_MARK, vec![TextEdit::delete(mark_range())]));
    }
}

fn mark_range() -> TextRange {
    TextRange::new(0, BYTE_ORDER_MARK.len_utf8() as u32)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::{DataFile, FileId};
    use crate::ide::diagnostics::testing::{check as check_fixture, check_fix};

    #[test]
    fn bytes_that_are_no_utf_8() {
        let data = DataFile::not_utf8(FileId(0), Format::Yaml, 3, &[0xff, 0xfe]);
        let Verdict::Broken(error) = data.verdict() else { panic!("it cannot be read") };
        let mut report = Report::default();
        assert!(check(&error, data.text(), &mut report));
        assert_eq!(report.findings[0].range, TextRange::empty(3));
        assert_eq!(
            report.findings[0].message,
            "invalid leading UTF-8 octet\nSave the file as UTF-8."
        );
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
        let text: Arc<str> = "\u{feff}a: 1\nb: 2\n".into();
        let data = DataFile::new(FileId(0), Format::Yaml, text.clone());
        let mut report = Report::default();
        check_mark(&data.verdict(), Format::Yaml, &text, &mut report);
        assert_eq!(report.findings.len(), 1);
        check_mark(&data.verdict(), Format::Json, &text, &mut report);
        check_mark(&data.verdict(), Format::Yaml, &text[3..], &mut report);
        assert_eq!(report.findings.len(), 1);
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
    fn a_mark_is_reason_enough() {
        let data = DataFile::new(FileId(0), Format::Json, "\u{feff}{}".into());
        let Verdict::Broken(error) = data.verdict() else { panic!("it cannot be read") };
        let mut report = Report::default();
        assert!(check(&error, data.text(), &mut report));
        assert_eq!(report.findings.len(), 1);
    }
}
