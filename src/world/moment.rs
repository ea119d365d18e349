//! What was edited between two moments of a workspace, key by key. Results of the first moment that did not read any of
//! these keys are still valid at the second.

use std::collections::BTreeSet;
use std::sync::{Arc, Weak};

use super::code::may_hold_code;
use super::disk::DiskTable;
use super::file_entry::FileEntry;
use super::nodes::NodesCache;
use super::overlay::Overlay;
use super::roots::RootsCache;
use super::snapshot::Choice;
use super::{World, paths};
use crate::backends::Registry;
use crate::code::roots::is_code;
use crate::config::Environment;
use crate::data::{DataFile, FileId, Files as _, Format, Hash, Value};
use crate::engine::{LOOKUP_OPTIONS, keys_with_other_options};
use crate::settings::Settings;
use crate::syntax::interpolation::{hides_tokens, may_have_tokens};

/// Everything that results depend on at one moment. It is cheap to create, to compare, and to keep: what may be large is
/// known by its identity alone, and is dropped as soon as no snapshot needs it.
#[derive(Clone)]
pub struct Moment {
    revision: u64,
    base: Weak<DiskTable>,
    overlay: Arc<Overlay>,
    settings: Arc<Settings>,
    folders: Arc<[Arc<str>]>,
    choice: Choice,
    assumed: Arc<[(Arc<str>, Arc<str>)]>,
    roots: Weak<RootsCache>,
    nodes: Weak<NodesCache>,
    back_ends: Weak<Registry>,
}

/// What was edited between two moments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyEdits {
    /// The root keys whose entries were edited, added or removed, in any file, and those whose options in `lookup_options`
    /// were.
    pub keys: BTreeSet<Arc<str>>,
    /// The files with these entries. Places in them may have moved.
    pub files: Vec<FileId>,
    /// Whether root keys were added or removed.
    pub has_other_keys: bool,
    /// Whether values may look up other keys than before.
    pub has_other_calls: bool,
}

/// Which hierarchies, settings, fact sets and files there are, and which node and assumptions the user chose. Two are equal
/// if only texts of other files, such as data and code, may have changed between them. It keeps no text.
#[derive(Debug, Clone)]
pub struct Structure {
    /// Nodes depend on all files of the structure, so they are kept exactly as long.
    nodes: Weak<NodesCache>,
    choice: Choice,
    assumed: Arc<[(Arc<str>, Arc<str>)]>,
}

impl PartialEq for Structure {
    fn eq(&self, other: &Self) -> bool {
        self.nodes.ptr_eq(&other.nodes)
            && self.choice == other.choice
            && self.assumed == other.assumed
    }
}

impl Moment {
    /// Counts the changes since the host began.
    pub fn revision(&self) -> u64 {
        self.revision
    }
}

impl World {
    /// This moment.
    pub fn moment(&self) -> Moment {
        Moment {
            revision: self.revision,
            base: Arc::downgrade(&self.texts.base),
            overlay: self.texts.overlay.clone(),
            settings: self.settings.clone(),
            folders: self.folders.clone(),
            choice: self.choice.clone(),
            assumed: self.assumed.clone(),
            roots: Arc::downgrade(&self.roots),
            nodes: Arc::downgrade(&self.nodes),
            back_ends: Arc::downgrade(self.back_ends()),
        }
    }

    /// The structure of this moment.
    pub fn structure(&self) -> Structure {
        Structure {
            nodes: Arc::downgrade(&self.nodes),
            choice: self.choice.clone(),
            assumed: self.assumed.clone(),
        }
    }

