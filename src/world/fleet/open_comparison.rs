//! Compares the answers of many nodes without fact sets, with names and the results of unchanged lookups left open in texts. Nodes
//! whose answers differ only in these are compared once.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::causes::causes;
use super::difference::{Change, Difference, FleetPair, is_same_case, pairs};
use super::edited_ways::NotTold;
use super::groups::{Answered, ComparedAnswers, Side};
use super::spread::Concerned;
use super::{Fleet, SharedAnswer, distinct};
use crate::engine::cases::is_settled;
use crate::engine::{Answer, Request, may_be_same_value};
use crate::syntax::key_path;
use crate::world::parallel;

/// With fewer nodes without fact sets, each of them gets an answer without anything open.
pub(super) const MIN_NODES: usize = 4_096;

/// Whether nodes get another answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Same,
    Other,
    /// That depends on what is open.
    Undecided,
}

impl FleetPair {
    /// Compares those of the nodes for which it does not matter what is open. Adds their changes, and those whose answers do not
    /// tell everything to `unsettled`. Returns the other nodes.
    pub(super) fn compare_open(
        &self,
        request: &Request,
        nodes: Vec<u32>,
        difference: &mut Difference,
        unsettled: Option<&mut Concerned>,
    ) -> Vec<u32> {
        let is_partial = |node: &u32| !self.after().nodes()[*node as usize].is_complete();
        let (partial, mut left): (Vec<u32>, Vec<u32>) = nodes.into_iter().partition(is_partial);
        // Only such a request needs nothing of values but whether they are the same.
        let leaves_open = request.only_from.is_some() && !self.is_of_editor();
        let unchanged = (leaves_open && partial.len() >= self.min_open_nodes)
            .then(|| self.unchanged_keys())
            .flatten();
        let Some(unchanged) = unchanged else {
            left.extend(partial);
            left.sort_unstable();
            return left;
        };
        let open = Request { unchanged: Some(unchanged), ..request.clone() };
        let not_told = match self.edited_ways(request) {
            Some(ways) => self.add_open_in_ways(&ways, &partial, &open, difference),
            None => self.add_open(&partial, &open, difference),
        };
        if let Some(unsettled) = unsettled {
            unsettled.add_nodes(&not_told.unsettled);
        }
        left.extend(not_told.undecided);
        left.sort_unstable();
        left
    }

    /// Leaves out the nodes whose value comes from a file that does not matter, because their first file has the key: they need
    /// no lookup.
    pub(super) fn without_values_elsewhere(
        &self,
        request: &Request,
        mut nodes: Vec<u32>,
    ) -> Vec<u32> {
        let root = request.plain_key().and_then(|key| key_path::root_of(key));
        if let Some(matter) = &request.only_from
            && let Some(root) = root
            && !self.is_of_editor()
            // A global layer would be searched first.
            && self.after().environment().global_config.is_none()
            && let Some(keys) = self.unchanged_keys()
            && keys.merge_of(&root).is_some_and(|it| it.is_first_found())
        {
            let readings = &self.after().readings;
            let ends = readings.scope(None).ending_at_first_file(readings, &root, matter);
            nodes.retain(|node| !ends[*node as usize]);
        }
        nodes
    }

    /// Whether the comparison follows what is typed. Then answers from before the edit are kept, and those after it are made from
    /// them, which takes less time than to look up all of a key's answers again.
    fn is_of_editor(&self) -> bool {
        self.after().readings.reads_broken_files
    }

    /// Compares all cases of some nodes.
    fn add_open(&self, nodes: &[u32], open: &Request, difference: &mut Difference) -> NotTold {
        let (before, after, undecided) = self.compared_answers(open, nodes);
        let mut not_told = NotTold::default();
        let mut pairs = pairs(&before, &after, self.after().nodes().len());
        for (_, _, nodes) in &mut pairs {
            nodes.retain(|node| !undecided.contains(node));
        }
        pairs.retain(|(.., nodes)| !nodes.is_empty());
        not_told.undecided.extend(undecided);
        let answers = |one: usize, other: usize| (&before[one].answer, &after[other].answer);
        let verdicts = parallel::map(&pairs, |(one, other, _)| {
            let (before, after) = answers(*one, *other);
            verdict(before, after)
        });
        let mut changed = Vec::new();
        for ((one, other, nodes), verdict) in pairs.into_iter().zip(verdicts) {
            let (before, after) = answers(one, other);
            if verdict == Verdict::Undecided {
                not_told.undecided.extend(nodes);
                continue;
            }
            difference.note_compared(before, after, false);
            if !(is_settled(before) && is_settled(after)) {
                not_told.unsettled.extend(&nodes);
            }
            if verdict == Verdict::Other {
                changed.push((before, after, nodes));
            }
        }
        let request = Request { unchanged: None, ..open.clone() };
        let changes = parallel::map(&changed, |(before, after, nodes)| Change {
            key: Arc::clone(&request.names[0]),
            before: before.as_written().into(),
            after: after.as_written().into(),
            nodes: nodes.clone(),
            others: Vec::new(),
            causes: causes(self, nodes[0], &request),
        });
        difference.changes.extend(changes);
        not_told
    }

    /// The answers of some nodes on both sides, with what is open, and the nodes whose answers depend on that.
    pub(super) fn compared_answers(
        &self,
        open: &Request,
        nodes: &[u32],
    ) -> (Vec<SharedAnswer>, Vec<SharedAnswer>, BTreeSet<u32>) {
        let (before, mut undecided) = self.before().open_answers(open, nodes);
        let (after, more) = self.after().open_answers(open, nodes);
        undecided.extend(more);
        (before, after, undecided)
    }
}

impl Fleet {
    /// Each different answer of some nodes once, with what is open, and the nodes whose answers depend on that.
    fn open_answers(&self, request: &Request, nodes: &[u32]) -> (Vec<SharedAnswer>, BTreeSet<u32>) {
        let compared = ComparedAnswers::default();
        let Answered { answers, .. } =
            self.answers_among(request, nodes, Side::Compared(&compared));
        let (open, undecided) = compared.into_parts();
        let open = open.into_iter().map(|(answer, nodes)| {
            let answer = Arc::new(answer.open_answer().clone());
            SharedAnswer { answer, nodes }
        });
        (distinct(answers.into_iter().chain(open).collect()), undecided.into_iter().collect())
    }
}

/// Compares the cases of two answers with the same things open in both.
pub(super) fn verdict(before: &Answer, after: &Answer) -> Verdict {
    if before.left_out.is_empty() != after.left_out.is_empty() {
        return Verdict::Undecided;
    }
    let Some(cases) = before.case_by_case(after) else { return Verdict::Undecided };
    let mut verdict = Verdict::Same;
    for (one, other) in cases {
        if is_same_case(one, other) {
            continue;
        }
        if let (Ok(Some(one)), Ok(Some(other))) = (&one.outcome, &other.outcome)
            && may_be_same_value(&one.value, &other.value)
        {
            return Verdict::Undecided;
        }
        verdict = Verdict::Other;
    }
    verdict
}
