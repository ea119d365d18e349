//! `textDocument/semanticTokens/full`, `/full/delta` and `/range`

use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    SemanticToken, SemanticTokens, SemanticTokensDelta, SemanticTokensDeltaParams,
    SemanticTokensEdit, SemanticTokensFullDeltaResult, SemanticTokensParams,
    SemanticTokensRangeParams, SemanticTokensRangeResult, SemanticTokensResult,
};

use crate::ide::SemanticKind;
use crate::server::context::Context;
use crate::server::from_proto;
use crate::text::TextRange;
use crate::world::FileEntry;

/// Numbers that a token takes.
const NUMBERS_PER_TOKEN: u32 = 5;

/// The bit of the modifier `overridden`, the only one.
const OVERRIDDEN: u32 = 1;

/// All tokens of a file.
pub(in crate::server) fn full(
    context: &Context,
    params: SemanticTokensParams,
) -> Result<Option<SemanticTokensResult>> {
    let Some(file) = from_proto::file(context, &params.text_document.uri) else { return Ok(None) };
    context.is_still_shown(&file)?;

    let data = tokens(context, &file, TextRange::new(0, file.text.len() as u32));

    let id = context.remembered.keep_tokens(params.text_document.uri.as_str(), data.clone());
    Ok(Some(SemanticTokensResult::Tokens(SemanticTokens { result_id: Some(id), data })))
}

/// What differs from the tokens that the client has; all of them if we do not know those any more.
pub(in crate::server) fn delta(
    context: &Context,
    params: SemanticTokensDeltaParams,
) -> Result<Option<SemanticTokensFullDeltaResult>> {
    let Some(file) = from_proto::file(context, &params.text_document.uri) else { return Ok(None) };
    context.is_still_shown(&file)?;
    let uri = params.text_document.uri.as_str();
    let before = context.remembered.tokens(uri, &params.previous_result_id);

    let data = tokens(context, &file, TextRange::new(0, file.text.len() as u32));

    let id = Some(context.remembered.keep_tokens(uri, data.clone()));
    Ok(Some(match before {
        Some(before) => SemanticTokensFullDeltaResult::TokensDelta(SemanticTokensDelta {
            result_id: id,
            edits: edit(&before, data).into_iter().collect(),
        }),
        None => SemanticTokensFullDeltaResult::Tokens(SemanticTokens { result_id: id, data }),
    }))
}

/// The tokens of a part of a file.
pub(in crate::server) fn range(
    context: &Context,
    params: SemanticTokensRangeParams,
) -> Result<Option<SemanticTokensRangeResult>> {
    let Some(file) = from_proto::file(context, &params.text_document.uri) else { return Ok(None) };
    let range = from_proto::range(context, &file, params.range);
    context.is_still_shown(&file)?;

    let data = tokens(context, &file, range);

    Ok(Some(SemanticTokensRangeResult::Tokens(SemanticTokens { result_id: None, data })))
}

fn tokens(context: &Context, file: &FileEntry, range: TextRange) -> Vec<SemanticToken> {
    let found = context.features.semantic_tokens;
    let found = found(&context.world, &file.path, range, &context.cancel);
    let index = file.line_index();
    let mut tokens = Vec::with_capacity(found.len());
    let mut last = (0, 0);
    for token in found {
        let kind = SemanticKind::NAMES.iter().position(|(kind, _)| *kind == token.kind);
        for line in index.line_of(token.range.start)..=index.line_of(token.range.end) {
            let whole = index.line_range(&file.text, line);
            let (start, end) = (token.range.start.max(whole.start), token.range.end.min(whole.end));
            if start >= end {
                continue;
            }
            let column = |at| index.line_col(&file.text, at, context.encoding).col;
            let (from, to) = (column(start), column(end));
            let delta_start = if line == last.0 { from - last.1 } else { from };
            tokens.push(SemanticToken {
                delta_line: line - last.0,
                delta_start,
                length: to - from,
                token_type: kind.unwrap_or_default() as u32,
                token_modifiers_bitset: if token.is_overridden { OVERRIDDEN } else { 0 },
            });
            last = (line, from);
        }
    }
    tokens
}

/// One edit from what the client has to what is now; `None` if that is the same.
fn edit(before: &[SemanticToken], mut now: Vec<SemanticToken>) -> Option<SemanticTokensEdit> {
    let same = |(a, b): &(&SemanticToken, &SemanticToken)| a == b;
    let start = before.iter().zip(&now).take_while(same).count();
    let rest = (before[start..].iter().rev()).zip(now[start..].iter().rev());
    let end = rest.take_while(same).count();
    let deleted = before.len() - start - end;
    now.truncate(now.len() - end);
    let inserted = now.split_off(start);
    (deleted > 0 || !inserted.is_empty()).then(|| SemanticTokensEdit {
        start: start as u32 * NUMBERS_PER_TOKEN,
        delete_count: deleted as u32 * NUMBERS_PER_TOKEN,
        data: (!inserted.is_empty()).then_some(inserted),
    })
}
