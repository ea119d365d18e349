//! `hiera/assume`: what answers assume about variables that are not known, until something else is assumed.

use std::sync::Arc;

use serde::Deserialize;
use std::collections::BTreeMap;
use tower_lsp_server::jsonrpc::{Error, Result};

use super::nodes::{ActiveNodeItem, active_node};
use crate::facts::variable;
use crate::server::context::Context;
use crate::server::session::Session;
use crate::world::Change;

/// What the client assumes.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::server) struct AssumeParams {
    /// Texts of variables, by name; what was assumed before is forgotten. Nothing at all: nothing is assumed any more.
    #[serde(default)]
    variables: BTreeMap<String, String>,
}

/// Assumes it: all later answers hold for such nodes. A name that is none of a variable changes nothing.
pub(in crate::server) fn effect(session: &mut Session, params: AssumeParams) {
    if let Ok(assumed) = assumed(params) {
        session.apply(Change::Assumed(assumed));
    }
}

/// The node that answers are for now.
pub(in crate::server) fn assume(
    context: &Context,
    params: AssumeParams,
) -> Result<Option<ActiveNodeItem>> {
    assumed(params)
        .map_err(|name| Error::invalid_params(format!("{name} is not the name of a variable")))?;
    Ok(active_node(&context.world))
}

/// Texts of variables.
type Assumed = Vec<(Arc<str>, Arc<str>)>;

/// `Err` has a name that is none of a variable.
fn assumed(params: AssumeParams) -> std::result::Result<Assumed, String> {
    let named = params.variables.into_iter().map(|(name, text)| {
        let known = variable::name_of_text(&name).ok_or(name)?;
        Ok((known, Arc::from(text)))
    });
    named.collect()
}
