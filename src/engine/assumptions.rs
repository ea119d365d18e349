//! What a lookup assumes about open variables, and the choices that led to these assumptions.
//!
//! A lookup for a node that is not completely known reaches points where an open variable decides: a path could lead to one
//! of several files, or to none. Each such point is a fork. The lookup runs once for every way through the forks. `Script`
//! repeats the previous run up to the last fork that has another way left, without searching for the ways again.

use std::collections::HashMap;
use std::sync::Arc;

use super::sources::dig_value;
use crate::data::inspect;
use crate::facts::variable::{CERTNAME, is_always_set};
use crate::facts::{Node, Reading};
use crate::syntax::key_path;

/// The assumed value of an open variable.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Assumed {
    /// It has this value, compared as text. The empty text also represents a variable that is not set.
    Text(Arc<str>),
    /// It is not set.
    Unset,
}

impl Assumed {
    /// The text of a variable that is empty or not set.
    const EMPTY: &str = "";

    /// Whether a variable without a text has this value: one that is not set, or one that is empty.
    fn is_without_text(&self) -> bool {
        matches!(self, Self::Unset) || self.is_empty_text()
    }

    fn is_empty_text(&self) -> bool {
        matches!(self, Self::Text(text) if **text == *Self::EMPTY)
    }

    /// Whether a variable with this value also has `other`: one that is not set is empty, too.
    pub(super) fn implies(&self, other: &Self) -> bool {
        self == other || *self == Self::Unset && other.is_empty_text()
    }

    /// Whether no variable has both values.
    fn contradicts(&self, other: &Self) -> bool {
        self != other && !(self.is_without_text() && other.is_without_text())
    }
}

/// A variable, by the canonical name for all its spellings, and its assumed value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Condition {
    /// The variable.
    pub variable: Arc<str>,
    /// Its value.
    pub value: Assumed,
}

impl Condition {
    /// The condition that the variable is empty.
    fn with_empty_text(&self) -> Self {
        Self { variable: Arc::clone(&self.variable), value: Assumed::Text(Assumed::EMPTY.into()) }
    }
}

/// Conditions that are true together: one way in which open variables can decide.
pub(crate) type Way = Arc<[Condition]>;

/// The assumptions of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Assumptions {
    held: Vec<Condition>,
    /// What follows from `held`; not reported again.
    derived: Vec<Condition>,
    /// What the run will assume after texts have read the variables. Only texts know it.
    foreseen: Texts,
}

/// Variables with their texts.
pub(crate) type Texts = Vec<(Arc<str>, Arc<str>)>;

impl Assumptions {
    /// The conditions, in the order in which they were assumed.
    pub(crate) fn held(&self) -> &[Condition] {
        &self.held
    }

    /// The assumed text of a variable; `None` for a variable that is assumed to be unset.
    pub(crate) fn text_of(&self, variable: &str) -> Option<&str> {
        Some(match self.of(variable)? {
            Assumed::Text(text) => text,
            Assumed::Unset => "",
        })
    }

    /// What is assumed about a variable.
    pub(crate) fn of(&self, variable: &str) -> Option<&Assumed> {
        let mut all = self.held.iter().chain(&self.derived);
        all.find(|it| &*it.variable == variable).map(|it| &it.value)
    }

