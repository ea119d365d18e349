//! `textDocument/hover`

use tower_lsp_server::ls_types::{Hover, HoverParams};

use crate::server::context::Context;
use crate::server::{from_proto, to_proto};

/// Returns the value of what is under the cursor, and where it comes from.
pub(in crate::server) fn hover(context: &Context, params: HoverParams) -> Option<Hover> {
    let (file, offset) = from_proto::place(context, &params.text_document_position_params)?;

    let hover = (context.features.hover)(&context.world, &file.path, offset, &context.cancel)?;

    Some(to_proto::hover(context, &file, hover))
}
