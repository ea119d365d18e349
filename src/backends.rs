//! Back ends: the functions that a level may name, and what they may ask of the lookup that calls them.
//!
//! One trait for all: those built in, sample data that replaces others, and functions that run elsewhere. Who calls
//! them, when and how often is the engine's business; here is what they answer.

mod announcer;
mod back_end;
pub mod bridge;
pub mod context;
pub mod eyaml;
pub mod failure;
mod files;
mod programs;
mod registry;
pub mod settings;
mod silent;
mod stand_in;

pub use announcer::Announcer;
pub use back_end::{BackEnd, Call, DataHash, Returned, Site};
pub use context::{Context, FunctionContext};
pub use registry::Registry;
