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
use crate::server::pieces::{Piece, Placed, Places, Spot};
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

    let tokens = all_tokens(context, &file);

    let data = tokens.data();
    let id = context.remembered.keep_tokens(params.text_document.uri.as_str(), tokens);
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

    let now = all_tokens(context, &file);

    let id = Some(context.remembered.keep_tokens(uri, now.clone()));
    let Some(before) = before else {
        let tokens = SemanticTokens { result_id: id, data: now.data() };
        return Ok(Some(SemanticTokensFullDeltaResult::Tokens(tokens)));
    };
    let edits = edit(&before.runs(), &now.runs()).into_iter().collect();
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

    let data = tokens_in(context, &file, range).data();

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

/// The tokens of a file, in pieces that other versions of the file may also have.
#[derive(Debug)]
pub(in crate::server) struct FileTokens(Placed<TokensPiece>);

/// The tokens of a piece, as they come after those of the pieces before it.
struct Run<'a> {
    piece: &'a Arc<Piece<TokensPiece>>,
    first: SemanticToken,
    others: &'a [SemanticToken],
}

impl FileTokens {
    /// All tokens, as the protocol encodes them.
    fn data(&self) -> Vec<SemanticToken> {
        tokens_of(&self.runs()).collect()
    }

    /// The pieces that have tokens.
    fn runs<'a>(&'a self) -> Vec<Run<'a>> {
        let mut last = Spot { line: 0, col: 0 };
        let run = |(line, piece): &'a (u32, Arc<Piece<TokensPiece>>)| {
            let (first, others) = piece.found.tokens.split_first()?;
            let at = line + first.delta_line;
            // The first token of a part may be on the line on which the part before it ends.
            let delta_start =
                if at == last.line { first.delta_start - last.col } else { first.delta_start };
            let first = SemanticToken { delta_line: at - last.line, delta_start, ..*first };
            last = Spot { line: line + piece.found.last.line, col: piece.found.last.col };
            Some(Run { piece, first, others })
        };
        self.0.iter().filter_map(run).collect()
    }
}

impl Run<'_> {
    fn len(&self) -> usize {
        1 + self.others.len()
    }

    /// Whether both certainly have the same tokens, without a look at all of them.
    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(self.piece, other.piece) && self.first == other.first
    }
}

