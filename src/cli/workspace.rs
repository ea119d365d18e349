//! The workspace of a command: its settings, and the environment to use.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::shown::as_seen_from_here;
use super::terminal::{complain, complain_once};
use crate::config::{Environment, Naming};
use crate::data::{Files as _, PathKind};
use crate::facts::formats::FactsProblem;
use crate::limits::MAX_SEARCH_DEPTH;
use crate::settings::{PROJECT_FILE, RuleName, Settings, SettingsProblem};
use crate::text::{Encoding, TextRange};
use crate::world::loader::{IS_OUTSIDE, WorkspaceDisk};
use crate::world::{DataPlace, DiskReader, Trust, World, paths};

/// The maximum number of problems of fact sets that are shown.
const MAX_FACT_SETS: usize = 5;

/// Settings for editors. If they are held back, no command has another result, except that `lookup --why` names no commits.
const OF_EDITORS: [&str; 2] = ["changes.before", "hover.blame"];

/// Puppet's default environment.
const USUAL_ENVIRONMENT: &str = "production";

/// `path` as an absolute path in normal form; `Err` if that is not possible.
pub(super) fn absolute(path: &Path) -> Result<String, String> {
    let absolute =
        std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let text = absolute.to_str().ok_or_else(|| format!("{}: not UTF-8", path.display()))?;
    Ok(paths::normalise(text))
}

/// The absolute path of a directory; `Err` says that there is none.
pub(super) fn existing_directory(path: &Path) -> Result<String, String> {
    let root = absolute(path)?;
    let directory = Path::new(&root);
    if directory.is_dir() { Ok(root) } else { Err(no_directory(&root, directory.exists())) }
}

/// The error for a path that is not a directory. `is_there` says whether it is something else.
fn no_directory(path: &str, is_there: bool) -> String {
    let why = if is_there { "this is not a directory" } else { "no such directory" };
    format!("{path}: {why}")
}

/// The effective settings of the directory `root` on a disk; their errors are printed on standard error.
pub(super) fn settings_on(disk: Arc<dyn DiskReader>, root: &str, is_trusted: bool) -> Settings {
    checked_settings(disk, root, &[], is_trusted).0
}

/// The same, and whether one of them is not valid. `rules` are those that they may name.
pub(super) fn checked_settings(
    disk: Arc<dyn DiskReader>,
    root: &str,
    rules: &[RuleName],
    is_trusted: bool,
) -> (Settings, bool) {
    let folders: Vec<Arc<str>> = vec![root.into()];
    let world = World::on_disk(disk, folders, Settings::default());
    let trust = if is_trusted { Trust::Given } else { Trust::Missing };
    let found = world.workspace_settings(&[root], None, rules, trust);
    found.unread.into_iter().map(with_advice).for_each(|it| complain_once(&it));
    let is_of_editors = |it: &SettingsProblem| it.is_warning && OF_EDITORS.contains(&&*it.key);
    for problem in found.problems.iter().filter(|it| !is_of_editors(it)) {
        let place = found.file.as_ref().map_or_else(String::new, |file| {
            // What is about the whole file has no place in it.
            if problem.range == TextRange::empty(0) {
                return file.path.to_string();
            }
            let at = file.line_index().line_col(&file.text, problem.range.start, Encoding::Utf32);
            format!("{}:{}:{}", file.path, at.line + 1, at.col + 1)
        });
        complain(&format!("{place}: {}", problem.in_words()));
    }
    (found.settings, found.problems.iter().any(|it| !it.is_warning))
}

/// What may be read without trust: the directory `root` and the repository that contains it, the tree of environments around
/// it, and the files and directories that are `named`.
pub(super) fn disk(root: &str, named: impl Iterator<Item = String>) -> WorkspaceDisk {
    WorkspaceDisk::around(&[root], &named.collect::<Vec<_>>())
}

/// The same with the usual directories of modules. Settings of an untrusted workspace add no directory that is outside of it.
pub(super) fn usual_disk(root: &str, named: impl Iterator<Item = String>) -> WorkspaceDisk {
    let modules = Settings::default().basemodulepath;
    disk(root, named.chain(modules.iter().map(ToString::to_string)))
}

