//! The places that have a key and what each does for the answer, and the merge strategy that decides.

use super::hover::markdown::Part;
use super::perspective::Perspective;
use super::places::KeyPlace;
use crate::config::hiera_yaml::LayerKind;
use crate::data::{Located, Place, Value, inspect};
use crate::engine::AppliedOptions;

/// What each place does for the answer; `None` for places without the asked member.
pub(crate) fn parts(
    places: &[KeyPlace],
    is_first: bool,
    result: Option<&Located>,
) -> Vec<Option<Part>> {
    let has_ordinary = places.iter().any(|place| !place.is_default);
    let counts = |place: &KeyPlace| place.is_default != has_ordinary;
    let winner = result.and_then(|result| result.place);
    let is_winner = |place: &KeyPlace| {
        winner.is_some() && place.value.as_ref().is_some_and(|value| value.place == winner)
    };
    let first = places.iter().position(counts);
    let one_wins = places.iter().any(|place| counts(place) && is_winner(place));
    let part = |(number, place): (usize, &KeyPlace)| {
        place.value.as_ref()?;
        Some(if !counts(place) {
            Part::Overridden
        } else if is_first {
            if Some(number) == first { Part::Wins } else { Part::Overridden }
        } else if one_wins {
            if is_winner(place) { Part::Wins } else { Part::Overridden }
        } else {
            Part::Contributes
        })
    };
    places.iter().enumerate().map(part).collect()
}

/// Whether a part has any share in the answer.
pub(crate) fn counts(part: Part) -> bool {
    part != Part::Overridden
}

/// Whether the first value found is the answer: no other strategy is asked for.
pub(crate) fn takes_first(options: Option<&AppliedOptions>) -> bool {
    let strategy = options.and_then(strategy_of);
    strategy.is_none_or(|name| is_first(&name))
}

/// Whether the strategy takes the first value found.
pub(crate) fn is_first(strategy: &str) -> bool {
    matches!(strategy, "first" | "default")
}

/// An option of an entry of `lookup_options`; `None` if it is `~` or `false`, too.
pub(crate) fn option(options: &AppliedOptions, name: &str) -> Option<Value> {
    let value = options.options.value.as_hash()?.get(name)?.value.value.clone();
    value.is_truthy().then_some(value)
}

/// The name of the merge strategy that is asked for.
pub(crate) fn strategy_of(options: &AppliedOptions) -> Option<String> {
    match option(options, "merge")? {
        Value::Hash(hash) => Some(hash.get("strategy")?.value.value.as_str()?.to_owned()),
        value => value.as_str().map(str::to_owned),
    }
}

/// The strategy with its options: `deep (knockout_prefix: "--")`.
pub(crate) fn strategy_line(options: Option<&AppliedOptions>) -> Option<String> {
    let options = options?;
    let strategy = strategy_of(options)?;
    let Some(Value::Hash(hash)) = option(options, "merge") else { return Some(strategy) };
    let others = hash.iter().filter(|(key, _)| key.as_str() != Some("strategy"));
    let others: Vec<_> = others
        .map(|(key, member)| {
            format!("{}: {}", inspect::to_s(key), inspect::inspect(&member.value.value))
        })
        .collect();
    Some(if others.is_empty() { strategy } else { format!("{strategy} ({})", others.join(", ")) })
}

/// Where the options are set, as people say it: `common.yaml:3`, with the pattern behind it.
pub(crate) fn set_by(
    perspective: &Perspective,
    options: Option<&AppliedOptions>,
) -> Option<String> {
    let options = options?;
    let place = perspective.shown_place(set_at(options)?);
    Some(if options.is_pattern { format!("{place} {}", options.entry) } else { place })
}

/// Where the options are set.
pub(crate) fn set_at(options: &AppliedOptions) -> Option<Place> {
    options.key_place.or(options.options.place)
}

/// The layer of a place, unless it is the environment's ordinary hierarchy.
pub(crate) fn layer_text(place: &KeyPlace) -> Option<String> {
    let layer = match place.layer {
        LayerKind::Global => "global layer".to_owned(),
        LayerKind::Environment => return None,
        LayerKind::Module => format!("module {}", place.module.as_deref().unwrap_or_default()),
    };
    Some(if place.is_default { format!("default hierarchy of {layer}") } else { layer })
}
