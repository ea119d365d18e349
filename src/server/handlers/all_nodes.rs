//! `hiera/allNodes`: the values of one key for all sample nodes.

use serde::Serialize;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::Location;

use crate::ide::preview::{self, GroupKind, NodeGroup};
use crate::server::context::Context;
use crate::server::preview_proto::{
    Named, PreviewItem, QuestionParams, View, item, location, unknown_node,
};

/// The result: the document and the groups.
#[derive(Debug, Clone, Serialize)]
pub(in crate::server) struct AllNodesItem {
    #[serde(flatten)]
    preview: PreviewItem,
    groups: Vec<GroupItem>,
}

#[derive(Debug, Clone, Serialize)]
struct GroupItem {
    value: String,
    kind: &'static str,
    nodes: Vec<String>,
    outlier: bool,
    locations: Vec<Location>,
}

/// Handles the request: groups the nodes by value, outliers first.
pub(in crate::server) fn all_nodes(
    context: &Context,
    params: QuestionParams,
) -> Result<Option<AllNodesItem>> {
    let question = params.question(context);

    let all = preview::all_nodes(&context.world, &question, &context.cancel);

    let all = all.map_err(|error| unknown_node(&error))?;
    let named = Named::new(View::AllNodes, &params);
    Ok(all.map(|all| AllNodesItem {
        preview: item(context, &named, all.preview),
        groups: all.groups.into_iter().map(|group| group_item(context, group)).collect(),
    }))
}

fn group_item(context: &Context, group: NodeGroup) -> GroupItem {
    let locations = group.places.into_iter().filter_map(|place| location(context, place));
    GroupItem {
        kind: match group.kind {
            GroupKind::Value => "value",
            GroupKind::Depends => "depends",
            GroupKind::Missing => "missing",
            GroupKind::Failed => "failed",
        },
        nodes: group.nodes.iter().map(ToString::to_string).collect(),
        outlier: group.is_outlier,
        locations: locations.collect(),
        value: group.value,
    }
}
