//! Finds where top-level YAML entries start from the first bytes of each line. Entries are the unit of incremental work, and
//! the parts that remain usable when libyaml refuses a text.
//!
//! The rule is a heuristic that is right in nearly all files. A caller that needs certainty lets libyaml confirm the result
//! ([`super::yaml::RootScan`]).

mod unclosed;

use std::borrow::Cow;

use super::byte_set::alphanumerics_and;
use super::tree::{NodeKind, ScalarStyle};
use super::yaml;
use crate::text::TextRange;

/// Whether a top-level entry may start at byte `at` of `bytes`, which must be the start of a line.
pub fn begins_entry(bytes: &[u8], at: usize) -> bool {
    let Some(first) = bytes.get(at) else { return false };
    let blank_behind = |length: usize| {
        bytes.get(at + length).is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
    };
    match first {
        // Brackets and commas may belong to a `{…}` or `[…]` of an earlier line: libyaml ignores the indentation inside.
        b' ' | b'\t' | b'\r' | b'\n' | b'#' | b'}' | b']' | b',' | b'|' | b'>' => false,
        b'?' | b':' => !blank_behind(1),
        // The items of a list may be in the same column as their key.
        b'-' if blank_behind(1) => false,
        b'-' | b'.' => !is_document_mark(bytes, at),
        _ => true,
    }
}

/// The first byte at or after `from` at which an entry may start.
pub fn next_entry(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut line = from;
    if from > 0 && bytes.get(from - 1) != Some(&b'\n') {
        line = from + memchr::memchr(b'\n', bytes.get(from..)?)? + 1;
    }
    while line < bytes.len() {
        if begins_entry(bytes, line) {
            return Some(line);
        }
        line += memchr::memchr(b'\n', &bytes[line..])? + 1;
    }
    None
}

/// A root key that was read without parsing the rest of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuickKey<'t> {
    /// The decoded text.
    pub text: Cow<'t, str>,
    /// Where it is written.
    pub range: TextRange,
    /// The approximate range of its value: the rest of the entry.
    pub value: TextRange,
    /// How the key is written. A plain key may be something other than a string (`yes`, `5`).
    pub style: ScalarStyle,
}

/// The root keys of `text` with their positions, found without a full parse: only keys that are not plain words are parsed,
/// and errors are not reported. `None` if the text does not look like a plain block hash; then some keys may have been
/// passed on to `each` before.
///
/// An entry ends at the line where the next one may start, unless a quoted scalar or brackets are still open there: libyaml
/// ignores the indentation inside. If an entry may be such a one, the result is `None`, too.
pub fn each_quick_key<'t>(text: &'t str, each: impl FnMut(QuickKey<'t>)) -> Option<()> {
    let bytes = text.as_bytes();
    if !has_usual_line_ends(text) {
        return None;
    }
    let first = next_entry(text, 0)?;
    // An entry right behind a byte order mark does not start in column 0.
    if text.starts_with('\u{feff}') && !is_no_content(text) {
        return None;
    }
    if matches!(bytes[first], b'{' | b'[' | b'!' | b'%' | b'&') || has_mark(bytes, 0, first, true) {
        return None;
    }
    each_key_from(text, first, text.len(), true, each)
}

/// Those of [`each_quick_key`] whose entries lie from `first` up to `end`: entries begin at both, or `end` is the text's, and
/// keys are known before them. `None` if the document ends in between.
pub fn each_quick_key_between<'t>(
    text: &'t str,
    first: usize,
    end: usize,
    each: impl FnMut(QuickKey<'t>),
) -> Option<()> {
    if !has_usual_line_ends(text.get(first..end)?) {
        return None;
    }
    each_key_from(text, first, end, false, each)
}

