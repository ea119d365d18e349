//! What decides whether code runs, as far as variables and what is written out say it. Nothing is decided here.

use std::sync::Arc;

use super::expression::Constant;

/// A condition that is made of more parts is not kept: conditions are copied.
const MAX_PARTS: usize = 256;

/// Longer texts, and lists with more items, are not kept.
const MAX_TEXT: usize = 256;
const MAX_ITEMS: usize = 64;

/// A call with more of them around keeps none: whether it runs is not known.
const MAX_GUARDS: usize = 32;

/// An expression that decides whether code runs or which class is meant, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// A value that is written out.
    Constant(Constant),
    /// A variable, without `$`.
    Variable(String),
    /// What stands in a list or hash at a place: `$facts['os']`.
    Member(Box<Condition>, Box<Condition>),
    /// A string with interpolations: its texts and what is between them.
    Text(Vec<Condition>),
    /// `!`
    Not(Box<Condition>),
    /// What an operator makes of two.
    Operation(Operator, Box<Condition>, Box<Condition>),
    /// Only an evaluation can tell.
    Unknown,
}

/// What joins two expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `and`
    And,
    /// `or`
    Or,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `in`
    In,
    /// `=~`
    Match,
    /// `!~`
    NoMatch,
    /// Whether the right is an option of `case` that fits the left.
    Fits,
}

/// A condition that must hold, or must not, for code to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    /// The condition.
    pub condition: Arc<Condition>,
    /// Whether the code runs if it holds; else it runs if it does not.
    pub if_it_holds: bool,
}

impl Condition {
    /// A value that is written out, if it is short.
    pub(super) fn constant(value: Constant) -> Self {
        let is_short = match &value {
            Constant::List(items) => items.len() <= MAX_ITEMS && items.iter().all(is_short_scalar),
            value => is_short_scalar(value),
        };
        if is_short { Self::Constant(value) } else { Self::Unknown }
    }

    /// Two that an operator joins.
    pub(super) fn joined(operator: Operator, left: Self, right: Self) -> Self {
        Self::Operation(operator, Box::new(left), Box::new(right)).unless_too_large()
    }

    /// A member of a list or hash.
    pub(super) fn member(of: Self, key: Self) -> Self {
        Self::Member(Box::new(of), Box::new(key)).unless_too_large()
    }

    /// A string of these parts.
    pub(super) fn text(parts: Vec<Self>) -> Self {
        Self::Text(parts).unless_too_large()
    }

    /// What holds if this one does not.
    pub(super) fn negated(self) -> Self {
        Self::Not(Box::new(self)).unless_too_large()
    }

    fn unless_too_large(self) -> Self {
        if self.parts() > MAX_PARTS { Self::Unknown } else { self }
    }

    fn parts(&self) -> usize {
        match self {
            Self::Constant(_) | Self::Variable(_) | Self::Unknown => 1,
            Self::Not(inner) => 1 + inner.parts(),
            Self::Text(parts) => 1 + parts.iter().map(Self::parts).sum::<usize>(),
            Self::Member(left, right) | Self::Operation(_, left, right) => {
                1 + left.parts() + right.parts()
            }
        }
    }
}

fn is_short_scalar(value: &Constant) -> bool {
    match value {
        Constant::Text(text) | Constant::Number(text) | Constant::Regex(text) => {
            text.len() <= MAX_TEXT
        }
        Constant::Undef | Constant::Default | Constant::Boolean(_) => true,
        Constant::List(_) | Constant::Hash(_) => false,
    }
}

impl Guard {
    /// A guard that cannot be decided.
    pub(super) fn unknown() -> Self {
        Self { condition: Arc::new(Condition::Unknown), if_it_holds: true }
    }
}

/// The guards around a call, as they are kept.
pub(super) fn kept(around: &[Guard], may_have_ended: bool) -> Box<[Guard]> {
    if may_have_ended || around.len() > MAX_GUARDS {
        return Box::new([Guard::unknown()]);
    }
    around.into()
}
