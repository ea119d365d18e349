//! The simplest form of a type, which messages speak about: `Variant[Undef, String]` is `Optional[String]`.

use super::common::enum_of;
use super::{IntegerRange, StringKind, StructElement, Type, Wrapper};

impl Type {
    /// The simplest equal type.
    #[must_use]
    pub fn normalized(&self) -> Self {
        match self {
            Self::Collection(_) => Self::Collection(None),
            Self::Array(item, _) if **item == Self::Any => Self::array(),
            Self::Array(item, size) => Self::Array(Box::new(item.normalized()), *size),
            Self::Hash(key, value, size) => {
                Self::Hash(Box::new(key.normalized()), Box::new(value.normalized()), *size)
            }
            Self::Tuple(types, size) => {
                Self::Tuple(types.iter().map(Self::normalized).collect(), *size)
            }
            Self::Struct(elements) => Self::Struct(
                elements
                    .iter()
                    .map(|it| StructElement { value: it.value.normalized(), ..it.clone() })
                    .collect(),
            ),
            Self::Variant(types) if !types.is_empty() => normalized_variant(types),
            Self::Wrapped(wrapper, Some(inner)) => normalized_wrapper(*wrapper, inner.normalized()),
            _ => self.clone(),
        }
    }
}

fn normalized_wrapper(wrapper: Wrapper, inner: Type) -> Type {
    let wrap = |inner: Option<Box<Type>>| Type::Wrapped(wrapper, inner);
    match (wrapper, inner) {
        (Wrapper::NotUndef, Type::Any) => wrap(None),
        (Wrapper::NotUndef, Type::Wrapped(Wrapper::Optional, inner))
        | (Wrapper::Optional, Type::Wrapped(Wrapper::NotUndef, inner)) => wrap(inner).normalized(),
        (Wrapper::NotUndef, inner) if !inner.is_assignable(&Type::Undef) => inner,
        (Wrapper::Optional, inner) if inner.is_assignable(&Type::Undef) => inner,
        (_, inner) => wrap(Some(Box::new(inner))),
    }
}

fn normalized_variant(original: &[Type]) -> Type {
    let mut types: Vec<Type> = original.iter().map(Type::normalized).collect();
    let is_modified = types != original;
    if types.len() == 1 {
        return types.remove(0);
    }
    if types.iter().any(|it| *it == Type::Undef || it.is_optional()) {
        let inner = types.into_iter().filter(|it| *it != Type::Undef).map(|it| match it {
            Type::Wrapped(Wrapper::Optional, Some(inner)) => *inner,
            other => other,
        });
        return Type::variant_of(inner).optional().normalized();
    }
    let types = flattened(types);
    let size_before = types.len();
    let types = merge_not_undefs(types);
    let types = merge_enums(types);
    let types = merge_patterns(types);
    let types = merge_integers(types);
    let types = merge_floats(types);
    if is_modified || types.len() != size_before {
        Type::variant_of(types)
    } else {
        // Nothing was joined, so the order stays as well.
        Type::Variant(original.to_vec())
    }
}

fn flattened(types: Vec<Type>) -> Vec<Type> {
    types
        .into_iter()
        .flat_map(|it| if let Type::Variant(inner) = it { inner } else { vec![it] })
        .collect()
}

fn merge_not_undefs(types: Vec<Type>) -> Vec<Type> {
    let is_not_undef = |it: &Type| matches!(it, Type::Wrapped(Wrapper::NotUndef, _));
    merge_if_several(types, is_not_undef, |found, mut others| {
        let inner = found.into_iter().map(|it| match it {
            Type::Wrapped(_, Some(inner)) => *inner,
            _ => Type::Any,
        });
        let inner = Type::variant_of(inner).normalized();
        others.push(Type::Wrapped(Wrapper::NotUndef, Some(Box::new(inner))));
        others
    })
}

