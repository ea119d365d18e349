//! Rules about Puppet code, where it meets the data.

pub(super) mod broken_code;
pub(super) mod code_context;
pub(super) mod default_type_mismatch;
pub(super) mod duplicate_class;
pub(super) mod failing_lookup;
pub(super) mod lookup_default_hides;
pub(super) mod lookup_type_mismatch;
pub(super) mod lookup_without_data;
pub(super) mod missing_class;
pub(super) mod missing_required_parameter;
pub(super) mod refused_lookup;

use std::sync::Arc;

use crate::config::Environment;
use crate::world::World;
pub(crate) use code_context::{CodeContext, has_no_data};

/// The output of a node classifier, which gives classes to nodes as code does.
pub(crate) struct ClassifierContext<'a> {
    pub(crate) world: &'a Arc<World>,
    pub(crate) environment: &'a Arc<Environment>,
    pub(crate) path: &'a str,
}