fn tokens_of(runs: &[Run<'_>]) -> impl DoubleEndedIterator<Item = SemanticToken> {
    runs.iter().flat_map(|run| std::iter::once(run.first).chain(run.others.iter().copied()))
}

/// The tokens of the whole file.
fn all_tokens(context: &Context, file: &FileEntry) -> Arc<FileTokens> {
    let placed = context.remembered.pieces_of_tokens.of(
        context,
        file,
        |known| {
            let whole = TextRange::new(0, file.text.len() as u32);
            ide::token_parts(&context.world, &file.path, whole, known, &context.cancel)
        },
        |places, found| piece(context, file, places, found),
    );
    Arc::new(FileTokens(placed))
}

/// The tokens of a part of a file.
fn tokens_in(context: &Context, file: &FileEntry, range: TextRange) -> FileTokens {
    let parts =
        ide::token_parts(&context.world, &file.path, range, &mut |_| false, &context.cancel);
    let pieces = parts.into_iter().map(|part| {
        let places = Places::new(context, file, part.start);
        let mut found = part.found.unwrap_or_default();
        // An entry may be much longer than the part that the client shows.
        let is_near = |own: TextRange| own.start <= range.end && range.start <= own.end;
        found.retain(|token| is_near(places.in_file(token.range)));
        (places.line(), Arc::new(Piece::new(piece(context, file, &places, found))))
    });
    FileTokens(pieces.collect())
}

fn piece(
    context: &Context,
    file: &FileEntry,
    places: &Places<'_>,
    found: Vec<crate::ide::SemanticToken>,
) -> TokensPiece {
    let index = file.line_index();
    let mut tokens = Vec::with_capacity(found.len());
    let mut first_line = places.line();
    // A piece counts lines from its own start, so it stays valid when the entry moves.
    let mut last = Spot { line: places.line(), col: 0 };
    for token in found {
        let kind = SemanticKind::NAMES.iter().position(|(kind, _)| *kind == token.kind);
        let range = places.in_file(token.range);
        // Not every client supports tokens of several lines, so each line gets its own.
        // Tokens are in order, so the search for each line continues where the last one ended.
        first_line = index.line_from(first_line, range.start);
        for line in first_line..=index.line_from(first_line, range.end) {
            let whole = index.line_range(&file.text, line);
            let (start, end) = (range.start.max(whole.start), range.end.min(whole.end));
            if start >= end {
                continue;
            }
            let column = |at| index.col(&file.text, line, at, context.encoding);
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

/// The single edit from the client's tokens to the present ones; `None` if they are equal.
fn edit(before: &[Run<'_>], now: &[Run<'_>]) -> Option<SemanticTokensEdit> {
    let is_same_run = |(one, other): &(&Run<'_>, &Run<'_>)| one.is_same(other);
    let is_same = |(one, other): &(SemanticToken, SemanticToken)| one == other;
    let count = |runs: &[Run<'_>]| runs.iter().map(Run::len).sum::<usize>();

    let first = before.iter().zip(now).take_while(is_same_run).count();
    let skipped = count(&now[..first]);
    let (before, now) = (&before[first..], &now[first..]);
    let start = tokens_of(before).zip(tokens_of(now)).take_while(is_same).count();

    // The end is compared only after the equal start, so that no token counts twice.
    let (old, new) = (count(before), count(now));
    let left = old.min(new) - start;
    let last = before.iter().rev().zip(now.iter().rev()).take_while(is_same_run).count();
    let (inner_before, inner_now) = (&before[..before.len() - last], &now[..now.len() - last]);
    let behind = count(&now[now.len() - last..]);
    let more = tokens_of(inner_before).rev().zip(tokens_of(inner_now).rev());
    let end = left.min(behind + more.take_while(is_same).count());

    let deleted = old - start - end;
    let inserted: Vec<_> = tokens_of(now).skip(start).take(new - start - end).collect();
    (deleted > 0 || !inserted.is_empty()).then(|| SemanticTokensEdit {
        start: (skipped + start) as u32 * NUMBERS_PER_TOKEN,
        delete_count: deleted as u32 * NUMBERS_PER_TOKEN,
        data: (!inserted.is_empty()).then_some(inserted),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn token(delta_line: u32, delta_start: u32) -> SemanticToken {
        SemanticToken {
            delta_line,
            delta_start,
            length: 1,
            token_type: 0,
            token_modifiers_bitset: 0,
        }
    }

    /// Pieces of one to three tokens, each on its own line; `chosen` says which pieces come in which order.
    fn tokens(pieces: &[Arc<Piece<TokensPiece>>], chosen: &[(usize, u32)]) -> FileTokens {
        let mut line = 0;
        let place = |(number, gap): &(usize, u32)| {
            line += gap;
            let piece = pieces[*number].clone();
            let placed = (line, piece);
            line += 3;
            placed
        };
        FileTokens(chosen.iter().map(place).collect())
    }

    fn simple_edit(before: &[SemanticToken], now: &[SemanticToken]) -> (usize, usize, usize) {
        let start = before.iter().zip(now).take_while(|(a, b)| a == b).count();
        let rest = before[start..].iter().rev().zip(now[start..].iter().rev());
        let end = rest.take_while(|(a, b)| a == b).count();
        (start, before.len() - start - end, now.len() - start - end)
    }

    proptest! {
        #[test]
        fn edits_of_pieces_are_those_of_all_tokens(
            before in prop::collection::vec((0usize..5, 0u32..2), 0..8),
            now in prop::collection::vec((0usize..5, 0u32..2), 0..8),
        ) {
            let piece = |(lines, count): (u32, u32)| {
                let tokens: Box<[_]> = (0..count).map(|at| token(u32::from(at > 0) * lines, 1)).collect();
                let last = Spot { line: count.saturating_sub(1) * lines, col: 1 };
                Arc::new(Piece::new(TokensPiece { tokens, last }))
            };
            let pieces = [(0, 1), (1, 2), (1, 3), (1, 2), (0, 0)].map(piece);
            let (before, now) = (tokens(&pieces, &before), tokens(&pieces, &now));
            let (old, new) = (before.data(), now.data());
            let (start, deleted, inserted) = simple_edit(&old, &new);
            let found = edit(&before.runs(), &now.runs());
            let found = found.map(|it| {
                let data = it.data.unwrap_or_default();
                prop_assert_eq!(&data[..], &new[start..start + inserted]);
                Ok((it.start, it.delete_count))
            });
            let expected = (start as u32 * NUMBERS_PER_TOKEN, deleted as u32 * NUMBERS_PER_TOKEN);
            let found = found.transpose()?;
            prop_assert_eq!(found, (deleted + inserted > 0).then_some(expected));
        }
    }
}
