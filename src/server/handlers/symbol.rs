//! `workspace/symbol`

use tower_lsp_server::ls_types::{WorkspaceSymbolParams, WorkspaceSymbolResponse};

use crate::server::context::Context;
use crate::server::to_proto;

/// Returns the keys of the workspace whose names match the query.
#[expect(clippy::unnecessary_wraps, reason = "the protocol's shape of an answer")]
pub(in crate::server) fn symbol(
    context: &Context,
    params: WorkspaceSymbolParams,
) -> Option<WorkspaceSymbolResponse> {
    let symbols =
        (context.features.workspace_symbols)(&context.world, &params.query, &context.cancel);

    let symbols = symbols.into_iter().filter_map(|it| to_proto::workspace_symbol(context, it));
    let token = params.partial_result_params.partial_result_token;
    let left = context.parts.send_list(token.as_ref(), symbols.collect());
    Some(WorkspaceSymbolResponse::Flat(left))
}
