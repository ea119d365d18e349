//! All keys of two snapshots compared at once: which nodes, which keys, and what came of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use memchr::memmem;

use super::difference::{Change, FleetPair};
use crate::config::Environment;
use crate::data::{Files as _, Format};
use crate::engine::{CancelToken, Request};
use crate::facts::Node;
use crate::syntax::key_path;
use crate::world::{World, parallel};

/// Keys that are compared between two looks at whether anyone still waits.
const KEYS_AT_ONCE: usize = 256;

/// With more data files than this, nothing is compared after a keystroke unless the user asks for it.
const MAX_FILES_WHILE_TYPING: usize = 4_000;

/// The most lookups on each side for what is told after a keystroke: some 100 ms.
const MAX_LOOKUPS_WHILE_TYPING: usize = 256;

/// So many nodes with fact sets share a lookup, at the least, in the repositories that were measured.
const NODES_THAT_SHARE: usize = 16;

/// What is compared, and what came of it.
#[derive(Debug, Clone, Default)]
pub struct Differences {
    /// The nodes, by their numbers.
    pub nodes: Vec<Arc<str>>,
    /// How many keys were compared.
    pub keys: usize,
    /// The changes, key by key.
    pub changes: Vec<Change>,
    /// Why not everything is known, and of how many keys.
    pub not_proved: BTreeMap<Arc<str>, usize>,
}

impl FleetPair {
    /// Those of the keys that can have other answers now.
    pub fn concerned(&self, keys: &[Arc<str>]) -> Vec<Arc<str>> {
        let affected = self.affected();
        let may_change = |key: &&Arc<str>| {
            let root = key_path::parse(key).ok().and_then(|path| path.root_name().cloned());
            let is_affected =
                |root: Arc<str>| affected.as_ref().is_none_or(|it| it.contains(&root));
            root.is_none_or(is_affected)
        };
        keys.iter().filter(may_change).cloned().collect()
    }

    /// What is different for these keys; `step` is called after each. `None` if it was cancelled.
    pub fn differences(
        &self,
        keys: &[Arc<str>],
        cancel: &CancelToken,
        step: impl Fn() + Sync,
    ) -> Option<Differences> {
        let mut changes = Vec::new();
        let mut not_proved: BTreeMap<Arc<str>, usize> = BTreeMap::new();
        for part in keys.chunks(KEYS_AT_ONCE) {
            let found = parallel::map(part, |key| {
                let request = Request { cancel: cancel.clone(), ..Request::key(Arc::clone(key)) };
                let found = (!cancel.is_cancelled()).then(|| self.difference_of(&request));
                step();
                found.unwrap_or_default()
            });
            if cancel.is_cancelled() {
                return None;
            }
            for difference in found {
                changes.extend(difference.changes);
                for reason in difference.not_proved {
                    *not_proved.entry(reason).or_default() += 1;
                }
            }
        }
        let nodes = self.after().nodes().iter().map(|node| node.name.clone()).collect();
        Some(Differences { nodes, keys: keys.len(), changes, not_proved })
    }
}

impl FleetPair {
    /// Whether all differences are found while somebody types. A node without a fact set costs a lookup of
    /// its own on both sides; those with fact sets share most of theirs. Finding out which keys are concerned takes a look at
    /// every file.
    pub fn is_quick(&self) -> bool {
        let world = self.after().world();
        if world.data_files(self.after().environment()).len() > MAX_FILES_WHILE_TYPING {
            return false;
        }
        let (complete, partial): (Vec<_>, Vec<_>) =
            self.after().nodes().iter().partition(|node| node.is_complete());
        let lookups = partial.len() + complete.len().div_ceil(NODES_THAT_SHARE) + 1;
        let keys = match self.affected() {
            Some(keys) => keys.len(),
            None => world.key_index(self.after().environment()).keys().len(),
        };
        keys * lookups <= MAX_LOOKUPS_WHILE_TYPING
    }

    /// What is different for all keys, kept until one side is another. `keys_of` names the keys to ask for, given those that can
    /// have other answers, if these are known. `None` if it was cancelled.
    pub fn all_differences(
        &self,
        cancel: &CancelToken,
        keys_of: impl FnOnce(Option<BTreeSet<Arc<str>>>) -> Vec<Arc<str>>,
    ) -> Option<Arc<Differences>> {
        if let Some(known) = self.after().kept_differences(self.before()) {
            return Some(known);
        }
        let keys = keys_of(self.affected());
        let found = Arc::new(self.differences(&keys, cancel, || {})?);
        self.after().keep_differences(self.before(), &found);
        Some(found)
    }
}

impl World {
    /// Why a file is certainly not what it should be.
    pub fn what_is_no_data(&self, path: &str, format: Format) -> Option<&'static str> {
        let text = self.text(path).ok()?;
        if text.starts_with("version https://git-lfs.github.com/spec/") {
            return Some("only a pointer to what Git LFS keeps; its data is not compared");
        }
        let is_mark = |line: &str| line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ");
        // Most files have no marks, which costs less to see than what else is in them.
        let has_marks = ["<<<<<<< ", ">>>>>>> "]
            .iter()
            .any(|mark| memmem::find(text.as_bytes(), mark.as_bytes()).is_some());
        (has_marks && text.lines().any(is_mark) && self.data(path, format).ok()?.is_broken())
            .then_some("has conflicts that are not resolved; lookups that read it fail")
    }

    /// All nodes of an environment as a comparison takes them: as nodes of it, sorted by name.
    pub fn fleet_nodes(&self, environment: &Environment) -> Vec<Arc<Node>> {
        let nodes = self.nodes(environment);
        let here = nodes.iter().map(|node| node.in_environment(&environment.name));
        let mut nodes: Vec<Arc<Node>> = here.collect();
        nodes.sort_by(|one, other| one.name.cmp(&other.name));
        nodes
    }

    /// The nodes of these names, in their order: those that are known, and others of which no more is known than their names.
    pub fn nodes_called(
        &self,
        environment: &Environment,
        known: Vec<Arc<Node>>,
        names: &BTreeSet<Arc<str>>,
    ) -> Vec<Arc<Node>> {
        let mut known: BTreeMap<Arc<str>, Arc<Node>> =
            known.into_iter().map(|node| (node.name.clone(), node)).collect();
        let missing = |name: &Arc<str>| {
            let node = self.node_named(environment, name);
            node.in_environment(&environment.name)
        };
        names.iter().map(|name| known.remove(name).unwrap_or_else(|| missing(name))).collect()
    }
}
