//! What lenses, tokens and hints say about the root keys of a file. It is kept between edits: an entry is only looked up
//! again if it was edited, or if a key that its lookup read was edited.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::code_lens::title;
use super::overridden::{Overridden, shared_key};
use super::perspective::Perspective;
use crate::config::Environment;
use crate::data::{DataFile, EntryTree, FileId, Format, Section, new_id};
use crate::engine::{CancelToken, root_hash};
use crate::facts::Node;
use crate::world::{KeyEdits, Moment};

/// The maximum number of files whose entries are kept: those that were used last.
const MAX_FILES: usize = 16;

/// What is known about the root key of one entry.
#[derive(Debug)]
pub(crate) struct EntryAnswer {
    /// The title of a lens; `None` if no other file has the key, or if the node does not read this file.
    pub(crate) title: Option<String>,
    /// The parts of the entry that are not used, in bytes from the start of the entry.
    pub(crate) overridden: Box<[Overridden]>,
    /// The root keys that the lookup read; `None` if it can be any key.
    roots: Option<Box<[u64]>>,
    /// The files of the places in the result.
    files: Box<[FileId]>,
}

/// The results for the entries of one file and one node, by section.
pub(crate) struct EntryAnswers {
    sections: Vec<Arc<SectionAnswers>>,
}

/// The results for the entries of one section, in their order. It only has results that were needed.
pub(crate) struct SectionAnswers {
    /// No other results, section or entry ever gets this number.
    pub(crate) id: u64,
    /// The number of the section.
    section: u64,
    entries: Box<[(u64, OnceLock<Arc<EntryAnswer>>)]>,
    reads: OnceLock<Reads>,
}

/// What all results of a section depend on.
struct Reads {
    /// The root keys that the lookups read, sorted; `None` if they can be any keys.
    roots: Option<Box<[u64]>>,
    /// The files of the places in the results.
    files: Box<[FileId]>,
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
    /// The results for the entries of `data`, in the order of [`DataFile::sections`]. Earlier results that are still valid
    /// are included.
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
        let sections = data.sections().map(|it| SectionAnswers::of(it, |_| None));
        Self { sections: sections.collect() }
    }

    /// The results after some edits.
    fn after(&self, edits: &KeyEdits, data: &DataFile) -> Self {
        let edited: Vec<u64> = edits.keys.iter().map(|key| root_hash(key)).collect();
        let is_still_true = |it: &&Arc<EntryAnswer>| it.is_still_true(&edited, edits);
        let numbers: HashSet<u64> = data.sections().map(|it| it.id).collect();
        let (same, gone): (Vec<_>, Vec<_>) =
            self.sections.iter().partition(|it| it.section != 0 && numbers.contains(&it.section));
        let same: HashMap<u64, _> = same.into_iter().map(|it| (it.section, it)).collect();
        // An edited section has most of its entries from the section before the edit.
        let of_gone: HashMap<u64, &Arc<EntryAnswer>> =
            gone.iter().flat_map(|it| it.known()).filter(|(_, it)| is_still_true(it)).collect();
        let sections = data.sections().map(|section| match same.get(&section.id) {
            Some(known) if known.is_still_true(&edited, edits) => Arc::clone(known),
            Some(known) => {
                let valid: HashMap<u64, _> =
                    known.known().filter(|(_, it)| is_still_true(it)).collect();
                SectionAnswers::of(section, |entry| valid.get(&entry).map(|it| Arc::clone(it)))
            }
            None => {
                SectionAnswers::of(section, |entry| of_gone.get(&entry).map(|it| Arc::clone(it)))
            }
        });
        Self { sections: sections.collect() }
    }

    /// The results for the section with the number `number` in the file.
    pub(crate) fn section(&self, number: usize) -> &SectionAnswers {
        self.sections.get(number).expect("there are results for each section")
    }
}

impl SectionAnswers {
    fn of(section: Section<'_>, known: impl Fn(u64) -> Option<Arc<EntryAnswer>>) -> Arc<Self> {
        let entry = |entry: EntryTree<'_>| {
            let slot = known(entry.id).map_or_else(OnceLock::new, OnceLock::from);
            (entry.id, slot)
        };
        Arc::new(Self {
            id: new_id(),
            section: section.id,
            entries: section.trees().map(entry).collect(),
            reads: OnceLock::new(),
        })
    }

    /// The results that were needed, by the numbers of their entries.
    fn known(&self) -> impl Iterator<Item = (u64, &Arc<EntryAnswer>)> {
        self.entries.iter().filter_map(|(entry, slot)| Some((*entry, slot.get()?)))
    }

    /// Whether all results are known and still valid. A result that is missing would be added for a later moment, and no
    /// edit in between would be noticed.
    fn is_still_true(&self, edited: &[u64], edits: &KeyEdits) -> bool {
        let Some(reads) = self.reads() else { return false };
        let reads_edited = |roots: &[u64]| edited.iter().any(|it| roots.binary_search(it).is_ok());
        reads.roots.as_ref().is_some_and(|roots| !reads_edited(roots))
            && !reads.files.iter().any(|file| edits.files.contains(file))
    }

    /// What the results depend on; `None` if some are not known.
    fn reads(&self) -> Option<&Reads> {
        if self.reads.get().is_none() && self.known().count() < self.entries.len() {
            return None;
        }
        Some(self.reads.get_or_init(|| {
            let mut files: Vec<FileId> =
                self.known().flat_map(|(_, it)| &it.files).copied().collect();
            files.sort_unstable();
            files.dedup();
            let roots: Option<Vec<&[u64]>> =
                self.known().map(|(_, it)| it.roots.as_deref()).collect();
            let roots = roots.map(|roots| {
                let mut roots = roots.concat();
                roots.sort_unstable();
                roots.dedup();
                roots.into()
            });
            Reads { roots, files: files.into() }
        }))
    }

    /// The result for `entry`, which has the number `number` in the section; `None` if the request was cancelled.
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
        let (shared, roots) = shared_key(perspective, path, entry, cancel);
        let Some(shared) = shared else {
            return Self { title: None, overridden: Box::default(), roots, files: Box::default() };
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
        Self { title, overridden, roots, files: files.into() }
    }

    fn is_still_true(&self, edited: &[u64], edits: &KeyEdits) -> bool {
        let is_in_place = !self.files.iter().any(|file| edits.files.contains(file));
        let reads = |roots: &[u64]| roots.iter().any(|root| edited.contains(root));
        is_in_place && self.roots.as_ref().is_some_and(|roots| !reads(roots))
    }
}
