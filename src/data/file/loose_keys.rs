//! What looks like a root key in JSON or HOCON that cannot be parsed. Puppet reads no key of such a file, but a user who renames
//! a key or looks for its uses means these, too.

use std::borrow::Cow;

use super::{Format, RootKey};
use crate::text::TextRange;

/// What looks like root keys, in the order of the text. Only keys without escapes are found.
pub(super) fn loose_keys(text: &str, format: Format) -> Vec<RootKey<'_>> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let is_hocon = format == Format::Hocon;
    // In HOCON, the braces of the root object may be left out.
    let root = usize::from(!is_hocon || text.trim_start().starts_with('{'));
    let (mut at, mut depth) = (0, 0_usize);
    while at < bytes.len() {
        let start = at;
        at = match bytes[at] {
            b'#' if is_hocon => line_end(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'/') => line_end(bytes, at),
            b'"' => string_end(bytes, at),
            byte if is_hocon && is_plain(byte) => {
                at + bytes[at..].iter().take_while(|it| is_plain(**it)).count()
            }
            byte => {
                match byte {
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                at + 1
            }
        };
        // In `m::a = 1`, HOCON reads `m` as the key.
        let is_behind_colon = start > 0 && bytes[start - 1] == b':';
        if depth == root && !is_behind_colon && is_key_end(&bytes[at..], is_hocon) {
            found.extend(key(text, TextRange::new(start as u32, at as u32)));
        }
    }
    found
}

/// The key that is written in `range`, if it has no escapes.
fn key(text: &str, range: TextRange) -> Option<RootKey<'_>> {
    let written = range.slice(text);
    let (name, key) = if let Some(rest) = written.strip_prefix('"') {
        (rest.strip_suffix('"')?, range)
    } else {
        // `a.b = 1` is a sub key of `a`.
        let name = written.split('.').next().filter(|it| it.bytes().all(is_plain))?;
        (name, TextRange::new(range.start, range.start + name.len() as u32))
    };
    if name.is_empty() || name.contains(['\\', '"', '\n']) {
        return None;
    }
    let end = line_end(text.as_bytes(), range.end as usize) as u32;
    Some(RootKey { text: Cow::Borrowed(name), key, value: TextRange::new(range.end, end) })
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Whether this follows a key.
fn is_key_end(rest: &[u8], is_hocon: bool) -> bool {
    match rest.trim_ascii_start() {
        [b':', ..] => true,
        [b'=' | b'{', ..] | [b'+', b'=', ..] => is_hocon,
        // The path goes on: `"a".b = 1`.
        [b'.', ..] => is_hocon && rest.starts_with(b"."),
        _ => false,
    }
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    memchr::memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |length| from + length)
}

/// The byte after a string that starts at `start`. One without an end is taken to end with its line.
fn string_end(bytes: &[u8], start: usize) -> usize {
    if bytes[start..].starts_with(b"\"\"\"") {
        let inside = start + 3;
        let end = memchr::memmem::find(&bytes[inside..], b"\"\"\"");
        return end.map_or(bytes.len(), |length| inside + length + 3);
    }
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\n' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, format: Format, expected: &[&str]) {
        let found: Vec<_> = loose_keys(text, format);
        let found: Vec<&str> = found.iter().map(|it| it.key.slice(text)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn keys_of_texts_that_are_no_json() {
        check(
            "{\"a::b\": 5, \"c\" : {\"d\": \"e\"}, \"f\\u0041\": 1,}",
            Format::Json,
            &["\"a::b\"", "\"c\""],
        );
        check("{\"a: 1,\n\"b\": [\"x\": 1], \"c\": \"\\\"", Format::Json, &["\"b\"", "\"c\""]);
    }

    #[test]
    fn keys_of_texts_that_are_no_hocon() {
        check(
            "# x = 1\n\"a::b\" = 1\n\"a::h\" { c = 2 }\n\"a::l\" += s\nm::q = 5\nd.e = 1\n\"f\".g: 1\nx = \"\"\"\ny = 1\n\"\"\"\n",
            Format::Hocon,
            &["\"a::b\"", "\"a::h\"", "\"a::l\"", "m", "d", "\"f\"", "x"],
        );
        check("{ a = 1, b { c = 1 } ", Format::Hocon, &["a", "b"]);
    }
}
