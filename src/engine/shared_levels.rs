//! What evaluators of the same files share of their hierarchies. A fleet sees the same few levels in thousands of nodes and
//! reaches the same files, and each location keeps its file.

use std::collections::HashMap;
use std::hash::BuildHasher as _;
use std::sync::{Arc, Mutex, PoisonError};

use super::hierarchy::{Location, ResolvedLevel};
use super::layer::Layer;
use crate::config::hiera_yaml::FunctionKind;
use crate::data::{Format, Place};
use crate::facts::open_path::OpenPath;

/// The maximum number of paths that are kept for one open location.
const MAX_PATHS: usize = 65_536;

/// The levels and locations of all evaluators that read the same texts in the same way with the same back ends.
#[derive(Debug, Default)]
pub struct SharedLevels {
    hasher: foldhash::fast::RandomState,
    /// By a hash of what [`is_same`] compares.
    levels: Mutex<HashMap<u64, Vec<Arc<ResolvedLevel>>, foldhash::fast::RandomState>>,
    filled: Mutex<HashMap<OpenKey, Arc<FilledLocations>, foldhash::fast::RandomState>>,
}

/// The concrete locations that one open location becomes, by path.
#[derive(Debug, Default)]
pub(super) struct FilledLocations {
    by_path: Mutex<HashMap<String, Arc<[Location]>, foldhash::fast::RandomState>>,
}

/// An open location: its path, the name of the function that reads its files, their format, and where hiera.yaml writes the
/// level and the template.
type OpenKey = (OpenPath, Arc<str>, Format, Place, Place);

/// Whether a level keeps nothing that depends on the node. The values of `lookup_key` functions and the options do, and other
/// layers refuse other keys.
fn may_be_shared(layer: &Layer, level: &ResolvedLevel) -> bool {
    level.function.kind == FunctionKind::DataHash
        && level.reads.is_some()
        && level.options.is_empty()
        && layer.module.is_none()
}

/// Whether two nodes see a level of one hiera.yaml in the same way, if it may be shared.
fn is_same(one: &ResolvedLevel, other: &ResolvedLevel) -> bool {
    let locations = |level: &ResolvedLevel| level.locations.as_ref().map_or(0, Vec::len);
    let pairs = || one.locations.iter().flatten().zip(other.locations.iter().flatten());
    one.place == other.place
        && one.name == other.name
        && one.function.name == other.function.name
        && one.datadir == other.datadir
        && one.locations.is_some() == other.locations.is_some()
        && locations(one) == locations(other)
        && pairs().all(|(one, other)| one.is_same(other))
}

impl SharedLevels {
    /// The levels of a layer, those that other nodes see in the same way as these see them.
    pub(super) fn of(&self, layer: &Layer, levels: Vec<ResolvedLevel>) -> Vec<Arc<ResolvedLevel>> {
        let shared =
            |level| if may_be_shared(layer, &level) { self.level(level) } else { level.into() };
        levels.into_iter().map(shared).collect()
    }

    fn level(&self, level: ResolvedLevel) -> Arc<ResolvedLevel> {
        let locations = level.locations.iter().flatten();
        let paths: Vec<&Arc<str>> = locations.map(|it| &it.location).collect();
        let hash = self.hasher.hash_one((level.place, paths));
        let mut levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
        let known = levels.entry(hash).or_default();
        if let Some(known) = known.iter().find(|it| is_same(it, &level)) {
            return Arc::clone(known);
        }
        let level = Arc::new(level);
        known.push(Arc::clone(&level));
        level
    }

    /// The concrete locations of an open one; `None` if what it keeps may depend on the node.
    pub(super) fn filled(
        &self,
        layer: &Layer,
        level: &ResolvedLevel,
        location: &Location,
    ) -> Option<Arc<FilledLocations>> {
        if !may_be_shared(layer, level) {
            return None;
        }
        let path = location.open.as_ref()?.path.clone();
        let function = Arc::clone(&level.function.name);
        let key = (path, function, level.reads?, level.place?, location.template_place?);
        let mut filled = self.filled.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Arc::clone(filled.entry(key).or_default()))
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
    use crate::config::hiera_yaml::LayerKind;
    use crate::config::{Environment, PuppetVersion};
    use crate::data::{Files, Hash, MemoryFiles, Value};
    use crate::engine::Evaluator;
    use crate::facts::{Node, NodeParts, Origin};

    const HIERA_YAML: &str = "version: 5\nhierarchy:\n- {name: r, path: 'roles/%{role}.yaml'}\n\
        - {name: e, lookup_key: eyaml_lookup_key, path: 'secrets/%{role}.yaml'}\n";

    /// An evaluator for each node. They share levels.
    fn evaluators(nodes: Vec<Node>, table: &Arc<SharedLevels>) -> Vec<Evaluator> {
        let files: Arc<dyn Files> = Arc::new(MemoryFiles::new([
            ("/e/hiera.yaml", HIERA_YAML),
            ("/e/data/roles/web.yaml", "k: web\n"),
            ("/e/data/roles/db.yaml", "k: db\n"),
            ("/e/data/secrets/web.yaml", "k: 1\n"),
        ]));
        let environment = Environment { root: Some("/e".into()), ..Environment::default() };
        let environment = Arc::new(environment);
        let evaluator = |node| {
            let (files, environment) = (files.clone(), environment.clone());
            Evaluator::new(files, environment, Arc::new(node), PuppetVersion::V8)
                .sharing_levels(table.clone())
        };
        nodes.into_iter().map(evaluator).collect()
    }

    #[test]
    fn nodes_share_the_files_of_open_locations_unless_these_keep_values_of_a_node() {
        let table = Arc::new(SharedLevels::default());
        let any = || Node::partial(NodeParts::default(), &[], Origin::Any);
        for evaluator in evaluators(vec![any(), any(), any()], &table) {
            assert_eq!(evaluator.lookup("k").cases.len(), 3);
        }
        let locations = table.filled.lock().expect("no panic");
        let paths = |it: &Arc<FilledLocations>| it.by_path.lock().expect("no panic").len();
        assert_eq!(locations.values().map(paths).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn nodes_share_the_levels_that_they_see_in_the_same_way() {
        let of_role = |role: &str| {
            let mut facts = Hash::new();
            facts.insert(Value::string("role"), None, Value::string(role).unplaced());
            Node::new(NodeParts { facts, ..NodeParts::default() }, Origin::File(role.into()))
        };
        let nodes = vec![of_role("web"), of_role("db"), of_role("web"), of_role("none")];
        let evaluators = evaluators(nodes, &Arc::default());
        let found = |it: &Evaluator| it.lookup("k").outcome.expect("no error").map(|it| it.value);
        let values: Vec<_> = evaluators.iter().map(found).collect();
        let text = |text| Some(Value::string(text));
        assert_eq!(values, [text("web"), text("db"), text("web"), None]);
        let level = |node: usize, number: usize| {
            let layers = evaluators[node].layers(None);
            let layer = layers.iter().find(|it| it.kind() == LayerKind::Environment);
            let levels = layer.expect("a layer").levels(&evaluators[node]).expect("levels");
            Arc::as_ptr(&levels[number]).addr()
        };
        assert_eq!(level(0, 0), level(2, 0));
        assert!(level(0, 0) != level(1, 0) && level(1, 0) != level(3, 0));
        assert_ne!(level(0, 1), level(2, 1), "it keeps values of the node");
    }
}
