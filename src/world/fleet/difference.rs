//! The difference between two snapshots: the keys with another answer, the nodes and cases that get it, and the edits that
//! cause it.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use super::affected::AffectedKeys;
use super::causes::{Cause, add_causes, causes_of_each, in_case};
use super::edited_ways::{Base, KnownWays, assuming, open_ways};
use super::groups::Side;
use super::open_comparison::MIN_NODES;
use super::same_reads::are_alike;
use super::spread::{Concerned, KnownConcerned};
use super::typed::TypedText;
use super::unchanged::Unchanged;
use super::{Fleet, SharedAnswer, is_same_with_cases};
use crate::engine::cases::pairs::{CasePairs, Lookups, cannot_be_paired};
use crate::engine::cases::{is_same_outcome, is_settled, left_out_in_words};
use crate::engine::{
    Answer, Condition, EditedEntries, LeftOut, OtherNodes, Request, module_of_key,
};
use crate::facts::Node;
use crate::syntax::key_path;
use crate::world::parallel;

/// Why a change is not known although the answers look the same.
const UNREAD: &str =
    "the value is encrypted, and Puppet decrypts or converts it in another way than before";

/// If more nodes than this share two answers, what their lookups read is not compared: that takes a lookup for each of them.
const MAX_READ_AGAIN: usize = 256;

/// A key whose answer changes in the same way for some nodes.
#[derive(Debug, Clone)]
pub struct Change {
    /// The key.
    pub key: Arc<str>,
    /// The answer before.
    pub before: Arc<Answer>,
    /// The answer now.
    pub after: Arc<Answer>,
    /// The nodes, by their numbers in the fleets.
    pub nodes: Vec<u32>,
    /// The nodes that are not listed and get it. Such a node belongs to one change of a key at most.
    pub others: Vec<OtherNodes>,
    /// The edits that changed it.
    pub causes: Vec<Cause>,
}

impl Change {
    /// Whether its nodes get another answer in every case, and not only in some.
    pub fn is_certain(&self) -> bool {
        if leaves_cases_out(&self.before, &self.after) {
            return false;
        }
        let is_known = |it: &Answer| it.unknown_outcome().is_none();
        let is_other = |one: &Answer, other: &Answer| {
            is_known(one) && is_known(other) && !is_same_case(one, other)
        };
        if let Some(cases) = self.before.case_by_case(&self.after) {
            return cases.into_iter().all(|(one, other)| is_other(one, other));
        }
        let (before, after) = (self.before.each_case(), self.after.each_case());
        before.iter().all(|(_, one)| after.iter().all(|(_, other)| is_other(one, other)))
    }
}

/// The difference for one key.
#[derive(Debug, Clone, Default)]
pub struct Difference {
    /// The changes, the rarest first.
    pub changes: Vec<Change>,
    /// The levels that are not evaluated, in words.
    opaque: Vec<String>,
    /// What hiera-ls could not compute, in words.
    not_computed: Vec<String>,
    /// Whether an encrypted text is read in another way than before.
    is_unread: bool,
    /// The cases that are left out because there are too many to compare.
    left_out: Vec<LeftOut>,
}

/// Two fleets of the same nodes, number by number, in two snapshots; and any other node.
pub struct FleetPair {
    before: Arc<Fleet>,
    after: Arc<Fleet>,
    /// Represents all nodes that are not listed, before and after.
    any: Option<(Arc<Node>, Arc<Node>)>,
    /// Whether changes have the whole answers of their nodes, with the cases that stay the same.
    has_whole_answers: bool,
    /// With fewer nodes without fact sets, nothing stays open in their answers.
    pub(super) min_open_nodes: usize,
    /// The edited files of a pair that has only their readers.
    pub(super) edited: BTreeSet<Arc<str>>,
    /// Computed once.
    pub(super) affected: OnceLock<Option<AffectedKeys>>,
    /// The keys that are the same on both sides. Computed once.
    pub(super) unchanged: OnceLock<Arc<Unchanged>>,
    /// What is known of the keys that were compared.
    pub(super) concerned: KnownConcerned,
    /// What is being typed, if nothing else is edited. Computed once.
    pub(super) typed: OnceLock<Option<TypedText>>,
    /// The ways in which nodes read edited files. Computed once for each key.
    pub(super) ways: KnownWays,
    /// The lines of configurations that were edited. Computed once.
    pub(super) edited_configs: OnceLock<Vec<Cause>>,
}

