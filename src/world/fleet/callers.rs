//! The keys whose strings look up other keys, in all data files of a fleet. The earlier side of a comparison stays the same while
//! the user types, so what was found in its files is kept.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::Fleet;
use super::references::RootNames;
use super::spread::Reference;
use crate::data::{Format, RootEntry, Value};
use crate::syntax::interpolation::{self, Expression, Method};
use crate::syntax::key_path;
use crate::world::{FileEntry, World, parallel};

/// Keys of a file, and what their strings look up. Some may be too many, but none is missing.
pub(super) type Callers = Vec<(Arc<str>, Vec<Reference>)>;

/// The files with callers, by path.
type FilesWithCallers = Vec<(Arc<str>, Callers)>;

/// The maximum number of sets of root keys whose callers are kept: those that were used last.
const MAX_KEPT: usize = 32;

/// The callers in the files of a fleet, by the root keys that they look up.
#[derive(Default)]
pub(super) struct KnownCallers(Mutex<Vec<CallersOf>>);

struct CallersOf {
    roots: BTreeSet<Arc<str>>,
    found: Arc<FilesWithCallers>,
}

impl KnownCallers {
    /// The callers in all data files of the fleet to which they belong.
    pub(super) fn of(&self, fleet: &Fleet, roots: &RootNames) -> Arc<FilesWithCallers> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let find = || {
            let mut kept = lock();
            let at = kept.iter().position(|it| it.roots == *roots.roots())?;
            kept[..=at].rotate_right(1);
            Some(kept[0].found.clone())
        };
        if let Some(known) = find() {
            return known;
        }
        // The lock is not held while files are searched.
        let world = fleet.world();
        let files = world.data_files(fleet.environment());
        let found = parallel::map(&files[..], |(path, format)| {
            let file = world.file(path).ok()?;
            let callers = callers_in(world, &file, *format, roots);
            (!callers.is_empty()).then(|| (path.clone(), callers))
        });
        let found = Arc::new(found.into_iter().flatten().collect::<Vec<_>>());
        let mut kept = lock();
        kept.insert(0, CallersOf { roots: roots.roots().clone(), found: found.clone() });
        kept.truncate(MAX_KEPT);
        found
    }
}

/// The callers in a file that need not be parsed for this.
fn callers_in(world: &World, file: &FileEntry, format: Format, roots: &RootNames) -> Callers {
    let of_call = |at| {
        let key = world.key_at(file, format, at)?;
        Some((key, roots.named_by_call(&file.text, at)))
    };
    hidden_callers(file, format, roots)
        .unwrap_or_else(|| file.calls_to(roots).into_iter().filter_map(of_call).collect())
}

/// The callers in a file that is parsed anyway.
pub(super) fn callers_in_edited(file: &FileEntry, format: Format, roots: &RootNames) -> Callers {
    hidden_callers(file, format, roots).unwrap_or_else(|| {
        let data = file.data(format);
        let calls = file.calls_to(roots).into_iter();
        let callers: BTreeSet<Arc<str>> = calls.filter_map(|at| data.key_at(at)).collect();
        let of_caller = |key: Arc<str>| {
            let references = references_in(data.get(&key)?, roots);
            (!references.is_empty()).then_some((key, references))
        };
        callers.into_iter().filter_map(of_caller).collect()
    })
}

/// The callers in a file that can spell a reference in ways that a search for words does not find: HOCON, or with escapes.
fn hidden_callers(file: &FileEntry, format: Format, roots: &RootNames) -> Option<Callers> {
    let of_entry = |entry: &RootEntry| {
        let references = references_in(entry, roots);
        (!references.is_empty()).then_some((entry.key.as_str()?.into(), references))
    };
    (format == Format::Hocon || file.hides_references())
        .then(|| file.data(format).entries().filter_map(of_entry).collect())
}

/// The given root keys that strings of an entry look up.
pub(super) fn references_in(entry: &RootEntry, roots: &RootNames) -> Vec<Reference> {
    let mut found = Vec::new();
    if entry.has_tokens() {
        add_references(&entry.value.value, roots, &mut found);
    }
    found
}

fn add_references(value: &Value, roots: &RootNames, found: &mut Vec<Reference>) {
    match value {
        Value::String(text) => {
            let of_token = |token: interpolation::Token| {
                let Expression::Call { method, argument, .. } = token.expression else {
                    return None;
                };
                let is_lookup = matches!(method, Method::Lookup | Method::Hiera | Method::Alias);
                // A call with something that is not a key fails, whatever the data are.
                let key = key_path::parse(&argument).ok().filter(|_| is_lookup)?;
                let root = key.root_name().filter(|root| roots.contain(root))?;
                Some(Reference { root: Arc::clone(root), digs: !key.rest.is_empty() })
            };
            found.extend(interpolation::tokens(text).into_iter().filter_map(of_token));
        }
        Value::Array(items) => {
            for item in items.iter() {
                add_references(&item.value, roots, found);
            }
        }
        Value::Hash(hash) => {
            for (key, member) in hash.iter() {
                add_references(key, roots, found);
                add_references(&member.value.value, roots, found);
            }
        }
        _ => {}
    }
}
