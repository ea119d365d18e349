//! The classes of all nodes with a fact set: who certainly has a class, and what such nodes get for its parameters.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use super::{
    ClassFinder, LookedUp, MissingParameter, NodeClass, NodeClasses, classes_of_answer, request,
};
use crate::backends::Registry;
use crate::binding;
use crate::code::ClassCode;
use crate::code::inclusions::ClassLookup;
use crate::config::Environment;
use crate::engine::{Answer, Caller, CallerKey};
use crate::facts::Node;
use crate::world::fleet::Fleet;
use crate::world::indexes::key_of;
use crate::world::shards::Shards;
use crate::world::snapshot::World;

/// The classes of the environments that were requested.
pub(in crate::world) type FleetClassesCache = Shards<OnceLock<Arc<FleetClasses>>>;

/// Some nodes and their classes.
#[derive(Debug, Default)]
pub struct FleetClasses {
    /// The nodes.
    pub nodes: Arc<[Arc<Node>]>,
    /// What reads the data for them.
    back_ends: Arc<Registry>,
    /// By the numbers of the nodes.
    classes: Vec<NodeClasses>,
    /// By class, the numbers of the nodes that certainly have it, and which of their classes it is.
    holders: BTreeMap<Arc<str>, Vec<(u32, usize)>>,
    pub(super) missing: OnceLock<Arc<[MissingParameter]>>,
}

impl World {
    /// The classes of all nodes of an environment that have a fact set.
    pub fn fleet_classes(self: &Arc<Self>, environment: &Arc<Environment>) -> Arc<FleetClasses> {
        let slot = self.fleet_classes.slot(&key_of(environment));
        slot.get_or_init(|| Arc::new(FleetClasses::new(self, environment))).clone()
    }

    /// The classes of one node, which the user asks for: its lookups may start programs.
    pub fn classes_of_node(
        self: &Arc<Self>,
        environment: &Arc<Environment>,
        node: Arc<Node>,
    ) -> FleetClasses {
        FleetClasses::of_nodes(self, environment, &[node].into(), self.back_ends().clone())
    }
}

/// Some nodes, as callers of lookups in their catalogs see them.
pub struct ParameterFleets {
    main: Fleet,
    back_ends: Arc<Registry>,
    of_callers: RefCell<HashMap<CallerKey, Rc<Fleet>>>,
}

impl ParameterFleets {
    /// The nodes that the classes are those of.
    pub fn new(world: &Arc<World>, environment: &Arc<Environment>, classes: &FleetClasses) -> Self {
        Self::of(world, environment, (classes.nodes.clone(), classes.back_ends.clone()))
    }

    fn of(
        world: &Arc<World>,
        environment: &Arc<Environment>,
        (nodes, back_ends): (Arc<[Arc<Node>]>, Arc<Registry>),
    ) -> Self {
        let of_code = world.code_scopes(environment);
        let main = Fleet::of_catalogs(world, environment, (nodes, back_ends.clone()), of_code);
        Self { main, back_ends, of_callers: RefCell::default() }
    }

    /// What `look_up` returns for the fleet whose lookups are those for parameters of `class`.
    pub fn for_class<T>(&self, class: &ClassCode, look_up: impl Fn(&Fleet) -> T) -> T {
        let module = binding::module_of(class, self.main.environment());
        self.for_caller(Caller::parameters_of(module, Some(&class.name)), look_up)
    }

    /// What `look_up` returns for the fleet whose lookups are those of a caller. Hardly any data reads what depends on the caller,
    /// and then all fleets find the same.
    fn for_caller<T>(&self, caller: Caller<'_>, look_up: impl Fn(&Fleet) -> T) -> T {
        let (world, environment) = (self.main.world(), self.main.environment());
        let any = self.main.nodes().first().map(|node| world.new_evaluator(environment, node));
        let caller = any.map_or(caller, |it| it.known_of(caller));
        if caller == Caller::MAIN {
            return look_up(&self.main);
        }
        let find = || world.whoever_calls(|| look_up(&self.main));
        if let Some(found) = caller.sets.is_empty().then(find).flatten() {
            return found;
        }
        let mut known = self.of_callers.borrow_mut();
        let make = || {
            let nodes = self.main.nodes().iter().map(|it| caller.node_seen(it));
            let (nodes, back_ends) = (nodes.map(Arc::new).collect(), self.back_ends.clone());
            let of_code = world.code_scopes(environment).seen_from(caller.sets);
            Rc::new(Fleet::of_catalogs(world, environment, (nodes, back_ends), Arc::new(of_code)))
        };
        let of_caller = known.entry(caller.key()).or_insert_with(make).clone();
        drop(known);
        look_up(&of_caller)
    }
}