impl FleetPair {
    /// Two fleets. Their nodes must have the same names, in the same order. `any` represents all other nodes.
    pub fn new(
        before: impl Into<Arc<Fleet>>,
        after: impl Into<Arc<Fleet>>,
        any: Option<(Arc<Node>, Arc<Node>)>,
    ) -> Self {
        let (before, after) = (before.into(), after.into());
        let any = any
            .map(|(one, other)| (before.any_other(&one, &after), before.any_other(&other, &after)));
        Self {
            before,
            after,
            any,
            has_whole_answers: false,
            min_open_nodes: MIN_NODES,
            unchanged: OnceLock::new(),
            edited: BTreeSet::new(),
            affected: OnceLock::new(),
            concerned: KnownConcerned::default(),
            typed: OnceLock::new(),
            ways: KnownWays::default(),
            edited_configs: OnceLock::new(),
        }
    }

    /// The same for nodes that are known to read edited files: each of them is compared for every key.
    pub(super) fn of_readers(
        before: Fleet,
        after: Fleet,
        any: (Arc<Node>, Arc<Node>),
        edited: &[Arc<str>],
    ) -> Self {
        let edited = edited.iter().cloned().collect();
        let any_key_may_change = OnceLock::from(None);
        Self { edited, affected: any_key_may_change, ..Self::new(before, after, Some(any)) }
    }

    /// The same pair, whose changes have the whole answers of their nodes. Otherwise, values that do not come from an edited
    /// file may be missing, because they are the same before and after ([`Answer::is_elsewhere`]). If they differ between nodes
    /// that are not completely known, each of these has a change of its own only in whole answers.
    #[must_use]
    pub fn with_whole_answers(self) -> Self {
        Self { has_whole_answers: true, ..self }
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
        let request = &self.narrowed(request);
        let (nodes, others) = match &*request.names {
            [key] => self.who_may_change(key),
            // With several names, the first one that has a value wins, so an edit of any of them may count.
            _ => (self.after.all_nodes(), true),
        };
        // Only an answer to the key alone tells what strings that look it up get.
        let spread = request.plain_key().and_then(|key| self.spreading_root(key));
        let mut unsettled = spread.as_ref().map(|_| Concerned::none(self.after.nodes().len()));
        let mut difference = Difference::default();
        let nodes = self.without_values_elsewhere(request, nodes);
        let nodes = self.compare_open(request, nodes, &mut difference, unsettled.as_mut());
        let edited = self.edited_entries(request);
        let earlier = self.before.earlier_answers(request, &nodes, edited);
        let before = &earlier.answers;
        let after = self.later_answers(request, earlier.may_change(edited));
        let mut pairs = pairs(before, &after, self.after.nodes().len());
        let answers = |one: usize, other: usize| (&before[one].answer, &after[other].answer);
        for (one, other, nodes) in &pairs {
            let (before, after) = answers(*one, *other);
            difference.note_not_evaluated(before);
            difference.note_not_evaluated(after);
            if let Some(unsettled) = &mut unsettled
                && !(is_settled(before) && is_settled(after))
            {
                unsettled.add_nodes(nodes);
            }
        }
        self.take_incomplete(&mut pairs, (before, &after), request, &mut difference);
        for (one, other, nodes) in &pairs {
            let (before, after) = answers(*one, *other);
            let is_alike = |node: &u32| {
                let evaluators = (self.before.evaluator(*node), self.after.evaluator(*node));
                let lookups = Lookups { before: &evaluators.0, after: &evaluators.1, request };
                self.are_alike(before, after, lookups)
            };
            if !nodes.is_empty() {
                let are_alike = nodes.len() <= MAX_READ_AGAIN && nodes.iter().all(is_alike);
                difference.note_compared(before, after, are_alike);
            }
        }
        let is_changed = parallel::map(&pairs, |(one, other, nodes)| {
            let Some(first) = nodes.first().copied() else { return false };
            let (before, after) = answers(*one, *other);
            let evaluators = (self.before.evaluator(first), self.after.evaluator(first));
            let lookups = Lookups { before: &evaluators.0, after: &evaluators.1, request };
            !is_unchanged(before, after, lookups)
        });
        pairs.retain({
            let mut is_changed = is_changed.into_iter();
            move |_| is_changed.next().unwrap_or_default()
        });
        // Each node can have an answer of its own, and the causes of a change take lookups.
        let firsts: Vec<u32> = pairs.iter().map(|(.., nodes)| nodes[0]).collect();
        let causes = causes_of_each(self, &firsts, request);
        difference.changes.extend(pairs.into_iter().map(|(one, other, nodes)| {
            let causes = causes.get(&nodes[0]).map_or_else(Vec::new, |it| it.to_vec());
            let (before, after) = answers(one, other);
            let (before, after) = (before.clone(), after.clone());
            Change { key: Arc::clone(key), before, after, nodes, others: Vec::new(), causes }
        }));
        difference.changes.sort_by_key(|change| change.nodes.len());
        let are_others_settled = !others || self.add_others(request, &mut difference);
        // The result of a cancelled lookup is incomplete.
        if let Some((root, mut unsettled)) = spread.zip(unsettled)
            && !request.cancel.is_cancelled()
        {
            unsettled.others = !are_others_settled;
            self.note_concerned(root, unsettled, &difference.changes);
        }
        difference
    }

