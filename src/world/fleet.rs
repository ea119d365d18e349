//! All answers of a fleet: what each of many nodes gets for a key. A lookup runs once for all nodes that read the same. The
//! lookup itself says which nodes these are ([`Footprint`](crate::engine::Footprint)).
//!
//! A lookup takes one step after the other: it finds the files that have the key, or the value of a variable. As long as a
//! second node finds the same at each step, its lookup goes the same way and ends with the same value. So the key is looked up
//! for one node of a group, the group is split by what that lookup depended on, and each part that differs follows in turn.

mod affected;
mod before;
mod causes;
mod comparison;
mod difference;
mod earlier_answers;
mod kept;
#[cfg(test)]
mod random_data;
mod readings;
mod references;
mod scope;

use std::collections::{BTreeSet, HashMap};
use std::hash::{Hash, Hasher as _};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use super::parallel;
use super::snapshot::World;
use crate::backends::Registry;
use crate::config::Environment;
use crate::engine::cases::{is_same, is_same_outcome};
use crate::engine::footprint::{new_hasher, outcome_hash};
use crate::engine::{Answer, Dependency, Evaluator, Request};
use crate::facts::Node;
pub use before::Before;
pub use causes::Cause;
pub use comparison::Differences;
pub use difference::{Change as AnswerChange, Difference, FleetPair, is_unchanged};
use earlier_answers::EarlierAnswers;
pub use kept::Asker;
use readings::Readings;
pub(super) use references::{KnownReferences, RootName};

/// A number for each node. Nodes with the same number find the same at a step of a lookup.
type Column = Arc<[u64]>;

/// With at least this many groups of nodes, all processors do the lookups. Fewer groups are not worth a thread.
const MANY_GROUPS: usize = 64;

/// Some nodes of one environment in one snapshot, and what is known about their answers.
pub struct Fleet {
    readings: Arc<Readings>,
    /// By node, created for the node of a group whose lookup runs.
    evaluators: Box<[OnceLock<Arc<Evaluator>>]>,
    /// The differences from an earlier fleet, computed on demand. The fleet itself is not kept: it may have differences from a
    /// still earlier one, or be this one.
    kept: Mutex<Option<(Weak<Fleet>, Arc<Differences>)>>,
    /// The results of earlier comparisons in which this was the earlier fleet.
    earlier: EarlierAnswers,
}

/// An answer and the nodes that get it, by their numbers, in order.
#[derive(Debug, Clone)]
pub struct SharedAnswer {
    /// The answer, as the first of the nodes gets it.
    pub answer: Answer,
    /// The nodes.
    pub nodes: Vec<u32>,
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

    /// The same nodes with nothing parsed. Earlier results are dropped.
    #[must_use]
    pub fn renewed(&self) -> Self {
        // The structure of hierarchies does not depend on texts, so it does not have to be computed again.
        let readings = self.readings.with_world(&self.readings.world.short_lived());
        readings.share(&self.readings);
        Self::of(readings)
    }

    fn of(readings: Readings) -> Self {
        let evaluators = readings.nodes.iter().map(|_| OnceLock::new()).collect();
        let (kept, earlier) = (Mutex::default(), EarlierAnswers::default());
        Self { readings: Arc::new(readings), evaluators, kept, earlier }
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
        self.answers_among(request, self.all_nodes())
    }

    fn all_nodes(&self) -> Vec<u32> {
        (0..self.nodes().len() as u32).collect()
    }

    /// The same for some of the nodes.
    fn answers_among(&self, request: &Request, nodes: Vec<u32>) -> Vec<SharedAnswer> {
        let mut distinct: Vec<SharedAnswer> = Vec::new();
        let mut by_hash: HashMap<u64, Vec<usize>> = HashMap::new();
        for found in self.by_footprint(request, nodes) {
            // Different answers may have the same hash, so the hash only narrows down what is compared.
            let known = by_hash.entry(outcome_hash(&found.answer)).or_default();
            let is_it = |at: &&usize| is_same_with_cases(&distinct[**at].answer, &found.answer);
            if let Some(at) = known.iter().find(is_it) {
                distinct[*at].nodes.extend(found.nodes);
            } else {
                known.push(distinct.len());
                distinct.push(found);
            }
        }
        for group in &mut distinct {
            group.nodes.sort_unstable();
        }
        distinct.sort_unstable_by_key(|group| group.nodes.first().copied());
        distinct
    }

