//! Expressions, as far as declarations and calls need them: constants are kept, everything else is only known to exist.

use super::condition::Condition;
use super::form::Form;
use super::model::ArgumentKind;
use crate::text::TextRange;

/// An expression that was read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Expression {
    /// The position that Puppet reports: the operator of an operation, otherwise the first token.
    pub(super) position: u32,
    /// From its first to its last token.
    pub(super) range: TextRange,
    pub(super) shape: Shape,
    /// What it is in Puppet's model, if the shape does not say so.
    pub(super) form: Form,
    /// In the query of a collector: what `and`, `or` and parentheses join, without nesting.
    pub(super) query_parts: Vec<Expression>,
}

/// The kind of an [`Expression`].
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// A string or a word without interpolation.
    Text(String),
    /// The texts of a string, with `None` for each interpolation between them.
    Interpolated(Vec<Option<String>>, Condition),
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
    /// `…[keys]`, with the name if a type is before the bracket, and the value before it as far as it can decide something.
    Access {
        type_name: Option<String>,
        keys: Vec<Expression>,
        member: Condition,
    },
    /// Without `$`.
    Variable(String),
    Call,
    /// Operators with their operands.
    Condition(Condition),
    Other,
}

/// A constant value in code.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// A hash, in source order.
    Hash(Vec<(Constant, Constant)>),
}

/// An argument of a lookup, as far as it is constant.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// From its first to its last token. For a heredoc, this is its `@(…)`.
    pub range: TextRange,
    /// The content.
    pub shape: WrittenShape,
}

/// The content of a [`Written`].
#[derive(Debug, Clone, PartialEq)]
pub enum WrittenShape {
    /// A constant that is neither a list nor a hash.
    Constant(Constant),
    /// A list.
    List(Vec<Written>),
    /// A hash, in source order.
    Hash(Vec<(Written, Written)>),
    /// A type, with arguments or without.
    Type,
    /// An expression that would have to be evaluated.
    Unknown,
}

impl Written {
    /// Its value, if all of it is constant.
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
    /// The expression as far as it is constant.
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

    /// Its value, if it is constant.
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
            Shape::Interpolated(..)
            | Shape::Negative(None)
            | Shape::Type(_)
            | Shape::Access { .. }
            | Shape::Variable(_)
            | Shape::Condition(_)
            | Shape::Call
            | Shape::Other => return None,
        })
    }

    /// The expression as far as it can decide whether code runs.
    pub(super) fn into_condition(self) -> Condition {
        if let Some(constant) = self.constant() {
            return Condition::constant(constant);
        }
        match self.shape {
            Shape::Variable(name) => Condition::Variable(name),
            Shape::Access { type_name: None, member, .. } => member,
            Shape::Condition(condition) | Shape::Interpolated(_, condition) => condition,
            _ => Condition::Unknown,
        }
    }

    /// What Puppet reports: from its position to its end.
    pub(super) fn reported_range(&self) -> TextRange {
        TextRange::new(self.position, self.range.end.max(self.position))
    }

    /// Its text, if it is a constant string.
    pub(super) fn constant_text(&self) -> Option<&str> {
        match &self.shape {
            Shape::Text(text) | Shape::Name(text) => Some(text),
            _ => None,
        }
    }

    /// The parts of a string with interpolations, without empty parts.
    pub(super) fn pattern(&self) -> Option<Vec<Option<String>>> {
        let Shape::Interpolated(parts, _) = &self.shape else { return None };
        Some(parts.iter().filter(|it| it.as_deref() != Some("")).cloned().collect())
    }

    pub(super) fn argument_kind(&self) -> ArgumentKind {
        match &self.shape {
            Shape::Text(_) | Shape::Name(_) => ArgumentKind::String,
            Shape::Interpolated(..) => ArgumentKind::Interpolated,
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
