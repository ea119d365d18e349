//! Values as YAML, byte for byte as Ruby's Psych writes them.

use super::emitter::{Emitter, Node, Scalar, Style, Wide};
use super::scalar;
use crate::data::inspect::{self, REDACTED, float_to_s};
use crate::data::value::Value;

/// A YAML document, such as `--- 1\n`. A `Sensitive` is redacted, where Puppet would print the secret.
pub fn to_yaml(value: &Value) -> String {
    Emitter::document(&node(value), Wide::Escaped)
}

/// The same for people and for data files: characters such as 😀, which Psych escapes, stay as they are, and a text of one line with
/// its line end is `"text\n"`, which Psych writes over three lines.
pub fn to_readable_yaml(value: &Value) -> String {
    let mut node = node(value);
    on_one_line(&mut node);
    Emitter::document(&node, Wide::Kept)
}

fn on_one_line(node: &mut Node) {
    match node {
        Node::Scalar(scalar) if scalar.style != Style::Literal && scalar.text.contains('\n') => {
            scalar.style = Style::DoubleQuoted;
        }
        Node::Sequence(items) => items.iter_mut().for_each(on_one_line),
        Node::Mapping { members, .. } => {
            for (key, value) in members {
                on_one_line(key);
                on_one_line(value);
            }
        }
        Node::Anchored(_, inner) => on_one_line(inner),
        Node::Scalar(_) | Node::Alias(_) => {}
    }
}

/// A scalar or an empty list or hash as it is written after a key: on one line, or as a block (`|`) whose lines are indented
/// by two. Nothing is folded, so a comment can follow the first line.
pub fn to_yaml_leaf(value: &Value) -> String {
    let mut node = node(value);
    if let Node::Scalar(scalar) = &mut node
        && scalar.text.contains('\n')
    {
        scalar.style = Style::Literal;
    }
    match value {
        Value::Undef => "~".to_owned(),
        _ => Emitter::unfolded(&node, false),
    }
}

/// A hash key as it is written before its `:`. Keys that are not scalars are shown as text.
pub fn to_yaml_key(value: &Value) -> String {
    match value {
        Value::Undef => "~".to_owned(),
        Value::Array(_) | Value::Hash(_) => {
            Emitter::unfolded(&string(&inspect::inspect(value)), true)
        }
        Value::Bytes(_) | Value::Binary(_) => {
            Emitter::unfolded(&string(&inspect::to_s(value)), true)
        }
        _ => Emitter::unfolded(&node(value), true),
    }
}

pub(super) fn node(value: &Value) -> Node {
    match value {
        Value::Undef => Node::Scalar(Scalar { is_quoted_implicit: false, ..plain(String::new()) }),
        Value::Boolean(_) | Value::Integer(_) | Value::BigInteger(_) => {
            Node::Scalar(plain(inspect::inspect(value)))
        }
        Value::Float(it) => Node::Scalar(plain(yaml_float(*it))),
        Value::String(text) => string(text),
        Value::Object(object) => string(&object.text),
        Value::Sensitive(_) => string(REDACTED),
        Value::Bytes(bytes) => Node::Scalar(Scalar {
            tag: Some("!binary"),
            style: Style::Literal,
            ..plain(base64(bytes))
        }),
        Value::Default => symbol("default"),
        Value::Symbol(name) => symbol(name),
        Value::Array(items) => Node::Sequence(items.iter().map(|it| node(&it.value)).collect()),
        Value::Hash(hash) => Node::Mapping {
            tag: None,
            members: hash
                .iter()
                .map(|(key, member)| (node(key), node(&member.value.value)))
                .collect(),
        },
        Value::Binary(bytes) => {
            let buffer = std::str::from_utf8(bytes)
                .map_or_else(|_| node(&Value::Bytes(bytes.clone())), string);
            Node::Mapping {
                tag: Some("!ruby/object:Puppet::Pops::Types::PBinaryType::Binary"),
                members: vec![(string("binary_buffer"), buffer)],
            }
        }
    }
}

fn plain(text: String) -> Scalar {
    Scalar { text, tag: None, style: Style::Plain, is_quoted_implicit: true }
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::prelude::BASE64_STANDARD.encode(bytes)
}

fn yaml_float(float: f64) -> String {
    if float.is_nan() {
        ".nan".to_owned()
    } else if float.is_infinite() {
        if float > 0.0 { ".inf" } else { "-.inf" }.to_owned()
    } else {
        float_to_s(float)
    }
}

pub(super) fn symbol(name: &str) -> Node {
    let scalar = Scalar { is_quoted_implicit: false, ..plain(format!(":{name}")) };
    Node::Scalar(scalar)
}

/// The style that Psych requests; the emitter may have to choose another one.
pub(super) fn string(text: &str) -> Node {
    let is_like_name = text == "y" || text == "n";
    let (style, tag) = if scalar::has_inner_newline(text) {
        (Style::Literal, None)
    } else if text == "<<" {
        // Psych merges the hash under a quoted `<<` as well, so it writes the tag that prevents this.
        (Style::SingleQuoted, Some("!!str"))
    } else if is_like_name || scalar::begins_oddly(text) {
        // Psych quotes `y` and `n` for other readers of YAML 1.1, although it reads both as strings itself.
        (Style::DoubleQuoted, None)
    } else if scalar::reads_as_other_type(text) {
        (Style::SingleQuoted, None)
    } else {
        (Style::Plain, None)
    };
    Node::Scalar(Scalar { tag, style, ..plain(text.to_owned()) })
}
