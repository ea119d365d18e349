//! All answers of a fleet: what each of many nodes gets for a key. A lookup runs once for all nodes that read the same. The
//! lookup itself says which nodes these are ([`Footprint`](crate::engine::Footprint)).
//!
//! A lookup takes one step after the other: it finds the files that have the key, or the value of a variable. As long as a
//! second node finds the same at each step, its lookup goes the same way and ends with the same value. So the key is looked up
//! for one node of a group, the group is split by what that lookup depended on, and each part that differs follows in turn.

mod affected;
mod before;
mod callers;
mod causes;
mod comparison;
mod difference;
mod earlier_answers;
mod edited_ways;
mod functions;
mod groups;
mod kept;
mod listed_names;
mod open_comparison;
mod origins;
#[cfg(test)]
mod random_data;
mod readings;
mod references;
mod same_files;
mod same_reads;
mod scope;
mod spread;
mod typed;
mod unchanged;
mod unedited;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{Hash, Hasher as _};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use indexmap::IndexMap;

use super::code_variables::CodeScopes;
use super::parallel;
use super::snapshot::World;
use crate::backends::Registry;
use crate::config::Environment;
use crate::engine::cases::{is_same, is_same_outcome};
use crate::engine::footprint::{new_hasher, outcome_hash};
use crate::engine::{Answer, Evaluator, Request};
use crate::facts::{NamesByVariable, Node};
use crate::syntax::key_path::KeyPath;
pub use before::Before;
use callers::KnownCallers;
pub use causes::Cause;
pub use comparison::{Differences, NotProved, SideNodes, aligned};
pub use difference::{Change as AnswerChange, Difference, FleetPair};
use earlier_answers::EarlierAnswers;
use groups::{Answered, Side};
pub use kept::Asker;
use listed_names::names_of_listed;
use readings::{LevelVariable, Readings};
pub(super) use references::{KnownReferences, RootNames};
pub use same_files::with_same_files;
use typed::KeptTyping;
use unedited::{OfNodes, UneditedRuns};

/// The maximum number of evaluators that are kept for nodes without fact sets. Each knows all cases of what it looked up, which
/// takes 20 KB, and making it again takes less time than one such lookup.
const MAX_OF_PARTIAL_NODES: u32 = 4_096;

/// The number of nodes for which a fleet keeps [`Fleet::any_other`]: those of both sides of a comparison, and of the one before.
const MAX_ANY_OTHERS: usize = 4;

/// A number for each node. Nodes with the same number find the same at a step of a lookup.
type Column = Arc<[u64]>;

/// Some nodes of one environment in one snapshot, and what is known about their answers.
pub struct Fleet {
    readings: Arc<Readings>,
    /// By node, created for the node of a group whose lookup runs.
    evaluators: Box<[OnceLock<Arc<Evaluator>>]>,
    /// How many were created for nodes without fact sets, including those that were not kept.
    of_partial_nodes: AtomicU32,
    /// The differences from an earlier fleet, computed on demand. The fleet itself is not kept: it may have differences from a
    /// still earlier one, or be this one.
    kept: Mutex<Option<(Weak<Fleet>, Arc<Differences>)>>,
    /// The results of earlier comparisons in which this was the earlier fleet.
    earlier: EarlierAnswers,
    /// Which keys of its files look up others, as far as such comparisons needed it.
    callers: KnownCallers,
    /// What is known of the lookups on the other side of such comparisons.
    unedited: UneditedRuns,
    /// The same for the text that is being typed there.
    typing: KeptTyping,
    /// Nodes that represent any node but those of a comparison.
    any_others: Mutex<Vec<AnyOther>>,
}

/// A node that represents any node but those of a comparison.
struct AnyOther {
    any: Arc<Node>,
    /// The nodes of the later side.
    nodes_after: Arc<[Arc<Node>]>,
    /// The names of the nodes on both sides.
    names: Arc<NamesByVariable>,
    other: Arc<Node>,
}