fn merge_enums(types: Vec<Type>) -> Vec<Type> {
    let is_cased = |it: &Type| match it {
        Type::Enum { values, ignores_case: false } => !values.is_empty(),
        Type::String(StringKind::Exactly(_)) => true,
        _ => false,
    };
    let is_caseless = |it: &Type| match it {
        Type::Enum { values, ignores_case: true } => !values.is_empty(),
        _ => false,
    };
    let values = |found: Vec<Type>| {
        found.into_iter().flat_map(|it| match it {
            Type::Enum { values, .. } => values,
            Type::String(StringKind::Exactly(value)) => vec![value],
            _ => Vec::new(),
        })
    };
    let types = merge_if_several(types, is_cased, |found, mut others| {
        others.push(enum_of(values(found).collect(), false));
        others
    });
    merge_if_several(types, is_caseless, |found, mut others| {
        let lower = values(found).map(|it| it.to_lowercase().into());
        others.push(enum_of(lower.collect(), true));
        others
    })
}

fn merge_patterns(types: Vec<Type>) -> Vec<Type> {
    let is_pattern = |it: &Type| matches!(it, Type::Pattern(_));
    merge_if_several(types, is_pattern, |found, mut others| {
        let mut patterns = Vec::new();
        for it in found {
            let Type::Pattern(more) = it else { continue };
            for pattern in more {
                if !patterns.contains(&pattern) {
                    patterns.push(pattern);
                }
            }
        }
        others.push(Type::Pattern(patterns));
        others
    })
}

fn merge_integers(types: Vec<Type>) -> Vec<Type> {
    let is_integer = |it: &Type| matches!(it, Type::Integer(_));
    merge_if_several(types, is_integer, |found, others| {
        let merged = merge_ranges(found, |a, b| match (a, b) {
            (Type::Integer(a), Type::Integer(b)) => merged_range(*a, *b).map(Type::Integer),
            _ => None,
        });
        merged.into_iter().chain(others).collect()
    })
}

fn merge_floats(types: Vec<Type>) -> Vec<Type> {
    let is_float = |it: &Type| matches!(it, Type::Float { .. });
    merge_if_several(types, is_float, |found, others| {
        let merged = merge_ranges(found, |a, b| match (a, b) {
            (Type::Float { from, to }, Type::Float { from: from_2, to: to_2 }) => {
                let touch = !(to < from_2 || to_2 < from);
                touch.then(|| Type::Float { from: from.min(*from_2), to: to.max(*to_2) })
            }
            _ => None,
        });
        merged.into_iter().chain(others).collect()
    })
}

fn merged_range(a: IntegerRange, b: IntegerRange) -> Option<IntegerRange> {
    let from = |it: IntegerRange| it.from.unwrap_or(i128::MIN);
    let to = |it: IntegerRange| it.to.unwrap_or(i128::MAX);
    let follows = |a: IntegerRange, b: IntegerRange| to(a).saturating_add(1) < from(b);
    (!follows(a, b) && !follows(b, a)).then(|| IntegerRange {
        from: a.from.zip(b.from).map(|(a, b)| a.min(b)),
        to: a.to.zip(b.to).map(|(a, b)| a.max(b)),
    })
}

/// Joins the ranges that meet, the last one first, as Puppet orders them.
fn merge_ranges(mut ranges: Vec<Type>, join: impl Fn(&Type, &Type) -> Option<Type>) -> Vec<Type> {
    let mut merged = Vec::new();
    while let Some(mut current) = ranges.pop() {
        let mut apart = Vec::new();
        for other in ranges {
            match join(&current, &other) {
                Some(joined) => current = joined,
                None => apart.push(other),
            }
        }
        merged.push(current);
        ranges = apart;
    }
    merged
}

fn merge_if_several(
    types: Vec<Type>,
    is_one: impl Fn(&Type) -> bool,
    merge: impl FnOnce(Vec<Type>, Vec<Type>) -> Vec<Type>,
) -> Vec<Type> {
    if types.iter().filter(|it| is_one(it)).count() < 2 {
        return types;
    }
    let (found, others) = types.into_iter().partition(is_one);
    merge(found, others)
}
