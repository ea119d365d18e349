//! Interprets types in data, in aliases and on the command line: `Optional[Integer[0, 10]]`. Puppet reads these without
//! running code.

use super::aliases::{self, InProgress};
use super::argument::{Argument, float_range, range_of, range_of_arguments};
use super::callable::callable_of;
use super::common::enum_of;
use super::expression::{self, Expression, Kind, Parsed};
use super::format::object_of;
use super::init::{self, Init};
use super::regexp::{Pattern, pattern_of};
use super::resource::{capitalized, is_type_name};
use super::struct_of::struct_of;
use super::time_range::{Clock, TimeProblem, TimeRange};
use super::version::VersionRange;
use super::{IntegerRange, StringKind, Type, TypeAliases, Wrapper, names, uri};
use crate::syntax::ruby_regex::RegexProblem;

/// The maximum nesting of expressions and aliases.
const MAX_DEPTH: usize = 500;

/// Why a type expression is not a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeProblem {
    /// Puppet refuses it, with this message.
    Invalid(String),
    /// Puppet's behaviour is not known, for example because the type is defined in Puppet code.
    Unknown(String),
}

impl From<TimeProblem> for TypeProblem {
    fn from(problem: TimeProblem) -> Self {
        match problem {
            TimeProblem::Refused(message) => Self::Invalid(message),
            TimeProblem::Unknown(reason) => Self::Unknown(reason),
        }
    }
}

impl TypeProblem {
    /// Adds the name of the file to the problem.
    pub(super) fn in_file(self, path: &str) -> Self {
        let placed = |message: String| match message.rsplit_once(" (line: ") {
            Some((words, place)) => format!("{words} (file: {path}, line: {place}"),
            None => format!("{message} (file: {path})"),
        };
        match self {
            Self::Invalid(message) => Self::Invalid(placed(message)),
            Self::Unknown(message) => Self::Unknown(placed(message)),
        }
    }
}

/// The type that a text describes, without the aliases of modules.
///
/// # Errors
/// Puppet's message if we know it, or that the result is not known.
pub fn parse(text: &str) -> Result<Type, TypeProblem> {
    read(text, None)
}

impl TypeAliases {
    /// The type that a text describes.
    ///
    /// # Errors
    /// Puppet's message if we know it, or that the result is not known.
    pub fn parse(&self, text: &str) -> Result<Type, TypeProblem> {
        read(text, Some(self))
    }
}

fn read(text: &str, aliases: Option<&TypeAliases>) -> Result<Type, TypeProblem> {
    // Puppet has this one in a table of common types, although its parser would refuse it.
    if text == "Array[1]" {
        let size = IntegerRange { from: Some(1), to: None };
        return Ok(Type::Array(Box::new(Type::Any), Some(size)));
    }
    let expression = expression::expression(text)?;
    match Interpreter::new(aliases).argument(&expression, text)? {
        Argument::Type(it) => Ok(it),
        _ => Err(invalid_specification(text.trim())),
    }
}

/// The state while a type is interpreted.
pub(super) struct Interpreter<'a> {
    pub(super) aliases: Option<&'a TypeAliases>,
    pub(super) in_progress: InProgress,
    depth: usize,
}

impl<'a> Interpreter<'a> {
    pub(super) fn new(aliases: Option<&'a TypeAliases>) -> Self {
        Self { aliases, in_progress: InProgress::default(), depth: 0 }
    }

    /// The type that the body of an alias describes.
    pub(super) fn resolve_body(&mut self, body: &Expression, text: &str) -> Parsed<Type> {
        match self.argument(body, text)? {
            Argument::Type(it) => Ok(it),
            _ => Err(invalid_specification(&text[body.start..body.end])),
        }
    }

    fn argument(&mut self, expression: &Expression, text: &str) -> Parsed<Argument> {
        self.depth += 1;
        let argument = if self.depth > MAX_DEPTH {
            Err(TypeProblem::Invalid("stack level too deep".to_owned()))
        } else {
            self.argument_of(expression, text)
        };
        self.depth -= 1;
        argument
    }

