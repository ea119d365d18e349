//! `hiera/explain`: how a lookup finds its value.

use serde::Serialize;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::Location;

use crate::ide::preview::{self, Step, StepKind};
use crate::server::context::Context;
use crate::server::preview_proto::{
    Named, PreviewItem, QuestionParams, View, item, location, unknown_node,
};

/// The result: the document and the tree.
#[derive(Debug, Clone, Serialize)]
pub(in crate::server) struct ExplainItem {
    #[serde(flatten)]
    preview: PreviewItem,
    tree: Vec<StepItem>,
}

#[derive(Debug, Clone, Serialize)]
struct StepItem {
    label: String,
    detail: String,
    kind: &'static str,
    location: Option<Location>,
    children: Vec<StepItem>,
}

/// Handles the request.
pub(in crate::server) fn explain(
    context: &Context,
    params: QuestionParams,
) -> Result<Option<ExplainItem>> {
    let question = params.question(context);

    let explained = preview::explain(&context.world, &question, &context.cancel);

    let explained = explained.map_err(|error| unknown_node(&error))?;
    let named = Named::new(View::Explanation, &params);
    Ok(explained.map(|explained| ExplainItem {
        preview: item(context, &named, explained.preview),
        tree: explained.steps.into_iter().map(|step| step_item(context, step)).collect(),
    }))
}

fn step_item(context: &Context, step: Step) -> StepItem {
    StepItem {
        label: step.label,
        detail: step.detail,
        kind: match step.kind {
            StepKind::Step => "step",
            StepKind::Found => "found",
            StepKind::Result => "result",
            StepKind::Overridden => "overridden",
            StepKind::Missing => "missing",
            StepKind::Opaque => "opaque",
            StepKind::Failed => "failed",
        },
        location: step.place.and_then(|place| location(context, place)),
        children: step.children.into_iter().map(|child| step_item(context, child)).collect(),
    }
}
