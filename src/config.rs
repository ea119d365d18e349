//! `hiera.yaml`: its content with positions, and all of Puppet's errors and warnings about it.

pub mod datadir_map;
pub mod environment;
pub mod environment_conf;
pub mod glob;
pub mod hiera_yaml;
pub mod module_metadata;
pub mod path;
pub mod strictness;

pub use datadir_map::DatadirMap;
pub use environment::{Environment, EnvironmentRefusal, Naming};
pub use hiera_yaml::HieraYaml;
pub use strictness::PuppetVersion;
