//! What lenses, tokens and hints say about the root keys of a file. It is kept between edits: an entry is only looked up
//! again if it was edited, or if a key that its lookup read was edited.

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

/// The maximum number of files whose entries are kept: those that were used last.
const MAX_FILES: usize = 16;

/// The number of removed entries up to which the entries after an edit keep their results.
const MAX_GAP: usize = 256;

/// What is known about the root key of one entry.
#[derive(Debug)]
pub(crate) struct EntryAnswer {
    /// No other result and no entry ever gets this number.
    pub(crate) id: u64,
    /// The title of a lens; `None` if no other file has the key, or if the node does not read this file.
    pub(crate) title: Option<String>,
    /// The parts of the entry that are not used, in bytes from the start of the entry.
    pub(crate) overridden: Box<[Overridden]>,
    /// The root keys that the lookup read; `None` if it can be any key.
    roots: Option<Box<[u64]>>,
    /// The files of the places in the result.
    files: Box<[FileId]>,
}

/// The results for the entries of one file and one node, in the order of the file. It only has results that were needed.
pub(crate) struct EntryAnswers {
    entries: Vec<(u64, OnceLock<Arc<EntryAnswer>>)>,
}

/// The results that are kept.
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
    /// The results for the entries of `data`, in the order of [`DataFile::trees`]. Earlier results that are still valid are
    /// included.
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
        // Requests for the same moment share their results, so the others wait for the first one.
        let mut files = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = files.iter().position(is_it).and_then(|at| files.remove(at));
        let edits = known.as_ref().and_then(|it| world.edits_since(&it.moment, environment));
        let answers = match (&known, edits) {
            (Some(known), Some(edits)) if edits.files.is_empty() => known.answers.clone(),
            // If keys were added or removed, the whole file may have another meaning.
            (Some(known), Some(edits)) if !edits.has_other_keys => {
                Arc::new(known.answers.after(&edits, data))
            }
            _ => Arc::new(Self::unknown(data)),
        };
        // A request for an older snapshot may be served later. It must not replace newer results.
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

    /// The results after some edits.
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

    /// The result for `entry`, which has the number `number`; `None` if the request was cancelled.
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
        // The answer of a cancelled lookup is not complete, so it is not kept.
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
