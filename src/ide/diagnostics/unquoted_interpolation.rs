//! `unquoted-interpolation`: a value that begins with `%{` and has no quotes. YAML knows no text that begins with `%`.

use super::yaml_syntax::reader_words;
use super::{Report, Rule, Severity};
use crate::data::FileError;

pub(super) const RULE: Rule = Rule {
    code: "unquoted-interpolation",
    name: "Unquoted interpolation",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A value begins with `%{` and has no quotes, which YAML does not allow.",
    page: include_str!("../../../docs/rules/unquoted-interpolation.md"),
    is_on: true,
};

/// Says whether that is why the file is broken.
pub(super) fn check(error: &FileError, text: &str, report: &mut Report) -> bool {
    if !error.range.slice(text).starts_with("%{") {
        return false;
    }
    let words = reader_words(&error.message);
    report.add(&RULE, error.range, format!("{words}\nPut quotes around the value."));
    true
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

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
}
