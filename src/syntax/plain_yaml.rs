//! Reads YAML in its most common form: block hashes and lists, scalars on one line, block scalars. One pass over the lines is
//! many times faster than libyaml.
//!
//! The scanner refuses every text of which it is not certain, and callers then use libyaml. If it accepts a text, libyaml
//! finds the same entries, the same trees and no error. Tests compare both on random texts.

mod pairs;

use memchr::memchr;

use super::byte_set::alphanumerics_and;
use super::tree::ScalarStyle;
use super::yaml::EntryFlags;
use super::yaml::may_be_refused;
pub(super) use pairs::plain_pairs;

/// A root entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlainEntry {
    /// The byte at which it starts.
    pub start: u32,
    /// Length of the key if it is written without quotes; 0 if the key is quoted.
    pub plain_length: u16,
    /// Properties of the entry's content.
    pub flags: EntryFlags,
}

/// Deeper nesting is left to libyaml.
const MAX_DEPTH: usize = 64;

/// Up to this length, a loop over the bytes is faster than a search.
const SHORT: usize = 16;

/// libyaml refuses keys of more than 1,024 characters.
const MAX_KEY_BYTES: usize = 1_000;

/// The entries of a text; `None` if libyaml must find them.
pub fn plain_entries(text: &str) -> Option<Vec<PlainEntry>> {
    if !has_plain_characters(text) {
        return None;
    }
    let mut scan = Scan::new(text, Heads::default());
    scan.all()?;
    let entries = scan.sink.entries;
    (!entries.is_empty()).then_some(entries)
}

/// What the scanner found, in the order of the text. Positions are bytes of the text.
trait Sink {
    /// A hash or list starts.
    fn open(&mut self, kind: Kind, at: usize);
    /// The innermost hash or list ends; one in brackets ends at byte `end`.
    fn close(&mut self, end: Option<usize>);
    /// A key as it is written. `is_root` says whether it is one of the root hash.
    fn key(&mut self, written: Written<'_>, is_root: bool);
    /// A value or an item on one line, as it is written.
    fn scalar(&mut self, written: Written<'_>);
    /// The source of a block scalar, from its `|` or `>` to the line after it. The content is indented by `indent` spaces, if
    /// it has a line that is not blank. `None` if libyaml must read it.
    fn block(&mut self, at: usize, source: &[u8], indent: Option<usize>) -> Option<()>;
}

/// A scalar as it is written, quotes included.
#[derive(Clone, Copy)]
struct Written<'t> {
    at: usize,
    source: &'t [u8],
    style: ScalarStyle,
}

/// Collects the entries and their flags.
#[derive(Default)]
struct Heads {
    entries: Vec<PlainEntry>,
}

impl Heads {
    /// Records the flags that a plain scalar may need.
    fn note(&mut self, scalar: Written<'_>) {
        if scalar.style == ScalarStyle::Plain
            && may_be_refused(scalar.source)
            && let Some(last) = self.entries.last_mut()
        {
            last.flags = last.flags.with(EntryFlags::REFUSABLE);
        }
    }
}

impl Sink for Heads {
    fn open(&mut self, _: Kind, _: usize) {}

    fn close(&mut self, _: Option<usize>) {}

    fn key(&mut self, key: Written<'_>, is_root: bool) {
        if is_root {
            let is_plain = key.style == ScalarStyle::Plain;
            let plain_length = if is_plain { key.source.len() as u16 } else { 0 };
            let flags = EntryFlags::default();
            self.entries.push(PlainEntry { start: key.at as u32, plain_length, flags });
        }
        self.note(key);
    }

    fn scalar(&mut self, scalar: Written<'_>) {
        self.note(scalar);
    }

    fn block(&mut self, _: usize, _: &[u8], _: Option<usize>) -> Option<()> {
        Some(())
    }
}

/// Whether the text has no tabs, no line ends but `\n`, and no characters that YAML forbids.
fn has_plain_characters(text: &str) -> bool {
    let is_odd = |byte: &u8| *byte < b' ' && *byte != b'\n' || *byte == 0x7f;
    let is_odd_character = |it: char| {
        matches!(
            it,
            '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
    };
    // Without an early exit, the compiler vectorizes this loop.
    let odd = text.as_bytes().iter().fold(false, |found, byte| found | is_odd(byte));
    !odd && (text.is_ascii() || !text.contains(is_odd_character))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Hash,
    List,
}

/// A hash or list that has not ended yet.
#[derive(Clone, Copy)]
struct Open {
    column: usize,
    kind: Kind,
}

struct Scan<'t, S> {
    text: &'t [u8],
    /// Where the next line starts.
    at: usize,
    sink: S,
    open: Vec<Open>,
    /// Whether the last line ended with a key without a value. An indented next line is then its value.
    waits: bool,
    /// Whether there was a `---`.
    has_mark: bool,
}

struct Line<'t> {
    /// The byte at which its text starts.
    at: usize,
    /// The number of spaces before the text.
    column: usize,
    text: &'t [u8],
}

