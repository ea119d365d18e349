//! The members of a hash, in order. Most hashes have so few that a walk through them takes less time and memory than a table.

use std::hash::Hash as StdHash;

use indexmap::{Equivalent, IndexMap};

use super::value::{Member, Value};

/// With more members than this, a table pays off.
const MOST_WITHOUT_TABLE: usize = 8;

type Table = IndexMap<Value, Member, foldhash::fast::RandomState>;

#[derive(Debug, Clone)]
pub(super) enum Members {
    Few(Vec<(Value, Member)>),
    Many(Box<Table>),
}

impl Default for Members {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl Members {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        if capacity <= MOST_WITHOUT_TABLE {
            return Self::Few(Vec::with_capacity(capacity));
        }
        let hasher = foldhash::fast::RandomState::default();
        Self::Many(Box::new(Table::with_capacity_and_hasher(capacity, hasher)))
    }

    pub(super) fn shrink_to_fit(&mut self) {
        match self {
            Self::Few(members) => members.shrink_to_fit(),
            Self::Many(members) => members.shrink_to_fit(),
        }
    }

    /// An existing key keeps its place in the order.
    pub(super) fn insert(&mut self, key: Value, member: Member) {
        match self {
            Self::Many(members) => {
                members.insert(key, member);
            }
            Self::Few(members) => {
                if let Some((_, known)) = members.iter_mut().find(|(it, _)| *it == key) {
                    *known = member;
                    return;
                }
                members.push((key, member));
                if members.len() > MOST_WITHOUT_TABLE {
                    *self = Self::Many(Box::new(std::mem::take(members).into_iter().collect()));
                }
            }
        }
    }

    pub(super) fn get<K: StdHash + Equivalent<Value> + ?Sized>(&self, key: &K) -> Option<&Member> {
        match self {
            Self::Few(members) => {
                let found = members.iter().find(|(it, _)| key.equivalent(it));
                found.map(|(_, member)| member)
            }
            Self::Many(members) => members.get(key),
        }
    }

    pub(super) fn get_mut(&mut self, key: &Value) -> Option<&mut Member> {
        match self {
            Self::Few(members) => {
                let found = members.iter_mut().find(|(it, _)| it == key);
                found.map(|(_, member)| member)
            }
            Self::Many(members) => members.get_mut(key),
        }
    }

    /// Removes a member and keeps the order of the others.
    pub(super) fn remove(&mut self, key: &Value) -> Option<Member> {
        match self {
            Self::Few(members) => {
                let place = members.iter().position(|(it, _)| it == key)?;
                Some(members.remove(place).1)
            }
            Self::Many(members) => members.shift_remove(key),
        }
    }

    pub(super) fn iter(&self) -> Iter<'_> {
        Iter(match self {
            Self::Few(members) => Kind::Few(members.iter()),
            Self::Many(members) => Kind::Many(members.iter()),
        })
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Few(members) => members.len(),
            Self::Many(members) => members.len(),
        }
    }
}

/// Key and member pairs of a hash, in order.
#[derive(Debug, Clone)]
pub struct Iter<'a>(Kind<'a>);

#[derive(Debug, Clone)]
enum Kind<'a> {
    Few(std::slice::Iter<'a, (Value, Member)>),
    Many(indexmap::map::Iter<'a, Value, Member>),
}

impl<'a> Iterator for Iter<'a> {
    type Item = (&'a Value, &'a Member);

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Kind::Few(members) => members.next().map(|(key, member)| (key, member)),
            Kind::Many(members) => members.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Kind::Few(members) => members.size_hint(),
            Kind::Many(members) => members.size_hint(),
        }
    }
}

impl DoubleEndedIterator for Iter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Kind::Few(members) => members.next_back().map(|(key, member)| (key, member)),
            Kind::Many(members) => members.next_back(),
        }
    }
}

impl ExactSizeIterator for Iter<'_> {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn member(number: i64) -> Member {
        Member { key_place: None, value: Value::Integer(number).into() }
    }

    fn pairs(members: &Members) -> Vec<(Value, Value)> {
        members.iter().map(|(key, it)| (key.clone(), it.value.value.clone())).collect()
    }

    proptest! {
        #[test]
        fn few_members_are_kept_as_many_are(
            steps in prop::collection::vec((any::<bool>(), 0_i64..14), 0..40),
            capacity in 0_usize..12,
        ) {
            let mut members = Members::with_capacity(capacity);
            let mut table = Table::default();
            for (number, (is_new, key)) in (0..).zip(steps) {
                // Ruby tells these keys apart.
                let key =
                    if key % 2 == 0 { Value::Integer(key) } else { Value::string(key.to_string()) };
                if is_new {
                    members.insert(key.clone(), member(number));
                    table.insert(key.clone(), member(number));
                } else {
                    let removed = table.shift_remove(&key).map(|it| it.value);
                    prop_assert_eq!(members.remove(&key).map(|it| it.value), removed);
                }
                prop_assert_eq!(members.get(&key).map(|it| &it.value), table.get(&key).map(|it| &it.value));
                prop_assert_eq!(members.get_mut(&key).is_some(), table.contains_key(&key));
                prop_assert_eq!(members.len(), table.len());
                let expected: Vec<_> = table.iter().map(|(key, it)| (key.clone(), it.value.value.clone())).collect();
                prop_assert_eq!(pairs(&members), expected);
                let backward: Vec<_> = members.iter().rev().map(|(key, _)| key.clone()).collect();
                prop_assert!(table.keys().rev().eq(&backward));
                prop_assert_eq!(members.iter().len(), table.len());
            }
        }
    }
}
