//! Whether one type accepts another.

use std::sync::Arc;

use super::assignable_collections as collections;
use super::guard::Guard;
use super::iterable;
use super::regexp::Pattern;
use super::{Alias, IntegerRange, StringKind, Type, Wrapper, uri};

impl Type {
    /// Whether every value of the type `other` is also of this type.
    pub fn is_assignable(&self, other: &Self) -> bool {
        self.assignable(other, &mut Guard::default())
    }

    /// Whether `undef` is of this type.
    pub(super) fn takes_undef(&self, guard: &mut Guard) -> bool {
        self.assignable(&Self::Undef, guard)
    }

    /// [`Self::is_assignable`] inside a walk.
    pub(super) fn assignable(&self, other: &Self, guard: &mut Guard) -> bool {
        guard.step(|guard| match self {
            Self::Unit => true,
            Self::Variant(types) => match other {
                Self::Undef if types.is_empty() => false,
                Self::Variant(_) if types.is_empty() => true,
                Self::Variant(theirs) => {
                    !theirs.is_empty() && theirs.iter().all(|it| self.assignable_plainly(it, guard))
                }
                _ => self.assignable_plainly(other, guard),
            },
            Self::Named(named) if named.is_recursive() => guard
                .through_this(named.identity(), |guard, is_met_in_both| {
                    is_met_in_both || self.assignable_plainly(other, guard)
                }),
            Self::Alias(alias) if alias.is_recursive() => guard
                .through_this(alias.identity(), |guard, is_met_in_both| {
                    is_met_in_both || self.assignable_plainly(other, guard)
                }),
            _ => self.assignable_plainly(other, guard),
        })
    }

    /// Resolves `other` if it is an alias or consists of several types.
    fn assignable_plainly(&self, other: &Self, guard: &mut Guard) -> bool {
        match other {
            Self::Unit => true,
            Self::Named(theirs) if theirs.is_recursive() => {
                guard.add_that(theirs.identity(), |guard, is_met_in_both| {
                    is_met_in_both || theirs.with_resolved(|it| self.assignable(it, guard))
                })
            }
            Self::Named(theirs) => theirs.with_resolved(|it| self.assignable(it, guard)),
            Self::Alias(theirs) if theirs.is_recursive() => guard
                .add_that(theirs.identity(), |guard, is_met_in_both| {
                    is_met_in_both || self.assignable(theirs.resolved(), guard)
                }),
            Self::Alias(theirs) => self.assignable(theirs.resolved(), guard),
            Self::Variant(_) if *self == Self::Any => true,
            // Apart from `Any`, only `NotUndef` decides for itself whether it accepts a variant without types. No other type accepts it.
            Self::Variant(theirs) if theirs.is_empty() => {
                matches!(self, Self::Wrapped(Wrapper::NotUndef, _)) && self.takes(other, guard)
            }
            Self::Variant(theirs) => theirs.iter().all(|it| self.assignable(it, guard)),
            Self::Wrapped(Wrapper::Optional, inner) => guard.afresh(|guard| {
                self.takes_undef(guard)
                    && inner.as_ref().is_none_or(|it| self.assignable(it, guard))
            }),
            Self::Wrapped(Wrapper::NotUndef, Some(inner))
                if !guard.afresh(|guard| inner.takes_undef(guard)) =>
            {
                self.assignable(inner, guard)
            }
            _ => self.takes(other, guard),
        }
    }

    /// [`Self::is_assignable`] if `other` is neither an alias, nor a variant, nor optional.
    fn takes(&self, other: &Self, guard: &mut Guard) -> bool {
        match self {
            Self::Any | Self::Unit => true,
            Self::Alias(alias) => alias.resolved().assignable(other, guard),
            Self::Named(named) => named.step(guard, |it, guard| it.assignable(other, guard)),
            Self::Variant(types) => types.iter().any(|it| it.assignable(other, guard)),
            Self::Array(..)
            | Self::Hash(..)
            | Self::Collection(_)
            | Self::Tuple(..)
            | Self::Struct(_) => collections::takes(self, other, guard),
            Self::Wrapped(wrapper, inner) => {
                wrapper_takes(*wrapper, inner.as_deref(), other, guard)
            }
            Self::Init(None) => {
                matches!(other, Self::Init(_))
                    || Self::Alias(Alias::RichData).assignable(other, guard)
            }
            Self::Init(Some(init)) => init.takes_type(other, guard),
            Self::Callable(ours) => match (ours, other) {
                (None, Self::Callable(_)) => true,
                (Some(ours), Self::Callable(theirs)) => match theirs {
                    Some(theirs) => ours.takes(theirs, guard),
                    None => ours.takes(&super::Callable::default(), guard),
                },
                _ => false,
            },
            Self::Uri(ours) => match (ours, other) {
                (None, Self::Uri(_)) => true,
                (Some(ours), Self::Uri(theirs)) => uri::takes(ours, theirs.as_deref(), guard),
                _ => false,
            },
            _ => self.takes_simple(other),
        }
    }

