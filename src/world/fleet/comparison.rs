//! Compares all keys of two snapshots: the nodes, the keys and the result.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::difference::{Change, Difference, FleetPair};
use crate::config::Environment;
use crate::data::{Files as _, Format, RootEntry};
use crate::engine::cases::in_a_list;
use crate::engine::request::KEY_OF_NO_FILE;
use crate::engine::{CancelToken, Request, UsedMerge};
use crate::facts::{Node, Origin};
use crate::limits::MAX_SPREAD_LOOKUPS;
use crate::syntax::key_path;
use crate::world::left_by_git::LeftByGit;
use crate::world::{World, parallel};

/// The number of keys that are compared before the cancellation is checked again.
const KEYS_AT_ONCE: usize = 256;

/// With more data files than this, nothing is compared after a keystroke unless the user requests it.
const MAX_FILES_WHILE_TYPING: usize = 4_000;

/// The maximum number of lookups on each side after a keystroke. They take about 100 ms.
const MAX_LOOKUPS_WHILE_TYPING: usize = 256;

/// At least this many nodes with fact sets share a lookup in the repositories that were measured.
const NODES_THAT_SHARE: usize = 16;

/// Why keys were left out that look up an edited key.
const TOO_MANY_LOOKUPS: &str = "they look up other keys, and many nodes have no fact set; \
                                `hiera-ls diff` compares them, too";

/// Why lookups by modules may change in other ways.
const DEPENDS_ON_CALLER: &str = "data depends on which code looks it up (module_name), and only lookups outside of modules are compared";

/// A comparison and its result.
#[derive(Debug, Clone, Default)]
pub struct Differences {
    /// The nodes, by their numbers.
    pub nodes: Vec<Arc<str>>,
    /// How many keys were compared.
    pub keys: usize,
    /// Whether these are all keys that can change, and not those of a question.
    pub are_all_keys: bool,
    /// The changes, key by key.
    pub changes: Vec<Change>,
    /// The changes of any key that no data file has, if all keys were compared.
    pub other_keys: Vec<Change>,
    /// The reasons why something is not known, each with the keys that it concerns.
    pub not_proved: BTreeMap<Arc<str>, NotProved>,
}

/// The keys of which it is not known whether their answers change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotProved {
    /// These, in order.
    Keys(Vec<Arc<str>>),
    /// Keys that no data file has.
    KeysOfNoFile,
    /// It can concern any key.
    AnyKey,
}

/// A file that does not contain what it should.
#[derive(Debug, Clone, Copy)]
pub struct NoData {
    /// What it contains.
    pub why: &'static str,
    /// Whether its data is elsewhere, and is therefore not compared.
    pub is_not_compared: bool,
}

impl Differences {
    /// Whether an answer changes.
    pub fn has_changes(&self) -> bool {
        !(self.changes.is_empty() && self.other_keys.is_empty())
    }
}

impl FleetPair {
    /// Those of the keys that can have other answers now.
    pub fn concerned(&self, keys: &[Arc<str>]) -> Vec<Arc<str>> {
        let affected = self.affected_keys();
        let may_change = |key: &&Arc<str>| {
            let root = key_path::root_of(key);
            let is_affected =
                |root: Arc<str>| affected.is_none_or(|it| it.files_of(&root).is_some());
            // A key that cannot be parsed fails on both sides, which the comparison finds out.
            root.is_none_or(is_affected)
        };
        keys.iter().filter(may_change).cloned().collect()
    }

    /// The differences for these keys, which may be some of many; `step` is called after each. `None` if it was cancelled.
    pub fn differences(
        &self,
        keys: &[Arc<str>],
        cancel: &CancelToken,
        step: impl Fn() + Sync,
    ) -> Option<Differences> {
        self.differences_within(keys, cancel, step, None)
    }

