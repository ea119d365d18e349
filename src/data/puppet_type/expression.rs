//! Parses type expressions as people write them, such as `Hash[String, Optional[Integer[0, 10]]]`, and files that define an
//! alias.
//!
//! Their meaning is determined in other modules, because Puppet interprets them in two ways.

use std::sync::Arc;

use super::aliases::AliasFile;
use super::expression_tokens::Cursor;
use super::interpret::TypeProblem;

/// Deeper expressions are not parsed.
const MAX_DEPTH: usize = 200;

/// Longer texts are not parsed.
const MAX_LENGTH: usize = 1 << 20;

/// A part of a type expression.
#[derive(Debug, Clone)]
pub(super) struct Expression {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Undef,
    Default,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    /// A string or a bare word.
    Text(Arc<str>),
    Regexp(Arc<str>),
    List(Vec<Expression>),
    Hash(Vec<(Expression, Expression)>),
    /// `Stdlib::Port`, without a leading `::`.
    Reference(Arc<str>),
    /// `T[…]`
    Access(Box<Expression>, Vec<Expression>),
    Negative(Box<Expression>),
    Parenthesized(Box<Expression>),
    /// Several expressions in sequence, or none.
    Block,
}

/// The content of an alias file.
pub(super) struct Definition {
    pub(super) name: Arc<str>,
    pub(super) body: Expression,
}

pub(super) type Parsed<T> = Result<T, TypeProblem>;

/// Parses the whole text as one expression.
pub(super) fn expression(text: &str) -> Parsed<Expression> {
    let mut parser = Parser::of(text)?;
    parser.cursor.skip_blanks();
    let start = parser.cursor.offset;
    if parser.cursor.is_at_end() {
        return Ok(Expression { kind: Kind::Block, start, end: start });
    }
    let expression = parser.expression()?;
    parser.cursor.skip_blanks();
    match parser.cursor.peek() {
        None => Ok(expression),
        // Another expression may start with these characters. Puppet then parses a block, and refuses it only when it runs.
        Some('A'..='Z' | 'a'..='z' | '0'..='9' | '$' | '\'' | '"' | '[') => {
            Ok(Expression { kind: Kind::Block, start, end: text.trim_end().len() })
        }
        Some(_) => Err(parser.cursor.syntax_error()),
    }
}

