//! Conditionals, lambdas, and the values of templates.

use super::{Parser, TokenScope};
use crate::syntax::puppet::expression::{Expression, Shape};
use crate::syntax::puppet::token::Kind;

impl Parser<'_> {
    /// `if`, `unless` or `case`.
    pub(super) fn conditional(&mut self) -> Expression {
        let keyword = self.next();
        let _ = self.expression();
        self.conditions += 1;
        if keyword.kind == Kind::Case {
            self.case_options();
        } else {
            self.block();
            while self.eat(Kind::Elsif) {
                let _ = self.expression();
                self.block();
            }
            if self.eat(Kind::Else) {
                self.block();
            }
        }
        self.conditions -= 1;
        self.expression_from(keyword.start, Shape::Other)
    }

    fn case_options(&mut self) {
        if !self.expect(Kind::LeftBrace) {
            return;
        }
        self.open += 1;
        while !self.is_at_stop() && !self.kind().is_closer() {
            let before = self.at;
            let _ = self.expression();
            while self.eat(Kind::Comma) {
                let _ = self.expression();
            }
            if self.at > before && self.expect(Kind::Colon) {
                self.block();
            } else if self.at == before {
                self.refuse();
            }
        }
        self.expect(Kind::RightBrace);
        self.open -= 1;
    }

    /// `|parameters| { … }`, if one begins here.
    pub(super) fn lambda(&mut self) -> bool {
        let first = self.at;
        if !self.eat(Kind::Pipe) {
            return false;
        }
        let parameters = self.parameters(Kind::Pipe);
        let _ = self.return_type();
        self.conditions += 1;
        self.block();
        self.scopes.push(TokenScope { first, end: self.at, declaration: None, parameters });
        self.conditions -= 1;
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
