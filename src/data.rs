//! Values: the content of data files with Puppet's types and the position of every member.

pub mod civil;
pub mod file;
pub mod fingerprint;
pub mod inspect;
pub mod json;
mod key_search;
pub mod lower;
mod members;
pub mod memory;
mod odd_root;
pub mod puppet_type;
pub mod render;
pub mod scalar;
pub mod source;
mod tags;
pub mod value;
mod value_difference;

pub use file::{
    DataFile, DuplicateKey, EntryEdits, EntryTree, FileError, Format, LOOKUP_OPTIONS, NOT_UTF8,
    QualifiedName, ReplacedBytes, RootEntry, RootKey, Section, Verdict, new_id, qualified_names,
};
pub use key_search::{may_have_key, may_hide_keys, may_spell_key};
pub use memory::MemoryFiles;
pub use odd_root::may_have_odd_root;
pub use source::{DirItem, Files, InvalidUtf8, OddItem, Oddity, PathKind};
pub use value::{FileId, Hash, Located, Member, Place, Value};
pub use value_difference::ValueDifference;
