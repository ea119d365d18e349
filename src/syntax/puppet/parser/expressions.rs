//! Expressions by the precedence of their operators.

use super::literals::ListKind;
use super::{LastComma, Parser};
use crate::syntax::puppet::condition::{Condition, Guard, Operator};
use crate::syntax::puppet::expression::{Expression, Shape};
use crate::syntax::puppet::form::Form;
use crate::syntax::puppet::token::Kind;

/// The precedence of `?`.
const SELECTOR: u8 = 3;
const NEGATION: u8 = 11;
const SPLAT: u8 = 12;
const NOT: u8 = 13;

/// The precedence of a binary operator.
fn tightness(kind: Kind) -> Option<u8> {
    Some(match kind {
        Kind::Or => 1,
        Kind::And => 2,
        Kind::Greater | Kind::GreaterEqual | Kind::Less | Kind::LessEqual => 4,
        Kind::Equal | Kind::NotEqual => 5,
        Kind::ShiftLeft | Kind::ShiftRight => 6,
        Kind::Plus | Kind::Minus => 7,
        Kind::Times | Kind::Divide | Kind::Modulo => 8,
        Kind::Match | Kind::NoMatch => 9,
        Kind::In => 10,
        _ => return None,
    })
}

/// The operator, if conditions support it.
fn operator_of(kind: Kind) -> Option<Operator> {
    Some(match kind {
        Kind::And => Operator::And,
        Kind::Or => Operator::Or,
        Kind::Equal => Operator::Equal,
        Kind::NotEqual => Operator::NotEqual,
        Kind::Less => Operator::Less,
        Kind::LessEqual => Operator::LessEqual,
        Kind::Greater => Operator::Greater,
        Kind::GreaterEqual => Operator::GreaterEqual,
        Kind::In => Operator::In,
        Kind::Match => Operator::Match,
        Kind::NoMatch => Operator::NoMatch,
        _ => return None,
    })
}

