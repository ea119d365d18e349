//! What texts read variables by, split once for each evaluator of a node that is not completely known. Thousands of texts read
//! the same few variables, in every run of a lookup.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::evaluator::Evaluator;
use super::open_names;
use crate::facts::variable::VariablePath;
use crate::syntax::interpolation::Token;

/// The maximum number that is kept.
const MAX_KEPT: usize = 4_096;

/// By what is written.
#[derive(Debug, Default)]
pub(super) struct KnownVariables {
    /// `None` for what Puppet refuses.
    paths: Mutex<ByText<Arc<VariablePath>>>,
    /// Those that stand for a name of the node; `None` for what reads something else.
    names: Mutex<ByText<Arc<str>>>,
}

type ByText<T> = HashMap<Arc<str>, Option<T>, foldhash::fast::RandomState>;

/// What is kept of a text, or what `find` returns the first time.
fn kept<T: Clone>(
    known: &Mutex<ByText<T>>,
    text: &str,
    find: impl FnOnce() -> Option<T>,
) -> Option<T> {
    let lock = || known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lock().get(text) {
        return known.clone();
    }
    let found = find();
    let mut known = lock();
    if known.len() < MAX_KEPT {
        known.insert(text.into(), found.clone());
    }
    found
}

impl Evaluator {
    /// The variable that a text reads as `expression`; `None` if Puppet refuses it.
    pub(super) fn variable_of(&self, expression: &str) -> Option<Arc<VariablePath>> {
        // A node with a fact set has one run for each lookup, and the tables of a whole fleet would take much memory.
        if self.node().is_complete() {
            return VariablePath::parse(expression).map(Arc::new);
        }
        let parse = || VariablePath::parse(expression).map(Arc::new);
        kept(&self.known_variables.paths, expression, parse)
    }

    /// The variable that stands for the name of the node which a text reads as `expression`; `None` if it reads something else.
    pub(super) fn name_left_open(&self, expression: &str) -> Option<Arc<str>> {
        let find = || {
            let name = self.left_open(expression)?;
            let variable = self.variable_of(expression)?;
            if self.may_be_hidden(&variable.path) {
                return None;
            }
            open_names::own_name(self.node(), &variable).map(|_| name)
        };
        kept(&self.known_variables.names, expression, find)
    }

    /// The variable that stands for what a text reads as `expression`, if it can be left open.
    pub(super) fn left_open(&self, expression: &str) -> Option<Arc<str>> {
        self.node().name_of(&open_names::left_open(expression)?)
    }

    /// The name for the node of the variable in a token.
    pub(super) fn name_in(&self, token: &Token) -> Option<Arc<str>> {
        let (expression, _) = token.variable()?;
        self.node().name_of(&*self.variable_of(expression)?)
    }
}
