//! Which type takes which.

use std::sync::Arc;

use super::{Alias, IntegerRange, StringKind, StructElement, Type, Wrapper};
use crate::data::value::Value;

impl Type {
    /// Whether every value of the type `other` is also of this type.
    pub fn is_assignable(&self, other: &Self) -> bool {
        if let Self::Variant(types) = self {
            match other {
                Self::Undef if types.is_empty() => return false,
                Self::Variant(_) if types.is_empty() => return true,
                _ => {}
            }
        }
        match other {
            _ if *self == Self::Unit => true,
            Self::Unit => true,
            Self::Alias(theirs) => match self {
                Self::Alias(ours) if ours.includes(*theirs) => true,
                _ => self.is_assignable(theirs.resolved()),
            },
            Self::Variant(_) if *self == Self::Any => true,
            Self::Variant(types) if types.is_empty() => {
                matches!(self, Self::Wrapped(Wrapper::NotUndef, _)) && self.takes(other)
            }
            Self::Variant(types) => types.iter().all(|it| self.is_assignable(it)),
            Self::Wrapped(Wrapper::Optional, inner) => {
                self.is_assignable(&Self::Undef)
                    && inner.as_ref().is_none_or(|it| self.is_assignable(it))
            }
            Self::Wrapped(Wrapper::NotUndef, Some(inner)) if !inner.is_assignable(&Self::Undef) => {
                self.is_assignable(inner)
            }
            _ => self.takes(other),
        }
    }

    /// [`Self::is_assignable`] once `other` is neither a variant nor optional.
    fn takes(&self, other: &Self) -> bool {
        match self {
            Self::Any | Self::Unit => true,
            Self::Alias(alias) => alias.resolved().is_assignable(other),
            Self::Variant(types) => types.iter().any(|it| it.is_assignable(other)),
            Self::Scalar => is_scalar(other),
            Self::ScalarData => is_scalar_data(other),
            Self::Numeric => match other {
                Self::Float { from, .. } => !from.is_nan(),
                other => matches!(other, Self::Numeric | Self::Integer(_)),
            },
            Self::Boolean(wanted) => match other {
                Self::Boolean(it) => wanted.is_none() || wanted == it,
                _ => false,
            },
            Self::Integer(range) => match other {
                Self::Integer(it) => range.includes(*it),
                _ => false,
            },
            Self::Float { from, to } => match other {
                Self::Float { from: theirs_from, to: theirs_to } => {
                    from <= theirs_from && to >= theirs_to
                }
                _ => false,
            },
            Self::String(kind) => string_takes(kind, other),
            Self::Enum { values, ignores_case } => enum_takes(values, *ignores_case, other),
            Self::Pattern(patterns) => pattern_takes(patterns, other),
            Self::Regexp(wanted) => match other {
                Self::Regexp(it) => wanted.is_none() || wanted == it,
                _ => false,
            },
            Self::Collection(_) | Self::Array(..) | Self::Hash(..) => collection_takes(self, other),
            Self::Tuple(types, range) => tuple_takes(types, *range, other),
            Self::Struct(elements) => struct_takes_type(elements, other),
            Self::Wrapped(wrapper, inner) => wrapper_takes_type(*wrapper, inner.as_deref(), other),
            Self::Object { name, only } => match other {
                Self::Object { name: theirs, only: their_only } => {
                    name == theirs && (only.is_none() || only == their_only)
                }
                _ => false,
            },
            Self::Undef | Self::Default | Self::Binary | Self::Runtime(_) | Self::Other(_) => {
                self == other
            }
        }
    }

    /// The sizes of a collection type; of a tuple, the number of its types when no size is given.
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
    fn includes(self, other: Self) -> bool {
        use Alias::{Data, LookupKey, LookupValue, RichData, RichDataKey};
        match self {
            Data => other == Data,
            RichData | LookupValue => matches!(other, Data | RichData | LookupValue),
            RichDataKey | LookupKey => matches!(other, RichDataKey | LookupKey),
        }
    }
}

