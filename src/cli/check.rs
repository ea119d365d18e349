//! `hiera-ls check`: runs the rules on a whole workspace, for people, for hooks and for CI.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use clap::{ArgGroup, Args, ValueEnum};
use rayon::iter::{IntoParallelRefIterator as _, ParallelExtend as _, ParallelIterator as _};

use super::check_findings::{FileFindings, Finding, findings};
use super::check_fix::{Fixing, fix};
use super::check_output::Look;
use super::check_setup::{Setup, set_up};
use super::progress::Progress;
use super::terminal::{complain, is_styled, print_styled, tell, unstyled, write_to_stdout};
use super::workspace;
use super::{check_baseline, check_output, check_setup, check_watch, completions};
use crate::config::Environment;
use crate::ide::diagnostics::{Diagnostic, Fix, Severity, nodes_that_lack};
use crate::ide::{all_diagnostics, repair};
use crate::world::World;

const EXAMPLES: &str = "\
Examples:
  hiera-ls check
  hiera-ls check --root ~/control-repo --format concise
  hiera-ls check data/nodes data/common.yaml --format github
  hiera-ls check --since origin/main
  hiera-ls check --select duplicate-key,octal-number --watch
  hiera-ls check --fix
  git diff --cached --name-only -z | hiera-ls check --files-from -

Exit status: 0 if there are no errors and warnings, 1 if there are some (with --diff: if something can be fixed), \
2 if an argument is wrong or there is nothing to check.

`hiera-ls rule NAME` explains a rule.";

/// The arguments.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(group = ArgGroup::new("fixing").args(["fix", "diff"]).multiple(true))]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub struct CheckArguments {
    /// Files and directories to check. Without any: all data files, hiera.yaml files and Puppet code of the workspace
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The workspace: a control repository, an environment or a module. Without it: the Git repository that
    /// contains the paths, or the current directory
    #[arg(long, help_heading = "What is checked", value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// Skip given files that are not data, hiera.yaml or Puppet code. For hooks, which name all changed files
    #[arg(long, help_heading = "What is checked")]
    pub skip_other_files: bool,
    /// Trust the directory: its settings may name files outside of it
    #[arg(long, help_heading = "What is checked")]
    pub trust: bool,
    /// Check only files that changed since a Git revision, or since this branch left it, e.g. origin/main. If a
    /// hiera.yaml, the settings or facts changed, check all files
    #[arg(long, help_heading = "What is checked", value_name = "REV", conflicts_with = "paths")]
    pub since: Option<String>,
    /// Read the paths from a file, or from standard input (`-`), one per line, or each ended by a null byte
    #[arg(long, help_heading = "What is checked", value_name = "FILE", conflicts_with_all = ["paths", "since"])]
    pub files_from: Option<PathBuf>,
    /// Check standard input as if it were this file
    #[arg(long, help_heading = "What is checked", value_name = "PATH", conflicts_with_all = ["paths", "since", "files_from", "fix"])]
    pub stdin_filename: Option<PathBuf>,
    /// Report only these rules, even if they are off (repeatable, or separated by commas)
    #[arg(long, help_heading = "Rules", value_name = "RULE", value_delimiter = ',', add = completions::rules())]
    pub select: Vec<String>,
    /// Do not report these rules (repeatable, or separated by commas)
    #[arg(long, help_heading = "Rules", value_name = "RULE", value_delimiter = ',', add = completions::rules())]
    pub ignore: Vec<String>,
    /// full (with the lines of the file), concise (one line each), json, sarif (SARIF 2.1.0, for code scanning), github
    /// (annotations), gitlab (a code quality report) or junit (JUnit XML)
    #[arg(long, help_heading = "Output", value_enum, value_name = "FORMAT", default_value_t = OutputFormat::Full)]
    #[arg(hide_possible_values = true)]
    pub format: OutputFormat,
    /// The lowest severity to show: hint, information, warning or error. Without it: information; hint with --select
    #[arg(
        long,
        help_heading = "Rules",
        value_enum,
        value_name = "SEVERITY",
        hide_possible_values = true
    )]
    pub min_severity: Option<Least>,
    /// The severities to start from: recommended, strict, or ci (only errors and warnings). Without it: the setting
    /// diagnostics.preset
    #[arg(
        long,
        help_heading = "Rules",
        value_enum,
        value_name = "PRESET",
        hide_possible_values = true
    )]
    pub preset: Option<PresetName>,
    /// Turn on every rule, and make each at least a warning. Short for --preset strict
    #[arg(long, help_heading = "Rules", conflicts_with = "preset")]
    pub strict: bool,
    /// Fix what can be fixed without changing any value, then show the rest
    #[arg(long, help_heading = "Fixes")]
    pub fix: bool,
    /// Show what --fix would change, and change nothing
    #[arg(long, help_heading = "Fixes")]
    pub diff: bool,
    /// With --fix or --diff: also apply fixes that change values
    #[arg(long, help_heading = "Fixes", requires = "fixing")]
    pub unsafe_fixes: bool,
    /// The file with known findings. Without it: the file that the setting diagnostics.baseline names
    #[arg(long, help_heading = "Rules", value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write all findings to the baseline. Later checks only show new findings
    #[arg(long, help_heading = "Rules", conflicts_with_all = ["paths", "since", "files_from", "stdin_filename", "fix", "diff"])]
    pub write_baseline: bool,
    /// Show how many findings each rule has, instead of the findings
    #[arg(long, help_heading = "Output")]
    pub statistics: bool,
    /// Check again whenever a file changes
    #[arg(long, help_heading = "Output", conflicts_with_all = ["fix", "diff", "write_baseline", "files_from", "stdin_filename"])]
    pub watch: bool,
    /// Print the findings and nothing else
    #[arg(long, help_heading = "Output", short)]
    pub quiet: bool,
    /// Exit with 0 even if there are findings
    #[arg(long, help_heading = "Output")]
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

