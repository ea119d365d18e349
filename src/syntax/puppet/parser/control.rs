//! Conditionals, lambdas, and the values of templates.

use super::{Parser, TokenScope};
use crate::syntax::puppet::condition::{Condition, Guard, Operator};
use crate::syntax::puppet::expression::{Expression, Shape};
use crate::syntax::puppet::token::Kind;

impl Parser<'_> {
    /// `if`, `unless` or `case`.
    pub(super) fn conditional(&mut self) -> Expression {
        let keyword = self.next();
        let condition = self.expression().into_condition();
        let around = self.guards.len();
        if keyword.kind == Kind::Case {
            self.case_options(&condition);
        } else {
            self.branches(condition, keyword.kind != Kind::Unless);
        }
        self.guards.truncate(around);
        self.expression_from(keyword.start, Shape::Other)
    }

    /// The block of a condition, and those of `elsif` and `else`.
    fn branches(&mut self, condition: Condition, if_it_holds: bool) {
        self.guarded_block(condition, if_it_holds);
        while self.eat(Kind::Elsif) {
            let condition = self.expression().into_condition();
            self.guarded_block(condition, true);
        }
        if self.eat(Kind::Else) {
            self.block();
        }
    }

    /// A block that runs if a condition is true, or if it is false. Code after it is guarded by the opposite.
    fn guarded_block(&mut self, condition: Condition, if_it_holds: bool) {
        self.guard(condition, if_it_holds);
        self.block();
        if let Some(guard) = self.guards.last_mut() {
            guard.if_it_holds = !if_it_holds;
        }
    }

    /// From here on, code runs if a condition is true, or if it is false.
    pub(super) fn guard(&mut self, condition: Condition, if_it_holds: bool) {
        self.guards.push(Guard { condition: condition.into(), if_it_holds });
    }

    /// The options of a `case` are tried in order, but `default` is always tried last.
    fn case_options(&mut self, subject: &Condition) {
        if !self.expect(Kind::LeftBrace) {
            return;
        }
        self.open += 1;
        let mut of_default = None;
        while !self.is_at_stop() && !self.kind().is_closer() {
            if let Some(first) = of_default.take() {
                self.make_unsure(first);
            }
            let before = self.at;
            let mut fits = self.case_option(subject);
            while self.eat(Kind::Comma) {
                let other = self.case_option(subject);
                fits =
                    fits.zip(other).map(|(one, other)| Condition::joined(Operator::Or, one, other));
            }
            // These numbers tell which calls and resources the block adds.
            let first = (self.found.calls.len(), self.found.resources.len());
            if self.at > before && self.expect(Kind::Colon) {
                match &fits {
                    Some(fits) => self.guarded_block(fits.clone(), true),
                    None => self.block(),
                }
            } else if self.at == before {
                self.refuse();
            }
            of_default = fits.is_none().then_some(first);
        }
        self.expect(Kind::RightBrace);
        self.open -= 1;
    }

    /// Whether an option matches; `None` for `default`.
    fn case_option(&mut self, subject: &Condition) -> Option<Condition> {
        let is_default = self.kind() == Kind::Default;
        let option = self.expression().into_condition();
        (!is_default).then(|| Condition::joined(Operator::Fits, subject.clone(), option))
    }

    /// Code in a `default` that is followed by other options runs only if none of these matches.
    fn make_unsure(&mut self, (calls, resources): (usize, usize)) {
        let calls = self.found.calls[calls..].iter_mut().map(|it| &mut it.guards);
        let resources = self.found.resources[resources..].iter_mut().map(|it| &mut it.guards);
        calls.chain(resources).for_each(|it| *it = Box::new([Guard::unknown()]));
    }

    /// `|parameters| { … }`, if one starts here.
    pub(super) fn lambda(&mut self) -> bool {
        let first = self.at;
        if !self.eat(Kind::Pipe) {
            return false;
        }
        let parameters = self.parameters(Kind::Pipe);
        let _ = self.return_type();
        self.assigned.extend(parameters.iter().map(|it| it.name.clone()));
        // A function may call its lambda several times, or never.
        self.guards.push(Guard::unknown());
        self.block();
        self.scopes.push(TokenScope { first, end: self.at, declaration: None, parameters });
        self.guards.pop();
        true
    }

    /// The parameters of a template: `| … |` in its first tag.
    pub(super) fn template_parameters(&mut self) {
        if self.eat(Kind::Pipe) {
            let _ = self.parameters(Kind::Pipe);
        }
    }

    /// `<%= … %>`
    pub(super) fn template_value(&mut self) -> Expression {
        let start = self.next().start;
        if self.kind() == Kind::LeftBrace {
            self.block();
        } else {
            let _ = self.expression();
        }
        while !matches!(self.kind(), Kind::TemplateValueEnd | Kind::End) {
            self.refuse();
        }
        self.expect(Kind::TemplateValueEnd);
        self.expression_from(start, Shape::Other)
    }
}
