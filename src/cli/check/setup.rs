//! The input of `check`: the workspace, its settings, and the files to be checked.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::arguments::{CheckArguments, Least, OutputFormat, PresetName, rank};
use super::findings::{ShownPaths, shown_path};
use crate::cli::progress::Progress;
use crate::cli::rule::no_such_rule;
use crate::cli::shown::here;
use crate::cli::workspace::{self, absolute, existing_directory};
use rayon::iter::{IntoParallelRefIterator as _, ParallelExtend as _, ParallelIterator as _};

use crate::code::roots::is_code;
use crate::config::Environment;
use crate::data::{Files as _, PathKind};
use crate::ide::diagnostics::{
    Diagnostic, Severity, nothing_checked, nothing_checked_about, rule, rule_names,
};
use crate::ide::{FileRole, all_diagnostics, workspace_files};
use crate::settings::{self, PROJECT_FILE, Preset, Settings};
use crate::world::git;
use crate::world::{Change, DiskReader, Host, World, loader, paths};

/// After this many files, parsed files are dropped.
const FILES_AT_ONCE: usize = 256;

/// A workspace, and the part of it to be checked.
pub(super) struct Setup {
    /// The workspace with its settings.
    pub(super) host: Host,
    /// How paths are shown.
    pub(super) shown: ShownPaths,
    /// The files to be checked, sorted, each once.
    pub(super) files: Vec<String>,
    /// The lowest severity that is reported.
    least: u8,
    /// The selected rules; all rules if it is empty.
    selected: Vec<&'static str>,
    /// The ignored rules.
    ignored: Vec<&'static str>,
    /// Whether a setting is not valid. What is reported may depend on it.
    pub(super) has_broken_settings: bool,
}

impl Setup {
    /// Whether the arguments request a finding.
    pub(super) fn reports(&self, found: &Diagnostic) -> bool {
        rank(found.severity) >= self.least && self.asks_for(found.code)
    }

    /// Whether the arguments request the findings of a rule.
    pub(super) fn asks_for(&self, rule: &str) -> bool {
        let names = |list: &[&str]| list.contains(&rule);
        (self.selected.is_empty() || names(&self.selected)) && !names(&self.ignored)
    }

    /// The results of `work` on the diagnostics of each file to be checked, in the order of paths.
    pub(super) fn each_file<R: Send>(
        &self,
        world: &Arc<World>,
        work: impl Fn(&Arc<World>, &str, Vec<Diagnostic>) -> R + Sync,
    ) -> Vec<R> {
        let progress = Progress::before_answers(self.files.len(), "files");
        let mut all = Vec::with_capacity(self.files.len());
        // The results are in the order of paths although threads compute them, so two runs print the same.
        for (world, files) in world.in_parts(&self.files, FILES_AT_ONCE) {
            let of_file = |path: &String| {
                progress.step();
                let mut found = all_diagnostics(&world, path);
                found.retain(|it| self.reports(it));
                work(&world, path, found)
            };
            all.par_extend(files.par_iter().map(of_file));
            // The parsed files of a part are dropped while the next part is checked.
            rayon::spawn(move || drop(world));
        }
        progress.end();
        all
    }
}

/// The directory that contains everything that may change a finding.
pub(super) fn workspace_root(arguments: &CheckArguments) -> Result<String, String> {
    Ok(roots(arguments)?.workspace)
}

/// The option that leaves out findings because they are not severe.
fn leaves_out_findings(arguments: &CheckArguments) -> Option<&'static str> {
    if matches!(arguments.min_severity, Some(Least::Warning | Least::Error)) {
        return Some("--min-severity");
    }
    matches!(arguments.preset, Some(PresetName::Ci)).then_some("--preset ci")
}

