//! Evaluates types in manifests: `class c (Optional[Integer[0, 10]] $x)`. Puppet runs them as code, with its own messages.

use std::sync::Arc;

use super::argument::{Argument, flattened};
use super::callable::callable_of;
use super::common::enum_of;
use super::evaluate_sizes as sizes;
use super::expression::{self, Expression, Kind, Parsed};
use super::expression_tokens::place;
use super::format::object_of;
use super::init::{self, Init};
use super::interpret::{Interpreter, TypeProblem, regexp_problem, versions_of};
use super::mismatch::article;
use super::regexp::{Pattern, pattern_of};
use super::resource::{capitalized, class_name, is_type_name};
use super::struct_of::struct_of;
use super::time_range::{Clock, TimeProblem, TimeRange};
use super::{StringKind, Type, TypeAliases, Wrapper, uri};

/// The maximum nesting of expressions.
const MAX_DEPTH: usize = 300;

/// The type that a text in a manifest describes.
///
/// # Errors
/// Puppet's message if we know it, or that the result is not known.
pub fn evaluate(text: &str, aliases: &TypeAliases) -> Result<Type, TypeProblem> {
    let expression = expression::expression(text)?;
    let mut evaluator = Evaluator { text, interpreter: Interpreter::new(Some(aliases)), depth: 0 };
    match evaluator.value_of(&expression)? {
        Argument::Type(it) => Ok(it),
        other => Err(TypeProblem::Invalid(format!("not a type: {}", other.ruby_class()))),
    }
}

struct Evaluator<'a> {
    text: &'a str,
    interpreter: Interpreter<'a>,
    depth: usize,
}

impl Evaluator<'_> {
    fn value_of(&mut self, expression: &Expression) -> Parsed<Argument> {
        self.depth += 1;
        let value = if self.depth > MAX_DEPTH {
            Err(TypeProblem::Invalid("stack level too deep".to_owned()))
        } else {
            self.evaluated(expression)
        };
        self.depth -= 1;
        value
    }

    fn evaluated(&mut self, expression: &Expression) -> Parsed<Argument> {
        Ok(match &expression.kind {
            Kind::Undef => Argument::Undef,
            Kind::Default => Argument::Default,
            Kind::Boolean(it) => Argument::Boolean(*it),
            Kind::Integer(it) => Argument::Integer(i128::from(*it)),
            Kind::Float(it) => Argument::Float(*it),
            Kind::Text(it) => Argument::Text(it.clone()),
            Kind::Regexp(it) => Argument::Regexp(it.clone()),
            Kind::List(items) => Argument::List(self.values_of(items)?),
            Kind::Hash(members) => {
                let read = members
                    .iter()
                    .map(|(key, value)| Ok((self.value_of(key)?, self.value_of(value)?)));
                Argument::Hash(read.collect::<Parsed<_>>()?)
            }
            Kind::Negative(inner) => match self.value_of(inner)? {
                Argument::Integer(it) => Argument::Integer(-it),
                Argument::Float(it) => Argument::Float(-it),
                other => {
                    let class = other.ruby_class();
                    let message = format!("The value '{class}' cannot be converted to Numeric.");
                    return Err(self.failure(expression.start, &message));
                }
            },
            Kind::Parenthesized(inner) => self.value_of(inner)?,
            Kind::Reference(name) => self.reference(expression.start, name)?,
            Kind::Access(left, keys) => {
                let Argument::Type(left) = self.value_of(left)? else {
                    return Err(self.failure(expression.start, "Operator '[]' is not applicable."));
                };
                let arguments = self.values_of(keys)?;
                let access = Access { text: self.text, start: expression.start, keys };
                access.accessed(&left, arguments)?
            }
            Kind::Block if self.text.trim().is_empty() => Argument::Undef,
            Kind::Block => {
                let place = place(self.text, expression.start);
                return Err(TypeProblem::Invalid(format!(
                    "This Type-Name has no effect. A value was produced and then forgotten (one or more preceding \
                     expressions may have the wrong form) {place}"
                )));
            }
        })
    }

    /// The type with this name. An error in its definition is an error of the code that names it.
    fn reference(&mut self, start: usize, name: &str) -> Parsed<Argument> {
        let known = self.interpreter.known(name).map_err(|problem| match problem {
            TypeProblem::Invalid(message) if !message.starts_with("Syntax error") => {
                let message = format!("Error while evaluating a Type-Name, {message}");
                self.failure(start, &message)
            }
            other => other,
        })?;
        match known {
            Some(Type::Reference(name)) => Err(self.not_found(start, &name)),
            Some(known) => Ok(Argument::Type(known)),
            None => Err(self.not_found(start, name)),
        }
    }

    fn values_of(&mut self, expressions: &[Expression]) -> Parsed<Vec<Argument>> {
        expressions.iter().map(|it| self.value_of(it)).collect()
    }

    fn not_found(&self, start: usize, name: &str) -> TypeProblem {
        // Every name that is not a type could be that of a resource type or a defined type, so Puppet's message is about those.
        self.failure(start, &format!("Resource type not found: {name}"))
    }

    fn failure(&self, start: usize, message: &str) -> TypeProblem {
        TypeProblem::Invalid(format!("Evaluation Error: {message} {}", place(self.text, start)))
    }
}

