//! The values of lower levels for the keys of a file. The file's own values hide them or are merged with them.
//!
//! Each different order in which sample nodes read files is checked once. The files after this one do not depend on the
//! text that the user types, so only those files are searched for each key.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use crate::config::Environment;
use crate::data::{DataFile, FileId, Files as _, Format, Located, Place, RootEntry, Value};
use crate::engine::{Evaluator, UsedMerge, module_of_key};
use crate::ide::context::{LOOKUP_OPTIONS, lookup_key};
use crate::ide::diagnostics::Related;
use crate::ide::diagnostics::shared::known_keys::KnownKeys;
use crate::syntax::key_path::Segment;
use crate::text::SharedText;
use crate::world::{Below, FileAbove, FileSet, KeyIndex, LaterSource, ReadOrders, World};

/// The levels below one file.
pub(crate) struct LowerLevels<'a> {
    world: &'a Arc<World>,
    environment: &'a Arc<Environment>,
    index: Arc<KeyIndex>,
    orders: Arc<ReadOrders>,
    file: FileAbove<'a>,
    module: Option<&'a str>,
    /// By the module of the key.
    opened: RefCell<HashMap<Option<Box<str>>, Rc<Opened>>>,
}

/// The files of some orders, prepared for lookups.
struct Opened {
    below: Arc<Below>,
    /// With their paths, each once, in the order of their numbers.
    files: Vec<(FileId, Arc<str>, Arc<DataFile>)>,
    evaluators: Vec<OnceCell<Arc<Evaluator>>>,
}

type Found = HashMap<FileId, LowerValue, foldhash::fast::RandomState>;

/// A key that is looked up in several orders.
struct WantedKey<'k> {
    key: &'k str,
    found: Found,
    /// Whether there may be `lookup_options` for it.
    has_options: bool,
    /// The sets of files that have it; most orders share them.
    held: RefCell<Vec<(Arc<FileSet>, bool)>>,
}

impl WantedKey<'_> {
    fn is_held_by(&self, index: &KeyIndex, files: &Arc<FileSet>) -> bool {
        let mut held = self.held.borrow_mut();
        if let Some((_, is_held)) = held.iter().find(|(known, _)| Arc::ptr_eq(known, files)) {
            return *is_held;
        }
        let is_held = index.is_held_by(self.key, files);
        held.push((files.clone(), is_held));
        is_held
    }
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
    pub(crate) values: Vec<LowerValue>,
    /// Whether a level before the first of the values may also have the key. If there are no values, this is only set for
    /// deep merges.
    pub(crate) is_first_uncertain: bool,
    /// How the values are merged.
    pub(crate) merge: UsedMerge,
    /// The evaluator of one of the nodes with this order.
    pub(crate) evaluator: Arc<Evaluator>,
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
    /// The levels below the file at `path`, which contains data of `module` if there is one.
    pub(crate) fn new(
        world: &'a Arc<World>,
        environment: &'a Arc<Environment>,
        path: &'a str,
        module: Option<&'a str>,
    ) -> Self {
        let orders = world.read_orders(environment);
        let index = world.key_index(environment);
        let file = FileAbove::new(world, environment, path, module);
        Self { world, environment, index, orders, file, module, opened: RefCell::default() }
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
        let find = |(file, path, data): &(FileId, Arc<str>, Arc<DataFile>)| {
            let entry = data.get(key)?;
            let (key_place, value) = (entry.key_place, entry.value.clone());
            Some((*file, LowerValue { path: path.clone(), key_place, value }))
        };
        let found: Found = opened.files.iter().filter_map(find).collect();
        // If no lower level has the key, only `knockout-no-effect` has something to check, and it needs a list or a hash
        // with options.
        let may_have_options = matches!(own.value.value, Value::Array(_) | Value::Hash(_))
            && known.may_have_options(key);
        if found.is_empty() && !may_have_options {
            return None;
        }
        // If no level has the key, all orders have the same result.
        let count = if found.is_empty() { 1 } else { opened.below.orders.len() };
        // A key without options is not merged, and options need not be looked up for each node.
        let has_options = known.may_have_options(key);
        let asked = WantedKey { key, found, has_options, held: RefCell::default() };
        let orders =
            (0..opened.below.orders.len().min(count)).map(|at| self.order(&opened, at, &asked));
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
        for (_, sources) in &opened.below.orders {
            for source in sources {
                let LaterSource::File(file, _) = source else { continue };
                let Ok(at) = opened.files.binary_search_by_key(file, |(file, ..)| *file) else {
                    continue;
                };
                let (_, path, data) = &opened.files[at];
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
        let mut files = opened.values().flat_map(|opened| &opened.files);
        let (.., data) = files.find(|(_, path, _)| *path == lower.path)?;
        (data.format() == format).then(|| data.text().clone())
    }

    fn order(&self, opened: &Opened, at: usize, asked: &WantedKey<'_>) -> KeyBelow {
        let (node, sources) = &opened.below.orders[at];
        let value_of = |source: &LaterSource| match source {
            LaterSource::File(file, _) => asked.found.get(file),
            _ => None,
        };
        let first = sources.iter().position(|it| value_of(it).is_some()).unwrap_or(sources.len());
        let evaluator = opened.evaluators[at]
            .get_or_init(|| self.world.evaluator(self.environment, node))
            .clone();
        let merge = if asked.has_options {
            evaluator.merge_for(asked.key)
        } else {
            UsedMerge::of_options(None)
        };
        let values: Vec<LowerValue> =
            sources[first..].iter().filter_map(value_of).cloned().collect();
        // It takes time to search all files. If no level has a value, only deep merges need it.
        let matters = !values.is_empty() || merge.is_deep();
        let is_first_uncertain = matters
            && sources[..first].iter().any(|source| match source {
                LaterSource::File(..) => false,
                // A path with open variables leads to one of these files.
                LaterSource::OneOf(files) => asked.is_held_by(&self.index, files),
                LaterSource::Unknown => true,
            });
        KeyBelow { values, is_first_uncertain, merge, evaluator }
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
        let world = self.world;
        let below = self.orders.below(&self.file, module);
        // Each file is read only once, also if it cannot be read.
        let mut named: BTreeMap<FileId, Format> = BTreeMap::new();
        for (file, format) in below.orders.iter().flat_map(|(_, sources)| files_of(sources)) {
            named.entry(file).or_insert(format);
        }
        let read = |(file, format)| {
            let path = world.path(file);
            let data = world.data(&path, format).ok()?;
            Some((file, path, data))
        };
        let files = named.into_iter().filter_map(read).collect();
        let evaluators = below.orders.iter().map(|_| OnceCell::new()).collect();
        Opened { below, files, evaluators }
    }
}

fn files_of(sources: &[LaterSource]) -> impl Iterator<Item = (FileId, Format)> {
    sources.iter().filter_map(|source| match source {
        LaterSource::File(file, format) => Some((*file, *format)),
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