/// What follows a key or a `-`.
enum Content {
    /// The whole value, on this line.
    Whole,
    /// Nothing: the value may follow on the next lines.
    Nothing,
    /// A `|` or `>`.
    Block,
}

impl<'t, S: Sink> Scan<'t, S> {
    fn new(text: &'t str, sink: S) -> Self {
        let text = text.as_bytes();
        Self { text, at: 0, sink, open: Vec::new(), waits: false, has_mark: false }
    }

    fn all(&mut self) -> Option<()> {
        while let Some(Line { at, column, text }) = self.next_line() {
            if text.is_empty() || text[0] == b'#' {
                continue;
            }
            if column == 0 && (text.starts_with(b"---") || text.starts_with(b"...")) {
                // `--- a` has content on the line of the mark, and a later mark ends the document. libyaml reads both.
                if text != b"---" || self.has_mark || !self.open.is_empty() {
                    return None;
                }
                self.has_mark = true;
                continue;
            }
            self.content_line(at, column, text)?;
        }
        while !self.open.is_empty() {
            self.close();
        }
        Some(())
    }

    /// The next line, without surrounding spaces.
    fn next_line(&mut self) -> Option<Line<'t>> {
        let start = self.at;
        let rest = self.text.get(start..).filter(|rest| !rest.is_empty())?;
        let length = memchr(b'\n', rest).unwrap_or(rest.len());
        self.at += length + 1;
        let line = &rest[..length];
        let column = line.iter().take_while(|byte| **byte == b' ').count();
        Some(Line { at: start + column, column, text: line[column..].trim_ascii_end() })
    }

    /// Reads one line, whose text starts at byte `at`.
    fn content_line(&mut self, at: usize, column: usize, line: &[u8]) -> Option<()> {
        let is_item = line.starts_with(b"- ");
        if self.open.is_empty() {
            // libyaml accepts an indented root hash, but its keys are not in column 0. A list has no entries at all.
            if column != 0 || is_item {
                return None;
            }
            self.open(0, Kind::Hash, at);
        } else {
            self.go_to(column, is_item, at)?;
        }
        self.waits = false;
        if is_item {
            let content = &line[1..];
            let blanks = content.iter().take_while(|byte| **byte == b' ').count();
            return self.item(at + 1 + blanks, column + 1 + blanks, &content[blanks..]);
        }
        self.pair(at, column, line)
    }

    fn open(&mut self, column: usize, kind: Kind, at: usize) {
        self.open.push(Open { column, kind });
        self.sink.open(kind, at);
    }

    fn close(&mut self) {
        self.open.pop();
        self.sink.close(None);
    }

    /// Closes the collections that end before a line at `column`, and opens the one that starts there.
    fn go_to(&mut self, column: usize, is_item: bool, at: usize) -> Option<()> {
        let kind = if is_item { Kind::List } else { Kind::Hash };
        while self.open.last()?.column > column {
            self.close();
            self.waits = false;
        }
        let mut top = *self.open.last()?;
        if top.column == column && top.kind == Kind::List && !is_item {
            // The list of a key may be at the same column as the key.
            self.close();
            self.waits = false;
            top = *self.open.last()?;
            return (top.column == column && top.kind == Kind::Hash).then_some(());
        }
        if top.column == column && top.kind == kind {
            return Some(());
        }
        // A line that is indented more after a complete value continues this value. Only libyaml can fold it.
        let may_open = self.waits && (column > top.column || is_item && top.kind == Kind::Hash);
        if !may_open || self.open.len() >= MAX_DEPTH {
            return None;
        }
        self.open(column, kind, at);
        Some(())
    }

    /// Reads what follows a `-`, from byte `at`.
    fn item(&mut self, at: usize, column: usize, content: &[u8]) -> Option<()> {
        // The value of an item may start on the next line, or be a list on the same line. libyaml reads both.
        if content.is_empty() || content[0] == b'#' || content.starts_with(b"- ") || content == b"-"
        {
            return None;
        }
        if key_length(content)?.is_some() {
            if self.open.len() >= MAX_DEPTH {
                return None;
            }
            self.open(column, Kind::Hash, at);
            return self.pair(at, column, content);
        }
        self.value(at, content).map(|_| ())
    }

    /// Reads `key: value`, which starts at byte `at`.
    fn pair(&mut self, at: usize, column: usize, line: &[u8]) -> Option<()> {
        let (length, is_plain) = key_length(line)??;
        let style = if is_plain { ScalarStyle::Plain } else { quoted_style(line[0]) };
        self.sink.key(Written { at, source: &line[..length], style }, column == 0);
        let behind = &line[length + 1..];
        let content = behind.trim_ascii_start();
        let at = at + length + 1 + behind.len() - content.len();
        self.waits = matches!(self.value(at, content)?, Content::Nothing);
        Some(())
    }

    /// Reads a value or an item, from byte `at`.
    fn value(&mut self, at: usize, content: &[u8]) -> Option<Content> {
        let Some(first) = content.first() else { return Some(Content::Nothing) };
        match first {
            b'#' => Some(Content::Nothing),
            b'\'' | b'"' => {
                let length = quoted_length(content)?;
                let (source, style) = (&content[..length], quoted_style(*first));
                self.sink.scalar(Written { at, source, style });
                ends_here(&content[length..]).then_some(Content::Whole)
            }
            b'|' | b'>' => {
                // An indentation such as `|2`, or a comment after the sign, is left to libyaml.
                let is_plain_head = matches!(&content[1..], b"" | b"-" | b"+");
                if !is_plain_head {
                    return None;
                }
                let indent = self.pass_block()?;
                let end = self.at.min(self.text.len());
                self.sink.block(at, &self.text[at..end], indent)?;
                Some(Content::Block)
            }
            b'[' => {
                self.sink.open(Kind::List, at);
                let length = self.list_length(at, content)?;
                self.sink.close(Some(at + length));
                ends_here(&content[length..]).then_some(Content::Whole)
            }
            b'{' => {
                self.sink.open(Kind::Hash, at);
                self.sink.close(Some(at + 2));
                (content.starts_with(b"{}") && ends_here(&content[2..])).then_some(Content::Whole)
            }
            _ => {
                let source = plain_scalar(content)?;
                self.sink.scalar(Written { at, source, style: ScalarStyle::Plain });
                Some(Content::Whole)
            }
        }
    }

    /// Skips the lines of a block scalar: those that are indented at least as much as its first line. Returns its indentation,
    /// if it has such a line.
    #[expect(clippy::option_option, reason = "a text that is refused is not a block without lines")]
    fn pass_block(&mut self) -> Option<Option<usize>> {
        let parent = self.open.last()?.column;
        let mut own = None;
        while let Some(rest) = self.text.get(self.at..).filter(|rest| !rest.is_empty()) {
            let length = memchr(b'\n', rest).unwrap_or(rest.len());
            let line = &rest[..length];
            let column = line.iter().take_while(|byte| **byte == b' ').count();
            let is_blank = column == length;
            match own {
                // libyaml counts the spaces of blank lines too when it determines the indentation.
                None if is_blank && column > 0 => return None,
                None if !is_blank && column <= parent => return Some(None),
                None if !is_blank => own = Some(column),
                Some(indent) if !is_blank && column < indent => return Some(own),
                _ => {}
            }
            self.at += length + 1;
        }
        Some(own)
    }

    /// The length of a `[…]` that contains only simple words and quoted strings; it starts at byte `from`.
    fn list_length(&mut self, from: usize, content: &[u8]) -> Option<usize> {
        let mut at = 1;
        let blanks = |at: usize| content[at..].iter().take_while(|byte| **byte == b' ').count();
        at += blanks(at);
        if content.get(at) == Some(&b']') {
            return Some(at + 1);
        }
        loop {
            let item = &content[at..];
            let (length, style) = match item.first()? {
                quote @ (b'\'' | b'"') => (quoted_length(item)?, quoted_style(*quote)),
                first if first.is_ascii_alphanumeric() => {
                    let is_inside =
                        |byte: &u8| byte.is_ascii_alphanumeric() || b"_./-".contains(byte);
                    (item.iter().take_while(|byte| is_inside(byte)).count(), ScalarStyle::Plain)
                }
                _ => return None,
            };
            self.sink.scalar(Written { at: from + at, source: &item[..length], style });
            at += length;
            at += blanks(at);
            match content.get(at)? {
                b']' => return Some(at + 1),
                b',' => at += 1,
                _ => return None,
            }
            at += blanks(at);
        }
    }
}

