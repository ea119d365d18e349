//! `hiera.yaml`: what it says, with places, and every complaint Puppet has about it.

pub mod datadir_map;
pub mod environment;
pub mod glob;
pub mod hiera_yaml;
pub mod path;
pub mod strictness;

pub use datadir_map::DatadirMap;
pub use environment::Environment;
pub use hiera_yaml::HieraYaml;
pub use strictness::PuppetVersion;
