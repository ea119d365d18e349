//! Whether one type of lists or hashes accepts another.

use super::guard::Guard;
use super::{IntegerRange, StringKind, StructElement, Type};

/// Whether the collection type accepts the other type.
pub(super) fn takes(ours: &Type, other: &Type, guard: &mut Guard) -> bool {
    match ours {
        Type::Collection(range) => size_fits(*range, other),
        Type::Array(item, range) => match other {
            Type::Array(their_item, _) => {
                size_fits(*range, other) && item.assignable(their_item, guard)
            }
            Type::Tuple(types, _) => {
                size_fits(*range, other) && types.iter().all(|it| item.assignable(it, guard))
            }
            _ => false,
        },
        Type::Hash(key, value, range) => hash_takes((key, value, *range), other, guard),
        Type::Tuple(types, range) => tuple_takes(types, *range, other, guard),
        Type::Struct(elements) => struct_takes(elements, other, guard),
        _ => false,
    }
}

/// A tuple without types and sizes counts as empty here.
fn size_fits(range: Option<IntegerRange>, other: &Type) -> bool {
    let theirs = match other {
        Type::Tuple(types, None) => Some(IntegerRange::of_size(types.len())),
        _ => other.size_range(),
    };
    theirs.is_some_and(|it| range.unwrap_or(IntegerRange::SIZES).includes(it))
}

fn hash_takes(
    (key, value, range): (&Type, &Type, Option<IntegerRange>),
    other: &Type,
    guard: &mut Guard,
) -> bool {
    match other {
        Type::Hash(their_key, their_value, _) => {
            let takes_empty = range.is_none_or(|it| it.from == Some(0));
            // The type of `{}` has no types of keys and values that could be compared.
            takes_empty && *other == Type::empty_hash()
                || key.assignable(their_key, guard)
                    && value.assignable(their_value, guard)
                    && size_fits(range, other)
        }
        Type::Struct(elements) => {
            size_fits(range, other)
                && elements.iter().all(|it| {
                    let name = super::Value::String(it.name.clone());
                    key.has_instance(&name, guard) && value.assignable(&it.value, guard)
                })
        }
        _ => false,
    }
}

fn tuple_takes(
    types: &[Type],
    range: Option<IntegerRange>,
    other: &Type,
    guard: &mut Guard,
) -> bool {
    let our_range = range.unwrap_or(match types.len() {
        0 => IntegerRange::SIZES,
        count => IntegerRange::of_size(count),
    });
    // As in Puppet, the last type of a tuple repeats.
    let type_at = |index: usize| types.get(index).or(types.last());
    match other {
        Type::Tuple(theirs, their_range) if types == theirs && range == *their_range => true,
        Type::Tuple(theirs, _) => {
            if !our_range.includes(other.size_range().unwrap_or(IntegerRange::SIZES)) {
                return false;
            }
            if types.is_empty() || theirs.is_empty() {
                return types.is_empty() || our_range.from == Some(0);
            }
            let mut pairs = theirs.iter().enumerate();
            pairs.all(|(index, it)| type_at(index).is_some_and(|ours| ours.assignable(it, guard)))
        }
        Type::Array(item, their_range) => {
            let theirs = their_range.unwrap_or(IntegerRange::SIZES);
            // Puppet compares only as many types as the list can have items.
            let count = theirs.to.and_then(|it| usize::try_from(it).ok()).unwrap_or(usize::MAX);
            our_range.includes(theirs)
                && types.iter().take(count).all(|ours| ours.assignable(item, guard))
        }
        _ => false,
    }
}

fn struct_takes(elements: &[StructElement], other: &Type, guard: &mut Guard) -> bool {
    match other {
        Type::Struct(theirs) => {
            let mut matched = 0;
            let all_fit =
                elements.iter().all(|ours| match theirs.iter().find(|it| it.name == ours.name) {
                    Some(theirs) => {
                        matched += 1;
                        (ours.is_optional || !theirs.is_optional)
                            && ours.value.assignable(&theirs.value, guard)
                    }
                    None => ours.is_optional,
                });
            all_fit && matched == theirs.len()
        }
        Type::Hash(key, value, range) => {
            let required: Vec<_> = elements.iter().filter(|it| !it.is_optional).collect();
            let size = IntegerRange {
                from: IntegerRange::of_size(required.len()).from,
                to: IntegerRange::of_size(elements.len()).to,
            };
            let string = Type::String(StringKind::Any);
            // Puppet compares the type of the keys once for each required member, so it is not compared if all members are optional.
            required
                .iter()
                .all(|it| it.value.assignable(value, guard) && string.assignable(key, guard))
                && size.includes(range.unwrap_or(IntegerRange::SIZES))
        }
        _ => false,
    }
}
