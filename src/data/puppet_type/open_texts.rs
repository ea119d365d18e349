//! Values that contain strings that are not completely known: whether they fit a type nevertheless.

use super::{StringKind, StructElement, Type, Wrapper, type_set_of};
use crate::data::value::Value;

/// Deeper types count as `Any`.
const MAX_DEPTH: usize = 100;

/// Whether a value is of a type, whatever the strings for which `is_open` holds become. `None` if it depends on these
/// strings.
pub fn fit_of_open(expected: &Type, value: &Value, is_open: &dyn Fn(&str) -> bool) -> Option<bool> {
    if has_open_key(value, is_open) {
        // Such a key can become any member of a `Struct`, or equal another key.
        return (*expected == Type::Any).then_some(true);
    }
    let actual = with_any_text(&type_set_of(value), is_open);
    // If every string fits, then so does whatever the open ones become.
    if expected.is_assignable(&actual) {
        return Some(true);
    }
    (!loosened(expected, MAX_DEPTH).is_instance(value)).then_some(false)
}

fn has_open_key(value: &Value, is_open: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|it| has_open_key(&it.value, is_open)),
        Value::Hash(hash) => hash.iter().any(|(key, member)| {
            key.as_str().is_some_and(is_open) || has_open_key(&member.value.value, is_open)
        }),
        Value::Sensitive(inner) => has_open_key(&inner.value, is_open),
        _ => false,
    }
}

/// The type of a value, with `String` instead of the open strings.
fn with_any_text(actual: &Type, is_open: &dyn Fn(&str) -> bool) -> Type {
    let inner = |it: &Type| with_any_text(it, is_open);
    match actual {
        Type::String(StringKind::Exactly(text)) if is_open(text) => Type::string(),
        Type::Array(item, size) => Type::Array(Box::new(inner(item)), *size),
        Type::Hash(key, value, size) => {
            Type::Hash(Box::new(inner(key)), Box::new(inner(value)), *size)
        }
        Type::Tuple(types, size) => Type::Tuple(types.iter().map(inner).collect(), *size),
        Type::Struct(elements) => {
            Type::Struct(elements.iter().map(|it| element(it, &inner)).collect())
        }
        Type::Variant(types) => Type::variant_of(types.iter().map(inner)),
        Type::Wrapped(wrapper, wrapped) => {
            Type::Wrapped(*wrapper, wrapped.as_ref().map(|it| Box::new(inner(it))))
        }
        other => other.clone(),
    }
}

/// The type without its restrictions on strings. A value that does not fit even this type does not fit, whatever its strings
/// are.
fn loosened(expected: &Type, depth: usize) -> Type {
    if depth == 0 {
        return Type::Any;
    }
    let inner = |it: &Type| loosened(it, depth - 1);
    match expected {
        Type::String(_) | Type::Enum { .. } | Type::Pattern(_) => Type::string(),
        Type::Array(item, size) => Type::Array(Box::new(inner(item)), *size),
        Type::Hash(key, value, size) => {
            Type::Hash(Box::new(inner(key)), Box::new(inner(value)), *size)
        }
        Type::Tuple(types, size) => Type::Tuple(types.iter().map(inner).collect(), *size),
        Type::Struct(elements) => {
            Type::Struct(elements.iter().map(|it| element(it, &inner)).collect())
        }
        Type::Variant(types) => Type::variant_of(types.iter().map(inner)),
        Type::Wrapped(
            wrapper @ (Wrapper::Optional | Wrapper::NotUndef | Wrapper::Sensitive),
            it,
        ) => Type::Wrapped(*wrapper, it.as_ref().map(|it| Box::new(inner(it)))),
        Type::Named(named) if named.is_recursive() => Type::Any,
        Type::Named(named) => named.with_resolved(inner),
        Type::Wrapped(..) | Type::Init(_) | Type::Reference(_) => Type::Any,
        other => other.clone(),
    }
}

fn element(it: &StructElement, inner: &dyn Fn(&Type) -> Type) -> StructElement {
    StructElement { value: inner(&it.value), ..it.clone() }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[track_caller]
    fn check(expected: &str, value: &Value, fits: Option<bool>) {
        let parsed = parse(expected).expect("a type");
        let found = fit_of_open(&parsed, value, &|text| text.contains("%{"));
        assert_eq!(found, fits, "{expected}");
    }

    #[test]
    fn texts_decide_only_where_the_type_asks_for_more_than_a_text() {
        let open = Value::string("a%{b}");
        check("String", &open, Some(true));
        check("Variant[Integer, String]", &open, Some(true));
        check("String[1]", &open, None);
        check("Optional[Enum['a']]", &open, None);
        check("Integer", &open, Some(false));
        check("Sensitive[String]", &open, Some(false));
        check("Array[String]", &open, Some(false));
        let list = Value::array(vec![Value::Integer(1).unplaced(), open.unplaced()]);
        check("Array[Variant[Integer[1], String]]", &list, Some(true));
        check("Array[Variant[Integer[2], String]]", &list, Some(false));
        check("Array[Variant[Integer[1], Pattern[/x/]]]", &list, None);
    }
}
