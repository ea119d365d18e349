//! Converts tokens to the document as written: fields, lists, pieces of values. Nothing is merged or resolved here.

use super::Failure;
use super::path::{Element, TOO_DEEP, parse_path};
use super::token::{Token, TokenKind};
use crate::limits::MAX_HOCON_NESTING;
use crate::text::TextRange;

/// One part of an object or a list, in source order.
#[derive(Debug)]
pub(super) enum Item {
    Newline,
    Comment,
    Field(Field),
    /// `include`, with the word before its parenthesis if there is one.
    Include {
        kind: Option<String>,
        range: TextRange,
    },
    /// An item of a list.
    Value(Written),
}

/// `path separator value`.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) path: Vec<Element>,
    pub(super) is_plus_equals: bool,
    pub(super) value: Written,
}

/// A value as written.
#[derive(Debug)]
pub(super) enum Written {
    Simple(Token),
    Object(Vec<Item>, TextRange),
    List(Vec<Item>, TextRange),
    /// Several values next to each other on one line.
    Pieces(Vec<Written>),
}

/// The document's object or list, and the line breaks before it.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) newlines_before: u32,
    pub(super) root: Written,
}

/// Reads a whole document.
pub(super) fn parse(text: &str, tokens: Vec<Token>) -> Result<Document, Failure> {
    let mut parser = Parser { text, tokens, at: 0, put_back: Vec::new(), line: 1, depth: 0 };
    parser.refuse_crash_ahead()?;
    parser.document()
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    put_back: Vec<Token>,
    line: u32,
    depth: usize,
}