/// An answer and the nodes that get it, by their numbers, in order.
#[derive(Debug, Clone)]
pub struct SharedAnswer<A = Arc<Answer>> {
    /// The answer, as the first of the nodes gets it, or what is kept of it. Changes share it, because a fleet has very many.
    pub answer: A,
    /// The nodes.
    pub nodes: Vec<u32>,
}

/// What is kept of an answer until all nodes have theirs.
pub trait KeptAnswer: Send + Sync {
    /// A number: equal for equal answers, and different for different ones except for rare collisions.
    fn number(&self) -> u64;

    /// Whether both were kept of equal answers.
    fn is_same(&self, other: &Self) -> bool;
}

impl KeptAnswer for Arc<Answer> {
    fn number(&self) -> u64 {
        outcome_hash(self)
    }

    fn is_same(&self, other: &Self) -> bool {
        is_same_with_cases(self, other)
    }
}

impl Fleet {
    /// The nodes of an environment whose data the back ends read. Nothing is read yet.
    pub fn new(
        world: &Arc<World>,
        environment: &Arc<Environment>,
        nodes: Arc<[Arc<Node>]>,
        back_ends: Arc<Registry>,
    ) -> Self {
        Self::of(Readings::new(world, environment, nodes, back_ends))
    }

    /// The same for the lookups in catalogs, where code may have set variables.
    pub fn of_catalogs(
        world: &Arc<World>,
        environment: &Arc<Environment>,
        (nodes, back_ends): (Arc<[Arc<Node>]>, Arc<Registry>),
        of_code: Arc<CodeScopes>,
    ) -> Self {
        let mut readings = Readings::new(world, environment, nodes, back_ends);
        readings.of_code = Some(of_code);
        Self::of(readings)
    }

    /// The same for an editor: while a file is being typed and Puppet would refuse it, the entries that can be read count.
    pub fn reading_broken_files(
        world: &Arc<World>,
        environment: &Arc<Environment>,
        nodes: Arc<[Arc<Node>]>,
        back_ends: Arc<Registry>,
    ) -> Self {
        let mut readings = Readings::new(world, environment, nodes, back_ends);
        readings.reads_broken_files = true;
        Self::of(readings)
    }

    fn of(readings: Readings) -> Self {
        let evaluators = readings.nodes.iter().map(|_| OnceLock::new()).collect();
        let (kept, earlier) = (Mutex::default(), EarlierAnswers::default());
        let (unedited, typing) = (UneditedRuns::default(), KeptTyping::default());
        let (callers, any_others) = (KnownCallers::default(), Mutex::default());
        let of_partial_nodes = AtomicU32::new(0);
        let readings = Arc::new(readings);
        Self {
            readings,
            evaluators,
            of_partial_nodes,
            kept,
            earlier,
            callers,
            unedited,
            typing,
            any_others,
        }
    }

    /// The same nodes in a snapshot in which other values are written in some files.
    fn with_other_values(&self, world: &Arc<World>) -> Self {
        Self::of(self.readings.with_other_values(world))
    }

    /// The nodes, in the order of their numbers.
    pub fn nodes(&self) -> &Arc<[Arc<Node>]> {
        &self.readings.nodes
    }

    /// The snapshot that the lookups read.
    pub fn world(&self) -> &Arc<World> {
        &self.readings.world
    }

    /// The environment of the lookups.
    pub fn environment(&self) -> &Arc<Environment> {
        &self.readings.environment
    }

    /// Whether the facts of a node may contain lookups.
    fn facts_hold_lookups(&self) -> bool {
        self.readings.facts_hold_lookups()
    }

    /// What all nodes get: each different answer once, without its footprint, in the order of its first node.
    pub fn answers(&self, request: &Request) -> Vec<SharedAnswer> {
        self.answers_among(request, &self.all_nodes(), Side::Only).answers
    }

