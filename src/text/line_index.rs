//! Converts byte offsets to lines and columns and back, in the three encodings in which editors count.
//!
//! Lines end as in LSP: with `\n`, `\r\n` or a lone `\r`. The text itself is never normalised.

use std::sync::OnceLock;

use memchr::memchr2_iter;

use super::{TextRange, common_prefix, common_suffix};

/// The distance between marks in bytes. To count the columns of a place, at most two such parts of its line are read.
const MARK_DISTANCE: usize = 512;

/// What some editors write before the text of a file.
pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// How a client counts columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units, LSP's default.
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

/// A position as people and editors write it. Both numbers start at 0; `col` counts units of an [`Encoding`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineCol {
    /// Line, from 0.
    pub line: u32,
    /// Column, from 0.
    pub col: u32,
}

/// Where the lines of one text start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineIndex {
    starts: Vec<u32>,
    len: u32,
    /// Created when a place far from the start of its line is converted: a line can have many thousands of such places, and
    /// few texts have such a line.
    marks: Marks,
}

impl LineIndex {
    /// Indexes `text` in one pass over its bytes.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends_line = |at: &usize| bytes[*at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
        let ends = memchr2_iter(b'\n', b'\r', bytes).filter(ends_line);
        let mut starts = vec![0];
        starts.extend(ends.map(|at| at as u32 + 1));
        Self { starts, len: text.len() as u32, marks: Marks::default() }
    }

    /// The same, but the first line starts after a byte order mark: editors do not show the mark, and do not count it.
    #[must_use]
    pub fn after_mark(mut self, text: &str) -> Self {
        let mark = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
        self.starts[0] = mark as u32;
        self
    }

    /// The index of `new`; `self` is that of `old`. Only what differs is searched for lines.
    #[must_use]
    pub fn edited(&self, old: &str, new: &str) -> Self {
        let (before, after) = (old.as_bytes(), new.as_bytes());
        let start = common_prefix(before, after);
        let rest = common_suffix(&before[start..], &after[start..]);
        let (old_end, new_end) = (before.len() - rest, after.len() - rest);
        // Whether a line starts at a byte depends on this byte and on the one before it.
        let kept = self.starts.partition_point(|&at| (at as usize) < start).max(1);
        let moved = self.starts.partition_point(|&at| at as usize <= old_end).max(1);
        let begins_line = |at: &usize| match after[at - 1] {
            b'\n' => true,
            b'\r' => after.get(*at) != Some(&b'\n'),
            _ => false,
        };
        let mut starts = Vec::with_capacity(self.starts.len() + 16);
        starts.push(0);
        starts.extend_from_slice(&self.starts[1..kept]);
        starts.extend((start.max(1)..=new_end).filter(begins_line).map(|at| at as u32));
        let later = self.starts.get(moved..).unwrap_or_default();
        starts.extend(later.iter().map(|at| at - old_end as u32 + new_end as u32));
        Self { starts, len: new.len() as u32, marks: Marks::default() }
    }

    /// Number of lines; a text that ends with a line end has an empty last line.
    pub fn line_count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The line (from 0) of byte `offset`; offsets past the end count as the end.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.starts[1..].partition_point(|&start| start <= offset.min(self.len)) as u32
    }

    /// [`Self::line_of`] for an offset that is not before `line`; fast if it is near.
    pub fn line_from(&self, line: u32, offset: u32) -> u32 {
        let later = self.starts.get(line as usize + 1..).unwrap_or_default();
        line + later.iter().take_while(|start| **start <= offset.min(self.len)).count() as u32
    }

    /// The byte range of `line` (from 0) without its line end; the empty range at the end of the text if there is no such
    /// line.
    pub fn line_range(&self, text: &str, line: u32) -> TextRange {
        let Some(&start) = self.starts.get(line as usize) else {
            return TextRange::empty(self.len);
        };
        let Some(&next) = self.starts.get(line as usize + 1) else {
            return TextRange::new(start, self.len);
        };
        let is_pair = text.as_bytes()[..next as usize].ends_with(b"\r\n");
        TextRange::new(start, next - if is_pair { 2 } else { 1 })
    }

    /// The line and column of byte `offset` of `text`, counted in `encoding`. An offset inside a character counts as the
    /// start of the character.
    pub fn line_col(&self, text: &str, offset: u32, encoding: Encoding) -> LineCol {
        let line = self.line_of(offset);
        LineCol { line, col: self.col(text, line, offset, encoding) }
    }

    /// The column of byte `offset` in `line` (from 0) of `text`. The cost does not depend on the length of the line.
    pub fn col(&self, text: &str, line: u32, offset: u32, encoding: Encoding) -> u32 {
        let start = self.starts.get(line as usize).copied().unwrap_or(self.len) as usize;
        let end = start_of_character(text, offset as usize).max(start);
        if end - start <= MARK_DISTANCE || encoding == Encoding::Utf8 {
            return width(&text[start..end], encoding);
        }
        self.marks.width_before(text, end, encoding)
            - self.marks.width_before(text, start, encoding)
    }

    /// The byte offset of a line and column of `text`. A column past the end of its line means the end of the line (as in
    /// LSP), a line past the last one the end of the text.
    pub fn offset(&self, text: &str, at: LineCol, encoding: Encoding) -> u32 {
        let range = self.line_range(text, at.line);
        let line = range.slice(text);
        let mut seen = 0;
        for (at_byte, c) in line.char_indices() {
            if seen >= at.col {
                return range.start + at_byte as u32;
            }
            seen += char_width(c, encoding);
        }
        range.end
    }
}

