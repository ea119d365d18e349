//! `workspace/textDocumentContent`: a preview as a document that the client opens by its URI.

use serde::{Deserialize, Serialize};
use tower_lsp_server::ls_types::Uri;

use crate::server::context::Context;
use crate::server::preview_proto;

/// Which document.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::server) struct TextDocumentContentParams {
    uri: Uri,
}

/// Its text.
#[derive(Debug, Clone, Serialize)]
pub(in crate::server) struct TextDocumentContentResult {
    text: String,
}

/// The text of a preview. A document that cannot be made says so: clients show errors in other places.
pub(in crate::server) fn text_document_content(
    context: &Context,
    params: TextDocumentContentParams,
) -> TextDocumentContentResult {
    let preview = preview_proto::document(context, &params.uri);

    context.remembered.keep_document(params.uri.as_str());
    let text = preview.map_or_else(|| "# not available\n".to_owned(), |preview| preview.text);
    TextDocumentContentResult { text }
}