    /// [`Self::differences`], perhaps with at most so many lookups for keys that were not edited themselves, for nodes without fact
    /// sets. The first key that needs more of them is left out, and all such keys after it.
    pub(super) fn differences_within(
        &self,
        keys: &[Arc<str>],
        cancel: &CancelToken,
        step: impl Fn() + Sync,
        most_lookups: Option<usize>,
    ) -> Option<Differences> {
        let mut found: Vec<Difference> = keys.iter().map(|_| Difference::default()).collect();
        let mut left = most_lookups;
        let mut fits = |key: &Arc<str>| {
            if most_lookups.is_none() || !self.is_made_of_others(key) {
                return true;
            }
            let lookups = || self.count_partial(&self.who_may_change(key).0);
            left = left.and_then(|left| left.checked_sub(lookups()));
            left.is_some()
        };
        let mut left_out: Vec<Arc<str>> = Vec::new();
        for group in self.in_order_of_spread(keys) {
            for part in group.chunks(KEYS_AT_ONCE) {
                let (compared, others): (Vec<usize>, Vec<usize>) =
                    part.iter().copied().partition(|at| fits(&keys[*at]));
                left_out.extend(others.into_iter().map(|at| Arc::clone(&keys[at])));
                let differences = parallel::map(&compared, |at| {
                    let key = Arc::clone(&keys[*at]);
                    let request = Request { cancel: cancel.clone(), ..Request::key(key) };
                    let found = (!cancel.is_cancelled()).then(|| self.difference_of(&request));
                    step();
                    found.unwrap_or_default()
                });
                // Some of the keys were not compared, so the list would look complete but is not.
                if cancel.is_cancelled() {
                    return None;
                }
                for (at, difference) in compared.iter().zip(differences) {
                    found[*at] = difference;
                }
            }
        }
        let mut changes = Vec::new();
        let mut unknown: BTreeMap<Arc<str>, Vec<Arc<str>>> = BTreeMap::new();
        for (key, difference) in keys.iter().zip(found) {
            for reason in difference.not_proved() {
                unknown.entry(reason.into()).or_default().push(Arc::clone(key));
            }
            changes.extend(difference.changes);
        }
        let compared = keys.len() - left_out.len();
        if !left_out.is_empty() {
            left_out.sort();
            unknown.insert(TOO_MANY_LOOKUPS.into(), left_out);
        }
        let of_keys = |(reason, keys)| (reason, NotProved::Keys(keys));
        let mut not_proved: BTreeMap<Arc<str>, NotProved> =
            unknown.into_iter().map(of_keys).collect();
        let is_edited = self.affected_keys().is_none_or(|it| !it.edited.is_empty());
        let reads_caller =
            || [self.before(), self.after()].iter().any(|it| it.world().reads_caller());
        if is_edited && reads_caller() {
            not_proved.insert(DEPENDS_ON_CALLER.into(), NotProved::AnyKey);
        }
        if is_edited && let Some(reason) = self.what_code_decides() {
            not_proved.insert(reason.into(), NotProved::AnyKey);
        }
        let nodes = self.after().nodes().iter().map(|node| node.name.clone()).collect();
        Some(Differences { nodes, keys: compared, changes, not_proved, ..Differences::default() })
    }

    /// That levels of some nodes depend on variables that only code sets, if they do: it is not evaluated.
    fn what_code_decides(&self) -> Option<String> {
        let variables = [self.before(), self.after()].map(|it| it.level_variables_of_code());
        let all: BTreeSet<Arc<str>> = variables.into_iter().flatten().collect();
        let names: Vec<&str> = all.iter().map(|it| &**it).collect();
        let named = in_a_list(&names);
        (!names.is_empty()).then(|| {
            format!(
                "levels depend on {named}, which code may set, and hiera-ls does not evaluate code"
            )
        })
    }

    /// The differences for all keys of data files, with those for keys that no file has, such as class parameters with defaults:
    /// one key represents them all. They only change if the edit can concern every key. `None` if it was cancelled.
    pub fn with_other_keys(&self, found: Differences, cancel: &CancelToken) -> Option<Differences> {
        let mut found = Differences { are_all_keys: true, ..found };
        if self.affected_keys().is_none() {
            let request = Request { cancel: cancel.clone(), ..Request::key(KEY_OF_NO_FILE) };
            let others = self.difference_of(&request);
            for reason in others.not_proved() {
                found.not_proved.entry(reason.into()).or_insert(NotProved::KeysOfNoFile);
            }
            found.other_keys = others.changes;
        }
        (!cancel.is_cancelled()).then_some(found)
    }