impl Parser<'_> {
    fn document(&mut self) -> Result<Document, Failure> {
        let mut items = Vec::new();
        let token = self.next_collecting(&mut items)?;
        let newlines_before =
            items.iter().map(|it| u32::from(matches!(it, Item::Newline))).sum::<u32>();
        let root = if token.is('{') || token.is('[') {
            let root = self.value(token)?;
            let token = self.next_collecting(&mut items)?;
            if !matches!(token.kind, TokenKind::EndOfFile) {
                let what = token.describe(self.text);
                let message =
                    format!("Document has trailing tokens after first object or array: {what}");
                return Err(self.error(message, &token));
            }
            root
        } else {
            self.put_back.push(token);
            let end = u32::try_from(self.text.len()).expect("texts are smaller than 4 GiB");
            Written::Object(self.object(false)?, TextRange::new(0, end))
        };
        Ok(Document { newlines_before, root })
    }

    /// The gem reads one token ahead, so it crashes on a token that it cannot represent before it gets there.
    fn refuse_crash_ahead(&self) -> Result<(), Failure> {
        match self.tokens.get(self.at) {
            Some(Token { kind: TokenKind::Crash(message), range, .. }) => {
                Err(Failure::bare(message.clone(), *range))
            }
            _ => Ok(()),
        }
    }

    fn next(&mut self) -> Result<Token, Failure> {
        if let Some(token) = self.put_back.pop() {
            return Ok(token);
        }
        let token = self.tokens.get(self.at).or(self.tokens.last()).cloned();
        let token = token.expect("the last token stands for the end");
        self.at += 1;
        self.refuse_crash_ahead()?;
        Ok(token)
    }

    /// The next significant token; line breaks and comments before it are collected.
    fn next_collecting(&mut self, items: &mut Vec<Item>) -> Result<Token, Failure> {
        loop {
            let token = self.next()?;
            match token.kind {
                TokenKind::Newline => {
                    self.line = token.line.unwrap_or(self.line) + 1;
                    items.push(Item::Newline);
                }
                TokenKind::Blanks => {}
                TokenKind::Comment => items.push(Item::Comment),
                _ if token.is_blank_text() => {}
                _ => {
                    self.line = token.line.unwrap_or(self.line);
                    return Ok(token);
                }
            }
        }
    }

    /// Whether a comma or a line break follows.
    fn separator(&mut self, items: &mut Vec<Item>) -> Result<bool, Failure> {
        let mut is_separated = false;
        loop {
            let token = self.next()?;
            match token.kind {
                TokenKind::Blanks => {}
                TokenKind::Comment => items.push(Item::Comment),
                TokenKind::Newline => {
                    is_separated = true;
                    self.line += 1;
                    items.push(Item::Newline);
                }
                TokenKind::Sign(',') => return Ok(true),
                _ if token.is_blank_text() => {}
                _ => {
                    self.put_back.push(token);
                    return Ok(is_separated);
                }
            }
        }
    }

    /// All values up to the end of the line, as one value. `None` if no value starts here.
    fn joined_values(&mut self, items: &mut Vec<Item>) -> Result<Option<Written>, Failure> {
        let mut values = Vec::new();
        let mut blanks = None;
        let mut token = self.next_collecting(items)?;
        loop {
            if matches!(token.kind, TokenKind::Blanks) {
                blanks = Some(token);
            } else if token.is_simple() || token.is('{') || token.is('[') {
                blanks = None;
                values.push(self.value(token)?);
            } else {
                break;
            }
            token = self.next()?;
        }
        self.put_back.push(token);
        // Tokens are taken from the end of `put_back`, so the spaces, which come first in the text, are added last.
        self.put_back.extend(blanks);
        Ok(if values.len() < 2 { values.pop() } else { Some(Written::Pieces(values)) })
    }

    fn value(&mut self, token: Token) -> Result<Written, Failure> {
        self.depth += 1;
        if self.depth > MAX_HOCON_NESTING {
            return Err(self.error(TOO_DEEP, &token));
        }
        let start = token.range.start;
        let value = if token.is_simple() {
            Written::Simple(token)
        } else if token.is('{') {
            let items = self.object(true)?;
            Written::Object(items, TextRange::new(start, self.end_of_last()))
        } else if token.is('[') {
            let items = self.list()?;
            Written::List(items, TextRange::new(start, self.end_of_last()))
        } else {
            let what = token.describe(self.text);
            let message = format!("Expecting a value but got wrong token: {what}");
            return Err(self.error_with_quotes(&token, &message));
        };
        self.depth -= 1;
        Ok(value)
    }

    /// Where the last token, a closing bracket, ended.
    fn end_of_last(&self) -> u32 {
        self.tokens.get(self.at.saturating_sub(1)).map_or(0, |token| token.range.end)
    }

    fn object(&mut self, has_brace: bool) -> Result<Vec<Item>, Failure> {
        let mut items = Vec::new();
        loop {
            let token = self.next_collecting(&mut items)?;
            if token.is('}') {
                if !has_brace {
                    return Err(self.unbalanced_brace(&token));
                }
                return Ok(items);
            } else if matches!(token.kind, TokenKind::EndOfFile) && !has_brace {
                self.put_back.push(token);
                return Ok(items);
            } else if matches!(&token.kind, TokenKind::Text(text) if &**text == "include") {
                // Only the word without quotes includes a file. `"include"` is an ordinary key.
                let include = self.include(&token)?;
                items.push(include);
            } else {
                let field = self.field(token)?;
                items.push(Item::Field(field));
            }
            if self.separator(&mut items)? {
                continue;
            }
            let token = self.next_collecting(&mut items)?;
            if token.is('}') {
                if !has_brace {
                    return Err(self.unbalanced_brace(&token));
                }
                return Ok(items);
            } else if has_brace || !matches!(token.kind, TokenKind::EndOfFile) {
                let what = token.describe(self.text);
                let message = format!("Expecting close brace }} or a comma, got {what}");
                return Err(self.error_with_quotes(&token, &message));
            }
            self.put_back.push(token);
            return Ok(items);
        }
    }

    fn unbalanced_brace(&self, token: &Token) -> Failure {
        self.error_with_quotes(token, "unbalanced close brace '}' with no open brace")
    }

    fn field(&mut self, first: Token) -> Result<Field, Failure> {
        let mut expression = Vec::new();
        let mut token = first;
        while matches!(token.kind, TokenKind::Value(_) | TokenKind::Text(_)) {
            expression.push(token);
            token = self.next()?;
        }
        let (Some(first), Some(last)) = (expression.first(), expression.last()) else {
            let what = token.describe(self.text);
            let message = format!("expecting a close brace or a field name here, got {what}");
            return Err(self.error(message, &token));
        };
        let range = TextRange::new(first.range.start, last.range.end);
        self.put_back.push(token);
        let path =
            parse_path(&expression, self.text).map_err(|message| Failure::bare(message, range))?;
        // Each further element of the path nests one object deeper.
        let outer_depth = self.depth;
        self.depth += path.len() - 1;
        let (is_plus_equals, value) = self.field_value(range)?;
        self.depth = outer_depth;
        Ok(Field { path, is_plus_equals, value })
    }

    /// What follows the path at `range`: whether it is appended to the earlier value (`+=`), and the value.
    fn field_value(&mut self, range: TextRange) -> Result<(bool, Written), Failure> {
        let mut ignored = Vec::new();
        let after = self.next_collecting(&mut ignored)?;
        if after.is('{') {
            return Ok((false, self.value(after)?));
        }
        let is_plus_equals = matches!(after.kind, TokenKind::PlusEquals);
        if !(after.is(':') || after.is('=') || is_plus_equals) {
            let (key, what) = (range.slice(self.text), after.describe(self.text));
            let message = format!("Key '{key}' may not be followed by token: {what}");
            return Err(self.error_with_quotes(&after, &message));
        }
        let value = if let Some(value) = self.joined_values(&mut ignored)? {
            value
        } else {
            let token = self.next_collecting(&mut ignored)?;
            self.value(token)?
        };
        Ok((is_plus_equals, value))
    }

    fn include(&mut self, keyword: &Token) -> Result<Item, Failure> {
        let mut ignored = Vec::new();
        let token = self.next_collecting(&mut ignored)?;
        let is_quoted =
            |token: &Token| matches!(&token.kind, TokenKind::Value(it) if it.is_quoted());
        let item = |kind, end: &Token| Item::Include {
            kind,
            range: TextRange::new(keyword.range.start, end.range.end),
        };
        let what = token.describe(self.text);
        if is_quoted(&token) {
            return Ok(item(None, &token));
        }
        let TokenKind::Text(kind) = &token.kind else {
            let message =
                format!("include keyword is not followed by a quoted string, but by: {what}");
            return Err(self.error(message, &token));
        };
        let Some(kind @ ("url" | "file" | "classpath")) = kind.strip_suffix('(') else {
            let message = format!(
                "expecting include parameter to be quoted filename, file(), classpath(), or url(). \
                 No spaces are allowed before the open paren. Not expecting: {what}"
            );
            return Err(self.error(message, &token));
        };
        let name = self.next_collecting(&mut ignored)?;
        if !is_quoted(&name) {
            let what = name.describe(self.text);
            let message = format!(
                "expecting a quoted string inside file(), classpath(), or url(), rather than: {what}"
            );
            return Err(self.error(message, &name));
        }
        let close = self.next_collecting(&mut ignored)?;
        if !matches!(&close.kind, TokenKind::Text(text) if &**text == ")") {
            let what = close.describe(self.text);
            let message = format!("expecting a close parentheses ')' here, not: {what}");
            return Err(self.error(message, &close));
        }
        Ok(item(Some(kind.to_owned()), &close))
    }

    fn list(&mut self) -> Result<Vec<Item>, Failure> {
        let mut items = Vec::new();
        if let Some(value) = self.joined_values(&mut items)? {
            items.push(Item::Value(value));
        } else {
            let token = self.next_collecting(&mut items)?;
            if token.is(']') {
                return Ok(items);
            }
            let what = token.describe(self.text);
            let message = format!(
                "List should have ] or a first element after the open [, instead had token: \
                 {what} (if you want {what} to be part of a string value, then double-quote it)"
            );
            return Err(self.error(message, &token));
        }
        loop {
            if !self.separator(&mut items)? {
                let token = self.next_collecting(&mut items)?;
                if token.is(']') {
                    return Ok(items);
                }
                let what = token.describe(self.text);
                let message = format!(
                    "List should have ended with ] or had a comma, instead had token: {what} \
                     (if you want {what} to be part of a string value, then double-quote it)"
                );
                return Err(self.error(message, &token));
            }
            if let Some(value) = self.joined_values(&mut items)? {
                items.push(Item::Value(value));
                continue;
            }
            let token = self.next_collecting(&mut items)?;
            if !token.is(']') {
                let what = token.describe(self.text);
                let message = format!(
                    "List should have had new element after a comma, instead had token: {what} \
                     (if you want the comma or {what} to be part of a string value, \
                     then double-quote it)"
                );
                return Err(self.error(message, &token));
            }
            self.put_back.push(token);
        }
    }

    fn error(&self, message: impl AsRef<str>, token: &Token) -> Failure {
        Failure::at_line(self.line, message, token.range)
    }

    /// The gem's advice, with the bracket that the gem never closes.
    fn error_with_quotes(&self, token: &Token, message: &str) -> Failure {
        let what = token.describe(self.text);
        if matches!(token.kind, TokenKind::EndOfFile) {
            return self.error(message, token);
        }
        let advice = format!(
            "{message} (if you intended {what} to be part of a key or string value, \
             try enclosing the key or value in double quotes"
        );
        self.error(advice, token)
    }
}
