//! What each node of a fleet has at one step of lookups, such as the value of a variable: columns of numbers, computed on
//! demand.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::scope::{OfRootKeys, Places, Scope, Structures};
use super::{Column, mixed};
use crate::backends::Registry;
use crate::config::Environment;
use crate::engine::footprint::{name_reading_of, reading_of};
use crate::engine::{
    Evaluator, ModuleScope, SharedLevels, SharedScopes, is_variable_of_class, module_of_key,
};
use crate::facts::variable::VariablePath;
use crate::facts::{Node, Origin, Reading};
use crate::syntax::key_path::{self, KeyPath};
use crate::world::code_variables::CodeScopes;
use crate::world::shards::Shards;
use crate::world::{World, parallel};

/// The nodes and what they read.
pub(super) struct Readings {
    pub(super) world: Arc<World>,
    pub(super) environment: Arc<Environment>,
    pub(super) nodes: Arc<[Arc<Node>]>,
    back_ends: Arc<Registry>,
    /// The levels that several nodes see in the same way.
    shared_levels: Arc<SharedLevels>,
    /// Whether the readable entries of files that Puppet refuses are used.
    pub(super) reads_broken_files: bool,
    /// What code may have set, if the lookups stand for those in catalogs.
    pub(super) of_code: Option<Arc<CodeScopes>>,
    /// By module; for keys without a module, under the empty name.
    scopes: Shards<OnceLock<Arc<Scope>>>,
    keys: Mutex<KeptColumns>,
    /// Whether facts may contain lookups.
    facts_hold_lookups: OnceLock<bool>,
    /// Shared with other readings of the same hierarchies, nodes and files. The texts of the files may differ.
    surroundings: OnceLock<Arc<Surroundings>>,
    /// What follows from root keys, by module. Shared with other readings whose files also have the same ones, and the same
    /// lookup_options.
    roots: OnceLock<Arc<Shards<OfRootKeys>>>,
}

/// What depends only on hierarchies, nodes and the set of files.
#[derive(Default)]
struct Surroundings {
    /// The hierarchies as the nodes see them, by module.
    structures: Shards<OnceLock<Structures>>,
    /// The files that the nodes read, by module.
    places: Shards<OnceLock<Arc<Places>>>,
    /// What the nodes have for variable expressions.
    variables: Shards<OnceLock<Column>>,
    /// The same, with one number for all nodes of which the expression is a name.
    names: Shards<OnceLock<Column>>,
    /// The variables in the hierarchies outside of modules.
    level_variables: OnceLock<Box<[LevelVariable]>>,
}

/// A variable in the hierarchies outside of modules.
pub(super) struct LevelVariable {
    /// As the hierarchy writes it.
    pub(super) expression: Arc<str>,
    pub(super) path: KeyPath,
    is_unset: OnceLock<bool>,
}

/// The maximum number of entries in the columns of all keys: 16 MiB.
const MAX_KEPT_NUMBERS: usize = 2 << 20;

/// Columns by key.
#[derive(Default)]
struct KeptColumns {
    columns: HashMap<Arc<str>, Column, foldhash::fast::RandomState>,
    /// The number of their entries.
    numbers: usize,
}

impl Readings {
    pub(super) fn new(
        world: &Arc<World>,
        environment: &Arc<Environment>,
        nodes: Arc<[Arc<Node>]>,
        back_ends: Arc<Registry>,
    ) -> Self {
        Self {
            world: Arc::clone(world),
            environment: Arc::clone(environment),
            nodes,
            back_ends,
            shared_levels: Arc::default(),
            reads_broken_files: false,
            of_code: None,
            scopes: Shards::default(),
            keys: Mutex::default(),
            facts_hold_lookups: OnceLock::new(),
            surroundings: OnceLock::new(),
            roots: OnceLock::new(),
        }
    }

    /// The same in a snapshot in which other values are written in some files.
    pub(super) fn with_other_values(&self, world: &Arc<World>) -> Self {
        let back_ends = Arc::clone(&self.back_ends);
        let other = Self::new(world, &self.environment, Arc::clone(&self.nodes), back_ends);
        other.share(self);
        other.share_roots(self);
        let (reads_broken_files, of_code) = (self.reads_broken_files, self.of_code.clone());
        Self { reads_broken_files, of_code, ..other }
    }

    /// Takes everything that depends only on hierarchies, nodes and the set of files from others, which have the same ones.
    pub(super) fn share(&self, twin: &Self) {
        // Both may be the same, so nothing is computed while a lock is held. Values that are already known stay.
        let shared = twin.surroundings().clone();
        let _ = self.surroundings.set(shared);
    }

