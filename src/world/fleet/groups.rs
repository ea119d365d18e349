//! The lookups of a fleet, one for each group of nodes that read the same.
//!
//! A lookup for a node without a fact set takes many runs. It is recorded, and for the nodes that differ from this one, only
//! those runs are done that read something in which they differ, such as a certname in a text.

use std::hash::Hash;
use std::sync::Arc;

use indexmap::IndexMap;

use super::{Column, Fleet, SharedAnswer};
use crate::engine::footprint::Footprint;
use crate::engine::{Answer, Dependency, Precedent, Recording, Request};
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
    /// The nodes without an answer.
    left: Vec<Group>,
}

/// Nodes, at least one, that agree in everything that the lookups have read so far.
struct Group {
    nodes: Vec<u32>,
    /// A lookup that found the same for its root key.
    like: Option<Arc<Example>>,
}

impl Group {
    fn of(nodes: Vec<u32>) -> Self {
        Self { nodes, like: None }
    }
}

/// A lookup whose runs may be those of other nodes.
struct Example {
    node: u32,
    recording: Recording,
    /// What the nodes have, for each dependency of the recording.
    columns: Vec<Column>,
}

impl Example {
    /// In which of the dependencies another node differs.
    fn changed_for(&self, node: u32) -> Vec<bool> {
        let is_changed = |column: &Column| column[node as usize] != column[self.node as usize];
        self.columns.iter().map(is_changed).collect()
    }
}

/// The answer for the first node of a group, and what it depends on.
struct Found {
    answer: Box<Answer>,
    depends_on: DependsOn,
}

enum DependsOn {
    /// It does not matter, because the group has a single node.
    Any,
    Each(Footprint),
    Runs(Recording),
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
            let all = Group::of(nodes.to_vec());
            let found = self.lookup(&requests[request], &all);
            self.take(&mut asked, all.nodes, found);
        }
        asked
    }

    /// Does the lookups that are left.
    fn ask_for_all(&self, requests: &[Both], asked: &mut Vec<Asked>) {
        loop {
            let mut groups: Vec<(usize, Group)> = Vec::new();
            for (at, asked) in asked.iter_mut().enumerate() {
                groups.extend(std::mem::take(&mut asked.left).into_iter().map(|it| (at, it)));
            }
            if groups.is_empty() {
                return;
            }
            // All lookups for one node follow each other, so that its files stay in the caches of the processor.
            groups.sort_by_key(|(_, group)| group.nodes[0]);
            let request = |at: usize| &requests[asked[at].request];
            let answer = |(at, group): &(usize, Group)| self.lookup(request(*at), group);
            let answers: Vec<Found> = if groups.len() < MANY_GROUPS {
                groups.iter().map(answer).collect()
            } else {
                let parts: Vec<_> = groups.chunks(LOOKUPS_AT_ONCE).collect();
                let part = |part: &&[_]| part.iter().map(answer).collect::<Vec<_>>();
                parallel::map(&parts, part).into_iter().flatten().collect()
            };
            let mut found: Vec<Vec<(Vec<u32>, Found)>> = asked.iter().map(|_| Vec::new()).collect();
            for ((at, group), answer) in groups.into_iter().zip(answers) {
                found[at].push((group.nodes, answer));
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
    fn lookup(&self, request: &Both, group: &Group) -> Found {
        let node = group.nodes[0];
        let evaluator = self.evaluator(node);
        let (answer, depends_on) = if group.nodes.len() == 1 {
            let answer = match &group.like {
                Some(example) => {
                    let is_changed = &example.changed_for(node);
                    let precedent = Precedent { recording: &example.recording, is_changed };
                    evaluator.call_like(&request.alone, precedent)
                }
                None => evaluator.call(&request.alone),
            };
            (answer, DependsOn::Any)
        } else if evaluator.node().is_complete() {
            let mut answer = evaluator.call(&request.shared);
            let footprint = answer.footprint.take().unwrap_or_default();
            (answer, DependsOn::Each(footprint))
        } else {
            let (answer, recording) = evaluator.call_and_record(&request.shared);
            (answer, DependsOn::Runs(recording))
        };
        Found { answer: Box::new(answer), depends_on }
    }

    /// Takes the answer of the first node of a group. Splits the group by what its lookup depended on.
    fn take(&self, asked: &mut Asked, mut nodes: Vec<u32>, found: Found) {
        let Found { answer, depends_on } = found;
        match depends_on {
            DependsOn::Any => {}
            DependsOn::Each(footprint) => {
                for dependency in footprint.dependencies() {
                    // A single node cannot be split, and its columns may be expensive.
                    if nodes.len() == 1 {
                        break;
                    }
                    let others = self.split(&dependency, &mut nodes).into_iter();
                    asked.left.extend(others.map(Group::of));
                }
            }
            DependsOn::Runs(recording) => self.split_like(recording, &mut nodes, &mut asked.left),
        }
        asked.answered.push(SharedAnswer { answer, nodes });
    }

    /// Splits a group by what a recorded lookup for its first node depends on. The lookup is an example for the others, unless
    /// they find other files for its root key: then few of its runs would be the same.
    fn split_like(&self, recording: Recording, nodes: &mut Vec<u32>, left: &mut Vec<Group>) {
        let dependencies = recording.dependencies();
        if let Some(root) = dependencies.first() {
            left.extend(self.split(root, nodes).into_iter().map(Group::of));
        }
        if nodes.len() == 1 {
            return;
        }
        let columns: Option<Vec<Column>> = dependencies.iter().map(|it| self.column(it)).collect();
        let Some(columns) = columns else {
            // A function may read anything.
            left.extend(nodes.drain(1..).map(|node| Group::of(vec![node])));
            return;
        };
        let example = Arc::new(Example { node: nodes[0], recording, columns });
        let of_node = |node: u32| -> Vec<u64> {
            example.columns.iter().map(|column| column[node as usize]).collect()
        };
        let others = split(nodes, of_node).into_iter();
        left.extend(others.map(|nodes| Group { nodes, like: Some(example.clone()) }));
    }

    /// Removes the nodes that differ from the first one in a dependency. Returns them in groups.
    fn split(&self, by: &Dependency, nodes: &mut Vec<u32>) -> Vec<Vec<u32>> {
        let column = self.column(by);
        // If no column describes what a lookup depends on, no two nodes may share it.
        let number = |node: u32| column.as_ref().map_or(u64::from(node), |it| it[node as usize]);
        split(nodes, number)
    }

    /// What the nodes have for a dependency; `None` if it may be something else for each of them.
    fn column(&self, dependency: &Dependency) -> Option<Column> {
        match dependency {
            Dependency::Variable(expression) => Some(self.readings.variable(expression)),
            Dependency::Key(root) => Some(self.readings.key(root)),
            Dependency::Node => None,
        }
    }
}

/// Removes those nodes that do not have the number of the first one. Returns them, grouped by number.
fn split<N: Eq + Hash>(nodes: &mut Vec<u32>, number: impl Fn(u32) -> N) -> Vec<Vec<u32>> {
    let mut others: IndexMap<N, Vec<u32>, foldhash::fast::RandomState> = IndexMap::default();
    let of_first = number(nodes[0]);
    nodes.retain(|node| {
        let number = number(*node);
        let is_same = number == of_first;
        if !is_same {
            others.entry(number).or_default().push(*node);
        }
        is_same
    });
    others.into_values().collect()
}

impl Both {
    fn of(request: &Request) -> Self {
        let with = |wants_footprint: bool| Request { wants_footprint, ..request.clone() };
        Self { shared: with(true), alone: with(false) }
    }
}
