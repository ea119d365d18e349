//! Lookup keys such as `a.'b.c'.0`: a root key and the segments that are dug out of its value.
//!
//! The grammar is Puppet's, oddities included. A key without dots and quotes is one segment, whatever else it contains. If
//! one line of a segment looks like an integer, the whole segment is an integer.

use std::fmt;
use std::sync::Arc;

use memchr::memchr3;

use crate::text::TextRange;

/// One part of a key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Segment {
    /// Text, a hash key.
    Name(Arc<str>),
    /// Digits without quotes: an index, or an Integer hash key.
    Index(i64),
}

/// A key, split into its segments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPath {
    /// The key that is searched for in data files. Puppet crashes on [`Segment::Index`] here.
    pub root: Segment,
    /// The segments that are dug out of the value found.
    pub rest: Vec<Segment>,
}

/// A key that Puppet refuses, with `Syntax error in key: '…'`, or with `Syntax error in string: …` inside `%{…}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeySyntaxError {
    /// The first byte of the key that violates the grammar.
    pub offset: u32,
}

/// One segment and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedSegment {
    /// The meaning of the segment.
    pub segment: Segment,
    /// The bytes of the key that name it, without surrounding spaces and quotes.
    pub range: TextRange,
    /// All bytes of the segment, including quotes and spaces but not dots.
    pub full_range: TextRange,
}

/// Splits `key` as Puppet does.
pub fn parse(key: &str) -> Result<KeyPath, KeySyntaxError> {
    if is_verbatim(key) {
        return Ok(KeyPath { root: Segment::Name(key.into()), rest: Vec::new() });
    }
    let mut cutter = Cutter { key, at: 0 };
    let root = segment_of(key, cutter.next_segment()?);
    let mut rest = Vec::new();
    while cutter.skip_dot()? {
        rest.push(segment_of(key, cutter.next_segment()?));
    }
    Ok(KeyPath { root, rest })
}

/// Whether the whole text is one segment as it is: it has no dot and no quote.
pub fn is_verbatim(key: &str) -> bool {
    memchr3(b'.', b'\'', b'"', key.as_bytes()).is_none()
}

/// The segments of `key` with their positions. The part after a syntax error is left out, so that editors can work with
/// half-written keys.
pub fn segment_ranges(key: &str) -> (Vec<PlacedSegment>, Option<KeySyntaxError>) {
    let mut segments = Vec::new();
    if is_verbatim(key) {
        let range = TextRange::new(0, key.len() as u32);
        segments.push(PlacedSegment {
            segment: Segment::Name(key.into()),
            range,
            full_range: range,
        });
        return (segments, None);
    }
    let mut cutter = Cutter { key, at: 0 };
    loop {
        let cut = match cutter.next_segment() {
            Ok(cut) => cut,
            Err(error) => return (segments, Some(error)),
        };
        segments.push(PlacedSegment {
            segment: segment_of(key, cut),
            range: cut.name,
            full_range: cut.full,
        });
        match cutter.skip_dot() {
            Ok(true) => {}
            Ok(false) => return (segments, None),
            Err(error) => return (segments, Some(error)),
        }
    }
}

/// A segment that digs for exactly this name, quoted where the grammar requires it. `None` if no quoting can express it
/// (empty, or with both kinds of quotes).
pub fn quote_segment(name: &str) -> Option<String> {
    if !needs_quotes(name) {
        return Some(name.to_owned());
    }
    if name.is_empty() {
        None
    } else if !name.contains('\'') {
        Some(format!("'{name}'"))
    } else if !name.contains('"') {
        Some(format!("\"{name}\""))
    } else {
        None
    }
}

/// The same within a text that is in `outer` quotes, where a segment needs the other kind of quote.
pub fn quote_segment_within(name: &str, outer: char) -> Option<String> {
    if name.contains(outer) {
        return None;
    }
    let quoted = quote_segment(name)?;
    let inner = if outer == '\'' { '"' } else { '\'' };
    match quoted.strip_prefix(outer).and_then(|it| it.strip_suffix(outer)) {
        Some(name) if name.contains(inner) => None,
        Some(name) => Some(format!("{inner}{name}{inner}")),
        None => Some(quoted),
    }
}

/// Whether a segment that digs for this name has quotes.
pub fn needs_quotes(name: &str) -> bool {
    let blank_outside = || strip_as_ruby(name).len() != name.len();
    name.is_empty() || !is_verbatim(name) || blank_outside() || looks_like_an_integer(name)
}

/// The root key that `key` searches for; `None` if it searches for none.
pub fn root_of(key: &str) -> Option<Arc<str>> {
    parse(key).ok()?.root_name().cloned()
}

