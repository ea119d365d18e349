//! JSON as Ruby's JSON library reads it, with positions: comments are accepted, trailing commas and NaN are not.
//!
//! This parser is written by hand because its messages must be Ruby's. They say where Ruby's nested state machines gave up,
//! which is the start of the outermost object unless a list surrounds the error.

mod string;

use std::sync::Arc;

use super::decode_map::{DecodeMap, DecodeMapBuilder};
use super::tree::{Node, NodeKind, Pair, ScalarStyle, SyntaxError};
use crate::limits::MAX_JSON_NESTING;
use crate::text::TextRange;

/// The content of a JSON text.
#[derive(Debug, Clone, Default)]
pub struct Parsed {
    /// The value; in a broken text the root object with the members before the broken one.
    pub root: Option<Node>,
    /// Why Ruby refuses the text, in its words; the range is where reading stopped.
    pub error: Option<SyntaxError>,
}

/// What Ruby's message says before the text that it quotes.
const UNEXPECTED: &str = "unexpected token at '";

/// An error message of a lookup without the text of a JSON file that Ruby quotes in it: all of the file from the start of the
/// broken object.
pub fn without_quoted_text(message: &str) -> &str {
    match message.find(UNEXPECTED) {
        Some(at) => &message[..at + UNEXPECTED.len() - " at '".len()],
        None => message,
    }
}

/// Parses `text`.
pub fn parse(text: &str) -> Parsed {
    let mut parser = Parser { text, at: 0, depth: 0, stopped_at: 0, partial: None };
    match parser.document() {
        Ok(root) => Parsed { root: Some(root), error: None },
        Err(message) => {
            let at = parser.stopped_at.min(text.len()) as u32;
            let error = SyntaxError { message, range: TextRange::empty(at) };
            Parsed { root: parser.partial, error: Some(error) }
        }
    }
}

/// The decode map of the scalar `node`, whose range refers to `source`.
pub fn decode_map(source: &str, node: &Node) -> DecodeMap {
    let (start, end) = (node.range.start as usize, node.range.end as usize);
    let NodeKind::Scalar { style: ScalarStyle::DoubleQuoted, .. } = &node.kind else {
        let mut map = DecodeMapBuilder::ending_at(end);
        map.verbatim(start, end);
        return map.finish(node);
    };
    let mut map = DecodeMapBuilder::ending_at(end.saturating_sub(1).max(start));
    if string::end(source, start) == Ok(end) {
        // A string that was read is well formed. Otherwise the pieces would not add up, and `finish` notices that.
        let _ = string::decode(source, start, end, &mut |from, to, piece| {
            if piece.len() == to - from && source.get(from..to) == Some(piece) {
                map.verbatim(from, to);
            } else {
                map.stands_for(from, to, piece.len());
            }
        });
    }
    map.finish(node)
}

/// Why one of Ruby's state machines ended.
enum Stop {
    /// It did not match. The enclosing machine decides which message to raise.
    NoMatch,
    /// An exception with this message.
    Raised(String),
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    /// The furthest byte that a machine reached.
    stopped_at: usize,
    /// The root object as far as it was read.
    partial: Option<Node>,
}

