//! Ruby code and ERB templates of modules: they are only searched as text, for what a rename leaves as it is.

use std::sync::Arc;

use super::{Work, listed};
use crate::config::Environment;
use crate::data::{Files as _, PathKind};
use crate::text::TextRange;
use crate::world::{World, paths};

/// How deep below a directory files are looked for, and how many of a module.
const MAX_DEPTH: usize = 6;
const MAX_FILES: usize = 1_000;

impl Work<'_> {
    /// Names the Ruby files of the key's module that contain the key: they may look it up.
    pub(super) fn warn_of_ruby(&mut self, environment: &Arc<Environment>) {
        let key = self.renaming.root();
        let module = key.split("::").next().and_then(|it| environment.modules.get(it));
        // Without a module in its name, a key is often an ordinary word, which Ruby code may have for other reasons.
        let Some(directory) = module.filter(|_| key.contains("::")) else { return };
        let mut places = Vec::new();
        for path in ruby_files(self.world, directory, &["lib", "templates"]) {
            if self.world.text(&path).is_ok_and(|it| holds_word(&it, key)) {
                let shown = self.shown(environment, &path, TextRange::empty(0));
                places.push(shown.rsplit_once(':').map_or(&*shown, |(path, _)| path).to_owned());
            }
        }
        if !places.is_empty() {
            self.warnings.insert(format!(
                "`{key}` is used in Ruby code, which is not changed: {}.",
                listed(&places)
            ));
        }
    }
}

/// The `.rb` and `.erb` files below some directories of a module.
pub(super) fn ruby_files(world: &World, module: &str, directories: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for directory in directories {
        below(world, &paths::join(module, directory), MAX_DEPTH, &mut found);
    }
    found
}

fn below(world: &World, directory: &str, depth: usize, found: &mut Vec<String>) {
    for item in world.list(directory).iter() {
        let path = paths::join(directory, &item.name);
        if item.is_directory && depth > 0 {
            below(world, &path, depth - 1, found);
        } else if matches!(paths::extension(&item.name), "rb" | "erb")
            && found.len() < MAX_FILES
            && world.kind(&path) == PathKind::File
        {
            found.push(path);
        }
    }
}

/// Whether the text has `word`, and not only as a part of a longer name.
pub(super) fn holds_word(text: &str, word: &str) -> bool {
    word_places(text, word).next().is_some()
}

/// Where the text has `word` that is no part of a longer name.
pub(super) fn word_places<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = u32> + 't {
    let is_part = |it: u8| it.is_ascii_alphanumeric() || it == b'_' || it == b':';
    let places = text.match_indices(word).filter(move |(at, _)| {
        let before = at.checked_sub(1).map(|it| text.as_bytes()[it]);
        let behind = text.as_bytes().get(at + word.len());
        !before.is_some_and(is_part) && !behind.is_some_and(|it| is_part(*it))
    });
    places.map(|(at, _)| at as u32)
}
