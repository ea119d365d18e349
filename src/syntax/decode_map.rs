//! Maps positions in a decoded scalar to positions in its source, through escapes, folded lines and indentation.

use super::tree::{Node, NodeKind};
use crate::text::TextRange;

/// Where each byte of a scalar's decoded text is written in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeMap {
    pieces: Vec<Piece>,
    /// Where the source of the content ends, before a closing quote.
    end: u32,
}

/// A stretch of decoded text and its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    decoded: TextRange,
    source: TextRange,
    /// Whether decoded text and source are equal byte for byte. If not, they correspond only as a whole (an escape, a folded
    /// line end).
    is_verbatim: bool,
}

impl DecodeMap {
    /// The source of a range of the decoded text. If the range contains part of an escape, the result contains the whole
    /// escape.
    pub fn source_range(&self, decoded: TextRange) -> TextRange {
        let start = self.source_offset(decoded.start);
        if decoded.is_empty() {
            return TextRange::empty(start);
        }
        let end = match self.piece(decoded.end - 1) {
            Some(piece) if piece.is_verbatim => {
                piece.source.start + (decoded.end - piece.decoded.start)
            }
            Some(piece) => piece.source.end,
            None => self.end,
        };
        TextRange::new(start, end.max(start))
    }

    /// Where a byte of the decoded text is written. Past the last byte, this is the end of the content.
    pub fn source_offset(&self, decoded: u32) -> u32 {
        match self.piece(decoded) {
            Some(piece) if piece.is_verbatim => {
                piece.source.start + (decoded - piece.decoded.start)
            }
            Some(piece) => piece.source.start,
            None => self.end,
        }
    }

    fn piece(&self, decoded: u32) -> Option<&Piece> {
        let at = self.pieces.partition_point(|piece| piece.decoded.end <= decoded);
        self.pieces.get(at)
    }
}

/// Collects the pieces of a map in source order.
#[derive(Debug)]
pub(super) struct DecodeMapBuilder {
    pieces: Vec<Piece>,
    decoded: u32,
    end: u32,
}

impl DecodeMapBuilder {
    /// A builder for a content whose source ends at byte `end`.
    pub(super) fn ending_at(end: usize) -> Self {
        Self { pieces: Vec::new(), decoded: 0, end: end as u32 }
    }

    /// Adds source that is equal to its decoded text.
    pub(super) fn verbatim(&mut self, start: usize, end: usize) {
        self.push(start, end, end - start, true);
    }

    /// Adds source that decodes to `decoded` bytes.
    pub(super) fn stands_for(&mut self, start: usize, end: usize, decoded: usize) {
        self.push(start, end, decoded, false);
    }

    fn push(&mut self, start: usize, end: usize, decoded: usize, is_verbatim: bool) {
        // An escaped line end, for example, decodes to nothing. No byte of the decoded text is written there.
        if decoded == 0 {
            return;
        }
        let source = TextRange::new(start as u32, end as u32);
        let decoded = TextRange::new(self.decoded, self.decoded + decoded as u32);
        self.decoded = decoded.end;
        self.pieces.push(Piece { decoded, source, is_verbatim });
    }

    /// The map of `node`. If the pieces do not add up to its text, the whole node maps to the whole text.
    pub(super) fn finish(self, node: &Node) -> DecodeMap {
        let length = match &node.kind {
            NodeKind::Scalar { text, .. } => text.len() as u32,
            _ => 0,
        };
        if self.decoded == length {
            return DecodeMap { pieces: self.pieces, end: self.end };
        }
        let decoded = TextRange::new(0, length);
        let piece = Piece { decoded, source: node.range, is_verbatim: false };
        DecodeMap { pieces: vec![piece], end: node.range.end }
    }
}

#[cfg(test)]
mod tests;