    /// [`Self::answers`] to many requests, which is faster than to ask for one after the other. `keep` gets each answer
    /// together with the position of the request, and returns what is kept of it: a fleet has so many answers that their
    /// values would fill the memory. `then` gets the position of each request, and what was kept of its answers; the
    /// processors share this work. The results go to `done`, in the order of the requests.
    pub fn answers_to_each<A: KeptAnswer, R: Send>(
        &self,
        requests: &[Request],
        keep: impl Fn(usize, Answer) -> A + Sync,
        then: impl Fn(usize, Vec<SharedAnswer<A>>) -> R + Sync,
        done: impl FnMut(R) + Send,
    ) {
        let keep = |at, _, answer| keep(at, answer);
        let then = |at, found: Answered<A>| then(at, distinct(found.answers));
        self.by_footprint(requests, &self.all_nodes(), Side::Only, (keep, then), done);
    }

    fn all_nodes(&self) -> Vec<u32> {
        (0..self.nodes().len() as u32).collect()
    }

    /// [`Self::answers`] for some of the nodes, on one side of a comparison. The readers of edited entries are sorted.
    fn answers_among(
        &self,
        request: &Request,
        nodes: &[u32],
        side: Side<'_>,
    ) -> Answered<Arc<Answer>> {
        // Thousands of groups may have the same answer, which can list a hundred cases.
        let distinct = Mutex::new(Distinct::default());
        let keep = |_, node: u32, answer: Answer| {
            let answer = Arc::new(answer);
            let number = answer.number();
            let mut distinct = distinct.lock().unwrap_or_else(PoisonError::into_inner);
            distinct.add(number, node, answer)
        };
        let mut found: Answered<usize> = Answered { answers: Vec::new(), readers: Vec::new() };
        let requests = std::slice::from_ref(request);
        self.by_footprint(requests, nodes, side, (keep, |_, all| all), |all| found = all);
        let distinct = distinct.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Answered { answers, mut readers } = found;
        readers.sort_unstable();
        Answered { answers: distinct.of_nodes(answers), readers }
    }

    /// [`Self::answers`], but one for each group of nodes whose lookups read the same. All values of a group come from the same
    /// places.
    pub fn answers_by_reads(&self, request: &Request) -> Vec<SharedAnswer> {
        self.answers_by_reads_among(request, &self.all_nodes())
    }

    fn answers_by_reads_among(&self, request: &Request, nodes: &[u32]) -> Vec<SharedAnswer> {
        let mut answers = Vec::new();
        let keep = |_, _, answer| Arc::new(answer);
        let then = |_, found: Answered<_>| found.answers;
        let requests = std::slice::from_ref(request);
        self.by_footprint(requests, nodes, Side::Only, (keep, then), |found| answers = found);
        answers
    }

    /// What the node with this number gets; other nodes are not considered.
    pub fn answer_of(&self, node: u32, request: &Request) -> Answer {
        self.evaluator(node).call(request)
    }

