//! The comparison of nodes of which not all cases are listed. If only values were edited, such a node gets another answer only
//! where it reads an edited file, so it is compared just for the ways in which it may: a site's file that is one of hundreds is
//! still compared completely.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;

use super::SharedAnswer;
use super::causes::{Cause, add_causes, causes};
use super::difference::{Change, Difference, FleetPair, is_unchanged, numbers_of};
use super::open_comparison::{Verdict, verdict};
use crate::engine::cases::pairs::Lookups;
use crate::engine::cases::{self, with_first_cases};
use crate::engine::{Answer, Assumed, Condition, Request, undecided};
use crate::facts::Node;
use crate::facts::mapped::is_member;
use crate::syntax::key_path;
use crate::world::shards::Shards;

/// With more ways than this, the cases that are listed are compared.
const MAX_WAYS: usize = 32;

/// The conditions of each way in which nodes read an edited file.
pub(super) type Ways = Vec<Vec<Condition>>;

/// The ways for root keys that were compared.
#[derive(Default)]
pub(super) struct KnownWays(Shards<OnceLock<Option<Arc<Ways>>>>);

/// The answer of a node before. The same answers have the same number.
#[derive(Clone, Copy)]
pub(super) struct Base<'a> {
    pub(super) number: usize,
    pub(super) answer: &'a Answer,
}

/// What some nodes get before and after if they read an edited file in one way.
struct InOneWay {
    request: Request,
    before: Vec<SharedAnswer>,
    after: Vec<SharedAnswer>,
    /// The nodes whose answers depend on what stays open.
    undecided: BTreeSet<u32>,
}

/// The nodes for which a comparison in ways does not tell everything.
#[derive(Default)]
pub(super) struct NotTold {
    /// Those that must be compared with nothing left open.
    pub(super) undecided: Vec<u32>,
    /// Those whose answers do not tell what every such node gets.
    pub(super) unsettled: Vec<u32>,
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
    pub(super) fn edited_ways(&self, request: &Request) -> Option<Arc<Ways>> {
        let root = match &*request.names {
            // The readers of the files are known, whatever the key is.
            _ if !self.edited.is_empty() => "".into(),
            [key] => key_path::root_of(key)?,
            _ => return None,
        };
        let slot = self.ways.0.slot(&root);
        // Each pair of answers asks for them, and thousands of files can have strings that look up the edited key.
        slot.get_or_init(|| self.find_edited_ways(&root).map(Arc::new)).clone()
    }

    fn find_edited_ways(&self, root: &str) -> Option<Ways> {
        if !self.edited.is_empty() {
            return self.ways_to(&self.edited);
        }
        let affected = self.affected_keys()?;
        let of_key = affected.files_of(root).and_then(|files| self.ways_to(files));
        // A key that is built from an edited one may be in a file that every node reads.
        of_key.or_else(|| self.ways_to(&affected.edited))
    }

