//! One data file as Puppet reads it: its root hash, entry by entry, with places; or why Puppet refuses it.

mod anchors;
mod chunk;
mod difference;
mod entries;
mod key_table;
mod loose_keys;
mod names;
mod readable_options;
mod replaced;
mod rescan;
mod whole;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use super::lower::may_merge;
use super::puppet_type;
use super::scalar;
use super::value::{FileId, Located, Place, Value};
use crate::syntax::entries::{QuickKey, each_quick_key, each_quick_key_between};
pub use crate::syntax::hocon::OpenKey;
use crate::syntax::tree::{Node, ScalarStyle, SyntaxError};
use crate::syntax::{hocon, yaml};
use crate::text::{SharedText, TextRange};
pub use difference::EntryEdits;
use entries::{Entries, Placed};
use loose_keys::loose_keys;
pub use names::{QualifiedName, qualified_names};
pub use readable_options::LOOKUP_OPTIONS;
pub use replaced::ReplacedBytes;
use whole::Whole;

/// The language of a data file. It follows from the back end that reads the file, not from the file's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// YAML 1.1 as Ruby's Psych reads it (`yaml_data`, `eyaml_lookup_key`).
    Yaml,
    /// JSON as Ruby's JSON reads it (`json_data`).
    Json,
    /// HOCON as Puppet's hocon gem reads it (`hocon_data`).
    Hocon,
}

/// Ruby's message for bytes that are not UTF-8.
pub const NOT_UTF8: &str = "invalid byte sequence in UTF-8";

/// A data file. It is parsed and lowered on demand, shared between snapshots, and never changed.
#[derive(Debug)]
pub struct DataFile {
    file: FileId,
    format: Format,
    text: SharedText,
    unreadable: Option<FileError>,
    /// Only in JSON: what the strings have instead of replacement characters, in the order of the text.
    replaced: Arc<[ReplacedBytes]>,
    content: OnceLock<Content>,
}

#[derive(Debug)]
enum Content {
    Entries(Entries),
    Whole(Whole),
}

/// Whether Puppet accepts a whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// A hash: the ordinary case.
    Hash,
    /// Nothing, `~` or `false` in YAML: a warning, then an empty hash.
    Empty,
    /// Something else (a list, a string, a number). In YAML a warning in Puppet 7 and an error in Puppet 8, in JSON and HOCON
    /// always an error.
    NotAHash {
        /// Its name in the message for JSON, e.g. `Tuple`, `String`, `Undef`.
        puppet_type: String,
    },
    /// Refused: every lookup that reads this file fails.
    Broken(FileError),
}

/// The error with which Puppet refuses a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// Puppet's text, with `{path}` where Puppet writes the file's path: `Unable to parse ({path}): … at line 3 column 7`.
    pub message: String,
    /// The place of the error, in bytes of the whole file.
    pub range: TextRange,
}

/// A top-level `key: value` of a data file.
#[derive(Debug, Clone)]
pub struct RootEntry {
    /// The key; only [`Value::String`] keys can be looked up.
    pub key: Value,
    /// Where the key is written.
    pub key_place: Place,
    /// The value as the file has it, without interpolation.
    pub value: Located,
    nature: OnceLock<Nature>,
}

/// Properties of the value that every lookup needs, computed once.
#[derive(Debug, Clone)]
struct Nature {
    misfit: Option<Box<str>>,
    has_tokens: bool,
}

/// A top-level `key: value` as it is written.
#[derive(Debug, Clone, Copy)]
pub struct EntryTree<'a> {
    /// The byte of the file at which `text` begins: ranges of `key` and `value` count from there.
    pub start: u32,
    /// The source of the entry, or of the whole file if the file cannot be split into entries line by line.
    pub text: &'a str,
    /// The key.
    pub key: &'a Node,
    /// The value.
    pub value: &'a Node,
    /// A number for the source and the trees. An entry keeps it when something else in the file is edited.
    pub id: u64,
}

/// Successive entries of a file. Versions of a file share the sections that are not edited.
#[derive(Debug, Clone, Copy)]
pub struct Section<'a> {
    /// A number for the source and the trees. A section keeps it when something else in the file is edited; 0 if it does not.
    pub id: u64,
    /// The place in the file.
    pub range: TextRange,
    source: SectionSource<'a>,
}

