//! What a file of the workspace is to Hiera: a `hiera.yaml`, or data that some level may read, whatever the node.

use std::sync::Arc;

use crate::code::roots::is_code;
use crate::config::Environment;
use crate::config::hiera_yaml::LayerKind;
use crate::data::Format;
use crate::world::{World, paths};

/// What a file is to Hiera.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileRole {
    /// A layer's configuration.
    HieraYaml {
        /// Which layer's.
        layer: LayerKind,
    },
    /// Data that a level reads for some node.
    Data {
        /// As what the level's back end reads it.
        format: Format,
        /// The module in whose layer the level stands.
        module: Option<Arc<str>>,
        /// Whether a level reads it with one of Puppet's own back ends. What another function accepts, only it knows.
        is_built_in: bool,
    },
}

impl FileRole {
    /// What the file at `path` is; `None` if Hiera has nothing to do with it. Puppet code is never data, even where a glob
    /// leads to it.
    pub fn of(world: &World, path: &str) -> Option<Self> {
        if is_code(path) {
            return None;
        }
        let environment = world.environment_of(path)?;
        if let Some(layer) = configured_layer(&environment, path) {
            return Some(Self::HieraYaml { layer });
        }
        let reach = world.reach(&environment);
        let place = reach.places_of(path).min_by_key(|place| !place.is_built_in)?;
        let (format, module) = (place.format, place.module.clone());
        Some(Self::Data { format, module, is_built_in: place.is_built_in })
    }

    /// As what the file is read.
    pub fn format(&self) -> Format {
        match self {
            Self::HieraYaml { .. } => Format::Yaml,
            Self::Data { format, .. } => *format,
        }
    }

    /// Whether Hiera finds values in it.
    pub fn is_data(&self) -> bool {
        matches!(self, Self::Data { .. })
    }
}

/// The layer whose configuration the file at `path` is.
fn configured_layer(environment: &Environment, path: &str) -> Option<LayerKind> {
    let lies_in = |directory: &str| paths::below(directory, path) == Some("hiera.yaml");
    if environment.root.as_deref().is_some_and(lies_in) {
        Some(LayerKind::Environment)
    } else if environment.global_config.as_deref() == Some(path) {
        Some(LayerKind::Global)
    } else {
        let is_module = environment.modules.values().any(|directory| lies_in(directory));
        is_module.then_some(LayerKind::Module)
    }
}
