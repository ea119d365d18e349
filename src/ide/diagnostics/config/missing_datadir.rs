//! `missing-datadir`: a `datadir` does not exist. Puppet does not report this; the levels find no files.

use crate::config::HieraYaml;
use crate::data::{Files as _, PathKind, inspect};
use crate::ide::diagnostics::config::ConfigContext;
use crate::ide::diagnostics::shared::known_keys::{
    directory_template_of, fixed_part, is_file_backend,
};
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::world::{World, paths};

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
        let is_absolute = paths::is_absolute(&inspect::to_s(&level.datadir.value));
        let template = directory_template_of(world, config, level);
        let directory = fixed_part(&template);
        // A relative datadir with a variable may have no directory for the nodes that there are.
        let is_open = *directory != *template;
        if directory.is_empty() || is_open && !is_absolute {
            continue;
        }
        if world.kind(directory) == PathKind::Directory {
            continue;
        }
        let (severity, advice) = if is_absolute {
            (
                Severity::Information,
                "Set `datadirMap` to the directory that has the same content here.",
            )
        } else if is_of_puppetfile(world, config, directory) {
            let advice = "The Puppetfile names its module: install it to have its data checked.";
            (Severity::Information, advice)
        } else {
            (RULE.severity, "A relative datadir starts from the directory of hiera.yaml.")
        };
        let beside = paths::parent(&config.path).and_then(|it| paths::below(it, directory));
        let shown = beside.unwrap_or(directory);
        let message = format!("there is no directory {shown}\n{advice}");
        report.add_once(&RULE, severity, place.range, message);
    }
}

/// Whether the directory is in a module that is named in the Puppetfile beside hiera.yaml, but is not installed here.
fn is_of_puppetfile(world: &World, config: &HieraYaml, directory: &str) -> bool {
    let Some(root) = paths::parent(&config.path) else { return false };
    let Ok(puppetfile) = world.text(&paths::join(root, "Puppetfile")) else { return false };
    let Some(below) = paths::below(root, directory) else { return false };
    let mut names = below.split('/');
    let (Some(_), Some(module)) = (names.next(), names.next()) else { return false };
    let is_it = |line: &str| {
        let Some(rest) = line.trim_start().strip_prefix("mod") else { return false };
        let quoted = rest.split(['\'', '"']).nth(1).unwrap_or_default();
        // A Puppetfile names modules `author/name` or `author-name`, and installs them in the directory `name`.
        quoted.rsplit(['/', '-']).next() == Some(module)
    };
    puppetfile.lines().any(is_it)
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
  - {name: e, path: e.yaml, datadir: "/srv/private/%{environment}"}
#                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ information[missing-datadir]: there is no directory /srv/private…
"#,
        );
        check("#- /hiera.yaml\nversion: 5\nhierarchy: [{name: a, path: a.yaml}]\n");
    }

    #[test]
    fn data_in_a_module_of_the_puppetfile() {
        check(
            r"
#- /Puppetfile
mod 'example/site_data',
  :git => 'https://example.com/site_data'
#- /hiera.yaml
version: 5
defaults:
  datadir: modules/site_data/data
#          ^^^^^^^^^^^^^^^^^^^^^^ information[missing-datadir]: there is no directory modules/site_data/data The Puppetfile names its module…
  data_hash: yaml_data
hierarchy:
  - {name: a, path: a.yaml}
  - {name: b, path: b.yaml, datadir: modules/other/data}
#                                    ^^^^^^^^^^^^^^^^^^ warning[missing-datadir]
",
        );
    }
}
