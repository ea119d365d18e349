//! The values of lower levels for the keys of a file. The file's own values hide them or are merged with them.
//!
//! Each different order in which sample nodes read files is checked once. The files after this one do not depend on the
//! text that the user types, so only those files are searched for each key.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::config::Environment;
use crate::data::{DataFile, FileId, Files as _, Format, Located, Place, RootEntry, Value};
use crate::engine::{Evaluator, UsedMerge, module_of_key};
use crate::facts::Node;
use crate::ide::context::{LOOKUP_OPTIONS, lookup_key};
use crate::ide::diagnostics::Related;
use crate::ide::diagnostics::shared::kept_by_name::KeptByName;
use crate::ide::diagnostics::shared::known_keys::KnownKeys;
use crate::syntax::key_path::Segment;
use crate::text::SharedText;
use crate::world::{
    Below, FileAbove, KeyIndex, OrderAround, ReadOrders, ReadSource, Sources, World,
};

/// The levels below one file.
pub(crate) struct LowerLevels<'a> {
    world: &'a Arc<World>,
    environment: &'a Arc<Environment>,
    index: Arc<KeyIndex>,
    orders: Arc<ReadOrders>,
    file: FileAbove<'a>,
    data: &'a DataFile,
    module: Option<&'a str>,
    shared: Arc<SharedLower>,
    /// By the module of the key.
    opened: RefCell<HashMap<Option<Box<str>>, Rc<Opened>>>,
}

/// The orders around the file for keys of one module.
struct Opened {
    below: Arc<Below>,
    evaluators: Vec<Rc<LazyEvaluator>>,
    files: Arc<LowerFiles>,
    /// Whether the options of a key are the same for all files with these orders.
    shares_options: bool,
}

/// What is kept for the files of one snapshot. Thousands of node files have the same sources after them.
#[derive(Default)]
struct SharedLower {
    /// By the addresses of the lists in [`LowerFiles::orders`].
    files: Mutex<HashMap<Addresses, Arc<LowerFiles>, foldhash::fast::RandomState>>,
    /// How many orders, and keys in each of them, all of them keep.
    keys: Arc<AtomicUsize>,
}

type Addresses = Vec<[usize; 2]>;

/// The maximum number of orders, and of keys in each of them, that are kept. Then all are dropped.
const MAX_KEYS: usize = 65_536;

/// The sources around files that have the same ones, with the lower files prepared for lookups.
struct LowerFiles {
    /// Before and after the file, for each order.
    orders: Vec<[Sources; 2]>,
    /// With their paths, each once, in the order of their numbers.
    files: Vec<(FileId, Arc<str>, Arc<DataFile>)>,
    /// Whether no source gives options to some nodes only.
    has_same_options: bool,
    keys: KeptByName<Arc<LowerKey>>,
    /// [`SharedLower::keys`]
    all_keys: Arc<AtomicUsize>,
}

/// A root key in lower files.
struct LowerKey {
    /// Whether any of them has it.
    is_there: bool,
    /// For each order.
    orders: Vec<LowerKeyOfOrder>,
}

struct LowerKeyOfOrder {
    values: Arc<[LowerValue]>,
    /// The number of sources before the first of the values.
    first: usize,
    is_first_uncertain: OnceLock<bool>,
    merge: OnceLock<UsedMerge>,
}

/// A key of the file, and its values in lower levels.
pub(crate) struct KeyAbove<'a> {
    /// The root key.
    pub(crate) key: &'a str,
    /// Its entry in the file.
    pub(crate) own: &'a RootEntry,
    /// One for each order in which nodes read files.
    pub(crate) orders: Vec<KeyBelow>,
    /// Whether these are the orders of all sample nodes.
    pub(crate) is_whole: bool,
}

/// The values of a key in the files below, for one order of files.
pub(crate) struct KeyBelow {
    /// The highest priority first; perhaps none.
    pub(crate) values: Arc<[LowerValue]>,
    /// Whether a level before the first of the values may also have the key. If there are no values, this is only set for
    /// deep merges.
    pub(crate) is_first_uncertain: bool,
    /// How the values are merged.
    pub(crate) merge: UsedMerge,
    /// Whether a level before the file is certainly read, and may have the key.
    pub(crate) may_be_merged_above: bool,
    evaluator: Rc<LazyEvaluator>,
}

/// An evaluator that most keys do not need.
struct LazyEvaluator {
    world: Arc<World>,
    environment: Arc<Environment>,
    node: Arc<Node>,
    made: OnceCell<Arc<Evaluator>>,
}

