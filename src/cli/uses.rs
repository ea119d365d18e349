//! `hiera-ls uses KEY`: everything that mentions a key, in data, lookup_options and manifests.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde_json::json;

use super::completions;
use super::place::{Place, PlaceArguments};
use super::print_or_complain;
use super::readers;
use super::shown::{as_seen_from_here, in_a_line, seen_from, within_a_line};
use super::terminal::complain;
use super::workspace;
use crate::data::{Files as _, PathKind};
use crate::ide::{KeyUse, UseKind, uses_of_key};
use crate::syntax::key_path;
use crate::text::Encoding;
use crate::world::paths;

/// The arguments.
#[derive(Debug, Args)]
pub struct UsesArguments {
    /// The key
    #[arg(value_name = "KEY", add = completions::keys())]
    pub key: String,
    #[command(flatten)]
    pub place: PlaceArguments,
    /// text, or jsonl: one JSON object {"use", "file", "line", "column", "text", "environment"} per line
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
    for note in list.iter().flat_map(|it| &it.notes) {
        complain(note);
    }
    print_or_complain(list.map(|it| it.text))
}

/// The uses of a key.
pub(super) struct UseList {
    /// The list.
    pub(super) text: String,
    /// That nothing is in the list, and why it may not be complete.
    pub(super) notes: Vec<String>,
}

pub(super) fn list(arguments: &UsesArguments) -> Result<UseList, String> {
    let key = arguments.key.as_str();
    if key.is_empty() {
        return Err("an empty text is not a key".to_owned());
    }
    let place = arguments.place.open()?;
    let uses = uses_of_key(&place.world, &place.environment, key)
        .ok_or_else(|| format!("{key} is not a key"))?;
    let mut notes = Vec::new();
    if uses.is_empty() {
        // No output could also mean a misspelt key.
        let meant = place.meant_key(&[key.into()]);
        let meant = meant.map_or_else(String::new, |it| format!("; did you mean `{it}`?"));
        notes.push(format!("nothing mentions {}{meant}", in_a_line(key)));
        notes.extend(other_meaning(&place, key));
    }
    notes.extend(data_not_read(&place, key));
    notes.extend(workspace::not_read_in(&place.world, &place.environment));
    let text = uses.iter().map(|it| line(&place, it, arguments.render_as)).collect();
    Ok(UseList { text, notes })
}

/// What a text may be instead of the key that Puppet takes it for.
fn other_meaning(place: &Place, key: &str) -> Option<String> {
    if key.starts_with('^') {
        return Some(
            "a text with ^ at its start is a pattern in lookup_options, not a key".to_owned(),
        );
    }
    let quoted = key_path::of_root(&key.into());
    let uses =
        uses_of_key(&place.world, &place.environment, &quoted).filter(|_| *quoted != *key)?;
    let is_used = !uses.is_empty();
    is_used.then(|| format!("{} is the key with dots in its name", in_a_line(&quoted)))
}

/// Why data files that may mention the key are not in its hierarchies.
fn data_not_read(place: &Place, key: &str) -> Vec<String> {
    let Place { world, environment } = place;
    let shown = |path: &str| in_a_line(as_seen_from_here(path)).into_owned();
    let module = key.trim_start_matches("::").split_once("::").map(|(module, _)| module);
    let mut unused = world.unused_configs(environment);
    unused.retain(|it| it.module.is_none() || it.module.as_deref() == module);
    let mut notes: Vec<String> = unused.iter().map(|it| it.in_words(&shown(&it.path))).collect();
    if unused.iter().all(|it| it.module.is_some()) {
        notes.extend(readers::refusal(place).map(|it| in_a_line(&it).into_owned()));
    }
    if let Some(root) = &environment.root
        && world.kind(&paths::join(root, "hiera.yaml")) == PathKind::Missing
        && let unread = world.unread_data()
        && let Some(found) = unread.iter().find(|it| paths::below(root, &it.directory).is_some())
    {
        let (data, root) = (shown(&found.directory), shown(root));
        notes.push(format!("no hierarchy reads {data}: there is no hiera.yaml in {root}"));
    }
    notes
}

fn line(place: &Place, found: &KeyUse, format: ListFormat) -> String {
    let file = place.world.file(&found.path).ok();
    let (at, said) = file.as_deref().map_or_else(Default::default, |file| {
        let start = file.line_index().line_col(&file.text, found.range.start, Encoding::Utf32);
        (start, found.range.slice(&file.text))
    });
    let kind = match found.kind {
        UseKind::Declaration => "key",
        UseKind::Interpolation => "interpolation",
        UseKind::Options => "lookup_options",
        UseKind::Manifest => "manifest",
        UseKind::Parameter => "parameter",
        UseKind::Given => "attribute",
        UseKind::Variable => "variable",
    };
    match format {
        ListFormat::Jsonl => {
            let (line, column) = (at.line + 1, at.col + 1);
            let path = seen_from(place.environment.directory(), &found.path);
            let environment = &*place.world.environment_label(&place.environment);
            let record = json!({
                "use": kind, "file": path, "line": line, "column": column, "text": said, "environment": environment
            });
            format!("{record}\n")
        }
        ListFormat::Text => {
            let path = in_a_line(as_seen_from_here(&found.path));
            format!("{path}:{}:{}: {kind}: {}\n", at.line + 1, at.col + 1, within_a_line(said))
        }
    }
}
