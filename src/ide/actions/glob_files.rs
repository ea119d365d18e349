//! Picks one file of each glob as the place for an entry. The same nodes read all files of a glob, so a list of all of them would
//! repeat one choice, and nothing is overridden between them.

use super::ActionContext;
use crate::data::Files;
use crate::engine::{Location, ResolvedLevel, module_of_key};
use crate::world::paths;

/// The places of levels, with one file instead of all files of a glob: the one at `here`, or else the one that suits the key
/// best. A glob in which another file has the key is left out, and one below `here` without a file that suits the key: it may as well
/// stay where it is.
pub(super) fn with_one_file_of_each_glob<'a>(
    context: &ActionContext<'_>,
    places: &[(&'a ResolvedLevel, &'a Location)],
    key: &str,
    here: Option<&str>,
) -> Vec<(&'a ResolvedLevel, &'a Location)> {
    let same_glob = |one: &(&ResolvedLevel, &Location), other: &(&ResolvedLevel, &Location)| {
        std::ptr::eq(one.0, other.0) && one.1.original == other.1.original && is_of_glob(one.1)
    };
    let mut kept = Vec::new();
    let mut is_below = false;
    for files in places.chunk_by(same_glob) {
        let own = files.iter().find(|(_, it)| here == Some(&*it.file));
        if files.len() == 1 {
            kept.extend(files);
        } else {
            kept.extend(own.or_else(|| best(context, files, key, is_below)));
        }
        is_below |= own.is_some();
    }
    kept
}

/// The file with the name of this one, or else with that of the key's module, or else with the most keys of the module, or else
/// with the most keys unless it `must_suit` the key. `None` if one has the key.
fn best<'p, 'a>(
    context: &ActionContext<'_>,
    files: &'p [(&'a ResolvedLevel, &'a Location)],
    key: &str,
    must_suit: bool,
) -> Option<&'p (&'a ResolvedLevel, &'a Location)> {
    let module = module_of_key(key).unwrap_or(key);
    let prefix = format!("{module}::");
    let own_name = paths::file_name(&context.file.path);
    let mut best = None;
    for place in files {
        let (level, location) = place;
        let data = context.world.data(&location.file, level.built_in_format()?).ok()?;
        if data.get(key).is_some() {
            return None;
        }
        let name = paths::file_name(&location.file);
        let (mut of_module, mut all) = (0, 0);
        data.each_key(|it| {
            of_module += usize::from(it.starts_with(&prefix));
            all += 1;
        });
        let is_of_module = name.split('.').next() == Some(module);
        let rank = (name == own_name, is_of_module, of_module, all);
        if must_suit && rank < (false, false, 1, 0) {
            continue;
        }
        // Of equal files, the first one overrides the others.
        if best.is_none_or(|(known, _)| known < rank) {
            best = Some((rank, place));
        }
    }
    best.map(|(_, place)| place)
}

/// Whether the location is a file that a glob found: its template is then the absolute pattern.
fn is_of_glob(location: &Location) -> bool {
    location.original.starts_with('/') && location.original.contains(['*', '?', '[', '{'])
}