impl LazyEvaluator {
    fn get(&self) -> &Arc<Evaluator> {
        self.made.get_or_init(|| self.world.evaluator(&self.environment, &self.node))
    }
}

impl KeyBelow {
    /// The evaluator of one of the nodes with this order.
    pub(crate) fn evaluator(&self) -> &Arc<Evaluator> {
        self.evaluator.get()
    }
}

/// A value of a lower level.
#[derive(Debug, Clone)]
pub(crate) struct LowerValue {
    /// The file.
    pub(crate) path: Arc<str>,
    /// Where the key is written.
    pub(crate) key_place: Place,
    /// The value as written.
    pub(crate) value: Located,
}

impl LowerValue {
    /// Points to the key.
    pub(crate) fn related(&self, message: &str) -> Related {
        let (path, range) = (Some(self.path.clone()), self.key_place.range);
        Related { path, range, message: message.to_owned() }
    }
}

impl<'a> LowerLevels<'a> {
    /// The levels below the file at `path` with these `data`, which are those of `module` if there is one.
    pub(crate) fn new(
        world: &'a Arc<World>,
        environment: &'a Arc<Environment>,
        path: &'a str,
        (data, module): (&'a DataFile, Option<&'a str>),
    ) -> Self {
        let orders = world.read_orders(environment);
        let index = world.key_index(environment);
        let file = FileAbove::new(world, environment, path, module);
        let shared = world.of_snapshot(environment);
        let opened = RefCell::default();
        Self { world, environment, index, orders, file, data, module, shared, opened }
    }

    /// The values of lower levels for `key`; `None` if no lower level has it and lookup options do not matter either.
    /// `known` has all keys of the environment.
    pub(crate) fn of_key<'k>(
        &self,
        known: &KnownKeys<'_>,
        key: &'k str,
        own: &'k RootEntry,
    ) -> Option<KeyAbove<'k>> {
        let opened = self.opened(self.module.or_else(|| module_of_key(key)));
        let lower = opened.files.key(key);
        // If no lower level has the key, only `knockout-no-effect` has something to check, and it needs a list or a hash
        // with options. A key without options is not merged, and options need not be looked up for each node.
        let may_be_merged =
            lower.is_there || matches!(own.value.value, Value::Array(_) | Value::Hash(_));
        let has_options = may_be_merged && known.may_have_options(key);
        if !lower.is_there && !has_options {
            return None;
        }
        // If no level has the key, all orders have the same result.
        let count = if lower.is_there { lower.orders.len() } else { 1 };
        let orders = (0..lower.orders.len().min(count))
            .map(|at| self.order(&opened, at, (key, has_options), &lower.orders[at]));
        Some(KeyAbove { key, own, orders: orders.collect(), is_whole: opened.below.is_whole })
    }

    /// Whether another key of the same module is merged.
    pub(crate) fn merges_siblings(
        &self,
        known: &KnownKeys<'_>,
        key: &str,
        evaluator: &Evaluator,
    ) -> bool {
        let module = module_of_key(key).map_or(String::new(), |module| format!("{module}::"));
        let siblings = self.index.keys_in(&module).into_iter();
        let mut siblings =
            siblings.filter(|other| **other != *key && module_of_key(other) == module_of_key(key));
        // If related keys are merged, this one was probably forgotten.
        siblings.any(|other| {
            known.may_have_options(&other) && !evaluator.merge_for(&other).is_first_found()
        })
    }

    /// The `lookup_options` of lower levels that keys of `module` see.
    pub(crate) fn options(&self, module: Option<&str>) -> Vec<LowerValue> {
        let opened = self.opened(self.module.or(module));
        let mut values: Vec<LowerValue> = Vec::new();
        let files = &opened.files.files;
        for order in &opened.below.orders {
            for (file, _) in files_of(&order.after) {
                let Ok(at) = files.binary_search_by_key(&file, |(file, ..)| *file) else {
                    continue;
                };
                let (_, path, data) = &files[at];
                let Some(entry) = data.get(LOOKUP_OPTIONS) else { continue };
                let (key_place, value) = (entry.key_place, entry.value.clone());
                if !values.iter().any(|it| it.path == *path) {
                    values.push(LowerValue { path: path.clone(), key_place, value });
                }
            }
        }
        values
    }

    /// The text that holds a value of a lower level, if it is of this format.
    pub(crate) fn text_of(&self, lower: &LowerValue, format: Format) -> Option<SharedText> {
        let opened = self.opened.borrow();
        let mut files = opened.values().flat_map(|opened| &opened.files.files);
        let (.., data) = files.find(|(_, path, _)| *path == lower.path)?;
        (data.format() == format).then(|| data.text().clone())
    }

    fn order(
        &self,
        opened: &Opened,
        at: usize,
        (key, has_options): (&str, bool),
        lower: &LowerKeyOfOrder,
    ) -> KeyBelow {
        let evaluator = opened.evaluators[at].clone();
        let merge_for = || evaluator.get().merge_for(key);
        let merge = if !has_options {
            UsedMerge::of_options(None)
        } else if opened.shares_options {
            lower.merge.get_or_init(merge_for).clone()
        } else {
            merge_for()
        };
        let values = lower.values.clone();
        // It takes time to search all files. If no level has a value, only deep merges need it.
        let matters = !values.is_empty() || merge.is_deep();
        let may_have_key = |source: &ReadSource| match source {
            ReadSource::File(..) => false,
            // A path with open variables leads to one of these files.
            ReadSource::OneOf(files) => self.index.is_held_by(key, files),
            ReadSource::Unknown => true,
        };
        let before = &opened.below.orders[at].after[..lower.first];
        let is_first_uncertain =
            matters && *lower.is_first_uncertain.get_or_init(|| before.iter().any(may_have_key));
        let is_file = |source: &ReadSource| matches!(source, ReadSource::File(..));
        let may_be_merged_above = opened.below.orders[at].before.iter().any(is_file);
        KeyBelow { values, is_first_uncertain, merge, may_be_merged_above, evaluator }
    }

    fn opened(&self, module: Option<&str>) -> Rc<Opened> {
        let module = module.filter(|name| self.environment.modules.contains_key(*name));
        let key = module.map(Box::from);
        if let Some(opened) = self.opened.borrow().get(&key) {
            return opened.clone();
        }
        let opened = Rc::new(self.open(module));
        self.opened.borrow_mut().insert(key, opened.clone());
        opened
    }

    fn open(&self, module: Option<&str>) -> Opened {
        let below = self.orders.below(&self.file, module);
        let files = self.shared.of(self, &below);
        let evaluator = |order: &OrderAround| {
            let (world, environment) = (self.world.clone(), self.environment.clone());
            let node = order.node.clone();
            Rc::new(LazyEvaluator { world, environment, node, made: OnceCell::new() })
        };
        let evaluators = below.orders.iter().map(evaluator).collect();
        // Levels outside of a module come before its files, and are in none of these orders.
        let shares_options = files.has_same_options
            && self.module.is_none()
            && !self.data.is_broken()
            && self.data.get(LOOKUP_OPTIONS).is_none();
        Opened { below, evaluators, files, shares_options }
    }
}

