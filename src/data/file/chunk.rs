//! A chunk of some dozen successive entries. Versions of a file share chunks.

use std::sync::{Arc, OnceLock};

use super::names::{QualifiedName, qualified_names};
use super::whole::{ids, root_key};
use crate::data::scalar;
use crate::data::value::{FileId, Value};
use crate::syntax::tree::Pair;
use crate::syntax::yaml::{self, EntryFlags, YamlError};
use crate::text::TextRange;

/// The maximum number of entries in a chunk. It is a power of two, so that a place fits into a number (see
/// [`super::key_table`]).
pub(super) const ENTRIES_PER_CHUNK: usize = 32;

/// Successive entries. A chunk contains no text and no offset, so the same chunk can be used for the same bytes anywhere.
#[derive(Debug)]
pub(super) struct Chunk {
    /// No other chunk and no entry ever gets this number.
    id: u64,
    heads: Box<[Head]>,
    len: u32,
    flags: EntryFlags,
    trees: OnceLock<Box<[OnceLock<Tree>]>>,
    has_only_string_keys: OnceLock<bool>,
    qualified_names: OnceLock<Box<[QualifiedName]>>,
}

/// The start of an entry, counted from the start of the chunk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub(super) start: u32,
    /// The length of the key if the source contains it literally, otherwise 0.
    pub(super) plain_length: u16,
    pub(super) flags: EntryFlags,
}

/// A parsed entry; ranges count from the entry's first byte.
pub(super) type Tree = Result<Arc<ParsedEntry>, Box<YamlError>>;

/// A parsed entry.
#[derive(Debug)]
pub(super) struct ParsedEntry {
    pub(super) pair: Pair,
    /// No other entry ever gets this number.
    pub(super) id: u64,
}

/// The key of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EntryKey<'a> {
    /// A string that the source contains literally.
    Plain(&'a str),
    /// Any other.
    Value(Value),
}

impl Chunk {
    /// Creates a chunk of `len` bytes from `heads`, whose places count from the start of the chunk.
    pub(super) fn new(heads: Box<[Head]>, len: u32) -> Arc<Self> {
        let flags = heads.iter().fold(EntryFlags::default(), |flags, head| flags.with(head.flags));
        Arc::new(Self {
            id: ids(1),
            heads,
            len,
            flags,
            trees: OnceLock::new(),
            has_only_string_keys: OnceLock::new(),
            qualified_names: OnceLock::new(),
        })
    }

    /// The number of the chunk.
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    pub(super) fn heads(&self) -> &[Head] {
        &self.heads
    }

    /// The flags of all its entries together.
    pub(super) fn flags(&self) -> EntryFlags {
        self.flags
    }

    /// Length in bytes, up to the next chunk.
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// The range of an entry, up to the next one, counted from the start of the chunk.
    pub(super) fn range(&self, index: usize) -> TextRange {
        let end = self.heads.get(index + 1).map_or(self.len, |next| next.start);
        TextRange::new(self.heads[index].start, end)
    }

    /// The entry that contains byte `offset` of the chunk.
    pub(super) fn index_at(&self, offset: u32) -> usize {
        self.heads.partition_point(|head| head.start <= offset).saturating_sub(1)
    }

    /// An entry's tree; `text` is the chunk's.
    pub(super) fn entry(&self, index: usize, text: &str) -> Result<&ParsedEntry, &YamlError> {
        let tree = self.trees()[index].get_or_init(|| {
            let pair = parse_entry(self.range(index).slice(text)).map_err(Box::new)?;
            Ok(Arc::new(ParsedEntry { pair, id: ids(1) }))
        });
        tree.as_ref().map(|entry| &**entry).map_err(|error| &**error)
    }

    /// An entry's tree, if it was parsed.
    pub(super) fn tree_if_parsed(&self, index: usize) -> Option<&Tree> {
        self.trees.get()?[index].get()
    }

    /// Takes the tree of another entry with the same source.
    pub(super) fn adopt(&self, index: usize, tree: &Tree) {
        self.trees()[index].get_or_init(|| tree.clone());
    }

    /// An entry's tree, if it was parsed.
    pub(super) fn entry_if_parsed(&self, index: usize) -> Option<Result<&ParsedEntry, &YamlError>> {
        let tree = self.trees.get()?[index].get()?;
        Some(tree.as_ref().map(|entry| &**entry).map_err(|error| &**error))
    }

    /// Parses all entries at once if none was parsed before. This is much faster than to parse them one by one.
    pub(super) fn parse_all(&self, text: &str) {
        let trees = self.trees();
        if trees.iter().any(|tree| tree.get().is_some()) {
            return;
        }
        let pairs = yaml::parse_entries(text).unwrap_or_default();
        // If one of the entries is broken, libyaml returns none of them, and each entry is parsed when it is needed.
        if pairs.len() == trees.len() {
            let first_id = ids(pairs.len() as u64);
            for ((tree, pair), id) in trees.iter().zip(pairs).zip(first_id..) {
                tree.get_or_init(|| Ok(Arc::new(ParsedEntry { pair, id })));
            }
        }
    }

    fn trees(&self) -> &[OnceLock<Tree>] {
        self.trees.get_or_init(|| self.heads.iter().map(|_| OnceLock::new()).collect())
    }

    /// The key of an entry, if the entry is complete and the key is not an alias; `text` is the chunk's.
    pub(super) fn key<'t>(&self, index: usize, text: &'t str) -> Option<EntryKey<'t>> {
        let head = self.heads[index];
        if head.flags.has(EntryFlags::BROKEN) {
            return None;
        }
        let end = head.start + u32::from(head.plain_length);
        let plain = TextRange::new(head.start, end).slice(text);
        if !plain.is_empty() && scalar::is_string(plain) {
            return Some(EntryKey::Plain(plain));
        }
        // The value of a key has no position, so the number of the file does not matter.
        root_key(FileId(0), &self.entry(index, text).ok()?.pair.key).map(EntryKey::Value)
    }

    /// The strings in the values of entries that could be names with `::`; `text` is the chunk's. Ranges count from the start
    /// of the chunk.
    pub(super) fn qualified_names(&self, text: &str) -> &[QualifiedName] {
        self.qualified_names.get_or_init(|| {
            self.parse_all(text);
            let in_entry = |index: usize| {
                let start = self.heads[index].start;
                let pair = self.entry(index, text).ok().map(|it| &it.pair);
                let names = pair.into_iter().flat_map(|pair| qualified_names(&pair.value));
                names.map(move |(range, name)| (range.shifted(start), name))
            };
            (0..self.heads.len()).flat_map(in_entry).collect()
        })
    }

    /// Whether each key is known, and a string; `text` is the chunk's.
    pub(super) fn has_only_string_keys(&self, text: &str) -> bool {
        let is_string = |index| self.key(index, text).is_some_and(|key| key.as_str().is_some());
        *self.has_only_string_keys.get_or_init(|| (0..self.heads.len()).all(is_string))
    }
}

/// The one entry of a text.
pub(super) fn parse_entry(text: &str) -> Result<Pair, YamlError> {
    let mut pairs = yaml::parse_entries(text)?;
    pairs.pop().filter(|_| pairs.is_empty()).ok_or_else(YamlError::no_key)
}

impl EntryKey<'_> {
    /// The text under which the key is looked up, if it is a string.
    pub(super) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Plain(text) => Some(text),
            Self::Value(value) => value.as_str(),
        }
    }

    pub(super) fn to_value(&self) -> Value {
        match self {
            Self::Plain(text) => Value::string(*text),
            Self::Value(value) => value.clone(),
        }
    }
}