fn each_key_from<'t>(
    text: &'t str,
    first: usize,
    end: usize,
    is_begin: bool,
    mut each: impl FnMut(QuickKey<'t>),
) -> Option<()> {
    let bytes = text.as_bytes();
    let mut has_keys = false;
    let mut next = Some(first);
    while let Some(start) = next {
        if let Some(length) = plain_key(&bytes[start..]) {
            let entry = Entry::until_mark(bytes, start + length, end)?;
            next = entry.next;
            let range = TextRange::new(start as u32, (start + length) as u32);
            let entry_end = next.unwrap_or(end);
            if entry_end < text.len() && unclosed::may_go_on(text, start, entry_end) {
                return None;
            }
            let value = if entry.has_comments {
                value_range(text, range.end, entry_end as u32)
            } else {
                trimmed_value(bytes, range.end as usize, entry_end)
            };
            let text = Cow::Borrowed(range.slice(text));
            each(QuickKey { text, range, value, style: ScalarStyle::Plain });
            has_keys = true;
            continue;
        }
        next = next_entry(text, start + 1).filter(|next| *next < end);
        let entry_end = next.unwrap_or(end);
        if entry_end < text.len() && unclosed::may_go_on(text, start, entry_end) {
            return None;
        }
        if let Some(key) = parsed_key(text, start, entry_end) {
            each(key);
            has_keys = true;
        }
        // A mark after a comment with a byte order mark starts the document.
        let is_before_first = is_begin && !has_keys && is_no_content(&text[start..]);
        if has_mark(bytes, start, entry_end, is_before_first) {
            return None;
        }
    }
    Some(())
}

/// What follows the key of an entry.
struct Entry {
    /// The start of the next entry.
    next: Option<usize>,
    /// Whether lines in between start with `#`.
    has_comments: bool,
}

impl Entry {
    /// Looks from the end of a key up to `end`. `None` if a line before the next entry ends the document, or may be a `? key`.
    fn until_mark(bytes: &[u8], key_end: usize, end: usize) -> Option<Self> {
        let bytes = &bytes[..end];
        let (mut line, mut has_comments) = (key_end, false);
        while let Some(at) = next_unindented(bytes, line) {
            line = at;
            if begins_entry(bytes, line) {
                return Some(Self { next: Some(line), has_comments });
            }
            match bytes[line] {
                b'#' => has_comments = true,
                b'-' | b'.' if is_document_mark(bytes, line) => return None,
                b'?' => return None,
                _ => {}
            }
        }
        Some(Self { next: None, has_comments })
    }
}

/// The number of bytes that are compared at once.
const BLOCK: usize = 16;

/// The start of the first line after the one of byte `from` whose first byte is not a space. Most lines are indented, so this is
/// faster than to look at each line.
#[expect(clippy::needless_bitwise_bool, reason = "branches would compare the bytes one by one")]
fn next_unindented(bytes: &[u8], from: usize) -> Option<usize> {
    let is_start = |(before, first): (&u8, &u8)| (*before == b'\n') & (*first != b' ');
    let mut rest = bytes.get(from..)?;
    while let Some(before) = rest.first_chunk::<BLOCK>()
        && let Some(first) = rest[1..].first_chunk::<BLOCK>()
        && !before.iter().zip(first).fold(false, |any, pair| any | is_start(pair))
    {
        rest = &rest[BLOCK..];
    }
    let found = rest.iter().zip(rest.get(1..)?).position(is_start)?;
    Some(bytes.len() - rest.len() + found + 1)
}

/// Whether the first line is empty or a comment, apart from a byte order mark.
fn is_no_content(text: &str) -> bool {
    let line = text.lines().next().unwrap_or("").trim_start_matches('\u{feff}').trim_start();
    line.is_empty() || line.starts_with('#')
}

/// The approximate range of the value of an entry whose key ends at `key_end`: what follows the colon, without spaces and
/// comment lines after it.
pub fn value_range(text: &str, key_end: u32, entry_end: u32) -> TextRange {
    let bytes = text.as_bytes();
    let mut end = (entry_end as usize).min(bytes.len());
    loop {
        let value = trimmed_value(bytes, key_end as usize, end);
        let (start, length) = (value.start as usize, value.len() as usize);
        let line = memchr::memrchr(b'\n', &bytes[start..start + length])
            .map_or(start, |at| start + at + 1);
        // Only `#` in column 0 is certainly a comment. If it is indented, it may be text of a block scalar.
        if line == start || bytes[line] != b'#' {
            return value;
        }
        end = line;
    }
}

