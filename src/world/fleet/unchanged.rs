//! Keys that an edit does not concern, and whose lookups never fail. Texts that look them up can leave the results open while two
//! snapshots are compared, because the results are the same on both sides.
//!
//! Without that, nearly each of thousands of nodes without fact sets may have an answer of its own, with many cases, for a key whose
//! texts look up several others.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::groups::Side;
use super::{Fleet, FleetPair};
use crate::data::{Files as _, Value};
use crate::engine::merge::{Merge, Strategy};
use crate::engine::{
    LOOKUP_OPTIONS, Request, UnchangedKeys, depends_on_caller, is_variable_of_class, module_of_key,
};
use crate::facts::Reading;
use crate::facts::variable::VariablePath;
use crate::syntax::interpolation::{self, Expression, Method, Token};
use crate::syntax::key_path;
use crate::world::parallel;

/// The name of a key that no file has, without the name of its module.
const KEY_OF_NO_FILE: &str = "a key that no file has";

/// The keys that are the same on both sides of a comparison. What is found is kept.
pub(super) struct Unchanged {
    fleet: Arc<Fleet>,
    /// The nodes without fact sets.
    nodes: Vec<u32>,
    /// The root keys that may have other answers.
    affected: BTreeSet<Arc<str>>,
    keys: Mutex<HashMap<Arc<str>, bool, foldhash::fast::RandomState>>,
    /// Whether no level fails, by module.
    modules: Mutex<HashMap<String, bool>>,
    /// Whether no node fails because of a variable.
    variables: Mutex<HashMap<Arc<str>, bool>>,
}

impl fmt::Debug for Unchanged {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Unchanged").finish_non_exhaustive()
    }
}

impl UnchangedKeys for Unchanged {
    fn never_change(&self, root: &Arc<str>) -> bool {
        self.never_changes(root, &mut Vec::new())
    }
}

impl FleetPair {
    /// The keys that are the same on both sides; `None` if any key may have another answer.
    pub(super) fn unchanged_keys(&self) -> Option<Arc<Unchanged>> {
        let affected = self.affected_keys()?;
        let found = self.unchanged.get_or_init(|| {
            let all = self.after().nodes();
            let partial = (0..).zip(all.iter()).filter(|(_, node)| !node.is_complete());
            Arc::new(Unchanged {
                fleet: Arc::clone(self.after()),
                nodes: partial.map(|(number, _)| number).collect(),
                affected: affected.roots().cloned().collect(),
                keys: Mutex::default(),
                modules: Mutex::default(),
                variables: Mutex::default(),
            })
        });
        Some(Arc::clone(found))
    }
}

impl Unchanged {
    /// `above` are the keys whose values are being searched for lookups.
    fn never_changes(&self, root: &Arc<str>, above: &mut Vec<Arc<str>>) -> bool {
        let known = || self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(root) {
            return *known;
        }
        // A key that looks itself up fails.
        if above.contains(root) {
            return false;
        }
        above.push(Arc::clone(root));
        let found = self.is_same_everywhere(root, above);
        above.pop();
        // A key that is part of a loop was found to fail above, and is so for all who ask.
        known().insert(Arc::clone(root), found);
        found
    }

    fn is_same_everywhere(&self, root: &Arc<str>, above: &mut Vec<Arc<str>>) -> bool {
        !self.affected.contains(root)
            && **root != *LOOKUP_OPTIONS
            && self.no_level_fails(module_of_key(root))
            && self.no_value_fails(root, above)
    }

    /// Whether every node can search all levels for a key of a module. A lookup of a key that no file has shows it.
    fn no_level_fails(&self, module: Option<&str>) -> bool {
        let known = || self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let name = module.unwrap_or_default();
        if let Some(known) = known().get(name) {
            return *known;
        }
        let key = module.map_or_else(
            || KEY_OF_NO_FILE.to_owned(),
            |module| format!("{module}::{KEY_OF_NO_FILE}"),
        );
        let found = self.fleet.answers_among(&Request::key(key), &self.nodes, Side::Only);
        let fails_never = found.answers.iter().all(|found| {
            let answer = &found.answer;
            matches!(answer.outcome, Ok(None))
                && answer.is_certain()
                && answer.opaque.is_empty()
                && answer.broken.is_empty()
        });
        known().insert(name.to_owned(), fails_never);
        fails_never
    }

