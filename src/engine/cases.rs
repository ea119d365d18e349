//! The possible values of a key for a node that is not completely known: an ordered list of cases, of which the first that
//! matches applies.
//!
//! The lookup runs for every way in which open variables can decide. Runs with the same answer as a later case are removed,
//! so that one case is left if all agree.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use indexmap::IndexMap;

use super::assumptions::{Condition, Script};
use super::evaluator::Evaluator;
use super::failure::Failure;
use super::footprint::Footprint;
use super::hierarchy::Position;
use super::open_names::{SameIf, may_become_the_same, names_decide, same_if_typed};
use super::part::Part;
use super::request::{Answer, Request};
use super::steps::Steps;
use crate::data::{FileId, Value};
use foresight::Foresight;
use needed::Needed;
use recording::{Course, EarlierRuns, EditedEntries, Known, OfEdit, Precedent, Recording, Round};

mod foresight;
mod needed;
pub mod pairs;
pub(crate) mod recording;
mod replay;
mod words;

pub use needed::{cases_to_tell, rule_each_other_out};
pub use words::{depends_in_words, in_a_list, in_words, left_out_in_words, not_known_in_words};

/// The maximum number of cases that are listed.
pub const MAX_CASES: usize = 32;

/// The maximum number of runs for one lookup.
const MAX_RUNS: usize = 256;

/// After each so many runs, the number of all runs is estimated.
const FIRST_RUNS: usize = 32;

/// If the estimate is higher, the runs are given up before [`MAX_RUNS`]. It is higher than that, because the ways of a fork can
/// have very different numbers of runs.
const FAR_TOO_MANY_RUNS: usize = MAX_RUNS * 3 / 2;

/// The first locations are summed up one at a time, up to this number.
const SUMMED_UP_ONE_BY_ONE: usize = 6;

/// If more locations than this would have to be summed up at once, no cases are listed.
const MAX_SUMMED_UP: usize = 64;

/// One case.
#[derive(Debug, Clone)]
pub struct Case {
    /// The conditions of this case, if no earlier case matches; empty in the last case.
    pub conditions: Vec<Condition>,
    /// The answer of the lookup in this case.
    pub answer: Answer,
}

/// What an answer depends on in addition to its cases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The level whose files were left out; `None` if a value itself decides, as when lists with open strings are merged.
    pub level: Option<Arc<str>>,
    /// The variables that decide.
    pub variables: Arc<[Arc<str>]>,
    /// How many files may matter; 0 if that is not known.
    pub files: usize,
}

/// An open location in the search for the requested key, or for a key that its value looks up. Often, many more files have the latter.
/// If they are summed up, those with the requested key need not be.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Spot {
    pub(super) position: Position,
    pub(super) is_nested: bool,
}

/// The numbers of ways at open locations, in the order in which lookups reach these.
type Ways = IndexMap<Spot, usize>;

/// The state of one lookup on its ways through the forks.
#[derive(Debug)]
pub(crate) struct Exploration<'a> {
    pub(super) script: Script,
    summed_up: &'a [Spot],
    /// The number of ways at each location that a fork was added for.
    ways: Vec<(Spot, usize)>,
    /// The steps of the run before, if they may be repeated.
    pub(super) steps: Option<Steps>,
    /// What is needed, if that is not the whole value.
    pub(super) part: Option<&'a Part>,
    /// The entries whose reads are counted.
    edited: Option<&'a EditedEntries>,
    /// How often one of them was read, or a function was called that may read one.
    pub(super) reads_of_edited: u32,
    /// What is at the open locations, if that is to be noted.
    pub(super) foresight: Option<Foresight>,
}

impl<'a> Exploration<'a> {
    fn new(script: Script, summed_up: &'a [Spot]) -> Self {
        let (ways, steps, part, edited, foresight) = (Vec::new(), None, None, None, None);
        let script = script.ready_to_run();
        Self { script, summed_up, ways, steps, part, edited, reads_of_edited: 0, foresight }
    }

    /// The same run again, without the steps of other runs.
    pub(super) fn to_retrace(&self) -> Self {
        let (part, edited) = (self.part, self.edited);
        Self { part, edited, ..Self::new(self.script.to_retrace(), self.summed_up) }
    }

