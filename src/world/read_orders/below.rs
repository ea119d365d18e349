//! What nodes read after a file: the levels whose values the file's values hide or are merged with.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use super::{OrderMaker, ReadOrders, ReadSource, Sources};
use crate::config::Environment;
use crate::data::{FileId, Files as _};
use crate::engine::Evaluator;
use crate::facts::Node;
use crate::limits::{MAX_READ_ORDERS, MAX_READERS_OF_MODULES};
use crate::world::snapshot::World;

/// The different orders in which nodes read the sources after a file.
#[derive(Debug, Default)]
pub struct Below {
    /// Each order that differs after the file.
    pub orders: Vec<OrderAround>,
    /// Whether these are the orders of all nodes with fact sets, and of any node that reads the file.
    pub is_whole: bool,
}

/// What a node reads before and after a file. Equal lists are the same allocation.
#[derive(Debug)]
pub struct OrderAround {
    /// One of the nodes with this order.
    pub node: Arc<Node>,
    /// The sources before the file.
    pub before: Sources,
    /// The sources after the file.
    pub after: Sources,
}

/// The maximum number of files in the cache: those that are open in an editor, and some that were.
const MAX_KEPT_FILES: usize = 64;

/// The sources after some files, by the file's path and the module of keys.
#[derive(Debug, Default)]
pub(super) struct BelowFiles(HashMap<String, OfModules>);

/// By module; under the empty name for keys without a module.
type OfModules = HashMap<String, Arc<Below>>;

impl BelowFiles {
    fn get(&self, path: &str, module: &str) -> Option<Arc<Below>> {
        self.0.get(path)?.get(module).cloned()
    }

    fn keep(&mut self, path: &str, module: &str, below: Arc<Below>) {
        if self.0.len() >= MAX_KEPT_FILES && !self.0.contains_key(path) {
            self.0.clear();
        }
        self.0.entry(path.to_owned()).or_default().insert(module.to_owned(), below);
    }
}

/// A file for which the sources after it are computed, for keys of several modules.
pub struct FileAbove<'a> {
    world: &'a Arc<World>,
    environment: &'a Arc<Environment>,
    path: &'a str,
    file: FileId,
    /// The module whose data the file contains.
    module: Option<&'a str>,
    view: OnceCell<Option<View>>,
}

/// Any node that reads the file.
struct View {
    node: Arc<Node>,
    evaluator: Arc<Evaluator>,
    /// The sources that it reads outside of modules.
    asked: Sources,
    /// Those before and after the file, if they are the same for all modules: the file is certainly read, at one place.
    around: OnceCell<Option<[Sources; 2]>>,
}

impl<'a> FileAbove<'a> {
    /// The file at `path`, which contains data of `module` if there is one.
    pub fn new(
        world: &'a Arc<World>,
        environment: &'a Arc<Environment>,
        path: &'a str,
        module: Option<&'a str>,
    ) -> Self {
        let view = OnceCell::new();
        Self { world, environment, path, file: world.id(path), module, view }
    }

    fn view(&self, maker: &OrderMaker<'_>) -> Option<&View> {
        let new = || {
            let node = self.world.view_of_file(self.environment, self.path);
            if node.is_complete() {
                return None;
            }
            // Rules use this evaluator as well, so the hierarchy is expanded once.
            let evaluator = self.world.evaluator(self.environment, &node);
            // Levels outside of modules do not lead to a module's file, so they come before it.
            let of_module = self.module.is_some();
            let asked = if of_module { Arc::default() } else { maker.asked_by(&evaluator, None) };
            Some(View { node, evaluator, asked, around: OnceCell::new() })
        };
        self.view.get_or_init(new).as_ref()
    }
}

impl ReadOrders {
    /// The sources that are read after a file for keys of `module`.
    pub fn below(&self, file: &FileAbove<'_>, module: Option<&str>) -> Arc<Below> {
        let with_layer = |name: &&str| file.environment.modules.contains_key(*name);
        let module = module.filter(with_layer);
        let lock = || self.below.lock().unwrap_or_else(PoisonError::into_inner);
        let name = module.unwrap_or("");
        // The lock is not held while the orders are computed. They depend only on the file and the module.
        let known = lock().get(file.path, name);
        known.unwrap_or_else(|| {
            let below = Arc::new(Finder { orders: self, file }.below(module));
            lock().keep(file.path, name, below.clone());
            below
        })
    }
}

