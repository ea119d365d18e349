//! The runs of an exploration, kept for other explorations: a run is the same for every node that finds the same in everything
//! that this run reads, and it stays the same for its own node if only entries are edited that it does not read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::needed::Needed;
use super::{Case, Exploration, Foresight, Outcome, Spot};
use crate::data::FileId;
use crate::engine::assumptions::{Choice, Script};
use crate::engine::footprint::{Dependency, Footprint};
use crate::engine::request::Request;

/// A recorded exploration.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    /// In the order of the runs.
    rounds: Vec<Round>,
    /// What the runs depend on, each once.
    dependencies: Vec<Dependency>,
    /// Whether its texts leave the names of the node open.
    leaves_names_open: bool,
}

/// Which ways the runs of a round go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Course {
    /// All of them, if there are few.
    Few,
    All,
    /// None of them: one run.
    Otherwise,
}

/// Successive runs of one script.
#[derive(Debug)]
pub(super) struct Round {
    course: Course,
    summed_up: Box<[Spot]>,
    /// In the order of the numbers of the ways that they start with.
    pub(super) runs: Vec<Run>,
    pub(super) outcome: Option<Outcome>,
    /// Which of the runs' cases the outcome consists of, if the runs are kept.
    pub(super) needed: Needed,
}

/// A recorded run.
#[derive(Debug)]
pub(super) struct Run {
    /// The choices at all of its forks.
    pub(super) choices: Box<[Choice]>,
    /// The number of those that were known when it started.
    pub(super) repeated: usize,
    /// The numbers of ways at the locations of its new forks.
    pub(super) ways: Box<[(Spot, usize)]>,
    pub(super) case: Case,
    /// Two runs of a round are of the same kind if their answers are equal.
    pub(super) kind: usize,
    /// What it depends on, as numbers of the recording's dependencies.
    depends_on: Box<[usize]>,
    /// Whether it may have read one of the edited entries.
    pub(super) reads_edited: bool,
    pub(super) foresight: Option<Arc<Foresight>>,
}

/// The numbers of the ways that are taken.
fn ways(choices: &[Choice]) -> impl Iterator<Item = usize> {
    choices.iter().map(|(_, way)| *way)
}

/// A recorded exploration, and how a node differs from the one that it is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Precedent<'r> {
    /// The exploration.
    pub(crate) recording: &'r Recording,
    /// Whether the node differs in each of the dependencies.
    pub(crate) is_changed: &'r [bool],
}

/// Entries of files whose values were edited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct EditedEntries(BTreeMap<Arc<str>, BTreeSet<FileId>>);

impl EditedEntries {
    pub(crate) fn add(&mut self, file: FileId, root: Arc<str>) {
        self.0.entry(root).or_default().insert(file);
    }

    pub(super) fn contain(&self, file: FileId, root: &str) -> bool {
        self.0.get(root).is_some_and(|files| files.contains(&file))
    }

    /// The only one, if there are no others: its file and its root key.
    pub(crate) fn only(&self) -> Option<(FileId, &Arc<str>)> {
        let mut entries =
            self.0.iter().flat_map(|(root, files)| files.iter().map(move |it| (*it, root)));
        entries.next().filter(|_| entries.next().is_none())
    }

    /// Whether a lookup may have read one of them.
    pub(crate) fn may_be_in(&self, footprint: &Footprint) -> bool {
        footprint.reads_anything()
            || footprint.entries().any(|read| self.contain(read.file, read.root))
    }

    /// Whether `others` contain all of them.
    pub(crate) fn are_among(&self, others: &Self) -> bool {
        let is_there = |(root, files): (_, &BTreeSet<FileId>)| {
            others.0.get(root).is_some_and(|others| files.is_subset(others))
        };
        self.0.iter().all(is_there)
    }
}

/// What an exploration may take from others.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Known<'k> {
    /// The exploration for another node.
    pub(crate) of_other_node: Option<Precedent<'k>>,
    /// The entries that are being edited, if it matters which runs read them.
    pub(crate) edited: Option<Edited<'k>>,
}

/// The entries that are being edited, and the runs that read none of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edited<'k> {
    pub(crate) entries: &'k EditedEntries,
    pub(crate) runs: EarlierRuns<'k>,
}

/// Runs for the same node that read no edited entry.
#[derive(Debug, Clone, Copy)]
pub(crate) enum EarlierRuns<'k> {
    /// Those of an earlier exploration, which are not done again.
    Known(&'k Recording),
    /// They are to be recorded.
    Recorded,
    /// They are not kept.
    Dropped,
}

