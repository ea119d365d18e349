//! The cases of two answers side by side: what a node gets from both, for all nodes that are not completely known.
//!
//! A node gets the first case that matches it from each answer. The two need not be cases with the same conditions: if an edit
//! exchanges two levels, a node that has both roles was in the case of one role, and is now in that of the other.

use std::borrow::Cow;
use std::sync::Arc;

use super::needed::{Term, Terms, needed, one_rules_out};
use super::{Answer, LeftOut, is_same, rule_each_other_out};
use crate::engine::assumptions::{Assumed, Condition, proved_by};
use crate::engine::{Evaluator, Request};
use crate::facts::Node;

/// With more pairs than this, each is listed, even if fewer would say the same.
const MAX_SIMPLIFIED: usize = 256;

/// The lookups that gave two answers to the same question.
#[derive(Clone, Copy)]
pub struct Lookups<'a> {
    /// The lookups before.
    pub before: &'a Evaluator,
    /// The lookups after.
    pub after: &'a Evaluator,
    /// The question.
    pub request: &'a Request,
}

/// The pairs of cases that nodes can get from two answers.
pub struct CasePairs<'a> {
    /// In such an order that the first one that matches a node is what the node gets.
    pairs: Vec<Pair<'a>>,
}

/// A case of one answer, and a case of the other one.
struct Pair<'a> {
    before: Cow<'a, Answer>,
    after: Cow<'a, Answer>,
    conditions: Vec<Condition>,
    /// The conditions, and what follows from them.
    terms: Vec<Term>,
    /// Whether both answers tell what such nodes get.
    is_told: bool,
}

/// Nodes that get different answers before and after.
#[derive(Debug)]
pub struct DifferentPair<'a> {
    /// The nodes.
    pub who: OtherNodes,
    /// What they get before.
    pub before: &'a Answer,
    /// What they get after.
    pub after: &'a Answer,
}

/// Some of the nodes that are not completely known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct OtherNodes {
    /// What is true of all of them. Empty if it is any node.
    pub conditions: Vec<Condition>,
    /// A node for which one of these lists of conditions is true as well is none of them.
    pub unless: Vec<Vec<Condition>>,
}

impl<'a> CasePairs<'a> {
    /// The pairs of the cases of two answers, which `lookups` gave.
    pub fn new(before: &'a Answer, after: &'a Answer, lookups: Lookups<'_>) -> Self {
        let node = lookups.after.node();
        let follow = |it: &[Condition], terms: &mut Terms| with_what_follows(it, terms, node);
        let request = lookups.request;
        let pairs = { possible(before, after, follow).into_iter() }
            .map(|it| Pair {
                before: exact(it.before, lookups.before, request, &it.conditions),
                after: exact(it.after, lookups.after, request, &it.conditions),
                conditions: it.conditions,
                terms: it.terms,
                is_told: it.is_told,
            })
            .collect();
        Self { pairs }
    }

    /// What nodes get before and after, as far as both answers tell it.
    pub fn answers(&self) -> impl Iterator<Item = (&Answer, &Answer)> {
        let told = self.pairs.iter().filter(|pair| pair.is_told);
        told.map(|pair| (&*pair.before, &*pair.after))
    }

    /// The pairs with different answers. All pairs that a node is in have the same answers, and a node that gets the same
    /// before and after is in none, nor is one of which an answer does not tell what it gets.
    /// `is_same` says whether two cases of one answer are the same, and `is_unchanged` whether
    /// the two answers of a pair are.
    pub fn different(
        &self,
        is_same: impl Fn(&Answer, &Answer) -> bool,
        is_unchanged: impl Fn(&Answer, &Answer) -> bool,
    ) -> Vec<DifferentPair<'_>> {
        // A number for each pair of answers; none if nothing changes.
        let mut firsts: Vec<&Pair<'_>> = Vec::new();
        let mut kinds: Vec<Option<usize>> = Vec::new();
        for pair in &self.pairs {
            kinds.push(if !pair.is_told || is_unchanged(&pair.before, &pair.after) {
                None
            } else {
                let is_it = |it: &&Pair<'_>| {
                    is_same(&it.before, &pair.before) && is_same(&it.after, &pair.after)
                };
                Some(firsts.iter().position(is_it).unwrap_or_else(|| {
                    firsts.push(pair);
                    firsts.len() - 1
                }))
            });
        }
        if firsts.is_empty() {
            return Vec::new();
        }
        let (conditions, terms): (Vec<&[Condition]>, Vec<&[Term]>) =
            self.pairs.iter().map(|it| (&*it.conditions, &*it.terms)).unzip();
        let different =
            who_differs(&kinds, &conditions, &terms).into_iter().map(|(number, who)| {
                let pair = &self.pairs[number];
                DifferentPair { who, before: &pair.before, after: &pair.after }
            });
        different.collect()
    }
}

