//! `textDocument/foldingRange`

use tower_lsp_server::ls_types::{FoldingRange, FoldingRangeParams};

use crate::ide;
use crate::server::context::Context;
use crate::server::from_proto;
use crate::server::pieces::write_list;
use crate::server::raw::Json;

/// Lines that can be folded, in the form that is sent: the first and the last line, counted from the start of the entry,
/// and whether they are comments.
pub(in crate::server) type FoldPiece = (u32, u32, bool);

/// Returns the foldable ranges. They are whole lines, which all clients support.
pub(in crate::server) fn folding_range(
    context: &Context,
    params: FoldingRangeParams,
) -> Option<Vec<FoldingRange>> {
    let file = from_proto::file(context, &params.text_document.uri)?;

    let placed = context.remembered.folds.of(
        context,
        &file,
        |known| ide::fold_parts(&context.world, &file.path, known, &context.cancel),
        |places, folds| {
            let piece = |fold: crate::ide::Fold| {
                let [start, end] = places.range(fold.range);
                (start.line, end.line, fold.is_comment)
            };
            folds.into_iter().map(piece).collect::<Box<[FoldPiece]>>()
        },
    );

    let mut json = Json::default();
    json.raw("[");
    write_list(&mut json, &placed, "", |json, line, folds| {
        for (start, end, is_comment) in folds {
            json.comma().raw(r#"{"startLine":"#).number(line + start);
            json.raw(r#","endLine":"#).number(line + end);
            json.raw(if *is_comment { r#","kind":"comment"}"# } else { "}" });
        }
    });
    json.raw("]");
    context.raw.set(json);
    None
}
