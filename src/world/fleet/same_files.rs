//! Data files that come or go. An empty file gives no lookup a value, so for a comparison, the side that lacks a file has an empty
//! one instead. Both sides then lead to the same files, and what the edit changes is the values in some of these.

use std::sync::{Arc, Mutex, PoisonError};

use super::affected::have_same_configs;
use crate::config::Environment;
use crate::config::glob::is_broken_link;
use crate::data::{Files as _, Format, PathKind};
use crate::world::World;

/// If more files than this come or go, each side keeps its own.
const MAX_FILES: usize = 1000;

/// The maximum number of snapshots with added files that are kept: those that were used last.
const MAX_KEPT: usize = 4;

/// What a file contains that has no keys, in each format.
const NOTHING: &str = "{}\n";

/// A snapshot, and the environment that is compared.
pub(super) type SideOfComparison<'a> = (&'a Arc<World>, &'a Arc<Environment>);

/// The snapshots with added files that are kept.
#[derive(Default)]
struct KeptWorlds(Mutex<Vec<KeptWorld>>);

struct KeptWorld {
    of: Arc<World>,
    added: Vec<Arc<str>>,
    world: Arc<World>,
}

/// Both snapshots, each with empty files where only the other one has a data file. They are the given ones if nothing comes or goes, or
/// if more than data files were edited: then any key may have another answer, whatever the files are.
pub fn with_same_files(
    before: SideOfComparison<'_>,
    after: SideOfComparison<'_>,
) -> (Arc<World>, Arc<World>) {
    let unchanged = || (Arc::clone(before.0), Arc::clone(after.0));
    if before.1 != after.1 || !have_same_configs(before, after) {
        return unchanged();
    }
    let (earlier, now) = (before.0.data_files(before.1), after.0.data_files(after.1));
    if Arc::ptr_eq(&earlier, &now) || earlier == now {
        return unchanged();
    }
    let gone = missing_in(after.0, &earlier, &now);
    let new = missing_in(before.0, &now, &earlier);
    if gone.len() + new.len() > MAX_FILES {
        return unchanged();
    }
    (with_empty_files(before.0, new), with_empty_files(after.0, gone))
}

/// Those of `files` that are not among `others`, which are the data files of `world`, and whose paths lead to nothing there. Both
/// lists are sorted.
fn missing_in(
    world: &World,
    files: &[(Arc<str>, Format)],
    others: &[(Arc<str>, Format)],
) -> Vec<Arc<str>> {
    let is_new = |(path, _): &&(Arc<str>, Format)| {
        let known = others.binary_search_by(|(it, _)| it.cmp(path));
        known.is_err() && world.kind(path) == PathKind::Missing && !is_broken_link(world, path)
    };
    files.iter().filter(is_new).map(|(path, _)| Arc::clone(path)).collect()
}

/// The same snapshot for the same files, as long as nothing else changes.
fn with_empty_files(world: &Arc<World>, added: Vec<Arc<str>>) -> Arc<World> {
    if added.is_empty() {
        return Arc::clone(world);
    }
    let kept = world.attached::<KeptWorlds>();
    let is_it = |it: &KeptWorld| it.added == added && it.of.is_same_moment(world);
    {
        let mut known = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = known.iter().position(is_it) {
            let found = known.remove(at);
            let world = Arc::clone(&found.world);
            known.insert(0, found);
            return world;
        }
    }
    let texts: Vec<(Arc<str>, Arc<str>)> =
        added.iter().map(|path| (Arc::clone(path), Arc::from(NOTHING))).collect();
    // A snapshot in storage that it owns itself would never be dropped.
    let made = world.as_if(&texts).detached();
    let mut known = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
    known.insert(0, KeptWorld { of: world.detached(), added, world: Arc::clone(&made) });
    known.truncate(MAX_KEPT);
    made
}
