//! `textDocument/documentSymbol`

use tower_lsp_server::ls_types::{DocumentSymbolParams, DocumentSymbolResponse};

use crate::server::context::Context;
use crate::server::{from_proto, to_proto};

/// The keys of a file.
pub(in crate::server) fn document_symbol(
    context: &Context,
    params: DocumentSymbolParams,
) -> Option<DocumentSymbolResponse> {
    let file = from_proto::file(context, &params.text_document.uri)?;

    let symbols = (context.features.document_symbols)(&context.world, &file.path, &context.cancel);

    Some(if context.client.nested_symbols {
        let symbol = |symbol| to_proto::document_symbol(context, &file, symbol);
        DocumentSymbolResponse::Nested(symbols.into_iter().map(symbol).collect())
    } else {
        DocumentSymbolResponse::Flat(to_proto::flat_symbols(context, &file, &symbols))
    })
}
