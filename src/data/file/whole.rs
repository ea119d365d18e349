//! A data file that is parsed and lowered as a whole: JSON, HOCON, and YAML that is not a plain block hash.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use indexmap::IndexMap;

use super::replaced::{ReplacedBytes, with_bytes};
use super::{DuplicateKey, EntryTree, FileError, Format, RootEntry, Verdict};
use crate::data::lower::{LowerError, LowerErrorKind, Lowering, RootHash, lower_json, may_merge};
use crate::data::value::{FileId, Hash, Located, Place, StringKey, Value};
use crate::syntax::tree::{Node, NodeKind, Pair, SyntaxError};
use crate::syntax::yaml::{self, YamlError};
use crate::syntax::{hocon, json};
use crate::text::TextRange;

/// The error as Puppet shows it. It adds the path to errors of the reader, but not to those of Ruby.
fn introduced(message: &str) -> String {
    let is_of_ruby = message.starts_with("undefined method")
        || [hocon::OUT_OF_RANGE, "stack level too deep"].contains(&message);
    if is_of_ruby { message.to_owned() } else { format!("Unable to parse ({{path}}): {message}") }
}

/// The content of such a file.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) verdict: Verdict,
    pub(super) entries: IndexMap<Value, RootEntry, foldhash::fast::RandomState>,
    pub(super) errors: Vec<SyntaxError>,
    /// The keys that environment variables of the server decide; only in HOCON.
    pub(super) open_keys: Vec<hocon::OpenKey>,
    root: Option<Node>,
    file: FileId,
    first_id: u64,
}

impl Default for Whole {
    fn default() -> Self {
        Self {
            verdict: Verdict::Empty,
            entries: IndexMap::default(),
            errors: Vec::new(),
            open_keys: Vec::new(),
            root: None,
            file: FileId(0),
            first_id: 0,
        }
    }
}

impl Whole {
    pub(super) fn of_yaml(file: FileId, text: &str) -> Self {
        let parsed = yaml::parse(text);
        if let Some(error) = parsed.error {
            let range = error.range(text);
            let verdict = Verdict::Broken(yaml_file_error(&error, text, 0));
            let errors = vec![SyntaxError { message: error.message, range }];
            return Self { verdict, errors, file, ..Self::default() };
        }
        let Some(root) = parsed.root else { return Self { file, ..Self::default() } };
        let lowered = match &root.kind {
            // The values of all entries together may exceed the limit for a single value, because lookups read entries one by one.
            NodeKind::Mapping(pairs) if root.tag.is_none() && root.anchor.is_none() => {
                Lowering::new(file, 0).root(pairs).map(RootValue::Hash)
            }
            _ => Lowering::new(file, 0).node(&root).map(RootValue::of),
        };
        let (verdict, hash) = match lowered {
            Ok(RootValue::Hash(hash)) => (Verdict::Hash, hash),
            Ok(RootValue::Nothing) => (Verdict::Empty, Hash::new()),
            Ok(RootValue::Other) => (Verdict::NotAHash { puppet_type: String::new() }, Hash::new()),
            Err(error) => (Verdict::Broken(lower_file_error(error)), lenient(file, &root)),
        };
        Self::of_hash(file, verdict, &hash, root)
    }

    pub(super) fn of_json(file: FileId, text: &str, replaced: &[ReplacedBytes]) -> Self {
        let parsed = json::parse(text);
        let root = (!replaced.is_empty()).then(|| parsed.root.clone()).flatten();
        let whole = Self::of_tree(file, parsed.root, parsed.error);
        let Some(root) = root else { return whole };
        let Value::Hash(hash) = lower_json(file, &root).value else { return whole };
        let hash = with_bytes(&hash, text, replaced);
        Self { errors: whole.errors, ..Self::of_hash(file, whole.verdict, &hash, root) }
    }

    pub(super) fn of_hocon(file: FileId, text: &str) -> Self {
        match hocon::parse_with_open_keys(text) {
            Ok((root, open_keys)) => Self { open_keys, ..Self::of_tree(file, Some(root), None) },
            Err(error) => Self::of_tree(file, None, Some(error)),
        }
    }

