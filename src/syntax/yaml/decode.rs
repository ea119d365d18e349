//! The decode map of a YAML scalar: repeats libyaml's folding and unescaping, and tracks positions.

use crate::syntax::decode_map::{DecodeMap, DecodeMapBuilder};
use crate::syntax::tree::{Node, NodeKind, ScalarStyle};

/// The decode map of the scalar `node`, whose range refers to `source`. The map's source offsets refer to it as well.
pub fn decode_map(source: &str, node: &Node) -> DecodeMap {
    let (start, end) = (node.range.start as usize, (node.range.end as usize).min(source.len()));
    let NodeKind::Scalar { text, style } = &node.kind else {
        return DecodeMapBuilder::ending_at(end).finish(node);
    };
    let is_quoted = matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted);
    if is_quoted && end < start + 2 || start > end {
        return DecodeMapBuilder::ending_at(end).finish(node);
    }
    let quote = usize::from(is_quoted);
    let (start, end) = (start + quote, end - quote);
    let mut map = DecodeMapBuilder::ending_at(end);
    let is_flow = !matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
    // Most scalars have no escapes and are on one line.
    if is_flow && source.as_bytes()[start..end] == *text.as_bytes() {
        map.verbatim(start, end);
        return map.finish(node);
    }
    let mut decoder = Decoder { bytes: source.as_bytes(), at: start, end, map };
    match style {
        ScalarStyle::Plain => decoder.flow(|_| None),
        ScalarStyle::SingleQuoted => decoder.flow(single_quoted_escape),
        ScalarStyle::DoubleQuoted => decoder.flow(double_quoted_escape),
        ScalarStyle::Literal => decoder.block(text, false),
        ScalarStyle::Folded => decoder.block(text, true),
    }
    decoder.map.finish(node)
}

struct Decoder<'s> {
    bytes: &'s [u8],
    at: usize,
    end: usize,
    map: DecodeMapBuilder,
}

/// The lengths of an escape in bytes: in the source, and decoded.
type Escape = Option<(usize, usize)>;

