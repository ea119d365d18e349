//! The effect of an edit on nodes: compares the values of a key before and after it, and describes the difference for a
//! title.

use std::sync::Arc;

use super::changes::{counted, nodes_where};
use super::edits::{FileChange, FileEdit};
use crate::config::Environment;
use crate::data::Files as _;
use crate::engine::{CancelToken, Request, module_of_key};
use crate::text::edit::apply_edits;
use crate::world::{AnswerChange, Difference, FleetPair, World};

/// The maximum number of nodes or cases that are named.
const MAX_NAMED: usize = 3;

/// The nodes whose answers to `request` the edits change: `db01 and web02 lose it`, `another value for nodes where role is
/// db`. `None` if no answer changes, or the request was cancelled.
pub(crate) fn consequences(
    world: &Arc<World>,
    environment: &Arc<Environment>,
    request: &Request,
    edits: &[FileEdit],
    cancel: &CancelToken,
) -> Option<String> {
    let after = world.as_if(&texts_after(world, edits)?);
    let edited: Vec<Arc<str>> = edits.iter().map(|edit| edit.path.clone()).collect();
    let module = request.names.first().and_then(|key| module_of_key(key));
    let pair = world.beside_what_if(&after, environment, &edited, module);
    let request = Request { cancel: cancel.clone(), ..request.clone() };
    let difference = pair.difference_of(&request);
    let nodes = world.nodes(environment).len();
    // After a cancellation, the comparison is not complete.
    (!cancel.is_cancelled()).then(|| said(&pair, &difference, nodes))?
}

/// What a change affects: nodes, by name, and cases of unlisted nodes.
#[derive(Default)]
struct Who {
    nodes: Vec<Arc<str>>,
    others: Vec<String>,
    /// Whether all unlisted nodes are affected.
    is_any_other: bool,
}

/// `all` is the number of all nodes.
fn said(pair: &FleetPair, difference: &Difference, all: usize) -> Option<String> {
    let (mut lost, mut gained, mut changed) = (Who::default(), Who::default(), Who::default());
    for change in &difference.changes {
        let who = match (&change.before.outcome, &change.after.outcome) {
            (Ok(Some(_)), Ok(None)) => &mut lost,
            (Ok(None), Ok(Some(_))) => &mut gained,
            _ => &mut changed,
        };
        who.add(pair, change);
    }
    let mut said = Vec::new();
    if let Some((who, is_one)) = lost.listed(all) {
        said.push(format!("{who} {} it", if is_one { "loses" } else { "lose" }));
    }
    if let Some((who, is_one)) = gained.listed(all) {
        said.push(format!("{who} {} it", if is_one { "gets" } else { "get" }));
    }
    if let Some((who, _)) = changed.listed(all) {
        said.push(format!("another value for {who}"));
    }
    (!said.is_empty()).then(|| said.join(", "))
}

impl Who {
    fn add(&mut self, pair: &FleetPair, change: &AnswerChange) {
        let nodes = pair.after().nodes();
        self.nodes.extend(change.nodes.iter().map(|node| nodes[*node as usize].name.clone()));
        for others in &change.others {
            match nodes_where(others) {
                Some(nodes) => self.others.push(nodes),
                None if others.unless.is_empty() => self.is_any_other = true,
                None => self.others.push("unlisted nodes in other cases".to_owned()),
            }
        }
    }

    /// Lists them, and returns whether it is a single node; `None` if there are none.
    fn listed(mut self, all: usize) -> Option<(String, bool)> {
        self.nodes.sort_unstable();
        if self.is_any_other && self.nodes.len() == all {
            return Some(("every node".to_owned(), true));
        }
        if self.is_any_other {
            self.others.push("all unlisted nodes".to_owned());
        }
        let is_one = self.others.is_empty() && self.nodes.len() == 1;
        let mut who: Vec<String> = if self.nodes.len() > MAX_NAMED {
            vec![format!("{} of {}", self.nodes.len(), counted(all, "node"))]
        } else {
            self.nodes.iter().map(ToString::to_string).collect()
        };
        let room = MAX_NAMED.saturating_sub(who.len()).max(1);
        let more = self.others.len().saturating_sub(room);
        self.others.truncate(room);
        who.append(&mut self.others);
        if more > 0 {
            who.push(format!("{} more", counted(more, "case")));
        }
        let (last, first) = who.split_last()?;
        let text = if first.is_empty() {
            last.clone()
        } else {
            format!("{} and {last}", first.join(", "))
        };
        Some((text, is_one))
    }
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
