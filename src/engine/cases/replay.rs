//! A round that is known of another node, done again for a node that differs in a few of its runs. If these go the same ways
//! and their answers differ from each other as before, the same cases are needed. So nothing is done for all other runs.

use std::borrow::Cow;

use super::recording::{Course, Precedent, Round, Run};
use super::{Case, Explorer, Outcome, Ran, Spot, Ways, add_ways, is_same};
use crate::engine::Answer;
use crate::engine::assumptions::Script;

impl<'e> Explorer<'e> {
    /// The outcome of a round, if it is like one that is known. The last round begins again if it is not.
    pub(super) fn replay(&mut self, course: Course, summed_up: &[Spot]) -> Option<Outcome> {
        let is_complete = |round: &Round| round.outcome.is_some() && !round.runs.is_empty();
        let (_, precedent, round) = self.known_rounds().find(|(.., round)| is_complete(round))?;
        let replayed = self.cases_like(precedent, round, summed_up);
        let outcome = replayed.filter(|cases| cases.are_of_kinds_like_those_of(round));
        if let Some(cases) = outcome.as_ref().filter(|_| self.request.leaves_names_open) {
            for (one, other) in cases.new_pairs(&firsts_of_kinds(round)) {
                self.compare_names(one, other);
            }
        }
        if outcome.is_none() {
            if let Some(unedited) = &mut self.unedited {
                unedited.forget_round();
            }
            self.begin_round(course, summed_up);
        }
        Some(match (outcome?, round.outcome.as_ref()?) {
            (cases, Ok(_)) => Ok(round.needed.among(&cases.all)),
            (_, Err(too_many)) => Err(too_many.clone()),
        })
    }

    /// A case for each run of a round; `None` if a run goes other ways for this node.
    fn cases_like(
        &mut self,
        precedent: Precedent<'e>,
        round: &'e Round,
        summed_up: &[Spot],
    ) -> Option<Replayed<'e>> {
        let mut replayed = Replayed { all: Vec::new(), is_new: Vec::new() };
        for run in &round.runs {
            let is_new = !precedent.is_the_same(run);
            let case = if is_new {
                let mut ways = Ways::new();
                let ran = self.run(Script::starting_with(run.start()), summed_up, &mut ways);
                if self.request.cancel.is_cancelled() || !is_like(run, &ran, &ways) {
                    return None;
                }
                if let Some(unedited) = self.unedited.as_mut().filter(|_| ran.is_unedited) {
                    unedited.note_kind(run.kind);
                }
                ran.case
            } else {
                self.shared_forks = self.shared_forks.min(run.repeated.saturating_sub(1));
                self.are_all_unedited = false;
                self.reads_edited |= run.reads_edited;
                Cow::Borrowed(&run.case)
            };
            replayed.all.push(case);
            replayed.is_new.push(is_new);
        }
        Some(replayed)
    }
}

/// Whether a run came to the same forks as a known one, under the same conditions.
fn is_like(known: &Run, ran: &Ran<'_>, ways: &Ways) -> bool {
    let mut known_ways = Ways::new();
    add_ways(&mut known_ways, known.ways.iter().cloned());
    *ran.script.choices() == *known.choices
        && ran.case.conditions == known.case.conditions
        && *ways == known_ways
}

/// The cases of a round.
struct Replayed<'e> {
    all: Vec<Cow<'e, Case>>,
    /// Whether each is new.
    is_new: Vec<bool>,
}

impl Replayed<'_> {
    /// Whether two of them have the same answer if and only if the two cases of the known round have.
    fn are_of_kinds_like_those_of(&self, round: &Round) -> bool {
        let firsts = firsts_of_kinds(round);
        let is_like_first = |(number, run): (usize, &Run)| {
            let first = firsts[run.kind];
            let may_differ = self.is_new[number] || self.is_new[first];
            !may_differ || is_same(&self.all[first].answer, &self.all[number].answer)
        };
        round.runs.iter().enumerate().all(is_like_first)
            && self.new_pairs(&firsts).all(|(one, other)| !is_same(one, other))
    }

    /// The answers of each two of these cases, if one of them is new.
    fn new_pairs<'r>(
        &'r self,
        cases: &'r [usize],
    ) -> impl Iterator<Item = (&'r Answer, &'r Answer)> {
        let pairs = cases.iter().enumerate();
        let pairs = pairs.flat_map(|(at, one)| cases[..at].iter().map(move |other| (*one, *other)));
        let is_new = |(one, other): &(usize, usize)| self.is_new[*one] || self.is_new[*other];
        pairs.filter(is_new).map(|(one, other)| (&self.all[one].answer, &self.all[other].answer))
    }
}

