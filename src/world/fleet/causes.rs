//! Finds the edit that changes a node's answer: an edit of an entry that the node reads, lookup_options, a file that
//! breaks, a hierarchy, environment.conf, the node's facts, or the settings.

use std::sync::Arc;

use super::Fleet;
use super::difference::FleetPair;
use crate::data::{DataFile, Files as _, Format, Located, Place, Value};
use crate::engine::footprint::hash_of;
use crate::engine::{Answer, Footprint, LOOKUP_OPTIONS, Request};
use crate::facts::{Node, Origin};
use crate::settings::PROJECT_FILE;
use crate::syntax::key_path;
use crate::world::World;
use crate::world::modulepath::conf_of;
use crate::world::paths;

/// The maximum number of edits that are named for one change.
const MAX_CAUSES: usize = 8;

/// A line that was edited.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cause {
    /// The file.
    pub path: Arc<str>,
    /// The number of the line, from 1, in the present text; in the earlier text, if the line was removed.
    pub line: u32,
}

/// The edits that change the answer of a key for a node.
pub(super) fn causes(pair: &FleetPair, node: u32, request: &Request) -> Vec<Cause> {
    if let Some(only) = pair.only_edit_of(request) {
        return vec![only.clone()];
    }
    let request = Request { wants_footprint: true, ..request.clone() };
    let before = pair.before().answer_of(node, &request);
    let after = pair.after().answer_of(node, &request);
    let finder = Finder { before: pair.before(), after: pair.after() };
    let node = node as usize;
    finder.find((&before, &after), (&pair.before().nodes()[node], &pair.after().nodes()[node]))
}

/// The same for any node.
pub(super) fn of_any(
    pair: &FleetPair,
    (before, after): (&Arc<Node>, &Arc<Node>),
    request: &Request,
) -> Vec<Cause> {
    if let Some(only) = pair.only_edit_of(request) {
        return vec![only.clone()];
    }
    let request = Request { wants_footprint: true, ..request.clone() };
    let answers = (
        &pair.before().new_evaluator_of(before).call(&request),
        &pair.after().new_evaluator_of(after).call(&request),
    );
    let finder = Finder { before: pair.before(), after: pair.after() };
    finder.find(answers, (before, after))
}

/// The edit of the entry of a root key; `None` if its value is the same.
pub(super) fn edited_entry(
    pair: &FleetPair,
    path: &str,
    format: Format,
    root: &str,
) -> Option<Cause> {
    Finder { before: pair.before(), after: pair.after() }.edited_entry(path, format, root)
}

impl FleetPair {
    /// The only edit that can change the answer to a request.
    fn only_edit_of(&self, request: &Request) -> Option<&Cause> {
        let [key] = request.names.as_slice() else { return None };
        self.affected_keys()?.origins.as_ref()?.only_edit_of(&key_path::root_of(key)?)
    }
}

struct Finder<'a> {
    before: &'a Fleet,
    after: &'a Fleet,
}

