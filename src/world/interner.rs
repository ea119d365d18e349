//! Assigns numbers to texts, which stay the same for the life of the process.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// No text has this number.
const UNKNOWN: u32 = u32::MAX;

/// Texts by number and numbers by text. It is append-only, so all snapshots share it. The order of the numbers has no
/// meaning, because it depends on threads.
#[derive(Debug, Default)]
pub(super) struct Interner {
    inner: RwLock<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    numbers: HashMap<Arc<str>, u32, foldhash::fast::RandomState>,
    texts: Vec<Arc<str>>,
}

impl Interner {
    /// The number of `text`; a new one if it has none.
    pub(super) fn number(&self, text: &str) -> u32 {
        if let Some(number) = self.known(text) {
            return number;
        }
        let mut inner = self.inner.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have added the text between the two locks.
        if let Some(&number) = inner.numbers.get(text) {
            return number;
        }
        let number = inner.texts.len() as u32;
        let text: Arc<str> = text.into();
        inner.texts.push(text.clone());
        inner.numbers.insert(text, number);
        number
    }

    /// The number of each of `texts`. Threads wait for each other once, and not for each text.
    pub(super) fn numbers<'a>(&self, texts: impl Iterator<Item = &'a str> + Clone) -> Vec<u32> {
        let mut numbers: Vec<u32> = {
            let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
            let known = |text| inner.numbers.get(text).copied().unwrap_or(UNKNOWN);
            texts.clone().map(known).collect()
        };
        for (number, text) in numbers.iter_mut().zip(texts) {
            if *number == UNKNOWN {
                *number = self.number(text);
            }
        }
        numbers
    }

    /// The number of `text` if it has one.
    pub(super) fn known(&self, text: &str) -> Option<u32> {
        let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
        inner.numbers.get(text).copied()
    }

    /// The text of a number; empty for a number that was never assigned.
    pub(super) fn text(&self, number: u32) -> Arc<str> {
        let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
        inner.texts.get(number as usize).cloned().unwrap_or_else(|| Arc::from(""))
    }
}
