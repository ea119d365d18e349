//! Classes, defined types, functions, type aliases, plans and node blocks.

use std::sync::Arc;

use super::checks::Owner;
use super::literals::ListKind;
use super::statements::Place;
use super::{LastComma, Parser, TokenScope};
use crate::syntax::puppet::expression::Expression;
use crate::syntax::puppet::form::{Definition, Form};
use crate::syntax::puppet::model::{Declaration, DeclarationKind, Parameter, ParameterDefault};
use crate::syntax::puppet::token::{Kind, Token};
use crate::text::TextRange;

/// The maximum length in bytes of the names of all enclosing classes. Declarations in a class with a longer name have none:
/// otherwise, each of them would repeat it.
const MAX_CLASS_BYTES: usize = 4_000;

/// Puppet's message for `class 'a' { }`.
const QUOTED_NAME: &str = "A quoted string is not valid as a name here";

/// What a name in `node` stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HostRole {
    /// The nodes of the definition.
    Matcher,
    /// What the definition inherits. Puppet refuses that without a look at the name.
    Parent,
}

impl Parser<'_> {
    /// What a keyword starts: a declaration, or a call of the function `type`.
    pub(super) fn declaration(&mut self) -> Expression {
        let first = self.at;
        let count = self.found.declarations.len();
        let may_have_ended = std::mem::take(&mut self.may_have_ended);
        let read = self.declared();
        self.may_have_ended = may_have_ended;
        if let Form::Definition(definition) = read.form {
            let end = read.range.end.max(read.position);
            self.note_definition(definition, TextRange::new(read.position, end), first);
        }
        // Declarations inside it were added before.
        if let Some(declaration) = self.found.declarations.get(count..).and_then(<[_]>::last) {
            let (name, parameters) = (declaration.name_range, declaration.parameters.clone());
            let declaration = Some(name);
            self.scopes.push(TokenScope { first, end: self.at, declaration, parameters });
        }
        read
    }

    fn declared(&mut self) -> Expression {
        let keyword = self.next();
        let definition = match keyword.kind {
            Kind::Class => {
                self.class(keyword);
                Definition::Class
            }
            Kind::Define => {
                self.define(keyword);
                Definition::Define
            }
            Kind::Function => {
                self.function(keyword);
                Definition::Function
            }
            Kind::Node => {
                self.node(keyword);
                Definition::Node
            }
            Kind::Plan => {
                self.plan(keyword);
                Definition::Plan
            }
            Kind::Apply => {
                self.apply();
                return self.formed_from(keyword.start, Form::Other);
            }
            _ if self.kind() == Kind::LeftParen => {
                let name = self.formed_from(keyword.start, Form::Other);
                return self.call(&name);
            }
            _ => return self.type_alias(keyword),
        };
        self.formed_from(keyword.start, Form::Definition(definition))
    }

    fn class(&mut self, keyword: Token) {
        let Some(mut class) = self.named(keyword, DeclarationKind::Class) else { return };
        let outer = self.enter(&class);
        self.namespace.push(class.name_range.slice(self.text).to_owned());
        class.parameters = self.parameter_list(Definition::Class);
        self.check_metaparameters(&class);
        if self.eat(Kind::Inherits) {
            // Puppet's grammar has `inherits default` as well.
            let is_name = is_class_name(self.kind()) || self.kind() == Kind::Default;
            if self.kind() == Kind::String {
                self.error(self.peek().range(), QUOTED_NAME);
            }
            class.parent = is_name.then(|| self.next().range());
            if !is_name {
                self.refuse_name_here();
            }
        }
        let body = self.block(Place::Class);
        self.check_last_statement(Definition::Class, &body);
        self.namespace.pop();
        self.inside = outer;
        self.declare(keyword, class);
    }

    fn plan(&mut self, keyword: Token) {
        let Some(mut plan) = self.named(keyword, DeclarationKind::Plan) else { return };
        let outer = self.enter(&plan);
        self.namespace.push(plan.name_range.slice(self.text).to_owned());
        plan.parameters = self.parameter_list(Definition::Plan);
        let _ = self.block(Place::Class);
        self.namespace.pop();
        self.inside = outer;
        self.declare(keyword, plan);
    }

    fn define(&mut self, keyword: Token) {
        let Some(mut define) = self.named(keyword, DeclarationKind::Define) else { return };
        let outer = self.enter(&define);
        define.parameters = self.parameter_list(Definition::Define);
        self.check_metaparameters(&define);
        let body = self.block(Place::Block);
        self.check_last_statement(Definition::Define, &body);
        self.inside = outer;
        self.declare(keyword, define);
    }

    fn function(&mut self, keyword: Token) {
        let Some(mut function) = self.named(keyword, DeclarationKind::Function) else { return };
        let outer = self.enter(&function);
        function.parameters = self.parameter_list(Definition::Function);
        function.return_type = self.return_type();
        let _ = self.block(Place::Block);
        self.inside = outer;
        self.declare(keyword, function);
    }

    /// Marks what follows as inside `declaration`, and returns the previous enclosing name.
    fn enter(&mut self, declaration: &Declaration) -> Option<Arc<str>> {
        std::mem::replace(&mut self.inside, declaration.name.as_deref().map(Arc::from))
    }

    /// `node` with its matchers.
    fn node(&mut self, keyword: Token) {
        let mut node = empty_declaration(DeclarationKind::Node, None, keyword.range());
        loop {
            let Some(host) = self.host(HostRole::Matcher) else {
                self.refuse_here();
                break;
            };
            node.hosts.push(host);
            // Puppet allows a comma after the last matcher.
            if !self.eat(Kind::Comma) || matches!(self.kind(), Kind::LeftBrace | Kind::Inherits) {
                break;
            }
        }
        if self.eat(Kind::Inherits) {
            node.parent = self.host(HostRole::Parent);
            match node.parent {
                Some(parent) => self.check_node_parent(parent),
                None => self.refuse_here(),
            }
        }
        if !node.hosts.is_empty() {
            let body = self.block(Place::Block);
            self.check_last_statement(Definition::Node, &body);
            self.declare(keyword, node);
        }
    }

    /// A string, a regular expression, `default`, or names separated by dots.
    fn host(&mut self, role: HostRole) -> Option<TextRange> {
        let is_checked = role == HostRole::Matcher;
        let token = self.peek();
        match token.kind {
            Kind::Name | Kind::Number => {
                let name = self.dotted_name();
                if is_checked {
                    self.check_host(self.range_from(token.start), &name);
                }
            }
            Kind::String | Kind::Word => {
                self.next();
                if is_checked {
                    self.check_host(token.range(), &self.text_of(token));
                }
            }
            Kind::Default => _ = self.next(),
            Kind::Regex => {
                self.next();
                self.check_regex(token);
            }
            Kind::StringStart => {
                let (string, first) = self.interpolated();
                if is_checked {
                    self.refuse_interpolated_host(first);
                }
                return Some(string.range);
            }
            Kind::Heredoc => {
                let heredoc = self.primary();
                if is_checked {
                    self.refuse_heredoc_as_host(&heredoc);
                }
                return Some(heredoc.range);
            }
            _ => return None,
        }
        Some(self.range_from(token.start))
    }

    /// Names and numbers with dots between them.
    fn dotted_name(&mut self) -> String {
        let mut name = self.next().range().slice(self.text).to_owned();
        while self.eat(Kind::Dot) {
            if !matches!(self.kind(), Kind::Name | Kind::Number) {
                self.refuse_here();
                break;
            }
            name.push('.');
            name.push_str(self.next().range().slice(self.text));
        }
        name
    }

    /// `apply(…) { … }` in a plan.
    fn apply(&mut self) {
        if self.expect(Kind::LeftParen) {
            let _ = self.arguments(Kind::RightParen, ListKind::Arguments, LastComma::Allowed);
            let _ = self.block(Place::Block);
        }
    }

    /// `type Name = …`. A mapping (`type Name[…] = …`) and a definition (`type Name { }`) do not declare an alias.
    fn type_alias(&mut self, keyword: Token) -> Expression {
        if self.kind() != Kind::TypeName {
            self.refuse_here();
            return self.formed_from(keyword.start, Form::Other);
        }
        let name = self.next();
        let is_mapping = self.eat(Kind::LeftBracket);
        if is_mapping {
            let _ = self.keys_in_brackets(LastComma::Refused);
        }
        if !is_mapping && matches!(self.kind(), Kind::LeftBrace | Kind::Inherits) {
            if self.eat(Kind::Inherits) {
                self.expect(Kind::TypeName);
            }
            let _ = self.block(Place::Block);
            self.refuse_unsupported(Definition::UserType, keyword.range());
            let form = Form::Definition(Definition::UserType);
            return self.formed_from(keyword.start, form);
        }
        if is_mapping && name.range().slice(self.text) != "Runtime" {
            self.refuse_unsupported(Definition::TypeMapping, name.range());
        }
        let definition = if is_mapping { Definition::TypeMapping } else { Definition::TypeAlias };
        if self.expect(Kind::Assign) {
            self.right_side_of_alias(keyword, name, is_mapping);
        }
        let read = self.formed_from(keyword.start, Form::Definition(definition));
        // Puppet's position is that of the name.
        Expression { position: name.start, ..read }
    }

    fn right_side_of_alias(&mut self, keyword: Token, name: Token, is_mapping: bool) {
        if is_mapping {
            self.aliased_type();
            return;
        }
        let written = name.range().slice(self.text);
        let full = written.strip_prefix("::").unwrap_or(written).to_owned();
        let mut alias = empty_declaration(DeclarationKind::TypeAlias, Some(full), name.range());
        let outer = self.enter(&alias);
        let start = self.peek().start;
        if matches!(self.kind(), Kind::LeftBracket | Kind::ListStart) {
            let array = self.primary();
            self.check_aliased(&array);
        } else {
            self.aliased_type();
        }
        self.inside = outer;
        let range = self.range_from(start);
        if !range.is_empty() {
            self.check_type_name(name.range(), written);
            alias.aliased_type = Some(range);
            self.declare(keyword, alias);
        }
    }

    /// A type, `Object {…}`, a hash or a list.
    fn aliased_type(&mut self) {
        if self.kind() == Kind::TypeName {
            self.next();
            if self.eat(Kind::LeftBracket) {
                let _ = self.keys_in_brackets(LastComma::Allowed);
                return;
            }
            if self.kind() != Kind::LeftBrace {
                return;
            }
        }
        if matches!(self.kind(), Kind::LeftBrace | Kind::LeftBracket | Kind::ListStart) {
            let _ = self.primary();
        } else {
            self.refuse_here();
        }
    }

    /// `>> Type`, if present.
    pub(super) fn return_type(&mut self) -> Option<TextRange> {
        if !self.eat(Kind::ShiftRight) {
            return None;
        }
        let found = self.written_type();
        if found.is_none() {
            self.refuse_here();
        }
        found
    }

    fn written_type(&mut self) -> Option<TextRange> {
        if self.kind() != Kind::TypeName {
            return None;
        }
        let start = self.next().start;
        if self.kind() == Kind::ListStart {
            // Puppet allows no space before the bracket.
            self.refuse_here();
        }
        if self.eat(Kind::LeftBracket) || self.eat(Kind::ListStart) {
            let _ = self.keys_in_brackets(LastComma::Refused);
        }
        Some(self.range_from(start))
    }

    fn parameter_list(&mut self, definition: Definition) -> Vec<Parameter> {
        if !self.eat(Kind::LeftParen) && !self.eat(Kind::LineParen) {
            return Vec::new();
        }
        let parameters = self.parameters(Kind::RightParen);
        self.check_parameters(Owner::Declaration(definition), &parameters);
        parameters
    }

    /// Parameters up to `close`.
    pub(super) fn parameters(&mut self, close: Kind) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        self.items(close, LastComma::Allowed, |parser| parameters.extend(parser.parameter()));
        parameters
    }

    fn parameter(&mut self) -> Option<Parameter> {
        let type_range = self.written_type();
        let captures_rest = self.eat(Kind::Times);
        if self.kind() != Kind::Variable {
            self.refuse_here();
            return None;
        }
        let variable = self.next();
        let written = variable.range().slice(self.text);
        let name = written.strip_prefix('$').unwrap_or(written).to_owned();
        let default = if self.eat(Kind::Assign) { self.default_value() } else { None };
        Some(Parameter { name, name_range: variable.range(), type_range, default, captures_rest })
    }

    fn default_value(&mut self) -> Option<ParameterDefault> {
        let before = self.at;
        let start = self.peek().start;
        let is_in_default = std::mem::replace(&mut self.is_in_default, true);
        let value = self.expression();
        self.is_in_default = is_in_default;
        let range = self.range_from(start);
        (self.at > before).then(|| ParameterDefault { range, constant: value.constant() })
    }

    /// Refuses the next token as a name.
    fn refuse_name_here(&mut self) {
        if self.kind() == Kind::Class {
            self.error(self.peek().range(), "'class' keyword not allowed at this location");
        } else {
            self.refuse_here();
        }
    }

    /// The start of a declaration that has a name.
    fn named(&mut self, keyword: Token, kind: DeclarationKind) -> Option<Declaration> {
        if !is_class_name(self.kind()) {
            self.refuse_name_here();
            return None;
        }
        let token = self.next();
        if token.kind == Kind::String {
            self.error(token.range(), QUOTED_NAME);
        }
        let written = token.range().slice(self.text);
        // Functions exist only at top level, so classes around them do not change their names.
        let is_within_classes = kind != DeclarationKind::Function;
        let classes = if is_within_classes { self.namespace.as_slice() } else { &[] };
        if classes.iter().map(String::len).sum::<usize>() > MAX_CLASS_BYTES {
            return Some(empty_declaration(kind, None, token.range()));
        }
        let mut name = classes.join("::");
        if !classes.is_empty() {
            name.push_str("::");
        }
        name.push_str(written);
        // Puppet removes the `::` only before the name of an outermost class.
        let checked =
            if classes.is_empty() { &name } else { name.strip_prefix("::").unwrap_or(&name) };
        self.check_name(definition_of(kind), keyword.range(), checked);
        let name = name.strip_prefix("::").map(str::to_owned).unwrap_or(name);
        Some(empty_declaration(kind, Some(name), token.range()))
    }

    /// Adds a declaration that extends from its keyword to the last token.
    fn declare(&mut self, keyword: Token, declaration: Declaration) {
        let range = self.range_from(keyword.start);
        self.found.declarations.push(Declaration { range, ..declaration });
    }
}

fn definition_of(kind: DeclarationKind) -> Definition {
    match kind {
        DeclarationKind::Class => Definition::Class,
        DeclarationKind::Define => Definition::Define,
        DeclarationKind::Function => Definition::Function,
        DeclarationKind::TypeAlias => Definition::TypeAlias,
        DeclarationKind::Plan => Definition::Plan,
        DeclarationKind::Node => Definition::Node,
    }
}

fn is_class_name(kind: Kind) -> bool {
    // The grammar accepts words and capital letters, too. Puppet refuses such names in a later check.
    matches!(kind, Kind::Name | Kind::Word | Kind::TypeName | Kind::String)
}

fn empty_declaration(
    kind: DeclarationKind,
    name: Option<String>,
    name_range: TextRange,
) -> Declaration {
    Declaration {
        kind,
        name,
        name_range,
        range: name_range,
        parent: None,
        parameters: Vec::new(),
        aliased_type: None,
        return_type: None,
        hosts: Vec::new(),
    }
}
