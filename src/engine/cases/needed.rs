//! Which cases are needed: one is not if the later ones give the same answer anyway.

use std::borrow::Cow;
use std::sync::Arc;

use indexmap::IndexSet;

use super::{Case, add_left_out, is_same_outcome};
use crate::engine::assumptions::{Assumed, Condition};
use crate::engine::request::Answer;

/// The cases of a round that remain.
#[derive(Debug, Default)]
pub(super) struct Needed {
    /// Their numbers, in order.
    numbers: Box<[usize]>,
    /// Numbers of cases that are removed, each with the position in `numbers` of one that nodes may get in its place.
    stand_ins: Box<[(usize, usize)]>,
}

impl Needed {
    /// Two answers are the same if their kinds are.
    pub(super) fn of(cases: &[Cow<'_, Case>], kinds: &[usize]) -> Self {
        let mut terms = Terms::new();
        let terms: Vec<Vec<Term>> = cases.iter().map(|case| terms.of(&case.conditions)).collect();
        let numbers = needed(kinds, &terms).into_boxed_slice();
        let mut stand_ins = Vec::new();
        let is_removed = |number: &usize| numbers.binary_search(number).is_err();
        for removed in (0..cases.len()).filter(is_removed) {
            for (at, number) in numbers.iter().enumerate() {
                let stands_for_it = removed < *number
                    && kinds[removed] == kinds[*number]
                    && !one_rules_out(&terms[removed], &terms[*number]);
                if stands_for_it {
                    stand_ins.push((removed, at));
                }
            }
        }
        Self { numbers, stand_ins: stand_ins.into() }
    }

    pub(super) fn count(&self) -> usize {
        self.numbers.len()
    }

    /// The cases that remain of all cases. Each also stands for those before it that it makes needless, and these may have
    /// read something else for their strings, or depend on files that were left out.
    pub(super) fn among(&self, cases: &[Cow<'_, Case>]) -> Vec<Case> {
        let mut told: Vec<Case> =
            self.numbers.iter().map(|number| Case::clone(&cases[*number])).collect();
        for (removed, at) in &self.stand_ins {
            let Case { conditions, answer } = &mut told[*at];
            add_left_out(&mut answer.left_out, &cases[*removed].answer);
            for name in &cases[*removed].answer.read_open {
                if !has_text(conditions, name) && !answer.read_open.contains(name) {
                    answer.read_open.push(Arc::clone(name));
                }
            }
        }
        told
    }
}

/// Whether the conditions say what text a variable has.
fn has_text(conditions: &[Condition], variable: &str) -> bool {
    let is_text = |it: &Assumed| matches!(it, Assumed::Text(text) if !text.is_empty());
    conditions.iter().any(|it| *it.variable == *variable && is_text(&it.value))
}

/// The cases that users are told. A case is left out if later ones give the same value anyway, although its strings depend on
/// something, or theirs do: the answer says so once, for all cases.
pub fn cases_to_tell(answer: &Answer) -> Vec<&Case> {
    let cases: Vec<&Case> = answer.cases.iter().collect();
    let is_alike = |one: &Answer, other: &Answer| {
        is_same_outcome(one, other) && one.opaque == other.opaque && one.open == other.open
    };
    let is_first = |case: &&Case| cases.iter().position(|it| is_alike(&it.answer, &case.answer));
    let kinds: Vec<Option<usize>> = cases.iter().map(is_first).collect();
    let mut terms = Terms::new();
    let terms: Vec<Vec<Term>> = cases.iter().map(|case| terms.of(&case.conditions)).collect();
    needed(&kinds, &terms).into_iter().map(|number| cases[number]).collect()
}

/// Whether no node matches both lists of conditions.
pub fn rule_each_other_out(one: &[Condition], other: &[Condition]) -> bool {
    let mut terms = Terms::new();
    one_rules_out(&terms.of(one), &terms.of(other))
}

/// The cases that remain if each is removed that the later ones give anyway, by their numbers, in order.
pub(super) fn needed<K: PartialEq, T: AsRef<[Term]>>(kinds: &[K], terms: &[T]) -> Vec<usize> {
    let mut kept: Vec<usize> = Vec::new();
    for number in (0..terms.len()).rev() {
        if !is_given_by(&kept, number, kinds, terms) {
            kept.push(number);
        }
    }
    kept.reverse();
    kept
}

/// Whether a node that matches the conditions of a case, and none of the earlier ones, gets the same answer from the cases
/// `behind` it. The last case comes first in `behind`.
fn is_given_by<K: PartialEq, T: AsRef<[Term]>>(
    behind: &[usize],
    number: usize,
    kinds: &[K],
    terms: &[T],
) -> bool {
    let own = terms[number].as_ref();
    for other in behind.iter().rev() {
        let others = terms[*other].as_ref();
        // No node matches both cases.
        if one_rules_out(own, others) {
            continue;
        }
        let holds = |it: &Term| it.follows_from(own) || it.follows_from(others);
        // A node that matches both cases already gets the answer of an earlier case.
        if terms[..number].iter().any(|earlier| earlier.as_ref().iter().all(holds)) {
            continue;
        }
        if kinds[*other] != kinds[number] {
            return false;
        }
        // Every node that gets this far matches that case, so the cases after it do not matter.
        if others.iter().all(|it| it.follows_from(own)) {
            return true;
        }
    }
    false
}

/// A condition as numbers, which are faster to compare than texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Term {
    variable: usize,
    value: usize,
}

impl Term {
    /// The numbers of the two values that an unset variable has.
    const EMPTY: usize = 0;
    const UNSET: usize = 1;

    fn rules_out(&self, other: &Self) -> bool {
        self.variable == other.variable
            && self.value != other.value
            && (self.value > Self::UNSET || other.value > Self::UNSET)
    }

    /// Whether it is true for every node for which `all` are.
    pub(super) fn follows_from(&self, all: &[Self]) -> bool {
        let unset = Self { value: Self::UNSET, ..*self };
        all.contains(self) || self.value == Self::EMPTY && all.contains(&unset)
    }
}

/// Whether no node matches both lists of conditions.
pub(super) fn one_rules_out(one: &[Term], other: &[Term]) -> bool {
    one.iter().any(|it| other.iter().any(|other| it.rules_out(other)))
}

/// The numbers of variables and their values.
pub(super) struct Terms {
    variables: IndexSet<Arc<str>>,
    values: IndexSet<Assumed>,
}

impl Terms {
    pub(super) fn new() -> Self {
        // The places are `Term::EMPTY` and `Term::UNSET`.
        let values = IndexSet::from([Assumed::Text("".into()), Assumed::Unset]);
        Self { variables: IndexSet::new(), values }
    }

    pub(super) fn of(&mut self, conditions: &[Condition]) -> Vec<Term> {
        let term = |it: &Condition| Term {
            variable: number_of(&mut self.variables, &it.variable),
            value: number_of(&mut self.values, &it.value),
        };
        conditions.iter().map(term).collect()
    }
}

fn number_of<T: Clone + Eq + std::hash::Hash>(known: &mut IndexSet<T>, it: &T) -> usize {
    known.get_index_of(it).unwrap_or_else(|| known.insert_full(it.clone()).0)
}
