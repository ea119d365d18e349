//! What an edit changes for the nodes: a key's answers before and after it, as a few words for a title.

use std::sync::Arc;

use super::edits::{FileChange, FileEdit};
use crate::config::Environment;
use crate::data::Files as _;
use crate::engine::cases::in_words;
use crate::engine::{Answer, Assumed, Condition, Request};
use crate::facts::Node;
use crate::text::edit::apply_edits;
use crate::world::{World, changed_cases, is_unchanged};

/// So many nodes with fact sets are asked; of all other nodes, the cases of the key are compared.
const MAX_NODES: usize = 64;

/// So many nodes, or cases, are named.
const MAX_NAMED: usize = 3;

/// Which nodes' answers for `key` the edits change: `db01 and web02 lose it`, `another value for nodes where role is db`.
/// `None` if no answer changes.
pub(crate) fn consequences(
    world: &Arc<World>,
    environment: &Arc<Environment>,
    key: &str,
    edits: &[FileEdit],
) -> Option<String> {
    consequences_of(world, environment, &Request::key(key), edits)
}

/// [`consequences`] for a question of any sort.
pub(crate) fn consequences_of(
    world: &Arc<World>,
    environment: &Arc<Environment>,
    request: &Request,
    edits: &[FileEdit],
) -> Option<String> {
    let after = world.as_if(&texts_after(world, edits)?);
    let ask =
        |world: &Arc<World>, node: &Arc<Node>| world.new_evaluator(environment, node).call(request);
    let mut lost: Vec<String> = Vec::new();
    let mut gained: Vec<String> = Vec::new();
    let mut changed: Vec<String> = Vec::new();
    let mut note = |who: String, before: &Answer, now: &Answer| {
        if is_unchanged(before, now) {
            return;
        }
        match (&before.outcome, &now.outcome) {
            (Ok(Some(_)), Ok(None)) => lost.push(who),
            (Ok(None), Ok(Some(_))) => gained.push(who),
            _ => changed.push(who),
        }
    };
    let nodes = world.nodes(environment);
    for node in nodes.iter().filter(|node| node.is_complete()).take(MAX_NODES) {
        note(node.name.to_string(), &ask(world, node), &ask(&after, node));
    }
    let any = world.any_node(environment);
    let (before, now) = (ask(world, &any), ask(&after, &any));
    let is_asked = |conditions: &[Condition]| {
        let certname = conditions.iter().find(|it| &*it.variable == "trusted.certname");
        certname.is_some_and(|it| {
            let mut complete = nodes.iter().filter(|node| node.is_complete());
            complete.any(|node| it.value == Assumed::Text(node.name.clone()))
        })
    };
    for (conditions, one, other) in changed_cases(&before, &now) {
        if is_asked(&conditions) {
            continue;
        }
        let who = match conditions.as_slice() {
            [] if before.cases.is_empty() && now.cases.is_empty() => "every node".to_owned(),
            [] => "all other nodes".to_owned(),
            conditions => format!("nodes where {}", in_words(conditions)),
        };
        note(who, &one, &other);
    }
    let mut said = Vec::new();
    let is_one = |who: &[String]| matches!(who, [one] if !one.contains("nodes"));
    if !lost.is_empty() {
        said.push(format!("{} {} it", listed(&lost), if is_one(&lost) { "loses" } else { "lose" }));
    }
    if !gained.is_empty() {
        said.push(format!(
            "{} {} it",
            listed(&gained),
            if is_one(&gained) { "gets" } else { "get" }
        ));
    }
    if !changed.is_empty() {
        said.push(format!("another value for {}", listed(&changed)));
    }
    (!said.is_empty()).then(|| said.join(", "))
}

/// The texts of the files after the edits; `None` if one cannot be read.
fn texts_after(world: &Arc<World>, edits: &[FileEdit]) -> Option<Vec<(Arc<str>, Arc<str>)>> {
    let text = |edit: &FileEdit| {
        let text = match &edit.change {
            FileChange::Create(text) => text.clone(),
            FileChange::Edit(edits) => apply_edits(&world.text(&edit.path).ok()?, edits),
        };
        Some((edit.path.clone(), Arc::from(text)))
    };
    edits.iter().map(text).collect()
}

fn listed(who: &[String]) -> String {
    match who {
        [only] => only.clone(),
        who if who.len() > MAX_NAMED => {
            format!("{} and {} more", who[..MAX_NAMED].join(", "), who.len() - MAX_NAMED)
        }
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
        [] => String::new(),
    }
}
