//! The concrete locations that open ones become, by path. Evaluators of the same files share them: a fleet reaches the same
//! files for every node, and each location keeps its file.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::hierarchy::{Location, ResolvedLevel};
use super::layer::Layer;
use crate::config::hiera_yaml::FunctionKind;
use crate::data::{Format, Place};
use crate::facts::open_path::OpenPath;

/// The maximum number of paths that are kept for one open location.
const MAX_PATHS: usize = 65_536;

/// What one open location becomes.
#[derive(Debug, Default)]
pub(super) struct FilledLocations {
    by_path: Mutex<HashMap<String, Arc<[Location]>, foldhash::fast::RandomState>>,
}

/// The concrete locations of all open ones, for all evaluators that read the same texts in the same way with the same back
/// ends.
#[derive(Debug, Default)]
pub struct FilledLocationsTable {
    locations: Mutex<HashMap<Key, Arc<FilledLocations>, foldhash::fast::RandomState>>,
}

/// An open location: its path, the name of the function that reads its files, their format, and where hiera.yaml writes the
/// level and the template.
pub(super) type Key = (OpenPath, Arc<str>, Format, Place, Place);

/// The key of an open location; `None` if what it keeps may depend on the node.
pub(super) fn key_of(layer: &Layer, level: &ResolvedLevel, location: &Location) -> Option<Key> {
    // The values of `lookup_key` functions and the options depend on the node, and other layers refuse other keys.
    let is_alike = level.function.kind == FunctionKind::DataHash
        && level.options.is_empty()
        && layer.module.is_none();
    if !is_alike {
        return None;
    }
    let path = location.open.as_ref()?.path.clone();
    let function = Arc::clone(&level.function.name);
    Some((path, function, level.reads?, level.place?, location.template_place?))
}

impl FilledLocationsTable {
    pub(super) fn of(&self, key: Key) -> Arc<FilledLocations> {
        let mut locations = self.locations.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(locations.entry(key).or_default())
    }
}

impl FilledLocations {
    /// The locations for the path `text`; `fill` creates them the first time.
    pub(super) fn at(
        &self,
        text: String,
        fill: impl FnOnce(&str) -> Arc<[Location]>,
    ) -> Arc<[Location]> {
        // The lock is held until the locations are stored, so that all lookups read a file through the same location.
        let mut by_path = self.by_path.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = by_path.get(&text) {
            return Arc::clone(known);
        }
        let filled = fill(&text);
        if by_path.len() >= MAX_PATHS {
            by_path.clear();
        }
        by_path.insert(text, Arc::clone(&filled));
        filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Environment, PuppetVersion};
    use crate::data::{Files, MemoryFiles};
    use crate::engine::Evaluator;
    use crate::facts::{Node, NodeParts, Origin};

    const HIERA_YAML: &str = "version: 5\nhierarchy:\n- {name: r, path: 'roles/%{role}.yaml'}\n\
        - {name: e, lookup_key: eyaml_lookup_key, path: 'secrets/%{role}.yaml'}\n";

    #[test]
    fn nodes_share_the_files_of_open_locations_unless_these_keep_values_of_a_node() {
        let files: Arc<dyn Files> = Arc::new(MemoryFiles::new([
            ("/e/hiera.yaml", HIERA_YAML),
            ("/e/data/roles/web.yaml", "k: web\n"),
            ("/e/data/roles/db.yaml", "k: db\n"),
            ("/e/data/secrets/web.yaml", "k: 1\n"),
        ]));
        let environment = Environment { root: Some("/e".into()), ..Environment::default() };
        let environment = Arc::new(environment);
        let table = Arc::new(FilledLocationsTable::default());
        for _ in 0..3 {
            let node = Arc::new(Node::partial(NodeParts::default(), &[], Origin::Any));
            let (files, environment) = (files.clone(), environment.clone());
            let evaluator = Evaluator::new(files, environment, node, PuppetVersion::V8)
                .sharing_locations(table.clone());
            assert_eq!(evaluator.lookup("k").cases.len(), 3);
        }
        let locations = table.locations.lock().expect("no panic");
        let paths = |it: &Arc<FilledLocations>| it.by_path.lock().expect("no panic").len();
        assert_eq!(locations.values().map(paths).collect::<Vec<_>>(), [2]);
    }
}
