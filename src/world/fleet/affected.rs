//! Which keys an edit can concern at all. If only values and the options of single keys changed, these are the keys of the edited
//! entries, the keys with other options, and the keys whose strings look them up. The others need no lookup.
//!
//! Any change that could reach further makes all keys count: to hierarchies, patterns in lookup_options, nodes, settings,
//! functions, or to files that Puppet refuses. A data file that comes or goes counts as edited (`same_files.rs`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use super::Fleet;
use super::callers::{Callers, callers_in_edited};
use super::causes::edited_entry;
use super::difference::FleetPair;
use super::origins::Origins;
use super::references::RootNames;
use super::same_files::SideOfComparison;
use super::spread::{Reference, References};
use crate::data::{DataFile, Files as _, Format};
use crate::engine::footprint::hash_of;
use crate::engine::structure::concerns_all_keys;
use crate::engine::{EditedEntries, LOOKUP_OPTIONS};
use crate::facts::Node;
use crate::limits::MAX_DATA_FILES;
use crate::syntax::key_path;
use crate::world::{FileEntry, parallel, paths};

/// By root key, the files whose entries can give it another answer now. A key that is missing has the same answer as before.
pub(super) type FilesOfKeys = BTreeMap<Arc<str>, BTreeSet<Arc<str>>>;

/// By key, the affected keys that its strings look up.
pub(super) type ReferencesOfKeys = BTreeMap<Arc<str>, BTreeSet<Reference>>;

/// The keys that an edit of values concerns. A node that reads none of the edited files gets the same answers as before.
pub(super) struct AffectedKeys {
    files_of: FilesOfKeys,
    /// The files with edited entries.
    pub(super) edited: BTreeSet<Arc<str>>,
    /// The edited entries; `None` if entries came or went, or if lookup_options were edited.
    pub(super) edited_entries: Option<EditedEntries>,
    /// Which edits other answers come from; `None` if lookup_options were edited.
    pub(super) origins: Option<Origins>,
    /// How the edit spreads from key to key.
    pub(super) references: References,
}

impl AffectedKeys {
    /// The root keys that can have another answer.
    pub(super) fn roots(&self) -> impl Iterator<Item = &Arc<str>> {
        self.files_of.keys()
    }

    /// The files whose entries can give a root key another answer. A node that reads none of them gets the same one as before.
    pub(super) fn files_of(&self, root: &str) -> Option<&BTreeSet<Arc<str>>> {
        self.files_of.get(root)
    }
}

/// A data file that hierarchies lead to, with another text than before.
struct EditedFile {
    before: Arc<FileEntry>,
    after: Arc<FileEntry>,
    format: Format,
    /// The root keys that have other values now.
    edited: OnceLock<BTreeSet<Arc<str>>>,
}

impl FleetPair {
    /// The keys that may have other answers now, as lookups name them; `None` if any key may.
    pub fn affected(&self) -> Option<BTreeSet<Arc<str>>> {
        self.affected_keys().map(|keys| keys.files_of.keys().map(key_path::of_root).collect())
    }

    /// The same, with the files that cause it.
    pub(super) fn affected_keys(&self) -> Option<&AffectedKeys> {
        self.affected
            .get_or_init(|| {
                let affected = self.find_affected();
                if let Some(affected) = &affected {
                    // The earlier side stays the same while the user types.
                    self.after().share_structures_with(self.before());
                    if affected.edited_entries.is_some() {
                        self.after().share_root_keys_with(self.before());
                    }
                }
                affected
            })
            .as_ref()
    }

