//! Finds the members of a list or hash that do not fit a type.

use super::describe::Describer;
use super::misfit::Part;
use super::mismatch::{Mismatch, Problem, Step};
use super::{IntegerRange, StringKind, StructElement, Type};

fn below(path: &[Step], part: Part) -> Vec<Step> {
    let mut path = path.to_vec();
    path.push(Step::Part(part));
    path
}

pub(super) fn of_array(
    describer: &mut Describer,
    (item, range): (&Type, Option<IntegerRange>),
    original: &Type,
    actual: &Type,
    path: &[Step],
) -> Vec<Mismatch> {
    let wanted = range.unwrap_or(IntegerRange::SIZES);
    match actual {
        Type::Tuple(types, size) => {
            let actual_size = size.unwrap_or_else(|| IntegerRange::of_size(types.len()));
            if !wanted.includes(actual_size) {
                return vec![Mismatch::of_size(path, wanted, actual_size)];
            }
            // If the size is wrong, Puppet does not mention wrong items.
            let mut found = Vec::new();
            for (index, it) in types.iter().enumerate() {
                if !describer.takes(item, it) {
                    let path = below(path, Part::Index(index));
                    found.extend(describer.describe(item, it, &path));
                }
            }
            found
        }
        Type::Array(actual_item, size) => {
            let actual_size = size.unwrap_or(IntegerRange::SIZES);
            if !wanted.includes(actual_size) {
                return vec![Mismatch::of_size(path, wanted, actual_size)];
            }
            // The size fits, so the message shows the types without it.
            let sizeless = Type::Array(actual_item.clone(), None);
            vec![describer.mismatch(path, original, &sizeless)]
        }
        _ => vec![describer.mismatch(path, original, actual)],
    }
}

pub(super) fn of_hash(
    describer: &mut Describer,
    (key, value, range): (&Type, &Type, Option<IntegerRange>),
    original: &Type,
    actual: &Type,
    path: &[Step],
) -> Vec<Mismatch> {
    let wanted = range.unwrap_or(IntegerRange::SIZES);
    match actual {
        Type::Struct(elements) => {
            let actual_size = IntegerRange::of_size(elements.len());
            if !wanted.includes(actual_size) {
                return vec![Mismatch::of_size(path, wanted, actual_size)];
            }
            let mut found = Vec::new();
            for element in elements {
                let key_type = Type::String(StringKind::Exactly(element.name.clone()));
                if !describer.takes(key, &key_type) {
                    let path = below(path, Part::Key(element.name.clone()));
                    found.extend(describer.describe(key, &key_type, &path));
                }
                if !describer.takes(value, &element.value) {
                    let path = below(path, Part::Entry(element.name.clone()));
                    found.extend(describer.describe(value, &element.value, &path));
                }
            }
            found
        }
        Type::Hash(actual_key, actual_value, size) => {
            let actual_size = size.unwrap_or(IntegerRange::SIZES);
            if !wanted.includes(actual_size) {
                return vec![Mismatch::of_size(path, wanted, actual_size)];
            }
            let sizeless = Type::Hash(actual_key.clone(), actual_value.clone(), None);
            vec![describer.mismatch(path, original, &sizeless)]
        }
        _ => vec![describer.mismatch(path, original, actual)],
    }
}

pub(super) fn of_struct(
    describer: &mut Describer,
    elements: &[StructElement],
    original: &Type,
    actual: &Type,
    path: &[Step],
) -> Vec<Mismatch> {
    match actual {
        Type::Struct(theirs) => {
            let mut found = Vec::new();
            for element in elements {
                let Some(it) = theirs.iter().find(|it| it.name == element.name) else {
                    if !element.is_optional {
                        let key = element.name.to_string();
                        found.push(Mismatch::new(path, Problem::MissingKey(key)));
                    }
                    continue;
                };
                if !describer.takes(&element.value, &it.value) {
                    let path = below(path, Part::Entry(element.name.clone()));
                    found.extend(describer.describe(&element.value, &it.value, &path));
                }
            }
            let is_known =
                |it: &&StructElement| elements.iter().any(|element| element.name == it.name);
            let extraneous = theirs.iter().filter(|it| !is_known(it));
            found.extend(
                extraneous
                    .map(|it| Mismatch::new(path, Problem::ExtraneousKey(it.name.to_string()))),
            );
            found
        }
        Type::Hash(key, value, size) => {
            let actual_size = size.unwrap_or(IntegerRange::SIZES);
            let required = elements.iter().filter(|it| !it.is_optional).count();
            let wanted = IntegerRange {
                from: IntegerRange::of_size(required).from,
                to: IntegerRange::of_size(elements.len()).to,
            };
            if !wanted.includes(actual_size) {
                return vec![Mismatch::of_size(path, wanted, actual_size)];
            }
            let sizeless = Type::Hash(key.clone(), value.clone(), None);
            vec![describer.mismatch(path, original, &sizeless)]
        }
        _ => vec![describer.mismatch(path, original, actual)],
    }
}

pub(super) fn of_tuple(
    describer: &mut Describer,
    (expected, types): (&Type, &[Type]),
    original: &Type,
    actual: &Type,
    path: &[Step],
) -> Vec<Mismatch> {
    if expected == actual || types.is_empty() && matches!(actual, Type::Array(..)) {
        return Vec::new();
    }
    let (Type::Tuple(..) | Type::Array(..)) = actual else {
        return vec![describer.mismatch(path, original, actual)];
    };
    let wanted = expected.size_range().unwrap_or(IntegerRange::SIZES);
    let actual_size = actual.size_range().unwrap_or(IntegerRange::SIZES);
    if !wanted.includes(actual_size) {
        return vec![Mismatch::of_size(path, wanted, actual_size)];
    }
    let step = |index: usize| below(path, Part::Index(index));
    let mut found = Vec::new();
    match actual {
        Type::Tuple(theirs, _) if !types.is_empty() => {
            for (index, it) in theirs.iter().enumerate() {
                // The last type applies to all further items.
                let index = index.min(types.len() - 1);
                found.extend(describer.describe(&types[index], it, &step(index)));
            }
        }
        Type::Array(item, _) => {
            for (index, it) in types.iter().enumerate() {
                found.extend(describer.describe(it, item, &step(index)));
            }
        }
        _ => {}
    }
    found
}
