//! The places of Puppet code that mention a key: calls that look it up by its constant name, and the parameter that it sets.

use std::sync::Arc;

use super::Occurrence;
use crate::config::Environment;
use crate::data::Files as _;
use crate::ide::class_parameter::ClassParameter;
use crate::syntax::key_path::{self, KeyPath, Segment};
use crate::text::TextRange;
use crate::world::World;

/// All such places in the code of the environment.
pub(crate) fn of_key(world: &World, environment: &Environment, key: &KeyPath) -> Vec<Occurrence> {
    let Some(root) = key.root_name() else { return Vec::new() };
    let index = world.code_index(environment);
    let calls = index.lookups(root).filter_map(|(path, range)| {
        let text = world.text(path).ok()?;
        let range = named_part(&text, range, key)?;
        Some(Occurrence { path: path.clone(), range, is_declaration: false })
    });
    let mut found: Vec<_> = calls.collect();
    // A class parameter is a root key. Code does not declare its members.
    let parameter = key.rest.is_empty().then(|| ClassParameter::of_key(world, environment, root));
    found.extend(parameter.flatten().map(|it| {
        let range = it.name_range();
        Occurrence { path: it.path, range, is_declaration: true }
    }));
    found
}

/// The part of a name, written in `range`, that names `key`; `None` if it names something else.
fn named_part(text: &Arc<str>, range: TextRange, key: &KeyPath) -> Option<TextRange> {
    let written = range.slice(text);
    let is_quoted = written.len() >= 2 && written.starts_with(['\'', '"']);
    let range = if is_quoted { TextRange::new(range.start + 1, range.end - 1) } else { range };
    let name = range.slice(text);
    let wanted: Vec<&Segment> = std::iter::once(&key.root).chain(&key.rest).collect();
    let (segments, _) = key_path::segment_ranges(name);
    let parsed = key_path::parse(name).ok();
    let is_named = parsed.is_some_and(|it| {
        std::iter::once(&it.root).chain(&it.rest).take(wanted.len()).eq(wanted.iter().copied())
    });
    match segments.get(wanted.len() - 1).filter(|_| is_named) {
        Some(last) => Some(TextRange::new(0, last.full_range.end).shifted(range.start)),
        // With escapes, or in a heredoc, the name is written differently.
        None => key.rest.is_empty().then_some(range),
    }
}
