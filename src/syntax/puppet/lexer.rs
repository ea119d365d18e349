//! Splits Puppet code into tokens exactly as Puppet's own lexer does, and continues where Puppet's lexer gives up.
//!
//! The time is linear in the length of the text. The only recursion is for the text of a heredoc, which cannot contain
//! another heredoc.

use super::token::{Kind, Token, TokenText, Tokens};
use crate::syntax::tree::SyntaxError;
use crate::text::TextRange;

mod buffer;
mod characters;
mod heredoc;
mod punctuation;
mod strings;
mod template;
#[cfg(test)]
mod tests;
mod words;

use buffer::Buffer;
use characters::blank_length;
use strings::{Escapes, Interpolation};
use template::TemplateMode;
pub use words::{is_bare_name, is_qualified_name};

/// The kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// A manifest.
    Manifest,
    /// A manifest below a directory named `plans`, where `plan` and `apply` are reserved words.
    Plan,
    /// An EPP template.
    Template,
}

/// Further errors of a file are not reported.
const MAX_ERRORS: usize = 100;

/// Splits a whole file into tokens.
pub(super) fn tokenize(text: &str, language: Language) -> (Tokens, Vec<SyntaxError>) {
    let mut lexer = Lexer::new(Buffer::whole(text), language);
    if text.starts_with('\u{feff}') {
        lexer.error(0, 3, "Illegal UTF-8 Byte Order mark at beginning of input");
        lexer.at = 3;
    }
    if language == Language::Template {
        lexer.template_text(false);
    }
    lexer.run();
    lexer.check_template_end();
    (lexer.tokens, lexer.errors)
}

/// The state of the lexer.
struct Lexer<'text> {
    buffer: Buffer<'text>,
    language: Language,
    /// The next byte of the buffer to read.
    at: usize,
    tokens: Tokens,
    errors: Vec<SyntaxError>,
    /// The previous token, which decides between a regular expression and a division.
    after: Option<Kind>,
    /// The number of open braces, including those of interpolations.
    braces: i64,
    /// The open `${`, outermost first.
    interpolations: Vec<Interpolation>,
    /// Where the line starts; line ends in strings and comments are ignored.
    line_start: usize,
    /// Where to continue at the end of the line: after the texts of its heredocs.
    behind_heredocs: Option<usize>,
    /// The number of heredocs without an end. After too many, the lexer no longer searches for ends.
    heredocs_without_end: usize,
    /// The number of bytes that were read again after heredocs.
    read_again: usize,
    /// From here on every slash is escaped, so no regular expression ends.
    no_regex_from: Option<usize>,
    /// The escapes in the text of a heredoc.
    heredoc_escapes: Escapes,
    template: TemplateMode,
    /// Where the last tag of a template starts.
    template_tag: usize,
}

impl<'text> Lexer<'text> {
    fn new(buffer: Buffer<'text>, language: Language) -> Self {
        let template = TemplateMode::of(language);
        Self {
            buffer,
            language,
            at: 0,
            tokens: Tokens::default(),
            errors: Vec::new(),
            after: None,
            braces: 0,
            interpolations: Vec::new(),
            line_start: 0,
            behind_heredocs: None,
            heredocs_without_end: 0,
            read_again: 0,
            no_regex_from: None,
            heredoc_escapes: Escapes::default(),
            template,
            template_tag: 0,
        }
    }

    /// Reads code to the end of the text.
    fn run(&mut self) {
        while self.at < self.text().len() {
            self.token();
        }
        while let Some(open) = self.interpolations.pop() {
            // Puppet accepts a `${` without a `}` in the text of a heredoc: the text ends both.
            if open.is_in_heredoc() {
                self.cut_off_interpolation(open);
            } else {
                self.error(open.string_start, 1, "Unclosed quote");
            }
            self.add(Kind::StringEnd, self.at, self.at);
        }
    }

    /// Reads one token, or white space, or a comment.
    fn token(&mut self) {
        match self.byte(0) {
            b' ' | b'\t' | b'\r' => self.at += 1,
            b'\n' => self.line_end(),
            // Inside `${…}` too, a `#` hides the rest of the line, even a `}` or a quote.
            b'#' => self.at = self.next_line_end(),
            b'a'..=b'z' | b'_' => self.bare_word(),
            b'A'..=b'Z' => self.type_name(),
            b'0'..=b'9' => self.number(),
            b'$' => self.variable(),
            b'\'' => self.single_quoted(),
            b'"' => self.double_quoted(),
            b'/' => self.slash(),
            b':' if self.byte(1) == b':' => self.qualified(),
            b'@' if self.byte(1) == b'(' => self.heredoc(),
            b'{' => self.left_brace(),
            b'}' => self.right_brace(),
            b'%' | b'-' if self.is_template_end() => self.template_end(),
            _ => self.punctuation(),
        }
    }

