//! Puppet code that is open in an editor: class parameters and lookups beside the data that they get.
//!
//! What a server for Puppet itself offers (syntax, symbols, formatting) is left to it.

mod definition;
pub(super) mod given;
mod hover;
mod lens;
pub(crate) mod lookup_call;
pub(super) mod spot;

pub(super) use definition::{asked_key, definition};
pub(super) use hover::hover;
pub(super) use lens::code_lenses;
