//! HOCON as Puppet's hocon gem reads it, oddities included: substitutions are resolved and objects merged in the gem's order.
//!
//! Included files are not known here and count as empty. Values that environment variables of the server decide are marked.

use std::sync::Arc;

use super::tree::{Node, NodeKind, Pair, ScalarStyle, SyntaxError};
use crate::text::TextRange;

mod build;
mod document;
mod names;
mod path;
mod resolve;
mod token;
mod value;

pub use names::{RootField, WrittenName, root_fields, written_names};
pub use token::OUT_OF_RANGE;
use token::TokenKind;
use value::{Kind, Scalar, Value};

/// Reads a text. The root is a mapping with unique keys. Strings become double-quoted scalars; numbers, booleans and null
/// become plain scalars in JSON's spelling. A substitution has the range of its `${…}` and the value that it resolves to.
///
/// A text has at most one error: the gem's own message, as Puppet shows it after `Unable to parse (path): `.
pub fn parse(text: &str) -> (Option<Node>, Vec<SyntaxError>) {
    match read(text) {
        Ok(root) => (Some(to_node(&root)), Vec::new()),
        Err(error) => (None, vec![error.into()]),
    }
}

/// The strings of a text as they are written, also those that other ones replace.
pub fn strings(text: &str) -> Vec<TextRange> {
    let is_string = |it: &token::Token| matches!(it.kind, TokenKind::Value(_) | TokenKind::Text(_));
    token::tokenize(text).iter().filter(|it| is_string(it)).map(|it| it.range).collect()
}

/// A root key whose value environment variables of the server decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenKey {
    /// The key.
    pub key: Arc<str>,
    /// The names of the variables.
    pub variables: Vec<Arc<str>>,
    /// Where its value has them, in no order.
    pub places: Vec<TextRange>,
}

impl OpenKey {
    /// What decides its value, to follow a subject.
    pub fn in_words(&self) -> String {
        let names: Vec<String> = self.variables.iter().map(|it| format!("`{it}`")).collect();
        let what = if names.len() == 1 { "variable" } else { "variables" };
        format!("depends on the environment {what} {} of the Puppet server", names.join(", "))
    }
}

/// [`parse`], and the keys whose values environment variables decide. In the tree, these values are strings with `${…}` in place
/// of what is not known. The gem refuses the text if a variable of a `${name}` is not set.
///
/// # Errors
/// The error of the text.
pub fn parse_with_open_keys(text: &str) -> Result<(Node, Vec<OpenKey>), SyntaxError> {
    let root = read(text)?;
    let members = match &root.kind {
        Kind::Object(object) => object.members.iter(),
        _ => return Ok((to_node(&root), Vec::new())),
    };
    let open = members.filter_map(|(key, member)| {
        let mut variables = Vec::new();
        value::add_variables(&member.value, &mut variables);
        if variables.is_empty() {
            return None;
        }
        let mut places = Vec::new();
        add_open_places(&member.value, &mut places);
        Some(OpenKey { key: Arc::clone(key), variables, places })
    });
    Ok((to_node(&root), open.collect()))
}

fn add_open_places(value: &Value, places: &mut Vec<TextRange>) {
    match &value.kind {
        Kind::OfEnvironment { .. } => places.push(value.range),
        Kind::List(items) => items.iter().for_each(|it| add_open_places(it, places)),
        Kind::Object(object) => {
            object.members.values().for_each(|it| add_open_places(&it.value, places));
        }
        _ => {}
    }
}

/// The first of the places at which the gem reads a character: comments and texts in `"""` are taken as they are. Bytes that are
/// not UTF-8 matter only there.
pub fn first_read_place(text: &str, places: impl IntoIterator<Item = u32>) -> Option<u32> {
    let tokens = token::tokenize(text);
    let is_raw = |at: u32| {
        let number = tokens.partition_point(|it| it.range.end <= at);
        tokens.get(number).is_some_and(|token| match token.kind {
            TokenKind::Comment => true,
            TokenKind::Value(_) => token.range.slice(text).starts_with("\"\"\""),
            _ => false,
        })
    };
    places.into_iter().find(|at| !is_raw(*at))
}

fn read(text: &str) -> Result<value::Shared, Failure> {
    let tokens = token::tokenize(text);
    let root = document::parse(text, tokens).and_then(|it| build::build(text, &it));
    let root = root.and_then(|it| resolve::resolve(&it));
    root.map_err(|failure| failure.beside_line_ends(text))
}

/// Why the gem refuses a text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Failure {
    message: String,
    range: TextRange,
}

impl From<Failure> for SyntaxError {
    fn from(failure: Failure) -> Self {
        Self { message: failure.message, range: failure.range }
    }
}

impl Failure {
    /// An error that names its line, as most errors do.
    fn at_line(line: u32, message: impl AsRef<str>, range: TextRange) -> Self {
        Self { message: format!("String: {line}: {}", message.as_ref()), range }
    }

    /// The same error at a place that has no half of a line end. The gem counts a `\r` among the blanks.
    fn beside_line_ends(mut self, text: &str) -> Self {
        let is_inside = |at: u32| {
            let before = at.checked_sub(1).and_then(|it| text.as_bytes().get(it as usize));
            before == Some(&b'\r') && text.as_bytes().get(at as usize) == Some(&b'\n')
        };
        self.range.start -= u32::from(is_inside(self.range.start));
        self.range.end -= u32::from(is_inside(self.range.end));
        self
    }

    /// An error that names no line.
    fn bare(message: impl Into<String>, range: TextRange) -> Self {
        Self { message: message.into(), range }
    }
}

fn to_node(value: &Value) -> Node {
    let kind = match &value.kind {
        Kind::Scalar(scalar) => to_scalar(scalar),
        Kind::List(items) => NodeKind::Sequence(items.iter().map(|it| to_node(it)).collect()),
        Kind::Object(object) => NodeKind::Mapping(
            object
                .members
                .iter()
                .map(|(key, member)| Pair {
                    key: Node {
                        range: member.key_range,
                        tag: None,
                        anchor: None,
                        kind: quoted(Arc::clone(key)),
                    },
                    value: to_node(&member.value),
                })
                .collect(),
        ),
        Kind::OfEnvironment { text, .. } => quoted(Arc::clone(text)),
        // After resolving, no other kinds are left.
        _ => to_scalar(&Scalar::Null),
    };
    Node { range: value.range, tag: None, anchor: None, kind }
}

fn to_scalar(scalar: &Scalar) -> NodeKind {
    let text = match scalar {
        Scalar::Text { text, .. } => return quoted(Arc::clone(text)),
        Scalar::Null => "null".into(),
        Scalar::Boolean(value) => value.to_string().into(),
        Scalar::Number { value, .. } => Arc::clone(value),
    };
    NodeKind::Scalar { text, style: ScalarStyle::Plain }
}

fn quoted(text: Arc<str>) -> NodeKind {
    NodeKind::Scalar { text, style: ScalarStyle::DoubleQuoted }
}

#[cfg(test)]
mod tests;
