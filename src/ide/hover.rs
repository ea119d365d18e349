//! Hovers: the value that the active node gets, where it comes from, and what it hides.

mod config;
mod encrypted;
mod key;
mod links;
pub(crate) mod markdown;
pub(crate) mod markup;
mod variable;

pub(super) use key::{AskedKey, Otherwise, asked_key_text};
pub use links::{NamedPlace, named_places};

use std::sync::Arc;

use super::context::{self, DataSpot, SpotPart, TokenSpot};
use super::file_role::FileRole;
use super::perspective::Perspective;
use crate::code::roots::is_code;
use crate::engine::CancelToken;
use crate::syntax::interpolation::{Expression, Method};
use crate::text::TextRange;
use crate::world::World;

/// The text for one place of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    /// The text.
    pub markdown: String,
    /// The range that it is about, in bytes.
    pub range: TextRange,
}

/// The hover at `offset` (bytes) of the file at `path`; `None` if there is nothing to show.
pub fn hover(world: &Arc<World>, path: &str, offset: u32, cancel: &CancelToken) -> Option<Hover> {
    // The user requests a hover, so functions in other processes may run for it, and secrets be decrypted if settings allow it.
    let perspective = Perspective::revealing(world, path)?.until(cancel);
    if is_code(path) {
        return super::code::hover(&perspective, path, offset);
    }
    match FileRole::of(world, path)? {
        FileRole::HieraYaml { .. } => config::hover(&perspective, path, offset),
        FileRole::Data { format, .. } => {
            let data = world.file(path).ok()?.data(format).clone();
            let spot = context::spot_in_file(&data, offset)?;
            data_hover(&perspective, path, &spot)
        }
    }
}

/// The hover text of a key, for a terminal.
pub fn plain_text_of_key(perspective: &Perspective, key: &str) -> String {
    key::plain_text(perspective, key)
}

/// The hover text of a key that `%{…}` looks up.
pub(crate) fn key_text(perspective: &Perspective, key: &str) -> String {
    key::text(perspective, key, None)
}

fn data_hover(perspective: &Perspective, path: &str, spot: &DataSpot) -> Option<Hover> {
    if let Some(token) = &spot.token {
        return Some(Hover { markdown: token_text(perspective, token)?, range: token.range });
    }
    let range = match spot.part {
        SpotPart::Key => spot.steps.last()?.range,
        SpotPart::Scalar(range) => range,
        SpotPart::Alias(_) | SpotPart::Between => return None,
    };
    let markdown = match context::lookup_option_spot(spot) {
        Some(option) => key::lookup_option_text(perspective, &option),
        // Puppet never finds `lookup_options` as a key.
        None if spot.root_key()? == context::LOOKUP_OPTIONS => return None,
        None => {
            let (key, _) = spot.lookup_key()?;
            key::text(perspective, &key, Some(path))
        }
    };
    Some(Hover { markdown, range })
}

fn token_text(perspective: &Perspective, spot: &TokenSpot) -> Option<String> {
    if let Some((key, _)) = spot.token.lookup_key() {
        return Some(key::text(perspective, key, None));
    }
    if let Some((name, _)) = spot.token.variable() {
        return Some(variable::text(perspective, name));
    }
    match &spot.token.expression {
        Expression::Call { method: Method::Literal, argument, .. } => {
            Some(format!("The text {} itself, not interpolated again", markup::code(argument)))
        }
        Expression::Empty => Some("Gives an empty string".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
