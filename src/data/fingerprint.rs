//! Fingerprints of values: equal values have equal numbers, and different values have different numbers except for rare
//! collisions.

use std::hash::{BuildHasher, Hash as _, Hasher};

use super::value::Value;

/// The fingerprint of a value. The order of a hash's members matters, because lookups keep it.
pub fn hash_of(value: &Value) -> u64 {
    let mut hasher = new_hasher();
    add_value(value, &mut hasher);
    hasher.finish()
}

/// A hasher that gives the same result for the same input in each run of the program.
pub(crate) fn new_hasher() -> impl Hasher {
    foldhash::quality::FixedState::default().build_hasher()
}

/// Adds a value to a hasher.
pub(crate) fn add_value(value: &Value, hasher: &mut impl Hasher) {
    match value {
        Value::Hash(hash) => {
            // The hash of a `Value` ignores the order of members, so collections are hashed here, with numbers that `Value` does not use.
            (20_u8, hash.len()).hash(hasher);
            for (key, member) in hash.iter() {
                add_value(key, hasher);
                add_value(&member.value.value, hasher);
            }
        }
        Value::Array(items) => {
            (21_u8, items.len()).hash(hasher);
            items.iter().for_each(|item| add_value(&item.value, hasher));
        }
        Value::Sensitive(inner) => {
            22_u8.hash(hasher);
            add_value(&inner.value, hasher);
        }
        other => other.hash(hasher),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Hash;

    #[test]
    fn the_order_of_members_counts() {
        let of = |members: [(&str, i64); 2]| {
            let mut hash = Hash::new();
            for (name, number) in members {
                hash.insert(Value::string(name), None, Value::Integer(number).into());
            }
            hash_of(&Value::hash(hash))
        };
        assert_eq!(of([("a", 1), ("b", 2)]), of([("a", 1), ("b", 2)]));
        assert_ne!(of([("a", 1), ("b", 2)]), of([("b", 2), ("a", 1)]));
        assert_ne!(hash_of(&Value::Integer(1)), hash_of(&Value::Float(1.0)));
    }
}
