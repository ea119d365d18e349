//! Finds the edit that changes a node's answer: an edit of an entry that the node reads, lookup_options, a file that
//! breaks, a hierarchy, environment.conf, the node's facts, the settings, or sample data.

mod options;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::difference::{Change, FleetPair, is_same_case};
use super::{Fleet, is_same_with_cases};
use crate::config::glob::is_broken_link;
use crate::data::{DataFile, FileId, Files as _, Format, Located, Member, PathKind, Place, Value};
use crate::engine::cases::pairs::{CasePairs, Lookups};
use crate::engine::footprint::hash_of;
use crate::engine::structure::concerns_all_keys;
use crate::engine::{
    Answer, Condition, Evaluator, Failure, Footprint, Names, ReadEntry, Request, Structure,
    module_of_key,
};
use crate::facts::{Node, Origin};
use crate::settings::PROJECT_FILE;
use crate::syntax::{interpolation, key_path};
use crate::world::World;
use crate::world::modulepath::conf_of;
use crate::world::{parallel, paths};

/// The maximum number of edits that are named for one change.
const MAX_CAUSES: usize = 8;

/// The causes of a change are searched for in as many pairs of cases; if there are more, all edits that the lookups read count.
const MAX_CASES: usize = 8;

/// A line that was edited.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cause {
    /// The file.
    pub path: Arc<str>,
    /// The number of the line, from 1, in the present text; in the earlier text, if the line was removed.
    pub line: u32,
}

/// The edits that change the answer of a key for a node.
pub(super) fn causes(fleets: &FleetPair, node: u32, request: &Request) -> Vec<Cause> {
    match fleets.only_edit_of(request) {
        Some(only) => vec![only.clone()],
        None => traced(fleets, node, request, false).causes,
    }
}

/// The same for each of some nodes. Those whose lookups read the same, perhaps except for their names, share their causes.
pub(super) fn causes_of_each(
    fleets: &FleetPair,
    nodes: &[u32],
    request: &Request,
) -> HashMap<u32, Arc<[Cause]>> {
    if let Some(only) = fleets.only_edit_of(request) {
        let only: Arc<[Cause]> = Arc::new([only.clone()]);
        return nodes.iter().map(|node| (*node, Arc::clone(&only))).collect();
    }
    let is_unedited = |node: &u32| {
        let [before, after] =
            [fleets.before(), fleets.after()].map(|it| &it.nodes()[*node as usize]);
        before.is_same_as(after)
    };
    let can_share = request.plain_key().is_some();
    let (together, alone): (Vec<u32>, Vec<u32>) =
        nodes.iter().partition(|node| can_share && is_unedited(node));
    let mut left: Vec<Vec<u32>> = alone.into_iter().map(|node| vec![node]).collect();
    if !together.is_empty() {
        left.push(together);
    }
    let mut causes = HashMap::new();
    while !left.is_empty() {
        let found = parallel::map(&left, |it| traced(fleets, it[0], request, it.len() > 1));
        let mut others = Vec::new();
        for (mut group, traced) in left.into_iter().zip(found) {
            for (fleet, footprint) in
                [fleets.before(), fleets.after()].into_iter().zip(&traced.read)
            {
                for dependency in footprint.dependencies() {
                    // A single node cannot be split, and its columns may be expensive.
                    if group.len() == 1 {
                        break;
                    }
                    others.extend(fleet.split(&dependency, &mut group));
                }
            }
            let shared: Arc<[Cause]> = traced.causes.into();
            causes.extend(group.into_iter().map(|node| (node, Arc::clone(&shared))));
        }
        left = others;
    }
    causes
}

/// The causes of a change for a node.
struct Traced {
    causes: Vec<Cause>,
    /// What the lookups before and after read.
    read: [Footprint; 2],
}