    fn takes_simple(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Scalar, _) => is_scalar(other),
            (Self::ScalarData, _) => is_scalar_data(other),
            (Self::Numeric, Self::Float { from, .. }) => !from.is_nan(),
            (Self::Numeric, _) => matches!(other, Self::Numeric | Self::Integer(_)),
            (Self::Boolean(ours), Self::Boolean(theirs)) => ours.is_none() || ours == theirs,
            (Self::Integer(ours), Self::Integer(theirs)) => ours.includes(*theirs),
            (Self::Float { from, to }, Self::Float { from: theirs_from, to: theirs_to }) => {
                from <= theirs_from && to >= theirs_to
            }
            (Self::String(kind), _) => string_takes(kind, other),
            (Self::Enum { values, ignores_case }, _) => enum_takes(values, *ignores_case, other),
            (Self::Pattern(patterns), _) => pattern_takes(patterns, other),
            (Self::Regexp(ours), Self::Regexp(theirs))
            | (Self::Class(ours), Self::Class(theirs)) => ours.is_none() || ours == theirs,
            (Self::Timestamp(ours), Self::Timestamp(theirs))
            | (Self::Timespan(ours), Self::Timespan(theirs)) => ours.includes(*theirs),
            (Self::SemVer(ours), Self::SemVer(theirs)) => {
                ours.is_empty()
                    || !theirs.is_empty()
                        && theirs.iter().all(|it| ours.iter().any(|range| range.covers(it)))
            }
            (Self::CatalogEntry, _) => {
                matches!(other, Self::CatalogEntry | Self::Class(_) | Self::Resource { .. })
            }
            (
                Self::Resource { name: ours, title },
                Self::Resource { name: theirs, title: their_title },
            ) => {
                let lower = |it: &Arc<str>| it.to_lowercase();
                ours.is_none()
                    || ours.as_ref().map(lower) == theirs.as_ref().map(lower)
                        && (title.is_none() || title == their_title)
            }
            (
                Self::Runtime { runtime, name },
                Self::Runtime { runtime: their_runtime, name: their_name },
            ) => {
                (runtime.is_none() || runtime == their_runtime)
                    && (name.is_none() || name == their_name)
            }
            (Self::Object { name }, Self::Object { name: theirs }) => {
                name == theirs || &**name == "Object"
            }
            _ => self == other,
        }
    }

    /// The sizes of a collection type. For a tuple without a size, it is the number of its types.
    pub(super) fn size_range(&self) -> Option<IntegerRange> {
        match self {
            Self::Collection(range) | Self::Array(_, range) | Self::Hash(_, _, range) => {
                Some(range.unwrap_or(IntegerRange::SIZES))
            }
            Self::Tuple(types, None) if types.is_empty() => Some(IntegerRange::SIZES),
            Self::Tuple(types, range) => {
                Some(range.unwrap_or_else(|| IntegerRange::of_size(types.len())))
            }
            Self::Struct(elements) => Some(IntegerRange::of_size(elements.len())),
            _ => None,
        }
    }
}

impl Alias {
    /// Whether the alias is recursive.
    pub(super) fn is_recursive(self) -> bool {
        matches!(self, Self::Data | Self::RichData)
    }

    /// Identifies the alias in a [`Guard`].
    pub(super) fn identity(self) -> usize {
        std::ptr::from_ref(self.resolved()).addr()
    }
}

