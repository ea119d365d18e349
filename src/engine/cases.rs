//! The possible values of a key for a node that is not completely known: an ordered list of cases, of which the first that
//! matches applies.
//!
//! The lookup runs for every way in which open variables can decide. Runs with the same answer as a later case are removed,
//! so that one case is left if all agree.

use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

use super::assumptions::{Assumed, Condition, Script};
use super::evaluator::Evaluator;
use super::failure::Failure;
use super::footprint::Footprint;
use super::hierarchy::Location;
use super::request::{Answer, Request};
use crate::data::{Located, Value};

/// The maximum number of cases that are listed.
pub const MAX_CASES: usize = 32;

/// The maximum number of runs for one lookup.
const MAX_RUNS: usize = 256;

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
    pub variables: Vec<Arc<str>>,
    /// How many files may matter; 0 if that is not known.
    pub files: usize,
}

/// The state of one lookup on its ways through the forks.
#[derive(Debug)]
pub(crate) struct Exploration<'a> {
    pub(super) script: Script,
    summed_up: &'a [usize],
    /// The largest number of files that may matter, by the location's address.
    ways: IndexMap<usize, usize>,
}

impl<'a> Exploration<'a> {
    fn new(script: Script, summed_up: &'a [usize]) -> Self {
        Self { script, summed_up, ways: IndexMap::new() }
    }

    /// Whether the files that a location can lead to are only counted.
    pub(super) fn is_summed_up(&self, location: &Location) -> bool {
        self.summed_up.contains(&address(location))
    }

    /// Records the number of files among which a location chooses.
    pub(super) fn note_ways(&mut self, location: &Location, count: usize) {
        let most = self.ways.entry(address(location)).or_default();
        *most = count.max(*most);
    }
}

