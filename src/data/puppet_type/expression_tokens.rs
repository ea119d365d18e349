//! The tokens of a type expression: names, numbers, strings, regular expressions, comments.

use std::sync::Arc;

use super::expression::{Kind, Parsed};
use super::interpret::TypeProblem;

/// A position in a text.
pub(super) struct Cursor<'a> {
    text: &'a str,
    pub(super) offset: usize,
}

/// Words that are not names. `application`, `consumes`, `import`, `produces` and `site` are.
const KEYWORDS: [&str; 12] = [
    "and", "case", "class", "define", "else", "elsif", "if", "in", "inherits", "node", "or",
    "unless",
];

/// Keywords that can also be the keys of a hash.
const KEYS: [&str; 2] = ["function", "type"];

/// Words that Puppet reserves for the future.
const RESERVED: [&str; 2] = ["attr", "private"];

impl<'a> Cursor<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { text, offset: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.offset..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest().is_empty()
    }

    pub(super) fn advance(&mut self, bytes: usize) {
        self.offset += bytes;
    }

    pub(super) fn starts_with(&self, token: &str) -> bool {
        self.rest().starts_with(token)
    }

    pub(super) fn eat(&mut self, token: &str) -> bool {
        let is_there = self.starts_with(token);
        if is_there {
            self.advance(token.len());
        }
        is_there
    }

    pub(super) fn expect(&mut self, token: &str) -> Parsed<()> {
        if self.eat(token) { Ok(()) } else { Err(self.unexpected()) }
    }

    /// Consumes a whole word.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let is_word =
            self.rest().strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_word_part));
        is_word && self.eat(word)
    }

    /// Skips white space and comments.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest().trim_start_matches([' ', '\t', '\r', '\n', '\u{a0}']);
            self.offset = self.text.len() - rest.len();
            let length = if rest.starts_with('#') {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |it| it + 2)
            } else {
                return;
            };
            self.advance(length);
        }
    }

    /// Whether `token` follows after white space and comments.
    fn is_before(&self, token: &str) -> bool {
        let mut ahead = Cursor { text: self.text, offset: self.offset };
        ahead.skip_blanks();
        ahead.starts_with(token)
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|it| !is_part(it)).unwrap_or(rest.len());
        self.advance(end);
        &rest[..end]
    }

    /// The name of a type, without the leading `::`.
    pub(super) fn reference(&mut self) -> Parsed<Arc<str>> {
        let start = self.offset;
        let written = self.take_while(|it| is_word_part(it) || it == ':');
        let name = written.strip_prefix("::").unwrap_or(written);
        let is_name = name
            .split("::")
            .all(|it| it.starts_with(|it: char| it.is_ascii_uppercase()) && !it.contains(':'));
        if is_name {
            return Ok(name.into());
        }
        self.offset = start;
        if name.starts_with(|it: char| it.is_ascii_lowercase()) {
            return Err(self.not_literal());
        }
        Err(self.syntax_error())
    }

    pub(super) fn number(&mut self) -> Parsed<Kind> {
        let start = self.offset;
        let text = self.take_while(|it| is_word_part(it) || it == '.');
        let mut text = text.to_owned();
        // In `1e-5`, the sign belongs to the number. In `0xe-5`, the `e` is a digit.
        if text.ends_with(['e', 'E']) && !text.starts_with("0x") && self.eat("-") {
            text.push('-');
            text.push_str(self.take_while(|it| it.is_ascii_digit()));
        }
        let radix = |digits: &str, radix| i64::from_str_radix(digits, radix).ok();
        let integer = if let Some(digits) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
            radix(digits, 16)
        } else if text.len() > 1
            && text.bytes().all(|it| it.is_ascii_digit())
            && text.starts_with('0')
        {
            radix(&text[1..], 8)
        } else {
            text.parse().ok()
        };
        if let Some(integer) = integer {
            return Ok(Kind::Integer(integer));
        }
        let is_float = text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'.' | b'e' | b'E' | b'-'))
            && text.contains(['.', 'e', 'E'])
            && !text.ends_with('.');
        match text.parse::<f64>() {
            Ok(float) if is_float => Ok(Kind::Float(float)),
            _ => {
                self.offset = start;
                Err(self.unknown(&format!("the number {text}")))
            }
        }
    }

    pub(super) fn word(&mut self) -> Parsed<Kind> {
        let start = self.offset;
        let word = self.take_while(|it| is_word_part(it) || matches!(it, ':' | '-'));
        match word {
            "true" => Ok(Kind::Boolean(true)),
            "false" => Ok(Kind::Boolean(false)),
            "default" => Ok(Kind::Default),
            "undef" => Ok(Kind::Undef),
            _ if RESERVED.contains(&word) => {
                let problem = format!("The expression <{word}> is not a valid type specification.");
                Err(TypeProblem::Invalid(problem))
            }
            _ if KEYS.contains(&word) && self.is_before("=>") => Ok(Kind::Text(word.into())),
            _ if KEYS.contains(&word) => {
                // Puppet expects a definition to follow, so the error is at the next token.
                self.skip_blanks();
                Err(self.syntax_error())
            }
            _ if KEYWORDS.contains(&word) => {
                self.offset = start;
                Err(self.syntax_error())
            }
            _ => {
                let is_name = word.split("::").all(|it| !it.is_empty() && !it.contains(':'));
                let is_called =
                    self.starts_with("(") || self.starts_with("[") || self.starts_with(".");
                if is_name && !is_called && !word.ends_with('-') {
                    return Ok(Kind::Text(word.into()));
                }
                self.offset = start;
                Err(self.not_literal())
            }
        }
    }

    pub(super) fn single_quoted(&mut self) -> Parsed<Arc<str>> {
        let mut text = String::new();
        let mut characters = self.rest()[1..].char_indices();
        while let Some((index, character)) = characters.next() {
            match character {
                '\'' => {
                    self.advance(index + 2);
                    return Ok(text.into());
                }
                '\\' => match characters.next() {
                    Some((_, it @ ('\'' | '\\'))) => text.push(it),
                    Some((_, it)) => text.extend(['\\', it]),
                    None => break,
                },
                it => text.push(it),
            }
        }
        Err(self.unclosed_quote())
    }

    pub(super) fn double_quoted(&mut self) -> Parsed<Arc<str>> {
        let mut text = String::new();
        let mut characters = self.rest()[1..].char_indices();
        while let Some((index, character)) = characters.next() {
            match character {
                '"' => {
                    self.advance(index + 2);
                    return Ok(text.into());
                }
                '$' if characters
                    .as_str()
                    .starts_with(|it: char| it == '{' || it == ':' || is_word_part(it)) =>
                {
                    return Err(self.not_literal());
                }
                '\\' => match characters.next() {
                    Some((_, 'u')) => return Err(self.not_literal()),
                    Some((_, it)) => text.push_str(&unescaped(it)),
                    None => break,
                },
                it => text.push(it),
            }
        }
        Err(self.unclosed_quote())
    }

    pub(super) fn regexp(&mut self) -> Parsed<Arc<str>> {
        let mut source = String::new();
        let mut characters = self.rest()[1..].char_indices();
        while let Some((index, character)) = characters.next() {
            match character {
                '/' => {
                    self.advance(index + 2);
                    return Ok(source.into());
                }
                '\\' => match characters.next() {
                    Some((_, '/')) => source.push('/'),
                    Some((_, it)) => source.extend(['\\', it]),
                    None => break,
                },
                it => source.push(it),
            }
        }
        Err(self.syntax_error())
    }

    /// Puppet's message for the word here.
    pub(super) fn syntax_error(&self) -> TypeProblem {
        let rest = self.rest();
        let end = rest.find(|it| !is_word_part(it)).unwrap_or(rest.len());
        let length = if end > 0 {
            end
        } else if rest.starts_with("=>") {
            2
        } else {
            rest.chars().next().map_or(0, char::len_utf8)
        };
        let place = self.place(self.offset);
        TypeProblem::Invalid(match &rest[..length] {
            "" => "Syntax error at end of input".to_owned(),
            word => format!("Syntax error at '{word}' {place}"),
        })
    }

    /// An unexpected word. If an operator could continue here, the result is not known.
    fn unexpected(&self) -> TypeProblem {
        match self.peek() {
            Some('+' | '-' | '*' | '/' | '%' | '<' | '>' | '!' | '?' | '.' | '=' | '|') => {
                self.not_literal()
            }
            _ => self.syntax_error(),
        }
    }

    /// Code that would have to be evaluated.
    pub(super) fn not_literal(&self) -> TypeProblem {
        self.unknown("code that is not a literal type")
    }

    fn unknown(&self, what: &str) -> TypeProblem {
        TypeProblem::Unknown(format!(
            "cannot read the type '{}': {what} {}",
            self.text,
            self.place(self.offset)
        ))
    }

    fn unclosed_quote(&self) -> TypeProblem {
        let rest = self.rest();
        let quote = &rest[..1];
        let followed: String = rest[1..].chars().take(5).collect();
        let mark = if quote == "'" { "\"'\"" } else { "'\"'" };
        let place = self.place(self.offset + 1);
        TypeProblem::Invalid(format!(
            "Unclosed quote after {mark} followed by '{followed}...' {place}"
        ))
    }

    /// `(line: 1, column: 9)`
    fn place(&self, offset: usize) -> String {
        place(self.text, offset)
    }
}

/// `(line: 1, column: 9)`
pub(super) fn place(text: &str, offset: usize) -> String {
    let before = &text[..offset.min(text.len())];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("(line: {line}, column: {column})")
}

fn is_word_part(it: char) -> bool {
    it.is_ascii_alphanumeric() || it == '_'
}

/// The text of an escape in double quotes; an unknown escape is the character itself.
fn unescaped(it: char) -> String {
    match it {
        'n' => "\n".to_owned(),
        'r' => "\r".to_owned(),
        't' => "\t".to_owned(),
        's' => " ".to_owned(),
        '\n' => String::new(),
        '\\' | '"' | '\'' | '$' => it.to_string(),
        other => format!("\\{other}"),
    }
}