    /// The request without the values that the edit does not concern, if only values were edited: those in files in which the
    /// key was not edited, and in which no string of its value looks up an affected key.
    pub(super) fn narrowed(&self, request: &Request) -> Request {
        let only_from = || {
            self.edited_entries(request)?;
            let affected = self.affected_keys()?;
            let root = key_path::root_of(request.plain_key()?)?;
            Some(Arc::new(affected.files_of(&root)?.clone()))
        };
        let only_from = if self.has_whole_answers { None } else { only_from() };
        Request { only_from, ..request.clone() }
    }

    /// The answers of some of the nodes after the edit, each different answer once.
    pub(super) fn later_answers(&self, request: &Request, nodes: &[u32]) -> Vec<SharedAnswer> {
        let edited = self.edited_entries(request);
        let typed = edited.and_then(|it| self.answers_with_typed_text(request, nodes, it));
        if let Some(answers) = typed {
            return answers;
        }
        let known = edited.and_then(|edited| self.before.unedited.of(edited, request));
        let side = known.as_ref().map_or(Side::Only, Side::Later);
        self.after.answers_among(request, nodes, side).answers
    }

    /// The entries that were edited, if only the values of some entries were.
    fn edited_entries(&self, request: &Request) -> Option<&EditedEntries> {
        let edited = self.affected_keys()?.edited_entries.as_ref()?;
        // The runs of a lookup of a sub key depend on what it needs.
        let is_whole = key_path::parse(request.plain_key()?).is_ok_and(|it| it.rest.is_empty());
        is_whole.then_some(edited)
    }