/// Levels stay at the same address during the life of their evaluator.
fn address(location: &Location) -> usize {
    std::ptr::from_ref(location).addr()
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

/// Answers a request for a node that is not completely known. If there are too many ways, locations are summed up, those with
/// the most ways first: as many as the number of cases so far suggests, then more of them, so that the search ends soon for
/// every hierarchy.
pub(super) fn explore(evaluator: &Evaluator, request: &Request) -> Answer {
    let mut footprint = Footprint::default();
    let answer = explore_noting(evaluator, request, &mut footprint);
    Answer { footprint: request.wants_footprint.then_some(footprint), ..answer }
}

fn explore_noting(evaluator: &Evaluator, request: &Request, footprint: &mut Footprint) -> Answer {
    let mut summed_up = Vec::new();
    let mut count = 1;
    loop {
        let met = match explore_without(evaluator, request, &summed_up, footprint) {
            Ok(cases) => return joined(cases),
            Err(met) => met,
        };
        // The runs above may have ended before they reached the lower levels. A run that takes none of the ways reaches all levels.
        let otherwise = Exploration::new(Script::otherwise(), &summed_up);
        let (answer, _, otherwise) = evaluator.run_assuming(request, otherwise);
        if let Some(read) = &answer.footprint {
            footprint.add_all(read);
        }
        let mut ways = otherwise.ways;
        for (location, count) in &met.ways {
            let most = ways.entry(*location).or_default();
            *most = (*most).max(*count);
        }
        if ways.is_empty() || count > MAX_SUMMED_UP {
            return one_run(evaluator, request, &summed_up);
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

/// What was found before it was clear that there are too many cases or runs.
struct TooMany {
    /// The numbers of ways of the locations that were reached, by address.
    ways: IndexMap<usize, usize>,
    runs: usize,
    /// The minimum number of cases that these runs need.
    cases: usize,
}

impl TooMany {
    /// The number of cases for this many ways, if they are like those found so far.
    fn cases_expected_of(&self, ways: usize) -> usize {
        ways * self.cases / self.runs
    }
}

/// All cases, unless there are too many cases or runs.
fn explore_without(
    evaluator: &Evaluator,
    request: &Request,
    summed_up: &[usize],
    footprint: &mut Footprint,
) -> Result<Vec<Case>, TooMany> {
    let mut exploration = Exploration::new(Script::default(), summed_up);
    let mut cases: Vec<Case> = Vec::new();
    // Each different answer needs at least one case.
    let mut different: Vec<usize> = Vec::new();
    loop {
        let (mut answer, conditions, back) = evaluator.run_assuming(request, exploration);
        exploration = back;
        if let Some(read) = answer.footprint.take() {
            footprint.add_all(&read);
        }
        if !different.iter().rev().any(|at| is_same(&cases[*at].answer, &answer)) {
            different.push(cases.len());
        }
        cases.push(Case { conditions, answer });
        let runs = cases.len();
        let too_many = |cases: usize, exploration: Exploration<'_>| {
            Err(TooMany { ways: exploration.ways, runs, cases })
        };
        if different.len() > MAX_CASES {
            return too_many(different.len(), exploration);
        }
        if request.cancel.is_cancelled() || !exploration.script.advance() {
            let cases = without_repetitions(cases);
            let told = cases.len();
            return if told > MAX_CASES { too_many(told, exploration) } else { Ok(cases) };
        }
        if runs >= MAX_RUNS {
            return too_many(different.len(), exploration);
        }
    }
}

/// The answer if no open path leads anywhere: the only case if cases cannot be listed.
fn one_run(evaluator: &Evaluator, request: &Request, summed_up: &[usize]) -> Answer {
    let exploration = Exploration::new(Script::otherwise(), summed_up);
    let (mut answer, ..) = evaluator.run_assuming(request, exploration);
    if answer.left_out.is_empty() {
        answer.left_out.push(LeftOut { level: None, variables: Vec::new(), files: 0 });
    }
    answer
}

/// Combines the cases into one answer: that of the last case, with the list of all cases if there are several.
fn joined(mut cases: Vec<Case>) -> Answer {
    let mut left_out: Vec<LeftOut> = Vec::new();
    for case in &cases {
        for it in &case.answer.left_out {
            if !left_out.contains(it) {
                left_out.push(it.clone());
            }
        }
    }
    let mut answer = match cases.as_slice() {
        [_] => cases.pop().map_or_else(Answer::nothing, |case| case.answer),
        cases => {
            let last = cases.last().map_or_else(Answer::nothing, |case| case.answer.clone());
            Answer { cases: cases.to_vec(), ..last }
        }
    };
    answer.left_out = left_out;
    answer
}

/// Removes each case if the later cases give the same answer anyway.
fn without_repetitions(cases: Vec<Case>) -> Vec<Case> {
    let terms = terms_of(&cases);
    let mut kept: Vec<usize> = Vec::new();
    for number in (0..cases.len()).rev() {
        if !is_given_by(&kept, number, &cases, &terms) {
            kept.push(number);
        }
    }
    kept.reverse();
    let is_kept = |number: &usize| kept.binary_search(number).is_ok();
    (0..).zip(cases).filter(|(number, _)| is_kept(number)).map(|(_, case)| case).collect()
}

/// Whether a node that matches the conditions of a case, and none of the earlier ones, gets the same answer from the cases
/// `behind` it. The last case comes first in `behind`.
fn is_given_by(behind: &[usize], number: usize, cases: &[Case], terms: &[Vec<Term>]) -> bool {
    let own = &terms[number];
    for other in behind.iter().rev() {
        let others = &terms[*other];
        let contradicts =
            |it: &Term| own.iter().any(|own| own.variable == it.variable && own.value != it.value);
        // No node matches both cases.
        if others.iter().any(contradicts) {
            continue;
        }
        let holds = |it: &Term| own.contains(it) || others.contains(it);
        // A node that matches both cases already gets the answer of an earlier case.
        if terms[..number].iter().any(|earlier| earlier.iter().all(holds)) {
            continue;
        }
        if !is_same(&cases[*other].answer, &cases[number].answer) {
            return false;
        }
        // Every node that gets this far matches that case, so the cases after it do not matter.
        if others.iter().all(|it| own.contains(it)) {
            return true;
        }
    }
    false
}

/// A condition as numbers, which are faster to compare than texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Term {
    variable: usize,
    value: usize,
}

/// The conditions of each case as numbers.
fn terms_of(cases: &[Case]) -> Vec<Vec<Term>> {
    let mut variables: IndexSet<&str> = IndexSet::new();
    let mut values: IndexSet<&Assumed> = IndexSet::new();
    let mut term = |it| {
        let Condition { variable, value }: &Condition = it;
        Term { variable: variables.insert_full(variable).0, value: values.insert_full(value).0 }
    };
    cases.iter().map(|case| case.conditions.iter().map(&mut term).collect()).collect()
}

/// Whether two answers are equal, ignoring positions. The order of a hash's members matters, because Puppet keeps it.
pub fn is_same(one: &Answer, other: &Answer) -> bool {
    let undecided = |answer: &Answer| answer.left_out.iter().any(|it| it.level.is_none());
    is_same_outcome(one, other)
        && one.opaque == other.opaque
        && one.open == other.open
        && undecided(one) == undecided(other)
}

/// Whether two lookups end with the same value or error.
pub fn is_same_outcome(one: &Answer, other: &Answer) -> bool {
    match (&one.outcome, &other.outcome) {
        (Ok(Some(one)), Ok(Some(other))) => is_identical(one, other),
        (Ok(None), Ok(None)) => true,
        (Err(one), Err(other)) => one.message == other.message && one.class == other.class,
        _ => false,
    }
}

fn is_identical(one: &Located, other: &Located) -> bool {
    match (&one.value, &other.value) {
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other.iter()).all(|(one, other)| is_identical(one, other))
        }
        (Value::Hash(one), Value::Hash(other)) => {
            let members = || one.iter().zip(other.iter());
            one.len() == other.len()
                && members().all(|((key, one), (other_key, other))| {
                    key == other_key && is_identical(&one.value, &other.value)
                })
        }
        (Value::Sensitive(one), Value::Sensitive(other)) => is_identical(one, other),
        (one, other) => one == other,
    }
}

/// Conditions in words: `role is web and variant is not set`.
pub fn in_words(conditions: &[Condition]) -> String {
    let said = conditions.iter().map(|condition| match &condition.value {
        Assumed::Unset => format!("{} is not set", condition.variable),
        Assumed::Text(text) if text.is_empty() => format!("{} is empty", condition.variable),
        Assumed::Text(text) => format!("{} is {text}", condition.variable),
    });
    said.collect::<Vec<_>>().join(" and ")
}

/// What the cases leave out, in words: `66 files of level "Nodes" may say something else, depending on x`.
pub fn left_out_in_words(left_out: &LeftOut) -> String {
    let on: Vec<&str> = left_out.variables.iter().map(|name| name.trim_end_matches("[]")).collect();
    let on =
        if on.is_empty() { "variables that are not known".to_owned() } else { on.join(" and ") };
    match (&left_out.level, left_out.files) {
        (Some(level), 0) => format!("Level \"{level}\" may change this, depending on {on}"),
        (Some(level), 1) => {
            format!("1 file of level \"{level}\" may change this, depending on {on}")
        }
        (Some(level), files) => {
            format!("{files} files of level \"{level}\" may change this, depending on {on}")
        }
        (None, _) => format!("The value itself depends on {on}"),
    }
}

#[cfg(test)]
mod tests;
