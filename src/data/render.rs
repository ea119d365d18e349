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
use super::value::Value;

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

#[cfg(test)]
mod tests;
