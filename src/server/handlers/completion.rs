//! `textDocument/completion` and `completionItem/resolve`

use serde::{Deserialize, Serialize};
use tower_lsp_server::ls_types::{
    CompletionItem, CompletionList, CompletionParams, CompletionResponse, Documentation,
};

use crate::ide;
use crate::server::context::Context;
use crate::server::{from_proto, to_proto};

/// The data of an item, for the request that resolves it.
#[derive(Debug, Serialize, Deserialize)]
struct ItemData {
    path: String,
    key: String,
}

/// Returns the completions at the cursor.
pub(in crate::server) fn completion(
    context: &Context,
    params: CompletionParams,
) -> Option<CompletionResponse> {
    let (file, offset) = from_proto::place(context, &params.text_document_position)?;

    let found = ide::completion(&context.world, &file.path, offset, &context.cancel);

    let item = |completion: crate::ide::Completion| {
        let key = completion.key.clone();
        let data = key.map(|key| ItemData { path: file.path.to_string(), key });
        CompletionItem {
            data: data.and_then(|data| serde_json::to_value(data).ok()),
            ..to_proto::completion(context, &file, completion)
        }
    };
    Some(CompletionResponse::List(CompletionList {
        is_incomplete: found.is_incomplete,
        items: found.items.into_iter().map(item).collect(),
    }))
}

/// Adds the value of an item's key.
pub(in crate::server) fn completion_resolve(
    context: &Context,
    mut item: CompletionItem,
) -> CompletionItem {
    let data = item.data.clone().and_then(|data| serde_json::from_value::<ItemData>(data).ok());
    let Some(data) = data else { return item };

    let help = ide::completion_help(&context.world, &data.path, &data.key, &context.cancel);

    let is_read = context.client.markdown_in_completions;
    let content = |text| Documentation::MarkupContent(to_proto::markup(text, is_read));
    item.documentation = help.map(content);
    item
}
