//! `hiera/nodes`: the sample nodes that answers can be shown for.

use std::sync::Arc;

use serde::Serialize;

use crate::config::Environment;
use crate::facts::{Node, Origin};
use crate::ide::{NodeFact, hierarchy_variables, node_facts};
use crate::server::context::Context;
use crate::world::World;

/// A sample node, as clients list it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(in crate::server) struct NodeItem {
    pub(in crate::server) name: String,
    /// The path of the fact set, or `inferred`.
    pub(in crate::server) origin: String,
    /// The environment whose data the node sees.
    pub(in crate::server) environment: String,
    /// Whether answers in that environment are for this node.
    pub(in crate::server) active: bool,
    /// What the hierarchy's paths ask for, with the node's values.
    pub(in crate::server) facts: Vec<FactItem>,
}

/// A variable of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(in crate::server) struct FactItem {
    name: String,
    value: String,
}

/// All sample nodes, environment by environment.
pub(in crate::server) fn nodes(context: &Context, (): ()) -> Vec<NodeItem> {
    let mut items = Vec::new();
    for environment in environments(&context.world) {
        let active = context.world.active_node(&environment);
        let asked_for = hierarchy_variables(&context.world, &environment);
        for node in context.world.nodes(&environment).iter() {
            let is_active = active.as_ref().is_some_and(|active| active.name == node.name);
            items.push(item(&environment, node, is_active, &asked_for));
        }
    }
    items
}

/// The sample node that answers are shown for: the one with the chosen name if any environment has it, else the first
/// environment's.
pub(in crate::server) fn active_node(world: &World) -> Option<NodeItem> {
    let active = |environment: &Arc<Environment>| {
        let node = world.active_node(environment)?;
        Some(item(environment, &node, true, &hierarchy_variables(world, environment)))
    };
    let mut items: Vec<NodeItem> = environments(world).iter().filter_map(active).collect();
    let chosen = world.active_node_name();
    let at = items.iter().position(|item| chosen.is_some_and(|name| **name == *item.name));
    if items.is_empty() { None } else { Some(items.swap_remove(at.unwrap_or(0))) }
}

/// Whether any environment has a sample node of this name.
pub(in crate::server) fn has_node(world: &World, name: &str) -> bool {
    let has = |environment: &Arc<Environment>| {
        world.nodes(environment).iter().any(|node| &*node.name == name)
    };
    environments(world).iter().any(has)
}

/// The environments of the workspace, and those of files that are open without being part of it.
fn environments(world: &World) -> Vec<Arc<Environment>> {
    let mut environments = world.environments().to_vec();
    for open in world.open_files() {
        if let Some(environment) = world.environment_of(&open.entry.path)
            && !environments.iter().any(|it| Arc::ptr_eq(it, &environment))
        {
            environments.push(environment);
        }
    }
    environments
}

fn item(environment: &Environment, node: &Node, active: bool, asked_for: &[Arc<str>]) -> NodeItem {
    let origin = match &node.origin {
        Origin::File(path) => path.to_string(),
        Origin::Inferred => "inferred".to_owned(),
    };
    let environment = environment.name.to_string();
    let facts = node_facts(node, asked_for);
    let facts =
        facts.into_iter().map(|NodeFact { name, value }| FactItem { name, value }).collect();
    NodeItem { name: node.name.to_string(), origin, environment, active, facts }
}
