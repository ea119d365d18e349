//! `workspace/didChangeWorkspaceFolders`

use tower_lsp_server::ls_types::DidChangeWorkspaceFoldersParams;

use crate::server::session::Session;

/// Folders were added to the workspace or removed from it.
pub(in crate::server) fn did_change_workspace_folders(
    session: &mut Session,
    params: DidChangeWorkspaceFoldersParams,
) {
    session.change_folders(&params.event.added, &params.event.removed);
}