    /// Those of the variables that are assumed to have a text. What is empty may also not be set, so it has none.
    pub(crate) fn texts_of<'v>(&self, variables: impl Iterator<Item = &'v Arc<str>>) -> Texts {
        let with_text = variables.filter_map(|variable| match self.of(variable)? {
            Assumed::Text(text) if !text.is_empty() => {
                Some((Arc::clone(variable), Arc::clone(text)))
            }
            Assumed::Text(_) | Assumed::Unset => None,
        });
        with_text.collect()
    }

    /// Tells texts what the run will assume.
    pub(crate) fn foresee(&mut self, texts: Texts) {
        self.foreseen = texts;
    }

    /// The text that the run will assume for a variable.
    pub(crate) fn foreseen_text_of(&self, variable: &str) -> Option<&Arc<str>> {
        self.foreseen.iter().find(|(name, _)| **name == *variable).map(|(_, text)| text)
    }

    /// Whether a variable is not set. `None` if that is not decided: an empty variable may be one that is not set.
    pub(crate) fn is_unset(&self, variable: &str) -> Option<bool> {
        match self.held.iter().find(|it| &*it.variable == variable) {
            Some(held) if held.value.is_empty_text() => None,
            Some(held) => Some(held.value == Assumed::Unset),
            None => self.of(variable).map(|_| false),
        }
    }

    /// Whether all of `conditions` are compatible with the assumptions.
    pub(crate) fn allow(&self, conditions: &[Condition], node: &Node) -> bool {
        let contradicts = |it: &Condition| {
            self.of(&it.variable).is_some_and(|known| known.contradicts(&it.value))
        };
        let is_impossible =
            |it: &Condition| it.value.is_without_text() && is_always_set(&it.variable);
        if conditions.iter().any(|it| contradicts(it) || is_of_other(it, node) || is_impossible(it))
        {
            return false;
        }
        // A certname decides other variables as well if the settings have a name pattern. These must not contradict the conditions.
        conditions.iter().flat_map(|it| proved_by(it, node)).all(|proved| {
            let assumed = conditions.iter().find(|it| it.variable == proved.variable);
            let assumed = assumed.map(|it| &it.value).or_else(|| self.of(&proved.variable));
            assumed.is_none_or(|it| *it == proved.value)
                && !is_of_other(&proved, node)
                && node_allows(node, &proved)
        })
    }

    /// Assumes what follows if no other way is left. No case names it.
    pub(super) fn conclude(&mut self, conditions: &[Condition], node: &Node) {
        let held = self.held.len();
        self.assume(conditions, node);
        self.derived.extend(self.held.drain(held..));
    }

    pub(super) fn assume(&mut self, conditions: &[Condition], node: &Node) {
        for condition in conditions {
            let held = self.held.iter_mut().find(|it| it.variable == condition.variable);
            if let Some(held) = held.filter(|it| condition.value.implies(&it.value)) {
                // What is empty may turn out to be not set at all.
                held.value = condition.value.clone();
            } else if self.of(&condition.variable).is_none() {
                // A way may repeat what an earlier fork has decided. Such a condition must not be listed twice in a case.
                self.held.push(condition.clone());
                let proved = proved_by(condition, node);
                self.derived.extend(proved.into_iter().filter(|it| !conditions.contains(it)));
            }
        }
    }
}

/// The ways that are known to be the only ones of a node, without what is known of it.
pub(super) fn only_ways(node: &Node) -> Vec<Way> {
    let condition = |(variable, text): &(Arc<str>, Arc<str>)| Condition {
        variable: Arc::clone(variable),
        value: Assumed::Text(Arc::clone(text)),
    };
    let ways = node.ways().iter().map(|way| way.iter().map(condition).collect::<Vec<_>>());
    ways.filter_map(|way| undecided(&way, node)).map(Way::from).collect()
}

/// Those of `conditions` that decide something that is not known of a node; `None` if it is known that they are not all true.
pub fn undecided(conditions: &[Condition], node: &Node) -> Option<Vec<Condition>> {
    let is_open = |it: &&Condition| {
        let path = key_path::parse(&it.variable);
        path.is_ok_and(|path| matches!(node.read(&path), Reading::Open(_)))
    };
    let is_possible = conditions.iter().all(|it| node_allows(node, it))
        && Assumptions::default().allow(conditions, node);
    is_possible.then(|| conditions.iter().filter(is_open).cloned().collect())
}

/// What a certname proves, if the settings describe how names of nodes are built.
pub(super) fn proved_by(condition: &Condition, node: &Node) -> Vec<Condition> {
    let proved = certname_in(condition).map(|name| node.patterns().proved_by(name));
    let proved = proved.into_iter().flatten();
    proved.map(|(variable, text)| Condition { variable, value: Assumed::Text(text) }).collect()
}

/// The certname that a condition requires.
fn certname_in(condition: &Condition) -> Option<&str> {
    match &condition.value {
        Assumed::Text(name) if *condition.variable == *CERTNAME => Some(name),
        _ => None,
    }
}

/// Whether a condition requires the name of a node that this one is known not to be.
fn is_of_other(condition: &Condition, node: &Node) -> bool {
    let Assumed::Text(name) = &condition.value else { return false };
    node.names_of_others(&condition.variable).is_some_and(|names| names.contains(name))
}

