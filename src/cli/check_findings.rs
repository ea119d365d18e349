//! Diagnostics in the form that `check` prints: with lines and columns, and without secrets.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::backends::eyaml::blob::OPENING;
use crate::backends::eyaml::edit::decrypted_parts;
use crate::data::{Files as _, Format};
use crate::ide::diagnostics::{Severity, rule};
use crate::ide::{Diagnostic, FileRole, Perspective};
use crate::text::{Encoding, LineCol, LineIndex, TextRange};
use crate::world::{World, paths};

/// The maximum number of columns of a source line that are shown.
const MAX_COLUMNS: usize = 120;

/// Replaces the characters between the brackets of an encrypted value.
const HIDDEN: u8 = b'*';

/// One finding.
#[derive(Debug)]
pub(super) struct Finding {
    /// The path from the workspace's root.
    pub(super) path: String,
    /// The start, from 0, with columns in characters.
    pub(super) start: LineCol,
    /// The end, from 0, with columns in characters.
    pub(super) end: LineCol,
    pub(super) severity: Severity,
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) url: Option<String>,
    /// The shown part of its first line; `None` if it must not be shown.
    pub(super) line: Option<Excerpt>,
    pub(super) related: Vec<RelatedFinding>,
}

/// Part of a line.
#[derive(Debug)]
pub(super) struct Excerpt {
    pub(super) text: String,
    /// The number of characters before the finding, and its length in characters, at least one.
    pub(super) before: usize,
    pub(super) marked: usize,
}

/// A related place.
#[derive(Debug)]
pub(super) struct RelatedFinding {
    pub(super) path: String,
    pub(super) start: LineCol,
    pub(super) message: String,
}

/// The findings of the file at `path`.
pub(super) fn findings(
    world: &Arc<World>,
    root: &str,
    path: &str,
    diagnostics: Vec<Diagnostic>,
) -> Vec<Finding> {
    if diagnostics.is_empty() {
        return Vec::new();
    }
    let Ok(file) = world.file(path) else { return Vec::new() };
    let text = without_encrypted(&file.text);
    let (index, perspective) = (file.line_index(), OnceCell::new());
    let shower = Shower { world, root, path, text: &text, index, perspective };
    diagnostics.into_iter().map(|it| shower.finding(it)).collect()
}

struct Shower<'a> {
    world: &'a Arc<World>,
    root: &'a str,
    path: &'a str,
    text: &'a str,
    index: &'a LineIndex,
    perspective: OnceCell<Option<Perspective>>,
}

impl Shower<'_> {
    fn finding(&self, diagnostic: Diagnostic) -> Finding {
        let Diagnostic { range, severity, code, message, related, url, .. } = diagnostic;
        let at = |offset| self.index.line_col(self.text, offset, Encoding::Utf32);
        // A message may quote a value that must not be shown, so the rule's summary takes its place.
        let is_secret = self.is_sensitive(range.start);
        let message =
            if is_secret { without_values(code, &message) } else { without_encrypted(&message) };
        let line = self.index.line_range(self.text, self.index.line_of(range.start));
        let related = related.into_iter().map(|it| {
            let path = it.path.as_deref().unwrap_or(self.path);
            let start = self.place_in(path, it.range);
            RelatedFinding { path: self.shown(path), start, message: it.message }
        });
        Finding {
            path: self.shown(self.path),
            start: at(range.start),
            end: at(range.end),
            severity,
            code,
            message,
            url,
            line: (!is_secret).then(|| excerpt(line.slice(self.text), line.start, range)),
            related: related.collect(),
        }
    }

    fn place_in(&self, path: &str, range: TextRange) -> LineCol {
        match self.world.file(path) {
            Ok(file) => file.line_index().line_col(&file.text, range.start, Encoding::Utf32),
            Err(_) => LineCol { line: 0, col: 0 },
        }
    }

    fn shown(&self, path: &str) -> String {
        shown_path(self.root, path)
    }

    /// Whether the offset is in the value of a key that lookup options make sensitive.
    fn is_sensitive(&self, offset: u32) -> bool {
        let Some(FileRole::Data { format, .. }) = FileRole::of(self.world, self.path) else {
            return false;
        };
        let perspective =
            self.perspective.get_or_init(|| Perspective::of_file(self.world, self.path)).as_ref();
        perspective.is_some_and(|perspective| {
            self.root_key(format, offset).is_some_and(|key| perspective.makes_sensitive(&key))
        })
    }

    fn root_key(&self, format: Format, offset: u32) -> Option<String> {
        let data = self.world.data(self.path, format).ok()?;
        let entry = data.entry_at(offset)?;
        let key = entry.key.range.shifted(entry.start).slice(data.text());
        Some(key.trim_matches(['"', '\'']).to_owned())
    }
}