/// Builds the setup; `Err` describes an error in the arguments.
pub(super) fn set_up(arguments: &CheckArguments) -> Result<Setup, String> {
    refuse_unknown_rules(arguments)?;
    let is_list = arguments.format.is_for_people() || arguments.format == OutputFormat::Json;
    if arguments.statistics && !is_list {
        return Err("--statistics prints a text, or with --format json an array".to_owned());
    }
    if arguments.write_baseline
        && let Some(option) = leaves_out_findings(arguments)
    {
        return Err(format!(
            "--write-baseline writes all findings, so {option} cannot leave some out"
        ));
    }
    let Roots { workspace: root, shown } = roots(arguments)?;
    let shown = if arguments.format.is_for_people() { here() } else { shown };
    // The project file may be a link that leads out of the workspace.
    let before = disk(arguments, &root, &Settings::default());
    let (mut settings, has_broken_settings) =
        workspace::checked_settings(before, &root, &rule_names(), arguments.trust);
    match arguments.preset {
        Some(PresetName::Recommended) => settings.diagnostics.preset = Preset::Recommended,
        Some(PresetName::Ci) => settings.diagnostics.preset = Preset::Ci,
        Some(PresetName::Strict) => settings.diagnostics.preset = Preset::Strict,
        None if arguments.strict => settings.diagnostics.preset = Preset::Strict,
        None => {}
    }
    turn_on(&arguments.select, &mut settings);
    if let Some(baseline) = &arguments.baseline {
        settings.diagnostics.baseline = absolute(baseline)?.into();
    }
    // The settings decide which other directories may be read.
    let mut host = Host::new(disk(arguments, &root, &settings));
    host.apply(Change::Folders(vec![root.clone()]));
    host.apply(Change::Settings(settings));
    let files = if let Some(path) = &arguments.stdin_filename {
        let path = absolute(path)?;
        let text =
            String::from_utf8(standard_input()?).map_err(|_| "standard input is not UTF-8")?;
        host.apply(Change::OpenBuffer { path: path.clone(), text, version: 0 });
        if !arguments.skip_other_files && !is_looked_at(&host.snapshot(), &path) {
            refuse(&[shown_path(&shown, &path)])?;
        }
        vec![path]
    } else if let Some(revision) = &arguments.since {
        changed_files(&host.snapshot(), &root, git::changed_since(&root, revision)?)
    } else if let Some(list) = &arguments.files_from {
        files(&host.snapshot(), &listed(list)?)?
    } else if arguments.paths.is_empty() {
        workspace_files(&host.snapshot()).into_iter().collect()
    } else {
        let files = files(&host.snapshot(), &arguments.paths)?;
        if !arguments.skip_other_files {
            refuse_other_files(&host.snapshot(), &arguments.paths, &shown)?;
            if files.is_empty() && !host.snapshot().environments().is_empty() {
                return Err(format!(
                    "nothing to check: the named directories contain no data files, hiera.yaml or Puppet code of the workspace {root}; --root names another workspace"
                ));
            }
        }
        files
    };
    // Otherwise, a wrong directory would pass as a workspace without mistakes.
    if host.snapshot().environments().is_empty() {
        let why = nothing_checked(&host.snapshot());
        let why = why.first().map(|it| format!("{root}: warning[nothing-checked]: {}", it.message));
        return Err(why.unwrap_or_else(|| workspace::no_environment(&root)));
    }
    // Who selects a rule wants its findings, even if they are only hints.
    let usual = if arguments.select.is_empty() { Least::Information } else { Least::Hint };
    let least = rank(match arguments.min_severity.unwrap_or(usual) {
        Least::Hint => Severity::Hint,
        Least::Information => Severity::Information,
        Least::Warning => Severity::Warning,
        Least::Error => Severity::Error,
    });
    let (selected, ignored) = (codes(&arguments.select), codes(&arguments.ignore));
    // Otherwise, a check without any rule would pass.
    if !selected.is_empty() && selected.iter().all(|it| ignored.contains(it)) {
        return Err("no rule is left: --ignore names every rule of --select".to_owned());
    }
    let shown = if arguments.format.is_for_forges() {
        ShownPaths::in_repository(&host.snapshot(), shown)
    } else {
        ShownPaths::below(shown)
    };
    Ok(Setup { host, shown, files, least, selected, ignored, has_broken_settings })
}