/// Traces the change for a node. If `is_shared`, what was read does not name the node if its names decide nothing.
fn traced(fleets: &FleetPair, node: u32, request: &Request, is_shared: bool) -> Traced {
    let evaluators = (&*fleets.before().evaluator(node), &*fleets.after().evaluator(node));
    let ask = |leaves_names_open| {
        let request = Request { wants_footprint: true, leaves_names_open, ..request.clone() };
        let answers = [evaluators.0.call(&request), evaluators.1.call(&request)];
        (request, answers)
    };
    let without_names = is_shared.then(|| ask(true));
    let without_names = without_names
        .filter(|(_, answers)| answers.iter().all(|it| Names::of(it.clone()).is_some()));
    let (request, answers) = without_names.unwrap_or_else(|| ask(false));
    let causes = of_answers(fleets, node, &request, (&answers[0], &answers[1]), evaluators);
    Traced { causes, read: answers.map(|it| it.footprint.unwrap_or_default()) }
}

/// The causes of the difference between two answers for a node.
fn of_answers(
    fleets: &FleetPair,
    node: u32,
    request: &Request,
    answers: (&Answer, &Answer),
    evaluators: (&Evaluator, &Evaluator),
) -> Vec<Cause> {
    let node = node as usize;
    let nodes = (&fleets.before().nodes()[node], &fleets.after().nodes()[node]);
    let found = Finder::of(fleets).find(request, &[], answers, evaluators, nodes);
    if found.len() < 2 || answers.0.cases.is_empty() && answers.1.cases.is_empty() {
        return found;
    }
    // Some of these edits may matter only in cases in which the answer stays the same.
    let lookups = Lookups { before: evaluators.0, after: evaluators.1, request };
    let pairs = CasePairs::new(answers.0, answers.1, lookups);
    let pairs = pairs.different(is_same_with_cases, is_same_case);
    let mut of_cases = Vec::new();
    for pair in pairs.iter().take(MAX_CASES) {
        add_causes(&mut of_cases, in_case(fleets, nodes, lookups, &pair.who.conditions));
    }
    if of_cases.is_empty() || pairs.len() > MAX_CASES { found } else { of_cases }
}

/// The edits that change the answer for any node in one case of both answers.
pub(super) fn in_case(
    pair: &FleetPair,
    (before, after): (&Arc<Node>, &Arc<Node>),
    lookups: Lookups<'_>,
    conditions: &[Condition],
) -> Vec<Cause> {
    if let Some(only) = pair.only_edit_of(lookups.request) {
        return vec![only.clone()];
    }
    let request = Request { wants_footprint: true, ..lookups.request.clone() };
    let evaluators = (lookups.before, lookups.after);
    let answers = (
        &evaluators.0.call_assuming(&request, conditions),
        &evaluators.1.call_assuming(&request, conditions),
    );
    let finder = Finder::of(pair);
    finder.find(&request, conditions, answers, evaluators, (before, after))
}

/// Adds causes of other nodes with the same change.
pub(super) fn add_causes(causes: &mut Vec<Cause>, more: impl IntoIterator<Item = Cause>) {
    causes.extend(more);
    causes.sort();
    causes.dedup();
    causes.truncate(MAX_CAUSES);
}

/// The edit of the entry of a root key; `None` if its value is the same.
pub(super) fn edited_entry(
    pair: &FleetPair,
    path: &str,
    format: Format,
    root: &str,
) -> Option<Cause> {
    Finder::of(pair).edited_entry(path, format, root)
}

impl FleetPair {
    /// The part of a change that may come from an edit of its key in a file. `None` if edits elsewhere explain all of it.
    pub fn part_from(&self, change: &Change, path: &str) -> Option<Change> {
        let may_explain = |causes: &[Cause]| {
            let is_known = (1..MAX_CAUSES).contains(&causes.len());
            !is_known || causes.iter().any(|it| *it.path == *path)
        };
        let request = Request::key(Arc::clone(&change.key));
        let fails =
            [&change.before, &change.after].into_iter().any(|it| failures_of(it).next().is_some());
        if fails || self.only_edit_of(&request).is_some() {
            return Some(change.clone());
        }
        // The causes of the change are those of its first node.
        let causes = causes_of_each(self, &change.nodes, &request);
        let is_concerned = |node: &u32| causes.get(node).is_none_or(|causes| may_explain(causes));
        let nodes: Vec<u32> = change.nodes.iter().copied().filter(is_concerned).collect();
        let others = if may_explain(&change.causes) { change.others.clone() } else { Vec::new() };
        let is_empty = nodes.is_empty() && others.is_empty();
        (!is_empty).then(|| Change { nodes, others, ..change.clone() })
    }

