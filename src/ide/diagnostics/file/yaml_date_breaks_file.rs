//! `yaml-date-breaks-file`: an unquoted date. Puppet does not let Psych create a `Date` or `Time`, and refuses the whole
//! file.

use std::slice;

use crate::data::scalar::ScalarError;
use crate::data::{DataFile, FileError, FileId, Format, Verdict};
use crate::ide::diagnostics::file::FileContext;
use crate::ide::diagnostics::file::unsupported_tag::tag_before;
use crate::ide::diagnostics::shared::fix::{Fix, MAX_TRIED_BYTES, quote};
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity, Subject};
use crate::text::{TextEdit, TextRange, apply_edits};

pub(crate) const RULE: Rule = Rule {
    code: "yaml-date-breaks-file",
    name: "Unquoted date",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A date without quotes makes Puppet refuse the whole file.",
    page: include_str!("../../../../docs/rules/yaml-date-breaks-file.md"),
    explains: Some(Subject::BrokenFile),
    checks: &[Check::Entry(check), Check::File(check_file)],
    ..Rule::USUAL
};

const PUT_QUOTES: &str = "Put quotes around it";

const PUPPETS_WORDS: &str = "Tried to load unspecified class: ";

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    for plain in &entry.plain {
        if let Err(ScalarError::Class(class)) = &plain.value {
            let quoted = vec![quote(plain.node.range, plain.text)];
            report
                .add(&RULE, plain.node.range, message(class))
                .with_fix(Fix::safe(PUT_QUOTES, quoted));
        }
    }
}

/// The error of the whole file, unless a rule already found its cause in an entry.
pub(crate) fn check_file(file: &FileContext<'_>, report: &mut Report) {
    let Some(error) = file.error().filter(|_| file.format == Format::Yaml) else { return };
    let text = file.text;
    let class = refused_class(error).filter(|class| is_of_a_date(class));
    let Some(class) = class else { return };
    // The other check already reports dates of entries that could be parsed.
    let is_known = |start| report.findings.iter().any(|it| it.range.start == start);
    if !is_known(error.range.start) {
        let finding = report.add(&RULE, error.range, message(class));
        finding.fixes.extend(quotes_that_help(text, error.range));
    }
}

/// Quotes around the date at a place. With most tags, it is a date even within quotes, so the tag has to go as well.
fn quotes_that_help(text: &str, date: TextRange) -> Option<Fix> {
    let written = date.slice(text);
    let is_plain = written.starts_with(|c: char| c.is_ascii_digit()) && !written.contains('\n');
    if !is_plain || text.len() > MAX_TRIED_BYTES {
        return None;
    }
    let quoted = quote(date, written);
    if is_no_date(text, date, slice::from_ref(&quoted)) {
        return Some(Fix::safe(PUT_QUOTES, vec![quoted]));
    }
    let tag = tag_before(text, date.start)?;
    let edits = vec![TextEdit::delete(tag), quoted];
    let title = format!("{PUT_QUOTES}, and remove `{}`", tag.slice(text).trim_end());
    is_no_date(text, date, &edits).then(|| Fix::safe(title, edits))
}

/// Whether Puppet reads the file after these edits, or at least gets beyond the place.
fn is_no_date(text: &str, place: TextRange, edits: &[TextEdit]) -> bool {
    let data = DataFile::new(FileId(0), Format::Yaml, apply_edits(text, edits).into());
    let behind = text.len() as u32 - place.end;
    match data.verdict() {
        Verdict::Broken(error) => error.range.start + behind >= data.text().len() as u32,
        _ => true,
    }
}

/// The class that Psych may not create.
pub(crate) fn refused_class(error: &FileError) -> Option<&str> {
    let at = error.message.find(PUPPETS_WORDS)? + PUPPETS_WORDS.len();
    error.message[at..].split_whitespace().next()
}

fn message(class: &str) -> String {
    let what = if class == "Time" { "time" } else { "date" };
    format!(
        "{PUPPETS_WORDS}{class}\nPuppet refuses the whole file because of this {what}. Put quotes around it."
    )
}

/// Whether a class that Puppet refuses is one of dates.
pub(crate) fn is_of_a_date(class: &str) -> bool {
    matches!(class, "Date" | "Time")
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix, fix_counts};

    #[test]
    fn every_date_of_the_file() {
        check(
            r"
a: 2001-01-01
#  ^^^^^^^^^^ error[yaml-date-breaks-file]: Tried to load unspecified class: Date Puppet refuses the whole file because of this date. Put quotes around it.
b: [x, 2001-12-14 21:59:43]
#      ^^^^^^^^^^^^^^^^^^^ error[yaml-date-breaks-file]: Tried to load unspecified class: Time…
c: {2001-1-1: x}
#   ^^^^^^^^ error[yaml-date-breaks-file]
d: '2001-01-01'
e: 2001-13-45
",
        );
    }

    #[test]
    fn quotes_help() {
        check_fix(
            "a: 2024-05-01 # May\nb: 1\n",
            "Put quotes around it",
            "a: '2024-05-01' # May\nb: 1\n",
        );
        check_fix(
            "a: [2024-05-01 10:00:00, b]\n",
            "Put quotes around it",
            "a: ['2024-05-01 10:00:00', b]\n",
        );
        check_fix("- 2024-05-01\n", "Put quotes around it", "- '2024-05-01'\n");
    }

    /// It makes a date of a string in quotes, too.
    #[test]
    fn a_tag_goes_with_it() {
        let title = "Put quotes around it, and remove `!!timestamp`";
        for (before, after) in [
            ("a: !!timestamp 2024-05-01\nb: 1\n", "a: '2024-05-01'\nb: 1\n"),
            ("a: [!!timestamp  2024-05-01]\nb: 1\n", "a: ['2024-05-01']\nb: 1\n"),
            ("a: &x !!timestamp 2024-05-01\n", "a: &x '2024-05-01'\n"),
            ("a: !!timestamp &x 2024-05-01\n", "a: &x '2024-05-01'\n"),
        ] {
            check_fix(before, title, after);
        }
        check_fix(
            "a: !x 2024-05-01\n",
            "Put quotes around it, and remove `!x`",
            "a: '2024-05-01'\n",
        );
        let code = "yaml-date-breaks-file";
        assert_eq!(fix_counts("a: !!timestamp\n  2024-05-01\n", code), [0]);
        assert_eq!(fix_counts("a: !!timestamp 2024-05-01\nb: 2024-05-01\n", code), [1, 1]);
    }
}
