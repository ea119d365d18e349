//! `hiera-yaml-schema`: what Puppet refuses in a `hiera.yaml`, or warns about, in its own words.

use super::{Report, Rule, Severity, hiera_yaml_version};
use crate::config::hiera_yaml::ConfigProblem;
use crate::text::TextRange;

pub(super) const RULE: Rule = Rule {
    code: "hiera-yaml-schema",
    name: "Wrong hiera.yaml",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "Puppet refuses this `hiera.yaml`, so every lookup that uses it fails.",
    page: include_str!("../../../docs/rules/hiera-yaml-schema.md"),
    is_on: true,
};

pub(super) fn check(problems: &[ConfigProblem], report: &mut Report) {
    for problem in problems.iter().filter(|problem| !hiera_yaml_version::is_of_version(problem)) {
        let severity = if problem.is_error() { Severity::Error } else { Severity::Warning };
        for detail in &problem.details {
            let place = detail.place.or(problem.place);
            let range = place.map_or(TextRange::empty(0), |place| place.range);
            report.add_as(&RULE, severity, range, detail.message.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn puppets_complaints() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy:
  - name: x
    pathh: y
#   ^^^^^ error[hiera-yaml-schema]: entry 'hierarchy' index 0 unrecognized key 'pathh'
",
        );
    }
}