    /// The only edit that can change the answer to a request.
    fn only_edit_of(&self, request: &Request) -> Option<&Cause> {
        let [key] = request.names.as_slice() else { return None };
        self.affected_keys()?.origins.as_ref()?.only_edit_of(&key_path::root_of(key)?)
    }
}

struct Finder<'a> {
    pair: &'a FleetPair,
    before: &'a Fleet,
    after: &'a Fleet,
}

impl<'a> Finder<'a> {
    fn of(pair: &'a FleetPair) -> Self {
        Self { pair, before: pair.before(), after: pair.after() }
    }

    fn find(
        &self,
        request: &Request,
        conditions: &[Condition],
        answers: (&Answer, &Answer),
        evaluators: (&Evaluator, &Evaluator),
        nodes: (&Arc<Node>, &Arc<Node>),
    ) -> Vec<Cause> {
        let nothing = Footprint::default();
        let before = answers.0.footprint.as_ref().unwrap_or(&nothing);
        let after = answers.1.footprint.as_ref().unwrap_or(&nothing);
        // What a lookup reads although it fails on the other side matters only if nothing explains that. The same is true of an
        // entry that is still there, and that only the earlier lookup comes to: whatever is in it now, the answer is the same.
        let (read, unreached): (Vec<_>, Vec<_>) = match (fails(answers.0), fails(answers.1)) {
            (true, false) => (before.entries().collect(), after.entries().collect()),
            (false, true) => (after.entries().collect(), before.entries().collect()),
            _ => {
                let now: BTreeSet<_> = after.entries().map(|it| (it.file, it.root)).collect();
                let is_passed = |it: &ReadEntry<'_>| {
                    !now.contains(&(it.file, it.root)) && self.is_on_both_sides(it)
                };
                let (passed, earlier): (Vec<_>, Vec<_>) = before.entries().partition(is_passed);
                (after.entries().chain(earlier).collect(), passed)
            }
        };
        let mut causes = self.edited_entries(&read);
        causes.extend(self.edited_options(before, after));
        let modules = modules_of(request, before, after);
        causes.extend(self.refused_files(answers));
        if causes.is_empty() {
            causes.extend(self.refused_file_of_hierarchy(answers, evaluators, &modules));
        }
        let configs = self.pair.edited_configs.get_or_init(|| self.edited_configs());
        let leads_elsewhere = || {
            let (one, other) = (self.shared_reads(before), self.shared_reads(after));
            let is_elsewhere = match (fails(answers.0), fails(answers.1)) {
                (true, false) => !other.starts_with(&one),
                (false, true) => !one.starts_with(&other),
                _ => one != other,
            };
            is_elsewhere && self.has_other_hierarchy(evaluators, &modules)
        };
        if !configs.is_empty() && (causes.is_empty() || leads_elsewhere()) {
            causes.extend_from_slice(configs);
        }
        if causes.is_empty() {
            causes.extend(self.edited_entries(&unreached));
        }
        if causes.is_empty() {
            causes.extend(self.edited_files_that_fail(answers));
        }
        if causes.is_empty() || self.depends_on_edit_of_node(request, conditions, answers.1, nodes)
        {
            causes.extend(self.edited_facts(nodes));
            causes.extend(self.edited_settings(&nodes.1.name));
        }
        if causes.is_empty() {
            causes.extend(self.edited_samples());
        }
        add_causes(&mut causes, None);
        causes
    }

    /// Whether the node would get another answer if its facts and settings had not been edited.
    fn depends_on_edit_of_node(
        &self,
        request: &Request,
        conditions: &[Condition],
        answer: &Answer,
        (before, after): (&Arc<Node>, &Arc<Node>),
    ) -> bool {
        if before.is_same_as(after) {
            return false;
        }
        let has_moved = before.environment != after.environment;
        let without_edit =
            || self.after.new_evaluator_of(before).call_assuming(request, conditions);
        has_moved || !is_same_case(&without_edit(), answer)
    }

    /// The edits of entries that were read.
    fn edited_entries(&self, read: &[ReadEntry<'_>]) -> Vec<Cause> {
        let mut causes = Vec::new();
        for read in read {
            // Both snapshots use the same numbers for files.
            let path = self.after.world().path(read.file);
            if self.is_unedited(&path) {
                continue;
            }
            let cause = if self.is_accepted_on_one_side(&path, read.format) {
                self.edited_file(&path)
            } else {
                self.edited_entry(&path, read.format, read.root)
            };
            causes.extend(cause);
        }
        causes
    }

    /// The entries that were read and are there on both sides.
    fn shared_reads<'r>(&self, read: &'r Footprint) -> Vec<(FileId, &'r str)> {
        let shared = read.entries().filter(|it| self.is_on_both_sides(it));
        shared.map(|it| (it.file, &**it.root)).collect()
    }

    fn is_on_both_sides(&self, read: &ReadEntry<'_>) -> bool {
        [self.before, self.after].into_iter().all(|fleet| {
            let path = fleet.world().path(read.file);
            let data = fleet.world().data(&path, read.format);
            data.is_ok_and(|it| it.get(read.root).is_some())
        })
    }

    /// The place of an entry that was edited, removed or added.
    fn edited_entry(&self, path: &str, format: Format, root: &str) -> Option<Cause> {
        let entry = |world: &World| -> Option<(Located, Place)> {
            let data: Arc<DataFile> = world.data(path, format).ok()?;
            let entry = data.get(root)?;
            Some((entry.value.clone(), entry.key_place))
        };
        match (entry(self.before.world()), entry(self.after.world())) {
            (Some((before, _)), Some((after, place))) => {
                if read_the_same(&before.value, &after.value) {
                    return None;
                }
                self.cause_of(first_difference(&before, &after).unwrap_or(Differs::Now(place)))
            }
            (None, Some((_, place))) => cause(self.after.world(), place),
            (Some((_, place)), None) => cause(self.before.world(), place),
            (None, None) => None,
        }
    }

    fn cause_of(&self, place: Differs) -> Option<Cause> {
        match place {
            Differs::Now(place) => cause(self.after.world(), place),
            Differs::Earlier(place) => cause(self.before.world(), place),
        }
    }

    /// The formats in which hierarchies read a file, before and after.
    fn formats_of(&self, path: &str) -> [Option<Format>; 2] {
        [self.before, self.after]
            .map(|fleet| fleet.world().reach(fleet.environment()).format_of(path))
    }

    /// Whether lookups fail at a file only before, or only after.
    fn is_accepted_on_one_side(&self, path: &str, format: Format) -> bool {
        let is_accepted = |fleet: &Fleet| match fleet.world().kind(path) {
            PathKind::Missing => !is_broken_link(&**fleet.world(), path),
            PathKind::Directory => false,
            PathKind::File => fleet.world().data(path, format).is_ok_and(|data| {
                // While a file is typed, its other entries count.
                (data.is_broken() && fleet.readings.reads_broken_files)
                    || !concerns_all_keys(&data, false, fleet.world().settings().puppet_version)
            }),
        };
        is_accepted(self.before) != is_accepted(self.after)
    }

    /// The edits of the files at which cases fail, unless these files are as good as before.
    fn refused_files(&self, answers: (&Answer, &Answer)) -> Vec<Cause> {
        let mut causes = Vec::new();
        for (answer, fleet) in [(answers.0, self.before), (answers.1, self.after)] {
            for place in failures_of(answer).filter_map(|it| it.place) {
                let path = fleet.world().path(place.file);
                let [before, after] = self.formats_of(&path);
                let is_refused = before
                    .or(after)
                    .is_none_or(|format| self.is_accepted_on_one_side(&path, format));
                causes.extend(is_refused.then(|| self.edited_file(&path)).flatten());
            }
        }
        causes
    }

    /// The edit of a file in the hierarchies that is accepted on one side only: the one that a case's message names, or the first.
    fn refused_file_of_hierarchy(
        &self,
        answers: (&Answer, &Answer),
        evaluators: (&Evaluator, &Evaluator),
        modules: &BTreeSet<Option<Arc<str>>>,
    ) -> Option<Cause> {
        let mut failures = failures_of(answers.1).chain(failures_of(answers.0)).peekable();
        failures.peek()?;
        let files = [evaluators.1, evaluators.0].into_iter().flat_map(|evaluator| {
            modules.iter().flat_map(|module| evaluator.structure(module.as_deref()).files)
        });
        let edits = files
            .filter(|it| !self.is_unedited(&it.path))
            .filter(|it| self.is_accepted_on_one_side(&it.path, it.format));
        let edits: Vec<Cause> = edits.filter_map(|it| self.edited_file(&it.path)).collect();
        let named = failures
            .find_map(|failure| edits.iter().find(|it| failure.message.contains(&*it.path)));
        named.or(edits.first()).cloned()
    }

    /// Whether one of the hierarchies has other levels now, or its levels lead to the same files in another way.
    fn has_other_hierarchy(
        &self,
        (before, after): (&Evaluator, &Evaluator),
        modules: &BTreeSet<Option<Arc<str>>>,
    ) -> bool {
        let exists = |path: &str| {
            [self.before, self.after].iter().all(|it| it.world().kind(path) != PathKind::Missing)
        };
        let levels = |evaluator: &Evaluator, module: Option<&str>| {
            let Structure { shape, files, .. } = evaluator.structure(module);
            let files = files.into_iter().filter(|it| exists(&it.path));
            (shape, files.map(|it| (it.path, it.position)).collect::<Vec<_>>())
        };
        let mut modules = modules.iter().map(Option::as_deref);
        modules.any(|module| levels(before, module) != levels(after, module))
    }

    /// Where an answer fails, if that file was edited.
    fn edited_files_that_fail(&self, answers: (&Answer, &Answer)) -> Option<Cause> {
        let failing = |answer: &Answer, world: &World| {
            let place = answer.outcome.as_ref().err()?.place?;
            self.edited_file(&world.path(place.file))
        };
        // A file that was mended fails only in the earlier text.
        let now = failing(answers.1, self.after.world());
        now.or_else(|| failing(answers.0, self.before.world()))
    }

    /// The first edited lines of hiera.yaml and environment.conf files, and of the metadata of modules that come or go.
    fn edited_configs(&self) -> Vec<Cause> {
        let mut configs: Vec<String> = Vec::new();
        let [before, after] = [self.before, self.after].map(Fleet::environment);
        for (environment, other) in [(before, after), (after, before)] {
            // Puppet may not see a module, or see it under another name, because of its `metadata.json`.
            let is_other =
                |(name, at): &(&Arc<str>, &Arc<str>)| other.modules.get(*name) != Some(*at);
            let others = environment.modules.iter().filter(is_other);
            configs.extend(others.map(|(_, it)| paths::join(it, "metadata.json")));
            let root = environment.root.iter();
            configs.extend(environment.global_config.iter().map(ToString::to_string));
            configs.extend(root.clone().map(|it| conf_of(it)));
            let roots = root.chain(environment.modules.values());
            configs.extend(roots.map(|it| paths::join(it, "hiera.yaml")));
        }
        configs.sort_unstable();
        configs.dedup();
        configs.iter().filter_map(|path| self.edited_file(path)).collect()
    }

    /// The first edited lines of a node's facts, and of files with the same name beside them, such as the output of a classifier.
    fn edited_facts(&self, nodes: (&Arc<Node>, &Arc<Node>)) -> Vec<Cause> {
        let mut found = Vec::new();
        for (node, fleet) in [(nodes.0, self.before), (nodes.1, self.after)] {
            let Origin::File(path) = &node.origin else { continue };
            // The settings can say all that is known of a node, and are edited for others, too.
            if paths::file_name(path) == PROJECT_FILE {
                continue;
            }
            let stem = path.strip_suffix(paths::extension(path)).unwrap_or(path);
            let directory = paths::parent(path).unwrap_or("/");
            let beside = fleet.world().list(directory);
            let beside = beside.iter().map(|it| paths::child(directory, &it.name));
            let is_edited = |it: String| self.edited_file(&it);
            found.extend(beside.filter(|it| it.starts_with(stem)).filter_map(is_edited));
            found.extend(self.edited_file(path));
        }
        found
    }

    /// The edit of what the settings say of a node; if they say the same of it, their first edited line.
    fn edited_settings(&self, name: &str) -> Option<Cause> {
        let directory = self.after.world().settings().directory.clone();
        let directory = directory.or_else(|| self.before.world().settings().directory.clone())?;
        let path = paths::join(&directory, PROJECT_FILE);
        let first = self.edited_file(&path)?;
        let of_node = |fleet: &Fleet| -> Option<Member> {
            let data = fleet.world().data(&path, Format::Yaml).ok()?;
            let nodes = data.get("nodes")?.value.value.as_hash()?;
            nodes.get_value(&Value::string(name)).cloned()
        };
        let edit = member_edit(of_node(self.before).as_ref(), of_node(self.after).as_ref());
        edit.and_then(|place| self.cause_of(place)).or(Some(first))
    }

    /// The first edited lines of the sample data for back ends that the settings name.
    fn edited_samples(&self) -> Vec<Cause> {
        let mut files = BTreeSet::new();
        for fleet in [self.before, self.after] {
            let samples = fleet.world().back_ends().sample_files();
            files.extend(samples.into_iter().map(|(path, _)| path));
        }
        files.iter().filter_map(|path| self.edited_file(path)).collect()
    }

    /// Whether a file has the same text on both sides.
    fn is_unedited(&self, path: &str) -> bool {
        self.after.world().has_same_text_in(self.before.world(), path)
    }

    /// The first line of a file that differs. It has the same number in both texts.
    fn edited_file(&self, path: &str) -> Option<Cause> {
        if self.is_unedited(path) {
            return None;
        }
        let text = |fleet: &Fleet| fleet.world().text(path).unwrap_or_default();
        let (before, after) = (text(self.before), text(self.after));
        Some(Cause { path: path.into(), line: first_edited_line(&before, &after) })
    }
}

