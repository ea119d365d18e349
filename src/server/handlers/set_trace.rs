//! `$/setTrace`

use tower_lsp_server::ls_types::SetTraceParams;

use crate::server::session::Session;

/// Sets how much of its work the server reports to the client.
pub(in crate::server) fn set_trace(session: &mut Session, params: SetTraceParams) {
    session.set_trace(params.value);
}
