//! `Iterable[T]`: values that can be iterated over.

use super::guard::Guard;
use super::{IntegerRange, StringKind, StructElement, Type, Wrapper};
use crate::data::value::Value;

/// The items that a type yields when it is iterated over.
enum Items {
    None,
    Unknown,
    Of(Type),
}

/// Whether `Iterable[inner]` accepts the type.
pub(super) fn takes(inner: Option<&Type>, other: &Type, guard: &mut Guard) -> bool {
    let is_unspecific = inner.is_none_or(|it| it.assignable(&Type::Any, guard));
    match (inner, items_of(other)) {
        (_, items) if is_unspecific => !matches!(items, Items::None),
        (Some(inner), Items::Of(item)) => inner.assignable(&item, guard),
        _ => false,
    }
}

/// Whether a value is of the bare `Iterable`.
pub(super) fn is_iterable(value: &Value) -> bool {
    match value {
        // Puppet iterates over the numbers below a number, so `Iterable` accepts 3, but not -1.
        Value::Integer(it) => *it >= 0,
        Value::BigInteger(digits) => !digits.starts_with('-'),
        Value::String(_) | Value::Bytes(_) | Value::Array(_) | Value::Hash(_) => true,
        Value::Object(object) if &*object.class == "Type" => {
            let text = &object.text;
            super::parse(text).is_ok_and(|it| is_iterable_type(&it))
        }
        _ => false,
    }
}

fn is_iterable_type(it: &Type) -> bool {
    match it {
        Type::Enum { .. } => true,
        Type::Integer(range) => range.from.is_some() && range.to.is_some(),
        _ => false,
    }
}

fn items_of(collection: &Type) -> Items {
    let pair = |key: Type, value: Type| {
        // When Puppet iterates over a hash, each item is a list of the key and the value.
        Items::Of(Type::Tuple(vec![key, value], Some(IntegerRange::exactly(2))))
    };
    match collection {
        Type::Array(item, _) if **item != Type::Any => Items::Of((**item).clone()),
        Type::Array(..)
        | Type::Collection(_)
        | Type::Wrapped(Wrapper::Iterable | Wrapper::Iterator, None) => Items::Unknown,
        Type::Hash(..) if *collection == Type::hash() => pair(Type::Unit, Type::Unit),
        Type::Hash(key, value, _) => pair((**key).clone(), (**value).clone()),
        Type::Tuple(types, _) => Items::Of(Type::variant_of(types.iter().cloned())),
        Type::Struct(elements) if elements.is_empty() => pair(Type::Unit, Type::Unit),
        Type::Struct(elements) => {
            let key = |it: &StructElement| Type::String(StringKind::Exactly(it.name.clone()));
            pair(
                Type::variant_of(elements.iter().map(key)),
                Type::variant_of(elements.iter().map(|it| it.value.clone())),
            )
        }
        Type::String(_) | Type::Enum { .. } => {
            Items::Of(Type::String(StringKind::Sized(IntegerRange::exactly(1))))
        }
        Type::Integer(_) => Items::Of(Type::integer()),
        Type::Wrapped(Wrapper::Iterable | Wrapper::Iterator, Some(inner)) => {
            Items::Of((**inner).clone())
        }
        Type::Wrapped(Wrapper::Type, Some(inner)) if is_iterable_type(inner) => {
            Items::Of((**inner).clone())
        }
        _ => Items::None,
    }
}
