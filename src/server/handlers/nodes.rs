//! `hiera/nodes` and `hiera/nodeOf`: the sample nodes that the user can choose, and the node that a file is shown for.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tower_lsp_server::ls_types::TextDocumentIdentifier;

use crate::config::Environment;
use crate::facts::{Node, Origin};
use crate::ide::{NodeFact, hierarchy_variables, node_facts, open_variables};
use crate::server::context::Context;
use crate::server::from_proto;
use crate::world::World;

/// A sample node, as clients list it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(in crate::server) struct NodeItem {
    pub(in crate::server) name: String,
    /// The path of the fact set; `name` if only the name is known; `any` if it is not a single machine.
    pub(in crate::server) origin: String,
    /// The environment whose data the node sees.
    pub(in crate::server) environment: String,
    /// Whether results in this environment that do not belong to a file are for this node.
    pub(in crate::server) active: bool,
    /// The variables that the hierarchy uses, with the node's values.
    pub(in crate::server) facts: Vec<FactItem>,
}

/// A variable of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(in crate::server) struct FactItem {
    name: String,
    value: String,
}

/// The parameters of `hiera/nodeOf`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::server) struct NodeOfParams {
    text_document: TextDocumentIdentifier,
}

/// The node that results are for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(in crate::server) struct ActiveNodeItem {
    #[serde(flatten)]
    pub(in crate::server) node: NodeItem,
    /// Whether the node was chosen. If not, a file is shown for any node that reads it.
    chosen: bool,
    /// The variables that the hierarchy uses and that are not known for the node.
    open: Vec<String>,
    /// What is assumed about variables that are not known.
    assumed: Vec<FactItem>,
}

/// Returns the node that results about a file are for; `null` if the file does not belong to an environment.
pub(in crate::server) fn node_of(
    context: &Context,
    params: NodeOfParams,
) -> Option<ActiveNodeItem> {
    let path = from_proto::path(&params.text_document.uri)?;
    let world = &context.world;
    let environment = world.environment_shown(&path)?;
    let node = world.node_of_file(&environment, &path);
    Some(active_item(world, &environment, &node))
}

/// Returns all sample nodes, environment by environment.
pub(in crate::server) fn nodes(context: &Context, (): ()) -> Vec<NodeItem> {
    let mut items = Vec::new();
    for environment in environments(&context.world) {
        let active = context.world.active_node(&environment);
        let asked_for = hierarchy_variables(&context.world, &environment);
        for node in context.world.nodes(&environment).iter() {
            let is_active = active.name == node.name;
            items.push(item(&environment, node, is_active, &asked_for));
        }
    }
    items
}

/// The sample node for results that do not belong to a file: the chosen node if any environment has it, otherwise that of
/// the first environment.
pub(in crate::server) fn active_node(world: &World) -> Option<ActiveNodeItem> {
    let active = |environment: &Arc<Environment>| {
        active_item(world, environment, &world.active_node(environment))
    };
    let mut items: Vec<ActiveNodeItem> = environments(world).iter().map(active).collect();
    let chosen = world.active_node_name();
    let is_it = |item: &ActiveNodeItem| chosen.is_some_and(|name| **name == *item.node.name);
    let at = items.iter().position(is_it);
    if items.is_empty() { None } else { Some(items.swap_remove(at.unwrap_or(0))) }
}

/// Whether any environment has a sample node of this name.
pub(in crate::server) fn has_node(world: &World, name: &str) -> bool {
    let has = |environment: &Arc<Environment>| {
        world.nodes(environment).iter().any(|node| &*node.name == name)
    };
    environments(world).iter().any(has)
}

/// The environments of the workspace, and those of open files outside the workspace.
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

fn active_item(world: &World, environment: &Environment, node: &Node) -> ActiveNodeItem {
    let chosen = world.chosen_node(environment).is_some_and(|chosen| chosen.name == node.name);
    let asked_for = hierarchy_variables(world, environment);
    let open = open_variables(node, &asked_for).iter().map(ToString::to_string).collect();
    let assumed = world.assumed().iter();
    let assumed = assumed
        .map(|(name, text)| FactItem { name: name.to_string(), value: text.to_string() })
        .collect();
    ActiveNodeItem { node: item(environment, node, true, &asked_for), chosen, open, assumed }
}

fn item(environment: &Environment, node: &Node, active: bool, asked_for: &[Arc<str>]) -> NodeItem {
    let origin = match &node.origin {
        Origin::File(path) => path.to_string(),
        Origin::Name => "name".to_owned(),
        Origin::Any => "any".to_owned(),
    };
    let environment = environment.name_for(node.environment.as_deref()).to_string();
    let facts = node_facts(node, asked_for);
    let facts =
        facts.into_iter().map(|NodeFact { name, value }| FactItem { name, value }).collect();
    NodeItem { name: node.name.to_string(), origin, environment, active, facts }
}
