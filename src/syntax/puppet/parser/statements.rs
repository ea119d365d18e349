//! Blocks of statements, and calls without parentheses, which Puppet recognises only between statements.

use super::{Lookahead, Parser};
use crate::syntax::puppet::expression::{Expression, Shape};
use crate::syntax::puppet::form::{Definition, Form};
use crate::syntax::puppet::token::{Kind, Token};
use crate::text::TextRange;

/// What a block of statements belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The file.
    TopLevel,
    /// A class.
    Class,
    /// Any other declaration, a lambda, an option of `case`, or a template.
    Block,
    /// A branch of a conditional. Puppet makes a block of it only if it has several statements.
    Branch,
}

/// The statements of a block, as far as Puppet's validator looks at them.
#[derive(Debug, Default)]
pub(super) struct Statements {
    count: usize,
    /// Whether a statement that is not the last one has an effect.
    has_effect: bool,
    /// Whether a statement without effect was reported.
    is_reported: bool,
    pub(super) last: Option<Expression>,
}

impl Statements {
    /// Whether no statement has an effect.
    pub(super) fn are_idle(&self) -> bool {
        !self.has_effect && self.last.as_ref().is_none_or(Expression::is_idle)
    }
}

/// A list that follows no function, which Puppet refuses at the end of the block.
struct List {
    comma: TextRange,
    /// The name before it, if a name is before it.
    name: Option<String>,
}

impl Parser<'_> {
    /// Reads a block in braces.
    pub(super) fn block(&mut self, place: Place) -> Statements {
        if !self.expect(Kind::LeftBrace) {
            return Statements::default();
        }
        self.open += 1;
        let found = self.statements(place);
        // A stray bracket must not end the block: what follows it still belongs to the declaration.
        while matches!(self.kind(), Kind::RightParen | Kind::RightBracket) && !self.is_at_stop() {
            self.refuse();
            let _ = self.statements(place);
        }
        self.expect(Kind::RightBrace);
        self.open -= 1;
        found
    }

    /// Reads statements up to the bracket that closes the block. `include` and similar functions take the following statement
    /// as arguments.
    pub(super) fn statements(&mut self, place: Place) -> Statements {
        let start = self.peek().start;
        let around = (self.statement_start, self.leading_definition);
        let mut found = Statements::default();
        let mut definitions = Vec::new();
        let mut refused: Option<List> = None;
        let mut is_between = false;
        while !self.is_at_stop() && !self.kind().is_closer() {
            if self.kind() == Kind::Semicolon {
                self.semicolon(is_between);
                is_between = false;
                continue;
            }
            let before = self.at;
            self.statement_start = Some(before);
            self.leading_definition = None;
            let errors = self.found.errors.len();
            let first = self.assignment();
            if self.at == before {
                let own = self.found.errors.split_off(errors.min(self.found.errors.len()));
                if let Some(list) = refused.take() {
                    // Puppet ends the block before it looks at a token that cannot go on.
                    self.refuse_list(start, &list);
                }
                self.found.errors.extend(own);
                self.refuse();
                continue;
            }
            is_between = true;
            let leading = self.leading_definition.take();
            let (list, comma) = self.further_items(first);
            let function = found.last.take_if(|it| super::is_statement_function(it));
            if let Some((definition, position)) = leading {
                let is_alone =
                    matches!(list.as_slice(), [only] if only.form == Form::Definition(definition));
                if is_alone && function.is_none() {
                    definitions.push((definition, position));
                } else {
                    self.check_place(definition, position, None);
                }
            }
            if let Some(function) = function {
                found.last = Some(self.statement_call(&function, &list));
            } else if let Some(comma) = comma {
                let name = found.last.as_ref().and_then(name_of);
                refused.get_or_insert(List { comma: comma.range(), name });
            } else {
                self.add_statement(&mut found, list);
            }
        }
        (self.statement_start, self.leading_definition) = around;
        if let Some(list) = refused {
            self.refuse_list(start, &list);
        }
        for (definition, position) in definitions {
            let is_block = place != Place::Branch || found.count > 1;
            self.check_place(definition, position, is_block.then_some(place));
        }
        found
    }

    /// A semicolon separates two statements; Puppet allows none before the first and after the last one.
    fn semicolon(&mut self, is_between: bool) {
        if !is_between {
            self.refuse_here();
        }
        self.next();
        if self.kind().is_closer() || self.kind() == Kind::End {
            self.refuse_here();
        }
    }

    /// The expressions after a statement that commas join to it, and the first comma.
    fn further_items(&mut self, first: Expression) -> (Vec<Expression>, Option<Token>) {
        let mut list = vec![first];
        let mut comma = None;
        while self.kind() == Kind::Comma && !self.is_at_stop() {
            let token = self.next();
            comma = comma.or(Some(token));
            let before = self.at;
            let item = self.assignment();
            if self.at == before {
                break;
            }
            list.push(item);
        }
        (list, comma)
    }

    fn add_statement(&mut self, found: &mut Statements, list: Vec<Expression>) {
        for statement in list {
            found.count += 1;
            let Some(previous) = found.last.replace(statement) else { continue };
            found.has_effect |= !previous.is_idle();
            if !found.is_reported && self.check_statement(&previous) {
                found.is_reported = true;
            }
        }
    }

    fn refuse_list(&mut self, start: u32, list: &List) {
        let message = match &list.name {
            Some(name) => format!(
                "attempt to pass argument list to the function '{name}' which cannot be called without parentheses"
            ),
            None => "illegal comma separated argument list".to_owned(),
        };
        self.late_error(start, Lookahead::NextToken, list.comma, &message);
    }

    /// Notes a definition that has been read, or refuses it if it is a part of an expression.
    pub(super) fn note_definition(
        &mut self,
        definition: Definition,
        position: TextRange,
        first: usize,
    ) {
        if self.statement_start == Some(first) {
            self.leading_definition = Some((definition, position));
        } else {
            self.check_place(definition, position, None);
        }
    }
}

fn name_of(expression: &Expression) -> Option<String> {
    match &expression.shape {
        Shape::Name(name) => Some(name.clone()),
        _ => None,
    }
}
