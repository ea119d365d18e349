//! From the name and the parameters of a type expression to the type.

use std::sync::Arc;

use super::common::enum_of;
use super::parse::{Argument, Parsed, TypeProblem};
use super::{Alias, IntegerRange, Pattern, StringKind, StructElement, Type, Wrapper};
use crate::syntax::ruby_regex;

pub(super) fn invalid_specification(text: &str) -> TypeProblem {
    TypeProblem::Invalid(format!("The expression <{text}> is not a valid type specification."))
}

fn wrong_count(name: &str, required: &str, given: usize) -> TypeProblem {
    TypeProblem::Invalid(format!(
        "Invalid number of type parameters specified: {name} requires {required}, {given} provided"
    ))
}

pub(super) fn named_type(name: &str) -> Parsed<Type> {
    let object = |name: &str| Type::Object { name: name.into(), only: None };
    let wrapped = |wrapper| Type::Wrapped(wrapper, None);
    let lower = name.trim_start_matches("::").to_ascii_lowercase();
    Ok(match lower.as_str() {
        "any" => Type::Any,
        "undef" => Type::Undef,
        "default" => Type::Default,
        "scalar" => Type::Scalar,
        "scalardata" => Type::ScalarData,
        "numeric" => Type::Numeric,
        "boolean" => Type::Boolean(None),
        "integer" => Type::integer(),
        "float" => Type::float(),
        "string" => Type::string(),
        "enum" => enum_of(Vec::new(), false),
        "pattern" => Type::Pattern(Vec::new()),
        "regexp" => Type::Regexp(None),
        "collection" => Type::Collection(None),
        "array" => Type::array(),
        "hash" => Type::hash(),
        "tuple" => Type::Tuple(Vec::new(), None),
        "struct" => Type::Struct(Vec::new()),
        "variant" => Type::Variant(Vec::new()),
        "optional" => wrapped(Wrapper::Optional),
        "notundef" => wrapped(Wrapper::NotUndef),
        "sensitive" => wrapped(Wrapper::Sensitive),
        "type" => wrapped(Wrapper::Type),
        "iterable" => wrapped(Wrapper::Iterable),
        "binary" => Type::Binary,
        "timestamp" => object("Timestamp"),
        "timespan" => object("Timespan"),
        "semver" => object("SemVer"),
        "semverrange" => object("SemVerRange"),
        "uri" => object("URI"),
        "data" => Type::Alias(Alias::Data),
        "richdata" => Type::Alias(Alias::RichData),
        "richdatakey" => Type::Alias(Alias::RichDataKey),
        "puppet::lookupkey" => Type::Alias(Alias::LookupKey),
        "puppet::lookupvalue" => Type::Alias(Alias::LookupValue),
        "callable" => Type::Other("Callable".into()),
        "class" => Type::Other("Class".into()),
        "resource" => Type::Other("Resource".into()),
        "catalogentry" => Type::Other("CatalogEntry".into()),
        _ => return Err(TypeProblem::Unknown(format!("the type {name} is not known here"))),
    })
}

