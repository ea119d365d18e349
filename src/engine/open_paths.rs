//! Locations with open variables during a lookup: which of their files matter, and which one this run assumes.

use std::collections::HashSet;
use std::sync::Arc;

use super::assumptions::{Fork, Turn};
use super::budget::CancelToken;
use super::cases::{LeftOut, Spot};
use super::evaluator::{Evaluator, KeyFinder};
use super::fit_index::FitIndex;
use super::hierarchy::{Location, OpenLocation, ResolvedLevel};
use super::invocation::Invocation;
use super::key::Key;
use super::layer::{Layer, Which};
use super::lookup::LOOKUP_OPTIONS;
use super::open_files::{Candidates, OpenFiles};
use super::open_options::open_options;
use super::path_files::PathFiles;
use super::structure::concerns_all_keys;
use crate::data::{DataFile, Format};
use crate::facts::open_path::OpenPath;

/// If more files than this matter, the location is summed up: the files are counted, and no case lists them.
const MAX_CANDIDATES: usize = 128;

/// Without an index of keys, up to this many files of a path are judged: those that Puppet refuses fail the lookup.
const MAX_JUDGED_FILES: usize = 1_024;

/// The files of a path are read in advance up to this number. They take as much memory as they would after some lookups.
const MAX_PREPARED_FILES: usize = 1_024;

impl Evaluator {
    /// Prepares what lookups of all keys need of open paths: the lists of their files, of which there can be tens of thousands, and
    /// the entries in the files of a path with few. Stops after a path if it is cancelled.
    pub fn prepare_open_paths(&self, cancel: &CancelToken) {
        let environment = self.environment_layer().ok().flatten();
        for layer in self.global_layer().into_iter().chain(environment) {
            let nothing = crate::data::Hash::new();
            let invocation = self.invocation(&nothing, &nothing);
            let levels = layer.levels(&invocation, Which::Hierarchy).as_deref().unwrap_or_default();
            for (level, location) in locations_of(levels) {
                let open = location.open.as_ref().filter(|it| !it.is_obscure && !location.is_uri);
                let Some(open) = open else { continue };
                if cancel.is_cancelled() {
                    return;
                }
                let all = self.prepared().fits(self.files().as_ref(), &open.path);
                if let Some(format) = level.reads.filter(|_| all.len() <= MAX_PREPARED_FILES) {
                    let files: Vec<_> = all.iter().map(|it| (&*it.path, format)).collect();
                    self.files().expect(&files);
                }
            }
        }
    }
}

fn locations_of(
    levels: &[Arc<ResolvedLevel>],
) -> impl Iterator<Item = (&ResolvedLevel, &Location)> {
    levels.iter().flat_map(|level| level.locations.iter().flatten().map(move |it| (&**level, it)))
}

/// The locations that an open one becomes in this run; none if it leads to no file that matters.
pub(super) fn filled(
    layer: &Layer,
    invocation: &mut Invocation<'_>,
    (level, location): (&ResolvedLevel, &Location),
    key: &Key,
) -> Arc<[Location]> {
    let Some(open) = location.open.as_ref().filter(|_| !invocation.skips_open_paths) else {
        return Arc::default();
    };
    if location.is_uri {
        return Arc::default();
    }
    let evaluator = invocation.evaluator;
    // The assumptions of this run may already decide the whole path. Then there is no fork.
    if let Some(text) = assumed_path(invocation, open) {
        return location.filled(evaluator, (layer, level), text);
    }
    if open.is_obscure {
        if layer.may_have(key.root()) {
            invocation.note_left_out_files(location, key.root());
            leave_out(invocation, level, open, 0);
        }
        return Arc::default();
    }
    let candidates = with_a_say(layer, invocation, (level, open), key);
    if candidates.is_empty() {
        return Arc::default();
    }
    match invocation.turn_at(|it| fork(it, (layer, level, open), &candidates, key)) {
        Turn::Taken => {
            let text = assumed_path(invocation, open);
            text.map_or_else(Arc::default, |it| location.filled(evaluator, (layer, level), it))
        }
        Turn::Counted(files) => {
            invocation.note_left_out_files(location, key.root());
            leave_out(invocation, level, open, files);
            Arc::default()
        }
        Turn::Otherwise => Arc::default(),
    }
}