impl Finder<'_> {
    fn find(&self, answers: (&Answer, &Answer), nodes: (&Node, &Node)) -> Vec<Cause> {
        let nothing = Footprint::default();
        let before = answers.0.footprint.as_ref().unwrap_or(&nothing);
        let after = answers.1.footprint.as_ref().unwrap_or(&nothing);
        let mut causes: Vec<Cause> = Vec::new();
        for read in after.entries().chain(before.entries()) {
            // Both snapshots use the same numbers for files.
            let path = self.after.world().path(read.file);
            causes.extend(self.edited_entry(&path, read.format, read.root));
        }
        // An edited entry explains the change best. Options and the rest count only if no entry does.
        if causes.is_empty() {
            causes.extend(self.edited_options(before, after));
        }
        if causes.is_empty() {
            causes.extend(self.edited_files_that_fail(answers));
        }
        if causes.is_empty() {
            causes.extend(self.edited_configs());
            causes.extend(self.edited_facts(nodes));
            causes.extend(self.edited_settings());
        }
        causes.sort();
        causes.dedup();
        causes.truncate(MAX_CAUSES);
        causes
    }

    /// The place of an entry that was edited, removed or added.
    fn edited_entry(&self, path: &str, format: Format, root: &str) -> Option<Cause> {
        let entry = |world: &World| -> Option<(Located, Place)> {
            let data: Arc<DataFile> = world.data(path, format).ok()?;
            let entry = data.get(root)?;
            Some((entry.value.clone(), entry.key_place))
        };
        match (entry(self.before.world()), entry(self.after.world())) {
            (Some((before, _)), Some((after, place))) => {
                if hash_of(&before.value) == hash_of(&after.value) {
                    return None;
                }
                let place = first_difference(&before, &after).unwrap_or(place);
                cause(self.after.world(), place)
            }
            (None, Some((_, place))) => cause(self.after.world(), place),
            (Some((_, place)), None) => cause(self.before.world(), place),
            (None, None) => None,
        }
    }

    /// The places at which the lookup_options of a key differ.
    fn edited_options(&self, before: &Footprint, after: &Footprint) -> Vec<Cause> {
        let mut causes = Vec::new();
        for (root, now) in after.options() {
            let earlier = before.options().find(|(other, _)| *other == root);
            let earlier = earlier.and_then(|(_, options)| options);
            match (earlier, now) {
                (Some(one), Some(other))
                    if one.entry == other.entry
                        && hash_of(&one.options.value) == hash_of(&other.options.value) => {}
                (_, Some(now)) => {
                    let place = now.key_place;
                    causes.extend(place.and_then(|it| cause(self.after.world(), it)));
                }
                (Some(earlier), None) => {
                    // The options are only in the earlier text, so the place must be looked up there.
                    let place = earlier.key_place;
                    causes.extend(place.and_then(|it| cause(self.before.world(), it)));
                }
                (None, None) => {}
            }
        }
        // An edit elsewhere can make a node read other options.
        causes.retain(|it| self.has_edited_options(&it.path));
        causes
    }

    /// Whether the lookup_options of a file were edited, or the file is read in another format now.
    fn has_edited_options(&self, path: &str) -> bool {
        let formats = [self.before, self.after]
            .map(|fleet| fleet.world().reach(fleet.environment()).format_of(path));
        match formats {
            [Some(one), Some(other)] if one == other => {
                self.edited_entry(path, one, LOOKUP_OPTIONS).is_some()
            }
            _ => self.edited_file(path).is_some(),
        }
    }

    /// Where an answer fails, if that file was edited.
    fn edited_files_that_fail(&self, answers: (&Answer, &Answer)) -> Vec<Cause> {
        let failing = |answer: &Answer, world: &World| {
            let place = answer.outcome.as_ref().err()?.place?;
            cause(world, place).filter(|it| self.edited_file(&it.path).is_some())
        };
        // A file that was mended fails only in the earlier text.
        let now = failing(answers.1, self.after.world());
        now.or_else(|| failing(answers.0, self.before.world())).into_iter().collect()
    }

    /// The first lines of hiera.yaml and environment.conf files that were edited.
    fn edited_configs(&self) -> Vec<Cause> {
        let mut configs: Vec<String> = Vec::new();
        for environment in [self.before.environment(), self.after.environment()] {
            let root = environment.root.iter();
            configs.extend(environment.global_config.iter().map(ToString::to_string));
            configs.extend(root.clone().map(|it| conf_of(it)));
            let roots = root.chain(environment.modules.values());
            configs.extend(roots.map(|it| paths::join(it, "hiera.yaml")));
        }
        configs.sort_unstable();
        configs.dedup();
        configs.iter().filter_map(|path| self.edited_file(path)).collect()
    }

    fn edited_facts(&self, nodes: (&Node, &Node)) -> Vec<Cause> {
        let mut found = Vec::new();
        for node in [nodes.0, nodes.1] {
            if let Origin::File(path) = &node.origin {
                found.extend(self.edited_file(path));
            }
        }
        found
    }

    fn edited_settings(&self) -> Option<Cause> {
        let directory = self.after.world().settings().directory.clone();
        let directory = directory.or_else(|| self.before.world().settings().directory.clone())?;
        self.edited_file(&paths::join(&directory, PROJECT_FILE))
    }

    /// The first line of a file that differs.
    fn edited_file(&self, path: &str) -> Option<Cause> {
        let text = |world: &World| world.text(path).ok();
        let (before, after) = (text(self.before.world()), text(self.after.world()));
        if before == after {
            return None;
        }
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        let same = before.lines().zip(after.lines()).take_while(|(one, other)| one == other);
        // If only lines at the end were removed, the first line that differs is after the last line of the present text.
        let last = after.lines().count().max(1);
        Some(Cause { path: path.into(), line: (same.count() + 1).min(last) as u32 })
    }
}

fn cause(world: &World, place: Place) -> Option<Cause> {
    let path = world.path(place.file);
    let file = world.file(&path).ok()?;
    Some(Cause { line: file.line_index().line_of(place.range.start) + 1, path })
}

/// The place of the first difference in the later of two values.
fn first_difference(before: &Located, after: &Located) -> Option<Place> {
    match (&before.value, &after.value) {
        (Value::Hash(one), Value::Hash(other)) => {
            let changed = other.iter().find_map(|(key, member)| {
                let Some(earlier) = one.get_value(key) else { return Some(member.key_place) };
                if hash_of(&earlier.value.value) == hash_of(&member.value.value) {
                    return None;
                }
                let inner = first_difference(&earlier.value, &member.value);
                Some(inner.or(member.key_place))
            });
            changed.flatten()
        }
        (Value::Array(one), Value::Array(other)) => {
            let same = one.iter().zip(other.iter());
            let same = same.take_while(|(a, b)| hash_of(&a.value) == hash_of(&b.value)).count();
            let (item, earlier) = (other.get(same)?, one.get(same));
            earlier.and_then(|earlier| first_difference(earlier, item)).or(item.place)
        }
        _ => after.place,
    }
}
