//! `textDocument/didChange`

use tower_lsp_server::ls_types::DidChangeTextDocumentParams;

use crate::server::from_proto;
use crate::server::session::Session;
use crate::world::Change;

/// Applies an edit of the user.
pub(in crate::server) fn did_change(session: &mut Session, params: DidChangeTextDocumentParams) {
    let Some(path) = from_proto::path(&params.text_document.uri) else {
        return;
    };

    // Requests that are still running compare this number with that of their snapshot.
    session.remembered().keep_version(&path, params.text_document.version);
    session.apply(Change::EditBuffer {
        path,
        version: params.text_document.version,
        edits: from_proto::buffer_edits(params.content_changes),
        encoding: session.encoding(),
    });
}
