//! Which data files nodes read, in order of priority. This depends on hierarchies, facts and the set of files, but not on the
//! contents of files, so it stays valid while the user types.
//!
//! For a node without a fact set, some variables are open. A path that reads one of them is kept with all files that it can
//! lead to.

mod below;

use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::mem;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::indexes::key_of;
use super::parallel;
use super::shards::Shards;
use super::snapshot::World;
use crate::config::Environment;
use crate::config::hiera_yaml::LayerKind;
use crate::data::{FileId, Files as _, Format};
use crate::engine::footprint::reading_of;
use crate::engine::{Evaluator, LayerView, Location, ResolvedLevel};
use crate::facts::Node;
use crate::syntax::key_path::{self, KeyPath};

use below::BelowFiles;
pub use below::{Below, FileAbove, OrderAround};

/// A set of files.
pub type FileSet = HashSet<FileId, foldhash::fast::RandomState>;

/// The files that the sample nodes of one environment read.
#[derive(Debug, Default)]
pub struct ReadOrders {
    nodes: Vec<NodeOrder>,
    readers: Readers,
    /// What modules add to it, by module and node.
    of_modules: Shards<OnceLock<Sources>>,
    /// What modules add to it for nodes without fact sets, by module.
    of_views: Shards<Mutex<Vec<ViewSources>>>,
    /// The nodes that read files in the layer of a module, by module.
    module_readers: Shards<OnceLock<Readers>>,
    /// The files that open paths can lead to, by the path in its form for users.
    open_paths: Shards<OnceLock<Arc<FileSet>>>,
    /// The files that are read after other files, for the files that were requested most recently.
    below: Mutex<BelowFiles>,
    /// The lists of sources around files, each once.
    around: Mutex<HashSet<Sources, foldhash::fast::RandomState>>,
    /// By the addresses of two lists, these lists and both as one.
    joined: Mutex<HashMap<[usize; 2], [Sources; 3], foldhash::fast::RandomState>>,
}

/// The maximum number of lists in [`ReadOrders::around`], and in [`ReadOrders::joined`].
const MAX_LISTS: usize = 65_536;

/// The nodes that read a file, by index, in order.
type Readers = HashMap<FileId, Vec<u32>, foldhash::fast::RandomState>;

#[derive(Debug)]
struct NodeOrder {
    node: Arc<Node>,
    /// What is read in the layers of the global configuration and the environment.
    asked: Sources,
}

/// A source that a node reads for a key.
#[derive(Debug, Clone)]
pub enum ReadSource {
    /// A file that exists.
    File(FileId, Format),
    /// Possibly one of these files, depending on open variables.
    OneOf(Arc<FileSet>),
    /// A function whose result no file determines.
    Unknown,
}

/// Sources in the order in which they are read.
pub type Sources = Arc<[ReadSource]>;

impl PartialEq for ReadSource {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(a, _), Self::File(b, _)) => a == b,
            (Self::OneOf(a), Self::OneOf(b)) => Arc::ptr_eq(a, b),
            (Self::Unknown, Self::Unknown) => true,
            _ => false,
        }
    }
}

impl Eq for ReadSource {}

impl Hash for ReadSource {
    fn hash<H: Hasher>(&self, state: &mut H) {
        mem::discriminant(self).hash(state);
        match self {
            Self::File(file, _) => file.hash(state),
            Self::OneOf(files) => Arc::as_ptr(files).hash(state),
            Self::Unknown => {}
        }
    }
}

/// What nodes without fact sets read in the layer of a module, if they have the same values for the variables in its hierarchy.
#[derive(Debug)]
struct ViewSources {
    /// The variable expressions, each with its value as a number.
    variables: Vec<(Option<KeyPath>, u64)>,
    asked: Sources,
}

impl ViewSources {
    fn new(evaluator: &Evaluator, module: &str, asked: &Sources) -> Self {
        let read = |expression: &Arc<str>| {
            let path = key_path::parse(expression).ok();
            let value = reading_of(evaluator.node(), path.as_ref());
            (path, value)
        };
        let variables = evaluator.structure(Some(module)).variables;
        Self { variables: variables.iter().map(read).collect(), asked: asked.clone() }
    }

