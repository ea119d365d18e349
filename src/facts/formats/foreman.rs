//! Foreman's facts: flat names joined by `::`, and only string values.

use crate::data::{Hash, Value};

/// Whether the facts are Foreman's: only strings and `null`, and at least one joined name.
pub(super) fn is_flattened(facts: &Hash) -> bool {
    let is_text = |value: &Value| matches!(value, Value::String(_) | Value::Undef);
    facts.iter().all(|(_, member)| is_text(&member.value.value))
        && facts.iter().any(|(key, _)| key.as_str().is_some_and(|it| it.contains("::")))
}

/// Restores the structure of structured facts: `os::family` is the member `family` of `os`. Values stay strings, because
/// Foreman does not say what they were. Its `null` for a structured fact is replaced by the members.
pub(super) fn unflatten(facts: &Hash) -> Hash {
    let mut nested = Hash::new();
    for (key, member) in facts {
        let path: Vec<&str> = key.as_str().unwrap_or_default().split("::").collect();
        set(&mut nested, &path, member.value.value.clone());
    }
    nested
}

fn set(hash: &mut Hash, path: &[&str], value: Value) {
    let Some((name, rest)) = path.split_first() else { return };
    let there = hash.get(name).map(|member| &member.value.value);
    if rest.is_empty() {
        if matches!(value, Value::Undef) && there.is_some() {
            return;
        }
        hash.insert(Value::string(*name), None, value.into());
        return;
    }
    let mut inner = there.and_then(Value::as_hash).cloned().unwrap_or_default();
    set(&mut inner, rest, value);
    hash.insert(Value::string(*name), None, Value::hash(inner).into());
}
