//! What can be renamed at a place, and exactly which bytes are its name.

use std::sync::Arc;

use super::code_target;
use super::parameter::refused_name;
use crate::code::roots::is_code;
use crate::data::Format;
use crate::ide::context::{self, DataSpot, LOOKUP_OPTIONS, SpotPart, Step};
use crate::ide::file_role::FileRole;
use crate::syntax::key_path::{self, Segment};
use crate::text::TextRange;
use crate::world::World;

/// Something that can be renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenameTarget {
    /// The name as it is written under the cursor, without quotes: bytes of the file.
    pub range: TextRange,
    /// The name.
    pub name: String,
    /// From the root key to what is renamed; nothing for a class.
    pub(super) path: Vec<Segment>,
    /// What it is.
    pub(super) kind: TargetKind,
}

/// What is renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TargetKind {
    /// A key of the data, or one below it.
    Key,
    /// A parameter of a class, at a place of Puppet code that does not name the class.
    Parameter {
        /// The class.
        class: String,
    },
    /// A class.
    Class,
}

impl RenameTarget {
    /// What the last segment of its path shall be called if the user says `new_name`.
    pub(super) fn full_name(&self, new_name: &str) -> Result<String, String> {
        let TargetKind::Parameter { class } = &self.kind else { return Ok(new_name.to_owned()) };
        // Users may write the name as code does, or the whole key.
        let name = new_name.strip_prefix('$').unwrap_or(new_name);
        let own = name.strip_prefix(class.as_str()).and_then(|it| it.strip_prefix("::"));
        let name = own.unwrap_or(name);
        match refused_name(name) {
            Some(why) => Err(why),
            None => Ok(format!("{class}::{name}")),
        }
    }
}

/// What a rename at `offset` (bytes) of the file at `path` would rename. `Ok(None)` if there is nothing with a name;
/// `Err` says why what is there cannot be renamed.
pub fn prepare_rename(
    world: &Arc<World>,
    path: &str,
    offset: u32,
) -> Result<Option<RenameTarget>, String> {
    target(world, path, offset)
}

pub(super) fn target(
    world: &Arc<World>,
    path: &str,
    offset: u32,
) -> Result<Option<RenameTarget>, String> {
    if is_code(path) {
        return code_target::target(world, path, offset);
    }
    let Some(FileRole::Data { format, .. }) = FileRole::of(world, path) else { return Ok(None) };
    let Ok(file) = world.file(path) else { return Ok(None) };
    let Some(spot) = context::spot_in_file(file.data(format), offset) else { return Ok(None) };
    if spot.token.is_some() {
        return of_token(&spot, &file.text);
    }
    if spot.part != SpotPart::Key {
        return Ok(None);
    }
    if spot.root_key() == Some(LOOKUP_OPTIONS) {
        return of_lookup_option(&spot, &file.text);
    }
    of_key(&spot, &file.text, format)
}

fn of_token(spot: &DataSpot, text: &str) -> Result<Option<RenameTarget>, String> {
    let Some(token) = &spot.token else { return Ok(None) };
    let Some((number, range)) = token.segment else { return Ok(None) };
    let Some((key, _)) = token.token.lookup_key() else {
        return Err("variables are named by Puppet and by the node, not by the data".to_owned());
    };
    let Ok(key) = key_path::parse(key) else { return Ok(None) };
    let mut path = vec![key.root];
    path.extend(key.rest);
    path.truncate(number + 1);
    named(path, without_quotes(range, text))
}

fn of_lookup_option(spot: &DataSpot, text: &str) -> Result<Option<RenameTarget>, String> {
    match &spot.steps[1..] {
        [] => Err("`lookup_options` is Puppet's own name".to_owned()),
        [Step { segment: Some(Segment::Name(name)), .. }] if name.starts_with('^') => {
            Err("a pattern is not a key: edit it by hand".to_owned())
        }
        [Step { segment: Some(segment @ Segment::Name(_)), range, .. }] => {
            named(vec![segment.clone()], without_quotes(*range, text))
        }
        _ => Ok(None),
    }
}

fn of_key(spot: &DataSpot, text: &str, format: Format) -> Result<Option<RenameTarget>, String> {
    let Some(last) = spot.steps.last() else { return Ok(None) };
    let path: Option<Vec<Segment>> = spot.steps.iter().map(|step| step.segment.clone()).collect();
    let written = last.range.slice(text);
    let Some(path) = path else {
        let why = if written.contains("%{") {
            "something in it is only known later"
        } else {
            "it is not a string"
        };
        return Err(format!("no lookup can name this key, as {why}"));
    };
    // `*name` is an alias as a key, and `|` and `>` start a block.
    if written.contains('\n') || format == Format::Yaml && written.starts_with(['*', '|', '>']) {
        return Err("a key that is written like this can only be edited by hand".to_owned());
    }
    named(path, without_quotes(last.range, text))
}

fn named(path: Vec<Segment>, range: TextRange) -> Result<Option<RenameTarget>, String> {
    // No lookup finds a root key that is a number.
    if matches!(path.first(), Some(Segment::Index(_))) {
        return Ok(None);
    }
    match path.last() {
        Some(Segment::Name(name)) => {
            let name = name.to_string();
            Ok(Some(RenameTarget { range, name, path, kind: TargetKind::Key }))
        }
        Some(Segment::Index(number)) => Err(format!("{number} is a number, not a name")),
        None => Ok(None),
    }
}

/// The bytes of a name without the quotes, escapes of quotes and blanks around it.
fn without_quotes(range: TextRange, text: &str) -> TextRange {
    let written = range.slice(text);
    let outer = ['\'', '"', '\\', ' '];
    let start = written.len() - written.trim_start_matches(outer).len();
    let length = written.trim_matches(outer).len();
    if length == 0 {
        return range;
    }
    let start = range.start + start as u32;
    TextRange::new(start, start + length as u32)
}