/// The fork at an open location.
fn fork(
    invocation: &mut Invocation<'_>,
    (layer, level, open): (&Layer, &ResolvedLevel, &OpenLocation),
    candidates: &Candidates,
    key: &Key,
) -> Fork {
    let limits = invocation.limits();
    let mut allowed = candidates.allowed(|it| invocation.may_decide(it), |way| limits.allow(way));
    // The other members of a list count beside those that are known.
    if open.is_list {
        let locations = || level.locations.iter().flatten();
        allowed.retain(|path| !locations().any(|it| it.open.is_none() && it.file == *path));
    }
    // More files would only be counted, but take long to read.
    if invocation.may_leave_out_files(key) && allowed.len() <= MAX_CANDIDATES {
        allowed.retain(|path| invocation.needs_file((layer, level), key, path));
    }
    let count = allowed.len();
    let spot = Spot { position: open.position.clone(), is_nested: invocation.is_nested() };
    let exploration = invocation.exploration.as_mut();
    let is_summed_up = exploration.as_ref().is_none_or(|it| it.is_summed_up(&spot));
    // An unknown list can have several of these members at once, but the ways of a fork exclude each other.
    if count > 0 && (open.is_list || is_summed_up || count > MAX_CANDIDATES) {
        return Fork::Counted(allowed.count_files());
    }
    if let Some(exploration) = exploration
        && count > 0
    {
        exploration.note_ways(spot.clone(), count);
    }
    let ways = allowed.ways();
    invocation.foresee(&ways, (layer, level, spot), &allowed, key);
    Fork::Ways(ways)
}

fn leave_out(
    invocation: &mut Invocation<'_>,
    level: &ResolvedLevel,
    open: &OpenLocation,
    files: usize,
) {
    let is_it = |it: &LeftOut| {
        it.level.as_ref() == Some(&level.name)
            && it.files == files
            && it.variables == open.variables
    };
    if !invocation.notes.left_out.iter().any(is_it) {
        let (level, variables) = (Some(Arc::clone(&level.name)), open.variables.clone());
        invocation.leave_out(LeftOut { level, variables, files });
    }
}

/// The path of an open location, if this run assumes something about each of its variables.
fn assumed_path(invocation: &Invocation<'_>, open: &OpenLocation) -> Option<String> {
    let assumptions = &invocation.assumptions;
    // Most runs assume nothing about most paths, and build no text for them.
    let is_assumed = |it: &Arc<str>| assumptions.text_of(it).is_some();
    open.variables.iter().all(is_assumed).then(|| open.path.filled(|it| assumptions.text_of(it)))?
}

/// The ways in which an open path leads to files that change the value of a key.
fn with_a_say(
    layer: &Layer,
    invocation: &Invocation<'_>,
    (level, open): (&ResolvedLevel, &OpenLocation),
    key: &Key,
) -> Arc<Candidates> {
    let evaluator = invocation.evaluator;
    let root = key.root();
    // A function may return any key for any file.
    let Some(format) = level.reads else {
        let all = evaluator.prepared().fits(evaluator.files().as_ref(), &open.path);
        return Arc::new(Candidates::of_all(&open.path, all));
    };
    if !layer.may_have(root) {
        return Arc::default();
    }
    if **root == *LOOKUP_OPTIONS
        && let Some(wanted) = &invocation.collecting.wanted_for
    {
        // With odd ones, all count: what they are merged with decides how the lookup fails.
        let all_count = invocation.collecting.are_odd;
        let options = open_options(layer, invocation, None);
        let wanted = options.filter(|it| all_count || it.speak_of(wanted));
        // Each run asks, and few of the files have options.
        let paths: HashSet<&Arc<str>> = wanted.map(|it| &it.path).collect();
        if paths.is_empty() {
            return Arc::default();
        }
        let all = evaluator.prepared().fits(evaluator.files().as_ref(), &open.path);
        let mut members: Vec<u32> = paths.into_iter().flat_map(|it| all.positions_of(it)).collect();
        members.sort_unstable();
        return Arc::new(Candidates::new(&open.path, all, members.into_iter()));
    }
    let module = layer.module.as_ref();
    let known = open.files(evaluator, module, format);
    known.candidates(root, || having(evaluator, module, (open, known), format, root))
}

