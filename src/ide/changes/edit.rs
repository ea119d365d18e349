//! What is edited between two answers, as a number. A hash that a thousand nodes merge with other values is edited in the same way
//! for all of them if the same members get the same values.

use std::hash::{BuildHasher, Hash, Hasher as _};

use foldhash::fast::FixedState;

use crate::data::{self, Value};
use crate::engine::cases::pairs::{EditedCase, edited_cases};
use crate::engine::{Answer, LeftOut, OtherNodes};
use crate::ide::own_names::{value_without_names, without_names};
use crate::world::AnswerChange;

type EditHasher = <FixedState as BuildHasher>::Hasher;

/// The cases that tell for which nodes of a change what is edited, each with the number of the edit.
pub(super) fn cases_of(change: &AnswerChange) -> Vec<EditedCase<'_, u64>> {
    edited_cases(&change.before, &change.after, |before, after| {
        number(|hasher| hash_edit(before, after, None, hasher))
    })
}

/// Whether two changes that are alike have the same values where they are edited.
pub(super) fn has_same_values(one: &AnswerChange, other: &AnswerChange) -> bool {
    let (one, other) = (cases_of(one), cases_of(other));
    let values = |it: &EditedCase<'_, _>| (it.before.outcome.clone(), it.after.outcome.clone());
    one.iter().map(values).eq(other.iter().map(values))
}

/// The number of what a change edits and in which cases. The name of the `node` does not count, if the change is one of it alone.
pub(super) fn number_of(change: &AnswerChange, node: Option<&str>) -> u64 {
    number_in(change, None, node)
}

/// The number that a change of unlisted nodes in one case would have if it were one of listed nodes that may be in this case.
pub(super) fn number_as_listed(change: &AnswerChange) -> Option<u64> {
    let ([], [only]) = (&*change.nodes, &*change.others) else { return None };
    Some(number_in(change, Some(only), None))
}

/// `nodes` are the nodes of the change, if its answers have no cases that tell.
fn number_in(change: &AnswerChange, nodes: Option<&OtherNodes>, node: Option<&str>) -> u64 {
    let edit = |before: &_, after: &_| number(|hasher| hash_edit(before, after, node, hasher));
    let cases = edited_cases(&change.before, &change.after, edit);
    number(|hasher| {
        for cause in &change.causes {
            (&cause.path, cause.line).hash(hasher);
        }
        if cases.is_empty() {
            for answer in [&change.before, &change.after] {
                for LeftOut { level, variables, files, .. } in &answer.left_out {
                    (level, variables, files).hash(hasher);
                }
            }
        }
        // The order of the cases and of their conditions says nothing.
        let nodes_of = |it| number_of_nodes(nodes.unwrap_or(it));
        sum(cases.iter().map(|it| (nodes_of(&it.who), it.edit))).hash(hasher);
    })
}

fn number_of_nodes(nodes: &OtherNodes) -> u64 {
    let unless = nodes.unless.iter().map(|conditions| sum(conditions.iter()));
    number(|hasher| (sum(nodes.conditions.iter()), sum(unless)).hash(hasher))
}

/// A number for all of `parts`, in any order.
fn sum<T: Hash>(parts: impl Iterator<Item = T>) -> u64 {
    parts.map(|part| number(|hasher| part.hash(hasher))).fold(0, u64::wrapping_add)
}

fn number(hash: impl FnOnce(&mut EditHasher)) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    hash(&mut hasher);
    hasher.finish()
}

fn hash_edit(before: &Answer, after: &Answer, node: Option<&str>, hasher: &mut EditHasher) {
    match (&before.outcome, &after.outcome) {
        (Ok(Some(one)), Ok(Some(other))) if one.value != other.value => {
            hash_values(&one.value, &other.value, node, hasher);
        }
        (one, other) if one == other => {
            // What else decides the answers differs.
            for answer in [before, after] {
                let levels: Vec<_> = answer.opaque.iter().map(|it| &it.level).collect();
                (levels, &answer.open).hash(hasher);
            }
        }
        outcomes => {
            for outcome in [outcomes.0, outcomes.1] {
                match outcome {
                    Ok(Some(found)) => hash_whole(&found.value, node, hasher),
                    Ok(None) => hasher.write_u8(0),
                    Err(failure) => match node {
                        Some(node) => without_names(&failure.message, node).hash(hasher),
                        None => failure.message.hash(hasher),
                    },
                }
            }
        }
    }
}

/// Hashes what differs between two values.
fn hash_values(before: &Value, after: &Value, node: Option<&str>, hasher: &mut EditHasher) {
    match (before, after) {
        (Value::Hash(one), Value::Hash(other)) => hash_members(one, other, node, hasher),
        (Value::Array(one), Value::Array(other)) => {
            let (one, other) = without_same_ends(one, other);
            if let ([one], [other]) = (one, other) {
                hasher.write_u8(b'i');
                return hash_values(&one.value, &other.value, node, hasher);
            }
            (one.len(), other.len()).hash(hasher);
            one.iter().chain(other).for_each(|item| hash_whole(&item.value, node, hasher));
        }
        // In a text of several lines, as in a file that Puppet writes, the other lines may differ from node to node.
        (Value::String(one), Value::String(other))
            if one.contains('\n') && other.contains('\n') =>
        {
            let [one, other] = [one, other].map(|text| text.split('\n').collect::<Vec<_>>());
            let (one, other) = without_same_ends(&one, &other);
            (b'l', one.len(), other.len()).hash(hasher);
            for line in one.iter().chain(other) {
                match node {
                    Some(node) => without_names(line, node).hash(hasher),
                    None => line.hash(hasher),
                }
            }
        }
        _ => {
            hash_whole(before, node, hasher);
            hash_whole(after, node, hasher);
        }
    }
}

/// What is left of two lists without the items at the beginning and at the end that are the same in both.
fn without_same_ends<'v, T: PartialEq>(one: &'v [T], other: &'v [T]) -> (&'v [T], &'v [T]) {
    let same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let (one, other) = (&one[same..], &other[same..]);
    let at_end = one.iter().rev().zip(other.iter().rev());
    let at_end = at_end.take_while(|(one, other)| one == other).count();
    (&one[..one.len() - at_end], &other[..other.len() - at_end])
}

fn hash_members(
    before: &data::Hash,
    after: &data::Hash,
    node: Option<&str>,
    hasher: &mut EditHasher,
) {
    let mut is_edited = false;
    let mut begin = |key: &Value, sign: u8, hasher: &mut EditHasher| {
        is_edited = true;
        hasher.write_u8(sign);
        hash_whole(key, node, hasher);
    };
    for (key, member) in before {
        match after.get_value(key) {
            Some(other) if other.value.value == member.value.value => {}
            Some(other) => {
                begin(key, b'{', hasher);
                hash_values(&member.value.value, &other.value.value, node, hasher);
                hasher.write_u8(b'}');
            }
            None => {
                begin(key, b'-', hasher);
                hash_whole(&member.value.value, node, hasher);
            }
        }
    }
    for (key, member) in after.iter().filter(|(key, _)| before.get_value(key).is_none()) {
        begin(key, b'+', hasher);
        hash_whole(&member.value.value, node, hasher);
    }
    if !is_edited {
        // The members have another order.
        let keys = |hash: &data::Hash| hash.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
        (keys(before), keys(after)).hash(hasher);
    }
}

fn hash_whole(value: &Value, node: Option<&str>, hasher: &mut EditHasher) {
    match node {
        Some(node) => value_without_names(value, node).hash(hasher),
        None => value.hash(hasher),
    }
}
