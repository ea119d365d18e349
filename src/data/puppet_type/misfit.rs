//! A part of a value that does not fit a type: its path, and the reason.

use std::fmt::{Display, Formatter};
use std::sync::Arc;

use super::mismatch::{Mismatch, Problem, Step};
use crate::data::value::{Located, Place, Value};

/// A part of a value that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The path from the whole value to the part.
    pub path: Vec<Part>,
    /// The member of the part that is not allowed.
    pub extraneous_key: Option<String>,
    /// Puppet's message.
    pub message: String,
}

/// One step of the path to a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// The item of a list.
    Index(usize),
    /// The member of a hash.
    Entry(Arc<str>),
    /// The key of a member.
    Key(Arc<str>),
}

impl Misfit {
    pub(super) fn of(mismatch: &Mismatch) -> Self {
        let path = mismatch.path.iter().filter_map(|step| match step {
            Step::Part(part) => Some(part.clone()),
            Step::Subject(_) | Step::Variant(_) => None,
        });
        let extraneous_key = match &mismatch.problem {
            Problem::ExtraneousKey(key) => Some(key.clone()),
            _ => None,
        };
        let message = mismatch.text().trim().to_owned();
        Self { path: path.collect(), extraneous_key, message }
    }

    /// Whether the type contains an undefined name, so that Puppet cannot compare.
    pub fn is_unresolved(&self) -> bool {
        self.message.contains("references an unresolved type '")
    }

    /// Where the part is written, or the smallest enclosing part with a known position. `whole` is the value.
    pub fn place(&self, whole: &Located) -> Option<Place> {
        let mut place = whole.place;
        let mut value = whole;
        for part in &self.path {
            let found = match (part, &value.value) {
                (Part::Index(index), Value::Array(items)) => items.get(*index),
                (Part::Entry(name), Value::Hash(hash)) => hash.get(name).map(|it| &it.value),
                (Part::Key(name), Value::Hash(hash)) => {
                    return hash.get(name).and_then(|it| it.key_place).or(place);
                }
                _ => None,
            };
            let Some(found) = found else { return place };
            value = found;
            place = found.place.or(place);
        }
        let extraneous = self.extraneous_key.as_ref();
        let member = extraneous.and_then(|key| value.value.as_hash()?.get(key)?.key_place);
        member.or(place)
    }
}

/// The form that Puppet's messages use.
impl Display for Part {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Index(index) => write!(f, "index {index}"),
            Self::Entry(name) => write!(f, "entry '{name}'"),
            Self::Key(name) => write!(f, "key of entry '{name}'"),
        }
    }
}
