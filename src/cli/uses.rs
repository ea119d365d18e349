//! `hiera-ls uses KEY`: everything that mentions a key, in data, lookup_options and manifests.

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde_json::json;

use super::completions;
use super::place::{Place, PlaceArguments};
use super::print_or_complain;
use super::shown::{as_seen_from_here, in_a_line};
use super::terminal::complain;
use crate::data::Files as _;
use crate::ide::{KeyUse, UseKind, uses_of_key};
use crate::text::{Encoding, LineIndex};
use crate::world::paths;

/// The arguments.
#[derive(Debug, Args)]
pub struct UsesArguments {
    /// The key
    #[arg(value_name = "KEY", add = completions::keys())]
    pub key: String,
    #[command(flatten)]
    pub place: PlaceArguments,
    /// text, or jsonl: one JSON object {"use", "file", "line", "column", "text"} per line
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "FORMAT")]
    pub render_as: ListFormat,
}

/// Output formats of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ListFormat {
    /// For people
    #[default]
    Text,
    /// One JSON object per line
    Jsonl,
}

/// Runs the command.
pub fn run(arguments: &UsesArguments) -> ExitCode {
    let list = list(arguments);
    // No output could also mean a misspelt key.
    if let Ok(Err(nothing)) = &list {
        complain(nothing);
    }
    print_or_complain(list.map(Result::unwrap_or_default))
}

/// The list as text, or a message that nothing mentions the key.
pub(super) fn list(arguments: &UsesArguments) -> Result<Result<String, String>, String> {
    let place = arguments.place.open()?;
    let uses = uses_of_key(&place.world, &place.environment, &arguments.key)
        .ok_or_else(|| format!("{} is not a key", arguments.key))?;
    if uses.is_empty() {
        let meant = place.meant_key(&[arguments.key.as_str().into()]);
        let meant = meant.map_or_else(String::new, |it| format!("; did you mean `{it}`?"));
        return Ok(Err(format!("nothing mentions {}{meant}", in_a_line(&arguments.key))));
    }
    Ok(Ok(uses.iter().map(|it| line(&place, it, arguments.render_as)).collect()))
}

fn line(place: &Place, found: &KeyUse, format: ListFormat) -> String {
    let text: Arc<str> = place.world.text(&found.path).unwrap_or_default();
    let at = LineIndex::new(&text).line_col(&text, found.range.start, Encoding::Utf32);
    let said = found.range.slice(&text);
    let kind = match found.kind {
        UseKind::Declaration => "key",
        UseKind::Interpolation => "interpolation",
        UseKind::Options => "lookup_options",
        UseKind::Manifest => "manifest",
        UseKind::Parameter => "parameter",
    };
    match format {
        ListFormat::Jsonl => {
            let (line, column) = (at.line + 1, at.col + 1);
            let directory = place.environment.directory();
            let path = paths::below(directory, &found.path).unwrap_or(&found.path);
            let record =
                json!({"use": kind, "file": path, "line": line, "column": column, "text": said});
            format!("{record}\n")
        }
        ListFormat::Text => {
            let path = in_a_line(as_seen_from_here(&found.path));
            format!("{path}:{}:{}: {kind}: {}\n", at.line + 1, at.col + 1, in_a_line(said))
        }
    }
}
