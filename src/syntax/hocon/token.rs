//! Splits text into tokens. Spaces between two simple values become a text token of their own, since they are part of the
//! string that the values are concatenated to.

use std::sync::Arc;

use super::path::TOO_DEEP;
use super::value::Scalar;
use crate::limits::MAX_HOCON_NESTING;
use crate::text::TextRange;

/// Ruby's message for a character with a negative number.
pub const OUT_OF_RANGE: &str = "pack(U): value out of range";

/// Characters that an unquoted text may not contain.
const RESERVED: &str = "$\"{}[]:=,+#`^?!@*&\\";

/// A token and its place.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) range: TextRange,
    /// The gem knows the line only of tokens that are more than a sign.
    pub(super) line: Option<u32>,
}

/// Kinds of tokens.
#[derive(Debug, Clone)]
pub(super) enum TokenKind {
    EndOfFile,
    /// `,` `=` `:` `{` `}` `[` `]`
    Sign(char),
    PlusEquals,
    Newline,
    Blanks,
    Comment,
    /// Quoted text, a number, `true`, `false`, `null`.
    Value(Scalar),
    /// Text without quotes.
    Text(Arc<str>),
    Substitution {
        is_optional: bool,
        expression: Vec<Token>,
    },
    /// Text that cannot be read: the offending piece and the reason.
    Problem {
        what: String,
        why: String,
    },
    /// A token that makes the gem crash as soon as it reads it.
    Crash(String),
}

impl Token {
    /// Whether the token is the sign.
    pub(super) fn is(&self, sign: char) -> bool {
        matches!(self.kind, TokenKind::Sign(it) if it == sign)
    }

    /// Whether the token alone is a value or a part of one.
    pub(super) fn is_simple(&self) -> bool {
        matches!(
            self.kind,
            TokenKind::Value(_) | TokenKind::Text(_) | TokenKind::Substitution { .. }
        )
    }

    /// Unquoted text that consists of spaces only.
    pub(super) fn is_blank_text(&self) -> bool {
        matches!(&self.kind, TokenKind::Text(text) if text.chars().all(char::is_whitespace))
    }

    /// The token as messages name it.
    pub(super) fn describe(&self, source: &str) -> String {
        match &self.kind {
            TokenKind::EndOfFile => "end of file".to_owned(),
            TokenKind::Sign(sign) => format!("'{sign}'"),
            TokenKind::PlusEquals => "'+='".to_owned(),
            TokenKind::Newline => "NEWLINE".to_owned(),
            TokenKind::Blanks => format!("'{}' (WHITESPACE)", self.range.slice(source)),
            TokenKind::Comment => {
                let text = self.range.slice(source);
                let text = text.strip_prefix("//").or(text.strip_prefix('#')).unwrap_or(text);
                format!("'#{text}' (COMMENT)")
            }
            TokenKind::Value(scalar) => {
                format!("'{}' ({})", scalar.unwrapped(), scalar.type_name())
            }
            TokenKind::Text(text) => format!("'{text}'"),
            TokenKind::Substitution { .. } => format!("'{}'", self.range.slice(source)),
            TokenKind::Problem { what, why } => format!("'{what}' ({why})"),
            TokenKind::Crash(message) => message.clone(),
        }
    }
}

/// All tokens up to the end or to the first unreadable text; the last one is [`TokenKind::EndOfFile`].
pub(super) fn tokenize(text: &str) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0, line: 1, depth: 0 };
    let mut tokens = Vec::new();
    let mut blanks = Blanks::default();
    loop {
        let token = lexer.next_token(&mut blanks);
        let is_last = matches!(
            token.kind,
            TokenKind::EndOfFile | TokenKind::Problem { .. } | TokenKind::Crash(_)
        );
        if !matches!(token.kind, TokenKind::Problem { .. } | TokenKind::Crash(_)) {
            tokens.extend(blanks.before(&token, text, lexer.line));
        }
        tokens.push(token);
        if is_last {
            return tokens;
        }
    }
}

