//! JSON of the outside world (arguments, settings, requests) as values.

use std::sync::Arc;

use serde_json::Value as Json;

use super::value::{Hash, Value};

/// JSON as a value; a number is an Integer where it has no fraction.
pub fn to_value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Undef,
        Json::Bool(it) => Value::Boolean(*it),
        Json::Number(number) => value_of_number(number),
        Json::String(text) => Value::string(text.as_str()),
        Json::Array(items) => Value::array(items.iter().map(|it| to_value(it).into()).collect()),
        Json::Object(members) => {
            let mut hash = Hash::with_capacity(members.len());
            for (key, value) in members {
                hash.insert(Value::string(key.as_str()), None, to_value(value).into());
            }
            Value::hash(hash)
        }
    }
}

fn value_of_number(number: &serde_json::Number) -> Value {
    if let Some(integer) = number.as_i64() {
        return Value::Integer(integer);
    }
    match number.as_u64() {
        Some(large) => Value::BigInteger(Arc::from(large.to_string())),
        None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
    }
}
