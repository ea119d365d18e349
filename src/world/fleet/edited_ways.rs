//! The comparison of nodes of which not all cases are listed. If only values were edited, such a node gets another answer only
//! where it reads an edited file, so it is compared just for the ways in which it may: a site's file that is one of hundreds is
//! still compared completely.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use indexmap::IndexMap;

use super::SharedAnswer;
use super::causes::{Cause, add_causes, causes};
use super::difference::{Change, Difference, FleetPair, is_unchanged, numbers_of};
use super::earlier_answers::Earlier;
use crate::engine::cases::pairs::Lookups;
use crate::engine::cases::with_first_cases;
use crate::engine::{Answer, Assumed, Condition, Request, undecided};
use crate::facts::Node;
use crate::facts::infer::MEMBER;
use crate::syntax::key_path;

/// With more ways than this, the cases that are listed are compared.
const MAX_WAYS: usize = 32;

/// The conditions of each way in which nodes read an edited file.
pub(super) type Ways = Vec<Vec<Condition>>;

/// The answer of a node before. The same answers have the same number.
#[derive(Clone, Copy)]
pub(super) struct Base<'a> {
    pub(super) number: usize,
    pub(super) answer: &'a Answer,
}

/// What some nodes get before and after if they read an edited file in one way.
struct InOneWay {
    request: Request,
    before: Arc<Earlier>,
    after: Vec<SharedAnswer>,
}

/// The numbers of a node's answers: before, and before and after in each way.
#[derive(PartialEq, Eq, Hash)]
struct Numbers {
    base: usize,
    in_ways: Vec<(usize, usize)>,
}

impl FleetPair {
    /// The ways in which nodes read a file that may give them another answer now. `None` if that is not known, if there are
    /// too many, or if every node reads such a file.
    pub(super) fn edited_ways(&self, request: &Request) -> Option<Ways> {
        if !self.edited.is_empty() {
            return self.ways_to(&self.edited);
        }
        let [key] = &*request.names else { return None };
        let affected = self.affected_keys()?;
        let root = key_path::parse(key).ok()?.root_name()?.clone();
        let of_key = affected.files_of(&root).and_then(|files| self.ways_to(files));
        // A key that is built from an edited one may be in a file that every node reads.
        of_key.or_else(|| self.ways_to(&affected.edited))
    }

    fn ways_to(&self, files: &BTreeSet<Arc<str>>) -> Option<Ways> {
        let (world, environment) = (self.after().world(), self.after().environment());
        let mut ways = Ways::new();
        for path in files {
            for way in world.ways_to_file(environment, path) {
                if way.is_obscure {
                    return None;
                }
                let named = way.conditions.into_iter().filter(|(name, _)| !name.ends_with(MEMBER));
                let condition =
                    |(variable, text)| Condition { variable, value: Assumed::Text(text) };
                let way: Vec<Condition> = named.map(condition).collect();
                if way.is_empty() || ways.len() == MAX_WAYS {
                    return None;
                }
                if !ways.contains(&way) {
                    ways.push(way);
                }
            }
        }
        Some(ways)
    }

    /// Adds the changes of nodes of which cases are left out. Returns those that certainly read an edited file: for these, the
    /// ways say nothing.
    pub(super) fn add_in_ways(
        &self,
        ways: &Ways,
        bases: BTreeMap<u32, Base<'_>>,
        request: &Request,
        difference: &mut Difference,
    ) -> BTreeSet<u32> {
        let mut certain_readers = BTreeSet::new();
        let mut groups: IndexMap<Ways, BTreeMap<u32, Base<'_>>> = IndexMap::new();
        for (node, base) in bases {
            match open_ways(ways, &self.after().nodes()[node as usize]) {
                Some(open) => {
                    groups.entry(open).or_default().insert(node, base);
                }
                None => {
                    certain_readers.insert(node);
                }
            }
        }
        for (ways, bases) in groups {
            self.add_group(&ways, bases, request, difference);
        }
        certain_readers
    }

    /// [`Self::add_in_ways`] for nodes for which the same ways are open.
    fn add_group(
        &self,
        ways: &Ways,
        bases: BTreeMap<u32, Base<'_>>,
        request: &Request,
        difference: &mut Difference,
    ) {
        let nodes: Vec<u32> = bases.keys().copied().collect();
        let in_ways: Vec<InOneWay> = { ways.iter() }
            .map(|way| {
                let request = assuming(way, request);
                let before = self.before().earlier_answers(&request, &nodes, None);
                let after = self.later_answers(&request, &nodes);
                InOneWay { request, before, after }
            })
            .collect();
        for answer in in_ways.iter().flat_map(|it| it.before.answers.iter().chain(&it.after)) {
            difference.note_unknown(&answer.answer);
        }
        let total = self.after().nodes().len();
        let numbers: Vec<[Vec<usize>; 2]> = { in_ways.iter() }
            .map(|it| [numbers_of(&it.before.answers, total), numbers_of(&it.after, total)])
            .collect();
        let mut alike: IndexMap<Numbers, (&Answer, Vec<u32>)> = IndexMap::new();
        for (node, base) in bases {
            let at = node as usize;
            let in_ways = numbers.iter().map(|[before, after]| (before[at], after[at])).collect();
            let alike = alike.entry(Numbers { base: base.number, in_ways });
            alike.or_insert_with(|| (base.answer, Vec::new())).1.push(node);
        }
        for (Numbers { in_ways: numbers, .. }, (base, nodes)) in alike {
            let mut found: Vec<Cause> = Vec::new();
            let mut is_changed = false;
            let (mut before, mut after) = (Vec::new(), Vec::new());
            for ((way, it), (one, other)) in ways.iter().zip(&in_ways).zip(numbers) {
                let answers = (&*it.before.answers[one].answer, &*it.after[other].answer);
                before.push((&**way, answers.0));
                after.push((&**way, answers.1));
                let evaluators =
                    (self.before().evaluator(nodes[0]), self.after().evaluator(nodes[0]));
                let lookups =
                    Lookups { before: &evaluators.0, after: &evaluators.1, request: &it.request };
                if !is_unchanged(answers.0, answers.1, lookups) {
                    is_changed = true;
                    add_causes(&mut found, causes(self, nodes[0], &it.request));
                }
            }
            if is_changed {
                difference.changes.push(Change {
                    key: Arc::clone(&request.names[0]),
                    // A node that reads no edited file has the same answer as before.
                    before: with_first_cases(&before, base).into(),
                    after: with_first_cases(&after, base).into(),
                    nodes,
                    others: Vec::new(),
                    causes: found,
                });
            }
        }
    }
}

/// The same request for nodes that read an edited file in this way.
pub(super) fn assuming(way: &[Condition], request: &Request) -> Request {
    Request { assuming: way.to_vec(), ..request.clone() }
}

/// The ways in which a node may read an edited file, without what is known of the node. `None` if it certainly does.
pub(super) fn open_ways(ways: &Ways, node: &Node) -> Option<Ways> {
    let possible: Ways = ways.iter().filter_map(|way| undecided(way, node)).collect();
    (!possible.iter().any(Vec::is_empty)).then_some(possible)
}
