//! Which keys an edit can concern at all: where only values changed, these are the keys of edited entries, and those whose
//! texts are made of them. The others need not be looked up.
//!
//! Whatever could reach further (hierarchies, lookup_options, nodes, settings, files that come or go, files that Puppet
//! refuses, functions) makes all keys count.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::difference::FleetPair;
use super::references::RootName;
use crate::backends::settings::BackEndSettings;
use crate::data::{DataFile, Files as _, Format, Value};
use crate::engine::footprint::hash_of;
use crate::engine::structure::concerns_all_keys;
use crate::facts::Node;
use crate::limits::MAX_DATA_FILES;
use crate::syntax::interpolation::{self, Expression, Method};
use crate::syntax::key_path;
use crate::world::{FileEntry, World, parallel, paths};

const LOOKUP_OPTIONS: &str = "lookup_options";

/// By root key, the files with the entries that can give it another answer now: what is not there was the same before.
pub(super) type AffectedKeys = BTreeMap<Arc<str>, BTreeSet<Arc<str>>>;

/// A data file that hierarchies lead to, as it is on both sides.
struct FilePair {
    entry: Arc<FileEntry>,
    format: Format,
    /// What it holds on both sides; `None` if that is the same.
    edited: Option<(Arc<DataFile>, Arc<DataFile>)>,
}

impl FleetPair {
    /// The root keys whose answers can be others now; `None` if that can be any key.
    pub fn affected(&self) -> Option<BTreeSet<Arc<str>>> {
        self.affected_keys().map(|keys| keys.keys().cloned().collect())
    }

    /// The same, with the files that are to blame.
    pub(super) fn affected_keys(&self) -> Option<&AffectedKeys> {
        self.affected
            .get_or_init(|| {
                let affected = self.find_affected();
                if affected.is_some() {
                    // What was before is kept while the user types.
                    self.after().share_structures_with(self.before());
                }
                affected
            })
            .as_ref()
    }

    fn find_affected(&self) -> Option<AffectedKeys> {
        if !self.has_same_surroundings() {
            return None;
        }
        let files = self.files()?;
        let mut affected = AffectedKeys::new();
        for file in &files {
            self.add_edited(file, &mut affected)?;
        }
        if !affected.is_empty() {
            add_those_made_of(self.after().world(), &files, &mut affected)?;
        }
        Some(affected)
    }

    /// Whether nothing changed but data files.
    fn has_same_surroundings(&self) -> bool {
        let (before, after) = (self.before(), self.after());
        let settings = after.world().settings();
        let environment = after.environment();
        let configs = environment.root.iter().chain(environment.modules.values());
        let configs = configs.map(|root| paths::join(root, "hiera.yaml"));
        let mut configs = configs.chain(environment.global_config.iter().map(ToString::to_string));
        let nodes = || -> Vec<(&Arc<Node>, &Arc<Node>)> {
            before.nodes().iter().zip(after.nodes().iter()).collect()
        };
        let have_same_nodes = || {
            Arc::ptr_eq(before.nodes(), after.nodes())
                || parallel::all(&nodes(), |(one, other)| is_same_node(one, other))
        };
        before.environment() == environment
            && before.world().settings() == settings
            && settings.backends == BackEndSettings::default()
            && configs.all(|path| before.world().text(&path) == after.world().text(&path))
            && have_same_nodes()
            && self.any().is_none_or(|(one, other)| is_same_node(one, other))
    }

    /// The data files, if they are the same ones on both sides.
    fn files(&self) -> Option<Vec<FilePair>> {
        let (one, other) = (self.before().world(), self.after().world());
        let files = other.data_files(self.after().environment());
        let before = one.data_files(self.before().environment());
        let is_same = Arc::ptr_eq(&before, &files) || before == files;
        if !is_same || files.len() >= MAX_DATA_FILES {
            return None;
        }
        let pairs = parallel::map(&files[..], |(path, format)| {
            let (before, entry) = (one.file(path).ok()?, other.file(path).ok()?);
            let is_same = Arc::ptr_eq(&before, &entry) || before.text == entry.text;
            let edited =
                (!is_same).then(|| (before.data(*format).clone(), entry.data(*format).clone()));
            Some(FilePair { entry, format: *format, edited })
        });
        pairs.into_iter().collect()
    }

