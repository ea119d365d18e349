//! The steps of a run that the next run of an exploration repeats.
//!
//! A run makes the same choices as the run before it at all forks but the last one. Everything that ended before that fork
//! has the same result again, so its result is taken from the run before: the values of nested lookups, and the parts of a
//! value that were interpolated.

use std::sync::Arc;

use super::failure::Failure;
use super::invocation::{Invocation, Scope};
use super::nested_values::NestedValue;
use super::notes::{Lengths, Notes};
use crate::data::{Located, Value};

/// The steps of the last run, in the order in which they began.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    steps: Vec<Step>,
    /// How many of them the current run has reached.
    reached: usize,
}

/// What a step is about.
#[derive(Debug)]
pub(super) enum Subject {
    /// The lookup of a key that a text contains, and the scope of the text.
    Key(Arc<str>, Scope),
    /// The interpolation of a hash or a list.
    Part(Value),
}

/// The result of a step; `None` if nothing was found, or if nothing changes.
type Stepped = Result<Option<Located>, Failure>;

#[derive(Debug)]
struct Step {
    subject: Subject,
    /// The number of forks before it.
    forks_before: usize,
    /// `None` if it has not ended, or if it may end in another way now.
    ended: Option<Ended>,
}

#[derive(Debug)]
struct Ended {
    result: Option<Located>,
    /// The number of forks when it ended.
    forks: usize,
    /// The number of assumptions then.
    assumptions: usize,
    /// The number of steps inside it.
    inside: usize,
    /// The steps and bytes of the budget that it needed.
    cost: (u32, usize),
    /// What it noted.
    notes: Option<Box<Notes>>,
    /// How often it read an edited entry.
    reads_of_edited: u32,
}

/// The state of a run before a step.
struct Before {
    /// The number of the step.
    number: usize,
    spent: (u32, usize),
    notes: Lengths,
    reads_of_edited: u32,
}

impl Subject {
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Key(one, scope), Self::Key(other, other_scope)) => {
                one == other && scope == other_scope
            }
            (Self::Part(Value::Hash(one)), Self::Part(Value::Hash(other))) => {
                Arc::ptr_eq(one, other)
            }
            (Self::Part(Value::Array(one)), Self::Part(Value::Array(other))) => {
                Arc::ptr_eq(one, other)
            }
            _ => false,
        }
    }
}

impl Steps {
    /// Prepares for the next run, which makes the same choices at the first `forks` forks.
    pub(super) fn begin_run(&mut self, forks: usize) {
        self.reached = 0;
        let same = self.steps.partition_point(|it| it.forks_before <= forks);
        self.steps.truncate(same);
        for step in &mut self.steps {
            step.ended.take_if(|it| it.forks > forks);
        }
    }

    /// How the next step ended in the run before, if it will end in the same way.
    fn next(&self, subject: &Subject) -> Option<&Ended> {
        self.steps.get(self.reached).filter(|it| it.subject.is(subject))?.ended.as_ref()
    }

    /// Begins a step, and returns its number.
    fn begin(&mut self, subject: Subject, forks_before: usize) -> usize {
        let number = self.reached;
        self.reached += 1;
        let is_it = |it: &Step| it.forks_before == forks_before && it.subject.is(&subject);
        if !self.steps.get(number).is_some_and(is_it) {
            self.steps.truncate(number);
            self.steps.push(Step { subject, forks_before, ended: None });
        }
        number
    }
}

impl Invocation<'_> {
    /// Runs `work`, unless the run before did the same.
    ///
    /// # Errors
    /// Those of `work`, or the budget is used up.
    pub(super) fn step(
        &mut self,
        subject: impl FnOnce() -> Subject,
        work: impl FnOnce(&mut Self) -> Stepped,
    ) -> Stepped {
        let has_steps = self.exploration.as_ref().is_some_and(|it| it.steps.is_some());
        if !has_steps || self.answers_nested_keys_in_another_way() {
            return work(self);
        }
        let subject = subject();
        if let Some(result) = self.repeat_step(&subject) {
            return result;
        }
        let before = self.before_step(subject);
        let result = work(self)?;
        if let Some(before) = before {
            self.end_step(&before, result.as_ref());
        }
        Ok(result)
    }

    fn repeat_step(&mut self, subject: &Subject) -> Option<Stepped> {
        let exploration = self.exploration.as_mut()?;
        let steps = exploration.steps.as_mut()?;
        let ended = steps.next(subject)?;
        if let Err(failure) = self.budget.spend_again(ended.cost) {
            return Some(Err(failure));
        }
        exploration.reads_of_edited += ended.reads_of_edited;
        exploration.script.repeat_until(ended.forks, &mut self.assumptions, self.evaluator.node());
        if let Some(notes) = &ended.notes {
            self.notes.add_all(notes);
        }
        let result = ended.result.clone();
        let inner = steps.reached + 1..steps.reached + 1 + ended.inside;
        steps.reached = inner.end;
        // Later texts may contain the keys inside the step, too.
        for step in &steps.steps[inner] {
            if let Subject::Key(key, scope) = &step.subject
                && let Some(Ended { result: Some(value), assumptions, cost, .. }) = &step.ended
            {
                let (value, assumptions, cost) = (value.clone(), *assumptions, *cost);
                self.nested_values.insert(key, *scope, NestedValue { value, assumptions, cost });
            }
        }
        Some(Ok(result))
    }

    fn before_step(&mut self, subject: Subject) -> Option<Before> {
        let exploration = self.exploration.as_mut()?;
        let forks = exploration.script.passed();
        let number = exploration.steps.as_mut()?.begin(subject, forks);
        let reads_of_edited = exploration.reads_of_edited;
        let (spent, notes) = (self.budget.spent(), self.notes.lengths());
        Some(Before { number, spent, notes, reads_of_edited })
    }

    fn end_step(&mut self, before: &Before, result: Option<&Located>) {
        let Some(exploration) = &mut self.exploration else { return };
        let Some(steps) = &mut exploration.steps else { return };
        steps.steps[before.number].ended = Some(Ended {
            result: result.cloned(),
            forks: exploration.script.passed(),
            assumptions: self.assumptions.held().len(),
            inside: steps.reached - before.number - 1,
            cost: self.budget.spent_since(before.spent),
            notes: self.notes.since(before.notes),
            reads_of_edited: exploration.reads_of_edited - before.reads_of_edited,
        });
    }
}
