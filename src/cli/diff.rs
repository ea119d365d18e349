//! `hiera-ls diff`: which nodes get another value for which keys, between a revision and the working tree, or two revisions.

mod arguments;
mod moved;
mod output;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use super::fleet::{self, Selection};
use super::place::Place;
use super::print;
use super::progress::Progress;
use super::shown::{as_seen_from_here, in_a_line, key_in_a_line};
use super::terminal::complain;
use super::workspace::{self, existing_directory};
use crate::backends::eyaml::Decryption;
use crate::config::Environment;
use crate::data::{Files as _, Format, PathKind};
use crate::engine::{CancelToken, LOOKUP_OPTIONS};
use crate::facts::{Node, NodeParts};
use crate::syntax::key_path;
use crate::world::git::{GitDisk, Other, Repository, WorkingTree};
use crate::world::{
    Differences, DiskReader, FleetPair, NotProved, SideNodes, World, aligned, parallel, paths,
    with_same_files,
};
pub use arguments::DiffArguments;
use arguments::DiffFormat;
use moved::Moves;
use output::{Part, Report};

/// Runs the command.
pub fn run(arguments: &DiffArguments) -> ExitCode {
    match compare(arguments) {
        Ok((report, compared)) => {
            print(&output::render(arguments.format, &report));
            // The process ends, which frees its memory faster than dropping it piece by piece.
            std::mem::forget(compared);
            let has_changed = arguments.exit_code && report.has_changes();
            ExitCode::from(u8::from(has_changed))
        }
        Err(message) => {
            complain(&message);
            ExitCode::from(2)
        }
    }
}

/// Both sides of the comparison of an environment.
struct Sides {
    before: Place,
    after: Place,
}

/// The revisions that are compared.
struct Revisions {
    before: Arc<GitDisk>,
    /// `None` if this side is the working tree.
    after: Option<Arc<GitDisk>>,
    working_tree: Arc<WorkingTree>,
}

/// What was compared, for each environment.
type Compared = Vec<(Sides, FleetPair)>;

/// The changes for users.
pub(super) fn text(arguments: &DiffArguments) -> Result<String, String> {
    let (report, _) = compare(arguments)?;
    Ok(output::render(DiffFormat::Text, &report))
}

fn compare(arguments: &DiffArguments) -> Result<(Report, Compared), String> {
    let facts = arguments.facts.as_deref().map(fleet::fact_sets).transpose()?;
    let root = existing_directory(&arguments.place.root)?;
    let repository = Repository::of(&root)?;
    let (prefix, top) = (repository.prefix.clone(), repository.top.clone());
    let (mut parts, mut compared) = (Vec::new(), Compared::new());
    let (all_sides, revisions) = open(arguments, &root, repository)?;
    let mut no_data = BTreeMap::new();
    let (mut without_nodes, mut no_such_nodes) = (Vec::new(), None);
    let mut moves = Moves::new(facts.as_deref());
    for sides in all_sides {
        sides.warn_of_files(arguments, &mut no_data);
        // Without a file, nothing is compared.
        revisions.check_contents(arguments)?;
        sides.warn_of_configs(arguments);
        let environment = sides.environment_label();
        let mut nodes = match nodes_of(arguments, &sides, facts.as_deref()) {
            // Another environment may have the nodes that the user names.
            Err(why) if arguments.names_nodes() => {
                no_such_nodes.get_or_insert(why);
                Nodes::default()
            }
            nodes => nodes?,
        };
        // Nothing would be compared, because users who name nodes want only these.
        if arguments.names_nodes() && nodes.before.is_empty() && nodes.after.is_empty() {
            without_nodes.push(environment);
            continue;
        }
        moves.take_from(&sides, &mut nodes);
        if nodes.are_all && nodes.before.is_empty() && nodes.after.is_empty() {
            continue;
        }
        let (found, pair) = compare_sides(arguments, &sides, nodes);
        if facts.is_none() && found.has_changes() {
            sides.suggest_name_pattern();
        }
        parts.push(Part::new(environment, found));
        compared.push((sides, pair));
    }
    for (sides, nodes) in moves.sides()? {
        let (found, pair) = compare_sides(arguments, &sides, nodes);
        parts.push(Part::of_moved_nodes(sides.labels(), found));
        compared.push((sides, pair));
    }
    if compared.is_empty() && arguments.names_nodes() {
        return Err(no_such_nodes.unwrap_or_else(|| arguments.why_no_nodes().to_owned()));
    }
    for environment in without_nodes {
        complain(&format!("note: {environment} is not compared: {}", arguments.why_no_nodes()));
    }
    if let Some((sides, _)) = compared.first() {
        sides.complain_of_what_is_not_read();
    }
    revisions.check_contents(arguments)?;
    revisions.warn_of_files();
    let not_compared = revisions.not_compared(&no_data);
    for (part, (sides, _)) in parts.iter_mut().zip(&compared) {
        sides.add_not_compared(&not_compared, (&compared, &root), &mut part.found);
    }
    let mut own_paths = BTreeMap::new();
    let top = top.unwrap_or_else(|| root.clone());
    for (part, (sides, _)) in parts.iter().zip(&compared) {
        sides.add_other_causes(&part.found, &root, &top, &mut own_paths);
    }
    Ok((Report { parts, root, prefix, own_paths }, compared))
}

