//! `textDocument/codeLens`

use serde_json::json;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{CodeLens, CodeLensParams, Command, Uri};

use crate::ide::changes::EditedKey;
use crate::server::context::Context;
use crate::server::{from_proto, to_proto};
use crate::world::FileEntry;

/// The commands that a lens can carry, the best one first.
pub(in crate::server) const LENS_COMMANDS: [&str; 4] =
    ["hiera.preview", "hiera.explain", "hiera.allNodes", "hiera.compare"];

/// The command that shows what edits change.
pub(in crate::server) const CHANGES_COMMAND: &str = "hiera.changes";

/// How many levels have each key, and what edits of it change, with commands that the client has.
pub(in crate::server) fn code_lens(
    context: &Context,
    params: CodeLensParams,
) -> Result<Option<Vec<CodeLens>>> {
    let Some(file) = from_proto::file(context, &params.text_document.uri) else { return Ok(None) };
    if context.client.lens_command.is_none() && !context.client.shows_changes {
        return Ok(None);
    }
    context.is_still_shown(&file)?;
    let mut found = of_edits(context, &params, &file);
    let Some(command) = context.client.lens_command else { return Ok(Some(found)) };

    let lenses = (context.features.code_lenses)(&context.world, &file.path, &context.cancel);

    let lens = |lens: crate::ide::CodeLens| {
        let range = to_proto::range(context, &file, lens.range);
        let question = json!({
            "textDocument": params.text_document,
            "position": range.start,
            "key": lens.key,
        });
        let command = Command {
            title: lens.title,
            command: command.to_owned(),
            arguments: Some(vec![question]),
        };
        CodeLens { range, command: Some(command), data: None }
    };
    found.extend(lenses.into_iter().map(lens));
    Ok(Some(found))
}

/// `changes 66 of 622 nodes`
fn of_edits(context: &Context, params: &CodeLensParams, file: &FileEntry) -> Vec<CodeLens> {
    let settings = context.world.settings();
    if !(context.client.shows_changes && settings.code_lens_enabled && settings.code_lens_changes) {
        return Vec::new();
    }
    let edited = (context.features.edited_keys)(&context.world, &file.path, &context.cancel);
    let lens = |edited: EditedKey| CodeLens {
        range: to_proto::range(context, file, edited.range),
        command: Some(show_changes(edited.title, &params.text_document.uri)),
        data: None,
    };
    edited.into_iter().map(lens).collect()
}

/// The command that shows what all edits of the environment change.
pub(in crate::server) fn show_changes(title: String, uri: &Uri) -> Command {
    let question = json!({"textDocument": {"uri": uri}});
    Command { title, command: CHANGES_COMMAND.to_owned(), arguments: Some(vec![question]) }
}
