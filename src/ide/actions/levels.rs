//! Copies a value to a higher level, to override it there, or moves it to another level.

use std::cell::LazyCell;
use std::sync::Arc;

use super::glob_files::with_one_file_of_each_glob;
use super::root_entry::{Cut, cut, new_file, paste};
use super::{Action, ActionContext, ActionKind};
use crate::config::Environment;
use crate::config::hiera_yaml::LayerKind;
use crate::data::{Files, Format, PathKind, Value};
use crate::engine::{Location, Request, ResolvedLevel};
use crate::ide::calls::callers;
use crate::ide::consequences::consequences;
use crate::ide::context::{self, LOOKUP_OPTIONS, SpotPart};
use crate::ide::edits::FileEdit;
use crate::ide::file_role::FileRole;
use crate::ide::pair_edits::with_line_ends_of;
use crate::ide::perspective::{Perspective, Reading};
use crate::limits::{MAX_COMPARED_FILES, MAX_TARGET_FILES};
use crate::syntax::key_path::Segment;
use crate::world::paths;

/// An action for each level of the nodes that read the file, if the level does not have the key under the cursor.
pub(super) fn provide(context: &ActionContext<'_>) -> Vec<Action> {
    find(context).unwrap_or_default()
}

fn find(context: &ActionContext<'_>) -> Option<Vec<Action>> {
    let path = &*context.file.path;
    let perspective = Perspective::of_file(context.world, path)?;
    let FileRole::Data { format, module, .. } = FileRole::of(context.world, path)? else {
        return None;
    };
    let data = context.file.data(format);
    let spot = context::spot_in_file(data, context.range.start)?;
    let key = spot.root_key().filter(|key| *key != LOOKUP_OPTIONS)?;
    if spot.steps.len() > 1 || spot.part != SpotPart::Key {
        return None;
    }
    let entry = data.entry_at(context.range.start)?;
    let value = &data.get(key)?.value.value;
    // If the chosen node does not read the file, its levels have nothing to do with it.
    let perspective = match perspective.reading(module.as_deref(), path) {
        Reading::Unknown => Perspective::of_readers(context.world, path)?,
        Reading::Always | Reading::Where(_) => perspective,
    };
    let environment = perspective.evaluator.environment();
    let reach = context.world.reach(environment);
    let config = &reach.places_of(path).next()?.config;
    let layers = perspective.evaluator.layers(module.as_deref());
    let layer = layers.iter().find(|layer| layer.config().path == *config)?;
    let levels = layer.levels(&perspective.evaluator).ok()?;
    let targets: Vec<(&ResolvedLevel, &Location)> = levels
        .iter()
        .filter(|level| level.built_in_format().is_some())
        .flat_map(|level| level.locations.iter().flatten().map(move |it| (&**level, it)))
        .collect();
    // A file of another node has the position of its level.
    let here = targets.iter().position(|(_, it)| &*it.file == path).or_else(|| {
        let template = reach.places_of(path).next()?.template_place;
        targets.iter().position(|(_, it)| it.template_place == template)
    })?;
    let here = targets[here].1;
    let depends_on_node = targets.iter().any(|(_, it)| it.is_open());
    let targets = with_one_file_of_each_glob(context, &targets, key, Some(&here.file));
    let here = targets.iter().position(|(_, it)| std::ptr::eq(*it, here))?;
    let cut = cut(data, &entry, key);
    let mut actions = Vec::new();
    let callers = LazyCell::new(|| callers_in_words(context, environment, key));
    let titled = |title: String, edits: &Result<Vec<FileEdit>, String>| {
        if targets.len() > MAX_COMPARED_FILES && edits.is_ok() {
            return format!("{title}: nodes are not compared, because there are too many files");
        }
        let changes = changes_of_key(context, environment, key, edits);
        changes.map_or(title.clone(), |changes| format!("{title}: {changes}{}", *callers))
    };
    let is_last = format == Format::Yaml && data.beside(&entry) == (None, None);
    let last = if is_last { ", which leaves the file empty" } else { "" };
    let near = here.saturating_sub(MAX_TARGET_FILES)..=here + MAX_TARGET_FILES;
    for (number, (level, location)) in targets.iter().enumerate() {
        if number == here || !near.contains(&number) {
            continue;
        }
        let Some(target) = Target::of(context, (level, location), key, path) else { continue };
        let shown = perspective.shown_path(&location.file);
        let cut = match &cut {
            Err(why) => Err(format!("`{key}` {why}.")),
            Ok(_) if target.format != format => Err(format!("{shown} has another format.")),
            Ok(cut) => Ok(cut),
        };
        let edit = |text: fn(&Cut) -> &str| {
            let edit = target.edit(text(cut.clone()?), key, value);
            edit.map_err(|why| format!("{shown} {why}."))
        };
        let level = &level.name;
        if number < here {
            let title = format!("Override `{key}` in {shown} ({level})");
            let edits = edit(|cut| &cut.text).map(|edit| vec![edit]);
            actions.push(action(titled(title, &edits), edits));
        }
        let way = if number < here { "up" } else { "down" };
        let title = format!("Move `{key}` {way} to {shown} ({level}){last}");
        let edits = edit(|cut| &cut.with_comments).and_then(|edit| {
            let leave = FileEdit::new(context.file.path.clone(), cut.clone()?.removal.clone());
            Ok(vec![leave, edit])
        });
        actions.push(action(titled(title, &edits), edits));
    }
    // A copy takes nothing away, so overrides come before moves.
    actions.sort_by_key(|it| it.title.starts_with("Move"));
    if actions.is_empty() && depends_on_node {
        let why = "Choose a node: the files of the other levels depend on it.";
        actions.push(action(format!("Override or move `{key}`"), Err(why.to_owned())));
    }
    let left_out = near.start() + targets.len().saturating_sub(near.end() + 1);
    if left_out > 0 {
        let title = format!("Override or move `{key}` in one of {left_out} more files");
        let why = format!(
            "hiera-ls offers only the {MAX_TARGET_FILES} nearest files above and below this one."
        );
        actions.push(action(title, Err(why)));
    }
    Some(actions)
}