    fn are_those_of(&self, node: &Node) -> bool {
        self.variables.iter().all(|(path, value)| reading_of(node, path.as_ref()) == *value)
    }
}

/// The maximum number of different [`ViewSources`] of a module that are kept. Few hierarchies of modules depend on more than
/// an operating system.
const MAX_VIEWS_OF_A_MODULE: usize = 64;

/// Read orders by environment, valid while hierarchies, nodes and the set of files stay the same.
pub(super) type ReadOrdersCache = Shards<OnceLock<Arc<ReadOrders>>>;

impl ReadOrders {
    /// The list itself, or the one that equals it.
    fn interned(&self, sources: Sources) -> Sources {
        let mut known = self.around.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&sources) {
            return known.clone();
        }
        if known.len() >= MAX_LISTS {
            known.clear();
        }
        known.insert(sources.clone());
        sources
    }

    /// The sources of one list and then those of another one, interned. Equal lists are expected to be the same allocation.
    fn joined(&self, one: &Sources, other: &Sources) -> Sources {
        let address = |list: &Sources| Arc::as_ptr(list).addr();
        let addresses = [address(one), address(other)];
        let lock = || self.joined.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some([.., joined]) = lock().get(&addresses) {
            return joined.clone();
        }
        let joined = self.interned(one.iter().chain(&**other).cloned().collect());
        let mut known = lock();
        if known.len() >= MAX_LISTS {
            known.clear();
        }
        // The lists are kept, so that no others get their addresses.
        known.insert(addresses, [one.clone(), other.clone(), joined.clone()]);
        joined
    }

    /// The nodes that read `file` for keys without a module, in order; at most `most`.
    pub fn readers(&self, file: FileId, most: usize) -> impl Iterator<Item = &Arc<Node>> {
        let readers = self.readers.get(&file).map_or(&[][..], Vec::as_slice);
        readers.iter().take(most).map(|number| &self.nodes[*number as usize].node)
    }

    /// The nodes with fact sets that read `file` for keys of `module`, in order, including default hierarchies. The first
    /// call computes for every node what it reads of the module.
    pub fn complete_readers(
        &self,
        world: &Arc<World>,
        environment: &Arc<Environment>,
        file: FileId,
        module: Option<&str>,
    ) -> Vec<Arc<Node>> {
        let mut numbers = self.readers.get(&file).cloned().unwrap_or_default();
        if let Some(module) = module {
            let slot = self.module_readers.slot(module);
            // Few features need the readers of modules, so they are not computed with the others.
            let readers = slot.get_or_init(|| {
                let mut readers = Readers::default();
                for (number, NodeOrder { node, .. }) in (0..).zip(&self.nodes) {
                    let evaluator = world.structural_evaluator(environment, node);
                    for path in evaluator.module_files(module) {
                        readers.entry(world.id(&path)).or_default().push(number);
                    }
                }
                readers
            });
            numbers.extend(readers.get(&file).into_iter().flatten());
            numbers.sort_unstable();
            numbers.dedup();
        }
        numbers.into_iter().map(|number| self.nodes[number as usize].node.clone()).collect()
    }
}

impl World {
    /// The files that the environment's nodes with fact sets read. The first call expands the hierarchy for each of them.
    pub fn read_orders(self: &Arc<Self>, environment: &Arc<Environment>) -> Arc<ReadOrders> {
        let slot = self.nodes.read_orders.slot(&key_of(environment));
        slot.get_or_init(|| {
            let mut orders = ReadOrders::default();
            let nodes = self.nodes(environment);
            let complete = nodes.iter().filter(|node| node.is_complete());
            let complete: Vec<&Arc<Node>> = complete.collect();
            let maker = OrderMaker { world: self, environment, orders: &orders };
            let asked = parallel::map(&complete, |node| maker.asked(node, None));
            for (number, (node, asked)) in (0..).zip(complete.into_iter().zip(asked)) {
                let mut files: Vec<FileId> = files_of(&asked).collect();
                files.sort_unstable();
                files.dedup();
                orders.nodes.push(NodeOrder { node: node.clone(), asked });
                for file in files {
                    orders.readers.entry(file).or_default().push(number);
                }
            }
            Arc::new(orders)
        })
        .clone()
    }
}

