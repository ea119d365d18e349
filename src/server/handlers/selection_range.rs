//! `textDocument/selectionRange`

use tower_lsp_server::ls_types::{Range, SelectionRange, SelectionRangeParams};

use crate::ide;
use crate::server::context::Context;
use crate::server::{from_proto, to_proto};

/// Returns what "expand selection" selects at each position. The result is empty for files that do not belong to Hiera.
pub(in crate::server) fn selection_range(
    context: &Context,
    params: SelectionRangeParams,
) -> Option<Vec<SelectionRange>> {
    let file = from_proto::file(context, &params.text_document.uri)?;

    let selections = |position| {
        let at = Range { start: position, end: position };
        let offset = from_proto::range(context, &file, at).start;
        let ranges = ide::selections(&context.world, &file.path, offset);
        let ranges = ranges.into_iter().map(|range| to_proto::range(context, &file, range));
        // The ranges start with the smallest. LSP nests them from the outside, so the largest one is built first.
        ranges.rev().fold(None, |parent, range| {
            Some(SelectionRange { range, parent: parent.map(Box::new) })
        })
    };

    params.positions.into_iter().map(selections).collect()
}