/// The key that looks up a root key: the key itself, quoted if it has a dot. A key with both kinds of quotes cannot be looked
/// up, and stays as it is.
pub fn of_root(root: &Arc<str>) -> Arc<str> {
    if is_verbatim(root) {
        return Arc::clone(root);
    }
    quote_segment(root).map_or_else(|| Arc::clone(root), Arc::from)
}

impl KeyPath {
    /// Number of segments, the root included.
    pub fn depth(&self) -> usize {
        self.rest.len() + 1
    }

    /// The text of the root key, unless it is an integer, on which Puppet crashes.
    pub fn root_name(&self) -> Option<&Arc<str>> {
        match &self.root {
            Segment::Name(name) => Some(name),
            Segment::Index(_) => None,
        }
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Index(index) => write!(f, "{index}"),
        }
    }
}

/// The position of one segment.
#[derive(Debug, Clone, Copy)]
struct Cut {
    name: TextRange,
    full: TextRange,
    quoted: bool,
}

/// Walks through a key that contains dots or quotes.
struct Cutter<'a> {
    key: &'a str,
    at: usize,
}

impl Cutter<'_> {
    fn next_segment(&mut self) -> Result<Cut, KeySyntaxError> {
        let start = self.at;
        let cut = self.quoted_segment().or_else(|| self.bare_segment());
        cut.ok_or(KeySyntaxError { offset: start as u32 })
    }

    fn skip_dot(&mut self) -> Result<bool, KeySyntaxError> {
        match self.key.as_bytes().get(self.at) {
            None => Ok(false),
            Some(b'.') => {
                self.at += 1;
                Ok(true)
            }
            Some(_) => Err(KeySyntaxError { offset: self.at as u32 }),
        }
    }

    /// `'…'` or `"…"`, not empty, with optional spaces around it.
    fn quoted_segment(&mut self) -> Option<Cut> {
        let bytes = self.key.as_bytes();
        let blanks = |from: usize| bytes[from..].iter().take_while(|&&b| is_regex_blank(b)).count();
        let open = self.at + blanks(self.at);
        let quote = *bytes.get(open).filter(|&&b| b == b'\'' || b == b'"')?;
        let length = memchr::memchr(quote, &bytes[open + 1..]).filter(|&length| length > 0)?;
        let close = open + 1 + length;
        let end = close + 1 + blanks(close + 1);
        let full = TextRange::new(self.at as u32, end as u32);
        self.at = end;
        Some(Cut { name: TextRange::new(open as u32 + 1, close as u32), full, quoted: true })
    }

    /// Everything up to a dot or a quote; at least one byte, which may be a space.
    fn bare_segment(&mut self) -> Option<Cut> {
        let text = &self.key[self.at..];
        let length = memchr3(b'.', b'\'', b'"', text.as_bytes()).unwrap_or(text.len());
        if length == 0 {
            return None;
        }
        let text = &text[..length];
        let name = strip_as_ruby(text);
        let start = (self.at + (name.as_ptr() as usize - text.as_ptr() as usize)) as u32;
        let full = TextRange::new(self.at as u32, (self.at + length) as u32);
        self.at += length;
        Some(Cut { name: TextRange::new(start, start + name.len() as u32), full, quoted: false })
    }
}

fn segment_of(key: &str, cut: Cut) -> Segment {
    let name = cut.name.slice(key);
    if !cut.quoted && looks_like_an_integer(name) {
        Segment::Index(to_i_as_ruby(name))
    } else {
        Segment::Name(name.into())
    }
}

/// Ruby's `strip`: ASCII white space and NUL.
pub(crate) fn strip_as_ruby(text: &str) -> &str {
    text.trim_matches(|c| matches!(c, '\0' | '\t' | '\n' | '\x0b' | '\x0c' | '\r' | ' '))
}

/// Ruby's `\s`.
fn is_regex_blank(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0b | 0x0c | b'\r' | b' ')
}

/// Puppet's `^(:?[+-]?[0-9]+)$`. Its anchors match at lines, so one matching line is enough.
fn looks_like_an_integer(segment: &str) -> bool {
    // Most segments have no digits at their end, and the line ends of a segment are rare.
    let ends_with_digit = segment.as_bytes().last().is_some_and(u8::is_ascii_digit);
    if !ends_with_digit && !segment.contains('\n') {
        return false;
    }
    segment.split('\n').any(|line| {
        let digits = line.strip_prefix(':').unwrap_or(line);
        let digits = digits.strip_prefix(['+', '-']).unwrap_or(digits);
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    })
}

