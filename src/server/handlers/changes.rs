//! `hiera/changes`: which nodes get another value, compared with the saved files or a revision.

use serde::{Deserialize, Serialize};
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp_server::ls_types::Location;

use crate::engine::Answer;
use crate::ide::changes::{self, Changes, Secrets, change_texts};
use crate::server::context::Context;
use crate::server::preview_proto::{
    Named, PreviewItem, QuestionParams, View, With, item, line_location,
};
use crate::world::{AnswerChange, Differences};

/// The parameters: a question, and what to compare with.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::server) struct ChangesParams {
    #[serde(flatten)]
    question: QuestionParams,
    #[serde(default)]
    with: With,
    /// Whether the client shows only the document, so that `changes` may be empty. They can be many megabytes.
    #[serde(default)]
    document_only: bool,
}

/// The result: the document and the changes.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::server) struct ChangesItem {
    #[serde(flatten)]
    preview: PreviewItem,
    summary: String,
    /// How many nodes were compared.
    nodes: usize,
    changes: Vec<ChangeItem>,
    /// Why changes may be missing.
    not_proved: Vec<String>,
    problems: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
struct ChangeItem {
    key: String,
    before: AnswerItem,
    after: AnswerItem,
    nodes: Vec<String>,
    /// The cases of unlisted nodes, for people.
    cases: Vec<String>,
    causes: Vec<Location>,
}

#[derive(Debug, Clone, Serialize)]
struct AnswerItem {
    kind: &'static str,
    text: String,
}

/// Handles the request.
pub(in crate::server) fn changes(
    context: &Context,
    params: ChangesParams,
) -> Result<Option<ChangesItem>> {
    let question = params.question.question(context);
    let before = params.with.before(&context.world)?;

    let found = changes::changes(&context.world, &question, &before, &context.cancel);

    let found = found.map_err(|message| Error {
        code: ErrorCode::ServerError(REQUEST_FAILED),
        message: message.into(),
        data: None,
    })?;
    let named = Named { with: params.with, ..Named::new(View::Changes, &params.question) };
    Ok(found.map(|found| changes_item(context, &named, found, params.document_only)))
}

/// LSP's error code `RequestFailed`: the request is valid, but it failed.
const REQUEST_FAILED: i64 = -32803;

fn changes_item(
    context: &Context,
    named: &Named,
    found: Changes,
    document_only: bool,
) -> ChangesItem {
    let Changes { preview, summary, differences, problems } = found;
    let all: &[AnswerChange] = if document_only { &[] } else { &differences.changes };
    let secrets = Secrets::of(all);
    let change = |change| change_item(context, &differences, (change, &secrets));
    ChangesItem {
        preview: item(context, named, preview),
        summary,
        nodes: differences.nodes.len(),
        changes: all.iter().map(change).collect(),
        not_proved: differences.limits().collect(),
        problems,
    }
}

fn change_item(
    context: &Context,
    all: &Differences,
    (change, secrets): (&AnswerChange, &Secrets),
) -> ChangeItem {
    let causes = change.causes.iter();
    let [before, after] = change_texts(change, secrets);
    ChangeItem {
        key: change.key.to_string(),
        before: answer_item(&change.before, before),
        after: answer_item(&change.after, after),
        nodes: all.names(change).map(ToString::to_string).collect(),
        cases: all.others(change).collect(),
        causes: causes.filter_map(|it| line_location(context, &it.path, it.line)).collect(),
    }
}

fn answer_item(answer: &Answer, text: String) -> AnswerItem {
    let kind = match &answer.outcome {
        _ if !answer.is_certain() => "depends",
        Ok(Some(_)) => "value",
        Ok(None) => "missing",
        Err(_) => "failed",
    };
    AnswerItem { kind, text }
}
