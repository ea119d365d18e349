//! `hiera-ls diff`: which nodes get another value for which keys, between a revision and the working tree, or two revisions.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::diff_output::{self, Report};
use super::fleet;
use super::place::{Place, PlaceArguments};
use super::print;
use super::progress::Progress;
use super::shown::in_a_line;
use super::terminal::complain;
use super::workspace::absolute;
use crate::backends::eyaml::Decryption;
use crate::engine::CancelToken;
use crate::facts::Node;
use crate::world::git::{GitDisk, Repository};
use crate::world::{Differences, FleetPair, loader, paths};

const EXAMPLES: &str = "\
Examples:
  hiera-ls diff                          what the edits since the last commit change
  hiera-ls diff origin/main --nodes all  what this branch changes
  hiera-ls diff v1.0 --to v1.1 --facts factsets --format markdown
  hiera-ls diff HEAD~3 -- ntp::servers profile::web::port

Compared are all top-level keys of either side, for all nodes. Where not everything is known of nodes, the
cases of any other node are compared, too. Two errors are the same answer.

Exit status: 0; with --exit-code 1 if an answer changes. 2 if something is wrong with the arguments or the
repository.";

/// The arguments.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DiffArguments {
    /// The revision before: a commit, branch or tag
    #[arg(value_name = "REV", default_value = "HEAD")]
    pub revision: String,
    /// The revision after; without it, the working tree as it lies on the disk
    #[arg(long, value_name = "REV")]
    pub to: Option<String>,
    /// Only these keys
    #[arg(value_name = "KEY", last = true)]
    pub keys: Vec<String>,
    #[command(flatten)]
    pub place: PlaceArguments,
    /// Only these nodes: `all`, or names with * and ?, separated by commas
    #[arg(long, value_name = "all|GLOB,…", help_heading = "The nodes")]
    pub nodes: Option<String>,
    /// A directory of fact sets: each file is the node of its name, on both sides, and there are no others. Or one file
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
    /// Exit with 1 if an answer changes
    #[arg(long, help_heading = "Output")]
    pub exit_code: bool,
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

/// Runs the command.
pub fn run(arguments: &DiffArguments) -> ExitCode {
    match compare(arguments) {
        Ok(report) => {
            print(&diff_output::render(arguments.format, &report));
            let has_changed = arguments.exit_code && !report.found.changes.is_empty();
            ExitCode::from(u8::from(has_changed))
        }
        Err(message) => {
            complain(&message);
            ExitCode::from(2)
        }
    }
}

/// Both sides of the comparison.
struct Sides {
    before: Place,
    after: Place,
    root: String,
    prefix: String,
}

/// What changes, for people.
pub(super) fn text(arguments: &DiffArguments) -> Result<String, String> {
    Ok(diff_output::render(DiffFormat::Text, &compare(arguments)?))
}

fn compare(arguments: &DiffArguments) -> Result<Report, String> {
    let facts = arguments.facts.as_deref().map(fleet::fact_sets).transpose()?;
    let sides = open(arguments)?;
    let keys = keys(arguments, &sides);
    sides.warn_of_files();
    let wanted = arguments.nodes.as_deref();
    let before = fleet::nodes(&sides.before, wanted, facts.as_deref());
    let after = fleet::nodes(&sides.after, wanted, facts.as_deref());
    let (before, after) = match (before, after) {
        // A node may be new, or gone.
        (Err(_), Ok(after)) => (Vec::new(), after),
        (Ok(before), Err(_)) => (before, Vec::new()),
        (before, after) => (before?, after?),
    };
    let (before, after) = aligned(&sides, before, after);
    let any = || {
        let any = |place: &Place| place.world.any_node(&place.environment);
        (any(&sides.before), any(&sides.after))
    };
    let any = (facts.is_none() && wanted.is_none()).then(any);
    let before = fleet::fleet_of(&sides.before, before, Decryption::Off);
    let after = fleet::fleet_of(&sides.after, after, Decryption::Off);
    let pair = FleetPair::new(before, after, any);
    Ok(differences(&pair, &keys, sides.root, sides.prefix))
}