    fn find_affected(&self) -> Option<AffectedKeys> {
        if !self.has_same_surroundings() {
            return None;
        }
        let files = self.edited_files()?;
        let mut affected = FilesOfKeys::new();
        let mut are_options_edited = false;
        for file in &files {
            are_options_edited |= self.add_edited(file, &mut affected)?;
        }
        let edited: BTreeSet<Arc<str>> = affected.values().flatten().cloned().collect();
        let edited_entries = edited_entries(&files);
        let edited_keys = affected.clone();
        let mut references = ReferencesOfKeys::new();
        // Without edited keys, nothing can look them up, so the other files need not be searched.
        if !affected.is_empty() {
            add_those_made_of(self.before(), &files, &mut affected, &mut references)?;
        }
        let formats: BTreeMap<&str, Format> =
            files.iter().map(|it| (&*it.after.path, it.format)).collect();
        let edit_of =
            |path: &str, root: &Arc<str>| edited_entry(self, path, *formats.get(path)?, root);
        let origins =
            (!are_options_edited).then(|| Origins::new(&edited_keys, &references, edit_of));
        let references = References::new(references, &edited_keys.into_keys().collect());
        Some(AffectedKeys { files_of: affected, edited, edited_entries, origins, references })
    }

    /// Whether nothing changed but data files.
    fn has_same_surroundings(&self) -> bool {
        let (before, after) = (self.before(), self.after());
        let settings = after.world().settings();
        let environment = after.environment();
        let nodes = || -> Vec<(&Arc<Node>, &Arc<Node>)> {
            before.nodes().iter().zip(after.nodes().iter()).collect()
        };
        let have_same_nodes = || {
            // Strings of facts may contain lookups, too. Nothing is known about such nodes.
            !before.facts_hold_lookups()
                && (Arc::ptr_eq(before.nodes(), after.nodes())
                    || parallel::all(&nodes(), |(one, other)| one.is_same_as(other)))
        };
        let is_same_any =
            |(one, other): &(Arc<Node>, Arc<Node>)| !one.holds_lookups() && one.is_same_as(other);
        before.environment() == environment
            && before.world().settings() == settings
            // A back end that the settings describe may read any key for its result.
            && !settings.backends.describe_functions()
            && have_same_configs(
                (before.world(), before.environment()),
                (after.world(), environment),
            )
            && self.has_same_functions()
            && have_same_nodes()
            && self.any().is_none_or(is_same_any)
    }

    /// The data files with other texts, if the data files are the same ones on both sides.
    fn edited_files(&self) -> Option<Vec<EditedFile>> {
        let (one, other) = (self.before().world(), self.after().world());
        let files = other.data_files(self.after().environment());
        let before = one.data_files(self.before().environment());
        let is_same = Arc::ptr_eq(&before, &files) || before == files;
        // At the limit, the list may be incomplete, and files outside of it may have been edited.
        if !is_same || files.len() >= MAX_DATA_FILES {
            return None;
        }
        let may_differ = one.files_that_may_differ(other);
        let may_differ =
            |path: &Arc<str>| may_differ.as_ref().is_none_or(|them| them.contains(path));
        let asked: Vec<&(Arc<str>, Format)> =
            files.iter().filter(|(path, _)| may_differ(path)).collect();
        let pairs = parallel::map(&asked, |(path, format)| {
            let (before, after) = (one.file(path).ok()?, other.file(path).ok()?);
            let is_same = Arc::ptr_eq(&before, &after) || before.text == after.text;
            let edited = OnceLock::new();
            Some((!is_same).then_some(EditedFile { before, after, format: *format, edited }))
        });
        let pairs: Option<Vec<_>> = pairs.into_iter().collect();
        Some(pairs?.into_iter().flatten().collect())
    }