    /// Adds the keys of a file whose entries are others now.
    fn add_edited(&self, file: &FilePair, affected: &mut AffectedKeys) -> Option<()> {
        let Some((before, after)) = &file.edited else { return Some(()) };
        let version = self.after().world().settings().puppet_version;
        if concerns_all_keys(before, true, version) || concerns_all_keys(after, true, version) {
            return None;
        }
        let entries = |data: &DataFile| -> BTreeMap<Arc<str>, u64> {
            let entries = data.entries().filter_map(|entry| match &entry.key {
                Value::String(key) => Some((Arc::clone(key), hash_of(&entry.value.value))),
                _ => None,
            });
            entries.collect()
        };
        let (before, after) = (entries(before), entries(after));
        let edited = before.iter().filter(|(key, value)| after.get(*key) != Some(value));
        let new = after.keys().filter(|key| !before.contains_key(*key));
        for key in edited.map(|(key, _)| key).chain(new) {
            affected.entry(Arc::clone(key)).or_default().insert(Arc::clone(&file.entry.path));
        }
        (!affected.contains_key(LOOKUP_OPTIONS)).then_some(())
    }
}

/// Adds the keys whose texts are made of affected keys, and those made of them in turn.
fn add_those_made_of(world: &World, files: &[FilePair], affected: &mut AffectedKeys) -> Option<()> {
    let is_parsed = |file: &FilePair| {
        file.edited.is_some()
            || file.format == Format::Hocon
            || file.entry.references().is_obscure()
    };
    let is_parsed = parallel::map(files, is_parsed);
    let with = |wanted: bool| {
        let files = files.iter().zip(&is_parsed);
        files.filter(move |(_, is_parsed)| **is_parsed == wanted).map(|(file, _)| file)
    };
    let mut left: Vec<Arc<str>> = affected.keys().cloned().collect();
    while let Some(root) = left.pop() {
        let name = RootName::of(&root);
        let by_text = with(false).flat_map(|file| {
            let calls = file.entry.references().to(&name);
            let keys = calls.filter_map(|at| world.key_at(&file.entry, file.format, at));
            keys.map(move |key| (&file.entry.path, key))
        });
        let by_value = with(true).flat_map(|file| {
            keys_made_of(file, &root).into_iter().map(move |key| (&file.entry.path, key))
        });
        for (path, key) in by_text.chain(by_value) {
            if *key == *LOOKUP_OPTIONS {
                return None;
            }
            if !affected.contains_key(&key) {
                left.push(Arc::clone(&key));
            }
            affected.entry(key).or_default().insert(Arc::clone(path));
        }
    }
    Some(())
}

/// The keys of a file, as it is on either side, whose texts look up a root key.
fn keys_made_of(file: &FilePair, root: &str) -> Vec<Arc<str>> {
    let sides: Vec<Arc<DataFile>> = match &file.edited {
        Some((before, after)) => vec![Arc::clone(before), Arc::clone(after)],
        None => vec![Arc::clone(file.entry.data(file.format))],
    };
    let mut keys = Vec::new();
    for entry in sides.iter().flat_map(|data| data.entries()) {
        if let Value::String(key) = &entry.key
            && entry.has_tokens()
            && looks_up(&entry.value.value, root)
        {
            keys.push(Arc::clone(key));
        }
    }
    keys
}

fn looks_up(value: &Value, root: &str) -> bool {
    match value {
        Value::String(text) => interpolation::tokens(text).into_iter().any(|token| {
            let Expression::Call { method, argument, .. } = &token.expression else { return false };
            let is_lookup = matches!(method, Method::Lookup | Method::Hiera | Method::Alias);
            // What is not a key fails whatever the data are.
            is_lookup
                && key_path::parse(argument)
                    .is_ok_and(|key| key.root_name().is_some_and(|name| **name == *root))
        }),
        Value::Array(items) => items.iter().any(|item| looks_up(&item.value, root)),
        Value::Hash(hash) => hash
            .iter()
            .any(|(key, member)| looks_up(key, root) || looks_up(&member.value.value, root)),
        _ => false,
    }
}

/// Whether lookups get the same from two nodes. Texts of facts may hold lookups, too: of such nodes nothing is known.
fn is_same_node(one: &Node, other: &Node) -> bool {
    let facts = |node: &Node| hash_of(&Value::hash(node.variables().clone()));
    one.origin == other.origin
        && one.known() == other.known()
        && one.patterns() == other.patterns()
        && !one.variables().iter().any(|(_, member)| member.value.value.has_tokens())
        && facts(one) == facts(other)
}