fn differences(pair: &FleetPair, keys: &[Arc<str>], root: String, prefix: String) -> Report {
    let asked = pair.concerned(keys);
    let progress = Progress::before_answers(asked.len(), "keys");
    let found = pair.differences(&asked, &CancelToken::default(), || progress.step());
    progress.end();
    let found = Differences { keys: keys.len(), ..found.unwrap_or_default() };
    Report { found, root, prefix }
}

fn open(arguments: &DiffArguments) -> Result<Sides, String> {
    let root = absolute(&arguments.place.root)?;
    let repository = Repository::of(&root)?;
    let commit = repository.commit(&arguments.revision)?;
    let prefix = repository.prefix.clone();
    let after = match &arguments.to {
        Some(revision) => {
            let disk = GitDisk::new(Repository::of(&root)?, &repository.commit(revision)?)?;
            warn_of_submodules(&disk, revision);
            arguments.place.open_on(Arc::new(disk))
        }
        None if repository.top.is_none() => {
            return Err(format!(
                "{root} is a bare repository and has no working tree: --to names the revision to compare with"
            ));
        }
        None => arguments.place.open_on(Arc::new(loader::Disk)),
    };
    let disk = GitDisk::new(repository, &commit)?;
    warn_of_submodules(&disk, &arguments.revision);
    let disk = Arc::new(disk);
    let (before, after) = match after {
        Ok(after) => (arguments.place.open_beside(&after, disk)?, after),
        // Perhaps the edit took hiera.yaml away.
        Err(why) if arguments.to.is_none() => {
            let before = arguments.place.open_on(disk).map_err(|_| why)?;
            let after = arguments.place.open_beside(&before, Arc::new(loader::Disk))?;
            (before, after)
        }
        Err(why) => return Err(why),
    };
    let sides = Sides { before, after, root, prefix };
    sides.warn_of_configs(&arguments.revision);
    Ok(sides)
}

fn warn_of_submodules(disk: &GitDisk, revision: &str) {
    for path in disk.submodules() {
        complain(&format!(
            "{}: a submodule; what it holds at {revision} is not in this repository and counts as missing",
            in_a_line(&path)
        ));
    }
}

fn keys(arguments: &DiffArguments, sides: &Sides) -> Vec<Arc<str>> {
    // What is parsed first is shared with the other side.
    let mut keys: BTreeSet<Arc<str>> = sides.after.all_keys();
    keys.extend(sides.before.all_keys());
    if !arguments.keys.is_empty() {
        keys = arguments.keys.iter().map(|key| Arc::from(key.as_str())).collect();
    }
    keys.into_iter().collect()
}

/// The same nodes on both sides, by name. What only one side tells of is known by its name alone on the other.
fn aligned(
    sides: &Sides,
    before: Vec<Arc<Node>>,
    after: Vec<Arc<Node>>,
) -> (Vec<Arc<Node>>, Vec<Arc<Node>>) {
    let names: BTreeSet<Arc<str>> = before.iter().chain(&after).map(|it| it.name.clone()).collect();
    let complete = |place: &Place, nodes: Vec<Arc<Node>>| {
        place.world.nodes_called(&place.environment, nodes, &names)
    };
    (complete(&sides.before, before), complete(&sides.after, after))
}

impl Sides {
    /// Says which hiera.yaml files cannot be loaded: the answers are errors, and these are compared.
    fn warn_of_configs(&self, revision: &str) {
        for (place, side) in [(&self.before, revision), (&self.after, "the other side")] {
            let any = place.world.any_node(&place.environment);
            let evaluator =
                place.world.exact_evaluator(&place.environment, &any, place.world.back_ends());
            if let Some(failure) = evaluator.config_failure() {
                complain(&format!("{side}: {}; its answers are errors", in_a_line(&failure)));
            }
        }
    }

    /// Says which data files hold something else than data.
    fn warn_of_files(&self) {
        let mut warned: BTreeSet<Arc<str>> = BTreeSet::new();
        for place in [&self.after, &self.before] {
            for (path, format) in place.data_files() {
                if let Some(what) = place.world.what_is_no_data(&path, format)
                    && warned.insert(path.as_str().into())
                {
                    let shown = paths::below(&self.root, &path).unwrap_or(&path);
                    complain(&format!("{}: {what}", in_a_line(shown)));
                }
            }
        }
    }
}
