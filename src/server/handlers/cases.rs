//! `hiera/cases`: the cases of a key, so that the user can pick one.

use serde::Serialize;
use tower_lsp_server::jsonrpc::Result;

use crate::ide::preview::{self, KeyCase};
use crate::server::context::Context;
use crate::server::preview_proto::{QuestionParams, unknown_node};

/// One case.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::server) struct CaseItem {
    /// The condition, for people: `variant is alice`; `otherwise` for the last case; or which cases are not listed.
    when: String,
    /// The same condition by variable; `null` means that the variable is not set.
    variables: serde_json::Map<String, serde_json::Value>,
    /// Whether each of the variables has a text: `hiera/assume` takes them.
    can_be_assumed: bool,
    /// The value on one line, without secrets; `not found`, or Puppet's error; `not listed`.
    value: String,
}

/// Returns the cases of a key in their order. The list is empty if the value is certain; the result is `null` if there is
/// no key.
pub(in crate::server) fn cases(
    context: &Context,
    params: QuestionParams,
) -> Result<Option<Vec<CaseItem>>> {
    let question = params.question(context);

    let cases = preview::key_cases(&context.world, &question, &context.cancel);

    let cases = cases.map_err(|error| unknown_node(&error))?;
    Ok(cases.map(|cases| cases.into_iter().map(item).collect()))
}

fn item(case: KeyCase) -> CaseItem {
    let variable = |(name, text): (std::sync::Arc<str>, Option<std::sync::Arc<str>>)| {
        (name.to_string(), text.as_deref().into())
    };
    CaseItem {
        can_be_assumed: case.can_be_assumed(),
        when: case.when,
        variables: case.variables.into_iter().map(variable).collect(),
        value: case.value,
    }
}
