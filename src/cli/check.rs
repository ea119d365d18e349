//! `hiera-ls check`: what the rules say of a whole workspace, for people, for hooks and for CI.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::check_findings::{Finding, findings};
use super::check_output;
use super::{complain, print};
use crate::config::Environment;
use crate::data::{Files as _, PathKind};
use crate::ide::diagnostics;
use crate::ide::diagnostics::Severity;
use crate::settings::{PROJECT_FILE, Settings};
use crate::world::{DataPlace, World, loader, paths};

/// How deep below the directories of a hierarchy files are looked for.
const MAX_DEPTH: usize = 8;

/// What files of data are called.
const DATA_EXTENSIONS: [&str; 5] = ["yaml", "yml", "eyaml", "json", "conf"];

const EXAMPLES: &str = "\
Examples:
  hiera-ls check
  hiera-ls check --root ~/control-repo --format concise
  hiera-ls check data/nodes data/common.yaml --format github

Exit status: 0 nothing found, 1 errors or warnings found, 2 wrong arguments.
`hiera-ls rule NAME` explains a rule.";

/// The arguments.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CheckArguments {
    /// Files and directories to check; without any, all data files and hiera.yaml files of the workspace
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The workspace: a control repository, an environment or a module
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub root: PathBuf,
    /// How findings are written
    #[arg(long, value_enum, default_value_t = OutputFormat::Full)]
    pub format: OutputFormat,
    /// The least severity that is shown
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = Least::Information)]
    pub min_severity: Least,
    /// Show how often each rule speaks instead of the findings
    #[arg(long)]
    pub statistics: bool,
    /// Exit with 0 whatever is found
    #[arg(long)]
    pub exit_zero: bool,
}

/// How findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// With the lines of the file
    Full,
    /// One line each
    Concise,
    /// A JSON array
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Commands of GitHub Actions
    Github,
    /// A report for GitLab's code quality
    Gitlab,
    /// JUnit XML
    Junit,
}

/// The least severity that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Least {
    /// Everything
    Hint,
    /// All but hints
    Information,
    /// Errors and warnings
    Warning,
    /// Errors
    Error,
}

/// Checks and prints.
pub fn run(arguments: &CheckArguments) -> ExitCode {
    match check(arguments) {
        Ok(checked) => {
            print(&checked.text);
            if !checked.summary.is_empty() {
                complain(&checked.summary);
            }
            let is_failure = checked.has_problems && !arguments.exit_zero;
            if is_failure { ExitCode::from(1) } else { ExitCode::SUCCESS }
        }
        Err(message) => {
            complain(&message);
            ExitCode::from(2)
        }
    }
}

struct Checked {
    text: String,
    summary: String,
    has_problems: bool,
}

fn check(arguments: &CheckArguments) -> Result<Checked, String> {
    let root = absolute(&arguments.root)?;
    if !Path::new(&root).is_dir() {
        return Err(format!("{root}: no such directory"));
    }
    let world = World::on_disk(Arc::new(loader::Disk), vec![root.as_str().into()], settings(&root));
    if world.environments().is_empty() {
        return Err(format!("{root}: no hiera.yaml here, or in a directory above or below"));
    }
    let files = files(&world, &arguments.paths)?;
    let least = rank(match arguments.min_severity {
        Least::Hint => Severity::Hint,
        Least::Information => Severity::Information,
        Least::Warning => Severity::Warning,
        Least::Error => Severity::Error,
    });
    let of_file = |path: &String| -> Vec<Finding> {
        let mut found = diagnostics(&world, path);
        found.retain(|it| rank(it.severity) >= least);
        findings(&world, &root, path, found)
    };
    let found: Vec<Vec<Finding>> = files.par_iter().map(of_file).collect();
    let found: Vec<Finding> = found.into_iter().flatten().collect();
    let is_problem = |it: &Finding| rank(it.severity) >= rank(Severity::Warning);
    let text = if arguments.statistics {
        check_output::statistics(&found)
    } else {
        check_output::render(arguments.format, &found)
    };
    let is_for_people = matches!(arguments.format, OutputFormat::Full | OutputFormat::Concise);
    let summary = if is_for_people { summary(&found, files.len()) } else { String::new() };
    Ok(Checked { text, summary, has_problems: found.iter().any(is_problem) })
}

fn rank(severity: Severity) -> u8 {
    match severity {
        Severity::Hint => 0,
        Severity::Information => 1,
        Severity::Warning => 2,
        Severity::Error => 3,
    }
}

