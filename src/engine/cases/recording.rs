//! The runs of an exploration, kept for the explorations of other nodes: a run is the same for every node that finds the same
//! in everything that this run reads.

use super::{Case, Exploration, TooMany};
use crate::engine::assumptions::{Choice, Script};
use crate::engine::footprint::{Dependency, Footprint};
use crate::engine::hierarchy::Position;

/// A recorded exploration.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    rounds: Vec<Round>,
    /// What the runs depend on, each once.
    dependencies: Vec<Dependency>,
}

/// Successive runs of one script.
#[derive(Debug)]
pub(super) struct Round {
    is_otherwise: bool,
    summed_up: Box<[Position]>,
    /// In the order of the numbers of the ways that they start with.
    runs: Vec<Run>,
    outcome: Option<Result<Vec<Case>, TooMany>>,
}

/// A recorded run.
#[derive(Debug)]
pub(super) struct Run {
    /// The choices at all of its forks.
    pub(super) choices: Box<[Choice]>,
    /// The number of those that were known when it started.
    repeated: usize,
    /// The numbers of ways at the locations of its new forks.
    pub(super) ways: Box<[(Position, usize)]>,
    pub(super) case: Case,
    /// Two runs of a round are of the same kind if their answers are equal.
    pub(super) kind: usize,
    /// What it depends on, as numbers of the recording's dependencies.
    depends_on: Box<[usize]>,
}

/// The numbers of the ways that are taken.
fn ways(choices: &[Choice]) -> impl Iterator<Item = usize> {
    choices.iter().map(|(_, way)| *way)
}

/// A recorded exploration, and how another node differs from the one that it is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Precedent<'r> {
    /// The exploration.
    pub(crate) recording: &'r Recording,
    /// Whether the node differs in each of the dependencies.
    pub(crate) is_changed: &'r [bool],
}

impl Recording {
    /// What the runs depend on, each once, in the order in which it was read.
    pub(crate) fn dependencies(&self) -> &[Dependency] {
        &self.dependencies
    }

    pub(super) fn begin_round(&mut self, is_otherwise: bool, summed_up: &[Position]) {
        let summed_up = summed_up.into();
        self.rounds.push(Round { is_otherwise, summed_up, runs: Vec::new(), outcome: None });
    }

    /// Keeps the outcome of the last round.
    pub(super) fn end_round(&mut self, outcome: &Result<Vec<Case>, TooMany>) {
        if let Some(round) = self.rounds.last_mut() {
            round.outcome = Some(outcome.clone());
        }
    }

    /// Adds a run to the last round. `repeated` is the number of its choices that were known when it started.
    pub(super) fn add(
        &mut self,
        case: &Case,
        read: &Footprint,
        exploration: &Exploration<'_>,
        repeated: usize,
    ) {
        let depends_on = read.dependencies().map(|it| self.number_of(it)).collect();
        let Some(round) = self.rounds.last_mut() else { return };
        round.runs.push(Run {
            choices: exploration.script.choices().into(),
            repeated,
            ways: exploration.ways.as_slice().into(),
            case: case.clone(),
            kind: 0,
            depends_on,
        });
    }

    fn number_of(&mut self, dependency: Dependency) -> usize {
        let known = self.dependencies.iter().position(|it| *it == dependency);
        known.unwrap_or_else(|| {
            self.dependencies.push(dependency);
            self.dependencies.len() - 1
        })
    }

    /// Notes of which kind the last run is.
    pub(super) fn note_kind(&mut self, kind: usize) {
        if let Some(run) = self.rounds.last_mut().and_then(|it| it.runs.last_mut()) {
            run.kind = kind;
        }
    }
}

impl<'r> Precedent<'r> {
    pub(super) fn round(self, is_otherwise: bool, summed_up: &[Position]) -> Option<&'r Round> {
        let is_it = |it: &&Round| it.is_otherwise == is_otherwise && *it.summed_up == *summed_up;
        self.recording.rounds.iter().find(is_it)
    }

    /// The outcome of a round, if all of its runs are the same for the node.
    pub(super) fn outcome(self, round: &Round) -> Option<Result<Vec<Case>, TooMany>> {
        round.outcome.as_ref().filter(|_| round.runs.iter().all(|it| self.is_the_same(it))).cloned()
    }

    /// The run that starts with these choices, if it is the same for the node.
    pub(super) fn run(self, round: &'r Round, script: &Script) -> Option<&'r Run> {
        let wanted = script.choices();
        let at = round.runs.binary_search_by(|run| ways(run.start()).cmp(ways(wanted)));
        let run = &round.runs[at.ok()?];
        (self.is_the_same(run) && *run.start() == *wanted).then_some(run)
    }

    fn is_the_same(self, run: &Run) -> bool {
        !run.depends_on.iter().any(|dependency| self.is_changed[*dependency])
    }
}

impl Run {
    /// The choices that were known when it started.
    fn start(&self) -> &[Choice] {
        &self.choices[..self.repeated]
    }
}
