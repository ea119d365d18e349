//! What Puppet's validator refuses in code that its parser accepts, one function for each rule, with Puppet's message at
//! Puppet's position.
//!
//! Nothing here depends on values, on settings or on where the file is.

use std::collections::HashSet;

use super::Parser;
use super::statements::{Place, Statements};
use crate::syntax::puppet::expression::{Expression, Shape};
use crate::syntax::puppet::form::{Definition, Form, with_article, with_capital_article};
use crate::syntax::puppet::lexer::is_qualified_name;
use crate::syntax::puppet::model::{Declaration, METAPARAMETERS, Parameter};
use crate::syntax::puppet::token::Token;
use crate::syntax::ruby_regex;
use crate::syntax::tree::SyntaxError;
use crate::text::TextRange;

/// The names of types that classes, defined types and functions must not have.
const RESERVED_TYPE_NAMES: [&str; 28] = [
    "type",
    "any",
    "unit",
    "scalar",
    "boolean",
    "numeric",
    "integer",
    "float",
    "collection",
    "array",
    "hash",
    "tuple",
    "struct",
    "variant",
    "optional",
    "enum",
    "regexp",
    "pattern",
    "runtime",
    "init",
    "object",
    "sensitive",
    "semver",
    "semverrange",
    "string",
    "timestamp",
    "timespan",
    "typeset",
];

/// A list of parameters belongs to a declaration, to a lambda, or to a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Declaration(Definition),
    Lambda,
    Template,
}

