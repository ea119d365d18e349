//! Strings and their interpolations. Open `${ … }` are kept on a stack, because code inside can contain strings again.

use std::borrow::Cow;

use super::Lexer;
use super::characters::variable_length;
use crate::syntax::puppet::token::{Kind, TokenText};

/// An open `${`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Interpolation {
    /// The number of open braces before it.
    pub(super) braces: i64,
    /// The index of the first token inside.
    pub(super) first_token: usize,
    /// Where its string starts.
    pub(super) string_start: usize,
    style: Style,
}

impl Interpolation {
    /// Whether its string is the text of a heredoc.
    pub(super) fn is_in_heredoc(&self) -> bool {
        self.style == Style::HeredocText
    }
}

/// What ends a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    DoubleQuoted,
    /// The text of a heredoc, which ends where the buffer ends.
    HeredocText,
}

/// Which escapes are decoded in a string.
#[derive(Debug, Clone, Default)]
pub(super) struct Escapes {
    /// The characters that may follow a backslash.
    pub(super) characters: String,
    /// Whether a backslash at the end of a line joins it with the next line.
    pub(super) joins_lines: bool,
}

impl Escapes {
    fn of_double_quotes() -> Self {
        Self { characters: "\\$'\"rntsu".to_owned(), joins_lines: true }
    }
}

/// A part of a string that is being read.
struct Part {
    /// Where its token starts.
    start: usize,
    /// Where its text starts.
    text_start: usize,
    is_first: bool,
}

