//! What a lookup assumes of variables that are open, and the choices that led to it.
//!
//! A lookup for a node that is not known completely comes to points where an open variable decides: a path could lead to
//! one of several files, or to none. Each such point is a choice. A lookup is run once for every way to choose; `Script`
//! repeats the choices of the run before up to the last one that has another way left.

use std::sync::Arc;

use crate::data::inspect;
use crate::facts::{Node, Reading};
use crate::syntax::key_path;

/// What an open variable is assumed to be.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Assumed {
    /// It has this value, compared as text. The empty text stands for a variable that is not set, too.
    Text(Arc<str>),
    /// It is not set.
    Unset,
}

/// A variable, by the name that stands for all its spellings, and what is assumed of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Condition {
    /// The variable.
    pub variable: Arc<str>,
    /// Its value.
    pub value: Assumed,
}

/// What a run assumes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Assumptions {
    held: Vec<Condition>,
    /// What follows from `held`, and is not said again.
    derived: Vec<Condition>,
    /// Conditions that do not hold all at once.
    excluded: Vec<Vec<Condition>>,
}

impl Assumptions {
    /// What holds, in the order in which it was assumed.
    pub(crate) fn held(&self) -> &[Condition] {
        &self.held
    }

    /// The text that a variable is assumed to have; one that is not set has none.
    pub(crate) fn text_of(&self, variable: &str) -> Option<&str> {
        Some(match self.of(variable)? {
            Assumed::Text(text) => text,
            Assumed::Unset => "",
        })
    }

    /// What is assumed of a variable.
    pub(crate) fn of(&self, variable: &str) -> Option<&Assumed> {
        let mut all = self.held.iter().chain(&self.derived);
        all.find(|it| &*it.variable == variable).map(|it| &it.value)
    }

    /// Whether all of `conditions` can hold beside what is assumed.
    pub(crate) fn allow(&self, conditions: &[Condition], node: &Node) -> bool {
        if conditions.iter().any(|it| self.of(&it.variable).is_some_and(|known| *known != it.value))
        {
            return false;
        }
        let holds = |wanted: &Condition| {
            conditions.contains(wanted) || self.of(&wanted.variable) == Some(&wanted.value)
        };
        if self.excluded.iter().any(|them| them.iter().all(holds)) {
            return false;
        }
        conditions.iter().flat_map(|it| proved_by(it, node)).all(|proved| {
            let assumed = conditions.iter().find(|it| it.variable == proved.variable);
            let assumed = assumed.map(|it| &it.value).or_else(|| self.of(&proved.variable));
            assumed.is_none_or(|it| *it == proved.value) && node_allows(node, &proved)
        })
    }

    fn assume(&mut self, conditions: &[Condition], node: &Node) {
        for condition in conditions {
            if self.of(&condition.variable).is_none() {
                self.held.push(condition.clone());
                let proved = proved_by(condition, node);
                self.derived.extend(proved.into_iter().filter(|it| !conditions.contains(it)));
            }
        }
    }

    fn exclude(&mut self, conditions: &[Condition]) {
        self.excluded.push(conditions.to_vec());
    }
}

/// What a certname proves, if the settings say how names of nodes are made.
fn proved_by(condition: &Condition, node: &Node) -> Vec<Condition> {
    match (&*condition.variable, &condition.value) {
        ("trusted.certname", Assumed::Text(name)) => node
            .patterns()
            .proved_by(name)
            .into_iter()
            .map(|(variable, text)| Condition { variable, value: Assumed::Text(text) })
            .collect(),
        _ => Vec::new(),
    }
}

/// Whether what is known of the node does not contradict a condition.
fn node_allows(node: &Node, condition: &Condition) -> bool {
    let Ok(path) = key_path::parse(&condition.variable) else { return true };
    match (node.read(&path), &condition.value) {
        (Reading::Known(value, rest), Assumed::Text(text)) => {
            rest.is_empty() && inspect::to_s(&value.value) == **text
        }
        (Reading::Unset, Assumed::Text(text)) => text.is_empty(),
        (Reading::Known(..), Assumed::Unset) => false,
        (Reading::Unset, Assumed::Unset) | (Reading::Open(_), _) => true,
    }
}

/// Which way each choice of a run goes.
#[derive(Debug, Default)]
pub(crate) struct Script {
    choices: Vec<Choice>,
    at: usize,
    is_otherwise: bool,
}

#[derive(Debug, Clone, Copy)]
struct Choice {
    taken: usize,
    ways: usize,
}

impl Script {
    /// A script of one run, in which no candidate is ever taken.
    pub(crate) fn otherwise() -> Self {
        Self { is_otherwise: true, ..Self::default() }
    }
    /// Chooses among `candidates`, each a set of conditions of which no two can hold at once, and "none of them": `None`.
    pub(crate) fn choose(
        &mut self,
        assumptions: &mut Assumptions,
        node: &Node,
        candidates: &[Vec<Condition>],
    ) -> Option<usize> {
        if self.at == self.choices.len() {
            let taken = if self.is_otherwise { candidates.len() } else { 0 };
            self.choices.push(Choice { taken, ways: candidates.len() + 1 });
        }
        let choice = self.choices[self.at];
        self.at += 1;
        if let Some(conditions) = candidates.get(choice.taken) {
            assumptions.assume(conditions, node);
            Some(choice.taken)
        } else {
            for conditions in candidates {
                assumptions.exclude(conditions);
            }
            None
        }
    }

    /// Makes ready for the next run; `false` if there is none.
    pub(crate) fn advance(&mut self) -> bool {
        self.at = 0;
        while let Some(last) = self.choices.last_mut() {
            last.taken += 1;
            if last.taken < last.ways {
                return true;
            }
            self.choices.pop();
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{NodeParts, Origin};

    fn is(variable: &str, text: &str) -> Condition {
        Condition { variable: variable.into(), value: Assumed::Text(text.into()) }
    }

    fn any_node() -> Node {
        Node::partial(NodeParts::default(), &[], Origin::Any)
    }

    #[test]
    fn every_way_to_choose_is_run_once() {
        let node = any_node();
        let mut script = Script::default();
        let mut runs = Vec::new();
        loop {
            let mut assumptions = Assumptions::default();
            let first =
                script.choose(&mut assumptions, &node, &[vec![is("a", "1")], vec![is("a", "2")]]);
            let second = if first == Some(1) {
                None
            } else {
                script.choose(&mut assumptions, &node, &[vec![is("b", "3")]])
            };
            runs.push((first, second));
            if !script.advance() {
                break;
            }
        }
        let expected =
            [(Some(0), Some(0)), (Some(0), None), (Some(1), None), (None, Some(0)), (None, None)];
        assert_eq!(runs, expected);
    }

    #[test]
    fn what_was_excluded_is_not_allowed_again() {
        let node = any_node();
        let mut assumptions = Assumptions::default();
        assumptions.exclude(&[is("a", "1"), is("b", "2")]);
        assert!(assumptions.allow(&[is("a", "1")], &node));
        assert!(!assumptions.allow(&[is("a", "1"), is("b", "2")], &node));
        assumptions.assume(&[is("a", "1")], &node);
        assert!(!assumptions.allow(&[is("b", "2")], &node));
        assert!(!assumptions.allow(&[is("a", "2")], &node));
    }
}
