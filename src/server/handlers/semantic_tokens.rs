//! `textDocument/semanticTokens/full`, `/full/delta` and `/range`

use std::sync::Arc;

use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    SemanticToken, SemanticTokens, SemanticTokensDelta, SemanticTokensDeltaParams,
    SemanticTokensEdit, SemanticTokensFullDeltaResult, SemanticTokensParams,
    SemanticTokensRangeParams, SemanticTokensRangeResult, SemanticTokensResult,
};

use crate::ide::{self, SemanticKind};
use crate::server::context::Context;
use crate::server::from_proto;
use crate::server::pieces::{Places, Spot};
use crate::text::TextRange;
use crate::world::FileEntry;

/// The numbers that encode a token.
const NUMBERS_PER_TOKEN: u32 = 5;

/// The bit of `overridden`, the only modifier.
const OVERRIDDEN: u32 = 1;

/// Returns all tokens of a file.
pub(in crate::server) fn full(
    context: &Context,
    params: SemanticTokensParams,
) -> Result<Option<SemanticTokensResult>> {
    let Some(file) = from_proto::file(context, &params.text_document.uri) else { return Ok(None) };
    context.is_still_shown(&file)?;

    let data = all_tokens(context, &file);

    let id = context.remembered.keep_tokens(params.text_document.uri.as_str(), data.clone());
    let data = data.to_vec();
    Ok(Some(SemanticTokensResult::Tokens(SemanticTokens { result_id: Some(id), data })))
}

/// Returns the difference from the tokens that the client has, or all tokens if the server no longer has the old ones.
pub(in crate::server) fn delta(
    context: &Context,
    params: SemanticTokensDeltaParams,
) -> Result<Option<SemanticTokensFullDeltaResult>> {
    let Some(file) = from_proto::file(context, &params.text_document.uri) else { return Ok(None) };
    context.is_still_shown(&file)?;
    let uri = params.text_document.uri.as_str();
    let before = context.remembered.tokens(uri, &params.previous_result_id);

    let data = all_tokens(context, &file);

    let id = Some(context.remembered.keep_tokens(uri, data.clone()));
    let Some(before) = before else {
        let tokens = SemanticTokens { result_id: id, data: data.to_vec() };
        return Ok(Some(SemanticTokensFullDeltaResult::Tokens(tokens)));
    };
    let edits = edit(&before, &data).into_iter().collect();
    let delta = SemanticTokensDelta { result_id: id, edits };
    Ok(Some(SemanticTokensFullDeltaResult::TokensDelta(delta)))
}

/// The tokens of a part of a file.
pub(in crate::server) fn range(
    context: &Context,
    params: SemanticTokensRangeParams,
) -> Result<Option<SemanticTokensRangeResult>> {
    let Some(file) = from_proto::file(context, &params.text_document.uri) else { return Ok(None) };
    let range = from_proto::range(context, &file, params.range);
    context.is_still_shown(&file)?;

    let data = tokens_in(context, &file, range).to_vec();

    Ok(Some(SemanticTokensRangeResult::Tokens(SemanticTokens { result_id: None, data })))
}

/// The tokens of a part of a file.
#[derive(Debug, Default)]
pub(in crate::server) struct TokensPiece {
    /// Each token is relative to the one before it; the first token is relative to the start of the part.
    tokens: Box<[SemanticToken]>,
    /// The start of the last token.
    last: Spot,
}

/// The tokens of the whole file.
fn all_tokens(context: &Context, file: &FileEntry) -> Arc<[SemanticToken]> {
    let placed = context.remembered.pieces_of_tokens.of(
        context,
        file,
        |known| {
            let whole = TextRange::new(0, file.text.len() as u32);
            ide::token_parts(&context.world, &file.path, whole, known, &context.cancel)
        },
        |places, found| piece(context, file, places, found),
    );
    joined(placed.iter().map(|(line, piece)| (*line, &**piece)))
}

