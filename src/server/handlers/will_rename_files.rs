//! `workspace/willRenameFiles`

use tower_lsp_server::ls_types::{FileRename, RenameFilesParams, Uri, WorkspaceEdit};

use crate::ide::{self, LabelledEdits};
use crate::server::context::Context;
use crate::server::from_proto;
use crate::server::handlers::rename::show_warnings;
use crate::server::workspace_edit::labelled_edit;

/// Returns the edits that keep every `hiera.yaml` correct when files are renamed.
pub(in crate::server) fn will_rename_files(
    context: &Context,
    params: RenameFilesParams,
) -> Option<WorkspaceEdit> {
    let mut all = LabelledEdits::default();
    for (old, new) in params.files.iter().filter_map(paths_of) {
        let edits = ide::rename_file(&context.world, &old, &new);
        all.warnings.extend(edits.warnings);
        for file in edits.files {
            // One `hiera.yaml` may name several of the renamed files.
            match all.files.iter_mut().find(|it| it.path == file.path) {
                Some(known) => known.edits.extend(file.edits),
                None => all.files.push(file),
            }
        }
    }
    show_warnings(context, &all.warnings);
    if all.files.is_empty() {
        return None;
    }

    labelled_edit(context, &all)
}

fn paths_of(rename: &FileRename) -> Option<(String, String)> {
    let path = |uri: &str| from_proto::path(&uri.parse::<Uri>().ok()?);
    Some((path(&rename.old_uri)?, path(&rename.new_uri)?))
}