struct Finder<'a> {
    orders: &'a ReadOrders,
    file: &'a FileAbove<'a>,
}

impl Finder<'_> {
    fn below(&self, module: Option<&str>) -> Below {
        let FileAbove { world, environment, file, module: file_module, .. } = *self.file;
        let maker = OrderMaker { world, environment, orders: self.orders };
        let mut below = Below { orders: Vec::new(), is_whole: true };
        let readers = match file_module {
            // The readers of a module's file are known only after all nodes were checked.
            Some(_) => (0..self.orders.nodes.len() as u32).collect(),
            None => self.orders.readers.get(&file).cloned().unwrap_or_default(),
        };
        if module.is_some() && readers.len() > MAX_READERS_OF_MODULES {
            below.is_whole = false;
        }
        let most = if module.is_some() { MAX_READERS_OF_MODULES } else { usize::MAX };
        for number in readers.into_iter().take(most) {
            let mut asked: Vec<ReadSource> = Vec::new();
            if file_module.is_none() {
                asked.extend(self.orders.nodes[number as usize].asked.iter().cloned());
            }
            if let Some(module) = module {
                asked.extend(maker.of_module(number, module).iter().cloned());
            }
            let node = self.orders.nodes[number as usize].node.clone();
            self.add(&mut below, &node, &asked);
            // Further nodes can add nothing, and the result is incomplete in any case.
            if !below.is_whole && below.orders.len() == MAX_READ_ORDERS {
                break;
            }
        }
        if let Some(view) = self.file.view(&maker) {
            let of_module = module.map(|it| maker.of_module_for_view(&view.evaluator, it));
            let of_module: Sources = of_module.unwrap_or_default();
            let is_in_module = || of_module.iter().any(|it| self.is_file(it));
            if below.orders.is_empty()
                && !is_in_module()
                && let Some([before, after]) = self.around(view)
            {
                // Most files have no other readers, and thousands of them the same sources after them.
                let (node, before) = (Arc::clone(&view.node), before.clone());
                let after = self.orders.joined(after, &of_module);
                below.orders.push(OrderAround { node, before, after });
            } else {
                let asked: Vec<ReadSource> =
                    view.asked.iter().chain(&*of_module).cloned().collect();
                self.add(&mut below, &view.node, &asked);
            }
        }
        below
    }

    /// [`View::around`]
    fn around<'v>(&self, view: &'v View) -> Option<&'v [Sources; 2]> {
        let find = || match self.places_of_file(&view.asked)[..] {
            [at] if self.is_file(&view.asked[at]) => {
                let [before, after] = self.sources_around(&view.asked, at);
                Some([self.orders.interned(before), self.orders.interned(after)])
            }
            _ => None,
        };
        view.around.get_or_init(find).as_ref()
    }

    /// Adds what `node` reads around the file, unless another node reads the same after it.
    fn add(&self, below: &mut Below, node: &Arc<Node>, asked: &[ReadSource]) {
        for at in self.places_of_file(asked) {
            let [before, after] = self.sources_around(asked, at);
            let after = self.orders.interned(after);
            if below.orders.iter().any(|other| other.after == after) {
                continue;
            }
            if below.orders.len() == MAX_READ_ORDERS {
                below.is_whole = false;
                return;
            }
            let before = self.orders.interned(before);
            below.orders.push(OrderAround { node: Arc::clone(node), before, after });
        }
    }

    /// The sources before and after the place of the file.
    fn sources_around(&self, asked: &[ReadSource], at: usize) -> [Sources; 2] {
        let others = asked[at + 1..].iter().filter(|it| !self.is_file(it));
        [asked[..at].into(), others.cloned().collect()]
    }

    /// The first place where the file is certainly read, and each earlier place where it may be read. The sources between two
    /// such places are hidden by the first. Empty if the file is not read at all.
    fn places_of_file(&self, asked: &[ReadSource]) -> Vec<usize> {
        let own = self.file.file;
        let may_be =
            |it: &ReadSource| matches!(it, ReadSource::OneOf(files) if files.contains(&own));
        let certain = asked.iter().position(|it| self.is_file(it));
        let possible = (0..certain.unwrap_or(asked.len())).filter(|at| may_be(&asked[*at]));
        possible.chain(certain).collect()
    }

    fn is_file(&self, source: &ReadSource) -> bool {
        matches!(source, ReadSource::File(file, _) if *file == self.file.file)
    }
}
