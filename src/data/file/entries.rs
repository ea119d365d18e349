//! A YAML file that is read entry by entry. Each entry is parsed and lowered on demand, and kept when other entries are
//! edited.

mod edit;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;

use super::anchors::Anchors;
use super::chunk::{Chunk, ENTRIES_PER_CHUNK, EntryKey, Head, parse_entry};
use super::key_table::{KeyTable, Spot, hash_of, hash_of_str};
use super::names::QualifiedName;
use super::readable_options::{LOOKUP_OPTIONS, readable_options};
use super::rescan::{Broken, Scanned, scan};
use super::whole::{lower_file_error, root_entries, yaml_file_error};
use super::{DuplicateKey, EntryTree, RootEntry, RootKey, Section, SectionSource, Verdict};
use crate::data::lower::{LowerError, Lowering, RootHash, may_merge};
use crate::data::value::{FileId, StringKey, Value};
use crate::syntax::entries::{has_usual_lines, next_entry, value_range};
use crate::syntax::plain_yaml::plain_entries;
use crate::syntax::tree::{Pair, SyntaxError};
use crate::syntax::yaml::{self, EntryFlags, YamlError};
use crate::text::TextRange;

/// The entries of one version of a file, without the text. Methods that need the text get it as an argument.
#[derive(Debug)]
pub(super) struct Entries {
    file: FileId,
    chunks: Vec<Placed>,
    broken: Vec<Broken>,
    /// Whether there may be more broken entries than those in `broken`.
    gave_up: bool,
    /// [`has_usual_lines`]
    has_usual_lines: bool,
    /// The flags of all entries together.
    flags: EntryFlags,
    next_chunk: u32,
    keys: OnceLock<Keys>,
    anchors: OnceLock<Anchors>,
    verdict: OnceLock<Verdict>,
    /// Boxed, because the entries of most files are not entangled.
    merged: OnceLock<Box<RootMap>>,
    /// What can be read of a broken `lookup_options`.
    options: OnceLock<Option<Box<RootEntry>>>,
}

type RootMap = IndexMap<Value, RootEntry, foldhash::fast::RandomState>;

/// A chunk at its place in this version.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    base: u32,
    number: u32,
    chunk: Arc<Chunk>,
    /// The values of the chunk. They contain places in this version, so a chunk that moves gets new values.
    lowered: Arc<Lowered>,
}

/// The values of a chunk's entries.
#[derive(Debug, Default)]
struct Lowered {
    /// Boxed, because most entries of most files are never looked up.
    values: OnceLock<Box<[OnceLock<Box<LoweredEntry>>]>>,
    /// A bit for each entry that was read without keeping its value, and a bit for each that was read so once more.
    were_read: [AtomicU64; 2],
}

type LoweredEntry = Result<RootEntry, Box<LowerError>>;

/// Each entry of a chunk has a bit in each number of `Lowered::were_read`.
const _: () = assert!(ENTRIES_PER_CHUNK <= u64::BITS as usize);

/// The index of keys.
#[derive(Debug, Clone)]
struct Keys {
    table: KeyTable,
    /// The position of each chunk in the list of this version; [`GONE`] if the chunk no longer exists.
    places: Vec<u32>,
    /// Spots whose key was already in the index when they were added, and a spot that has the same key.
    repeated: Vec<Spot>,
    /// The same spots by the hash of their key. They are not in the table, because equal keys would all collide there.
    later: HashMap<u64, Vec<Spot>, foldhash::fast::RandomState>,
    /// The last spot under each hash of `later`. A key can be repeated very often, and every one of its entries needs the
    /// last spot.
    lasts: OnceLock<HashMap<u64, Spot, foldhash::fast::RandomState>>,
}

impl Keys {
    /// The spots that may be under a hash, some of other keys among them.
    fn candidates(&self, hash: u64) -> impl Iterator<Item = Spot> {
        self.table.candidates(hash).chain(self.later.get(&hash).into_iter().flatten().copied())
    }
}

const GONE: u32 = u32::MAX;