    fn ways_to(&self, files: &BTreeSet<Arc<str>>) -> Option<Ways> {
        let (world, environment) = (self.after().world(), self.after().environment());
        let mut ways = Ways::new();
        for path in files {
            if world.unclear_ways_to_file(environment, path).iter().any(|it| it.is_obscure) {
                return None;
            }
            for way in world.ways_to_file(environment, path) {
                if way.is_obscure {
                    return None;
                }
                let named = way.conditions.into_iter().filter(|(name, _)| !is_member(name));
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
        let (groups, certain_readers) = self.by_open_ways(ways, bases);
        for (ways, bases) in groups {
            self.add_group(&ways, bases, request, difference);
        }
        certain_readers
    }

    /// The nodes grouped by the ways that are open for them, and those that certainly read an edited file.
    fn by_open_ways<'b>(
        &self,
        ways: &Ways,
        bases: impl IntoIterator<Item = (u32, Base<'b>)>,
    ) -> (IndexMap<Ways, BTreeMap<u32, Base<'b>>>, BTreeSet<u32>) {
        let mut certain_readers = BTreeSet::new();
        let mut groups: IndexMap<Ways, BTreeMap<u32, Base<'b>>> = IndexMap::new();
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
        (groups, certain_readers)
    }

    /// Adds the changes of nodes with everything left open that may be. Of a node that reads no edited file, nothing is said: it
    /// has the same answer as before.
    pub(super) fn add_open_in_ways(
        &self,
        ways: &Ways,
        nodes: &[u32],
        open: &Request,
        difference: &mut Difference,
    ) -> NotTold {
        let elsewhere = Answer::elsewhere();
        let base = Base { number: 0, answer: &elsewhere };
        let (groups, certain_readers) =
            self.by_open_ways(ways, nodes.iter().map(|node| (*node, base)));
        let mut not_told = NotTold::default();
        not_told.undecided.extend(certain_readers);
        for (ways, bases) in groups {
            let NotTold { undecided, unsettled } = self.add_group(&ways, bases, open, difference);
            not_told.undecided.extend(undecided);
            not_told.unsettled.extend(unsettled);
        }
        not_told
    }

    /// What the nodes get in one way.
    fn in_one_way(&self, way: &[Condition], request: &Request, nodes: &[u32]) -> InOneWay {
        let request = assuming(way, request);
        if request.unchanged.is_some() {
            let (before, after, undecided) = self.compared_answers(&request, nodes);
            return InOneWay { request, before, after, undecided };
        }
        let before = self.before().earlier_answers(&request, nodes, None).answers.clone();
        let after = self.later_answers(&request, nodes);
        InOneWay { request, before, after, undecided: BTreeSet::new() }
    }

    /// [`Self::add_in_ways`] and [`Self::add_open_in_ways`] for nodes for which the same ways are open.
    fn add_group(
        &self,
        ways: &Ways,
        mut bases: BTreeMap<u32, Base<'_>>,
        request: &Request,
        difference: &mut Difference,
    ) -> NotTold {
        let nodes: Vec<u32> = bases.keys().copied().collect();
        let in_ways: Vec<InOneWay> =
            ways.iter().map(|way| self.in_one_way(way, request, &nodes)).collect();
        for answer in in_ways.iter().flat_map(|it| it.before.iter().chain(&it.after)) {
            difference.note_unknown(&answer.answer);
        }
        let mut not_told = NotTold::default();
        bases.retain(|node, _| {
            let is_decided = !in_ways.iter().any(|it| it.undecided.contains(node));
            if !is_decided {
                not_told.undecided.push(*node);
            }
            is_decided
        });
        let total = self.after().nodes().len();
        let numbers: Vec<[Vec<usize>; 2]> = { in_ways.iter() }
            .map(|it| [numbers_of(&it.before, total), numbers_of(&it.after, total)])
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
            let (mut is_changed, mut is_settled) = (false, true);
            let mut is_decided = true;
            let (mut before, mut after) = (Vec::new(), Vec::new());
            for ((way, it), (one, other)) in ways.iter().zip(&in_ways).zip(numbers) {
                let answers = (&*it.before[one].answer, &*it.after[other].answer);
                before.push((&**way, answers.0));
                after.push((&**way, answers.1));
                is_settled &= cases::is_settled(answers.0) && cases::is_settled(answers.1);
                match self.verdict(answers, &it.request, nodes[0]) {
                    Verdict::Same => {}
                    Verdict::Undecided => is_decided = false,
                    Verdict::Other => {
                        is_changed = true;
                        let request = Request { unchanged: None, ..it.request.clone() };
                        add_causes(&mut found, causes(self, nodes[0], &request));
                    }
                }
            }
            if !is_decided {
                not_told.undecided.extend(nodes);
                continue;
            }
            if !is_settled {
                not_told.unsettled.extend(&nodes);
            }
            if is_changed {
                difference.changes.push(Change {
                    key: Arc::clone(&request.names[0]),
                    // A node that reads no edited file has the same answer as before.
                    before: with_first_cases(&before, base).as_written().into(),
                    after: with_first_cases(&after, base).as_written().into(),
                    nodes,
                    others: Vec::new(),
                    causes: found,
                });
            }
        }
        not_told
    }

    /// Whether a node, and those like it, get another answer.
    fn verdict(
        &self,
        (before, after): (&Answer, &Answer),
        request: &Request,
        node: u32,
    ) -> Verdict {
        if request.unchanged.is_some() {
            return verdict(before, after);
        }
        let evaluators = (self.before().evaluator(node), self.after().evaluator(node));
        let lookups = Lookups { before: &evaluators.0, after: &evaluators.1, request };
        if is_unchanged(before, after, lookups) { Verdict::Same } else { Verdict::Other }
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