/// The fewest pairs of cases that tell which nodes get which kind of change, by their numbers. Pairs without a kind change
/// nothing.
fn who_differs<K: PartialEq>(
    kinds: &[Option<K>],
    conditions: &[&[Condition]],
    terms: &[&[Term]],
) -> Vec<(usize, OtherNodes)> {
    let listed: Vec<usize> = if kinds.len() > MAX_SIMPLIFIED {
        (0..kinds.len()).collect()
    } else {
        needed(kinds, terms)
    };
    let different = listed.iter().enumerate().filter(|(_, pair)| kinds[**pair].is_some());
    different
        .map(|(at, number)| {
            let own = conditions[*number];
            // What an earlier pair of the same kind matches is listed there.
            let earlier = listed[..at].iter().filter(|it| {
                kinds[**it] != kinds[*number] && !one_rules_out(terms[**it], terms[*number])
            });
            let unless = earlier.map(|it| without(conditions[*it], own));
            let who = OtherNodes { conditions: own.to_vec(), unless: weakest(unless.collect()) };
            (*number, who)
        })
        .collect()
}

impl OtherNodes {
    /// Those of the nodes of which `conditions` are true and none of the `earlier` ones. `None` if there are no such nodes.
    pub fn within(self, conditions: &[Condition], earlier: &[Vec<Condition>]) -> Option<Self> {
        let conditions = joined(conditions, &self.conditions);
        let all = self.unless.iter().chain(earlier).map(Vec::as_slice);
        let unless = exceptions(&conditions, &all.collect::<Vec<_>>());
        let are_some = !unless.iter().any(Vec::is_empty);
        are_some.then_some(Self { conditions, unless })
    }
}

/// What must be true in addition to `conditions` for a node to be in one of the `earlier` cases. A list is empty if nothing must.
fn exceptions(conditions: &[Condition], earlier: &[&[Condition]]) -> Vec<Vec<Condition>> {
    let possible = earlier.iter().filter(|it| !rule_each_other_out(it, conditions));
    let exception =
        |it: &&[Condition]| it.iter().filter(|it| !conditions.contains(it)).cloned().collect();
    weakest(possible.map(exception).collect())
}

/// Nodes for which the same is edited.
#[derive(Debug)]
pub struct EditedCase<'a, E> {
    /// The nodes.
    pub who: OtherNodes,
    /// What they get before.
    pub before: &'a Answer,
    /// What they get after.
    pub after: &'a Answer,
    /// What is edited.
    pub edit: E,
}

/// The fewest cases that tell for which nodes what is edited. `edit_of` says what is edited between two answers. What follows from
/// conditions for a certain node is not taken into account, so there may be cases without any node.
pub fn edited_cases<'a, E: PartialEq>(
    before: &'a Answer,
    after: &'a Answer,
    edit_of: impl Fn(&Answer, &Answer) -> E,
) -> Vec<EditedCase<'a, E>> {
    let follow = |it: &[Condition], terms: &mut Terms| Some(terms.of(it));
    let pairs = possible(before, after, follow);
    let edit = |pair: &PossiblePair<'_>| {
        let (before, after) = (pair.before, pair.after);
        let is_exact = |it: &Answer| !has_open_text_decided_by(it, &pair.conditions);
        let is_unchanged = is_same(before, after) && is_exact(before) && is_exact(after);
        (pair.is_told && !is_unchanged).then(|| edit_of(before, after))
    };
    let mut edits: Vec<Option<E>> = pairs.iter().map(edit).collect();
    let (conditions, terms): (Vec<&[Condition]>, Vec<&[Term]>) =
        pairs.iter().map(|it| (&*it.conditions, &*it.terms)).unzip();
    let edited =
        who_differs(&edits, &conditions, &terms).into_iter().filter_map(|(number, who)| {
            let (before, after) = (pairs[number].before, pairs[number].after);
            Some(EditedCase { who, before, after, edit: edits[number].take()? })
        });
    edited.collect()
}

