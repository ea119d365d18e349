//! Parses calls, and records those that look up data or include classes.

use super::literals::ListKind;
use super::{LastComma, Parser};
use crate::syntax::puppet::condition::Condition;
use crate::syntax::puppet::expression::{Expression, Shape};
use crate::syntax::puppet::form::Form;
use crate::syntax::puppet::model::{Attribute, Call, CallForm, CalledName, FunctionUse, Lambda};
use crate::syntax::puppet::token::Kind;
use crate::text::TextRange;

/// Functions whose first argument names keys of data.
const LOOKUPS: [&str; 5] = ["lookup", "hiera", "hiera_array", "hiera_hash", "hiera_include"];

/// Functions whose arguments name classes.
const INCLUSIONS: [&str; 3] = ["include", "contain", "require"];

/// Functions that create resources of a type that their first argument names. The last two are those of the module stdlib.
const CREATING: [&str; 3] = ["create_resources", "ensure_resource", "ensure_resources"];

/// Functions after which code may not run.
const ENDINGS: [&str; 3] = ["return", "break", "next"];

/// A call with its arguments.
struct Read<'call> {
    name: &'call str,
    form: CallForm,
    position: u32,
    function_range: TextRange,
    arguments: &'call [Expression],
    lambda: Option<Lambda>,
}

impl Parser<'_> {
    /// `function(…)`, optionally with a lambda.
    pub(super) fn call(&mut self, function: &Expression) -> Expression {
        self.check_function(function);
        self.next();
        let arguments = self.arguments(Kind::RightParen, ListKind::Arguments, LastComma::Allowed);
        let lambda = self.lambda();
        if let Shape::Name(name) = &function.shape {
            let read = Read {
                name,
                form: CallForm::Call,
                position: function.position,
                function_range: function.range,
                arguments: &arguments,
                lambda,
            };
            self.note(&read, function.range.start);
        }
        let call = self.expression_from(function.range.start, Shape::Call);
        Expression { position: function.position, ..call }
    }

    /// `receiver.function`, with or without parentheses. Puppet's position is the parenthesis, or else the dot.
    pub(super) fn method_call(&mut self, receiver: Expression) -> Expression {
        let start = receiver.range.start;
        let dot = self.next();
        if !matches!(self.kind(), Kind::Name | Kind::Type) {
            self.refuse_here();
            return self.formed_from(start, Form::MethodCall);
        }
        let name = self.next();
        let mut arguments = vec![receiver];
        let mut position = dot.start;
        if self.kind() == Kind::LeftParen {
            position = self.next().start;
            let others = self.arguments(Kind::RightParen, ListKind::Arguments, LastComma::Refused);
            arguments.extend(others);
        }
        let lambda = self.lambda();
        let read = Read {
            name: name.range().slice(self.text),
            form: CallForm::Method,
            position,
            function_range: name.range(),
            arguments: &arguments,
            lambda,
        };
        self.note(&read, start);
        let call = self.expression_from(start, Shape::Call);
        Expression { position, form: Form::MethodCall, ..call }
    }

    /// `include a, b` and similar calls without parentheses.
    pub(super) fn statement_call(
        &mut self,
        function: &Expression,
        arguments: &[Expression],
    ) -> Expression {
        if let Shape::Name(name) = &function.shape {
            let read = Read {
                name,
                form: CallForm::Call,
                position: function.position,
                function_range: function.range,
                arguments,
                lambda: None,
            };
            self.note(&read, function.range.start);
        }
        let call = self.expression_from(function.range.start, Shape::Call);
        Expression { position: function.position, ..call }
    }

    /// One title of `class { … }`.
    pub(super) fn class_call(
        &mut self,
        keyword: TextRange,
        title: &Expression,
        attributes: Vec<Attribute>,
    ) {
        let (mut names, mut computed) = (Vec::new(), Vec::new());
        class_names(title, &mut names, &mut computed);
        let is_dynamic = !computed.is_empty();
        self.found.calls.push(Call {
            function: "class",
            form: CallForm::Resource,
            position: title.position,
            range: title.range,
            function_range: keyword,
            names,
            is_dynamic,
            computed,
            pattern: title.pattern(),
            arguments: vec![(title.argument_kind(), title.range)],
            options: Vec::new(),
            written: Vec::new(),
            attributes,
            lambda: None,
            guards: self.kept_guards(),
            inside: self.inside.clone(),
        });
    }

    /// Adds attributes to all titles of the `class { … }` with this keyword that do not have them. Its calls come from number
    /// `first` on.
    pub(super) fn add_to_class_calls(
        &mut self,
        first: usize,
        keyword: TextRange,
        attributes: &[Attribute],
    ) {
        for call in &mut self.found.calls[first..] {
            if call.function_range != keyword {
                continue;
            }
            let has = |attribute: &Attribute| {
                call.attributes.iter().any(|it| it.name.text == attribute.name.text)
            };
            // Puppet refuses a name that the class does not have, even if the value does not count.
            let added = attributes.iter().cloned();
            let added = added.map(|it| Attribute { is_overridden: has(&it), ..it });
            let added: Vec<_> = added.collect();
            call.attributes.extend(added);
        }
    }

    /// Records a call that looks up data or includes classes.
    fn note(&mut self, read: &Read<'_>, start: u32) {
        let name = read.name.strip_prefix("::").unwrap_or(read.name);
        // Code after these functions may not run, even if the call itself is not recorded.
        self.may_have_ended |= ENDINGS.contains(&name);
        if CREATING.contains(&name) {
            self.note_created(read.arguments, self.range_from(start));
        }
        let named = |names: &[&'static str]| names.iter().find(|it| **it == name).copied();
        let mut computed = Vec::new();
        let (function, (names, is_dynamic, pattern)) = if let Some(function) = named(&INCLUSIONS) {
            (function, included_classes(read.arguments, &mut computed))
        } else if let Some(function) = named(&LOOKUPS) {
            (function, looked_up_keys(read.arguments))
        } else {
            if let Some(name) = function_in_code(name, read.arguments) {
                let range = read.function_range;
                let guards = self.kept_guards();
                self.found.functions.push(FunctionUse { name, range, guards });
            }
            return;
        };
        let arguments = read.arguments.iter().map(|it| (it.argument_kind(), it.range)).collect();
        let is_lookup = LOOKUPS.contains(&function);
        let kept = if is_lookup { read.arguments } else { &[] };
        self.found.calls.push(Call {
            function,
            form: read.form,
            position: read.position,
            range: self.range_from(start),
            function_range: read.function_range,
            names,
            is_dynamic,
            computed,
            pattern,
            arguments,
            options: options_of(read.arguments),
            written: kept.iter().map(Expression::written).collect(),
            attributes: Vec::new(),
            lambda: read.lambda.clone(),
            guards: self.kept_guards(),
            inside: self.inside.clone(),
        });
    }
}