/// The nodes of an environment that are compared, before and after.
#[derive(Default)]
struct Nodes {
    before: Vec<Arc<Node>>,
    after: Vec<Arc<Node>>,
    /// Whether only these are compared, and not the cases of any other node.
    are_all: bool,
}

/// The nodes that a user wants. A list of nodes is an error if neither side has such a node.
fn nodes_of(
    arguments: &DiffArguments,
    sides: &Sides,
    facts: Option<&[(String, NodeParts)]>,
) -> Result<Nodes, String> {
    let elsewhere = arguments.place.elsewhere_of_each(&sides.after.world);
    let wanted = Selection { names: arguments.nodes.as_deref(), facts, elsewhere };
    let after = fleet::nodes(&sides.after, wanted);
    let before = match &after {
        // Thousands of fact sets take long to build into nodes, so both sides share them if nothing tells them apart.
        Ok(after) if facts.is_some() && sides.have_same_nodes_of_fact_sets() => Ok(after.clone()),
        _ => {
            if facts.is_none() {
                workspace::complain_of_setup(&sides.before.world, &sides.before.environment);
            }
            // The other side says which nodes are left out.
            fleet::nodes_and_others(&sides.before, wanted).map(|(nodes, _)| nodes)
        }
    };
    let (before, after) = match (before, after) {
        // A node may be added or removed.
        (Err(_), Ok(after)) if !after.is_empty() => (Vec::new(), after),
        (Ok(before), Err(_)) if !before.is_empty() => (before, Vec::new()),
        (before, after) => (before?, after?),
    };
    // Users who name nodes want only these. Without a list, the cases of any other node count, too.
    Ok(Nodes { before, after, are_all: arguments.names_nodes() })
}

fn compare_sides(
    arguments: &DiffArguments,
    sides: &Sides,
    nodes: Nodes,
) -> (Differences, FleetPair) {
    let Nodes { before, after, are_all } = nodes;
    let (before, after) = aligned(side(&sides.before, before), side(&sides.after, after));
    let any = || {
        let any = |place: &Place| place.world.any_node(&place.environment);
        (any(&sides.before), any(&sides.after))
    };
    let any = (!are_all).then(any);
    // Encrypted values are compared as they are written, so no secret appears in a report.
    let before = fleet::fleet_of(&sides.before, before, Decryption::Off);
    let after = fleet::fleet_of(&sides.after, after, Decryption::Off);
    let mut pair = FleetPair::new(before, after, any);
    if arguments.format == DiffFormat::Json {
        pair = pair.with_whole_answers();
    }
    let asked = keys(arguments, sides, &pair);
    let mut found = differences(&pair, &asked);
    if arguments.keys.is_empty() {
        found = pair.with_other_keys(found, &CancelToken::default()).unwrap_or_default();
    }
    if found.changes.is_empty() {
        // The summary contains the number of compared keys.
        found.keys = match arguments.keys.len() {
            0 => sides.all_keys_of_files().len(),
            _ => arguments.keys.iter().collect::<BTreeSet<_>>().len(),
        };
    }
    (found, pair)
}

