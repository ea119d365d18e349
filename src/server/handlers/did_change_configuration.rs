//! `workspace/didChangeConfiguration`

use tower_lsp_server::ls_types::DidChangeConfigurationParams;

use crate::server::session::Session;

/// The editor's settings changed.
pub(in crate::server) fn did_change_configuration(
    session: &mut Session,
    params: DidChangeConfigurationParams,
) {
    session.settings_changed(params.settings);
}
