//! `textDocument/inlayHint`

use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    InlayHint, InlayHintLabel, InlayHintLabelPart, InlayHintLabelPartTooltip, InlayHintParams,
};

use crate::ide;
use crate::server::context::Context;
use crate::server::{from_proto, preview_proto, to_proto};
use crate::text::TextRange;

/// Returns hints with the values of `%{…}`, and with the values that are used instead of overridden ones.
pub(in crate::server) fn inlay_hint(
    context: &Context,
    params: InlayHintParams,
) -> Result<Option<Vec<InlayHint>>> {
    let Some(file) = from_proto::file(context, &params.text_document.uri) else { return Ok(None) };
    let range = from_proto::range(context, &file, params.range);
    context.is_still_shown(&file)?;

    let hints = ide::inlay_hints(&context.world, &file.path, range, &context.cancel);

    let hint = |hint: crate::ide::InlayHint| {
        let position = to_proto::range(context, &file, TextRange::empty(hint.offset)).start;
        // Short, because many lines have such a hint. The tooltip, a click and the lens show the place.
        let mut label = InlayHintLabelPart { value: hint.label, ..InlayHintLabelPart::default() };
        if let Some((text, place)) = hint.source {
            label.location = preview_proto::location(context, place);
            label.tooltip = Some(InlayHintLabelPartTooltip::String(text));
        }
        InlayHint {
            position,
            label: InlayHintLabel::LabelParts(vec![label]),
            kind: None,
            text_edits: None,
            tooltip: None,
            padding_left: Some(true),
            padding_right: Some(true),
            data: None,
        }
    };
    Ok(Some(hints.into_iter().map(hint).collect()))
}