    /// A single run that takes none of the ways.
    pub(super) fn without_ways() -> Self {
        Self::new(Script::otherwise(), &[])
    }

    /// Whether the files that a location can lead to are only counted.
    pub(super) fn is_summed_up(&self, spot: &Spot) -> bool {
        self.summed_up.contains(spot)
    }

    /// Counts the read of an entry if it is an edited one.
    pub(super) fn note_read(&mut self, file: FileId, root: &str) {
        let is_edited = self.edited.is_some_and(|it| it.contain(file, root));
        self.reads_of_edited += u32::from(is_edited);
    }

    /// Records the number of files among which a location chooses.
    pub(super) fn note_ways(&mut self, spot: Spot, count: usize) {
        self.ways.push((spot, count));
    }
}

/// Adds numbers of ways. The largest one of a location counts.
fn add_ways(ways: &mut Ways, more: impl IntoIterator<Item = (Spot, usize)>) {
    for (location, count) in more {
        let most = ways.entry(location).or_default();
        *most = count.max(*most);
    }
}

/// Why a lookup fails whatever the open variables are. For most lookups, a single run shows that they do not fail.
pub(super) fn certain_failure(evaluator: &Evaluator, request: &Request) -> Option<Failure> {
    if !evaluator.node().is_complete() {
        let exploration = Exploration::new(Script::default(), &[]);
        let (answer, ..) = evaluator.run_assuming(request, exploration);
        answer.outcome.err()?;
    }
    evaluator.call(request).certain_failure().cloned()
}

/// Answers a request for a node that is not completely known.
pub(super) fn explore(evaluator: &Evaluator, request: &Request) -> Answer {
    let part = Part::of(request);
    let mut explorer = Explorer { part: part.as_ref(), ..Explorer::new(evaluator, request) };
    let mut answer = explorer.explore();
    if explorer.must_begin_again() {
        part.iter().for_each(Part::begin_again);
        answer = explorer.explore();
    }
    Answer { footprint: request.wants_footprint.then_some(explorer.footprint), ..answer }
}

/// [`explore`] with what the explorations of other nodes may use. Notes which runs read one of the edited entries.
pub(super) fn explore_and_record(
    evaluator: &Evaluator,
    request: &Request,
    edited: Option<&EditedEntries>,
) -> (Answer, Recording) {
    let recording = Some(Recording::of(request));
    let mut explorer = Explorer { recording, edited, ..Explorer::new(evaluator, request) };
    let answer = explorer.explore();
    (answer, explorer.recording.unwrap_or_default())
}

/// [`explore`] without a footprint. Runs that are known are not done again.
pub(super) fn explore_with(
    evaluator: &Evaluator,
    request: &Request,
    known: Known<'_>,
) -> (Answer, OfEdit) {
    let Known { of_other_node, edited } = known;
    let (earlier, is_recorded) = match edited.map(|it| it.runs) {
        Some(EarlierRuns::Known(runs)) if runs.serves(request) => {
            (Some(Precedent::of_same_node(runs)), false)
        }
        Some(EarlierRuns::Known(_) | EarlierRuns::Recorded) => (None, true),
        Some(EarlierRuns::Dropped) | None => (None, false),
    };
    let of_other_node = of_other_node.filter(|it| it.recording.serves(request));
    let mut explorer = Explorer {
        precedents: of_other_node.into_iter().chain(earlier).collect(),
        edited: edited.map(|it| it.entries),
        unedited: is_recorded.then(|| Recording::of(request)),
        ..Explorer::new(evaluator, request)
    };
    let answer = explorer.explore();
    if let Some(unedited) = &mut explorer.unedited {
        unedited.shrink();
    }
    let Explorer { reads_edited, unedited, .. } = explorer;
    (answer, OfEdit { reads_edited, unedited })
}

