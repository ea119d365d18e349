//! `workspace/didChangeConfiguration`

use tower_lsp_server::ls_types::DidChangeConfigurationParams;

use crate::server::session::Session;

/// Takes the changed settings of the editor.
pub(in crate::server) fn did_change_configuration(
    session: &mut Session,
    params: DidChangeConfigurationParams,
) {
    session.settings_changed(params.settings);
}
