//! What the rules said of single entries, kept as long as the entries stay as they are: typing in a large file costs one
//! entry.

use std::cell::OnceCell;
use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use super::Diagnostic;
use super::entry::{EntryContext, entry_diagnostics};
use super::kept_findings::{Edited, KeptFindings};
use super::shared::text_lookup::TextLookup;
use super::shared::walk::plain_scalars;

use crate::config::Environment;
use crate::data::{DataFile, EntryTree, FileId};
use crate::ide::strings::{PlacedName, interpolated_strings, looked_up_keys, variables};
use crate::world::{Moment, World};

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
    /// What rules said that look at other entries as well, as long as that is true.
    pub(super) kept: Option<KeptFindings>,
}

/// The summaries of the files that were asked for lately.
#[derive(Default)]
pub(super) struct EntryCache {
    files: Mutex<HashMap<CacheKey, KeptFile>>,
}

type CacheKey = (FileId, Option<Box<str>>);

/// In the order of the file, each with the number of its trees.
type Summaries = VecDeque<(u64, Box<EntrySummary>)>;

#[derive(Default)]
struct KeptFile {
    summaries: Summaries,
    /// When [`EntrySummary::kept`] was found; `None` if nothing is kept.
    moment: Option<Moment>,
}

impl EntryCache {
    /// Runs `work` on all entries of a file, the data of `module` if there is one, until it says that it is enough. What it keeps
    /// of findings is kept if there is a moment for which they are true.
    pub(super) fn each(
        &self,
        (world, environment): (&World, Option<&Environment>),
        (data, module): (&DataFile, Option<&str>),
        moment: Option<Moment>,
        mut work: impl FnMut(EntryTree<'_>, &mut EntrySummary) -> ControlFlow<()>,
    ) {
        let key = (data.file(), module.map(Box::from));
        // Taken out, so that the lock is not held while rules run; who comes meanwhile starts from nothing.
        let known = self.lock().remove(&key).unwrap_or_default();
        let earlier = known.moment.as_ref().filter(|_| moment.is_some()).zip(environment);
        let edits = earlier.and_then(|(earlier, it)| world.edits_since(earlier, it));
        let edited = edits.as_ref().and_then(Edited::new);
        let still_true = |summary: &mut EntrySummary| {
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
                for (_, summary) in &mut known {
                    still_true(summary);
                }
                summaries.append(&mut known);
                break;
            }
        }
        let mut files = self.lock();
        if files.len() >= MAX_FILES {
            files.clear();
        }
        files.insert(key, KeptFile { summaries, moment });
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<CacheKey, KeptFile>> {
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
        // The text may be that of the whole file.
        has_encrypted: value.range.slice(text).contains(ENCRYPTED_MARK),
        disagreements: OnceCell::new(),
        kept: None,
    }
}