    /// Takes what follows from root keys and lookup_options from others whose files have the same ones.
    pub(super) fn share_roots(&self, twin: &Self) {
        // It contains the numbers of files, which follow from the surroundings.
        if Arc::ptr_eq(self.surroundings(), twin.surroundings()) {
            let shared = twin.roots_of_modules().clone();
            let _ = self.roots.set(shared);
        }
    }

    fn roots_of_modules(&self) -> &Arc<Shards<OfRootKeys>> {
        self.roots.get_or_init(Arc::default)
    }

    /// What follows from root keys: for keys of a module, or for others. Each part is computed on demand.
    pub(super) fn roots(&self, module: Option<&str>) -> Arc<OfRootKeys> {
        self.roots_of_modules().slot(module.unwrap_or(""))
    }

    /// Whether the facts of a node may contain lookups.
    pub(super) fn facts_hold_lookups(&self) -> bool {
        let hold_none = || parallel::all(&self.nodes, |node| !node.holds_lookups());
        *self.facts_hold_lookups.get_or_init(|| !hold_none())
    }

    fn surroundings(&self) -> &Arc<Surroundings> {
        self.surroundings.get_or_init(Arc::default)
    }

    /// The nodes grouped by how they see their hierarchies, in the layer of `module` or in the other layers.
    pub(super) fn structures(&self, module: Option<&str>) -> Structures {
        let slot = self.surroundings().structures.slot(module.unwrap_or(""));
        slot.get_or_init(|| super::scope::structures(self, module).into()).clone()
    }

    /// The variables in the hierarchies outside of modules, each once.
    pub(super) fn level_variables(&self) -> &[LevelVariable] {
        self.surroundings().level_variables.get_or_init(|| {
            let structures = self.structures(None);
            let all = structures.iter().flat_map(|(structure, _)| &structure.variables);
            let distinct: HashSet<&Arc<str>, foldhash::fast::RandomState> = all.collect();
            let parsed = distinct.into_iter().filter_map(|expression| {
                let (expression, path) = (expression.clone(), key_path::parse(expression).ok()?);
                Some(LevelVariable { expression, path, is_unset: OnceLock::new() })
            });
            parsed.collect()
        })
    }

    /// Whether one of the nodes whose levels read the variable certainly has no value for it. Of a node without a fact set, only
    /// variables of classes are certainly not set.
    pub(super) fn is_unset_for_some_node(&self, variable: &LevelVariable) -> bool {
        let is_unset = |node: &u32| {
            let node = &self.nodes[*node as usize];
            match node.read(&variable.path) {
                Reading::Known(..) => false,
                Reading::Unset => node.is_complete(),
                Reading::Open(_) => is_variable_of_class(&variable.path),
            }
        };
        *variable.is_unset.get_or_init(|| {
            let structures = self.structures(None);
            let readers = structures
                .iter()
                .filter(|(structure, _)| structure.variables.contains(&variable.expression));
            readers.flat_map(|(_, nodes)| nodes).any(is_unset)
        })
    }

    /// The files that the nodes read in the layer of `module`, or in the other layers.
    pub(super) fn places(&self, module: Option<&str>) -> Arc<Places> {
        let slot = self.surroundings().places.slot(module.unwrap_or(""));
        slot.get_or_init(|| Arc::new(Places::of(self, module))).clone()
    }

    /// What a node has, with everything computed again.
    pub(super) fn new_evaluator(&self, node: u32) -> Evaluator {
        self.new_evaluator_of(&self.nodes[node as usize])
    }

    /// The same for a node that need not be one of these.
    pub(super) fn new_evaluator_of(&self, node: &Arc<Node>) -> Evaluator {
        if self.reads_broken_files {
            let made = self.world.new_evaluator(&self.environment, node);
            return made.with_back_ends(self.back_ends.clone());
        }
        let made = self.world.exact_evaluator(&self.environment, node, &self.back_ends);
        match &self.of_code {
            Some(of_code) => made.with_code_variables(of_code.of_node(node)),
            None => made,
        }
    }

    /// `read` of a node, or one number for all nodes for which catalogs may have something else than what is known of the variable.
    fn unless_hidden(
        &self,
        node: &Node,
        path: Option<&KeyPath>,
        read: impl FnOnce() -> u64,
    ) -> u64 {
        let may_be_hidden = self.of_code.as_ref().zip(path).is_some_and(|(of_code, path)| {
            let may_hide = |root: &Arc<str>| of_code.of_node(node).may_hide(root);
            node.assumes(path) || path.root_name().is_some_and(may_hide)
        });
        if may_be_hidden { mixed("hidden") } else { read() }
    }

