//! The lookups of a fleet, one for each group of nodes that read the same.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Fleet, SharedAnswer};
use crate::engine::footprint::Footprint;
use crate::engine::{Answer, Dependency, Request};
use crate::world::parallel;

/// With at least this many groups of nodes, all processors do the lookups. Fewer groups are not worth a thread.
pub(super) const MANY_GROUPS: usize = 64;

/// The number of lookups that a thread does before it takes others.
const LOOKUPS_AT_ONCE: usize = 32;

/// With at least this many requests, each processor answers requests of its own. Otherwise, all of them do the lookups for
/// the same requests.
const MANY_REQUESTS: usize = 64;

/// With at least this many groups without an answer, the lookups for them are done. More are faster, because the files of a
/// node then serve more requests one after the other, but what is kept of their answers takes memory.
const MAX_GROUPS: usize = 1 << 15;

/// The maximum number of nodes in all requests that are answered together: each answer is passed on with its nodes.
const MAX_NODES: usize = 1 << 18;

/// A request and the answers found so far.
struct Asked<A> {
    /// The position of the request.
    request: usize,
    answered: Vec<SharedAnswer<A>>,
    /// The nodes without an answer. The nodes of a group, at least one, agree in everything that the lookups have read so far.
    left: Vec<Vec<u32>>,
}

/// A request, with and without a record of what it reads. The answer for a single node is not shared, so what it depends on
/// does not matter.
struct Both {
    shared: Request,
    alone: Request,
}

/// Requests, and what is kept of an answer to the one at a position.
struct Asking<'a, A> {
    requests: &'a [Both],
    keep: &'a (dyn Fn(usize, Answer) -> A + Sync),
    /// Whether other threads answer other requests, so that none is left for the lookups of these.
    is_one_of_many: bool,
}

impl Fleet {
    /// The answers of `nodes` to each request, one for each group of nodes whose lookups read the same. `keep` gets each
    /// answer together with the position of the request, and returns what is kept of it. `then` gets all that was kept for a
    /// request. The processors share this work. The results go to `done`, in the order of the requests.
    pub(super) fn by_footprint<A: Send + Sync, R: Send>(
        &self,
        requests: &[Request],
        nodes: &[u32],
        keep: impl Fn(usize, Answer) -> A + Sync,
        then: impl Fn(usize, Vec<SharedAnswer<A>>) -> R + Sync,
        done: impl FnMut(R) + Send,
    ) {
        let requests: Vec<Both> = requests.iter().map(Both::of).collect();
        let is_one_of_many = requests.len() >= MANY_REQUESTS;
        let asking = Asking { requests: &requests, keep: &keep, is_one_of_many };
        let next = AtomicUsize::new(0);
        let work = |give: &dyn Fn(usize, R)| {
            loop {
                let mut asked = self.begin_some(&asking, nodes, &next);
                if asked.is_empty() {
                    return;
                }
                self.ask_for_all(&asking, &mut asked);
                for it in asked {
                    give(it.request, then(it.request, it.answered));
                }
            }
        };
        if is_one_of_many {
            parallel::in_order(work, done);
        } else {
            parallel::in_order_alone(work, done);
        }
    }

    /// Begins with the next requests.
    fn begin_some<A>(
        &self,
        asking: &Asking<'_, A>,
        nodes: &[u32],
        next: &AtomicUsize,
    ) -> Vec<Asked<A>> {
        let mut asked: Vec<Asked<A>> = Vec::new();
        // The lookup for the first node tells how many groups there are, more or less.
        let mut groups = 0;
        while groups < MAX_GROUPS && asked.len() * nodes.len() < MAX_NODES {
            let request = next.fetch_add(1, Ordering::Relaxed);
            if request >= asking.requests.len() {
                break;
            }
            let begun = self.begin(asking, request, nodes);
            groups += begun.left.len();
            asked.push(begun);
        }
        asked
    }

    /// Does the lookup for the first node, and groups the others by what it depends on.
    fn begin<A>(&self, asking: &Asking<'_, A>, request: usize, nodes: &[u32]) -> Asked<A> {
        let mut asked = Asked { request, answered: Vec::new(), left: Vec::new() };
        if !nodes.is_empty() {
            let found = self.lookup(asking, request, nodes);
            self.take(&mut asked, nodes.to_vec(), found);
        }
        asked
    }

    /// Does the lookups that are left.
    fn ask_for_all<A: Send + Sync>(&self, asking: &Asking<'_, A>, asked: &mut [Asked<A>]) {
        loop {
            let mut groups: Vec<(usize, Vec<u32>)> = Vec::new();
            for (at, asked) in asked.iter_mut().enumerate() {
                groups.extend(std::mem::take(&mut asked.left).into_iter().map(|it| (at, it)));
            }
            if groups.is_empty() {
                return;
            }
            // All lookups for one node follow each other, so that its files stay in the caches of the processor.
            groups.sort_by_key(|(_, nodes)| nodes[0]);
            let look_up =
                |(at, nodes): &(usize, Vec<u32>)| self.lookup(asking, asked[*at].request, nodes);
            let found: Vec<(A, Footprint)> = if asking.is_one_of_many || groups.len() < MANY_GROUPS
            {
                groups.iter().map(look_up).collect()
            } else {
                let parts: Vec<_> = groups.chunks(LOOKUPS_AT_ONCE).collect();
                let part = |part: &&[_]| part.iter().map(look_up).collect::<Vec<_>>();
                parallel::map(&parts, part).into_iter().flatten().collect()
            };
            for ((at, nodes), found) in groups.into_iter().zip(found) {
                self.take(&mut asked[at], nodes, found);
            }
        }
    }

    /// What is kept of the answer for the first node of a group, and what the answer depends on.
    fn lookup<A>(&self, asking: &Asking<'_, A>, request: usize, nodes: &[u32]) -> (A, Footprint) {
        let both = &asking.requests[request];
        let asked = if nodes.len() > 1 { &both.shared } else { &both.alone };
        let mut answer = self.evaluator(nodes[0]).call(asked);
        let footprint = answer.footprint.take().unwrap_or_default();
        ((asking.keep)(request, answer), footprint)
    }

    /// Takes the answer of the first node of a group. Splits the group by what its lookup depended on.
    fn take<A>(&self, asked: &mut Asked<A>, mut nodes: Vec<u32>, found: (A, Footprint)) {
        let (answer, footprint) = found;
        for dependency in footprint.dependencies() {
            // A single node cannot be split, and its columns may be expensive.
            if nodes.len() == 1 {
                break;
            }
            nodes = self.split(&dependency, nodes, &mut asked.left);
        }
        asked.answered.push(SharedAnswer { answer, nodes });
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
}

impl Both {
    fn of(request: &Request) -> Self {
        let with = |wants_footprint: bool| Request { wants_footprint, ..request.clone() };
        Self { shared: with(true), alone: with(false) }
    }
}
