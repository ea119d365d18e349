//! The variables that a `%{…}` can read, with their values: those of the node, and the facts of other nodes where it has none.

use std::sync::Arc;

use indexmap::IndexMap;

use super::Place;
use super::token::member_names;
use crate::data::{Hash, Located, Value, inspect};
use crate::engine::sources::dig_value;
use crate::facts::{Node, Reading};
use crate::ide::matching::fit;
use crate::syntax::key_path;

/// The maximum number of characters of a value that are shown beside a name.
const MAX_DETAIL: usize = 60;

/// The maximum number of other nodes whose facts are suggested. Most facts are the same everywhere.
const MAX_NODES: usize = 100;

/// The maximum number of values of other nodes that are shown beside a name.
const MAX_VALUES: usize = 3;

/// What is known of a name.
#[derive(Default)]
struct Values {
    /// Whether the node itself has the value.
    is_own: bool,
    shown: Vec<String>,
}

/// The members of the variable `parent`, or all variables, that fit what was typed: each as it is written within `quote`, and
/// its value in a few letters.
pub(super) fn names(
    place: &Place<'_>,
    parent: Option<&str>,
    wanted: &str,
    quote: char,
) -> Vec<(String, Option<String>)> {
    let evaluator = &place.perspective.evaluator;
    let own = evaluator.node();
    let mut found: IndexMap<String, Values> = IndexMap::new();
    let mut add = |node: &Arc<Node>, is_own: bool| {
        let Some(value) = value_of(node, parent) else { return };
        for (name, member) in member_names(&value, quote) {
            if fit(&name, wanted).is_none() {
                continue;
            }
            let path = parent.map_or_else(|| name.clone(), |parent| format!("{parent}.{name}"));
            let values = found.entry(name).or_default();
            values.add(place, known_part(node, &path, member), is_own);
        }
    };
    add(own, true);
    if !own.is_complete() {
        let nodes = place.perspective.world.nodes(evaluator.environment());
        let complete = nodes.iter().filter(|node| node.is_complete());
        complete.take(MAX_NODES).for_each(|node| add(node, false));
    }
    found.into_iter().map(|(name, values)| (name, values.detail())).collect()
}

impl Values {
    fn add(&mut self, place: &Place<'_>, value: Option<Located>, is_own: bool) {
        let Some(value) = value else { return };
        let is_large = matches!(value.value, Value::Hash(_) | Value::Array(_));
        // One large value shows what kind of value it is.
        let enough = if is_large { 1 } else { MAX_VALUES };
        if self.is_own || self.shown.len() >= enough {
            return;
        }
        let text = inspect::inspect(&place.perspective.without_secrets(&value));
        if !self.shown.contains(&text) {
            self.shown.push(text);
        }
        self.is_own = is_own;
    }

    fn detail(&self) -> Option<String> {
        let all = self.shown.join(", ");
        match all.char_indices().nth(MAX_DETAIL) {
            _ if all.is_empty() => None,
            Some((end, _)) => Some(format!("{}…", &all[..end])),
            None => Some(all),
        }
    }
}

/// The value of a variable of the node, or all of its variables.
fn value_of(node: &Node, name: Option<&str>) -> Option<Located> {
    let Some(name) = name else {
        return Some(Value::hash(node.variables().clone()).unplaced());
    };
    let path = key_path::parse(name).ok()?;
    let root = path.root_name()?;
    dig_value(node.variable(root.strip_prefix("::").unwrap_or(root))?, &path.rest)
}

/// A value without the members that are open for the node, which has empty texts in their place. `None` if nothing is left.
fn known_part(node: &Node, path: &str, value: &Located) -> Option<Located> {
    if node.is_complete() {
        return Some(value.clone());
    }
    let is_open = |path: &str| {
        key_path::parse(path).is_ok_and(|it| matches!(node.read(&it), Reading::Open(_)))
    };
    let Value::Hash(hash) = &value.value else {
        return (!is_open(path)).then(|| value.clone());
    };
    let is_known = |key: &Value| {
        let member = key.as_str().and_then(key_path::quote_segment);
        member.is_some_and(|member| !is_open(&format!("{path}.{member}")))
    };
    let mut known = Hash::new();
    for (key, member) in hash.iter().filter(|(key, _)| is_known(key)) {
        known.insert(key.clone(), member.key_place, member.value.clone());
    }
    (!known.is_empty()).then(|| Value::hash(known).unplaced())
}
