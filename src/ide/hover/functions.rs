//! The levels that functions answered: sample data, or functions that run elsewhere. No file of the hierarchy has their
//! values, so they are found in the trace of the lookup.

use std::sync::Arc;

use super::markdown::{KeyCard, Part, SourceLine};
use crate::engine::{Evaluator, Outcome, Request, ResolvedLevel, TraceKind, TraceNode};
use crate::ide::perspective::Perspective;

/// Adds such levels to the places where a key is found; `is_first`: the first level that has the key is the answer.
pub(super) fn add_levels(
    perspective: &Perspective,
    module: Option<&str>,
    is_first: bool,
    card: &mut KeyCard,
) {
    let evaluator = &perspective.evaluator;
    let functions = levels_of_functions(evaluator, module);
    if functions.is_empty() {
        return;
    }
    let answer = evaluator.call(&Request::key(card.key.as_str()).explained());
    let mut answered = Vec::new();
    if let Some(trace) = &answer.trace {
        collect_answered(trace, &mut answered);
    }
    let rank = |level: &str| answered.iter().position(|name| &**name == level);
    for (level, function) in functions {
        let Some(own_rank) = rank(&level) else { continue };
        if is_first {
            card.sources.iter_mut().for_each(|source| source.part = Part::Overridden);
        }
        let is_higher = |source: &&SourceLine| rank(&source.level).is_some_and(|it| it < own_rank);
        let at = if is_first { 0 } else { card.sources.iter().take_while(is_higher).count() };
        let part = if is_first { Part::Wins } else { Part::Contributes };
        let source =
            SourceLine { level: level.to_string(), layer: None, place: function.to_string(), part };
        card.sources.insert(at, source);
    }
}

/// The names and functions of the levels that other than files answer.
fn levels_of_functions(evaluator: &Evaluator, module: Option<&str>) -> Vec<(Arc<str>, Arc<str>)> {
    let layers = evaluator.layers(module);
    let levels = layers.iter().flat_map(|layer| layer.levels(evaluator).unwrap_or_default());
    let of_functions = levels.filter(|level| level.is_answered_by_function());
    let names = |level: &ResolvedLevel| (level.name.clone(), level.function.name.clone());
    of_functions.map(names).collect()
}

/// The names of the levels that have the key, the highest first.
fn collect_answered(node: &TraceNode, answered: &mut Vec<Arc<str>>) {
    match &node.kind {
        TraceKind::Interpolation(_) | TraceKind::Search { is_options: true, .. } => {}
        TraceKind::Level { name, .. } if has_found(node) => answered.push(name.clone()),
        _ => node.branches.iter().for_each(|branch| collect_answered(branch, answered)),
    }
}

fn has_found(node: &TraceNode) -> bool {
    let is_own = !matches!(node.kind, TraceKind::Interpolation(_));
    let is_found = matches!(node.outcome, Some(Outcome::Found { .. }));
    is_own && (is_found || node.branches.iter().any(has_found))
}
