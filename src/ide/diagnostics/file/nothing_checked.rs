//! `nothing-checked`: there seems to be data, but no hierarchy of the workspace or of an environment reads any of it, so
//! nothing is checked.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::config::hiera_yaml::LayerKind;
use crate::config::{Environment, HieraYaml};
use crate::data::{Files as _, PathKind};
use crate::ide::diagnostics::file::UnreadContext;
use crate::ide::diagnostics::{Check, Report, Rule, Severity, Subject};
use crate::text::TextRange;
use crate::world::{UnreadData, World, paths};

pub(crate) const RULE: Rule = Rule {
    code: "nothing-checked",
    name: "Nothing is checked",
    severity: Severity::Warning,
    since: "0.2.0",
    summary: "The workspace or an environment seems to have data, but no `hiera.yaml` that reads any of it.",
    page: include_str!("../../../../docs/rules/nothing-checked.md"),
    explains: Some(Subject::UnreadFile),
    checks: &[Check::Unread(check)],
    ..Rule::USUAL
};

/// The maximum number of files that the message names.
const MAX_NAMED: usize = 3;

/// What to do if all that is missing is a `hiera.yaml`.
const ELSEWHERE: &str = "\nIf the hiera.yaml for it is somewhere else, write `globalHieraYaml: PATH` in .hiera-ls.yaml.";

/// Why nothing in a workspace, or in a directory with data, is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NothingChecked {
    /// The file with the finding: one that looks like data, or a `hiera.yaml` in a place where Puppet does not look for it.
    pub path: Arc<str>,
    /// What was found, and what to set.
    pub message: String,
    unread: Vec<UnreadData>,
    others: Vec<Arc<str>>,
}

/// Checks a file that does not belong to Hiera.
pub(crate) fn check(file: &UnreadContext<'_>, report: &mut Report) {
    let UnreadContext { world, path } = *file;
    let Some(nothing) = nothing_checked_about(world, path) else { return };
    let range =
        world.text(path).map_or_else(|_| TextRange::empty(0), |it| TextRange::first_line(&it));
    report.add(&RULE, range, nothing.message);
}

/// Why no data of the workspace, or else of some of its environments, is checked; empty if all is, or if there seems to be
/// none.
pub fn nothing_checked(world: &Arc<World>) -> Vec<NothingChecked> {
    in_workspace(world).map_or_else(|| without_hiera_yaml(world), |it| vec![it])
}

/// Why the file is not checked, if that is the reason.
pub fn nothing_checked_about(world: &Arc<World>, path: &str) -> Option<NothingChecked> {
    let in_directory = || {
        // Otherwise, every file that no level reads would have the workspace searched.
        let is_possible = paths::ancestors(path).any(|it| world.lacks_hiera_yaml(it));
        if is_possible { without_hiera_yaml(world) } else { Vec::new() }
    };
    let found = in_workspace(world).map_or_else(in_directory, |it| vec![it]);
    found.into_iter().find(|it| it.is_about(path))
}

/// Why the data of environments without a `hiera.yaml` is not checked.
fn without_hiera_yaml(world: &Arc<World>) -> Vec<NothingChecked> {
    let of_directory = |it: UnreadData| {
        let directory = shown(world, &it.directory);
        let mut message = format!(
            "nothing in `{directory}` is checked: there is no hiera.yaml beside it\n{}",
            looks_like_data(world, &it)
        );
        let misspelt = paths::parent(&it.directory).map(|top| paths::join(top, "hiera.yml"));
        match misspelt.filter(|it| world.kind(it) == PathKind::File) {
            Some(misspelt) => {
                let misspelt = shown(world, &misspelt);
                let _ =
                    write!(message, "\nPuppet does not read {misspelt}: rename it to hiera.yaml.");
            }
            None => message += ELSEWHERE,
        }
        NothingChecked { path: it.first.clone(), message, unread: vec![it], others: Vec::new() }
    };
    let unread = world.unread_data().into_iter();
    unread.filter(|it| world.lacks_hiera_yaml(&it.directory)).map(of_directory).collect()
}

/// Why no data of the workspace is checked; `None` if some is, or if there seems to be none.
fn in_workspace(world: &Arc<World>) -> Option<NothingChecked> {
    let environments = world.environments();
    if environments.iter().any(|it| !world.key_index(it).files().is_empty()) {
        return None;
    }
    let mut unread = world.unread_data();
    // If a level searches for its files there and finds none, other rules report that.
    unread.retain(|it| !environments.iter().any(|of| is_datadir(world, of, &it.directory)));
    let has_own = |it: &Arc<Environment>| {
        world.kind(&paths::join(it.directory(), "hiera.yaml")) == PathKind::File
    };
    // Other rules report old versions, files that Puppet cannot read, and datadirs that do not exist.
    let has_unused = |it: &Arc<Environment>| {
        let path = paths::join(it.directory(), "hiera.yaml");
        has_own(it) && version_of(world, &path).is_none_or(|version| version < 5)
    };
    let is_explained = |it: &Arc<Environment>| {
        has_unused(it) || lacks_datadir(world, it) || unread.is_empty() && has_own(it)
    };
    if environments.iter().any(is_explained) {
        return None;
    }
    let others = world.other_hiera_yamls();
    let path = unread.first().map(|it| &it.first).or_else(|| others.first())?.clone();
    let mut message =
        "nothing is checked: no hierarchy of this workspace reads any file".to_owned();
    for it in unread.iter().take(MAX_NAMED) {
        let _ = write!(message, "\n{}", looks_like_data(world, it));
    }
    for other in others.iter().take(MAX_NAMED) {
        let shown = shown(world, other);
        let version =
            version_of(world, other).map_or_else(String::new, |it| format!(" (version {it})"));
        let _ = write!(
            message,
            "\nPuppet does not look for {shown}{version} in that place. If a server reads it, write `globalHieraYaml: {shown}` in \
             .hiera-ls.yaml."
        );
    }
    if others.is_empty() {
        message += ELSEWHERE;
    }
    Some(NothingChecked { path, message, unread, others })
}