fn side(Place { world, environment }: &Place, nodes: Vec<Arc<Node>>) -> SideNodes<'_> {
    SideNodes { world, environment, nodes }
}

fn differences(pair: &FleetPair, keys: &[Arc<str>]) -> Differences {
    let progress = Progress::before_answers(keys.len(), "keys");
    let found = pair.differences(keys, &CancelToken::default(), || progress.step());
    progress.end();
    found.unwrap_or_default()
}

/// The two commits that Git would compare for `from..to` or `from...to`, as a shell takes them.
fn ends_of_range(revisions: &str) -> Option<(String, &str)> {
    let (from, to) = revisions.split_once("..").filter(|(from, _)| !from.is_empty())?;
    let after_dots = to.strip_prefix('.');
    let to = Some(after_dots.unwrap_or(to)).filter(|it| !it.is_empty()).unwrap_or("HEAD");
    // With three dots, Git compares with the commit at which the histories part.
    let from = match after_dots {
        Some(_) => format!("$(git merge-base {from} {to})"),
        None => from.to_owned(),
    };
    Some((from, to))
}

/// Both sides of each environment, and the revisions that they are read from.
fn open(
    arguments: &DiffArguments,
    root: &str,
    repository: Repository,
) -> Result<(Vec<Sides>, Revisions), String> {
    let commit = repository.commit(&arguments.revision).map_err(|message| {
        // Users of `git diff` may expect to name a file here, and users of `lookup` a key.
        let revision = &arguments.revision;
        if Path::new(revision).exists() {
            format!("{message}; diff compares revisions and keys, not files")
        } else if revision.contains("::") {
            format!("{message}; for a key, write `hiera-ls diff -- {revision}`")
        } else if let Some((from, to)) = ends_of_range(revision) {
            format!("{message}; to compare two commits, write {from} --to {to}")
        } else {
            message
        }
    })?;
    let place = &arguments.place;
    let working_tree = Arc::new(WorkingTree::new(&repository, place.machine(root)?)?);
    let machine: Arc<dyn DiskReader> = working_tree.clone();
    let at = |repository, commit: &str| GitDisk::new(repository, commit, Arc::clone(&machine));
    let mut later = None;
    let after = match &arguments.to {
        Some(revision) => {
            let disk = at(Repository::of(root)?, &repository.commit(revision)?)?;
            warn_of_submodules(&disk, revision);
            let disk = Arc::new(disk);
            later = Some(Arc::clone(&disk));
            place.open_all_on(disk)
        }
        None if repository.top.is_none() => {
            return Err(format!(
                "{root} is a bare repository and has no working tree: --to names the revision to compare with"
            ));
        }
        None => place.open_all_on(Arc::clone(&machine)),
    };
    let disk = at(repository, &commit)?;
    warn_of_submodules(&disk, &arguments.revision);
    let disk = Arc::new(disk);
    let revisions = Revisions { before: Arc::clone(&disk), after: later, working_tree };
    let (before, after) = match after {
        Ok(after) => {
            let (world, before) = place.open_all_beside(&after[0].world, disk)?;
            ((world, before), (Arc::clone(&after[0].world), after))
        }
        // The edit may have removed hiera.yaml.
        Err(why) => {
            let before = place.open_all_on(disk).map_err(|it| with_environments_of(&it, why))?;
            let disk: Arc<dyn DiskReader> = match &revisions.after {
                Some(later) => Arc::clone(later) as _,
                None => machine,
            };
            let after = place.open_all_beside(&before[0].world, disk)?;
            ((Arc::clone(&before[0].world), before), after)
        }
    };
    Ok((by_environment(before, after), revisions))
}

/// The later side's list of environments, with those that only the earlier side has.
fn with_environments_of(earlier: &str, mut why: String) -> String {
    let mut lines = earlier.lines();
    if lines.next() == why.lines().next() {
        let is_listed = |line: &str| why.lines().any(|it| it == line);
        let gone: Vec<&str> = lines.filter(|it| !is_listed(it)).collect();
        why.extend(gone.into_iter().map(|it| format!("\n{it}, before")));
    }
    why
}

