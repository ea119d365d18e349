//! The parts of expressions: strings, lists, hashes, names and other words.

use super::{LastComma, Parser};
use crate::syntax::puppet::condition::Condition;
use crate::syntax::puppet::expression::{Constant, Expression, Shape};
use crate::syntax::puppet::form::Form;
use crate::syntax::puppet::token::{Kind, Token};
use crate::text::TextRange;

/// What a list consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListKind {
    /// The items of a list.
    Items,
    /// The arguments of a call.
    Arguments,
    /// What brackets after a type or a value contain. An assignment or a resource is not allowed there.
    Keys,
}

impl Parser<'_> {
    /// The innermost part of an expression; reads nothing if none starts here.
    pub(super) fn primary(&mut self) -> Expression {
        let token = self.peek();
        match token.kind {
            Kind::StringStart => return self.interpolated().0,
            Kind::Heredoc => return self.heredoc(),
            Kind::LeftBracket | Kind::ListStart => return self.list(),
            Kind::LeftBrace | Kind::SelectorBrace => return self.hash(),
            Kind::LeftParen | Kind::LineParen => return self.parenthesised(),
            Kind::If | Kind::Unless | Kind::Case => return self.conditional(),
            Kind::TemplateValue => return self.template_value(),
            Kind::Class | Kind::Define | Kind::Function | Kind::Node | Kind::Plan
                if !self.is_at_stop() =>
            {
                return self.declaration();
            }
            Kind::Type | Kind::Apply => return self.declaration(),
            _ => {}
        }
        let Some(shape) = self.shape_of_word(token) else {
            self.refuse_here();
            let (position, range) = (token.start, token.range());
            let (shape, form) = (Shape::Other, Form::Other);
            return Expression { position, range, shape, form, query_parts: Vec::new() };
        };
        self.next();
        match token.kind {
            Kind::Variable => self.check_variable_name(token.range()),
            Kind::Private | Kind::Attr => self.check_reserved_word(token.range()),
            Kind::Regex => self.check_regex(token),
            _ => {}
        }
        self.expression_from(token.start, shape)
    }

    /// The shape of a single token.
    fn shape_of_word(&self, token: Token) -> Option<Shape> {
        Some(match token.kind {
            Kind::String | Kind::Word => Shape::Text(self.text_of(token)),
            Kind::Name => Shape::Name(self.text_of(token)),
            Kind::TypeName => Shape::Type(self.text_of(token)),
            Kind::Number => Shape::Number(self.text_of(token)),
            Kind::Regex => Shape::Regex(self.text_of(token)),
            Kind::Variable => {
                let name = self.text_of(token);
                Shape::Variable(name.trim_start_matches('$').to_owned())
            }
            Kind::True => Shape::Boolean(true),
            Kind::False => Shape::Boolean(false),
            Kind::Undef => Shape::Undef,
            Kind::Default => Shape::Default,
            Kind::Private | Kind::Attr | Kind::TemplateText => Shape::Other,
            _ => return None,
        })
    }

    /// `"… ${…} …"`, or the text of a heredoc with interpolations; and the position of the first interpolated expression.
    pub(super) fn interpolated(&mut self) -> (Expression, TextRange) {
        let first = self.next();
        let mut first_value = None;
        let mut parts = vec![Some(self.text_of(first))];
        let mut values = vec![Condition::constant(Constant::Text(self.text_of(first)))];
        loop {
            let value = self.assignment();
            self.check_value(&value);
            first_value.get_or_insert_with(|| value.reported_range());
            values.push(value.into_condition());
            parts.push(None);
            self.skip_to_string_part();
            if self.kind() == Kind::End {
                break;
            }
            let part = self.next();
            parts.push(Some(self.text_of(part)));
            values.push(Condition::constant(Constant::Text(self.text_of(part))));
            if part.kind == Kind::StringEnd {
                break;
            }
        }
        let shape = Shape::Interpolated(parts, Condition::text(values));
        (self.expression_from(first.start, shape), first_value.unwrap_or_else(|| first.range()))
    }

    /// Puppet's position is that of the tag, not that of the text.
    fn heredoc(&mut self) -> Expression {
        let tag = self.next();
        let text = match self.kind() {
            Kind::StringStart => self.interpolated().0.shape,
            _ => Shape::Text(self.text_of(self.peek())),
        };
        if self.kind() == Kind::String && matches!(text, Shape::Text(_)) {
            self.next();
        }
        let (position, range) = (tag.start, tag.range());
        let form = Form::Heredoc;
        Expression { position, range, shape: text, form, query_parts: Vec::new() }
    }

    fn list(&mut self) -> Expression {
        let start = self.next().start;
        let items = self.arguments(Kind::RightBracket, ListKind::Items, LastComma::Allowed);
        for item in &items {
            self.check_value(item);
        }
        self.expression_from(start, Shape::List(items))
    }

    fn hash(&mut self) -> Expression {
        let start = self.next().start;
        let mut pairs = Vec::new();
        self.items(Kind::RightBrace, LastComma::Allowed, |parser| {
            let before = parser.at;
            let key = parser.entry(true);
            if parser.at > before && parser.expect(Kind::FatArrow) {
                let value = parser.entry(true);
                parser.check_value(&key);
                parser.check_value(&value);
                pairs.push((key, value));
            }
        });
        self.expression_from(start, Shape::Hash(pairs))
    }

    fn parenthesised(&mut self) -> Expression {
        let start = self.next().start;
        self.open += 1;
        let mut inner = self.assignment();
        while !self.eat(Kind::RightParen) {
            if self.is_at_stop() || self.kind().is_closer() {
                self.refuse_here();
                break;
            }
            self.refuse();
        }
        self.open -= 1;
        self.check_value(&inner);
        let form = Form::Parenthesised { is_idle: inner.is_idle() };
        let query_parts = self.take_query_parts(&mut inner);
        let shape = Shape::Condition(inner.into_condition());
        Expression { form, query_parts, ..self.expression_from(start, shape) }
    }

    /// Arguments or items up to `close`. Consecutive pairs (`a => 1, b => 2`) form one hash.
    pub(super) fn arguments(
        &mut self,
        close: Kind,
        kind: ListKind,
        last_comma: LastComma,
    ) -> Vec<Expression> {
        let mut list: Vec<Expression> = Vec::new();
        let mut has_open_pairs = false;
        self.items(close, last_comma, |parser| {
            let key = parser.entry(kind == ListKind::Items);
            let arrow = parser.peek();
            if arrow.kind != Kind::FatArrow {
                if kind == ListKind::Keys && is_statement(&key) {
                    parser.refuse_here();
                }
                list.push(key);
                has_open_pairs = false;
                return;
            }
            parser.next();
            let start = key.range.start;
            let value = parser.entry(true);
            parser.check_value(&key);
            parser.check_value(&value);
            let end = parser.range_from(start).end;
            match list.last_mut() {
                Some(Expression { shape: Shape::Hash(pairs), range, .. }) if has_open_pairs => {
                    pairs.push((key, value));
                    range.end = end;
                }
                _ => {
                    let mut hash = parser.expression_from(start, Shape::Hash(vec![(key, value)]));
                    hash.position = arrow.start;
                    list.push(hash);
                }
            }
            has_open_pairs = true;
        });
        list
    }

    /// An item of a list, a key or a value; `type` and `function` are words as keys, and elsewhere if `are_words`.
    fn entry(&mut self, are_words: bool) -> Expression {
        let is_word = matches!(self.kind(), Kind::Type | Kind::Function)
            && (self.ahead(1) == Kind::FatArrow
                || are_words && (self.ahead(1) == Kind::Comma || self.ahead(1).is_closer()));
        if !is_word {
            return self.assignment();
        }
        let token = self.next();
        self.expression_from(token.start, Shape::Text(self.text_of(token)))
    }
}

/// Whether it is more than an expression in Puppet's grammar.
fn is_statement(expression: &Expression) -> bool {
    matches!(
        expression.form,
        Form::Assignment(_)
            | Form::Relationship(_)
            | Form::Resource
            | Form::ResourceDefaults
            | Form::ResourceOverride
            | Form::ResourceWithoutTitle
            | Form::CallWithHash
    )
}
