//! `convert_to` in lookup_options: `Type.new(value, …)` for the common types.
//!
//! If this module does not know what Puppet would do (types of modules, unusual arguments), the result is an error of its own
//! class, [`FailureClass::Unsupported`], never a guess.

mod collections;
mod format;
mod numbers;
mod objects;
mod text;
mod timespan;
mod timestamp;

use super::failure::{Failure, FailureClass};
use crate::data::puppet_type::{self, Alias, TimeProblem, Type, TypeProblem, Wrapper};
use crate::data::value::{Located, Value};

/// Why a conversion has no result.
enum ConversionFailure {
    /// Puppet refuses, with this message.
    Error(String),
    /// We do not know what Puppet does.
    Unknown(String),
}

/// Puppet's words about a type without values that can be created.
const NOT_CREATABLE: &str = "Creation of new instance of type";

impl From<TimeProblem> for ConversionFailure {
    fn from(problem: TimeProblem) -> Self {
        match problem {
            TimeProblem::Refused(message) => Self::Error(message),
            TimeProblem::Unknown(reason) => Self::Unknown(reason),
        }
    }
}

type Converted = Result<Located, ConversionFailure>;

/// Converts a value according to the option `convert_to`: a type, or a list of a type and arguments.
///
/// # Errors
/// Puppet's message, with the key that was looked up, or that the result is not known.
pub fn convert(key: &str, spec: &Value, value: Located) -> Result<Located, Failure> {
    let (wanted, arguments) = parts_of(spec);
    let converted = match wanted {
        Value::String(text) => {
            let wanted = puppet_type::parse(text).map_err(|problem| match problem {
                // The quotes are Puppet's.
                TypeProblem::Invalid(message) => Failure::lookup(format!(
                    "Invalid data type in lookup_options for key '{key}' could not parse '{text}', \
                     error: '{message}"
                )),
                TypeProblem::Unknown(reason) => Failure::of(FailureClass::Unsupported, reason),
            })?;
            new_instance(&wanted, value, arguments)
        }
        other => Err(ConversionFailure::Error(format!(
            "'new' parameter 'type' expects a Type value, got {}",
            puppet_type::infer(other)
        ))),
    };
    converted.map_err(|refusal| match refusal {
        ConversionFailure::Error(message) => Failure::lookup(refusal_of(key) + &message),
        ConversionFailure::Unknown(reason) => Failure::of(FailureClass::Unsupported, reason),
    })
}

/// The start of Puppet's message if the value of `key` cannot be converted.
pub fn refusal_of(key: &str) -> String {
    format!("The convert_to lookup_option for key '{key}' raised error: ")
}

/// Whether a message of [`convert`] says that no value can be converted, because of the type.
pub fn is_about_the_type(message: &str) -> bool {
    is_not_a_type(message) || message.contains(NOT_CREATABLE)
}

/// Whether a message of [`convert`] says that another value of `key` might be converted.
pub fn is_about_the_value(key: &str, message: &str) -> bool {
    message.starts_with(&refusal_of(key)) && !is_about_the_type(message)
}

/// Whether a message of [`convert`] says that `convert_to` does not name a type.
pub fn is_not_a_type(message: &str) -> bool {
    ["Invalid data type in lookup_options", "expects a Type value"]
        .iter()
        .any(|words| message.contains(words))
}

/// Whether a conversion makes values `Sensitive`: the type itself, or one through which Puppet creates that. An alias that a
/// module defines may stand for it, too.
pub fn makes_sensitive(spec: &Value) -> bool {
    let Value::String(text) = parts_of(spec).0 else { return false };
    match puppet_type::parse(text) {
        Ok(wanted) => creates_sensitive(&wanted),
        Err(TypeProblem::Unknown(_)) => true,
        Err(TypeProblem::Invalid(_)) => text.contains(SENSITIVE),
    }
}

/// The name of the type that makes values sensitive.
pub const SENSITIVE: &str = "Sensitive";

/// Whether the text of a file with `lookup_options` may name a type that makes values `Sensitive`: by its name, by an alias of a
/// module, or with escapes. This is all that can be said of a text that cannot be parsed.
pub fn may_name_sensitive(text: &str) -> bool {
    let starts_alias = |(at, _): (usize, &str)| {
        text[at + 2..].starts_with(|letter: char| letter.is_ascii_uppercase())
    };
    text.contains(SENSITIVE)
        || text.match_indices("::").any(starts_alias)
        || ["\\x", "\\u", "\\U", "\\\n", "\\\r"].iter().any(|escape| text.contains(escape))
}

fn creates_sensitive(wanted: &Type) -> bool {
    match wanted {
        Type::Wrapped(Wrapper::Sensitive, _) => true,
        Type::Wrapped(Wrapper::Optional | Wrapper::NotUndef, Some(inner)) => {
            creates_sensitive(inner)
        }
        Type::Init(Some(init)) => creates_sensitive(&init.wanted),
        _ => false,
    }
}

/// The type and its arguments as explain shows them: `[Integer, 16]`.
pub fn arguments_text(spec: &Value) -> String {
    let (wanted, arguments) = parts_of(spec);
    let wanted = match wanted {
        Value::String(text) => {
            puppet_type::parse(text).map_or_else(|_| text.to_string(), |it| it.to_string())
        }
        other => text::inside(other),
    };
    let arguments = arguments.iter().map(|it| text::inside(&it.value));
    format!("[{}]", std::iter::once(wanted).chain(arguments).collect::<Vec<_>>().join(", "))
}

