//! A change of a file that makes a diagnostic go away.

use crate::data::Format;
use crate::syntax::tree::{Node, NodeKind, ScalarStyle};
use crate::text::{TextEdit, TextRange};

/// Fixes of larger files that would have to be tried out first are not offered: typing must stay quick.
pub(crate) const MAX_TRIED_BYTES: usize = 512 << 10;

/// A change that makes one diagnostic go away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as an order: "Write `true`".
    pub title: String,
    /// The edits, in bytes of the diagnostic's file.
    pub edits: Vec<TextEdit>,
    /// Whether it may be done without asking.
    pub safety: Safety,
}

/// Whether a [`Fix`] may be done without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Safety {
    /// No lookup gives another value than before; some that failed may give one now.
    Safe,
    /// Lookups of the key give another value, as the title says.
    ChangesValue,
}

impl Fix {
    /// A fix after which no lookup gives another value.
    pub fn safe(title: impl Into<String>, edits: Vec<TextEdit>) -> Self {
        Self { title: title.into(), edits, safety: Safety::Safe }
    }

    /// A fix that changes the value of the key it is about.
    pub fn changing(title: impl Into<String>, edits: Vec<TextEdit>) -> Self {
        Self { title: title.into(), edits, safety: Safety::ChangesValue }
    }

    /// Whether it may be done without asking.
    pub fn is_safe(&self) -> bool {
        self.safety == Safety::Safe
    }

    /// The same fix, of a text that begins `by` bytes further on.
    #[must_use]
    pub(crate) fn shifted(mut self, by: u32) -> Self {
        for edit in &mut self.edits {
            edit.range = edit.range.shifted(by);
        }
        self
    }
}

/// Puts quotes around what is written without.
pub(crate) fn quote(range: TextRange, text: &str) -> TextEdit {
    TextEdit::replace(range, quoted(text))
}

/// `text` as a YAML string with single quotes; with double quotes where those say it better.
pub(crate) fn quoted(text: &str) -> String {
    let has_single_quotes_only = text.contains('\'') && !text.contains(['"', '\\']);
    if has_single_quotes_only || text.chars().any(char::is_control) {
        return serde_json::Value::from(text).to_string();
    }
    format!("'{}'", text.replace('\'', "''"))
}

/// `text` as it must be written in place of `node`, in the node's own quotes. `None` if that cannot be said simply: in
/// blocks, over several lines, in other words than the file would use.
pub(crate) fn in_style_of(node: &Node, source: &str, format: Format, text: &str) -> Option<String> {
    let NodeKind::Scalar { style, .. } = &node.kind else { return None };
    if node.range.slice(source).contains('\n') || text.chars().any(char::is_control) {
        return None;
    }
    match style {
        ScalarStyle::DoubleQuoted => Some(serde_json::Value::from(text).to_string()),
        ScalarStyle::SingleQuoted => Some(format!("'{}'", text.replace('\'', "''"))),
        ScalarStyle::Plain if format == Format::Json => None,
        ScalarStyle::Plain if is_plain_word(text) => Some(text.to_owned()),
        ScalarStyle::Plain if format == Format::Yaml => Some(quoted(text)),
        ScalarStyle::Plain | ScalarStyle::Literal | ScalarStyle::Folded => None,
    }
}

/// The edit that writes `new` for `old` where that stands in a `range` as it is meant. `None` if it does not, or twice.
pub(crate) fn replaced_in(
    source: &str,
    range: TextRange,
    old: &str,
    new: &str,
) -> Option<TextEdit> {
    let written = range.slice(source);
    let mut found = written.match_indices(old);
    let (at, _) = found.next().filter(|_| found.next().is_none())?;
    let start = range.start + at as u32;
    Some(TextEdit::replace(TextRange::new(start, start + old.len() as u32), new))
}

/// Whether a text needs no quotes wherever it stands, and stays a string: a name with dots and colons inside.
pub(crate) fn is_plain_word(text: &str) -> bool {
    let is_inner =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.' | b'-');
    let words = ["true", "false", "yes", "no", "on", "off", "null"];
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(is_inner)
        && !text.ends_with(':')
        && !words.iter().any(|word| text.eq_ignore_ascii_case(word))
}
