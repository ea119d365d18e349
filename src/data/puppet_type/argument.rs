//! The arguments between the brackets of a type.

use std::sync::Arc;

use super::infer::type_of;
use super::{IntegerRange, Type, Wrapper};
use crate::data::value::{Hash, Value};

/// A parameter of a type, or a part of one.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Argument {
    Type(Type),
    Integer(i128),
    Float(f64),
    Text(Arc<str>),
    Regexp(Arc<str>),
    Boolean(bool),
    Default,
    Undef,
    List(Vec<Argument>),
    Hash(Vec<(Argument, Argument)>),
}

impl Argument {
    /// The name of the Ruby class, which some messages show.
    pub(super) fn ruby_class(&self) -> String {
        let name = match self {
            Self::Type(it) => {
                let name = it.class_name();
                return format!("Puppet::Pops::Types::P{name}Type");
            }
            Self::Integer(_) => "Integer",
            Self::Float(_) => "Float",
            Self::Text(_) => "String",
            Self::Regexp(_) => "Regexp",
            Self::Boolean(true) => "TrueClass",
            Self::Boolean(false) => "FalseClass",
            Self::Default => "Symbol",
            Self::Undef => "NilClass",
            Self::List(_) => "Array",
            Self::Hash(_) => "Hash",
        };
        name.to_owned()
    }

    /// The generalized type of the argument: `Integer`, `Type[String]`.
    pub(super) fn general_type(&self) -> Type {
        match self {
            Self::Type(it) => Type::Wrapped(Wrapper::Type, Some(Box::new(it.generalized()))),
            other => type_of(&other.to_value()).generalized(),
        }
    }

    /// The argument as a type: a type itself, or the type of any other value.
    pub(super) fn as_type(&self) -> Type {
        match self {
            Self::Type(it) => it.clone(),
            // Where Puppet expects a type and gets a string, it takes the string for the name of a Ruby class.
            Self::Text(name) => {
                Type::Runtime { runtime: Some("ruby".into()), name: Some(name.clone()) }
            }
            other => other.general_type(),
        }
    }

    pub(super) fn to_value(&self) -> Value {
        match self {
            Self::Type(it) => Value::object("Type", it.to_string()),
            Self::Integer(it) => i64::try_from(*it)
                .map_or_else(|_| Value::BigInteger(it.to_string().into()), Value::Integer),
            Self::Float(it) => Value::Float(*it),
            Self::Text(it) => Value::String(it.clone()),
            Self::Regexp(it) => Value::object("Regexp", format!("(?-mix:{it})")),
            Self::Boolean(it) => Value::Boolean(*it),
            Self::Default => Value::Default,
            Self::Undef => Value::Undef,
            Self::List(items) => {
                Value::array(items.iter().map(|it| it.to_value().into()).collect())
            }
            Self::Hash(members) => {
                let mut hash = Hash::new();
                for (key, value) in members {
                    hash.insert(key.to_value(), None, value.to_value().into());
                }
                Value::hash(hash)
            }
        }
    }

    /// Whether the argument is valid as a bound of a size.
    pub(super) fn is_bound(&self) -> bool {
        match self {
            Self::Integer(_) | Self::Default => true,
            Self::Text(it) => &**it == "default",
            _ => false,
        }
    }

    /// The argument as a bound; `None` means unbounded.
    pub(super) fn bound(&self) -> Option<i128> {
        if let Self::Integer(it) = self { Some(*it) } else { None }
    }
}

/// Flattens the lists in the arguments, at any depth.
pub(super) fn flattened(arguments: Vec<Argument>) -> Vec<Argument> {
    let mut flat = Vec::new();
    for argument in arguments {
        match argument {
            Argument::List(items) => flat.extend(flattened(items)),
            other => flat.push(other),
        }
    }
    flat
}

/// The range with these two bounds, which must be in order.
pub(super) fn range_of(from: Option<i128>, to: Option<i128>) -> Result<IntegerRange, String> {
    match (from, to) {
        (Some(low), Some(high)) if low > high => Err(out_of_order(low, high)),
        _ => Ok(IntegerRange { from, to }),
    }
}

/// The range that one or two arguments describe.
pub(super) fn range_of_arguments(bounds: &[Argument]) -> Result<IntegerRange, String> {
    range_of(bounds.first().and_then(Argument::bound), bounds.get(1).and_then(Argument::bound))
}

/// The range of a `Float`.
pub(super) fn float_range(from: f64, to: f64) -> Result<Type, String> {
    let shown = crate::data::inspect::float_to_s;
    if from > to { Err(out_of_order(shown(from), shown(to))) } else { Ok(Type::Float { from, to }) }
}

/// Puppet's message, in which a bracket is missing.
pub(super) fn out_of_order(from: impl std::fmt::Display, to: impl std::fmt::Display) -> String {
    format!("'from' must be less or equal to 'to'. Got ({from}, {to}")
}
