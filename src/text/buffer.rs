//! The text of an open editor while it is edited. This is the only module that uses the rope; all others get the whole text.

use std::sync::Arc;

use ropey::Rope;

use super::edit::BufferEdit;
use super::half::{has_halves, units, without_halves};
use super::{Encoding, LineCol};

/// A text that can be edited without copying all of it.
#[derive(Debug, Clone)]
pub struct Buffer {
    rope: Rope,
}

impl Buffer {
    /// A buffer that contains `text`, with U+FFFD instead of halves of characters.
    pub fn new(text: &str) -> Self {
        Self { rope: Rope::from_str(&without_halves(text)) }
    }

    /// Applies `edits` in order, with LSP's rules: a column past the end of its line means the end of the line, and a line
    /// past the last one means the end of the text. If a range ends before it starts, its ends are swapped.
    pub fn apply(&mut self, edits: &[BufferEdit], encoding: Encoding) {
        for edit in edits {
            let Some((start, end)) = edit.range else {
                *self = Self::new(&edit.new_text);
                continue;
            };
            let (start, end) = (self.cut_at(start, encoding), self.cut_at(end, encoding));
            let (start, end) =
                if start.place() <= end.place() { (start, end) } else { (end, start) };
            if start.is_fine() && end.is_fine() && !has_halves(&edit.new_text) {
                self.rope.remove(start.char..end.char);
                self.rope.insert(start.char, &edit.new_text);
            } else {
                self.replace_with_halves(&start, &end, &edit.new_text);
            }
        }
    }

    /// Replaces the text between two cuts, at least one of which may split a character, with a text that may start or end
    /// with half a character.
    fn replace_with_halves(&mut self, start: &Cut, end: &Cut, new_text: &str) {
        let mut all: Vec<u16> = start.first_half.into_iter().collect();
        all.extend(units(new_text));
        all.extend(end.second_half);
        // The index of a cut inside a character is the one after it, so the split character is replaced as well.
        let from = start.char - usize::from(start.first_half.is_some());
        self.rope.remove(from..end.char);
        self.rope.insert(from, &String::from_utf16_lossy(&all));
    }

    /// The whole text. It is put together in `room`: to use the same one each time costs less than to get memory from the
    /// system.
    pub fn text(&self, room: &mut String) -> Arc<str> {
        room.clear();
        room.extend(self.rope.chunks());
        room.as_str().into()
    }

    /// The rope's index (in Unicode scalar values) of a position. The rope counts lines as [`super::LineIndex`] does.
    fn char_at(&self, at: LineCol, encoding: Encoding) -> usize {
        let line = at.line as usize;
        if line >= self.rope.len_lines() {
            return self.rope.len_chars();
        }
        let start = self.rope.line_to_char(line);
        let mut end = start + self.rope.line(line).len_chars();
        // In this order, `\r\n` loses both characters, and each other line end loses its only one.
        for line_end in ['\n', '\r'] {
            if end > start && self.rope.char(end - 1) == line_end {
                end -= 1;
            }
        }
        end.min(self.char_after(start, at.col as usize, encoding))
    }

    /// Where an edit starts or ends.
    fn cut_at(&self, at: LineCol, encoding: Encoding) -> Cut {
        let char = self.char_at(at, encoding);
        let whole = Cut { char, first_half: None, second_half: None };
        if encoding != Encoding::Utf16 || char == 0 {
            return whole;
        }
        // Only a character of two units can be split, and only at one column.
        let before = self.rope.char(char - 1);
        let line = self.rope.char_to_line(char - 1);
        let start = self.rope.char_to_utf16_cu(self.rope.line_to_char(line));
        let column = self.rope.char_to_utf16_cu(char) - start;
        let mut halves = [0; 2];
        if line == at.line as usize
            && column == at.col as usize + 1
            && before.encode_utf16(&mut halves).len() == 2
        {
            Cut { char, first_half: Some(halves[0]), second_half: Some(halves[1]) }
        } else {
            whole
        }
    }

    /// The index `columns` units after the index `start`; the next index if that is inside a character.
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

/// Where an edit starts or ends: before a character or, in UTF-16, between its halves.
#[derive(Debug)]
struct Cut {
    /// The rope's index of the character; of the next one if the cut splits a character.
    char: usize,
    /// The half that remains if the character is cut off after the cut.
    first_half: Option<u16>,
    /// The half that remains if the character is cut off before the cut.
    second_half: Option<u16>,
}

impl Cut {
    fn is_fine(&self) -> bool {
        self.first_half.is_none()
    }

