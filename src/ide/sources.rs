//! Words for sources and merges: the layer of a place, and what requested a merge.

use super::perspective::Perspective;
use crate::config::hiera_yaml::LayerKind;
use crate::data::Place;
use crate::engine::{AppliedOptions, Source, UsedMerge};

/// Where the options of a merge are set, for users: `common.yaml:3`, followed by the pattern if there is one.
pub(crate) fn set_by(perspective: &Perspective, merge: &UsedMerge) -> Option<String> {
    place_of(perspective, merge.merge_options()?)
}

/// Where these options are written, with the pattern if they are those of one.
pub(crate) fn place_of(perspective: &Perspective, options: &AppliedOptions) -> Option<String> {
    let place = perspective.shown_place(set_at(options)?);
    Some(if options.is_pattern { format!("{place} {}", options.entry) } else { place })
}

/// Where options are set.
pub(crate) fn set_at(options: &AppliedOptions) -> Option<Place> {
    options.key_place.or(options.options.place)
}

/// The layer of a source, unless it is the environment's ordinary hierarchy.
pub(crate) fn layer_text(source: &Source) -> Option<String> {
    let layer = match source.layer {
        LayerKind::Global => "global layer".to_owned(),
        LayerKind::Environment => return None,
        LayerKind::Module => format!("module {}", source.module.as_deref().unwrap_or_default()),
    };
    Some(if source.is_default { format!("default hierarchy of {layer}") } else { layer })
}
