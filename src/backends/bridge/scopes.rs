//! What functions access through their scope: the environment and the node, sent once and identified by a number.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value as Json, json};

use super::object;
use crate::backends::context::PuppetContext;
use crate::config::Environment;
use crate::facts::Node;

/// The maximum number of pairs of environment and node that keep their numbers.
const KEPT: usize = 64;

/// Numbers for pairs of environment and node.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    known: Mutex<(u64, Vec<Scope>)>,
}

#[derive(Debug)]
struct Scope {
    number: u64,
    environment: Arc<Environment>,
    node: Arc<Node>,
}

impl Scopes {
    /// Returns the same number for the same pair, as long as it is used regularly.
    pub(super) fn number(&self, environment: &Arc<Environment>, node: &Arc<Node>) -> u64 {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (last, scopes) = &mut *known;
        let is_it = |it: &Scope| it.environment == *environment && Arc::ptr_eq(&it.node, node);
        if let Some(at) = scopes.iter().position(is_it) {
            // The pair moves to the end, because the first one is dropped when there are too many.
            let scope = scopes.remove(at);
            let number = scope.number;
            scopes.push(scope);
            return number;
        }
        *last += 1;
        let (environment, node) = (Arc::clone(environment), Arc::clone(node));
        scopes.push(Scope { number: *last, environment, node });
        if scopes.len() > KEPT {
            scopes.remove(0);
        }
        *last
    }
}

/// The environment and the node of the running call.
pub(super) fn describe(context: &dyn PuppetContext) -> Json {
    let (environment, node) = (context.environment(), context.node());
    let modules = environment.modules.iter();
    let modules = modules.map(|(name, path)| (name.to_string(), Json::from(&**path)));
    json!({
        "environment": {
            "name": &*context.environment_name(),
            "root": environment.root.as_deref(),
            "modules": modules.collect::<serde_json::Map<_, _>>(),
        },
        "node": {
            "name": &*node.name,
            "is_complete": node.is_complete(),
            "variables": object(node.variables()),
        },
        "puppet_version": if context.version().is_strict() { 8 } else { 7 },
    })
}