    /// In JSON and HOCON, the tree contains everything: they have no tags, and the form of a scalar does not decide its
    /// type.
    fn of_tree(file: FileId, root: Option<Node>, error: Option<SyntaxError>) -> Self {
        let value = root.as_ref().map_or(Value::Undef, |root| lower_json(file, root).value);
        let verdict = match &error {
            Some(error) => Verdict::Broken(FileError {
                message: introduced(&error.message),
                range: error.range,
            }),
            None if value.as_hash().is_some() => Verdict::Hash,
            None => Verdict::NotAHash { puppet_type: json_type(&value).to_owned() },
        };
        let errors = error.into_iter().collect();
        match (value, root) {
            (Value::Hash(hash), Some(root)) => {
                Self { errors, ..Self::of_hash(file, verdict, &hash, root) }
            }
            _ => Self { verdict, errors, file, ..Self::default() },
        }
    }

    fn of_hash(file: FileId, verdict: Verdict, hash: &Hash, root: Node) -> Self {
        let entries = root_entries(file, hash);
        let pairs = pairs_of(&root).len() as u64;
        // Each tree of the file gets a number of its own, so the numbers are taken all at once.
        let (root, first_id) = (Some(root), ids(pairs));
        Self { verdict, entries, root, file, first_id, ..Self::default() }
    }

    pub(super) fn get(&self, key: &str) -> Option<&RootEntry> {
        self.entries.get(&StringKey(key))
    }

    pub(super) fn trees<'a>(&'a self, text: &'a str) -> impl Iterator<Item = EntryTree<'a>> {
        let pairs = self.root.as_ref().map_or(&[][..], pairs_of);
        pairs.iter().zip(self.first_id..).map(move |(pair, id)| EntryTree {
            start: 0,
            text,
            key: &pair.key,
            value: &pair.value,
            id,
        })
    }

    /// The last entry that starts at or before `offset`.
    pub(super) fn entry_at<'a>(&'a self, text: &'a str, offset: u32) -> Option<EntryTree<'a>> {
        self.trees(text).nth(self.up_to(offset).checked_sub(1)?)
    }

    /// The trees of the entries with a root key.
    pub(super) fn trees_called<'a>(&'a self, text: &'a str, key: &str) -> Vec<EntryTree<'a>> {
        let is_it = |tree: &EntryTree<'_>| {
            root_key(self.file, tree.key).is_some_and(|found| found.as_str() == Some(key))
        };
        self.trees(text).filter(is_it).collect()
    }

    /// The root key of the entry at `offset`, if it is a string.
    pub(super) fn key_at(&self, text: &str, offset: u32) -> Option<Arc<str>> {
        root_key(self.file, self.entry_at(text, offset)?.key)?.as_str().map(Arc::from)
    }

    /// The places of the entries before and after the one whose key starts at `start`.
    pub(super) fn beside(&self, text: &str, start: u32) -> (Option<TextRange>, Option<TextRange>) {
        let behind = self.up_to(start);
        let range = |number: usize| self.trees(text).nth(number).map(|tree| tree.range());
        (behind.checked_sub(2).and_then(range), range(behind))
    }

    /// How many entries start at or before `offset`.
    fn up_to(&self, offset: u32) -> usize {
        let pairs = self.root.as_ref().map_or(&[][..], pairs_of);
        // The HOCON library has an order of its own for the keys of an object, which need not be that of the text.
        if pairs.is_sorted_by_key(|pair| pair.key.range.start) {
            return pairs.partition_point(|pair| pair.key.range.start <= offset);
        }
        pairs.iter().take_while(|pair| pair.key.range.start <= offset).count()
    }

    pub(super) fn duplicates(&self, format: Format) -> Vec<DuplicateKey> {
        let pairs = self.root.as_ref().map_or(&[][..], pairs_of);
        // Each `<<` merges on its own.
        let pairs =
            pairs.iter().filter(|it| format != Format::Yaml || !may_merge(&it.key, &it.value));
        duplicates(pairs.filter_map(|pair| Some((root_key(self.file, &pair.key)?, pair.key.range))))
    }
}

