//! The variables that a `%{…}` can read, with their values: those of the node, and the facts of other nodes where it has none.
//! Without fact sets, names come from what hierarchies and the file read, and from Facter.

use std::sync::Arc;

use indexmap::IndexMap;

use super::Place;
use super::token::member_names;
use crate::data::{Hash, Located, Value, inspect};
use crate::engine::sources::dig_value;
use crate::facts::core_facts::core_fact_members;
use crate::facts::{Node, Reading};
use crate::ide::matching::fit;
use crate::ide::node_facts::all_hierarchy_variables;
use crate::ide::strings::interpolated_strings;
use crate::syntax::key_path::{self, Segment};

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
        let complete = nodes.iter().filter(|node| node.is_complete()).take(MAX_NODES);
        let mut has_facts = false;
        for node in complete {
            has_facts = true;
            add(node, false);
        }
        if !has_facts {
            let names = names_without_facts(place, parent, quote).into_iter();
            // The name that is being typed may be in the file.
            for name in names.filter(|it| *it != wanted && fit(it, wanted).is_some()) {
                found.entry(name).or_default();
            }
        }
    }
    found.into_iter().map(|(name, values)| (name, values.detail())).collect()
}

/// The members of the variable `parent` that hierarchies and the file read, and those that Facter sets; without a parent, the
/// variables.
fn names_without_facts(place: &Place<'_>, parent: Option<&str>, quote: char) -> Vec<String> {
    let Some(parent) = segments(parent) else { return Vec::new() };
    let world = &place.perspective.world;
    let read = all_hierarchy_variables(world, place.perspective.evaluator.environment());
    let in_file = variables_of_file(place);
    let is_below = |path: &Vec<Arc<str>>| path.len() > parent.len() && path.starts_with(&parent);
    let read = read.iter().chain(&in_file).filter_map(|name| segments(Some(name)));
    let mut names: Vec<Arc<str>> =
        read.filter(is_below).map(|path| path[parent.len()].clone()).collect();
    let parent: Vec<&str> = parent.iter().map(|it| &**it).collect();
    if let Some(("facts", rest)) = parent.split_first().map(|(first, rest)| (*first, rest)) {
        names.extend(core_fact_members(rest).into_iter().map(Arc::from));
    }
    let written = |name: &Arc<str>| {
        let written = key_path::quote_segment_within(name, quote)?;
        (!written.contains('}')).then_some(written)
    };
    names.iter().filter_map(written).collect()
}

/// The names in a path with dots, without a leading `::`; empty without a path.
fn segments(path: Option<&str>) -> Option<Vec<Arc<str>>> {
    let Some(path) = path else { return Some(Vec::new()) };
    let path = key_path::parse(path).ok()?;
    let name = |segment: Segment| match segment {
        Segment::Name(name) => Some(name),
        Segment::Index(_) => None,
    };
    let mut names: Vec<Arc<str>> =
        std::iter::once(path.root).chain(path.rest).map(name).collect::<Option<_>>()?;
    if let Some(top) = names[0].strip_prefix("::") {
        names[0] = top.into();
    }
    Some(names)
}

/// The variables that the strings of the file read.
fn variables_of_file(place: &Place<'_>) -> Vec<Arc<str>> {
    let Ok(file) = place.perspective.world.file(place.path) else { return Vec::new() };
    let mut names = Vec::new();
    for entry in file.data(place.format).trees() {
        for string in interpolated_strings(entry.text, entry.value) {
            let read = string.tokens.iter().filter_map(|token| token.variable());
            names.extend(read.map(|(name, _)| name.clone()));
        }
    }
    names
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