/// The widths of the starts of a text, at regular distances.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Marks(OnceLock<Box<[Mark]>>);

/// The width of the text before a place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Mark {
    utf16: u32,
    utf32: u32,
}

impl Marks {
    /// The width of `text[..end]`.
    fn width_before(&self, text: &str, end: usize, encoding: Encoding) -> u32 {
        let number = end / MARK_DISTANCE;
        let mark = self.0.get_or_init(|| marks(text))[number];
        let before = match encoding {
            Encoding::Utf8 => return end as u32,
            Encoding::Utf16 => mark.utf16,
            Encoding::Utf32 => mark.utf32,
        };
        before + width(&text[start_of_character(text, number * MARK_DISTANCE)..end], encoding)
    }
}

/// The widths before the bytes 0, [`MARK_DISTANCE`] and so on. A place inside a character counts as the start of the character.
fn marks(text: &str) -> Box<[Mark]> {
    let places = (0..=text.len()).step_by(MARK_DISTANCE).map(|at| start_of_character(text, at));
    let widths = places.scan((0, Mark::default()), |(done, mark), at| {
        let part = &text[*done..at];
        mark.utf16 += width(part, Encoding::Utf16);
        mark.utf32 += width(part, Encoding::Utf32);
        *done = at;
        Some(*mark)
    });
    widths.collect()
}

