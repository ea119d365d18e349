//! The structure of a node's hierarchy, apart from the contents of files. It shows which nodes get the same answers without a
//! lookup for each of them.

use std::hash::{Hash as _, Hasher};
use std::sync::Arc;

use super::assumptions::Way;
use super::evaluator::Evaluator;
use super::failure::Failure;
use super::footprint::{hash_of, new_hasher};
use super::hierarchy::{Location, ResolvedLevel};
use super::layer::{Layer, Which};
use crate::config::PuppetVersion;
use crate::config::hiera_yaml::LayerKind;
use crate::data::{DataFile, Format, Value, Verdict};

/// What lookups of keys without a module, or lookups in the layer of one module, read. If two nodes have the same shape, and
/// the same of their files at the same positions matter for a key, they read the same for it.
#[derive(Debug, Clone, Default)]
pub struct Structure {
    /// Everything except the files.
    pub shape: u64,
    /// The existing files, including those of default hierarchies and those that an open path may lead to, if these are few.
    pub files: Vec<AskedFile>,
    /// Whether there are functions that may read anything and keep their results.
    pub asks_functions: bool,
    /// Whether there are levels that are not evaluated. The shape does not contain their paths.
    pub is_opaque: bool,
    /// The variable expressions in the hierarchy. A node with the same values has this structure, too.
    pub variables: Vec<Arc<str>>,
}

/// A file that a hierarchy leads to.
#[derive(Debug, Clone)]
pub struct AskedFile {
    /// Its path, which may be a directory.
    pub path: Arc<str>,
    /// Its format.
    pub format: Format,
    /// A number for its position in the hierarchy. If an open path leads to it, it is also a number for the conditions.
    pub position: u32,
}

/// With more files than this, an open path is part of the shape. Paths that are the same for all nodes lead to very many files,
/// and one in which the name of a node is known leads to few.
const MAX_FILES_OF_OPEN_PATH: usize = 16;

impl Evaluator {
    /// What lookups read in the layer of `module`; without a module, in the layers of the global configuration and the
    /// environment.
    pub fn structure(&self, module: Option<&str>) -> Structure {
        let mut hasher = new_hasher();
        let mut structure = Structure::default();
        self.node().is_complete().hash(&mut hasher);
        let mut add = |layer: Result<Option<&Arc<Layer>>, &Failure>| match layer {
            Ok(Some(layer)) => self.add_layer(layer, &mut structure, &mut hasher),
            Ok(None) => "none".hash(&mut hasher),
            Err(failure) => failure.message.hash(&mut hasher),
        };
        if let Some(module) = module {
            add(self.module_layer(&self.module_scope(Some(module))));
        } else {
            add(self.global_layer().map(Some));
            add(self.environment_layer());
        }
        structure.shape = hasher.finish();
        structure
    }

    fn add_layer(&self, layer: &Layer, structure: &mut Structure, hasher: &mut impl Hasher) {
        let nothing = crate::data::Hash::new();
        let invocation = self.invocation(&nothing, &nothing);
        for which in [Which::Hierarchy, Which::DefaultHierarchy] {
            match layer.levels(&invocation, which) {
                Ok(levels) => {
                    for (index, level) in (0..).zip(levels) {
                        let place = place_of(layer.kind, which, index);
                        self.add_level(level, place, structure, hasher);
                    }
                }
                Err(failure) => failure.message.hash(hasher),
            }
        }
        layer.must_be_set().for_each(|it| it.hash(hasher));
        for variable in layer.variables() {
            if !structure.variables.contains(variable) {
                structure.variables.push(Arc::clone(variable));
            }
        }
    }

