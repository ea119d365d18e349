//! `hiera/mergedValue`: the value that a lookup returns, with the origin of every leaf.

use tower_lsp_server::jsonrpc::Result;

use crate::ide::preview;
use crate::server::context::Context;
use crate::server::preview_proto::{Named, PreviewItem, QuestionParams, View, item, unknown_node};

/// Handles the request: the merged value of a key, of all keys of a file, or of all keys that a node gets.
pub(in crate::server) fn merged_value(
    context: &Context,
    params: QuestionParams,
) -> Result<Option<PreviewItem>> {
    let question = params.question(context);

    let preview = preview::merged_value(&context.world, &question, &context.cancel);

    let preview = preview.map_err(|error| unknown_node(&error))?;
    let named = Named::new(View::Value, &params);
    Ok(preview.map(|preview| item(context, &named, preview)))
}