/// A type followed by brackets.
pub(super) struct Access<'a> {
    text: &'a str,
    start: usize,
    keys: &'a [Expression],
}

impl Access<'_> {
    fn accessed(&self, left: &Type, arguments: Vec<Argument>) -> Parsed<Argument> {
        let one = |it: Parsed<Type>| it.map(Argument::Type);
        match left {
            Type::Class(_) => self.classes(arguments),
            Type::Resource { name, .. } => self.resources(name.as_ref(), arguments),
            Type::Struct(_) => one(self.struct_type(&arguments)),
            Type::Callable(_) => one(self.raised(callable_of(&arguments))),
            Type::Init(_) => one(self.init(arguments)),
            other => one(self.specialized(other, flattened(arguments))),
        }
    }

    fn specialized(&self, left: &Type, arguments: Vec<Argument>) -> Parsed<Type> {
        match left {
            Type::Boolean(_) => {
                let is_boolean = |it: &Argument| matches!(it, Argument::Boolean(_));
                self.check_keys(left, &arguments, Some(1), "TrueClass or FalseClass", is_boolean)?;
                Ok(Type::Boolean(Some(arguments[0] == Argument::Boolean(true))))
            }
            Type::Enum { .. } => self.enum_type(left, arguments),
            Type::Variant(_) => {
                self.check_types(left, &arguments)?;
                Ok(Type::variant_of(arguments.iter().map(Argument::as_type)))
            }
            Type::Pattern(_) => self.pattern(left, &arguments),
            Type::Regexp(_) => self.regexp(left, &arguments),
            Type::SemVer(_) => {
                let is_range = |it: &Argument| matches!(it, Argument::Text(_));
                let expected = "String or SemanticPuppet::VersionRange";
                self.check_keys(left, &arguments, None, expected, is_range)?;
                self.raised(versions_of(&arguments))
            }
            Type::Timestamp(_) => {
                self.time(left, &arguments, Clock::Timestamp).map(Type::Timestamp)
            }
            Type::Timespan(_) => self.time(left, &arguments, Clock::Timespan).map(Type::Timespan),
            Type::Tuple(..) => sizes::tuple(self, left, arguments),
            Type::String(_) => sizes::string(self, &arguments),
            Type::Integer(_) => sizes::integer(self, &arguments),
            Type::Float { .. } => sizes::float(self, &arguments),
            Type::Collection(_) => sizes::collection(self, &arguments),
            Type::Array(..) => sizes::array(self, &arguments),
            Type::Hash(..) => sizes::hash(self, &arguments),
            Type::Wrapped(wrapper, _) => self.wrapped(*wrapper, &arguments),
            Type::Uri(_) => match arguments.as_slice() {
                [argument] => {
                    uri::uri_of(argument).ok_or_else(|| self.not_types("URI", 0, argument))
                }
                _ => Err(self.wrong_count("URI-Type", "1 argument", arguments.len())),
            },
            Type::Runtime { .. } => self.runtime(left, &arguments),
            Type::Object { name } if &**name == "Object" => match arguments.as_slice() {
                [Argument::Hash(members)] => Ok(object_of(members)),
                _ => Err(self.wrong_count("Object-Type", "1 argument", arguments.len())),
            },
            Type::Object { name } if &**name == "DefaultTypeSet" => Ok(left.clone()),
            Type::Reference(name) => {
                Err(self.failure(self.start, &format!("Resource type not found: {name}")))
            }
            other => {
                let label = label(other);
                let message = format!("Operator '[]' is not applicable to {label}.");
                Err(self.failure(self.start, &message))
            }
        }
    }

    fn enum_type(&self, left: &Type, mut arguments: Vec<Argument>) -> Parsed<Type> {
        let ignores_case = match arguments.last() {
            Some(Argument::Boolean(it)) => *it,
            _ => false,
        };
        if matches!(arguments.last(), Some(Argument::Boolean(_))) {
            arguments.pop();
        }
        let is_text = |it: &Argument| matches!(it, Argument::Text(_));
        self.check_keys(left, &arguments, None, "String", is_text)?;
        let text = |it| if let Argument::Text(text) = it { Some(text) } else { None };
        Ok(enum_of(arguments.into_iter().filter_map(text).collect(), ignores_case))
    }

    fn pattern(&self, left: &Type, arguments: &[Argument]) -> Parsed<Type> {
        let is_pattern = |it: &Argument| {
            matches!(
                it,
                Argument::Text(_)
                    | Argument::Regexp(_)
                    | Argument::Type(Type::Pattern(_) | Type::Regexp(_))
            )
        };
        let expected = "String or Regexp or Pattern-Type or Regexp-Type";
        self.check_keys(left, arguments, None, expected, is_pattern)?;
        pattern_of(arguments).expect("only patterns are left").map_err(regexp_problem)
    }

    fn regexp(&self, left: &Type, arguments: &[Argument]) -> Parsed<Type> {
        match arguments {
            [Argument::Text(source) | Argument::Regexp(source)] => {
                let compiled = Pattern::of(source).map_err(regexp_problem);
                compiled.map(|_| Type::Regexp(Some(source.clone())))
            }
            [argument] => Err(self.wrong_key(left, 0, argument, "String or Regexp")),
            _ => Err(self.wrong_count("A Regexp-Type", "1 argument", arguments.len())),
        }
    }

    fn time(&self, left: &Type, arguments: &[Argument], clock: Clock) -> Parsed<TimeRange> {
        if arguments.len() > 2 {
            let label = label_at_start(left);
            return Err(self.wrong_count(&label, "0 to 2 arguments", arguments.len()));
        }
        match TimeRange::of(arguments, clock) {
            Err(TimeProblem::Unknown(reason)) => Err(TypeProblem::Unknown(reason)),
            Err(TimeProblem::Refused(message)) => self.raised(Err(message)),
            Ok(range) => Ok(range),
        }
    }

    fn wrapped(&self, wrapper: Wrapper, arguments: &[Argument]) -> Parsed<Type> {
        let name = wrapper.name();
        let [argument] = arguments else {
            let wanted =
                if wrapper == Wrapper::NotUndef { "0 to 1 arguments" } else { "1 argument" };
            return Err(self.wrong_count(&format!("{name}-Type"), wanted, arguments.len()));
        };
        let inner = match (wrapper, argument) {
            (_, Argument::Type(it)) => it.clone(),
            (Wrapper::Optional | Wrapper::NotUndef, Argument::Text(text)) => {
                Type::String(StringKind::Exactly(text.clone()))
            }
            (Wrapper::NotUndef, other) => {
                let class = other.ruby_class();
                let message =
                    format!("NotUndef-Type[] argument must be a Type or a String. Got {class}");
                return Err(self.failure(self.key_start(0), &message));
            }
            (_, other) => return Err(self.not_types(name, 0, other)),
        };
        if wrapper == Wrapper::Sensitive && Init::cannot_be_generalized(&inner) {
            return self.raised(Err(init::NOT_GENERAL.to_owned()));
        }
        Ok(Type::wrapped(wrapper, inner))
    }

    fn struct_type(&self, arguments: &[Argument]) -> Parsed<Type> {
        let left = Type::Struct(Vec::new());
        let is_hash = |it: &Argument| matches!(it, Argument::Hash(_));
        self.check_keys(&left, arguments, Some(1), "Hash", is_hash)?;
        let Argument::Hash(members) = &arguments[0] else { return Ok(left) };
        self.raised(struct_of(members))
    }

    fn init(&self, mut arguments: Vec<Argument>) -> Parsed<Type> {
        // Empty brackets are a syntax error, so there is a first argument.
        let rest = arguments.split_off(1);
        match arguments.remove(0) {
            Argument::Type(wanted) => Ok(Init::of(wanted, rest)),
            other => Err(self.not_types("Init", 0, &other)),
        }
    }

    fn runtime(&self, left: &Type, arguments: &[Argument]) -> Parsed<Type> {
        if arguments.len() != 2 {
            return Err(self.wrong_count("A Runtime-Type", "1 to 2 arguments", arguments.len()));
        }
        let is_text = |it: &Argument| matches!(it, Argument::Text(_));
        self.check_keys(left, arguments, Some(2), "String or String", is_text)?;
        let text =
            |it: &Argument| if let Argument::Text(text) = it { Some(text.clone()) } else { None };
        Ok(Type::Runtime { runtime: text(&arguments[0]), name: text(&arguments[1]) })
    }

    /// One reference, or a list of several.
    fn classes(&self, arguments: Vec<Argument>) -> Parsed<Argument> {
        let is_list = arguments.len() > 1 || matches!(arguments.first(), Some(Argument::List(_)));
        let mut classes = Vec::new();
        for (index, argument) in flattened(arguments).into_iter().enumerate() {
            let start = self.key_start(index);
            let Argument::Text(written) = argument else {
                let label = label_of_argument(&argument);
                return Err(self.failure(
                    start,
                    &format!(
                        "Illegal Class name in class reference. {label} cannot be used where a String is expected"
                    ),
                ));
            };
            let name = class_name(&written).ok_or_else(|| {
                let rule = r"/^((::)?[a-z_]\w*)(::[a-z]\w*)*$/";
                let message = format!(
                    "Illegal name. The given name '{written}' does not conform to the naming rule {rule}"
                );
                self.failure(start, &message)
            })?;
            classes.push(Argument::Type(Type::Class(Some(name))));
        }
        Ok(if is_list { Argument::List(classes) } else { classes.remove(0) })
    }

    /// One reference, or a list of several.
    fn resources(&self, name: Option<&Arc<str>>, mut arguments: Vec<Argument>) -> Parsed<Argument> {
        let name: Arc<str> = match name {
            Some(name) => name.clone(),
            None => match arguments.remove(0) {
                Argument::Type(Type::Resource { name: Some(name), .. }) => name,
                Argument::Text(name) => capitalized(&name).into(),
                other => {
                    let got = other.general_type();
                    let message = format!(
                        "First argument to Resource[] must be a resource type or a String. Got {got}."
                    );
                    return Err(self.failure(self.key_start(0), &message));
                }
            },
        };
        if !is_type_name(&name) {
            let message = format!(
                "Illegal type reference. The given name '{name}' does not conform to the naming rule"
            );
            return Err(self.failure(self.key_start(0), &message));
        }
        let is_list = arguments.len() > 1 || matches!(arguments.first(), Some(Argument::List(_)));
        let reference = |title: Option<Arc<str>>| {
            Argument::Type(Type::Resource { name: Some(name.clone()), title })
        };
        let mut resources = Vec::new();
        for (index, argument) in flattened(arguments).into_iter().enumerate() {
            let Argument::Text(title) = argument else {
                let left = Type::Resource { name: Some(name.clone()), title: None };
                return Err(self.wrong_key(&left, index, &argument, "a resource title String"));
            };
            resources.push(reference(Some(title)));
        }
        if resources.is_empty() {
            resources.push(reference(None));
        }
        Ok(if is_list { Argument::List(resources) } else { resources.remove(0) })
    }

    pub(super) fn check_types(&self, left: &Type, arguments: &[Argument]) -> Parsed<()> {
        let is_type = |it: &Argument| matches!(it, Argument::Type(_));
        self.check_keys(left, arguments, None, "Any-Type", is_type)
    }

    fn check_keys(
        &self,
        left: &Type,
        arguments: &[Argument],
        most: Option<usize>,
        expected: &str,
        is_fine: impl Fn(&Argument) -> bool,
    ) -> Parsed<()> {
        if arguments.is_empty() || most.is_some_and(|it| arguments.len() > it) {
            let wanted = if most.is_some() { "1 argument" } else { "1 or more arguments" };
            return Err(self.wrong_count(&label_at_start(left), wanted, arguments.len()));
        }
        let wrong = arguments.iter().enumerate().find(|(_, it)| !is_fine(it));
        wrong.map_or(Ok(()), |(index, it)| Err(self.wrong_key(left, index, it, expected)))
    }

    fn wrong_key(
        &self,
        left: &Type,
        index: usize,
        argument: &Argument,
        expected: &str,
    ) -> TypeProblem {
        let (label, got) = (label(left), argument.general_type());
        let message = format!(
            "Error creating type specialization of {label}, Cannot use {got} where {expected} is expected"
        );
        self.failure(self.key_start(index), &message)
    }

    pub(super) fn not_types(&self, name: &str, index: usize, argument: &Argument) -> TypeProblem {
        let class = argument.ruby_class();
        let message = format!("{name}-Type[] arguments must be types. Got {class}");
        self.failure(self.key_start(index), &message)
    }

    pub(super) fn wrong_count(&self, label: &str, wanted: &str, given: usize) -> TypeProblem {
        self.failure(self.start, &format!("{label}[] accepts {wanted}. Got {given}"))
    }

    /// An exception that Ruby raises during the evaluation.
    pub(super) fn raised<T>(&self, result: Result<T, String>) -> Parsed<T> {
        result.map_err(|message| {
            let message = format!("Error while evaluating a '[]' expression, {message}");
            self.failure(self.start, &message)
        })
    }

    pub(super) fn key_start(&self, index: usize) -> usize {
        self.keys.get(index).map_or(self.start, |it| it.start)
    }

    pub(super) fn start(&self) -> usize {
        self.start
    }

    pub(super) fn failure(&self, start: usize, message: &str) -> TypeProblem {
        TypeProblem::Invalid(format!("Evaluation Error: {message} {}", place(self.text, start)))
    }
}

/// `an Enum-Type`
fn label(it: &Type) -> String {
    let name = match it {
        Type::Resource { name: Some(name), .. } => name,
        other => other.name(),
    };
    format!("{} {name}-Type", article(name))
}

/// `An Enum-Type`
fn label_at_start(it: &Type) -> String {
    let label = label(it);
    format!("A{}", &label[1..])
}

/// `An Integer`
fn label_of_argument(argument: &Argument) -> String {
    let class = argument.ruby_class();
    let article = if article(&class) == "an" { "An" } else { "A" };
    format!("{article} {class}")
}