/// The definition in a file that has to define `expected`: `type Stdlib::Port = Integer[0, 65535]`.
pub(super) fn definition(file: &AliasFile, expected: &str) -> Parsed<Definition> {
    let mut parser = Parser::of(&file.text)?;
    parser.cursor.skip_blanks();
    let path = &file.path;
    if !parser.cursor.eat_word("type") {
        let is_empty = parser.cursor.is_at_end();
        let what = if is_empty { "it is empty" } else { "no type alias or type definition found" };
        let message =
            format!("The code loaded from {path} does not define the type '{expected}' - {what}.");
        return Err(TypeProblem::Invalid(message));
    }
    let definition = parser.definition().map_err(|problem| problem.in_file(path))?;
    if !parser.cursor.is_at_end() {
        let message = format!(
            "The code loaded from {path} must contain only the type '{expected}' - it has additional definitions."
        );
        return Err(TypeProblem::Invalid(message));
    }
    Ok(definition)
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn of(text: &'a str) -> Parsed<Self> {
        if text.len() > MAX_LENGTH {
            return Err(TypeProblem::Unknown("the type is too long to be read".to_owned()));
        }
        Ok(Self { cursor: Cursor::of(text), depth: 0 })
    }

    /// Parses what follows `type`.
    fn definition(&mut self) -> Parsed<Definition> {
        self.cursor.skip_blanks();
        let name = self.cursor.reference()?;
        self.cursor.skip_blanks();
        if !self.cursor.eat("=") {
            return Err(self.cursor.syntax_error());
        }
        self.cursor.skip_blanks();
        let body = self.expression()?;
        self.cursor.skip_blanks();
        Ok(Definition { name, body })
    }

    fn expression(&mut self) -> Parsed<Expression> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(TypeProblem::Unknown("the type is nested too deeply".to_owned()));
        }
        let start = self.cursor.offset;
        let kind = self.kind()?;
        let mut expression = Expression { kind, start, end: self.cursor.offset };
        // A bracket after a space would start a list.
        while self.cursor.peek() == Some('[')
            && matches!(expression.kind, Kind::Reference(_) | Kind::Access(..))
        {
            let keys = self.items('[', ']', false)?;
            let kind = Kind::Access(Box::new(expression), keys);
            expression = Expression { kind, start, end: self.cursor.offset };
        }
        self.depth -= 1;
        Ok(expression)
    }

    fn kind(&mut self) -> Parsed<Kind> {
        match self.cursor.peek() {
            Some('A'..='Z' | ':') => self.cursor.reference().map(Kind::Reference),
            Some('0'..='9') => self.cursor.number(),
            Some('a'..='z' | '_') => self.cursor.word(),
            Some('\'') => self.cursor.single_quoted().map(Kind::Text),
            Some('"') => self.cursor.double_quoted().map(Kind::Text),
            Some('/') => self.cursor.regexp().map(Kind::Regexp),
            Some('[') => self.items('[', ']', true).map(Kind::List),
            Some('{') => self.hash(),
            Some('-') => {
                self.cursor.advance(1);
                self.cursor.skip_blanks();
                self.expression().map(|it| Kind::Negative(Box::new(it)))
            }
            Some('(') => {
                self.cursor.advance(1);
                self.cursor.skip_blanks();
                let inner = self.expression()?;
                self.cursor.skip_blanks();
                self.cursor.expect(")")?;
                Ok(Kind::Parenthesized(Box::new(inner)))
            }
            Some('$' | '@' | '!' | '*') => Err(self.cursor.not_literal()),
            _ => Err(self.cursor.syntax_error()),
        }
    }

    /// The items of a list, or of `T[…]`. As in Puppet, successive pairs without braces are one hash.
    fn items(&mut self, open: char, close: char, may_be_empty: bool) -> Parsed<Vec<Expression>> {
        self.cursor.advance(open.len_utf8());
        let mut items = Vec::new();
        let mut is_after_pair = false;
        loop {
            self.cursor.skip_blanks();
            // `Array[]` is a syntax error, but a list may be empty. Both may end with a comma.
            if self.cursor.peek() == Some(close) && (may_be_empty || !items.is_empty()) {
                break;
            }
            let item = self.expression()?;
            self.cursor.skip_blanks();
            if self.cursor.starts_with("=>") {
                let start = item.start;
                let pair = (item, self.value_of_pair()?);
                let end = self.cursor.offset;
                match items.last_mut() {
                    Some(Expression { kind: Kind::Hash(members), end: last, .. })
                        if is_after_pair =>
                    {
                        members.push(pair);
                        *last = end;
                    }
                    _ => items.push(Expression { kind: Kind::Hash(vec![pair]), start, end }),
                }
                is_after_pair = true;
            } else {
                items.push(item);
                is_after_pair = false;
            }
            self.cursor.skip_blanks();
            if !self.cursor.eat(",") {
                break;
            }
        }
        self.cursor.expect(close.encode_utf8(&mut [0; 4]))?;
        Ok(items)
    }

    /// What follows the key of a pair: `=>` and a value.
    fn value_of_pair(&mut self) -> Parsed<Expression> {
        self.cursor.expect("=>")?;
        self.cursor.skip_blanks();
        self.expression()
    }

    fn hash(&mut self) -> Parsed<Kind> {
        self.cursor.advance(1);
        let mut members = Vec::new();
        loop {
            self.cursor.skip_blanks();
            if self.cursor.peek() == Some('}') {
                break;
            }
            let key = self.expression()?;
            self.cursor.skip_blanks();
            members.push((key, self.value_of_pair()?));
            self.cursor.skip_blanks();
            if !self.cursor.eat(",") {
                break;
            }
        }
        self.cursor.expect("}")?;
        Ok(Kind::Hash(members))
    }
}