impl FleetClasses {
    /// The nodes with fact sets. Their lookups start no programs.
    fn new(world: &Arc<World>, environment: &Arc<Environment>) -> Self {
        let nodes = world.nodes(environment);
        let nodes: Arc<[Arc<Node>]> = nodes.iter().filter(|it| it.is_complete()).cloned().collect();
        Self::of_nodes(world, environment, &nodes, world.quiet_back_ends())
    }

    fn of_nodes(
        world: &Arc<World>,
        environment: &Arc<Environment>,
        nodes: &Arc<[Arc<Node>]>,
        back_ends: Arc<Registry>,
    ) -> Self {
        let mut found = Self { nodes: Arc::clone(nodes), back_ends, ..Self::default() };
        if nodes.is_empty() {
            return found;
        }
        let lookups = Lookups {
            fleets: ParameterFleets::new(world, environment, &found),
            known: RefCell::default(),
        };
        let finder = ClassFinder::new(world, environment);
        for (number, node) in (0_u32..).zip(nodes.iter()) {
            let look_up =
                |lookup: &ClassLookup, caller: Caller<'_>| lookups.of_node(number, lookup, caller);
            let classes = finder.of_node(node, &look_up);
            for (index, class) in classes.classes.iter().enumerate().filter(|(_, it)| it.is_certain)
            {
                found.holders.entry(class.name.clone()).or_default().push((number, index));
            }
            found.classes.push(classes);
        }
        found
    }

    /// The classes that some node certainly has, sorted.
    pub fn certain_classes(&self) -> impl Iterator<Item = &Arc<str>> {
        self.holders.keys()
    }

    /// The numbers of the nodes that certainly have a class, each with the class.
    pub fn holders(&self, class: &str) -> impl Iterator<Item = (u32, &NodeClass)> {
        let holders = self.holders.get(class).map_or(&[][..], Vec::as_slice);
        holders.iter().map(|(node, index)| (*node, &self.of(*node).classes[*index]))
    }

    /// The classes of a node.
    pub fn of(&self, node: u32) -> &NodeClasses {
        &self.classes[node as usize]
    }

    /// The nodes that certainly have a class, and to which no code gives this parameter of it.
    pub fn bound_by_lookup(&self, class: &str, parameter: &str) -> Vec<u32> {
        let free = self.holders(class).filter(|(_, it)| !it.may_be_given(parameter));
        free.map(|(node, _)| node).collect()
    }

    /// `3 of 12 nodes: a, b and c`
    pub fn in_words(&self, nodes: &[u32]) -> String {
        const MAX_NAMED: usize = 3;
        let names: Vec<&str> =
            nodes.iter().take(MAX_NAMED).map(|it| &*self.nodes[*it as usize].name).collect();
        if let ([only], 1) = (names.as_slice(), self.nodes.len()) {
            return (*only).to_owned();
        }
        let more = if nodes.len() > MAX_NAMED { ", …" } else { "" };
        let all = self.nodes.len();
        format!("{} of {all} nodes: {}{more}", nodes.len(), names.join(", "))
    }
}

/// The lookups that give classes, each made once for all nodes.
struct Lookups {
    fleets: ParameterFleets,
    known: RefCell<HashMap<(ClassLookup, CallerKey), OfNodes>>,
}

/// What a lookup gives to each node.
type OfNodes = Vec<Option<LookedUp>>;

impl Lookups {
    fn of_node(&self, node: u32, lookup: &ClassLookup, caller: Caller<'_>) -> LookedUp {
        let mut known = self.known.borrow_mut();
        let of_all = || self.fleets.for_caller(caller, |fleet| Self::of_all(fleet, lookup));
        let of_nodes = known.entry((lookup.clone(), caller.key())).or_insert_with(of_all);
        of_nodes.get(node as usize).cloned().flatten().unwrap_or_default()
    }

    fn of_all(fleet: &Fleet, lookup: &ClassLookup) -> OfNodes {
        let mut of_nodes = vec![None; fleet.nodes().len()];
        for shared in fleet.answers(&request(lookup)) {
            let answer: &Answer = &shared.answer;
            let classes = classes_of_answer(answer, lookup);
            for node in shared.nodes {
                of_nodes[node as usize] = Some(classes.clone());
            }
        }
        of_nodes
    }
}