impl Parser<'_> {
    fn document(&mut self) -> Result<Node, String> {
        let result = self.document_or_stop();
        result.map_err(|stop| match stop {
            Stop::Raised(message) => message,
            Stop::NoMatch => {
                self.stop_here();
                self.unexpected(859, self.at)
            }
        })
    }

    fn document_or_stop(&mut self) -> Result<Node, Stop> {
        self.blanks()?;
        let start = self.at;
        let root = self.value().inspect_err(|_| self.at = start)?;
        self.blanks()?;
        if self.at < self.text.len() { Err(Stop::NoMatch) } else { Ok(root) }
    }

    fn value(&mut self) -> Result<Node, Stop> {
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        let kind = match rest.first() {
            Some(b'"') => {
                NodeKind::Scalar { text: self.string()?, style: ScalarStyle::DoubleQuoted }
            }
            Some(b'[') => self.nested(Self::array)?,
            Some(b'{') => self.nested(Self::object)?,
            Some(b'N') if rest.starts_with(b"NaN") => return Err(self.raise(225, start)),
            Some(b'I') if rest.starts_with(b"Infinity") => {
                return Err(self.raise(232, start.saturating_sub(1)));
            }
            Some(b'-') if rest.starts_with(b"-Infinity") => return Err(self.raise(249, start)),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => self.word()?,
        };
        Ok(self.node(start, kind))
    }

    fn word(&mut self) -> Result<NodeKind, Stop> {
        let rest = &self.text[self.at..];
        let word = ["null", "true", "false"].into_iter().find(|word| rest.starts_with(word));
        let Some(word) = word else { return Err(self.no_match()) };
        self.at += word.len();
        Ok(plain(word))
    }

    /// A number, with a fraction or exponent only if digits follow. The text after the number is not checked here.
    fn number(&mut self) -> Result<NodeKind, Stop> {
        let bytes = &self.text.as_bytes()[self.at..];
        let digits = |from: usize| {
            bytes
                .get(from..)
                .map_or(0, |rest| rest.iter().take_while(|c| c.is_ascii_digit()).count())
        };
        let sign = usize::from(bytes.first() == Some(&b'-'));
        let whole = digits(sign);
        if whole == 0 || (whole > 1 && bytes[sign] == b'0') {
            return Err(self.no_match());
        }
        let integer_end = sign + whole;
        let mut end = integer_end;
        if bytes.get(end) == Some(&b'.') {
            let fraction = digits(end + 1);
            end = if fraction > 0 { end + 1 + fraction } else { integer_end };
        }
        if let Some(b'e' | b'E') = bytes.get(end) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits(end + 1 + sign);
            end = if exponent > 0 { end + 1 + sign + exponent } else { integer_end };
        }
        // Ruby reads a float only if none of these characters follows it. Otherwise it reads an integer, and fails at the rest.
        if end > integer_end
            && matches!(bytes.get(end), Some(b'0'..=b'9' | b'e' | b'E' | b'.' | b'-'))
        {
            end = integer_end;
        }
        let text = &self.text[self.at..self.at + end];
        self.at += end;
        Ok(plain(text))
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<NodeKind, Stop>) -> Result<NodeKind, Stop> {
        self.depth += 1;
        if self.depth > MAX_JSON_NESTING {
            self.stop_here();
            return Err(Stop::Raised(format!("nesting of {} is too deep", self.depth)));
        }
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// A malformed list is an error of its own, at the byte where the list's machine stopped.
    fn array(&mut self) -> Result<NodeKind, Stop> {
        match self.array_items() {
            Err(Stop::NoMatch) => {
                self.stop_here();
                Err(Stop::Raised(self.unexpected(451, self.at)))
            }
            other => other,
        }
    }

    fn array_items(&mut self) -> Result<NodeKind, Stop> {
        let mut items = Vec::new();
        self.at += 1;
        self.blanks()?;
        if self.take(b']') {
            return Ok(NodeKind::Sequence(items));
        }
        loop {
            let start = self.at;
            items.push(self.value().inspect_err(|_| self.at = start)?);
            self.blanks()?;
            if self.take(b']') {
                return Ok(NodeKind::Sequence(items));
            }
            self.expect(b',')?;
            self.blanks()?;
        }
    }

    fn object(&mut self) -> Result<NodeKind, Stop> {
        let start = self.at;
        let mut pairs = Vec::new();
        let read = self.object_pairs(&mut pairs);
        if read.is_err() && self.depth == 1 {
            let range = TextRange::new(start as u32, self.stopped_at.max(start) as u32);
            let kind = NodeKind::Mapping(pairs);
            self.partial = Some(Node { range, tag: None, anchor: None, kind });
            read.map(|()| plain(""))
        } else {
            read.map(|()| NodeKind::Mapping(pairs))
        }
    }

    fn object_pairs(&mut self, pairs: &mut Vec<Pair>) -> Result<(), Stop> {
        self.at += 1;
        self.blanks()?;
        if self.take(b'}') {
            return Ok(());
        }
        loop {
            let start = self.at;
            if self.text.as_bytes().get(start) != Some(&b'"') {
                return Err(self.no_match());
            }
            let key = NodeKind::Scalar { text: self.string()?, style: ScalarStyle::DoubleQuoted };
            let key = self.node(start, key);
            self.blanks()?;
            self.expect(b':')?;
            self.blanks()?;
            let value = self.value()?;
            pairs.push(Pair { key, value });
            self.blanks()?;
            if self.take(b'}') {
                return Ok(());
            }
            self.expect(b',')?;
            self.blanks()?;
        }
    }

    fn string(&mut self) -> Result<Arc<str>, Stop> {
        let read = string::read(self.text, self.at);
        match read {
            Ok((text, end)) => {
                self.at = end;
                Ok(text.into())
            }
            Err(string::StringError::NoString(at)) => {
                self.stopped_at = self.stopped_at.max(at);
                Err(Stop::NoMatch)
            }
            Err(string::StringError::IncompleteSurrogates(at)) => {
                self.stopped_at = at;
                let rest = self.rest(at);
                Err(Stop::Raised(format!("521: incomplete surrogate pair at '{rest}'")))
            }
        }
    }

    /// White space and comments. A slash that does not start a comment stops the machine after it. A line comment needs its
    /// line end.
    fn blanks(&mut self) -> Result<(), Stop> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(b'/') => {
                    let rest = &bytes[self.at + 1..];
                    let end = match rest.first() {
                        Some(b'*') => memchr::memmem::find(&rest[1..], b"*/").map(|at| at + 3),
                        Some(b'/') => memchr::memchr(b'\n', rest).map(|at| at + 1),
                        _ => {
                            self.at += 1;
                            return Err(self.no_match());
                        }
                    };
                    let Some(end) = end else {
                        self.at = bytes.len();
                        return Err(self.no_match());
                    };
                    self.at += 1 + end;
                }
                _ => return Ok(()),
            }
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_there = self.text.as_bytes().get(self.at) == Some(&byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, byte: u8) -> Result<(), Stop> {
        if self.take(byte) { Ok(()) } else { Err(self.no_match()) }
    }

    fn no_match(&mut self) -> Stop {
        self.stop_here();
        Stop::NoMatch
    }

    fn stop_here(&mut self) {
        self.stopped_at = self.stopped_at.max(self.at);
    }

    /// Raises an exception at once, whatever surrounds the error.
    fn raise(&mut self, line_of_parser: u32, at: usize) -> Stop {
        self.stop_here();
        Stop::Raised(self.unexpected(line_of_parser, at))
    }

    /// Ruby's message; the number is a line in the source of the library (json 2.6).
    fn unexpected(&self, line_of_parser: u32, at: usize) -> String {
        format!("{line_of_parser}: {UNEXPECTED}{}'", self.rest(at))
    }

    /// The text from byte `at`, as C prints it.
    fn rest(&self, at: usize) -> &str {
        let rest = self.text.get(at..).unwrap_or("");
        rest.split('\0').next().unwrap_or("")
    }

    fn node(&self, start: usize, kind: NodeKind) -> Node {
        let range = TextRange::new(start as u32, self.at as u32);
        Node { range, tag: None, anchor: None, kind }
    }
}