    /// [`Self::answers`], but one for each group of nodes whose lookups read the same. All values of a group come from the same
    /// places.
    pub fn answers_by_reads(&self, request: &Request) -> Vec<SharedAnswer> {
        self.by_footprint(request, self.all_nodes())
    }

    /// What the node with this number gets; other nodes are not considered.
    pub fn answer_of(&self, node: u32, request: &Request) -> Answer {
        self.evaluator(node).call(request)
    }

    /// The answers, one for each group of nodes whose lookups read the same.
    fn by_footprint(&self, request: &Request, nodes: Vec<u32>) -> Vec<SharedAnswer> {
        let request = Request { wants_footprint: true, ..request.clone() };
        let mut found = Vec::new();
        let mut left: Vec<Vec<u32>> = vec![nodes];
        while !left.is_empty() {
            let asked = std::mem::take(&mut left);
            let answer = |nodes: &Vec<u32>| Some(self.evaluator(*nodes.first()?).call(&request));
            // A group of a thousand nodes that each have a file of their own splits into a thousand groups.
            let answers: Vec<Option<Answer>> = if asked.len() < MANY_GROUPS {
                asked.iter().map(answer).collect()
            } else {
                parallel::map(&asked, answer)
            };
            // Groups are split one after the other, because most of them share the columns that split them, and these are kept.
            for (mut nodes, answer) in asked.into_iter().zip(answers) {
                let Some(mut answer) = answer else { continue };
                let footprint = answer.footprint.take().unwrap_or_default();
                for dependency in footprint.dependencies() {
                    // A single node cannot be split, and its columns may be expensive.
                    if nodes.len() == 1 {
                        break;
                    }
                    nodes = self.split(&dependency, nodes, &mut left);
                }
                found.push(SharedAnswer { answer, nodes });
            }
        }
        found
    }

    /// The nodes that agree with the first one in everything that was read. The others are added to `left`, in groups.
    fn split(&self, by: &Dependency, nodes: Vec<u32>, left: &mut Vec<Vec<u32>>) -> Vec<u32> {
        let column = match by {
            Dependency::Variable(expression) => self.readings.variable(expression),
            Dependency::Key(root) => self.readings.key(root),
            // The lookup depends on something that no column describes, so no two nodes may share it.
            Dependency::Node => {
                let first = nodes[0];
                left.extend(nodes[1..].iter().map(|node| vec![*node]));
                return vec![first];
            }
        };
        let of_first = column[nodes[0] as usize];
        if nodes.iter().all(|node| column[*node as usize] == of_first) {
            return nodes;
        }
        let mut same = Vec::new();
        let mut others: HashMap<u64, usize, foldhash::fast::RandomState> = HashMap::default();
        for node in nodes {
            let number = column[node as usize];
            if number == of_first {
                same.push(node);
                continue;
            }
            let at = *others.entry(number).or_insert_with(|| {
                left.push(Vec::new());
                left.len() - 1
            });
            left[at].push(node);
        }
        same
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

    /// Adds the nodes that are not completely known and that may read one of `files`. Nodes whose hierarchies look the same
    /// behave alike.
    fn add_perhaps_reading(
        &self,
        files: &BTreeSet<Arc<str>>,
        module: Option<&str>,
        reads: &mut [bool],
    ) {
        let structures = self.readings.structures(module);
        let is_asked = |nodes: &[u32]| {
            // The hierarchies of nodes that are alike are equally open, so the first one represents all of them.
            let is_open = |node: &u32| !self.nodes()[*node as usize].is_complete();
            nodes.first().is_some_and(is_open) && nodes.iter().any(|node| !reads[*node as usize])
        };
        let alike = structures.iter().map(|(_, nodes)| nodes.as_slice());
        let asked: Vec<&[u32]> = alike.filter(|nodes| is_asked(nodes)).collect();
        let may_read = parallel::map(&asked, |nodes| {
            let evaluator = self.evaluator(nodes[0]);
            files.iter().any(|path| evaluator.may_read_somehow(module, path))
        });
        for (nodes, may_read) in asked.into_iter().zip(may_read) {
            for node in nodes {
                reads[*node as usize] |= may_read;
            }
        }
    }

    fn evaluator(&self, node: u32) -> Arc<Evaluator> {
        let slot = &self.evaluators[node as usize];
        slot.get_or_init(|| Arc::new(Readings::evaluator(&self.readings, node))).clone()
    }

    /// The answer for a node, which need not belong to the fleet.
    fn new_evaluator_of(&self, node: &Arc<Node>) -> Evaluator {
        self.readings.new_evaluator_of(node)
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