/// What follows the colon after `key_end`, without spaces at the end.
fn trimmed_value(bytes: &[u8], key_end: usize, end: usize) -> TextRange {
    let is_before = |byte: &&u8| byte.is_ascii_whitespace() || **byte == b':';
    let start = key_end + bytes[key_end..end].iter().take_while(is_before).count();
    let end = start + bytes[start..end].trim_ascii_end().len();
    TextRange::new(start as u32, end as u32)
}

/// Whether all lines end with `\n` or `\r\n`, and the text contains nothing that readers interpret differently: YAML's other
/// line breaks, a byte order mark after the start, control characters. Line-based code handles only such texts.
pub fn has_usual_lines(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_control =
        |byte: &u8| *byte < b' ' && !matches!(byte, b'\n' | b'\r' | b'\t') || *byte == 0x7f;
    let behind_mark = text.strip_prefix('\u{feff}').unwrap_or(text);
    has_usual_line_ends(text)
        // Without an end in the middle of a block, many bytes are compared at once.
        && !bytes.chunks(64).any(|block| block.iter().fold(false, |any, it| any | is_control(it)))
        && (text.is_ascii() || !behind_mark.contains('\u{feff}'))
}

/// Whether all lines end with `\n` or `\r\n`. YAML has other line breaks, too.
fn has_usual_line_ends(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_alone = |at: usize| bytes.get(at + 1) != Some(&b'\n');
    !memchr::memchr_iter(b'\r', bytes).any(is_alone)
        && (text.is_ascii() || !text.contains(['\u{85}', '\u{2028}', '\u{2029}']))
}

/// Whether a line between two entries ends the document, or may be a `? key`, whose value is on other lines. Before the first
/// entry, `---` starts the document instead.
fn has_mark(bytes: &[u8], from: usize, to: usize, is_before_first: bool) -> bool {
    let mut line = from;
    while line < to {
        let is_mark = matches!(bytes[line], b'-' | b'.') && is_document_mark(bytes, line);
        let is_long_key = bytes[line] == b'?' && !begins_entry(bytes, line);
        if is_long_key || is_mark && !(is_before_first && bytes[line] == b'-') {
            return true;
        }
        match memchr::memchr(b'\n', &bytes[line..to]) {
            Some(length) => line += length + 1,
            None => return false,
        }
    }
    false
}

fn is_document_mark(bytes: &[u8], at: usize) -> bool {
    let rest = &bytes[at..];
    (rest.starts_with(b"---") || rest.starts_with(b"..."))
        && rest.get(3).is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}

/// The characters of such a key and of the colon behind it.
const IN_PLAIN_KEY: [bool; 256] = alphanumerics_and(b"_:-./");

/// The length of a key that is a plain word and certainly a string.
pub fn plain_key(entry: &[u8]) -> Option<usize> {
    if !entry.first()?.is_ascii_alphabetic() {
        return None;
    }
    let length = entry.iter().take_while(|byte| IN_PLAIN_KEY[**byte as usize]).count();
    let behind_colon =
        entry.get(length).is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
    let length = length.checked_sub(1)?;
    // Up to five letters may be a word such as `yes` or `null`; libyaml accepts no key longer than 1,024 characters.
    (entry[length] == b':' && behind_colon && (6..=1_000).contains(&length)).then_some(length)
}