/// Remembers the spaces before a token, and whether the token before them was a simple value.
#[derive(Default)]
struct Blanks {
    range: Option<TextRange>,
    is_after_simple: bool,
}

impl Blanks {
    fn add(&mut self, start: usize, end: usize) {
        if start < end {
            let range = range(start, end);
            self.range = Some(self.range.map_or(range, |it| TextRange::new(it.start, range.end)));
        }
    }

    /// The token for the spaces before `next`: text between two simple values, otherwise insignificant.
    fn before(&mut self, next: &Token, source: &str, line: u32) -> Option<Token> {
        let joins = self.is_after_simple && next.is_simple();
        self.is_after_simple = next.is_simple();
        let range = self.range.take()?;
        let kind =
            if joins { TokenKind::Text(range.slice(source).into()) } else { TokenKind::Blanks };
        Some(Token { kind, range, line: Some(line) })
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    /// How many `${` are open.
    depth: usize,
}

impl Lexer<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.at += char.len_utf8();
        Some(char)
    }

    fn is_comment(&self) -> bool {
        let rest = &self.text[self.at..];
        rest.starts_with('#') || rest.starts_with("//")
    }

    fn next_token(&mut self, blanks: &mut Blanks) -> Token {
        let blank_start = self.at;
        while self.peek().is_some_and(|c| c != '\n' && c.is_whitespace()) {
            self.next();
        }
        blanks.add(blank_start, self.at);
        let start = self.at;
        let line = self.line;
        let kind = self.token_kind();
        // A quoted text belongs to the line on which it ends.
        let line = match kind {
            TokenKind::Sign(_) | TokenKind::PlusEquals | TokenKind::EndOfFile => None,
            TokenKind::Newline => Some(line),
            _ => Some(self.line),
        };
        Token { kind, range: range(start, self.at), line }
    }

    fn token_kind(&mut self) -> TokenKind {
        if self.is_comment() {
            let rest = &self.text[self.at..];
            self.at += rest.find('\n').unwrap_or(rest.len());
            return TokenKind::Comment;
        }
        let Some(char) = self.peek() else { return TokenKind::EndOfFile };
        match char {
            '0'..='9' | '-' => self.number(),
            '\n' => {
                self.next();
                self.line += 1;
                TokenKind::Newline
            }
            '"' => self.quoted(),
            '$' => self.substitution(),
            '+' => self.plus_equals(),
            ':' | ',' | '=' | '{' | '}' | '[' | ']' => {
                self.next();
                TokenKind::Sign(char)
            }
            _ if RESERVED.contains(char) => {
                self.next();
                let why = format!("Reserved character '{char}' is not allowed outside quotes");
                problem(char, why)
            }
            _ => self.plain_text(),
        }
    }

    /// `true`, `null` and `false` end an unquoted text at once: `trueish` is two tokens.
    fn plain_text(&mut self) -> TokenKind {
        let start = self.at;
        while let Some(char) = self.peek() {
            if RESERVED.contains(char) || char.is_whitespace() || self.is_comment() {
                break;
            }
            self.next();
            match &self.text[start..self.at] {
                "true" => return TokenKind::Value(Scalar::Boolean(true)),
                "false" => return TokenKind::Value(Scalar::Boolean(false)),
                "null" => return TokenKind::Value(Scalar::Null),
                _ => {}
            }
        }
        TokenKind::Text(self.text[start..self.at].into())
    }

    fn number(&mut self) -> TokenKind {
        let start = self.at;
        self.next();
        while self.peek().is_some_and(|c| "0123456789eE+-.".contains(c)) {
            self.next();
        }
        let text = &self.text[start..self.at];
        match ruby_number(text) {
            Some(Ok(value)) => {
                TokenKind::Value(Scalar::Number { value: value.into(), text: text.into() })
            }
            Some(Err(message)) => TokenKind::Crash(message),
            None if text.contains('+') => {
                // The missing space is the gem's.
                problem('+', "Reserved character '+'is not allowed outside quotes".to_owned())
            }
            None => TokenKind::Text(text.into()),
        }
    }

    fn plus_equals(&mut self) -> TokenKind {
        self.next();
        match self.next() {
            Some('=') => TokenKind::PlusEquals,
            other => {
                let other = name_of(other);
                let why = format!("'+' not followed by =, '{other}' not allowed after '+'");
                problem(other, why)
            }
        }
    }

    fn substitution(&mut self) -> TokenKind {
        self.next();
        match self.next() {
            Some('{') => {}
            other => {
                let other = name_of(other);
                let why = format!("'$' not followed by {{, '{other}' not allowed after '$'");
                return problem(other, why);
            }
        }
        let is_optional = self.peek() == Some('?');
        if is_optional {
            self.next();
        }
        let mut blanks = Blanks::default();
        let mut expression = Vec::new();
        self.depth += 1;
        if self.depth > MAX_HOCON_NESTING {
            return TokenKind::Crash(TOO_DEEP.to_owned());
        }
        loop {
            let token = self.next_token(&mut blanks);
            match &token.kind {
                TokenKind::Sign('}') => break,
                TokenKind::EndOfFile => {
                    let why = "Substitution ${ was not closed with a }".to_owned();
                    return problem("end of file", why);
                }
                TokenKind::Problem { .. } | TokenKind::Crash(_) => return token.kind,
                _ => {
                    expression.extend(blanks.before(&token, self.text, self.line));
                    expression.push(token);
                }
            }
        }
        self.depth -= 1;
        TokenKind::Substitution { is_optional, expression }
    }

    fn quoted(&mut self) -> TokenKind {
        self.next();
        let mut text = String::new();
        loop {
            match self.next() {
                None => {
                    let why = "End of input but string quote was still open".to_owned();
                    return problem("-1", why);
                }
                Some('"') => break,
                Some('\\') => {
                    if let Err(problem) = self.escape(&mut text) {
                        return problem;
                    }
                }
                Some(char) if char.is_control() => {
                    let why = format!(
                        "JSON does not allow unescaped {char} in quoted strings, use a backslash escape"
                    );
                    return problem(char, why);
                }
                Some(char) => text.push(char),
            }
        }
        if text.is_empty() && self.peek() == Some('"') {
            self.next();
            return self.triple_quoted();
        }
        TokenKind::Value(Scalar::quoted(text))
    }

    /// Ends at the last three of a run of quotes, so the text itself can end with quotes.
    fn triple_quoted(&mut self) -> TokenKind {
        let start = self.at;
        let mut quotes = 0;
        loop {
            match self.peek() {
                Some('"') => quotes += 1,
                _ if quotes >= 3 => break,
                None => {
                    let why = "End of input but triple-quoted string was still open".to_owned();
                    return problem("-1", why);
                }
                Some(char) => {
                    quotes = 0;
                    self.line += u32::from(char == '\n');
                }
            }
            self.next();
        }
        TokenKind::Value(Scalar::quoted(self.text[start..self.at - 3].to_owned()))
    }

    fn escape(&mut self, text: &mut String) -> Result<(), TokenKind> {
        let plain = match self.next() {
            None => {
                let why = "End of input but backslash in string had nothing after it".to_owned();
                return Err(problem("", why));
            }
            Some(char @ ('"' | '\\' | '/')) => char,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => return self.unicode_escape(text),
            Some(other) => {
                // The gem wants to report the escape, but calls a method that strings do not have.
                return Err(TokenKind::Crash(format!(
                    "undefined method `line_number' for {:?}:String",
                    other.to_string()
                )));
            }
        };
        text.push(plain);
        Ok(())
    }

    /// The gem reads the digits as Ruby's `String#hex` does, and refuses an underscore.
    fn unicode_escape(&mut self, text: &mut String) -> Result<(), TokenKind> {
        let mut digits = String::new();
        for _ in 0..4 {
            let Some(char) = self.next() else {
                let why = "End of input but expecting 4 hex digits for \\uXXXX escape".to_owned();
                return Err(problem("-1", why));
            };
            digits.push(char);
        }
        let Some(code) = ruby_hex(&digits) else {
            return Err(TokenKind::Crash(OUT_OF_RANGE.to_owned()));
        };
        if code == u32::from('_') {
            let why = format!("Malformed hex digits after \\u escape in string: '{digits}'");
            return Err(problem(digits, why));
        }
        text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        Ok(())
    }
}

