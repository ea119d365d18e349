//! `unsupported-tag`: a YAML tag that asks for a Ruby class. Puppet allows none, and refuses the whole file.

use super::yaml_date_breaks_file::refused_class;
use super::yaml_syntax::reader_words;
use super::{Report, Rule, Severity};
use crate::data::FileError;

pub(super) const RULE: Rule = Rule {
    code: "unsupported-tag",
    name: "Unsupported YAML tag",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A YAML tag asks for a Ruby class that Puppet does not allow, so it refuses the whole file.",
    page: include_str!("../../../docs/rules/unsupported-tag.md"),
    is_on: true,
};

/// Says whether the whole file's error is about a tag.
pub(super) fn check(error: &FileError, report: &mut Report) -> bool {
    if refused_class(error).is_none() {
        return false;
    }
    let words = reader_words(&error.message);
    let message = format!("{words}\nPuppet refuses the whole file for this tag. Take it away.");
    report.add(&RULE, error.range, message);
    true
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn classes_are_refused_and_other_tags_are_not() {
        check(
            r"
a: !!set {x, y}
#        ^^^^^^ error[unsupported-tag]: Tried to load unspecified class: Psych::Set Puppet refuses the whole file for this tag. Take it away.
b: !foo x
c: !!str 5
d: !!binary aGVsbG8=
",
        );
    }
}
