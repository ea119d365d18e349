//! What Puppet's validator refuses in code that its parser accepts, one function for each rule, with Puppet's message at
//! Puppet's position.
//!
//! Nothing here depends on values, on settings or on where the file is.

use std::collections::HashSet;

use super::Parser;
use super::statements::{Place, Statements};
use crate::syntax::puppet::expression::{Expression, Shape};
use crate::syntax::puppet::form::{Definition, Form, with_article, with_capital_article};
use crate::syntax::puppet::model::Parameter;
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
        if !is_name(name, |it| it.is_ascii_lowercase()) {
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
        if !is_name(name, |it| it.is_ascii_uppercase()) {
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
        if name.contains("::") || !is_name(name, is_start) {
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

    /// Refuses an expression at Puppet's position, which is that of the operator for operations.
    fn refuse_at(&mut self, expression: &Expression, message: impl Into<String>) {
        let end = expression.range.end.max(expression.position);
        self.refusal(TextRange::new(expression.position, end), message);
    }

    fn refusal(&mut self, range: TextRange, message: impl Into<String>) {
        if self.refusals.len() < super::MAX_ERRORS {
            self.refusals.push(SyntaxError { message: message.into(), range });
        }
    }
}

/// Whether all segments of `name` start with a character that `is_start` accepts, and consist of letters, digits and `_`.
fn is_name(name: &str, is_start: impl Fn(char) -> bool) -> bool {
    let is_word = |it: u8| it.is_ascii_alphanumeric() || it == b'_';
    name.split("::").all(|it| it.starts_with(&is_start) && it.bytes().all(is_word))
}

/// Only the last segment of a variable's name may start with `_`.
fn is_variable_name(name: &str) -> bool {
    let name = name.strip_prefix("::").unwrap_or(name);
    let (namespace, last) = match name.rsplit_once("::") {
        Some((namespace, last)) => (Some(namespace), last),
        None => (None, name),
    };
    namespace.is_none_or(|it| is_name(it, |c| c.is_ascii_lowercase()))
        && is_name(last, |c| c.is_ascii_lowercase() || c == '_')
}

/// Whether it is the variable of a match; those are numbers without a leading zero.
fn is_numeric(name: &str) -> bool {
    name == "0"
        || (!name.starts_with('0')
            && !name.is_empty()
            && name.bytes().all(|it| it.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use crate::syntax::puppet::{Language, parse};

    /// The errors of a manifest, each with the text at its position and its message.
    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        check_in(Language::Manifest, text, expected);
    }

    #[track_caller]
    fn check_in(language: Language, text: &str, expected: &[(&str, &str)]) {
        let mut errors = parse(text, language).errors;
        errors.sort_by_key(|it| it.range.start);
        assert_eq!(errors.len(), expected.len(), "{text}: {errors:?}");
        for (error, (at, message)) in errors.iter().zip(expected) {
            assert!(text[error.range.start as usize..].starts_with(at), "{text}: {error:?}");
            assert_eq!(error.message, *message, "{text}");
        }
    }

    /// Puppet accepts these.
    #[track_caller]
    fn accepted(texts: &[&str]) {
        for text in texts {
            check(text, &[]);
        }
    }

    #[test]
    fn definitions_are_at_top_level_or_in_classes() {
        let message =
            "Classes, definitions, and nodes may only appear at toplevel or inside other classes";
        for (text, at) in [
            ("if $x { class a { } }", "class"),
            ("define a { define b { } }", "define b"),
            ("$x.each |$y| { node a { } }", "node"),
            ("if $x { function f() { } }", "function"),
            ("$x = class a { }", "class"),
            ("(class a { })", "class"),
            ("class a { } -> Class['b']", "class"),
        ] {
            check(text, &[(at, message)]);
        }
        check(
            "class a { function f() { } type A = B }",
            &[
                ("function", "A Function Definition may only appear at toplevel"),
                ("A = B", "A Type Alias may only appear at toplevel"),
            ],
        );
        accepted(&[
            "class a { class b { } define c { } node d { } }",
            "class a { } function b() { } type C = D",
        ]);
    }

    #[test]
    fn names_of_classes_and_types() {
        let message = |name: &str, label: &str| {
            format!("Unacceptable name. The name '{name}' is unacceptable as the name of {label}")
        };
        for (text, at, name, label) in [
            ("class ::a { }", "class", "::a", "a Host Class Definition"),
            ("class m::x-y { }", "class", "m::x-y", "a Host Class Definition"),
            ("define X { }", "define", "X", "a 'define' expression"),
            ("function ::f() { }", "function", "::f", "a Function Definition"),
            ("type ::A = B", "::A", "::A", "a Type Alias"),
        ] {
            check(text, &[(at, &message(name, label))]);
        }
        check(
            "class integer { }",
            &[(
                "class",
                "The name: 'integer' is already defined by Puppet and can not be used as the name of a Host Class Definition.",
            )],
        );
        accepted(&["class a::b_1 { define c { } }", "type A::B = C"]);
    }

    #[test]
    fn parts_of_the_grammar_without_a_meaning() {
        let message =
            "Expressions of type a Type Definition are not supported in this version of Puppet";
        check("type A { }", &[("type", message)]);
        let message =
            "Expressions of type a Type Mapping are not supported in this version of Puppet";
        check("type A['ruby', 'X'] = B", &[("A[", message)]);
        let message = "Illegal expression. An Array Expression is unacceptable as a type reference in a Type Alias";
        check("type A = []", &[("[]", message)]);
        accepted(&["type Runtime['ruby', 'X'] = A", "type A = { attributes => { } }"]);
    }

    #[test]
    fn parameters_that_every_resource_has() {
        let message =
            "The parameter $title redefines a built in parameter in the Host Class Definition";
        check("class a($title) { }", &[("$title", message)]);
        let message =
            "The parameter $name redefines a built in parameter in the 'define' expression";
        check("define a($name = 1) { }", &[("$name", message)]);
        accepted(&["function f($title, $name) { }", "$x.each |$title| { }"]);
    }

    #[test]
    fn parameters_of_the_same_name() {
        let message = "The parameter 'a' is declared more than once in the parameter list";
        check("class a($a, $b, $a) { }", &[("$a) {", message)]);
        check_in(Language::Template, "<%- | $a, $a | -%>", &[("$a |", message)]);
        accepted(&["$x.each |$a, $a| { }"]);
    }

    #[test]
    fn names_of_parameters() {
        let message = |name: &str| {
            format!(
                "Illegal parameter name. The given name '{name}' does not conform to the naming rule /^[a-z_]\\w*$/"
            )
        };
        check("class a($Xy) { }", &[("$Xy", &message("Xy"))]);
        check("$x.each |$a::b| { }", &[("$a::b", &message("a::b"))]);
        let numeric = "The numeric parameter name '$1' cannot be used (clashes with numeric match result variables)";
        check("function f($1) { }", &[("$1", numeric), ("$1", &message("1"))]);
        accepted(&["class a($_a, $aB) { }"]);
    }

    #[test]
    fn parameters_that_take_all_arguments() {
        let message = "Parameter $a has 'captures rest' - not supported in a Host Class Definition";
        check("class a(String *$a) { }", &[("$a", message)]);
        let message = "Parameter $a is not last, and has 'captures rest'";
        check("$x.each |*$a, $b| { }", &[("$a", message)]);
        accepted(&["function f(*$a) { }", "$x.each |$a, *$b| { }"]);
    }

    #[test]
    fn names_of_variables() {
        let message = |name: &str| {
            format!(
                "Illegal variable name, The given name '{name}' does not conform to the naming rule /^((::)?[a-z]\\w*)*((::)?[a-z_]\\w*)$/"
            )
        };
        check("$x = \"$Xa\"", &[("$Xa", &message("Xa"))]);
        check("$x = $a::B", &[("$a::B", &message("a::B"))]);
        check("$x = $", &[("$", &message(""))]);
        let message = "Illegal numeric variable name, The given name '01' must be a decimal value if it starts with a digit 0-9";
        check("$x = \"${01}\"", &[("01", message)]);
        accepted(&["$x = [$::a, $a::_b, $0, $10, $_a]", "$x = \"${class} ${a.b} $1\""]);
    }

    #[test]
    fn what_can_be_assigned_to() {
        let indexed = "Illegal attempt to assign via [index/key]. Not an assignable reference";
        check("$x[1] = 1", &[("$x[1]", indexed)]);
        let other =
            "Illegal attempt to assign to 'm::y'. Cannot assign to variables in other namespaces";
        check("[$a, [$m::y]] = 1", &[("$m::y", other)]);
        check("$a = $m::y = 1", &[("$m::y", other)]);
        let numeric = "Illegal attempt to assign to the numeric match result variable '$1'. Numeric variables are not assignable";
        check("$1 = 1", &[("$1", numeric)]);
        let call = "Illegal attempt to assign to 'a Function Call'. Not an assignable reference";
        check("f() = 1", &[("f()", call)]);
        accepted(&["[$a, $b] = [1, 2]", "$a = $b = 1"]);
    }

    #[test]
    fn operators_of_puppet_3() {
        let message = "The operator '+=' is no longer supported. See http://links.puppet.com/remove-plus-equals";
        check("$x += 1", &[("+=", message)]);
        check("$x -= 1", &[("-=", &message.replace("+=", "-="))]);
    }

    #[test]
    fn defaults_assign_nothing() {
        check("class a($x = ($y = 1)) { }", &[("= 1", "Assignment not allowed here")]);
        accepted(&["class a($x = f() |$z| { $y = 1 }) { $b = 1 }"]);
    }

    #[test]
    fn collectors_are_not_values() {
        let message = "Invalid use of expression. A Virtual Query does not produce a value";
        for text in [
            "$x = File <| |>",
            "$x = [File <| |>]",
            "(File <| |>)",
            "if !File <| |> and $x { f() }",
            "x { 'a': b => File <| |> }",
        ] {
            check(text, &[("File", message)]);
        }
        accepted(&["File <| |> -> Class['a']", "f(File <| |>)"]);
    }

    #[test]
    fn statements_without_an_effect() {
        for (text, at, label) in [
            ("'a' 'b' f()", "'a'", "String"),
            ("1.5 f()", "1.5", "Literal Float"),
            ("0x1e f()", "0x1e", "Literal Integer"),
            ("$x + f() 1", "+", "'+' expression"),
            ("$x ? { 1 => f() } 1", "$x", "Selector Expression"),
            ("if $x { } f()", "if", "'if' statement"),
            ("case $x { 1: { 2 } } f()", "case", "'case' statement"),
            ("unless $x { } f()", "unless", "'unless' Statement"),
            ("@(E:json) f()\n1\nE", "@(E", "'@(json)' expression"),
            ("($x) f()", "($x)", "Parenthesized Expression"),
            ("!$x f()", "!", "'not' expression"),
        ] {
            let message = format!(
                "This {label} has no effect. A value was produced and then forgotten (one or more preceding expressions may have the wrong form)"
            );
            check(text, &[(at, &message)]);
        }
        accepted(&[
            "1",
            "function f() { 1 }",
            "if $x =~ /a/ { } f()",
            "if f() { } 1",
            "case $x { f(): { } } 1",
            "($x = 1) 2",
            "Foo['a'] -> Bar['b'] include a 1",
        ]);
    }

    #[test]
    fn last_statements_without_an_effect() {
        for (text, at, owner) in [
            ("class a { include b c }", "c }", "A Host Class Definition"),
            ("define a { if $x { } }", "if", "A 'define' expression"),
            ("node a { undef }", "undef", "A Node Definition"),
        ] {
            let errors = parse(text, Language::Manifest).errors;
            let [error] = errors.as_slice() else { panic!("{text}: {errors:?}") };
            assert!(text[error.range.start as usize..].starts_with(at), "{text}");
            let rest = format!(
                " has no effect. {owner} can not end with a value-producing expression without other effect"
            );
            assert!(error.message.ends_with(&rest), "{text}: {}", error.message);
        }
        accepted(&["class a { }", "class a { include b }"]);
    }

    #[test]
    fn resources_without_a_title() {
        let message =
            "This expression is invalid. Did you try declaring a 'file' resource without a title?";
        check("class a { file { mode => '1' } }", &[("file", message)]);
        accepted(&["include { a => 1 }", "File { mode => '1' }"]);
    }

    #[test]
    fn second_defaults() {
        let message =
            "This Selector Expression already has a 'default' entry - this is a duplicate";
        check("$x = $y ? { default => 1, default => 2 }", &[("default => 2", message)]);
        let message = "This 'case' statement already has a 'default' entry - this is a duplicate";
        check("case $x { default: { } 1, default: { f() } }", &[("default: { f", message)]);
    }

    #[test]
    fn additions_to_attributes() {
        let message = "Illegal +> operation on attribute mode. This operator can not be used in a Resource Instance Definition";
        check("file { 'x': mode +> 1 }", &[("mode", message)]);
        let message = "Illegal +> operation on attribute mode. This operator can not be used in a Resource Defaults Expression";
        check("File { mode +> 1 }", &[("mode", message)]);
        accepted(&["File['x'] { mode +> 1 }", "File <| |> { mode +> 1 }"]);
    }

    #[test]
    fn second_unfoldings() {
        let message = "Unfolding of attributes from Hash can only be used once per resource body";
        check("file { 'x': * => $a, * => $b }", &[("* => $b", message)]);
        accepted(&["file { 'x': * => $a; 'y': * => $b }"]);
    }

    #[test]
    fn what_can_be_virtual() {
        check("@File { mode => 1 }", &[("@", "Resource Defaults are not virtualizable")]);
        check("@@class { 'a': }", &[("@@", "Classes are not virtualizable")]);
        accepted(&["@file { 'a': }"]);
    }

    #[test]
    fn reserved_words() {
        let message = "Use of reserved word: attr, must be quoted if intended to be a String value";
        check("$x = attr", &[("attr", message)]);
        accepted(&["file { 'x': attr => 1 }"]);
    }

    #[test]
    fn what_can_be_called_and_collected() {
        let message =
            "Illegal expression. A Variable is unacceptable as function name in a Function Call";
        check("$x(1)", &[("$x", message)]);
        let message =
            "Illegal expression. A Name is unacceptable as type name in an Exported Query";
        check("foo <<| |>>", &[("foo", message)]);
        accepted(&["Foo(1) Foo[1](2) type(3) ::foo(4)", "Foo::Bar <| |>"]);
    }

    #[test]
    fn nodes() {
        let message = "Node inheritance is not supported in Puppet >= 4.0.0. See http://links.puppet.com/puppet-node-inheritance-deprecation";
        check("node a inherits b { }", &[("b {", message)]);
        let message = "The hostname 'a b' contains illegal characters (only letters, digits, '_', '-', and '.' are allowed)";
        check("node 'a b' { }", &[("'a b'", message)]);
        accepted(&["node a.b, 'x_y-z.1', /x y/, default { }"]);
    }

    #[test]
    fn an_error_of_the_parser_comes_first() {
        check("class a($title) { }\n]", &[("]", "Syntax error at ']'")]);
    }

    #[test]
    fn plans_have_other_rules() {
        check_in(Language::Plan, "plan a($name) { 1 2 }", &[]);
    }
}