/// The first case of each kind.
fn firsts_of_kinds(round: &Round) -> Vec<usize> {
    let mut firsts: Vec<usize> = Vec::new();
    for (number, run) in round.runs.iter().enumerate() {
        if run.kind == firsts.len() {
            firsts.push(number);
        }
    }
    firsts
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::config::{Environment, PuppetVersion};
    use crate::data::{Files, MemoryFiles, Value, inspect};
    use crate::engine::cases::in_words;
    use crate::engine::cases::recording::{Known, Precedent};
    use crate::engine::footprint::Dependency;
    use crate::engine::{Answer, Evaluator, Request};
    use crate::facts::{Basis, Node, NodeParts, Origin};

    const HIERA_YAML: &str = "
version: 5
hierarchy:
  - name: nodes
    path: 'nodes/%{trusted.certname}-%{tier}.yaml'
  - name: roles
    path: '%{role}.yaml'
  - name: common
    path: c.yaml
";

    const FILES: [(&str, &str); 6] = [
        ("/e/hiera.yaml", HIERA_YAML),
        ("/e/data/nodes/two.org-gold.yaml", "of_two: gold\n"),
        ("/e/data/nodes/two.org-tin.yaml", "of_two: tin\n"),
        ("/e/data/web.yaml", "a: x.org\nb: '%{trusted.certname} %{role} %{tier}'\n"),
        ("/e/data/db.yaml", "a: '%{trusted.certname}'\nb: db\n"),
        (
            "/e/data/c.yaml",
            "a: c\nb: '%{lookup(\"a\")} %{site}'\nof_two: c\nd: '%{lookup(\"of_two\")}'\n",
        ),
    ];

    fn evaluator(certname: &str) -> Evaluator {
        let parts = NodeParts { name: certname.into(), ..NodeParts::default() };
        let proved = [("trusted.certname".into(), Value::string(certname), Basis::Proved)];
        let node = Node::partial(parts, &proved, Origin::Name);
        let environment = Environment { root: Some("/e".into()), ..Environment::default() };
        let files = Arc::new(MemoryFiles::new(FILES)) as Arc<dyn Files>;
        Evaluator::new(files, Arc::new(environment), Arc::new(node), PuppetVersion::V8)
    }

    fn told(answer: &Answer) -> Vec<String> {
        let case = |(conditions, it): &(&[_], &Answer)| {
            let value = it.outcome.as_ref().expect("no error").as_ref();
            let value = value.map(|it| inspect::inspect(&it.value));
            format!("{}: {value:?} {:?}", in_words(conditions), it.read_open)
        };
        answer.each_case().iter().map(case).collect()
    }

    /// Whether the answer for one node is made from that for another, and is the same as if it were not.
    #[track_caller]
    fn check(key: &str, one: &str, other: &str) {
        let request = Request::key(key);
        let recorded = Request { wants_footprint: true, ..request.clone() };
        let (_, recording) = evaluator(one).call_and_record(&recorded, None);
        let is_changed = |it: &Dependency| match it {
            Dependency::Variable(name) => name.contains("certname"),
            Dependency::Key(root) => &**root == "of_two",
            Dependency::Name(_) | Dependency::Node => true,
        };
        let is_changed: Vec<bool> = recording.dependencies().iter().map(is_changed).collect();
        assert!(is_changed.contains(&true), "{key} depends on the name of the node");
        let of_other_node = Some(Precedent { recording: &recording, is_changed: &is_changed });
        let other = evaluator(other);
        let (found, _) = other.call_knowing(&request, Known { of_other_node, edited: None });
        assert_eq!(told(&found), told(&other.call(&request)), "{key}");
    }

    #[test]
    fn another_node_has_the_same_cases_with_its_own_texts() {
        check("a", "one.org", "two.org");
        check("b", "one.org", "two.org");
    }

    #[test]
    fn a_node_whose_runs_come_to_other_forks_has_other_cases() {
        check("d", "one.org", "two.org");
        check("d", "two.org", "one.org");
    }

    #[test]
    fn cases_that_become_equal_or_different_are_compared_again() {
        for key in ["a", "b"] {
            check(key, "one.org", "x.org");
            check(key, "x.org", "one.org");
            check(key, "one.org", "c");
            check(key, "c", "x.org");
        }
    }
}
