//! Resources: `type { title: attributes; … }`, `class { … }`, and lists of attributes.

use super::{Lookahead, Parser};
use crate::syntax::puppet::expression::{Expression, Shape};
use crate::syntax::puppet::form::Form;
use crate::syntax::puppet::model::{ArgumentKind, Attribute, CalledName, ResourceUse};
use crate::syntax::puppet::token::Kind;
use crate::text::TextRange;

/// Puppet's message for braces after something that is not a type.
const NO_RESOURCE: &str =
    "Expression is not valid as a resource, resource-default, or resource-override";

/// Puppet's message for `type { attribute +> value }`.
const NO_TITLE: &str = "Syntax error resource body without title or hash with +>";

/// Puppet's built-in types, which are not defined in Puppet code.
const BUILT_IN: [&str; 12] = [
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
];

impl Parser<'_> {
    /// An expression, with the braces that make it a resource. `@` and `@@` may precede it.
    pub(super) fn resource(&mut self) -> Expression {
        let mut marks = Vec::new();
        while self.kind() == Kind::At {
            marks.push(self.next().range());
        }
        let (resource, is_class) = self.unmarked_resource(!marks.is_empty());
        let (Some(first), Some(last)) = (marks.first(), marks.last()) else { return resource };
        let is_resource = matches!(
            resource.form,
            Form::Resource | Form::ResourceDefaults | Form::ResourceOverride
        );
        if !is_resource {
            let kind = if last.len() == 2 { "Exported (@@)" } else { "Virtual (@)" };
            let message = format!("{kind} can only be applied to a Resource Expression");
            self.late_error(last.start, Lookahead::NextToken, *last, &message);
        }
        let resource = Expression { position: first.start, ..resource };
        self.check_virtual(&resource, is_class);
        resource
    }

    /// A resource without the marks before it, and whether it is `class { … }`.
    fn unmarked_resource(&mut self, is_virtual: bool) -> (Expression, bool) {
        let before = self.at;
        let mut is_class = self.kind() == Kind::Class && self.ahead(1) == Kind::LeftBrace;
        let mut left = if is_class { self.class_resource() } else { self.expression() };
        while self.kind() == Kind::LeftBrace && self.at > before {
            // In Puppet's grammar, `class { … }` is the type of what follows then.
            is_class = false;
            left = self.braces_of(&left, is_virtual);
        }
        (left, is_class)
    }

    fn class_resource(&mut self) -> Expression {
        let keyword = self.next();
        self.next();
        self.open += 1;
        let (first, mut defaults) = (self.found.calls.len(), Vec::new());
        if self.kind() == Kind::RightBrace {
            self.refuse_here();
        }
        self.bodies(|parser, title, attributes| {
            // The body of `default:` has attributes for the other titles. It does not declare a class.
            if title.shape == Shape::Default {
                defaults
                    .extend(attributes.into_iter().map(|it| Attribute { is_default: true, ..it }));
            } else {
                parser.class_call(keyword.range(), title, attributes);
            }
        });
        self.add_to_class_calls(first, keyword.range(), &defaults);
        self.expect(Kind::RightBrace);
        self.open -= 1;
        self.formed_from(keyword.start, Form::Resource)
    }

    /// The braces after `left`: titles with attributes, attributes alone, or a hash that is the argument of `include` and
    /// similar functions.
    fn braces_of(&mut self, left: &Expression, is_virtual: bool) -> Expression {
        let brace = self.next();
        self.open += 1;
        let has_title = !matches!(self.kind(), Kind::RightBrace | Kind::Comma)
            && !self.is_at_attribute()
            && !self.is_at_word_of_attribute();
        let mut additions = Vec::new();
        if has_title {
            self.bodies(|parser, title, _| parser.note_resource(left, title, is_virtual));
        } else {
            additions = self.attributes().additions;
        }
        let is_closed = self.expect(Kind::RightBrace);
        self.open -= 1;
        let form = if has_title { Some(Form::Resource) } else { form_without_title(left) };
        if !is_closed {
            return self.formed_from(left.range.start, form.unwrap_or(Form::Other));
        }
        let Some(form) = form else {
            self.late_error(left.range.start, Lookahead::None, left.range, NO_RESOURCE);
            return self.formed_from(left.range.start, Form::Other);
        };
        match form {
            Form::ResourceWithoutTitle if !additions.is_empty() => {
                self.late_error(brace.start, Lookahead::None, brace.range(), NO_TITLE);
            }
            Form::ResourceWithoutTitle if super::is_statement_function(left) => {
                let hash = self.expression_from(brace.start, Shape::Hash(Vec::new()));
                let call = self.statement_call(left, &[hash]);
                return Expression { form: Form::CallWithHash, ..call };
            }
            Form::ResourceWithoutTitle => self.check_title(left),
            Form::ResourceDefaults => {
                let refused = additions.into_iter();
                refused.for_each(|it| self.check_no_addition(it, "Resource Defaults Expression"));
            }
            _ => {}
        }
        let resource = self.formed_from(left.range.start, form);
        Expression { position: left.position, ..resource }
    }

    fn note_resource(&mut self, of_type: &Expression, title: &Expression, is_virtual: bool) {
        let name = match &of_type.shape {
            Shape::Name(name) => Some(name.strip_prefix("::").unwrap_or(name)),
            // `Resource['class'] { … }`.
            Shape::Access { type_name: Some(it), keys, .. } if it == "Resource" => {
                match keys.first().map(|it| &it.shape) {
                    Some(Shape::Type(name) | Shape::Text(name) | Shape::Name(name)) => {
                        Some(&**name)
                    }
                    _ => None,
                }
            }
            _ => return,
        };
        let type_name = name.map(str::to_ascii_lowercase);
        if type_name.as_deref().is_some_and(is_built_in) || title.shape == Shape::Default {
            return;
        }
        let is_class = type_name.as_deref().is_none_or(|it| it == "class");
        let is_written_out = match &title.shape {
            // Any other title may be an empty list, and then there is no resource.
            Shape::Text(_) | Shape::Name(_) | Shape::Interpolated(..) => true,
            Shape::List(items) => !items.is_empty() && title.constant().is_some(),
            _ => false,
        };
        self.found.resources.push(ResourceUse {
            is_made: is_written_out && !is_virtual && !is_class,
            type_name,
            range: of_type.range,
            guards: self.kept_guards(),
        });
    }

    /// `create_resources('type', …)` and similar functions: the titles are in a hash, which is usually data.
    pub(super) fn note_created(&mut self, arguments: &[Expression], range: TextRange) {
        let Some(of_type) = arguments.first() else { return };
        // Puppet refuses `Class` here.
        if matches!(of_type.shape, Shape::Type(_)) {
            return;
        }
        // `@` stands for virtual resources, and `@@` for exported ones.
        let type_name = of_type.constant_text();
        let type_name = type_name.map(|it| it.trim_start_matches('@').to_ascii_lowercase());
        if type_name.as_deref().is_some_and(is_built_in) {
            return;
        }
        let guards = self.kept_guards();
        self.found.resources.push(ResourceUse { type_name, range, is_made: false, guards });
    }

    /// Titles with their attributes, up to the brace that ends the resource.
    fn bodies(&mut self, mut found: impl FnMut(&mut Self, &Expression, Vec<Attribute>)) {
        let mut is_after_body = false;
        while !self.is_at_stop() && !self.kind().is_closer() {
            if self.kind() == Kind::Semicolon {
                // One semicolon is between two bodies, and one may follow the last.
                if !is_after_body {
                    self.refuse_here();
                }
                self.next();
                is_after_body = false;
                continue;
            }
            is_after_body = true;
            let before = self.at;
            let title = self.expression();
            if self.at == before {
                self.refuse();
                continue;
            }
            if self.expect(Kind::Colon) {
                let Attributes { list, additions, unfoldings } = self.attributes();
                for name in additions {
                    self.check_no_addition(name, "Resource Instance Definition");
                }
                self.check_one_unfolding(&unfoldings);
                found(self, &title, list);
            }
        }
    }

    /// `name => value` and `* => hash`, up to the `;` or the closing brace. One comma is between two of them. One may also
    /// precede the first and follow the last.
    pub(super) fn attributes(&mut self) -> Attributes {
        let mut found = Attributes::default();
        let (mut is_after_comma, mut is_after_attribute) = (false, false);
        loop {
            if self.kind() == Kind::Semicolon || self.kind().is_closer() || self.is_at_stop() {
                return found;
            }
            if self.kind() == Kind::Comma {
                if is_after_comma {
                    self.refuse_here();
                }
                self.next();
                (is_after_comma, is_after_attribute) = (true, false);
                continue;
            }
            if is_after_attribute {
                self.refuse_here();
            }
            if !self.is_at_attribute() {
                if self.is_at_attribute_name() {
                    self.next();
                }
                self.refuse_here();
                if self.kind() != Kind::Semicolon && !self.kind().is_closer() {
                    self.skip_group();
                }
                continue;
            }
            self.attribute(&mut found);
            (is_after_comma, is_after_attribute) = (false, true);
        }
    }

    fn attribute(&mut self, found: &mut Attributes) {
        let name = self.next();
        if name.kind == Kind::Times {
            found.unfoldings.push(name.range());
            if self.kind() == Kind::PlusArrow {
                self.refuse_here();
            }
        } else if self.kind() == Kind::PlusArrow {
            found.additions.push(name.range());
        }
        let name = CalledName { text: self.text_of(name), range: name.range() };
        self.next();
        let value = self.expression();
        self.check_value(&value);
        let is_undef = value.argument_kind() == ArgumentKind::Undef;
        found.list.push(Attribute { name, is_undef, is_default: false, is_overridden: false });
    }

    fn is_at_attribute(&self) -> bool {
        self.is_at_attribute_name() && matches!(self.ahead(1), Kind::FatArrow | Kind::PlusArrow)
    }

    /// Whether the next token is a reserved word that starts no expression.
    fn is_at_word_of_attribute(&self) -> bool {
        matches!(
            self.kind(),
            Kind::And | Kind::Or | Kind::In | Kind::Inherits | Kind::Else | Kind::Elsif
        )
    }

    /// Reserved words are names of attributes, except `true` and `false`.
    fn is_at_attribute_name(&self) -> bool {
        match self.kind() {
            Kind::True | Kind::False => false,
            Kind::Name | Kind::Times => true,
            kind => kind.is_keyword(),
        }
    }
}

fn is_built_in(type_name: &str) -> bool {
    BUILT_IN.contains(&type_name)
}

/// What braces with attributes but without a title are after `left`; `None` if Puppet's parser refuses them.
fn form_without_title(left: &Expression) -> Option<Form> {
    if left.form != Form::Plain {
        return None;
    }
    Some(match &left.shape {
        Shape::Name(_) => Form::ResourceWithoutTitle,
        Shape::Type(_) => Form::ResourceDefaults,
        Shape::Access { .. } => Form::ResourceOverride,
        _ => return None,
    })
}

/// The attributes of a resource.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    list: Vec<Attribute>,
    /// The names before `+>`.
    additions: Vec<TextRange>,
    /// The `*` before `=>`.
    unfoldings: Vec<TextRange>,
}
