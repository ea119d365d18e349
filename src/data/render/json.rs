//! Values as JSON: as `puppet lookup --render-as json` prints them, and lossless.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json};

use crate::data::inspect;
use crate::data::value::{Hash, Located, Value};

/// The value in JSON, if JSON can express it. Everything else is an object with the member `__ptype`: hashes with keys that
/// are not strings (`{"__ptype": "Hash", "pairs": [[k, v], …]}`), and, with a `value`, `Float` (NaN and infinities),
/// `Integer` (beyond 64 bits, as digits), `Sensitive` (not redacted), `Bytes` (hexadecimal), `Binary` (base 64), `Symbol`,
/// and any other Puppet class.
pub fn to_exact_json(value: &Value) -> Json {
    match value {
        Value::Undef => Json::Null,
        Value::Boolean(it) => (*it).into(),
        Value::Integer(it) => (*it).into(),
        Value::BigInteger(digits) => {
            digits.parse::<u64>().map_or_else(|_| tagged("Integer", &**digits), Json::from)
        }
        Value::Float(it) if it.is_finite() => (*it).into(),
        Value::Float(it) => tagged("Float", inspect::float_to_s(*it)),
        Value::String(text) => (&**text).into(),
        Value::Bytes(bytes) => tagged("Bytes", hexadecimal(bytes)),
        Value::Array(items) => items.iter().map(|it| to_exact_json(&it.value)).collect(),
        Value::Hash(hash) => hash_to_exact_json(hash),
        Value::Default => object([("__ptype", "Default".into())]),
        Value::Symbol(name) => tagged("Symbol", &**name),
        Value::Sensitive(inner) => {
            let inner: &Located = inner;
            tagged("Sensitive", to_exact_json(&inner.value))
        }
        Value::Binary(_) => tagged("Binary", inspect::to_s(value)),
        Value::Object { class, text } => tagged(ruby_name(class), &**text),
    }
}

/// The value as `--render-as json` prints it: what JSON cannot express is text, a `Sensitive` is redacted.
pub fn to_json(value: &Value) -> String {
    let mut out = String::new();
    write_json(value, &mut out);
    out
}

pub(super) fn write_json(value: &Value, out: &mut String) {
    match value {
        Value::Undef => out.push_str("null"),
        Value::Boolean(_) | Value::Integer(_) | Value::BigInteger(_) | Value::Float(_) => {
            out.push_str(&inspect::inspect(value));
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write_json(&item.value, out);
            }
            out.push(']');
        }
        Value::Hash(hash) => {
            out.push('{');
            for (index, (key, member)) in hash.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write_json_text(&inspect::to_s(key), out);
                out.push(':');
                write_json(&member.value.value, out);
            }
            out.push('}');
        }
        _ => write_json_text(&inspect::to_s(value), out),
    }
}

/// A string in quotes, escaped where JSON requires it and Ruby does it.
pub(super) fn write_json_text(text: &str, out: &mut String) {
    out.push_str(&Json::from(text).to_string());
}

fn hash_to_exact_json(hash: &Hash) -> Json {
    let members: Option<Map<String, Json>> = hash
        .iter()
        .map(|(key, member)| Some((key.as_str()?.to_owned(), to_exact_json(&member.value.value))))
        .collect();
    members.map_or_else(
        || {
            let pair = |key: &Value, value: &Value| {
                Json::Array(vec![to_exact_json(key), to_exact_json(value)])
            };
            let pairs = hash.iter().map(|(key, member)| pair(key, &member.value.value)).collect();
            object([("__ptype", "Hash".into()), ("pairs", Json::Array(pairs))])
        },
        Json::Object,
    )
}

/// The last part of the name of Ruby's class.
fn ruby_name(class: &str) -> &str {
    match class {
        "SemVer" => "Version",
        "SemVerRange" => "VersionRange",
        other => other,
    }
}

fn tagged(class: &str, value: impl Into<Json>) -> Json {
    object([("__ptype", class.into()), ("value", value.into())])
}

fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>().into()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}
