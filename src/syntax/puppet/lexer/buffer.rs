//! The text that is cut up, and where each of its bytes stands in the file.
//!
//! That is the file itself, or the text of a heredoc without its margin.

use crate::text::TextRange;

/// A text with places.
pub(super) struct Buffer<'text> {
    /// What is read.
    pub(super) text: &'text str,
    lines: Option<Vec<Line>>,
}

/// A line of a heredoc's text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    /// Its first byte in the text that is read.
    pub(super) start: u32,
    /// The same byte in the file.
    pub(super) in_file: u32,
}

impl<'text> Buffer<'text> {
    /// A file.
    pub(super) fn whole(text: &'text str) -> Self {
        Self { text, lines: None }
    }

    /// The text of a heredoc. There must be a line that starts at 0.
    pub(super) fn of_heredoc(text: &'text str, lines: Vec<Line>) -> Self {
        debug_assert!(lines.first().is_some_and(|it| it.start == 0), "the first line starts at 0");
        Self { text, lines: Some(lines) }
    }

    /// Whether it is the text of a heredoc.
    pub(super) fn is_heredoc_text(&self) -> bool {
        self.lines.is_some()
    }

    /// The place in the file of the bytes from `start` to `end`.
    pub(super) fn range(&self, start: usize, end: usize) -> TextRange {
        let first = self.in_file(start as u32);
        let behind = if end > start { self.in_file(end as u32 - 1) + 1 } else { first };
        TextRange::new(first, behind)
    }

    /// Whether the bytes from `start` to `end` stand in the file just as they are read.
    pub(super) fn is_as_written(&self, start: usize, end: usize) -> bool {
        self.range(start, end).len() as usize == end - start
    }

    fn in_file(&self, offset: u32) -> u32 {
        let Some(lines) = &self.lines else { return offset };
        let line = lines[lines.partition_point(|it| it.start <= offset) - 1];
        line.in_file + (offset - line.start)
    }
}
