//! The characters that Puppet's lexer accepts as blanks and as letters: Ruby's `[[:blank:]]` and `\w`.

/// Ruby's `\w`: ASCII only.
pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Ruby's `[[:blank:]]`: tabs and every kind of space.
pub(super) fn is_blank(c: char) -> bool {
    matches!(
        c,
        '\t' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// The length in bytes of the blank at the start of `text`; 0 if there is none.
pub(super) fn blank_length(text: &str) -> usize {
    text.chars().next().filter(|it| is_blank(*it)).map_or(0, char::len_utf8)
}

/// The number of word bytes at the start of `bytes`.
pub(super) fn word_length(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|it| is_word_byte(**it)).count()
}

/// The length of a variable's name without its `$`: `(::)?(\w+::)*\w+`; 0 if `bytes` do not start with one.
pub(super) fn variable_length(bytes: &[u8]) -> usize {
    let mut at = if bytes.starts_with(b"::") { 2 } else { 0 };
    let first = word_length(&bytes[at..]);
    if first == 0 {
        return 0;
    }
    at += first;
    while bytes[at..].starts_with(b"::") {
        let more = word_length(&bytes[at + 2..]);
        if more == 0 {
            break;
        }
        at += 2 + more;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_take_the_longest_name() {
        for (text, length) in
            [("a", 1), ("a::b.c", 4), ("a::", 1), ("::a", 3), ("::", 0), ("a::b::-", 4), ("é", 0)]
        {
            assert_eq!(variable_length(text.as_bytes()), length, "{text}");
        }
    }

    #[test]
    fn spaces_of_unicode_are_blanks() {
        assert_eq!(blank_length("\u{a0}x"), 2);
        assert_eq!(blank_length("\nx"), 0);
    }
}
