//! Which data files each sample node reads, in the order of priority. It follows from hierarchies and facts and from which
//! files there are, not from what they hold; so it outlives what is typed.
//!
//! Of a node that was made up from the names of files, many variables are guesses. A template that reads one of them is
//! kept with all files that it can lead to.

mod below;
mod templates;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use super::indexes::key_of;
use super::shards::Shards;
use super::snapshot::World;
use crate::config::Environment;
use crate::config::hiera_yaml::{LayerKind, Level};
use crate::data::{FileId, Files as _, Format};
use crate::engine::{Evaluator, LayerView, ResolvedLevel};
use crate::facts::Node;

pub use below::{Below, Source};
use templates::TemplateText;

/// Some files.
pub type FileSet = HashSet<FileId, foldhash::fast::RandomState>;

/// More sample nodes than this are not looked at.
const MAX_NODES: usize = 4_096;

/// More readers of one file than this are not told of.
const MAX_READERS: usize = 64;

/// What the sample nodes of one environment read.
#[derive(Debug, Default)]
pub struct ReadOrders {
    nodes: Vec<NodeOrder>,
    /// All data files, once somebody asks.
    files: OnceLock<Vec<(Arc<str>, FileId)>>,
    readers: Readers,
    /// What modules add to it, by module and node.
    of_modules: Shards<OnceLock<Arc<[Asked]>>>,
    /// Who reads files in the layer of a module, by module.
    module_readers: Shards<OnceLock<Readers>>,
    /// By the configuration's path, the level and the template.
    templates: Shards<OnceLock<Arc<GuessedTemplate>>>,
    /// By file and module.
    below: Shards<OnceLock<Arc<Below>>>,
}

/// The nodes that read a file, by number, in order.
type Readers = HashMap<FileId, Vec<u32>, foldhash::fast::RandomState>;

#[derive(Debug)]
struct NodeOrder {
    node: Arc<Node>,
    /// The global layer's and the environment's.
    asked: Arc<[Asked]>,
}

/// What a node asks for a key.
#[derive(Debug, Clone)]
enum Asked {
    /// A file that exists.
    File(FileId, Format),
    /// What a template leads to, if what is guessed of the node is right.
    Guess(Arc<GuessedTemplate>, Box<[(FileId, Format)]>),
    /// A function that no file tells the answer of.
    Unknown,
}

/// A template that reads variables.
#[derive(Debug, Default)]
struct GuessedTemplate {
    /// Their names, all spellings of a fact as one.
    variables: Vec<Arc<str>>,
    /// The files that it can lead to.
    candidates: Arc<FileSet>,
}

/// Read orders by environment, as long as hierarchies, nodes and the set of files stay the same.
pub(super) type ReadOrdersCache = Shards<OnceLock<Arc<ReadOrders>>>;

impl ReadOrders {
    /// The nodes that read `file` for keys without a module, in order; at most `most`.
    pub fn readers(&self, file: FileId, most: usize) -> impl Iterator<Item = &Arc<Node>> {
        let readers = self.readers.get(&file).map_or(&[][..], Vec::as_slice);
        readers.iter().take(most).map(|number| &self.nodes[*number as usize].node)
    }

    /// The first node that reads the file at `path`, which holds data of `module` if there is one. Default hierarchies
    /// count.
    pub fn first_reader(
        &self,
        world: &Arc<World>,
        environment: &Arc<Environment>,
        path: &str,
        module: Option<&str>,
    ) -> Option<Arc<Node>> {
        self.all_readers(world, environment, world.id(path), module).into_iter().next()
    }

    /// The nodes that read `file` for keys of `module` and whose variables are all known, in order; the first few. Default
    /// hierarchies count.
    pub fn complete_readers(
        &self,
        world: &Arc<World>,
        environment: &Arc<Environment>,
        file: FileId,
        module: Option<&str>,
    ) -> Vec<Arc<Node>> {
        let readers = self.all_readers(world, environment, file, module).into_iter();
        readers.filter(|it| it.is_complete()).take(MAX_READERS).collect()
    }