impl Entries {
    /// The entries of a text; `None` if it is not a plain block hash.
    pub(super) fn of_yaml(file: FileId, text: &str) -> Option<Self> {
        let plain = plain_entries(text);
        // A text with nothing but plain YAML has usual lines.
        let has_usual_lines = plain.is_some() || has_usual_lines(text);
        debug_assert_eq!(has_usual_lines, self::has_usual_lines(text));
        let Scanned { heads, broken, gave_up, .. } = match plain {
            Some(entries) => Scanned::of_plain(&entries),
            None => scan(text, None, &|_| false)?,
        };
        let mut next_chunk = 0;
        let chunks = placed_chunks(&heads, text.len() as u32, &mut next_chunk);
        let is_empty = chunks.is_empty();
        let entries = Self::new(file, chunks, broken, next_chunk);
        (!is_empty).then(|| Self { gave_up, has_usual_lines, ..entries })
    }

    fn new(file: FileId, chunks: Vec<Placed>, broken: Vec<Broken>, next_chunk: u32) -> Self {
        let flags = chunks.iter().map(|placed| placed.chunk.flags());
        Self {
            file,
            flags: flags.fold(EntryFlags::default(), EntryFlags::with),
            chunks,
            broken,
            gave_up: false,
            has_usual_lines: true,
            next_chunk,
            keys: OnceLock::new(),
            anchors: OnceLock::new(),
            verdict: OnceLock::new(),
            merged: OnceLock::new(),
            options: OnceLock::new(),
        }
    }

    pub(super) fn verdict(&self, text: &str) -> &Verdict {
        self.verdict.get_or_init(|| self.judge(text))
    }