    fn line_end(&mut self) {
        let behind = self.behind_heredocs.take().filter(|it| self.may_go_to(*it));
        self.at = behind.unwrap_or(self.at + 1);
        self.line_start = self.at;
    }

    /// The position of the next `\n`, or the end of the text.
    fn next_line_end(&self) -> usize {
        let rest = &self.text().as_bytes()[self.at..];
        memchr::memchr(b'\n', rest).map_or(self.text().len(), |it| self.at + it)
    }

    /// A comment, a regular expression, or a division. `/*` starts a comment even where a regular expression is possible.
    fn slash(&mut self) {
        let start = self.at;
        if self.byte(1) == b'*' {
            let end = memchr::memmem::find(&self.text().as_bytes()[start + 2..], b"*/");
            self.at = end.map_or(self.text().len(), |it| start + 2 + it + 2);
            if end.is_none() {
                self.error(start, 2, "Unclosed multiline comment");
            }
            return;
        }
        let may_be_regex = self.after.is_none_or(Kind::lets_a_regex_follow);
        match may_be_regex.then(|| self.regex_end()).flatten() {
            Some(end) => {
                let content = self.buffer.range(start + 1, end - 1);
                let decoded = self.text()[start + 1..end - 1].replace("\\/", "/");
                let text = if decoded.len() == content.len() as usize {
                    TokenText::Written(content)
                } else {
                    TokenText::Decoded(decoded)
                };
                self.add_text(Kind::Regex, start, end, text);
                self.at = end;
                self.after = Some(Kind::Regex);
            }
            None => self.emit(Kind::Divide, 1),
        }
    }

    /// The byte after the next slash that is not escaped.
    fn regex_end(&mut self) -> Option<usize> {
        let start = self.at;
        if self.no_regex_from.is_some_and(|it| start >= it) {
            return None;
        }
        let bytes = self.text().as_bytes();
        for slash in memchr::memchr_iter(b'/', &bytes[start + 1..]) {
            let content = &bytes[start + 1..start + 1 + slash];
            // Only an odd number of backslashes before the slash escapes it.
            let escapes = content.iter().rev().take_while(|it| **it == b'\\').count();
            if escapes % 2 == 0 {
                return Some(start + 1 + slash + 1);
            }
        }
        // Whether a slash is escaped does not depend on where the search starts, so no later search finds an end either.
        self.no_regex_from = Some(start);
        None
    }

    fn left_brace(&mut self) {
        self.braces += 1;
        let is_selector = self.after == Some(Kind::Question);
        self.emit(if is_selector { Kind::SelectorBrace } else { Kind::LeftBrace }, 1);
    }

    /// A brace that ends an interpolation is not a token: the string continues.
    fn right_brace(&mut self) {
        self.braces -= 1;
        if self.interpolations.last().is_some_and(|it| it.braces == self.braces) {
            self.at += 1;
            self.after = Some(Kind::RightBrace);
            self.end_of_interpolation();
        } else {
            self.emit(Kind::RightBrace, 1);
        }
    }

    /// Adds a token of `length` bytes and moves past it.
    fn emit(&mut self, kind: Kind, length: usize) {
        self.add(kind, self.at, self.at + length);
        self.at += length;
        self.after = Some(kind);
    }

    fn add(&mut self, kind: Kind, start: usize, end: usize) {
        self.add_token(kind, start, end, u32::MAX);
    }

    fn add_text(&mut self, kind: Kind, start: usize, end: usize, text: TokenText) {
        let index = self.tokens.texts.len() as u32;
        self.tokens.texts.push(text);
        self.add_token(kind, start, end, index);
    }

    fn add_token(&mut self, kind: Kind, start: usize, end: usize, text: u32) {
        let TextRange { start, end } = self.buffer.range(start, end);
        let is_heredoc_text = self.buffer.is_heredoc_text();
        self.tokens.list.push(Token { kind, is_heredoc_text, start, end, text });
    }

    fn error(&mut self, start: usize, length: usize, message: &str) {
        if self.errors.len() < MAX_ERRORS {
            let range = self.buffer.range(start, (start + length).min(self.text().len()));
            self.errors.push(SyntaxError { message: message.to_owned(), range });
        }
    }

    fn text(&self) -> &'text str {
        self.buffer.text
    }

    /// The byte `ahead` bytes further on; 0 past the end.
    fn byte(&self, ahead: usize) -> u8 {
        self.text().as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    /// White space outside ASCII that Puppet accepts, or a character that Puppet's parser refuses.
    fn unknown(&mut self) {
        let rest = &self.text()[self.at..];
        let blank = blank_length(rest);
        if blank > 0 {
            self.at += blank;
            return;
        }
        let length = rest.chars().next().map_or(1, char::len_utf8);
        self.emit(Kind::Unknown, length);
    }
}
