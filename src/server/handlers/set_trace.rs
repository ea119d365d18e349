//! `$/setTrace`

use tower_lsp_server::ls_types::SetTraceParams;

use crate::server::session::Session;

/// How much the client wants to know of our work.
pub(in crate::server) fn set_trace(session: &mut Session, params: SetTraceParams) {
    session.set_trace(params.value);
}
