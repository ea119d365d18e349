//! `yaml-syntax`: YAML that Puppet cannot parse, in its own words.
//!
//! Any lookup reads all data files of the node's hierarchy, so one broken file breaks every lookup of such nodes.

use crate::data::FileError;
use crate::ide::diagnostics::{Report, Rule, Severity};

pub(crate) const RULE: Rule = Rule {
    code: "yaml-syntax",
    name: "YAML syntax error",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "Puppet cannot parse the YAML of this file, so every lookup that reads it fails.",
    page: include_str!("../../../../docs/rules/yaml-syntax.md"),
    is_on: true,
};

pub(crate) fn check(error: &FileError, report: &mut Report) {
    report.add(&RULE, error.range, reader_words(&error.message));
}

/// The reader's own words, without path and place: the diagnostic has them.
pub(crate) fn reader_words(message: &str) -> String {
    let words = message.strip_prefix("Unable to parse ({path}): ").unwrap_or(message);
    let words = match words.rfind(" at line ") {
        Some(at)
            if words[at + 9..].bytes().all(|b| b.is_ascii_digit() || b" column".contains(&b)) =>
        {
            &words[..at]
        }
        _ => words,
    };
    words.replace("{path}: ", "").replace("{path}", "this file")
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn puppets_words_at_the_place() {
        check(
            r"
a: 1
b: [1, 2
#  ^^^^^ error[yaml-syntax]: did not find expected ',' or ']' while parsing a flow sequence
  c: 3
",
        );
    }
}