impl OutputFormat {
    pub(super) fn is_for_people(self) -> bool {
        matches!(self, Self::Full | Self::Concise)
    }

    /// Whether GitHub or GitLab reads it, which know only paths from the top of the repository.
    pub(super) fn is_for_forges(self) -> bool {
        matches!(self, Self::Github | Self::Gitlab | Self::Sarif)
    }
}

/// The severities to start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PresetName {
    /// Each rule's own
    Recommended,
    /// Every rule is on, and at least a warning
    Strict,
    /// Errors and warnings alone
    Ci,
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

/// After this many files, parsed files are dropped.
const FILES_AT_ONCE: usize = 256;

/// Checks and prints.
pub fn run(arguments: &CheckArguments) -> ExitCode {
    if !arguments.watch {
        return run_once(arguments);
    }
    let ended = check_setup::workspace_root(arguments).map(|root| {
        check_watch::watch(&root, || {
            run_once(arguments);
        })
    });
    complain(&ended.unwrap_or_else(|message| message));
    ExitCode::from(2)
}

fn run_once(arguments: &CheckArguments) -> ExitCode {
    match check(arguments) {
        Ok(checked) => {
            checked.output.print();
            if !arguments.quiet {
                for note in &checked.notes {
                    complain(&format!("note: {note}"));
                }
                if !checked.summary.is_empty() {
                    tell(&checked.summary);
                }
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

/// The result of a run, and whether it found anything.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub(super) output: Output,
    pub(super) summary: String,
    pub(super) has_problems: bool,
    /// What was left out.
    pub(super) notes: Vec<String>,
}

/// What a run prints.
#[derive(Debug)]
pub(super) enum Output {
    /// A styled text.
    Text(String),
    /// Findings in a format.
    Findings(OutputFormat, Vec<FileFindings>),
    /// The number of findings of each rule.
    Statistics(Vec<FileFindings>),
}

impl Default for Output {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl Output {
    /// The output without styles.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Text(text) => unstyled(text),
            Self::Statistics(found) => check_output::statistics(Look::Plain, found),
            Self::Findings(format, found) => {
                let mut text = Vec::new();
                // Nothing fails while it is written to memory.
                let _ = check_output::write(*format, Look::Plain, found, &mut text);
                String::from_utf8_lossy(&text).into_owned()
            }
        }
    }

    /// The number of findings of each rule.
    pub(super) fn by_rule(&self) -> String {
        match self {
            Self::Text(_) => String::new(),
            Self::Findings(_, found) | Self::Statistics(found) => {
                check_output::statistics(Look::Plain, found)
            }
        }
    }

    fn print(&self) {
        match self {
            Self::Text(text) => print_styled(text),
            Self::Statistics(found) => {
                print_styled(&check_output::statistics(Look::Styled, found));
            }
            Self::Findings(format, found) => {
                // Formats for programs must not contain escape sequences.
                let is_styled = format.is_for_people() && is_styled();
                let look = if is_styled { Look::Styled } else { Look::Plain };
                write_to_stdout(is_styled, |out| check_output::write(*format, look, found, out));
            }
        }
    }
}

pub(super) fn check(arguments: &CheckArguments) -> Result<Checked, String> {
    let mut setup = set_up(arguments)?;
    if arguments.write_baseline {
        return check_baseline::write(&mut setup);
    }
    let is_fixing = arguments.fix || arguments.diff;
    // Fixes change texts in memory. The files are written only when all rounds are over.
    let fixing =
        if is_fixing { fix(&mut setup, arguments.unsafe_fixes) } else { Fixing::default() };
    if arguments.diff {
        return Ok(fixing.show(&setup));
    }
    fixing.write()?;
    let world = setup.host.snapshot();
    let shared = Mutex::default();
    let found = each_file(&world, &setup, |world, path, found| {
        // Fixes that change values are not counted, because --fix alone does not apply them, and neither are those that it has
        // just withdrawn.
        let is_fixable = |fix: &Fix| fix.is_safe() && !fixing.has_withdrawn(path);
        let fixable = repair(&found, is_fixable).fixed.len();
        (fixable, findings(world, &setup.root, path, found, &shared))
    });
    let fixable: usize = found.iter().map(|(fixable, _)| fixable).sum();
    let found: Vec<FileFindings> = found.into_iter().map(|(_, found)| found).collect();
    let is_problem = |it: &Finding| rank(it.said.severity) >= rank(Severity::Warning);
    let mut summary = fixing.summary();
    if arguments.format.is_for_people() {
        let checked = number_of_checked(arguments, &world, &setup.files, &found);
        summary += &check_output::summary(&found, checked);
        if arguments.is_about_all() {
            summary += &lacking_nodes(&world);
        }
        if fixable > 0 {
            // --fix withdraws fixes that it cannot prove. The proofs take about as long as the check, so none is made here.
            let _ = write!(summary, "; --fix may fix {fixable} of them");
        }
    }
    let has_problems = check_output::all(&found).any(is_problem);
    let of_nodes =
        workspace::node_problems(&world, &environments_of(arguments, &world, &setup.files));
    let notes = fixing.notes().chain(setup.outside.iter().cloned());
    let notes = notes.chain(of_nodes).chain(world.notes());
    let notes = notes.chain(check_baseline::problem(&world, arguments)).collect();
    let output = if arguments.statistics {
        Output::Statistics(found)
    } else {
        Output::Findings(arguments.format, found)
    };
    Ok(Checked { output, summary, has_problems, notes })
}

/// The environments of the files to be checked.
fn environments_of(
    arguments: &CheckArguments,
    world: &World,
    files: &[String],
) -> Vec<Arc<Environment>> {
    if arguments.is_about_all() {
        return world.environments().to_vec();
    }
    world.environments_of(files.iter().map(String::as_str))
}

/// The number of files for the summary. Files that the user names may be none that a rule checks.
fn number_of_checked(
    arguments: &CheckArguments,
    world: &Arc<World>,
    files: &[String],
    found: &[FileFindings],
) -> usize {
    if arguments.is_about_all() {
        return files.len();
    }
    let is_checked = |(path, found): &(&String, &FileFindings)| {
        !found.findings.is_empty() || check_setup::is_looked_at(world, path)
    };
    files.iter().zip(found).filter(is_checked).count()
}

/// The number of nodes that lack values of parameters, to end a sentence; empty if there are none.
fn lacking_nodes(world: &Arc<World>) -> String {
    match nodes_that_lack(world) {
        None | Some((0, _)) => String::new(),
        Some((lacking, 1)) => format!("; {lacking} of 1 node lacks required parameters"),
        Some((lacking, all)) => {
            let verb = if lacking == 1 { "lacks" } else { "lack" };
            format!("; {lacking} of {all} nodes {verb} required parameters")
        }
    }
}

impl CheckArguments {
    /// Whether the whole workspace is checked.
    fn is_about_all(&self) -> bool {
        self.paths.is_empty()
            && self.since.is_none()
            && self.files_from.is_none()
            && self.stdin_filename.is_none()
    }
}

/// The results of `work` on the diagnostics of each file to be checked, in the order of paths.
pub(super) fn each_file<R: Send>(
    world: &Arc<World>,
    setup: &Setup,
    work: impl Fn(&Arc<World>, &str, Vec<Diagnostic>) -> R + Sync,
) -> Vec<R> {
    let progress = Progress::before_answers(setup.files.len(), "files");
    let mut all = Vec::with_capacity(setup.files.len());
    // The results are in the order of paths although threads compute them, so two runs print the same.
    for (world, files) in world.in_parts(&setup.files, FILES_AT_ONCE) {
        let of_file = |path: &String| {
            progress.step();
            let mut found = all_diagnostics(&world, path);
            found.retain(|it| setup.reports(it));
            work(&world, path, found)
        };
        all.par_extend(files.par_iter().map(of_file));
        // The parsed files of a part are dropped while the next part is checked.
        rayon::spawn(move || drop(world));
    }
    progress.end();
    all
}

/// A higher number is more severe.
pub(super) fn rank(severity: Severity) -> u8 {
    match severity {
        Severity::Hint => 0,
        Severity::Information => 1,
        Severity::Warning => 2,
        Severity::Error => 3,
    }
}