    /// Takes the nodes of which not all cases are listed out of `pairs`, and compares them in the ways to the edited files, if
    /// these are known.
    fn take_incomplete(
        &self,
        pairs: &mut [(usize, usize, Vec<u32>)],
        (before, after): (&[SharedAnswer], &[SharedAnswer]),
        request: &Request,
        difference: &mut Difference,
    ) {
        let mut incomplete: Vec<(Base<'_>, &mut Vec<u32>)> = Vec::new();
        for (one, other, nodes) in pairs {
            let (before, after) = (&before[*one].answer, &after[*other].answer);
            if leaves_cases_out(before, after) {
                incomplete.push((Base { number: *one, answer: before }, nodes));
            }
        }
        if incomplete.is_empty() {
            return;
        }
        let Some(ways) = self.edited_ways(request) else { return };
        // For a node with a fact set, only the server or code decides, and nothing is known of the ways.
        let is_complete = |node: &u32| self.after.nodes()[*node as usize].is_complete();
        let bases = { incomplete.iter() }
            .flat_map(|(base, nodes)| nodes.iter().map(|node| (*node, *base)))
            .filter(|(node, _)| !is_complete(node))
            .collect();
        let certain = self.add_in_ways(&ways, bases, request, difference);
        for (_, nodes) in incomplete {
            nodes.retain(|it| certain.contains(it) || is_complete(it));
        }
    }

    /// The nodes that can have another answer now, and whether nodes that are not listed can. If only entries of files were
    /// edited, a node must read such a file, and a key that it is made of must have another answer.
    pub(super) fn who_may_change(&self, key: &str) -> (Vec<u32>, bool) {
        let Some(affected) = self.affected_keys() else { return (self.after.all_nodes(), true) };
        let root = key_path::root_of(key);
        let Some((files, root)) = root.and_then(|root| Some((affected.files_of(&root)?, root)))
        else {
            return (self.after.all_nodes(), true);
        };
        let concerned = self.concerned_by_spread(&root);
        if concerned.as_ref().is_some_and(Concerned::is_none) {
            return (Vec::new(), false);
        }
        let mut nodes = self.after.readers(files, module_of_key(&root));
        let Some(concerned) = concerned else { return (nodes, true) };
        nodes.retain(|node| concerned.nodes[*node as usize]);
        (nodes, concerned.others)
    }

    /// Adds the changes for nodes that are not listed. Returns whether the answers on both sides tell what all of them get.
    fn add_others(&self, request: &Request, difference: &mut Difference) -> bool {
        let Some(any) = &self.any else { return true };
        // A file that only listed nodes read gives no other node another answer.
        let ways = request.only_from.as_ref().and_then(|_| self.edited_ways(request));
        if ways.and_then(|it| open_ways(&it, &any.1)).is_some_and(|it| it.is_empty()) {
            return true;
        }
        let before = self.before.earlier_answer_of(&any.0, request);
        let after = self.after.new_evaluator_of(&any.1).call(request);
        difference.note_not_evaluated(&before);
        difference.note_not_evaluated(&after);
        let ways = leaves_cases_out(&before, &after).then(|| self.edited_ways(request)).flatten();
        let are_settled = is_settled(&before) && is_settled(&after);
        let Some(ways) = ways.and_then(|it| open_ways(&it, &any.1)) else {
            self.add_cases(any, (&before, &after), (request, &[]), difference);
            return are_settled;
        };
        for (at, way) in ways.iter().enumerate() {
            let request = assuming(way, request);
            let before = self.before.earlier_answer_of(&any.0, &request);
            let after = self.after.new_evaluator_of(&any.1).call(&request);
            self.add_cases(any, (&before, &after), (&request, &ways[..at]), difference);
        }
        are_settled
    }

    /// Whether nodes certainly get the same from both answers, although only the texts in a value decide what that is.
    fn are_alike(&self, before: &Answer, after: &Answer, lookups: Lookups<'_>) -> bool {
        let are_ways_known = || {
            let request = lookups.request;
            !request.assuming.is_empty() || self.edited_ways(request).is_some()
        };
        // If the ways to the edited files are known, nodes are compared in these.
        leaves_cases_out(before, after) && !are_ways_known() && are_alike(before, after, lookups)
    }

    /// Adds the changes for nodes that are not listed, and of which none of the `earlier` conditions are true.
    fn add_cases(
        &self,
        any: &(Arc<Node>, Arc<Node>),
        (before, after): (&Answer, &Answer),
        (request, earlier): (&Request, &[Vec<Condition>]),
        difference: &mut Difference,
    ) {
        let are_same = has_same_cases(before, after) == Some(true);
        if are_same && !leaves_cases_out(before, after) {
            difference.note_compared(before, after, false);
            return;
        }
        let evaluators =
            (self.before.new_evaluator_of(&any.0), self.after.new_evaluator_of(&any.1));
        let lookups = Lookups { before: &evaluators.0, after: &evaluators.1, request };
        difference.note_compared(before, after, self.are_alike(before, after, lookups));
        if are_same {
            return;
        }
        let pairs = CasePairs::new(before, after, lookups);
        for pair in pairs.different(is_same_with_cases, is_same_case) {
            let Some(who) = pair.who.within(&request.assuming, earlier) else { continue };
            let causes = in_case(self, (&any.0, &any.1), lookups, &who.conditions);
            let is_it = |change: &&mut Change| {
                is_same_with_cases(&change.before, pair.before)
                    && is_same_with_cases(&change.after, pair.after)
            };
            if let Some(change) = difference.changes.iter_mut().find(is_it) {
                change.others.push(who);
                add_causes(&mut change.causes, causes);
                continue;
            }
            difference.changes.push(Change {
                key: Arc::clone(&request.names[0]),
                before: Arc::new(pair.before.clone()),
                after: Arc::new(pair.after.clone()),
                nodes: Vec::new(),
                others: vec![who],
                causes,
            });
        }
    }
}

impl Difference {
    /// Whether all cases were compared.
    pub fn is_complete(&self) -> bool {
        self.left_out.is_empty()
    }