    /// Adds the keys of a file whose entries or options changed. Returns whether options did.
    fn add_edited(&self, file: &EditedFile, affected: &mut FilesOfKeys) -> Option<bool> {
        let (before, after) = (file.before.data(file.format), file.after.data(file.format));
        let version = self.after().world().settings().puppet_version;
        // A file that Puppet refuses fails every lookup that reads it, before the edit or after it, unless its readable entries are
        // compared.
        let concerns_all = |data: &DataFile| {
            if data.is_broken() && self.after().readings.reads_broken_files {
                return data.has_other_than_string_keys();
            }
            concerns_all_keys(data, true, version)
        };
        if concerns_all(before) || concerns_all(after) {
            return None;
        }
        let mut keys = file.edited_roots().clone();
        let are_options_edited = keys.remove(LOOKUP_OPTIONS);
        if are_options_edited {
            // They decide how keys are merged and converted.
            let (world, environment) = (self.after().world(), self.after().environment());
            let sides = (&**before, &**after);
            keys.extend(world.keys_with_other_options(environment, &file.after.path, sides)?);
        }
        for key in keys {
            affected.entry(key).or_default().insert(Arc::clone(&file.after.path));
        }
        Some(are_options_edited)
    }
}

/// Whether every `hiera.yaml` of the later side's environment has the same text on both sides.
pub(super) fn have_same_configs(before: SideOfComparison<'_>, after: SideOfComparison<'_>) -> bool {
    let (world, environment) = after;
    let roots = environment.root.iter().chain(environment.modules.values());
    let configs = roots.map(|root| paths::join(root, "hiera.yaml"));
    let mut configs = configs.chain(environment.global_config.iter().map(ToString::to_string));
    configs.all(|path| before.0.text(&path) == world.text(&path))
}

/// The entries with other values, if all of them are there on both sides.
fn edited_entries(files: &[EditedFile]) -> Option<EditedEntries> {
    let mut entries = EditedEntries::default();
    for file in files {
        let (before, after) = (file.before.data(file.format), file.after.data(file.format));
        for key in file.edited_roots() {
            let is_on_both_sides = before.get(key).is_some() && after.get(key).is_some();
            if !is_on_both_sides || **key == *LOOKUP_OPTIONS {
                return None;
            }
            entries.add(file.after.id, Arc::clone(key));
        }
    }
    Some(entries)
}

/// The root keys that have other values in the later of two versions of a file.
pub(super) fn edited_roots(before: &DataFile, after: &DataFile) -> BTreeSet<Arc<str>> {
    let candidates: BTreeSet<Arc<str>> = if let Some(edits) = before.entry_edits(after) {
        edits.keys.into_iter().collect()
    } else {
        let mut keys: Vec<Arc<str>> = Vec::new();
        before.each_key(|key| keys.push(key.into()));
        after.each_key(|key| keys.push(key.into()));
        keys.into_iter().collect()
    };
    let hash = |data: &DataFile, key: &str| data.get(key).map(|it| hash_of(&it.value.value));
    // A moved or reformatted entry is an edit of the text, but lookups still find the same value.
    candidates.into_iter().filter(|key| hash(before, key) != hash(after, key)).collect()
}

/// Adds the keys whose strings look up affected keys, directly or through other keys.
fn add_those_made_of(
    before: &Fleet,
    edited: &[EditedFile],
    affected: &mut FilesOfKeys,
    references: &mut ReferencesOfKeys,
) -> Option<()> {
    let is_edited: BTreeSet<&str> = edited.iter().map(|it| &*it.before.path).collect();
    let mut left: BTreeSet<Arc<str>> = affected.keys().cloned().collect();
    while !left.is_empty() {
        let roots = RootNames::of(std::mem::take(&mut left));
        let unedited = before.callers.of(before, &roots);
        let unedited = unedited.iter().filter(|(path, _)| !is_edited.contains(&**path));
        let here: Vec<(Arc<str>, Callers)> =
            edited.iter().map(|it| (it.before.path.clone(), it.callers(&roots))).collect();
        for (path, callers) in unedited.chain(&here) {
            for (key, found) in callers {
                // Options that are built from an affected key may change for any key.
                if **key == *LOOKUP_OPTIONS {
                    return None;
                }
                if !affected.contains_key(key) {
                    left.insert(Arc::clone(key));
                }
                references.entry(Arc::clone(key)).or_default().extend(found.iter().cloned());
                // Even a key that is known already gets the file: nodes that read only this file may have another answer, too.
                affected.entry(Arc::clone(key)).or_default().insert(Arc::clone(path));
            }
        }
    }
    Some(())
}