/// Ruby's `String#hex`: blanks, a sign and `0x` may come first, and single underscores between digits. Anything else ends the
/// number. `None` if it is negative, because there is no such character.
fn ruby_hex(text: &str) -> Option<u32> {
    let text = text.trim_start_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']);
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = unsigned.strip_prefix("0x").or(unsigned.strip_prefix("0X")).unwrap_or(unsigned);
    let mut code = 0;
    let mut may_be_underscore = false;
    for char in digits.chars() {
        match char.to_digit(16) {
            Some(digit) => code = code * 16 + digit,
            None if char == '_' && may_be_underscore => {}
            None => break,
        }
        may_be_underscore = char != '_';
    }
    (code == 0 || !text.starts_with('-')).then_some(code)
}

fn problem(what: impl Into<String>, why: String) -> TokenKind {
    TokenKind::Problem { what: what.into(), why }
}

/// The character as messages name it; the gem's end of input is -1.
fn name_of(char: Option<char>) -> String {
    char.map_or("-1".to_owned(), String::from)
}

fn range(start: usize, end: usize) -> TextRange {
    let offset = |at: usize| u32::try_from(at).expect("texts are smaller than 4 GiB");
    TextRange::new(offset(start), offset(end))
}

/// The result of Ruby's `Integer()` and `Float()` for a text of digits, signs, dots and `e`, in JSON's spelling: a leading
/// zero means octal, and a whole float is an integer. `Err` is Ruby's message for a number that is too large.
fn ruby_number(text: &str) -> Option<Result<String, String>> {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    if !text.contains(['.', 'e', 'E']) {
        let radix = if digits.len() > 1 && digits.starts_with('0') { 8 } else { 10 };
        if radix == 10 && digits != "0" && digits.bytes().all(|b| b.is_ascii_digit()) {
            // A decimal number keeps its spelling, however long it is.
            return (!digits.is_empty()).then(|| Ok(text.to_owned()));
        }
        let value = num_bigint::BigUint::parse_bytes(digits.as_bytes(), radix)?;
        let sign = if value == num_bigint::BigUint::ZERO { "" } else { sign };
        return digits.bytes().all(|b| b.is_ascii_digit()).then(|| Ok(format!("{sign}{value}")));
    }
    if !is_ruby_float(digits) {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    if value.is_infinite() {
        return Some(Err(format!("{sign}Infinity")));
    }
    if value.fract() == 0.0 {
        let whole = format!("{value:.0}");
        return Some(Ok(if whole == "-0" { "0".to_owned() } else { whole }));
    }
    Some(Ok(small_float_to_s(value)))
}

/// Ruby writes `1.0e-07` where Rust writes `1e-7`. A float with a fraction is never large.
fn small_float_to_s(value: f64) -> String {
    if value.abs() >= 1e-4 {
        return format!("{value:?}");
    }
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once("e-").unwrap_or((&text, "0"));
    let point = if mantissa.contains('.') { "" } else { ".0" };
    format!("{mantissa}{point}e-{exponent:0>2}")
}

/// Requires digits on both sides of the dot (those before it are optional), and digits after `e`.
fn is_ruby_float(unsigned: &str) -> bool {
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_mantissa = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole.is_empty() || is_digits(whole)) && is_digits(fraction),
        None => is_digits(mantissa),
    };
    is_mantissa && exponent.is_none_or(|it| is_digits(it.strip_prefix(['+', '-']).unwrap_or(it)))
}
