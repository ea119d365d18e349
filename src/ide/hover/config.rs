//! Hover in `hiera.yaml`: the files of a level for the active node, and which of them exist.

use std::fmt::Write as _;

use super::Hover;
use super::markup::{code, plain};
use crate::data::{Files, Place};
use crate::engine::{Location, ResolvedLevel};
use crate::ide::perspective::Perspective;
use crate::text::TextRange;

/// The hover at `offset` of the `hiera.yaml` at `path`.
pub(super) fn hover(perspective: &Perspective, path: &str, offset: u32) -> Option<Hover> {
    let file = perspective.world.id(path);
    let touches = |place: Option<Place>| {
        place.filter(|it| it.file == file && it.range.touches(offset)).map(|it| it.range)
    };
    super::super::level_files::with_levels(perspective, path, |levels| {
        let level = levels.iter().find(|level| touches(level.place).is_some())?;
        let mut templates = level.locations.iter().flatten();
        let template = templates.find_map(|it| touches(it.template_place));
        let range = template.or_else(|| touches(level.place))?;
        Some(Hover { markdown: text(perspective, level, template), range })
    })
}

fn text(perspective: &Perspective, level: &ResolvedLevel, template: Option<TextRange>) -> String {
    let asked_for = perspective.asked_for().markdown();
    let mut text = format!("**level \"{}\"** for {asked_for}\n\n", plain(&level.name));
    let locations = level.locations.iter().flatten();
    let wanted =
        |it: &&Location| template.is_none() || it.template_place.map(|it| it.range) == template;
    let mut count = 0;
    for location in locations.filter(wanted) {
        let shown = code(&perspective.shown_path(&location.location));
        let state = if location.is_uri {
            ""
        } else if location.exists {
            " · exists"
        } else {
            " · no such file"
        };
        count += 1;
        let _ = writeln!(text, "{count}. {shown}{state}");
    }
    if count == 0 {
        text += "No file at all.\n";
    }
    let _ = write!(text, "\nBack end {}", code(&level.function.name));
    text
}