    fn add_level(
        &self,
        level: &ResolvedLevel,
        place: u32,
        structure: &mut Structure,
        hasher: &mut impl Hasher,
    ) {
        level.open_options.hash(hasher);
        let is_answered = level.back_end.is_some();
        structure.asks_functions |= is_answered && level.reads.is_none();
        structure.is_opaque |= !is_answered;
        // Without a back end, no lookup reads the options, so nodes with other options still get the same answers.
        if is_answered {
            hash_of(&Value::Hash(Arc::clone(&level.options))).hash(hasher);
        }
        let Some(locations) = &level.locations else {
            "nowhere".hash(hasher);
            return;
        };
        // Merges distinguish none, one and several locations.
        locations.len().min(2).hash(hasher);
        for (index, location) in (0..).zip(locations) {
            let position = place | u32::min(index, 0xFFFF);
            match level.reads {
                Some(format) if is_plain_file(location) => structure.files.push(AskedFile {
                    path: Arc::clone(&location.file),
                    format,
                    position,
                }),
                // A file that does not exist has no influence on any value.
                Some(_) if !location.is_uri && !location.is_open() => {}
                Some(format) if !location.is_uri => {
                    self.add_open(location, (format, position), structure, hasher);
                }
                _ => add_location(location, is_answered, hasher),
            }
        }
    }

    /// An open path with few files is nothing but these files and the conditions under which it leads to them. So two nodes
    /// whose names lead to other files read the same for a key that none of these files has.
    fn add_open(
        &self,
        location: &Location,
        (format, position): (Format, u32),
        structure: &mut Structure,
        hasher: &mut impl Hasher,
    ) {
        let open = location.open.as_ref().filter(|it| !it.is_obscure && !it.path.may_be_absolute());
        let ways = open.map(|it| self.prepared().fits(self.files().as_ref(), &it.path));
        match (open, ways) {
            (Some(open), Some(ways)) if ways.len() <= MAX_FILES_OF_OPEN_PATH => {
                ("open", open.is_list).hash(hasher);
                structure.files.extend(ways.iter().map(|it| AskedFile {
                    path: Arc::clone(&it.path),
                    format,
                    position: number_of(position, &it.way),
                }));
            }
            _ => add_location(location, true, hasher),
        }
    }
}

/// The position of the first file in the hierarchy of an environment or a module.
pub(crate) const FIRST_POSITION: u32 = 2 << 30;

/// The first number of the positions in a level.
fn place_of(layer: LayerKind, which: Which, level: u32) -> u32 {
    let layer = match layer {
        LayerKind::Global => 0,
        // A structure never has both, so they can share a number.
        LayerKind::Environment | LayerKind::Module => 2,
    };
    let part = layer + u32::from(which == Which::DefaultHierarchy);
    // Two bits are for the hierarchy, 14 for the level and 16 for the location, so the numbers sort by priority.
    (part << 30) | (level.min(0x3FFF) << 16)
}

fn is_plain_file(location: &Location) -> bool {
    location.exists && !location.is_uri && !location.is_open()
}

fn add_location(location: &Location, is_answered: bool, hasher: &mut impl Hasher) {
    (location.exists, location.is_uri, location.is_open()).hash(hasher);
    if let Some(open) = &location.open {
        (&open.path, open.is_list).hash(hasher);
    }
    if is_answered {
        location.location.hash(hasher);
    }
}

/// A number for the position of an open path, and for one way in which it leads to a file.
fn number_of(position: u32, way: &Way) -> u32 {
    let mut hasher = new_hasher();
    (position, way).hash(&mut hasher);
    hasher.finish() as u32
}

/// Whether Puppet fails because of a file, whatever the key is. `yaml_data` only warns of a file that has no hash, in Puppet 7;
/// `json_data` and `hocon_data` never accept one.
pub fn concerns_all_keys(file: &DataFile, is_of_module: bool, version: PuppetVersion) -> bool {
    match (file.verdict(), file.format()) {
        (Verdict::Hash, _) => is_of_module && file.has_other_than_string_keys(),
        (Verdict::Empty, Format::Yaml) => false,
        (Verdict::NotAHash { .. }, Format::Yaml) => version.is_strict(),
        (Verdict::Empty | Verdict::NotAHash { .. }, Format::Json | Format::Hocon)
        | (Verdict::Broken(_), _) => true,
    }
}
