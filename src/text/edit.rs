//! Edits as features return them (bytes of one text), and as editors report them (lines and columns, in sequence).

use super::{LineCol, TextRange};

/// A replacement in a text, in bytes. Several edits all refer to the same text, before any of them is applied.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextEdit {
    /// The range to remove; empty for an insertion.
    pub range: TextRange,
    /// The text to insert.
    pub new_text: String,
}

/// A change as an editor reports it. Each of several changes refers to the text after the previous one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufferEdit {
    /// The range to replace; `None` replaces the whole text.
    pub range: Option<(LineCol, LineCol)>,
    /// The text to insert.
    pub new_text: String,
}

impl TextEdit {
    /// Replaces `range`.
    pub fn replace(range: TextRange, new_text: impl Into<String>) -> Self {
        Self { range, new_text: new_text.into() }
    }

    /// Inserts at byte `offset`.
    pub fn insert(offset: u32, new_text: impl Into<String>) -> Self {
        Self::replace(TextRange::empty(offset), new_text)
    }

    /// Removes `range`.
    pub fn delete(range: TextRange) -> Self {
        Self::replace(range, "")
    }
}

/// `text` after all `edits`. Insertions at the same position are applied in the given order. An edit that overlaps an earlier
/// one, or that does not fit the text, is ignored.
pub fn apply_edits(text: &str, edits: &[TextEdit]) -> String {
    let mut sorted: Vec<&TextEdit> = edits.iter().collect();
    // The sort is stable, so insertions at one position keep their order. They come before a replacement that starts there.
    sorted.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for edit in sorted {
        let (start, end) = (edit.range.start as usize, edit.range.end as usize);
        if start < done || !text.is_char_boundary(start) || !text.is_char_boundary(end) {
            continue;
        }
        result.push_str(&text[done..start]);
        result.push_str(&edit.new_text);
        done = end;
    }
    result.push_str(&text[done..]);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, edits: &[(u32, u32, &str)], expected: &str) {
        let edits: Vec<_> = edits
            .iter()
            .map(|&(start, end, new)| TextEdit::replace(TextRange::new(start, end), new))
            .collect();
        assert_eq!(apply_edits(text, &edits), expected);
    }

    #[test]
    fn edits_all_speak_of_the_text_before_them() {
        check("a: 1\nb: 2\n", &[(8, 9, "3"), (3, 4, "10")], "a: 10\nb: 3\n");
        check("ab", &[(1, 1, "x"), (1, 1, "y"), (2, 2, "!")], "axyb!");
        check("abc", &[(0, 2, "x"), (2, 2, "y")], "xyc");
    }

    #[test]
    fn edits_that_cannot_be_done_are_left_out() {
        check("abc", &[(0, 2, "x"), (1, 3, "y")], "xc");
        check("ä", &[(1, 2, "x")], "ä");
        check("a", &[(5, 9, "x")], "a");
    }
}