    pub(super) fn get<'a>(&'a self, text: &str, key: &str) -> Option<&'a RootEntry> {
        if self.flags.has(EntryFlags::ENTANGLED) {
            return self.merged(text).get(&StringKey(key));
        }
        let value =
            |(placed, index): (&'a Placed, usize)| self.lowered(text, placed, index).as_ref().ok();
        let keys = self.keys(text);
        let hash = hash_of_str(key);
        if !keys.later.contains_key(&hash) {
            let found = self.called_once(text, keys, hash, key).and_then(value);
            return found.or_else(|| self.readable_options(text, key));
        }
        // If the last entry with the key is broken, the last readable one with this key counts.
        self.last_called(keys, hash)
            .filter(|(placed, index)| placed.is_called(*index, text, key))
            .and_then(value)
            .or_else(|| self.called(text, key).into_iter().rev().find_map(value))
    }

    /// [`Self::get`], but a value is not kept before it is read for the third time.
    pub(super) fn read<'a>(&'a self, text: &str, key: &str) -> Option<Cow<'a, RootEntry>> {
        let keys = self.keys(text);
        let hash = hash_of_str(key);
        if self.flags.has(EntryFlags::ENTANGLED) || keys.later.contains_key(&hash) {
            return self.get(text, key).map(Cow::Borrowed);
        }
        let Some((placed, index)) = self.called_once(text, keys, hash, key) else {
            return self.readable_options(text, key).map(Cow::Borrowed);
        };
        if placed.is_rarely_read(index) {
            return self.lower(text, placed, index).ok().map(Cow::Owned);
        }
        self.lowered(text, placed, index).as_ref().ok().map(Cow::Borrowed)
    }

    /// What can be read of a broken entry, if `key` is `lookup_options`.
    fn readable_options(&self, text: &str, key: &str) -> Option<&RootEntry> {
        if key != LOOKUP_OPTIONS {
            return None;
        }
        let find = || {
            let broken = self.broken.iter().map(|it| it.start as usize);
            let (start, pair) = broken.into_iter().find_map(|start| {
                let end = next_entry(text, start + 1).unwrap_or(text.len());
                Some((start as u32, readable_options(&text[start..end])?))
            })?;
            lower_pair(&pair, Lowering::new(self.file, start)).ok().map(Box::new)
        };
        self.options.get_or_init(find).as_deref()
    }

    /// The only entry with a root key, by the hash of the key.
    fn called_once(
        &self,
        text: &str,
        keys: &Keys,
        hash: u64,
        key: &str,
    ) -> Option<(&Placed, usize)> {
        let place = |spot: Spot| Some((self.placed(keys, spot)?, spot.index()));
        let is_it = |(placed, index): &(&Placed, usize)| placed.is_called(*index, text, key);
        keys.table.candidates(hash).filter_map(place).find(is_it)
    }

    /// The trees of the entries with a root key, in the order of the text.
    pub(super) fn trees_called<'a>(&'a self, text: &'a str, key: &str) -> Vec<EntryTree<'a>> {
        let found = self.called(text, key).into_iter();
        found.filter_map(|(placed, index)| placed.tree(text, index)).collect()
    }

    /// The last entry of those under the hash of a repeated key.
    fn last_called(&self, keys: &Keys, hash: u64) -> Option<(&Placed, usize)> {
        // An entry that moved keeps its spot, so the greatest start is the last entry, not the greatest spot.
        let last_of = |hash| keys.candidates(hash).max_by_key(|spot| self.start(keys, *spot));
        let find_lasts =
            || keys.later.keys().filter_map(|hash| Some((*hash, last_of(*hash)?))).collect();
        let last = *keys.lasts.get_or_init(find_lasts).get(&hash)?;
        Some((self.placed(keys, last)?, last.index()))
    }

    /// The entries with a root key, in the order of the text.
    fn called(&self, text: &str, key: &str) -> Vec<(&Placed, usize)> {
        let keys = self.keys(text);
        let is_it = |spot: &Spot| {
            let placed = self.placed(keys, *spot);
            placed.is_some_and(|placed| placed.is_called(spot.index(), text, key))
        };
        let mut spots: Vec<Spot> = keys.candidates(hash_of_str(key)).filter(is_it).collect();
        spots.sort_unstable_by_key(|spot| self.start(keys, *spot));
        let place = |spot: Spot| Some((self.placed(keys, spot)?, spot.index()));
        spots.into_iter().filter_map(place).collect()
    }

    /// Whether all root keys are strings; `false` if that cannot be found quickly.
    pub(super) fn has_only_string_keys(&self, text: &str) -> bool {
        let is_plain = |placed: &Placed| placed.chunk.has_only_string_keys(placed.text(text));
        !self.is_entangled() && self.chunks.iter().all(is_plain)
    }

    pub(super) fn entries<'a>(
        &'a self,
        text: &'a str,
    ) -> Box<dyn Iterator<Item = &'a RootEntry> + 'a> {
        if self.flags.has(EntryFlags::ENTANGLED) {
            return Box::new(self.merged(text).values());
        }
        let all = self
            .parsed_spots(text)
            .filter_map(move |(placed, index)| self.lowered(text, placed, index).as_ref().ok());
        if self.keys(text).repeated.is_empty() {
            return Box::new(all);
        }
        let mut last: IndexMap<&Value, &RootEntry, foldhash::fast::RandomState> =
            IndexMap::default();
        for entry in all {
            last.insert(&entry.key, entry);
        }
        Box::new(last.into_values())
    }

    pub(super) fn each_key(&self, text: &str, each: &mut dyn FnMut(&str)) {
        if self.flags.has(EntryFlags::ENTANGLED) {
            return self.merged(text).keys().filter_map(Value::as_str).for_each(each);
        }
        for (placed, index) in self.spots() {
            if let Some(key) = placed.chunk.key(index, placed.text(text))
                && let Some(key) = key.as_str()
            {
                each(key);
            }
        }
        if !self.broken.is_empty() && self.readable_options(text, LOOKUP_OPTIONS).is_some() {
            each(LOOKUP_OPTIONS);
        }
    }

    pub(super) fn trees<'a>(&'a self, text: &'a str) -> impl Iterator<Item = EntryTree<'a>> {
        self.chunks.iter().flat_map(move |placed| placed.trees(text))
    }

    pub(super) fn sections<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Section<'a>> {
        self.chunks.iter().map(move |placed| Section {
            id: placed.chunk.id(),
            range: TextRange::new(placed.base, placed.end()),
            source: SectionSource::Chunk(placed, text),
        })
    }

    pub(super) fn entry_at<'a>(&'a self, text: &'a str, offset: u32) -> Option<EntryTree<'a>> {
        let (placed, index) = self.spot_at(offset)?;
        placed.tree(text, index)
    }

    /// The root key of the entry that contains byte `offset`, if it is a string.
    pub(super) fn key_at(&self, text: &str, offset: u32) -> Option<Arc<str>> {
        let (placed, index) = self.spot_at(offset)?;
        placed.key(index, text)?.as_str().map(Arc::from)
    }

    fn spot_at(&self, offset: u32) -> Option<(&Placed, usize)> {
        let chunk = self.chunks.partition_point(|placed| placed.base <= offset).checked_sub(1)?;
        let placed = &self.chunks[chunk];
        Some((placed, placed.chunk.index_at(offset - placed.base)))
    }

    /// The entries before and after the one that starts at `start` and is `length` bytes long; `None` if they cannot be
    /// found quickly.
    pub(super) fn beside<'a>(
        &'a self,
        text: &'a str,
        start: u32,
        length: u32,
    ) -> Option<(EntryTree<'a>, Option<EntryTree<'a>>)> {
        let before = self.entry_at(text, start.checked_sub(1)?)?;
        let end = start + length;
        let after = if end < text.len() as u32 { Some(self.entry_at(text, end)?) } else { None };
        Some((before, after))
    }

    /// The string keys, without parsing the values.
    /// The root keys of entries, and `lookup_options` if members of a broken one can be read.
    pub(super) fn root_keys<'a>(&'a self, text: &'a str) -> Vec<RootKey<'a>> {
        let mut found: Vec<RootKey<'a>> = self.keys_of_entries(text).collect();
        let is_found = || found.iter().any(|it| it.text == LOOKUP_OPTIONS);
        if !self.broken.is_empty()
            && !is_found()
            && let Some(options) = self.readable_options(text, LOOKUP_OPTIONS)
        {
            found.extend(RootKey::of_entry(options));
            found.sort_by_key(|it| it.key.start);
        }
        found
    }

    fn keys_of_entries<'a>(&'a self, text: &'a str) -> impl Iterator<Item = RootKey<'a>> {
        self.spots().filter_map(move |(placed, index)| {
            let key = placed.chunk.key(index, placed.text(text))?;
            // A `<<` that merges is no key.
            let is_key = |tree: &EntryTree<'_>| !may_merge(tree.key, tree.value);
            if key.as_str() == Some("<<") && !placed.tree(text, index).as_ref().is_some_and(is_key)
            {
                return None;
            }
            let entry = placed.chunk.range(index).shifted(placed.base);
            let length = u32::from(placed.chunk.heads()[index].plain_length);
            let range = match key {
                EntryKey::Plain(_) => TextRange::new(entry.start, entry.start + length),
                EntryKey::Value(_) => placed.tree(text, index)?.key.range.shifted(entry.start),
            };
            let value = value_range(text, range.end, entry.end);
            let text = match key {
                EntryKey::Plain(text) => Cow::Borrowed(text),
                EntryKey::Value(value) => Cow::Owned(value.as_str()?.to_owned()),
            };
            Some(RootKey { text, key: range, value })
        })
    }

    pub(super) fn syntax_errors(&self, text: &str) -> Vec<SyntaxError> {
        let error = |broken: &Broken| SyntaxError {
            message: broken.error.message.clone(),
            range: broken.error.range(text),
        };
        self.broken.iter().map(error).collect()
    }

    pub(super) fn duplicate_keys(&self, text: &str) -> Vec<DuplicateKey> {
        let keys = self.keys(text);
        let mut spots: Vec<Spot> = keys.repeated.clone();
        spots.sort_by_key(|spot| self.start(keys, *spot));
        spots.dedup();
        super::whole::duplicates(spots.into_iter().filter_map(|spot| {
            let placed = self.placed(keys, spot)?;
            let key = placed.chunk.key(spot.index(), placed.text(text))?.to_value();
            let tree = placed.tree(text, spot.index())?;
            // Each `<<` merges on its own.
            let is_merge = may_merge(tree.key, tree.value);
            (!is_merge).then(|| (key, tree.key.range.shifted(tree.start)))
        }))
    }

    /// All entries in order, including broken ones.
    fn spots(&self) -> impl Iterator<Item = (&Placed, usize)> {
        self.chunks.iter().flat_map(Placed::spots)
    }

    /// The same, parsed.
    fn parsed_spots<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (&'a Placed, usize)> {
        self.spots().inspect(move |(placed, index)| {
            if *index == 0 {
                placed.chunk.parse_all(placed.text(text));
            }
        })
    }

    /// The chunks in order.
    pub(super) fn chunks(&self) -> &[Placed] {
        &self.chunks
    }

    /// Whether the meaning of an entry depends on others.
    pub(super) fn is_entangled(&self) -> bool {
        self.flags.has(EntryFlags::ENTANGLED)
    }

    /// Whether a `<<` at the root merges something.
    pub(super) fn has_root_merge(&self, text: &str) -> bool {
        let merges = |tree: EntryTree<'_>| may_merge(tree.key, tree.value);
        self.flagged(EntryFlags::ENTANGLED)
            .any(|(placed, index)| placed.tree(text, index).is_some_and(merges))
    }

    /// The entries in order that have one of `flags`.
    pub(super) fn flagged(&self, flags: EntryFlags) -> impl Iterator<Item = (&Placed, usize)> {
        let chunks = self.chunks.iter().filter(move |placed| placed.chunk.flags().has(flags));
        chunks.flat_map(move |placed| {
            let heads = placed.chunk.heads().iter().enumerate();
            heads.filter(move |(_, head)| head.flags.has(flags)).map(move |(it, _)| (placed, it))
        })
    }

    /// Errors of libyaml come first, then those of Psych, which creates the values.
    fn judge(&self, text: &str) -> Verdict {
        if let Some(first) = self.broken.first() {
            // libyaml reads ahead and stops at a character that YAML forbids, even if an error comes before it. Only a parser of the
            // whole text can tell what Puppet reports.
            if yaml::has_forbidden_character(text)
                && let Some(error) = yaml::parse(text).error
            {
                return Verdict::Broken(yaml_file_error(&error, text, 0));
            }
            let root = self.chunks.first().map_or(0, |placed| placed.base);
            return Verdict::Broken(yaml_file_error(&first.error, text, root));
        }
        // Psych can refuse an entry only for a tag, for some plain scalars, or for an alias. All other entries need not be lowered.
        let mut suspects = self.flagged(EntryFlags::REFUSABLE.with(EntryFlags::ALIAS));
        let refused =
            suspects.find_map(|(placed, index)| self.lowered(text, placed, index).as_ref().err());
        match refused {
            Some(error) => Verdict::Broken(lower_file_error(error.as_ref().clone())),
            None => Verdict::Hash,
        }
    }

    #[cfg(test)]
    pub(super) fn lowered_entries(&self) -> usize {
        let made = self.chunks.iter().filter_map(|placed| placed.lowered.values.get());
        made.flatten().filter(|slot| slot.get().is_some()).count()
    }

    /// An entry's value, lowered when first asked for.
    fn lowered<'a>(&self, text: &str, placed: &'a Placed, index: usize) -> &'a LoweredEntry {
        let count = placed.chunk.heads().len();
        let values = &placed.lowered.values;
        let all = values.get_or_init(|| (0..count).map(|_| OnceLock::new()).collect());
        all[index].get_or_init(|| Box::new(self.lower(text, placed, index)))
    }

    fn lower(&self, text: &str, placed: &Placed, index: usize) -> LoweredEntry {
        let start = placed.base + placed.chunk.range(index).start;
        let refused = |error: &YamlError| LowerError {
            message: error.message.clone(),
            kind: crate::data::lower::LowerErrorKind::NamesFile,
            range: TextRange::empty(start),
        };
        let anchors = |name: &str| self.anchors(text).before(start, name);
        let lower = |pair: &Pair| {
            lower_pair(pair, Lowering::new(self.file, start).knowing(&anchors)).map_err(Box::new)
        };
        if let Some(parsed) = placed.chunk.entry_if_parsed(index) {
            return lower(&parsed.map_err(refused)?.pair);
        }
        // Do not keep the tree: lookups read entries of very many files, and most are never needed as trees.
        lower(
            &parse_entry(placed.chunk.range(index).slice(placed.text(text)))
                .map_err(|it| refused(&it))?,
        )
    }

    /// The anchors of earlier entries. Each entry is lowered once, in order, so a chain of aliases through the file does
    /// not cause a deep recursion.
    fn anchors(&self, text: &str) -> &Anchors {
        self.anchors.get_or_init(|| {
            let mut anchors = Anchors::default();
            for (placed, index) in self.flagged(EntryFlags::ANCHOR) {
                let start = placed.base + placed.chunk.range(index).start;
                let Ok(parsed) = placed.chunk.entry(index, placed.text(text)) else { continue };
                let earlier = |name: &str| anchors.before(start, name);
                let mut lowering = Lowering::new(self.file, start).knowing(&earlier);
                // A node that Psych refuses breaks the whole file. What is before it can still be shown.
                if lowering.node(&parsed.pair.key).is_ok() {
                    let _ = lowering.node(&parsed.pair.value);
                }
                let found: Vec<_> = lowering.into_anchors().collect();
                anchors.add(start, found.into_iter());
            }
            anchors
        })
    }

    /// The root hash of a file with `<<` or symbols among its root keys: they take effect at their position.
    fn merged(&self, text: &str) -> &RootMap {
        self.merged.get_or_init(|| {
            let mut root = RootHash::new(self.chunks.len() * ENTRIES_PER_CHUNK);
            let mut lowering = Lowering::new(self.file, 0);
            for (placed, index) in self.parsed_spots(text) {
                if let Ok(parsed) = placed.chunk.entry(index, placed.text(text)) {
                    lowering.move_to(placed.base + placed.chunk.range(index).start);
                    // Entries that Psych refuses are left out; the verdict has the error.
                    let _ = lowering.add_to_root(&mut root, &parsed.pair);
                }
            }
            Box::new(root_entries(self.file, &root.finish()))
        })
    }

    fn keys(&self, text: &str) -> &Keys {
        self.keys.get_or_init(|| {
            let places = places(&self.chunks, self.next_chunk);
            let count = self.chunks.len() * ENTRIES_PER_CHUNK;
            let mut keys = Keys {
                table: KeyTable::with_room(count),
                places,
                repeated: Vec::new(),
                later: HashMap::default(),
                lasts: OnceLock::new(),
            };
            for placed in &self.chunks {
                self.add_keys(text, placed, &mut keys);
            }
            keys
        })
    }

    fn add_keys(&self, text: &str, placed: &Placed, keys: &mut Keys) {
        for index in 0..placed.chunk.heads().len() {
            let Some(key) = placed.chunk.key(index, placed.text(text)) else { continue };
            let (hash, spot) = (hash_of(&key), Spot::new(placed.number, index));
            let is_same = |other: &Spot| {
                self.placed(keys, *other).is_some_and(|placed| {
                    let other = placed.chunk.key(other.index(), placed.text(text));
                    // The same string can be plain in one entry and quoted in the other.
                    other.is_some_and(|other| other == key || other.to_value() == key.to_value())
                })
            };
            let same = keys.candidates(hash).find(is_same);
            match same {
                Some(same) => {
                    keys.repeated.extend([same, spot]);
                    keys.later.entry(hash).or_default().push(spot);
                }
                None => keys.table.insert(hash, spot),
            }
        }
    }

    fn placed(&self, keys: &Keys, spot: Spot) -> Option<&Placed> {
        let place = *keys.places.get(spot.chunk() as usize)?;
        self.chunks.get(place as usize)
    }

    fn start(&self, keys: &Keys, spot: Spot) -> Option<u32> {
        let placed = self.placed(keys, spot)?;
        Some(placed.base + placed.chunk.range(spot.index()).start)
    }
}

