//! Caches the findings for single entries until the entries are edited. After an edit in a large file, the rules only check
//! one entry.

use std::cell::OnceCell;
use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use super::Diagnostic;
use super::entry::{EntryContext, entry_diagnostics};
use super::kept_findings::{Edited, KeptFindings};
use super::shared::text_lookup::TextLookup;
use super::shared::walk::plain_scalars;

use crate::config::Environment;
use crate::data::{DataFile, EntryTree, FileId};
use crate::ide::strings::{PlacedName, interpolated_strings, looked_up_keys, variables};
use crate::world::{Moment, World};

/// The maximum number of files whose entries are kept. Editors usually show fewer at once.
const MAX_FILES: usize = 64;

/// The number of removed entries up to which the entries after an edit keep their summaries.
const MAX_GAP: usize = 256;

/// The start of encrypted text.
const ENCRYPTED_MARK: &str = "ENC[";

/// What depends only on the entry itself. Ranges count from its first byte.
#[derive(Debug, Clone)]
pub(super) struct EntrySummary {
    /// The findings of the rules about single entries.
    pub(super) findings: Box<[Diagnostic]>,
    /// The variables that it reads.
    pub(super) variables: Box<[PlacedName]>,
    /// The keys that it looks up.
    pub(super) looked_up: Box<[PlacedName]>,
    /// Those keys whose values become strings.
    pub(super) texts: Box<[TextLookup]>,
    /// Whether something in it is encrypted.
    pub(super) has_encrypted: bool,
    /// How readers of YAML 1.2 read it, if a rule needed that.
    pub(super) disagreements: OnceCell<Box<[Diagnostic]>>,
    /// The words of the root keys that rules about other entries depend on, while no key and no call changes.
    pub(super) words: Option<Arc<[u64]>>,
    /// The findings of rules that also depend on other entries, while they are valid.
    pub(super) kept: Option<KeptFindings>,
}

/// The summaries of the files that were checked last.
#[derive(Default)]
pub(super) struct EntryCache {
    files: Mutex<HashMap<CacheKey, KeptFile>>,
}

type CacheKey = (FileId, Option<Box<str>>);

/// The summaries in the order of the file, each with the number of its trees.
type Summaries = VecDeque<(u64, Box<EntrySummary>)>;

#[derive(Default)]
struct KeptFile {
    summaries: Summaries,
    /// When [`EntrySummary::kept`] was found; `None` if nothing is kept.
    moment: Option<Moment>,
}

impl EntryCache {
    /// Runs `work` on all entries of a file, with data of `module` if there is one, until it returns that it is enough.
    /// Findings are kept if the moment is known for which they are valid.
    pub(super) fn each(
        &self,
        (world, environment): (&World, Option<&Environment>),
        (data, module): (&DataFile, Option<&str>),
        moment: Option<Moment>,
        mut work: impl FnMut(EntryTree<'_>, &mut EntrySummary) -> ControlFlow<()>,
    ) {
        let key = (data.file(), module.map(Box::from));
        // Take the summaries out, so that the lock is not held while rules run. Another thread that comes meanwhile starts
        // without summaries.
        let known = self.lock().remove(&key).unwrap_or_default();
        let earlier = known.moment.as_ref().filter(|_| moment.is_some()).zip(environment);
        let edits = earlier.and_then(|(earlier, it)| world.edits_since(earlier, it));
        let edited = edits.as_ref().and_then(Edited::new);
        let still_true = |summary: &mut EntrySummary| {
            // The words change only with the keys and calls of the environment.
            summary.words.take_if(|_| edited.is_none());
            summary.kept.take_if(|kept| edited.as_ref().is_none_or(|it| !kept.is_still_true(it)));
        };
        let mut known = known.summaries;
        let mut summaries = Summaries::with_capacity(known.len());
        for entry in data.trees() {
            let mut summary = take(&mut known, entry.id)
                .unwrap_or_else(|| Box::new(summary(entry, data, module)));
            still_true(&mut summary);
            let goes_on = work(entry, &mut summary);
            summaries.push_back((entry.id, summary));
            if goes_on.is_break() {
                // The rest of the file was not checked, but all of the file gets the new moment. So nothing may be kept
                // that an edit has changed.
                for (_, summary) in &mut known {
                    still_true(summary);
                }
                summaries.append(&mut known);
                break;
            }
        }
        let mut files = self.lock();
        if files.len() >= MAX_FILES {
            // Nothing tells which file is least needed, so all are dropped. Each costs one complete check.
            files.clear();
        }
        files.insert(key, KeptFile { summaries, moment });
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<CacheKey, KeptFile>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The summary of an entry. Summaries before it are dropped, because only few entries lie between those that an edit did
/// not change.
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
        // The text may be that of the whole file.
        has_encrypted: value.range.slice(text).contains(ENCRYPTED_MARK),
        disagreements: OnceCell::new(),
        words: None,
        kept: None,
    }
}
