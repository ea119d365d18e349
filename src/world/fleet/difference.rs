//! The difference between two snapshots: the keys with another answer, the nodes and cases that get it, and the edits that
//! cause it.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::affected::AffectedKeys;
use super::causes::{Cause, causes, of_any};
use super::{Fleet, SharedAnswer, is_same_with_cases};
use crate::engine::cases::is_same_outcome;
use crate::engine::{Answer, Assumed, Case, Condition, Request, module_of_key};
use crate::facts::Node;
use crate::syntax::key_path;

/// A key whose answer changes in the same way for some nodes.
#[derive(Debug, Clone)]
pub struct Change {
    /// The key.
    pub key: Arc<str>,
    /// The answer before.
    pub before: Answer,
    /// The answer now.
    pub after: Answer,
    /// The nodes, by their numbers in the fleets.
    pub nodes: Vec<u32>,
    /// The cases of any other node, each as a list of conditions. An empty list means all other cases.
    pub cases: Vec<Vec<Condition>>,
    /// The edits that changed it.
    pub causes: Vec<Cause>,
}

/// The difference for one key.
#[derive(Debug, Clone, Default)]
pub struct Difference {
    /// The changes, the rarest first.
    pub changes: Vec<Change>,
    /// Why not everything is known about the key: levels that are not evaluated, or too many cases.
    pub not_proved: Vec<Arc<str>>,
    /// Whether there were too many cases to compare.
    leaves_cases_out: bool,
    /// Whether there are several cases of any other node, before or after.
    pub has_cases: bool,
}

/// Two fleets of the same nodes, number by number, in two snapshots; and any other node.
pub struct FleetPair {
    before: Arc<Fleet>,
    after: Arc<Fleet>,
    /// Represents all nodes that are not listed, before and after.
    any: Option<(Arc<Node>, Arc<Node>)>,
    /// Computed once.
    pub(super) affected: OnceLock<Option<AffectedKeys>>,
}

impl FleetPair {
    /// Two fleets. Their nodes must have the same names, in the same order.
    pub fn new(
        before: impl Into<Arc<Fleet>>,
        after: impl Into<Arc<Fleet>>,
        any: Option<(Arc<Node>, Arc<Node>)>,
    ) -> Self {
        Self { before: before.into(), after: after.into(), any, affected: OnceLock::new() }
    }

    /// The same for nodes that are known to read edited files: each of them is compared for every key.
    pub(super) fn of_readers(before: Fleet, after: Fleet, any: (Arc<Node>, Arc<Node>)) -> Self {
        let any_key_may_change = OnceLock::from(None);
        Self { affected: any_key_may_change, ..Self::new(before, after, Some(any)) }
    }

    /// The fleet before.
    pub fn before(&self) -> &Arc<Fleet> {
        &self.before
    }

    /// The fleet after.
    pub fn after(&self) -> &Arc<Fleet> {
        &self.after
    }

    /// Any other node, before and after.
    pub(super) fn any(&self) -> Option<&(Arc<Node>, Arc<Node>)> {
        self.any.as_ref()
    }

    /// The difference for a key.
    pub fn difference(&self, key: &Arc<str>) -> Difference {
        self.difference_of(&Request::key(Arc::clone(key)))
    }

    /// The difference for a question of any kind. It is reported under the first name.
    pub fn difference_of(&self, request: &Request) -> Difference {
        let Some(key) = request.names.first() else { return Difference::default() };
        let nodes = match &*request.names {
            [key] => self.nodes_that_may_change(key),
            // With several names, the first one that has a value wins, so an edit of any of them may count.
            _ => self.after.all_nodes(),
        };
        let before = self.before.earlier_answers(request, &nodes);
        let after = self.after.answers_among(request, &nodes);
        let mut difference = Difference::default();
        for group in before.iter().chain(&*after) {
            difference.note_unknown(&group.answer);
        }
        for (one, other, nodes) in pairs(&before, &after, self.after.nodes().len()) {
            let (before, after) = (&before[one].answer, &after[other].answer);
            if is_unchanged(before, after) {
                continue;
            }
            let causes = nodes.first().map(|node| causes(self, *node, request));
            difference.changes.push(Change {
                key: Arc::clone(key),
                before: before.as_ref().clone(),
                after: after.as_ref().clone(),
                nodes,
                cases: Vec::new(),
                causes: causes.unwrap_or_default(),
            });
        }
        difference.changes.sort_by_key(|change| change.nodes.len());
        self.add_cases(key, request, &mut difference);
        difference
    }

