//! What can be renamed at a place of Puppet code: class parameters, constant keys of lookups, and classes.

use std::sync::Arc;

use super::class::refuse_class_of_module;
use super::target::{RenameTarget, TargetKind};
use crate::code::CodeFile;
use crate::ide::code::spot::{ClassParameter, CodeSpot, class_name, class_parameters, spot};
use crate::ide::code::variables::names_of;
use crate::syntax::key_path::{self, Segment};
use crate::syntax::puppet::{CalledName, Declaration};
use crate::text::TextRange;
use crate::world::World;

/// What is at `offset` (bytes) of the Puppet code at `path`. `Err` says why it cannot be renamed.
pub(super) fn target(
    world: &Arc<World>,
    path: &str,
    offset: u32,
) -> Result<Option<RenameTarget>, String> {
    let Some(file) = world.code_file(path) else { return Ok(None) };
    match spot(&file, offset) {
        Some(CodeSpot::Parameter(parameter)) => {
            let name = parameter.parameter.name_range;
            // The `$` is not a part of the name.
            of_parameter(world, path, parameter, TextRange::new(name.start + 1, name.end)).map(Some)
        }
        Some(CodeSpot::Key { name, .. }) => Ok(of_key(&file, name, offset)),
        Some(CodeSpot::DynamicKey { .. }) => {
            Err("the key holds expressions: it is only known when the code is evaluated".to_owned())
        }
        Some(CodeSpot::Class(class)) => of_class(world, path, &file, class).map(Some),
        None => of_variable(world, path, &file, offset),
    }
}

/// A variable in a class that is one of its parameters.
fn of_variable(
    world: &Arc<World>,
    path: &str,
    file: &CodeFile,
    offset: u32,
) -> Result<Option<RenameTarget>, String> {
    let Some(names) = names_of(world, path) else { return Ok(None) };
    let touched = names.variables.iter().find(|it| it.range.touches(offset));
    let Some(touched) = touched else { return Ok(None) };
    let owner = names.declaration_of(touched.scope, &touched.name);
    let is_it = |it: &ClassParameter<'_>| {
        it.parameter.name == touched.name && Some(it.class.name_range) == owner
    };
    match class_parameters(file).find(is_it) {
        Some(parameter) => of_parameter(world, path, parameter, touched.range).map(Some),
        None => Ok(None),
    }
}

fn of_parameter(
    world: &Arc<World>,
    path: &str,
    parameter: ClassParameter<'_>,
    range: TextRange,
) -> Result<RenameTarget, String> {
    let class = parameter.class_name();
    refuse_other_declaration(world, path, &class, parameter.class_index)?;
    Ok(RenameTarget {
        range,
        name: parameter.parameter.name.clone(),
        path: vec![Segment::Name(parameter.key().into())],
        kind: TargetKind::Parameter { class },
    })
}

fn of_class(
    world: &Arc<World>,
    path: &str,
    file: &CodeFile,
    class: &Declaration,
) -> Result<RenameTarget, String> {
    let name = class_name(class);
    let index = file.manifest.declarations.iter().position(|it| it == class).unwrap_or_default();
    refuse_other_declaration(world, path, &name, index)?;
    if let Some(environment) = world.environment_of(path) {
        refuse_class_of_module(world, &environment, path, &name)?;
    }
    Ok(RenameTarget { range: class.name_range, name, path: Vec::new(), kind: TargetKind::Class })
}

/// Data is only related to the class that Puppet loads.
fn refuse_other_declaration(
    world: &Arc<World>,
    path: &str,
    class: &str,
    index: usize,
) -> Result<(), String> {
    let environment = world.environment_of(path).ok_or("no environment holds the file")?;
    match world.loaded_class(&environment, class) {
        Some((loaded, _, at)) if *loaded == *path && at == index => Ok(()),
        Some((loaded, ..)) => Err(format!("Puppet loads class `{class}` from {loaded}")),
        None => Err(format!("Puppet does not look for class `{class}` in this file")),
    }
}

/// A key, or the part of it that is touched.
fn of_key(file: &CodeFile, name: &CalledName, offset: u32) -> Option<RenameTarget> {
    let written = file.slice(name.range);
    let quote = u32::from(written.starts_with(['\'', '"']));
    let inner = TextRange::new(name.range.start + quote, name.range.end - quote);
    // The key is written with escapes, so its segments have no place in the source.
    if inner.slice(&file.text) != name.text {
        return None;
    }
    let (placed, _) = key_path::segment_ranges(&name.text);
    let touched = placed.iter().position(|it| it.full_range.shifted(inner.start).touches(offset));
    let number = touched?;
    let path: Vec<_> = placed[..=number].iter().map(|it| it.segment.clone()).collect();
    let Segment::Name(text) = path.last()? else { return None };
    Some(RenameTarget {
        range: placed[number].range.shifted(inner.start),
        name: text.to_string(),
        path: path.clone(),
        kind: TargetKind::Key,
    })
}