/// The tokens of a part of a file.
fn tokens_in(context: &Context, file: &FileEntry, range: TextRange) -> Arc<[SemanticToken]> {
    let parts =
        ide::token_parts(&context.world, &file.path, range, &mut |_| false, &context.cancel);
    let pieces = parts.into_iter().map(|part| {
        let places = Places::new(context, file, part.start);
        let mut found = part.found.unwrap_or_default();
        // An entry may be much longer than the part that the client shows.
        let is_near = |own: TextRange| own.start <= range.end && range.start <= own.end;
        found.retain(|token| is_near(places.in_file(token.range)));
        (places.line(), piece(context, file, &places, found))
    });
    let pieces: Vec<(u32, TokensPiece)> = pieces.collect();
    joined(pieces.iter().map(|(line, piece)| (*line, piece)))
}

fn piece(
    context: &Context,
    file: &FileEntry,
    places: &Places<'_>,
    found: Vec<crate::ide::SemanticToken>,
) -> TokensPiece {
    let index = file.line_index();
    let mut tokens = Vec::with_capacity(found.len());
    // A piece counts lines from its own start, so it stays valid when the entry moves.
    let mut last = Spot { line: places.line(), col: 0 };
    for token in found {
        let kind = SemanticKind::NAMES.iter().position(|(kind, _)| *kind == token.kind);
        let range = places.in_file(token.range);
        // Not every client supports tokens of several lines, so each line gets its own.
        for line in index.line_of(range.start)..=index.line_of(range.end) {
            let whole = index.line_range(&file.text, line);
            let (start, end) = (range.start.max(whole.start), range.end.min(whole.end));
            if start >= end {
                continue;
            }
            let column = |at| index.line_col(&file.text, at, context.encoding).col;
            let (from, to) = (column(start), column(end));
            tokens.push(SemanticToken {
                delta_line: line - last.line,
                // LSP counts the column from the previous token only if both are on one line.
                delta_start: if line == last.line { from - last.col } else { from },
                length: to - from,
                token_type: kind.unwrap_or_default() as u32,
                token_modifiers_bitset: if token.is_overridden { OVERRIDDEN } else { 0 },
            });
            last = Spot { line, col: from };
        }
    }
    last.line -= places.line();
    TokensPiece { tokens: tokens.into(), last }
}

/// Joins the tokens of parts; each part starts at a line.
fn joined<'a>(parts: impl Iterator<Item = (u32, &'a TokensPiece)>) -> Arc<[SemanticToken]> {
    let mut tokens: Vec<SemanticToken> = Vec::new();
    let mut last = Spot { line: 0, col: 0 };
    for (line, piece) in parts {
        let Some((first, others)) = piece.tokens.split_first() else { continue };
        let at = line + first.delta_line;
        // The first token of a part may be on the line on which the part before it ends.
        let delta_start =
            if at == last.line { first.delta_start - last.col } else { first.delta_start };
        tokens.push(SemanticToken { delta_line: at - last.line, delta_start, ..*first });
        tokens.extend_from_slice(others);
        last = Spot { line: line + piece.last.line, col: piece.last.col };
    }
    tokens.into()
}

/// The single edit from the client's tokens to the present ones; `None` if they are equal.
fn edit(before: &[SemanticToken], now: &[SemanticToken]) -> Option<SemanticTokensEdit> {
    let same = |(a, b): &(&SemanticToken, &SemanticToken)| a == b;
    let start = before.iter().zip(now).take_while(same).count();
    // The end is compared only after the equal start, so that no token counts twice.
    let rest = (before[start..].iter().rev()).zip(now[start..].iter().rev());
    let end = rest.take_while(same).count();
    let deleted = before.len() - start - end;
    let inserted = now[start..now.len() - end].to_vec();
    (deleted > 0 || !inserted.is_empty()).then(|| SemanticTokensEdit {
        start: start as u32 * NUMBERS_PER_TOKEN,
        delete_count: deleted as u32 * NUMBERS_PER_TOKEN,
        data: (!inserted.is_empty()).then_some(inserted),
    })
}