/// A rule that does not exist would silently report nothing.
fn refuse_unknown_rules(arguments: &CheckArguments) -> Result<(), String> {
    match arguments.select.iter().chain(&arguments.ignore).find(|it| rule(it).is_none()) {
        Some(unknown) => Err(no_such_rule(unknown)),
        None => Ok(()),
    }
}

/// The current codes of rules; all names must be names of rules.
fn codes(names: &[String]) -> Vec<&'static str> {
    names.iter().filter_map(|it| rule(it)).map(|it| it.code).collect()
}

/// Turns selected rules on, whatever the settings say.
fn turn_on(selected: &[String], settings: &mut Settings) {
    for rule in selected.iter().filter_map(|it| rule(it)) {
        let is_off = match settings.diagnostics.severity.get(rule.code) {
            Some(severity) => *severity == settings::Severity::Off,
            None => !rule.is_on,
        };
        if is_off {
            let severity =
                settings::Severity::NAMES.iter().find(|(name, _)| *name == rule.severity.name());
            let severity = severity.expect("settings know every severity").1;
            settings.diagnostics.severity.insert(rule.code.into(), severity);
        }
    }
}

/// The workspace's directory, and the directory to which paths for programs are relative.
struct Roots {
    workspace: String,
    shown: String,
}

/// The directory in `--root`. Without it, the Git repository around the named files, wherever the command runs: other files
/// beside it are not related to them. CI wants paths from the top of the repository, in whichever directory the command runs.
fn roots(arguments: &CheckArguments) -> Result<Roots, String> {
    let around = |path: &str| git::top_around(path).map(str::to_owned);
    if let Some(root) = &arguments.root {
        let root = existing_directory(root)?;
        let top = arguments.format.is_for_forges().then(|| around(&root)).flatten();
        return Ok(Roots { shown: top.unwrap_or_else(|| root.clone()), workspace: root });
    }
    let here = absolute(Path::new("."))?;
    let named: Result<Vec<String>, String> =
        arguments.paths.iter().chain(&arguments.stdin_filename).map(|it| absolute(it)).collect();
    let named = named?;
    let repositories: BTreeSet<Option<String>> = named.iter().map(|it| around(it)).collect();
    // If the paths belong to several repositories, or to none, only the current directory is left.
    let [Some(repository)] = &*repositories.into_iter().collect::<Vec<_>>() else {
        let shown = around(&here).unwrap_or_else(|| here.clone());
        return Ok(Roots { workspace: here, shown });
    };
    Ok(Roots { workspace: repository.clone(), shown: repository.clone() })
}

/// A named file that no rule checks is an error, because the user expects a result for it.
fn refuse_other_files(world: &Arc<World>, named: &[PathBuf], shown: &str) -> Result<(), String> {
    let mut others = Vec::new();
    for path in named {
        let path = absolute(path)?;
        if world.kind(&path) == PathKind::File && !is_looked_at(world, &path) {
            others.push(shown_path(shown, &path));
        }
    }
    refuse(&others)
}

/// The error for files that no rule checks, if there are any.
fn refuse(others: &[String]) -> Result<(), String> {
    if others.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{}: nothing to check: this is not a data file of the workspace, a hiera.yaml, an environment.conf or Puppet code; --skip-other-files skips such files",
        others.join(", ")
    ))
}

/// Whether any rule checks a file.
pub(super) fn is_looked_at(world: &Arc<World>, path: &str) -> bool {
    let lies_beside_data = || {
        let environment = world.environment_of(path);
        environment.is_some_and(|it| {
            let reach = world.reach(&it);
            reach.surrounds(path) || reach.places_around(&it, path).next().is_some()
        })
    };
    FileRole::of(world, path).is_some()
        || is_code(path)
        || paths::file_name(path) == "hiera.yml"
        || world.is_environment_conf(path)
        || !world.classified_by(path).is_empty()
        || paths::file_name(path) == "metadata.json" && world.unseen_module(path).is_some()
        || lies_beside_data()
        || nothing_checked_about(world, path).is_some()
}