/// An exploration while it runs.
struct Explorer<'e> {
    evaluator: &'e Evaluator,
    request: &'e Request,
    /// What all runs read, if the request needs it.
    footprint: Footprint,
    recording: Option<Recording>,
    precedents: Vec<Precedent<'e>>,
    /// The rounds of the precedents that are like this one.
    known_rounds: Vec<Option<&'e Round>>,
    /// The entries whose reads are counted.
    edited: Option<&'e EditedEntries>,
    /// Whether a run may have read one of these.
    reads_edited: bool,
    /// The runs that read none of these.
    unedited: Option<Recording>,
    /// Whether they are all runs of this round.
    are_all_unedited: bool,
    /// The steps of the last run.
    steps: Steps,
    /// The number of forks at which the last run made the same choices as the script so far.
    shared_forks: usize,
    /// What the runs need, if that is not the whole value.
    part: Option<&'e Part>,
    /// Whether the names that texts leave open decide how many cases there are.
    do_names_decide: bool,
    /// The texts that would make two cases one if they were typed where a text stays open.
    same_if_typed: BTreeSet<Arc<str>>,
}

/// All cases of a round, unless there are too many cases or runs.
type Outcome = Result<Vec<Case>, TooMany>;

/// A run.
struct Ran<'e> {
    case: Cow<'e, Case>,
    /// The script with the choices of the run.
    script: Script,
    known_kind: Option<KnownKind>,
    /// Whether it is the last one of the runs that read no edited entry.
    is_unedited: bool,
    foresight: Option<Arc<Foresight>>,
}

/// The number of a precedent that a run is taken from, and of the run's kind there.
type KnownKind = (usize, usize);

/// A kind of answers in a round.
struct Kind {
    /// The number of its first case.
    case: usize,
    known: Option<KnownKind>,
}

impl<'e> Explorer<'e> {
    fn new(evaluator: &'e Evaluator, request: &'e Request) -> Self {
        Self {
            evaluator,
            request,
            footprint: Footprint::default(),
            recording: None,
            precedents: Vec::new(),
            known_rounds: Vec::new(),
            edited: None,
            reads_edited: false,
            unedited: None,
            are_all_unedited: false,
            steps: Steps::default(),
            shared_forks: 0,
            part: None,
            do_names_decide: false,
            same_if_typed: BTreeSet::new(),
        }
    }

    /// All cases, or as many as there may be.
    fn explore(&mut self) -> Answer {
        let mut answer = self.explore_all();
        if self.do_names_decide {
            answer.left_out.push(names_decide());
        }
        answer
            .left_out
            .extend(std::mem::take(&mut self.same_if_typed).into_iter().map(same_if_typed));
        answer
    }

    /// Notes whether two cases that differ become the same if names are known, or if a text is typed.
    fn compare_names(&mut self, one: &Answer, other: &Answer) {
        // Where answers are compared case by case, it does not matter if two cases have the same value.
        if !self.request.leaves_names_open || self.request.unchanged.is_some() {
            return;
        }
        match may_become_the_same(one, other) {
            Some(SameIf::Names) => self.do_names_decide = true,
            Some(SameIf::Typed(text)) => _ = self.same_if_typed.insert(text),
            None => {}
        }
    }

    /// If there are too many ways, locations are summed up, those with the most ways first: as many as the written values suggest,
    /// then as many as the number of cases so far does, then more of them, so that the search ends soon for every hierarchy.
    fn explore_all(&mut self) -> Answer {
        let mut summed_up = Vec::new();
        let mut count = 1;
        let mut is_foreseen = false;
        loop {
            let course = if is_foreseen { Course::All } else { Course::Few };
            let explored = self.explore_without(course, &summed_up);
            if self.must_begin_again() {
                return Answer::nothing();
            }
            let mut met = match explored {
                Ok(cases) => return joined(cases),
                Err(met) => met,
            };
            // The runs above may have ended before they reached the lower levels. A run that takes none of the ways reaches all
            // levels.
            let mut ways = Ways::new();
            self.begin_round(Course::Otherwise, &summed_up);
            let ran = self.run(Script::otherwise(), &summed_up, &mut ways);
            if let Some(foresight) = ran.foresight.filter(|_| !is_foreseen) {
                is_foreseen = true;
                let node = self.evaluator.node();
                summed_up = foresight.to_sum_up(node);
                if met.are_few_runs || !summed_up.is_empty() {
                    continue;
                }
            }
            add_ways(&mut ways, std::mem::take(&mut met.ways));
            if ways.is_empty() || count > MAX_SUMMED_UP {
                return self.one_run(&summed_up);
            }
            // Of two locations with the same number of ways, the one that is reached first.
            ways.sort_by(|_, one, _, other| other.cmp(one));
            let mut left: usize = ways.values().sum();
            for (number, (location, ways)) in ways.into_iter().enumerate() {
                if number >= count && met.cases_expected_of(left) <= MAX_CASES {
                    break;
                }
                left -= ways;
                summed_up.push(location);
            }
            // Each round repeats many runs, so a long hierarchy must not need a round for each of its levels.
            if summed_up.len() >= SUMMED_UP_ONE_BY_ONE {
                count *= 2;
            }
        }
    }