/// The ways to the files that have a root key, or that Puppet refuses to read.
fn having(
    evaluator: &Evaluator,
    module: Option<&Arc<str>>,
    (open, known): (&OpenLocation, &OpenFiles),
    format: Format,
    root: &str,
) -> Candidates {
    let files = evaluator.files().as_ref();
    if let Some(finder) = evaluator.key_finder() {
        // For a few keys, a list of all files does not pay off if it is not known yet.
        let is_asked_often = known.is_asked_often();
        let all = match evaluator.prepared().known_fits(&open.path) {
            None if is_asked_often => Some(evaluator.prepared().fits(files, &open.path)),
            known => known,
        };
        let among = || paths_of(evaluator, &open.path);
        if let Some(all) = all
            && let Some(mut members) = finder.members(root, &all)
        {
            let refused = refused_files(evaluator, module, (finder, &among), (&open.path, format));
            members.extend(refused.iter().flat_map(|path| all.positions_of(path)));
            members.sort_unstable();
            members.dedup();
            return Candidates::new(&open.path, all, members.into_iter());
        }
        let mut paths = finder.files_with(root, None, &among);
        paths.extend(refused_files(evaluator, module, (finder, &among), (&open.path, format)));
        paths.sort_unstable();
        paths.dedup();
        let fits = open.path.fits_among(paths.iter());
        return Candidates::of_all(&open.path, Arc::new(PathFiles::new(fits)));
    }
    let all = evaluator.prepared().fits(files, &open.path);
    let asked: Vec<(&str, Format)> = all.iter().map(|it| (&*it.path, format)).collect();
    let is_judged = all.len() <= MAX_JUDGED_FILES;
    if is_judged {
        files.expect(&asked);
    }
    let has_a_say = |at: &u32| match files.data(&all[*at as usize].path, format) {
        Ok(file) => file.get(root).is_some() || is_judged && is_refused(evaluator, module, &file),
        Err(_) => true,
    };
    let members: Vec<u32> = if known.is_asked_often() {
        let index = known.index.get_or_init(|| {
            FitIndex::new(all.iter().map(|fit| match files.data(&fit.path, format) {
                Ok(file) if !(is_judged && is_refused(evaluator, module, &file)) => Some(file),
                _ => None,
            }))
        });
        index.may_have(root).filter(has_a_say).collect()
    } else if is_judged {
        (0..all.len() as u32).filter(has_a_say).collect()
    } else {
        let may_have = files.may_have(&asked, root);
        (0..).zip(may_have).filter_map(|(at, it)| it.then_some(at)).filter(has_a_say).collect()
    };
    Candidates::new(&open.path, all, members.into_iter())
}

/// All files that an open path can lead to.
pub(super) fn paths_of(evaluator: &Evaluator, path: &OpenPath) -> Vec<Arc<str>> {
    let all = evaluator.prepared().fits(evaluator.files().as_ref(), path);
    all.iter().map(|fit| Arc::clone(&fit.path)).collect()
}

/// Whether a lookup fails because of a file, whatever the key is. An evaluator that uses the entries of files with syntax errors
/// does not fail because of these.
pub(super) fn is_refused(
    evaluator: &Evaluator,
    module: Option<&Arc<str>>,
    file: &DataFile,
) -> bool {
    let is_used = evaluator.reads_broken_files() && file.is_broken();
    !is_used && concerns_all_keys(file, module.is_some(), evaluator.version())
}

/// The files among those of a path that fail a lookup, whatever the key is, for an evaluator with an index of keys. The index has
/// no directories, which fail it as well.
pub(super) fn refused_files(
    evaluator: &Evaluator,
    module: Option<&Arc<str>>,
    (finder, among): (&dyn KeyFinder, &dyn Fn() -> Vec<Arc<str>>),
    (path, format): (&OpenPath, Format),
) -> Vec<Arc<str>> {
    let mut paths = finder.odd_files(among);
    let files = evaluator.files().as_ref();
    let is_refused = |path: &Arc<str>| {
        files.data(path, format).map_or(true, |file| is_refused(evaluator, module, &file))
    };
    paths.retain(is_refused);
    paths.extend(evaluator.prepared().directories(files, path).iter().cloned());
    paths
}

/// Whether paths of a layer that do not say where they may lead lead somewhere in this run. The others are left out: their
/// files may have lookup_options for any key.
pub(super) fn obscure_lead_to_files_or_are_left_out(
    layer: &Layer,
    invocation: &mut Invocation<'_>,
) -> bool {
    if invocation.skips_open_paths {
        return false;
    }
    let mut lead_to_files = false;
    let levels = layer.levels(invocation, Which::Hierarchy).as_deref().unwrap_or_default();
    for level in levels.iter().filter(|it| it.reads.is_some()) {
        for location in level.locations.iter().flatten().filter(|it| !it.is_uri) {
            let Some(open) = location.open.as_ref().filter(|it| it.is_obscure) else { continue };
            if assumed_path(invocation, open).is_some() {
                lead_to_files = true;
            } else {
                leave_out(invocation, level, open, 0);
            }
        }
    }
    lead_to_files
}