impl EditedFile {
    /// The root keys that have other values now.
    fn edited_roots(&self) -> &BTreeSet<Arc<str>> {
        self.edited.get_or_init(|| {
            edited_roots(self.before.data(self.format), self.after.data(self.format))
        })
    }

    /// The keys whose strings look up one of the root keys, on either side. A key may be listed several times.
    fn callers(&self, roots: &RootNames) -> Callers {
        let sides = [&self.before, &self.after].into_iter();
        sides.flat_map(|side| callers_in_edited(side, self.format, roots)).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::FileId;
    use crate::world::fleet::callers::references_in;

    fn entries() -> impl Strategy<Value = Vec<(String, String)>> {
        let value = "[1-3]|\\[|&x 1|\\*x|\"%|'%\\{lookup\\(''[a-d]''\\)\\}'|\\{k: '%\\{alias\\(\"[a-d]\\.k\"\\)\\}'\\}";
        prop::collection::vec(("[a-d]|:a|1|<<", value), 0..7)
    }

    fn text(entries: &[(String, String)]) -> String {
        let lines = entries.iter().map(|(key, value)| format!("{key}: {value}\n"));
        lines.collect::<Vec<_>>().concat()
    }

    fn file(text: &str) -> FileEntry {
        FileEntry::new("/a.yaml".into(), FileId(0), text.into())
    }

    proptest! {
        /// The search that starts at the edit finds the same keys as a search through all values.
        #[test]
        fn edits_and_texts_lead_to_the_same_keys_as_all_values(before in entries(), after in entries()) {
            let saved = Arc::new(file(&text(&before)));
            saved.data(Format::Yaml).verdict();
            let typed = saved.edited(text(&after).into());
            let (one, two) = (saved.data(Format::Yaml), typed.data(Format::Yaml));
            let values = |data: &DataFile| -> BTreeMap<Arc<str>, u64> {
                let entries = data.entries().filter_map(|it| Some((it.key.as_str()?.into(), hash_of(&it.value.value))));
                entries.collect()
            };
            let (values_before, values_after) = (values(one), values(two));
            let keys: BTreeSet<&Arc<str>> = values_before.keys().chain(values_after.keys()).collect();
            let is_edited = |key: &&&Arc<str>| values_before.get(**key) != values_after.get(**key);
            let expected: BTreeSet<Arc<str>> = keys.iter().filter(is_edited).copied().cloned().collect();
            prop_assert_eq!(edited_roots(one, two), expected);

            let (after, before) = (typed.clone(), saved.clone());
            let pair = EditedFile { before, after, format: Format::Yaml, edited: OnceLock::new() };
            for roots in [&["a"][..], &["b"], &["c"], &["d"], &["a", "c", "d"]] {
                let roots = RootNames::of(roots.iter().map(|it| Arc::from(*it)).collect());
                let all = [one, two].into_iter().flat_map(|data| data.entries());
                let expected: BTreeSet<Arc<str>> = all
                    .filter(|it| !references_in(it, &roots).is_empty())
                    .filter_map(|it| it.key.as_str().map(Arc::from))
                    .collect();
                let found = pair.callers(&roots).into_iter().map(|(key, _)| key);
                prop_assert_eq!(found.collect::<BTreeSet<_>>(), expected);
            }
        }

        #[test]
        fn keys_that_are_no_strings_are_noticed(before in entries(), after in entries()) {
            let saved = Arc::new(file(&text(&before)));
            saved.data(Format::Yaml).verdict();
            let typed = saved.edited(text(&after).into());
            for data in [saved.data(Format::Yaml), typed.data(Format::Yaml)] {
                let expected = data.entries().any(|it| it.key.as_str().is_none());
                prop_assert_eq!(data.has_other_than_string_keys(), expected);
            }
        }
    }
}
