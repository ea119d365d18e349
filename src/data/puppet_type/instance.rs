//! Whether a value is of a type.

use super::assignable::enum_contains;
use super::guard::Guard;
use super::infer::{big_integer, type_of, type_set_of};
use super::iterable;
use super::{Alias, IntegerRange, StringKind, StructElement, Type, Wrapper};
use crate::data::value::{Hash, Member, Value};

impl Type {
    /// Whether the value is of this type.
    pub fn is_instance(&self, value: &Value) -> bool {
        self.has_instance(value, &mut Guard::default())
    }

    /// [`Self::is_instance`] inside a walk.
    pub(super) fn has_instance(&self, value: &Value, guard: &mut Guard) -> bool {
        guard.step_into(|guard| match self {
            Self::Any | Self::Unit => true,
            Self::Variant(types) => types.iter().any(|it| it.has_instance(value, guard)),
            // Only the first alias tries the short way, so that a value is not walked through again at each level.
            Self::Alias(Alias::Data | Alias::RichData)
                if !guard.remembers() && is_plain_data(value, PLAIN_DEPTH) =>
            {
                true
            }
            Self::Alias(alias) if alias.is_recursive() => {
                through_alias(alias.identity(), value, guard, |guard| {
                    alias.resolved().has_instance(value, guard)
                })
            }
            Self::Alias(alias) => alias.resolved().has_instance(value, guard),
            Self::Named(named) if named.is_recursive() => {
                through_alias(named.identity(), value, guard, |guard| {
                    named.with_resolved(|it| it.has_instance(value, guard))
                })
            }
            Self::Named(named) => named.with_resolved(|it| it.has_instance(value, guard)),
            Self::Wrapped(wrapper, inner) => wrapper_has(*wrapper, inner.as_deref(), value, guard),
            Self::Init(None) => Self::Alias(Alias::RichData).has_instance(value, guard),
            Self::Init(Some(init)) => init.takes(value, guard),
            Self::Collection(_)
            | Self::Array(..)
            | Self::Hash(..)
            | Self::Tuple(..)
            | Self::Struct(_) => collection_has(self, value, guard),
            _ => self.is_simple_instance(value, guard),
        })
    }

    fn is_simple_instance(&self, value: &Value, guard: &mut Guard) -> bool {
        match (self, value) {
            (Self::Undef, Value::Undef)
            | (Self::Default, Value::Default)
            | (
                Self::ScalarData | Self::Scalar | Self::Numeric,
                Value::Integer(_) | Value::BigInteger(_),
            )
            | (
                Self::ScalarData | Self::Scalar,
                Value::Float(_) | Value::Boolean(_) | Value::String(_) | Value::Bytes(_),
            )
            | (Self::String(StringKind::Any), Value::String(_) | Value::Bytes(_)) => true,
            (Self::Numeric, Value::Float(it)) => not_a_number_is_not_numeric(*it),
            (Self::Boolean(wanted), Value::Boolean(it)) => {
                wanted.is_none_or(|wanted| wanted == *it)
            }
            (Self::Integer(range), Value::Integer(it)) => range.contains(i128::from(*it)),
            (Self::Integer(range), Value::BigInteger(digits)) => {
                range.contains(big_integer(digits))
            }
            // NaN is in no range, so it is not even a bare `Float`.
            (Self::Float { from, to }, Value::Float(it)) => from <= it && it <= to,
            (Self::String(StringKind::Sized(range)), Value::String(text)) => {
                range.contains_size(text.chars().count())
            }
            (Self::String(StringKind::Sized(range)), Value::Bytes(bytes)) => {
                range.contains_size(bytes.len())
            }
            (Self::Enum { values, ignores_case }, Value::String(text)) => {
                enum_contains(values, *ignores_case, text)
            }
            // No value is of the bare `Enum`, although it accepts every type of strings.
            (Self::Enum { values, .. }, _) if values.is_empty() => false,
            (Self::SemVer(ranges), Value::Object(object)) if &*object.class == "SemVer" => {
                let text = &object.text;
                ranges.is_empty()
                    || super::Version::parse(text)
                        .is_some_and(|version| ranges.iter().any(|it| it.includes(&version)))
            }
            (Self::Uri(wanted), Value::Object(object)) if &*object.class == "URI" => {
                let text = &object.text;
                wanted.as_ref().is_none_or(|it| super::uri::has_instance(it, text, guard))
            }
            // Types are objects themselves.
            (Self::Object { name }, Value::Object(object)) if &*object.class == "Type" => {
                &**name == "Object"
            }
            // The types of catalog entries contain the entries themselves, which are not values.
            (Self::CatalogEntry | Self::Class(_) | Self::Resource { .. }, _)
            | (_, Value::Array(_) | Value::Hash(_)) => false,
            _ => self.assignable(&type_of(value), guard),
        }
    }
}