fn files_of(asked: &[ReadSource]) -> impl Iterator<Item = FileId> {
    asked.iter().filter_map(|asked| match asked {
        ReadSource::File(file, _) => Some(*file),
        ReadSource::OneOf(_) | ReadSource::Unknown => None,
    })
}

/// Computes what nodes read, for [`ReadOrders`] that exist or are being built.
struct OrderMaker<'a> {
    world: &'a Arc<World>,
    environment: &'a Arc<Environment>,
    orders: &'a ReadOrders,
}

impl OrderMaker<'_> {
    /// The sources that `node` reads in the layer of `module`, or in the other layers.
    fn asked(&self, node: &Arc<Node>, module: Option<&str>) -> Sources {
        self.asked_by(&self.world.structural_evaluator(self.environment, node), module)
    }

    /// The same for a node with an evaluator.
    fn asked_by(&self, evaluator: &Evaluator, module: Option<&str>) -> Sources {
        let mut asked = Vec::new();
        let layers = evaluator.layers(module);
        // `layers` returns the other layers as well, whose order is the same for all modules and is kept apart.
        let is_wanted = |it: &&LayerView| (it.kind() == LayerKind::Module) == module.is_some();
        for layer in layers.iter().filter(is_wanted) {
            // A hierarchy that Puppet refuses fails the lookup. What it would read is not known.
            let Ok(levels) = layer.levels(evaluator) else {
                asked.push(ReadSource::Unknown);
                continue;
            };
            for level in levels {
                self.add_level(evaluator, level, &mut asked);
            }
        }
        asked.into()
    }

    /// The sources that the node with this index reads in the layer of `module`; cached.
    fn of_module(&self, number: u32, module: &str) -> Sources {
        let slot = self.orders.of_modules.slot(&format!("{module} {number}"));
        let node = &self.orders.nodes[number as usize].node;
        slot.get_or_init(|| self.asked(node, Some(module))).clone()
    }

    /// The sources that a node without a fact set reads in the layer of `module`; cached.
    fn of_module_for_view(&self, evaluator: &Evaluator, module: &str) -> Sources {
        let slot = self.orders.of_views.slot(module);
        let lock = || slot.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            lock().iter().find(|it| it.are_those_of(evaluator.node())).map(|it| it.asked.clone());
        // The lock is not held while the hierarchy is expanded. If two threads expand it, the results are equal.
        known.unwrap_or_else(|| {
            let asked = self.asked_by(evaluator, Some(module));
            let mut kept = lock();
            if kept.len() < MAX_VIEWS_OF_A_MODULE {
                kept.push(ViewSources::new(evaluator, module, &asked));
            }
            asked
        })
    }

    fn add_level(&self, evaluator: &Evaluator, level: &ResolvedLevel, asked: &mut Vec<ReadSource>) {
        let (Some(format), Some(locations)) = (level.built_in_format(), &level.locations) else {
            asked.push(ReadSource::Unknown);
            return;
        };
        for location in locations {
            // A URI is not a path, so no file tells what it contains.
            if location.is_open() && !location.is_uri {
                let files = self.open_files(evaluator, location);
                if !files.is_empty() {
                    asked.push(ReadSource::OneOf(files));
                }
            } else if location.exists {
                asked.push(if location.is_uri {
                    ReadSource::Unknown
                } else {
                    ReadSource::File(self.world.id(&location.file), format)
                });
            }
        }
    }

    fn open_files(&self, evaluator: &Evaluator, location: &Location) -> Arc<FileSet> {
        let slot = self.orders.open_paths.slot(&location.location);
        slot.get_or_init(|| {
            let paths = location.open_files(evaluator).into_iter();
            Arc::new(paths.map(|path| self.world.id(&path)).collect())
        })
        .clone()
    }
}

#[cfg(test)]
mod tests;