impl Decoder<'_> {
    /// Plain and quoted scalars: a line end and the spaces around it become one space; several line ends become one fewer.
    fn flow(&mut self, escape: fn(&[u8]) -> Escape) {
        let mut plain = self.at;
        while self.at < self.end {
            let rest = &self.bytes[self.at..self.end];
            if let Some((source, decoded)) = escape(rest) {
                self.map.verbatim(plain, self.at);
                self.map.stands_for(self.at, self.at + source, decoded);
                self.at += source;
                plain = self.at;
            } else if rest[0] == b'\\' && escape(b"\\n").is_some() {
                // The condition asks for the kind of scalar: only in double quotes is `\n` an escape.
                // An escaped line end: spaces before it stay, those after it are removed.
                self.map.verbatim(plain, self.at);
                self.at += 1;
                self.at += self.line_end();
                self.fold(true);
                plain = self.at;
            } else {
                let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
                self.at += blanks;
                if self.line_end() > 0 {
                    let before = self.at - blanks;
                    self.map.verbatim(plain, before);
                    self.at = before;
                    self.fold(false);
                    plain = self.at;
                } else if blanks == 0 {
                    self.at += 1;
                }
            }
        }
        self.map.verbatim(plain, self.end.max(plain));
    }

    /// Passes spaces and line ends up to the next content.
    fn fold(&mut self, first_is_escaped: bool) {
        let start = self.at;
        let (mut first, mut more) = (0, 0);
        let mut is_kept = false;
        loop {
            while self.at < self.end && matches!(self.bytes[self.at], b' ' | b'\t') {
                self.at += 1;
            }
            let length = self.line_end();
            if length == 0 {
                break;
            }
            if first == 0 && !first_is_escaped {
                first = self.decoded_line_end();
                // A single line end becomes a space, but U+2028 and U+2029, which have three bytes, stay.
                is_kept = first > 1;
            } else {
                more += self.decoded_line_end();
            }
            self.at += length;
        }
        let decoded = match (first, more) {
            (0, more) => more,
            (first, more) if is_kept => first + more,
            (_, 0) => 1,
            (_, more) => more,
        };
        self.map.stands_for(start, self.at, decoded);
    }

    /// Block scalars: each line without its indentation.
    fn block(&mut self, text: &str, is_folded: bool) {
        let header = memchr::memchr(b'\n', &self.bytes[self.at..self.end]);
        let Some(header) = header else { return self.rest_of_block(text, 0) };
        self.at += header + 1;
        let indentation = self.indentation(text);
        let mut decoded = 0;
        let mut was_indented = false;
        let mut has_content = false;
        // Line ends that are not written yet: where they start, and how many there are.
        let mut waiting = (self.at, 0);
        while self.at < self.end {
            let line = self.at;
            let length = memchr::memchr2(b'\n', b'\r', &self.bytes[line..self.end]);
            let line_end = length.map_or(self.end, |length| line + length);
            let content = (line + indentation).min(line_end);
            if content < line_end
                && !(is_blank(&self.bytes[line..line_end]) && decoded >= text.len())
            {
                let is_indented = matches!(self.bytes[content], b' ' | b'\t');
                let folds = is_folded && has_content && !is_indented && !was_indented;
                let line_ends = match waiting.1 {
                    1 if folds => 1,
                    count if folds => count - 1,
                    count => count,
                };
                self.map.stands_for(waiting.0, content, line_ends);
                self.map.verbatim(content, line_end);
                decoded += line_ends + (line_end - content);
                (was_indented, has_content) = (is_indented, true);
                waiting = (line_end, 0);
            }
            self.at = line_end;
            self.at += self.line_end();
            waiting.1 += usize::from(self.at > line_end);
        }
        self.rest_of_block(text, decoded);
    }

    /// The line ends after the last line, which the node's range does not include.
    fn rest_of_block(&mut self, text: &str, decoded: usize) {
        self.map.stands_for(self.end, self.end, text.len().saturating_sub(decoded));
    }

    /// The indentation of a block scalar, taken from its first line with content.
    fn indentation(&self, text: &str) -> usize {
        let leading = |line: &[u8]| line.iter().take_while(|&&byte| byte == b' ').count();
        // After an indicator such as `|2`, the text itself may start with spaces. Comparing both texts shows what was removed.
        let decoded = text.split('\n').find(|line| !line.trim_matches(' ').is_empty());
        let lines = self.bytes[self.at..self.end].split(|&byte| byte == b'\n');
        let source = lines.into_iter().find(|line| !is_blank(line));
        match (decoded, source) {
            (Some(decoded), Some(source)) => {
                leading(source).saturating_sub(leading(decoded.as_bytes()))
            }
            _ => 0,
        }
    }

    /// The length of the line end here; 0 if there is none.
    fn line_end(&self) -> usize {
        match self.bytes.get(self.at..self.end).unwrap_or(&[]) {
            [b'\r', b'\n', ..] | [0xc2, 0x85, ..] => 2,
            [b'\r' | b'\n', ..] => 1,
            [0xe2, 0x80, 0xa8 | 0xa9, ..] => 3,
            _ => 0,
        }
    }

    /// The decoded length of the line end here: one byte, but Unicode's own separators stay as they are.
    fn decoded_line_end(&self) -> usize {
        if self.line_end() == 3 { 3 } else { 1 }
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\r'))
}

fn single_quoted_escape(rest: &[u8]) -> Escape {
    rest.starts_with(b"''").then_some((2, 1))
}

/// A backslash and the rest of its escape, except before a line end.
fn double_quoted_escape(rest: &[u8]) -> Escape {
    let [b'\\', kind, digits @ ..] = rest else { return None };
    let coded = |count: usize| {
        let hex = std::str::from_utf8(digits.get(..count)?).ok()?;
        let character = char::from_u32(u32::from_str_radix(hex, 16).ok()?)?;
        Some((2 + count, character.len_utf8()))
    };
    match kind {
        // C2 and E2 start U+0085, U+2028 and U+2029, which are line ends in YAML.
        b'\n' | b'\r' | 0xc2 | 0xe2 => None,
        b'x' => coded(2),
        b'u' => coded(4),
        b'U' => coded(8),
        // `\N` and `\_` are U+0085 and U+00A0, and `\L` and `\P` are U+2028 and U+2029.
        b'N' | b'_' => Some((2, 2)),
        b'L' | b'P' => Some((2, 3)),
        _ => Some((2, 1)),
    }
}
