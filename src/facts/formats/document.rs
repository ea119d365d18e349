//! Parses a text into one value: JSON or YAML, according to the file's extension or its content. Ruby objects are never
//! created: tags such as `!ruby/object:Puppet::Node::Facts` only precede their hash.

use crate::data::lower::{Lowering, lower_json};
use crate::data::{FileId, Hash, Located, Member, Value, scalar};
use crate::syntax::json as syntax_json;
use crate::syntax::tree::{Node, NodeKind, ScalarStyle};
use crate::syntax::yaml;
use crate::text::{BYTE_ORDER_MARK, LineIndex, TextRange};

use super::{FactsProblem, extension};

/// The maximum number of members in a file, after its aliases are expanded.
const MAX_MEMBERS: u32 = 5_000_000;

/// The maximum nesting of lists and hashes, after aliases are expanded.
const MAX_DEPTH: u32 = 1_000;

/// The content of a facts file. Only values from YAML have positions.
pub(super) fn parse(path: &str, text: &str) -> Result<Located, FactsProblem> {
    let bare = without_mark(text)?.trim_start();
    if bare.is_empty() {
        return Err(problem("The file is empty; facts were expected.".to_owned(), 0, text));
    }
    match extension(path).as_str() {
        // The files of facterdb end with `.facts` and contain JSON.
        "json" | "facts" => read_json(text),
        "yaml" | "yml" => read_yaml(text),
        _ if bare.starts_with(['{', '[']) => {
            // YAML in flow style starts with the same characters, so the error of the JSON parser counts only if both parsers fail.
            read_json(text).or_else(|problem| read_yaml(text).map_err(|_| problem))
        }
        _ => read_yaml(text),
    }
}

/// The first document of a YAML text as Puppet reads it, with positions. A node that would become a Ruby object (a date, a
/// tag) is read as the string or hash that is written. Positions have file number 0. An empty text becomes `undef`.
pub(crate) fn read_yaml(text: &str) -> Result<Located, FactsProblem> {
    let bare = without_mark(text)?;
    let skipped = (text.len() - bare.len()) as u32;
    let parsed = yaml::parse(bare);
    if let Some(error) = parsed.error {
        let message = format!("The file is not valid YAML: {}.", error.message);
        return Err(problem(message, error.offset + skipped, text));
    }
    let Some(mut root) = parsed.root else { return Ok(Value::Undef.into()) };
    take_objects_as_written(&mut root);
    let value = Lowering::new(FileId(0), skipped).node(&root).map_err(|error| FactsProblem {
        message: format!("The file is not valid YAML: {}.", error.message),
        range: error.range,
    })?;
    if fits(&value.value, MAX_DEPTH, &mut { MAX_MEMBERS }) {
        Ok(value)
    } else {
        let message = "The file is too large once its aliases are written out.".to_owned();
        Err(problem(message, 0, text))
    }
}

/// The value without its position and those of its members.
pub(crate) fn without_places(located: &Located) -> Located {
    let value = match &located.value {
        Value::Array(items) => Value::array(items.iter().map(without_places).collect()),
        Value::Hash(hash) => Value::hash(hash_without_places(hash)),
        value => value.clone(),
    };
    value.into()
}

/// The hash without the positions of its keys and values.
pub(crate) fn hash_without_places(hash: &Hash) -> Hash {
    let mut bare = Hash::with_capacity(hash.len());
    for (key, Member { value, .. }) in hash {
        bare.insert(key.clone(), None, without_places(value));
    }
    bare
}

/// The text without a byte order mark, which Puppet skips in files with facts; `Err` if it is not UTF-8 but UTF-16.
fn without_mark(text: &str) -> Result<&str, FactsProblem> {
    // Each letter in UTF-16 has a zero byte, which neither YAML nor JSON allows.
    if text.contains('\0') {
        return Err(problem("The file is in UTF-16. Save it as UTF-8.".to_owned(), 0, text));
    }
    Ok(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text))
}

/// A problem from `offset` to the end of its line.
pub(super) fn problem(message: String, offset: u32, text: &str) -> FactsProblem {
    let lines = LineIndex::new(text);
    let line = lines.line_range(text, lines.line_of(offset));
    let start = offset.clamp(line.start, line.end);
    FactsProblem { message, range: TextRange::new(start, line.end) }
}

/// Parsed as Ruby parses JSON, because of the digits of its numbers; the error messages are simpler than Ruby's.
fn read_json(text: &str) -> Result<Located, FactsProblem> {
    let bare = without_mark(text)?;
    let parsed = syntax_json::parse(bare);
    let error = match (parsed.root, parsed.error) {
        (Some(root), None) => return Ok(without_places(&lower_json(FileId(0), &root))),
        (_, error) => error,
    };
    let skipped = (text.len() - bare.len()) as u32;
    // serde_json words its errors more simply, but it may accept a text that Ruby refuses.
    let Err(plain) = serde_json::from_str::<serde::de::IgnoredAny>(bare) else {
        let (message, offset) =
            error.map_or_else(Default::default, |it| (it.message, it.range.start));
        let message = format!("The file is not valid JSON: {message}.");
        return Err(problem(message, offset + skipped, text));
    };
    let lines = LineIndex::new(bare);
    let line = lines.line_range(bare, plain.line().saturating_sub(1) as u32);
    let offset = line.start + plain.column().saturating_sub(1) as u32;
    Err(problem(format!("The file is not valid JSON: {plain}."), offset + skipped, text))
}

/// Whether the value is within the limits; a few aliases of aliases can expand to billions of members.
fn fits(value: &Value, depth: u32, members_left: &mut u32) -> bool {
    if *members_left == 0 || depth == 0 {
        return false;
    }
    *members_left -= 1;
    match value {
        Value::Array(items) => items.iter().all(|it| fits(&it.value, depth - 1, members_left)),
        Value::Hash(hash) => hash.iter().all(|(key, member)| {
            fits(key, depth - 1, members_left) && fits(&member.value.value, depth - 1, members_left)
        }),
        _ => true,
    }
}

/// Removes tags that request Ruby objects, and turns scalars that look like one into strings.
fn take_objects_as_written(node: &mut Node) {
    if node.tag.as_deref().is_some_and(|tag| tag.starts_with("!ruby/")) {
        node.tag = None;
    }
    match &mut node.kind {
        NodeKind::Scalar { text, style } => {
            if scalar::typed(text, *style, node.tag.as_deref()).is_err() {
                *style = ScalarStyle::SingleQuoted;
                node.tag = None;
            }
        }
        NodeKind::Sequence(items) => items.iter_mut().for_each(take_objects_as_written),
        NodeKind::Mapping(pairs) => {
            for pair in pairs {
                take_objects_as_written(&mut pair.key);
                take_objects_as_written(&mut pair.value);
            }
        }
        NodeKind::Alias(_) => {}
    }
}
