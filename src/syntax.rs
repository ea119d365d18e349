//! Formats as trees with exact places: YAML, JSON, HOCON, and what lives inside their strings (`%{…}`, key paths).
//! Parsing never fails: it gives what can be read and a list of errors.

pub mod decode_map;
pub mod entries;
pub mod hocon;
pub mod interpolation;
pub mod json;
pub mod key_path;
pub mod plain_yaml;
pub mod puppet;
pub mod ruby_regex;
pub mod tree;
pub mod yaml;
pub mod yaml_1_2;
