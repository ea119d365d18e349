//! How an edit spreads from key to key. A key that was not edited itself has another answer only for nodes for which a key that
//! its strings look up has another answer. The others need no lookup, and after an edit that changes nothing, no key does.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::difference::{Change, FleetPair};
use crate::data::{Format, may_have_key};
use crate::engine::{LOOKUP_OPTIONS, module_of_key};
use crate::syntax::key_path;
use crate::world::reach::DataPlace;
use crate::world::{FileEntry, parallel};

/// A root key that a string looks up.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reference {
    pub(super) root: Arc<str>,
    /// Whether the string looks up a key inside of its value: `root.key`.
    pub(super) digs: bool,
}

/// Which affected keys look up which others. Some references may be too many, but none is missing.
#[derive(Debug, Default)]
pub(super) struct References {
    of_keys: BTreeMap<Arc<str>, OfKey>,
    /// The keys that are looked up.
    used: BTreeSet<Arc<str>>,
}

#[derive(Debug)]
struct OfKey {
    references: BTreeSet<Reference>,
    /// Each key that it looks up has a smaller rank; `None` if it is part of a loop, or is made of one.
    rank: Option<usize>,
}

/// The nodes for which a key may have another answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Concerned {
    /// Whether it may for each node of the fleet.
    pub(super) nodes: Box<[bool]>,
    /// Whether it may for nodes that are not listed.
    pub(super) others: bool,
}

/// What comparisons found so far, by root key.
#[derive(Default)]
pub(super) struct KnownConcerned {
    by_root: Mutex<HashMap<Arc<str>, Concerned, foldhash::fast::RandomState>>,
    /// Whether the value of a key may be the same although a part of it is not.
    hides_parts: OnceLock<bool>,
}

impl References {
    /// The references of keys that were not edited themselves.
    pub(super) fn new(
        mut of_keys: BTreeMap<Arc<str>, BTreeSet<Reference>>,
        edited: &BTreeSet<Arc<str>>,
    ) -> Self {
        of_keys.retain(|key, _| !edited.contains(key));
        let used = of_keys.values().flatten().map(|it| Arc::clone(&it.root)).collect();
        let mut ranks: BTreeMap<Arc<str>, usize> =
            edited.iter().map(|it| (it.clone(), 0)).collect();
        let mut users: BTreeMap<&str, Vec<&Arc<str>>> = BTreeMap::new();
        for (key, references) in &of_keys {
            for reference in references {
                users.entry(&reference.root).or_default().push(key);
            }
        }
        let mut left: Vec<Arc<str>> = edited.iter().cloned().collect();
        while let Some(root) = left.pop() {
            for user in users.get(&*root).into_iter().flatten() {
                let references = of_keys[*user].iter().map(|it| ranks.get(&it.root));
                let highest =
                    references.collect::<Option<Vec<_>>>().and_then(|it| it.into_iter().max());
                if let Some(highest) = highest.copied().filter(|_| !ranks.contains_key(*user)) {
                    ranks.insert(Arc::clone(user), highest + 1);
                    left.push(Arc::clone(user));
                }
            }
        }
        let of_key = |(key, references): (Arc<str>, _)| {
            let rank = ranks.get(&key).copied();
            (key, OfKey { references, rank })
        };
        Self { of_keys: of_keys.into_iter().map(of_key).collect(), used }
    }
}

