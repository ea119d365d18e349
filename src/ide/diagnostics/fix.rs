//! A change of a file that makes a diagnostic go away.

use crate::text::{TextEdit, TextRange};

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
    pub(super) fn shifted(mut self, by: u32) -> Self {
        for edit in &mut self.edits {
            edit.range = edit.range.shifted(by);
        }
        self
    }
}

/// Puts quotes around what is written without.
pub(super) fn quote(range: TextRange, text: &str) -> TextEdit {
    TextEdit::replace(range, quoted(text))
}

/// `text` as a YAML string with single quotes; with double quotes where those cannot say it.
pub(super) fn quoted(text: &str) -> String {
    if text.chars().any(char::is_control) {
        return serde_json::Value::from(text).to_string();
    }
    format!("'{}'", text.replace('\'', "''"))
}
