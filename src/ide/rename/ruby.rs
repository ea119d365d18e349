//! Ruby code and ERB templates of modules: they are only searched as text, for what a rename leaves as it is.

use std::sync::Arc;

use super::{Work, listed};
use crate::config::Environment;
use crate::data::Files as _;
use crate::ide::searched_code::{RUBY, WITH_RUBY, files_below, holds_word};
use crate::text::TextRange;

impl Work<'_> {
    /// Names the Ruby files of the key's module that contain the key: they may look it up.
    pub(super) fn warn_of_ruby(&mut self, environment: &Arc<Environment>) {
        let key = self.renaming.root();
        let module = key.split("::").next().and_then(|it| environment.modules.get(it));
        // Without a module in its name, a key is often an ordinary word, which Ruby code may have for other reasons.
        let Some(directory) = module.filter(|_| key.contains("::")) else { return };
        let mut places = Vec::new();
        for path in files_below(self.world, directory, &WITH_RUBY, &RUBY) {
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