    /// The nodes that can have another answer now. If only entries of files were edited, these are the nodes that read such
    /// files.
    pub(super) fn nodes_that_may_change(&self, key: &str) -> Vec<u32> {
        let Some(affected) = self.affected_keys() else { return self.after.all_nodes() };
        let root = key_path::parse(key).ok().and_then(|path| path.root_name().cloned());
        match root.and_then(|root| Some((affected.get(&root)?, root))) {
            Some((files, root)) => self.after.readers(files, module_of_key(&root)),
            None => self.after.all_nodes(),
        }
    }

    /// Adds the changes for nodes that are not listed.
    fn add_cases(&self, key: &Arc<str>, request: &Request, difference: &mut Difference) {
        let Some((any_before, any_after)) = &self.any else { return };
        let before = self.before.earlier_answer_of(any_before, request);
        let after = self.after.new_evaluator_of(any_after).call(request);
        difference.has_cases = !before.cases.is_empty() || !after.cases.is_empty();
        difference.note_unknown(&before);
        difference.note_unknown(&after);
        let mut causes: Option<Vec<Cause>> = None;
        for (conditions, before, after) in changed_cases(&before, &after) {
            // The nodes in the list were compared with their own facts, which is more exact than the case.
            if self.is_listed(&conditions) {
                continue;
            }
            let is_it = |change: &&mut Change| {
                is_same_with_cases(&change.before, &before)
                    && is_same_with_cases(&change.after, &after)
            };
            if let Some(change) = difference.changes.iter_mut().find(is_it) {
                change.cases.push(conditions);
                continue;
            }
            let causes = causes
                .get_or_insert_with(|| of_any(self, (any_before, any_after), request))
                .clone();
            difference.changes.push(Change {
                key: Arc::clone(key),
                before,
                after,
                nodes: Vec::new(),
                cases: vec![conditions],
                causes,
            });
        }
    }

    /// Whether a case applies to a node in the list.
    fn is_listed(&self, conditions: &[Condition]) -> bool {
        let certname = conditions.iter().find(|it| &*it.variable == "trusted.certname");
        certname.is_some_and(|it| {
            let mut nodes = self.after.nodes().iter();
            nodes.any(|node| it.value == Assumed::Text(node.name.clone()))
        })
    }
}

impl Difference {
    /// Whether all cases were compared.
    pub fn is_complete(&self) -> bool {
        !self.leaves_cases_out
    }

    fn note_unknown(&mut self, answer: &Answer) {
        for level in &answer.opaque {
            let said = format!("level '{}' ({} {})", level.level, level.function, level.reason);
            self.add_not_proved(said);
        }
        self.leaves_cases_out |= !answer.left_out.is_empty();
        for left_out in &answer.left_out {
            self.add_not_proved(crate::engine::cases::left_out_in_words(left_out));
        }
        for case in &answer.cases {
            self.note_unknown(&case.answer);
        }
    }

    fn add_not_proved(&mut self, said: String) {
        let said: Arc<str> = said.into();
        if !self.not_proved.contains(&said) {
            self.not_proved.push(said);
        }
    }
}

