//! Which values are of a type.

use super::assignable::wrapper_takes_type;
use super::infer::{big_integer, type_of};
use super::{IntegerRange, StructElement, Type, Wrapper};
use crate::data::value::{Hash, Member, Value};

impl Type {
    /// Whether the value is of this type.
    pub fn is_instance(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Alias(alias), _) => alias.resolved().is_instance(value),
            (Self::Variant(types), _) => types.iter().any(|it| it.is_instance(value)),
            (Self::Wrapped(wrapper, inner), _) => wrapper_takes(*wrapper, inner.as_deref(), value),
            (Self::Any | Self::Unit, _)
            | (Self::Undef, Value::Undef)
            | (Self::Default, Value::Default)
            | (Self::ScalarData | Self::Numeric, Value::Integer(_) | Value::BigInteger(_))
            | (
                Self::ScalarData,
                Value::Float(_) | Value::Boolean(_) | Value::String(_) | Value::Bytes(_),
            ) => true,
            (Self::Numeric, Value::Float(it)) => not_a_number_is_not_numeric(*it),
            (Self::Boolean(wanted), Value::Boolean(it)) => {
                wanted.is_none_or(|wanted| wanted == *it)
            }
            (Self::Integer(range), Value::Integer(it)) => range.contains(i128::from(*it)),
            (Self::Integer(range), Value::BigInteger(digits)) => {
                range.contains(big_integer(digits))
            }
            (Self::Float { from, to }, Value::Float(it)) => from <= it && it <= to,
            // No value is of the bare `Enum`, though it takes every type of strings.
            (Self::Enum { values, .. }, _) if values.is_empty() => false,
            (Self::Collection(range), Value::Array(items)) => sized(*range, items.len()),
            (Self::Collection(range), Value::Hash(hash)) => sized(*range, hash.len()),
            (Self::Array(item, range), Value::Array(items)) => {
                items.iter().all(|it| item.is_instance(&it.value)) && sized(*range, items.len())
            }
            (Self::Hash(key_type, value_type, range), Value::Hash(hash)) => {
                let fits = |(key, member): (&Value, &Member)| {
                    key_type.is_instance(key) && value_type.is_instance(&member.value.value)
                };
                hash.iter().all(fits) && sized(*range, hash.len())
            }
            (Self::Tuple(types, range), Value::Array(items)) => {
                let size_fits = match range {
                    Some(range) => range.contains_size(items.len()),
                    None => types.is_empty() || types.len() == items.len(),
                };
                let type_at = |index: usize| types.get(index).or(types.last());
                let mut pairs = items.iter().enumerate();
                size_fits
                    && pairs.all(|(index, it)| {
                        type_at(index).is_none_or(|wanted| wanted.is_instance(&it.value))
                    })
            }
            (Self::Struct(elements), Value::Hash(hash)) => struct_takes(elements, hash),
            (
                Self::Collection(_)
                | Self::Array(..)
                | Self::Hash(..)
                | Self::Tuple(..)
                | Self::Struct(_),
                _,
            )
            | (_, Value::Array(_) | Value::Hash(_)) => false,
            _ => self.is_assignable(&type_of(value)),
        }
    }
}

/// NaN lies between no two bounds, so `Numeric` does not take it, and no hash with such a key can be looked up.
fn not_a_number_is_not_numeric(number: f64) -> bool {
    !number.is_nan()
}

fn sized(range: Option<IntegerRange>, size: usize) -> bool {
    range.is_none_or(|range| range.contains_size(size))
}

fn wrapper_takes(wrapper: Wrapper, inner: Option<&Type>, value: &Value) -> bool {
    match wrapper {
        Wrapper::Optional => {
            matches!(value, Value::Undef) || inner.is_some_and(|it| it.is_instance(value))
        }
        Wrapper::NotUndef => {
            !matches!(value, Value::Undef) && inner.is_none_or(|it| it.is_instance(value))
        }
        Wrapper::Sensitive => match value {
            Value::Sensitive(secret) => inner.is_none_or(|it| it.is_instance(&secret.value)),
            _ => false,
        },
        Wrapper::Type => match type_of(value) {
            it @ Type::Wrapped(Wrapper::Type, _) => wrapper_takes_type(wrapper, inner, &it),
            _ => false,
        },
        Wrapper::Iterable => match inner {
            None | Some(Type::Any) => match value {
                Value::Integer(it) => *it >= 0,
                Value::BigInteger(digits) => !digits.starts_with('-'),
                Value::String(_) | Value::Array(_) | Value::Hash(_) => true,
                _ => false,
            },
            Some(_) => wrapper_takes_type(wrapper, inner, &type_of(value)),
        },
    }
}

fn struct_takes(elements: &[StructElement], hash: &Hash) -> bool {
    let mut matched = 0;
    let all_fit = elements.iter().all(|element| match hash.get(&element.name) {
        Some(member) => {
            matched += 1;
            element.value.is_instance(&member.value.value)
        }
        None => element.is_optional,
    });
    all_fit && matched == hash.len()
}