/// Calls `found` with each file of the environment's levels, then of those of `module`, that can take the key and does not
/// have it, and with the level's name.
pub(super) fn places_for(
    context: &ActionContext<'_>,
    perspective: &Perspective,
    module: Option<&str>,
    key: &str,
    mut found: impl FnMut(&Target<'_>, &str),
) {
    let evaluator = &perspective.evaluator;
    for layer in evaluator.layers(module) {
        if layer.kind() == LayerKind::Global {
            continue;
        }
        let levels = layer.levels(evaluator).unwrap_or_default().iter();
        let places: Vec<_> = levels
            .filter(|level| level.built_in_format().is_some())
            .flat_map(|level| level.locations.iter().flatten().map(move |it| (&**level, it)))
            .collect();
        for (level, location) in with_one_file_of_each_glob(context, &places, key, None) {
            if let Some(target) = Target::of(context, (level, location), key, "") {
                found(&target, &level.name);
            }
        }
    }
}

/// The nodes that get another value: an override should change only nodes that read the file, a move none.
fn changes_of_key(
    context: &ActionContext<'_>,
    environment: &Arc<Environment>,
    key: &str,
    edits: &Result<Vec<FileEdit>, String>,
) -> Option<String> {
    let request = Request::key(asked(key)?);
    consequences(context.world, environment, &request, edits.as_ref().ok()?, context.cancel)
}

/// The end of a title if other keys look up the key, which may change them, too. They are not compared: there can be many.
pub(super) fn callers_in_words(
    context: &ActionContext<'_>,
    environment: &Arc<Environment>,
    key: &str,
) -> String {
    let world = context.world;
    let Some(asked) = asked(key) else { return String::new() };
    // Editors ask for actions whenever the cursor moves, and all files are searched for calls.
    if world.key_index(environment).files().len() > MAX_COMPARED_FILES {
        return String::new();
    }
    let callers = callers(world, &context.file.path, &asked, context.cancel).into_iter();
    let mut others: Vec<String> = callers.map(|it| it.item.key).collect();
    others.retain(|it| *it != asked);
    others.sort_unstable();
    others.dedup();
    match others.len() {
        0 => String::new(),
        1 => "; 1 other key looks it up".to_owned(),
        count => format!("; {count} other keys look it up"),
    }
}

/// A root key as lookups name it.
fn asked(key: &str) -> Option<String> {
    context::lookup_key([&Segment::Name(key.into())].into_iter())
}

fn action(title: String, edits: Result<Vec<FileEdit>, String>) -> Action {
    Action::new(title, ActionKind::Refactor, edits)
}

/// A file that may take an entry.
pub(super) struct Target<'a> {
    context: &'a ActionContext<'a>,
    pub(super) path: &'a str,
    pub(super) format: Format,
    exists: bool,
}

impl<'a> Target<'a> {
    /// `None` for the file itself, and for a file that already has the key.
    fn of(
        context: &'a ActionContext<'_>,
        (level, location): (&ResolvedLevel, &'a Location),
        key: &str,
        from: &str,
    ) -> Option<Target<'a>> {
        let format = level.built_in_format()?;
        let path = &*location.file;
        // A path with open variables is not the path of one file.
        if location.is_uri || location.is_open() || path == from || !is_ours(context, path) {
            return None;
        }
        let kind = context.world.kind(path);
        // If a fact is missing, the path is useless.
        let is_nameless = paths::file_name(path).starts_with('.') || path.contains("//");
        let target = |exists| Target { context, path, format, exists };
        match kind {
            PathKind::File => {
                let data = context.world.data(path, format).ok()?;
                // A file that already has the key would have it twice.
                data.get(key).is_none().then(|| target(true))
            }
            PathKind::Missing if !is_nameless && context.world.can_create(path) => {
                Some(target(false))
            }
            _ => None,
        }
    }

    pub(super) fn edit(&self, entry: &str, key: &str, value: &Value) -> Result<FileEdit, String> {
        if !self.exists {
            let text = with_line_ends_of(&self.context.file.text, &new_file(self.format, entry));
            return Ok(FileEdit::create(self.path, text));
        }
        let data = self.context.world.data(self.path, self.format)?;
        Ok(FileEdit::new(self.path, paste(&data, entry, key, value)?))
    }
}

/// Whether a file is in a folder of the workspace. A path in `hiera.yaml` can lead anywhere.
fn is_ours(context: &ActionContext<'_>, path: &str) -> bool {
    let folders = context.world.folders();
    folders.is_empty() || folders.iter().any(|folder| paths::below(folder, path).is_some())
}
