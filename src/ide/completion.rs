//! Completion: suggests keys, variables, functions and options for the place at the cursor.
//!
//! A half-typed text is rarely valid, so the place is determined from lines, not from a tree.

mod config;
mod json_key;
mod line;
mod members;
mod options;
mod parameters;
mod root_keys;
mod templates;
mod token;
mod values;
mod variables;

use std::collections::HashSet;
use std::sync::Arc;

use super::class_parameter;
use super::context::LOOKUP_OPTIONS;
use super::file_role::FileRole;
use super::flow_yaml::flow_text;
use super::hover::markdown::fenced_yaml;
use super::hover::markup::code;
use super::matching::fit;
use super::perspective::Perspective;
use super::rename::{inside_string, is_plain_yaml};
use super::{hover, places};
use crate::data::{Format, Value, Verdict, render};
use crate::engine::CancelToken;
use crate::syntax::key_path;
use crate::text::TextRange;
use crate::world::World;
use line::{Part, Spot};

/// The maximum number of items; editors request them again while the user types.
const MAX_ITEMS: usize = 1_000;

/// The suggestions for a place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completions {
    /// The suggestions.
    pub items: Vec<Completion>,
    /// Whether there are more.
    pub is_incomplete: bool,
}

/// A suggestion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// What is shown.
    pub label: String,
    /// Its kind.
    pub kind: CompletionKind,
    /// A short text beside it.
    pub detail: Option<String>,
    /// The range to replace, in bytes.
    pub range: TextRange,
    /// The text to insert.
    pub insert: String,
    /// The text to insert after the cursor's new position; not used by editors that cannot place the cursor.
    pub insert_behind: String,
    /// The text to sort by, if it is not the label.
    pub sort_text: Option<String>,
    /// The lookup key for [`completion_help`].
    pub key: Option<String>,
}

/// The kind of a suggestion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionKind {
    /// A key of the data.
    Key,
    /// A variable or a part of one.
    Variable,
    /// An interpolation function.
    Function,
    /// A key with a special meaning for Puppet.
    Option,
    /// One of the values that Puppet knows.
    Value,
    /// The prefix of all keys of a module.
    Module,
    /// Lines with places to fill in.
    Snippet,
}

/// The suggestions at `offset` (bytes) of the file at `path`.
pub fn completion(
    world: &Arc<World>,
    path: &str,
    offset: u32,
    cancel: &CancelToken,
) -> Completions {
    find(world, path, offset, cancel).unwrap_or_default()
}

/// The documentation of a key that was suggested for the file at `path`.
pub fn completion_help(
    world: &Arc<World>,
    path: &str,
    key: &str,
    cancel: &CancelToken,
) -> Option<String> {
    let perspective = Perspective::of_file(world, path)?.until(cancel);
    let name = key_path::root_of(key);
    let is_new =
        |name: &&Arc<str>| !world.key_index(perspective.evaluator.environment()).contains(name);
    if let Some(note) =
        name.as_ref().filter(is_new).and_then(|it| class_parameter::note(&perspective, it, None))
    {
        return Some(note);
    }
    let is_broken = |format| match world.file(path) {
        Ok(file) => matches!(file.data(format).verdict(), Verdict::Broken(_)),
        Err(_) => false,
    };
    match FileRole::of(world, path)? {
        // While a key is being typed, the file is often broken, and a lookup would only return Puppet's error.
        FileRole::Data { format, .. } if is_broken(format) => half_typed_help(&perspective, key),
        _ => Some(hover::key_text(&perspective, key)),
    }
}

/// The value of a key in the highest level, because lookups fail while a file is half-typed.
fn half_typed_help(perspective: &Perspective, key: &str) -> Option<String> {
    let path = key_path::parse(key).ok()?;
    // This help does not look the key up, so no conversion to `Sensitive` would hide the value.
    if path.root_name().is_none_or(|root| perspective.makes_sensitive(root)) {
        return None;
    }
    let places = places::places(perspective, &path);
    let source = places.iter().find(|source| source.value().is_some())?;
    let value = perspective.without_secrets(source.value()?);
    let max_lines = perspective.world.settings().hover_max_lines as usize;
    Some(format!(
        "**{}** in {}\n\n{}",
        code(key),
        code(&perspective.shown_place(source.shown_place()?)),
        fenced_yaml(&render::to_readable_yaml(&value), max_lines)
    ))
}

