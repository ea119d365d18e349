//! Caches the answers from before an edit while the user types, because the same keys are looked up after each keystroke.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use indexmap::IndexMap;

use super::groups::{Answered, Side};
use super::{Fleet, SharedAnswer};
use crate::engine::{Answer, Condition, EditedEntries, Request};
use crate::facts::Node;

/// The maximum number of cases in all kept answers, unless those to the last question have more.
const MAX_CASES: usize = 1 << 18;

/// The maximum number of cases in the answers to the last question. If each of thousands of nodes has cases of its own, the next
/// keystroke needs them again.
const MAX_CASES_OF_LAST: usize = 1 << 20;

/// What a lookup asks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Question {
    key: Arc<str>,
    /// What is true of the nodes in addition to what is known of them.
    assuming: Vec<Condition>,
    /// The files that matter, if not all do.
    only_from: Option<Arc<BTreeSet<Arc<str>>>>,
}

/// Answers by what was looked up.
#[derive(Default)]
pub(super) struct EarlierAnswers(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    /// Those that were used last come last.
    answers: IndexMap<Question, ToQuestion>,
    /// The number of cases in `answers`.
    cases: usize,
}

/// The answers to one question.
#[derive(Default)]
struct ToQuestion {
    /// The answers of some nodes.
    shared: Option<Arc<Earlier>>,
    /// The answer for a node that does not belong to the fleet.
    of_any: Option<(Arc<Node>, Arc<Answer>)>,
}

/// The answers of some nodes before an edit.
pub(super) struct Earlier {
    /// The nodes that were looked up.
    nodes: Vec<u32>,
    /// Each different answer once.
    pub(super) answers: Vec<SharedAnswer>,
    /// Entries, and the nodes whose lookups may have read one of them, sorted.
    readers: Option<(EditedEntries, Vec<u32>)>,
}

impl Earlier {
    /// The nodes that may get another answer when these entries are edited. It is all of them if these are not known.
    pub(super) fn may_change(&self, edited: Option<&EditedEntries>) -> &[u32] {
        match (edited, &self.readers) {
            (Some(edited), Some((known, readers))) if edited.are_among(known) => readers,
            _ => &self.nodes,
        }
    }

    /// Whether it has the answers of `nodes`, and tells which of them may get another answer when these entries are edited.
    fn tells_of(&self, nodes: &[u32], edited: Option<&EditedEntries>) -> bool {
        let known = self.readers.as_ref().map(|(known, _)| known);
        let tells = |edited: &EditedEntries| known.is_some_and(|it| edited.are_among(it));
        self.nodes == nodes && edited.is_none_or(tells)
    }
}

impl ToQuestion {
    fn cases(&self) -> usize {
        let shared = self.shared.iter().flat_map(|earlier| &earlier.answers);
        let of_any = self.of_any.iter().map(|(_, answer)| cases(answer));
        shared.map(|it| cases(&it.answer)).chain(of_any).sum::<usize>()
    }
}

fn cases(answer: &Answer) -> usize {
    answer.cases.len().max(1)
}

impl EarlierAnswers {
    fn find<R>(&self, question: &Question, of: impl FnOnce(&ToQuestion) -> Option<R>) -> Option<R> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.answers.get_index_of(question)?;
        let last = kept.answers.len() - 1;
        kept.answers.move_index(at, last);
        of(&kept.answers[last])
    }

    fn keep(&self, question: Question, add: impl FnOnce(&mut ToQuestion)) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = kept.answers.shift_remove(&question).unwrap_or_default();
        kept.cases -= known.cases();
        add(&mut known);
        kept.cases += known.cases();
        kept.answers.insert(question, known);
        let is_too_much = |kept: &Kept| match kept.answers.len() {
            0 => false,
            1 => kept.cases > MAX_CASES_OF_LAST,
            _ => kept.cases > MAX_CASES,
        };
        while is_too_much(&kept)
            && let Some((_, oldest)) = kept.answers.shift_remove_index(0)
        {
            kept.cases -= oldest.cases();
        }
    }
}

