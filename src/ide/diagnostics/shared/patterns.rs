//! The patterns of `lookup_options`. They are translated once, and not again after every edit.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::syntax::ruby_regex::{self, RubyRegex};
use crate::world::World;

/// The maximum number of patterns that are kept.
const MAX_PATTERNS: usize = 16_384;

#[derive(Debug, Default)]
struct Patterns {
    by_text: Mutex<HashMap<Box<str>, Option<Arc<RubyRegex>>>>,
}

/// The regular expression for Ruby's pattern `text`; `None` if Ruby refuses the pattern or we cannot translate it.
pub(crate) fn pattern(world: &World, text: &str) -> Option<Arc<RubyRegex>> {
    let patterns = world.attached::<Patterns>();
    let mut by_text = patterns.by_text.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = by_text.get(text) {
        return known.clone();
    }
    if by_text.len() == MAX_PATTERNS {
        by_text.clear();
    }
    let translated = ruby_regex::translate(text).ok().map(Arc::new);
    by_text.insert(text.into(), translated.clone());
    translated
}
