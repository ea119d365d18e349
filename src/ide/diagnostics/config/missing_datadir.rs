//! `missing-datadir`: a `datadir` that does not exist. Puppet says nothing, the levels just find no files.

use crate::data::{Files as _, PathKind, inspect};
use crate::ide::diagnostics::config::ConfigContext;
use crate::ide::diagnostics::shared::known_keys::{directory_of, is_file_backend};
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::world::paths;

pub(crate) const RULE: Rule = Rule {
    code: "missing-datadir",
    name: "Missing datadir",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A `datadir` of `hiera.yaml` does not exist.",
    page: include_str!("../../../../docs/rules/missing-datadir.md"),
    checks: &[Check::Config(check)],
    ..Rule::USUAL
};

pub(crate) fn check(at: &ConfigContext<'_>, report: &mut Report) {
    let ConfigContext { world, config, .. } = *at;
    for level in config.hierarchy.iter().chain(&config.default_hierarchy) {
        let Some(place) = level.datadir.place.filter(|_| is_file_backend(level)) else { continue };
        let Some(directory) = directory_of(world, config, level) else { continue };
        if world.kind(&directory) == PathKind::Directory {
            continue;
        }
        let is_absolute = paths::is_absolute(&inspect::to_s(&level.datadir.value));
        let (severity, advice) = if is_absolute {
            (Severity::Information, "The setting `datadirMap` says where its content lies here.")
        } else {
            (RULE.severity, "A relative datadir starts from the directory of hiera.yaml.")
        };
        let message = format!("there is no directory {directory}\n{advice}");
        report.add_once(&RULE, severity, place.range, message);
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn only_those_that_are_written_and_known() {
        check(
            r#"
#- /hiera.yaml
version: 5
defaults:
  datadir: nope
#          ^^^^ warning[missing-datadir]
  data_hash: yaml_data
hierarchy:
  - {name: a, path: a.yaml}
  - {name: b, path: b.yaml}
  - {name: c, path: c.yaml, datadir: "%{facts.x}"}
  - {name: d, path: d.yaml, datadir: /srv/data}
#                                    ^^^^^^^^^ information[missing-datadir]: there is no directory /srv/data…
"#,
        );
        check("#- /hiera.yaml\nversion: 5\nhierarchy: [{name: a, path: a.yaml}]\n");
    }
}