/// Whether a condition is compatible with what is known of the node.
fn node_allows(node: &Node, condition: &Condition) -> bool {
    let Ok(path) = key_path::parse(&condition.variable) else { return true };
    match (node.read(&path), &condition.value) {
        (Reading::Known(value, rest), assumed) => match (dig_value(&value, &rest), assumed) {
            (Some(value), Assumed::Text(text)) => inspect::to_s(&value.value) == **text,
            (None, Assumed::Text(text)) => text.is_empty(),
            (value, Assumed::Unset) => value.is_none(),
        },
        (Reading::Unset, Assumed::Text(text)) => text.is_empty(),
        (Reading::Unset, Assumed::Unset) | (Reading::Open(_), _) => true,
    }
}

/// A point of a lookup at which open variables decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fork {
    /// Mutually exclusive ways; it is also possible that none of them is taken.
    Ways(Arc<[Way]>),
    /// So many files may matter that they are only counted.
    Counted(usize),
}

/// The choice of a run at a fork.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// One of the ways. Its conditions are assumed from now on.
    Taken,
    /// None of the ways.
    Otherwise,
    /// This many files may matter.
    Counted(usize),
}

/// A fork and the number of the way that is taken there; the number after the last way means that none of them is taken.
pub(crate) type Choice = (Fork, usize);

/// The choices of a run at its forks.
#[derive(Debug, Default)]
pub(crate) struct Script {
    forks: Vec<Choice>,
    at: usize,
    is_otherwise: bool,
    /// What is excluded by those of the first `counted` forks at which none of the ways is taken.
    excluded: Excluded,
    counted: usize,
    /// The choices of a run that is done again, whose forks are found anew.
    retraced: Option<Vec<Choice>>,
}

impl Script {
    /// A script for a single run that takes none of the ways.
    pub(crate) fn otherwise() -> Self {
        Self { is_otherwise: true, ..Self::default() }
    }

    /// Whether it is for a single run that takes none of the ways.
    pub(crate) fn is_otherwise(&self) -> bool {
        self.is_otherwise
    }

    /// A script that starts with these choices.
    pub(crate) fn starting_with(choices: &[Choice]) -> Self {
        Self { forks: choices.to_vec(), ..Self::default() }
    }

    /// A script that finds the forks of this one anew, and makes the same choices there.
    pub(crate) fn to_retrace(&self) -> Self {
        Self { retraced: Some(self.forks.clone()), ..Self::default() }
    }

    /// Whether the run came to the forks that it was to retrace, and to no others.
    pub(crate) fn is_retraced(&self) -> bool {
        self.retraced.as_ref() == Some(&self.forks)
    }

    /// The choices so far.
    pub(crate) fn choices(&self) -> &[Choice] {
        &self.forks
    }

    /// The script after a run that had these choices. The first of them are those that it has already.
    pub(crate) fn continued(mut self, choices: &[Choice]) -> Self {
        self.forks.extend_from_slice(&choices[self.forks.len()..]);
        self
    }

    /// Prepares for a run. Scripts that only continue with known choices do without.
    pub(crate) fn ready_to_run(mut self) -> Self {
        self.count_excluded();
        self
    }

    /// Whether the next fork is one of the previous run, so that its ways are known.
    pub(crate) fn is_repeating(&self) -> bool {
        self.at < self.forks.len()
    }

    /// The number of forks at which the run has made its choice so far.
    pub(crate) fn passed(&self) -> usize {
        self.at
    }

    /// Repeats the choices of the previous run until `passed` forks are passed.
    pub(crate) fn repeat_until(
        &mut self,
        passed: usize,
        assumptions: &mut Assumptions,
        node: &Node,
    ) {
        while self.at < passed {
            self.turn(assumptions, node);
        }
    }