    /// Whether hiera-ls computed all outcomes, apart from levels that are not evaluated.
    pub fn is_computed(&self) -> bool {
        self.not_computed.is_empty()
    }

    /// Why not everything is known about the key, in sentences: levels that are not evaluated, outcomes that are not computed, or
    /// too many cases.
    pub fn not_proved(&self) -> Vec<String> {
        let unread = self.is_unread.then(|| UNREAD.to_owned());
        let known = self.opaque.iter().chain(&self.not_computed).cloned();
        known.chain(unread).chain(left_out_in_words(&self.left_out)).collect()
    }

    /// Notes the levels that are not evaluated, and the outcomes that are not computed: two of these are not the same.
    fn note_not_evaluated(&mut self, answer: &Answer) {
        for level in &answer.opaque {
            let said = level.in_words();
            if !self.opaque.contains(&said) {
                self.opaque.push(said);
            }
        }
        if answer.cases.is_empty()
            && let Some(failure) = answer.unknown_outcome()
        {
            let said = format!("hiera-ls cannot compute the value: {}", failure.message);
            if !self.not_computed.contains(&said) {
                self.not_computed.push(said);
            }
        }
        for case in &answer.cases {
            self.note_not_evaluated(&case.answer);
        }
    }

    /// Notes that what nodes get is not known although both answers look the same.
    fn note_unread(&mut self, before: &Answer, after: &Answer) {
        self.is_unread = self.is_unread || is_read_in_another_way(before, after);
    }

    /// Notes what both answers do not tell. If they are certainly alike, what was left out of them does not matter.
    pub(super) fn note_compared(&mut self, before: &Answer, after: &Answer, are_alike: bool) {
        for answer in [before, after] {
            self.note_not_evaluated(answer);
            if !are_alike {
                self.note_unknown(answer);
            }
        }
        self.note_unread(before, after);
    }

