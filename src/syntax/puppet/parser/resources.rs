//! Resources: `type { title: attributes; … }`, `class { … }`, and lists of attributes.

use super::Parser;
use crate::syntax::puppet::expression::{Expression, Shape};
use crate::syntax::puppet::model::{ArgumentKind, Attribute, CalledName, ResourceUse};
use crate::syntax::puppet::token::Kind;
use crate::text::TextRange;

/// Puppet's message for braces after something that is not a type.
const NO_RESOURCE: &str =
    "Expression is not valid as a resource, resource-default, or resource-override";

/// Puppet's built-in types, which are not defined in Puppet code.
const BUILT_IN: [&str; 13] = [
    "file",
    "package",
    "service",
    "exec",
    "user",
    "group",
    "notify",
    "tidy",
    "schedule",
    "filebucket",
    "resources",
    "stage",
    "class",
];

impl Parser<'_> {
    /// An expression, with the braces that make it a resource. `@` and `@@` may precede it.
    pub(super) fn resource(&mut self) -> Expression {
        let mut is_virtual = false;
        while self.eat(Kind::At) {
            is_virtual = true;
        }
        let first = self.peek();
        let ends_with_block = matches!(
            first.kind,
            Kind::If
                | Kind::Unless
                | Kind::Case
                | Kind::Class
                | Kind::Define
                | Kind::Function
                | Kind::Node
                | Kind::Plan
                | Kind::Type
        );
        if first.kind == Kind::Class && self.ahead(1) == Kind::LeftBrace {
            return self.class_resource();
        }
        let before = self.at;
        let mut left = self.expression();
        while self.kind() == Kind::LeftBrace && self.at > before && !ends_with_block {
            left = self.braces_of(&left, is_virtual);
        }
        if ends_with_block && self.kind() == Kind::LeftBrace && !self.is_at_stop() {
            self.error(first.range(), NO_RESOURCE);
        }
        left
    }

    fn class_resource(&mut self) -> Expression {
        let keyword = self.next();
        self.next();
        self.open += 1;
        let (first, mut defaults) = (self.found.calls.len(), Vec::new());
        self.bodies(|parser, title, attributes| {
            // The body of `default:` has attributes for the other titles. It does not declare a class.
            if title.shape == Shape::Default {
                defaults.extend(attributes);
            } else {
                parser.class_call(keyword.range(), title, attributes);
            }
        });
        self.add_to_class_calls(first, keyword.range(), &defaults);
        self.expect(Kind::RightBrace);
        self.open -= 1;
        self.expression_from(keyword.start, Shape::Other)
    }

    /// The braces after `left`: titles with attributes, attributes alone, or a hash that is the argument of `include` and
    /// similar functions.
    fn braces_of(&mut self, left: &Expression, is_virtual: bool) -> Expression {
        let brace = self.next();
        self.open += 1;
        let has_title = self.kind() != Kind::RightBrace && !self.is_at_attribute();
        if has_title {
            self.bodies(|parser, title, _| parser.note_resource(left, title, is_virtual));
        } else {
            self.attributes();
        }
        self.expect(Kind::RightBrace);
        self.open -= 1;
        let may_be_without_title =
            matches!(left.shape, Shape::Name(_) | Shape::Type(_) | Shape::Access { .. });
        if !has_title && !may_be_without_title {
            self.error(left.range, NO_RESOURCE);
        }
        if !has_title && super::is_statement_function(left) {
            let hash = self.expression_from(brace.start, Shape::Hash(Vec::new()));
            return self.statement_call(left, &[hash]);
        }
        self.expression_from(left.range.start, Shape::Other)
    }

    fn note_resource(&mut self, of_type: &Expression, title: &Expression, is_virtual: bool) {
        let Shape::Name(name) = &of_type.shape else { return };
        let name = name.strip_prefix("::").unwrap_or(name);
        if BUILT_IN.contains(&name) || title.shape == Shape::Default {
            return;
        }
        let is_written_out = match &title.shape {
            // Any other title may be an empty list, and then there is no resource.
            Shape::Text(_) | Shape::Name(_) | Shape::Interpolated(..) => true,
            Shape::List(items) => !items.is_empty() && title.constant().is_some(),
            _ => false,
        };
        self.found.resources.push(ResourceUse {
            type_name: name.to_owned(),
            range: of_type.range,
            is_made: is_written_out && !is_virtual,
            guards: self.kept_guards(),
        });
    }

    /// `create_resources('type', …)`: the titles are in a hash, which is usually data.
    pub(super) fn note_created(&mut self, arguments: &[Expression], range: TextRange) {
        let Some(of_type) = arguments.first() else { return };
        let name = match of_type.shape {
            // Puppet refuses `Class` here.
            Shape::Type(_) => return,
            // A type that is not written out may be `class`, too.
            _ => of_type.constant_text().map_or("class".to_owned(), str::to_ascii_lowercase),
        };
        // `@` stands for virtual resources, and `@@` for exported ones.
        let type_name = name.trim_start_matches('@').to_owned();
        if type_name != "class" && BUILT_IN.contains(&&*type_name) {
            return;
        }
        let guards = self.kept_guards();
        self.found.resources.push(ResourceUse { type_name, range, is_made: false, guards });
    }

    /// Titles with their attributes, up to the brace that ends the resource.
    fn bodies(&mut self, mut found: impl FnMut(&mut Self, &Expression, Vec<Attribute>)) {
        while !self.is_at_stop() && !self.kind().is_closer() {
            if self.eat(Kind::Semicolon) {
                continue;
            }
            let before = self.at;
            let title = self.expression();
            if self.at == before {
                self.refuse();
                continue;
            }
            if self.expect(Kind::Colon) {
                let attributes = self.attributes();
                found(self, &title, attributes);
            }
        }
    }

    /// `name => value` and `* => hash`, up to the `;` or the closing brace.
    pub(super) fn attributes(&mut self) -> Vec<Attribute> {
        let mut attributes = Vec::new();
        loop {
            if self.eat(Kind::Comma) {
                continue;
            }
            if self.kind() == Kind::Semicolon || self.kind().is_closer() || self.is_at_stop() {
                return attributes;
            }
            if !self.is_at_attribute() {
                self.refuse_here();
                self.skip_group();
                continue;
            }
            let name = self.next();
            let name = CalledName { text: self.text_of(name), range: name.range() };
            self.next();
            let is_undef = self.expression().argument_kind() == ArgumentKind::Undef;
            attributes.push(Attribute { name, is_undef });
        }
    }

    fn is_at_attribute(&self) -> bool {
        let kind = self.kind();
        let is_name = matches!(kind, Kind::Name | Kind::Times) || kind.is_keyword();
        is_name && matches!(self.ahead(1), Kind::FatArrow | Kind::PlusArrow)
    }
}