/// Where two values differ.
#[derive(Debug, Clone, Copy)]
enum Differs {
    /// In the later text.
    Now(Place),
    /// In the earlier text, from which something was removed.
    Earlier(Place),
}

/// Whether the answer is an error in every case.
fn fails(answer: &Answer) -> bool {
    answer.cases.is_empty() && answer.outcome.is_err()
}

/// The errors of an answer's cases.
fn failures_of(answer: &Answer) -> impl Iterator<Item = &Failure> {
    answer.each_case().into_iter().filter_map(|(_, case)| case.outcome.as_ref().err())
}

/// The modules whose hierarchies a request leads to. `None` is the environment.
fn modules_of(
    request: &Request,
    before: &Footprint,
    after: &Footprint,
) -> BTreeSet<Option<Arc<str>>> {
    let names = request.names.iter().filter_map(|name| key_path::root_of(name));
    let searched = before.options().chain(after.options()).map(|(root, _)| Arc::clone(root));
    let modules = names.chain(searched).filter_map(|root| module_of_key(&root).map(Arc::from));
    modules.map(Some).chain([None]).collect()
}

/// The number of the first line that differs, from 1. For a removed line, it is the number that the line had.
fn first_edited_line(before: &str, after: &str) -> u32 {
    let same = before.split('\n').zip(after.split('\n')).take_while(|(one, other)| one == other);
    // A line end at the end of the text is followed by no line.
    let last = before.lines().count().max(after.lines().count()).max(1);
    (same.count() + 1).min(last) as u32
}

