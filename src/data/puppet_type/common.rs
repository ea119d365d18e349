//! The common type of two types.

use std::sync::Arc;

use super::{Alias, IntegerRange, StringKind, Type, Wrapper};

/// The narrowest common type that Puppet finds.
pub(super) fn common_type(first: Type, second: Type) -> Type {
    // Puppet looks for `Undef` first: of `Unit` and `Undef`, `Unit` remains, and it accepts everything.
    if first == Type::Undef {
        return second;
    }
    if second == Type::Undef {
        return first;
    }
    if first == Type::Unit {
        return second;
    }
    if second == Type::Unit || first.is_assignable(&second) {
        return first;
    }
    if second.is_assignable(&first) {
        return second;
    }
    match (&first, &second) {
        (Type::Array(a, _), Type::Array(b, _)) => {
            Type::Array(Box::new(common_type((**a).clone(), (**b).clone())), None)
        }
        (Type::Hash(a, x, _), Type::Hash(b, y, _)) => Type::Hash(
            Box::new(common_type((**a).clone(), (**b).clone())),
            Box::new(common_type((**x).clone(), (**y).clone())),
            None,
        ),
        (Type::Integer(a), Type::Integer(b)) => Type::Integer(IntegerRange {
            from: a.from.zip(b.from).map(|(a, b)| a.min(b)),
            to: a.to.zip(b.to).map(|(a, b)| a.max(b)),
        }),
        (Type::Float { from, to }, Type::Float { from: from_2, to: to_2 }) => {
            Type::Float { from: from.min(*from_2), to: to.max(*to_2) }
        }
        (Type::String(_) | Type::Enum { .. }, Type::String(_) | Type::Enum { .. }) => {
            common_string_type(&first, &second)
        }
        (Type::Class(_), Type::Class(_)) => Type::Class(None),
        (Type::Resource { name: a, .. }, Type::Resource { name: b, .. }) => {
            Type::Resource { name: a.clone().filter(|_| a == b), title: None }
        }
        (Type::Pattern(a), Type::Pattern(b)) => {
            let more = b.iter().filter(|it| !a.contains(it));
            Type::Pattern(a.iter().chain(more).cloned().collect())
        }
        (Type::Variant(_), Type::Variant(_)) => Type::variant_of([first, second]),
        (Type::Regexp(_), Type::Regexp(_)) => Type::Regexp(None),
        (Type::Callable(_), Type::Callable(_)) => Type::Callable(None),
        _ => common_abstract_type(&first, &second),
    }
}

fn common_string_type(first: &Type, second: &Type) -> Type {
    let values_of = |it: &Type| match it {
        Type::String(StringKind::Exactly(text)) => Some(vec![text.clone()]),
        Type::Enum { values, .. } => Some(values.clone()),
        _ => None,
    };
    let is_enum = matches!(first, Type::Enum { .. }) || matches!(second, Type::Enum { .. });
    match (values_of(first), values_of(second)) {
        (Some(mut values), Some(more)) => {
            values.extend(more);
            enum_of(values, false)
        }
        _ if is_enum => enum_of(Vec::new(), false),
        _ => Type::string(),
    }
}

/// An `Enum` of the values.
pub(super) fn enum_of(mut values: Vec<Arc<str>>, ignores_case: bool) -> Type {
    values.sort();
    values.dedup();
    Type::Enum { values, ignores_case }
}

fn common_abstract_type(first: &Type, second: &Type) -> Type {
    let takes_both = |it: &Type| it.is_assignable(first) && it.is_assignable(second);
    let frequent = [Type::Numeric, Type::ScalarData, Type::Scalar, Type::Alias(Alias::Data)];
    if let Some(found) = frequent.into_iter().find(takes_both) {
        return found;
    }
    match (first, second) {
        (Type::Wrapped(Wrapper::Type, Some(a)), Type::Wrapped(Wrapper::Type, Some(b))) => {
            let inner = common_type((**a).clone(), (**b).clone());
            Type::Wrapped(Wrapper::Type, Some(Box::new(inner)))
        }
        _ if takes_both(&Type::Alias(Alias::RichData)) => Type::Alias(Alias::RichData),
        (Type::Runtime { .. }, Type::Runtime { .. }) if first == second => first.clone(),
        _ => Type::Any,
    }
}