    /// What the assumptions and the ways that are excluded allow.
    pub(crate) fn limits<'a>(&'a self, assumptions: &'a Assumptions, node: &'a Node) -> Limits<'a> {
        let near = self.excluded.ways_that_end_with(assumptions);
        Limits { assumptions, node, excluded: Some((&self.excluded, near)) }
    }

    /// Whether an excluded way has a condition about some of `variables`, or whether nothing is allowed.
    pub(crate) fn excludes_by(&self, variables: &[Arc<str>]) -> bool {
        self.excluded.unconditional > 0
            || variables.iter().any(|it| self.excluded.mentions.contains_key(it))
    }

    /// Adds a fork that no earlier run reached.
    pub(crate) fn add(&mut self, fork: Fork) {
        let retraced = self.retraced.as_ref().and_then(|it| it.get(self.forks.len()));
        let taken = match (&fork, retraced) {
            (_, Some((same, taken))) if *same == fork => *taken,
            (Fork::Ways(ways), _) if self.is_otherwise => ways.len(),
            (Fork::Ways(_) | Fork::Counted(_), _) => 0,
        };
        self.forks.push((fork, taken));
        self.count_excluded();
    }

    /// Makes the choice at the next fork.
    pub(crate) fn turn(&mut self, assumptions: &mut Assumptions, node: &Node) -> Turn {
        let (fork, taken) = &self.forks[self.at];
        self.at += 1;
        match fork {
            Fork::Counted(count) => Turn::Counted(*count),
            Fork::Ways(ways) => match ways.get(*taken) {
                Some(way) => {
                    assumptions.assume(way, node);
                    Turn::Taken
                }
                None => Turn::Otherwise,
            },
        }
    }

    /// Whether there will be more than `most` runs if it goes on as in the first `runs`: if all ways of a fork have the same
    /// number of runs.
    pub(crate) fn will_exceed(&self, most: usize, runs: usize) -> bool {
        // Shares of all runs, in units that are small enough for many forks.
        const WHOLE: usize = 1 << 40;
        let (mut done, mut share) = (0, WHOLE);
        for (fork, taken) in &self.forks {
            if let Fork::Ways(ways) = fork {
                share /= ways.len() + 1;
                done += taken * share;
            }
        }
        runs.saturating_mul(WHOLE) > done.saturating_mul(most)
    }

    /// Prepares the next run; `false` if there is none.
    pub(crate) fn advance(&mut self) -> bool {
        self.at = 0;
        while let Some((fork, mut taken)) = self.forks.pop() {
            let is_counted = self.counted > self.forks.len();
            self.counted = self.counted.min(self.forks.len());
            // A counted fork has only one choice, so the runs go back to the fork before it.
            let Fork::Ways(ways) = &fork else { continue };
            if taken < ways.len() {
                taken += 1;
                self.forks.push((fork, taken));
                return true;
            }
            // Earlier forks take another way now, after which this fork may not exist or may have other ways.
            if is_counted {
                self.excluded.take_back(ways);
            }
        }
        false
    }

    /// If a fork takes none of its ways, they stay excluded until the runs return to this fork.
    fn count_excluded(&mut self) {
        for (fork, taken) in &self.forks[self.counted..] {
            if let Fork::Ways(ways) = fork
                && *taken == ways.len()
            {
                self.excluded.add(ways);
            }
        }
        self.counted = self.forks.len();
    }
}

/// What a run allows at one point. A path can have thousands of ways, so everything that is the same for all of them is found once.
pub(crate) struct Limits<'a> {
    assumptions: &'a Assumptions,
    node: &'a Node,
    /// The excluded ways, and those of them whose last condition is assumed.
    excluded: Option<(&'a Excluded, Vec<&'a Way>)>,
}

impl<'a> Limits<'a> {
    /// What the assumptions allow.
    pub(crate) fn of(assumptions: &'a Assumptions, node: &'a Node) -> Self {
        Self { assumptions, node, excluded: None }
    }

    /// Whether all of `conditions` are compatible with the assumptions and with the ways that are excluded.
    pub(crate) fn allow(&self, conditions: &[Condition]) -> bool {
        let is_excluded = self
            .excluded
            .as_ref()
            .is_some_and(|(excluded, near)| excluded.hold_with(conditions, self.assumptions, near));
        !is_excluded && self.assumptions.allow(conditions, self.node)
    }
}

/// Sets of conditions that are not all true together.
#[derive(Debug, Default)]
struct Excluded {
    /// Keyed by the last condition, because each fork can exclude hundreds of files.
    ways: HashMap<Condition, Vec<Way>, foldhash::fast::RandomState>,
    /// The number of ways without conditions. If there is one, nothing is allowed.
    unconditional: usize,
    /// How many conditions concern each variable.
    mentions: HashMap<Arc<str>, usize, foldhash::fast::RandomState>,
}

impl Excluded {
    /// The ways whose last condition is assumed.
    fn ways_that_end_with(&self, assumptions: &Assumptions) -> Vec<&Way> {
        let assumed = assumptions.held.iter().chain(&assumptions.derived);
        assumed.flat_map(|last| self.ways_under(last)).collect()
    }

