//! `orphan-file`: a file in a data directory that no level can load for any node.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::backends::Registry;
use crate::config::hiera_yaml::{ConfigProblem, LayerKind, Level, Locations};
use crate::config::{Environment, HieraYaml};
use crate::data::{Files as _, PathKind};
use crate::ide::diagnostics::file::UnreadContext;
use crate::ide::diagnostics::{Check, Report, Rule, Severity, Subject};
use crate::text::TextRange;
use crate::world::{World, paths};

pub(crate) const RULE: Rule = Rule {
    code: "orphan-file",
    name: "File that no level loads",
    severity: Severity::Hint,
    since: "0.1.0",
    summary: "A file is in a data directory, but no path of the hierarchy can lead to it.",
    page: include_str!("../../../../docs/rules/orphan-file.md"),
    explains: Some(Subject::UnreadFile),
    checks: &[Check::Unread(check)],
    may_quote: |_| false,
    ..Rule::USUAL
};

/// Functions of Puppet and its standard library that read files of data.
const READERS_OF_DATA: [&str; 6] =
    ["loadyaml", "loadjson", "parseyaml", "parsejson", "parsehocon", "yaml_data"];

/// Checks a file that no level reads.
pub(crate) fn check(file: &UnreadContext<'_>, report: &mut Report) {
    let UnreadContext { world, path } = *file;
    if !is_orphan(world, path) {
        return;
    }
    let Ok(text) = world.text(path) else { return };
    let message = "no level of the hierarchy can load this file\nIts keys are never found. Compare its path with \
                   those in hiera.yaml.";
    report.add(&RULE, TextRange::first_line(&text), message);
}

/// Whether the file looks like data among data of the same kind.
fn is_orphan(world: &Arc<World>, path: &str) -> bool {
    let Some(environment) = world.environment_of(path) else { return false };
    let reach = world.reach(&environment);
    let is_like = |template: &str| {
        let extension = paths::extension(template);
        !extension.is_empty() && extension == paths::extension(path)
    };
    // The workspace itself may lie in a hidden directory.
    let folders = world.folders().iter().map(|it| &**it);
    let mut roots = std::iter::once(environment.directory()).chain(folders);
    let own = roots.find_map(|root| paths::below(root, path)).unwrap_or(path);
    let is_hidden = own.split('/').any(|it| it.starts_with('.'));
    let around: Vec<_> = reach.places_around(&environment, path).collect();
    // Hundreds of levels may be in the same `hiera.yaml`, so it is searched once for all of them.
    let configs: BTreeSet<_> = around.iter().map(|place| &place.config).collect();
    // The cheap conditions come first: the last one reads all code of the environment.
    !is_hidden
        && world.kind(path) == PathKind::File
        && !reach.reaches(path)
        && around.iter().any(|place| is_like(place.location()))
        && !configs.iter().any(|config| has_plan_hierarchy(world, config))
        && !configs.iter().any(|config| is_refused(world, config))
        && !may_be_read_by_function(world, &environment)
}

/// Whether functions may read files that no hierarchy names: functions of levels without paths, and functions that code
/// calls with the path of a data file.
pub(crate) fn may_be_read_by_function(world: &Arc<World>, environment: &Arc<Environment>) -> bool {
    let version = world.settings().puppet_version;
    let reads_unseen = |level: &Level| {
        let has_paths = !matches!(level.locations, Locations::None | Locations::Uris(_));
        // A custom function without paths may read any file by itself.
        Registry::format(&level.function).is_none() && !has_paths
    };
    let has_such_level = |(layer, path): (LayerKind, String)| {
        let read = HieraYaml::of_file(&**world, &path, layer, version);
        let Ok((Some(config), _)) = read else { return false };
        config.hierarchy.iter().chain(&config.default_hierarchy).any(reads_unseen)
    };
    let calls_reader = |(path, _): &(Arc<str>, _)| {
        let text = world.text(path);
        text.is_ok_and(|text| READERS_OF_DATA.iter().any(|name| text.contains(name)))
    };
    environment.hiera_yamls().any(has_such_level)
        || world.code_index(environment).files().iter().any(calls_reader)
}

