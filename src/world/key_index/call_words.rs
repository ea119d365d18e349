//! The words in the calls of all entries with a root key. They name the root keys that the key's value can depend on.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use super::{BulkIndex, IndexedFile, KeyIndex};
use crate::data::Format;
use crate::syntax::interpolation::{calls_in, hides_tokens, words};
use crate::world::texts::Texts;

/// Words, sorted; `None` if the texts do not show which keys they look up.
pub type CallWords = Option<Arc<[Arc<str>]>>;

/// What is known about the files of a bulk, by the number of the key.
#[derive(Debug, Default)]
pub(super) struct KnownCallWords(Mutex<HashMap<u32, CallWords, foldhash::fast::RandomState>>);

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
        let lock = || self.call_words.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(&name).cloned();
        known.unwrap_or_else(|| {
            let found = self.find_call_words(name);
            lock().insert(name, found.clone());
            found
        })
    }

    fn find_call_words(&self, name: u32) -> CallWords {
        let texts = self.texts.as_ref()?;
        let mut found = BTreeSet::new();
        for file in self.holders(name) {
            add_words_of(texts, &self.files[*file as usize], name, &mut found)?;
        }
        Some(found.into_iter().collect())
    }
}

/// Adds the words in the calls of a file's entries with a name; `None` if the text does not show which keys they look up.
fn add_words_of(
    texts: &Texts,
    file: &IndexedFile,
    name: u32,
    found: &mut BTreeSet<Arc<str>>,
) -> Option<()> {
    let mut calling = file.keys.of(name).filter(|it| it.may_call()).peekable();
    if calling.peek().is_none() {
        return Some(());
    }
    let text = texts.file(&file.path).ok()?.text.clone();
    for here in calling {
        let value = here.value.slice(&text);
        // HOCON may join a token from several pieces, and escapes and aliases hide one, so the text does not show all keys.
        if file.format == Format::Hocon || hides_tokens(value) {
            return None;
        }
        for call in calls_in(value)? {
            if !is_plain(call) {
                return None;
            }
            for word in words(call) {
                // Most calls name a key that another one has named before.
                if !found.contains(word) {
                    found.insert(Arc::from(word));
                }
            }
        }
    }
    Some(())
}

/// Whether the words of a call show its key. They do not if the key is quoted itself or contains spaces.
fn is_plain(call: &str) -> bool {
    let call = call.strip_prefix("%{").unwrap_or(call).trim();
    let is_part = |c: char| c.is_alphanumeric() || "_:-.()'\"".contains(c);
    call.chars().all(is_part) && !(call.contains('\'') && call.contains('"'))
}