/// Whether a level names a directory of the workspace that does not exist.
fn lacks_datadir(world: &World, environment: &Environment) -> bool {
    let reach = world.reach(environment);
    reach.places.iter().any(|place| {
        place.written_datadir.place.is_some()
            && paths::below(environment.directory(), place.datadir()).is_some()
            && world.kind(place.datadir()) == PathKind::Missing
    })
}

/// Whether a level of the environment reads files in the directory.
fn is_datadir(world: &World, environment: &Environment, directory: &str) -> bool {
    let reach = world.reach(environment);
    reach.places.iter().any(|place| place.datadir() == directory)
}

impl NothingChecked {
    fn is_about(&self, path: &str) -> bool {
        let is_in = |it: &UnreadData| paths::below(&it.directory, path).is_some();
        self.others.iter().any(|other| **other == *path) || self.unread.iter().any(is_in)
    }
}

fn version_of(world: &World, path: &str) -> Option<u32> {
    let puppet = world.settings().puppet_version;
    let (config, _) = HieraYaml::of_file(world, path, LayerKind::Global, puppet).ok()?;
    config.map(|it| u32::from(it.version))
}

fn looks_like_data(world: &World, unread: &UnreadData) -> String {
    let looks = if unread.files == 1 { "file looks" } else { "files look" };
    format!("{} {looks} like Hiera data in {}.", unread.files, shown(world, &unread.directory))
}

/// A path relative to the workspace's folder.
fn shown(world: &World, path: &str) -> String {
    let below = world.folders().iter().find_map(|folder| paths::below(folder, path));
    below.unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn a_hiera_yaml_that_lies_elsewhere() {
        check(
            r"
#- /hiera.yaml there:no
#- /environment.conf
#- /hieradata/common.yaml
a: 0644
#^^^^^^ warning[nothing-checked]: nothing is checked: no hierarchy of this workspace reads any file 1 file looks like Hiera data in hieradata. Puppet does not look for puppet/hiera.yaml (version 3) in that place. If a server reads it, write `globalHieraYaml: puppet/hiera.yaml` in .hiera-ls.yaml.
#- /puppet/hiera.yaml
:hierarchy: [common]
#^^^^^^^^^^^^^^^^^^^ warning[nothing-checked]
",
        );
    }

    #[test]
    fn the_setting_has_the_data_checked() {
        check(
            r"
#- /hiera.yaml there:no
#- /environment.conf
#- /.hiera-ls.yaml
globalHieraYaml: puppet/hiera.yaml
#- /hieradata/common.yaml
a: 0644
#  ^^^^ warning[octal-number]
#- /puppet/hiera.yaml
version: 5
defaults: {datadir: ../hieradata, data_hash: yaml_data}
hierarchy: [{name: c, path: common.yaml}]
",
        );
    }

    #[test]
    fn there_is_no_hiera_yaml_at_all() {
        check(
            r"
#- /hiera.yaml there:no
#- /environment.conf
#- /hieradata/common.yaml
a: 1
#^^^ warning[nothing-checked]: nothing is checked: no hierarchy of this workspace reads any file 1 file looks like Hiera data in hieradata. If the hiera.yaml for it is somewhere else, write `globalHieraYaml: PATH` in .hiera-ls.yaml.
",
        );
    }

    /// A module with data of its own does not mean that the data of its environment is checked.
    #[test]
    fn an_environment_without_a_hiera_yaml() {
        let files = |marked: &str, others: &str| {
            format!(
                "#- /hiera.yaml there:no\n{marked}#- /modules/m/metadata.json\n{{}}\n#- /modules/m/hiera.yaml\nversion: 5\n\
                 #- /modules/m/data/common.yaml\nm::a: 1\n{others}"
            )
        };
        let data = "#- /data/common.yaml\na: 1\n";
        let finding = "#^^^ warning[nothing-checked]: nothing in `data` is checked: there is no hiera.yaml beside it \
                       1 file looks like Hiera data in data. ";
        let elsewhere = "If the hiera.yaml for it is somewhere else, write `globalHieraYaml: PATH` in .hiera-ls.yaml.\n";
        let misspelt = "Puppet does not read hiera.yml: rename it to hiera.yaml.\n";
        let beside = "#- /hiera.yml\nversion: 5\n";
        for marked in ["#- /environment.conf\n", ""] {
            check(&files(marked, &format!("{data}{finding}{elsewhere}")));
            check(&files(marked, &format!("{data}{finding}{misspelt}{beside}")));
        }
        check(&files("#- /environment.conf\n", "#- /modules/m/files/data/x.yaml\na: 1\n"));
    }

    #[test]
    fn one_of_several_environments_has_no_hiera_yaml() {
        let files = |name: &str| {
            let finding = "#^^^ warning[nothing-checked]: nothing in `environments/b/data` is checked: there is no hiera.yaml beside it…\n";
            let finding = if name == "hiera.yml" { finding } else { "" };
            format!(
                "#- /hiera.yaml there:no\n#- /environments/a/hiera.yaml\nversion: 5\n#- /environments/a/data/common.yaml\na: 1\n\
                 #- /environments/b/{name}\nversion: 5\n#- /environments/b/data/common.yaml\na: 1\n{finding}"
            )
        };
        check(&files("hiera.yaml"));
        check(&files("hiera.yml"));
    }
}
