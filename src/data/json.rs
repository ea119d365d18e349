//! Converts JSON from outside (arguments, settings, requests) to values.

use std::sync::Arc;

use base64::Engine as _;
use serde_json::Value as Json;

use super::value::{Hash, Value};

/// JSON as a value; a number without a fraction is an Integer.
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

/// The inverse of [`to_exact_json`](super::render::to_exact_json): objects with the member `__ptype` are values that JSON
/// cannot express.
pub fn from_oracle_json(json: &Json) -> Value {
    match json {
        Json::Array(items) => {
            Value::array(items.iter().map(|it| from_oracle_json(it).into()).collect())
        }
        Json::Object(members) => {
            if let Some(class) = members.get("__ptype").and_then(Json::as_str) {
                return tagged(class, json);
            }
            let mut hash = Hash::with_capacity(members.len());
            for (key, value) in members {
                hash.insert(Value::string(key.as_str()), None, from_oracle_json(value).into());
            }
            Value::hash(hash)
        }
        scalar => to_value(scalar),
    }
}

fn tagged(class: &str, json: &Json) -> Value {
    let text = || json["value"].as_str().unwrap_or_default();
    match class {
        "Hash" => {
            let mut hash = Hash::new();
            for pair in json["pairs"].as_array().into_iter().flatten() {
                hash.insert(from_oracle_json(&pair[0]), None, from_oracle_json(&pair[1]).into());
            }
            Value::hash(hash)
        }
        "Default" => Value::Default,
        "Symbol" => Value::Symbol(text().into()),
        "Integer" => Value::BigInteger(text().into()),
        "Float" => Value::Float(match text() {
            "Infinity" => f64::INFINITY,
            "-Infinity" => f64::NEG_INFINITY,
            _ => f64::NAN,
        }),
        "Sensitive" => Value::Sensitive(Arc::new(from_oracle_json(&json["value"]).into())),
        "Bytes" => Value::Bytes(bytes_of_hexadecimal(text()).into()),
        "Binary" => match base64::engine::general_purpose::STANDARD.decode(text()) {
            Ok(bytes) => Value::Binary(bytes.into()),
            Err(_) => Value::object(class, text()),
        },
        // A hash that happens to have a member named `__ptype`.
        "Object" => {
            let mut hash = Hash::new();
            for (key, value) in json["value"].as_object().into_iter().flatten() {
                hash.insert(Value::string(key.as_str()), None, from_oracle_json(value).into());
            }
            Value::hash(hash)
        }
        class => Value::object(class, text()),
    }
}

/// The bytes; anything that is not a pair of digits is skipped.
fn bytes_of_hexadecimal(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks_exact(2);
    let text = |pair| std::str::from_utf8(pair).ok();
    pairs.filter_map(|pair| u8::from_str_radix(text(pair)?, 16).ok()).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::render::to_exact_json;

    #[track_caller]
    fn check(value: &Value) {
        let json = to_exact_json(value);
        let back = from_oracle_json(&json);
        assert_eq!(&back, value, "{json}");
        assert_eq!(to_exact_json(&back), json);
    }

    #[test]
    fn nothing_is_lost_on_the_way_and_back() {
        let mut hash = Hash::new();
        hash.insert(Value::Integer(1), None, Value::Default.into());
        hash.insert(Value::string("a"), None, Value::Symbol("b".into()).into());
        check(&Value::hash(hash));
        check(&Value::BigInteger("123456789012345678901234567890".into()));
        check(&Value::BigInteger("18446744073709551615".into()));
        check(&Value::Float(1.0));
        check(&Value::Float(f64::INFINITY));
        check(&Value::Bytes(b"\xff\x00a".as_slice().into()));
        check(&Value::Sensitive(Arc::new(Value::string("s").into())));
        check(&Value::object("Timestamp", "2020-01-01"));
        check(&Value::array(vec![Value::Undef.into(), Value::Boolean(true).into()]));
    }
}
