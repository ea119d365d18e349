//! What texts read variables by, split once for each evaluator of a node that is not completely known. Thousands of texts read
//! the same few variables, in every run of a lookup.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::evaluator::Evaluator;
use crate::facts::variable::VariablePath;
use crate::syntax::interpolation::Token;

/// The maximum number that is kept.
const MAX_KEPT: usize = 4_096;

/// By what is written; `None` for what Puppet refuses.
#[derive(Debug, Default)]
pub(super) struct KnownVariables(Mutex<ByText>);

type ByText = HashMap<Arc<str>, Option<Arc<VariablePath>>, foldhash::fast::RandomState>;

impl Evaluator {
    /// The variable that a text reads as `expression`; `None` if Puppet refuses it.
    pub(super) fn variable_of(&self, expression: &str) -> Option<Arc<VariablePath>> {
        // A node with a fact set has one run for each lookup, and the tables of a whole fleet would take much memory.
        if self.node().is_complete() {
            return VariablePath::parse(expression).map(Arc::new);
        }
        let mut known = self.known_variables.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(expression) {
            return known.clone();
        }
        let parsed = VariablePath::parse(expression).map(Arc::new);
        if known.len() < MAX_KEPT {
            known.insert(expression.into(), parsed.clone());
        }
        parsed
    }

    /// The name for the node of the variable in a token.
    pub(super) fn name_in(&self, token: &Token) -> Option<Arc<str>> {
        let (expression, _) = token.variable()?;
        self.node().name_of(&*self.variable_of(expression)?)
    }
}
