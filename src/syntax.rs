//! Parsers with exact source positions: YAML, JSON, HOCON, and the contents of their strings (`%{…}`, key paths). Parsing
//! never fails: a parser returns what it can read and a list of errors.

mod byte_set;
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