impl Lexer<'_> {
    /// `'…'`: only `\\` and `\'` are escapes.
    pub(super) fn single_quoted(&mut self) {
        let start = self.at;
        let found = terminator(self.text(), start + 1, b"'", false);
        let end = found.unwrap_or(self.text().len());
        let raw = &self.text()[start + 1..end];
        let text = match decode_single_quoted(raw) {
            Cow::Owned(decoded) => TokenText::Decoded(decoded),
            Cow::Borrowed(_) => self.written(start + 1, end),
        };
        self.at = if found.is_some() { end + 1 } else { end };
        if found.is_none() {
            self.error(start, 1, "Unclosed quote");
        }
        self.add_text(Kind::String, start, self.at, text);
        self.after = Some(Kind::String);
    }

    pub(super) fn double_quoted(&mut self) {
        let start = self.at;
        self.at += 1;
        let part = Part { start, text_start: self.at, is_first: true };
        self.string_part(part, start, Style::DoubleQuoted);
    }

    /// Reads the whole text of a heredoc that interpolates.
    pub(super) fn heredoc_text(&mut self) {
        let part = Part { start: 0, text_start: 0, is_first: true };
        self.string_part(part, 0, Style::HeredocText);
    }

    /// Continues the string after the `}` of an interpolation. `${name}`, `${name[…]}` and `${name.…}` refer to the variable
    /// of that name.
    pub(super) fn end_of_interpolation(&mut self) {
        let open = self.interpolations.pop().expect("called when one ends");
        let is_name =
            |it: Kind| matches!(it, Kind::Number | Kind::Name | Kind::Word) || it.is_keyword();
        self.name_as_variable(open.first_token, is_name);
        let part = Part { start: self.at, text_start: self.at, is_first: false };
        self.string_part(part, open.string_start, open.style);
    }

    /// Ends an interpolation that the end of a heredoc's text cuts off. Only Puppet's grammar turns its name into a variable
    /// then, so `x-1`, which its lexer takes for a word, `0x1f` and keywords stay what they are.
    pub(super) fn cut_off_interpolation(&mut self, open: Interpolation) {
        self.name_as_variable(open.first_token, |it| it == Kind::Name);
    }

    /// Turns the name at the start of an interpolation into a variable, if nothing, a bracket or a dot follows.
    fn name_as_variable(&mut self, first_token: usize, is_name: impl Fn(Kind) -> bool) {
        if let [first, rest @ ..] = &mut self.tokens.list[first_token..] {
            let goes_on =
                rest.first().is_none_or(|it| matches!(it.kind, Kind::Dot | Kind::LeftBracket));
            if is_name(first.kind) && goes_on {
                first.kind = Kind::Variable;
            }
        }
    }

    /// Reads a string up to its end or to the next `${`, whichever comes first.
    fn string_part(&mut self, mut part: Part, string_start: usize, style: Style) {
        loop {
            let Some(end) = self.end_of_part(style) else {
                self.error(string_start, 1, "Unclosed quote");
                return self.finish_string(&part, self.text().len(), self.text().len(), style);
            };
            match self.text().as_bytes().get(end) {
                Some(b'$') => {
                    let rest = &self.text().as_bytes()[end + 1..];
                    if rest.first() == Some(&b'{') {
                        return self.open_interpolation(&part, end, string_start, style);
                    }
                    let length = variable_length(rest);
                    self.at = end + 1 + length;
                    if length > 0 {
                        self.add_part(&part, end, end, style);
                        self.add(Kind::Variable, end, self.at);
                        part = Part { start: self.at, text_start: self.at, is_first: false };
                    }
                }
                Some(_) => return self.finish_string(&part, end, end + 1, style),
                None => return self.finish_string(&part, end, end, style),
            }
        }
    }

    fn open_interpolation(&mut self, part: &Part, end: usize, string_start: usize, style: Style) {
        self.at = end + 2;
        self.add_part(part, end, self.at, style);
        let first_token = self.tokens.list.len();
        let braces = self.braces;
        self.interpolations.push(Interpolation { braces, first_token, string_start, style });
        self.braces += 1;
    }

    fn add_part(&mut self, part: &Part, text_end: usize, end: usize, style: Style) {
        let kind = if part.is_first { Kind::StringStart } else { Kind::StringMiddle };
        let text = self.decoded(part.text_start, text_end, style);
        self.add_text(kind, part.start, end, text);
    }

    /// Adds the last token of a string.
    fn finish_string(&mut self, part: &Part, text_end: usize, end: usize, style: Style) {
        let text = self.decoded(part.text_start, text_end, style);
        let kind = if part.is_first { Kind::String } else { Kind::StringEnd };
        self.add_text(kind, part.start, end, text);
        self.at = end;
        // Puppet's lexer forgets an interpolated string inside an interpolation: the token before it decides what `/` means.
        if part.is_first || self.interpolations.is_empty() {
            self.after = Some(kind);
        }
    }

    /// Where the part ends: at a quote, at a `$`, or at the end of a heredoc's text.
    fn end_of_part(&self, style: Style) -> Option<usize> {
        match style {
            Style::DoubleQuoted => terminator(self.text(), self.at, b"\"$", false),
            Style::HeredocText => {
                let end = terminator(self.text(), self.at, b"$", !self.can_escape_dollar());
                Some(end.unwrap_or(self.text().len()))
            }
        }
    }

    fn can_escape_dollar(&self) -> bool {
        self.heredoc_escapes.characters.contains('$')
    }

    fn decoded(&self, start: usize, end: usize, style: Style) -> TokenText {
        let raw = &self.text()[start..end];
        if !raw.contains('\\') {
            return self.written(start, end);
        }
        let decoded = match style {
            Style::DoubleQuoted => decode(raw, &Escapes::of_double_quotes()),
            Style::HeredocText => decode(raw, &self.heredoc_escapes),
        };
        TokenText::Decoded(decoded)
    }

    /// The bytes from `start` to `end`, undecoded.
    pub(super) fn written(&self, start: usize, end: usize) -> TokenText {
        if self.buffer.is_as_written(start, end) {
            TokenText::Written(self.buffer.range(start, end))
        } else {
            TokenText::Decoded(self.text()[start..end].to_owned())
        }
    }
}

