//! `textDocument/documentLink`

use std::str::FromStr as _;

use tower_lsp_server::ls_types::{DocumentLink, DocumentLinkParams, Uri};

use crate::ide;
use crate::server::context::Context;
use crate::server::{from_proto, to_proto};

/// Returns the links of a file to other files.
pub(in crate::server) fn document_link(
    context: &Context,
    params: DocumentLinkParams,
) -> Option<Vec<DocumentLink>> {
    let file = from_proto::file(context, &params.text_document.uri)?;

    let links = ide::document_links(&context.world, &file.path);

    let link = |link: crate::ide::DocumentLink| DocumentLink {
        range: to_proto::range(context, &file, link.range),
        target: Some(target(context, &link)),
        tooltip: Some(link.tooltip),
        data: None,
    };
    Some(links.into_iter().map(link).collect())
}

/// The URI of the file, with `#L5` for line 5.
fn target(context: &Context, link: &crate::ide::DocumentLink) -> Uri {
    let file = to_proto::uri(context, &link.path);
    let with_line =
        link.line.and_then(|line| Uri::from_str(&format!("{}#L{line}", file.as_str())).ok());
    with_line.unwrap_or(file)
}
