//! `textDocument/didOpen`

use tower_lsp_server::ls_types::DidOpenTextDocumentParams;

use crate::server::from_proto;
use crate::server::session::Session;
use crate::world::Change;

/// From now on, the editor's text is used instead of the file on the disk.
pub(in crate::server) fn did_open(session: &mut Session, params: DidOpenTextDocumentParams) {
    let document = params.text_document;
    let Some(path) = from_proto::path(&document.uri) else {
        return;
    };

    // The version is known before the text changes, so requests that still run on the old text notice it.
    session.remembered().keep_version(&path, document.version);
    session.remember_uri(&path, document.uri);
    session.apply(Change::OpenBuffer { path, text: document.text, version: document.version });
    session.note_unread_settings();
}