    /// The differences from `before`, if they were computed earlier.
    fn kept_differences(&self, before: &Arc<Self>) -> Option<Arc<Differences>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (of, found) = kept.as_ref()?;
        // The weak reference keeps its address from being used again, so an equal address means the same fleet.
        std::ptr::eq(of.as_ptr(), Arc::as_ptr(before)).then(|| found.clone())
    }

    fn keep_differences(&self, before: &Arc<Self>, found: &Arc<Differences>) {
        let kept = Some((Arc::downgrade(before), found.clone()));
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = kept;
    }

    /// Takes everything that depends only on hierarchies, nodes and the set of files from `twin`, which has the same ones.
    fn share_structures_with(&self, twin: &Self) {
        self.readings.share(&twin.readings);
    }

    /// Takes what follows from root keys and lookup_options from `twin`, whose files have the same ones.
    fn share_root_keys_with(&self, twin: &Self) {
        self.readings.share_roots(&twin.readings);
    }

    /// `any` without the nodes of this side and of the later one. The same for the same node, because answers are kept for it.
    fn any_other(&self, any: &Arc<Node>, after: &Self) -> Arc<Node> {
        let mut known = self.any_others.lock().unwrap_or_else(PoisonError::into_inner);
        let is_of = |it: &AnyOther| Arc::ptr_eq(&it.any, any);
        // While values are typed, the nodes stay the same, and their names need not be collected again.
        let has_same_nodes =
            |it: &&AnyOther| is_of(it) && Arc::ptr_eq(&it.nodes_after, after.nodes());
        if let Some(found) = known.iter().find(has_same_nodes) {
            return Arc::clone(&found.other);
        }
        let names = names_of_listed(self, after);
        if names.is_empty() {
            return Arc::clone(any);
        }
        let has_same_names = |it: &&AnyOther| is_of(it) && it.names == names;
        let other = match known.iter().find(has_same_names) {
            Some(found) => Arc::clone(&found.other),
            None => Arc::new(any.other_than(Arc::clone(&names))),
        };
        let (any, nodes_after) = (Arc::clone(any), Arc::clone(after.nodes()));
        known.insert(0, AnyOther { any, nodes_after, names, other: Arc::clone(&other) });
        known.truncate(MAX_ANY_OTHERS);
        other
    }

    /// How many of the nodes differ in the files that they find for a root key, or in its options.
    fn count_different_finds(&self, root: &str, nodes: &[u32]) -> usize {
        let column = self.readings.key(root);
        nodes.iter().map(|node| column[*node as usize]).collect::<HashSet<u64>>().len()
    }

    /// The nodes that read, or may read, one of `files` for keys of `module`.
    fn readers(&self, files: &BTreeSet<Arc<str>>, module: Option<&str>) -> Vec<u32> {
        let mut reads = vec![false; self.nodes().len()];
        for path in files {
            self.readings.add_readers(module, path, &mut reads);
        }
        // Keys of a module may also be in the other layers, so both are searched.
        let known = module.filter(|it| self.environment().modules.contains_key(*it));
        for module in [None].into_iter().chain(known.map(Some)) {
            self.add_perhaps_reading(files, module, &mut reads);
        }
        (0..).zip(reads).filter(|(_, reads)| *reads).map(|(number, _)| number).collect()
    }

    /// The variables of levels that code may set, if they are not set for some node.
    fn level_variables_of_code(&self) -> BTreeSet<Arc<str>> {
        let of_code = self.world().code_variables(self.environment());
        let may_be_set = |it: &KeyPath| it.root_name().is_some_and(|root| of_code.may_set(root));
        let may_change =
            |it: &&LevelVariable| may_be_set(&it.path) && self.readings.is_unset_for_some_node(it);
        let variables = self.readings.level_variables().iter();
        variables.filter(may_change).map(|it| Arc::clone(&it.expression)).collect()
    }

    /// Adds the nodes that may read one of `files`, depending on open variables. Nodes whose hierarchies look the same
    /// behave alike.
    fn add_perhaps_reading(
        &self,
        files: &BTreeSet<Arc<str>>,
        module: Option<&str>,
        reads: &mut [bool],
    ) {
        let structures = self.readings.structures(module);
        let is_asked = |nodes: &[u32]| nodes.iter().any(|node| !reads[*node as usize]);
        let mut alike: IndexMap<_, Vec<&[u32]>, foldhash::fast::RandomState> = IndexMap::default();
        for (number, (structure, nodes)) in structures.iter().enumerate() {
            if is_asked(nodes) {
                // Hierarchies with the same shape have the same open paths, except for those whose few files are listed: the
                // nodes that may read these files are marked already.
                let number = structure.is_opaque.then_some(number);
                alike.entry((structure.shape, number)).or_default().push(nodes);
            }
        }
        let alike: Vec<Vec<&[u32]>> = alike.into_values().collect();
        let may_read = parallel::map(&alike, |groups| {
            let evaluator = self.evaluator(groups[0][0]);
            let is_complete = evaluator.node().is_complete();
            // Few variables of a node with a fact set are open: those that the server or code sets.
            files.iter().any(|path| {
                if is_complete {
                    evaluator.may_read(module, path)
                } else {
                    evaluator.may_read_somehow(module, path)
                }
            })
        });
        for (groups, may_read) in alike.into_iter().zip(may_read) {
            for node in groups.into_iter().flatten() {
                reads[*node as usize] |= may_read;
            }
        }
    }

    fn evaluator(&self, node: u32) -> Arc<Evaluator> {
        let slot = &self.evaluators[node as usize];
        if let Some(known) = slot.get() {
            return Arc::clone(known);
        }
        let made = || Arc::new(Readings::evaluator(&self.readings, node));
        if !self.nodes()[node as usize].is_complete()
            && self.of_partial_nodes.fetch_add(1, Ordering::Relaxed) >= MAX_OF_PARTIAL_NODES
        {
            return made();
        }
        Arc::clone(slot.get_or_init(made))
    }

    /// An evaluator for a node, which need not belong to the fleet.
    fn new_evaluator_of(&self, node: &Arc<Node>) -> Evaluator {
        self.readings.new_evaluator_of(node)
    }
}

