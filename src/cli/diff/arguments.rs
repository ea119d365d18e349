//! The arguments of `hiera-ls diff`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::completions;
use crate::cli::place::PlaceArguments;

const EXAMPLES: &str = "\
Examples:
  hiera-ls diff                          what the edits since the last commit change
  hiera-ls diff origin/main --nodes all  what is different from a branch
  hiera-ls diff $(git merge-base origin/main HEAD)
                                         what this branch changes, also if the other one has moved on
  hiera-ls diff v1.0 --to v1.1 --facts factsets --format markdown
  hiera-ls diff HEAD~3 -- ntp::servers profile::web::port

All top-level keys of both sides are compared, for all nodes, in all environments unless \
--environment names one. The cases of nodes that are not listed are compared as well, unless \
--nodes or --facts names the nodes. Two errors count as the same answer.

Exit status: 0; with --exit-code 1 if a value changes; 2 if something is wrong with the arguments or the repository.";

/// The arguments.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DiffArguments {
    /// The old revision: a commit, branch or tag
    #[arg(value_name = "REV", default_value = "HEAD")]
    pub revision: String,
    /// The new revision; without it, the working tree as it is on disk
    #[arg(long, value_name = "REV")]
    pub to: Option<String>,
    /// Only these keys
    #[arg(value_name = "KEY", last = true, add = completions::keys())]
    pub keys: Vec<String>,
    #[command(flatten)]
    pub place: PlaceArguments,
    /// Only these nodes: `all`, or names with * and ?, separated by commas
    #[arg(long, value_name = "all|GLOB,…", help_heading = "The nodes", add = completions::nodes())]
    pub nodes: Option<String>,
    /// A directory of fact sets, or one file. They are the nodes of both sides, and there are no others. A file of a directory is the
    /// node of its name, unless it has the facts of several nodes
    #[arg(long, value_name = "DIR|FILE", help_heading = "The nodes")]
    pub facts: Option<PathBuf>,
    /// text, markdown (for a comment on a merge request), json, github (annotations), or gitlab (a code quality report)
    #[arg(
        long,
        value_enum,
        default_value_t,
        hide_possible_values = true,
        value_name = "FORMAT",
        help_heading = "Output"
    )]
    pub format: DiffFormat,
    /// Exit with 1 if a value changes
    #[arg(long, help_heading = "Output")]
    pub exit_code: bool,
}

impl DiffArguments {
    /// Whether the user says which nodes are compared.
    pub(super) fn names_nodes(&self) -> bool {
        self.nodes.is_some() || self.facts.is_some()
    }

    /// Why an environment has none of the nodes that the user names.
    pub(super) fn why_no_nodes(&self) -> &'static str {
        match self.nodes {
            Some(_) => "--nodes names none of its nodes",
            None => "--facts has no node of it",
        }
    }
}

/// Output formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum DiffFormat {
    /// For people
    #[default]
    Text,
    /// For a comment on a merge request
    Markdown,
    /// For programs
    Json,
    /// Annotations of GitHub
    Github,
    /// A code quality report of GitLab
    Gitlab,
}
