//! What nodes ask after a file: the levels whose values the file's values hide or are merged with.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Asked, FileSet, OrderMaker, ReadOrders, templates};
use crate::config::Environment;
use crate::data::{FileId, Files as _, Format};
use crate::facts::Node;
use crate::world::snapshot::World;

/// More different orders than this are not looked at.
const MAX_ORDERS: usize = 32;

/// More nodes than this are not asked what they read of a module.
const MAX_ASKED_NODES: usize = 64;

/// The different orders in which nodes ask what comes after a file.
#[derive(Debug, Default)]
pub struct Below {
    /// Each with one of its nodes.
    pub orders: Vec<(Arc<Node>, Vec<Source>)>,
    /// Whether these are the orders of all sample nodes.
    pub is_whole: bool,
}

/// One thing that is asked after a file.
#[derive(Debug, Clone)]
pub enum Source {
    /// A file that exists.
    File(FileId, Format),
    /// Perhaps one of these files: which one depends on the node.
    OneOf(Arc<FileSet>),
    /// A function that no file tells the answer of.
    Unknown,
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(a, _), Self::File(b, _)) => a == b,
            (Self::OneOf(a), Self::OneOf(b)) => Arc::ptr_eq(a, b),
            (Self::Unknown, Self::Unknown) => true,
            _ => false,
        }
    }
}

impl ReadOrders {
    /// What is asked after the file at `path`, which holds data of `file_module` if there is one, for keys of `module`.
    pub fn below(
        &self,
        world: &Arc<World>,
        environment: &Arc<Environment>,
        path: &str,
        file_module: Option<&str>,
        module: Option<&str>,
    ) -> Arc<Below> {
        let with_layer = |name: &&str| environment.modules.contains_key(*name);
        let module = module.filter(with_layer);
        let slot = self.below.slot(&format!("{path} {}", module.unwrap_or("")));
        let finder = Finder { orders: self, world, environment, file: world.id(path), path };
        slot.get_or_init(|| Arc::new(finder.below(file_module, module))).clone()
    }
}

struct Finder<'a> {
    orders: &'a ReadOrders,
    world: &'a Arc<World>,
    environment: &'a Arc<Environment>,
    file: FileId,
    path: &'a str,
}

impl Finder<'_> {
    fn below(&self, file_module: Option<&str>, module: Option<&str>) -> Below {
        let Self { orders, world, environment, .. } = *self;
        let maker = OrderMaker { world, environment, orders };
        let known = self.known_facts();
        let mut below = Below { orders: Vec::new(), is_whole: true };
        let readers = match file_module {
            // Who reads a module's file is only known once everybody was asked.
            Some(_) => (0..self.orders.nodes.len() as u32).collect(),
            None => self.orders.readers.get(&self.file).cloned().unwrap_or_default(),
        };
        if module.is_some() && readers.len() > MAX_ASKED_NODES {
            below.is_whole = false;
        }
        let most = if module.is_some() { MAX_ASKED_NODES } else { usize::MAX };
        for number in readers.into_iter().take(most) {
            let mut asked: Vec<Asked> = Vec::new();
            if file_module.is_none() {
                asked.extend(self.orders.nodes[number as usize].asked.iter().cloned());
            }
            if let Some(module) = module {
                asked.extend(maker.of_module(number, module).iter().cloned());
            }
            let Some(sources) = self.after_file(&asked, &known) else { continue };
            if below.orders.iter().any(|(_, other)| *other == sources) {
                continue;
            }
            if below.orders.len() == MAX_ORDERS {
                below.is_whole = false;
                break;
            }
            let node = self.orders.nodes[number as usize].node.clone();
            below.orders.push((node, sources));
        }
        below
    }

    /// What comes after the last place where the file is asked; `None` if it is not asked at all.
    fn after_file(&self, asked: &[Asked], known: &HashSet<Arc<str>>) -> Option<Vec<Source>> {
        let is_file = |asked: &Asked| match asked {
            Asked::File(file, _) => *file == self.file,
            Asked::Guess(_, files) => files.iter().any(|(file, _)| *file == self.file),
            Asked::Unknown => false,
        };
        let at = asked.iter().rposition(is_file)?;
        let mut sources = Vec::new();
        if let Asked::Guess(_, files) = &asked[at] {
            let own = files.iter().rposition(|(file, _)| *file == self.file)?;
            sources.extend(files[own + 1..].iter().map(|it| Source::File(it.0, it.1)));
        }
        for asked in &asked[at + 1..] {
            match asked {
                Asked::File(file, format) => sources.push(Source::File(*file, *format)),
                Asked::Guess(template, files) => {
                    if template.variables.iter().all(|it| known.contains(it)) {
                        sources.extend(files.iter().map(|it| Source::File(it.0, it.1)));
                    } else if !template.candidates.is_empty() {
                        sources.push(Source::OneOf(template.candidates.clone()));
                    }
                }
                Asked::Unknown => sources.push(Source::Unknown),
            }
        }
        Some(sources)
    }

    /// What the path of the file says of every node that reads it.
    fn known_facts(&self) -> HashSet<Arc<str>> {
        let reach = self.world.reach(self.environment);
        let mut known: HashSet<_> = reach
            .places_of(self.path)
            .flat_map(|place| templates::facts_read(place.location()))
            .collect();
        known.insert("environment".into());
        known
    }
}
