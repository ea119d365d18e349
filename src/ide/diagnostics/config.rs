//! Rules about a `hiera.yaml`.

pub(super) mod absolute_path_by_slash;
pub(super) mod default_hierarchy_misuse;
pub(super) mod deployed_datadir;
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
