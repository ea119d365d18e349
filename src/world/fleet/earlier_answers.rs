//! Caches the answers from before an edit while the user types, because the same keys are looked up after each keystroke.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Fleet, SharedAnswer};
use crate::engine::{Answer, Request};
use crate::facts::Node;

/// The maximum number of keys with kept answers.
const MAX_KEYS: usize = 64;

/// Answers by key.
#[derive(Default)]
pub(super) struct EarlierAnswers(Mutex<HashMap<Arc<str>, OfKey>>);

/// What is known about one key.
#[derive(Default)]
struct OfKey {
    /// The nodes that were looked up, and their answers.
    shared: Option<(Vec<u32>, Arc<[SharedAnswer]>)>,
    /// The answer for a node that does not belong to the fleet.
    of_any: Option<(Arc<Node>, Arc<Answer>)>,
}

impl EarlierAnswers {
    fn with<R>(&self, key: &Arc<str>, work: impl FnOnce(&mut OfKey) -> R) -> R {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_KEYS && !known.contains_key(key) {
            known.clear();
        }
        work(known.entry(Arc::clone(key)).or_default())
    }
}

impl Fleet {
    /// The answers of some of the nodes, each different answer once. They are kept.
    pub(super) fn earlier_answers(&self, request: &Request, nodes: &[u32]) -> Arc<[SharedAnswer]> {
        let ask = || -> Arc<[SharedAnswer]> { self.answers_among(request, nodes).into() };
        let Some(key) = request.plain_key() else { return ask() };
        let known = self.earlier.with(key, |it| it.shared.clone());
        if let Some((_, found)) = known.filter(|(asked, _)| asked == nodes) {
            return found;
        }
        let found = ask();
        // The result of a cancelled lookup is incomplete.
        if !request.cancel.is_cancelled() {
            self.earlier.with(key, |it| it.shared = Some((nodes.to_vec(), found.clone())));
        }
        found
    }

    /// The answer for a node that need not belong to the fleet. It is kept.
    pub(super) fn earlier_answer_of(&self, node: &Arc<Node>, request: &Request) -> Arc<Answer> {
        let ask = || Arc::new(self.new_evaluator_of(node).call(request));
        let Some(key) = request.plain_key() else { return ask() };
        let known = self.earlier.with(key, |it| it.of_any.clone());
        if let Some((_, found)) = known.filter(|(asked, _)| Arc::ptr_eq(asked, node)) {
            return found;
        }
        let found = ask();
        if !request.cancel.is_cancelled() {
            self.earlier.with(key, |it| it.of_any = Some((node.clone(), found.clone())));
        }
        found
    }
}