    fn argument_of(&mut self, expression: &Expression, text: &str) -> Parsed<Argument> {
        let whole = &text[expression.start..expression.end];
        Ok(match &expression.kind {
            Kind::Undef => Argument::Undef,
            Kind::Default => Argument::Default,
            Kind::Boolean(it) => Argument::Boolean(*it),
            Kind::Integer(it) => Argument::Integer(i128::from(*it)),
            Kind::Float(it) => Argument::Float(*it),
            Kind::Text(it) => Argument::Text(it.clone()),
            Kind::Regexp(it) => Argument::Regexp(it.clone()),
            Kind::List(items) => Argument::List(self.arguments(items, text)?),
            Kind::Hash(members) => {
                let read = members.iter().map(|(key, value)| {
                    Ok((self.argument(key, text)?, self.argument(value, text)?))
                });
                Argument::Hash(read.collect::<Parsed<_>>()?)
            }
            Kind::Negative(inner) => match self.argument(inner, text)? {
                Argument::Integer(it) => Argument::Integer(-it),
                Argument::Float(it) => Argument::Float(-it),
                _ => return Err(invalid_specification(whole)),
            },
            Kind::Reference(name) => Argument::Type(self.named(name)?),
            Kind::Access(left, keys) => {
                let arguments = self.arguments(keys, text)?;
                let Kind::Reference(name) = &left.kind else {
                    return Err(invalid_specification(whole));
                };
                Argument::Type(self.parameterized(name, &arguments, whole)?)
            }
            Kind::Parenthesized(_) => return Err(invalid_specification(whole)),
            Kind::Block if text.trim().is_empty() => {
                let message = "The expression <> is not a valid type specification.";
                return Err(TypeProblem::Invalid(message.to_owned()));
            }
            Kind::Block => {
                return Err(TypeProblem::Unknown(format!(
                    "cannot read the type '{}'",
                    text.trim()
                )));
            }
        })
    }

    fn arguments(&mut self, expressions: &[Expression], text: &str) -> Parsed<Vec<Argument>> {
        expressions.iter().map(|it| self.argument(it, text)).collect()
    }

    /// The type with this name.
    pub(super) fn named(&mut self, name: &str) -> Parsed<Type> {
        match self.known(name)? {
            Some(known) => Ok(known),
            None if self.aliases.is_some() => Ok(Type::Reference(name.into())),
            None => Err(unknown_type(name)),
        }
    }

    /// The type with this name, if it is defined.
    pub(super) fn known(&mut self, name: &str) -> Parsed<Option<Type>> {
        let built_in = names::built_in(name);
        let (None, Some(aliases)) = (&built_in, self.aliases) else { return Ok(built_in) };
        let lower = name.to_ascii_lowercase();
        let alias = aliases::load(self, aliases, &lower)?;
        let resource = || Type::Resource { name: Some(capitalized(&lower).into()), title: None };
        Ok(alias.or_else(|| aliases.is_resource_type(&lower).then(resource)))
    }

    fn parameterized(&mut self, name: &str, arguments: &[Argument], text: &str) -> Parsed<Type> {
        let lower = name.to_ascii_lowercase();
        let built_in = names::built_in(&lower);
        if let Some(it) =
            collection(&lower, arguments, text).or_else(|| scalar(&lower, arguments, text))
        {
            return it;
        }
        let is_unparameterized =
            ["any", "data", "catalogentry", "scalar", "undef", "numeric", "default", "semverrange"];
        match &built_in {
            _ if is_unparameterized.contains(&&*lower) => Err(not_parameterized(name)),
            Some(Type::Wrapped(wrapper, _)) => wrapped(*wrapper, arguments, text),
            Some(it) => {
                special(it, &lower, arguments, text).unwrap_or_else(|| Err(not_parameterized(name)))
            }
            None => match self.known(name)? {
                Some(Type::Resource { name: Some(resource), .. }) => match arguments {
                    [Argument::Text(title)] => {
                        Ok(Type::Resource { name: Some(resource), title: Some(title.clone()) })
                    }
                    _ => Err(wrong_count(name, "1", arguments.len())),
                },
                Some(_) => Err(not_parameterized(name)),
                None if self.aliases.is_some() => Ok(Type::Reference(text.into())),
                None => Err(unknown_type(text)),
            },
        }
    }
}

fn unknown_type(name: &str) -> TypeProblem {
    TypeProblem::Unknown(format!("the type {name} is not known here"))
}

fn not_parameterized(name: &str) -> TypeProblem {
    TypeProblem::Invalid(format!("Not a parameterized type <{name}>"))
}

