//! Folds an explanation to its interesting part: files without the key are only counted, and nothing is shown twice.
//!
//! A value with hundreds of `%{…}` looks up the same few keys again and again, and each of these searches reads every level.

use std::collections::HashMap;

use super::{Step, StepKind, Topic};
use crate::ide::changes::counted;

/// From this many consecutive files without the key on, they are counted.
const MIN_FILES: usize = 4;

/// The maximum number of interpolations of a value that are shown although they contain nothing new.
const MAX_KNOWN_INTERPOLATIONS: usize = 5;

/// The folded steps.
pub(super) fn folded(steps: &[Step]) -> Vec<Step> {
    Folding::default().fold(steps)
}

/// The number of lines of some steps.
pub(super) fn line_count(steps: &[Step]) -> usize {
    let lines = |step: &Step| 1 + step.label.matches('\n').count() + line_count(&step.children);
    steps.iter().map(lines).sum()
}

#[derive(Default)]
struct Folding<'a> {
    /// The searches that have been shown, by their labels.
    told: HashMap<&'a str, &'a Step>,
}

impl<'a> Folding<'a> {
    fn fold(&mut self, steps: &'a [Step]) -> Vec<Step> {
        let mut folded = Vec::new();
        let mut known = Known::default();
        let mut rest = steps;
        while let [step, behind @ ..] = rest {
            rest = behind;
            let files = 1 + behind.iter().take_while(|next| has_as_little(step, next)).count();
            match step.topic {
                Topic::Location if is_empty_handed(step) && files >= MIN_FILES => {
                    folded.push(counted_files(step, files));
                    rest = &rest[files - 1..];
                }
                Topic::Search => folded.push(self.search(step)),
                Topic::Interpolation => {
                    let step = self.inside(step);
                    if tells_news(&step) || known.shown < MAX_KNOWN_INTERPOLATIONS {
                        known.shown += 1;
                        folded.push(step);
                    } else {
                        known.left_out += 1;
                    }
                }
                _ => folded.push(self.inside(step)),
            }
            // Interpolations that follow each other share one summary.
            let is_last = !rest.first().is_some_and(|next| next.topic == Topic::Interpolation);
            if is_last && known.left_out > 0 {
                folded.push(std::mem::take(&mut known).summary());
            }
        }
        folded
    }

    fn search(&mut self, step: &'a Step) -> Step {
        // Two searches for the same key may have different steps, so the steps are compared as well.
        if self.told.get(&*step.label).is_some_and(|told| *told == step) {
            return told_above(step);
        }
        self.told.insert(&step.label, step);
        self.inside(step)
    }

    fn inside(&mut self, step: &'a Step) -> Step {
        Step { children: self.fold(&step.children), ..step.without_children() }
    }
}

/// Consecutive interpolations that contain nothing new.
#[derive(Default)]
struct Known {
    shown: usize,
    left_out: usize,
}

impl Known {
    fn summary(self) -> Step {
        let more = counted(self.left_out, "more interpolation");
        Step {
            detail: "of keys that are shown above".to_owned(),
            ..super::simple(&more, StepKind::Step)
        }
    }
}

/// Whether a file did not have the key.
fn is_empty_handed(step: &Step) -> bool {
    step.kind == StepKind::Missing && step.children.is_empty()
}

fn has_as_little(step: &Step, next: &Step) -> bool {
    next.topic == Topic::Location && is_empty_handed(next) && next.detail == step.detail
}

fn counted_files(first: &Step, count: usize) -> Step {
    let detail = match first.detail.strip_prefix("does not ") {
        Some(rest) => format!("do not {rest}"),
        None => first.detail.clone(),
    };
    Step { detail, ..super::simple(&format!("{count} files"), StepKind::Missing) }
}

/// The result of a search that was shown before.
fn told_above(step: &Step) -> Step {
    let (kind, gist, place) = match outcome(step) {
        Some(found) => (found.kind, format!("{} ", found.detail), found.place),
        None => (StepKind::Missing, String::new(), None),
    };
    let detail = format!("{gist}(as above)");
    Step { detail, kind, place, topic: Topic::Told, ..step.without_children() }
}

/// The step that determined the result of a search: the first one that found or merged a value.
fn outcome(step: &Step) -> Option<&Step> {
    let is_inner = |it: &&Step| matches!(it.topic, Topic::Interpolation | Topic::Search);
    let mut steps = step.children.iter().filter(|it| !is_inner(it));
    steps.find_map(|it| match it.kind {
        StepKind::Found | StepKind::Result => Some(it),
        _ => outcome(it),
    })
}

/// Whether a step contains anything that was not shown before.
fn tells_news(step: &Step) -> bool {
    let is_news = step.topic == Topic::Search
        || matches!(step.kind, StepKind::Failed | StepKind::Opaque | StepKind::Missing);
    (is_news && step.topic != Topic::Told) || step.children.iter().any(tells_news)
}
