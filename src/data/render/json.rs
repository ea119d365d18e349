//! Values as JSON: as `puppet lookup --render-as json` prints them, and lossless.

use std::fmt::Write as _;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value as Json;

use crate::data::inspect;
use crate::data::value::{Hash, Located, Value};

/// The value in JSON, if JSON can express it. Everything else is an object with the member `__ptype`: hashes with keys that
/// are not strings (`{"__ptype": "Hash", "pairs": [[k, v], …]}`), and, with a `value`, `Float` (NaN and infinities),
/// `Integer` (beyond 64 bits, as digits), `Sensitive` (not redacted), `Bytes` (hexadecimal), `Binary` (base 64), `Symbol`,
/// and any other Puppet class.
pub struct ExactJson<'v>(pub &'v Value);

/// [`ExactJson`] as a tree.
pub fn to_exact_json(value: &Value) -> Json {
    // No value refuses to be written.
    serde_json::to_value(ExactJson(value)).unwrap_or_default()
}

impl Serialize for ExactJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Undef => serializer.serialize_unit(),
            Value::Boolean(it) => serializer.serialize_bool(*it),
            Value::Integer(it) => serializer.serialize_i64(*it),
            Value::BigInteger(digits) => match digits.parse::<u64>() {
                Ok(number) => serializer.serialize_u64(number),
                Err(_) => tagged(serializer, "Integer", &**digits),
            },
            Value::Float(it) if it.is_finite() => serializer.serialize_f64(*it),
            Value::Float(it) => tagged(serializer, "Float", &inspect::float_to_s(*it)),
            Value::String(text) => serializer.serialize_str(text),
            Value::Bytes(bytes) => tagged(serializer, "Bytes", &hexadecimal(bytes)),
            Value::Array(items) => {
                serializer.collect_seq(items.iter().map(|it| ExactJson(&it.value)))
            }
            Value::Hash(hash) => write_hash(hash, serializer),
            Value::Default => serializer.collect_map([("__ptype", "Default")]),
            Value::Symbol(name) => tagged(serializer, "Symbol", &**name),
            Value::Sensitive(inner) => {
                let inner: &Located = inner;
                tagged(serializer, "Sensitive", &Self(&inner.value))
            }
            Value::Binary(_) => tagged(serializer, "Binary", &inspect::to_s(self.0)),
            Value::Object(it) => tagged(serializer, ruby_name(&it.class), &*it.text),
        }
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

fn write_hash<S: Serializer>(hash: &Hash, serializer: S) -> Result<S::Ok, S::Error> {
    let members = || hash.iter().map(|(key, member)| (key, ExactJson(&member.value.value)));
    if members().all(|(key, _)| key.as_str().is_some()) {
        let named = members().filter_map(|(key, value)| Some((key.as_str()?, value)));
        return serializer.collect_map(named);
    }
    let mut object = serializer.serialize_map(Some(2))?;
    object.serialize_entry("__ptype", "Hash")?;
    let pairs: Vec<_> = members().map(|(key, value)| (ExactJson(key), value)).collect();
    object.serialize_entry("pairs", &pairs)?;
    object.end()
}

/// The last part of the name of Ruby's class.
fn ruby_name(class: &str) -> &str {
    match class {
        "SemVer" => "Version",
        "SemVerRange" => "VersionRange",
        other => other,
    }
}

fn tagged<S: Serializer>(
    serializer: S,
    class: &str,
    value: &(impl Serialize + ?Sized),
) -> Result<S::Ok, S::Error> {
    let mut object = serializer.serialize_map(Some(2))?;
    object.serialize_entry("__ptype", class)?;
    object.serialize_entry("value", value)?;
    object.end()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}
