//! `textDocument/definition`, `textDocument/implementation` and `textDocument/declaration`

use tower_lsp_server::ls_types::{GotoDefinitionParams, GotoDefinitionResponse};

use crate::ide::{self, Target};
use crate::server::context::Context;
use crate::server::{from_proto, preview_proto, to_proto};
use crate::world::FileEntry;

/// Returns the definitions of what is under the cursor.
pub(in crate::server) fn definition(
    context: &Context,
    params: GotoDefinitionParams,
) -> Option<GotoDefinitionResponse> {
    let at = &params.text_document_position_params;
    // A preview is not a file, but its lines come from files.
    if let Some(preview) = preview_proto::document(context, &at.text_document.uri) {
        let line = preview.lines.iter().find(|line| line.line == at.position.line)?;
        let location = preview_proto::location(context, line.place?)?;
        return Some(GotoDefinitionResponse::Scalar(location));
    }
    let (file, offset) = from_proto::place(context, at)?;

    let targets =
        (context.features.definition)(&context.world, &file.path, offset, &context.cancel);

    Some(response(context, &file, &targets, context.client.definition_links))
}

/// Returns all levels that have the key, the level that wins first. We treat these as the implementations of a key.
pub(in crate::server) fn implementation(
    context: &Context,
    params: GotoDefinitionParams,
) -> Option<GotoDefinitionResponse> {
    let (file, offset) = from_proto::place(context, &params.text_document_position_params)?;

    let targets =
        (context.features.definition)(&context.world, &file.path, offset, &context.cancel);

    Some(response(context, &file, &targets, context.client.implementation_links))
}

/// Returns the lowest level that has the key.
pub(in crate::server) fn declaration(
    context: &Context,
    params: GotoDefinitionParams,
) -> Option<GotoDefinitionResponse> {
    let (file, offset) = from_proto::place(context, &params.text_document_position_params)?;

    let targets = ide::declaration(&context.world, &file.path, offset, &context.cancel);

    Some(response(context, &file, &targets, context.client.declaration_links))
}

fn response(
    context: &Context,
    file: &FileEntry,
    targets: &[Target],
    as_links: bool,
) -> GotoDefinitionResponse {
    let targets = targets.iter();
    if as_links {
        let link = |target| to_proto::location_link(context, file, target);
        GotoDefinitionResponse::Link(targets.filter_map(link).collect())
    } else {
        let location = |target| to_proto::location(context, target);
        GotoDefinitionResponse::Array(targets.filter_map(location).collect())
    }
}