    /// The nodes that read `file`, in the layer of `module` or in another one, in order. The first time, every node is asked
    /// what it reads of the module.
    fn all_readers(
        &self,
        world: &Arc<World>,
        environment: &Arc<Environment>,
        file: FileId,
        module: Option<&str>,
    ) -> Vec<Arc<Node>> {
        let mut numbers = self.readers.get(&file).cloned().unwrap_or_default();
        if let Some(module) = module {
            let slot = self.module_readers.slot(module);
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
    /// What the environment's sample nodes read. The first call expands the hierarchy for each of them.
    pub fn read_orders(self: &Arc<Self>, environment: &Arc<Environment>) -> Arc<ReadOrders> {
        let slot = self.nodes.read_orders.slot(&key_of(environment));
        slot.get_or_init(|| {
            let mut orders = ReadOrders::default();
            for (number, node) in (0..).zip(self.nodes(environment).iter().take(MAX_NODES)) {
                let maker = OrderMaker { world: self, environment, orders: &orders };
                let asked = maker.asked(node, None);
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

fn files_of(asked: &[Asked]) -> impl Iterator<Item = FileId> {
    asked.iter().flat_map(|asked| match asked {
        Asked::File(file, _) => vec![*file],
        Asked::Guess(_, files) => files.iter().map(|(file, _)| *file).collect(),
        Asked::Unknown => Vec::new(),
    })
}

/// Finds out what nodes ask, for [`ReadOrders`] that are being made or are there.
struct OrderMaker<'a> {
    world: &'a Arc<World>,
    environment: &'a Arc<Environment>,
    orders: &'a ReadOrders,
}

impl OrderMaker<'_> {
    /// What `node` asks in the layer of `module`, or in the others.
    fn asked(&self, node: &Arc<Node>, module: Option<&str>) -> Arc<[Asked]> {
        let evaluator = self.world.structural_evaluator(self.environment, node);
        let mut asked = Vec::new();
        let layers = evaluator.layers(module);
        let is_wanted = |it: &&LayerView| (it.kind() == LayerKind::Module) == module.is_some();
        for layer in layers.iter().filter(is_wanted) {
            let Ok(levels) = layer.levels(&evaluator) else {
                asked.push(Asked::Unknown);
                continue;
            };
            for (level, written) in levels.iter().zip(&layer.config().hierarchy) {
                self.add_level(&evaluator, &layer.config().path, level, written, &mut asked);
            }
        }
        asked.into()
    }

    /// What the node of that number asks in the layer of `module`; kept.
    fn of_module(&self, number: u32, module: &str) -> Arc<[Asked]> {
        let slot = self.orders.of_modules.slot(&format!("{module} {number}"));
        let node = &self.orders.nodes[number as usize].node;
        slot.get_or_init(|| self.asked(node, Some(module))).clone()
    }

    fn add_level(
        &self,
        evaluator: &Evaluator,
        config: &str,
        level: &ResolvedLevel,
        written: &Level,
        asked: &mut Vec<Asked>,
    ) {
        let (Some(format), Some(locations)) = (level.built_in_format(), &level.locations) else {
            asked.push(Asked::Unknown);
            return;
        };
        let guessed = if evaluator.node().is_complete() {
            Vec::new()
        } else {
            templates::with_variables(written)
        };
        for template in &guessed {
            let files =
                locations.iter().filter(|it| it.exists && it.template_place == template.place);
            let files = files.map(|it| (self.world.id(&it.location), format)).collect();
            asked.push(Asked::Guess(self.guessed(config, &written.name, template), files));
        }
        let is_guessed = |place| guessed.iter().any(|template| template.place == place);
        for location in locations.iter().filter(|it| it.exists && !is_guessed(it.template_place)) {
            asked.push(if location.is_uri {
                Asked::Unknown
            } else {
                Asked::File(self.world.id(&location.location), format)
            });
        }
    }

    fn guessed(&self, config: &str, level: &str, template: &TemplateText) -> Arc<GuessedTemplate> {
        let slot = self.orders.templates.slot(&format!("{config} {level} {}", template.text));
        slot.get_or_init(|| {
            let (world, reach) = (self.world, self.world.reach(self.environment));
            let is_it = |it: &&super::DataPlace| {
                &*it.config == config && &*it.level == level && it.location() == template.text
            };
            let places: Vec<_> = reach.places.iter().filter(is_it).collect();
            // Not those of the key index: it reads them all.
            let files = self.orders.files.get_or_init(|| {
                let paths = reach.files(&world.texts).into_keys();
                paths.map(|path| (path.clone(), world.id(&path))).collect()
            });
            let reached = files.iter().filter(|(path, _)| places.iter().any(|it| it.reaches(path)));
            let candidates = Arc::new(reached.map(|(_, file)| *file).collect());
            Arc::new(GuessedTemplate { variables: template.variables.clone(), candidates })
        })
        .clone()
    }
}

#[cfg(test)]
mod tests;