    /// Whether the runs so far left out files that matter.
    fn must_begin_again(&self) -> bool {
        self.part.is_some_and(Part::must_begin_again)
    }

    /// All cases, unless there are too many cases or runs.
    fn explore_without(&mut self, course: Course, summed_up: &[Spot]) -> Outcome {
        self.begin_round(course, summed_up);
        let outcome = |(_, precedent, round): (_, Precedent<'e>, &'e Round)| {
            Some((precedent.outcome(round)?, round.reads_edited()))
        };
        let known = self.known_rounds().find_map(outcome);
        if let Some((outcome, reads_edited)) = known {
            self.reads_edited |= reads_edited;
            return outcome;
        }
        let replayed = self.replay(course, summed_up);
        let outcome = replayed.unwrap_or_else(|| {
            let (outcome, needed) = self.go_all_ways(course, summed_up);
            if let Some(recording) = &mut self.recording {
                recording.end_round(&outcome, needed);
            }
            outcome
        });
        if let Some(unedited) = self.unedited.as_mut().filter(|_| self.are_all_unedited) {
            unedited.sum_up_round(&outcome);
        }
        outcome
    }

    /// Also returns which cases the outcome consists of.
    fn go_all_ways(&mut self, course: Course, summed_up: &[Spot]) -> (Outcome, Needed) {
        let mut script = Script::default();
        let mut ways = Ways::new();
        let mut cases: Vec<Cow<'e, Case>> = Vec::new();
        // Each kind of answers needs at least one case.
        let mut kinds: Vec<Kind> = Vec::new();
        let mut kind_of: Vec<usize> = Vec::new();
        loop {
            let ran = self.run(script, summed_up, &mut ways);
            script = ran.script;
            let is_it = |kind: &Kind| match (kind.known, ran.known_kind) {
                (Some(one), Some(other)) if one.0 == other.0 => one == other,
                _ => is_same(&cases[kind.case].answer, &ran.case.answer),
            };
            let kind = kinds.iter().rposition(is_it).unwrap_or(kinds.len());
            if kind == kinds.len() {
                for known in &kinds {
                    self.compare_names(&cases[known.case].answer, &ran.case.answer);
                }
                kinds.push(Kind { case: cases.len(), known: ran.known_kind });
            }
            let unedited = self.unedited.as_mut().filter(|_| ran.is_unedited);
            for recording in self.recording.iter_mut().chain(unedited) {
                recording.note_kind(kind);
            }
            cases.push(ran.case);
            kind_of.push(kind);
            let runs = cases.len();
            let are_few_runs = course == Course::Few && ways.values().sum::<usize>() > MAX_CASES;
            let mut too_many = |cases: usize| {
                Err(TooMany { ways: std::mem::take(&mut ways), runs, cases, are_few_runs })
            };
            if are_few_runs || kinds.len() > MAX_CASES || self.must_begin_again() {
                return (too_many(kinds.len()), Needed::default());
            }
            if self.request.cancel.is_cancelled() || !script.advance() {
                let needed = Needed::of(&cases, &kind_of);
                let told = needed.count();
                let is_too_many = told > MAX_CASES;
                let outcome = if is_too_many { too_many(told) } else { Ok(needed.among(&cases)) };
                return (outcome, needed);
            }
            // If there will be far too many runs, the first ones show it.
            let is_far = || script.will_exceed(FAR_TOO_MANY_RUNS, runs);
            if runs >= MAX_RUNS || runs.is_multiple_of(FIRST_RUNS) && is_far() {
                return (too_many(kinds.len()), Needed::default());
            }
        }
    }