    /// How many of the nodes have no fact set.
    fn count_partial(&self, nodes: &[u32]) -> usize {
        let all = self.after().nodes();
        nodes.iter().filter(|node| !all[**node as usize].is_complete()).count()
    }
}

impl FleetPair {
    /// Whether all differences can be found while the user types. To find the keys that are concerned, every file is read.
    pub fn is_quick(&self) -> bool {
        let world = self.after().world();
        if world.data_files(self.after().environment()).len() > MAX_FILES_WHILE_TYPING {
            return false;
        }
        let Some(keys) = self.affected() else {
            let keys = world.key_index(self.after().environment()).keys().len();
            return keys * self.most_lookups(&self.after().all_nodes()) <= MAX_LOOKUPS_WHILE_TYPING;
        };
        let mut left = MAX_LOOKUPS_WHILE_TYPING;
        // The first key that needs too many lookups ends the count.
        keys.iter().all(|key| {
            let lookups = self.lookups_for(key);
            let is_enough = lookups <= left;
            left = left.saturating_sub(lookups);
            is_enough
        })
    }

    /// About how many lookups the comparison of a key needs on each side.
    fn lookups_for(&self, key: &Arc<str>) -> usize {
        let (nodes, _) = self.who_may_change(key);
        match (self.narrowed(&Request::key(key.clone())).only_from, key_path::root_of(key)) {
            // What the texts of other values read does not matter, so nodes that find the same files share a lookup.
            (Some(edited), Some(root))
                if !self.have_texts(&edited, &root) && !self.may_merge(&root, &nodes) =>
            {
                self.after().count_different_finds(&root, &nodes) + 1
            }
            _ => self.most_lookups(&nodes),
        }
    }

    /// Whether the value of a root key in one of the files contains something to interpolate, before or after.
    fn have_texts(&self, files: &BTreeSet<Arc<str>>, root: &str) -> bool {
        [self.before(), self.after()].into_iter().any(|fleet| {
            let reach = fleet.world().reach(fleet.environment());
            files.iter().any(|path| {
                let data = reach.format_of(path).map(|format| fleet.world().data(path, format));
                let data = data.and_then(Result::ok);
                data.is_none_or(|it| it.get(root).is_some_and(RootEntry::has_tokens))
            })
        })
    }

    /// Whether the values of a root key are merged, so that all of their texts matter. The first node without a fact set
    /// represents the others.
    fn may_merge(&self, root: &str, nodes: &[u32]) -> bool {
        let all = self.after().nodes();
        let partial = nodes.iter().find(|node| !all[**node as usize].is_complete());
        partial.is_some_and(|node| match self.after().evaluator(*node).options_for(root) {
            Ok(options) => !UsedMerge::of_options(options).is_first_found(),
            Err(_) => true,
        })
    }

    /// How many lookups some nodes need, and any other node. A node without a fact set may need one of its own; nodes with fact sets
    /// share most of theirs.
    fn most_lookups(&self, nodes: &[u32]) -> usize {
        let partial = self.count_partial(nodes);
        partial + (nodes.len() - partial).div_ceil(NODES_THAT_SHARE) + 1
    }

    /// The differences for all keys, kept until one side changes. `keys_of` gets the keys that can have other answers, if they
    /// are known, and returns the keys to compare. Of the keys that look up an edited key, some are left out if they take too
    /// long while the user waits; `not_proved` says so. `None` if it was cancelled.
    pub fn all_differences(
        &self,
        cancel: &CancelToken,
        keys_of: impl FnOnce(Option<BTreeSet<Arc<str>>>) -> Vec<Arc<str>>,
    ) -> Option<Arc<Differences>> {
        if let Some(known) = self.after().kept_differences(self.before()) {
            return Some(known);
        }
        let keys = keys_of(self.affected());
        let found = self.differences_within(&keys, cancel, || {}, Some(MAX_SPREAD_LOOKUPS))?;
        let found = Arc::new(self.with_other_keys(found, cancel)?);
        self.after().keep_differences(self.before(), &found);
        Some(found)
    }
}

