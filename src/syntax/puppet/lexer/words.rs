//! Names, words, type names, variables and numbers.

use super::characters::{is_word_byte, variable_length, word_length};
use super::{Language, Lexer};
use crate::syntax::puppet::token::Kind;

impl Lexer<'_> {
    /// A reserved word, a name, or a word with a dash or a leading `_`.
    pub(super) fn bare_word(&mut self) {
        let length = bare_word_length(&self.text().as_bytes()[self.at..]);
        let word = &self.text()[self.at..self.at + length];
        let is_plan_file = self.language == Language::Plan;
        let kind = match Kind::keyword(word, is_plan_file) {
            Some(keyword) => keyword,
            None if is_name(word) => Kind::Name,
            None => Kind::Word,
        };
        self.emit(kind, length);
    }

    /// Reads a token that starts with `::`.
    pub(super) fn qualified(&mut self) {
        if self.byte(2).is_ascii_uppercase() {
            return self.type_name();
        }
        let length = bare_word_length(&self.text().as_bytes()[self.at..]);
        if length == 0 {
            self.error(self.at, 2, "Illegal fully qualified name");
            return self.emit(Kind::Unknown, 2);
        }
        let word = &self.text()[self.at..self.at + length];
        self.emit(if is_name(word) { Kind::Name } else { Kind::Word }, length);
    }

    pub(super) fn type_name(&mut self) {
        let bytes = &self.text().as_bytes()[self.at..];
        let mut length = 0;
        loop {
            let separator = if bytes[length..].starts_with(b"::") { 2 } else { 0 };
            let is_upper = bytes.get(length + separator).is_some_and(u8::is_ascii_uppercase);
            if !is_upper || (separator == 0 && length > 0) {
                break;
            }
            length += separator + word_length(&bytes[length + separator..]);
        }
        if bytes[length..].starts_with(b"::") {
            self.error(self.at, length + 2, "Illegal class reference");
        }
        self.emit(Kind::TypeName, length);
    }

    pub(super) fn variable(&mut self) {
        let length = variable_length(&self.text().as_bytes()[self.at + 1..]);
        if length == 0 {
            // Puppet reads a variable without a name, and refuses the name later.
            return self.emit(Kind::Variable, 1);
        }
        self.emit(Kind::Variable, length + 1);
    }

    /// A number. A word that starts like a number but is not one (`08`, `1a`) is refused as a whole.
    pub(super) fn number(&mut self) {
        let rest = &self.text()[self.at..];
        let length = number_length(rest);
        if length > 0 && !is_bad_octal(&rest[..length]) {
            return self.emit(Kind::Number, length);
        }
        let length = word_length(rest.as_bytes()).max(length);
        let before = &self.text()[..self.at];
        // In `1.5x`, the number starts before the dot.
        let whole = before.strip_suffix('.').unwrap_or_default();
        let digits = whole.bytes().rev().take_while(u8::is_ascii_digit).count();
        let start = self.at - if digits > 0 { digits + 1 } else { 0 };
        let end = self.at + length;
        self.error(start, end - start, &refusal_of_number(&self.text()[start..end]));
        self.emit(Kind::Unknown, length);
    }
}

/// `((::)?[a-z_]([\w-]*\w)?)+`
fn bare_word_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let start = at + if bytes[at..].starts_with(b"::") { 2 } else { 0 };
        let is_start = bytes.get(start).is_some_and(|it| it.is_ascii_lowercase() || *it == b'_');
        if !is_start || (at > 0 && start == at) {
            return at;
        }
        let run = bytes[start..].iter().take_while(|it| is_word_byte(**it) || **it == b'-');
        let run = run.count();
        let dashes = bytes[start..start + run].iter().rev().take_while(|it| **it == b'-').count();
        at = start + run - dashes;
    }
}

/// Whether every segment of `word` starts with a letter and none has a dash.
fn is_name(word: &str) -> bool {
    let word = word.strip_prefix("::").unwrap_or(word);
    is_qualified_name(word, |it| it.is_ascii_lowercase())
}

/// Whether all segments of `name` start with a character that `is_start` accepts, and consist of letters, digits and `_`.
pub fn is_qualified_name(name: &str, is_start: impl Fn(char) -> bool) -> bool {
    name.split("::").all(|it| it.starts_with(&is_start) && it.bytes().all(is_word_byte))
}

/// Whether Puppet reads the text as one name without quotes: it has the form of a name, and is no reserved word.
pub fn is_bare_name(text: &str, language: Language) -> bool {
    is_qualified_name(text, |it| it.is_ascii_lowercase())
        && Kind::keyword(text, language == Language::Plan).is_none()
}