/// A case of one answer and a case of the other one in which the same node can be.
struct PossiblePair<'a> {
    before: &'a Answer,
    after: &'a Answer,
    conditions: Vec<Condition>,
    /// The conditions, and what follows from them.
    terms: Vec<Term>,
    /// Whether both answers tell what such nodes get.
    is_told: bool,
}

/// The pairs of cases in which nodes can be. `follow` gets conditions and says what follows from them, or that no node matches
/// them.
fn possible<'a>(
    before: &'a Answer,
    after: &'a Answer,
    follow: impl Fn(&[Condition], &mut Terms) -> Option<Vec<Term>>,
) -> Vec<PossiblePair<'a>> {
    let left_out = [&before.left_out, &after.left_out];
    let (before, after) = (before.each_case(), after.each_case());
    let mut terms = Terms::new();
    let mut numbered = |cases: &[(&[Condition], &Answer)]| -> Vec<Vec<Term>> {
        cases.iter().map(|(conditions, _)| terms.of(conditions)).collect()
    };
    let (terms_before, terms_after) = (numbered(&before), numbered(&after));
    let mut pairs = Vec::new();
    for (one, (of_one, answer_before)) in before.iter().enumerate() {
        for (other, (of_other, answer_after)) in after.iter().enumerate() {
            if one_rules_out(&terms_before[one], &terms_after[other]) {
                continue;
            }
            let conditions = joined(of_one, of_other);
            let Some(all) = follow(&conditions, &mut terms) else { continue };
            // A node that matches this pair would get an earlier case of one of the answers.
            let is_taken = |earlier: &[Vec<Term>]| {
                earlier.iter().any(|it| it.iter().all(|term| term.follows_from(&all)))
            };
            if is_taken(&terms_before[..one]) || is_taken(&terms_after[..other]) {
                continue;
            }
            let is_told =
                !decide(of_other, of_one, left_out[0]) && !decide(of_one, of_other, left_out[1]);
            let (before, after) = (*answer_before, *answer_after);
            pairs.push(PossiblePair { before, after, conditions, terms: all, is_told });
        }
    }
    pairs
}

/// Whether two answers have cases that cannot be compared, because a case of one of them is for nodes of which the other one does not
/// tell what they get.
pub fn cannot_be_paired(before: &Answer, after: &Answer) -> bool {
    let decides = |one: &Answer, other: &Answer| {
        one.each_case().iter().any(|(conditions, _)| decide(conditions, &[], &other.left_out))
    };
    decides(before, after) || decides(after, before)
}

/// Whether `conditions`, of a case of one answer, say of a variable what its text is, and the other answer leaves out what
/// this variable decides. The case of the other answer, with the conditions `own`, is then not the one that such nodes get.
fn decide(conditions: &[Condition], own: &[Condition], left_out: &[LeftOut]) -> bool {
    // If texts that stay open decide, there is no level, and each case tells what it can.
    let mut of_levels = left_out.iter().filter(|it| it.level.is_some());
    of_levels.any(|level| {
        let is_left_out = |it: &Condition| {
            level.variables.contains(&it.variable)
                && !own.iter().any(|own| own.variable == it.variable)
        };
        conditions.iter().any(|it| is_left_out(it) && has_text(it))
    })
}

/// Whether a variable is assumed to have a text, and not to be empty or unset.
fn has_text(condition: &Condition) -> bool {
    matches!(&condition.value, Assumed::Text(text) if !text.is_empty())
}

/// The conditions, and what follows from them. `None` if they contradict each other, so that no node matches them.
fn with_what_follows(
    conditions: &[Condition],
    terms: &mut Terms,
    node: &Node,
) -> Option<Vec<Term>> {
    let mut all = terms.of(conditions);
    let derived: Vec<Condition> = conditions.iter().flat_map(|it| proved_by(it, node)).collect();
    let derived = terms.of(&derived);
    if one_rules_out(&all, &derived) {
        return None;
    }
    all.extend(derived);
    Some(all)
}

