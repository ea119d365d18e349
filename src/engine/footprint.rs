//! What an answer read: with equal reads, the answer is equal. Two nodes that read the same get the same.
//!
//! Of the hierarchy it counts which files with the root key were read and in which order, not the variables in paths: two
//! nodes of which neither has a file of its own with the key have equal footprints.

use std::hash::{BuildHasher, Hash as _, Hasher};
use std::sync::Arc;

use super::invocation::Invocation;
use super::lookup_options::Options;
use crate::data::{DataFile, FileId, RootEntry, Value};

/// The reads of one lookup, nested lookups included, each once, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Footprint {
    reads: Vec<Read>,
}

/// One read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Read {
    /// A variable for a text, and its value; undef if it is not set.
    Variable(Arc<str>, u64),
    /// An entry of a file, by the file, the root key and what is written there.
    Entry(FileId, Arc<str>, u64),
    /// The row of lookup_options that applies to a root key.
    Options(Arc<str>, Option<u64>),
}

impl Footprint {
    fn add(&mut self, read: Read) {
        if !self.reads.contains(&read) {
            self.reads.push(read);
        }
    }
}

impl Invocation<'_> {
    /// Notes that an entry of a file was read.
    pub(super) fn note_read(&mut self, file: &DataFile, root: &Arc<str>, entry: &RootEntry) {
        if let Some(footprint) = &mut self.footprint {
            footprint.add(Read::Entry(file.file(), Arc::clone(root), hash_of(&entry.value.value)));
        }
    }

    /// Notes the options that apply to a root key.
    pub(super) fn note_options(&mut self, root: &Arc<str>, options: Option<&Options>) {
        if let Some(footprint) = &mut self.footprint {
            let row = options.map(|options| hash_of(options.written()));
            footprint.add(Read::Options(Arc::clone(root), row));
        }
    }

    /// Notes that a variable was read for a text.
    pub(super) fn note_variable(&mut self, expression: &str, value: &Value) {
        if let Some(footprint) = &mut self.footprint {
            footprint.add(Read::Variable(expression.into(), hash_of(value)));
        }
    }
}

/// The order of a hash's members counts: an answer keeps it.
fn hash_of(value: &Value) -> u64 {
    fn add(value: &Value, hasher: &mut impl Hasher) {
        match value {
            Value::Hash(hash) => {
                hash.len().hash(hasher);
                for (key, member) in hash.iter() {
                    add(key, hasher);
                    add(&member.value.value, hasher);
                }
            }
            Value::Array(items) => {
                items.len().hash(hasher);
                items.iter().for_each(|item| add(&item.value, hasher));
            }
            other => other.hash(hasher),
        }
    }
    let mut hasher = foldhash::quality::FixedState::default().build_hasher();
    add(value, &mut hasher);
    hasher.finish()
}
