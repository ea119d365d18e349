//! An open editor's text while it is typed in. The only user of the rope; everyone else gets the whole text.

use std::sync::Arc;

use ropey::Rope;

use super::edit::BufferEdit;
use super::{Encoding, LineCol};

/// A text that takes edits of a few bytes without being copied.
#[derive(Debug, Clone)]
pub struct Buffer {
    rope: Rope,
}

impl Buffer {
    /// A buffer that holds `text`.
    pub fn new(text: &str) -> Self {
        Self { rope: Rope::from_str(text) }
    }

    /// Does `edits` one after another, as LSP has it: a column behind the line's end means the line's end, a line behind
    /// the last one the text's end, a range that ends before it starts is taken the other way round.
    pub fn apply(&mut self, edits: &[BufferEdit], encoding: Encoding) {
        for edit in edits {
            let Some((start, end)) = edit.range else {
                self.rope = Rope::from_str(&edit.new_text);
                continue;
            };
            let start = self.char_at(start, encoding);
            let end = self.char_at(end, encoding);
            let (start, end) = (start.min(end), start.max(end));
            self.rope.remove(start..end);
            self.rope.insert(start, &edit.new_text);
        }
    }

    /// The whole text.
    pub fn text(&self) -> Arc<str> {
        String::from(&self.rope).into()
    }

    /// The rope's index (in Unicode scalar values) of a place: the rope counts lines as [`super::LineIndex`] does.
    fn char_at(&self, at: LineCol, encoding: Encoding) -> usize {
        let line = at.line as usize;
        if line >= self.rope.len_lines() {
            return self.rope.len_chars();
        }
        let start = self.rope.line_to_char(line);
        let mut end = start + self.rope.line(line).len_chars();
        for line_end in ['\n', '\r'] {
            if end > start && self.rope.char(end - 1) == line_end {
                end -= 1;
            } else {
                break;
            }
        }
        end.min(self.char_after(start, at.col as usize, encoding))
    }

    /// The index `columns` units behind the index `start`; the next one if that is inside a character.
    fn char_after(&self, start: usize, columns: usize, encoding: Encoding) -> usize {
        match encoding {
            Encoding::Utf8 => {
                let byte = self.rope.char_to_byte(start) + columns;
                if byte >= self.rope.len_bytes() {
                    return self.rope.len_chars();
                }
                let at = self.rope.byte_to_char(byte);
                at + usize::from(self.rope.char_to_byte(at) < byte)
            }
            Encoding::Utf16 => {
                let unit = self.rope.char_to_utf16_cu(start) + columns;
                if unit >= self.rope.len_utf16_cu() {
                    return self.rope.len_chars();
                }
                let at = self.rope.utf16_cu_to_char(unit);
                at + usize::from(self.rope.char_to_utf16_cu(at) < unit)
            }
            Encoding::Utf32 => start + columns,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::LineIndex;

    fn edit(from: (u32, u32), to: (u32, u32), new_text: &str) -> BufferEdit {
        let at = |(line, col)| LineCol { line, col };
        BufferEdit { range: Some((at(from), at(to))), new_text: new_text.to_owned() }
    }

    #[track_caller]
    fn check(text: &str, encoding: Encoding, edits: &[BufferEdit], expected: &str) {
        let mut buffer = Buffer::new(text);
        buffer.apply(edits, encoding);
        assert_eq!(&*buffer.text(), expected);
    }

    #[test]
    fn each_edit_speaks_of_the_text_that_the_one_before_left() {
        let edits = [edit((0, 0), (0, 0), "x\n"), edit((1, 0), (1, 1), "b")];
        check("a: 1\n", Encoding::Utf16, &edits, "x\nb: 1\n");
    }

    #[test]
    fn columns_count_in_the_encoding_agreed_upon() {
        check("'😀ä'", Encoding::Utf16, &[edit((0, 3), (0, 4), "o")], "'😀o'");
        check("'😀ä'", Encoding::Utf8, &[edit((0, 5), (0, 7), "o")], "'😀o'");
        check("'😀ä'", Encoding::Utf32, &[edit((0, 2), (0, 3), "o")], "'😀o'");
    }

    #[test]
    fn places_outside_are_clamped() {
        check("a\r\nb", Encoding::Utf16, &[edit((0, 9), (0, 9), "!")], "a!\r\nb");
        check("a\nb", Encoding::Utf16, &[edit((9, 9), (9, 9), "!")], "a\nb!");
        check("abc", Encoding::Utf16, &[edit((0, 2), (0, 1), "x")], "axc");
    }

    #[test]
    fn a_lone_carriage_return_ends_no_line() {
        check(
            "a\rb\u{2028}c\nd",
            Encoding::Utf16,
            &[edit((1, 0), (1, 1), "x")],
            "a\rb\u{2028}c\nx",
        );
    }

    #[test]
    fn an_edit_without_a_range_replaces_the_text() {
        let whole = BufferEdit { range: None, new_text: "new".to_owned() };
        check("old", Encoding::Utf16, &[whole, edit((0, 3), (0, 3), "er")], "newer");
    }

    fn reference(text: &str, edit: &BufferEdit, encoding: Encoding) -> String {
        let Some((start, end)) = edit.range else { return edit.new_text.clone() };
        let index = LineIndex::new(text);
        let start = index.offset(text, start, encoding) as usize;
        let end = index.offset(text, end, encoding) as usize;
        let (start, end) = (start.min(end), start.max(end));
        format!("{}{}{}", &text[..start], edit.new_text, &text[end..])
    }

    proptest! {
        #[test]
        fn a_buffer_agrees_with_the_line_index(
            text in "[a-cä😀\r\n\u{2028}]{0,30}",
            edits in prop::collection::vec(
                ((0u32..6, 0u32..9), (0u32..6, 0u32..9), "[xö😀\r\n]{0,4}"), 0..8),
            encoding in prop::sample::select(&[Encoding::Utf8, Encoding::Utf16, Encoding::Utf32][..]),
        ) {
            let mut buffer = Buffer::new(&text);
            let mut expected = text;
            for (from, to, new_text) in edits {
                let edit = edit(from, to, &new_text);
                expected = reference(&expected, &edit, encoding);
                buffer.apply(&[edit], encoding);
                prop_assert_eq!(&*buffer.text(), &*expected);
            }
        }
    }
}