/// The answer for the nodes of which all `conditions` are true. The case of the other answer may decide a variable that was read
/// for a string.
fn exact<'a>(
    answer: &'a Answer,
    evaluator: &Evaluator,
    request: &Request,
    conditions: &[Condition],
) -> Cow<'a, Answer> {
    if has_open_text_decided_by(answer, conditions) {
        Cow::Owned(evaluator.call_assuming(request, conditions))
    } else {
        Cow::Borrowed(answer)
    }
}

/// Whether conditions decide a variable that was read for a string of the answer.
fn has_open_text_decided_by(answer: &Answer, conditions: &[Condition]) -> bool {
    let is_decided = |open: &Arc<str>| conditions.iter().any(|it| it.variable == *open);
    answer.read_open.iter().any(is_decided)
}

/// Both lists of conditions. An unset variable is also an empty one, so the stronger condition is kept.
pub(super) fn joined(one: &[Condition], other: &[Condition]) -> Vec<Condition> {
    let mut all = one.to_vec();
    for condition in other {
        match all.iter_mut().find(|it| it.variable == condition.variable) {
            Some(known) if condition.value.implies(&known.value) => {
                known.value = condition.value.clone();
            }
            Some(_) => {}
            None => all.push(condition.clone()),
        }
    }
    all
}

/// The conditions that are not among `others`.
fn without(conditions: &[Condition], others: &[Condition]) -> Vec<Condition> {
    conditions.iter().filter(|it| !others.contains(it)).cloned().collect()
}

