//! The text that is split into tokens, and the position of each of its bytes in the file.
//!
//! It is either the file itself, or the text of a heredoc without its margin.

use crate::text::TextRange;

/// A text with positions.
pub(super) struct Buffer<'text> {
    /// The text to read.
    pub(super) text: &'text str,
    lines: Option<Vec<Line>>,
}

/// A line of a heredoc's text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    /// Its first byte in the text to read.
    pub(super) start: u32,
    /// The same byte in the file.
    pub(super) in_file: u32,
}

impl<'text> Buffer<'text> {
    /// A file.
    pub(super) fn whole(text: &'text str) -> Self {
        Self { text, lines: None }
    }

    /// The text of a heredoc. One of the lines must start at 0.
    pub(super) fn of_heredoc(text: &'text str, lines: Vec<Line>) -> Self {
        debug_assert!(lines.first().is_some_and(|it| it.start == 0), "the first line starts at 0");
        Self { text, lines: Some(lines) }
    }

    /// Whether it is the text of a heredoc.
    pub(super) fn is_heredoc_text(&self) -> bool {
        self.lines.is_some()
    }

    /// The range in the file of the bytes from `start` to `end`.
    pub(super) fn range(&self, start: usize, end: usize) -> TextRange {
        let first = self.in_file(start as u32);
        let behind = if end > start { self.in_file(end as u32 - 1) + 1 } else { first };
        TextRange::new(first, behind)
    }

    /// Whether the bytes from `start` to `end` are the same in the file.
    pub(super) fn is_as_written(&self, start: usize, end: usize) -> bool {
        self.range(start, end).len() as usize == end - start
    }

    fn in_file(&self, offset: u32) -> u32 {
        let Some(lines) = &self.lines else { return offset };
        let line = lines[lines.partition_point(|it| it.start <= offset) - 1];
        line.in_file + (offset - line.start)
    }
}
