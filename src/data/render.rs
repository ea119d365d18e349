//! Values as text for people and programs: YAML as `puppet lookup` prints it, JSON, and lossless JSON lines.

mod emitter;
mod json;
mod scalar;
mod tree;
mod yaml;

pub use json::{ExactJson, to_exact_json, to_json};
pub use tree::{Tree, tree_to_json, tree_to_yaml};
pub use yaml::{to_readable_yaml, to_yaml, to_yaml_key, to_yaml_leaf};

use super::inspect;
use super::value::{Hash, Located, Value};

/// The value as `--render-as s` prints it: Ruby's `to_s`.
pub fn to_ruby_s(value: &Value) -> String {
    inspect::to_s(value)
}

/// Whether the value contains a string encrypted by eyaml: `ENC[…]`.
pub fn has_encrypted_text(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            text.lines().any(|it| it.find("ENC[").is_some_and(|start| it[start..].contains(']')))
        }
        Value::Array(items) => items.iter().any(|it| has_encrypted_text(&it.value)),
        Value::Hash(hash) => hash.iter().any(|(_, member)| has_encrypted_text(&member.value.value)),
        Value::Sensitive(inner) => has_encrypted_text(&inner.value),
        _ => false,
    }
}

/// Whether the value is `Sensitive`, or contains such a value.
pub fn has_sensitive(value: &Value) -> bool {
    match value {
        Value::Sensitive(_) => true,
        Value::Array(items) => items.iter().any(|it| has_sensitive(&it.value)),
        Value::Hash(hash) => hash.iter().any(|(_, member)| has_sensitive(&member.value.value)),
        _ => false,
    }
}

/// The value with Puppet's text in place of every `Sensitive`.
pub fn redacted(value: &Located) -> Located {
    let shown = match &value.value {
        Value::Sensitive(_) => Value::string(inspect::REDACTED),
        Value::Array(items) => Value::array(items.iter().map(redacted).collect()),
        Value::Hash(hash) => {
            let mut shown = Hash::with_capacity(hash.len());
            for (key, member) in hash.as_ref() {
                shown.insert(key.clone(), member.key_place, redacted(&member.value));
            }
            Value::hash(shown)
        }
        other => other.clone(),
    };
    Located::new(shown, value.place)
}

#[cfg(test)]
mod tests;
