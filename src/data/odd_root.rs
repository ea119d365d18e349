//! Whether a text may be a data file that fails every lookup although Puppet can parse it, by its bytes alone. This is many
//! times faster than parsing the file, and rules out nearly all files.

use super::Format;
use crate::syntax::entries::{has_usual_lines, next_entry, plain_key};

/// Whether the root of `text` may be something other than a hash or, in a module's data, may have keys that are not strings;
/// `false` is certain, unless Puppet cannot parse the text.
pub fn may_have_odd_root(text: &[u8], format: Format, is_of_module: bool) -> bool {
    match format {
        Format::Json => text.trim_ascii_start().first() != Some(&b'{'),
        // Comments are rare at the start of such a file, and a word can be the first key.
        Format::Hocon => !text
            .trim_ascii_start()
            .first()
            .is_some_and(|byte| *byte == b'{' || byte.is_ascii_alphabetic()),
        Format::Yaml => !is_usual_yaml(text, is_of_module),
    }
}

/// Whether a text is a block hash in the first column, or nothing but comments.
fn is_usual_yaml(text: &[u8], is_of_module: bool) -> bool {
    let Some(content) = first_content(text) else { return true };
    if !is_member(content) {
        return false;
    }
    if !is_of_module {
        return true;
    }
    let Ok(text) = std::str::from_utf8(text) else { return false };
    // A key after `? ` can be anything.
    has_usual_lines(text) && !text.contains("\n?") && has_only_words(text)
}

/// Whether all keys are plain words that are certainly strings. Those of a module start with its name, so this is the rule.
fn has_only_words(text: &str) -> bool {
    let mut next = next_entry(text, 0);
    while let Some(at) = next {
        if plain_key(&text.as_bytes()[at..]).is_none() {
            return false;
        }
        next = next_entry(text, at + 1);
    }
    true
}

/// The text from the first line on that is neither empty nor a comment nor a mark `---`.
fn first_content(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    loop {
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = rest[..length].trim_ascii_end();
        // YAML has more line breaks, which can end a comment.
        let is_comment = line.trim_ascii_start().first() == Some(&b'#')
            && std::str::from_utf8(line).is_ok_and(has_usual_lines);
        if !line.is_empty() && !is_comment && line != b"---" {
            return Some(rest);
        }
        rest = rest.get(length + 1..)?;
    }
}

/// Whether a line starts with a key, which is a word or is in quotes, and a colon after it.
fn is_member(line: &[u8]) -> bool {
    let Some(length) = quoted_length(line).or_else(|| word_length(line)) else { return false };
    let is_end = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    line.get(length) == Some(&b':') && line.get(length + 1).is_none_or(is_end)
}

fn word_length(line: &[u8]) -> Option<usize> {
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"_:-./".contains(byte);
    let is_word = line.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let length = line.iter().take_while(|byte| is_inside(byte)).count();
    // The last colon is the one after the key.
    is_word.then(|| length - usize::from(line[length - 1] == b':'))
}

/// The length of a text in quotes on one line that has no escapes.
fn quoted_length(line: &[u8]) -> Option<usize> {
    let quote = line.first().filter(|byte| matches!(byte, b'\'' | b'"'))?;
    let inside = &line[1..];
    let end = memchr::memchr3(*quote, b'\\', b'\n', inside)?;
    (inside[end] == *quote).then_some(end + 2)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::{DataFile, FileId, Verdict};

    /// Whether the root is odd, found by parsing the file.
    fn is_odd(text: &str, format: Format, is_of_module: bool) -> bool {
        let file = DataFile::new(FileId(0), format, text.into());
        match file.verdict() {
            Verdict::Hash => is_of_module && file.has_other_than_string_keys(),
            Verdict::Empty => format != Format::Yaml,
            Verdict::NotAHash { .. } => true,
            Verdict::Broken(_) => false,
        }
    }

    #[track_caller]
    fn check(text: &str, format: Format, expected: bool) {
        assert_eq!(may_have_odd_root(text.as_bytes(), format, false), expected, "{text:?}");
        assert!(expected || !is_odd(text, format, false), "{text:?}");
    }

    #[test]
    fn usual_texts_need_no_parser() {
        for usual in
            ["", "# c\n", "---\n", "a: 1\n", "\u{feff}# ü\n---\n\n_a::b:\n  - 1\n", "a:\r\n- b\r\n"]
        {
            check(usual, Format::Yaml, false);
        }
        for odd in
            ["x\n", "- a\n", "[1]", "--- x\n", "# c\u{85}- x\n", "~\n", "a\n", "'a: b'\n", "5\n"]
        {
            check(odd, Format::Yaml, true);
        }
        check("{\"a\": 1}", Format::Json, false);
        check("[{}]", Format::Json, true);
        check("", Format::Json, true);
        check("a = 1", Format::Hocon, false);
        check("[1]", Format::Hocon, true);
    }

    #[test]
    fn keys_of_a_module_may_be_no_strings() {
        let of_module = |text: &str| may_have_odd_root(text.as_bytes(), Format::Yaml, true);
        assert!(!of_module("---\nmodule::a: 1\nlookup_options:\n  module::a: {merge: hash}\n"));
        assert!(!of_module("# nothing\n"));
        for odd in ["module::a: 1\n5: 2\n", "module::a: 1\n? [x]\n: 2\n", "module::a: 1\nyes: 2\n"]
        {
            assert!(of_module(odd) && is_odd(odd, Format::Yaml, true), "{odd:?}");
            assert!(!may_have_odd_root(odd.as_bytes(), Format::Yaml, false), "{odd:?}");
        }
    }

    fn piece() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "module::a: 1\n",
            "b: [1,\n  2]\n",
            "module::c:\n- d\n",
            "yes: 1\n",
            "5: 1\n",
            "? a\n: b\n",
            "- x\n",
            "x",
            "word\n",
            "# c\n",
            "#",
            "\r",
            "\u{85}",
            "\u{2028}",
            "---\n",
            "---",
            "--- ",
            "...\n",
            "%YAML 1.1\n",
            "<<: {5: 1}\n",
            "&x\n",
            "!!map\n",
            "'a",
            "\"a: b\n",
            "  ",
            "\t",
            "\n",
            "{5: 1}\n",
            "text: |\n  some\n",
            ":sym: 1\n",
            "-5: 1\n",
            "~\n",
        ])
    }

    proptest! {
        #[test]
        fn no_odd_root_is_overlooked(pieces in prop::collection::vec(piece(), 0..7), is_of_module: bool) {
            let text = pieces.concat();
            let may_be = may_have_odd_root(text.as_bytes(), Format::Yaml, is_of_module);
            prop_assert!(may_be || !is_odd(&text, Format::Yaml, is_of_module), "{text:?}");
        }
    }
}