fn quoted_style(quote: u8) -> ScalarStyle {
    if quote == b'"' { ScalarStyle::DoubleQuoted } else { ScalarStyle::SingleQuoted }
}

/// The length of the key at the start of a text, and whether it is plain. `Some(None)` if there is no key, `None` if this is
/// not certain.
#[expect(clippy::option_option, reason = "what is not certain is another thing than no key")]
fn key_length(content: &[u8]) -> Option<Option<(usize, bool)>> {
    if matches!(content.first()?, b'\'' | b'"') {
        let length = quoted_length(content)?;
        // `':a'` may be a symbol, and `'<<'` a merge.
        let is_entangled = matches!(content.get(1)?, b':' | b'<');
        return match content.get(length) {
            Some(b':') if ends_key(content, length) && length <= MAX_KEY_BYTES && !is_entangled => {
                Some(Some((length, false)))
            }
            Some(b':') => None,
            _ => Some(None),
        };
    }
    let length = plain_key_length(content);
    if ends_key(content, length) {
        let is_key = begins_plain(&content[..length]) && length <= MAX_KEY_BYTES;
        return if is_key { Some(Some((length, true))) } else { None };
    }
    // Another character is in front of the first colon that could end a key.
    let mut colons = memchr::memchr_iter(b':', &content[length..]);
    if colons.any(|at| ends_key(content, length + at)) { None } else { Some(None) }
}

