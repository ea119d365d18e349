//! Whether a text may have a root key, by its bytes alone. This is many times faster than a look for its keys.

use memchr::{memchr, memchr3_iter, memmem};

use super::Format;

/// Whether `text` may have the root key `key`; `false` is certain.
pub fn may_have_key(text: &[u8], format: Format, key: &str) -> bool {
    may_spell_key(text, format, key) || may_hide_keys(text, format)
}

/// Whether `text` may have the root key `key`, unless [`may_hide_keys`] says that it may have any key.
pub fn may_spell_key(text: &[u8], format: Format, key: &str) -> bool {
    // A quote in a key is written twice, spaces may be line ends, and HOCON puts keys together from parts.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_:-./".contains(&byte);
    format == Format::Hocon
        || !key.bytes().all(is_plain)
        || memmem::find_iter(text, key.as_bytes()).any(|at| is_whole_key(text, at, key.len()))
}

/// Whether `text` may have root keys that are not written in it: escapes can stand for any character, a merge key for any keys, and
/// what has the tag `!!binary`, however that is written, for any text.
pub fn may_hide_keys(text: &[u8], format: Format) -> bool {
    if format != Format::Yaml {
        return memchr(b'\\', text).is_some();
    }
    let hides = |at: usize| match text[at] {
        b'<' => text.get(at + 1) == Some(&b'<'),
        b'!' => memmem::find(text, b"binary").is_some(),
        _ => true,
    };
    memchr3_iter(b'\\', b'<', b'!', text).any(hides)
}

/// Whether the `length` bytes at `at` may be a key as a whole. They are none if letters or digits continue them, or in a call
/// such as `%{lookup('key')}`.
fn is_whole_key(text: &[u8], at: usize, length: usize) -> bool {
    let continues = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_part = at.checked_sub(1).is_some_and(|before| continues(text[before]));
    let is_named = !matches!(text[at + length..], [b'\'' | b'"', b')', ..]);
    let goes_on = text.get(at + length).is_some_and(|after| continues(*after));
    is_named && !is_part && !goes_on
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, format: Format, key: &str, expected: bool) {
        assert_eq!(may_have_key(text.as_bytes(), format, key), expected, "{key} in {text}");
    }

    #[test]
    fn a_key_is_in_the_text_unless_something_hides_it() {
        check("a::b: 1\n", Format::Yaml, "a::b", true);
        check("a::b: 1\n", Format::Yaml, "a::c", false);
        check("a: b c\n", Format::Yaml, "b c", true);
        check("ba: 1\nab: 2\na_: 3\n", Format::Yaml, "a", false);
        check("b: \"%{lookup('a')}\"\nc: '%{alias(\"a\")}'\n", Format::Yaml, "a", false);
        check("b: \"%{lookup('a')}\"\n'a' : 1\n", Format::Yaml, "a", true);
        check("{b: 1, a}", Format::Yaml, "a", true);
        check("'it''s': 1\n", Format::Yaml, "it's", true);
        check("\"\\x61\": 1\n", Format::Yaml, "a", true);
        check("!!binary YQ==: 1\n", Format::Yaml, "a", true);
        check("x: &x {b: 1}\n<<: *x\n", Format::Yaml, "c", true);
        check("{\"\\u0061\": 1}", Format::Json, "a", true);
        check("{\"b\": 1}", Format::Json, "a", false);
        check("b { c = 1 }", Format::Hocon, "a", true);
    }
}
