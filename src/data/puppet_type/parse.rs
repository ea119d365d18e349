//! Type expressions as people write them: `Hash[String, Optional[Integer[0, 10]]]`.

use std::sync::Arc;

use super::build::{invalid_specification, named_type, parameterized};
use super::{IntegerRange, Type};

/// Types nested deeper than this are not read.
const MAX_DEPTH: usize = 100;

/// Why a type expression gave no type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeProblem {
    /// Puppet refuses, with this message.
    Invalid(String),
    /// We cannot tell what Puppet would do, e.g. because the type is defined in Puppet code.
    Unknown(String),
}

/// The type that a text means.
///
/// # Errors
/// Puppet's message where we know it, and otherwise that we do not.
pub fn parse(text: &str) -> Result<Type, TypeProblem> {
    // Puppet has this one in a table of frequent types, though its parser would refuse it.
    if text == "Array[1]" {
        return Ok(Type::Array(
            Box::new(Type::Any),
            Some(IntegerRange { from: Some(1), to: None }),
        ));
    }
    let mut parser = Parser { rest: text, whole: text, depth: 0 };
    parser.skip_blanks();
    let argument = parser.argument()?;
    parser.skip_blanks();
    if !parser.rest.is_empty() {
        return Err(parser.unknown());
    }
    match argument {
        Argument::Type(it) => Ok(it),
        _ => Err(invalid_specification(text.trim())),
    }
}

/// What stands between the brackets of a type.
#[derive(Debug, Clone)]
pub(super) enum Argument {
    Type(Type),
    Integer(i128),
    Float(f64),
    Text(Arc<str>),
    Regexp(Arc<str>),
    Boolean(bool),
    Default,
    Undef,
    Hash(Vec<(Argument, Argument)>),
}

struct Parser<'a> {
    rest: &'a str,
    whole: &'a str,
    depth: usize,
}

pub(super) type Parsed<T> = Result<T, TypeProblem>;