/// The length of the longest `0[xX]\h+` or `\d+(\.\d+)?([eE]-?\d+)?` that no letter follows; 0 if there is none.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|it| it.is_ascii_digit()).count();
    let is_end =
        |at: usize| !text[at..].chars().next().is_some_and(|it| it.is_alphanumeric() || it == '_');
    if bytes.len() > 2 && bytes[0] == b'0' && matches!(bytes[1], b'x' | b'X') {
        let more = bytes[2..].iter().take_while(|it| it.is_ascii_hexdigit()).count();
        return if more > 0 && is_end(2 + more) { 2 + more } else { 0 };
    }
    let whole = digits(0);
    let mut ends = vec![whole];
    if bytes.get(whole) == Some(&b'.') && digits(whole + 1) > 0 {
        ends.push(whole + 1 + digits(whole + 1));
    }
    // An exponent may follow the whole number or its fraction.
    for end in ends.clone() {
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let minus = usize::from(bytes.get(end + 1) == Some(&b'-'));
            let exponent = digits(end + 1 + minus);
            if exponent > 0 {
                ends.push(end + 1 + minus + exponent);
            }
        }
    }
    ends.sort_unstable();
    // As in Ruby, a shorter number counts if a letter follows the longest one.
    ends.into_iter().rev().find(|end| is_end(*end)).unwrap_or(0)
}

/// `08`, `01.5`: a leading zero starts an octal number, which has no such character.
fn is_bad_octal(number: &str) -> bool {
    let Some(rest) = number.strip_prefix('0') else { return false };
    let is_octal = !rest.is_empty() && !rest.starts_with(['x', 'X', '.']);
    is_octal && !rest.bytes().all(|it| matches!(it, b'0'..=b'7'))
}

/// Puppet's message about something that starts like a number.
fn refusal_of_number(text: &str) -> String {
    let rest = text.trim_start_matches(|it: char| it.is_ascii_digit());
    if text.starts_with("0x") || text.starts_with("0X") {
        format!("Not a valid hex number {text}")
    } else if text.len() > 1 && text.starts_with('0') && !text.starts_with("0.") {
        format!("Not a valid octal number {text}")
    } else if rest.starts_with(['e', 'E', '.']) {
        format!("Not a valid decimal number {text}")
    } else {
        format!("Illegal number '{text}'")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_words_are_no_bare_names() {
        for name in ["a", "a::b", "ifs", "a::if", "plan"] {
            assert!(is_bare_name(name, Language::Manifest), "{name}");
        }
        for name in ["if", "class", "type", "true", "undef", "default", "", "::a", "A", "a-b", "_a"]
        {
            assert!(!is_bare_name(name, Language::Manifest), "{name}");
        }
        assert!(!is_bare_name("plan", Language::Plan));
    }

    #[test]
    fn numbers_end_where_no_letter_follows() {
        let numbers = [
            ("1", 1),
            ("1.5", 3),
            ("1.5e-3", 6),
            ("1e5", 3),
            ("0x1F", 4),
            ("1.5x", 1),
            ("1..2", 1),
            ("1a", 0),
            ("0x", 0),
            ("1_000", 0),
            ("1.f", 1),
        ];
        for (text, length) in numbers {
            assert_eq!(number_length(text), length, "{text}");
        }
        assert!(is_bad_octal("08") && is_bad_octal("01.5"));
        assert!(!is_bad_octal("0755") && !is_bad_octal("0.8") && !is_bad_octal("0x9"));
    }

    #[test]
    fn refused_numbers_are_named_by_their_kind() {
        for (text, message) in [
            ("08", "Not a valid octal number 08"),
            ("0xZ", "Not a valid hex number 0xZ"),
            ("1.5x", "Not a valid decimal number 1.5x"),
            ("1a", "Illegal number '1a'"),
        ] {
            assert_eq!(refusal_of_number(text), message);
        }
    }

    #[test]
    fn words_end_before_trailing_dashes_and_colons() {
        for (text, length) in
            [("a::b-c-", 6), ("foo::Bar", 3), ("::a", 3), ("a::", 1), ("_", 1), ("a--b", 4)]
        {
            assert_eq!(bare_word_length(text.as_bytes()), length, "{text}");
        }
        assert!(is_name("::a::b") && is_name("fooBar") && !is_name("a::_b") && !is_name("a-b"));
    }
}
