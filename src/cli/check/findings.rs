//! Diagnostics in the form that `check` prints: with lines and columns, and without secrets.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use crate::backends::eyaml::blob::OPENING;
use crate::backends::eyaml::edit::decrypted_parts;
use crate::ide::diagnostics::Severity;
use crate::ide::{Diagnostic, SensitiveKeys};
use crate::text::{Encoding, LineCol, LineIndex, TextRange};
use crate::world::{World, paths};

/// The maximum number of columns of a source line that are shown.
const MAX_COLUMNS: usize = 120;

/// Replaces the characters between the brackets of an encrypted value.
const HIDDEN: u8 = b'*';

/// The findings of one file.
#[derive(Debug)]
pub(in crate::cli) struct FileFindings {
    /// The path from the workspace's root.
    pub(super) path: String,
    /// In the order of the file.
    pub(super) findings: Box<[Finding]>,
}

/// One finding. A run can have millions, so that what many of them have in common is kept once.
#[derive(Debug)]
pub(super) struct Finding {
    /// The start, from 0, with columns in characters.
    pub(super) start: LineCol,
    /// The end, from 0, with columns in characters.
    pub(super) end: LineCol,
    pub(super) said: Arc<Said>,
    /// The shown part of its first line; `None` if it must not be shown.
    pub(super) line: Option<Excerpt>,
}

/// What a finding says, wherever it is.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Said {
    pub(super) severity: Severity,
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) related: Vec<RelatedFinding>,
}

/// Part of a line.
#[derive(Debug)]
pub(super) struct Excerpt {
    pub(super) text: Arc<str>,
    /// The number of characters before the finding, and its length in characters, at least one.
    pub(super) before: u32,
    pub(super) marked: u32,
}

/// A related place.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct RelatedFinding {
    pub(super) path: String,
    pub(super) start: LineCol,
    pub(super) message: String,
}

/// What the findings of a run have in common.
#[derive(Debug, Default)]
pub(super) struct Shared {
    said: HashSet<Arc<Said>, foldhash::fast::RandomState>,
    lines: HashSet<Arc<str>, foldhash::fast::RandomState>,
}

impl Shared {
    /// The finding without anything that an earlier one has as well.
    fn shared(&mut self, mut finding: Finding) -> Finding {
        finding.said = kept_once(&mut self.said, finding.said);
        finding.line = finding.line.map(|line| {
            let text = kept_once(&mut self.lines, line.text);
            Excerpt { text, ..line }
        });
        finding
    }
}

fn kept_once<T: ?Sized + Eq + Hash>(
    known: &mut HashSet<Arc<T>, foldhash::fast::RandomState>,
    new: Arc<T>,
) -> Arc<T> {
    if let Some(known) = known.get(&new) {
        return known.clone();
    }
    known.insert(new.clone());
    new
}

/// How paths are shown.
#[derive(Debug)]
pub(super) struct ShownPaths {
    /// The directory to which they are relative.
    root: String,
    /// The same without links, if those who read the paths know no links.
    real_root: Option<String>,
}

impl ShownPaths {
    pub(super) fn below(root: String) -> Self {
        Self { root, real_root: None }
    }

    /// GitHub and GitLab know the files of a repository only by their own paths.
    pub(super) fn in_repository(world: &World, root: String) -> Self {
        let real_root = Some(world.real_path(&root));
        Self { root, real_root }
    }

    pub(super) fn of(&self, world: &World, path: &str) -> String {
        let real = self.real_root.as_ref().and_then(|root| {
            let path = world.real_path(path);
            paths::below(root, &path).map(str::to_owned)
        });
        real.unwrap_or_else(|| shown_path(&self.root, path))
    }

    /// Keeps each finding once, if files that are read under several paths are shown under one.
    pub(super) fn merge(&self, found: &mut [FileFindings]) {
        if self.real_root.is_none() {
            return;
        }
        let mut by_path: HashMap<&str, Vec<&mut Box<[Finding]>>> = HashMap::new();
        for FileFindings { path, findings } in found {
            by_path.entry(path).or_default().push(findings);
        }
        for same in by_path.into_values().filter(|it| it.len() > 1) {
            let mut known = HashSet::new();
            for findings in same {
                let mut kept = std::mem::take(findings).into_vec();
                kept.retain(|it| known.insert((it.start, it.end, it.said.clone())));
                *findings = kept.into();
            }
        }
    }
}