#[derive(Debug, Clone, Copy)]
enum SectionSource<'a> {
    Chunk(&'a Placed, &'a str),
    Whole(&'a Whole, &'a str),
}

/// A root key and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootKey<'a> {
    /// The key as a lookup names it.
    pub text: Cow<'a, str>,
    /// Where it is written.
    pub key: TextRange,
    /// Roughly the place of its value: the rest of the entry.
    pub value: TextRange,
}

/// A root key that is written more than once. Puppet uses the last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateKey {
    /// The key.
    pub key: Value,
    /// Where it is written, in the order of the file; at least twice.
    pub ranges: Vec<TextRange>,
}

impl DataFile {
    /// Creates a data file from a text. Nothing is parsed yet.
    pub fn new(file: FileId, format: Format, text: SharedText) -> Self {
        let (unreadable, replaced) = (None, Arc::default());
        Self { file, format, text, unreadable, replaced, content: OnceLock::new() }
    }

    /// A file whose bytes are not text. It has no entries, and `error` is the verdict.
    pub fn unreadable(file: FileId, format: Format, error: FileError) -> Self {
        Self { unreadable: Some(error), ..Self::new(file, format, "".into()) }
    }

    /// A file that is not UTF-8 from byte `at` on; `bytes` starts there, and four bytes are enough. Only for YAML, because
    /// Ruby's JSON parser does not check the encoding.
    pub fn not_utf8(file: FileId, format: Format, at: u32, bytes: &[u8]) -> Self {
        let problem = yaml::utf8_problem(bytes);
        let message = format!("Unable to parse ({{path}}): {problem} at line 1 column 1");
        Self::unreadable(file, format, FileError { message, range: TextRange::empty(at) })
    }

    /// A file in JSON or HOCON that is not UTF-8. In `text`, such bytes are replaced.
    pub fn with_replaced_bytes(
        file: FileId,
        format: Format,
        text: SharedText,
        replaced: Arc<[ReplacedBytes]>,
    ) -> Self {
        let places = replaced.iter().map(|it| it.at);
        if format == Format::Hocon
            && let Some(at) = hocon::first_read_place(&text, places)
        {
            let (message, range) = (NOT_UTF8.to_owned(), TextRange::empty(at));
            return Self::unreadable(file, format, FileError { message, range });
        }
        Self { replaced, ..Self::new(file, format, text) }
    }

    /// The place of the first byte in JSON that is not UTF-8.
    pub fn first_replaced_byte(&self) -> Option<u32> {
        self.replaced.first().map(|it| it.at)
    }

    /// The same file after an edit. Everything that the edit did not touch is kept, including parsed trees.
    #[must_use]
    pub fn with_text(&self, text: SharedText) -> Self {
        let content = match self.content.get() {
            Some(Content::Entries(entries)) => entries.edited(&self.text, &text),
            _ => None,
        };
        let content = content.map_or_else(OnceLock::new, |it| Content::Entries(it).into());
        Self { content, ..Self::new(self.file, self.format, text) }
    }

    /// The entry of a YAML file whose key and value lie in `range` of `text`, as [`Self::root_keys`] finds them: parsed
    /// alone. `None` if that is not possible: the entry is broken, or it has an alias `*name` whose anchor is elsewhere.
    pub fn lone_entry(file: FileId, text: &str, range: TextRange) -> Option<RootEntry> {
        entries::lone_entry(file, text, range)
    }

    /// The file's number.
    pub fn file(&self) -> FileId {
        self.file
    }

    /// The format in which it is read.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The whole text.
    pub fn text(&self) -> &SharedText {
        &self.text
    }

    /// Whether Puppet accepts the whole file.
    pub fn verdict(&self) -> Verdict {
        if let Some(error) = &self.unreadable {
            return Verdict::Broken(error.clone());
        }
        match self.content() {
            Content::Entries(entries) => entries.verdict(&self.text).clone(),
            Content::Whole(whole) => whole.verdict.clone(),
        }
    }

    /// Whether Puppet refuses the file: [`Verdict::Broken`].
    pub fn is_broken(&self) -> bool {
        matches!(self.verdict(), Verdict::Broken(_))
    }

