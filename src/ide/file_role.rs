//! The role of a workspace's file in Hiera: a `hiera.yaml`, or data that some level may read for some node.

use std::sync::Arc;

use crate::code::roots::is_code;
use crate::config::Environment;
use crate::config::hiera_yaml::LayerKind;
use crate::data::{Files as _, Format};
use crate::world::{World, paths};

/// The role of a file in Hiera.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileRole {
    /// A layer's configuration.
    HieraYaml {
        /// The layer.
        layer: LayerKind,
    },
    /// Data that a level reads for some node.
    Data {
        /// The format in which the level's back end reads it.
        format: Format,
        /// The module to whose layer the level belongs.
        module: Option<Arc<str>>,
        /// Whether a level reads it with one of Puppet's own back ends. It is not known what other functions accept.
        is_built_in: bool,
        /// Whether a level reads it under this path. Otherwise, the `hiera.yaml` beside it is not used, or levels read it
        /// through links.
        is_read_here: bool,
    },
}

impl FileRole {
    /// The role of the file at `path`; `None` if Hiera does not use it. Puppet code is never data, even if a glob matches it.
    pub fn of(world: &World, path: &str) -> Option<Self> {
        if is_code(path) {
            return None;
        }
        let environment = world.environment_of(path)?;
        if let Some(layer) = configured_layer(&environment, path) {
            return Some(Self::HieraYaml { layer });
        }
        Self::by_hierarchy(world, &environment, path, true)
            .or_else(|| Self::without_hierarchy(world, path))
            .or_else(|| Self::behind_link(world, &environment, path))
    }

    /// The role of the file that levels read at `path`; `is_read_here` says whether that is the path in question.
    fn by_hierarchy(
        world: &World,
        environment: &Environment,
        path: &str,
        is_read_here: bool,
    ) -> Option<Self> {
        let reach = world.reach(environment);
        // If several levels read the file, a function of Puppet's own decides, because its format is known.
        let place = reach.places_of(path).min_by_key(|place| !place.is_built_in)?;
        let (format, module) = (place.format, place.module.clone());
        Some(Self::Data { format, module, is_built_in: place.is_built_in, is_read_here })
    }

    /// The role of a file beside a `hiera.yaml` that Puppet does not use: data, as soon as that is converted.
    fn without_hierarchy(world: &World, path: &str) -> Option<Self> {
        let unused = world.unused_config_of(path)?;
        let is_json = paths::extension(path) == "json";
        let format = if is_json { Format::Json } else { Format::Yaml };
        let module = unused.module;
        Some(Self::Data { format, module, is_built_in: true, is_read_here: false })
    }

    /// The role of a file that levels read through links: that of the first link.
    fn behind_link(world: &World, environment: &Environment, path: &str) -> Option<Self> {
        let link = world.links_to(environment, path).into_iter().next()?;
        Self::by_hierarchy(world, environment, &link, false)
    }

    /// The format in which the file is read.
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

    /// Whether it is data that Puppet cannot parse.
    pub(crate) fn is_unparsable(&self, world: &World, path: &str) -> bool {
        let Self::Data { format, .. } = self else { return false };
        world.data(path, *format).is_ok_and(|data| data.is_unparsable())
    }
}

/// The layer whose configuration the file at `path` is.
fn configured_layer(environment: &Environment, path: &str) -> Option<LayerKind> {
    let lies_in = |directory: &str| paths::below(directory, path) == Some("hiera.yaml");
    // Settings may name the environment's own file as the global one, too. It is then read as the environment's.
    if environment.root.as_deref().is_some_and(lies_in) {
        Some(LayerKind::Environment)
    } else if environment.global_config.as_deref() == Some(path) {
        Some(LayerKind::Global)
    } else {
        let is_module = environment.modules.values().any(|directory| lies_in(directory));
        is_module.then_some(LayerKind::Module)
    }
}