/// What may be read: everything with trust, and without it the workspace and what the command line names.
fn disk(arguments: &CheckArguments, root: &str, settings: &Settings) -> Arc<dyn DiskReader> {
    if arguments.trust {
        return Arc::new(loader::Disk);
    }
    let named = arguments.paths.iter().chain(&arguments.baseline).chain(&arguments.stdin_filename);
    let named = named.filter_map(|path| absolute(path).ok());
    let of_settings = settings.directory.iter().chain(&settings.basemodulepath);
    Arc::new(workspace::disk(root, named.chain(of_settings.map(ToString::to_string))))
}

/// The files that the user named.
fn files(world: &Arc<World>, wanted: &[PathBuf]) -> Result<Vec<String>, String> {
    // A single file does not have to wait until all files are found.
    let all = LazyCell::new(|| workspace_files(world));
    let mut files = BTreeSet::new();
    for path in wanted {
        let path = absolute(path)?;
        match world.kind(&path) {
            PathKind::Directory => {
                let inside = all.iter().filter(|file| paths::below(&path, file).is_some());
                files.extend(inside.cloned());
            }
            PathKind::File => {
                files.insert(path);
            }
            PathKind::Missing => return Err(format!("{path}: no such file or directory")),
        }
    }
    Ok(files.into_iter().collect())
}

/// The changed files of the workspace; all files if something changed that decides which nodes read what.
fn changed_files(world: &Arc<World>, root: &str, mut changed: BTreeSet<String>) -> Vec<String> {
    let all = workspace_files(world);
    // What is read through links is checked under the paths of the links.
    let links = world.links_among(all.iter().map(String::as_str));
    let linked = changed.iter().filter_map(|path| links.get(&**path)).flatten();
    let linked: Vec<String> = linked.map(ToString::to_string).collect();
    changed.extend(linked);
    // Such a file can change the findings of files that were not edited.
    if changed.iter().any(|path| decides_what_is_read(world, root, &all, path)) {
        return all.into_iter().collect();
    }
    // Deleted files and those that are not data are not checked. A link to a directory changes with what it leads to.
    let is_changed = |path: &String| {
        changed.contains(path) || paths::ancestors(path).any(|above| changed.contains(above))
    };
    all.into_iter().filter(is_changed).collect()
}

/// Whether a file decides which nodes read what. Outside of `root`, only files that belong to the workspace count: settings and
/// facts above it, the global layer, and modules that are elsewhere.
fn decides_what_is_read(
    world: &Arc<World>,
    root: &str,
    all: &BTreeSet<String>,
    path: &str,
) -> bool {
    let name = paths::file_name(path);
    if name == PROJECT_FILE {
        let is_above = paths::parent(path).is_some_and(|it| paths::below(it, root).is_some());
        return is_above || paths::below(root, path).is_some();
    }
    let is_structural = ["hiera.yaml", "environment.conf", "metadata.json"].contains(&name);
    if paths::below(root, path).is_some() {
        return is_structural || world.may_hold_facts(path);
    }
    let is_of_environment = |it: &Arc<Environment>| {
        it.global_config.as_deref() == Some(path) || world.module_of(it, path).is_some()
    };
    let is_of_workspace = || world.environments().iter().any(is_of_environment);
    is_structural && (all.contains(path) || is_of_workspace())
        || world.may_hold_facts_of_environments(path)
}

/// The paths in a file, or in standard input.
fn listed(list: &Path) -> Result<Vec<PathBuf>, String> {
    let bytes = if list == Path::new("-") {
        standard_input()?
    } else {
        std::fs::read(list).map_err(|error| format!("{}: {error}", list.display()))?
    };
    let text = String::from_utf8(bytes).map_err(|_| "the list of paths is not UTF-8")?;
    // `git diff -z` ends names with a null byte, which no path contains.
    let separator = if text.contains('\0') { '\0' } else { '\n' };
    let paths = text.split(separator).map(|path| path.trim_end_matches('\r'));
    Ok(paths.filter(|path| !path.is_empty()).map(PathBuf::from).collect())
}

fn standard_input() -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    read.map(|_| bytes).map_err(|error| format!("standard input: {error}"))
}