/// The different pairs of answers, by their places in the two lists, with the nodes that have them.
fn pairs(
    before: &[SharedAnswer],
    after: &[SharedAnswer],
    nodes: usize,
) -> Vec<(usize, usize, Vec<u32>)> {
    // Most keys have one answer on each side. Nothing has to be counted for them.
    if let ([_], [only]) = (before, after) {
        return vec![(0, 0, only.nodes.clone())];
    }
    let mut of_node = vec![0; nodes];
    for (at, group) in before.iter().enumerate() {
        for node in &group.nodes {
            of_node[*node as usize] = at;
        }
    }
    let mut known: HashMap<(usize, usize), usize> = HashMap::new();
    let mut found: Vec<(usize, usize, Vec<u32>)> = Vec::new();
    for (other, group) in after.iter().enumerate() {
        for node in &group.nodes {
            let one = of_node[*node as usize];
            let at = *known.entry((one, other)).or_insert_with(|| {
                found.push((one, other, Vec::new()));
                found.len() - 1
            });
            found[at].2.push(*node);
        }
    }
    found
}

/// Whether a node's answer is the same as before. Two errors count as the same answer, even if their messages differ.
pub fn is_unchanged(before: &Answer, after: &Answer) -> bool {
    // An answer that became uncertain is a change, even if the cases that are known stay the same.
    if before.left_out.is_empty() != after.left_out.is_empty() {
        return false;
    }
    let conditions = |answer: &Answer| -> Vec<Vec<Condition>> {
        answer.cases.iter().map(|case| case.conditions.clone()).collect()
    };
    if conditions(before) == conditions(after) {
        let pairs = before.each_case().into_iter().zip(after.each_case());
        let is_certain = before.left_out.is_empty();
        return { pairs }.all(|((_, one), (_, other))| is_same_case(one, other, is_certain));
    }
    changed_cases(before, after).is_empty()
}

/// Whether the answers of one case are the same.
fn is_same_case(before: &Answer, after: &Answer, is_certain: bool) -> bool {
    let levels = |answer: &Answer| -> Vec<Arc<str>> {
        answer.opaque.iter().map(|it| it.level.clone()).collect()
    };
    match (&before.outcome, &after.outcome) {
        (Err(_), Err(_)) => true,
        _ => {
            is_same_outcome(before, after)
                && levels(before) == levels(after)
                // If cases were left out, the open variables are those of the cases that happened to be kept.
                && (!is_certain || before.open == after.open)
        }
    }
}

/// The cases in which two answers differ: the conditions, and both answers.
fn changed_cases(before: &Answer, after: &Answer) -> Vec<(Vec<Condition>, Answer, Answer)> {
    let is_certain = before.left_out.is_empty() && after.left_out.is_empty();
    let mut found: Vec<(Vec<Condition>, Answer, Answer)> = Vec::new();
    for (case, other) in matched_cases(before, after) {
        if !is_same_case(&case.answer, other, is_certain) {
            found.push((case.conditions, case.answer, other.clone()));
        }
    }
    let is_new = |case: &Case| !before.cases.iter().any(|it| it.conditions == case.conditions);
    for (case, other) in matched_cases(after, before) {
        // Conditions that both sides have were compared by the first loop.
        let is_new = !case.conditions.is_empty() && is_new(&case);
        if is_new && !is_same_case(other, &case.answer, is_certain) {
            found.push((case.conditions, other.clone(), case.answer));
        }
    }
    found
}

/// The cases of `one`, each with the answer of the same nodes in `other`.
fn matched_cases<'a>(one: &'a Answer, other: &'a Answer) -> Vec<(Case, &'a Answer)> {
    let pairs = one.each_case().into_iter().filter_map(|(conditions, answer)| {
        let fits = |case: &&Case| case.conditions.iter().all(|it| conditions.contains(it));
        let answer_of_other = match other.cases.as_slice() {
            [] => other,
            cases => &cases.iter().find(fits)?.answer,
        };
        let case = Case { conditions: conditions.to_vec(), answer: without_cases(answer) };
        Some((case, answer_of_other))
    });
    pairs.collect()
}

fn without_cases(answer: &Answer) -> Answer {
    Answer { cases: Vec::new(), ..answer.clone() }
}
