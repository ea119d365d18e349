//! `textDocument/foldingRange`

use tower_lsp_server::ls_types::{FoldingRange, FoldingRangeKind, FoldingRangeParams};

use crate::server::context::Context;
use crate::server::{from_proto, to_proto};

/// What can be folded: whole lines, which all clients can.
pub(in crate::server) fn folding_range(
    context: &Context,
    params: FoldingRangeParams,
) -> Option<Vec<FoldingRange>> {
    let file = from_proto::file(context, &params.text_document.uri)?;

    let folds = (context.features.folds)(&context.world, &file.path, &context.cancel);

    let fold = |fold: crate::ide::Fold| {
        let range = to_proto::range(context, &file, fold.range);
        FoldingRange {
            start_line: range.start.line,
            end_line: range.end.line,
            kind: fold.is_comment.then_some(FoldingRangeKind::Comment),
            ..FoldingRange::default()
        }
    };
    Some(folds.into_iter().map(fold).collect())
}
