//! Nodes and what is known of them: fact sets in every usual format, what a name proves, and nodes named by data files.

pub mod core_facts;
pub mod formats;
pub mod infer;
pub mod legacy;
pub mod mapped;
pub mod name_pattern;
pub mod node;
pub mod open_path;
mod suggest_pattern;
pub mod variable;

pub use name_pattern::{NamePattern, NamePatterns, proved_by_name};
pub use node::{
    Basis, ClassifiedClass, GivenValue, KnownVariable, NamesByVariable, Node, NodeParts, Origin,
    Proved, Reading, TextsOfWay, is_set_by_server,
};
pub use suggest_pattern::{Suggestion, suggest_pattern};