    /// The ways whose last condition is true if `last` is.
    fn ways_under(&self, last: &Condition) -> impl Iterator<Item = &Way> {
        let is_unset = last.value == Assumed::Unset;
        let empty = is_unset.then(|| self.ways.get(&last.with_empty_text())).flatten();
        self.ways.get(last).into_iter().chain(empty).flatten()
    }

    /// Whether some excluded set of conditions would be true if `conditions` were. `near` are those of
    /// [`Self::ways_that_end_with`] the assumptions.
    fn hold_with(
        &self,
        conditions: &[Condition],
        assumptions: &Assumptions,
        near: &[&Way],
    ) -> bool {
        let holds = |wanted: &Condition| {
            let is_it =
                |it: &Condition| it.variable == wanted.variable && it.value.implies(&wanted.value);
            let assumed = assumptions.of(&wanted.variable);
            conditions.iter().any(is_it) || assumed.is_some_and(|it| it.implies(&wanted.value))
        };
        let all_hold = |way: &Way| way.iter().all(holds);
        // A way that holds is listed under its last condition, so only the ways of conditions that hold are compared.
        self.unconditional > 0
            || near.iter().any(|way| all_hold(way))
            || conditions.iter().any(|last| self.ways_under(last).any(all_hold))
    }

    fn add(&mut self, ways: &[Way]) {
        for way in ways {
            for condition in way.iter() {
                *self.mentions.entry(Arc::clone(&condition.variable)).or_default() += 1;
            }
            match way.last() {
                Some(last) => self.ways.entry(last.clone()).or_default().push(Arc::clone(way)),
                None => self.unconditional += 1,
            }
        }
    }

