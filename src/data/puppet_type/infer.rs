//! Infers the type of a value.

use std::sync::Arc;

use super::common::common_type;
use super::regexp::source_of;
use super::time_range::{Clock, TimeRange};
use super::{IntegerRange, StringKind, StructElement, Type, Version, VersionRange, Wrapper, uri};
use crate::data::value::{Located, Value};

/// The type of a value, with one common type for all members of a collection: `Array[ScalarData, 2, 2]`.
pub fn type_of(value: &Value) -> Type {
    match value {
        Value::Array(items) if items.is_empty() => Type::empty_array(),
        Value::Array(items) => {
            let item = common_type_of(items.iter().map(|it| &it.value));
            Type::Array(Box::new(item), Some(IntegerRange::of_size(items.len())))
        }
        Value::Hash(hash) if hash.is_empty() => Type::empty_hash(),
        Value::Hash(hash) => {
            let key = common_type_of(hash.iter().map(|(key, _)| key));
            let value = common_type_of(hash.iter().map(|(_, member)| &member.value.value));
            Type::Hash(Box::new(key), Box::new(value), Some(IntegerRange::of_size(hash.len())))
        }
        other => simple_type_of(other),
    }
}

/// The type of a value, with a separate type for every member: `Tuple[…]`, `Struct[{…}]`.
pub fn type_set_of(value: &Value) -> Type {
    match value {
        Value::Array(items) if !items.is_empty() => {
            Type::Tuple(items.iter().map(|it| type_set_of(&it.value)).collect(), None)
        }
        Value::Hash(hash) if !hash.is_empty() => {
            // A `Struct` has only keys that are strings and not empty. One other key is enough to make the whole type a `Hash`.
            let elements: Option<Vec<StructElement>> = hash
                .iter()
                .map(|(key, member)| match key {
                    Value::String(name) if !name.is_empty() => Some(StructElement {
                        name: name.clone(),
                        is_optional: false,
                        value: type_set_of(&member.value.value),
                    }),
                    _ => None,
                })
                .collect();
            elements.map_or_else(
                || {
                    let keys =
                        Type::variant_of_inferred(hash.iter().map(|(key, _)| type_set_of(key)));
                    let values = hash.iter().map(|(_, member)| type_set_of(&member.value.value));
                    Type::Hash(
                        Box::new(keys),
                        Box::new(Type::variant_of_inferred(values)),
                        Some(IntegerRange::of_size(hash.len())),
                    )
                },
                Type::Struct,
            )
        }
        Value::Object(object) if &*object.class == "SemVer" => {
            let text = &object.text;
            let exactly = Version::parse(text).map(|it| Arc::new(VersionRange::exactly(&it)));
            Type::SemVer(exactly.into_iter().collect())
        }
        other => type_of(other),
    }
}

fn common_type_of<'a>(values: impl Iterator<Item = &'a Value>) -> Type {
    values.map(type_of).reduce(common_type).unwrap_or(Type::Any)
}

fn simple_type_of(value: &Value) -> Type {
    match value {
        Value::Undef => Type::Undef,
        Value::Default => Type::Default,
        Value::Boolean(it) => Type::Boolean(Some(*it)),
        Value::Integer(it) => Type::Integer(IntegerRange::exactly(i128::from(*it))),
        Value::BigInteger(digits) => Type::Integer(IntegerRange::exactly(big_integer(digits))),
        Value::Float(it) => Type::Float { from: *it, to: *it },
        Value::String(text) => Type::String(StringKind::Exactly(text.clone())),
        Value::Bytes(bytes) => {
            Type::String(StringKind::Exactly(String::from_utf8_lossy(bytes).into()))
        }
        // Puppet represents `default` by a symbol with this name.
        Value::Symbol(name) if &**name == "default" => Type::Default,
        Value::Symbol(name) if &**name == "undef" => Type::Undef,
        Value::Symbol(_) => ruby_class("Symbol"),
        Value::Sensitive(inner) => {
            let inner: &Located = inner;
            let generalized = type_of(&inner.value).generalized();
            Type::Wrapped(Wrapper::Sensitive, Some(Box::new(generalized)))
        }
        Value::Binary(_) => Type::Binary,
        Value::Object(object) => type_of_object(&object.class, &object.text),
        Value::Array(_) | Value::Hash(_) => type_of(value),
    }
}

fn type_of_object(class: &Arc<str>, text: &Arc<str>) -> Type {
    let range =
        |clock: Clock| clock.parse(text).map_or_else(|_| TimeRange::default(), TimeRange::exactly);
    match &**class {
        "Type" => {
            let inner = super::parse(text).unwrap_or_else(|_| Type::Reference(text.clone()));
            Type::Wrapped(Wrapper::Type, Some(Box::new(inner)))
        }
        "Runtime" => ruby_class(text),
        "Timestamp" => Type::Timestamp(range(Clock::Timestamp)),
        "Timespan" => Type::Timespan(range(Clock::Timespan)),
        "SemVer" => Type::SemVer(Vec::new()),
        "SemVerRange" => Type::SemVerRange,
        "URI" => Type::Uri(uri::members_of(text)),
        "Regexp" => Type::Regexp(Some(source_of(text).into())),
        _ => Type::Object { name: class.clone() },
    }
}

/// The type of Ruby objects that have no Puppet type.
fn ruby_class(name: &str) -> Type {
    Type::Runtime { runtime: Some("ruby".into()), name: Some(name.into()) }
}

/// The number, or the nearest number with 128 bits.
pub(super) fn big_integer(digits: &str) -> i128 {
    digits.parse().unwrap_or(if digits.starts_with('-') { i128::MIN } else { i128::MAX })
}