impl<'a> Parser<'a> {
    fn unknown(&self) -> TypeProblem {
        TypeProblem::Unknown(format!("cannot read the type '{}'", self.whole))
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip_blanks();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|it| !is_part(it)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn argument(&mut self) -> Parsed<Argument> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.unknown());
        }
        self.skip_blanks();
        let argument = match self.rest.chars().next() {
            Some('A'..='Z' | ':') => self.type_expression(),
            Some('0'..='9' | '-') => self.number(),
            Some('a'..='z' | '_') => self.word(),
            Some('\'') => self.single_quoted(),
            Some('"') => self.double_quoted(),
            Some('/') => self.regexp(),
            Some('{') => self.hash(),
            _ => Err(self.unknown()),
        };
        self.depth -= 1;
        argument
    }

    fn type_expression(&mut self) -> Parsed<Argument> {
        let start = self.rest;
        let name = self.take_while(|it| it.is_ascii_alphanumeric() || it == '_' || it == ':');
        let is_name = name
            .trim_start_matches("::")
            .split("::")
            .all(|it| it.starts_with(|it: char| it.is_ascii_uppercase()));
        if !is_name || name.split("::").any(|it| it.contains(':')) {
            return Err(self.unknown());
        }
        let arguments =
            if self.rest.starts_with('[') { Some(self.arguments("[", "]")?) } else { None };
        let text = &start[..start.len() - self.rest.len()];
        match arguments {
            None => named_type(name),
            Some(arguments) => parameterized(name, &arguments, text),
        }
        .map(Argument::Type)
    }

    fn arguments(&mut self, open: &str, close: &str) -> Parsed<Vec<Argument>> {
        let mut arguments = Vec::new();
        if !self.eat(open) {
            return Err(self.unknown());
        }
        loop {
            if !arguments.is_empty() && self.eat(close) {
                return Ok(arguments);
            }
            arguments.push(self.argument()?);
            if self.eat(close) {
                return Ok(arguments);
            }
            if !self.eat(",") {
                return Err(self.unknown());
            }
        }
    }

    fn hash(&mut self) -> Parsed<Argument> {
        let mut members = Vec::new();
        if !self.eat("{") {
            return Err(self.unknown());
        }
        loop {
            if self.eat("}") {
                return Ok(Argument::Hash(members));
            }
            let key = self.argument()?;
            if !self.eat("=>") {
                return Err(self.unknown());
            }
            members.push((key, self.argument()?));
            if !self.eat(",") {
                return if self.eat("}") {
                    Ok(Argument::Hash(members))
                } else {
                    Err(self.unknown())
                };
            }
        }
    }

    fn number(&mut self) -> Parsed<Argument> {
        let is_negative = self.eat("-");
        self.skip_blanks();
        let text =
            self.take_while(|it| it.is_ascii_alphanumeric() || it == '.' || it == '_').to_owned();
        let text = text.as_str();
        let exponent_sign =
            (text.ends_with(['e', 'E']) && !text.starts_with("0x")) && self.eat("-");
        if exponent_sign || text.contains('_') {
            return Err(self.unknown());
        }
        let radix = |digits: &str, radix| i128::from_str_radix(digits, radix).ok();
        let integer = if let Some(digits) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
            radix(digits, 16)
        } else if text.len() > 1 && text.starts_with('0') && !text.contains('.') {
            radix(&text[1..], 8)
        } else {
            text.parse().ok()
        };
        let sign = if is_negative { -1 } else { 1 };
        match integer {
            Some(it) if i64::try_from(it).is_ok() => Ok(Argument::Integer(it * sign)),
            Some(_) => Err(self.unknown()),
            None => match text.parse::<f64>() {
                Ok(it) if text.starts_with(|it: char| it.is_ascii_digit()) => {
                    Ok(Argument::Float(if is_negative { -it } else { it }))
                }
                _ => Err(self.unknown()),
            },
        }
    }

    fn word(&mut self) -> Parsed<Argument> {
        let word =
            self.take_while(|it| it.is_ascii_alphanumeric() || matches!(it, '_' | ':' | '-'));
        match word {
            "true" => Ok(Argument::Boolean(true)),
            "false" => Ok(Argument::Boolean(false)),
            "default" => Ok(Argument::Default),
            "undef" => Ok(Argument::Undef),
            "and" | "or" | "in" | "if" | "case" | "class" | "define" | "node" | "type"
            | "function" | "unless" | "else" | "elsif" | "import" | "inherits" | "private"
            | "attr" | "plan" | "application" | "consumes" | "produces" | "site" | "apply" => {
                Err(self.unknown())
            }
            _ if self.rest.starts_with(['(', '[']) || word.contains(':') || word.ends_with('-') => {
                Err(self.unknown())
            }
            _ => Ok(Argument::Text(word.into())),
        }
    }

    fn single_quoted(&mut self) -> Parsed<Argument> {
        let mut text = String::new();
        let mut characters = self.rest[1..].char_indices();
        while let Some((index, character)) = characters.next() {
            match character {
                '\'' => {
                    self.rest = &self.rest[index + 2..];
                    return Ok(Argument::Text(text.into()));
                }
                '\\' => match characters.next() {
                    Some((_, it @ ('\'' | '\\'))) => text.push(it),
                    Some((_, it)) => text.extend(['\\', it]),
                    None => break,
                },
                it => text.push(it),
            }
        }
        Err(self.unknown())
    }

    fn double_quoted(&mut self) -> Parsed<Argument> {
        let end = self.rest[1..].find('"').ok_or_else(|| self.unknown())?;
        let text = &self.rest[1..=end];
        if text.contains(['$', '\\']) {
            return Err(self.unknown());
        }
        self.rest = &self.rest[end + 2..];
        Ok(Argument::Text(text.into()))
    }

    fn regexp(&mut self) -> Parsed<Argument> {
        let mut source = String::new();
        let mut characters = self.rest[1..].char_indices();
        while let Some((index, character)) = characters.next() {
            match character {
                '/' => {
                    self.rest = &self.rest[index + 2..];
                    return Ok(Argument::Regexp(source.into()));
                }
                '\\' => match characters.next() {
                    Some((_, '/')) => source.push('/'),
                    Some((_, it)) => source.extend(['\\', it]),
                    None => break,
                },
                '\n' => break,
                it => source.push(it),
            }
        }
        Err(self.unknown())
    }
}
