//! `hiera-yaml-version`: a `hiera.yaml` of a version that does not count where it lies.
//!
//! Version 3 is for the global layer alone; in an environment or a module Puppet 7 ignores it, and Puppet 8 refuses it. A
//! file without `version` is of version 3.

use super::fix::Fix;
use super::{Report, Rule, Severity, version_three};
use crate::config::hiera_yaml::{ConfigProblem, LayerKind};
use crate::text::{TextEdit, TextRange};

pub(super) const RULE: Rule = Rule {
    code: "hiera-yaml-version",
    name: "Version of hiera.yaml",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A `hiera.yaml` is of a version that Puppet ignores or refuses here.",
    page: include_str!("../../../docs/rules/hiera-yaml-version.md"),
    is_on: true,
};

/// What Puppet says of versions.
const WORDS: [&str; 3] = ["hiera.yaml version ", "'hiera.yaml' version ", "support hiera.yaml"];

/// Whether a problem is this rule's.
pub(super) fn is_of_version(problem: &ConfigProblem) -> bool {
    WORDS.iter().any(|words| problem.message.contains(words))
}

pub(super) fn check(text: &str, layer: LayerKind, problems: &[ConfigProblem], report: &mut Report) {
    let mut words: Vec<String> = Vec::new();
    let mut severity = Severity::Warning;
    let mut range = TextRange::empty(0);
    for problem in problems.iter().filter(|problem| is_of_version(problem)) {
        if problem.is_error() {
            severity = Severity::Error;
        }
        for detail in &problem.details {
            if let Some(place) = detail.place.or(problem.place) {
                range = place.range;
            }
            // Puppet begins with the path, which the place says already.
            let start = detail.message.find("Use of '").unwrap_or(0);
            words.push(detail.message[start..].to_owned());
        }
    }
    if !words.is_empty() {
        words.push("Write it as version 5.".to_owned());
        let finding = report.add_as(&RULE, severity, range, words.join("\n"));
        finding.fixes.extend(as_version_five(text, layer));
    }
}

fn as_version_five(text: &str, layer: LayerKind) -> Option<Fix> {
    let new = version_three::converted(text, layer)?;
    let whole = TextRange::new(0, u32::try_from(text.len()).ok()?);
    Some(Fix::changing("Convert to version 5", vec![TextEdit::replace(whole, new)]))
}
