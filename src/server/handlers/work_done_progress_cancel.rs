//! `window/workDoneProgress/cancel`

use tower_lsp_server::ls_types::{NumberOrString, WorkDoneProgressCancelParams};

use crate::server::session::Session;
use crate::server::warm_up::TOKEN;

/// The user cancels the reading of the workspace.
pub(in crate::server) fn work_done_progress_cancel(
    session: &mut Session,
    params: WorkDoneProgressCancelParams,
) {
    if params.token == NumberOrString::String(TOKEN.to_owned()) {
        session.signals().cancel_warm_up();
    }
}