/// What was not read so far, one line each. The line of a directory stands for all that is in it.
pub(super) fn not_read(world: &World) -> BTreeSet<String> {
    let all = world.environments();
    let directories = all.iter().flat_map(|it| not_read_in(world, it));
    let lines: BTreeSet<String> =
        directories.chain(world.notes().into_iter().map(with_advice)).collect();
    let path = |line: &str| line.split_once(IS_OUTSIDE).map(|(path, _)| path.to_owned());
    let outside: Vec<String> = lines.iter().filter_map(|it| path(it)).collect();
    let is_below = |directory: &String, path: &String| {
        paths::below(directory, path).is_some_and(|below| !below.is_empty())
    };
    let is_said =
        |line: &String| path(line).is_some_and(|path| outside.iter().any(|it| is_below(it, &path)));
    lines.iter().filter(|it| !is_said(it)).cloned().collect()
}

/// A note with what makes hiera-ls read the path, if that is outside of the workspace.
pub(super) fn with_advice(note: String) -> String {
    if note.ends_with(IS_OUTSIDE) { note + "; with --trust, hiera-ls reads it" } else { note }
}

/// The existing directories with data, modules or the main manifest of an environment whose files are not read, one line each.
pub(super) fn not_read_in(world: &World, environment: &Environment) -> BTreeSet<String> {
    let reach = world.reach(environment);
    let modules = environment.modules.values().map(|it| &**it);
    let is_manifest_read = world.may_read_main_manifest(environment);
    let manifest = world.code_roots(environment).manifests.filter(|_| !is_manifest_read);
    let directories = reach.places.iter().map(DataPlace::directory).chain(modules);
    let line = |it| with_advice(format!("{it}{IS_OUTSIDE}"));
    let outside =
        directories.filter(|it| world.is_outside(it)).chain(manifest.as_deref()).map(line);
    outside.chain(world.closed_directories(environment)).collect()
}

/// The environment that contains the directory `root`; or else the one with this name in the workspace, or `production` or
/// the only one if no name is given. `Err` lists the environments.
pub(super) fn environment(
    world: &World,
    root: &str,
    name: Option<&str>,
) -> Result<Arc<Environment>, String> {
    let mut environment = environment_called(world, root, name)?;
    note_unread_settings(world, &environment);
    // A path only says which one is meant.
    if let Some(name) = name.filter(|it| !it.contains('/')) {
        let environment = Arc::make_mut(&mut environment);
        // Like Puppet's --environment, the name also decides where `%{environment}` leads.
        environment.name = name.into();
        environment.naming = Naming::Fixed;
    }
    Ok(environment)
}

/// Says that the settings in the directory of an environment do not count, because those of the workspace above it do.
pub(super) fn note_unread_settings(world: &World, environment: &Environment) {
    let directory = environment.directory();
    let file = paths::join(directory, PROJECT_FILE);
    let is_above =
        |it: &Arc<str>| paths::below(it, directory).is_some_and(|below| !below.is_empty());
    if world.folders().iter().any(is_above) && world.kind(&file) == PathKind::File {
        let [file, directory] = [&*file, directory].map(as_seen_from_here);
        complain(&format!("note: {file} is not read; --root {directory} uses it"));
    }
}

/// The environment that a directory is in, or the only one of the workspace. A directory with several environments, or that
/// several share, is in none of them.
pub(super) fn environment_around(world: &World, directory: &str) -> Option<Arc<Environment>> {
    let found = world.environment_of(directory)?;
    let is_in = paths::below(found.directory(), directory).is_some();
    (is_in || world.environments().len() < 2).then_some(found)
}

/// The environment that is used if nothing says which one, or else the first.
pub(super) fn usual_environment(world: &World) -> Option<Arc<Environment>> {
    let usual = world.settings().environment.as_deref().unwrap_or(USUAL_ENVIRONMENT);
    world.environment_called(usual).or_else(|| world.environments().first().cloned())
}

fn environment_called(
    world: &World,
    root: &str,
    name: Option<&str>,
) -> Result<Arc<Environment>, String> {
    let kind = world.kind(root);
    if kind != PathKind::Directory {
        return Err(no_directory(root, kind != PathKind::Missing));
    }
    let around = environment_around(world, root);
    let named = |name: &str| {
        environment_in_directory(world, root, name).or_else(|| world.environment_called(name))
    };
    let found = match (name, around) {
        // A checkout that is not below `environments` can be deployed as any environment.
        (Some(name), around) => named(name)
            .or_else(|| around.filter(|it| it.fixed_name().is_none() && !name.contains('/'))),
        (None, Some(around)) => Some(around),
        (None, None) => {
            let wanted = world.settings().environment.as_deref().unwrap_or(USUAL_ENVIRONMENT);
            let found = named(wanted).or_else(|| environment_for_all(world, root));
            if let Some(taken) = &found {
                note_that_others_are_left_out(world, taken);
            }
            found
        }
    };
    found.ok_or_else(|| no_environment_called(world, root, name))
}

