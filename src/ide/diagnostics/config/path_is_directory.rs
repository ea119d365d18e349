//! `path-is-directory`: a path of a level leads to a directory. Puppet treats it as an existing file, and every lookup fails.

use crate::config::hiera_yaml::Locations;
use crate::data::{Files as _, PathKind};
use crate::ide::diagnostics::config::ConfigContext;
use crate::ide::diagnostics::shared::known_keys::{directory_of, is_file_backend};
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::syntax::interpolation;
use crate::world::paths;

pub(crate) const RULE: Rule = Rule {
    code: "path-is-directory",
    name: "Path of a directory",
    severity: Severity::Error,
    since: "0.2.0",
    summary: "A path of a level leads to a directory, so every lookup fails.",
    page: include_str!("../../../../docs/rules/path-is-directory.md"),
    checks: &[Check::Config(check)],
    ..Rule::USUAL
};

pub(crate) fn check(at: &ConfigContext<'_>, report: &mut Report) {
    let ConfigContext { world, config, .. } = *at;
    for level in config.hierarchy.iter().chain(&config.default_hierarchy) {
        let Locations::Paths(templates) = &level.locations else { continue };
        if !is_file_backend(level) {
            continue;
        }
        let Some(directory) = directory_of(world, config, level) else { continue };
        for template in templates {
            let (Some(text), Some(place)) = (template.value.as_str(), template.place) else {
                continue;
            };
            let path = paths::join(&directory, text.trim_end_matches('/'));
            if interpolation::may_have_tokens(text) || world.kind(&path) != PathKind::Directory {
                continue;
            }
            let message = format!(
                "Is a directory @ io_fread - {path}\nEvery lookup fails. To read all files in it, write `glob: \"{}/*.yaml\"` instead of the path.",
                text.trim_end_matches('/')
            );
            report.add_once(&RULE, RULE.severity, place.range, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn directories() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: a, path: nodes}
#                   ^^^^^ error[path-is-directory]: Is a directory @ io_fread - …
  - {name: b, paths: [nodes/, common.yaml, "nodes/%{facts.role}.yaml"]}
#                     ^^^^^^ error[path-is-directory]
  - {name: c, glob: "nodes"}
#          ^ hint[level-never-matches]
#- /data/nodes/one.yaml
a: 1
#- /data/common.yaml
a: 1
"#,
        );
    }
}