impl Parser<'_> {
    /// Classes, defined types and nodes are only allowed at top level and in classes; functions and types of one's own only at
    /// top level. `block` is the block that the definition is a statement of.
    pub(super) fn check_place(
        &mut self,
        definition: Definition,
        position: TextRange,
        block: Option<Place>,
    ) {
        match block {
            Some(Place::TopLevel) => return,
            Some(Place::Class) if !definition.is_for_top_level() => return,
            _ => {}
        }
        if block.is_some() && definition.is_for_top_level() {
            let label = with_capital_article(definition.label());
            self.refusal(position, format!("{label} may only appear at toplevel"));
        } else {
            self.refusal(
                position,
                "Classes, definitions, and nodes may only appear at toplevel or inside other classes",
            );
        }
    }

    /// The full name of a class, a defined type or a function: segments of small first letters, without a dash.
    pub(super) fn check_name(&mut self, definition: Definition, position: TextRange, name: &str) {
        if !is_qualified_name(name, |it| it.is_ascii_lowercase()) {
            self.refuse_name(definition, position, name);
        }
        if RESERVED_TYPE_NAMES.contains(&name) {
            let label = with_article(definition.label());
            self.refusal(
                position,
                format!(
                    "The name: '{name}' is already defined by Puppet and can not be used as the name of {label}."
                ),
            );
        }
    }

    /// The name of a type alias: segments of capital first letters, without `::` before them.
    pub(super) fn check_type_name(&mut self, position: TextRange, name: &str) {
        if !is_qualified_name(name, |it| it.is_ascii_uppercase()) {
            self.refuse_name(Definition::TypeAlias, position, name);
        }
    }

    fn refuse_name(&mut self, definition: Definition, position: TextRange, name: &str) {
        let label = with_article(definition.label());
        self.refusal(
            position,
            format!("Unacceptable name. The name '{name}' is unacceptable as the name of {label}"),
        );
    }

    /// `type A { }`, and `type A[…] = …` for anything but `Runtime`, are in Puppet's grammar but have no meaning.
    pub(super) fn refuse_unsupported(&mut self, definition: Definition, position: TextRange) {
        let label = with_article(definition.label());
        self.refusal(
            position,
            format!("Expressions of type {label} are not supported in this version of Puppet"),
        );
    }

    /// A list is not a type, although Puppet's parser accepts it after `type A =`.
    pub(super) fn check_aliased(&mut self, array: &Expression) {
        self.refuse_as(array, "a type reference", Definition::TypeAlias.label());
    }

    /// All rules about parameters.
    pub(super) fn check_parameters(&mut self, owner: Owner, parameters: &[Parameter]) {
        for parameter in parameters {
            self.check_parameter_name(parameter);
        }
        match owner {
            Owner::Declaration(definition @ (Definition::Class | Definition::Define)) => {
                self.check_no_rest(definition.label(), parameters);
                self.check_duplicate_parameters(parameters);
                self.check_built_in_parameters(definition, parameters);
            }
            Owner::Declaration(_) => self.check_duplicate_parameters(parameters),
            Owner::Lambda => self.check_rest_is_last(parameters),
            Owner::Template => {
                self.check_no_rest("Epp Template", parameters);
                self.check_duplicate_parameters(parameters);
            }
        }
    }

    /// `$Xy`, `$a::b` and `$1` are not names of parameters.
    fn check_parameter_name(&mut self, parameter: &Parameter) {
        let name = &parameter.name;
        let digits = name.strip_prefix("0x").unwrap_or(name);
        if !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit()) {
            self.refusal(
                parameter.name_range,
                format!(
                    "The numeric parameter name '${name}' cannot be used (clashes with numeric match result variables)"
                ),
            );
        }
        let is_start = |it: char| it.is_ascii_lowercase() || it == '_';
        if name.contains("::") || !is_qualified_name(name, is_start) {
            self.refusal(
                parameter.name_range,
                format!(
                    "Illegal parameter name. The given name '{name}' does not conform to the naming rule /^[a-z_]\\w*$/"
                ),
            );
        }
    }

    /// Every resource has the parameters `title` and `name`.
    fn check_built_in_parameters(&mut self, definition: Definition, parameters: &[Parameter]) {
        for parameter in parameters.iter().filter(|it| it.name == "title" || it.name == "name") {
            let (name, label) = (&parameter.name, definition.label());
            self.refusal(
                parameter.name_range,
                format!("The parameter ${name} redefines a built in parameter in the {label}"),
            );
        }
    }

    /// Without a default, a class or defined type must not have a parameter that every resource has. Puppet finds it out after its
    /// validator, when it takes the definitions of the file.
    pub(super) fn check_metaparameters(&mut self, declaration: &Declaration) {
        let Some(of) = &declaration.name else { return };
        for parameter in declaration.parameters.iter().filter(|it| it.default.is_none()) {
            let name = &*parameter.name;
            if METAPARAMETERS.contains(&name) {
                let message = format!(
                    "{name} is a metaparameter; please choose another parameter name in the {of} definition"
                );
                self.refusal(parameter.name_range, message);
            }
        }
    }

    fn check_duplicate_parameters(&mut self, parameters: &[Parameter]) {
        let mut names = HashSet::new();
        for parameter in parameters {
            if !names.insert(&parameter.name) {
                let name = &parameter.name;
                self.refusal(
                    parameter.name_range,
                    format!(
                        "The parameter '{name}' is declared more than once in the parameter list"
                    ),
                );
            }
        }
    }

    /// `*$rest` takes all remaining arguments, but classes and defined types get theirs by name.
    fn check_no_rest(&mut self, label: &str, parameters: &[Parameter]) {
        for parameter in parameters.iter().filter(|it| it.captures_rest) {
            let (name, label) = (&parameter.name, with_article(label));
            self.refusal(
                parameter.name_range,
                format!("Parameter ${name} has 'captures rest' - not supported in {label}"),
            );
        }
    }

    fn check_rest_is_last(&mut self, parameters: &[Parameter]) {
        let Some((_, others)) = parameters.split_last() else { return };
        for parameter in others.iter().filter(|it| it.captures_rest) {
            let name = &parameter.name;
            self.refusal(
                parameter.name_range,
                format!("Parameter ${name} is not last, and has 'captures rest'"),
            );
        }
    }

    /// `$Xy`, `$a::B` and `$01` are not names of variables, and neither is `01` in `"${01}"`.
    pub(super) fn check_variable_name(&mut self, range: TextRange) {
        let written = range.slice(self.text);
        let name = written.strip_prefix('$').unwrap_or(written);
        if name.starts_with(|it: char| it.is_ascii_digit()) {
            let is_decimal = name.bytes().all(|it| it.is_ascii_digit());
            if !is_decimal || (name.len() > 1 && name.starts_with('0')) {
                self.refusal(
                    range,
                    format!(
                        "Illegal numeric variable name, The given name '{name}' must be a decimal value if it starts with a digit 0-9"
                    ),
                );
            }
        } else if !is_variable_name(name) {
            self.refusal(
                range,
                format!(
                    "Illegal variable name, The given name '{name}' does not conform to the naming rule /^((::)?[a-z]\\w*)*((::)?[a-z_]\\w*)$/"
                ),
            );
        }
    }

    /// The left side of `=` is a variable of this scope, or a list of such variables.
    pub(super) fn check_assigned(&mut self, left: &Expression) {
        match &left.shape {
            Shape::Variable(name) if is_numeric(name) => self.refuse_at(
                left,
                format!(
                    "Illegal attempt to assign to the numeric match result variable '${name}'. Numeric variables are not assignable"
                ),
            ),
            Shape::Variable(name) if name.contains("::") => self.refuse_at(
                left,
                format!(
                    "Illegal attempt to assign to '{name}'. Cannot assign to variables in other namespaces"
                ),
            ),
            Shape::Variable(_) => {}
            Shape::Access { .. } => self.refuse_at(
                left,
                "Illegal attempt to assign via [index/key]. Not an assignable reference",
            ),
            Shape::List(items) => items.iter().for_each(|it| self.check_assigned(it)),
            _ => {
                let Some(label) = left.label(self.text) else { return };
                let label = with_article(&label);
                self.refuse_at(
                    left,
                    format!("Illegal attempt to assign to '{label}'. Not an assignable reference"),
                );
            }
        }
    }

    /// `+=` and `-=` existed in Puppet 3.
    pub(super) fn check_assignment_operator(&mut self, range: TextRange) {
        let operator = range.slice(self.text);
        if operator != "=" {
            self.refusal(
                range,
                format!(
                    "The operator '{operator}' is no longer supported. See http://links.puppet.com/remove-plus-equals"
                ),
            );
        }
    }

    /// The default of a parameter may assign variables only in lambdas.
    pub(super) fn check_assignment_place(&mut self, operator: TextRange) {
        if self.is_in_default {
            self.refusal(operator, "Assignment not allowed here");
        }
    }

    /// A collector is not a value.
    pub(super) fn check_value(&mut self, value: &Expression) {
        if let Form::Collector { .. } = value.form {
            let label = with_capital_article(&value.label(self.text).unwrap_or_default());
            self.refuse_at(
                value,
                format!("Invalid use of expression. {label} does not produce a value"),
            );
        }
    }

    /// A statement before the last one of a block has an effect. Returns whether it has none.
    pub(super) fn check_statement(&mut self, statement: &Expression) -> bool {
        let label = statement.is_idle().then(|| statement.label(self.text)).flatten();
        let Some(label) = label else { return false };
        self.refuse_at(
            statement,
            format!(
                "This {label} has no effect. A value was produced and then forgotten (one or more preceding expressions may have the wrong form)"
            ),
        );
        true
    }

    /// Classes, defined types and nodes have no value, so their last statement has an effect as well.
    pub(super) fn check_last_statement(&mut self, owner: Definition, body: &Statements) {
        let Some(last) = body.last.as_ref().filter(|it| it.is_idle()) else { return };
        if last.form == Form::ResourceWithoutTitle {
            return;
        }
        let Some(label) = last.label(self.text) else { return };
        let owner = with_capital_article(owner.label());
        self.refuse_at(
            last,
            format!(
                "This {label} has no effect. {owner} can not end with a value-producing expression without other effect"
            ),
        );
    }

    /// `file { mode => '0644' }`
    pub(super) fn check_title(&mut self, type_name: &Expression) {
        let Shape::Name(name) = &type_name.shape else { return };
        self.refuse_at(
            type_name,
            format!(
                "This expression is invalid. Did you try declaring a '{name}' resource without a title?"
            ),
        );
    }

    /// A selector or a `case` has one `default`.
    pub(super) fn check_one_default(&mut self, label: &str, options: &[Expression]) {
        let defaults = options.iter().filter(|it| it.shape == Shape::Default);
        for duplicate in defaults.skip(1) {
            self.refuse_at(
                duplicate,
                format!("This {label} already has a 'default' entry - this is a duplicate"),
            );
        }
    }

    /// `+>` adds to attributes that exist.
    pub(super) fn check_no_addition(&mut self, name: TextRange, parent: &str) {
        let (attribute, parent) = (name.slice(self.text), with_article(parent));
        self.refusal(
            name,
            format!(
                "Illegal +> operation on attribute {attribute}. This operator can not be used in {parent}"
            ),
        );
    }

    pub(super) fn check_one_unfolding(&mut self, unfoldings: &[TextRange]) {
        for second in unfoldings.iter().skip(1) {
            self.refusal(
                *second,
                "Unfolding of attributes from Hash can only be used once per resource body",
            );
        }
    }

    /// Classes, defaults and overrides cannot be virtual or exported.
    pub(super) fn check_virtual(&mut self, resource: &Expression, is_class: bool) {
        if matches!(resource.form, Form::ResourceDefaults | Form::ResourceOverride) {
            self.refuse_at(resource, "Resource Defaults are not virtualizable");
        } else if is_class {
            self.refuse_at(resource, "Classes are not virtualizable");
        }
    }

    /// `attr` and `private` are reserved.
    pub(super) fn check_reserved_word(&mut self, range: TextRange) {
        let word = range.slice(self.text);
        self.refusal(
            range,
            format!(
                "Use of reserved word: {word}, must be quoted if intended to be a String value"
            ),
        );
    }

    /// What is called is a name or a type.
    pub(super) fn check_function(&mut self, function: &Expression) {
        let is_function = match &function.shape {
            Shape::Name(_) | Shape::Type(_) | Shape::Access { type_name: Some(_), .. } => true,
            _ => function.form == Form::Other,
        };
        if !is_function {
            self.refuse_as(function, "function name", "Function Call");
        }
    }

    /// What is collected is a type.
    pub(super) fn check_collected_type(&mut self, type_name: &Expression, query: &str) {
        if !matches!(type_name.shape, Shape::Type(_)) {
            self.refuse_as(type_name, "type name", query);
        }
    }

    fn refuse_as(&mut self, expression: &Expression, feature: &str, container: &str) {
        let Some(label) = expression.label(self.text) else { return };
        let (label, container) = (with_capital_article(&label), with_article(container));
        self.refuse_at(
            expression,
            format!("Illegal expression. {label} is unacceptable as {feature} in {container}"),
        );
    }

    /// Nodes inherited from each other in Puppet 3.
    pub(super) fn check_node_parent(&mut self, parent: TextRange) {
        self.refusal(
            parent,
            "Node inheritance is not supported in Puppet >= 4.0.0. See http://links.puppet.com/puppet-node-inheritance-deprecation",
        );
    }

    /// A name in `node` consists of letters, digits, `_`, `-` and `.`.
    pub(super) fn check_host(&mut self, range: TextRange, name: &str) {
        let is_allowed = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.');
        if !name.chars().all(is_allowed) {
            self.refusal(
                range,
                format!(
                    "The hostname '{name}' contains illegal characters (only letters, digits, '_', '-', and '.' are allowed)"
                ),
            );
        }
    }

    /// A string in `node` has no interpolations; `first` is the first of them.
    pub(super) fn refuse_interpolated_host(&mut self, first: TextRange) {
        self.refusal(first, "An interpolated expression is not allowed in a hostname of a node");
    }

    /// A heredoc is not a name in `node`, although Puppet's parser accepts it.
    pub(super) fn refuse_heredoc_as_host(&mut self, heredoc: &Expression) {
        self.refuse_as(heredoc, "hostname", Definition::Node.label());
    }

    /// The query of a collector consists of comparisons with `==` and `!=`, which `and`, `or` and parentheses join.
    pub(super) fn check_query(&mut self, query: &Expression) {
        if query.query_parts.is_empty() {
            self.check_query_part(query);
        }
        query.query_parts.iter().for_each(|it| self.check_query_part(it));
    }

    fn check_query_part(&mut self, part: &Expression) {
        let is_allowed = match part.form {
            Form::Plain => matches!(
                part.shape,
                Shape::Variable(_)
                    | Shape::Name(_)
                    | Shape::Number(_)
                    | Shape::Text(_)
                    | Shape::Boolean(_)
            ),
            Form::Operation(operator) => matches!(operator.slice(self.text), "==" | "!="),
            _ => false,
        };
        if is_allowed {
            return;
        }
        let Some(label) = part.label(self.text) else { return };
        let label = with_capital_article(&label);
        self.refuse_at(
            part,
            format!("Illegal query expression. {label} cannot be used in a query"),
        );
    }

    /// Ruby must accept a regular expression.
    pub(super) fn check_regex(&mut self, token: Token) {
        if let Some(message) = ruby_regex::refusal(&self.text_of(token)) {
            self.refusal(token.range(), message);
        }
    }

    /// Refuses an expression at Puppet's position, which is that of the operator for operations.
    fn refuse_at(&mut self, expression: &Expression, message: impl Into<String>) {
        self.refusal(expression.reported_range(), message);
    }

    fn refusal(&mut self, range: TextRange, message: impl Into<String>) {
        if self.refusals.len() < super::MAX_ERRORS {
            self.refusals.push(SyntaxError { message: message.into(), range });
        }
    }
}

/// Only the last segment of a variable's name may start with `_`.
fn is_variable_name(name: &str) -> bool {
    let name = name.strip_prefix("::").unwrap_or(name);
    let (namespace, last) = match name.rsplit_once("::") {
        Some((namespace, last)) => (Some(namespace), last),
        None => (None, name),
    };
    namespace.is_none_or(|it| is_qualified_name(it, |c| c.is_ascii_lowercase()))
        && is_qualified_name(last, |c| c.is_ascii_lowercase() || c == '_')
}

/// Whether it is the variable of a match; those are numbers without a leading zero.
fn is_numeric(name: &str) -> bool {
    name == "0"
        || (!name.starts_with('0')
            && !name.is_empty()
            && name.bytes().all(|it| it.is_ascii_digit()))
}

#[cfg(test)]
mod tests;