impl SharedLower {
    /// The lower files of these orders.
    fn of(&self, levels: &LowerLevels<'_>, below: &Below) -> Arc<LowerFiles> {
        let lock = || self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let address = |sources: &Sources| Arc::as_ptr(sources).addr();
        let addresses = |order: &OrderAround| [address(&order.before), address(&order.after)];
        let addresses: Addresses = below.orders.iter().map(addresses).collect();
        if let Some(known) = lock().get(&addresses) {
            return known.clone();
        }
        // The lock is not held while files are read. The lists are kept, so that no others get their addresses.
        let files = Arc::new(LowerFiles::read(levels, below, self.keys.clone()));
        let mut known = lock();
        if self.keys.load(Ordering::Relaxed) >= MAX_KEYS {
            known.clear();
            self.keys.store(0, Ordering::Relaxed);
        }
        self.keys.fetch_add(files.orders.len(), Ordering::Relaxed);
        known.insert(addresses, files.clone());
        files
    }
}

impl LowerFiles {
    fn read(levels: &LowerLevels<'_>, below: &Below, all_keys: Arc<AtomicUsize>) -> Self {
        let world = levels.world;
        // Each file is read only once, also if it cannot be read.
        let mut named: BTreeMap<FileId, Format> = BTreeMap::new();
        for (file, format) in below.orders.iter().flat_map(|order| files_of(&order.after)) {
            named.entry(file).or_insert(format);
        }
        let read = |(file, format)| {
            let path = world.path(file);
            let data = world.data(&path, format).ok()?;
            Some((file, path, data))
        };
        let files: Vec<_> = named.into_iter().filter_map(read).collect();
        let orders: Vec<_> =
            below.orders.iter().map(|it| [it.before.clone(), it.after.clone()]).collect();
        let has_same_options = have_same_options(levels, &orders, &files);
        Self { orders, files, has_same_options, keys: KeptByName::default(), all_keys }
    }

    fn key(&self, key: &str) -> Arc<LowerKey> {
        self.keys.get_or(key, || {
            self.all_keys.fetch_add(self.orders.len(), Ordering::Relaxed);
            Arc::new(self.find(key))
        })
    }

