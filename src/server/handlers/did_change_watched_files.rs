//! `workspace/didChangeWatchedFiles`

use tower_lsp_server::ls_types::DidChangeWatchedFilesParams;

use crate::server::from_proto;
use crate::server::session::Session;
use crate::world::Change;

/// Files on the disk were created, changed or removed. All files of a message are one change.
pub(in crate::server) fn did_change_watched_files(
    session: &mut Session,
    params: DidChangeWatchedFilesParams,
) {
    let changed = params.changes.iter().filter_map(|event| from_proto::path(&event.uri)).collect();

    session.apply(Change::DiskChanged(changed));
}