/// Both sides of each environment. If one side has no such environment, it has that of the other side, without its files.
fn by_environment(
    (world_before, before): (Arc<World>, Vec<Place>),
    (world_after, after): (Arc<World>, Vec<Place>),
) -> Vec<Sides> {
    let mut environments: BTreeMap<Arc<str>, [Option<Arc<Environment>>; 2]> = BTreeMap::new();
    // A single environment may have been moved.
    let are_single = before.len() == 1 && after.len() == 1;
    if are_single {
        let [from, to] = [&before[0], &after[0]].map(|it| it.environment.directory());
        if from != to {
            // A module counts as an environment only where nothing else does.
            let is_module = |of: &Place, it| of.world.module_of(&of.environment, it).is_some();
            let (is_gone, is_new) = (is_module(&before[0], to), is_module(&after[0], from));
            let [from, to] = [from, to].map(|it| in_a_line(as_seen_from_here(it)));
            let what = match (is_gone, is_new) {
                (true, _) => format!("{from} has no hiera.yaml any more, but its module {to} has"),
                (_, true) => {
                    format!("{to} has a hiera.yaml now, and before, only its module {from} had")
                }
                _ => format!("the environment moved from {from} to {to}"),
            };
            complain(&format!("{what}; its answers are compared all the same"));
        }
    }
    for (side, places) in [before, after].into_iter().enumerate() {
        for place in places {
            let directory: Arc<str> =
                if are_single { "".into() } else { place.environment.directory().into() };
            environments.entry(directory).or_default()[side] = Some(place.environment);
        }
    }
    let sides = environments.into_values().filter_map(|[before, after]| {
        let either = before.clone().or_else(|| after.clone())?;
        let place = |world: &Arc<World>, environment: Option<Arc<Environment>>| Place {
            world: Arc::clone(world),
            environment: environment.unwrap_or_else(|| without_files(world, &either)),
        };
        let (before, after) = (place(&world_before, before), place(&world_after, after));
        let worlds = with_same_files(
            (&before.world, &before.environment),
            (&after.world, &after.environment),
        );
        Some(Sides {
            before: Place { world: worlds.0, ..before },
            after: Place { world: worlds.1, ..after },
        })
    });
    sides.collect()
}

/// The environment of the other side. Where its directory is missing, nothing has data for it, not even modules that are still there.
fn without_files(world: &World, other: &Arc<Environment>) -> Arc<Environment> {
    let is_missing = |root: &str| world.kind(root) == PathKind::Missing;
    if !other.root.as_deref().is_some_and(is_missing) {
        return Arc::clone(other);
    }
    let (root, name) = (other.root.clone(), Arc::clone(&other.name));
    Environment { name, naming: other.naming, root, ..Environment::default() }.into()
}

fn warn_of_submodules(disk: &GitDisk, revision: &str) {
    for path in disk.submodules() {
        complain(&format!(
            "{}: a submodule; what it holds at {revision} is not in this repository, so the files of the working tree count",
            in_a_line(&path)
        ));
    }
}

/// The keys to compare: those whose values may differ.
fn keys(arguments: &DiffArguments, sides: &Sides, pair: &FleetPair) -> Vec<Arc<str>> {
    if !arguments.keys.is_empty() {
        let keys: BTreeSet<Arc<str>> = arguments.keys.iter().map(|it| it.as_str().into()).collect();
        sides.warn_of_keys(&keys);
        return pair.concerned(&keys.into_iter().collect::<Vec<_>>());
    }
    // Keys that no edit can affect need no lookup.
    let keys = pair.affected().unwrap_or_else(|| sides.all_keys_of_files());
    keys.into_iter().collect()
}

impl Revisions {
    /// `Err` if the clone lacks the content of a file that was read.
    fn check_contents(&self, arguments: &DiffArguments) -> Result<(), String> {
        let later = arguments.to.as_deref().unwrap_or_default();
        let after = self.after.as_ref().and_then(|it| it.missing());
        let missing = [
            (self.before.missing(), &*arguments.revision),
            (after, later),
            (self.working_tree.missing(), "the index"),
        ];
        let Some((path, at)) = missing.into_iter().find_map(|(path, at)| Some((path?, at))) else {
            return Ok(());
        };
        let compared = [&*arguments.revision, later].join(" ");
        Err(in_a_line(&format!(
            "{path} at {at} is not in this clone, and nothing is fetched; if the clone is partial, \
             fetch what differs (git diff {})",
            compared.trim_end()
        ))
        .into_owned())
    }