/// Groups keys with their ranges, and keeps those that occur more than once.
pub(super) fn duplicates(keys: impl Iterator<Item = (Value, TextRange)>) -> Vec<DuplicateKey> {
    let mut places: IndexMap<Value, Vec<TextRange>, foldhash::fast::RandomState> =
        IndexMap::default();
    for (key, range) in keys {
        places.entry(key).or_default().push(range);
    }
    let repeated = places.into_iter().filter(|(_, ranges)| ranges.len() > 1);
    repeated.map(|(key, ranges)| DuplicateKey { key, ranges }).collect()
}

/// The members of a root hash as entries.
pub(super) fn root_entries(
    file: FileId,
    hash: &Hash,
) -> IndexMap<Value, RootEntry, foldhash::fast::RandomState> {
    let nowhere = Place { file, range: TextRange::default() };
    let entry = |(key, member): (&Value, &crate::data::Member)| {
        let key_place = member.key_place.unwrap_or(nowhere);
        (key.clone(), RootEntry::new(key.clone(), key_place, member.value.clone()))
    };
    hash.iter().map(entry).collect()
}

/// Fresh numbers for `count` trees.
pub(super) fn ids(count: u64) -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(count, Ordering::Relaxed)
}

/// Puppet's message for a YAML error; the root hash starts at byte `root`.
pub(super) fn yaml_file_error(error: &YamlError, text: &str, root: u32) -> FileError {
    let range = error.range(text);
    // Here Ruby itself gives up, so Puppet adds neither the path nor the position.
    if error.is_too_deep {
        return FileError { message: error.message.clone(), range };
    }
    let (line, column) = error.line_and_column(text, root);
    let message =
        format!("Unable to parse ({{path}}): {} at line {line} column {column}", error.message);
    FileError { message, range }
}

/// Puppet's message for a value that Psych refuses to create.
pub(super) fn lower_file_error(error: LowerError) -> FileError {
    let message = match error.kind {
        LowerErrorKind::NamesFile => format!("Unable to parse ({{path}}): {}", error.message),
        LowerErrorKind::NoFile => format!("Unable to parse {}", error.message),
        LowerErrorKind::Bare => error.message,
    };
    FileError { message, range: error.range }
}

/// The name of a JSON root that is not a hash, in Puppet's message.
fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Undef => "Undef",
        Value::Boolean(_) => "Boolean",
        Value::Integer(_) | Value::BigInteger(_) => "Integer",
        Value::Float(_) => "Float",
        Value::Array(items) if items.is_empty() => "Array",
        Value::Array(_) => "Tuple",
        _ => "String",
    }
}

enum RootValue {
    Hash(Hash),
    Nothing,
    Other,
}

impl RootValue {
    fn of(value: Located) -> Self {
        match value.value {
            Value::Hash(hash) => Self::Hash(hash.as_ref().clone()),
            Value::Undef | Value::Boolean(false) => Self::Nothing,
            _ => Self::Other,
        }
    }
}

/// The readable part of a root hash with a value that Psych refuses.
fn lenient(file: FileId, root: &Node) -> Hash {
    let mut lowering = Lowering::new(file, 0);
    let mut hash = RootHash::new(0);
    for pair in pairs_of(root) {
        let _ = lowering.add_to_root(&mut hash, pair);
    }
    hash.finish()
}

/// The value of a root key, if it is not an alias.
pub(super) fn root_key(file: FileId, key: &Node) -> Option<Value> {
    match Lowering::new(file, 0).node(key).ok()?.value {
        Value::Symbol(text) => Some(Value::String(text)),
        value => Some(value),
    }
}

fn pairs_of(root: &Node) -> &[Pair] {
    match &root.kind {
        NodeKind::Mapping(pairs) => pairs,
        _ => &[],
    }
}
