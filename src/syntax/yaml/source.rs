//! Small readers of YAML source for positions that libyaml's marks leave open: where a node starts after its tag and anchor,
//! where a block scalar ends, which line a byte is on.

use crate::text::TextRange;

/// Where a node starts whose tag or anchor starts at `start`: after `&name` and `!tag`, spaces and comments.
pub(super) fn behind_properties(text: &str, start: usize, end: usize) -> usize {
    let bytes = &text.as_bytes()[..end.min(text.len())];
    let mut at = start;
    loop {
        match bytes.get(at) {
            Some(b'&' | b'!') => {
                while bytes.get(at).is_some_and(|byte| !byte.is_ascii_whitespace()) {
                    at += 1;
                }
            }
            Some(byte) if byte.is_ascii_whitespace() => at += 1,
            Some(b'#') => at = memchr::memchr(b'\n', &bytes[at..]).map_or(end, |line| at + line),
            Some(_) => return at,
            None => return end,
        }
    }
}

/// The end of a block scalar without the line ends after its last line, which libyaml includes.
pub(super) fn end_of_block_scalar(text: &str, start: usize, end: usize) -> usize {
    let source = text.as_bytes().get(start..end).unwrap_or(&[]);
    start + source.trim_ascii_end().len()
}

/// The rest of the line from byte `at`; if it consists of spaces only, the last text before it.
pub(super) fn rest_of_line(text: &str, at: usize) -> TextRange {
    let bytes = text.as_bytes();
    let start = at.min(bytes.len());
    let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |line| start + line);
    let shown = start + bytes[start..end].trim_ascii_end().len();
    if shown > start {
        return TextRange::new(start as u32, shown as u32);
    }
    let end = bytes[..start].trim_ascii_end().len();
    let last = text[..end].char_indices().next_back().map_or(end, |(at, _)| at);
    TextRange::new(last as u32, end as u32)
}

/// The line and column (from 1, in characters) of byte `at`, with all of YAML's line ends. For libyaml, the text ends with a
/// line end even if there is none.
pub(super) fn line_and_column(text: &str, at: usize) -> (u32, u32) {
    let (line, column) = line_and_column_inside(text, at);
    if at >= text.len() && column > 1 { (line + 1, 1) } else { (line, column) }
}

fn line_and_column_inside(text: &str, at: usize) -> (u32, u32) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    // U+0085 starts with C2, and U+2028 and U+2029 with E2. Without these bytes, only `\n` ends a line.
    if memchr::memchr3(b'\r', 0xc2, 0xe2, before.as_bytes()).is_none() {
        let lines = memchr::memchr_iter(b'\n', before.as_bytes()).count();
        let start = memchr::memrchr(b'\n', before.as_bytes()).map_or(0, |line| line + 1);
        return (lines as u32 + 1, before[start..].chars().count() as u32 + 1);
    }
    let (mut line, mut column) = (1, 1);
    let mut characters = before.chars().peekable();
    while let Some(c) = characters.next() {
        let is_half = c == '\r' && (characters.peek() == Some(&'\n'));
        match c {
            _ if is_half => {}
            '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                line += 1;
                column = 1;
            }
            _ => column += 1,
        }
    }
    (line, column)
}

/// Whether `text` has a character that YAML forbids.
pub(super) fn has_forbidden_character(text: &str) -> bool {
    // C2 starts U+0080 to U+009F, and EF starts U+FFFE and U+FFFF.
    #[allow(clippy::needless_bitwise_bool, reason = "without branches many bytes are done at once")]
    let is_suspicious = |byte: u8| {
        ((byte < b' ') & (byte != b'\t') & (byte != b'\n') & (byte != b'\r'))
            | (byte == 0x7f)
            | (byte == 0xc2)
            | (byte == 0xef)
    };
    let block = |block: &[u8]| block.iter().fold(false, |any, &byte| any | is_suspicious(byte));
    text.as_bytes().chunks(256).any(block) && text.chars().any(is_forbidden)
}

fn is_forbidden(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' | '\u{85}' => false,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => true,
        _ => false,
    }
}