/// The part around a finding of the line that starts at byte `start`. However long the line is, only a short part is shown.
fn excerpt(line: &str, start: u32, finding: TextRange) -> Excerpt {
    let line = line.trim_end();
    let within = |offset: u32| (offset.saturating_sub(start) as usize).min(line.len());
    let (from, to) = (within(finding.start), within(finding.end));
    let (Some(before), Some(behind)) = (line.get(..from), line.get(from..)) else {
        return Excerpt { text: String::new(), before: 0, marked: 1 };
    };
    let end = behind.char_indices().nth(MAX_COLUMNS).map_or(line.len(), |(at, _)| from + at);
    // If the part after the finding is short, more of the part before it is shown.
    let shown_behind = line[from..end].chars().count();
    let room = (MAX_COLUMNS / 2).max(MAX_COLUMNS - shown_behind);
    let cut = before.char_indices().rev().take(room).last().map_or(from, |(at, _)| at);
    let text: String = line[cut..end].chars().take(MAX_COLUMNS).collect();
    let before = line[cut..from].chars().count();
    let marked = line.get(from..to.min(end)).map_or(1, |it| it.chars().count());
    let marked = marked.min(text.chars().count() - before).max(1);
    Excerpt { text, before, marked }
}

/// The message of a finding about a value that must not be shown: the rule and, for a class parameter, which catalogs fail.
fn without_values(code: &str, message: &str) -> String {
    const FROM_HERE: &str = "\nCatalogs with class ";
    let summary = rule(code).map_or("", |rule| rule.summary);
    let consequence = message.find(FROM_HERE).map_or("", |at| &message[at..]);
    format!("{summary}{consequence}")
}

/// A path for users: relative to the workspace's directory.
pub(super) fn shown_path(root: &str, path: &str) -> String {
    paths::below(root, path).filter(|it| !it.is_empty()).unwrap_or(path).to_owned()
}

/// The lines, from 0, of a data file that contain values of keys that lookup options make sensitive.
pub(super) fn hidden_lines(world: &Arc<World>, path: &str) -> BTreeSet<usize> {
    let Some(FileRole::Data { format, .. }) = FileRole::of(world, path) else {
        return BTreeSet::new();
    };
    let (Ok(file), Ok(data)) = (world.file(path), world.data(path, format)) else {
        return BTreeSet::new();
    };
    let Some(perspective) = Perspective::of_file(world, path) else { return BTreeSet::new() };
    let secret = data.trees().filter(|entry| {
        let key = entry.key.range.slice(entry.text).trim_matches(['"', '\'']);
        perspective.makes_sensitive(key)
    });
    let index = file.line_index();
    let lines = |range: TextRange| index.line_of(range.start)..=index.line_of(range.end);
    secret.flat_map(|entry| lines(entry.range())).map(|line| line as usize).collect()
}

/// The text with stars instead of the contents of `ENC[…]` and `DEC(1)::PKCS7[…]!`; all offsets stay the same.
pub(super) fn without_encrypted(text: &str) -> String {
    let mut hidden = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(OPENING) {
        let start = from + at + OPENING.len();
        // An encrypted value without an end is hidden up to the end of the text.
        let length = text[start..].find(']').unwrap_or(text.len() - start);
        from = start + length;
        hidden.push(start..from);
    }
    for part in decrypted_parts(text) {
        let end = part.range.end as usize - "]!".len();
        hidden.push(end - part.text.len()..end);
    }
    // Spaces and line ends stay, so that lines and offsets do not change.
    let hide = |byte: u8| if byte.is_ascii_whitespace() { byte } else { HIDDEN };
    let mut shown = text.as_bytes().to_vec();
    for range in hidden {
        shown[range].iter_mut().for_each(|byte| *byte = hide(*byte));
    }
    String::from_utf8(shown).expect("whole characters are replaced by stars")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(without_encrypted(text), expected);
    }

    #[test]
    fn encrypted_values_are_hidden() {
        check("a: ENC[PKCS7,MII+=]\nb: 1", "a: ENC[***********]\nb: 1");
        check("a: >\n  ENC[PK,a\n  b] x ENC[GPG", "a: >\n  ENC[****\n  *] x ENC[***");
        check("a: DEC(1)::PKCS7[sé t]! b", "a: DEC(1)::PKCS7[*** *]! b");
        check("nothing", "nothing");
    }
}
