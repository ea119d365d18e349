//! The lookups of a fleet, one for each group of nodes that read the same.
//!
//! A lookup for a node without a fact set takes many runs. It is recorded, and for the nodes that differ from this one, only
//! those runs are done that read something in which they differ, such as other files with a key. The names of the nodes stay open
//! in texts (`engine/open_names.rs`), so nodes with the same answer except for their names are one group.

use std::hash::Hash;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indexmap::IndexMap;

use super::{Column, Fleet, OfNodes, SharedAnswer};
use crate::engine::footprint::Footprint;
use crate::engine::{
    Answer, Dependency, EarlierRuns, Edited, EditedEntries, Evaluator, Known, Names, Precedent,
    Recording, Request, WithNames,
};
use crate::world::parallel;

/// With at least this many groups of nodes, all processors do the lookups. Fewer groups are worth a thread only if their
/// lookups take long.
pub(super) const MANY_GROUPS: usize = 64;

/// The time that is worked on few groups without other threads.
const FEW_GROUPS_ALONE: Duration = Duration::from_millis(1);

/// The number of lookups that a thread does before it takes others.
const LOOKUPS_AT_ONCE: usize = 32;

/// With at least this many requests, each processor answers requests of its own. Otherwise, all of them do the lookups for
/// the same requests.
const MANY_REQUESTS: usize = 64;

/// With at least this many groups without an answer, the lookups for them are done. More are faster, because the files of a
/// node then serve more requests one after the other, but what is kept of their answers takes memory.
pub(super) const MAX_GROUPS: usize = 1 << 15;

/// The maximum number of nodes in all requests that are answered together: each answer is passed on with its nodes.
const MAX_NODES: usize = 1 << 18;