fn invalid_specification(text: &str) -> TypeProblem {
    TypeProblem::Invalid(format!("The expression <{text}> is not a valid type specification."))
}

fn wrong_count(name: &str, required: &str, given: usize) -> TypeProblem {
    TypeProblem::Invalid(format!(
        "Invalid number of type parameters specified: {name} requires {required}, {given} provided"
    ))
}

fn invalid<T>(message: String) -> Parsed<T> {
    Err(TypeProblem::Invalid(message))
}

/// A problem with a regular expression.
pub(super) fn regexp_problem(problem: RegexProblem) -> TypeProblem {
    match problem {
        RegexProblem::Invalid(message) => TypeProblem::Invalid(message),
        RegexProblem::Unsupported(message) => TypeProblem::Unknown(message),
    }
}

fn collection(lower: &str, arguments: &[Argument], text: &str) -> Option<Parsed<Type>> {
    Some(match lower {
        "array" => array_of(arguments, text),
        "hash" => hash_of(arguments, text),
        "tuple" => tuple_of(arguments, text),
        "struct" => match arguments {
            [Argument::Hash(members)] => struct_of(members).map_err(TypeProblem::Invalid),
            [_] => Err(invalid_specification(text)),
            _ => Err(wrong_count("Struct", "1", arguments.len())),
        },
        "collection" => match arguments.len() {
            1 | 2 => size_of(arguments, text).map(|it| Type::Collection(Some(it.to_size()))),
            count => Err(wrong_count("Collection", "1 to 2", count)),
        },
        "variant" => {
            let types: Parsed<Vec<Type>> =
                arguments.iter().map(|it| type_argument(it, text)).collect();
            types.map(Type::variant_of)
        }
        _ => return None,
    })
}

fn scalar(lower: &str, arguments: &[Argument], text: &str) -> Option<Parsed<Type>> {
    Some(match lower {
        "string" => match arguments.len() {
            1 | 2 => {
                size_of(arguments, text).map(|it| Type::String(StringKind::Sized(it.to_size())))
            }
            count => Err(wrong_count("String", "1 to 2", count)),
        },
        "integer" => integer_of(arguments, text),
        "float" => float_of(arguments, text),
        "boolean" => match arguments {
            [Argument::Boolean(it)] => Ok(Type::Boolean(Some(*it))),
            [_] => invalid("Boolean parameter must be true or false".to_owned()),
            _ => Err(wrong_count("Boolean", "1", arguments.len())),
        },
        "enum" => enum_type(arguments),
        "pattern" => match pattern_of(arguments) {
            Some(pattern) => pattern.map_err(regexp_problem),
            None => Err(TypeProblem::Unknown("cannot read a Pattern's parameters".to_owned())),
        },
        "regexp" => match arguments {
            [Argument::Text(source) | Argument::Regexp(source)] => Pattern::of(source)
                .map(|_| Type::Regexp(Some(source.clone())))
                .map_err(regexp_problem),
            [_] => Err(invalid_specification(text)),
            _ => Err(wrong_count("Regexp", "1", arguments.len())),
        },
        _ => return None,
    })
}