    /// Whether no value of a root key fails, nor a merge of the values.
    fn no_value_fails(&self, root: &Arc<str>, above: &mut Vec<Arc<str>>) -> bool {
        let (world, environment) = (self.fleet.world(), self.fleet.environment());
        let index = world.key_index(environment);
        if index.may_have_other_keys() {
            return false;
        }
        let Some(merge) = self.merge_of(root) else { return false };
        let merges_all = match merge.strategy() {
            Strategy::First | Strategy::Default => true,
            _ if merge.options_without_strategy().is_some() => false,
            Strategy::Unique => !index.may_not_merge_as_list(root),
            Strategy::Hash | Strategy::Deep => !index.may_not_merge_as_hash(root),
            Strategy::UnconstrainedDeep | Strategy::ReverseDeep => false,
        };
        if !merges_all {
            return false;
        }
        if !index.may_not_be_plain(root) {
            return true;
        }
        index.paths_with(root).iter().all(|path| {
            let data = index.format_of(path).and_then(|format| world.data(path, format).ok());
            let Some(data) = data.filter(|it| !it.is_broken()) else { return false };
            data.get(root).is_some_and(|entry| self.is_safe(&entry.value.value, above))
        })
    }

    /// The merge of a root key; `None` if it is not the same for all nodes, or if values are converted.
    pub(super) fn merge_of(&self, root: &str) -> Option<Merge> {
        let first = *self.nodes.first()?;
        let readings = &self.fleet.readings;
        let mut options = vec![0; readings.nodes.len()];
        let module = module_of_key(root);
        let known = module.filter(|it| readings.environment.modules.contains_key(*it));
        readings.scope(known).add_options(readings, root, &mut options);
        let of_first = options[first as usize];
        if self.nodes.iter().any(|it| options[*it as usize] != of_first) {
            return None;
        }
        let Some(applied) = self.fleet.evaluator(first).options_for(root).ok()? else {
            return Some(Merge::first());
        };
        let options = applied.options.value.as_hash()?;
        if applied.options.value.has_tokens() || options.get("convert_to").is_some() {
            return None;
        }
        match options.get("merge") {
            Some(merge) => Merge::of(Some(&merge.value.value)).ok(),
            None => Some(Merge::first()),
        }
    }

    /// Whether the interpolation of a value never fails.
    fn is_safe(&self, value: &Value, above: &mut Vec<Arc<str>>) -> bool {
        match value {
            Value::String(text) => {
                let tokens = interpolation::tokens(text);
                tokens.iter().all(|token| self.is_safe_token(text, token, above))
            }
            Value::Array(items) => items.iter().all(|it| self.is_safe(&it.value, above)),
            Value::Hash(hash) => hash.iter().all(|(key, member)| {
                self.is_safe(key, above) && self.is_safe(&member.value.value, above)
            }),
            Value::Symbol(_) => false,
            _ => true,
        }
    }

    fn is_safe_token(&self, text: &str, token: &Token, above: &mut Vec<Arc<str>>) -> bool {
        match &token.expression {
            Expression::Empty => true,
            Expression::Variable(name)
            | Expression::Call { method: Method::Scope, argument: name, .. } => {
                self.is_safe_variable(name)
            }
            Expression::Call { method, argument, .. } => {
                let is_whole = token.range.start == 0 && token.range.end as usize == text.len();
                match method {
                    // It may be read again together with the text around it.
                    Method::Literal => !argument.contains(['%', '{', '}']),
                    Method::Alias if !is_whole => false,
                    Method::Lookup | Method::Hiera | Method::Alias => {
                        let key = key_path::parse(argument).ok();
                        let root = key.as_ref().filter(|it| it.rest.is_empty());
                        let root = root.and_then(|it| it.root_name());
                        root.is_some_and(|root| self.never_changes(root, above))
                    }
                    Method::Scope | Method::Unknown(_) => false,
                }
            }
        }
    }

    /// Whether a variable can be read for each node, also in Puppet 8, which refuses variables that are not set.
    fn is_safe_variable(&self, expression: &Arc<str>) -> bool {
        let known = || self.variables.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(expression) {
            return *known;
        }
        let Some(variable) = VariablePath::parse(expression) else { return false };
        let of_caller = variable.path.root_name().is_none_or(|it| depends_on_caller(it));
        let of_class = is_variable_of_class(&variable.path);
        let all = &self.fleet.nodes();
        let is_safe = !of_caller
            && !of_class
            && parallel::all(&self.nodes, |node| {
                match all[*node as usize].read_variable(&variable) {
                    Reading::Known(_, rest) => rest.is_empty(),
                    Reading::Unset => !variable.path.rest.is_empty(),
                    Reading::Open(_) => true,
                }
            });
        known().insert(Arc::clone(expression), is_safe);
        is_safe
    }
}