fn wrapper_takes(wrapper: Wrapper, inner: Option<&Type>, other: &Type, guard: &mut Guard) -> bool {
    match wrapper {
        Wrapper::Optional => {
            *other == Type::Undef || inner.is_none_or(|it| it.assignable(other, guard))
        }
        Wrapper::NotUndef => {
            !other.takes_undef(guard) && inner.is_none_or(|it| it.assignable(other, guard))
        }
        Wrapper::Sensitive => match other {
            Type::Wrapped(Wrapper::Sensitive, theirs) => {
                let theirs = theirs.as_deref().unwrap_or(&Type::Any);
                inner.is_none_or(|it| it.assignable(theirs, guard))
            }
            _ => false,
        },
        Wrapper::Type => match (inner, other) {
            (None, Type::Wrapped(Wrapper::Type, _)) => true,
            (Some(inner), Type::Wrapped(Wrapper::Type, Some(theirs))) => {
                inner.assignable(theirs, guard)
            }
            _ => false,
        },
        Wrapper::Iterable => iterable::takes(inner, other, guard),
        Wrapper::Iterator => match (inner, other) {
            (None, Type::Wrapped(Wrapper::Iterator, _)) => true,
            (Some(inner), Type::Wrapped(Wrapper::Iterator, Some(theirs))) => {
                inner.assignable(theirs, guard)
            }
            _ => false,
        },
    }
}

fn is_scalar_data(other: &Type) -> bool {
    matches!(
        other,
        Type::ScalarData
            | Type::Numeric
            | Type::Boolean(_)
            | Type::Integer(_)
            | Type::Float { .. }
            | Type::String(_)
            | Type::Enum { .. }
            | Type::Pattern(_)
    )
}

fn is_scalar(other: &Type) -> bool {
    let is_other_scalar = matches!(
        other,
        Type::Scalar
            | Type::Regexp(_)
            | Type::Timestamp(_)
            | Type::Timespan(_)
            | Type::SemVer(_)
            | Type::SemVerRange
    );
    is_other_scalar || is_scalar_data(other)
}

fn string_takes(kind: &StringKind, other: &Type) -> bool {
    let length = |text: &str| IntegerRange::of_size(text.chars().count());
    match (kind, other) {
        (StringKind::Any, Type::String(_) | Type::Enum { .. } | Type::Pattern(_)) => true,
        (StringKind::Exactly(a), Type::String(StringKind::Exactly(b))) => a == b,
        // Puppet does not compare the texts: the type of the string `a` accepts `Enum['b']`.
        (StringKind::Exactly(_), Type::Enum { values, ignores_case: false }) => values.len() == 1,
        (StringKind::Sized(range), Type::String(theirs)) => range.includes(match theirs {
            StringKind::Any => IntegerRange::SIZES,
            StringKind::Sized(range) => *range,
            StringKind::Exactly(text) => length(text),
        }),
        (StringKind::Sized(range), Type::Enum { values, .. }) if !values.is_empty() => {
            values.iter().all(|it| range.includes(length(it)))
        }
        (StringKind::Sized(range), Type::Enum { .. } | Type::Pattern(_)) => {
            range.includes(IntegerRange::SIZES)
        }
        _ => false,
    }
}

/// Whether an `Enum` with these values contains the text. Only the case of ASCII letters can be ignored.
pub(super) fn enum_contains(values: &[Arc<str>], ignores_case: bool, text: &str) -> bool {
    values.iter().any(|it| &**it == text || ignores_case && it.eq_ignore_ascii_case(text))
}

fn enum_takes(values: &[Arc<str>], ignores_case: bool, other: &Type) -> bool {
    match other {
        Type::String(_) | Type::Enum { .. } | Type::Pattern(_) if values.is_empty() => true,
        Type::String(StringKind::Exactly(text)) => enum_contains(values, ignores_case, text),
        Type::Enum { values: theirs, ignores_case: they_ignore } => {
            !theirs.is_empty()
                && (ignores_case || !they_ignore)
                && theirs.iter().all(|it| enum_contains(values, ignores_case, it))
        }
        _ => false,
    }
}

fn pattern_takes(patterns: &[Arc<Pattern>], other: &Type) -> bool {
    let matches = |text: &str| patterns.iter().any(|it| it.is_match(text));
    match other {
        Type::String(StringKind::Exactly(text)) => patterns.is_empty() || matches(text),
        Type::Enum { values, .. } if !values.is_empty() => {
            patterns.is_empty() || values.iter().all(|it| matches(it))
        }
        Type::Pattern(theirs) if patterns == theirs => true,
        Type::String(_) | Type::Enum { .. } | Type::Pattern(_) => patterns.is_empty(),
        _ => false,
    }
}
