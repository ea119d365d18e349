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

/// What the edits change in the answer to `request`, and for which nodes: `removes the value for db01 and web02`, `changes the
/// value for nodes where role is db`. `None` if no answer changes, or the request was cancelled.
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
    let said = [("removes", lost), ("adds", gained), ("changes", changed)];
    let said = said.into_iter().filter_map(|(verb, who)| {
        let who = who.listed(all)?;
        Some(format!("{verb} the value {who}"))
    });
    let said = said.collect::<Vec<_>>().join("; ");
    (!said.is_empty()).then_some(said)
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

    /// `for db01 and all unlisted nodes`, `for db01 and web02, for nodes where role is web, and in 2 more cases`; `None` if
    /// there are none. Conditions contain `and`, so each group then starts with a word of its own.
    fn listed(mut self, all: usize) -> Option<String> {
        self.nodes.sort_unstable();
        if self.is_any_other && self.nodes.len() == all {
            return Some("for every node".to_owned());
        }
        if self.is_any_other {
            self.others.push("all unlisted nodes".to_owned());
        }
        let nodes = if self.nodes.len() > MAX_NAMED {
            vec![format!("{} of {}", self.nodes.len(), counted(all, "node"))]
        } else {
            self.nodes.iter().map(ToString::to_string).collect()
        };
        let room = MAX_NAMED.saturating_sub(nodes.len()).max(1);
        let more = self.others.len().saturating_sub(room);
        self.others.truncate(room);
        if more == 0 && !self.others.iter().any(|it| it.contains(" where ")) {
            let all = [nodes, self.others].concat();
            return (!all.is_empty()).then(|| format!("for {}", in_series(&all, "")));
        }
        let nodes = (!nodes.is_empty()).then(|| in_series(&nodes, ""));
        let groups = nodes.into_iter().chain(self.others).map(|it| format!("for {it}"));
        let more = (more > 0).then(|| format!("in {}", counted(more, "more case")));
        Some(in_series(&groups.chain(more).collect::<Vec<_>>(), ","))
    }
}

/// `a`, `a and b`, `a, b and c`; `comma` is written before the last `and` of several.
fn in_series(items: &[String], comma: &str) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [one, other] => format!("{one} and {other}"),
        [first @ .., last] => format!("{}{comma} and {last}", first.join(", ")),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(nodes: &[&str], others: &[&str], is_any_other: bool, expected: Option<&str>) {
        let who = Who {
            nodes: nodes.iter().map(|it| Arc::from(*it)).collect(),
            others: others.iter().map(ToString::to_string).collect(),
            is_any_other,
        };
        assert_eq!(who.listed(5).as_deref(), expected);
    }

    #[test]
    fn nodes_and_cases_in_words() {
        check(&[], &[], false, None);
        check(&["web01"], &[], false, Some("for web01"));
        check(&["b", "a", "c"], &[], false, Some("for a, b and c"));
        check(&["a", "b", "c", "d"], &[], false, Some("for 4 of 5 nodes"));
        check(&["a"], &[], true, Some("for a and all unlisted nodes"));
        let (web, oslo) = ("nodes where role is web", "some nodes where site is oslo");
        check(&["a", "b"], &[web], false, Some("for a and b and for nodes where role is web"));
        check(
            &["a"],
            &[web, oslo],
            false,
            Some("for a, for nodes where role is web, and for some nodes where site is oslo"),
        );
        check(
            &["a", "b", "c"],
            &[web, oslo],
            false,
            Some("for a, b and c, for nodes where role is web, and in 1 more case"),
        );
    }
}