fn cause(world: &World, place: Place) -> Option<Cause> {
    let path = world.path(place.file);
    let file = world.file(&path).ok()?;
    Some(Cause { line: file.line_index().line_of(place.range.start) + 1, path })
}

/// Whether Puppet reads the same in two values: if their tokens are only written in another way, no answer changes.
fn read_the_same(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::String(one), Value::String(other)) => interpolation::read_the_same(one, other),
        (Value::Array(one), Value::Array(other)) => {
            let mut items = one.iter().zip(other.iter());
            one.len() == other.len()
                && items.all(|(one, other)| read_the_same(&one.value, &other.value))
        }
        (Value::Hash(one), Value::Hash(other)) => {
            let mut members = one.iter().zip(other.iter());
            one.len() == other.len()
                && members.all(|((key, member), (other_key, other))| {
                    read_the_same(key, other_key)
                        && read_the_same(&member.value.value, &other.value.value)
                })
        }
        _ => hash_of(before) == hash_of(after),
    }
}

/// The place of the first difference between two values.
fn first_difference(before: &Located, after: &Located) -> Option<Differs> {
    match (&before.value, &after.value) {
        (Value::Hash(one), Value::Hash(other)) => {
            let changed = other
                .iter()
                .find_map(|(key, member)| member_edit(one.get_value(key), Some(member)));
            let removed = || {
                let mut removed = one.iter().filter(|(key, _)| other.get_value(key).is_none());
                removed.find_map(|(_, member)| member_edit(Some(member), None))
            };
            let moved = || {
                let mut pairs = one.iter().zip(other.iter());
                let moved = pairs.find(|((one, _), (other, _))| hash_of(one) != hash_of(other));
                moved.and_then(|(_, (_, member))| member.key_place.map(Differs::Now))
            };
            changed.or_else(removed).or_else(moved)
        }
        (Value::Array(one), Value::Array(other)) => {
            let is_same = |(a, b): &(&Located, &Located)| read_the_same(&a.value, &b.value);
            let same = one.iter().zip(other.iter()).take_while(is_same).count();
            let ends = one.iter().skip(same).rev().zip(other.iter().skip(same).rev());
            let same_at_end = ends.take_while(is_same).count();
            let edited = |items: &[Located]| (same + same_at_end < items.len()).then_some(same);
            match (edited(one).map(|at| &one[at]), edited(other).map(|at| &other[at])) {
                (Some(before), Some(after)) => {
                    first_difference(before, after).or(after.place.map(Differs::Now))
                }
                (None, Some(added)) => added.place.map(Differs::Now),
                (Some(removed), None) => removed.place.map(Differs::Earlier),
                (None, None) => None,
            }
        }
        _ => after.place.map(Differs::Now),
    }
}

/// The place at which a member of a hash was edited, added or removed.
fn member_edit(before: Option<&Member>, after: Option<&Member>) -> Option<Differs> {
    match (before, after) {
        (Some(one), Some(other)) if read_the_same(&one.value.value, &other.value.value) => None,
        (Some(one), Some(other)) => {
            first_difference(&one.value, &other.value).or_else(|| other.key_place.map(Differs::Now))
        }
        (None, Some(added)) => added.key_place.map(Differs::Now),
        (Some(removed), None) => removed.key_place.map(Differs::Earlier),
        (None, None) => None,
    }
}