    /// What was edited since `earlier`, as far as it affects lookups in `environment`. `None` if more than the values of
    /// entries and the options of keys may have changed: the hierarchy, nodes, settings, or the list of files.
    pub fn edits_since(&self, earlier: &Moment, environment: &Environment) -> Option<KeyEdits> {
        let is_same = is(&self.texts.base, &earlier.base)
            && Arc::ptr_eq(&self.settings, &earlier.settings)
            && Arc::ptr_eq(&self.folders, &earlier.folders)
            && self.choice == earlier.choice
            && Arc::ptr_eq(&self.assumed, &earlier.assumed)
            && is(&self.roots, &earlier.roots)
            && is(&self.nodes, &earlier.nodes)
            && is(self.back_ends(), &earlier.back_ends);
        if !is_same {
            return None;
        }
        let mut edits = KeyEdits::default();
        let open = self.paths_in_editors();
        // A file that was closed meanwhile may have lost unsaved edits, so both moments count.
        let open: BTreeSet<Arc<str>> =
            open.chain(earlier.overlay.iter().map(|open| open.entry.path.clone())).collect();
        for path in &open {
            let before = match earlier.overlay.get(path) {
                Some(open) => open.entry.clone(),
                // The disk is the same.
                None => self.texts.base.file(path).ok()?,
            };
            let now = self.texts.file(path).ok()?;
            if !Arc::ptr_eq(&before, &now) {
                self.add_edits(&before, &now, environment, &mut edits)?;
            }
        }
        // If lookup_options are built from other keys, any edit may change how other keys are merged.
        let is_plain = edits.keys.is_empty() || !self.has_made_options(environment);
        is_plain.then_some(edits)
    }

    /// Whether Puppet code and Ruby code, and the directories that Puppet finds them in, are the same as at `earlier`.
    pub fn has_same_code(&self, earlier: &Moment) -> bool {
        let is_any = |path: &str| is_code(path) || matches!(paths::extension(path), "rb" | "erb");
        let open = |overlay: &Overlay| -> Vec<Arc<FileEntry>> {
            let open = overlay.iter().filter(|open| is_any(&open.entry.path));
            open.map(|open| open.entry.clone()).collect()
        };
        let (one, other) = (open(&self.texts.overlay), open(&earlier.overlay));
        is(&self.texts.base, &earlier.base)
            && is(&self.roots, &earlier.roots)
            && one.len() == other.len()
            && one.iter().zip(&other).all(|(one, other)| Arc::ptr_eq(one, other))
    }

    fn add_edits(
        &self,
        before: &FileEntry,
        now: &FileEntry,
        environment: &Environment,
        edits: &mut KeyEdits,
    ) -> Option<()> {
        let path = &now.path;
        // Code may define functions and defaults that any key depends on.
        if may_hold_code(path, self, self) || before.invalid_utf8_at != now.invalid_utf8_at {
            return None;
        }
        let reach = self.reach(environment);
        // One file may be read by several levels with different back ends.
        let formats: BTreeSet<Format> = reach.places_of(path).map(|place| place.format).collect();
        for format in formats {
            let (before, now) = (before.data(format), now.data(format));
            let found = before.entry_edits(now)?;
            if found.keys.iter().any(|key| **key == *LOOKUP_OPTIONS) {
                edits.keys.extend(self.keys_with_other_options(
                    environment,
                    path,
                    (before, now),
                )?);
            }
            edits.keys.extend(found.keys);
            // What a file that Puppet refuses has is not known.
            let is_known_otherwise = before.is_broken() != now.is_broken();
            edits.has_other_keys |= found.has_other_keys || is_known_otherwise;
            edits.has_other_calls |= found.has_other_calls;
        }
        edits.files.push(now.id);
        Some(())
    }

    /// The keys whose options differ between two versions of a data file. `None` if other keys may be affected.
    pub(super) fn keys_with_other_options(
        &self,
        environment: &Environment,
        path: &str,
        (before, now): (&DataFile, &DataFile),
    ) -> Option<BTreeSet<Arc<str>>> {
        // A module may only have options for its own keys. All lookups fail because of others.
        let reach = self.reach(environment);
        if reach.places_of(path).any(|place| place.module.is_some()) {
            return None;
        }
        let options = |data: &DataFile| {
            let entry = data.get(LOOKUP_OPTIONS);
            entry.map_or_else(|| Value::hash(Hash::new()), |it| it.value.value.clone())
        };
        keys_with_other_options(&options(before), &options(now))
    }