fn summary(found: &[Finding], files: usize) -> String {
    let of = |number: usize, one: &str, many: &str| {
        format!("{number} {}", if number == 1 { one } else { many })
    };
    let count = |severity| found.iter().filter(|it| it.severity == severity).count();
    let files = of(files, "file", "files");
    if found.is_empty() {
        return format!("nothing found in {files}");
    }
    let errors = of(count(Severity::Error), "error", "errors");
    let warnings = of(count(Severity::Warning), "warning", "warnings");
    let others = found.len() - count(Severity::Error) - count(Severity::Warning);
    let others =
        if others == 0 { String::new() } else { format!(", {}", of(others, "note", "notes")) };
    format!("{errors}, {warnings}{others} in {files}")
}

fn settings(root: &str) -> Settings {
    let path = format!("{root}/{PROJECT_FILE}");
    let text = std::fs::read_to_string(&path).ok();
    let codes: Vec<&str> = diagnostics::RULES.iter().map(|rule| rule.code).collect();
    let (settings, problems) = Settings::read(text.as_deref(), None, &codes);
    for problem in problems {
        complain(&format!("{path}: {}: {}", problem.key, problem.message));
    }
    settings
}

/// What is checked, sorted, each once.
fn files(world: &Arc<World>, wanted: &[PathBuf]) -> Result<Vec<String>, String> {
    let all = workspace_files(world);
    if wanted.is_empty() {
        return Ok(all.into_iter().collect());
    }
    let mut files = BTreeSet::new();
    for path in wanted {
        let path = absolute(path)?;
        match world.kind(&path) {
            PathKind::Directory => {
                let inside = all.iter().filter(|file| paths::below(&path, file).is_some());
                files.extend(inside.cloned());
            }
            // Hooks name whatever was changed: about what Hiera has nothing to do with, no rule says anything.
            PathKind::File => {
                files.insert(path);
            }
            PathKind::Missing => return Err(format!("{path}: no such file or directory")),
        }
    }
    Ok(files.into_iter().collect())
}

/// All data files and `hiera.yaml` files of all environments.
fn workspace_files(world: &Arc<World>) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    for environment in world.environments().iter() {
        let index = world.key_index(environment);
        files.extend(index.files().into_iter().map(|(path, _)| path.to_string()));
        for directory in data_directories(world, environment) {
            collect(world, &directory, MAX_DEPTH, &mut files);
        }
        let directories = environment.root.iter().chain(environment.modules.values());
        let configs = directories.map(|directory| format!("{directory}/hiera.yaml"));
        let global = environment.global_config.iter().map(ToString::to_string);
        files.extend(configs.chain(global).filter(|path| world.kind(path) == PathKind::File));
    }
    files
}

/// The directories that hold nothing but data; none of them lies in another one.
fn data_directories(world: &World, environment: &Environment) -> BTreeSet<String> {
    let roots: Vec<_> = environment.root.iter().chain(environment.modules.values()).collect();
    let is_inside = |directory: &str| {
        let below = |root: &&Arc<str>| paths::below(root, directory);
        let holds_a_root = roots.iter().any(|root| paths::below(directory, root).is_some());
        !holds_a_root && roots.iter().filter_map(below).any(|rest| !rest.is_empty())
    };
    let reach = world.reach(environment);
    let all = reach.places.iter().map(DataPlace::directory);
    let all: BTreeSet<String> = all.filter(|it| is_inside(it)).map(str::to_owned).collect();
    let is_topmost = |it: &&String| !paths::ancestors(it).any(|above| all.contains(above));
    all.iter().filter(is_topmost).cloned().collect()
}

/// Files beside the data, which no level may load: that is worth a hint.
fn collect(world: &World, directory: &str, depth: usize, files: &mut BTreeSet<String>) {
    for item in world.list(directory).iter().filter(|item| !item.name.starts_with('.')) {
        let path = paths::join(directory, &item.name);
        let extension = paths::extension(&item.name);
        if item.is_directory && depth > 0 {
            collect(world, &path, depth - 1, files);
        } else if !item.is_directory && DATA_EXTENSIONS.contains(&extension) {
            files.insert(path);
        }
    }
}

fn absolute(path: &Path) -> Result<String, String> {
    let absolute =
        std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let text = absolute.to_str().ok_or_else(|| format!("{}: not UTF-8", path.display()))?;
    Ok(paths::normalise(text))
}
