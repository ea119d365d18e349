//! `hiera/compare`: compares the values of two nodes, or the values before and after unsaved edits.

use serde::{Deserialize, Serialize};
use tower_lsp_server::jsonrpc::Result;

use crate::ide::preview;
use crate::server::context::Context;
use crate::server::preview_proto::{
    Named, PreviewItem, QuestionParams, View, With, item, unknown_node,
};

/// The parameters: a question, and what to compare with.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::server) struct CompareParams {
    #[serde(flatten)]
    question: QuestionParams,
    with: With,
}

/// The result: both sides and the diff.
#[derive(Debug, Clone, Serialize)]
pub(in crate::server) struct ComparisonItem {
    diff: PreviewItem,
    left: PreviewItem,
    right: PreviewItem,
    differs: bool,
}

/// Handles the request.
pub(in crate::server) fn compare(
    context: &Context,
    params: CompareParams,
) -> Result<Option<ComparisonItem>> {
    let question = params.question.question(context);
    let with = params.with.counterpart()?;

    let both = preview::compare(&context.world, &question, &with, &context.cancel);

    let both = both.map_err(|error| unknown_node(&error))?;
    let named = |view| Named { with: params.with.clone(), ..Named::new(view, &params.question) };
    Ok(both.map(|both| ComparisonItem {
        diff: item(context, &named(View::Difference), both.diff),
        left: item(context, &named(View::Left), both.left),
        right: item(context, &named(View::Right), both.right),
        differs: both.differs,
    }))
}
