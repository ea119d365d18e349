//! Caches, while the user types in an entry, the runs of lookups that do not read it. If the names of nodes are in many values,
//! each node has runs of its own, and most of these have nothing to do with the entry that is edited.
//!
//! Their values are the same for every text of the entry. Their places are those of an earlier text, and a comparison shows
//! none of them: it finds the lines of an edit itself.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::earlier_answers::{Question, question};
use crate::engine::{EditedEntries, Recording, Request};

/// The maximum number of runs that are kept. Each takes about 3 KB.
const MAX_RUNS: usize = 1 << 16;

/// The runs of one edit: the one that is being typed.
#[derive(Default)]
pub(super) struct UneditedRuns(Mutex<Arc<OfEdit>>);

#[derive(Default)]
struct OfEdit {
    edited: EditedEntries,
    questions: Mutex<HashMap<Question, Arc<OfQuestion>>>,
    /// The number of runs in them.
    count: AtomicUsize,
    /// How many runs were taken over by later lookups.
    #[cfg(test)]
    taken: AtomicUsize,
}

/// By the number of the node.
type OfQuestion = Mutex<HashMap<u32, Arc<Recording>, foldhash::fast::RandomState>>;

/// The runs of the lookups for one question.
pub(super) struct OfNodes {
    of_edit: Arc<OfEdit>,
    of_question: Arc<OfQuestion>,
}

impl UneditedRuns {
    /// The runs for a request that read none of the edited entries. `None` if the request is made for the first time during
    /// this edit: it may be the only time, and to record runs would not pay.
    pub(super) fn of(&self, edited: &EditedEntries, request: &Request) -> Option<OfNodes> {
        let question = question(request)?;
        let of_edit = {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if !edited.are_among(&kept.edited) {
                *kept = Arc::new(OfEdit { edited: edited.clone(), ..OfEdit::default() });
            }
            kept.clone()
        };
        let mut questions = of_edit.questions.lock().unwrap_or_else(PoisonError::into_inner);
        let known = questions.get(&question).cloned();
        if known.is_none() {
            questions.insert(question, Arc::default());
        }
        drop(questions);
        Some(OfNodes { of_question: known?, of_edit })
    }
}

#[cfg(test)]
impl UneditedRuns {
    /// How many runs were taken over since the last edit of other entries.
    pub(super) fn count_taken(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).taken.load(Ordering::Relaxed)
    }
}

impl OfNodes {
    /// The entries that the runs do not read.
    pub(super) fn edited(&self) -> &EditedEntries {
        &self.of_edit.edited
    }

    /// The runs for a node, if they are known.
    pub(super) fn known(&self, node: u32) -> Option<Arc<Recording>> {
        let known = self.of_question.lock().unwrap_or_else(PoisonError::into_inner);
        let runs = known.get(&node).cloned();
        #[cfg(test)]
        self.of_edit.taken.fetch_add(runs.as_ref().map_or(0, |it| it.len()), Ordering::Relaxed);
        runs
    }

    /// Keeps the runs for a node, as long as there are not too many.
    pub(super) fn keep(&self, node: u32, runs: Recording) {
        let count = runs.len();
        if self.of_edit.count.fetch_add(count, Ordering::Relaxed) + count > MAX_RUNS {
            self.of_edit.count.fetch_sub(count, Ordering::Relaxed);
            return;
        }
        let mut known = self.of_question.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(node, Arc::new(runs));
    }
}