impl Parser<'_> {
    /// An expression, a resource, a chain of them, or an assignment.
    pub(super) fn assignment(&mut self) -> Expression {
        let first = self.relationship();
        if !matches!(self.kind(), Kind::Assign | Kind::AssignMore) {
            return first;
        }
        let (start, operator) = (first.range.start, self.peek().range());
        let mut last = first;
        // `$a = $b = 1` assigns to both.
        while matches!(self.kind(), Kind::Assign | Kind::AssignMore) {
            let operator = self.next();
            self.note_assigned(&last);
            self.check_assignment_operator(operator.range());
            self.check_assignment_place(operator.range());
            if operator.kind == Kind::Assign {
                self.check_assigned(&last);
            }
            last = self.relationship();
        }
        self.check_value(&last);
        let whole = self.formed_from(start, Form::Assignment(operator));
        Expression { position: operator.start, ..whole }
    }

    fn relationship(&mut self) -> Expression {
        let mut left = self.resource();
        while self.kind() == Kind::Edge {
            let operator = self.next();
            let start = left.range.start;
            let _ = self.resource();
            left = self.formed_from(start, Form::Relationship(operator.range()));
            left.position = operator.start;
        }
        left
    }

    /// An expression without assignment and resources; reads nothing if no expression starts here.
    pub(super) fn expression(&mut self) -> Expression {
        self.expression_of(0)
    }

    /// An expression whose operators have at least the precedence `least`.
    fn expression_of(&mut self, least: u8) -> Expression {
        self.deeper(|parser| {
            let before = parser.at;
            let mut left = parser.prefixed();
            if parser.at == before {
                return left;
            }
            loop {
                left = match parser.kind() {
                    Kind::LeftParen => parser.call(&left),
                    Kind::Dot => parser.method_call(left),
                    Kind::LeftBracket => parser.access(left),
                    Kind::CollectorStart => parser.collector(&left),
                    Kind::Question if least <= SELECTOR => parser.selector(&left),
                    kind => match tightness(kind).filter(|it| *it >= least) {
                        Some(tightness) => parser.operation(left, tightness),
                        None => return left,
                    },
                };
            }
        })
    }

    fn operation(&mut self, mut left: Expression, tightness: u8) -> Expression {
        let operator = self.next();
        let start = left.range.start;
        self.check_value(&left);
        let is_logical = matches!(operator.kind, Kind::And | Kind::Or);
        let mut query_parts =
            if is_logical { self.take_query_parts(&mut left) } else { Vec::new() };
        let left = left.into_condition();
        let around = self.guards.len();
        if is_logical {
            // The right side of `and` runs only if the left side is true, and that of `or` only if it is false.
            self.guard(left.clone(), operator.kind == Kind::And);
        }
        // Operators of the same precedence group from left to right, so the right side only takes tighter ones.
        let mut right = self.expression_of(tightness + 1);
        self.guards.truncate(around);
        self.check_value(&right);
        if is_logical {
            query_parts.append(&mut self.take_query_parts(&mut right));
        }
        let right = right.into_condition();
        let form = match operator.kind {
            Kind::Match | Kind::NoMatch => Form::Match(operator.range()),
            _ => Form::Operation(operator.range()),
        };
        let shape = match operator_of(operator.kind) {
            Some(operator) => Shape::Condition(Condition::joined(operator, left, right)),
            None => Shape::Other,
        };
        let whole = self.expression_from(start, shape);
        Expression { position: operator.start, form, query_parts, ..whole }
    }

    /// What `and`, `or` or parentheses around `inner` join in the query of a collector.
    pub(super) fn take_query_parts(&self, inner: &mut Expression) -> Vec<Expression> {
        if self.queries == 0 {
            return Vec::new();
        }
        let parts = std::mem::take(&mut inner.query_parts);
        if parts.is_empty() { vec![inner.clone()] } else { parts }
    }

    fn prefixed(&mut self) -> Expression {
        let tightness = match self.kind() {
            Kind::Not => NOT,
            Kind::Minus => NEGATION,
            Kind::Times => SPLAT,
            _ => return self.primary(),
        };
        let operator = self.next();
        let operand = self.expression_of(tightness);
        self.check_value(&operand);
        let form = match operator.kind {
            Kind::Not => Form::Not,
            Kind::Times => Form::Unfold,
            _ => Form::Plain,
        };
        let shape = match (operator.kind, operand.shape) {
            (Kind::Minus, Shape::Number(number)) => Shape::Negative(Some(number)),
            (Kind::Minus, _) => Shape::Negative(None),
            (Kind::Not, shape) => {
                Shape::Condition(Expression { shape, ..operand }.into_condition().negated())
            }
            _ => Shape::Other,
        };
        Expression { form, ..self.expression_from(operator.start, shape) }
    }

    /// What follows the `[` of `Type[…]` or `$hash[…]`, up to its `]`. Puppet refuses empty brackets there.
    pub(super) fn keys_in_brackets(&mut self, last_comma: LastComma) -> Vec<Expression> {
        let keys = self.arguments(Kind::RightBracket, ListKind::Keys, last_comma);
        let ends_here = self.text[..self.last_end as usize].ends_with(']');
        if keys.is_empty() && ends_here {
            self.error(self.range_from(self.last_end.saturating_sub(1)), "Syntax error at ']'");
        }
        keys
    }

    fn access(&mut self, left: Expression) -> Expression {
        self.next();
        let keys = self.keys_in_brackets(LastComma::Allowed);
        let (start, position) = (left.range.start, left.position);
        let type_name = match &left.shape {
            Shape::Type(name) => Some(name.clone()),
            _ => None,
        };
        let member = match keys.as_slice() {
            [key] if !matches!(key.shape, Shape::List(_) | Shape::Hash(_)) => {
                let key = key.constant().map_or(Condition::Unknown, Condition::constant);
                Condition::member(left.into_condition(), key)
            }
            _ => Condition::Unknown,
        };
        let access = self.expression_from(start, Shape::Access { type_name, keys, member });
        Expression { position, ..access }
    }

    fn selector(&mut self, left: &Expression) -> Expression {
        self.next();
        // Puppet evaluates one of the values, and it is not known here which one.
        self.guards.push(Guard::unknown());
        self.check_value(left);
        let mut options = Vec::new();
        if self.eat(Kind::SelectorBrace) {
            if self.kind() == Kind::RightBrace {
                self.refuse_here();
            }
            self.items(Kind::RightBrace, LastComma::Allowed, |parser| {
                options.push(parser.selector_entry());
            });
        } else {
            let _ = self.selector_entry();
        }
        self.check_one_default("Selector Expression", &options);
        self.guards.pop();
        let whole = self.formed_from(left.range.start, Form::Selector);
        Expression { position: left.position, ..whole }
    }

    /// Returns what is compared.
    fn selector_entry(&mut self) -> Expression {
        let option = self.expression();
        self.check_value(&option);
        if self.expect(Kind::FatArrow) {
            let _ = self.expression();
        }
        option
    }

    /// A collector `<| … |>`, optionally with attributes to override.
    fn collector(&mut self, left: &Expression) -> Expression {
        let opener = self.next().range();
        let is_exported = opener.len() == 3;
        if self.kind() != Kind::CollectorEnd {
            self.queries += 1;
            let query = self.expression();
            self.queries -= 1;
            self.check_query(&query);
        }
        // `<|` ends with `|>`, and `<<|` with `|>>`.
        if self.kind() == Kind::CollectorEnd && self.peek().range().len() != opener.len() {
            self.refuse_here();
        }
        self.expect(Kind::CollectorEnd);
        if self.eat(Kind::LeftBrace) {
            self.open += 1;
            let _ = self.attributes();
            self.expect(Kind::RightBrace);
            self.open -= 1;
        }
        let query = if is_exported { "Exported Query" } else { "Virtual Query" };
        self.check_collected_type(left, query);
        let whole = self.formed_from(left.range.start, Form::Collector { is_exported });
        Expression { position: left.position, ..whole }
    }
}