fn find(world: &Arc<World>, path: &str, offset: u32, cancel: &CancelToken) -> Option<Completions> {
    let role = FileRole::of(world, path)?;
    let perspective = Perspective::of_file(world, path)?;
    let file = world.file(path).ok()?;
    let format = match role {
        FileRole::Data { format, .. } => format,
        FileRole::HieraYaml { .. } => Format::Yaml,
    };
    let place = Place { perspective: &perspective, path, text: &file.text, format, offset, cancel };
    if let Some(token) = token::TokenSpot::at(&file.text, offset) {
        // Puppet refuses functions in hiera.yaml.
        let with_functions = matches!(role, FileRole::Data { .. });
        return Some(token::complete(&place, &token, with_functions));
    }
    match role {
        FileRole::HieraYaml { layer } => {
            Some(config::complete(&place, &line::spot_at(&file.text, offset)?, layer))
        }
        FileRole::Data { format: Format::Yaml, module, .. } => {
            let spot = line::spot_at(&file.text, offset)?;
            let data = file.data(Format::Yaml);
            Some(match (spot.steps.first().map(String::as_str), spot.part) {
                (None, Part::Key) if spot.is_at_root => {
                    root_keys::complete(&place, &spot, data, module.as_deref())
                }
                (Some(LOOKUP_OPTIONS), _) => options::complete(&place, &spot, module.as_deref()),
                // Text without a colon may become a key or a value.
                (Some(_), Part::Key) => {
                    let members = members::complete(&place, &spot).items.into_iter();
                    let of_type = parameters::members(&place, &spot).into_iter();
                    let values = values::complete(&place, &spot).items;
                    each_once(
                        members
                            .chain(of_type)
                            .chain(parameters::values(&place, &spot))
                            .chain(values),
                    )
                }
                (Some(_), Part::Value) => key_values(&place, &spot),
                _ => Completions::default(),
            })
        }
        FileRole::Data { format: Format::Json, module, .. } => {
            let spot = json_key::spot_at(&file.text, offset)?;
            let data = file.data(Format::Json);
            Some(match (spot.steps.first().map(String::as_str), spot.part) {
                (Some(LOOKUP_OPTIONS), _) => Completions::default(),
                (Some(_), Part::Value) => key_values(&place, &spot),
                _ => root_keys::complete(&place, &spot, data, module.as_deref()),
            })
        }
        FileRole::Data { .. } => None,
    }
}

/// The values of a key: those of its type, and those that it has elsewhere.
fn key_values(place: &Place<'_>, spot: &Spot) -> Completions {
    let elsewhere = values::complete(place, spot).items;
    each_once(parameters::values(place, spot).into_iter().chain(elsewhere))
}

/// The place of a completion.
struct Place<'a> {
    perspective: &'a Perspective,
    path: &'a str,
    text: &'a str,
    format: Format,
    offset: u32,
    cancel: &'a CancelToken,
}

