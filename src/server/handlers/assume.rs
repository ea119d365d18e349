//! `hiera/assume`: sets the values that hiera-ls assumes for variables that are not known.

use std::sync::Arc;

use serde::Deserialize;
use std::collections::BTreeMap;
use tower_lsp_server::jsonrpc::{Error, Result};

use super::nodes::{ActiveNodeItem, active_node};
use crate::facts::variable;
use crate::server::context::Context;
use crate::server::session::Session;
use crate::world::Change;

/// The parameters.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::server) struct AssumeParams {
    /// The values of variables as text, by name. They replace earlier assumptions. Without variables, hiera-ls assumes
    /// nothing.
    #[serde(default)]
    variables: BTreeMap<String, String>,
}

/// Changes the state: later results are for nodes with these values. If a name is not the name of a variable, nothing
/// changes.
pub(in crate::server) fn effect(session: &mut Session, params: AssumeParams) {
    // The response to the same request reports a wrong name.
    if let Ok(assumed) = assumed(params) {
        session.apply(Change::Assumed(assumed));
    }
}

/// The response: the node that results are for now.
pub(in crate::server) fn assume(
    context: &Context,
    params: AssumeParams,
) -> Result<Option<ActiveNodeItem>> {
    assumed(params)
        .map_err(|name| Error::invalid_params(format!("{name:?} is not the name of a variable")))?;
    Ok(active_node(&context.world))
}

/// The values of variables as text.
type Assumed = Vec<(Arc<str>, Arc<str>)>;

/// Parses the names of the variables. `Err` has a name that is not the name of a variable.
fn assumed(params: AssumeParams) -> std::result::Result<Assumed, String> {
    let named = params.variables.into_iter().map(|(name, text)| {
        let known = variable::settable_name(&name).ok_or(name)?;
        Ok((known, Arc::from(text)))
    });
    named.collect()
}