    /// Undoes the last [`Self::add`] of these ways.
    fn take_back(&mut self, ways: &[Way]) {
        for way in ways {
            for condition in way.iter() {
                if let Some(count) = self.mentions.get_mut(&condition.variable) {
                    *count -= 1;
                    if *count == 0 {
                        self.mentions.remove(&condition.variable);
                    }
                }
            }
            match way.last() {
                Some(last) => {
                    // Forks end in the reverse order of their start, so the last entries are those of this fork.
                    self.ways.get_mut(last).and_then(Vec::pop);
                }
                None => self.unconditional -= 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{NamePattern, NamePatterns, NamesByVariable, NodeParts, Origin};
    use crate::text::TextRange;

    fn is(variable: &str, text: &str) -> Condition {
        Condition { variable: variable.into(), value: Assumed::Text(text.into()) }
    }

    fn any_node() -> Node {
        Node::partial(NodeParts::default(), &[], Origin::Any)
    }

    fn turn(script: &mut Script, assumptions: &mut Assumptions, fork: Fork) -> Turn {
        if !script.is_repeating() {
            script.add(fork);
        }
        script.turn(assumptions, &any_node())
    }

    fn ways(all: &[&[Condition]]) -> Fork {
        Fork::Ways(all.iter().map(|way| Way::from(*way)).collect())
    }

    #[test]
    fn every_way_is_gone_once() {
        let mut script = Script::default();
        let mut runs = Vec::new();
        loop {
            let mut assumptions = Assumptions::default();
            turn(&mut script, &mut assumptions, Fork::Counted(3));
            turn(&mut script, &mut assumptions, ways(&[]));
            turn(&mut script, &mut assumptions, ways(&[&[is("a", "1")], &[is("a", "2")]]));
            if assumptions.text_of("a") != Some("2") {
                turn(&mut script, &mut assumptions, ways(&[&[is("b", "3")]]));
            }
            let said =
                assumptions.held().iter().map(|it| format!("{} {:?}", it.variable, it.value));
            runs.push(said.collect::<Vec<_>>().join(", "));
            if !script.advance() {
                break;
            }
        }
        let (one, two, three) = ("a Text(\"1\")", "a Text(\"2\")", "b Text(\"3\")");
        let both = format!("{one}, {three}");
        assert_eq!(runs, [&*both, one, two, three, ""]);
    }

    #[test]
    fn the_first_runs_tell_how_many_there_will_be() {
        let (a, b) = (is("a", "1"), is("b", "1"));
        let mut script = Script::default();
        for run in 1..=4 {
            let mut assumptions = Assumptions::default();
            turn(&mut script, &mut assumptions, ways(&[std::slice::from_ref(&a)]));
            turn(&mut script, &mut assumptions, ways(&[std::slice::from_ref(&b)]));
            if script.advance() {
                assert!(script.will_exceed(3, run) && !script.will_exceed(4, run), "{run}");
            }
        }
    }

    #[test]
    fn what_was_excluded_is_not_allowed_until_the_runs_come_back() {
        let node = any_node();
        let mut script = Script::otherwise();
        let mut assumptions = Assumptions::default();
        let (a, b) = (is("a", "1"), is("b", "2"));
        turn(&mut script, &mut assumptions, ways(&[&[a.clone(), b.clone()]]));
        let allows = |script: &Script, assumptions: &Assumptions, conditions: &[Condition]| {
            script.limits(assumptions, &node).allow(conditions)
        };
        assert!(allows(&script, &assumptions, std::slice::from_ref(&a)));
        assert!(!allows(&script, &assumptions, &[a.clone(), b.clone()]));
        let mut last_assumed = Assumptions::default();
        last_assumed.assume(std::slice::from_ref(&b), &node);
        assert!(!allows(&script, &last_assumed, std::slice::from_ref(&a)));
        assumptions.assume(std::slice::from_ref(&a), &node);
        assert!(!allows(&script, &assumptions, std::slice::from_ref(&b)));
        assert!(!allows(&script, &assumptions, &[is("a", "2")]));
        assert!(
            script.excludes_by(&["x".into(), "b".into()]) && !script.excludes_by(&["x".into()])
        );
        assert!(!script.advance());
        assert!(!script.excludes_by(&["a".into(), "b".into()]));
        assert!(allows(&script, &assumptions, &[b]));
    }

    #[test]
    fn a_run_is_retraced_if_it_comes_to_the_same_forks() {
        let mut script = Script::default();
        let fork = || ways(&[&[is("a", "1")], &[is("a", "2")]]);
        turn(&mut script, &mut Assumptions::default(), fork());
        assert!(script.advance());
        let retraced = |found: &[Fork]| {
            let (mut again, mut assumptions) = (script.to_retrace(), Assumptions::default());
            for fork in found {
                turn(&mut again, &mut assumptions, fork.clone());
            }
            (again.is_retraced(), assumptions.text_of("a").map(str::to_owned))
        };
        let second = Some("2".to_owned());
        assert_eq!(retraced(&[fork()]), (true, second.clone()));
        assert_eq!(retraced(&[]), (false, None));
        assert_eq!(retraced(&[fork(), ways(&[&[is("b", "1")]])]), (false, second));
        assert!(!retraced(&[ways(&[&[is("a", "1")]])]).0);
    }

    #[test]
    fn a_certname_does_not_prove_the_name_of_another_node() {
        let pattern = NamePattern::new("(?<host>[a-z]+)[.].*", TextRange::empty(0));
        let patterns = NamePatterns::new(vec![pattern.expect("a pattern")]);
        let names =
            NamesByVariable::from_iter([("host".into(), ["web".into()].into_iter().collect())]);
        let node = any_node().with_patterns(patterns).other_than(Arc::new(names));
        let allows = |condition| Assumptions::default().allow(&[condition], &node);
        assert!(!allows(is("host", "web")) && !allows(is("trusted.certname", "web.ex.org")));
        assert!(allows(is("host", "db")) && allows(is("trusted.certname", "db.ex.org")));
    }

    #[test]
    fn a_variable_that_is_not_set_is_empty() {
        let node = any_node();
        let unset = Condition { variable: "a".into(), value: Assumed::Unset };
        let mut script = Script::otherwise();
        let mut assumptions = Assumptions::default();
        turn(&mut script, &mut assumptions, ways(&[&[is("a", "")]]));
        assert!(!script.limits(&assumptions, &node).allow(std::slice::from_ref(&unset)));
        let mut assumptions = Assumptions::default();
        assumptions.assume(&[is("a", "")], &node);
        assert_eq!(assumptions.is_unset("a"), None);
        assert!(assumptions.allow(std::slice::from_ref(&unset), &node));
        assumptions.assume(std::slice::from_ref(&unset), &node);
        assert_eq!((assumptions.held(), assumptions.is_unset("a")), (&[unset][..], Some(true)));
        assert!(assumptions.allow(&[is("a", "")], &node));
        assert!(!assumptions.allow(&[is("a", "1")], &node));
    }
}
