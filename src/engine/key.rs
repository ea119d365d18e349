//! A lookup key: the root that is searched for, the module that it belongs to, and the segments that are dug out of the
//! result.

use std::sync::Arc;

use super::dig;
use super::failure::Failure;
use super::invocation::{Found, Invocation};
use crate::data::Located;
use crate::syntax::key_path::{self, Segment};

/// A parsed key.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    text: Arc<str>,
    root: Arc<str>,
    /// The length in bytes of the root before its first `::`.
    module: Option<usize>,
    rest: Option<Arc<[Segment]>>,
}

impl Key {
    pub(crate) fn parse(text: &Arc<str>) -> Result<Self, Failure> {
        if key_path::is_verbatim(text) {
            return Ok(Self::new(text, Arc::clone(text), None));
        }
        let path = key_path::parse(text)
            .map_err(|_| Failure::lookup(format!("Syntax error in key: '{text}'")))?;
        let root = match path.root {
            Segment::Name(name) => name,
            // The key `1` alone does not get here: a key without dots and quotes is a string.
            Segment::Index(index) => return Err(a_key_that_begins_with_a_number_crashes(index)),
        };
        let rest = (!path.rest.is_empty()).then(|| Arc::from(path.rest));
        Ok(Self::new(text, root, rest))
    }

    /// A key of one segment, whatever characters it contains.
    pub(crate) fn verbatim(root: &str) -> Self {
        let text = Arc::from(root);
        Self::new(&text, Arc::clone(&text), None)
    }

    fn new(text: &Arc<str>, root: Arc<str>, rest: Option<Arc<[Segment]>>) -> Self {
        let module = module_of(&root).map(str::len);
        Self { text: Arc::clone(text), root, module, rest }
    }

    /// The whole key as requested.
    pub(crate) fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The first segment, which is searched for in data files.
    pub(crate) fn root(&self) -> &Arc<str> {
        &self.root
    }

    /// The segments that are dug out of the root's value.
    pub(crate) fn rest(&self) -> &[Segment] {
        self.rest.as_deref().unwrap_or_default()
    }

    /// The part of the root before its first `::`.
    pub(crate) fn module(&self) -> Option<&str> {
        self.module.map(|end| &self.root[..end])
    }

    /// Digs the other segments out of the root's value.
    pub(crate) fn dig(&self, invocation: &mut Invocation<'_>, value: Option<Located>) -> Found {
        match (value, &self.rest) {
            (Some(value), Some(rest)) => dig::dig(invocation, &self.text, rest, value),
            (value, _) => Ok(value),
        }
    }
}

/// The part before the first `::`; for `::a` the whole name, because Ruby's `[0..-1]` is all of it.
pub fn module_of(root: &str) -> Option<&str> {
    match memchr::memmem::find(root.as_bytes(), b"::")? {
        0 => Some(root),
        end => Some(&root[..end]),
    }
}

fn a_key_that_begins_with_a_number_crashes(index: i64) -> Failure {
    Failure::ruby("NoMethodError", refusal_of_number(index))
}

/// Ruby's message for a key such as `1.2`: its first segment is an Integer, which has no `index`.
pub fn refusal_of_number(index: i64) -> String {
    format!("undefined method `index' for {index}:Integer")
}
