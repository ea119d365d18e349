//! `default-hierarchy-misuse`: what a module's `default_hierarchy` cannot do.
//!
//! It is asked only if no ordinary level of any layer has the key. Its values are never merged with others, and only its
//! own `lookup_options` count for it.

use super::{Related, Report, Rule, Severity};
use crate::config::HieraYaml;
use crate::config::hiera_yaml::{Level, Locations};
use crate::data::{Located, Place};

pub(super) const RULE: Rule = Rule {
    code: "default-hierarchy-misuse",
    name: "Default hierarchy of no use",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A path stands in the hierarchy and in the default hierarchy, where it is never needed.",
    page: include_str!("../../../docs/rules/default-hierarchy-misuse.md"),
    is_on: true,
};

pub(super) fn check(config: &HieraYaml, report: &mut Report) {
    for level in &config.default_hierarchy {
        for template in templates(level) {
            let Some(place) = template.place else { continue };
            let Some(other) = same_template(config, level, template) else { continue };
            let message = "the hierarchy reads this path already\n\
                           The default hierarchy is only asked for keys that no ordinary level has. Remove it from one of \
                           both.";
            let finding = report.add_as(&RULE, RULE.severity, place.range, message);
            let message = "asked first".to_owned();
            finding.related.push(Related { path: None, range: other.range, message });
        }
    }
}

fn same_template(config: &HieraYaml, level: &Level, template: &Located) -> Option<Place> {
    let is_same =
        |it: &&Level| it.datadir == level.datadir && it.function.name == level.function.name;
    let mut others = config.hierarchy.iter().filter(is_same).flat_map(templates);
    others.find(|it| it.value == template.value)?.place
}

fn templates(level: &Level) -> &[Located] {
    match &level.locations {
        Locations::Paths(templates) | Locations::Globs(templates) => templates,
        Locations::MappedPaths(_) | Locations::Uris(_) | Locations::None => &[],
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_related};

    #[test]
    fn the_same_path_in_both() {
        check(
            r#"
#- /modules/m/hiera.yaml
version: 5
hierarchy:
  - {name: os, path: "os/%{facts.os.family}.yaml"}
  - {name: common, path: common.yaml}
default_hierarchy:
  - {name: os, path: "os/%{facts.os.family}.yaml", datadir: defaults}
  - {name: common, path: common.yaml}
#                        ^^^^^^^^^^^ warning[default-hierarchy-misuse]: the hierarchy reads this path already…
  - {name: defaults, path: defaults.yaml}
#- /modules/m/data/common.yaml
m::a: 1
#- /modules/m/data/defaults.yaml
m::b: 1
#- /modules/m/data/os/Debian.yaml
m::c: 1
#- /modules/m/defaults/os/Debian.yaml
m::c: 1
"#,
        );
    }

    #[test]
    fn the_other_level_is_shown() {
        check_related(
            r#"
#- /modules/m/hiera.yaml
version: 5
hierarchy: [{name: x, path: a.yaml}]
default_hierarchy: [{name: y, path: a.yaml}]
#- /modules/m/data/a.yaml
m::a: 1
"#,
            "default-hierarchy-misuse",
            &["/modules/m/hiera.yaml: a.yaml: asked first"],
        );
    }
}