/// What an exploration says about the entries that are being edited.
#[derive(Debug)]
pub(crate) struct OfEdit {
    /// Whether a run may have read one of them.
    pub(crate) reads_edited: bool,
    /// The runs that read none, if they are recorded.
    pub(crate) unedited: Option<Recording>,
}

impl Recording {
    /// An empty one for runs of a request.
    pub(super) fn of(request: &Request) -> Self {
        Self { leaves_names_open: request.leaves_names_open, ..Self::default() }
    }

    /// Whether its runs may be those of a request: with names in the texts of both or of neither.
    pub(super) fn serves(&self, request: &Request) -> bool {
        self.leaves_names_open == request.leaves_names_open
    }

    /// The number of runs and cases that are kept.
    pub(crate) fn len(&self) -> usize {
        let cases = |round: &Round| match &round.outcome {
            Some(Ok(cases)) => cases.len(),
            _ => 0,
        };
        self.rounds.iter().map(|it| it.runs.len() + cases(it)).sum()
    }

    /// Whether a run may have read one of the edited entries.
    pub(crate) fn reads_edited(&self) -> bool {
        self.rounds.iter().any(Round::reads_edited)
    }

    /// Frees the memory that only further runs would need.
    pub(super) fn shrink(&mut self) {
        for round in &mut self.rounds {
            round.runs.shrink_to_fit();
        }
        self.rounds.shrink_to_fit();
    }

    /// What the runs depend on, each once, in the order in which it was read.
    pub(crate) fn dependencies(&self) -> &[Dependency] {
        &self.dependencies
    }

    pub(super) fn begin_round(&mut self, course: Course, summed_up: &[Spot]) {
        let summed_up = summed_up.into();
        let (runs, outcome, needed) = (Vec::new(), None, Needed::default());
        self.rounds.push(Round { course, summed_up, runs, outcome, needed });
    }

    /// Keeps the outcome of the last round, and which cases it consists of.
    pub(super) fn end_round(&mut self, outcome: &Outcome, needed: Needed) {
        if let Some(round) = self.rounds.last_mut() {
            round.outcome = Some(outcome.clone());
            round.needed = needed;
        }
    }

    /// Forgets the last round.
    pub(super) fn forget_round(&mut self) {
        self.rounds.pop();
    }

    /// Keeps only the outcome of the last round: all of its runs are known to be the same for the next exploration.
    pub(super) fn sum_up_round(&mut self, outcome: &Outcome) {
        self.end_round(outcome, Needed::default());
        if let Some(round) = self.rounds.last_mut() {
            round.runs = Vec::new();
        }
    }

    /// Adds a run to the last round. `repeated` is the number of its choices that were known when it started.
    pub(super) fn add(
        &mut self,
        case: &Case,
        read: &Footprint,
        exploration: &Exploration<'_>,
        repeated: usize,
        foresight: Option<&Arc<Foresight>>,
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
            reads_edited: exploration.reads_of_edited > 0,
            foresight: foresight.cloned(),
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

impl Round {
    pub(super) fn reads_edited(&self) -> bool {
        self.runs.iter().any(|run| run.reads_edited)
    }
}

impl<'r> Precedent<'r> {
    /// An exploration whose runs are all the same as before.
    pub(super) fn of_same_node(recording: &'r Recording) -> Self {
        Self { recording, is_changed: &[] }
    }

    pub(super) fn round(self, course: Course, summed_up: &[Spot]) -> Option<&'r Round> {
        let is_it = |it: &&Round| it.course == course && *it.summed_up == *summed_up;
        self.recording.rounds.iter().find(is_it)
    }

    /// The outcome of a round, if all of its runs are the same for the node.
    pub(super) fn outcome(self, round: &Round) -> Option<Outcome> {
        round.outcome.as_ref().filter(|_| round.runs.iter().all(|it| self.is_the_same(it))).cloned()
    }

    /// The run that starts with these choices, if it is the same for the node.
    pub(super) fn run(self, round: &'r Round, script: &Script) -> Option<&'r Run> {
        let wanted = script.choices();
        let at = round.runs.binary_search_by(|run| ways(run.start()).cmp(ways(wanted)));
        let run = &round.runs[at.ok()?];
        (self.is_the_same(run) && *run.start() == *wanted).then_some(run)
    }

    /// Whether a run is the same for the node.
    pub(super) fn is_the_same(self, run: &Run) -> bool {
        !run.depends_on.iter().any(|dependency| self.is_changed[*dependency])
    }
}

impl Run {
    /// The choices that were known when it started.
    pub(super) fn start(&self) -> &[Choice] {
        &self.choices[..self.repeated]
    }
}
