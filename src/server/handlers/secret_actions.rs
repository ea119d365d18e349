//! `codeAction/resolve`: actions whose edits hold decrypted secrets. An editor gets the edit only after the user has chosen
//! the action, and not in the list of possible actions.

use serde::{Deserialize, Serialize};
use tower_lsp_server::ls_types::{CodeAction, CodeActionKind, CodeActionOrCommand, Range, Uri};

use crate::ide::{self, ActionKind, SecretAction};
use crate::server::context::Context;
use crate::server::from_proto;
use crate::server::workspace_edit::workspace_edit;
use crate::text::TextRange;
use crate::world::FileEntry;

/// The data of an action, for the request that resolves it.
#[derive(Debug, Serialize, Deserialize)]
struct ActionData {
    uri: Uri,
    range: Range,
    /// One of [`SecretAction::NAMES`].
    secret: String,
}

/// Returns the actions that decrypt parts of the selection, for clients that resolve actions.
pub(super) fn offered(
    context: &Context,
    file: &FileEntry,
    (uri, range): (&Uri, Range),
    selection: TextRange,
    wanted: &[ActionKind],
) -> Vec<CodeActionOrCommand> {
    // The edit contains the decrypted text, so it is made only for the action that the user chooses.
    if !context.client.resolves_actions || !wanted.contains(&ActionKind::RefactorRewrite) {
        return Vec::new();
    }
    let found = ide::secret_actions(&context.world, &file.path, selection);
    let action = |secret: SecretAction| {
        let named = SecretAction::NAMES.iter().find(|(_, it)| *it == secret)?;
        let data = ActionData { uri: uri.clone(), range, secret: named.0.to_owned() };
        Some(CodeActionOrCommand::CodeAction(CodeAction {
            title: secret.title().to_owned(),
            kind: Some(CodeActionKind::REFACTOR_REWRITE),
            data: serde_json::to_value(data).ok(),
            ..CodeAction::default()
        }))
    };
    found.into_iter().filter_map(action).collect()
}

/// Adds the edit to an action.
pub(in crate::server) fn code_action_resolve(
    context: &Context,
    mut action: CodeAction,
) -> CodeAction {
    let data = action.data.clone().and_then(|it| serde_json::from_value::<ActionData>(it).ok());
    let Some(data) = data else { return action };
    let Some(file) = from_proto::file(context, &data.uri) else { return action };
    let named = SecretAction::NAMES.iter().find(|(name, _)| *name == data.secret);
    let Some((_, secret)) = named else { return action };
    let selection = from_proto::range(context, &file, data.range);

    let edit = ide::secret_edit(&context.world, &file.path, selection, *secret);

    action.edit = edit.and_then(|edit| workspace_edit(context, &[edit]));
    action
}
