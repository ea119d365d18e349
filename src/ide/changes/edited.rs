//! The edited keys of a file, and the nodes for which each of them changes.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::Compared;
use super::words::{CountedNodes, in_other_environment};
use crate::config::Environment;
use crate::data::{DataFile, EntryTree, Files as _, Format};
use crate::engine::footprint::hash_of;
use crate::engine::{CancelToken, LOOKUP_OPTIONS};
use crate::ide::file_role::FileRole;
use crate::limits::MAX_ENVIRONMENTS_OF_FILE;
use crate::syntax::key_path;
use crate::syntax::tree::NodeKind;
use crate::text::{LineIndex, TextRange};
use crate::world::{AnswerChange, Asker, Before, Differences, FleetPair, World};

/// An edited key, and the effect of the edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedKey {
    /// The key.
    pub key: Arc<str>,
    /// Where it is written, in bytes of the file.
    pub range: TextRange,
    /// The key and its value.
    pub entry: TextRange,
    /// `changes 66 of 622 nodes`
    pub title: String,
}

/// An entry of a file that differs from its earlier state.
struct EditedEntry {
    key: Arc<str>,
    key_range: TextRange,
    range: TextRange,
    /// The lines, from 1.
    lines: (u32, u32),
    /// For lookup_options, their lines before the edit: the edit that removes an option is there.
    earlier_lines: Option<(u32, u32)>,
}

/// The edited keys of the file at `path`, each with the nodes that its edit changes. Empty if nothing is edited, if the
/// earlier state is not known, or if the request was cancelled.
pub fn edited_keys(world: &Arc<World>, path: &str, cancel: &CancelToken) -> Vec<EditedKey> {
    find(world, path, cancel).unwrap_or_default()
}

/// Whether the entry of the file at `path` that contains the byte `offset` differs from its earlier state.
pub fn is_edited(world: &Arc<World>, path: &str, offset: u32) -> bool {
    let Some(file) = EditedFile::of(world, path) else { return false };
    let Ok(text) = world.file(path) else { return false };
    let line = text.line_index().line_of(offset) + 1;
    file.entries.iter().any(|it| it.lines.0 <= line && line <= it.lines.1)
}

struct EditedFile {
    environment: Arc<Environment>,
    before: Before,
    earlier: Arc<World>,
    format: Format,
    entries: Vec<EditedEntry>,
}

impl EditedFile {
    /// `None` if no edit could change a value.
    fn of(world: &Arc<World>, path: &str) -> Option<Self> {
        let FileRole::Data { format, .. } = FileRole::of(world, path)? else { return None };
        let environment = world.environment_of(path)?;
        let before = world.usual_before();
        let directory = world.directory_of_revision(&environment);
        let (earlier, _) = world.before(&before, &directory).ok()?;
        let entries = edited_entries(&earlier, world, path, format);
        let is_edited = !entries.is_empty();
        is_edited.then_some(Self { environment, before, earlier, format, entries })
    }
}

fn find(world: &Arc<World>, path: &str, cancel: &CancelToken) -> Option<Vec<EditedKey>> {
    let file = EditedFile::of(world, path)?;
    let own = file.titles(world, &file.environment, path, cancel)?;
    let mut titles = own.clone();
    for other in world.environments_with(path).iter().skip(1).take(MAX_ENVIRONMENTS_OF_FILE) {
        let label = world.environment_label(other);
        let others = file.titles(world, other, path, cancel)?;
        for ((title, own), other) in titles.iter_mut().zip(&own).zip(others) {
            if other != UNKNOWN && (other == *own || !other.starts_with(NOTHING)) {
                title.push_str("; ");
                title.push_str(&in_other_environment(&label, &other, Some(own)));
            }
        }
    }
    let edited = file.entries.iter().zip(titles).map(|(entry, title)| EditedKey {
        key: entry.key.clone(),
        range: entry.key_range,
        entry: entry.range,
        title,
    });
    Some(edited.collect())
}

impl EditedFile {
    /// What the edit of each entry changes in an environment that reads the file.
    fn titles(
        &self,
        world: &Arc<World>,
        environment: &Arc<Environment>,
        path: &str,
        cancel: &CancelToken,
    ) -> Option<Vec<String>> {
        let compared =
            Compared::new(world, environment, &self.before, Asker::Background).ok()??;
        // A slow comparison would hold up all titles, so it runs only when the user wants to see it.
        if !compared.pair.is_quick() {
            return Some(vec![UNKNOWN.to_owned(); self.entries.len()]);
        }
        let differences = compared.differences(None, cancel)?;
        let is_removed = |key: &str| self.has_removed(world, path, key);
        let title = |entry| title(&compared.pair, &differences, (path, &is_removed), entry);
        Some(self.entries.iter().map(title).collect())
    }

    /// Whether the entry of a key was removed from the file.
    fn has_removed(&self, world: &World, path: &str, key: &str) -> bool {
        let Some(root) = key_path::root_of(key) else { return false };
        let has = |world: &World| {
            world.data(path, self.format).is_ok_and(|data| data.get(&root).is_some())
        };
        has(&self.earlier) && !has(world)
    }
}

