//! Puppet code beside the data: what files declare and look up, and where the classes of modules and environments are.
//!
//! Nothing is evaluated.

pub mod file;
pub mod literal;

pub use file::CodeFile;
