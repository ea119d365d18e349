//! The words in the calls of all entries with a root key. They name the root keys that the key's value can depend on.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::{BulkIndex, IndexedFile, KeyIndex};
use crate::data::Format;
use crate::syntax::interpolation::{calls_in, hides_tokens, words};
use crate::text::SharedText;
use crate::world::texts::Texts;

/// Words, sorted; `None` if the texts do not show which keys they look up.
pub type CallWords = Option<Arc<[Arc<str>]>>;

/// If more files than this have a key, its words may be collected together with those of other keys.
pub(super) const FEW_FILES: usize = 16;

/// After this many keys, it takes less time to read all files once than to search the files of one key after another.
pub(super) const ASKED_OFTEN: usize = 64;

/// Words that several keys share.
type SharedWords = HashSet<Arc<str>, foldhash::fast::RandomState>;

type WordsByName = HashMap<u32, CallWords, foldhash::fast::RandomState>;

/// What is known about the files of a bulk, by the number of the key.
#[derive(Debug, Default)]
pub(super) struct KnownCallWords {
    one_by_one: Mutex<WordsByName>,
    /// The words of all keys that more than [`FEW_FILES`] have, after enough keys were asked for.
    all: OnceLock<WordsByName>,
}

impl KeyIndex {
    /// The words in the calls of all entries with a root key, and perhaps some that its entries had before they were edited.
    pub fn call_words(&self, key: &str) -> CallWords {
        let Some(name) = self.names.known(key) else { return Some(Arc::default()) };
        let kept = self.bulk.call_words(name)?;
        let mut found = BTreeSet::new();
        for file in self.changed_with(name) {
            add_words_of(&self.texts, file, name, &mut found)?;
        }
        if found.is_empty() {
            return Some(kept);
        }
        found.extend(kept.iter().cloned());
        Some(found.into_iter().collect())
    }
}

impl BulkIndex {
    /// Thousands of files may have a key, so their words are collected once, and not again after each edit.
    fn call_words(&self, name: u32) -> CallWords {
        // Most keys never call a function.
        if !self.may_call(name) {
            return Some(Arc::default());
        }
        let known = &self.call_words;
        let lock = || known.one_by_one.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(words) = lock().get(&name) {
            return words.clone();
        }
        let is_asked_often = lock().len() >= ASKED_OFTEN;
        if is_asked_often && self.holders.of(name).len() > FEW_FILES {
            let all = known.all.get_or_init(|| self.find_all_call_words());
            return all.get(&name).cloned().unwrap_or_default();
        }
        let found = self.find_call_words(name);
        lock().insert(name, found.clone());
        found
    }

    fn find_call_words(&self, name: u32) -> CallWords {
        let texts = self.texts.as_ref()?;
        let mut found = BTreeSet::new();
        for file in self.holders.of(name) {
            add_words_of(texts, &self.files[*file as usize], name, &mut found)?;
        }
        Some(found.into_iter().collect())
    }

    fn find_all_call_words(&self) -> WordsByName {
        // Thousands of keys call the same words, so they share their texts.
        let mut shared = HashSet::default();
        let mut found: HashMap<u32, Option<BTreeSet<Arc<str>>>, foldhash::fast::RandomState> =
            HashMap::default();
        for file in &self.files {
            let mut text = None;
            for here in file.keys.keys.iter() {
                if self.holders.of(here.name).len() <= FEW_FILES || !self.may_call(here.name) {
                    continue;
                }
                let words = found.entry(here.name).or_insert_with(|| Some(BTreeSet::new()));
                let text = text.get_or_insert_with(|| self.text_of(file));
                let mut add = |words: &mut _| {
                    let source = here.value.slice(text.as_ref()?);
                    add_words_in(source, file.format, words, &mut shared)
                };
                if words.as_mut().is_some_and(|it| add(it).is_none()) {
                    *words = None;
                }
            }
        }
        let sorted = |words: BTreeSet<Arc<str>>| words.into_iter().collect();
        found.into_iter().map(|(name, words)| (name, words.map(sorted))).collect()
    }

    fn text_of(&self, file: &IndexedFile) -> Option<SharedText> {
        Some(self.texts.as_ref()?.file(&file.path).ok()?.text.clone())
    }
}

/// Adds the words in the calls of a file's entries with a name; `None` if the text does not show which keys they look up.
fn add_words_of(
    texts: &Texts,
    file: &IndexedFile,
    name: u32,
    found: &mut BTreeSet<Arc<str>>,
) -> Option<()> {
    let text = texts.file(&file.path).ok()?.text.clone();
    let mut shared = HashSet::default();
    for here in file.keys.of(name) {
        add_words_in(here.value.slice(&text), file.format, found, &mut shared)?;
    }
    Some(())
}

/// Adds the words in the calls of a value's source. They are among `shared` from then on.
fn add_words_in(
    source: &str,
    format: Format,
    found: &mut BTreeSet<Arc<str>>,
    shared: &mut SharedWords,
) -> Option<()> {
    // HOCON may join a token from several pieces, and escapes and aliases hide one, so the text does not show all keys.
    if format == Format::Hocon || hides_tokens(source) {
        return None;
    }
    for call in calls_in(source)? {
        if !is_plain(call) {
            return None;
        }
        for word in words(call) {
            // Most calls name a key that another one has named before.
            if !found.contains(word) {
                let known = shared.get(word).cloned().unwrap_or_else(|| {
                    let word = Arc::<str>::from(word);
                    shared.insert(Arc::clone(&word));
                    word
                });
                found.insert(known);
            }
        }
    }
    Some(())
}

/// Whether the root key of a call is one of its words. It is not if the key is quoted itself, or contains spaces or brackets.
fn is_plain(call: &str) -> bool {
    let call = call.strip_prefix("%{").unwrap_or(call).trim();
    let is_part = |c: char| c.is_alphanumeric() || "_:-.()'\"".contains(c);
    let is_once = |bracket| call.matches(bracket).count() == 1;
    let has_both_quotes = call.contains('\'') && call.contains('"');
    call.chars().all(is_part) && is_once('(') && is_once(')') && !has_both_quotes
}