/// The lists of conditions without those that another one implies.
fn weakest(lists: Vec<Vec<Condition>>) -> Vec<Vec<Condition>> {
    let mut kept: Vec<Vec<Condition>> = Vec::new();
    for list in lists {
        let implies =
            |one: &[Condition], other: &[Condition]| other.iter().all(|it| one.contains(it));
        if kept.iter().any(|it| implies(&list, it)) {
            continue;
        }
        kept.retain(|it| !implies(it, &list));
        kept.push(list);
    }
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::config::PuppetVersion;
    use crate::data::memory::MemoryFiles;
    use crate::data::{Files, Value};
    use crate::engine::Case;
    use crate::engine::assumptions::Assumed;
    use crate::engine::cases::is_same_outcome;
    use crate::facts::{NamePattern, NamePatterns, NodeParts, Origin};

    const VARIABLES: [&str; 3] = ["a", "b", "c"];

    /// The values of a variable; the last one means that it is not set.
    const VALUES: [Option<&str>; 5] = [Some("x"), Some("y"), Some("z"), Some(""), None];

    /// A list of cases: the number of each condition's value, or none; and the value.
    type Cases = Vec<([Option<usize>; 3], i64)>;

    fn cases() -> impl Strategy<Value = Cases> {
        // No case names `z`, as there are always values that no file is named after.
        let value = prop_oneof![3 => Just(None), 1 => prop::sample::select(vec![0, 1, 3, 4]).prop_map(Some)];
        let conditions = [value.clone(), value.clone(), value];
        prop::collection::vec((conditions, 1..4_i64), 0..6)
    }

    fn condition(variable: usize, value: usize) -> Condition {
        let value = VALUES[value].map_or(Assumed::Unset, |text| Assumed::Text(text.into()));
        Condition { variable: VARIABLES[variable].into(), value }
    }

    fn answer(cases: &Cases, otherwise: i64) -> Answer {
        let of = |value: i64| Answer {
            outcome: Ok(Some(Value::Integer(value).into())),
            ..Answer::nothing()
        };
        let conditions = |case: &[Option<usize>; 3]| {
            let known = case.iter().enumerate();
            known.filter_map(|(variable, value)| Some(condition(variable, (*value)?))).collect()
        };
        let mut all: Vec<Case> = { cases.iter() }
            .map(|(case, value)| Case { conditions: conditions(case), answer: of(*value) })
            .collect();
        if all.is_empty() {
            return of(otherwise);
        }
        all.push(Case { conditions: Vec::new(), answer: of(otherwise) });
        Answer { cases: all, ..of(otherwise) }
    }

    fn evaluator(node: Node) -> Evaluator {
        let files: Arc<dyn Files> = Arc::new(MemoryFiles::new(Vec::<(&str, &str)>::new()));
        Evaluator::new(files, Arc::default(), Arc::new(node), PuppetVersion::V8)
    }

    fn lookups<'a>(evaluator: &'a Evaluator, request: &'a Request) -> Lookups<'a> {
        Lookups { before: evaluator, after: evaluator, request }
    }

    /// Whether all conditions are true for a node with these values.
    fn hold(conditions: &[Condition], node: [usize; 3]) -> bool {
        conditions.iter().all(|it| {
            let variable = VARIABLES.iter().position(|name| **name == *it.variable);
            let value = variable.and_then(|at| VALUES[node[at]]);
            match &it.value {
                Assumed::Unset => value.is_none(),
                Assumed::Text(text) => value.unwrap_or_default() == &**text,
            }
        })
    }

    fn first(answer: &Answer, node: [usize; 3]) -> &Answer {
        let cases = answer.each_case();
        let it = cases.into_iter().find(|(conditions, _)| hold(conditions, node));
        it.map_or(answer, |(_, answer)| answer)
    }

    fn value(answer: &Answer) -> String {
        format!("{:?}", answer.outcome)
    }

    proptest! {
        #[test]
        fn each_node_is_in_the_pairs_with_its_answers(
            before in cases(), after in cases(), last in (1..4_i64, 1..4_i64)
        ) {
            let (before, after) = (answer(&before, last.0), answer(&after, last.1));
            let any = evaluator(Node::partial(NodeParts::default(), &[], Origin::Any));
            let request = Request::key("k");
            let pairs = CasePairs::new(&before, &after, lookups(&any, &request));
            let different = pairs.different(is_same_outcome, is_same_outcome);
            let mut got = std::collections::BTreeSet::new();
            for number in 0..VALUES.len().pow(3) {
                let node = [number % 5, number / 5 % 5, number / 25];
                let expected = (value(first(&before, node)), value(first(&after, node)));
                got.insert(expected.clone());
                let is_in = |it: &&DifferentPair<'_>| {
                    hold(&it.who.conditions, node) && !it.who.unless.iter().any(|it| hold(it, node))
                };
                let found: Vec<&DifferentPair<'_>> = different.iter().filter(is_in).collect();
                prop_assert_eq!(found.is_empty(), expected.0 == expected.1, "{:?}: {:?}", node, found);
                for pair in found {
                    prop_assert_eq!((value(pair.before), value(pair.after)), expected.clone());
                }
            }
            let said = pairs.answers().map(|(one, other)| (value(one), value(other)));
            prop_assert_eq!(said.collect::<std::collections::BTreeSet<_>>(), got);
        }
    }

    #[test]
    fn a_name_decides_what_its_pattern_extracts() {
        let of = |conditions: &[(&str, &str)], value: i64| Case {
            conditions: { conditions.iter() }
                .map(|(variable, text)| Condition {
                    variable: (*variable).into(),
                    value: Assumed::Text((*text).into()),
                })
                .collect(),
            answer: Answer { outcome: Ok(Some(Value::Integer(value).into())), ..Answer::nothing() },
        };
        let answer = |case: Case| Answer { cases: vec![case, of(&[], 0)], ..Answer::nothing() };
        let before = answer(of(&[("trusted.certname", "web1")], 1));
        let range = crate::text::TextRange::new(0, 0);
        let pattern = NamePattern::new("(?<role>[a-z]+)\\d", range).expect("a pattern");
        let any = || Node::partial(NodeParts::default(), &[], Origin::Any);
        let request = Request::key("k");
        for role in ["db", "web"] {
            let after = answer(of(&[("role", role)], 2));
            let count = |node: Node| {
                let evaluator = evaluator(node);
                CasePairs::new(&before, &after, lookups(&evaluator, &request)).answers().count()
            };
            assert_eq!(count(any()), 4, "a node with that name may have any role");
            let patterns = NamePatterns::new(vec![pattern.clone()]);
            assert_eq!(count(any().with_patterns(patterns)), 3, "{role}");
        }
    }
}
