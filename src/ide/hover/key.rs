//! Hover on a key: its value for the active node, the levels that have it, and the merge strategy.

use std::fmt::Write as _;
use std::sync::Arc;

use super::encrypted;
use super::functions;
use super::markdown::{Answer, KeyCard, MergeLine, SourceLine, code, plain};
use crate::backends::eyaml::blob;
use crate::data::{Located, inspect, render};
use crate::engine::{OpaqueLevel, Request};
use crate::facts::Node;
use crate::ide::class_parameter;
use crate::ide::context::LookupOptionSpot;
use crate::ide::perspective::Perspective;
use crate::ide::places;
use crate::ide::sources::{self, layer_text, set_by, strategy_line};
use crate::syntax::key_path::{self, KeyPath};

/// How many sample nodes are asked whether they read a file, and how many of them are named.
const MAX_OTHER_NODES: usize = 16;
const MAX_NAMES: usize = 3;

/// How many keys are listed that a pattern matches.
const MAX_MATCHING_KEYS: usize = 12;

/// The hover of a key; `from` is the file that has it, `None` for a key that `%{…}` asks for.
pub(super) fn text(perspective: &Perspective, key: &str, from: Option<&str>) -> String {
    let max_lines = perspective.world.settings().hover_max_lines as usize;
    card(perspective, key, from).markdown(max_lines)
}

/// The hover of an entry of `lookup_options`.
pub(super) fn lookup_option_text(perspective: &Perspective, spot: &LookupOptionSpot) -> String {
    let subject = code(&spot.subject);
    if !spot.is_pattern() {
        let card = text(perspective, &spot.subject, None);
        return format!("Lookup options for {subject}\n\n{card}");
    }
    let keys = places::keys_matching(perspective, &spot.subject);
    let mut text = format!(
        "Lookup options for keys that match {subject} and have no options of their own. Patterns of lower levels are \
         tried before those of higher ones.\n\n"
    );
    for key in keys.iter().take(MAX_MATCHING_KEYS) {
        let _ = writeln!(text, "- {}", code(key));
    }
    match keys.len().checked_sub(MAX_MATCHING_KEYS) {
        _ if keys.is_empty() => text += "No key of the data matches.",
        Some(more @ 1..) => {
            let _ = write!(text, "\nand {more} more");
        }
        _ => {}
    }
    text
}

fn card(perspective: &Perspective, key: &str, from: Option<&str>) -> KeyCard {
    let evaluator = &perspective.evaluator;
    let answer = evaluator.call(&Request::key(key));
    let mut card = KeyCard {
        key: key.to_owned(),
        asked_for: perspective.asked_for(),
        answer: match &answer.outcome {
            Ok(Some(value)) => Answer::Value(render::to_yaml(&perspective.without_secrets(value))),
            Ok(None) if !answer.opaque.is_empty() => Answer::Unknown,
            Ok(None) if from.is_none() => Answer::EmptyText,
            Ok(None) => Answer::NotFound,
            Err(failure) => Answer::Error(blob::shortened(&failure.message)),
        },
        ..KeyCard::default()
    };
    if let Ok(path) = key_path::parse(key) {
        let result = answer.outcome.as_ref().ok().and_then(Option::as_ref);
        add_sources(perspective, &path, result, &mut card);
    }
    for opaque in &answer.opaque {
        card.notes.push(opaque_text(opaque, &card));
    }
    if let Ok(Some(value)) = &answer.outcome {
        card.notes.extend(encrypted::note(perspective, module_of(key), value));
    }
    card.notes.extend(class_parameter::note(perspective, key));
    if !answer.unknown_variables.is_empty() {
        let names: Vec<_> = answer.unknown_variables.iter().map(|name| code(name)).collect();
        let why = if evaluator.node().is_complete() {
            "No such variable for this node"
        } else {
            "Not known of an inferred node, taken as empty"
        };
        card.notes.push(format!("{why}: {}", names.join(", ")));
    }
    if let Some(from) = from.filter(|from| !evaluator.reads(module_of(key), from)) {
        card.notes.push(not_read_text(perspective, key, from));
    }
    card
}

/// What a level that could not be asked means for the answer.
fn opaque_text(opaque: &OpaqueLevel, card: &KeyCard) -> String {
    let (level, function) = (plain(&opaque.level), code(&opaque.function));
    let is_merged = card.merge.as_ref().is_some_and(|it| !sources::is_first(&it.strategy));
    let claim = match &card.answer {
        Answer::Value(_) if is_merged => "Partial: more may come from",
        _ => "May come from",
    };
    format!("{claim} level \"{level}\" ({function} {}).", plain(&opaque.reason))
}

fn add_sources(
    perspective: &Perspective,
    key: &KeyPath,
    result: Option<&Located>,
    card: &mut KeyCard,
) {
    let Some(root) = key.root_name() else { return };
    let options = perspective.evaluator.options_for(root).ok().flatten();
    let all = places::places(&perspective.evaluator, key);
    let is_first = sources::takes_first(options.as_ref());
    let parts = sources::parts(&all, is_first, result);
    if all.len() > 1 || strategy_line(options.as_ref()).is_some() {
        card.merge = Some(strategy_line(options.as_ref()).map_or_else(
            || MergeLine { strategy: "first".to_owned(), set_by: None },
            |strategy| MergeLine { strategy, set_by: set_by(perspective, options.as_ref()) },
        ));
    }
    if let Some(conversion) = options.as_ref().and_then(|it| sources::option(it, "convert_to")) {
        card.notes.push(format!("Converted to {}", code(&inspect::to_s(&conversion))));
    }
    for (place, part) in all.iter().zip(parts) {
        let Some(part) = part else { continue };
        card.sources.push(SourceLine {
            level: place.level.to_string(),
            layer: layer_text(place),
            place: perspective.shown_place(place.key_place.unwrap_or(place.root_key_place)),
            part,
        });
    }
    functions::add_levels(perspective, module_of(root), is_first, card);
    let hiding = all.iter().find(|place| !place.is_default).filter(|place| place.value.is_none());
    if let Some(hiding) = hiding.filter(|_| result.is_none() && !card.sources.is_empty()) {
        let place = perspective.shown_place(hiding.root_key_place);
        card.notes.push(format!(
            "{} in {} has no such member and hides those below: without a merge, the first whole value counts.",
            code(root),
            code(&place)
        ));
    }
}

/// Says that the active node does not read a file, and who does.
fn not_read_text(perspective: &Perspective, key: &str, file: &str) -> String {
    let environment = perspective.evaluator.environment();
    let nodes = perspective.world.nodes(environment);
    let is_named = |node: &&Arc<Node>| file.contains(&*node.name);
    let likely = nodes.iter().filter(is_named).take(MAX_NAMES + 1);
    let others = nodes.iter().filter(|node| !is_named(node));
    let asked = likely.chain(others).take(MAX_OTHER_NODES);
    let reads = |node: &&Arc<Node>| {
        let evaluator = perspective.world.evaluator(environment, node);
        evaluator.reads(module_of(key), file)
    };
    let mut names: Vec<_> = asked.filter(reads).map(|node| code(&node.name)).collect();
    let shown = code(&perspective.shown_path(file));
    let mut text = format!("{shown} is not in the hierarchy of this node.");
    if !names.is_empty() {
        let more = if names.len() > MAX_NAMES { ", …" } else { "" };
        names.truncate(MAX_NAMES);
        let _ = write!(text, " It is read for {}{more}.", names.join(", "));
    }
    text
}

/// The module whose layer is asked for a key.
fn module_of(key: &str) -> Option<&str> {
    key.split_once("::").map(|(module, _)| module)
}