impl FleetPair {
    /// The keys in groups, by their positions: each key comes after those that it is made of.
    pub(super) fn in_order_of_spread(&self, keys: &[Arc<str>]) -> Vec<Vec<usize>> {
        let rank = |key: &str| match self.references_of(key) {
            Some(of_key) => of_key.rank.unwrap_or(usize::MAX),
            None => 0,
        };
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, key) in keys.iter().enumerate() {
            groups.entry(rank(key)).or_default().push(at);
        }
        groups.into_values().collect()
    }

    /// Whether a key was not edited itself, but strings of its values look up affected keys.
    pub(super) fn is_made_of_others(&self, key: &str) -> bool {
        self.references_of(key).is_some()
    }

    /// The references of a key that was not edited itself.
    fn references_of(&self, key: &str) -> Option<&OfKey> {
        self.affected_keys()?.references.of_keys.get(&key_path::root_of(key)?)
    }

    /// The nodes for which a key that `root` is made of may have another answer. `None` if that is not known, or if `root` was
    /// edited itself.
    pub(super) fn concerned_by_spread(&self, root: &str) -> Option<Concerned> {
        let of_key = self.affected_keys()?.references.of_keys.get(root)?;
        // In a loop, it would depend on the order of the comparisons what is known.
        of_key.rank?;
        let mut all = Concerned::none(self.after().nodes().len());
        for Reference { root, digs } in &of_key.references {
            if *digs && self.hides_parts(root) {
                return None;
            }
            let known = self.concerned.by_root.lock().unwrap_or_else(PoisonError::into_inner);
            all.add(known.get(root)?);
        }
        Some(all)
    }

    /// The root key that `key` looks up as a whole, if comparisons of other keys need to know for which nodes its answer may
    /// have changed.
    pub(super) fn spreading_root(&self, key: &str) -> Option<Arc<str>> {
        let references = &self.affected_keys()?.references;
        let path = key_path::parse(key).ok().filter(|it| it.rest.is_empty())?;
        path.root_name().filter(|root| references.used.contains(*root)).cloned()
    }

    /// Notes for which nodes the answer to `root` may have changed: those of the changes, and the `unsettled` ones, whose
    /// answers do not tell everything.
    pub(super) fn note_concerned(&self, root: Arc<str>, unsettled: Concerned, changes: &[Change]) {
        let mut concerned = unsettled;
        concerned.add_changes(changes);
        let mut known = self.concerned.by_root.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(root, concerned);
    }

    /// Whether `root` may have the same value as before, although something inside of it changed: only that is then converted,
    /// or missing so that the default hierarchy of a module is searched for it.
    fn hides_parts(&self, root: &str) -> bool {
        let (world, environment) = (self.after().world(), self.after().environment());
        let is_default =
            |place: &DataPlace| place.is_default && place.module.as_deref() == module_of_key(root);
        world.reach(environment).places.iter().any(is_default)
            || *self.concerned.hides_parts.get_or_init(|| {
                let files = world.data_files(environment);
                let converts = parallel::map(&files[..], |(path, format)| {
                    world.file(path).map_or(true, |file| may_convert(&file, *format))
                });
                converts.contains(&true)
            })
    }
}

/// Whether the lookup_options of a file may convert values.
fn may_convert(file: &FileEntry, format: Format) -> bool {
    if !may_have_key(file.text.as_bytes(), format, LOOKUP_OPTIONS) {
        return false;
    }
    let Some(entry) = file.data(format).get(LOOKUP_OPTIONS) else { return false };
    let options = &entry.value.value;
    // A name of an option may be the result of an interpolation.
    options.has_tokens()
        || options.as_hash().is_some_and(|all| {
            let mut each = all.iter().filter_map(|(_, member)| member.value.value.as_hash());
            each.any(|options| options.get("convert_to").is_some())
        })
}

impl Concerned {
    /// No node of a fleet of so many, and no other node.
    pub(super) fn none(nodes: usize) -> Self {
        Self { nodes: vec![false; nodes].into(), others: false }
    }

    pub(super) fn is_none(&self) -> bool {
        !self.others && !self.nodes.contains(&true)
    }

    /// Adds the nodes of changes.
    fn add_changes(&mut self, changes: &[Change]) {
        for change in changes {
            self.add_nodes(&change.nodes);
            self.others |= !change.others.is_empty();
        }
    }

    pub(super) fn add_nodes(&mut self, nodes: &[u32]) {
        for node in nodes {
            self.nodes[*node as usize] = true;
        }
    }

    fn add(&mut self, more: &Self) {
        for (one, other) in self.nodes.iter_mut().zip(&more.nodes) {
            *one |= *other;
        }
        self.others |= more.others;
    }
}
