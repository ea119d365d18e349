//! `textDocument/didClose`

use tower_lsp_server::ls_types::DidCloseTextDocumentParams;

use crate::server::from_proto;
use crate::server::session::Session;
use crate::world::Change;

/// The file on the disk is used again.
pub(in crate::server) fn did_close(session: &mut Session, params: DidCloseTextDocumentParams) {
    let uri = &params.text_document.uri;
    let path = from_proto::path(uri);
    // The client also closes previews here, whose URIs do not name files.
    session.remembered().forget(uri.as_str(), path.as_deref());
    let Some(path) = path else {
        return;
    };

    session.forget_uri(&path);
    session.apply(Change::CloseBuffer { path });
}
