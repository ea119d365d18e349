//! Back ends: the functions that a level may name, and what they may request from the lookup that calls them.
//!
//! One trait covers all of them: built-in functions, sample data that replaces functions, and functions that run in other
//! processes. The engine decides which of them are called, when and how often; this module provides their results.

mod announcer;
mod back_end;
pub mod bridge;
pub mod context;
pub mod eyaml;
pub mod failure;
mod files;
mod programs;
mod refusal;
mod registry;
pub mod settings;
mod silent;
mod stand_in;

pub use announcer::Announcer;
pub use back_end::{BackEnd, Call, DataHash, Returned, Site};
pub use context::{FunctionContext, PuppetContext};
pub(crate) use refusal::Refused;
pub use refusal::{Refusal, places_of_function};
pub use registry::Registry;
