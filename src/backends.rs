//! Back ends: what answers a level. `yaml_data`, `json_data`, `hocon_data`; others are opaque.

pub mod eyaml;
