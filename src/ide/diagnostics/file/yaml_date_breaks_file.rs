//! `yaml-date-breaks-file`: an unquoted date. Puppet does not let Psych create a `Date` or `Time`, and refuses the whole
//! file.

use crate::data::scalar::ScalarError;
use crate::data::{FileError, Format};
use crate::ide::diagnostics::file::FileContext;
use crate::ide::diagnostics::shared::fix::{Fix, quote};
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity, Subject};

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

const PUPPETS_WORDS: &str = "Tried to load unspecified class: ";

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    for plain in &entry.plain {
        if let Err(ScalarError::Class(class)) = &plain.value {
            let quoted = vec![quote(plain.node.range, plain.text)];
            report
                .add(&RULE, plain.node.range, message(class))
                .with_fix(Fix::safe("Put quotes around it", quoted));
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
        let written = error.range.slice(text);
        if written.starts_with(|c: char| c.is_ascii_digit()) && !written.contains('\n') {
            let quoted = vec![quote(error.range, written)];
            finding.with_fix(Fix::safe("Put quotes around it", quoted));
        }
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
    use crate::ide::diagnostics::testing::{check, check_fix};

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
}
