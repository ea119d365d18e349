//! The arguments of `hiera-ls check`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};

use crate::cli::completions;
use crate::ide::diagnostics::Severity;

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
    #[arg(long, help_heading = "Rules", conflicts_with_all = ["paths", "since", "files_from", "stdin_filename", "select", "ignore", "fix", "diff"])]
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

impl CheckArguments {
    /// Whether the whole workspace is checked.
    pub(super) fn is_about_all(&self) -> bool {
        self.paths.is_empty()
            && self.since.is_none()
            && self.files_from.is_none()
            && self.stdin_filename.is_none()
    }
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
