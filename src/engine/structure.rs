//! What a node's hierarchy looks like to lookups, apart from what files hold: so that nodes can be told to get the same
//! answers without asking for each.

use std::hash::{Hash as _, Hasher};
use std::sync::Arc;

use super::evaluator::Evaluator;
use super::failure::Failure;
use super::footprint::{hash_of, new_hasher};
use super::hierarchy::{Location, ResolvedLevel};
use super::layer::{Layer, Which};
use crate::config::PuppetVersion;
use crate::config::hiera_yaml::LayerKind;
use crate::data::{DataFile, Format, Value, Verdict};

/// What lookups of keys without a module, or the layer of one module, ask. Two nodes with the same shape, of whose files the
/// same ones have a say about a key, at the same positions, are asked the same for it.
#[derive(Debug, Clone, Default)]
pub struct Structure {
    /// Everything but the files.
    pub shape: u64,
    /// The files that are there, those of default hierarchies included.
    pub files: Vec<AskedFile>,
    /// Whether functions answer that may ask for anything, and keep what they found.
    pub asks_functions: bool,
    /// The variable expressions that the hierarchy reads. With the same values there, a node has this structure, too.
    pub variables: Vec<Arc<str>>,
}

/// A file that a hierarchy leads to.
#[derive(Debug, Clone)]
pub struct AskedFile {
    /// Its path; a directory may lie there.
    pub path: Arc<str>,
    /// How it is read.
    pub format: Format,
    /// Where in the hierarchy it is asked; higher priorities have lower numbers.
    pub position: u32,
}

impl Evaluator {
    /// What lookups ask in the layer of `module`; without one, in the global layer and that of the environment.
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
                        add_level(level, place, structure, hasher);
                    }
                }
                Err(failure) => failure.message.hash(hasher),
            }
        }
        layer.must_be_set().hash(hasher);
        for variable in layer.variables() {
            if !structure.variables.contains(variable) {
                structure.variables.push(Arc::clone(variable));
            }
        }
    }
}

/// Positions of a level begin with this number.
fn place_of(layer: LayerKind, which: Which, level: u32) -> u32 {
    let layer = match layer {
        LayerKind::Global => 0,
        LayerKind::Environment | LayerKind::Module => 2,
    };
    let part = layer + u32::from(which == Which::DefaultHierarchy);
    (part << 30) | (level.min(0x3FFF) << 16)
}

fn add_level(
    level: &ResolvedLevel,
    place: u32,
    structure: &mut Structure,
    hasher: &mut impl Hasher,
) {
    level.open_options.hash(hasher);
    let is_answered = level.back_end.is_some();
    structure.asks_functions |= is_answered && level.reads.is_none();
    if is_answered {
        hash_of(&Value::Hash(Arc::clone(&level.options))).hash(hasher);
    }
    let Some(locations) = &level.locations else {
        "nowhere".hash(hasher);
        return;
    };
    // Merges tell one location from several, and several from none.
    locations.len().min(2).hash(hasher);
    for (index, location) in (0..).zip(locations) {
        match level.reads {
            Some(format) if is_plain_file(location) => structure.files.push(AskedFile {
                path: Arc::clone(&location.location),
                format,
                position: place | u32::min(index, 0xFFFF),
            }),
            Some(_) if !location.is_uri && !location.is_open() => {}
            _ => add_location(location, is_answered, hasher),
        }
    }
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

/// Whether Puppet fails because of a file whatever the key is.
pub fn concerns_all_keys(file: &DataFile, is_of_module: bool, version: PuppetVersion) -> bool {
    match file.verdict() {
        Verdict::Empty => false,
        Verdict::Hash => is_of_module && file.has_other_than_string_keys(),
        Verdict::NotAHash { .. } => version.is_strict(),
        Verdict::Broken(_) => true,
    }
}
