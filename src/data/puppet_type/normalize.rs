//! Simplifies types to the form that messages show: `Variant[Undef, String]` is `Optional[String]`.

use std::cell::Cell;
use std::sync::Arc;

use super::common::enum_of;
use super::{IntegerRange, StringKind, StructElement, Type, VersionRange, Wrapper};

/// Simplifies types, and records the error that Puppet raises for some of them.
#[derive(Debug, Default)]
pub(super) struct Simplifier {
    failure: Cell<Option<&'static str>>,
}

impl Simplifier {
    /// Puppet's error, if there was one.
    pub(super) fn failure(&self) -> Option<&'static str> {
        self.failure.get()
    }

    fn fail(&self, message: &'static str) {
        self.failure.set(self.failure.get().or(Some(message)));
    }

    fn simplest_of(&self, types: &[Type]) -> Vec<Type> {
        types.iter().map(|it| self.simplest(it)).collect()
    }

    /// The simplest equivalent type.
    pub(super) fn simplest(&self, it: &Type) -> Type {
        match it {
            // Puppet loses the sizes here. So a class parameter of the type `Collection[1, 2]` accepts any size, and one of the type
            // `Array[Any, 3]` every list except `[]`.
            Type::Collection(_) => Type::Collection(None),
            Type::Array(item, _) if **item == Type::Any => Type::array(),
            Type::Array(item, size) => match self.simplest(item) {
                unchanged if unchanged == **item => it.clone(),
                changed => Type::array_of(changed, *size),
            },
            Type::Hash(key, value, size) => {
                Type::hash_of(self.simplest(key), self.simplest(value), *size)
            }
            Type::Tuple(types, size) => Type::Tuple(self.simplest_of(types), *size),
            Type::Struct(elements) => {
                let simplest = elements
                    .iter()
                    .map(|it| StructElement { value: self.simplest(&it.value), ..it.clone() });
                Type::Struct(simplest.collect())
            }
            Type::Variant(types) if !types.is_empty() => self.variant(types),
            // The content of a `Sensitive` was generalized once; it is generalized again only if it changes.
            Type::Wrapped(Wrapper::Sensitive, Some(inner)) => match self.simplest(inner) {
                unchanged if unchanged == **inner => it.clone(),
                changed => Type::wrapped(Wrapper::Sensitive, changed),
            },
            Type::Wrapped(wrapper, Some(inner)) => self.wrapper(*wrapper, self.simplest(inner)),
            Type::Callable(Some(callable)) => {
                Type::Callable(Some(callable.map(|it| self.simplest(it)).into()))
            }
            _ => it.clone(),
        }
    }

    fn wrapper(&self, wrapper: Wrapper, inner: Type) -> Type {
        let wrap = |inner: Option<Box<Type>>| Type::Wrapped(wrapper, inner);
        match (wrapper, inner) {
            (Wrapper::NotUndef, Type::Any) => wrap(None),
            (Wrapper::NotUndef, Type::Wrapped(Wrapper::Optional, inner))
            | (Wrapper::Optional, Type::Wrapped(Wrapper::NotUndef, inner)) => {
                self.simplest(&wrap(inner))
            }
            (Wrapper::NotUndef, inner) if !inner.is_assignable(&Type::Undef) => inner,
            (Wrapper::Optional, inner) if inner.is_assignable(&Type::Undef) => inner,
            (_, inner) => wrap(Some(Box::new(inner))),
        }
    }

    fn variant(&self, original: &[Type]) -> Type {
        let mut types = self.simplest_of(original);
        let is_modified = types != original || original.iter().any(has_hash_with_size);
        if types.len() == 1 {
            return types.remove(0);
        }
        if types.iter().any(|it| *it == Type::Undef || it.is_optional()) {
            let inner = types.into_iter().filter_map(|it| match it {
                Type::Undef => None,
                Type::Wrapped(Wrapper::Optional, None) => {
                    self.fail("undefined method `normalize' for nil:NilClass");
                    None
                }
                Type::Wrapped(Wrapper::Optional, inner) => inner.map(|it| *it),
                other => Some(other),
            });
            // Without `Undef`, the types are joined once more, this time inside of the `Optional`.
            return self.simplest(&Type::variant_of(inner).optional());
        }
        let types = flattened(types);
        let size_before = types.len();
        let types = self.merge_not_undefs(types);
        let types = merge_enums(types);
        let types = merge_patterns(types);
        let types = merge_versions(types);
        let types = self.merge_integers(types);
        let types = self.merge_floats(types);
        let types = self.merge_times(types);
        if is_modified || types.len() != size_before {
            Type::variant_of(types)
        } else {
            // Nothing was joined, so the order stays the same as well.
            Type::Variant(original.to_vec())
        }
    }

    fn merge_not_undefs(&self, types: Vec<Type>) -> Vec<Type> {
        let is_not_undef = |it: &Type| matches!(it, Type::Wrapped(Wrapper::NotUndef, _));
        merge_if_several(types, is_not_undef, |found, mut others| {
            let inner = found.into_iter().map(|it| match it {
                Type::Wrapped(_, Some(inner)) => *inner,
                _ => Type::Any,
            });
            let inner = self.simplest(&Type::variant_of(inner));
            others.push(Type::Wrapped(Wrapper::NotUndef, Some(Box::new(inner))));
            others
        })
    }

    fn merge_integers(&self, types: Vec<Type>) -> Vec<Type> {
        let is_integer = |it: &Type| matches!(it, Type::Integer(_));
        merge_if_several(types, is_integer, |found, others| {
            let merged = merge_ranges(found, |a, b| match (a, b) {
                (Type::Integer(a), Type::Integer(b)) => {
                    // Puppet adds one to an upper bound that may be missing.
                    let is_before = a.to.is_some_and(|it| Some(it + 1) == b.from);
                    if !intersect(*a, *b) && !is_before && b.to.is_none() {
                        self.fail("undefined method `+' for nil:NilClass");
                    }
                    merged_range(*a, *b).map(Type::Integer)
                }
                _ => None,
            });
            merged.into_iter().chain(others).collect()
        })
    }

    fn merge_floats(&self, types: Vec<Type>) -> Vec<Type> {
        let is_float = |it: &Type| matches!(it, Type::Float { .. });
        merge_if_several(types, is_float, |found, others| {
            let merged = merge_ranges(found, |a, b| match (a, b) {
                (Type::Float { from, to }, Type::Float { from: from_2, to: to_2 }) => {
                    let touch = !(to < from_2 || to_2 < from);
                    // Puppet compares with bounds that may be missing.
                    if touch && (*from_2 == f64::NEG_INFINITY || *to_2 == f64::INFINITY) {
                        self.fail("comparison of Float with nil failed");
                    }
                    touch.then(|| Type::Float { from: from.min(*from_2), to: to.max(*to_2) })
                }
                _ => None,
            });
            merged.into_iter().chain(others).collect()
        })
    }

    fn merge_times(&self, types: Vec<Type>) -> Vec<Type> {
        let is_timespan = |it: &Type| matches!(it, Type::Timespan(_));
        let is_timestamp = |it: &Type| matches!(it, Type::Timestamp(_));
        let join = |a: &Type, b: &Type| {
            let merged = match (a, b) {
                (Type::Timespan(a), Type::Timespan(b)) => a.merged(*b).map(Type::Timespan),
                (Type::Timestamp(a), Type::Timestamp(b)) => a.merged(*b).map(Type::Timestamp),
                _ => None,
            };
            if merged.is_none() {
                self.fail("undefined method `adjacent?'");
            }
            merged
        };
        let merge = |found: Vec<Type>, others: Vec<Type>| {
            merge_ranges(found, join).into_iter().chain(others).collect()
        };
        let types = merge_if_several(types, is_timespan, merge);
        merge_if_several(types, is_timestamp, merge)
    }
}

