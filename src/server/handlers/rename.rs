//! `textDocument/prepareRename` and `textDocument/rename`

use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp_server::ls_types::notification::ShowMessage;
use tower_lsp_server::ls_types::{
    MessageType, PrepareRenameResponse, RenameParams, ShowMessageParams,
    TextDocumentPositionParams, WorkspaceEdit,
};

use crate::ide;
use crate::server::context::Context;
use crate::server::workspace_edit::labelled_edit;
use crate::server::{from_proto, to_proto};

/// LSP's error code `RequestFailed`: the request is valid, but it failed.
const REQUEST_FAILED: i64 = -32803;

/// Returns the name under the cursor.
pub(in crate::server) fn prepare_rename(
    context: &Context,
    params: TextDocumentPositionParams,
) -> Result<Option<PrepareRenameResponse>> {
    let Some((file, offset)) = from_proto::place(context, &params) else { return Ok(None) };

    let target = ide::prepare_rename(&context.world, &file.path, offset);

    let target = target.map_err(failed)?;
    Ok(target.map(|target| PrepareRenameResponse::RangeWithPlaceholder {
        range: to_proto::range(context, &file, target.range),
        placeholder: target.name,
    }))
}

/// Returns the edits of a rename. Warnings for the user are shown as a message.
pub(in crate::server) fn rename(
    context: &Context,
    params: RenameParams,
) -> Result<Option<WorkspaceEdit>> {
    let place = from_proto::place(context, &params.text_document_position);
    let Some((file, offset)) = place else { return Ok(None) };

    let edits = ide::rename(&context.world, &file.path, offset, &params.new_name, &context.cancel);

    let Some(edits) = edits.map_err(failed)? else { return Ok(None) };
    show_warnings(context, &edits.warnings);
    Ok(labelled_edit(context, &edits))
}

/// A response to a rename has no place for warnings, and not every client shows labels.
pub(super) fn show_warnings(context: &Context, warnings: &[String]) {
    if !warnings.is_empty() {
        let params = ShowMessageParams { typ: MessageType::WARNING, message: warnings.join("\n") };
        context.outgoing.notify::<ShowMessage>(&params);
    }
}

fn failed(why: String) -> Error {
    Error { code: ErrorCode::ServerError(REQUEST_FAILED), message: why.into(), data: None }
}