    /// Whether the reader of its format cannot parse it. Puppet also refuses files that it can parse, for one of their values.
    pub fn is_unparsable(&self) -> bool {
        self.is_broken() && (self.unreadable.is_some() || !self.syntax_errors().is_empty())
    }

    /// The entry under `key`, as Puppet finds it (the last of duplicates). Also works if the file is broken elsewhere.
    /// Callers that need Puppet's result check [`Self::verdict`].
    pub fn get(&self, key: &str) -> Option<&RootEntry> {
        match self.content() {
            Content::Entries(entries) => entries.get(&self.text, key),
            Content::Whole(whole) => whole.get(key),
        }
    }

    /// The keys whose values environment variables of the server decide; only in HOCON.
    pub fn open_keys(&self) -> &[OpenKey] {
        match self.content() {
            Content::Entries(_) => &[],
            Content::Whole(whole) => &whole.open_keys,
        }
    }

    /// Why the value of a key is not known, to follow the name of the function that reads the file.
    pub fn why_open(&self, key: &str) -> Option<String> {
        if self.format != Format::Hocon {
            return None;
        }
        self.open_keys().iter().find(|it| &*it.key == key).map(OpenKey::in_words)
    }

    /// [`Self::get`] for one of very many files: a value that is read for the first time is not kept in the file.
    pub fn read(&self, key: &str) -> Option<Cow<'_, RootEntry>> {
        match self.content() {
            Content::Entries(entries) => entries.read(&self.text, key),
            Content::Whole(whole) => whole.get(key).map(Cow::Borrowed),
        }
    }

    /// All entries in the order of Puppet's hash (first position, last value of duplicate keys).
    pub fn entries(&self) -> impl Iterator<Item = &RootEntry> {
        match self.content() {
            Content::Entries(entries) => entries.entries(&self.text),
            Content::Whole(whole) => Box::new(whole.entries.values()),
        }
    }

    /// Passes on every key that [`Self::get`] can find, and perhaps others, without parsing values.
    pub fn each_key(&self, mut each: impl FnMut(&str)) {
        match self.content() {
            Content::Entries(entries) => entries.each_key(&self.text, &mut each),
            Content::Whole(whole) => {
                whole.entries.keys().filter_map(Value::as_str).for_each(each);
            }
        }
    }

    /// The trees of all entries in the order of the text, including duplicates and `<<`, but without broken entries.
    pub fn trees(&self) -> impl Iterator<Item = EntryTree<'_>> {
        let trees: Box<dyn Iterator<Item = EntryTree<'_>>> = match self.content() {
            Content::Entries(entries) => Box::new(entries.trees(&self.text)),
            Content::Whole(whole) => Box::new(whole.trees(&self.text)),
        };
        trees
    }

    /// The sections in the order of the text; one if the file cannot be split into entries.
    pub fn sections(&self) -> impl Iterator<Item = Section<'_>> {
        let sections: Box<dyn Iterator<Item = Section<'_>>> = match self.content() {
            Content::Entries(entries) => Box::new(entries.sections(&self.text)),
            Content::Whole(whole) => Box::new(std::iter::once(Section {
                id: 0,
                range: TextRange::new(0, self.text.len() as u32),
                source: SectionSource::Whole(whole, &self.text),
            })),
        };
        sections
    }

    /// The entry that contains or touches byte `offset`. Spaces and comments after an entry belong to it.
    pub fn entry_at(&self, offset: u32) -> Option<EntryTree<'_>> {
        match self.content() {
            Content::Entries(entries) => entries.entry_at(&self.text, offset),
            Content::Whole(whole) => whole.entry_at(&self.text, offset),
        }
    }

    /// The trees of the entries whose root key is the string `key`, in the order of the text, without broken entries.
    pub fn trees_called(&self, key: &str) -> Vec<EntryTree<'_>> {
        match self.content() {
            Content::Entries(entries) => entries.trees_called(&self.text, key),
            Content::Whole(whole) => whole.trees_called(&self.text, key),
        }
    }

    /// The root key of the entry that contains or touches byte `offset`, if it is a string.
    pub fn key_at(&self, offset: u32) -> Option<Arc<str>> {
        match self.content() {
            Content::Entries(entries) => entries.key_at(&self.text, offset),
            Content::Whole(whole) => whole.key_at(&self.text, offset),
        }
    }

    /// Whether Puppet's hash has a key that is not a string.
    pub fn has_other_than_string_keys(&self) -> bool {
        let is_plain = match self.content() {
            Content::Entries(entries) => entries.has_only_string_keys(&self.text),
            Content::Whole(_) => false,
        };
        // `false` can also mean that the keys are not known yet, so the entries decide.
        !is_plain && self.entries().any(|entry| entry.key.as_str().is_none())
    }

    /// How many entries were lowered to values.
    #[cfg(test)]
    pub(crate) fn lowered_entries(&self) -> usize {
        match self.content() {
            Content::Entries(entries) => entries.lowered_entries(),
            Content::Whole(whole) => whole.entries.len(),
        }
    }

    /// The places of the entries before and after `entry`.
    pub fn beside(&self, entry: &EntryTree<'_>) -> (Option<TextRange>, Option<TextRange>) {
        let near = match self.content() {
            Content::Entries(entries) => {
                entries.beside(&self.text, entry.start, entry.text.len() as u32)
            }
            Content::Whole(whole) => return whole.beside(&self.text, entry.key.range.start),
        };
        if let Some((before, after)) = near {
            return (Some(before.range()), after.map(|it| it.range()));
        }
        let own = entry.range();
        let others = || self.trees().map(|it| it.range());
        (
            others().take_while(|it| it.start < own.start).last(),
            others().find(|it| it.start > own.start),
        )
    }

    /// The root keys that can be looked up, in the order of the text. It is fast, for an index over many files: values are
    /// not parsed, and a broken file may have some keys too many.
    pub fn root_keys(&self) -> Vec<RootKey<'_>> {
        // Parts that are already parsed must not change the result.
        self.quick_root_keys().unwrap_or_else(|| match self.content() {
            Content::Entries(entries) => entries.root_keys(&self.text),
            Content::Whole(whole) => {
                let found = self.entries().filter_map(RootKey::of_entry);
                let mut found: Vec<_> = found.collect();
                if self.format != Format::Yaml && !whole.errors.is_empty() {
                    let known: HashSet<u32> = found.iter().map(|it| it.key.start).collect();
                    let loose = loose_keys(&self.text, self.format);
                    found.extend(loose.into_iter().filter(|it| !known.contains(&it.key.start)));
                    found.sort_by_key(|it| it.key.start);
                }
                found
            }
        })
    }

    /// The keys that a `<<` at the root brings, which no lookup finds by [`Self::root_keys`]; `None` without such a `<<`.
    pub fn brought_keys(&self) -> Option<Vec<&str>> {
        memchr::memmem::find(self.text.as_bytes(), b"<<")?;
        let Content::Entries(entries) = self.content() else { return None };
        let merged = entries.has_root_merge(&self.text).then(|| entries.entries(&self.text))?;
        let written = self.root_keys();
        let written: HashSet<&str> = written.iter().map(|it| &*it.text).collect();
        let keys = merged.filter_map(|it| it.key.as_str());
        Some(keys.filter(|key| !written.contains(key)).collect())
    }

    /// [`Self::root_keys`], if the file can be read line by line.
    pub fn quick_root_keys(&self) -> Option<Vec<RootKey<'_>>> {
        if self.format != Format::Yaml || self.unreadable.is_some() {
            return None;
        }
        let mut keys = Vec::new();
        each_quick_key(&self.text, |key| keys.extend(RootKey::of(&self.text, key)))?;
        Some(keys)
    }

    /// Whether the file is read entry by entry, and entries only affect each other through anchors.
    pub fn is_split(&self) -> bool {
        matches!(self.content(), Content::Entries(entries) if !entries.is_entangled())
    }

    /// All syntax errors in order, each at the place that an editor should mark. Puppet stops at the first one.
    pub fn syntax_errors(&self) -> Vec<SyntaxError> {
        match self.content() {
            Content::Entries(entries) => entries.syntax_errors(&self.text),
            Content::Whole(whole) => whole.errors.clone(),
        }
    }

    /// The root keys that are written more than once, in the order of their first places.
    pub fn duplicate_keys(&self) -> Vec<DuplicateKey> {
        match self.content() {
            Content::Entries(entries) => entries.duplicate_keys(&self.text),
            Content::Whole(whole) => whole.duplicates(self.format),
        }
    }

    fn content(&self) -> &Content {
        self.content.get_or_init(|| {
            if self.unreadable.is_some() {
                return Content::Whole(Whole::default());
            }
            match self.format {
                Format::Yaml => match Entries::of_yaml(self.file, &self.text) {
                    Some(entries) => Content::Entries(entries),
                    None => Content::Whole(Whole::of_yaml(self.file, &self.text)),
                },
                Format::Json => {
                    Content::Whole(Whole::of_json(self.file, &self.text, &self.replaced))
                }
                Format::Hocon => Content::Whole(Whole::of_hocon(self.file, &self.text)),
            }
        })
    }
}