impl World {
    /// Why a file certainly does not contain what it should.
    pub fn what_is_no_data(&self, path: &str, format: Format) -> Option<NoData> {
        let (why, is_not_compared) = match self.left_by_git(path, format)? {
            LeftByGit::Pointer => {
                ("only a pointer to what Git LFS keeps; its data is not compared", true)
            }
            LeftByGit::Encrypted => ("encrypted by git-crypt; its data is not compared", true),
            LeftByGit::ConflictMarks => {
                ("has conflicts that are not resolved; lookups that read it fail", false)
            }
        };
        Some(NoData { why, is_not_compared })
    }

    /// All nodes for a comparison: as nodes of the environment, sorted by name.
    pub fn fleet_nodes(&self, environment: &Environment) -> Vec<Arc<Node>> {
        let nodes = self.nodes(environment);
        let here = nodes.iter().map(|node| node.in_environment(environment));
        let mut nodes: Vec<Arc<Node>> = here.collect();
        nodes.sort_by(|one, other| one.name.cmp(&other.name));
        nodes
    }
}

type NodesByName = BTreeMap<Arc<str>, Arc<Node>>;

/// The nodes of one side of a comparison.
pub struct SideNodes<'a> {
    /// The snapshot.
    pub world: &'a World,
    /// The environment of the lookups.
    pub environment: &'a Environment,
    /// The nodes.
    pub nodes: Vec<Arc<Node>>,
}

/// The same nodes on both sides, sorted by name. If one side lacks a node, only the name is known there. A variable that data
/// files of one side are named by has the same text on both: a file that comes or goes changes no fact of its node. A system
/// that a module supports has the facts of the other side: what is known of it does not depend on the list in `metadata.json`.
pub fn aligned(before: SideNodes<'_>, after: SideNodes<'_>) -> (Vec<Arc<Node>>, Vec<Arc<Node>>) {
    let mut pairs = before.nodes.iter().zip(&after.nodes);
    let have_same_number = before.nodes.len() == after.nodes.len();
    if have_same_number && pairs.all(|(one, other)| Arc::ptr_eq(one, other)) {
        return (before.nodes, after.nodes);
    }
    let by_name = |side: &SideNodes<'_>| -> NodesByName {
        side.nodes.iter().map(|node| (Arc::clone(&node.name), Arc::clone(node))).collect()
    };
    let known = (by_name(&before), by_name(&after));
    let mut named_by: BTreeMap<&Arc<str>, BTreeSet<Arc<str>>> = BTreeMap::new();
    for (name, node) in known.0.iter().chain(&known.1) {
        named_by.entry(name).or_default().extend(node.named_by().iter().cloned());
    }
    let complete = |side: SideNodes<'_>, own: &NodesByName, others: &NodesByName| {
        let (mut found, mut missing) = (NodesByName::new(), Vec::new());
        for (name, named_by) in &named_by {
            let is_as_known = |it: &&Arc<Node>| {
                it.origin != Origin::Name || it.named_by().iter().eq(named_by.iter())
            };
            let system = || others.get(*name).filter(|it| it.origin == Origin::Any);
            let known = own.get(*name).map_or_else(system, |it| Some(it).filter(is_as_known));
            match known {
                Some(node) => {
                    found.insert(Arc::clone(name), Arc::clone(node));
                }
                None => missing.push((*name, named_by.iter().cloned().collect())),
            }
        }
        let named = side.world.nodes_named_by(side.environment, &missing);
        found.extend(named.iter().map(|it| (Arc::clone(&it.name), Arc::clone(it))));
        found.into_values().map(|node| node.in_environment(side.environment)).collect()
    };
    (complete(before, &known.0, &known.1), complete(after, &known.1, &known.0))
}