    /// Whether some lookup_options read other keys, so that any edit may change them.
    fn has_made_options(&self, environment: &Environment) -> bool {
        let places = self.key_index(environment).places(LOOKUP_OPTIONS);
        places.into_iter().any(|place| {
            let is_plain = |text: &Arc<str>| {
                let value = place.value.slice(text);
                place.format != Format::Hocon && !may_have_tokens(value) && !hides_tokens(value)
            };
            !self.text(&place.path).is_ok_and(|text| is_plain(&text))
        })
    }
}

/// Whether both are the same object. A weak reference keeps its address from being used again.
fn is<T>(one: &Arc<T>, other: &Weak<T>) -> bool {
    std::ptr::eq(Arc::as_ptr(one), other.as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{Change, Host, MemoryDisk};

    const FILES: [(&str, &str); 5] = [
        ("/r/hiera.yaml", "version: 5\nhierarchy: [{name: c, paths: [a.yaml, b.yaml]}]\n"),
        ("/r/data/a.yaml", "a: 1\nb: 2\nc: 3\n"),
        ("/r/data/b.yaml", "a: 1\nlookup_options: {a: {merge: first}}\n"),
        ("/r/data/unread.yaml", "a: 1\n"),
        ("/r/manifests/site.pp", "class x { }\n"),
    ];

    fn yaml_hash(text: &str) -> Hash {
        let data = DataFile::new(FileId(0), Format::Yaml, format!("k: {text}\n").into());
        let value = data.get("k").map(|it| it.value.value.clone());
        value.as_ref().and_then(Value::as_hash).cloned().expect("a hash")
    }

    fn type_in(host: &mut Host, path: &str, text: &str) {
        let (path, text) = (format!("/r/{path}"), text.to_owned());
        host.apply(Change::OpenBuffer { path, text, version: 1 });
    }

    #[test]
    fn only_texts_of_data_and_code_leave_the_structure_as_it_is() {
        let same_after = |change: Change| {
            let mut host = Host::new(Arc::new(MemoryDisk::new(FILES)));
            host.apply(Change::Folders(vec!["/r".to_owned()]));
            type_in(&mut host, "data/a.yaml", FILES[1].1);
            let before = host.snapshot();
            host.apply(change);
            before.structure() == host.snapshot().structure()
        };
        let open = |path: &str, text: &str| Change::OpenBuffer {
            path: format!("/r/{path}"),
            text: text.to_owned(),
            version: 2,
        };
        assert!(same_after(open("data/a.yaml", "a: 2\nz: 1\n")));
        assert!(same_after(open("manifests/site.pp", "class y { }\n")));
        assert!(!same_after(open("hiera.yaml", "version: 5\nhierarchy: []\n")));
        assert!(!same_after(open("data/new.yaml", "a: 1\n")));
        assert!(!same_after(open(".hiera-ls.yaml", "nodes: {web01: {}}\n")));
        assert!(!same_after(Change::ActiveNode(Some("web01".into()))));
        assert!(!same_after(Change::Assumed([("role".into(), "web".into())].into())));
    }

    /// `expected`: the keys that an edit of a file is about, `+` before them if keys came or went.
    #[track_caller]
    fn check(path: &str, text: &str, expected: Option<&str>) {
        let mut host = Host::new(Arc::new(MemoryDisk::new(FILES)));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        let before = host.snapshot();
        let environment = before.environment_of("/r/data/a.yaml").expect("there is one");
        before.nodes(&environment);
        type_in(&mut host, path, text);
        let after = host.snapshot();
        let shown = |edits: KeyEdits| {
            let keys: Vec<&str> = edits.keys.iter().map(|key| &**key).collect();
            format!("{}{}", if edits.has_other_keys { "+" } else { "" }, keys.join(" "))
        };
        let edits = after.edits_since(&before.moment(), &environment);
        assert_eq!(edits.map(shown).as_deref(), expected);
        let back = before.edits_since(&after.moment(), &environment);
        assert_eq!(back.map(shown).as_deref(), expected, "the other way");
    }

    #[test]
    fn edits_of_values_are_about_their_keys() {
        check("data/a.yaml", "a: 1\nb: 22\nc: 3\n", Some("b"));
        check("data/a.yaml", "a: 1\nb: 2\nc: 3\nd: 4\n", Some("+d"));
        check("data/a.yaml", "a: 1\nb: 2\nc: 3\n", Some(""));
        check("data/unread.yaml", "a: 2\n", Some(""));
    }

    #[test]
    fn edits_of_options_are_about_their_keys() {
        let check = |options: &str, expected: Option<&str>| {
            check("data/b.yaml", &format!("a: 1\nlookup_options: {options}\n"), expected);
        };
        check("{a: {merge: deep}}", Some("a lookup_options"));
        check("{b: {merge: first}}", Some("a b lookup_options"));
        check("{a: {merge: first}, b: {convert_to: Integer}}", Some("b lookup_options"));
        check("{}", Some("a lookup_options"));
        check("{a: {merge: first}, '^b': {merge: deep}}", None);
        check("{a: {merge: first}, b: {convert_to: Sensitive}}", None);
        check("{a: {merge: first}, b: ~}", None);
        check("{a: {merge: first}, 1: {merge: deep}}", None);
        check("{a: {merge: first}, b: {merge: \"%{lookup('c')}\"}}", None);
        check("[]", None);
        let patterns = |options: &str| Value::hash(yaml_hash(options));
        let (one, other) = (patterns("{'^a': {}, '^b': {}}"), patterns("{'^b': {}, '^a': {}}"));
        assert_eq!(keys_with_other_options(&one, &one), Some(BTreeSet::new()));
        assert_eq!(keys_with_other_options(&one, &other), None);
    }

    #[test]
    fn what_else_is_edited_may_change_everything() {
        check("hiera.yaml", "version: 5\nhierarchy: [{name: c, path: b.yaml}]\n", None);
        check("data/b.yaml", "a: 2\nlookup_options: {a: {merge: '%{b}'}}\n", None);
        check("data/new.yaml", "a: 1\n", None);
        check("manifests/site.pp", "class y { }\n", None);
        check("data/a.yaml", "[]\n", None);
    }

    #[test]
    fn code_is_the_same_until_it_is_edited() {
        let mut host = Host::new(Arc::new(MemoryDisk::new(FILES)));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        let moment = host.snapshot().moment();
        type_in(&mut host, "data/a.yaml", "a: 2\n");
        assert!(host.snapshot().has_same_code(&moment));
        type_in(&mut host, "lib/x.rb", "x\n");
        assert!(!host.snapshot().has_same_code(&moment));
        let moment = host.snapshot().moment();
        assert!(host.snapshot().has_same_code(&moment));
        host.apply(Change::DiskChanged(vec!["/r/lib/y.rb".to_owned()]));
        assert!(!host.snapshot().has_same_code(&moment));
    }

    #[test]
    fn a_moment_keeps_no_nodes() {
        let mut host = Host::new(Arc::new(MemoryDisk::new(FILES)));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        let before = host.snapshot();
        let environment = before.environment_of("/r/data/a.yaml").expect("there is one");
        before.nodes(&environment);
        let (moment, nodes) = (before.moment(), Arc::downgrade(&before.nodes));
        drop(before);
        type_in(&mut host, "hiera.yaml", "version: 5\n");
        assert!(nodes.upgrade().is_none());
        assert_eq!(host.snapshot().edits_since(&moment, &environment), None);
    }
}