/// The number of bytes up to the colon that ends a key, or up to the first character that plain keys do not contain.
fn plain_key_length(content: &[u8]) -> usize {
    let mut length = 0;
    loop {
        let word = content[length..].iter().take_while(|byte| IN_KEY[**byte as usize]);
        length += word.count();
        if content.get(length) != Some(&b':') || ends_key(content, length) {
            return length;
        }
        length += 1;
    }
}

/// Whether there is a colon at `at` that ends a key.
fn ends_key(content: &[u8], at: usize) -> bool {
    content.get(at) == Some(&b':') && content.get(at + 1).is_none_or(|byte| *byte == b' ')
}

/// The characters besides colons that plain keys may contain after the first one.
const IN_KEY: [bool; 256] = alphanumerics_and(b"_./+@~$()%*^=-");

/// Whether a scalar starts with characters that only a plain scalar can start with.
fn begins_plain(scalar: &[u8]) -> bool {
    match scalar {
        [b'-', second, ..] => second.is_ascii_alphanumeric(),
        [first, ..] => {
            first.is_ascii_alphanumeric() || b"_./~$(+^=\\;".contains(first) || *first >= 0x80
        }
        [] => false,
    }
}

/// The plain scalar at the start of a text, without a comment after it; `None` if it may be something else.
fn plain_scalar(content: &[u8]) -> Option<&[u8]> {
    if !begins_plain(content) {
        return None;
    }
    let is_short = content.len() <= SHORT;
    if is_short && !content.iter().any(|byte| matches!(byte, b':' | b'#')) {
        return Some(content);
    }
    for at in memchr::memchr2_iter(b':', b'#', content) {
        if content[at] == b'#' && content[..at].ends_with(b" ") {
            return Some(content[..at].trim_ascii_end());
        }
        if ends_key(content, at) {
            return None;
        }
    }
    Some(content)
}

/// The length of the quoted string at the start, quotes included; `None` if it has escapes or continues on another line.
fn quoted_length(content: &[u8]) -> Option<usize> {
    let quote = *content.first()?;
    if quote == b'"' {
        let end = 1 + memchr::memchr2(b'"', b'\\', &content[1..])?;
        return (content[end] == b'"').then_some(end + 1);
    }
    let mut end = 1 + memchr(quote, &content[1..])?;
    while content.get(end + 1) == Some(&b'\'') {
        end += 2 + memchr(b'\'', content.get(end + 2..)?)?;
    }
    Some(end + 1)
}