/// The type and the further arguments.
fn parts_of(spec: &Value) -> (&Value, &[Located]) {
    match spec {
        Value::Array(items) => match items.as_slice() {
            [wanted, arguments @ ..] => (&wanted.value, arguments),
            [] => (&Value::Undef, &[]),
        },
        other => (other, &[]),
    }
}

/// `Type.new(value, …)`. A value that already has the type stays as it is.
fn new_instance(wanted: &Type, value: Located, arguments: &[Located]) -> Converted {
    // With arguments, Puppet converts an instance, too: `[String, '%x']` formats a string. `Init` contains what is yet to be
    // converted.
    let is_converted = !matches!(wanted, Type::Init(_)) && wanted.is_instance(&value.value);
    if arguments.is_empty() && is_converted {
        return Ok(value);
    }
    let converted = create(wanted, wanted, value, arguments)?;
    let subject = format!("Converted value from {wanted}.new()");
    puppet_type::assert_instance(&subject, wanted, &converted.value)
        .map_err(ConversionFailure::Error)?;
    Ok(converted)
}

fn create(whole: &Type, wanted: &Type, value: Located, arguments: &[Located]) -> Converted {
    let place = value.place;
    let placed = |it: Value| Located::new(it, place);
    match wanted {
        Type::Integer(_) => numbers::integer(&value.value, arguments).map(placed),
        Type::Float { .. } => numbers::float(&value.value, arguments).map(placed),
        Type::Numeric => numbers::numeric(&value.value, arguments).map(placed),
        Type::Boolean(_) => boolean(&value.value, arguments).map(placed),
        Type::String(_) => text::string(&value.value, arguments).map(placed),
        Type::Array(..) | Type::Tuple(..) => collections::array(value, arguments),
        Type::Hash(..) | Type::Struct(_) => collections::hash(value, arguments),
        Type::Binary => collections::binary(&value.value, arguments).map(placed),
        Type::Regexp(_) => objects::regexp(wanted, &value.value, arguments).map(placed),
        Type::Wrapped(Wrapper::Type, _) => {
            objects::puppet_type_of(wanted, &value.value, arguments).map(placed)
        }
        Type::Timestamp(_) => timestamp::timestamp(wanted, &value.value, arguments).map(placed),
        Type::Timespan(_) => timespan::timespan(wanted, &value.value, arguments).map(placed),
        Type::SemVer(_) => objects::version(wanted, &value.value, arguments).map(placed),
        Type::Wrapped(Wrapper::Sensitive, _) => match (&value.value, arguments) {
            (Value::Sensitive(_), []) => Ok(value),
            (_, []) => Ok(Located::new(Value::Sensitive(value.into()), place)),
            _ => Err(unknown_arguments(wanted)),
        },
        Type::Wrapped(Wrapper::NotUndef, None) if arguments.is_empty() => Ok(value),
        Type::Wrapped(Wrapper::Optional | Wrapper::NotUndef, Some(inner)) => {
            create(whole, inner, value, arguments)
        }
        // Puppet would print a whole type set, which differs between versions.
        Type::Alias(Alias::RichData | Alias::LookupValue) => Err(unknown_arguments(whole)),
        Type::Alias(alias) => create(whole, alias.resolved(), value, arguments),
        Type::Wrapped(Wrapper::Iterable, _)
        | Type::Any
        | Type::Scalar
        | Type::ScalarData
        | Type::Undef
        | Type::Default
        | Type::Enum { .. }
        | Type::Pattern(_)
        | Type::Collection(_)
        | Type::Variant(_)
        | Type::Callable(_)
        | Type::CatalogEntry
        | Type::Class(_)
        | Type::Resource { .. } => {
            Err(ConversionFailure::Error(format!("{NOT_CREATABLE} '{wanted}' is not supported")))
        }
        _ => Err(ConversionFailure::Unknown(format!("what {whole}.new() gives is not known here"))),
    }
}

fn boolean(value: &Value, arguments: &[Located]) -> Result<Value, ConversionFailure> {
    let refused = |what: String| {
        Err(ConversionFailure::Error(format!(
            "'new_boolean' {what} cannot be converted to Boolean"
        )))
    };
    if !arguments.is_empty() {
        let given = arguments.len() + 1;
        return Err(ConversionFailure::Error(format!(
            "'new_boolean' expects 1 argument, got {given}"
        )));
    }
    match value {
        Value::Boolean(_) => Ok(value.clone()),
        Value::Integer(it) => Ok(Value::Boolean(*it != 0)),
        Value::BigInteger(_) => Ok(Value::Boolean(true)),
        Value::Float(it) if is_numeric(value) => Ok(Value::Boolean(*it != 0.0)),
        Value::String(text) => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "y" => Ok(Value::Boolean(true)),
            "false" | "no" | "n" => Ok(Value::Boolean(false)),
            _ => refused(format!("The string '{text}'")),
        },
        other => refused(value_of_type(other)),
    }
}

/// Whether a function that takes numbers takes the value: NaN is none for Puppet's types.
fn is_numeric(value: &Value) -> bool {
    Type::Numeric.is_instance(value)
}

/// `Value of type Array[Integer]`
fn value_of_type(value: &Value) -> String {
    format!("Value of type {}", puppet_type::type_of(value).generalized())
}

/// Arguments that Puppet refuses with a long description of everything that it accepts.
fn unknown_arguments(wanted: &Type) -> ConversionFailure {
    ConversionFailure::Unknown(format!(
        "{}.new() with these arguments is not supported",
        wanted.name()
    ))
}

#[cfg(test)]
mod tests;
