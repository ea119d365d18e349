//! `hiera/editedKeys`: what the edit of each key of a file changes, for status bars.

use serde::Serialize;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::Range;

use crate::ide::changes;
use crate::server::context::Context;
use crate::server::preview_proto::QuestionParams;
use crate::server::{from_proto, to_proto};

/// An edited key.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::server) struct EditedKeyItem {
    key: String,
    /// The entry, from its key to the end of its value.
    range: Range,
    /// The key.
    selection_range: Range,
    /// `changes 66 of 622 nodes`
    title: String,
}

/// Returns the edited keys of a file in their order. `null` if it is not a data file.
pub(in crate::server) fn edited_keys(
    context: &Context,
    params: QuestionParams,
) -> Result<Option<Vec<EditedKeyItem>>> {
    let document = params.text_document.as_ref();
    let Some(file) = document.and_then(|it| from_proto::file(context, &it.uri)) else {
        return Ok(None);
    };
    context.is_still_shown(&file)?;
    let found = changes::edited_keys(&context.world, &file.path, &context.cancel);
    let item = |edited: crate::ide::changes::EditedKey| EditedKeyItem {
        range: to_proto::range(context, &file, edited.entry),
        selection_range: to_proto::range(context, &file, edited.range),
        key: edited.key.to_string(),
        title: edited.title,
    };
    Ok(Some(found.into_iter().map(item).collect()))
}