/// More levels of nesting take the long way, which counts its steps.
const PLAIN_DEPTH: u32 = 64;

/// Whether a value is `Data`, and therefore `RichData`; `false` if that takes more than a look at it.
fn is_plain_data(value: &Value, depth: u32) -> bool {
    match value {
        Value::Undef
        | Value::Boolean(_)
        | Value::Integer(_)
        | Value::BigInteger(_)
        | Value::String(_) => true,
        Value::Array(items) => {
            depth > 0 && items.iter().all(|it| is_plain_data(&it.value, depth - 1))
        }
        Value::Hash(hash) => {
            let is_plain = |(key, member): (&Value, &Member)| {
                key.as_str().is_some() && is_plain_data(&member.value.value, depth - 1)
            };
            depth > 0 && hash.iter().all(is_plain)
        }
        _ => false,
    }
}

/// A recursive alias is followed together with the value, unless both were met before.
fn through_alias(
    alias: usize,
    value: &Value,
    guard: &mut Guard,
    walk: impl FnOnce(&mut Guard) -> bool,
) -> bool {
    guard.through_that(std::ptr::from_ref(value).addr(), |guard| {
        guard.through_this(alias, |guard, is_met_in_both| !is_met_in_both && walk(guard))
    })
}

fn collection_has(collection: &Type, value: &Value, guard: &mut Guard) -> bool {
    match (collection, value) {
        (Type::Collection(range), Value::Array(items)) => sized(*range, items.len()),
        (Type::Collection(range), Value::Hash(hash)) => sized(*range, hash.len()),
        (Type::Array(item, range), Value::Array(items)) => {
            items.iter().all(|it| item.has_instance(&it.value, guard)) && sized(*range, items.len())
        }
        (Type::Hash(key_type, value_type, range), Value::Hash(hash)) => {
            let fits = |(key, member): (&Value, &Member)| {
                key_type.has_instance(key, guard)
                    && value_type.has_instance(&member.value.value, guard)
            };
            hash.iter().all(fits) && sized(*range, hash.len())
        }
        (Type::Tuple(types, range), Value::Array(items)) => {
            let size_fits = match range {
                Some(range) => range.contains_size(items.len()),
                // A bare `Tuple` accepts lists of any size.
                None => types.is_empty() || types.len() == items.len(),
            };
            let type_at = |index: usize| types.get(index).or(types.last());
            let mut pairs = items.iter().enumerate();
            size_fits
                && pairs.all(|(index, it)| {
                    type_at(index).is_none_or(|wanted| wanted.has_instance(&it.value, guard))
                })
        }
        (Type::Struct(elements), Value::Hash(hash)) => struct_has(elements, hash, guard),
        _ => false,
    }
}

/// NaN is not between any two bounds, so `Numeric` does not accept it, and a hash with such a key cannot be looked up.
fn not_a_number_is_not_numeric(number: f64) -> bool {
    !number.is_nan()
}

fn sized(range: Option<IntegerRange>, size: usize) -> bool {
    range.is_none_or(|range| range.contains_size(size))
}

/// Puppet also represents `undef` by a symbol.
fn is_undef(value: &Value) -> bool {
    matches!(value, Value::Undef) || matches!(value, Value::Symbol(it) if &**it == "undef")
}

fn wrapper_has(wrapper: Wrapper, inner: Option<&Type>, value: &Value, guard: &mut Guard) -> bool {
    match wrapper {
        Wrapper::Optional => {
            is_undef(value) || inner.is_some_and(|it| it.has_instance(value, guard))
        }
        Wrapper::NotUndef => {
            !is_undef(value) && inner.is_none_or(|it| it.has_instance(value, guard))
        }
        Wrapper::Sensitive => match value {
            Value::Sensitive(secret) => {
                // `Sensitive[String[8]]` accepts every string: the type inside lost its bounds when it was read.
                inner.is_none_or(|it| it.has_instance(&secret.value, guard))
            }
            _ => false,
        },
        Wrapper::Type => match type_set_of(value) {
            Type::Wrapped(Wrapper::Type, Some(it)) => {
                inner.is_none_or(|wanted| wanted.assignable(&it, guard))
            }
            _ => false,
        },
        Wrapper::Iterable if inner.is_none_or(|it| it.assignable(&Type::Any, guard)) => {
            iterable::is_iterable(value)
        }
        Wrapper::Iterable => iterable::takes(inner, &type_of(value), guard),
        Wrapper::Iterator => false,
    }
}

fn struct_has(elements: &[StructElement], hash: &Hash, guard: &mut Guard) -> bool {
    let mut matched = 0;
    let all_fit = elements.iter().all(|element| match hash.get(&element.name) {
        Some(member) => {
            matched += 1;
            element.value.has_instance(&member.value.value, guard)
        }
        None => element.is_optional,
    });
    all_fit && matched == hash.len()
}