    fn find(&self, key: &str) -> LowerKey {
        let find = |(file, path, data): &(FileId, Arc<str>, Arc<DataFile>)| {
            let entry = data.get(key)?;
            let (key_place, value) = (entry.key_place, entry.value.clone());
            Some((*file, LowerValue { path: path.clone(), key_place, value }))
        };
        // In the order of their numbers, as the files are.
        let found: Vec<(FileId, LowerValue)> = self.files.iter().filter_map(find).collect();
        let value_of = |source: &ReadSource| match source {
            ReadSource::File(file, _) => {
                let at = found.binary_search_by_key(file, |(file, _)| *file).ok()?;
                Some(&found[at].1)
            }
            _ => None,
        };
        let of_order = |[_, after]: &[Sources; 2]| {
            let first = after.iter().position(|it| value_of(it).is_some()).unwrap_or(after.len());
            let values = after[first..].iter().filter_map(value_of).cloned().collect();
            let (is_first_uncertain, merge) = (OnceLock::new(), OnceLock::new());
            LowerKeyOfOrder { values, first, is_first_uncertain, merge }
        };
        LowerKey { is_there: !found.is_empty(), orders: self.orders.iter().map(of_order).collect() }
    }
}

/// Whether the options of each key are the same for all files with these orders, as long as the files themselves have none. All
/// options must be in files that nodes certainly read after them, and the same for all nodes.
fn have_same_options(
    levels: &LowerLevels<'_>,
    orders: &[[Sources; 2]],
    files: &[(FileId, Arc<str>, Arc<DataFile>)],
) -> bool {
    let may_have_some = |source: &ReadSource, is_after: bool| match source {
        ReadSource::File(file, _) => {
            let known = files.binary_search_by_key(file, |(file, ..)| *file);
            let data = known.ok().filter(|_| is_after).map(|at| &files[at].2);
            // What is before the file, or cannot be read, is not searched here.
            data.is_none_or(|data| {
                let options = data.get(LOOKUP_OPTIONS);
                data.is_broken() || options.is_some_and(RootEntry::has_tokens)
            })
        }
        ReadSource::OneOf(files) => levels.index.is_held_by(LOOKUP_OPTIONS, files),
        ReadSource::Unknown => true,
    };
    !levels.index.may_have_other_keys()
        && orders.iter().all(|[before, after]| {
            !before.iter().any(|it| may_have_some(it, false))
                && !after.iter().any(|it| may_have_some(it, true))
        })
}

fn files_of(sources: &[ReadSource]) -> impl Iterator<Item = (FileId, Format)> {
    sources.iter().filter_map(|source| match source {
        ReadSource::File(file, format) => Some((*file, *format)),
        _ => None,
    })
}

impl KeyAbove<'_> {
    /// The root key as a lookup names it.
    pub(crate) fn looked_up(&self) -> String {
        let segment = Segment::Name(self.key.into());
        lookup_key(std::iter::once(&segment)).unwrap_or_else(|| self.key.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn options_of_a_file_itself_do_not_count_for_others() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: ['nodes/%{trusted.certname}.yaml', c.yaml]}]
#- /data/nodes/a.yaml
kk: ~
#- /data/nodes/b.yaml
lookup_options: {kk: {merge: first}}
kk: ~
#   ^ hint[null-hides-value]
#- /data/nodes/c.yaml
kk: ~
#- /data/c.yaml
lookup_options: {kk: {merge: deep}}
kk: {a: 1, b: 2, c: 3}
",
        );
    }

    #[test]
    fn options_that_a_node_reads_by_its_name_do_not_count_for_others() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy:
- {name: n, path: 'nodes/%{trusted.certname}.yaml'}
- {name: o, path: 'options/%{trusted.certname}.yaml'}
- {name: c, path: c.yaml}
#- /data/nodes/a.yaml
kk: ~
#- /data/nodes/b.yaml
kk: ~
#   ^ hint[null-hides-value]
#- /data/options/b.yaml
lookup_options: {kk: {merge: first}}
#- /data/c.yaml
lookup_options: {kk: {merge: deep}}
kk: {a: 1, b: 2, c: 3}
",
        );
    }

    #[test]
    fn options_with_variables_differ_by_node() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: ['nodes/%{trusted.certname}.yaml', c.yaml]}]
#- /data/nodes/deep.yaml
kk: ~
#- /data/nodes/first.yaml
kk: ~
#   ^ hint[null-hides-value]
#- /data/c.yaml
lookup_options: {kk: {merge: '%{trusted.certname}'}}
kk: {a: 1, b: 2, c: 3}
",
        );
    }
}
