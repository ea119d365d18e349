//! `textDocument/documentLink`

use tower_lsp_server::ls_types::{DocumentLink, DocumentLinkParams};

use crate::server::context::Context;
use crate::server::{from_proto, to_proto};

/// The paths of a `hiera.yaml` that lead to files.
pub(in crate::server) fn document_link(
    context: &Context,
    params: DocumentLinkParams,
) -> Option<Vec<DocumentLink>> {
    let file = from_proto::file(context, &params.text_document.uri)?;

    let links = (context.features.document_links)(&context.world, &file.path, &context.cancel);

    let link = |link: crate::ide::DocumentLink| DocumentLink {
        range: to_proto::range(context, &file, link.range),
        target: Some(to_proto::uri(context, &link.path)),
        tooltip: Some(link.tooltip),
        data: None,
    };
    Some(links.into_iter().map(link).collect())
}
