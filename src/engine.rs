//! Hiera 5 itself: lookup, merge, interpolation, explain. Pure: no disk, no clock, no global state.

mod assumptions;
pub mod budget;
mod calls;
pub mod cases;
pub mod convert_to;
pub mod deep_merge;
mod dig;
pub mod evaluator;
pub mod explain;
mod fit_index;
pub mod footprint;
pub mod hierarchy;
mod holders;
mod interpolate;
mod invocation;
mod key;
pub mod layer;
mod lookup;
pub mod lookup_options;
pub mod merge;
mod merge_sources;
mod open_paths;
mod open_text;
mod prepared;
pub mod request;
pub mod sources;
pub mod structure;
#[cfg(test)]
mod tests;
pub mod trace;

pub use crate::backends::failure::{self, Failure, FailureClass};
pub use assumptions::{Assumed, Condition};
pub use budget::CancelToken;
pub use cases::{Case, LeftOut};
pub use evaluator::{Evaluator, KeyFinder, LayerView};
pub(crate) use evaluator::{ModuleScope, SharedScopes};
pub use footprint::{Dependency, Footprint, ReadEntry};
pub use hierarchy::{Location, ResolvedLevel};
pub use invocation::OpaqueLevel;
pub use key::module_of as module_of_key;
pub use lookup_options::AppliedOptions;
pub use prepared::Prepared;
pub use request::{Answer, Explain, Request};
pub use sources::{Role, SetBy, Source, UsedMerge, Written};
pub use structure::Structure;
pub use trace::{FoundIn, Outcome, TraceKind, TraceNode};