/// The first byte of `text` from `start` on that is one of `wanted` and not escaped.
///
/// Puppet's pattern consumes one character before the wanted byte. A wanted byte right at `start` is therefore plain text if
/// another one follows at once: `"""` is one string that contains a quote.
fn terminator(text: &str, start: usize, wanted: &[u8], ignores_escapes: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_wanted = |at: usize| bytes.get(at).is_some_and(|it| wanted.contains(it));
    let find = |from: usize| match *wanted {
        [one] => memchr::memchr(one, &bytes[from..]),
        [one, two] => memchr::memchr2(one, two, &bytes[from..]),
        _ => None,
    };
    if is_wanted(start) {
        if ignores_escapes {
            return Some(start);
        }
        let escapes = bytes[start + 1..].iter().take_while(|it| **it == b'\\').count();
        let next = start + 1 + escapes;
        return Some(if escapes % 2 == 0 && is_wanted(next) { next } else { start });
    }
    let mut from = start;
    while let Some(ahead) = find(from) {
        let found = from + ahead;
        let escapes = bytes[start..found].iter().rev().take_while(|it| **it == b'\\').count();
        if ignores_escapes || escapes % 2 == 0 {
            return Some(found);
        }
        from = found + 1;
    }
    None
}

fn decode_single_quoted(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' if rest.as_str().starts_with(['\\', '\'']) => text.extend(rest.next()),
            _ => text.push(c),
        }
    }
    Cow::Owned(text)
}

/// Decodes the escapes that `escapes` allows; other escapes keep their backslash.
pub(super) fn decode(raw: &str, escapes: &Escapes) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let length = decode_escape(&rest[at + 1..], escapes, &mut text);
        rest = &rest[at + 1 + length..];
    }
    text.push_str(rest);
    text
}

/// Appends the character of the escape whose backslash precedes `rest`, and returns the escape's length without the
/// backslash.
fn decode_escape(rest: &str, escapes: &Escapes, text: &mut String) -> usize {
    let line_end = if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) };
    if line_end > 0 && escapes.joins_lines {
        return line_end;
    }
    let escaped = rest.chars().next().filter(|it| escapes.characters.contains(*it));
    let character = match escaped {
        Some('u') => unicode_escape(&rest[1..]),
        Some('r') => Some(('\r', 0)),
        Some('n') => Some(('\n', 0)),
        Some('t') => Some(('\t', 0)),
        Some('s') => Some((' ', 0)),
        Some(other) => Some((other, 0)),
        None => None,
    };
    if let Some((character, digits)) = character {
        text.push(character);
        1 + digits
    } else {
        text.push('\\');
        0
    }
}

/// `XXXX` or `{X…}` in hexadecimal digits.
fn unicode_escape(text: &str) -> Option<(char, usize)> {
    let (digits, length) = match text.strip_prefix('{') {
        Some(inner) => {
            let end = inner.find('}').filter(|it| (1..=6).contains(it))?;
            (&inner[..end], end + 2)
        }
        None => (text.get(..4)?, 4),
    };
    let is_hexadecimal = digits.bytes().all(|it| it.is_ascii_hexdigit());
    let number = is_hexadecimal.then(|| u32::from_str_radix(digits, 16).ok())??;
    Some((char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER), length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_at_the_start_is_text_if_another_follows() {
        assert_eq!(terminator("\"\"\"", 1, b"\"$", false), Some(2));
        assert_eq!(terminator("\"\" \"", 1, b"\"$", false), Some(1));
        assert_eq!(terminator("\"a\\\"b\"", 1, b"\"$", false), Some(5));
        assert_eq!(terminator("\"\\\\\"", 1, b"\"$", false), Some(3));
    }

    #[test]
    fn escapes_of_double_quotes() {
        let decoded = decode(
            r#"\\ \" \' \$ \n \t \s| \u0041 \u{1F600} \q \u12"#,
            &Escapes::of_double_quotes(),
        );
        assert_eq!(decoded, "\\ \" ' $ \n \t  | A \u{1F600} \\q \\u12");
        assert_eq!(decode("a\\\nb\\\r\nc", &Escapes::of_double_quotes()), "abc");
    }

    #[test]
    fn a_heredoc_without_escapes_keeps_its_backslashes() {
        assert_eq!(decode(r"\\ \n \$", &Escapes::default()), r"\\ \n \$");
    }

    #[test]
    fn single_quotes_know_two_escapes() {
        assert_eq!(decode_single_quoted(r"a\\b\'c\n"), r"a\b'c\n");
    }
}
