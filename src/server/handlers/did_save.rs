//! `textDocument/didSave`

use tower_lsp_server::ls_types::DidSaveTextDocumentParams;

use crate::server::from_proto;
use crate::server::session::Session;
use crate::world::Change;

/// The file on the disk has the editor's text now. Some clients do not watch files, but send this.
pub(in crate::server) fn did_save(session: &mut Session, params: DidSaveTextDocumentParams) {
    let Some(path) = from_proto::path(&params.text_document.uri) else {
        return;
    };

    session.apply(Change::DiskChanged(vec![path]));
}
