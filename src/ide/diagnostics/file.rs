//! Rules about a file as a whole: whether it can be read, and whether a level reads it.

pub(super) mod empty_file;
pub(super) mod hocon_syntax;
pub(super) mod invalid_encoding;
pub(super) mod json_syntax;
pub(super) mod multiple_documents;
pub(super) mod not_a_hash;
pub(super) mod nothing_checked;
pub(super) mod orphan_file;
pub(super) mod tab_indentation;
pub(super) mod unquoted_interpolation;
pub(super) mod unsupported_tag;
pub(super) mod yaml_date_breaks_file;
pub(super) mod yaml_syntax;
pub(super) mod yml_extension_trap;