    /// Orders cuts by position: a cut that splits a character comes before the cut after this character.
    fn place(&self) -> (usize, bool) {
        (self.char, self.is_fine())
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
        assert_eq!(&*buffer.text(&mut String::new()), expected);
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
    fn each_of_the_three_line_ends_of_the_protocol_ends_a_line() {
        let text = "a\rb\u{2028}c\nd\r\ne\r\rf";
        let lines =
            [(1, "a\rx\u{2028}c"), (2, "x\r\ne"), (3, "\r\nx\r\rf"), (4, "e\rx\rf"), (5, "\r\rx")];
        for (line, expected) in lines {
            let mut buffer = Buffer::new(text);
            let end = u32::from(line != 4);
            buffer.apply(&[edit((line, 0), (line, end), "x")], Encoding::Utf16);
            assert!(
                buffer.text(&mut String::new()).contains(expected),
                "{line}: {:?}",
                buffer.text(&mut String::new())
            );
        }
        check(text, Encoding::Utf16, &[edit((0, 9), (0, 9), "!")], "a!\rb\u{2028}c\nd\r\ne\r\rf");
    }

    #[test]
    fn halves_of_characters_come_together() {
        let half = |unit| crate::text::marked_half(unit).iter().collect::<String>();
        let low = edit((0, 2), (0, 3), &half(0xde01));
        check("'😀'", Encoding::Utf16, &[low], "'😁'");
        let high = edit((0, 1), (0, 2), &half(0xd83c));
        check("'😀'", Encoding::Utf16, &[high], "'🈀'");
        let (first, second) =
            (edit((0, 1), (0, 1), &half(0xd83d)), edit((0, 2), (0, 2), &half(0xde00)));
        check("''", Encoding::Utf16, std::slice::from_ref(&first), "'\u{fffd}'");
        check("''", Encoding::Utf16, &[first, second], "'\u{fffd}\u{fffd}'");
        check("'😀'", Encoding::Utf16, &[edit((0, 2), (0, 3), "")], "'\u{fffd}'");
        check("'😀'", Encoding::Utf16, &[edit((0, 2), (0, 2), "x")], "'\u{fffd}x\u{fffd}'");
        check("'😀😀'", Encoding::Utf16, &[edit((0, 2), (0, 4), "")], "'😀'");
    }

    #[test]
    fn an_edit_without_a_range_replaces_the_text() {
        let whole = BufferEdit { range: None, new_text: "new".to_owned() };
        check("old", Encoding::Utf16, &[whole, edit((0, 3), (0, 3), "er")], "newer");
    }

    fn reference(text: &str, edit: &BufferEdit, encoding: Encoding) -> String {
        let Some((start, end)) = edit.range else { return edit.new_text.clone() };
        let index = LineIndex::new(text);
        if encoding == Encoding::Utf16 {
            return utf16_reference(text, edit, start, end);
        }
        let start = index.offset(text, start, encoding) as usize;
        let end = index.offset(text, end, encoding) as usize;
        let (start, end) = (start.min(end), start.max(end));
        format!("{}{}{}", &text[..start], edit.new_text, &text[end..])
    }

    /// The result of an editor whose texts are arrays of UTF-16 units.
    fn utf16_reference(text: &str, edit: &BufferEdit, start: LineCol, end: LineCol) -> String {
        let units: Vec<u16> = text.encode_utf16().collect();
        let index = LineIndex::new(text);
        let unit = |at: LineCol| {
            let line = index.line_range(text, at.line);
            let before = text[..line.start as usize].encode_utf16().count();
            before + (at.col as usize).min(line.slice(text).encode_utf16().count())
        };
        let (start, end) = (unit(start), unit(end));
        let (start, end) = (start.min(end), start.max(end));
        let new_text: Vec<u16> = edit.new_text.encode_utf16().collect();
        String::from_utf16_lossy(&[&units[..start], &new_text, &units[end..]].concat())
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
                prop_assert_eq!(&*buffer.text(&mut String::new()), &*expected);
            }
        }
    }
}
