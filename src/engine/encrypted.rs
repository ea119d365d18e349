//! What Puppet does with encrypted texts that stay as they are written here.

use std::sync::Arc;

use super::request::Answer;
use crate::data::{Hash, Located, Value, render};

/// What happens to the encrypted texts of an answer in Puppet.
#[derive(Debug, Clone, PartialEq)]
pub enum Unread {
    /// A level decrypts them, with these options.
    Decrypted(Arc<Hash>),
    /// The value of a key is converted like this, which has to read them.
    Converted(Arc<str>, Value),
}

impl Answer {
    /// Whether `convert_to` of a key would have to read encrypted text, so that the value is as it was before.
    pub fn is_unconverted(&self, key: &str) -> bool {
        self.unread.iter().any(|it| matches!(it, Unread::Converted(name, _) if **name == *key))
    }

    /// Whether Puppet decrypts encrypted texts of the answer. Otherwise, nodes get them as they are written.
    pub fn decrypts(&self) -> bool {
        self.unread.iter().any(|it| matches!(it, Unread::Decrypted(_)))
    }

    /// Whether the answer contains encrypted text that Puppet decrypts or converts in another way than in `other`.
    pub fn is_read_unlike(&self, other: &Self) -> bool {
        let is_encrypted = |value: &Located| render::has_encrypted_text(&value.value);
        self.unread != other.unread
            && matches!(&self.outcome, Ok(Some(value)) if is_encrypted(value))
    }
}