fn special(named: &Type, lower: &str, arguments: &[Argument], text: &str) -> Option<Parsed<Type>> {
    let count = arguments.len();
    let at_most_two = |name: &str| match count {
        0..=2 => Ok(()),
        _ => Err(wrong_count(name, "0 to 2", count)),
    };
    Some(match named {
        Type::Timestamp(_) => at_most_two("Timestamp").and_then(|()| {
            TimeRange::of(arguments, Clock::Timestamp)
                .map(Type::Timestamp)
                .map_err(TypeProblem::from)
        }),
        Type::Timespan(_) => at_most_two("Timespan").and_then(|()| {
            TimeRange::of(arguments, Clock::Timespan).map(Type::Timespan).map_err(TypeProblem::from)
        }),
        Type::SemVer(_) => versions_of(arguments).map_err(TypeProblem::Invalid),
        Type::Uri(_) if count == 1 => {
            uri::uri_of(&arguments[0]).ok_or_else(|| invalid_specification(text))
        }
        Type::Uri(_) => Err(wrong_count("URI", "1", count)),
        Type::Init(_) => match arguments.split_first() {
            Some((Argument::Type(wanted), rest)) => Ok(Init::of(wanted.clone(), rest.to_vec())),
            _ => Err(invalid_specification(text)),
        },
        Type::Callable(_) => callable_of(arguments).map_err(TypeProblem::Invalid),
        Type::Runtime { .. } => match arguments {
            [Argument::Text(runtime), Argument::Text(name)] => {
                Ok(Type::Runtime { runtime: Some(runtime.clone()), name: Some(name.clone()) })
            }
            [_, _] => Err(invalid_specification(text)),
            _ => Err(wrong_count("Runtime", "2", count)),
        },
        Type::Class(_) => match arguments {
            [Argument::Text(name)] => {
                Ok(Type::Class(Some(name.strip_prefix("::").unwrap_or(name).into())))
            }
            [_] => Err(invalid_specification(text)),
            _ => Err(wrong_count("Class", "1", count)),
        },
        Type::Resource { name: None, .. } => resource_of(arguments, text),
        Type::Resource { name, .. } => match arguments {
            [Argument::Text(title)] => {
                Ok(Type::Resource { name: name.clone(), title: Some(title.clone()) })
            }
            _ => Err(wrong_count(lower, "1", count)),
        },
        Type::Object { name } if &**name == "Object" => match arguments {
            [Argument::Hash(members)] => Ok(object_of(members)),
            [_] => Err(invalid_specification(text)),
            _ => Err(wrong_count("Object", "1", count)),
        },
        Type::Object { name } if &**name == "DefaultTypeSet" && count == 1 => Ok(named.clone()),
        _ => return None,
    })
}

/// `Resource['file', 'title']`, `Resource[File]`
fn resource_of(arguments: &[Argument], text: &str) -> Parsed<Type> {
    let title = match arguments {
        [_] => None,
        [_, Argument::Text(title)] => Some(title.clone()),
        [_, _] => return Err(invalid_specification(text)),
        _ => return Err(wrong_count("Resource", "1 or 2", arguments.len())),
    };
    let name = match &arguments[0] {
        Argument::Type(Type::Resource { name: Some(name), .. } | Type::Reference(name)) => {
            name.clone()
        }
        Argument::Text(name) => capitalized(name).into(),
        _ => return Err(invalid_specification(text)),
    };
    if !is_type_name(&name) {
        return invalid(format!("Illegal type name '{name}'"));
    }
    Ok(Type::Resource { name: Some(name), title })
}

/// `SemVer[…]`: ranges that overlap are merged.
pub(super) fn versions_of(arguments: &[Argument]) -> Result<Type, String> {
    let mut ranges = Vec::new();
    for argument in arguments {
        let Argument::Text(text) = argument else {
            return Err(format!("Unable to convert a {} to a SemVerRange", argument.ruby_class()));
        };
        let range = VersionRange::parse(text)
            .ok_or_else(|| format!("Unparsable version range: \"{text}\""))?;
        ranges.push(range.into());
    }
    if ranges.len() > 1 {
        ranges = super::normalize::merged_versions(ranges);
    }
    Ok(Type::SemVer(ranges))
}

fn type_argument(argument: &Argument, text: &str) -> Parsed<Type> {
    match argument {
        Argument::Type(it) => Ok(it.clone()),
        _ => Err(invalid_specification(text)),
    }
}

fn wrapped(wrapper: Wrapper, arguments: &[Argument], text: &str) -> Parsed<Type> {
    let [argument] = arguments else {
        let required = match wrapper {
            Wrapper::NotUndef | Wrapper::Sensitive => "0 to 1",
            _ => "1",
        };
        return Err(wrong_count(wrapper.name(), required, arguments.len()));
    };
    let inner = match (wrapper, argument) {
        (Wrapper::Optional | Wrapper::NotUndef, Argument::Text(text)) => {
            Type::String(StringKind::Exactly(text.clone()))
        }
        _ => type_argument(argument, text)?,
    };
    if wrapper == Wrapper::Sensitive && Init::cannot_be_generalized(&inner) {
        return invalid(init::NOT_GENERAL.to_owned());
    }
    Ok(Type::wrapped(wrapper, inner))
}

fn bounds<'a>(arguments: &'a [Argument], text: &str) -> Parsed<&'a [Argument]> {
    if arguments.iter().all(Argument::is_bound) {
        Ok(arguments)
    } else {
        Err(invalid_specification(text))
    }
}