    /// The answer if no open path leads anywhere: the only case if cases cannot be listed.
    fn one_run(&mut self, summed_up: &[Spot]) -> Answer {
        self.begin_round(Course::Otherwise, summed_up);
        let mut answer =
            self.run(Script::otherwise(), summed_up, &mut Ways::new()).case.into_owned().answer;
        if answer.left_out.is_empty() {
            answer.left_out.push(LeftOut { level: None, variables: Arc::default(), files: 0 });
        }
        answer
    }

    fn run(&mut self, script: Script, summed_up: &[Spot], ways: &mut Ways) -> Ran<'e> {
        // The last choice of a script is the one that has changed.
        let repeated = script.choices().len();
        self.shared_forks = self.shared_forks.min(repeated.saturating_sub(1));
        let known = self
            .known_rounds()
            .find_map(|(number, precedent, round)| Some((number, precedent.run(round, &script)?)));
        if let Some((number, run)) = known {
            self.are_all_unedited = false;
            self.reads_edited |= run.reads_edited;
            add_ways(ways, run.ways.iter().cloned());
            let script = script.continued(&run.choices);
            let known_kind = Some((number, run.kind));
            let (case, foresight) = (Cow::Borrowed(&run.case), run.foresight.clone());
            return Ran { case, script, known_kind, is_unedited: false, foresight };
        }
        // A step that is repeated reads nothing, but a recording contains everything that each run reads.
        let steps = self.recording.is_none().then(|| {
            let mut steps = std::mem::take(&mut self.steps);
            steps.begin_run(self.shared_forks);
            steps
        });
        let (part, edited) = (self.part, self.edited);
        // With several names, another one is searched for if nothing is found.
        let foresees =
            script.is_otherwise() && summed_up.is_empty() && self.request.names.len() == 1;
        let foresight = foresees.then(Foresight::default);
        let exploration =
            Exploration { steps, part, edited, foresight, ..Exploration::new(script, summed_up) };
        let (mut answer, conditions, mut exploration) =
            self.evaluator.run_assuming(self.request, exploration);
        let foresight = exploration.foresight.take().map(Arc::new);
        self.steps = exploration.steps.take().unwrap_or_default();
        self.shared_forks = exploration.script.choices().len();
        if answer.is_elsewhere() && exploration.reads_of_edited == 0 {
            // The files that were left out do not matter either.
            answer.left_out.clear();
        }
        let read = answer.footprint.take().unwrap_or_default();
        self.footprint.add_all(&read);
        let case = Case { conditions, answer };
        if let Some(recording) = &mut self.recording {
            recording.add(&case, &read, &exploration, repeated, foresight.as_ref());
        }
        let is_unedited = exploration.reads_of_edited == 0;
        self.are_all_unedited &= is_unedited;
        self.reads_edited |= !is_unedited;
        if let Some(unedited) = self.unedited.as_mut().filter(|_| is_unedited) {
            unedited.add(&case, &Footprint::default(), &exploration, repeated, foresight.as_ref());
        }
        add_ways(ways, exploration.ways);
        let (case, script) = (Cow::Owned(case), exploration.script);
        Ran { case, script, known_kind: None, is_unedited, foresight }
    }

    /// The rounds of precedents that are like this one, with the numbers of the precedents.
    fn known_rounds(&self) -> impl Iterator<Item = (usize, Precedent<'e>, &'e Round)> {
        let all = self.precedents.iter().zip(&self.known_rounds).enumerate();
        all.filter_map(|(number, (precedent, round))| Some((number, *precedent, (*round)?)))
    }

    fn begin_round(&mut self, course: Course, summed_up: &[Spot]) {
        for recording in self.recording.iter_mut().chain(&mut self.unedited) {
            recording.begin_round(course, summed_up);
        }
        self.are_all_unedited = true;
        self.steps = Steps::default();
        let rounds = self.precedents.iter().map(|it| it.round(course, summed_up));
        self.known_rounds = rounds.collect();
    }
}

/// What was found before it was clear that there are too many cases or runs.
#[derive(Debug, Clone)]
struct TooMany {
    /// The numbers of ways of the locations that were reached.
    ways: Ways,
    runs: usize,
    /// The minimum number of cases that these runs need.
    cases: usize,
    /// Whether the runs ended early because there are many ways, whatever these lead to.
    are_few_runs: bool,
}

impl TooMany {
    /// The number of cases for this many ways, if they are like those found so far.
    fn cases_expected_of(&self, ways: usize) -> usize {
        ways * self.cases / self.runs
    }
}