/// The side of a comparison that lookups are for.
#[derive(Clone, Copy)]
pub(super) enum Side<'a> {
    /// Nothing is compared.
    Only,
    /// The side before an edit of these entries.
    Earlier(&'a EditedEntries),
    /// The side after it, with what is known of its lookups.
    Later(&'a OfNodes),
    /// The same with a text left open that is being typed. What the answers contain of it, and of names, stays open.
    Typed(&'a OpenAnswers),
    /// One of two sides that are only compared: what the answers contain of names, and of unchanged lookups, stays open.
    Compared(&'a ComparedAnswers),
}

/// The answers of one side that contain something open.
#[derive(Default)]
pub(super) struct ComparedAnswers {
    open: Mutex<OpenGroups>,
    /// The nodes whose answers depend on what is open.
    undecided: Mutex<Vec<u32>>,
}

impl ComparedAnswers {
    /// The answers with their nodes, and the nodes whose answers depend on what is open.
    pub(super) fn into_parts(self) -> (OpenGroups, Vec<u32>) {
        let open = self.open.into_inner().unwrap_or_else(PoisonError::into_inner);
        (open, self.undecided.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Answers that contain something open, with their nodes.
pub(super) type OpenGroups = Vec<(Arc<WithNames>, Vec<u32>)>;

/// Answers that contain names, or a text that is being typed.
#[derive(Default)]
pub(super) struct OpenAnswers {
    /// Whether some answer depends on these. Then all of the answers are of no use.
    are_decided: AtomicBool,
    answers: Mutex<OpenGroups>,
}

impl OpenAnswers {
    /// The answers with their nodes; `None` if some answer depends on what is open.
    pub(super) fn into_answers(self) -> Option<OpenGroups> {
        let answers = self.answers.into_inner().unwrap_or_else(PoisonError::into_inner);
        (!self.are_decided.into_inner()).then_some(answers)
    }
}

/// The answers to a request, one for each group of nodes whose lookups read the same.
pub(super) struct Answered<A> {
    pub(super) answers: Vec<SharedAnswer<A>>,
    /// On the earlier side of a comparison, the nodes whose lookups may have read one of the edited entries. All others get the
    /// same answer on the later side.
    pub(super) readers: Vec<u32>,
}

/// A request and the answers found so far.
struct Asked<A> {
    /// The position of the request.
    request: usize,
    answered: Answered<A>,
    /// The nodes without an answer.
    left: Vec<Group>,
    /// The answers in which each of the nodes still needs its names.
    named: OpenGroups,
    /// The nodes whose answers depend on what is open.
    undecided: Vec<u32>,
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

/// What is kept of the answer for the first node of a group, and what the answer depends on.
struct Found<A> {
    answer: OfGroup<A>,
    depends_on: DependsOn,
    /// Whether the lookup may have read an edited entry.
    reads_edited: bool,
}

/// The answer for a group.
enum OfGroup<A> {
    /// The same for all of its nodes.
    Same(A),
    /// The same except for their names.
    WithNames(Arc<WithNames>),
    /// It depends on what is open.
    Undecided,
}

enum DependsOn {
    /// It does not matter, because the group has a single node.
    Any,
    Each(Footprint),
    Runs(Recording),
}

/// A request, with and without a record of what it reads. The answer for a single node is not shared, so what it depends on
/// does not matter.
struct Requests {
    shared: Request,
    alone: Request,
    /// The same, but texts leave the names of nodes open.
    shared_without_names: Request,
    alone_without_names: Request,
    /// Whether the names of nodes decide some answer, so that texts cannot leave them open.
    names_matter: AtomicBool,
}

/// Requests, and what is kept of an answer to the one at a position.
struct Asking<'a, A> {
    requests: &'a [Requests],
    keep: &'a (dyn Fn(usize, u32, Answer) -> A + Sync),
    side: Side<'a>,
    /// Whether other threads answer other requests, so that none is left for the lookups of these.
    is_one_of_many: bool,
}

impl Fleet {
    /// The answers of `nodes` to each request, one for each group of nodes whose lookups read the same. `keep` gets each
    /// answer together with the position of the request and the first node of the group, and returns what is kept of it. `then`
    /// gets all that was kept for a request. The processors share this work. The results go to `done`, in the order of the requests.
    pub(super) fn by_footprint<A: Send + Sync, R: Send>(
        &self,
        requests: &[Request],
        nodes: &[u32],
        side: Side<'_>,
        (keep, then): (
            impl Fn(usize, u32, Answer) -> A + Sync,
            impl Fn(usize, Answered<A>) -> R + Sync,
        ),
        done: impl FnMut(R) + Send,
    ) {
        let requests: Vec<Requests> = requests.iter().map(Requests::of).collect();
        let is_one_of_many = requests.len() >= MANY_REQUESTS;
        let asking = Asking { requests: &requests, keep: &keep, side, is_one_of_many };
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
        parallel::in_order(!is_one_of_many, work, done);
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
        let answered = Answered { answers: Vec::new(), readers: Vec::new() };
        let (left, named, undecided) = (Vec::new(), Vec::new(), Vec::new());
        let mut asked = Asked { request, answered, left, named, undecided };
        if !nodes.is_empty() {
            let all = Group::of(nodes.to_vec());
            let found = self.lookup(asking, request, &all);
            self.take(&mut asked, all.nodes, found);
        }
        asked
    }

    /// Does the lookups that are left.
    fn ask_for_all<A: Send + Sync>(&self, asking: &Asking<'_, A>, asked: &mut [Asked<A>]) {
        loop {
            self.put_names(asking, asked);
            let mut groups: Vec<(usize, Group)> = Vec::new();
            for (at, asked) in asked.iter_mut().enumerate() {
                groups.extend(std::mem::take(&mut asked.left).into_iter().map(|it| (at, it)));
            }
            if groups.is_empty() {
                return;
            }
            // All lookups for one node follow each other, so that its files stay in the caches of the processor.
            groups.sort_by_key(|(_, group)| group.nodes[0]);
            let look_up =
                |(at, group): &(usize, Group)| self.lookup(asking, asked[*at].request, group);
            let found = asking.map(&groups, look_up);
            for ((at, group), found) in groups.into_iter().zip(found) {
                self.take(&mut asked[at], group.nodes, found);
            }
        }
    }

    /// Puts the names of each node into the answers that nodes share except for these.
    fn put_names<A: Send + Sync>(&self, asking: &Asking<'_, A>, asked: &mut [Asked<A>]) {
        let mut nodes: Vec<(usize, Arc<WithNames>, u32)> = Vec::new();
        for (at, asked) in asked.iter_mut().enumerate() {
            let named = std::mem::take(&mut asked.named);
            if let Side::Compared(answers) = asking.side {
                let mut undecided =
                    answers.undecided.lock().unwrap_or_else(PoisonError::into_inner);
                undecided.append(&mut asked.undecided);
            }
            let open = match asking.side {
                Side::Typed(open) => Some(&open.answers),
                Side::Compared(answers) => Some(&answers.open),
                Side::Only | Side::Earlier(_) | Side::Later(_) => None,
            };
            if let Some(open) = open {
                open.lock().unwrap_or_else(PoisonError::into_inner).extend(named);
                continue;
            }
            for (answer, group) in named {
                nodes.extend(group.into_iter().map(|node| (at, answer.clone(), node)));
            }
        }
        let put = |(at, answer, node): &(usize, Arc<WithNames>, u32)| {
            let request = asked[*at].request;
            let look_up = || self.evaluator(*node).call(&asking.requests[request].alone);
            let whole = answer.of(&self.nodes()[*node as usize]).unwrap_or_else(look_up);
            (asking.keep)(request, *node, whole)
        };
        let answers = asking.map(&nodes, put);
        for ((at, _, node), answer) in nodes.into_iter().zip(answers) {
            asked[at].answered.answers.push(SharedAnswer { answer, nodes: vec![node] });
        }
    }

    /// The lookup for the first node of a group.
    fn lookup<A>(&self, asking: &Asking<'_, A>, request: usize, group: &Group) -> Found<A> {
        let requests = &asking.requests[request];
        let node = group.nodes[0];
        let evaluator = self.evaluator(node);
        let (answer, depends_on, reads_edited) = if evaluator.node().is_complete() {
            lookup_complete(asking, requests, group, &evaluator)
        } else {
            lookup_partial(asking, requests, group, &evaluator)
        };
        // Files that were left out may have been edited, too.
        let says_everything = answer.as_ref().is_some_and(|it| says_everything(it.answer()));
        let reads_edited = reads_edited || !says_everything;
        let answer = match answer {
            Some(Names::None(answer)) => OfGroup::Same((asking.keep)(request, node, answer)),
            Some(Names::Open(answer)) => OfGroup::WithNames(answer.into()),
            None => OfGroup::Undecided,
        };
        Found { answer, depends_on, reads_edited }
    }

    /// Takes the answer of the first node of a group. Splits the group by what its lookup depended on.
    fn take<A>(&self, asked: &mut Asked<A>, mut nodes: Vec<u32>, found: Found<A>) {
        let Found { answer, depends_on, reads_edited } = found;
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
        if reads_edited {
            asked.answered.readers.extend(&nodes);
        }
        match answer {
            OfGroup::Same(answer) => asked.answered.answers.push(SharedAnswer { answer, nodes }),
            OfGroup::WithNames(answer) => asked.named.push((answer, nodes)),
            OfGroup::Undecided => asked.undecided.extend(nodes),
        }
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
    pub(super) fn split(&self, by: &Dependency, nodes: &mut Vec<u32>) -> Vec<Vec<u32>> {
        let column = self.column(by);
        // If no column describes what a lookup depends on, no two nodes may share it.
        let number = |node: u32| column.as_ref().map_or(u64::from(node), |it| it[node as usize]);
        split(nodes, number)
    }

    /// What the nodes have for a dependency; `None` if it may be something else for each of them.
    fn column(&self, dependency: &Dependency) -> Option<Column> {
        match dependency {
            Dependency::Variable(expression) => Some(self.readings.variable(expression)),
            Dependency::Name(expression) => Some(self.readings.name(expression)),
            Dependency::Key(root) => Some(self.readings.key(root)),
            Dependency::Node => None,
        }
    }
}

/// The answer for the first node of a group, if it is completely known.
fn lookup_complete<A>(
    asking: &Asking<'_, A>,
    requests: &Requests,
    group: &Group,
    evaluator: &Evaluator,
) -> (Option<Names>, DependsOn, bool) {
    let edited = asking.edited();
    if group.nodes.len() == 1 && edited.is_none() {
        return (Some(Names::None(evaluator.call(&requests.alone))), DependsOn::Any, false);
    }
    let mut answer = evaluator.call(&requests.shared);
    let footprint = answer.footprint.take().unwrap_or_default();
    let reads_edited = edited.is_some_and(|it| it.may_be_in(&footprint));
    (Some(Names::None(answer)), DependsOn::Each(footprint), reads_edited)
}

/// The answer for the first node of a group, if it is not completely known; `None` if it depends on what stays open.
fn lookup_partial<A>(
    asking: &Asking<'_, A>,
    requests: &Requests,
    group: &Group,
    evaluator: &Evaluator,
) -> (Option<Names>, DependsOn, bool) {
    let look_up = |shared: &Request, alone: &Request| {
        if group.nodes.len() == 1 {
            let (answer, reads_edited) = lookup_alone(asking, alone, group, evaluator);
            return (answer, DependsOn::Any, reads_edited);
        }
        let (answer, recording) = evaluator.call_and_record(shared, asking.edited());
        let reads_edited = recording.reads_edited();
        (answer, DependsOn::Runs(recording), reads_edited)
    };
    if let Side::Typed(open) = asking.side
        && open.are_decided.load(Ordering::Relaxed)
    {
        return (None, DependsOn::Any, false);
    }
    if !requests.names_matter.load(Ordering::Relaxed) {
        let (answer, depends_on, reads_edited) =
            look_up(&requests.shared_without_names, &requests.alone_without_names);
        let answer = Names::of(answer);
        match asking.side {
            _ if answer.is_some() => return (answer, depends_on, reads_edited),
            Side::Compared(_) => return (None, depends_on, reads_edited),
            Side::Typed(open) => {
                open.are_decided.store(true, Ordering::Relaxed);
                return (None, DependsOn::Any, false);
            }
            Side::Only | Side::Earlier(_) | Side::Later(_) => {}
        }
        // The other lookups need not try it.
        requests.names_matter.store(true, Ordering::Relaxed);
    }
    let (answer, depends_on, reads_edited) = look_up(&requests.shared, &requests.alone);
    (Some(Names::None(answer)), depends_on, reads_edited)
}

/// The answer for the only node of a group, which is not completely known, and whether the lookup may have read an edited entry.
fn lookup_alone<A>(
    asking: &Asking<'_, A>,
    request: &Request,
    group: &Group,
    evaluator: &Evaluator,
) -> (Answer, bool) {
    let node = group.nodes[0];
    let is_first = group.like.is_none();
    if let (true, Side::Only) = (is_first, asking.side) {
        return (evaluator.call(request), false);
    }
    let like = group.like.as_ref().map(|example| (example, example.changed_for(node)));
    let of_other_node = like
        .as_ref()
        .map(|(example, is_changed)| Precedent { recording: &example.recording, is_changed });
    let known;
    let edited = match asking.side {
        Side::Only | Side::Typed(_) | Side::Compared(_) => None,
        Side::Earlier(entries) => Some(Edited { entries, runs: EarlierRuns::Dropped }),
        Side::Later(nodes) => {
            known = nodes.known(node);
            let runs = known.as_deref().map_or(EarlierRuns::Recorded, EarlierRuns::Known);
            Some(Edited { entries: nodes.edited(), runs })
        }
    };
    let (answer, of_edit) = evaluator.call_knowing(request, Known { of_other_node, edited });
    // The result of a cancelled lookup is incomplete.
    if let (Side::Later(nodes), Some(recorded)) = (asking.side, of_edit.unedited)
        && !request.cancel.is_cancelled()
    {
        nodes.keep(node, recorded);
    }
    (answer, of_edit.reads_edited)
}

/// Whether an answer leaves nothing out.
fn says_everything(answer: &Answer) -> bool {
    answer.left_out.is_empty() && answer.each_case().iter().all(|(_, case)| case.opaque.is_empty())
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

impl Requests {
    fn of(request: &Request) -> Self {
        let with = |wants_footprint: bool, leaves_names_open: bool| Request {
            wants_footprint,
            leaves_names_open,
            ..request.clone()
        };
        // Names are put only into values, and an override may hide a variable.
        let is_plain = request.plain_key().is_some();
        Self {
            shared: with(true, false),
            alone: with(false, false),
            shared_without_names: with(true, true),
            alone_without_names: with(false, true),
            names_matter: AtomicBool::new(!is_plain),
        }
    }
}

impl<'a, A> Asking<'a, A> {
    /// The edited entries, if these are the lookups before the edit.
    fn edited(&self) -> Option<&'a EditedEntries> {
        match self.side {
            Side::Earlier(edited) => Some(edited),
            Side::Only | Side::Later(_) | Side::Typed(_) | Side::Compared(_) => None,
        }
    }

    /// Does some work for each group or node; all processors share it if there is much.
    fn map<T: Sync, R: Send + Sync>(&self, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
        if self.is_one_of_many {
            return items.iter().map(work).collect();
        }
        if items.len() < MANY_GROUPS {
            let begin = Instant::now();
            let is_short = |_: &&T| begin.elapsed() < FEW_GROUPS_ALONE;
            let mut results: Vec<R> = items.iter().take_while(is_short).map(&work).collect();
            results.extend(parallel::map(&items[results.len()..], work));
            return results;
        }
        let parts: Vec<_> = items.chunks(LOOKUPS_AT_ONCE).collect();
        let part = |part: &&[T]| part.iter().map(&work).collect::<Vec<_>>();
        parallel::map(&parts, part).into_iter().flatten().collect()
    }
}
