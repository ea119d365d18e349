//! What a value may be, by the look of its source: its tags. A tag that is set means "may", so it may be too many; one that is not
//! set is certain.

use crate::data::Format;
use crate::syntax::interpolation::{calls_in, hides_tokens};

/// The value may call functions.
pub(super) const MAY_CALL: u8 = 1;
/// The value may be something other than a hash, or a hash with numbers as keys, which Puppet does not merge with others.
pub(super) const MAY_NOT_MERGE_AS_HASH: u8 = 1 << 1;
/// The value may be a hash, null, or a list with a hash that has numbers as keys, which Puppet does not merge with a value above.
pub(super) const MAY_NOT_MERGE_AS_LIST: u8 = 1 << 2;
/// The value may be something other than a number, a boolean or a string without tokens.
pub(super) const MAY_NOT_BE_PLAIN: u8 = 1 << 3;

/// All tags.
const TAGS: u8 = MAY_CALL | MAY_NOT_MERGE_AS_HASH | MAY_NOT_MERGE_AS_LIST | MAY_NOT_BE_PLAIN;

/// Which of the characters that matter are in a source. An index looks at millions of values, so this takes one pass.
#[derive(Clone, Copy)]
struct Characters(u16);

impl Characters {
    const LINE_END: u16 = 1;
    const PERCENT: u16 = 1 << 1;
    const STAR: u16 = 1 << 2;
    const LESS_THAN: u16 = 1 << 3;
    const BACKSLASH: u16 = 1 << 4;
    const EXCLAMATION_MARK: u16 = 1 << 5;
    const QUESTION_MARK: u16 = 1 << 6;
    const COLON: u16 = 1 << 7;
    /// A character that may make a plain scalar something other than words.
    const OUTSIDE_WORDS: u16 = 1 << 8;
    const NO_DIGIT: u16 = 1 << 9;

    /// What each byte adds.
    const OF_BYTES: [u16; 256] = {
        let mut of_bytes = [0; 256];
        let mut byte = 0;
        while byte < of_bytes.len() {
            of_bytes[byte] = Self::of_byte(byte as u8);
            byte += 1;
        }
        of_bytes
    };

    const fn of_byte(byte: u8) -> u16 {
        let special = match byte {
            b'\n' | b'\r' => Self::LINE_END,
            b'%' => Self::PERCENT,
            b'*' => Self::STAR,
            b'<' => Self::LESS_THAN,
            b'\\' => Self::BACKSLASH,
            b'!' => Self::EXCLAMATION_MARK,
            b'?' => Self::QUESTION_MARK,
            b':' => Self::COLON,
            _ => 0,
        };
        let is_word =
            byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_' | b'.' | b'/' | b'-');
        let outside_words = if is_word { 0 } else { Self::OUTSIDE_WORDS };
        let no_digit = if byte.is_ascii_digit() { 0 } else { Self::NO_DIGIT };
        special | outside_words | no_digit
    }

    fn of(source: &str) -> Self {
        let all = source.bytes().fold(0, |all, byte| all | Self::OF_BYTES[byte as usize]);
        Self(all)
    }

    fn has(self, any: u16) -> bool {
        self.0 & any != 0
    }
}

/// What a value may be, by the look of its source.
pub(super) fn tags_of(source: &str, format: Format) -> u8 {
    // In HOCON, a value can refer to others and can be put together from several parts.
    if format == Format::Hocon {
        return TAGS;
    }
    let bytes = source.as_bytes();
    let characters = Characters::of(source);
    // A value of several lines may end before its last line, if that is not indented.
    let is_line = !characters.has(Characters::LINE_END);
    let is_whole = |start: char, end: char, key: &str| {
        is_line && source.starts_with(start) && source.ends_with(end) && !source.contains(key)
    };
    let is_quoted = |quote: u8| {
        let rest = bytes.strip_prefix(&[quote]).filter(|_| is_line);
        rest.is_some_and(|rest| memchr::memchr(quote, rest).is_some_and(|at| at + 1 == rest.len()))
    };
    let is_json = format == Format::Json;
    let is_item = matches!(bytes, [b'-', b' ' | b'\n' | b'\r', ..]);
    let is_number = !source.is_empty() && !characters.has(Characters::NO_DIGIT);
    let is_text = (is_json && source.starts_with('"'))
        || is_quoted(b'"')
        || is_quoted(b'\'')
        || is_number
        || matches!(source, "true" | "false");
    let is_hash =
        is_member(bytes) || is_whole('{', '}', "}:") || (is_json && source.starts_with('{'));
    let is_list = is_item || is_whole('[', ']', "]:") || (is_json && source.starts_with('['));
    let calls = may_call(source, characters);
    // What the source does not tell may be both, which is never wrong.
    let kind = if (is_hash || is_list) && !is_json && may_have_number_keys(source, characters) {
        MAY_NOT_MERGE_AS_HASH | MAY_NOT_MERGE_AS_LIST
    } else if is_hash {
        MAY_NOT_MERGE_AS_LIST
    } else if is_list || (is_text && !calls) {
        MAY_NOT_MERGE_AS_HASH
    } else {
        // The result of `alias` can be anything, too.
        MAY_NOT_MERGE_AS_HASH | MAY_NOT_MERGE_AS_LIST
    };
    // Of the words without quotes, those that cannot be `null`, a date or anything else of YAML.
    let is_words = !is_json
        && source.len() > "null".len()
        && source.starts_with(|c: char| c.is_ascii_alphabetic())
        && !characters.has(Characters::OUTSIDE_WORDS);
    let is_plain =
        is_words || is_text && !characters.has(Characters::PERCENT | Characters::BACKSLASH);
    let calls = if calls { MAY_CALL } else { 0 };
    let plain = if is_plain { 0 } else { MAY_NOT_BE_PLAIN };
    kind | calls | plain
}

/// Whether a source starts with a word and a colon, as a member of a block hash does.
fn is_member(source: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let length = source.iter().take_while(|byte| is_part(byte)).count();
    let after = source[length..].strip_prefix(b":").filter(|_| length > 0);
    after.is_some_and(|it| matches!(it, [] | [b' ' | b'\n' | b'\r', ..]))
}

/// Whether a value may contain keys that are numbers, at any depth, by the look of its source.
fn may_have_number_keys(source: &str, characters: Characters) -> bool {
    let bytes = source.as_bytes();
    // An alias, a tag or an explicit key can be anything.
    let marks = Characters::STAR | Characters::EXCLAMATION_MARK | Characters::QUESTION_MARK;
    if characters.has(marks) {
        return true;
    }
    if !characters.has(Characters::COLON) {
        return false;
    }
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.+-".contains(byte);
    let goes_on = |byte: &u8| is_part(byte) || b"/:".contains(byte);
    memchr::memchr_iter(b':', bytes).any(|colon| {
        // An address such as `10.0.0.1:80` is a text.
        if bytes.get(colon + 1).is_some_and(goes_on) {
            return false;
        }
        let before = bytes[..colon].trim_ascii_end();
        let word = before.iter().rev().take_while(|byte| is_part(byte)).last();
        word.is_some_and(|first| first.is_ascii_digit() || b".+-".contains(first))
    })
}

/// Whether a value may call functions (`%{lookup('a')}`), by the look of its source.
fn may_call(source: &str, characters: Characters) -> bool {
    let disguises = Characters::STAR | Characters::LESS_THAN | Characters::BACKSLASH;
    characters.has(disguises) && hides_tokens(source)
        || characters.has(Characters::PERCENT)
            && calls_in(source).is_none_or(|calls| !calls.is_empty())
}
