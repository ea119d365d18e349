//! Byte ranges of a text: the only form in which the layers below `server` express positions.

use std::ops::Range;

/// A half-open range of UTF-8 byte offsets, `start <= end`.
///
/// Offsets are `u32`: a data file of more than 4 GiB is refused when it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct TextRange {
    /// The first byte inside.
    pub start: u32,
    /// The first byte after.
    pub end: u32,
}

impl TextRange {
    /// The range from `start` to `end` (bytes).
    pub fn new(start: u32, end: u32) -> Self {
        debug_assert!(start <= end, "a range must not end before it starts");
        Self { start, end }
    }

    /// The empty range at `offset` (bytes).
    pub fn empty(offset: u32) -> Self {
        Self::new(offset, offset)
    }

    /// The first line of `text` without its line end.
    pub fn first_line(text: &str) -> Self {
        Self::new(0, text.find(['\r', '\n']).unwrap_or(text.len()) as u32)
    }

    /// Length in bytes.
    pub fn len(self) -> u32 {
        self.end - self.start
    }

    /// Whether it contains no byte.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether `offset` is inside or directly after the last byte, where a cursor touches the range.
    pub fn touches(self, offset: u32) -> bool {
        self.start <= offset && offset <= self.end
    }

    /// Whether it contains all of `other`.
    pub fn contains_range(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The same range, moved `by` bytes forward.
    #[must_use]
    pub fn shifted(self, by: u32) -> Self {
        Self::new(self.start + by, self.end + by)
    }

    /// The piece of `text` in this range; empty if the range does not fit the text.
    pub fn slice(self, text: &str) -> &str {
        text.get(Range::from(self)).unwrap_or("")
    }
}

impl From<TextRange> for Range<usize> {
    fn from(range: TextRange) -> Self {
        range.start as usize..range.end as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_line_has_no_line_end() {
        for text in ["---", "---\n", "---\r\na: 1\r\n", "---\ra: 1"] {
            assert_eq!(TextRange::first_line(text).slice(text), "---");
        }
        assert!(TextRange::first_line("\r\n").is_empty() && TextRange::first_line("").is_empty());
    }
}
