//! Expressions, as far as declarations and calls need them: what is written out is kept, everything else is just there.

use super::condition::Condition;
use super::model::ArgumentKind;
use crate::text::TextRange;

/// An expression that was read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Expression {
    /// Where Puppet says that it is: the operator of an operation, else its first token.
    pub(super) position: u32,
    /// From its first to its last token.
    pub(super) range: TextRange,
    pub(super) shape: Shape,
}

/// What an [`Expression`] is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// A string or a word without interpolation.
    Text(String),
    /// The texts between interpolations, and `None` for each of these.
    Interpolated(Vec<Option<String>>),
    Name(String),
    /// As it is written.
    Number(String),
    /// `-` before a number; `None` before anything else.
    Negative(Option<String>),
    Boolean(bool),
    Undef,
    Default,
    /// Without slashes.
    Regex(String),
    List(Vec<Expression>),
    Hash(Vec<(Expression, Expression)>),
    Type(String),
    /// `…[keys]`; the name if a type stands before it, and what stands there as far as it can decide something.
    Access {
        type_name: Option<String>,
        keys: Vec<Expression>,
        member: Condition,
    },
    /// Without `$`.
    Variable(String),
    Call,
    /// Operators, with what they join.
    Condition(Condition),
    Other,
}

/// A value that is written out in code.
#[derive(Debug, Clone, PartialEq)]
pub enum Constant {
    /// `undef`
    Undef,
    /// `default`
    Default,
    /// `true` or `false`
    Boolean(bool),
    /// A number as it is written, with its sign.
    Number(String),
    /// A string, a bare word, a heredoc.
    Text(String),
    /// A regular expression, without its slashes.
    Regex(String),
    /// A list.
    List(Vec<Constant>),
    /// A hash, in the order of the text.
    Hash(Vec<(Constant, Constant)>),
}

/// An argument of a lookup, as far as it is written out.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// From its first to its last token. Of a heredoc that is its `@(…)`.
    pub range: TextRange,
    /// What is written.
    pub shape: WrittenShape,
}

/// What a [`Written`] is.
#[derive(Debug, Clone, PartialEq)]
pub enum WrittenShape {
    /// A value that is no list and no hash.
    Constant(Constant),
    /// A list.
    List(Vec<Written>),
    /// A hash, in the order of the text.
    Hash(Vec<(Written, Written)>),
    /// A type, with arguments or without.
    Type,
    /// What only an evaluation can tell.
    Unknown,
}

impl Written {
    /// Its value, if all of it is written out.
    pub fn constant(&self) -> Option<Constant> {
        match &self.shape {
            WrittenShape::Constant(constant) => Some(constant.clone()),
            WrittenShape::List(items) => {
                Some(Constant::List(items.iter().map(Self::constant).collect::<Option<_>>()?))
            }
            WrittenShape::Hash(pairs) => {
                let pairs =
                    pairs.iter().map(|(key, value)| Some((key.constant()?, value.constant()?)));
                Some(Constant::Hash(pairs.collect::<Option<_>>()?))
            }
            WrittenShape::Type | WrittenShape::Unknown => None,
        }
    }

    /// Its text, if it is a constant string.
    pub fn text(&self) -> Option<&str> {
        match &self.shape {
            WrittenShape::Constant(Constant::Text(text)) => Some(text),
            _ => None,
        }
    }
}

impl Expression {
    /// It as far as it is written out.
    pub(super) fn written(&self) -> Written {
        let shape = match &self.shape {
            Shape::List(items) => WrittenShape::List(items.iter().map(Self::written).collect()),
            Shape::Hash(pairs) => {
                let pairs = pairs.iter().map(|(key, value)| (key.written(), value.written()));
                WrittenShape::Hash(pairs.collect())
            }
            Shape::Type(_) | Shape::Access { type_name: Some(_), .. } => WrittenShape::Type,
            _ => self.constant().map_or(WrittenShape::Unknown, WrittenShape::Constant),
        };
        Written { range: self.range, shape }
    }

    /// Its value, if it is written out.
    pub(super) fn constant(&self) -> Option<Constant> {
        Some(match &self.shape {
            Shape::Text(text) | Shape::Name(text) => Constant::Text(text.clone()),
            Shape::Number(number) => Constant::Number(number.clone()),
            Shape::Negative(Some(number)) => Constant::Number(format!("-{number}")),
            Shape::Boolean(value) => Constant::Boolean(*value),
            Shape::Undef => Constant::Undef,
            Shape::Default => Constant::Default,
            Shape::Regex(source) => Constant::Regex(source.clone()),
            Shape::List(items) => {
                Constant::List(items.iter().map(Self::constant).collect::<Option<_>>()?)
            }
            Shape::Hash(pairs) => {
                let pairs =
                    pairs.iter().map(|(key, value)| Some((key.constant()?, value.constant()?)));
                Constant::Hash(pairs.collect::<Option<_>>()?)
            }
            Shape::Interpolated(_)
            | Shape::Negative(None)
            | Shape::Type(_)
            | Shape::Access { .. }
            | Shape::Variable(_)
            | Shape::Condition(_)
            | Shape::Call
            | Shape::Other => return None,
        })
    }

    /// It as far as it can decide whether code runs.
    pub(super) fn into_condition(self) -> Condition {
        if let Some(constant) = self.constant() {
            return Condition::constant(constant);
        }
        match self.shape {
            Shape::Variable(name) => Condition::Variable(name),
            Shape::Access { type_name: None, member, .. } => member,
            Shape::Condition(condition) => condition,
            _ => Condition::Unknown,
        }
    }

    /// Its text, if it is a constant string.
    pub(super) fn constant_text(&self) -> Option<&str> {
        match &self.shape {
            Shape::Text(text) | Shape::Name(text) => Some(text),
            _ => None,
        }
    }

    /// The parts of a string with interpolations, without empty ones.
    pub(super) fn pattern(&self) -> Option<Vec<Option<String>>> {
        let Shape::Interpolated(parts) = &self.shape else { return None };
        Some(parts.iter().filter(|it| it.as_deref() != Some("")).cloned().collect())
    }

    pub(super) fn argument_kind(&self) -> ArgumentKind {
        match &self.shape {
            Shape::Text(_) | Shape::Name(_) => ArgumentKind::String,
            Shape::Interpolated(_) => ArgumentKind::Interpolated,
            Shape::Number(_) | Shape::Negative(_) => ArgumentKind::Number,
            Shape::Boolean(_) => ArgumentKind::Boolean,
            Shape::Undef => ArgumentKind::Undef,
            Shape::Default => ArgumentKind::Default,
            Shape::Regex(_) => ArgumentKind::Regexp,
            Shape::List(_) => ArgumentKind::Array,
            Shape::Hash(_) => ArgumentKind::Hash,
            Shape::Type(_) | Shape::Access { type_name: Some(_), .. } => ArgumentKind::Type,
            Shape::Variable(_) => ArgumentKind::Variable,
            Shape::Call => ArgumentKind::Call,
            Shape::Access { type_name: None, .. } | Shape::Condition(_) | Shape::Other => {
                ArgumentKind::Expression
            }
        }
    }
}
