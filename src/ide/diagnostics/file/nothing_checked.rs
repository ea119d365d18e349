//! `nothing-checked`: there seems to be data, but no hierarchy of the workspace reads any of it, so nothing is checked.

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
    summary: "The workspace seems to have data, but no `hiera.yaml` that reads any of them.",
    page: include_str!("../../../../docs/rules/nothing-checked.md"),
    explains: Some(Subject::UnreadFile),
    checks: &[Check::Unread(check)],
    ..Rule::USUAL
};

/// The maximum number of files that the message names.
const MAX_NAMED: usize = 3;

/// Why nothing in a workspace is checked.
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
    let Some(nothing) = nothing_checked(world).filter(|it| it.is_about(path)) else { return };
    let range =
        world.text(path).map_or_else(|_| TextRange::empty(0), |it| TextRange::first_line(&it));
    report.add(&RULE, range, nothing.message);
}

/// Why no data of the workspace is checked; `None` if some is, or if there seems to be none.
pub fn nothing_checked(world: &Arc<World>) -> Option<NothingChecked> {
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
        let looks = if it.files == 1 { "file looks" } else { "files look" };
        let directory = shown(world, &it.directory);
        let _ = write!(message, "\n{} {looks} like Hiera data in {directory}.", it.files);
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
        message += "\nIf the hiera.yaml for it is somewhere else, write `globalHieraYaml: PATH` in .hiera-ls.yaml.";
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
}
