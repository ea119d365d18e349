//! The places of one file that mention a subject.

use std::sync::Arc;

use super::{Occurrence, Subject};
use crate::data::DataFile;
use crate::engine::sources::dig_written;
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::strings::interpolated_strings;
use crate::syntax::interpolation::Token;
use crate::syntax::key_path::{self, Segment};
use crate::syntax::ruby_regex;
use crate::syntax::tree::NodeKind;
use crate::text::TextRange;

/// What was found in one file.
pub(super) struct Found<'a> {
    pub(super) path: &'a Arc<str>,
    pub(super) places: Vec<Occurrence>,
}

impl Found<'_> {
    fn add(&mut self, range: TextRange, is_declaration: bool) {
        self.places.push(Occurrence { path: self.path.clone(), range, is_declaration });
    }

    pub(super) fn declarations(&mut self, data: &DataFile, subject: &Subject) {
        let Subject::Key(key) = subject else { return };
        let entry = key.root_name().and_then(|root| data.get(root));
        let dug = entry.and_then(|entry| dig_written(&entry.value, &key.rest, entry.key_place));
        // What `<<` or an alias copies is written in another entry, or in none.
        if let Some((place, _)) = dug.filter(|(place, _)| place.file == data.file()) {
            self.add(place.range, true);
        }
    }

    pub(super) fn lookup_options(&mut self, data: &DataFile, subject: &Subject) {
        let speaks_of = |name: &str| match subject {
            Subject::Key(key) => {
                // Options apply to root keys only.
                let root = key.root_name().filter(|_| key.rest.is_empty());
                root.is_some_and(|root| is_for(name, root))
            }
            Subject::Pattern(pattern) => **pattern == *name,
            Subject::Variable(_) => false,
        };
        let is_options = |key: &NodeKind| match key {
            NodeKind::Scalar { text, .. } => &**text == LOOKUP_OPTIONS,
            _ => false,
        };
        for entry in data.trees().filter(|entry| is_options(&entry.key.kind)) {
            let NodeKind::Mapping(pairs) = &entry.value.kind else { continue };
            for pair in pairs {
                match &pair.key.kind {
                    NodeKind::Scalar { text, .. } if speaks_of(text) => {
                        self.add(pair.key.range.shifted(entry.start), false);
                    }
                    _ => {}
                }
            }
        }
    }

    pub(super) fn tokens(&mut self, data: &DataFile, subject: &Subject) {
        for entry in data.trees() {
            for string in interpolated_strings(entry.text, entry.value) {
                for token in &string.tokens {
                    if let Some(part) = part_for(token, subject) {
                        let range = string.part_range(token, part);
                        self.add(range.shifted(entry.start), false);
                    }
                }
            }
        }
    }
}

/// Whether the lookup options under `name` apply to the root key `root`.
fn is_for(name: &str, root: &str) -> bool {
    name == root
        || name.starts_with('^')
            && ruby_regex::translate(name).is_ok_and(|regex| regex.is_match(root))
}

/// Where in the decoded string a token names the subject.
fn part_for(token: &Token, subject: &Subject) -> Option<TextRange> {
    let ((text, range), wanted): (_, Vec<Segment>) = match subject {
        Subject::Key(key) => {
            let wanted = std::iter::once(&key.root).chain(&key.rest).cloned().collect();
            (token.lookup_key()?, wanted)
        }
        Subject::Variable(segments) => (token.variable()?, segments.clone()),
        Subject::Pattern(_) => return None,
    };
    let named = if let Subject::Variable(_) = subject {
        segments_of(text)?
    } else {
        let path = key_path::parse(text).ok()?;
        std::iter::once(path.root).chain(path.rest).collect()
    };
    if !named.starts_with(&wanted) {
        return None;
    }
    let (placed, _) = key_path::segment_ranges(text);
    let first = placed.first()?.full_range.start;
    let last = placed.get(wanted.len() - 1)?.full_range.end;
    Some(TextRange::new(first, last).shifted(range.start))
}

/// `::facts.os` as `facts`, `os`.
pub(super) fn segments_of(name: &str) -> Option<Vec<Segment>> {
    let path = key_path::parse(name).ok()?;
    let root = path.root_name()?;
    let root = root.strip_prefix("::").map_or_else(|| root.clone(), Arc::from);
    Some(std::iter::once(Segment::Name(root)).chain(path.rest).collect())
}
