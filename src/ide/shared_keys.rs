//! What lenses, tokens and hints say of the root keys of a file, kept from edit to edit: each entry is looked up again only if
//! it was edited, or a key that its lookup read.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::code_lens::title;
use super::overridden::{Overridden, shared_key};
use super::perspective::Perspective;
use crate::config::Environment;
use crate::data::{DataFile, EntryTree, FileId, Format, new_id};
use crate::engine::{CancelToken, root_hash};
use crate::facts::Node;
use crate::world::{KeyEdits, Moment};

/// Files of which entries are kept, those asked for last.
const MAX_FILES: usize = 16;

/// How many entries an edit may take away before those behind it are looked up anew.
const MAX_GAP: usize = 256;

/// What there is to say of the root key of one entry.
#[derive(Debug)]
pub(crate) struct EntryAnswer {
    /// Never given to another answer, nor to an entry.
    pub(crate) id: u64,
    /// What a lens says; `None` if no other file has the key, or the node does not read this one.
    pub(crate) title: Option<String>,
    /// What of the entry does not count, in bytes from the begin of the entry.
    pub(crate) overridden: Box<[Overridden]>,
    /// The root keys that the lookup read; `None` if that can be any.
    roots: Option<Box<[u64]>>,
    /// The files that places in the answer lie in.
    files: Box<[FileId]>,
}

/// The answers to the entries of one file as one node gets them, in the order of the file: those that were asked for.
pub(crate) struct EntryAnswers {
    entries: Vec<(u64, OnceLock<Arc<EntryAnswer>>)>,
}

/// The answers that are kept.
#[derive(Default)]
struct KeptAnswers(Mutex<VecDeque<KeptFile>>);

struct KeptFile {
    file: FileId,
    format: Format,
    environment: Arc<Environment>,
    node: Arc<Node>,
    moment: Moment,
    answers: Arc<EntryAnswers>,
}

impl EntryAnswers {
    /// The answers to the entries of `data`, in the order of [`DataFile::trees`]. What was found out before and is still true
    /// is there.
    pub(crate) fn of(perspective: &Perspective, data: &DataFile) -> Arc<Self> {
        let world = &perspective.world;
        let (environment, node) =
            (perspective.evaluator.environment(), perspective.evaluator.node());
        let kept = world.attached::<KeptAnswers>();
        let is_it = |it: &KeptFile| {
            it.file == data.file()
                && it.format == data.format()
                && Arc::ptr_eq(&it.node, node)
                && it.environment == *environment
        };
        // Requests for the same moment share what they find, so the first one makes the others wait.
        let mut files = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = files.iter().position(is_it).and_then(|at| files.remove(at));
        let edits = known.as_ref().and_then(|it| world.edits_since(&it.moment, environment));
        let answers = match (&known, edits) {
            (Some(known), Some(edits)) if edits.files.is_empty() => known.answers.clone(),
            // Where keys come or go, a file may be read otherwise as a whole.
            (Some(known), Some(edits)) if !edits.has_other_keys => {
                Arc::new(known.answers.after(&edits, data))
            }
            _ => Arc::new(Self::unknown(data)),
        };
        let is_newer = known.as_ref().is_none_or(|it| it.moment.revision() <= world.revision());
        files.push_front(match known {
            Some(known) if !is_newer => known,
            _ => KeptFile {
                file: data.file(),
                format: data.format(),
                environment: environment.clone(),
                node: node.clone(),
                moment: world.moment(),
                answers: answers.clone(),
            },
        });
        files.truncate(MAX_FILES);
        answers
    }

    fn unknown(data: &DataFile) -> Self {
        Self { entries: data.trees().map(|entry| (entry.id, OnceLock::new())).collect() }
    }

    /// The answers after some edits.
    fn after(&self, edits: &KeyEdits, data: &DataFile) -> Self {
        let edited: Vec<u64> = edits.keys.iter().map(|key| root_hash(key)).collect();
        let mut known = &self.entries[..];
        let entries = data.trees().map(|entry| {
            let slot = OnceLock::new();
            if let Some(at) = known.iter().take(MAX_GAP).position(|(id, _)| *id == entry.id) {
                let answer = known[at].1.get().filter(|it| it.is_still_true(&edited, edits));
                if let Some(answer) = answer {
                    slot.get_or_init(|| answer.clone());
                }
                known = &known[at + 1..];
            }
            (entry.id, slot)
        });
        Self { entries: entries.collect() }
    }

    /// The answer to the entry of number `number`, which is `entry`; `None` if the request was cancelled.
    pub(crate) fn get(
        &self,
        number: usize,
        perspective: &Perspective,
        path: &str,
        entry: EntryTree<'_>,
        cancel: &CancelToken,
    ) -> Option<Arc<EntryAnswer>> {
        let (_, slot) = self.entries.get(number)?;
        if let Some(known) = slot.get() {
            return Some(known.clone());
        }
        let made = EntryAnswer::new(perspective, path, entry, cancel);
        if cancel.is_cancelled() {
            return None;
        }
        Some(slot.get_or_init(|| Arc::new(made)).clone())
    }
}

impl EntryAnswer {
    fn new(
        perspective: &Perspective,
        path: &str,
        entry: EntryTree<'_>,
        cancel: &CancelToken,
    ) -> Self {
        let id = new_id();
        let (shared, roots) = shared_key(perspective, path, entry, cancel);
        let Some(shared) = shared else {
            return Self {
                id,
                title: None,
                overridden: Box::default(),
                roots,
                files: Box::default(),
            };
        };
        let overridden: Box<[Overridden]> = shared.overridden(path, entry).into();
        let places = overridden.iter().flat_map(|it| {
            let value = it.winner.as_ref().and_then(|winner| winner.place);
            value.into_iter().chain(it.winner_place)
        });
        let mut files: Vec<FileId> = places.map(|place| place.file).collect();
        files.sort_unstable();
        files.dedup();
        let title = title(perspective, path, &shared);
        Self { id, title, overridden, roots, files: files.into() }
    }

    fn is_still_true(&self, edited: &[u64], edits: &KeyEdits) -> bool {
        let is_in_place = !self.files.iter().any(|file| edits.files.contains(file));
        let reads = |roots: &[u64]| roots.iter().any(|root| edited.contains(root));
        is_in_place && self.roots.as_ref().is_some_and(|roots| !reads(roots))
    }
}
