//! Fixes: changes of a file that remove a diagnostic.

use crate::data::Format;
use crate::ide::pair_edits::Removal;
use crate::syntax::tree::{Node, NodeKind, ScalarStyle};
use crate::text::{TextEdit, TextRange};

/// Some fixes must be tried before they are offered. In larger files that would slow down typing, so they are not offered.
pub(crate) const MAX_TRIED_BYTES: usize = 512 << 10;

/// A change that removes one diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The title, which is an imperative: "Write `true`".
    pub title: String,
    /// The edits, in bytes of the diagnostic's file.
    pub edits: Vec<TextEdit>,
    /// Whether it may be applied without confirmation.
    pub safety: Safety,
}

/// Whether a [`Fix`] may be applied without confirmation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Safety {
    /// No lookup returns another value than before, but lookups that failed may now succeed.
    Safe,
    /// Lookups of the key return another value, as the title says.
    ChangesValue,
    /// No lookup returns another value, but comments are lost, as the title says.
    RemovesComments,
    /// Only the user can know whether it is what was meant, so it is never applied together with others.
    ByHand,
}

impl Fix {
    /// A fix after which no lookup returns another value.
    pub fn safe(title: impl Into<String>, edits: Vec<TextEdit>) -> Self {
        Self { title: title.into(), edits, safety: Safety::Safe }
    }

    /// A fix that changes the value of its key.
    pub fn changing(title: impl Into<String>, edits: Vec<TextEdit>) -> Self {
        Self { title: title.into(), edits, safety: Safety::ChangesValue }
    }

    /// A fix that is right only if the user says so.
    pub(crate) fn by_hand(title: impl Into<String>, edits: Vec<TextEdit>) -> Self {
        Self { title: title.into(), edits, safety: Safety::ByHand }
    }

    /// A fix that removes a pair. Its title says whether comments go with it, and then it is not safe.
    pub(crate) fn removing(
        title: &str,
        safety: Safety,
        Removal { edit, comments }: Removal,
    ) -> Self {
        let edits = vec![edit];
        match (comments, safety) {
            (0, safety) => Self { title: title.to_owned(), edits, safety },
            (count, safety) => {
                let comments = if count == 1 { "a comment" } else { &format!("{count} comments") };
                let title = format!("{title} (also removes {comments})");
                let is_safe = safety == Safety::Safe;
                let safety = if is_safe { Safety::RemovesComments } else { safety };
                Self { title, edits, safety }
            }
        }
    }

    /// Whether it may be applied without confirmation.
    pub fn is_safe(&self) -> bool {
        self.safety == Safety::Safe
    }

    /// Whether only the user can decide that it is applied.
    pub fn is_by_hand(&self) -> bool {
        self.safety == Safety::ByHand
    }

    /// Whether lookups may return other values than before.
    pub fn changes_values(&self) -> bool {
        self.safety == Safety::ChangesValue
    }

    /// The same fix, moved by `by` bytes.
    #[must_use]
    pub(crate) fn shifted(mut self, by: u32) -> Self {
        for edit in &mut self.edits {
            edit.range = edit.range.shifted(by);
        }
        self
    }
}

/// Puts quotes around an unquoted scalar.
pub(crate) fn quote(range: TextRange, text: &str) -> TextEdit {
    TextEdit::replace(range, quoted(text))
}

/// `text` as a YAML string with single quotes, or with double quotes if they are better.
pub(crate) fn quoted(text: &str) -> String {
    let has_single_quotes_only = text.contains('\'') && !text.contains(['"', '\\']);
    // Control characters need escapes, which only double quotes have. YAML accepts every string of JSON.
    if has_single_quotes_only || text.chars().any(char::is_control) {
        return serde_json::Value::from(text).to_string();
    }
    format!("'{}'", text.replace('\'', "''"))
}

/// `text` in the quotes of `node`, which it replaces. `None` if that is not simple: for block scalars, for several lines,
/// or if the format needs another notation.
pub(crate) fn in_style_of(node: &Node, source: &str, format: Format, text: &str) -> Option<String> {
    let NodeKind::Scalar { style, .. } = &node.kind else { return None };
    if node.range.slice(source).contains('\n') || text.chars().any(char::is_control) {
        return None;
    }
    match style {
        ScalarStyle::DoubleQuoted => Some(serde_json::Value::from(text).to_string()),
        ScalarStyle::SingleQuoted => Some(format!("'{}'", text.replace('\'', "''"))),
        // An unquoted scalar of JSON is a number, a boolean or null, never a string.
        ScalarStyle::Plain if format == Format::Json => None,
        ScalarStyle::Plain if is_plain_word(text) => Some(text.to_owned()),
        ScalarStyle::Plain if format == Format::Yaml => Some(quoted(text)),
        ScalarStyle::Plain | ScalarStyle::Literal | ScalarStyle::Folded => None,
    }
}

/// The edit that replaces `old` by `new` in a `range`. `None` if `old` does not occur there literally, or occurs twice.
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

/// Whether a text is a string without quotes at any place: a name that may contain dots and colons.
pub(crate) fn is_plain_word(text: &str) -> bool {
    let is_inner =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.' | b'-');
    let words = ["true", "false", "yes", "no", "on", "off", "null"];
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(is_inner)
        && !text.ends_with(':')
        && !words.iter().any(|word| text.eq_ignore_ascii_case(word))
}