    /// Reports the files that are those of the working tree on both sides.
    fn warn_of_files(&self) {
        let disks = [Some(&self.before), self.after.as_ref()];
        let files: BTreeMap<_, _> =
            disks.into_iter().flatten().flat_map(|it| it.not_as_data()).collect();
        for (path, why) in files {
            complain(&in_a_line(&format!("{}: {why}", as_seen_from_here(&path))));
        }
    }

    /// The paths that may differ and are not compared, with the reasons.
    fn not_compared(&self, no_data: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let other = self.after.as_deref().map_or(Other::WorkingTree, Other::Revision);
        self.before.not_compared(other, no_data)
    }
}

impl Sides {
    /// Adds what is not compared or not read, and may belong to the environment. What is in no environment may belong to each.
    fn add_not_compared(
        &self,
        all: &BTreeMap<String, String>,
        (compared, root): (&Compared, &str),
        found: &mut Differences,
    ) {
        let is_in = |sides: &Self, path: &str| {
            let root = sides.after.environment.root.as_deref();
            root.is_some_and(|it| paths::below(it, path).is_some())
        };
        for (path, why) in all {
            if is_in(self, path) || !compared.iter().any(|(sides, _)| is_in(sides, path)) {
                let shown = paths::below(root, path).unwrap_or(path);
                found.not_proved.insert(format!("{shown}: {why}").into(), NotProved::AnyKey);
            }
        }
        // The files of such a directory are unknown, so cases of nodes and files of globs are missing.
        for place in [&self.before, &self.after] {
            for line in workspace::not_read_in(&place.world, &place.environment) {
                found.not_proved.insert(line.into(), NotProved::AnyKey);
            }
        }
    }

    /// Whether fact sets certainly become the same nodes on both sides. Settings for single nodes may name files.
    fn have_same_nodes_of_fact_sets(&self) -> bool {
        let settings = self.before.world.settings();
        settings == self.after.world.settings()
            && settings.nodes.is_empty()
            && self.before.environment == self.after.environment
    }

    /// What users call the environments of both sides.
    fn labels(&self) -> [Arc<str>; 2] {
        [&self.before, &self.after].map(|it| it.world.environment_label(&it.environment))
    }

    /// What users call the environment. One side may have others with its name.
    fn environment_label(&self) -> Arc<str> {
        let [before, after] = self.labels();
        if *after == *self.after.environment.name { before } else { after }
    }

    /// The top-level keys of either side.
    fn all_keys(&self) -> BTreeSet<Arc<str>> {
        let mut keys = self.after.all_keys();
        keys.extend(self.before.all_keys());
        keys
    }

    /// The same, with those of files that no level leads to. An edit after which every lookup fails also concerns these.
    fn all_keys_of_files(&self) -> BTreeSet<Arc<str>> {
        let mut keys = self.all_keys();
        keys.extend(self.after.keys_of_unread_files());
        keys.extend(self.before.keys_of_unread_files());
        keys
    }

    /// Reports why all lookups fail, as with a hiera.yaml that cannot be loaded: the comparison is between errors.
    fn warn_of_configs(&self, arguments: &DiffArguments) {
        // Equal errors count as no change. The user must learn of it.
        let after = arguments.to.as_deref().unwrap_or("the working tree");
        for (place, side) in [(&self.before, &*arguments.revision), (&self.after, after)] {
            let any = place.world.any_node(&place.environment);
            // Data files that Puppet cannot read are named elsewhere.
            let evaluator = place.world.new_evaluator(&place.environment, &any);
            if let Some(failure) = evaluator.failure_of_all_keys() {
                let lines: Vec<&str> = failure.lines().map(str::trim).collect();
                let failure = in_a_line(&lines.join("; ")).into_owned();
                complain(&format!("{side}: {failure}; its answers are errors"));
            }
        }
    }