pub(super) fn wrapper_takes_type(wrapper: Wrapper, inner: Option<&Type>, other: &Type) -> bool {
    match wrapper {
        Wrapper::Optional => {
            *other == Type::Undef || inner.is_none_or(|it| it.is_assignable(other))
        }
        Wrapper::NotUndef => {
            !other.is_assignable(&Type::Undef) && inner.is_none_or(|it| it.is_assignable(other))
        }
        Wrapper::Sensitive => match other {
            Type::Wrapped(Wrapper::Sensitive, theirs) => {
                let theirs = theirs.as_deref().unwrap_or(&Type::Any);
                inner.is_none_or(|it| it.is_assignable(theirs))
            }
            _ => false,
        },
        Wrapper::Type => match (inner, other) {
            (None, Type::Wrapped(Wrapper::Type, _)) => true,
            (Some(inner), Type::Wrapped(Wrapper::Type, Some(theirs))) => {
                inner.is_assignable(theirs)
            }
            _ => false,
        },
        Wrapper::Iterable => match (inner, items_of(other)) {
            (None | Some(Type::Any), items) => !matches!(items, Items::None),
            (Some(inner), Items::Of(item)) => inner.is_assignable(&item),
            _ => false,
        },
    }
}

/// What iterating over a type gives.
enum Items {
    None,
    Any,
    Of(Type),
}

