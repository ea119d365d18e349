//! The places of Puppet code that mention a key: calls that look it up by its constant name, the parameter that it sets, values
//! that code gives the parameter, and its variable with the name of the class before it.

use std::sync::Arc;

use crate::config::Environment;
use crate::data::Files as _;
use crate::ide::class_parameter::ClassParameter;
use crate::ide::code::given::given_values;
use crate::ide::code::variables::{names_of, qualified_variables};
use crate::ide::uses::{KeyUse, UseKind};
use crate::syntax::key_path::{self, KeyPath, Segment};
use crate::text::TextRange;
use crate::world::World;

/// All such places in the code of the environment.
pub(crate) fn of_key(world: &World, environment: &Environment, key: &KeyPath) -> Vec<KeyUse> {
    let Some(root) = key.root_name() else { return Vec::new() };
    let index = world.code_index(environment);
    let calls = index.lookups(root).filter_map(|(path, range)| {
        let text = world.text(path).ok()?;
        let range = named_part(&text, range, key)?;
        Some(KeyUse { path: path.clone(), range, kind: UseKind::Manifest })
    });
    let mut found: Vec<_> = calls.collect();
    // A class parameter is a root key. Code does not declare its members.
    let parameter = key.rest.is_empty().then(|| ClassParameter::of_key(world, environment, root));
    if let Some(parameter) = parameter.flatten()
        && let Some((class, name)) = root.rsplit_once("::")
    {
        let given = given_values(world, environment, class, name);
        let given = given.into_iter().filter(|it| !it.is_hash);
        found.extend(given.map(|it| KeyUse {
            path: it.path,
            range: it.range,
            kind: UseKind::Given,
        }));
        found.extend(variables(world, environment, root, (class, name)));
        let range = parameter.name_range();
        found.push(KeyUse { path: parameter.path, range, kind: UseKind::Parameter });
    }
    found
}

/// Where code reads the variable of a class parameter by its qualified name.
fn variables(
    world: &World,
    environment: &Environment,
    qualified: &str,
    parameter: (&str, &str),
) -> Vec<KeyUse> {
    let index = world.code_index(environment);
    let in_file = |path: &Arc<str>| {
        let text = world.text(path).ok()?;
        // A search for the name costs less than parsing all files.
        memchr::memmem::find(text.as_bytes(), qualified.as_bytes())?;
        let names = names_of(world, path)?;
        let found = qualified_variables(&text, &names, &[qualified.to_owned()], parameter);
        let found = found.iter().map(|it| it.range);
        Some(found.map(|range| (path.clone(), range)).collect::<Vec<_>>())
    };
    let found = index.files().iter().filter_map(|(path, _)| in_file(path)).flatten();
    found.map(|(path, range)| KeyUse { path, range, kind: UseKind::Variable }).collect()
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
