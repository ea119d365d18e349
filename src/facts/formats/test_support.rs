//! For tests: hashes from JSON, and values as JSON.

use crate::data::json::to_value;
use crate::data::{Hash, Value};

/// The hash of this JSON object.
pub(crate) fn hash(json: &str) -> Hash {
    let json = serde_json::from_str(json).expect("the test's JSON is valid");
    to_value(&json).as_hash().expect("the test's JSON is an object").clone()
}

/// A value as JSON without spaces.
pub(crate) fn show(value: &Value) -> String {
    match value {
        Value::Undef => "null".to_owned(),
        Value::Boolean(flag) => flag.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::String(text) => format!("{text:?}"),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|it| show(&it.value)).collect();
            format!("[{}]", items.join(","))
        }
        Value::Hash(hash) => show_hash(hash),
        other => format!("{other:?}"),
    }
}

/// A hash as JSON without spaces.
pub(crate) fn show_hash(hash: &Hash) -> String {
    let members: Vec<String> = hash
        .iter()
        .map(|(key, member)| format!("{}:{}", show(key), show(&member.value.value)))
        .collect();
    format!("{{{}}}", members.join(","))
}