fn start_of_character(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn width(text: &str, encoding: Encoding) -> u32 {
    #[cfg(test)]
    tests::MEASURED.with(|it| it.set(it.get() + text.len()));
    match encoding {
        Encoding::Utf8 => text.len() as u32,
        Encoding::Utf16 | Encoding::Utf32 if text.is_ascii() => text.len() as u32,
        Encoding::Utf16 | Encoding::Utf32 => text.chars().map(|c| char_width(c, encoding)).sum(),
    }
}

fn char_width(c: char, encoding: Encoding) -> u32 {
    match encoding {
        Encoding::Utf8 => c.len_utf8() as u32,
        Encoding::Utf16 => c.len_utf16() as u32,
        Encoding::Utf32 => 1,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        /// How many bytes were measured by this thread.
        pub(super) static MEASURED: Cell<usize> = const { Cell::new(0) };
    }

    #[track_caller]
    fn check(text: &str, offset: u32, encoding: Encoding, line: u32, col: u32) {
        let index = LineIndex::new(text);
        let at = LineCol { line, col };
        assert_eq!(index.line_col(text, offset, encoding), at);
        assert_eq!(index.offset(text, at, encoding), offset);
    }

    #[test]
    fn columns_in_each_encoding() {
        let text = "a: 1\nb: 'ä😀x'\n";
        let x = text.find('x').expect("x is there") as u32;
        check(text, x, Encoding::Utf8, 1, 10);
        check(text, x, Encoding::Utf16, 1, 7);
        check(text, x, Encoding::Utf32, 1, 6);
        check(text, text.len() as u32, Encoding::Utf16, 2, 0);
    }

    #[test]
    fn crlf_ends_are_not_part_of_the_line() {
        let text = "a: 1\r\nb: 2\r\n";
        let index = LineIndex::new(text);
        assert_eq!(index.line_range(text, 0), TextRange::new(0, 4));
        assert_eq!(index.offset(text, LineCol { line: 0, col: 99 }, Encoding::Utf16), 4);
    }

    #[test]
    fn a_lone_carriage_return_ends_a_line() {
        let text = "a: 1\rb: 2\r\r\n\rc";
        let index = LineIndex::new(text);
        let lines: Vec<&str> =
            (0..index.line_count()).map(|line| index.line_range(text, line).slice(text)).collect();
        assert_eq!(lines, ["a: 1", "b: 2", "", "", "c"]);
        check(text, text.len() as u32, Encoding::Utf16, 4, 1);
        check(text, 8, Encoding::Utf8, 1, 3);
    }

    proptest::proptest! {
        #[test]
        fn an_edit_moves_lines_as_a_new_index_has_them(old in "[ab\r\n]{0,12}", new in "[ab\r\n]{0,12}") {
            let edited = LineIndex::new(&old).edited(&old, &new);
            proptest::prop_assert_eq!(edited, LineIndex::new(&new));
        }
    }

    /// All places of one long line.
    fn measured_for(parts: usize) -> usize {
        let text = "ä %{a}, ".repeat(parts);
        let index = LineIndex::new(&text);
        let before = MEASURED.get();
        for part in 0..parts as u32 {
            assert_eq!(index.line_col(&text, part * 9 + 2, Encoding::Utf16).col, part * 8 + 1);
        }
        MEASURED.get() - before
    }

    #[test]
    fn the_places_of_a_line_of_twice_the_length_cost_twice_as_much() {
        let (short, long) = (measured_for(10_000), measured_for(20_000));
        assert!(long < short * 21 / 10, "{short} {long}");
    }

    proptest::proptest! {
        #[test]
        fn marks_do_not_change_columns(
            lines in proptest::collection::vec("[aä😀]{0,900}", 1..4),
            at in 0usize..9000,
            encoding in proptest::sample::select(&[Encoding::Utf8, Encoding::Utf16, Encoding::Utf32][..]),
        ) {
            let text = lines.join("\n");
            let index = LineIndex::new(&text);
            let end = start_of_character(&text, at);
            let start = text[..end].rfind('\n').map_or(0, |it| it + 1);
            let expected = width(&text[start..end], encoding);
            proptest::prop_assert_eq!(index.line_col(&text, at as u32, encoding).col, expected);
        }
    }

    #[test]
    fn a_byte_order_mark_is_not_counted_where_editors_hide_it() {
        let (old, new) = ("\u{feff}a: ä\nb: 1\n", "a: 1\nb: 1\n");
        let index = LineIndex::new(old).after_mark(old);
        let of = |offset| index.line_col(old, offset, Encoding::Utf16);
        assert_eq!([0, 3, 4].map(|it| of(it).col), [0, 0, 1]);
        assert_eq!(index.offset(old, LineCol::default(), Encoding::Utf16), 3);
        assert_eq!(index.line_range(old, 0).slice(old), "a: ä");
        assert_eq!(of(9), LineCol { line: 1, col: 0 });
        assert_eq!(index.edited(old, new), LineIndex::new(new));
        assert_eq!(LineIndex::new(new).edited(new, old).after_mark(old), index);
    }

    #[test]
    fn places_outside_are_clamped() {
        let index = LineIndex::new("a");
        assert_eq!(index.offset("a", LineCol { line: 9, col: 9 }, Encoding::Utf8), 1);
        assert_eq!(index.line_col("a", 99, Encoding::Utf8), LineCol { line: 0, col: 1 });
    }
}