impl Placed {
    fn new(base: u32, number: u32, chunk: Arc<Chunk>) -> Self {
        Self { base, number, chunk, lowered: Arc::default() }
    }

    fn end(&self) -> u32 {
        self.base + self.chunk.len()
    }

    /// Whether both are the same bytes, at any place.
    pub(super) fn is_same_source(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.chunk, &other.chunk)
    }

    /// Whether `Entries::lowered` was not called for an entry before, and this function at most once.
    fn is_rarely_read(&self, index: usize) -> bool {
        let is_kept = self.lowered.values.get().is_some_and(|it| it[index].get().is_some());
        let bit = 1 << index;
        let is_new = |bits: &AtomicU64| bits.fetch_or(bit, Ordering::Relaxed) & bit == 0;
        !is_kept && self.lowered.were_read.iter().any(is_new)
    }

    /// The key of an entry of `text`, the whole file's, unless it is broken.
    pub(super) fn key<'t>(&self, index: usize, text: &'t str) -> Option<EntryKey<'t>> {
        self.chunk.key(index, self.text(text))
    }

    /// The source of an entry of `text`, the whole file's.
    pub(super) fn source<'t>(&self, index: usize, text: &'t str) -> &'t str {
        self.chunk.range(index).slice(self.text(text))
    }

    /// Whether the key of an entry of `text`, the whole file's, is the string `key`.
    fn is_called(&self, index: usize, text: &str, key: &str) -> bool {
        self.key(index, text).is_some_and(|found| found.as_str() == Some(key))
    }

    /// The byte of the file at which an entry starts.
    pub(super) fn start(&self, index: usize) -> u32 {
        self.base + self.chunk.range(index).start
    }

    /// The entries of the chunk, by their numbers.
    pub(super) fn spots(&self) -> impl Iterator<Item = (&Self, usize)> {
        (0..self.chunk.heads().len()).map(move |it| (self, it))
    }

    /// The chunk's source.
    fn text<'t>(&self, text: &'t str) -> &'t str {
        TextRange::new(self.base, self.end()).slice(text)
    }

    /// The trees of the chunk's entries, without broken ones.
    pub(super) fn trees<'a>(&'a self, text: &'a str) -> impl Iterator<Item = EntryTree<'a>> {
        self.chunk.parse_all(self.text(text));
        self.spots().filter_map(move |(placed, index)| placed.tree(text, index))
    }

    pub(super) fn qualified_names(&self, text: &str) -> &[QualifiedName] {
        self.chunk.qualified_names(self.text(text))
    }

    fn tree<'a>(&'a self, text: &'a str, index: usize) -> Option<EntryTree<'a>> {
        let source = self.text(text);
        let range = self.chunk.range(index);
        let parsed = self.chunk.entry(index, source).ok()?;
        Some(EntryTree {
            start: self.base + range.start,
            text: range.slice(source),
            key: &parsed.pair.key,
            value: &parsed.pair.value,
            id: parsed.id,
        })
    }
}

