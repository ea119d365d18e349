//! `textDocument/codeLens`

use serde_json::json;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{CodeLens, CodeLensParams, Command};

use crate::server::context::Context;
use crate::server::{from_proto, to_proto};

/// The commands that a lens can carry, the best one first.
pub(in crate::server) const LENS_COMMANDS: [&str; 4] =
    ["hiera.preview", "hiera.explain", "hiera.allNodes", "hiera.compare"];

/// How many levels have each key, with a command that the client has.
pub(in crate::server) fn code_lens(
    context: &Context,
    params: CodeLensParams,
) -> Result<Option<Vec<CodeLens>>> {
    let Some(file) = from_proto::file(context, &params.text_document.uri) else { return Ok(None) };
    let Some(command) = context.client.lens_command else { return Ok(None) };
    context.is_still_shown(&file)?;

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
    Ok(Some(lenses.into_iter().map(lens).collect()))
}