/// Whether `call` may include classes with a function of this name, of which its other arguments are those.
fn includes_classes(name: &str) -> bool {
    name == "hiera_include" || INCLUSIONS.contains(&name) || CREATING.contains(&name)
}

/// The name of a function that may be written in Puppet code: one with a namespace, or the one that `call` calls; `call` itself if
/// that is not constant or includes classes.
fn function_in_code(name: &str, arguments: &[Expression]) -> Option<String> {
    let mut name = name;
    if name == "call" {
        let called = arguments.first().and_then(Expression::constant_text).unwrap_or(name);
        let called = called.strip_prefix("::").unwrap_or(called);
        name = if includes_classes(called) { name } else { called };
    }
    (name == "call" || name.contains("::")).then(|| name.to_owned())
}

/// Constant names, whether some names are not constant, and the pattern of an interpolated name.
type Names = (Vec<CalledName>, bool, Option<Vec<Option<String>>>);

fn included_classes(arguments: &[Expression], computed: &mut Vec<Condition>) -> Names {
    let mut names = Vec::new();
    for argument in arguments {
        class_names(argument, &mut names, computed);
    }
    let pattern = if let [only] = arguments { only.pattern() } else { None };
    (names, !computed.is_empty(), pattern)
}

/// Adds the class names in `expression`, which may contain nested lists and `Class[…]`. Names that are not constant go to
/// `computed`.
fn class_names(
    expression: &Expression,
    names: &mut Vec<CalledName>,
    computed: &mut Vec<Condition>,
) {
    match &expression.shape {
        Shape::Access { type_name: Some(type_name), keys, .. } if type_name == "Class" => {
            for key in keys {
                class_names(key, names, computed);
            }
        }
        Shape::List(items) => {
            for item in items {
                class_names(item, names, computed);
            }
        }
        Shape::Interpolated(_, condition) | Shape::Condition(condition) => {
            computed.push(condition.clone());
        }
        Shape::Access { type_name: None, member, .. } => computed.push(member.clone()),
        Shape::Variable(name) => computed.push(Condition::Variable(name.clone())),
        _ => match called_name(expression) {
            Some(name) => names.push(name),
            None => computed.push(Condition::Unknown),
        },
    }
}

/// The key, the keys of a list, or the `name` of a hash of options.
fn looked_up_keys(arguments: &[Expression]) -> Names {
    let Some(mut key) = arguments.first() else { return (Vec::new(), false, None) };
    if let Shape::Hash(options) = &key.shape {
        let name = options.iter().find(|(it, _)| it.constant_text() == Some("name"));
        let Some((_, value)) = name else { return (Vec::new(), true, None) };
        key = value;
    }
    if let Some(name) = called_name(key) {
        return (vec![name], false, None);
    }
    if let Shape::List(items) = &key.shape {
        let names: Vec<_> = items.iter().filter_map(called_name).collect();
        let is_dynamic = names.len() < items.len();
        return (names, is_dynamic, None);
    }
    (Vec::new(), true, key.pattern())
}

/// The options of a lookup: those in a hash that is its first or second argument.
fn options_of(arguments: &[Expression]) -> Vec<(CalledName, TextRange)> {
    let hashes = arguments.iter().take(2).filter_map(|it| match &it.shape {
        Shape::Hash(options) => Some(options),
        _ => None,
    });
    let option = |(name, value): &(Expression, Expression)| {
        let text = name.constant_text().unwrap_or_default().to_owned();
        (CalledName { text, range: name.range }, value.range)
    };
    hashes.flatten().map(option).collect()
}

fn called_name(expression: &Expression) -> Option<CalledName> {
    let text = expression.constant_text()?.to_owned();
    Some(CalledName { text, range: expression.range })
}
