//! `unknown-backend`: a level whose function cannot be run here, so that answers lack what it knows.

use super::{Report, Rule, Severity};
use crate::config::HieraYaml;
use crate::world::World;

pub(super) const RULE: Rule = Rule {
    code: "unknown-backend",
    name: "Back end that is not evaluated",
    severity: Severity::Information,
    since: "0.1.0",
    summary: "A level's data come from a function that cannot be run here.",
    page: include_str!("../../../docs/rules/unknown-backend.md"),
    is_on: true,
};

pub(super) fn check(world: &World, config: &HieraYaml, report: &mut Report) {
    for level in config.hierarchy.iter().chain(&config.default_hierarchy) {
        let name = &level.function.name;
        let Some(place) = level.function.place else { continue };
        if world.back_ends().knows(&level.function, &level.name) {
            continue;
        }
        let message = format!(
            "`{name}` cannot be run here\nAnswers lack what it knows, unless the setting `backends` stands in for it."
        );
        report.add_once(&RULE, RULE.severity, place.range, message);
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn known_ones() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: a, path: a.yaml, data_hash: yaml_data}
  - {name: b, path: b.yaml, lookup_key: eyaml_lookup_key}
  - {name: c, path: c.yaml, data_hash: my::data}
#                                      ^^^^^^^^ information[unknown-backend]
",
        );
    }
}