    /// Notes what the answer does not tell: levels that are not evaluated, and cases that are left out.
    pub(super) fn note_unknown(&mut self, answer: &Answer) {
        self.note_not_evaluated(answer);
        // Thousands of nodes leave out the same.
        for left_out in &answer.left_out {
            if !self.left_out.contains(left_out) {
                self.left_out.push(left_out.clone());
            }
        }
    }
}

/// Whether the answers have cases that are not listed.
pub(super) fn leaves_cases_out(before: &Answer, after: &Answer) -> bool {
    !(before.left_out.is_empty() && after.left_out.is_empty())
}

/// For each of so many nodes, the number of its answer; 0 for a node without one.
pub(super) fn numbers_of(answers: &[SharedAnswer], nodes: usize) -> Vec<usize> {
    let mut of_node = vec![0; nodes];
    for (at, group) in answers.iter().enumerate() {
        for node in &group.nodes {
            of_node[*node as usize] = at;
        }
    }
    of_node
}

/// The different pairs of answers, by their places in the two lists, with the nodes that have them.
pub(super) fn pairs(
    before: &[SharedAnswer],
    after: &[SharedAnswer],
    nodes: usize,
) -> Vec<(usize, usize, Vec<u32>)> {
    // Most keys have one answer on each side. Nothing has to be counted for them.
    if let ([_], [only]) = (before, after) {
        return vec![(0, 0, only.nodes.clone())];
    }
    let of_node = numbers_of(before, nodes);
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

/// Whether an answer is the same as before, case by case; `None` if the cases have other conditions now. Most edits leave the
/// cases as they are, so that each is compared only with itself. Two errors count as the same answer, even if their messages
/// differ.
pub(super) fn has_same_cases(before: &Answer, after: &Answer) -> Option<bool> {
    // The pairs of cases that both answers tell are compared, and no others.
    if cannot_be_paired(before, after) {
        return None;
    }
    // An answer that became uncertain is a change, even if the cases that are known stay the same.
    if before.left_out.is_empty() != after.left_out.is_empty() {
        return Some(false);
    }
    let cases = before.case_by_case(after)?;
    Some(cases.into_iter().all(|(one, other)| is_same_case(one, other)))
}

/// Whether all nodes get the same as before.
pub(super) fn is_unchanged(before: &Answer, after: &Answer, lookups: Lookups<'_>) -> bool {
    has_same_cases(before, after).unwrap_or_else(|| has_same_pairs(before, after, lookups))
}

/// Whether all nodes get the same as before, if the cases have other conditions now.
fn has_same_pairs(before: &Answer, after: &Answer, lookups: Lookups<'_>) -> bool {
    let pairs = CasePairs::new(before, after, lookups);
    pairs.answers().all(|(one, other)| is_same_case(one, other))
}

/// Whether one of two answers, which show the same encrypted text, is decrypted and the other is not.
fn is_decrypted_on_one_side(before: &Answer, after: &Answer) -> bool {
    before.decrypts() != after.decrypts() && before.is_read_unlike(after)
}

/// Whether it is not known what nodes get: Puppet decrypts or converts the encrypted text of equal answers in another way.
fn is_read_in_another_way(before: &Answer, after: &Answer) -> bool {
    let is_unlike =
        |one: &Answer, other: &Answer| one.is_read_unlike(other) && is_same_case(one, other);
    if let Some(cases) = before.case_by_case(after) {
        return cases.into_iter().any(|(one, other)| is_unlike(one, other));
    }
    let (before, after) = (before.each_case(), after.each_case());
    before.iter().any(|(_, one)| after.iter().any(|(_, other)| is_unlike(one, other)))
}

/// Whether the answers of one case are the same. Variables that were read for something other than the value do not count: nodes
/// get the same value.
pub(super) fn is_same_case(before: &Answer, after: &Answer) -> bool {
    let levels = |answer: &Answer| -> Vec<Arc<str>> {
        answer.opaque.iter().map(|it| it.level.clone()).collect()
    };
    match (&before.outcome, &after.outcome) {
        (Err(_), Err(_)) => true,
        _ => {
            is_same_outcome(before, after)
                && levels(before) == levels(after)
                && before.open == after.open
                && !is_decrypted_on_one_side(before, after)
        }
    }
}
