//! Conditionals, lambdas, and the values of templates.

use super::checks::Owner;
use super::statements::Place;
use super::{Parser, TokenScope};
use crate::syntax::puppet::condition::{Condition, Guard, Operator};
use crate::syntax::puppet::expression::{Expression, Shape};
use crate::syntax::puppet::form::Form;
use crate::syntax::puppet::model::{Assigned, Lambda, Parameter};
use crate::syntax::puppet::token::Kind;

impl Parser<'_> {
    /// `if`, `unless` or `case`.
    pub(super) fn conditional(&mut self) -> Expression {
        let keyword = self.next();
        let condition = self.expression();
        self.check_value(&condition);
        let is_idle = condition.is_idle();
        let condition = condition.into_condition();
        let around = self.guards.len();
        let (label, are_blocks_idle) = match keyword.kind {
            Kind::Case => ("'case' statement", self.case_options(&condition)),
            Kind::Unless => ("'unless' Statement", self.branches(condition, false)),
            _ => ("'if' statement", self.branches(condition, true)),
        };
        self.guards.truncate(around);
        let form = Form::Conditional { label, is_idle: is_idle && are_blocks_idle };
        self.formed_from(keyword.start, form)
    }

    /// The block of a condition, and those of `elsif` and `else`. Returns whether none of them has an effect.
    fn branches(&mut self, condition: Condition, if_it_holds: bool) -> bool {
        let mut are_idle = self.guarded_block(condition, if_it_holds, Place::Branch);
        // `unless` has no `elsif`.
        if !if_it_holds && self.kind() == Kind::Elsif {
            self.refuse_here();
        }
        while self.eat(Kind::Elsif) {
            let condition = self.expression();
            self.check_value(&condition);
            are_idle &= condition.is_idle();
            are_idle &= self.guarded_block(condition.into_condition(), true, Place::Branch);
        }
        if self.eat(Kind::Else) {
            are_idle &= self.block(Place::Branch).are_idle();
        }
        are_idle
    }

    /// A block that runs if a condition is true, or if it is false. Code after it is guarded by the opposite. Returns whether
    /// the block has no effect.
    fn guarded_block(&mut self, condition: Condition, if_it_holds: bool, place: Place) -> bool {
        self.guard(condition, if_it_holds);
        let is_idle = self.block(place).are_idle();
        if let Some(guard) = self.guards.last_mut() {
            guard.if_it_holds = !if_it_holds;
        }
        is_idle
    }

    /// From here on, code runs if a condition is true, or if it is false.
    pub(super) fn guard(&mut self, condition: Condition, if_it_holds: bool) {
        self.guards.push(Guard { condition: condition.into(), if_it_holds });
    }

    /// The options of a `case` are tried in order, but `default` is always tried last. Returns whether none has an effect.
    fn case_options(&mut self, subject: &Condition) -> bool {
        if !self.expect(Kind::LeftBrace) {
            return true;
        }
        self.open += 1;
        if self.kind() == Kind::RightBrace {
            self.refuse_here();
        }
        let (mut are_idle, mut defaults) = (true, Vec::new());
        let mut of_default = None;
        while !self.is_at_stop() && !self.kind().is_closer() {
            if let Some(first) = of_default.take() {
                self.make_unsure(first);
            }
            let before = self.at;
            let mut read = |parser: &mut Self| {
                let option = parser.expression();
                parser.check_value(&option);
                are_idle &= option.is_idle();
                if option.shape == Shape::Default {
                    defaults.push(option);
                    return None;
                }
                let option = option.into_condition();
                Some(Condition::joined(Operator::Fits, subject.clone(), option))
            };
            let mut fits = read(self);
            while self.eat(Kind::Comma) {
                let other = read(self);
                fits =
                    fits.zip(other).map(|(one, other)| Condition::joined(Operator::Or, one, other));
            }
            // These numbers tell which calls and resources the block adds.
            let found = &self.found;
            let first = [found.calls.len(), found.functions.len(), found.resources.len()];
            if self.at > before && self.expect(Kind::Colon) {
                are_idle &= match &fits {
                    Some(fits) => self.guarded_block(fits.clone(), true, Place::Block),
                    None => self.block(Place::Block).are_idle(),
                };
            } else if self.at == before {
                self.refuse();
            }
            of_default = fits.is_none().then_some(first);
        }
        self.expect(Kind::RightBrace);
        self.open -= 1;
        self.check_one_default("'case' statement", &defaults);
        are_idle
    }

    /// Code in a `default` that is followed by other options runs only if none of these matches.
    fn make_unsure(&mut self, [calls, functions, resources]: [usize; 3]) {
        let functions = self.found.functions[functions..].iter_mut().map(|it| &mut it.guards);
        let calls = self.found.calls[calls..].iter_mut().map(|it| &mut it.guards);
        let resources = self.found.resources[resources..].iter_mut().map(|it| &mut it.guards);
        calls.chain(functions).chain(resources).for_each(|it| *it = Box::new([Guard::unknown()]));
    }

    /// `|parameters| { … }`, if one starts here.
    pub(super) fn lambda(&mut self) -> Option<Lambda> {
        let first = self.at;
        let start = self.peek().start;
        if !self.eat(Kind::Pipe) {
            return None;
        }
        let is_in_default = std::mem::take(&mut self.is_in_default);
        let parameters = self.parameters(Kind::Pipe);
        self.check_parameters(Owner::Lambda, &parameters);
        let _ = self.return_type();
        self.assigned.extend(parameters.iter().map(|it| Assigned {
            name: it.name.clone(),
            position: it.name_range.start,
            is_in_lambda: true,
        }));
        // A function may call its lambda several times, or never.
        self.guards.push(Guard::unknown());
        self.lambdas += 1;
        let _ = self.block(Place::Block);
        self.lambdas -= 1;
        self.is_in_default = is_in_default;
        let is_needed = |it: &&Parameter| it.default.is_none() && !it.captures_rest;
        let first_type = parameters.first().and_then(|it| it.type_range);
        let lambda = Lambda {
            range: self.range_from(start),
            takes_one: !parameters.is_empty() && parameters.iter().filter(is_needed).count() <= 1,
            first_type: first_type.map(|range| range.slice(self.text).to_owned()),
        };
        self.scopes.push(TokenScope { first, end: self.at, declaration: None, parameters });
        self.guards.pop();
        Some(lambda)
    }

    /// The parameters of a template: `| … |` in its first tag.
    pub(super) fn template_parameters(&mut self) {
        if self.eat(Kind::Pipe) {
            let parameters = self.parameters(Kind::Pipe);
            self.check_parameters(Owner::Template, &parameters);
        }
    }

    /// `<%= … %>`
    pub(super) fn template_value(&mut self) -> Expression {
        let start = self.next().start;
        if self.kind() == Kind::LeftBrace {
            if self.ahead(1) == Kind::RightBrace {
                self.next();
                self.refuse_here();
                self.next();
            } else {
                let _ = self.block(Place::Branch);
            }
        } else {
            let value = self.expression();
            self.check_value(&value);
        }
        while !matches!(self.kind(), Kind::TemplateValueEnd | Kind::End) {
            self.refuse();
        }
        self.expect(Kind::TemplateValueEnd);
        self.formed_from(start, Form::Other)
    }
}