/// The text above an edited key if counting would take too long while the user types.
const UNKNOWN: &str = "show which nodes change";

/// How the title of an edit begins that changes nothing.
const NOTHING: &str = "changes no answer";

/// `changes 66 of 622 nodes, and 2 cases of unlisted nodes`.
fn title(
    pair: &FleetPair,
    differences: &Differences,
    (path, is_removed): (&str, &dyn Fn(&str) -> bool),
    entry: &EditedEntry,
) -> String {
    let is_in = |lines: (u32, u32), line: u32| lines.0 <= line && line <= lines.1;
    let is_cause = |path_of: &str, line: u32| {
        let was_in = || entry.earlier_lines.is_some_and(|it| is_in(it, line));
        path_of == path && (is_in(entry.lines, line) || was_in())
    };
    let mut concerned: Vec<Cow<'_, AnswerChange>> = Vec::new();
    let mut others: BTreeSet<&Arc<str>> = BTreeSet::new();
    for change in &differences.changes {
        if change.key == entry.key {
            concerned.extend(pair.part_from(change, path).map(Cow::Owned));
        } else if change.causes.iter().any(|it| is_cause(&it.path, it.line))
            // A removed line has the number that it had. If the key was renamed, that is the line of the new name.
            && !is_removed(&change.key)
        {
            concerned.push(Cow::Borrowed(change));
            others.insert(&change.key);
        }
    }
    let all = differences.nodes.len();
    let proof =
        if differences.not_proved.is_empty() { "" } else { ", as far as hiera-ls can tell" };
    let keys = match others.len() {
        0 => String::new(),
        count if *entry.key == *LOOKUP_OPTIONS => format!(", in {}", super::counted(count, "key")),
        count => format!(", also through {}", super::counted(count, "other key")),
    };
    let concerned = || concerned.iter().map(AsRef::as_ref);
    let nodes = CountedNodes::of(concerned());
    match (nodes.first(), differences.others_counted(concerned())) {
        (0, None) => format!("{NOTHING}{proof}"),
        (0, Some((others, _))) => format!("changes {others}{keys}"),
        (count, others) => {
            let others = others.map_or_else(String::new, |(others, _)| format!(", and {others}"));
            let (all, cases) = (super::counted(all, "node"), nodes.in_cases());
            format!("changes {count} of {all}{cases}{others}{keys}")
        }
    }
}

/// The entries of a file that are new or changed.
fn edited_entries(before: &World, after: &World, path: &str, format: Format) -> Vec<EditedEntry> {
    let Ok(file) = after.file(path) else { return Vec::new() };
    let earlier = before.file(path).ok();
    let earlier_lines = earlier.as_ref().map(|it| it.line_index().clone());
    if earlier.as_ref().is_some_and(|it| it.text == file.text) {
        return Vec::new();
    }
    let now = file.data(format);
    let earlier = earlier.and_then(|_| before.data(path, format).ok());
    let hash = |data: &DataFile, key: &str| data.get(key).map(|it| hash_of(&it.value.value));
    let lines = file.line_index();
    let edits = earlier.as_ref().and_then(|earlier| earlier.entry_edits(now));
    let mut trees: Vec<EntryTree<'_>> = match &edits {
        Some(edits) => edits.keys.iter().flat_map(|key| now.trees_called(key)).collect(),
        None => now.trees().collect(),
    };
    trees.sort_by_key(|tree| tree.range().start);
    let edited = trees.into_iter().filter_map(|tree| {
        let NodeKind::Scalar { text, .. } = &tree.key.kind else { return None };
        let before = earlier.as_ref().and_then(|earlier| hash(earlier, text));
        if hash(now, text) == before {
            return None;
        }
        let (key_range, range) = ranges_of(&tree);
        let earlier = earlier.as_ref().filter(|_| **text == *LOOKUP_OPTIONS);
        let earlier_lines = earlier.and_then(|earlier| {
            let tree = earlier.trees_called(text).into_iter().next()?;
            Some(lines_of(earlier_lines.as_ref()?, ranges_of(&tree).1))
        });
        let key = key_path::of_root(text);
        Some(EditedEntry { key, key_range, range, lines: lines_of(lines, range), earlier_lines })
    });
    edited.collect()
}

/// The key of an entry, and the key with its value, in bytes of the file.
fn ranges_of(tree: &EntryTree<'_>) -> (TextRange, TextRange) {
    let key = tree.key.range.shifted(tree.start);
    let end = tree.value.range.shifted(tree.start).end.max(key.end);
    (key, TextRange::new(key.start, end))
}

/// The first and the last line of a range, from 1.
fn lines_of(lines: &LineIndex, range: TextRange) -> (u32, u32) {
    (lines.line_of(range.start) + 1, lines.line_of(range.end.saturating_sub(1)) + 1)
}