pub(super) fn parameterized(name: &str, arguments: &[Argument], text: &str) -> Parsed<Type> {
    let lower = name.to_ascii_lowercase();
    match lower.as_str() {
        "array" => array_of(arguments, text),
        "hash" => hash_of(arguments, text),
        "tuple" => tuple_of(arguments, text),
        "struct" => struct_of(arguments, text),
        "collection" => match arguments.len() {
            1 | 2 => Ok(Type::Collection(Some(size_of(arguments, text)?))),
            count => Err(wrong_count("Collection", "1 to 2", count)),
        },
        "string" => match arguments {
            [_] | [_, _] => Ok(Type::String(StringKind::Sized(size_of(arguments, text)?))),
            _ => Err(wrong_count("String", "1 to 2", arguments.len())),
        },
        "integer" => integer_of(arguments, text),
        "float" => float_of(arguments, text),
        "boolean" => match arguments {
            [Argument::Boolean(it)] => Ok(Type::Boolean(Some(*it))),
            [_] => Err(TypeProblem::Invalid("Boolean parameter must be true or false".to_owned())),
            _ => Err(wrong_count("Boolean", "1", arguments.len())),
        },
        "enum" => enum_type(arguments),
        "pattern" => pattern_of(arguments),
        "variant" => {
            let types: Parsed<Vec<Type>> =
                arguments.iter().map(|it| type_argument(it, text)).collect();
            Ok(Type::variant_of(types?))
        }
        "optional" => wrapped(Wrapper::Optional, arguments, text),
        "notundef" => wrapped(Wrapper::NotUndef, arguments, text),
        "sensitive" => match wrapped(Wrapper::Sensitive, arguments, text)? {
            Type::Wrapped(_, Some(inner)) => {
                Ok(Type::Wrapped(Wrapper::Sensitive, Some(Box::new(inner.generalized()))))
            }
            other => Ok(other),
        },
        "type" => wrapped(Wrapper::Type, arguments, text),
        "iterable" => wrapped(Wrapper::Iterable, arguments, text),
        "any" | "catalogentry" | "scalar" | "undef" | "numeric" | "default" | "semverrange"
        | "data" => Err(TypeProblem::Invalid(format!("Not a parameterized type <{name}>"))),
        _ => Err(TypeProblem::Unknown(format!("the type {text} is not known here"))),
    }
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
    let inner = if wrapper == Wrapper::NotUndef && inner == Type::Any { None } else { Some(inner) };
    Ok(Type::Wrapped(wrapper, inner.map(Box::new)))
}

fn bound(argument: &Argument, text: &str) -> Parsed<Option<i128>> {
    match argument {
        Argument::Integer(it) => Ok(Some(*it)),
        Argument::Default => Ok(None),
        Argument::Text(it) if &**it == "default" => Ok(None),
        _ => Err(invalid_specification(text)),
    }
}

/// The integer range of one or two bounds, which must be in order.
fn range_of(from: Option<i128>, to: Option<i128>) -> Parsed<IntegerRange> {
    match (from, to) {
        (Some(low), Some(high)) if low > high => Err(TypeProblem::Invalid(format!(
            "'from' must be less or equal to 'to'. Got ({low}, {high}"
        ))),
        _ => Ok(IntegerRange { from, to }),
    }
}

fn size_of(arguments: &[Argument], text: &str) -> Parsed<IntegerRange> {
    let range = match arguments {
        [Argument::Type(Type::Integer(range))] => *range,
        [from] => range_of(bound(from, text)?, None)?,
        [from, to] => range_of(bound(from, text)?, bound(to, text)?)?,
        _ => return Err(invalid_specification(text)),
    };
    Ok(range.to_size())
}

fn integer_of(arguments: &[Argument], text: &str) -> Parsed<Type> {
    let (from, to) = match arguments {
        [from] => (bound(from, text)?, None),
        [from, to] => (bound(from, text)?, bound(to, text)?),
        _ => return Err(wrong_count("Integer", "1 or 2", arguments.len())),
    };
    Ok(Type::Integer(range_of(from, to)?))
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
    if from > to {
        let (from, to) =
            (crate::data::inspect::float_to_s(from), crate::data::inspect::float_to_s(to));
        return Err(TypeProblem::Invalid(format!(
            "'from' must be less or equal to 'to'. Got ({from}, {to}"
        )));
    }
    Ok(Type::Float { from, to })
}

fn enum_type(arguments: &[Argument]) -> Parsed<Type> {
    let (arguments, ignores_case) = match arguments {
        [rest @ .., Argument::Boolean(it)] => (rest, *it),
        all => (all, false),
    };
    if arguments.is_empty() {
        return Err(wrong_count("Enum", "1 or more", 0));
    }
    let values: Option<Vec<Arc<str>>> = arguments
        .iter()
        .map(|it| match it {
            Argument::Text(text) => Some(text.clone()),
            _ => None,
        })
        .collect();
    values.map(|values| enum_of(values, ignores_case)).ok_or_else(|| {
        TypeProblem::Invalid("Enum parameters must be identifiers or strings".to_owned())
    })
}