    /// What a node has. Everything that is the same for several nodes is shared.
    pub(super) fn evaluator(readings: &Arc<Self>, node: u32) -> Evaluator {
        let made = readings.new_evaluator(node);
        let made = made.sharing_levels(readings.shared_levels.clone());
        made.with_shared_scopes(Arc::new(NodeScopes { readings: Arc::clone(readings), node }))
    }

    /// What the nodes have for a variable expression.
    pub(super) fn variable(&self, expression: &str) -> Column {
        let slot = self.surroundings().variables.slot(expression);
        let read = || {
            let path = key_path::parse(expression).ok();
            // The variables of the nodes may not be computed yet.
            let read = |node: &Arc<Node>| {
                let path = path.as_ref();
                self.unless_hidden(node, path, || reading_of(node, path))
            };
            parallel::map(&self.nodes, read).into()
        };
        slot.get_or_init(read).clone()
    }

    /// The same, with one number for all nodes for which the expression is a name.
    pub(super) fn name(&self, expression: &str) -> Column {
        let slot = self.surroundings().names.slot(expression);
        let read = || {
            let variable = VariablePath::parse(expression);
            let read = |node: &Arc<Node>| {
                let path = variable.as_ref().map(|it| &it.path);
                self.unless_hidden(node, path, || name_reading_of(node, variable.as_ref()))
            };
            parallel::map(&self.nodes, read).into()
        };
        slot.get_or_init(read).clone()
    }

    /// The files with a root key that a lookup reads, and the lookup_options that apply.
    pub(super) fn key(&self, root: &str) -> Column {
        let lock = || self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().columns.get(root) {
            return known.clone();
        }
        // The lock is not held here. Two threads may compute the same column, and both get the same numbers.
        let made = self.new_key(root);
        let mut kept = lock();
        if kept.numbers + made.len() > MAX_KEPT_NUMBERS {
            *kept = KeptColumns::default();
        }
        kept.numbers += made.len();
        kept.columns.insert(root.into(), made.clone());
        made
    }

    fn new_key(&self, root: &str) -> Column {
        let own = self.scope(None);
        let module = self.module_of(root).map(|it| self.scope(Some(it)));
        // Keys of a module are looked up in the other layers first, so both hierarchies count.
        let mut column: Vec<u64> = own.shapes().to_vec();
        own.add_files(self, root, &mut column);
        if let Some(module) = &module {
            for (number, shape) in column.iter_mut().zip(module.shapes()) {
                *number = mixed((*number, *shape));
            }
            module.add_files(self, root, &mut column);
        }
        module.as_ref().unwrap_or(&own).add_options(self, root, &mut column);
        // If the certname of a node is open, what the node reads does not tell which nodes it represents.
        for (at, node) in self.nodes.iter().enumerate() {
            if node.origin == Origin::Any {
                column[at] = mixed(("any", at));
            }
        }
        column.into()
    }

    /// Marks the nodes that read the file at `path` for keys of `module`. Nodes that are not completely known may read it, too.
    pub(super) fn add_readers(&self, module: Option<&str>, path: &str, reads: &mut [bool]) {
        self.scope(None).add_readers(path, reads);
        if let Some(module) = module.filter(|it| self.environment.modules.contains_key(*it)) {
            self.scope(Some(module)).add_readers(path, reads);
        }
    }

    /// The module of a key, if there is one.
    fn module_of<'k>(&self, root: &'k str) -> Option<&'k str> {
        module_of_key(root).filter(|it| self.environment.modules.contains_key(*it))
    }

    pub(super) fn scope(&self, module: Option<&str>) -> Arc<Scope> {
        let slot = self.scopes.slot(module.unwrap_or(""));
        slot.get_or_init(|| Arc::new(Scope::of(self, module))).clone()
    }
}

/// What one of the nodes has in common with others.
struct NodeScopes {
    readings: Arc<Readings>,
    node: u32,
}

impl SharedScopes for NodeScopes {
    fn scope(&self, module: Option<&str>) -> Option<Arc<ModuleScope>> {
        let known = module.filter(|it| self.readings.environment.modules.contains_key(*it));
        self.readings.scope(known).shared(&self.readings, module, self.node)
    }
}
