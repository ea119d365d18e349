//! `textDocument/documentHighlight`

use tower_lsp_server::ls_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams,
};

use crate::ide;
use crate::server::context::Context;
use crate::server::{from_proto, to_proto};

/// Returns the places in the same file that refer to what is under the cursor.
pub(in crate::server) fn document_highlight(
    context: &Context,
    params: DocumentHighlightParams,
) -> Option<Vec<DocumentHighlight>> {
    let (file, offset) = from_proto::place(context, &params.text_document_position_params)?;

    let found = ide::highlights(&context.world, &file.path, offset);

    let highlight = |range, is_declaration| DocumentHighlight {
        range: to_proto::range(context, &file, range),
        kind: Some(if is_declaration {
            DocumentHighlightKind::WRITE
        } else {
            DocumentHighlightKind::READ
        }),
    };
    Some(found.into_iter().map(|it| highlight(it.range, it.is_declaration)).collect())
}
