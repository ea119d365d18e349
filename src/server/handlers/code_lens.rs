//! `textDocument/codeLens`

use serde_json::json;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{CodeLens, CodeLensParams, Command, Uri};

use crate::ide;
use crate::ide::changes::{self, EditedKey};
use crate::server::context::Context;
use crate::server::pieces::{Spot, write_list};
use crate::server::raw::Json;
use crate::server::{from_proto, to_proto};
use crate::world::FileEntry;

/// The commands that a lens can have, the best one first.
pub(in crate::server) const LENS_COMMANDS: [&str; 4] =
    ["hiera.preview", "hiera.explain", "hiera.allNodes", "hiera.compare"];

/// The command that shows what edits change.
pub(in crate::server) const CHANGES_COMMAND: &str = "hiera.changes";

/// Returns the lenses: how many levels have each key, and what edits of it change. Each has a command that the client
/// supports.
pub(in crate::server) fn code_lens(
    context: &Context,
    params: CodeLensParams,
) -> Result<Option<Vec<CodeLens>>> {
    let Some(file) = from_proto::file(context, &params.text_document.uri) else { return Ok(None) };
    // LSP has no commands that every client can run, so a lens without a known one would do nothing.
    if context.client.lens_command.is_none() && !context.client.shows_changes {
        return Ok(None);
    }
    context.is_still_shown(&file)?;
    let found = of_edits(context, &params, &file);
    let Some(command) = context.client.lens_command else { return Ok(Some(found)) };

    let placed = context.remembered.lenses.of(
        context,
        &file,
        |known| ide::lens_parts(&context.world, &file.path, known, &context.cancel),
        |places, lenses| {
            let piece = |lens: crate::ide::CodeLens| LensPiece {
                range: places.range(lens.range),
                title: Json::of(&lens.title),
                key: Json::of(&lens.key),
            };
            lenses.into_iter().map(piece).collect::<Box<[_]>>()
        },
    );

    let mut json = Json::default();
    json.raw("[");
    for lens in &found {
        json.comma().raw(&Json::of(lens));
    }
    let (command, document) = (Json::of(&command), Json::of(&params.text_document));
    // The client may spell the path of a file in several ways.
    write_list(&mut json, &placed, &document, |json, line, lenses| {
        for lens in lenses {
            json.comma().raw(r#"{"range":"#).range(line, lens.range);
            json.raw(r#","command":{"title":"#).raw(&lens.title);
            json.raw(r#","command":"#).raw(&command);
            json.raw(r#","arguments":[{"textDocument":"#).raw(&document);
            json.raw(r#","position":"#).position(line, lens.range[0]);
            json.raw(r#","key":"#).raw(&lens.key).raw("}]}}");
        }
    });
    json.raw("]");
    context.raw.set(json);
    Ok(None)
}

/// A lens in the form that is sent.
#[derive(Debug)]
pub(in crate::server) struct LensPiece {
    range: [Spot; 2],
    /// The title as JSON.
    title: Box<str>,
    /// The key as JSON.
    key: Box<str>,
}

/// `changes 66 of 622 nodes`
fn of_edits(context: &Context, params: &CodeLensParams, file: &FileEntry) -> Vec<CodeLens> {
    let settings = context.world.settings();
    if !(context.client.shows_changes && settings.code_lens_enabled && settings.code_lens_changes) {
        return Vec::new();
    }
    let edited = changes::edited_keys(&context.world, &file.path, &context.cancel);
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