impl Place<'_> {
    /// The text from `start` to the cursor.
    fn typed(&self, start: u32) -> &str {
        TextRange::new(start, self.offset).slice(self.text)
    }

    /// The range of the word from `start` on, including the letters after the cursor.
    fn word(&self, start: u32) -> TextRange {
        let behind = &self.text[self.offset as usize..];
        let is_inside = |letter: char| letter.is_alphanumeric() || "_:-^".contains(letter);
        let length = behind.find(|letter| !is_inside(letter)).unwrap_or(behind.len());
        // `::` is a part of a name, but the colon after the name is not.
        let length = behind[..length].trim_end_matches(':').len();
        TextRange::new(start, self.offset + length as u32)
    }

    /// The text after a range.
    fn behind(&self, range: TextRange) -> &str {
        &self.text[range.end as usize..]
    }

    /// Suggestions for the key of a `key: value` that match the typed text and are not there yet.
    fn keys<'n>(
        &self,
        spot: &Spot,
        kind: CompletionKind,
        names: impl Iterator<Item = &'n str>,
    ) -> Vec<Completion> {
        let range = self.word(spot.start);
        let typed = self.typed(spot.start);
        let behind = self.behind(range);
        let is_new = |name: &&str| !spot.present.iter().any(|it| it == *name);
        let names = names.filter(|name| fit(name, typed).is_some()).filter(is_new);
        // Between braces, YAML takes `host:x` for one word.
        let is_in_braces = self.format == Format::Yaml && self.is_in_braces(spot);
        let item = |name: &str| {
            let mut insert = key_text(self.format, name, spot.quote, behind);
            if is_in_braces && insert.ends_with(':') && !behind.starts_with(' ') {
                insert.push(' ');
            }
            Completion { insert, ..Completion::new(name, kind, range) }
        };
        names.map(item).collect()
    }

    /// Whether a key that starts at the place is between braces.
    fn is_in_braces(&self, spot: &Spot) -> bool {
        let before = self.text[..spot.start as usize].trim_end_matches([' ', '\'', '"']);
        // The brace may be on an earlier line.
        let before = if spot.is_at_root { before } else { before.trim_end() };
        before.ends_with(['{', ','])
    }

    /// Lines to fill in: `insert` before the cursor and `insert_behind` after it; the lines below are indented as if the
    /// first one were not.
    fn snippet(&self, spot: &Spot, label: &str, insert: &str, insert_behind: &str) -> Completion {
        Completion {
            insert: insert.to_owned(),
            insert_behind: insert_behind.to_owned(),
            // `~` comes after all letters, so snippets are at the end of the list.
            sort_text: Some(format!("~{label}")),
            ..Completion::new(label, CompletionKind::Snippet, self.word(spot.start))
        }
    }

    /// A value as it is written at a place; `None` if it is not a string and the place has quotes, which would make it one.
    fn written(&self, spot: &Spot, value: &Value, text: &str) -> Option<String> {
        Some(match (spot.quote, value) {
            (Some(quote), Value::String(_)) => inside_string(self.format, &quote.to_string(), text),
            (Some(_), _) => return None,
            (None, Value::String(text)) => flow_text(text),
            (None, _) => text.to_owned(),
        })
    }

    /// Suggestions for a value that match the typed text.
    fn values(&self, spot: &Spot, names: &[&str]) -> Completions {
        let range = self.word(spot.start);
        let typed = self.typed(spot.start);
        let names = names.iter().filter(|name| fit(name, typed).is_some());
        let begin = spot.before_value.unwrap_or_default();
        let item = |name: &&str| Completion {
            insert: format!("{begin}{name}"),
            ..Completion::new(name, CompletionKind::Value, range)
        };
        names.map(item).collect()
    }
}

impl Completion {
    fn new(label: &str, kind: CompletionKind, range: TextRange) -> Self {
        Self {
            label: label.to_owned(),
            kind,
            detail: None,
            range,
            insert: label.to_owned(),
            insert_behind: String::new(),
            sort_text: None,
            key: None,
        }
    }
}

impl FromIterator<Completion> for Completions {
    fn from_iter<T: IntoIterator<Item = Completion>>(items: T) -> Self {
        let mut items: Vec<_> = items.into_iter().take(MAX_ITEMS + 1).collect();
        let is_incomplete = items.len() > MAX_ITEMS;
        items.truncate(MAX_ITEMS);
        Self { items, is_incomplete }
    }
}

/// The suggestions; of those that insert the same text, only the first.
fn each_once(items: impl Iterator<Item = Completion>) -> Completions {
    let mut seen = HashSet::new();
    items.filter(|it| seen.insert(it.insert.clone())).collect()
}

/// A key as it is written: quoted if YAML would read it as something else, with its colon if there is none yet.
fn key_text(format: Format, name: &str, open_quote: Option<char>, behind: &str) -> String {
    let (text, behind) = match open_quote {
        Some(quote) => {
            let text = inside_string(format, &quote.to_string(), name);
            if behind.starts_with(quote) {
                return text;
            }
            (format!("{text}{quote}"), behind)
        }
        None if is_plain_yaml(name) => (name.to_owned(), behind),
        None => (format!("'{}'", name.replace('\'', "''")), behind),
    };
    if behind.starts_with(':') { text } else { text + ":" }
}

#[cfg(test)]
mod tests;