impl RootEntry {
    /// An entry.
    pub fn new(key: Value, key_place: Place, value: Located) -> Self {
        Self { key, key_place, value, nature: OnceLock::new() }
    }

    /// The type of the value after `got` in the error of a lookup that refuses it.
    pub fn misfit(&self) -> Option<&str> {
        self.nature().misfit.as_deref()
    }

    /// Whether there is anything in the value to interpolate.
    pub fn has_tokens(&self) -> bool {
        self.nature().has_tokens
    }

    fn nature(&self) -> &Nature {
        self.nature.get_or_init(|| Nature {
            misfit: puppet_type::check_lookup_value(&self.value.value).map(Into::into),
            has_tokens: self.value.value.has_tokens(),
        })
    }
}

impl<'a> RootKey<'a> {
    /// The keys of [`DataFile::quick_root_keys`] between the starts of two entries; see [`each_quick_key_between`].
    pub fn quick_between(text: &'a str, first: u32, end: u32) -> Option<Vec<Self>> {
        let (first, end, mut keys) = (first as usize, end as usize, Vec::new());
        each_quick_key_between(text, first, end, |key| keys.extend(Self::of(text, key)))?;
        Some(keys)
    }

    fn of_entry(entry: &'a RootEntry) -> Option<Self> {
        let (key, value) = (entry.key_place.range, entry.value.place?.range);
        Some(Self { text: Cow::Borrowed(entry.key.as_str()?), key, value })
    }

