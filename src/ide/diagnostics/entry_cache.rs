//! What the rules said of single entries, kept as long as the entries stay as they are: typing in a large file costs one
//! entry.

use std::cell::OnceCell;
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use super::Diagnostic;
use super::entry::{EntryContext, entry_diagnostics};
use super::shared::text_lookup::TextLookup;
use super::shared::walk::plain_scalars;
use crate::data::{DataFile, EntryTree, FileId};
use crate::ide::strings::{PlacedName, interpolated_strings, looked_up_keys, variables};

/// Files whose entries are kept; more than editors usually show at once.
const MAX_FILES: usize = 64;

/// How many entries an edit may take away before those behind it are looked at anew.
const MAX_GAP: usize = 256;

/// What stands before an encrypted text.
const ENCRYPTED_MARK: &str = "ENC[";

/// One entry as far as nothing but the entry matters. Ranges count from its first byte.
#[derive(Debug, Clone)]
pub(super) struct EntrySummary {
    /// What the rules about single entries say.
    pub(super) findings: Box<[Diagnostic]>,
    /// The variables that it reads.
    pub(super) variables: Box<[PlacedName]>,
    /// The keys that it looks up.
    pub(super) looked_up: Box<[PlacedName]>,
    /// Those of them whose values it makes texts of.
    pub(super) texts: Box<[TextLookup]>,
    /// Whether something in it is encrypted.
    pub(super) has_encrypted: bool,
    /// What readers of YAML 1.2 make of it, once that was asked for.
    pub(super) disagreements: OnceCell<Box<[Diagnostic]>>,
}

/// The summaries of the files that were asked for lately.
#[derive(Debug, Default)]
pub(super) struct EntryCache {
    files: Mutex<HashMap<CacheKey, Summaries>>,
}

type CacheKey = (FileId, Option<Box<str>>);

/// In the order of the file, each with the number of its trees.
type Summaries = VecDeque<(u64, Box<EntrySummary>)>;

impl EntryCache {
    /// Runs `work` on all entries of a file, the data of `module` if there is one.
    pub(super) fn each(
        &self,
        data: &DataFile,
        module: Option<&str>,
        mut work: impl FnMut(EntryTree<'_>, &EntrySummary),
    ) {
        let key = (data.file(), module.map(Box::from));
        // Taken out, so that the lock is not held while rules run; who comes meanwhile starts from nothing.
        let mut known = self.lock().remove(&key).unwrap_or_default();
        let mut summaries = Summaries::with_capacity(known.len());
        for entry in data.trees() {
            let summary = take(&mut known, entry.id)
                .unwrap_or_else(|| Box::new(summary(entry, data, module)));
            work(entry, &summary);
            summaries.push_back((entry.id, summary));
        }
        let mut files = self.lock();
        if files.len() >= MAX_FILES {
            files.clear();
        }
        files.insert(key, summaries);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<CacheKey, Summaries>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The summary of an entry, which lets go those before it. Between the entries that an edit left alone there are few others.
fn take(known: &mut Summaries, id: u64) -> Option<Box<EntrySummary>> {
    let at = known.iter().take(MAX_GAP).position(|(known, _)| *known == id)?;
    known.drain(..at);
    known.pop_front().map(|(_, summary)| summary)
}

fn summary(entry: EntryTree<'_>, data: &DataFile, module: Option<&str>) -> EntrySummary {
    let EntryTree { text, key, value, .. } = entry;
    let strings = interpolated_strings(text, value);
    let (variables, looked_up) = (variables(&strings).into(), looked_up_keys(&strings).into());
    let format = data.format();
    let plain = plain_scalars(format, key, value);
    let context = EntryContext { text, format, module, key, value, strings, plain };
    EntrySummary {
        findings: entry_diagnostics(&context).into(),
        variables,
        looked_up,
        texts: TextLookup::all(&context.strings).into(),
        has_encrypted: text.contains(ENCRYPTED_MARK),
        disagreements: OnceCell::new(),
    }
}