/// Whether Puppet refuses the `hiera.yaml` at `config`: it is not known which files its hierarchy is meant to read.
fn is_refused(world: &World, config: &str) -> bool {
    // The layer only matters for keys that are allowed in some layers.
    let version = world.settings().puppet_version;
    let read = HieraYaml::of_file(world, config, LayerKind::Module, version);
    read.is_ok_and(|(_, problems)| problems.iter().any(ConfigProblem::is_error))
}

/// Whether the `hiera.yaml` at `config` has a hierarchy for Bolt's plans, which is not checked here.
pub(crate) fn has_plan_hierarchy(world: &World, config: &str) -> bool {
    world.text(config).is_ok_and(|text| text.contains("plan_hierarchy"))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn plans_may_read_other_files() {
        check(
            r"
#- /hiera.yaml
version: 5
plan_hierarchy:
  - {name: static, path: static.yaml}
hierarchy:
  - {name: common, path: common.yaml}
#- /data/static.yaml
a: 1
#- /data/common.yaml
a: 1
",
        );
    }

    #[test]
    fn only_files_that_look_like_data() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: roles, path: "roles/%{facts.role}.yaml"}
  - {name: common, path: common.yaml}
#          ^^^^^^ hint[level-never-matches]
#- /data/roles/web.yaml
a: 1
#- /data/roles/sub/web.yaml
a: 1
#- /data/common.yml
a: 1
#^^^ warning[yml-extension-trap]
#- /data/other.yaml
a: 1
#^^^ hint[orphan-file]
#- /data/README.md
text
#- /spec/fixtures.yaml
a: 1
"#,
        );
    }

    #[test]
    fn nothing_is_said_beside_a_hierarchy_that_puppet_refuses() {
        check(
            r"
#- /hiera.yaml
version: 5
hierachy:
#^^^^^^^ error[hiera-yaml-schema]
  - {name: roles, path: 'roles/%{facts.role}.yaml'}
#- /data/roles/web.yaml
a: 1
",
        );
    }

    /// Levels read only deeper directories.
    #[test]
    fn files_directly_in_the_data_directory() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: roles, path: 'roles/%{facts.role}.yaml'}
#- /data/common.yaml
b: 1
#^^^ hint[orphan-file]
#- /data/other/x.yaml
b: 1
#- /data/roles/web.yaml
a: 1
",
        );
    }

    /// A branch of the repository may have any name.
    #[test]
    fn files_of_environments() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: environments, path: 'environments/%{environment}.yaml'}
  - {name: common, path: common.yaml}
#- /data/environments/staging.yaml
a: 1
#- /data/common.yaml
a: 2
",
        );
    }

    #[test]
    fn functions_may_read_files() {
        let files = |level: &str, code: &str, expected: &str| {
            check(&format!(
                "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {{name: common, path: common.yaml}}\n{level}\
                 #- /manifests/site.pp\n{code}\n#- /data/common.yaml\na: 1\n#- /data/users/one.yaml\nb: 1\n{expected}"
            ));
        };
        files("", "include x", "#^^^ hint[orphan-file]\n");
        files("", "$users = loadyaml(\"${data}/users/${name}.yaml\")", "");
        files(
            "  - {name: site, lookup_key: mine}\n\
             #                            ^^^^ information[unknown-backend]\n",
            "include x",
            "",
        );
    }
    #[test]
    fn files_of_default_hierarchies() {
        let files = |level: &str, expected: &str| {
            check(&format!(
                "#- /modules/m/metadata.json\n{{}}\n\
                 #- /modules/m/hiera.yaml\nversion: 5\nhierarchy:\n  - {{name: common, path: common.yaml}}\n\
                 default_hierarchy:\n  - {{name: fallback, path: 'fallback/%{{facts.x}}.yaml'}}\n{level}\
                 #- /modules/m/data/common.yaml\nm::a: 1\n#- /modules/m/data/fallback/one.yaml\nm::b: 1\n\
                 #- /modules/m/data/users/one.yaml\nm::c: 1\n{expected}"
            ));
        };
        files("", "#^^^^^^ hint[orphan-file]\n");
        files(
            "  - {name: site, lookup_key: m::mine}\n\
             #                            ^^^^^^^ error[unknown-backend]\n",
            "",
        );
    }
}