    fn of(text: &str, key: QuickKey<'a>) -> Option<Self> {
        if key.text == "<<" && merges(TextRange::new(key.range.start, key.value.end).slice(text)) {
            return None;
        }
        let is_string = key.style != ScalarStyle::Plain || scalar::is_string(&key.text);
        let text = if is_string {
            key.text
        } else {
            match scalar::by_looks(&key.text.into()).ok()? {
                Value::Symbol(name) => Cow::Owned(name.to_string()),
                _ => return None,
            }
        };
        Some(Self { text, key: key.range, value: key.value })
    }
}

/// Whether the entry with this source merges something, so that its key is none; if in doubt, it returns true.
fn merges(entry: &str) -> bool {
    let pairs = yaml::parse_entries(entry).unwrap_or_default();
    pairs.first().is_none_or(|pair| may_merge(&pair.key, &pair.value))
}

/// A new number, which neither an entry nor anything else has.
pub fn new_id() -> u64 {
    whole::ids(1)
}

impl<'a> Section<'a> {
    /// The trees of its entries in the order of the text, without broken entries.
    pub fn trees(self) -> impl Iterator<Item = EntryTree<'a>> {
        let trees: Box<dyn Iterator<Item = EntryTree<'a>>> = match self.source {
            SectionSource::Chunk(placed, text) => Box::new(placed.trees(text)),
            SectionSource::Whole(whole, text) => Box::new(whole.trees(text)),
        };
        trees
    }

    /// The strings in the values of its entries that could be names with `::`. Ranges count from the start of the section.
    pub fn qualified_names(self) -> Cow<'a, [QualifiedName]> {
        match self.source {
            SectionSource::Chunk(placed, text) => Cow::Borrowed(placed.qualified_names(text)),
            SectionSource::Whole(whole, text) => {
                Cow::Owned(whole.trees(text).flat_map(|it| qualified_names(it.value)).collect())
            }
        }
    }
}

impl EntryTree<'_> {
    /// From the key's first to the value's last byte, in the whole file.
    pub fn range(&self) -> TextRange {
        let end = self.value.range.end.max(self.key.range.end);
        TextRange::new(self.key.range.start, end).shifted(self.start)
    }
}

#[cfg(test)]
mod tests;