/// Puppet rebuilds every hash type that has a size, and treats that as a change.
fn has_hash_with_size(it: &Type) -> bool {
    let is_one = matches!(it, Type::Hash(_, _, Some(size)) if !size.is_empty());
    is_one || it.children().any(has_hash_with_size)
}

fn flattened(types: Vec<Type>) -> Vec<Type> {
    types
        .into_iter()
        .flat_map(|it| if let Type::Variant(inner) = it { inner } else { vec![it] })
        .collect()
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

fn merge_versions(types: Vec<Type>) -> Vec<Type> {
    let is_version = |it: &Type| matches!(it, Type::SemVer(_));
    merge_if_several(types, is_version, |found, others| {
        let ranges = found.into_iter().flat_map(|it| match it {
            Type::SemVer(ranges) => ranges,
            _ => Vec::new(),
        });
        let ranges: Vec<_> = ranges.collect();
        let ranges = if ranges.len() > 1 { merged_versions(ranges) } else { ranges };
        std::iter::once(Type::SemVer(ranges)).chain(others).collect()
    })
}

/// Merges ranges of versions that overlap.
pub(super) fn merged_versions(ranges: Vec<Arc<VersionRange>>) -> Vec<Arc<VersionRange>> {
    let mut merged = merge_ranges(ranges, |a, b| a.merged(b).map(Arc::new));
    merged.reverse();
    merged
}

/// Whether two ranges have a number in common.
fn intersect(a: IntegerRange, b: IntegerRange) -> bool {
    let ends_before =
        |a: IntegerRange, b: IntegerRange| a.to.zip(b.from).is_some_and(|(a, b)| a < b);
    !ends_before(a, b) && !ends_before(b, a)
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

/// Joins adjoining ranges, starting with the last one, in Puppet's order.
fn merge_ranges<T>(mut ranges: Vec<T>, join: impl Fn(&T, &T) -> Option<T>) -> Vec<T> {
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