impl Fleet {
    /// The answers of some of the nodes, and which of them may change when these entries are edited. They are kept.
    pub(super) fn earlier_answers(
        &self,
        request: &Request,
        nodes: &[u32],
        edited: Option<&EditedEntries>,
    ) -> Arc<Earlier> {
        let ask = || {
            let side = edited.map_or(Side::Only, Side::Earlier);
            let Answered { answers, readers } = self.answers_among(request, nodes, side);
            let readers = edited.map(|edited| (edited.clone(), readers));
            Arc::new(Earlier { nodes: nodes.to_vec(), answers, readers })
        };
        let Some(question) = question(request) else { return ask() };
        let known = self.earlier.find(&question, |it| {
            it.shared.as_ref().filter(|it| it.tells_of(nodes, edited)).cloned()
        });
        if let Some(found) = known {
            return found;
        }
        let found = ask();
        // The result of a cancelled lookup is incomplete.
        if !request.cancel.is_cancelled() {
            let kept = Some(found.clone());
            self.earlier.keep(question, |it| it.shared = kept);
        }
        found
    }

    /// The answer for a node that need not belong to the fleet. It is kept.
    pub(super) fn earlier_answer_of(&self, node: &Arc<Node>, request: &Request) -> Arc<Answer> {
        let ask = || Arc::new(self.new_evaluator_of(node).call(request));
        let Some(question) = question(request) else { return ask() };
        let known = self.earlier.find(&question, |it| {
            let known = it.of_any.as_ref().filter(|(asked, _)| Arc::ptr_eq(asked, node));
            known.map(|(_, found)| found.clone())
        });
        if let Some(found) = known {
            return found;
        }
        let found = ask();
        if !request.cancel.is_cancelled() {
            let kept = Some((node.clone(), found.clone()));
            self.earlier.keep(question, |it| it.of_any = kept);
        }
        found
    }
}

/// What a request asks; `None` if it has options, so that its answers are not kept.
pub(super) fn question(request: &Request) -> Option<Question> {
    let Request { assuming, only_from, .. } = request;
    let key = Arc::clone(request.plain_key()?);
    Some(Question { key, assuming: assuming.clone(), only_from: only_from.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(key: &str) -> Question {
        Question { key: key.into(), assuming: Vec::new(), only_from: None }
    }

    fn keep(kept: &EarlierAnswers, key: &str, count: usize) {
        let answer = SharedAnswer { answer: Arc::new(Answer::nothing()), nodes: vec![0] };
        let answers = vec![answer; count];
        let earlier = Earlier { nodes: vec![0], answers, readers: None };
        kept.keep(question(key), |it| it.shared = Some(earlier.into()));
    }

    fn is_kept(kept: &EarlierAnswers, key: &str) -> bool {
        kept.find(&question(key), |it| it.shared.as_ref().map(|_| ())).is_some()
    }

    #[test]
    fn the_answers_that_were_not_used_for_longest_go_first() {
        let kept = EarlierAnswers::default();
        for key in ["a", "b", "c"] {
            keep(&kept, key, MAX_CASES / 3);
        }
        assert!(is_kept(&kept, "a"));
        keep(&kept, "d", 2);
        assert_eq!(["a", "b", "c", "d"].map(|key| is_kept(&kept, key)), [true, false, true, true]);
        // What is kept again counts once.
        keep(&kept, "d", 1);
        assert_eq!(kept.0.lock().expect("no panic").cases, 2 * (MAX_CASES / 3) + 1);
        keep(&kept, "e", MAX_CASES + 1);
        assert_eq!(["c", "d", "e"].map(|key| is_kept(&kept, key)), [false, false, true]);
        keep(&kept, "f", MAX_CASES_OF_LAST + 1);
        assert_eq!(["e", "f"].map(|key| is_kept(&kept, key)), [false; 2]);
    }
}