/// The findings of the file at `path`.
pub(super) fn findings(
    world: &Arc<World>,
    paths: &ShownPaths,
    path: &str,
    diagnostics: Vec<Diagnostic>,
    shared: &Mutex<Shared>,
) -> FileFindings {
    let found = match world.file(path) {
        Ok(file) if !diagnostics.is_empty() => {
            let (text, index) = (&*without_encrypted(&file.text), file.line_index());
            let shower = Shower { world, paths, path, text, index };
            diagnostics.into_iter().map(|it| shower.finding(it)).collect()
        }
        _ => Vec::new(),
    };
    // The lock is not held while the findings are converted.
    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
    let findings = found.into_iter().map(|it| shared.shared(it)).collect();
    FileFindings { path: paths.of(world, path), findings }
}

struct Shower<'a> {
    world: &'a Arc<World>,
    paths: &'a ShownPaths,
    path: &'a str,
    text: &'a str,
    index: &'a LineIndex,
}

impl Shower<'_> {
    fn finding(&self, diagnostic: Diagnostic) -> Finding {
        let Diagnostic { range, severity, code, is_secret, message, related, .. } = diagnostic;
        let at = |offset| self.index.line_col(self.text, offset, Encoding::Utf32);
        let message = without_encrypted(&message);
        let line = self.index.line_range(self.text, self.index.line_of(range.start));
        let related = related.into_iter().map(|it| {
            let path = it.path.as_deref().unwrap_or(self.path);
            let start = self.place_in(path, it.range);
            RelatedFinding { path: self.paths.of(self.world, path), start, message: it.message }
        });
        Finding {
            start: at(range.start),
            end: at(range.end),
            said: Arc::new(Said { severity, code, message, related: related.collect() }),
            line: (!is_secret).then(|| excerpt(line.slice(self.text), line.start, range)),
        }
    }

    fn place_in(&self, path: &str, range: TextRange) -> LineCol {
        match self.world.file(path) {
            Ok(file) => file.line_index().line_col(&file.text, range.start, Encoding::Utf32),
            Err(_) => LineCol { line: 0, col: 0 },
        }
    }
}

/// The part around a finding of the line that starts at byte `start`. However long the line is, only a short part is shown.
fn excerpt(line: &str, start: u32, finding: TextRange) -> Excerpt {
    let line = line.trim_end();
    let within = |offset: u32| (offset.saturating_sub(start) as usize).min(line.len());
    let (from, to) = (within(finding.start), within(finding.end));
    let (Some(before), Some(behind)) = (line.get(..from), line.get(from..)) else {
        return Excerpt { text: "".into(), before: 0, marked: 1 };
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
    Excerpt { text: text.into(), before: before as u32, marked: marked as u32 }
}

/// A path for users: relative to the workspace's directory.
pub(super) fn shown_path(root: &str, path: &str) -> String {
    paths::below(root, path).filter(|it| !it.is_empty()).unwrap_or(path).to_owned()
}

/// The lines, from 0, of a data file that contain values of keys that lookup options make sensitive.
pub(super) fn hidden_lines(world: &Arc<World>, path: &str) -> BTreeSet<usize> {
    let (Ok(file), Some(sensitive)) = (world.file(path), SensitiveKeys::of_file(world, path))
    else {
        return BTreeSet::new();
    };
    let index = file.line_index();
    let lines = |range: TextRange| index.line_of(range.start)..=index.line_of(range.end);
    let secret = sensitive.entries().flat_map(|entry| lines(entry.range()));
    let starts = (0..index.line_count()).map(|line| index.line_range(&file.text, line).start);
    let broken = sensitive.broken_among(starts).into_iter().map(|start| index.line_of(start));
    secret.chain(broken).map(|line| line as usize).collect()
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

    #[test]
    fn what_findings_have_in_common_is_kept_once() {
        let mut shared = Shared::default();
        let mut finding = |message: &str, line: u32| {
            let said = Said {
                severity: Severity::Hint,
                code: "x",
                message: message.to_owned(),
                related: Vec::new(),
            };
            let at = LineCol { line, col: 0 };
            let line = Some(Excerpt { text: "a: 1".into(), before: 0, marked: 1 });
            shared.shared(Finding { start: at, end: at, said: Arc::new(said), line })
        };
        let (one, two, three) = (finding("a", 1), finding("a", 2), finding("b", 1));
        assert!(Arc::ptr_eq(&one.said, &two.said) && !Arc::ptr_eq(&one.said, &three.said));
        let text = |it: &Finding| it.line.as_ref().map(|it| it.text.as_ptr());
        assert!(text(&one) == text(&two) && text(&one) == text(&three));
        assert_eq!((two.start.line, &*three.said.message), (2, "b"));
    }
}
