//! The conditions that decide whether code runs, as far as they consist of variables and constants. Nothing is evaluated
//! here.

use std::sync::Arc;

use super::expression::Constant;

/// Conditions with more parts are not kept, because conditions are copied.
const MAX_PARTS: usize = 256;

/// Longer strings, and lists with more items, are not kept.
const MAX_TEXT: usize = 256;
const MAX_ITEMS: usize = 64;

/// A call with more guards around it keeps none: it is not known whether it runs.
const MAX_GUARDS: usize = 32;

/// An expression that decides whether code runs or which class is meant, or a part of such an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// A constant.
    Constant(Constant),
    /// A variable, without `$`.
    Variable(String),
    /// A member of a list or hash: `$facts['os']`.
    Member(Box<Condition>, Box<Condition>),
    /// A string with interpolations: its texts and the expressions between them.
    Text(Vec<Condition>),
    /// `!`
    Not(Box<Condition>),
    /// An operator and its two operands.
    Operation(Operator, Box<Condition>, Box<Condition>),
    /// An expression that would have to be evaluated.
    Unknown,
}

/// A binary operator.
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
    /// Whether the right side is an option of `case` that matches the left side.
    Fits,
}

/// A condition that must be true, or false, for code to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    /// The condition.
    pub condition: Arc<Condition>,
    /// Whether the code runs if the condition is true; otherwise it runs if the condition is false.
    pub if_it_holds: bool,
}

impl Condition {
    /// A constant, if it is short.
    pub(super) fn constant(value: Constant) -> Self {
        let is_short = match &value {
            Constant::List(items) => items.len() <= MAX_ITEMS && items.iter().all(is_short_scalar),
            value => is_short_scalar(value),
        };
        if is_short { Self::Constant(value) } else { Self::Unknown }
    }

    /// Two conditions joined by an operator.
    pub(super) fn joined(operator: Operator, left: Self, right: Self) -> Self {
        Self::Operation(operator, Box::new(left), Box::new(right)).unless_too_large()
    }

    /// A member of a list or hash.
    pub(super) fn member(of: Self, key: Self) -> Self {
        Self::Member(Box::new(of), Box::new(key)).unless_too_large()
    }

    /// A string with these parts.
    pub(super) fn text(parts: Vec<Self>) -> Self {
        Self::Text(parts).unless_too_large()
    }

    /// The negation of this condition.
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
    /// A guard that cannot be evaluated.
    pub fn unknown() -> Self {
        Self { condition: Arc::new(Condition::Unknown), if_it_holds: true }
    }
}

/// The guards around a call, in the form in which they are kept.
pub(super) fn kept(around: &[Guard], may_have_ended: bool) -> Box<[Guard]> {
    if may_have_ended || around.len() > MAX_GUARDS {
        return Box::new([Guard::unknown()]);
    }
    around.into()
}