/// Combines the cases into one answer: that of the last case, with the list of all cases if there are several.
fn joined(mut cases: Vec<Case>) -> Answer {
    let mut left_out: Vec<LeftOut> = Vec::new();
    for case in &cases {
        add_left_out(&mut left_out, &case.answer);
    }
    let last = if cases.len() == 1 { cases.pop() } else { cases.last().cloned() };
    let mut answer = last.map_or_else(Answer::nothing, |case| case.answer);
    answer.cases = cases;
    answer.left_out = left_out;
    answer
}

fn add_left_out(left_out: &mut Vec<LeftOut>, answer: &Answer) {
    for it in &answer.left_out {
        if !left_out.contains(it) {
            left_out.push(it.clone());
        }
    }
}

/// An answer that distinguishes more cases: its own ones follow those of `first`, which are answers under some conditions.
pub fn with_first_cases(first: &[(&[Condition], &Answer)], answer: &Answer) -> Answer {
    let mut left_out = answer.left_out.clone();
    let mut cases: Vec<Case> = Vec::new();
    for (assumed, answer) in first {
        for (conditions, case) in answer.each_case() {
            let conditions = pairs::joined(assumed, conditions);
            cases.push(Case { conditions, answer: case.clone() });
        }
        add_left_out(&mut left_out, answer);
    }
    let own = answer.each_case().into_iter();
    cases.extend(
        own.map(|(conditions, case)| Case {
            conditions: conditions.to_vec(),
            answer: case.clone(),
        }),
    );
    Answer { left_out, cases, ..answer.clone() }
}

/// Whether two answers are equal, ignoring positions. The order of a hash's members matters, because Puppet keeps it.
pub fn is_same(one: &Answer, other: &Answer) -> bool {
    let undecided = |answer: &Answer| answer.left_out.iter().any(|it| it.level.is_none());
    is_same_outcome(one, other)
        && one.opaque == other.opaque
        && one.open == other.open
        && undecided(one) == undecided(other)
}

/// Whether an answer tells what every node gets: a value or nothing in each case, with nothing left out.
pub fn is_settled(answer: &Answer) -> bool {
    let is_settled =
        |it: &Answer| (it.outcome.is_ok() || it.is_elsewhere()) && it.opaque.is_empty();
    answer.left_out.is_empty() && answer.each_case().iter().all(|(_, case)| is_settled(case))
}

/// Whether two lookups end with the same value or error.
pub fn is_same_outcome(one: &Answer, other: &Answer) -> bool {
    match (&one.outcome, &other.outcome) {
        (Ok(Some(one)), Ok(Some(other))) => {
            is_identical(&one.value, &other.value, &mut |one, other| one == other)
        }
        (Ok(None), Ok(None)) => true,
        (Err(one), Err(other)) => one.message == other.message && one.class == other.class,
        _ => false,
    }
}

/// Whether two values are equal with all members in the same order, if `is_same_text` tells it of their strings.
pub(super) fn is_identical<'v>(
    one: &'v Value,
    other: &'v Value,
    is_same_text: &mut impl FnMut(&'v str, &'v str) -> bool,
) -> bool {
    match (one, other) {
        (Value::String(one), Value::String(other)) => is_same_text(one, other),
        (Value::Array(one), Value::Array(other)) => {
            let mut items = one.iter().zip(other.iter());
            Arc::ptr_eq(one, other)
                || one.len() == other.len()
                    && items
                        .all(|(one, other)| is_identical(&one.value, &other.value, is_same_text))
        }
        (Value::Hash(one), Value::Hash(other)) => {
            let mut members = one.iter().zip(other.iter());
            Arc::ptr_eq(one, other)
                || one.len() == other.len()
                    && members.all(|((key, one), (other_key, other))| {
                        let is_same_key = match (key, other_key) {
                            (Value::String(one), Value::String(other)) => is_same_text(one, other),
                            (one, other) => one == other,
                        };
                        is_same_key
                            && is_identical(&one.value.value, &other.value.value, is_same_text)
                    })
        }
        (Value::Sensitive(one), Value::Sensitive(other)) => {
            is_identical(&one.value, &other.value, is_same_text)
        }
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests;