fn pattern_of(arguments: &[Argument]) -> Parsed<Type> {
    let mut patterns: Vec<Arc<Pattern>> = Vec::new();
    for argument in arguments {
        match argument {
            Argument::Regexp(source) | Argument::Text(source) => {
                patterns.push(Arc::new(Pattern::new(source, regex_of(source)?)));
            }
            Argument::Type(Type::Pattern(more)) => patterns.extend(more.iter().cloned()),
            _ => return Err(TypeProblem::Unknown("cannot read a Pattern's parameters".to_owned())),
        }
    }
    let mut distinct: Vec<Arc<Pattern>> = Vec::new();
    for pattern in patterns {
        if !distinct.contains(&pattern) {
            distinct.push(pattern);
        }
    }
    Ok(Type::Pattern(distinct))
}

fn regex_of(source: &str) -> Parsed<ruby_regex::RubyRegex> {
    ruby_regex::translate(source).map_err(|it| TypeProblem::Unknown(it.to_string()))
}

fn array_of(arguments: &[Argument], text: &str) -> Parsed<Type> {
    let (item, range) = match arguments {
        [Argument::Type(item)] => (item.clone(), None),
        [Argument::Type(item), rest @ ..] if rest.len() <= 2 => {
            (item.clone(), Some(size_of(rest, text)?))
        }
        // Puppet's parser takes the missing type for `default`, which is the type `Default`.
        [_, _] => (Type::Default, Some(size_of(arguments, text)?)),
        [_] | [_, _, _] => return Err(invalid_specification(text)),
        _ => return Err(wrong_count("Array", "1 to 3", arguments.len())),
    };
    let item = if range.is_some_and(IntegerRange::is_empty) { Type::Unit } else { item };
    Ok(Type::Array(Box::new(item), range))
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
    if range.is_some_and(IntegerRange::is_empty) {
        return Ok(Type::empty_hash());
    }
    Ok(Type::Hash(Box::new(key), Box::new(value), range))
}

fn tuple_of(arguments: &[Argument], text: &str) -> Parsed<Type> {
    let is_bound = |it: &Argument| matches!(it, Argument::Integer(_) | Argument::Default);
    let (types, range) = match arguments {
        [types @ .., from, to] if is_bound(from) => {
            let from = bound(from, text)?.or(Some(0));
            (types, Some(range_of(from, bound(to, text)?)?.to_size()))
        }
        [types @ .., from] if is_bound(from) => {
            (types, Some(range_of(bound(from, text)?.or(Some(0)), None)?.to_size()))
        }
        types => (types, None),
    };
    let types: Parsed<Vec<Type>> = types.iter().map(|it| type_argument(it, text)).collect();
    Ok(Type::Tuple(types?, range))
}

fn struct_of(arguments: &[Argument], text: &str) -> Parsed<Type> {
    let [Argument::Hash(members)] = arguments else {
        return Err(match arguments.len() {
            1 => invalid_specification(text),
            count => wrong_count("Struct", "1", count),
        });
    };
    let elements: Parsed<Vec<StructElement>> = members
        .iter()
        .map(|(key, value)| {
            let value = type_argument(value, text)?;
            let (name, is_optional) = match key {
                Argument::Text(name) => (name, value.is_assignable(&Type::Undef)),
                Argument::Type(Type::Wrapped(wrapper, Some(inner))) => match &**inner {
                    Type::String(StringKind::Exactly(name)) => {
                        (name, *wrapper == Wrapper::Optional)
                    }
                    _ => return Err(unknown_key()),
                },
                _ => return Err(unknown_key()),
            };
            if name.is_empty() {
                let message = "Struct element key cannot be an empty String".to_owned();
                return Err(TypeProblem::Invalid(message));
            }
            Ok(StructElement { name: name.clone(), is_optional, value })
        })
        .collect();
    Ok(Type::Struct(elements?))
}

fn unknown_key() -> TypeProblem {
    TypeProblem::Unknown("cannot read a Struct's keys".to_owned())
}
