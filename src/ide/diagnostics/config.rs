//! Rules about a `hiera.yaml` and an `environment.conf`.

pub(super) mod absolute_path_by_slash;
pub(super) mod default_hierarchy_misuse;
pub(super) mod deployed_datadir;
pub(super) mod environment_conf;
pub(super) mod failing_backend;
pub(super) mod function_in_hiera_yaml;
pub(super) mod hiera_yaml_schema;
pub(super) mod hiera_yaml_version;
pub(super) mod level_never_matches;
pub(super) mod missing_datadir;
pub(super) mod misspelt_path;
pub(super) mod options_break_yaml_data;
pub(super) mod path_empty_becomes_datadir;
pub(super) mod path_is_directory;
pub(super) mod path_without_extension;
pub(super) mod unknown_backend;
pub(super) mod unread_data;
pub(super) mod version_four;
pub(super) mod version_three;

use std::sync::Arc;

use crate::config::hiera_yaml::{ConfigProblem, LayerKind};
use crate::config::{Environment, HieraYaml, PuppetVersion};
use crate::facts::Node;
use crate::ide::strings::StringNode;
use crate::syntax::tree;
use crate::world::World;

/// The text of a `hiera.yaml`.
pub(crate) struct ConfigTextContext<'a> {
    pub(crate) text: &'a str,
    pub(crate) layer: LayerKind,
    pub(crate) puppet: PuppetVersion,
    /// Whether settings name the file as the `hiera.yaml` of the global layer.
    pub(crate) is_global_too: bool,
    /// Puppet's errors and warnings.
    pub(crate) problems: &'a [ConfigProblem],
    /// `None` if it cannot be parsed at all.
    pub(crate) root: Option<&'a tree::Node>,
    /// The strings that Puppet interpolates.
    pub(crate) strings: &'a [StringNode<'a>],
}

/// A `hiera.yaml` of version 5 that Puppet accepts.
pub(crate) struct ConfigContext<'a> {
    pub(crate) world: &'a Arc<World>,
    pub(crate) config: &'a HieraYaml,
    pub(crate) environment: Option<&'a Arc<Environment>>,
    /// The completely known nodes that use it.
    pub(crate) nodes: &'a [Arc<Node>],
}

/// The `environment.conf` of an environment.
pub(crate) struct EnvironmentConfContext<'a> {
    pub(crate) world: &'a Arc<World>,
    pub(crate) path: &'a str,
    pub(crate) text: &'a str,
    /// The offset of the first byte that is not UTF-8.
    pub(crate) invalid_utf8_at: Option<u32>,
}