fn parsed_key(text: &str, start: usize, end: usize) -> Option<QuickKey<'static>> {
    let pairs = yaml::parse_entries(text.get(start..end)?).ok()?;
    let key = &pairs.first()?.key;
    let NodeKind::Scalar { text: decoded, style } = &key.kind else { return None };
    let range = key.range.shifted(start as u32);
    let value = value_range(text, range.end, end as u32);
    Some(QuickKey { text: Cow::Owned(decoded.to_string()), range, value, style: *style })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_that_all_readers_see_alike() {
        for usual in ["", "a: 1\nb: 2\n", "a: 1\r\n\tb\r\n", "\u{feff}a: ä\n"] {
            assert!(has_usual_lines(usual), "{usual:?}");
        }
        for unusual in
            ["a\rb", "a\r", "a\u{85}", "a\u{2028}", "a\u{2029}", "a\u{feff}", "\u{1}", "\u{7f}"]
        {
            assert!(!has_usual_lines(unusual), "{unusual:?}");
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &[usize]) {
        let mut found = Vec::new();
        let mut next = next_entry(text, 0);
        while let Some(at) = next {
            found.push(at);
            next = next_entry(text, at + 1);
        }
        assert_eq!(found, expected);
    }

    #[test]
    fn entries_begin_at_column_0() {
        check("# c\n---\na: 1\n\n  x\nb:\n- 1\n}\n'c': 2\n...\n", &[8, 18, 27]);
    }

    #[test]
    fn marks_of_other_things_begin_none() {
        check("? a\n: b\n-\n|\n,\n---", &[]);
        check("-a: 1\n.b: 2\n:c: 3\n?d: 4\n----: 5", &[0, 6, 12, 18, 24]);
    }

    #[track_caller]
    fn check_keys(text: &str, expected: Option<&[&str]>) {
        let mut keys = Vec::new();
        let keys = each_quick_key(text, |key| keys.push(key)).map(|()| keys);
        let names = keys.as_ref().map(|keys| keys.iter().map(|key| &*key.text).collect::<Vec<_>>());
        assert_eq!(names.as_deref(), expected);
        for key in keys.into_iter().flatten() {
            assert_eq!(key.range.slice(text).trim_matches('\''), key.text);
        }
    }

    #[test]
    fn keys_are_had_without_a_parse() {
        check_keys("---\nprofile::a: 1\n'b.c': 2\nyes: 3\n", Some(&["profile::a", "b.c", "yes"]));
        check_keys("{a: 1}", None);
        check_keys("\u{feff}# c\n---\nprofile::a: 1\n", Some(&["profile::a"]));
        check_keys("profile::a: 1\n---\nb: 2", None);
        // The first entry is no whole entry in these texts, and what follows is another document.
        check_keys("a: 1\n--- # c\nb: 2\n", None);
        check_keys("a: [1\n---\nb: 2\n", None);
        // In these, lines do not tell where entries are.
        for text in ["a: 1\n? b\n: 2\n", "module::a: 1\n?\n  b\n: 2\n", "? b\n: 2\nc: 3\n"] {
            check_keys(text, None);
        }
        check_keys("a: 1\rb: 2\r", None);
        check_keys("module::a: 1\u{2028}b: 2\n", None);
        check_keys("", None);
    }

    fn line() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "module::key: 1\n",
            "module::longer_key_than_a_block:\n",
            "module::list:   \n- item\n",
            "- module::a: 1\n",
            "  deeper: and longer than a block of bytes\n",
            "    x\n",
            "# comment\n",
            "#\n",
            "\n",
            "   \n",
            "\t\n",
            "\r\n",
            "'quoted key': 2\n",
            "yes: 3\n",
            "---\n",
            "--- # c\n",
            "...\n",
            "-key::a: 1\n",
            "module::ä: 1\n",
            "module::open: [\n]\n",
            "module::end: 5",
        ])
    }

    proptest! {
        /// Values reach up to the next entry, which is found line by line here.
        #[test]
        fn values_of_quick_keys_end_before_the_next_entry(lines in prop::collection::vec(line(), 0..12)) {
            let text = lines.concat();
            let mut keys = Vec::new();
            if each_quick_key(&text, |key| keys.push(key)).is_some() {
                let starts: Vec<usize> =
                    std::iter::successors(next_entry(&text, 0), |at| next_entry(&text, at + 1)).collect();
                for key in &keys {
                    let next = starts.iter().find(|at| **at > key.range.start as usize);
                    let end = next.map_or(text.len(), |at| *at) as u32;
                    prop_assert_eq!(key.value, value_range(&text, key.range.end, end), "{:?} {}", text, key.text);
                }
                // No entry with a plain key is left out.
                let plain = starts.iter().filter(|at| plain_key(&text.as_bytes()[**at..]).is_some());
                let found: Vec<usize> = keys.iter().map(|key| key.range.start as usize).collect();
                prop_assert!(plain.clone().all(|at| found.contains(at)), "{:?}", text);
            }
        }
    }
}