fn items_of(collection: &Type) -> Items {
    let pair =
        |key: Type, value: Type| Type::Tuple(vec![key, value], Some(IntegerRange::exactly(2)));
    match collection {
        Type::Array(item, _) if **item != Type::Any => Items::Of((**item).clone()),
        Type::Array(..) | Type::Collection(_) | Type::Wrapped(Wrapper::Iterable, None) => {
            Items::Any
        }
        Type::Hash(key, value, _) => Items::Of(pair((**key).clone(), (**value).clone())),
        Type::Tuple(types, _) => Items::Of(Type::variant_of(types.iter().cloned())),
        Type::Struct(elements) => {
            let key = |it: &StructElement| Type::String(StringKind::Exactly(it.name.clone()));
            Items::Of(pair(
                Type::variant_of(elements.iter().map(key)),
                Type::variant_of(elements.iter().map(|it| it.value.clone())),
            ))
        }
        Type::String(_) | Type::Enum { .. } => {
            Items::Of(Type::String(StringKind::Sized(IntegerRange::exactly(1))))
        }
        Type::Integer(_) => Items::Of(Type::integer()),
        Type::Wrapped(Wrapper::Iterable, Some(inner)) => Items::Of((**inner).clone()),
        _ => Items::None,
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
    match other {
        Type::Scalar | Type::Regexp(_) => true,
        Type::Object { name, .. } => {
            matches!(&**name, "Timestamp" | "Timespan" | "SemVer" | "SemVerRange")
        }
        _ => is_scalar_data(other),
    }
}

fn string_takes(kind: &StringKind, other: &Type) -> bool {
    let length = |text: &str| IntegerRange::of_size(text.chars().count());
    match (kind, other) {
        (StringKind::Any, Type::String(_) | Type::Enum { .. } | Type::Pattern(_)) => true,
        (StringKind::Exactly(a), Type::String(StringKind::Exactly(b))) => a == b,
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

fn enum_takes(values: &[Arc<str>], ignores_case: bool, other: &Type) -> bool {
    let contains = |text: &str| {
        values.iter().any(|it| &**it == text || ignores_case && it.eq_ignore_ascii_case(text))
    };
    match other {
        Type::String(_) | Type::Enum { .. } | Type::Pattern(_) if values.is_empty() => true,
        Type::String(StringKind::Exactly(text)) => contains(text),
        Type::Enum { values: theirs, ignores_case: they_ignore } => {
            !theirs.is_empty()
                && (ignores_case || !they_ignore)
                && theirs.iter().all(|it| contains(it))
        }
        _ => false,
    }
}

fn pattern_takes(patterns: &[Arc<super::Pattern>], other: &Type) -> bool {
    let matches = |text: &str| patterns.iter().any(|it| it.regex.is_match(text));
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

fn collection_takes(ours: &Type, other: &Type) -> bool {
    let size_fits = |range: &Option<IntegerRange>| {
        other
            .size_range()
            .is_some_and(|theirs| range.unwrap_or(IntegerRange::SIZES).includes(theirs))
    };
    match (ours, other) {
        (Type::Collection(range), _) => size_fits(range),
        (Type::Array(item, range), Type::Array(their_item, _)) => {
            size_fits(range) && item.is_assignable(their_item)
        }
        (Type::Array(item, range), Type::Tuple(types, their_range)) => {
            let theirs = their_range.unwrap_or_else(|| IntegerRange::of_size(types.len()));
            range.unwrap_or(IntegerRange::SIZES).includes(theirs)
                && types.iter().all(|it| item.is_assignable(it))
        }
        (Type::Hash(key, value, range), Type::Hash(their_key, their_value, _)) => {
            let takes_empty = range.is_none_or(|it| it.from == Some(0));
            takes_empty && *other == Type::empty_hash()
                || key.is_assignable(their_key)
                    && value.is_assignable(their_value)
                    && size_fits(range)
        }
        (Type::Hash(key, value, range), Type::Struct(elements)) => {
            size_fits(range)
                && elements.iter().all(|it| {
                    key.is_instance(&Value::String(it.name.clone()))
                        && value.is_assignable(&it.value)
                })
        }
        _ => false,
    }
}

fn tuple_takes(types: &[Type], range: Option<IntegerRange>, other: &Type) -> bool {
    let ours = Type::Tuple(Vec::new(), range);
    let our_range = range.or_else(|| match types.len() {
        0 => ours.size_range(),
        count => Some(IntegerRange::of_size(count)),
    });
    let our_range = our_range.unwrap_or(IntegerRange::SIZES);
    let type_at = |index: usize| types.get(index).or(types.last());
    match other {
        Type::Tuple(theirs, _) => {
            if !our_range.includes(other.size_range().unwrap_or(IntegerRange::SIZES)) {
                false
            } else if types.is_empty() {
                true
            } else if theirs.is_empty() {
                our_range.from == Some(0)
            } else {
                let mut pairs = theirs.iter().enumerate();
                pairs.all(|(index, it)| type_at(index).is_some_and(|ours| ours.is_assignable(it)))
            }
        }
        Type::Array(item, their_range) => {
            let theirs = their_range.unwrap_or(IntegerRange::SIZES);
            let count = theirs.to.and_then(|it| usize::try_from(it).ok()).unwrap_or(usize::MAX);
            our_range.includes(theirs)
                && types.iter().take(count).all(|ours| ours.is_assignable(item))
        }
        _ => false,
    }
}

fn struct_takes_type(elements: &[StructElement], other: &Type) -> bool {
    match other {
        Type::Struct(theirs) => {
            let mut matched = 0;
            let all_fit =
                elements.iter().all(|ours| match theirs.iter().find(|it| it.name == ours.name) {
                    Some(theirs) => {
                        matched += 1;
                        (ours.is_optional || !theirs.is_optional)
                            && ours.value.is_assignable(&theirs.value)
                    }
                    None => ours.is_optional,
                });
            all_fit && matched == theirs.len()
        }
        Type::Hash(key, value, range) => {
            let required = || elements.iter().filter(|it| !it.is_optional);
            let size = IntegerRange {
                from: IntegerRange::of_size(required().count()).from,
                to: IntegerRange::of_size(elements.len()).to,
            };
            required().all(|it| it.value.is_assignable(value) && Type::string().is_assignable(key))
                && size.includes(range.unwrap_or(IntegerRange::SIZES))
        }
        _ => false,
    }
}
