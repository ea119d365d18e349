//! What nodes ask after a file: the levels whose values the file's values hide or are merged with.

use std::sync::Arc;

use super::{Asked, FileSet, OrderMaker, ReadOrders};
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
    /// Whether these are the orders of all nodes with fact sets, and of any node that reads the file.
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
            let node = self.orders.nodes[number as usize].node.clone();
            self.add(&mut below, &node, &asked);
            if !below.is_whole && below.orders.len() == MAX_ORDERS {
                break;
            }
        }
        let view = world.view_of_file(environment, self.path);
        if !view.is_complete() {
            let mut asked: Vec<Asked> = Vec::new();
            if file_module.is_none() {
                asked.extend(maker.asked(&view, None).iter().cloned());
            }
            if module.is_some() {
                asked.extend(maker.asked(&view, module).iter().cloned());
            }
            self.add(&mut below, &view, &asked);
        }
        below
    }

    /// Adds what `node` asks after the file, unless another node asks the same.
    fn add(&self, below: &mut Below, node: &Arc<Node>, asked: &[Asked]) {
        for sources in self.after_file(asked) {
            if below.orders.iter().any(|(_, other)| *other == sources) {
                continue;
            }
            if below.orders.len() == MAX_ORDERS {
                below.is_whole = false;
                return;
            }
            below.orders.push((Arc::clone(node), sources));
        }
    }

    /// What comes after the first place where the file is certainly asked, and after each place before it where it may be
    /// asked: what stands between two such places is hidden by the first. Nothing if it is not asked at all.
    fn after_file(&self, asked: &[Asked]) -> Vec<Vec<Source>> {
        let is_file = |it: &Asked| matches!(it, Asked::File(file, _) if *file == self.file);
        let may_be = |it: &Asked| matches!(it, Asked::OneOf(files) if files.contains(&self.file));
        let certain = asked.iter().position(is_file);
        let possible = (0..certain.unwrap_or(asked.len())).filter(|at| may_be(&asked[*at]));
        let source = |asked: &Asked| match asked {
            Asked::File(file, format) => Source::File(*file, *format),
            Asked::OneOf(files) => Source::OneOf(Arc::clone(files)),
            Asked::Unknown => Source::Unknown,
        };
        let after = |at: usize| {
            let others = asked[at + 1..].iter().filter(|it| !is_file(it));
            others.map(source).collect()
        };
        possible.chain(certain).map(after).collect()
    }
}
