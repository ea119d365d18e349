//! The names in a document as they are written: those of fields, and those inside `${…}`. One key may be written several
//! times, because objects of the same name are merged.

use std::sync::Arc;

use super::document::{Item, Written, parse};
use super::path::{Element, parse_path};
use super::token::{TokenKind, tokenize};
use crate::syntax::key_path::Segment;
use crate::text::TextRange;

/// A name where it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenName {
    /// The path from the root to the value that it names, with the name itself at the end.
    pub path: Vec<Segment>,
    /// The name, quotes included.
    pub range: TextRange,
    /// Whether the name is inside a `${…}` and reads the value.
    pub is_substitution: bool,
}

/// All names of `text` in source order; none if the gem refuses the text.
pub fn written_names(text: &str) -> Vec<WrittenName> {
    let mut names = Vec::new();
    if let Ok(document) = parse(text, tokenize(text)) {
        value(&document.root, &mut Vec::new(), text, &mut names);
    }
    names
}

/// A field of the root object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootField {
    /// The first name of its path.
    pub name: Arc<str>,
    /// From the path to the end of the value.
    pub range: TextRange,
    /// Whether the field has a single name and sets its value: no longer path, and no `+=`.
    pub is_simple: bool,
}

/// The fields of the root object as written; none if the gem refuses the text.
pub fn root_fields(text: &str) -> Vec<RootField> {
    let Ok(document) = parse(text, tokenize(text)) else { return Vec::new() };
    let Written::Object(items, _) = &document.root else { return Vec::new() };
    let field = |item: &Item| {
        let Item::Field(field) = item else { return None };
        let first = field.path.first()?;
        Some(RootField {
            name: Arc::clone(&first.name),
            range: TextRange::new(first.range.start, end_of(&field.value)),
            is_simple: field.path.len() == 1 && !field.is_plus_equals,
        })
    };
    items.iter().filter_map(field).collect()
}

fn end_of(written: &Written) -> u32 {
    match written {
        Written::Simple(token) => token.range.end,
        Written::Object(_, range) | Written::List(_, range) => range.end,
        Written::Pieces(pieces) => pieces.last().map_or(0, end_of),
    }
}

fn value(written: &Written, path: &mut Vec<Segment>, text: &str, names: &mut Vec<WrittenName>) {
    match written {
        Written::Simple(token) => {
            if let TokenKind::Substitution { expression, .. } = &token.kind {
                let elements = parse_path(expression, text).unwrap_or_default();
                add(&elements, &mut Vec::new(), true, names);
            }
        }
        Written::Object(items, _) => {
            for item in items {
                let Item::Field(field) = item else { continue };
                let depth = path.len();
                add(&field.path, path, false, names);
                value(&field.value, path, text, names);
                path.truncate(depth);
            }
        }
        Written::List(items, _) => {
            let items = items.iter().filter_map(|item| match item {
                Item::Value(item) => Some(item),
                _ => None,
            });
            for (number, item) in (0..).zip(items) {
                path.push(Segment::Index(number));
                value(item, path, text, names);
                path.pop();
            }
        }
        Written::Pieces(pieces) => {
            for piece in pieces {
                value(piece, path, text, names);
            }
        }
    }
}

/// Descends `elements`, and appends them to `path`.
fn add(
    elements: &[Element],
    path: &mut Vec<Segment>,
    is_substitution: bool,
    names: &mut Vec<WrittenName>,
) {
    for element in elements {
        path.push(Segment::Name(Arc::clone(&element.name)));
        names.push(WrittenName { path: path.clone(), range: element.range, is_substitution });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_substitutions() {
        let text = "a.b { \"c::d\" = ${a.x} 1 }\na { l = [{ n : 1 }, 2 ${?\"q\"}] }\n# a\n";
        let shown: Vec<String> = written_names(text)
            .iter()
            .map(|name| {
                let path: Vec<_> = name.path.iter().map(ToString::to_string).collect();
                let mark = if name.is_substitution { "$" } else { "" };
                format!("{mark}{}={}", path.join("."), name.range.slice(text))
            })
            .collect();
        let expected = [
            "a=a",
            "a.b=b",
            "a.b.c::d=\"c::d\"",
            "$a=a",
            "$a.x=x",
            "a=a",
            "a.l=l",
            "a.l.0.n=n",
            "$q=\"q\"",
        ];
        assert_eq!(shown, expected);
        assert_eq!(written_names("a {"), []);
    }
}
