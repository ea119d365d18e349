//! The lookups of a fleet, one for each group of nodes that read the same.

use std::collections::HashMap;

use super::{Fleet, SharedAnswer};
use crate::engine::footprint::Footprint;
use crate::engine::{Answer, Dependency, Request};
use crate::world::parallel;

/// With at least this many groups of nodes, all processors do the lookups. Fewer groups are not worth a thread.
pub(super) const MANY_GROUPS: usize = 64;

/// The number of lookups that a thread does before it takes others.
const LOOKUPS_AT_ONCE: usize = 32;

/// With at least this many groups without an answer, the lookups for them are done. More are faster, because the files of a
/// node then serve more requests one after the other, but their answers take memory.
const MAX_GROUPS: usize = 1 << 13;

/// The number of requests that are grouped at once.
const REQUESTS_AT_ONCE: usize = 16;

/// A request and the answers found so far.
struct Asked {
    /// The position of the request.
    request: usize,
    answered: Vec<SharedAnswer>,
    /// The nodes without an answer. The nodes of a group, at least one, agree in everything that the lookups have read so far.
    left: Vec<Vec<u32>>,
}

/// A request, with and without a record of what it reads. The answer for a single node is not shared, so what it depends on
/// does not matter.
struct Both {
    shared: Request,
    alone: Request,
}

impl Fleet {
    /// The answers of `nodes` to each request, one for each group of nodes whose lookups read the same. `then` gets the
    /// position of the request; the processors share this work. The results go to `done`, in the order of the requests.
    pub(super) fn by_footprint<R: Send + Sync>(
        &self,
        requests: &[Request],
        nodes: &[u32],
        then: impl Fn(usize, Vec<SharedAnswer>) -> R + Sync,
        mut done: impl FnMut(Vec<R>),
    ) {
        let requests: Vec<Both> = requests.iter().map(Both::of).collect();
        let mut finish = |mut asked: Vec<Asked>| {
            self.ask_for_all(&requests, &mut asked);
            done(parallel::map_owned(asked, |it| then(it.request, it.answered)));
        };
        let mut asked = Vec::new();
        let mut groups = 0;
        let numbers: Vec<usize> = (0..requests.len()).collect();
        for some in numbers.chunks(REQUESTS_AT_ONCE) {
            // The lookup for the first node tells how many groups there are, more or less.
            let first = parallel::map(some, |&request| self.begin(request, &requests, nodes));
            for begun in first {
                groups += begun.left.len();
                asked.push(begun);
                if groups >= MAX_GROUPS {
                    finish(std::mem::take(&mut asked));
                    groups = 0;
                }
            }
        }
        finish(asked);
    }

    /// Does the lookup for the first node, and groups the others by what it depends on.
    fn begin(&self, request: usize, requests: &[Both], nodes: &[u32]) -> Asked {
        let mut asked = Asked { request, answered: Vec::new(), left: Vec::new() };
        if !nodes.is_empty() {
            let answer = self.lookup(&requests[request], nodes);
            self.take(&mut asked, nodes.to_vec(), answer);
        }
        asked
    }

    /// Does the lookups that are left.
    fn ask_for_all(&self, requests: &[Both], asked: &mut Vec<Asked>) {
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
            let request = |at: usize| &requests[asked[at].request];
            let answer = |(at, nodes): &(usize, Vec<u32>)| self.lookup(request(*at), nodes);
            let answers: Vec<Box<Answer>> = if groups.len() < MANY_GROUPS {
                groups.iter().map(answer).collect()
            } else {
                let parts: Vec<_> = groups.chunks(LOOKUPS_AT_ONCE).collect();
                let part = |part: &&[_]| part.iter().map(answer).collect::<Vec<_>>();
                parallel::map(&parts, part).into_iter().flatten().collect()
            };
            let mut found: Vec<Vec<(Vec<u32>, Box<Answer>)>> =
                asked.iter().map(|_| Vec::new()).collect();
            for ((at, nodes), answer) in groups.into_iter().zip(answers) {
                found[at].push((nodes, answer));
            }
            let pairs = std::mem::take(asked).into_iter().zip(found).collect();
            *asked = parallel::map_owned(pairs, |(mut asked, found): (Asked, Vec<_>)| {
                for (nodes, answer) in found {
                    self.take(&mut asked, nodes, answer);
                }
                asked
            });
        }
    }

    /// The answer for the first node of a group.
    fn lookup(&self, request: &Both, nodes: &[u32]) -> Box<Answer> {
        let request = if nodes.len() > 1 { &request.shared } else { &request.alone };
        Box::new(self.evaluator(nodes[0]).call(request))
    }

    /// Takes the answer of the first node of a group. Splits the group by what its lookup depended on.
    fn take(&self, asked: &mut Asked, mut nodes: Vec<u32>, mut answer: Box<Answer>) {
        let footprint: Footprint = answer.footprint.take().unwrap_or_default();
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