    /// Adds the paths in the repository of the causes that are not below `root`, or are read through links, which Git knows only
    /// by these.
    fn add_other_causes(
        &self,
        found: &Differences,
        root: &str,
        top: &str,
        own_paths: &mut BTreeMap<Arc<str>, String>,
    ) {
        let world = &self.after.world;
        let top = world.real_path(top);
        for cause in found.changes.iter().flat_map(|it| &it.causes) {
            if !own_paths.contains_key(&cause.path)
                && let real = world.real_path(&cause.path)
                && (*real != *cause.path || paths::below(root, &cause.path).is_none())
                && let Some(path) = paths::below(&top, &real)
            {
                own_paths.insert(cause.path.clone(), path.to_owned());
            }
        }
    }

    /// Says that the names of the nodes may tell more about them.
    fn suggest_name_pattern(&self) {
        if self.after.world.suggested_name_pattern(&self.after.environment).is_some() {
            complain(
                "the names of the nodes suggest the setting node_name, which would make this report more exact; `hiera-ls nodes` shows it. \
                 Commit it alone: the report of that commit lists the keys that the pattern decides",
            );
        }
    }

    /// Reports what was not read in either snapshot.
    fn complain_of_what_is_not_read(&self) {
        let worlds = [&self.before.world, &self.after.world];
        for line in
            worlds.into_iter().flat_map(|it| workspace::not_read(it)).collect::<BTreeSet<_>>()
        {
            complain(&in_a_line(&line));
        }
    }

    /// Reports keys that are in no data file. They may be misspelled.
    fn warn_of_keys(&self, keys: &BTreeSet<Arc<str>>) {
        let all = self.all_keys_of_files();
        for key in keys {
            let root = key_path::root_of(key);
            if root.as_deref() == Some(LOOKUP_OPTIONS) {
                complain(&format!(
                    "{LOOKUP_OPTIONS}: no lookup finds this key; compare the keys that it has options for"
                ));
            } else if root.is_some_and(|root| !all.contains(&key_path::of_root(&root))) {
                let is_pattern = key.contains(['*', '?']);
                let advice = if is_pattern { "; keys are not patterns" } else { "" };
                complain(&format!(
                    "{}: no data file has this key, before or after{advice}",
                    key_in_a_line(key)
                ));
            }
        }
    }

    /// Reports data files that do not contain data, and adds those of which the data may be elsewhere. A file that is not in the
    /// working tree is named with its revision.
    fn warn_of_files(&self, arguments: &DiffArguments, no_data: &mut BTreeMap<String, String>) {
        let files = |place: &Place| -> BTreeSet<(String, Format)> {
            place.data_files().into_iter().collect()
        };
        let (before, after) = (files(&self.before), files(&self.after));
        let all: Vec<&(String, Format)> = before.union(&after).collect();
        self.after.world.read_together(after.iter().map(|(path, _)| &**path));
        // Most files are the same on both sides.
        let revision = Some(arguments.revision.as_str());
        let is_same = |path: &str| self.after.world.has_same_text_in(&self.before.world, path);
        let what = parallel::map(&all, |(path, format)| {
            let now = self.after.world.what_is_no_data(path, *format);
            let earlier = || self.before.world.what_is_no_data(path, *format);
            let earlier = || if is_same(path) { None } else { earlier() };
            let now = now.map(|it| (it, arguments.to.as_deref()));
            now.or_else(|| Some((earlier()?, revision)))
        });
        // Two errors are the same answer, so the report of such an edit could look like that of one without consequences.
        let is_broken = |place: &Place, (path, format): &(String, Format)| {
            place.world.data(path, *format).is_ok_and(|it| it.is_broken())
        };
        let is_broken_twice = |file: &&(String, Format)| {
            !is_same(&file.0) && is_broken(&self.after, file) && is_broken(&self.before, file)
        };
        for (path, _) in all.iter().copied().filter(is_broken_twice) {
            complain(&format!(
                "{}: Puppet cannot read the file before or after; lookups that read it fail on both sides",
                in_a_line(as_seen_from_here(path))
            ));
        }
        for ((path, _), what) in all.into_iter().zip(what) {
            if let Some((what, at)) = what {
                if what.is_not_compared {
                    no_data.insert(path.clone(), what.why.to_owned());
                }
                let at = at.map_or_else(String::new, |it| format!("{it}: "));
                complain(&format!("{at}{}: {}", in_a_line(as_seen_from_here(path)), what.why));
            }
        }
    }
}
