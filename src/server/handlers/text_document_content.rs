//! `workspace/textDocumentContent`: a preview as a document that the client opens by its URI.

use serde::{Deserialize, Serialize};
use tower_lsp_server::ls_types::Uri;

use crate::server::context::Context;
use crate::server::preview_proto;

/// The parameters: the URI of the document.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::server) struct TextDocumentContentParams {
    uri: Uri,
}

/// The result: the text of the document.
#[derive(Debug, Clone, Serialize)]
pub(in crate::server) struct TextDocumentContentResult {
    text: String,
}

/// Returns the text of a preview. If there is none, the text says so, because clients do not show errors in the document.
pub(in crate::server) fn text_document_content(
    context: &Context,
    params: TextDocumentContentParams,
) -> TextDocumentContentResult {
    let preview = preview_proto::document(context, &params.uri);

    // A preview that is not available now may be available later, so it is refreshed as well.
    context.remembered.keep_document(params.uri.as_str());
    let text = preview.map_or_else(|| "# not available\n".to_owned(), |preview| preview.text);
    TextDocumentContentResult { text }
}