/// Whether only a comment follows a value.
fn ends_here(rest: &[u8]) -> bool {
    let text = rest.trim_ascii_start();
    text.is_empty() || text[0] == b'#' && rest[0] == b' '
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::syntax::yaml::{RootScan, ScanStep, pairs_by_libyaml};

    /// The entries that libyaml finds; `None` if the text is anything else.
    fn entries_by_libyaml(text: &str) -> Option<Vec<PlainEntry>> {
        let mut scan = RootScan::new(text);
        let mut entries: Vec<PlainEntry> = Vec::new();
        loop {
            let (flags, next) = match scan.step() {
                ScanStep::Key { start, plain_length, before } => {
                    (before, Some((start, plain_length)))
                }
                ScanStep::End(before) => (before, None),
                ScanStep::Failed(_) | ScanStep::NotEntries => return None,
            };
            if let Some(last) = entries.last_mut() {
                last.flags = flags;
            }
            let Some((start, plain_length)) = next else { return Some(entries) };
            let plain_length = u16::try_from(plain_length).unwrap_or(0);
            entries.push(PlainEntry { start, plain_length, flags: EntryFlags::default() });
        }
    }

    /// If the scanner accepts a text, its result must be libyaml's.
    #[track_caller]
    fn check_same(text: &str) -> bool {
        let found = plain_entries(text);
        if let Some(found) = &found {
            assert_eq!(entries_by_libyaml(text).as_ref(), Some(found), "{text:?}");
        }
        if let Some(pairs) = plain_pairs(text) {
            assert_eq!(pairs_by_libyaml(text).as_ref(), Ok(&pairs), "{text:?}");
        }
        found.is_some()
    }

    #[track_caller]
    fn check(text: &str, is_plain: bool) {
        assert_eq!(check_same(text), is_plain, "{text:?}");
    }

    #[test]
    fn what_data_files_look_like_is_plain() {
        check("# c\n---\n\nntp::servers:\n  - a.example # c\n  - \"b c\"\n'x.y': ~\n", true);
        check("a:\n- b: 1\n  c:\n  - d\n- e:\n    f: 2\ng: |\n  x: y\n\n    z\nh: >-\n  t\n", true);
        check("a: [b, 'c', 1]\nb: {}\nc: []\nd: 'it''s'\ne: 2020-01-01\nf:\n", true);
        check("a: ENC[PKCS7,abc]\nhttp://x/: y\n\u{e4}: \u{f6}", false);
        check("a: \u{f6} \u{e4}\nb: x # \u{20ac}", true);
    }

    #[test]
    fn what_is_not_certain_is_left_to_libyaml() {
        for text in [
            "",
            "# c\n",
            "- a\n",
            "a\n",
            "a: b\n  c\n",
            "a: &x b\n",
            "a: *x\n",
            "a: !t b\n",
            "a: \"\\n\"\n",
            "a: {b: c}\n",
            "a:\tb\n",
            "a: b: c\n",
            "? a\n: b\n",
            "a: 1\n---\nb: 2\n",
            "<<: {}\n",
            ":a: 1\n",
            "':a': 1\n",
            "'<<': {}\n",
            "': ''k': ",
            "a: 'b\n  c'\n",
            "a: 1\r\nb: 2\r\n",
            "a: |2\n  b\n",
            "a: 1\n...\n",
            "---\n---\na: 1\n",
            "a:\n - b\n  - c\n",
            "a: 1\n- b\n",
            "%YAML 1.1\n---\na: 1\n",
        ] {
            check(text, false);
        }
    }

    /// A line, or part of one.
    fn piece() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "a: ",
            "b.c::d: ",
            "'k': ",
            "\"q\": ",
            "k:",
            "1: ",
            "2020-01-01: ",
            "-x: ",
            "- ",
            "- ",
            "-",
            "x",
            "1.5",
            "2020-01-01",
            "0x",
            ".e",
            "-",
            "'it''s'",
            "\"t\"",
            "\"t",
            "'",
            "|",
            ">-",
            "|+",
            "[a, 'b', \"c\", 1]",
            "[",
            "]",
            "{}",
            "{",
            " # c",
            "#",
            "# c",
            "~",
            "%{x}",
            "a:b",
            "a b",
            ": ",
            ":",
            "---",
            "...",
            "?",
            "? ",
            "!",
            "&a ",
            "*a",
            "<<: ",
            "':s': ",
            "\"<<\": ",
            ":s",
            "\u{e4}",
            "\u{85}",
            "\t",
            "\\",
            "@",
            "`",
            ",",
            "=",
            "\n",
            "\n",
            "\n",
            "\n",
            "\n  ",
            "\n  ",
            "\n  ",
            "\n    ",
            "\n    ",
            "\n ",
            "\n\n",
            "  ",
            " ",
            "\r\n",
            "%TAG",
        ])
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

        #[test]
        fn what_is_accepted_is_what_libyaml_finds(pieces in prop::collection::vec(piece(), 0..24)) {
            check_same(&pieces.concat());
        }

        #[test]
        fn lines_of_data_files(lines in prop::collection::vec((0_usize..4, piece(), piece()), 1..12)) {
            let line = |(depth, one, other): (usize, &str, &str)| {
                format!("{}{}{}\n", "  ".repeat(depth), one.trim_start_matches('\n'), other.trim_end_matches('\n'))
            };
            let text: String = lines.into_iter().map(line).collect();
            check_same(&format!("a:\n{text}"));
            check_same(&format!("a: |\n{text}"));
            check_same(&text);
        }
    }
}
