//! Path expressions: `a.b."c.d"`, before a separator or inside `${…}`.

use std::sync::Arc;

use super::token::{Token, TokenKind};
use super::value::Scalar;
use crate::limits::MAX_HOCON_NESTING;
use crate::text::TextRange;

/// Ruby's message when it runs out of stack. The depth at which the gem does so depends on the machine.
pub(super) const TOO_DEEP: &str = "stack level too deep";

const ODD_PERIOD: &str = "path has a leading, trailing, or two adjacent period '.' \
     (use quoted \"\" empty string if you want an empty element)";

/// One element of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) name: Arc<str>,
    pub(super) range: TextRange,
}

/// The elements of a path, at most [`MAX_HOCON_NESTING`], or the gem's error message without a line. Only unquoted text is
/// split at its periods.
pub(super) fn parse_path(expression: &[Token], source: &str) -> Result<Vec<Element>, String> {
    if expression.is_empty() {
        return Err("Expecting a field name or path here, but got nothing".to_owned());
    }
    let mut building = vec![Building::default()];
    for token in expression {
        match &token.kind {
            TokenKind::Blanks => {}
            TokenKind::Value(Scalar::Text { text, .. }) => {
                let last = building.last_mut().expect("there is always an element");
                last.add(text, token.range);
                last.can_be_empty |= last.text.is_empty();
            }
            TokenKind::Value(scalar) => {
                add_unquoted(&mut building, &scalar.as_text(), token.range);
            }
            TokenKind::Text(text) => add_unquoted(&mut building, text, token.range),
            _ => {
                return Err(format!(
                    "Token not allowed in path expression: {} \
                     (you can double-quote this token if you really want it here)",
                    token.describe(source)
                ));
            }
        }
    }
    if building.len() > MAX_HOCON_NESTING {
        return Err(TOO_DEEP.to_owned());
    }
    building.into_iter().map(Building::finish).collect()
}

/// How messages write a path.
pub(super) fn render(names: &[Arc<str>]) -> String {
    let names: Vec<String> = names
        .iter()
        .map(|name| {
            let is_plain = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
            if name.is_empty() || !name.chars().all(is_plain) {
                super::value::render_json_string(name)
            } else {
                name.to_string()
            }
        })
        .collect();
    names.join(".")
}

#[derive(Default)]
struct Building {
    text: String,
    range: Option<TextRange>,
    can_be_empty: bool,
}

impl Building {
    fn add(&mut self, text: &str, range: TextRange) {
        self.text.push_str(text);
        self.range = Some(self.range.map_or(range, |it| TextRange::new(it.start, range.end)));
    }

    fn finish(self) -> Result<Element, String> {
        if self.text.is_empty() && !self.can_be_empty {
            return Err(ODD_PERIOD.to_owned());
        }
        Ok(Element { name: self.text.into(), range: self.range.unwrap_or_default() })
    }
}

/// Adds an unquoted token, with its text exactly as in the source, so that its pieces have positions.
fn add_unquoted(building: &mut Vec<Building>, text: &str, range: TextRange) {
    let mut start = range.start;
    for (index, piece) in text.split('.').enumerate() {
        if index > 0 {
            building.push(Building::default());
            start += 1;
        }
        let end = start + u32::try_from(piece.len()).expect("texts are smaller than 4 GiB");
        if !piece.is_empty() {
            let last = building.last_mut().expect("there is always an element");
            last.add(piece, TextRange::new(start, end));
        }
        start = end;
    }
}