fn plain(text: &str) -> NodeKind {
    NodeKind::Scalar { text: text.into(), style: ScalarStyle::Plain }
}

/// The bytes of the string at `range`, quotes included. `original` returns the bytes for which a replacement character of the
/// text stands.
pub fn string_bytes<'a>(
    text: &str,
    range: TextRange,
    original: &dyn Fn(usize) -> Option<&'a [u8]>,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut push = |start: usize, end: usize, piece: &str| {
        // An escape is longer than its character, which is behind the backslash.
        let first = if end - start == piece.len() { start } else { start + 1 };
        for (at, char) in piece.char_indices() {
            match original(first + at).filter(|_| char == char::REPLACEMENT_CHARACTER) {
                Some(original) => bytes.extend_from_slice(original),
                None => bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
    };
    // What cannot be decoded was refused before.
    let _ = string::decode(text, range.start as usize, range.end as usize, &mut push);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_can_do_without_the_text_of_the_file() {
        let error = parse("{\"a\": 1,\n\"password\": \"secret\"").error.expect("an error");
        let message = format!("Unable to parse (/data/a.json): {}", error.message);
        assert!(message.contains("secret"));
        let expected = "Unable to parse (/data/a.json): 859: unexpected token";
        assert_eq!(without_quoted_text(&message), expected);
        assert_eq!(without_quoted_text("another error"), "another error");
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let message = parse(text).error.map_or("fine".to_owned(), |error| {
            format!("{} (stopped at {})", error.message, error.range.start)
        });
        assert_eq!(message, expected);
    }

    #[test]
    fn comments_are_fine() {
        check("// c\n{\"a\": /* x */ 1}", "fine");
        check("{} // c", "859: unexpected token at '' (stopped at 7)");
    }

    #[test]
    fn half_a_pair_of_surrogates_may_shift_the_escapes_behind_it() {
        check("{\"a\": \"\\ud83d\\\\ude0\u{e000}0\"}", "fine");
        check("{\"a\": \"\\ud83d\\\\u0\u{e000}\"}", "fine");
    }

    #[test]
    fn an_object_is_refused_from_its_begin_and_a_list_at_the_spot() {
        check("{\"a\": 1,}", "859: unexpected token at '{\"a\": 1,}' (stopped at 8)");
        check("{\"a\": [1,]}", "451: unexpected token at ']}' (stopped at 9)");
        check("[{\"a\": }]", "451: unexpected token at '{\"a\": }]' (stopped at 7)");
    }

    #[test]
    fn numbers_that_are_none_are_refused() {
        check("[NaN]", "225: unexpected token at 'NaN]' (stopped at 1)");
        check("{\"a\": 01}", "859: unexpected token at '{\"a\": 01}' (stopped at 6)");
    }

    #[test]
    fn nesting_has_an_end() {
        let deep = "[".repeat(101);
        check(&deep, "nesting of 101 is too deep (stopped at 100)");
    }

    #[test]
    fn members_before_the_broken_one_stay() {
        let Some(NodeKind::Mapping(pairs)) = parse("{\"a\": 1, \"b\" 2}").root.map(|it| it.kind)
        else {
            panic!("an object was expected")
        };
        assert_eq!(pairs.len(), 1);
        assert_eq!(pairs[0].value.range, TextRange::new(6, 7));
    }
}