/// A size as it is written: one integer type, or one or two bounds.
fn size_of(arguments: &[Argument], text: &str) -> Parsed<IntegerRange> {
    match arguments {
        [Argument::Type(Type::Integer(range))] => Ok(*range),
        _ => range_of_arguments(bounds(arguments, text)?).map_err(TypeProblem::Invalid),
    }
}

fn integer_of(arguments: &[Argument], text: &str) -> Parsed<Type> {
    match arguments.len() {
        1 | 2 => {
            let range =
                range_of_arguments(bounds(arguments, text)?).map_err(TypeProblem::Invalid)?;
            Ok(Type::Integer(range))
        }
        count => Err(wrong_count("Integer", "1 or 2", count)),
    }
}

fn float_of(arguments: &[Argument], text: &str) -> Parsed<Type> {
    let bound = |argument: &Argument, unbounded: f64| match argument {
        Argument::Float(it) => Ok(*it),
        #[expect(clippy::cast_precision_loss, reason = "Ruby's Float() loses it as well")]
        Argument::Integer(it) => Ok(*it as f64),
        Argument::Default => Ok(unbounded),
        _ => Err(invalid_specification(text)),
    };
    let (from, to) = match arguments {
        [from] => (bound(from, f64::NEG_INFINITY)?, f64::INFINITY),
        [from, to] => (bound(from, f64::NEG_INFINITY)?, bound(to, f64::INFINITY)?),
        _ => return Err(wrong_count("Float", "1 or 2", arguments.len())),
    };
    float_range(from, to).map_err(TypeProblem::Invalid)
}

fn enum_type(arguments: &[Argument]) -> Parsed<Type> {
    let (arguments, ignores_case) = match arguments {
        [rest @ .., Argument::Boolean(it)] => (rest, *it),
        all => (all, false),
    };
    if arguments.is_empty() {
        return Err(wrong_count("Enum", "1 or more", 0));
    }
    let values: Option<Vec<_>> = arguments
        .iter()
        .map(|it| if let Argument::Text(text) = it { Some(text.clone()) } else { None })
        .collect();
    match values {
        Some(values) => Ok(enum_of(values, ignores_case)),
        None => invalid("Enum parameters must be identifiers or strings".to_owned()),
    }
}

fn array_of(arguments: &[Argument], text: &str) -> Parsed<Type> {
    let (item, range) = match arguments {
        [Argument::Type(item)] => (item.clone(), None),
        [Argument::Type(item), rest @ ..] if rest.len() <= 2 => {
            (item.clone(), Some(size_of(rest, text)?))
        }
        // Puppet's parser reads the missing type as `default`, which becomes the type `Default`.
        [_, _] => (Type::Default, Some(size_of(arguments, text)?)),
        [_] | [_, _, _] => return Err(invalid_specification(text)),
        _ => return Err(wrong_count("Array", "1 to 3", arguments.len())),
    };
    Ok(Type::array_of(item, range))
}

fn hash_of(arguments: &[Argument], text: &str) -> Parsed<Type> {
    let (key, value, range) = match arguments {
        [Argument::Type(key), Argument::Type(value)] => (key.clone(), value.clone(), None),
        [_, _] => (Type::Default, Type::Default, Some(size_of(arguments, text)?)),
        [key, value, rest @ ..] if matches!(rest.len(), 1 | 2) => {
            let range = size_of(rest, text)?;
            (type_argument(key, text)?, type_argument(value, text)?, Some(range))
        }
        _ => return Err(wrong_count("Hash", "2 to 4", arguments.len())),
    };
    Ok(Type::hash_of(key, value, range))
}

fn tuple_of(arguments: &[Argument], text: &str) -> Parsed<Type> {
    let (types, bounds) = match arguments {
        [types @ .., from, to] if from.is_bound() => {
            if !to.is_bound() {
                return Err(invalid_specification(text));
            }
            (types, Some((from, to.bound())))
        }
        [types @ .., from] if from.is_bound() => (types, Some((from, None))),
        types => (types, None),
    };
    let size = bounds.map(|(from, to)| range_of(from.bound().or(Some(0)), to)).transpose();
    let size = size.map_err(TypeProblem::Invalid)?.map(IntegerRange::to_size);
    Ok(Type::Tuple(types.iter().map(Argument::as_type).collect(), size))
}