/// Each different answer once, with all of its nodes, in the order of its first node.
fn distinct<A: KeptAnswer>(found: Vec<SharedAnswer<A>>) -> Vec<SharedAnswer<A>> {
    let mut distinct = Distinct::default();
    let numbered = found.into_iter().map(|SharedAnswer { answer, nodes }| {
        let first = nodes.first().copied().unwrap_or_default();
        SharedAnswer { answer: distinct.add(answer.number(), first, answer), nodes }
    });
    let numbered = numbered.collect();
    distinct.of_nodes(numbered)
}

/// Different answers, each as the first node gets it.
struct Distinct<A> {
    answers: Vec<(u32, A)>,
    by_number: HashMap<u64, Vec<usize>, foldhash::fast::RandomState>,
}

impl<A> Default for Distinct<A> {
    fn default() -> Self {
        Self { answers: Vec::new(), by_number: HashMap::default() }
    }
}

impl<A: KeptAnswer> Distinct<A> {
    /// Adds the answer of a node with its number, unless it is known. Returns its position.
    fn add(&mut self, number: u64, node: u32, answer: A) -> usize {
        // Different answers may have the same number, so the number only narrows down what is compared.
        let known = self.by_number.entry(number).or_default();
        let is_it = |at: &&usize| self.answers[**at].1.is_same(&answer);
        if let Some(at) = known.iter().find(is_it).copied() {
            if node < self.answers[at].0 {
                self.answers[at] = (node, answer);
            }
            return at;
        }
        let at = self.answers.len();
        known.push(at);
        self.answers.push((node, answer));
        at
    }

    /// The answers with their nodes, which have the positions of their answers.
    fn of_nodes(self, found: Vec<SharedAnswer<usize>>) -> Vec<SharedAnswer<A>> {
        let mut nodes: Vec<Vec<u32>> = vec![Vec::new(); self.answers.len()];
        for found in found {
            nodes[found.answer].extend(found.nodes);
        }
        let answers = self.answers.into_iter().zip(nodes);
        let mut shared: Vec<SharedAnswer<A>> = answers
            .map(|((_, answer), mut nodes)| {
                nodes.sort_unstable();
                SharedAnswer { answer, nodes }
            })
            .collect();
        shared.sort_unstable_by_key(|group| group.nodes.first().copied());
        shared
    }
}

/// Whether two answers are equal, case by case. What else an uncertain answer depends on may follow from earlier lookups, so
/// it is not compared.
pub(crate) fn is_same_with_cases(one: &Answer, other: &Answer) -> bool {
    let is_complete = one.left_out.is_empty();
    let is_same = |one: &Answer, other: &Answer| {
        if is_complete { is_same(one, other) } else { is_same_outcome(one, other) }
    };
    let pairs = || one.cases.iter().zip(&other.cases);
    is_complete == other.left_out.is_empty()
        && is_same(one, other)
        && one.cases.len() == other.cases.len()
        && pairs().all(|(one, other)| {
            one.conditions == other.conditions && is_same(&one.answer, &other.answer)
        })
}

fn mixed(what: impl Hash) -> u64 {
    let mut hasher = new_hasher();
    what.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