/// Ruby's `to_i`: the number at the start of the text, or 0 (`:1` is 0). Integers of more than 64 bits saturate, because no
/// list is that long.
fn to_i_as_ruby(segment: &str) -> i64 {
    let text = segment.trim_start_matches(|c: char| c.is_ascii() && is_regex_blank(c as u8));
    let (negative, text) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let digits = decimal_digits(text);
    let magnitude = digits
        .bytes()
        .fold(0i64, |sum, digit| sum.saturating_mul(10).saturating_add(i64::from(digit - b'0')));
    if negative { -magnitude } else { magnitude }
}

/// The digits at the start of `text`, with Ruby's single underscores between digits and its prefix `0d`.
fn decimal_digits(text: &str) -> String {
    let text = match text.as_bytes() {
        [b'0', b'd' | b'D', b'0'..=b'9', ..] => &text[2..],
        _ => text,
    };
    let mut digits = String::new();
    let mut rest = text.bytes().peekable();
    while let Some(byte) = rest.next() {
        match byte {
            b'0'..=b'9' => digits.push(char::from(byte)),
            b'_' if !digits.is_empty() && rest.peek().is_some_and(u8::is_ascii_digit) => {}
            _ => break,
        }
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expected`: segments joined by `|`, integers with `#` before them; `error N` for a syntax error at byte N.
    #[track_caller]
    fn check(key: &str, expected: &str) {
        let show = |segment: &Segment| match segment {
            Segment::Name(name) => name.to_string(),
            Segment::Index(index) => format!("#{index}"),
        };
        let actual = match parse(key) {
            Ok(path) => std::iter::once(&path.root)
                .chain(&path.rest)
                .map(show)
                .collect::<Vec<_>>()
                .join("|"),
            Err(error) => format!("error {}", error.offset),
        };
        assert_eq!(actual, expected, "{key:?}");
        let (segments, error) = segment_ranges(key);
        assert_eq!(error, parse(key).err(), "{key:?}");
        for placed in segments {
            if let Segment::Name(name) = placed.segment {
                assert_eq!(&*name, placed.range.slice(key), "{key:?}");
            }
        }
    }

    #[test]
    fn keys_without_dots_and_quotes_are_verbatim() {
        check(" a", " a");
        check("", "");
        check("1", "1");
        check("m::k\n x", "m::k\n x");
    }

    #[test]
    fn dots_separate_and_quotes_protect() {
        check("a.b.0", "a|b|#0");
        check("a.'b.c'.\"d'e\"", "a|b.c|d'e");
        check(" d . 'k' \n. 1 ", "d|k|#1");
        check("a. .b", "a||b");
        check("a.'0'", "a|0");
        check("a.' b '", "a| b ");
    }

    #[test]
    fn integers_are_told_by_their_looks() {
        check("a.01", "a|#1");
        check("a.+1.-1", "a|#1|#-1");
        check("a.:1", "a|#0");
        check("a.1_000.1x.--1", "a|1_000|1x|--1");
        check("a.12\nx", "a|#12");
        check("a.x\n12", "a|#0");
        check("a.1_0\n5", "a|#10");
        check("a.0d7\n5", "a|#7");
        check("1.2", "#1|#2");
    }

    #[test]
    fn syntax_errors() {
        check(".a", "error 0");
        check("a.", "error 2");
        check("a..b", "error 2");
        check("''", "error 0");
        check("a'b'", "error 1");
        check("'a'b", "error 3");
        check("q'uote", "error 1");
        check("a.''", "error 2");
        check("facts['os']", "error 6");
    }

    #[test]
    fn segments_have_the_quotes_that_fit_into_others() {
        for (name, outer, expected) in [
            ("a", '\'', Some("a")),
            ("a.b", '\'', Some("\"a.b\"")),
            ("a.b", '"', Some("'a.b'")),
            ("it's", '\'', None),
            ("it's", '"', None),
            ("a\"b", '\'', None),
            ("1", '\'', Some("\"1\"")),
        ] {
            assert_eq!(quote_segment_within(name, outer).as_deref(), expected, "{name} in {outer}");
        }
    }

    #[test]
    fn segments_are_quoted_where_needed() {
        assert_eq!(quote_segment("a").as_deref(), Some("a"));
        assert_eq!(quote_segment("a.b").as_deref(), Some("'a.b'"));
        assert_eq!(quote_segment("it's").as_deref(), Some("\"it's\""));
        assert_eq!(quote_segment("0").as_deref(), Some("'0'"));
        assert_eq!(quote_segment(""), None);
    }
}
