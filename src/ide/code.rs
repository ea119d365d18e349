//! Features for Puppet code that is open in an editor: class parameters and lookups, with the data that they get.
//!
//! Syntax, symbols and formatting are left to a language server for Puppet.

mod definition;
pub(super) mod given;
mod hover;
mod lens;
pub(crate) mod lookup_call;
pub(super) mod spot;
pub(super) mod variables;

pub(super) use definition::{asked_key, definition};
pub(super) use hover::hover;
pub(super) use lens::code_lenses;