/// An entry that is parsed alone: see [`super::DataFile::lone_entry`].
pub(super) fn lone_entry(file: FileId, text: &str, range: TextRange) -> Option<RootEntry> {
    let (before, behind) = (text.get(..range.start as usize)?, text.get(range.end as usize..)?);
    if !before.is_empty() && !before.ends_with('\n') || !has_usual_lines(text) {
        return None;
    }
    // A block scalar with `|+` includes the empty lines after it.
    let is_line_begun = !text[..range.end as usize].ends_with('\n');
    let lines = behind.split_inclusive('\n').enumerate();
    let rest = lines.take_while(|(at, it)| *at == 0 && is_line_begun || it.trim().is_empty());
    let length = rest.map(|(_, line)| line.len() as u32).sum::<u32>();
    let source = TextRange::new(range.start, range.end + length).slice(text);
    let mut pairs = yaml::parse_entries(source).ok()?;
    let pair = pairs.pop().filter(|_| pairs.is_empty())?;
    lower_pair(&pair, Lowering::new(file, range.start)).ok()
}

fn lower_pair(pair: &Pair, mut lowering: Lowering<'_>) -> Result<RootEntry, LowerError> {
    let key = lowering.node(&pair.key)?;
    let value = lowering.node(&pair.value)?;
    let key_place = lowering.place(pair.key.range);
    let key = match key.value {
        Value::Symbol(text) => Value::String(text),
        key => key,
    };
    Ok(RootEntry::new(key, key_place, value))
}

/// The position of each chunk.
fn places(chunks: &[Placed], numbers: u32) -> Vec<u32> {
    let mut places = vec![GONE; numbers as usize];
    for (place, placed) in chunks.iter().enumerate() {
        places[placed.number as usize] = place as u32;
    }
    places
}

/// Chunks of successive entries up to byte `end`.
fn placed_chunks(heads: &[Head], end: u32, next_number: &mut u32) -> Vec<Placed> {
    let mut chunks = Vec::with_capacity(heads.len() / ENTRIES_PER_CHUNK + 1);
    let mut rest = heads;
    while !rest.is_empty() {
        let (these, behind) = rest.split_at(rest.len().min(ENTRIES_PER_CHUNK));
        let base = these[0].start;
        let len = behind.first().map_or(end, |next| next.start) - base;
        let heads = these.iter().map(|head| Head { start: head.start - base, ..*head }).collect();
        chunks.push(Placed::new(base, *next_number, Chunk::new(heads, len)));
        *next_number += 1;
        rest = behind;
    }
    chunks
}
