//! `textDocument/references`

use tower_lsp_server::ls_types::{Location, ReferenceParams};

use crate::server::context::Context;
use crate::server::{from_proto, to_proto};

/// Returns all references to what is under the cursor.
pub(in crate::server) fn references(
    context: &Context,
    params: ReferenceParams,
) -> Option<Vec<Location>> {
    let (file, offset) = from_proto::place(context, &params.text_document_position)?;

    let found = (context.features.references)(&context.world, &file.path, offset, &context.cancel);

    let with_declarations = params.context.include_declaration;
    let wanted = found.iter().filter(|it| with_declarations || !it.is_declaration);
    let wanted = wanted.filter_map(|it| to_proto::place(context, &it.path, it.range)).collect();
    let token = params.partial_result_params.partial_result_token;
    Some(context.parts.send_list(token.as_ref(), wanted))
}