/// The environment whose directory a user calls by its path, or by its name in the directory `root`.
fn environment_in_directory(world: &World, root: &str, name: &str) -> Option<Arc<Environment>> {
    let below = [paths::join(root, &format!("environments/{name}")), paths::join(root, name)];
    let paths =
        below.into_iter().chain(absolute(Path::new(name)).ok()).map(|it| paths::normalise(&it));
    let is_path = name.contains('/');
    let all = world.environments();
    let at = |path: String| {
        let in_workspace = all.iter().find(|it| it.directory() == path).cloned();
        let elsewhere = || world.environment_of(&path).filter(|it| it.directory() == path);
        in_workspace.or_else(|| if is_path { elsewhere() } else { None })
    };
    paths.into_iter().find_map(at)
}

/// Who names no environment means the only one, or the one that represents all others.
fn environment_for_all(world: &World, root: &str) -> Option<Arc<Environment>> {
    match &*world.environments() {
        [only] => Some(only.clone()),
        _ => world.environment_of(root),
    }
}

fn note_that_others_are_left_out(world: &World, taken: &Environment) {
    let (taken, count) = (world.environment_label(taken), world.environments().len());
    if count > 1 {
        complain(&format!(
            "the environment {taken}, one of {count}; --environment chooses another"
        ));
    }
}

/// The message lists paths, as they are seen from here.
fn no_environment_called(world: &World, root: &str, name: Option<&str>) -> String {
    let line = |it: &Arc<Environment>| format!("\n  {}", as_seen_from_here(it.directory()));
    let beside = world.environments_beside();
    let known: String = world.environments().iter().chain(&*beside).map(line).collect();
    match name {
        _ if known.is_empty() => no_environment(root),
        Some(name) => format!("{root}: there is no environment {name}; there are:{known}"),
        None => format!("{root}: which environment? --root takes one of:{known}"),
    }
}

/// Prints on standard error which patterns of the setting `node_name` have no effect.
pub(super) fn complain_of_name_patterns(world: &World) {
    for problem in world.name_pattern_problems() {
        complain(&format!("{PROJECT_FILE}: {}", problem.in_words()));
    }
}

/// Prints on standard error what is wrong with the settings, and with the fact sets of an environment.
pub(super) fn complain_of_setup(world: &World, environment: &Arc<Environment>) {
    for message in setup_problems(world, [environment]) {
        complain(&format!("warning: {message}"));
    }
}

/// What is wrong with the settings, and with the fact sets of these environments.
pub(super) fn setup_problems<'e>(
    world: &World,
    environments: impl IntoIterator<Item = &'e Arc<Environment>>,
) -> Vec<String> {
    let of_settings = world.setting_problems();
    let of_settings = of_settings.iter().map(|it| format!("{PROJECT_FILE}: {}", it.in_words()));
    let of_fact_sets = fact_set_lines(world, &world.fact_set_problems(environments));
    of_settings.chain(of_fact_sets).collect()
}

/// A line for each problem of a fact set, up to [`MAX_FACT_SETS`].
pub(super) fn fact_set_lines(world: &World, problems: &[(Arc<str>, FactsProblem)]) -> Vec<String> {
    let line = |(path, problem): &(Arc<str>, FactsProblem)| {
        // The message of a file that cannot be read has its path.
        let Ok(file) = world.file(path) else { return problem.message.clone() };
        let number = file.line_index().line_of(problem.range.start) + 1;
        format!("{path}:{number}: {}", problem.message)
    };
    let mut lines: Vec<String> = problems.iter().take(MAX_FACT_SETS).map(line).collect();
    if problems.len() > MAX_FACT_SETS {
        lines.push(format!("{} more problems of fact sets", problems.len() - MAX_FACT_SETS));
    }
    lines
}

/// The message if nothing says which files are data.
pub(super) fn no_environment(root: &str) -> String {
    format!(
        "{root}: no hiera.yaml here, in a directory above, or at most {MAX_SEARCH_DEPTH} directories below; if it is deeper, name its \
         directory; if it is somewhere else, write globalHieraYaml in .hiera-ls.yaml"
    )
}
