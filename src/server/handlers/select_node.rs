//! `hiera/selectNode`: chooses the sample node to show values for.

use std::sync::Arc;

use serde::Deserialize;
use tower_lsp_server::jsonrpc::{Error, Result};

use super::nodes::{ActiveNodeItem, active_node, has_node, nodes};
use crate::server::context::Context;
use crate::server::session::Session;
use crate::world::Change;

/// The maximum number of names in an error message.
const MAX_LISTED: usize = 20;

/// The parameters.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::server) struct SelectNodeParams {
    /// The name of a node; `null` is any node, even if the settings name one.
    name: Option<String>,
}

/// Changes the state: results of all later requests are for this node. If no node has the name, nothing changes.
pub(in crate::server) fn effect(session: &mut Session, params: SelectNodeParams) {
    let name = params.name.map(Arc::from);
    let world = session.context().world;
    // The response to the same request reports a name that no node has.
    if name.as_ref().is_none_or(|name| has_node(&world, name)) {
        session.apply(Change::ActiveNode(name));
    }
}

/// The response: the active node. It is an error to choose a node that does not exist.
pub(in crate::server) fn select_node(
    context: &Context,
    params: SelectNodeParams,
) -> Result<Option<ActiveNodeItem>> {
    let active = active_node(&context.world);
    let Some(name) = params.name else {
        return Ok(active);
    };
    // The effect has been applied before, so the active node tells whether the name was accepted.
    if active.as_ref().is_some_and(|active| active.node.name == name) {
        return Ok(active);
    }
    let mut names: Vec<String> = nodes(context, ()).into_iter().map(|node| node.name).collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(MAX_LISTED);
    let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    Err(Error::invalid_params(format!("no node has the name {name}; there are: {known}")))
}
