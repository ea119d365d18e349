//! A value goes to another level: copied up, to override it there, or moved.

use super::yaml_entry::{append, entry_lines, is_self_contained, text_of};
use super::{Action, ActionContext, ActionKind};
use crate::data::{Files, Format, PathKind};
use crate::engine::{Location, ResolvedLevel};
use crate::ide::context::{self, LOOKUP_OPTIONS, SpotPart};
use crate::ide::edits::FileEdit;
use crate::ide::file_role::FileRole;
use crate::ide::perspective::Perspective;
use crate::text::TextEdit;
use crate::world::paths;

/// An action for each level of the active node that does not have the key under the cursor.
pub(super) fn provide(context: &ActionContext<'_>) -> Vec<Action> {
    find(context).unwrap_or_default()
}

fn find(context: &ActionContext<'_>) -> Option<Vec<Action>> {
    let path = &*context.file.path;
    let perspective = Perspective::of_file(context.world, path)?;
    let FileRole::Data { format: Format::Yaml, module } = FileRole::of(context.world, path)? else {
        return None;
    };
    let data = context.file.data(Format::Yaml);
    let spot = context::spot_in_file(data, context.range.start)?;
    let key = spot.root_key().filter(|key| *key != LOOKUP_OPTIONS)?;
    if spot.steps.len() > 1 || spot.part != SpotPart::Key {
        return None;
    }
    let entry = data.entry_at(context.range.start)?;
    let lines = entry_lines(data.text(), &entry)?;
    if !is_self_contained(entry.value) {
        return None;
    }
    let reach = context.world.reach(perspective.evaluator.environment());
    let config = &reach.places_of(path).next()?.config;
    let layers = perspective.evaluator.layers(module.as_deref());
    let layer = layers.iter().find(|layer| layer.config().path == *config)?;
    let levels = layer.levels(&perspective.evaluator).ok()?;
    let targets: Vec<(&ResolvedLevel, &Location)> = levels
        .iter()
        .filter(|level| level.built_in_format() == Some(Format::Yaml))
        .flat_map(|level| level.locations.iter().flatten().map(move |it| (level, it)))
        .collect();
    // A file of another node has its place by its level.
    let here = targets.iter().position(|(_, it)| &*it.location == path).or_else(|| {
        let template = reach.places_of(path).next()?.template_place;
        targets.iter().position(|(_, it)| it.template_place == template)
    })?;
    let mut actions = Vec::new();
    for (number, (level, location)) in targets.iter().enumerate() {
        if number == here {
            continue;
        }
        let Some(target) = Target::of(context, location, key, path) else { continue };
        let shown = perspective.shown_path(&location.location);
        let level = &level.name;
        if number < here {
            let edit = target.edit(&text_of(data.text(), lines.lines));
            let title = format!("Override `{key}` in {shown} ({level})");
            actions.extend(edit.map(|edit| action(title, vec![edit])));
        }
        let way = if number < here { "up" } else { "down" };
        let title = format!("Move `{key}` {way} to {shown} ({level})");
        let edit = target.edit(&text_of(data.text(), lines.with_comments));
        let leave = TextEdit::delete(lines.with_comments);
        let leave = FileEdit::new(context.file.path.clone(), vec![leave]);
        actions.extend(edit.map(|edit| action(title, vec![leave, edit])));
    }
    actions.sort_by_key(|it| it.title.starts_with("Move"));
    Some(actions)
}

fn action(title: String, edits: Vec<FileEdit>) -> Action {
    Action { title, kind: ActionKind::Refactor, edits, fixes: Vec::new(), is_preferred: false }
}

/// A file that may take an entry.
struct Target<'a> {
    context: &'a ActionContext<'a>,
    path: &'a str,
    exists: bool,
}

impl<'a> Target<'a> {
    /// `None` for what is no other file of its own, or has the key already.
    fn of(
        context: &'a ActionContext<'_>,
        location: &'a Location,
        key: &str,
        from: &str,
    ) -> Option<Target<'a>> {
        let path = &*location.location;
        if location.is_uri || path == from {
            return None;
        }
        let kind = context.world.kind(path);
        // Where a fact is missing, the path is nothing one would want to make.
        let is_nameless = paths::file_name(path).starts_with('.') || path.contains("//");
        match kind {
            PathKind::File => {
                let data = context.world.data(path, Format::Yaml).ok()?;
                data.get(key).is_none().then_some(Target { context, path, exists: true })
            }
            PathKind::Missing if !is_nameless => Some(Target { context, path, exists: false }),
            _ => None,
        }
    }

    fn edit(&self, entry: &str) -> Option<FileEdit> {
        if !self.exists {
            return Some(FileEdit::create(self.path, format!("---\n{entry}")));
        }
        let data = self.context.world.data(self.path, Format::Yaml).ok()?;
        Some(FileEdit::new(self.path, vec![append(&data, entry)?]))
    }
}
