//! `empty-file`: a YAML file that holds nothing. It counts as an empty hash, and Puppet warns at every compilation.

use super::{Report, Rule, Severity};
use crate::data::{Format, Verdict};
use crate::text::TextRange;

pub(super) const RULE: Rule = Rule {
    code: "empty-file",
    name: "Empty file",
    severity: Severity::Information,
    since: "0.1.0",
    summary: "A data file holds nothing; Puppet warns about it at every compilation.",
    page: include_str!("../../../docs/rules/empty-file.md"),
    is_on: true,
};

pub(super) fn check(verdict: &Verdict, format: Format, text: &str, report: &mut Report) {
    if !matches!((verdict, format), (Verdict::Empty, Format::Yaml)) {
        return;
    }
    let message = "file does not contain a valid yaml hash\n\
                   Puppet takes it as an empty hash, and warns each time. Write `{}`, or remove the file.";
    let end = text.find('\n').unwrap_or(text.len());
    report.add(&RULE, TextRange::new(0, end as u32), message);
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn nothing_but_comments() {
        check(
            r"
# Nothing here
#^^^^^^^^^^^^^ information[empty-file]: file does not contain a valid yaml hash…

# at all
",
        );
        check("--- {}\n");
    }
}
