//! What a value may be, by the look of its source: the tags of a root key, in the highest bits of its number. A tag that is set
//! means "may", so it may be too many; one that is not set is certain.

use crate::data::Format;
use crate::syntax::interpolation::{calls_in, hides_tokens};

/// The value may call functions.
pub(super) const MAY_CALL: u32 = 1 << 31;
/// The value may be something other than a hash, or a hash with numbers as keys, which Puppet does not merge with others.
pub(super) const MAY_NOT_MERGE_AS_HASH: u32 = 1 << 30;
/// The value may be a hash, null, or a list with a hash that has numbers as keys, which Puppet does not merge with a value above.
pub(super) const MAY_NOT_MERGE_AS_LIST: u32 = 1 << 29;
/// The value may be something other than a number, a boolean or a string without tokens.
pub(super) const MAY_NOT_BE_PLAIN: u32 = 1 << 28;

/// All tags.
pub(super) const TAGS: u32 =
    MAY_CALL | MAY_NOT_MERGE_AS_HASH | MAY_NOT_MERGE_AS_LIST | MAY_NOT_BE_PLAIN;

/// What a value may be, by the look of its source.
pub(super) fn tags_of(source: &str, format: Format) -> u32 {
    // A value of several lines may end before its last line, if that is not indented.
    let is_line = !source.contains(['\n', '\r']);
    let is_whole = |start: char, end: char, key: &str| {
        is_line && source.starts_with(start) && source.ends_with(end) && !source.contains(key)
    };
    let is_quoted = |quote: char| {
        let end = source.strip_prefix(quote).and_then(|rest| rest.find(quote));
        is_line && end.is_some_and(|end| end + 2 == source.len())
    };
    let is_json = format == Format::Json;
    let is_item = ["- ", "-\n", "-\r"].iter().any(|mark| source.starts_with(mark));
    let is_number = !source.is_empty() && source.bytes().all(|byte| byte.is_ascii_digit());
    let is_text = (is_json && source.starts_with('"'))
        || is_quoted('"')
        || is_quoted('\'')
        || is_number
        || matches!(source, "true" | "false");
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    let after_word = source.trim_start_matches(is_part);
    let after_colon = after_word.strip_prefix(':').filter(|_| source.starts_with(is_part));
    let is_member =
        after_colon.is_some_and(|it| it.is_empty() || it.starts_with([' ', '\n', '\r']));
    let is_hash = is_member || is_whole('{', '}', "}:") || (is_json && source.starts_with('{'));
    let is_list = is_item || is_whole('[', ']', "]:") || (is_json && source.starts_with('['));
    let calls = may_call(source);
    // What the source does not tell may be both, which is never wrong.
    let kind = if (is_hash || is_list) && !is_json && may_have_number_keys(source) {
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
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '.' | '/' | '-');
    let is_words = !is_json
        && source.len() > "null".len()
        && source.starts_with(|c: char| c.is_ascii_alphabetic())
        && source.chars().all(is_word);
    let is_plain = is_words || is_text && !source.contains(['%', '\\']);
    let calls = if calls { MAY_CALL } else { 0 };
    let plain = if is_plain { 0 } else { MAY_NOT_BE_PLAIN };
    kind | calls | plain
}

/// Whether a value may contain keys that are numbers, at any depth, by the look of its source.
fn may_have_number_keys(source: &str) -> bool {
    let bytes = source.as_bytes();
    // An alias, a tag or an explicit key can be anything.
    if memchr::memchr3(b'*', b'!', b'?', bytes).is_some() {
        return true;
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
fn may_call(source: &str) -> bool {
    let bytes = source.as_bytes();
    // Most values have none of the characters that matter, and this is the quickest way to see that.
    let has_none = memchr::memchr3(b'%', b'*', b'<', bytes).is_none()
        && memchr::memchr(b'\\', bytes).is_none();
    !has_none && (hides_tokens(source) || calls_in(source).is_none_or(|calls| !calls.is_empty()))
}
