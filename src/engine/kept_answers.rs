//! Caches the answers of one evaluator for a node that is not completely known. Hovers, lenses, hints and rules look up the
//! same keys, and each answer takes several runs.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use super::budget::CancelToken;
use super::evaluator::Evaluator;
use super::request::{Answer, Request};

/// The maximum number of cases of all cached answers together.
const MAX_CASES: usize = 65_536;

/// Answers by their keys.
#[derive(Debug, Default)]
pub(super) struct KeptAnswers {
    answers: HashMap<Arc<str>, Arc<Answer>, foldhash::fast::RandomState>,
    /// The number of their cases.
    cases: usize,
}

impl KeptAnswers {
    fn keep(&mut self, key: &str, answer: &Arc<Answer>) {
        let cases = answer.cases.len().max(1);
        if self.cases + cases > MAX_CASES {
            *self = Self::default();
        }
        self.cases += cases;
        self.answers.insert(key.into(), Arc::clone(answer));
    }
}

impl Evaluator {
    /// Looks up a key with its sources and its footprint: [`Self::call`] for [`Request::with_sources`], run once for each
    /// key.
    pub fn answer_with_sources(&self, key: &str, cancel: &CancelToken) -> Arc<Answer> {
        let request = || Request {
            cancel: cancel.clone(),
            wants_footprint: true,
            ..Request::key(key).with_sources()
        };
        if self.node().is_complete() {
            return Arc::new(self.call(&request()));
        }
        let lock = || self.kept_answers.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().answers.get(key).cloned();
        known.unwrap_or_else(|| {
            let answer = Arc::new(self.call(&request()));
            // The answer of a cancelled lookup is incomplete.
            if !cancel.is_cancelled() {
                lock().keep(key, &answer);
            }
            answer
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Environment, PuppetVersion};
    use crate::data::Files;
    use crate::data::memory::MemoryFiles;
    use crate::facts::{Node, NodeParts, Origin};

    #[test]
    fn each_key_is_looked_up_once() {
        let files = MemoryFiles::new([
            (
                "/e/hiera.yaml",
                "version: 5\nhierarchy: [{name: r, paths: ['%{role}.yaml', c.yaml]}]\n",
            ),
            ("/e/data/web.yaml", "a: 1\n"),
            ("/e/data/c.yaml", "a: 2\nb: 3\n"),
        ]);
        let environment = Environment { root: Some("/e".into()), ..Environment::default() };
        let any_node = Node::partial(NodeParts::default(), &[], Origin::Any);
        let evaluator = Evaluator::new(
            Arc::new(files) as Arc<dyn Files>,
            Arc::new(environment),
            Arc::new(any_node),
            PuppetVersion::V8,
        );
        let ask = |key: &str| evaluator.answer_with_sources(key, &CancelToken::default());
        let answer = ask("a");
        assert_eq!(answer.cases.len(), 2);
        assert!(Arc::ptr_eq(&answer, &ask("a")));
        assert!(!Arc::ptr_eq(&answer, &ask("b")));
    }

    #[test]
    fn many_cases_are_let_go() {
        let mut kept = KeptAnswers::default();
        let answer = Arc::new(Answer::nothing());
        for number in 0..=MAX_CASES {
            kept.keep(&number.to_string(), &answer);
        }
        assert_eq!(kept.answers.len(), 1);
    }
}
