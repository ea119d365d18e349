//! The request for a preview: a key, a file or a whole node, in an environment, for a node.

use std::sync::Arc;

use crate::code::roots::is_code;
use crate::config::Environment;
use crate::data::DataFile;
use crate::ide::context::{self, LOOKUP_OPTIONS};
use crate::ide::definition::asked_key;
use crate::ide::file_role::FileRole;
use crate::ide::perspective::Perspective;
use crate::ide::symbols::outline;
use crate::syntax::key_path::Segment;
use crate::world::World;

/// A request from an editor. Everything is optional.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Question {
    /// A file of the environment; `None` for the first environment.
    pub path: Option<Arc<str>>,
    /// A byte of that file, whose key is used.
    pub offset: Option<u32>,
    /// The key itself, which wins over the offset.
    pub key: Option<Arc<str>>,
    /// The sample node; `None` for the active one.
    pub node: Option<Arc<str>>,
    /// The scope.
    pub scope: Scope,
    /// Whether an explanation, or a list of nodes, should be complete.
    pub is_full: bool,
    /// The directory that paths are relative to; `None` for that of the environment.
    pub seen_from: Option<Arc<str>>,
}

/// The scope of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Scope {
    /// One key.
    #[default]
    Key,
    /// All keys of the file.
    File,
    /// All keys that the node gets.
    Node,
}

/// There is no node of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no node has the name {0}")]
pub struct UnknownNode(pub Arc<str>);

/// A request with its environment and node.
#[derive(Clone)]
pub(crate) struct NodeQuestion {
    /// The point of view of the requested node.
    pub(crate) perspective: Perspective,
    /// The file's path, if there is a file.
    pub(crate) path: Option<Arc<str>>,
    /// The key, if one is named.
    pub(crate) key: Option<String>,
}

impl Question {
    /// Finds the environment, the node and the key. `None` if there is no environment, or it has no node.
    ///
    /// # Errors
    /// The node's name, if there is no such node.
    pub(crate) fn find(&self, world: &Arc<World>) -> Result<Option<NodeQuestion>, UnknownNode> {
        let environment = match &self.path {
            Some(path) => self.environment_of_file(world, path),
            None => world.environments().first().cloned(),
        };
        let Some(environment) = environment else { return Ok(None) };
        let node = match &self.node {
            None => match &self.path {
                Some(path) => world.node_of_file(&environment, path),
                None => world.active_node(&environment),
            },
            Some(name) => {
                let nodes = world.nodes(&environment);
                let node = nodes.iter().find(|node| node.name == *name).cloned();
                node.ok_or_else(|| UnknownNode(name.clone()))?
            }
        };
        let perspective = Perspective::revealing_for(world, &environment, &node);
        let perspective = match &self.seen_from {
            Some(directory) => perspective.seen_from(directory),
            None => perspective,
        };
        let at_offset = || key_at(world, self.path.as_deref()?, self.offset?);
        let key = self.key.as_ref().map(ToString::to_string).or_else(at_offset);
        Ok(Some(NodeQuestion { perspective, path: self.path.clone(), key }))
    }

    /// The environment of the file for the requested node, or else for the chosen one.
    fn environment_of_file(&self, world: &World, path: &str) -> Option<Arc<Environment>> {
        match &self.node {
            // If no environment of the file has such a node, the file's own one says so.
            Some(name) => {
                world.environment_with_node(path, name).or_else(|| world.environment_of(path))
            }
            None => world.environment_shown(path),
        }
    }
}

/// The key at a place of a file: the key that `%{lookup('…')}` looks up, the key that an entry of `lookup_options` applies
/// to, or else the root key. In Puppet code, the key of a class parameter or of a lookup.
pub(crate) fn key_at(world: &Arc<World>, path: &str, offset: u32) -> Option<String> {
    if is_code(path) {
        let (key, _) = crate::ide::code::asked_key(world, path, offset)?;
        return context::lookup_key([key.root].iter().chain(&key.rest));
    }
    let data = data_of(world, path)?;
    // While a file is broken, a place may be outside of all entries that could be parsed.
    let Some(spot) = context::spot_in_file(&data, offset) else {
        return key_around(&data, offset);
    };
    if let Some(token) = &spot.token
        && token.token.lookup_key().is_some()
    {
        let (key, _) = asked_key(&spot)?;
        let root = [key.root];
        return context::lookup_key(root.iter().chain(&key.rest));
    }
    if let Some(option) = context::lookup_option_spot(&spot) {
        return (!option.is_pattern()).then(|| option.subject.to_string());
    }
    let root = spot.root_key().filter(|root| *root != LOOKUP_OPTIONS)?;
    context::lookup_key([Segment::Name(root.into())].iter())
}

/// The data of the file at `path`; `None` if Hiera does not read it as data.
pub(super) fn data_of(world: &Arc<World>, path: &str) -> Option<Arc<DataFile>> {
    match FileRole::of(world, path)? {
        FileRole::HieraYaml { .. } => None,
        FileRole::Data { format, .. } => Some(world.file(path).ok()?.data(format).clone()),
    }
}

/// The last root key before a place outside of entries: blank lines, comments, half-typed text.
fn key_around(data: &DataFile, offset: u32) -> Option<String> {
    let symbols = outline(data);
    let before = symbols.iter().take_while(|symbol| symbol.focus_range.start <= offset);
    let root = &before.last().filter(|symbol| symbol.name != LOOKUP_OPTIONS)?.name;
    context::lookup_key([Segment::Name(root.as_str().into())].iter())
}
