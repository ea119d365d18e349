//! `failing-backend`: the settings name a back end for a level's function, but it fails: the last call of a program failed,
//! or sample data cannot be read.

use crate::ide::diagnostics::config::ConfigContext;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};

pub(crate) const RULE: Rule = Rule {
    code: "failing-backend",
    name: "Back end that fails",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "The program or the sample data that the setting `backends` has for a level's function fails.",
    page: include_str!("../../../../docs/rules/failing-backend.md"),
    checks: &[Check::Config(check)],
    ..Rule::USUAL
};

pub(crate) fn check(at: &ConfigContext<'_>, report: &mut Report) {
    let ConfigContext { world, config, .. } = *at;
    for level in config.hierarchy.iter().chain(&config.default_hierarchy) {
        let function = &level.function;
        let Some(place) = function.place.or(level.place) else { continue };
        let Some(problem) = world.back_ends().problem(function, &level.name, &**world) else {
            continue;
        };
        let message = format!(
            "`{}` {problem}\nThe values of level '{}' are missing.",
            function.name, level.name
        );
        report.add_once(&RULE, RULE.severity, place.range, message);
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn sample_data_are_there_or_not() {
        check(
            r"
#- /.hiera-ls.yaml
backends: {good: {stand_in: good.yaml}, gone: {stand_in: gone.yaml}, B: {stand_in: list.yaml}}
#- /good.yaml
a: 1
#- /list.yaml
- a
#- /hiera.yaml
version: 5
hierarchy:
  - {name: A, lookup_key: good}
  - {name: B, lookup_key: good}
#                         ^^^^ warning[failing-backend]: `good` has sample data that is not a hash: list.yaml The values of level 'B' are missing.
  - {name: C, data_hash: gone, uri: 'http://x'}
#                        ^^^^ warning[failing-backend]: `gone` has sample data that cannot be read: No such file or directory: gone.yaml…
",
        );
    }
}
