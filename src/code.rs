//! Puppet code beside the data: what files declare and look up, and where the classes of modules and environments are
//! defined.
//!
//! Nothing is evaluated.

pub mod class;
pub mod documentation;
pub mod file;
pub mod inclusions;
pub mod index;
pub mod literal;
pub mod lookup_arguments;
pub mod roots;
pub mod summary;
mod variables;

pub use class::ClassCode;
pub use file::CodeFile;
pub use index::{CodeIndex, DeclaredAt};
pub use summary::CodeSummary;
