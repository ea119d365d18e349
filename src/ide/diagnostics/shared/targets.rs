//! The values of the keys that a file looks up, as far as files show them.

use std::sync::Arc;

use crate::config::Environment;
use crate::data::{Files as _, Located, Value};
use crate::engine::Evaluator;
use crate::ide::diagnostics::Related;
use crate::ide::diagnostics::shared::kept_by_name::KeptByName;
use crate::syntax::interpolation::{self, Token};
use crate::syntax::key_path::{self, KeyPath, Segment};
use crate::world::{KeyIndex, World};

/// The maximum number of files to search for a key.
pub(crate) const MAX_FILES: usize = 16;

/// The maximum number of nodes for which to check whether a lookup fails.
const MAX_NODES: usize = 4;

/// The keys of one environment, looked up by the file at `path`.
pub(crate) struct Targets<'a> {
    world: &'a Arc<World>,
    environment: Arc<Environment>,
    index: Arc<KeyIndex>,
    path: &'a str,
    known: Arc<KnownRoots>,
}

/// The values of root keys. Files of the same snapshot look up the same keys.
type KnownRoots = KeptByName<Arc<RootValues>>;

/// The values of a root key in all files that have it.
#[derive(Debug, Default)]
pub(crate) struct RootValues {
    /// As they are written, by path.
    pub(crate) values: Vec<Located>,
    /// Whether these are all values.
    pub(crate) is_whole: bool,
}

/// The result of a path of sub keys in a value that is not interpolated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Dug {
    /// There.
    Found(Located),
    /// There is no such member.
    Missing,
    /// The path leads through this value, which has no members. Puppet fails.
    Mismatch(Located),
    /// The path leads through an alias, or a key with a token: only a lookup can tell.
    Unknown,
}

impl Dug {
    /// What is there.
    pub(crate) fn found(&self) -> Option<&Located> {
        match self {
            Self::Found(found) => Some(found),
            _ => None,
        }
    }
}

impl<'a> Targets<'a> {
    /// The keys of the environment that the file at `path` belongs to.
    pub(crate) fn new(world: &'a Arc<World>, environment: Arc<Environment>, path: &'a str) -> Self {
        let index = world.key_index(&environment);
        let known = world.of_snapshot::<KnownRoots>(&environment);
        Self { world, environment, index, path, known }
    }

    /// The values of a root key in files.
    pub(crate) fn root(&self, key: &Arc<str>) -> Arc<RootValues> {
        self.known.get_or(key, || {
            let (places, is_whole) = self.index.first_places(key, MAX_FILES);
            let value = |place: &crate::world::KeyPlace| {
                let data = self.world.data(&place.path, place.format).ok()?;
                data.get(key).map(|entry| entry.value.clone())
            };
            let values = places.iter().filter_map(value).collect();
            Arc::new(RootValues { values, is_whole })
        })
    }

    /// The results of `name`, with its sub keys, in the values of files; `None` if it is not a key.
    pub(crate) fn dug(&self, name: &str) -> Option<(Vec<Dug>, bool)> {
        let KeyPath { root, rest } = key_path::parse(name).ok()?;
        let Segment::Name(root) = root else { return None };
        let found = self.root(&root);
        Some((found.values.iter().map(|value| dig(value, &rest)).collect(), found.is_whole))
    }

    /// Points to the place of a value.
    pub(crate) fn related(&self, value: &Located, message: String) -> Option<Related> {
        let place = value.place?;
        Some(Related { path: Some(self.world.path(place.file)), range: place.range, message })
    }

    /// The evaluators of some nodes that read the file; the active one's for a module's file.
    pub(crate) fn readers(&self) -> Vec<Arc<Evaluator>> {
        let orders = self.world.read_orders(&self.environment);
        let readers = orders.readers(self.world.id(self.path), MAX_NODES);
        let evaluators: Vec<_> =
            readers.map(|node| self.world.evaluator(&self.environment, node)).collect();
        if evaluators.is_empty() {
            return vec![self.world.active_evaluator(&self.environment)];
        }
        evaluators
    }
}

/// Follows `segments` down a value as Puppet does.
pub(crate) fn dig(value: &Located, segments: &[Segment]) -> Dug {
    let mut value = value.clone();
    for segment in segments {
        let next = match (&value.value, segment) {
            // Puppet finds nothing below null, and fails below any other value without members.
            (Value::Undef, _) => None,
            (Value::Array(items), Segment::Index(at)) => {
                // A negative index finds nothing, as in Puppet.
                usize::try_from(*at).ok().and_then(|at| items.get(at)).cloned()
            }
            (Value::Hash(hash), segment) => {
                let member = match segment {
                    Segment::Name(name) => hash.get(name),
                    // `h.1` finds the integer key 1 and never the string '1'.
                    Segment::Index(at) => hash.get_value(&Value::Integer(*at)),
                };
                let has_tokens =
                    |key: &Value| key.as_str().is_some_and(interpolation::may_have_tokens);
                // An interpolated key of the hash may be the one that is searched for.
                if member.is_none() && hash.iter().any(|(key, _)| has_tokens(key)) {
                    return Dug::Unknown;
                }
                member.map(|it| it.value.clone())
            }
            // Only an alias can stand for a value with members. Any other token makes a longer string.
            (Value::String(text), _)
                if interpolation::may_have_tokens(text)
                    && interpolation::tokens(text).iter().any(Token::is_alias) =>
            {
                return Dug::Unknown;
            }
            _ => return Dug::Mismatch(value),
        };
        match next {
            Some(next) => value = next,
            None => return Dug::Missing,
        }
    }
    Dug::Found(value)
}
