//! `hiera/compare`: the values of two nodes, or of the saved and the unsaved texts.

use serde::{Deserialize, Serialize};
use tower_lsp_server::jsonrpc::Result;

use crate::server::context::Context;
use crate::server::preview_proto::{
    Named, PreviewItem, QuestionParams, View, With, item, unknown_node,
};

/// A question, and what to compare its answer with.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::server) struct CompareParams {
    #[serde(flatten)]
    question: QuestionParams,
    with: With,
}

/// Both sides and the difference.
#[derive(Debug, Clone, Serialize)]
pub(in crate::server) struct ComparisonItem {
    diff: PreviewItem,
    left: PreviewItem,
    right: PreviewItem,
    differs: bool,
}

/// The values side by side.
pub(in crate::server) fn compare(
    context: &Context,
    params: CompareParams,
) -> Result<Option<ComparisonItem>> {
    let question = params.question.question(context);
    let with = params.with.counterpart()?;

    let both = (context.features.compare)(&context.world, &question, &with, &context.cancel);

    let both = both.map_err(|error| unknown_node(&error))?;
    let named = |view| Named { with: params.with.clone(), ..Named::new(view, &params.question) };
    Ok(both.map(|both| ComparisonItem {
        diff: item(context, &named(View::Difference), both.diff),
        left: item(context, &named(View::Left), both.left),
        right: item(context, &named(View::Right), both.right),
        differs: both.differs,
    }))
}
