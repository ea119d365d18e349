//! `json-syntax`: JSON that Puppet cannot parse, in its own words.

use super::yaml_syntax::reader_words;
use super::{Report, Rule, Severity};
use crate::data::FileError;

pub(super) const RULE: Rule = Rule {
    code: "json-syntax",
    name: "JSON syntax error",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "Puppet cannot parse the JSON of this file, so every lookup that reads it fails.",
    page: include_str!("../../../docs/rules/json-syntax.md"),
    is_on: true,
};

pub(super) fn check(error: &FileError, report: &mut Report) {
    report.add(&RULE, error.range, reader_words(&error.message));
}
