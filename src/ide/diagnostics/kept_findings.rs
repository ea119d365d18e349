//! The findings of one entry that depend on other entries, and the edits that can change them.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::Diagnostic;
use super::key::{convert_to_misses_type, sensitive_parameter_plain_data, value_type_mismatch};
use crate::config::Environment;
use crate::data::{DataFile, EntryTree, FileId, Files as _};
use crate::engine::root_hash;
use crate::ide::context::LOOKUP_OPTIONS;
use crate::syntax::interpolation::longest_word;
use crate::syntax::tree::NodeKind;
use crate::text::TextRange;
use crate::world::{CallWords, KeyEdits, KeyIndex, World};

/// If the lookups of an entry may lead to more keys than this, the entry is checked after each edit.
const MAX_KEYS: usize = 1_024;

/// The findings of one entry.
#[derive(Debug, Clone)]
pub(super) struct KeptFindings {
    /// Ranges in the file count from the start of the entry.
    findings: Box<[Diagnostic]>,
    /// The words of the root keys that matter, as hashes.
    words: Arc<[u64]>,
    /// The other files that the findings point to.
    files: Box<[FileId]>,
}

/// The findings of all entries of a section.
#[derive(Debug, Default)]
pub(super) struct SectionFindings {
    /// Ranges in the file count from the start of the section.
    findings: Vec<Diagnostic>,
    /// What matters to any of them, as in [`KeptFindings`]; sorted.
    words: Vec<u64>,
    files: Vec<FileId>,
    /// The number of entries whose key is a scalar.
    pub(super) keys: usize,
}

/// When the findings stay valid.
pub(super) struct Edited<'a> {
    edits: &'a KeyEdits,
    words: Vec<u64>,
}

impl<'a> Edited<'a> {
    /// `None` if no finding certainly stays valid, because rules also depend on which keys exist and which keys others
    /// name.
    pub(super) fn new(edits: &'a KeyEdits) -> Option<Self> {
        let words = edits.keys.iter().map(|key| root_hash(longest_word(key))).collect();
        (!edits.has_other_keys && !edits.has_other_calls).then_some(Self { edits, words })
    }
}

impl KeptFindings {
    /// The findings of an entry, if it is known what they depend on.
    pub(super) fn new(
        world: &World,
        (path, data): (&str, &DataFile),
        entry: &EntryTree<'_>,
        findings: &[Diagnostic],
        words: Arc<[u64]>,
    ) -> Option<Self> {
        let whole = TextRange::new(entry.start, entry.start + entry.text.len() as u32);
        let mut files = Vec::new();
        for finding in findings {
            let is_of_types = [
                value_type_mismatch::RULE.code,
                sensitive_parameter_plain_data::RULE.code,
                convert_to_misses_type::RULE.code,
            ];
            let (own, others): (Vec<_>, Vec<_>) =
                finding.related.iter().partition(|it| is_own(it.path.as_deref(), path));
            let edits = finding.fixes.iter().flat_map(|fix| &fix.edits).map(|edit| edit.range);
            let mut ranges = own.iter().map(|it| it.range).chain([finding.range]).chain(edits);
            // The affected nodes depend on their classes, and any data can change those.
            if is_of_types.contains(&finding.code)
                || !ranges.all(|range| whole.contains_range(range))
            {
                return None;
            }
            files.extend(others.iter().filter_map(|it| Some(world.id(it.path.as_deref()?))));
        }
        let in_entry =
            |range: TextRange| TextRange::new(range.start - entry.start, range.end - entry.start);
        let findings = findings.iter().map(|it| moved(it.clone(), path, &in_entry));
        let findings: Box<[Diagnostic]> = findings.collect();
        // What a fix has to remove with the entry depends on the entries before and after it.
        let words = if findings.is_empty() {
            words
        } else {
            words.iter().copied().chain(words_beside(data, entry)?).collect()
        };
        Some(Self { findings, words, files: files.into() })
    }

    /// Whether the findings are still valid after some edits.
    pub(super) fn is_still_true(&self, edited: &Edited<'_>) -> bool {
        !self.words.iter().any(|word| edited.words.contains(word))
            && !self.files.iter().any(|file| edited.edits.files.contains(file))
    }

    /// The findings, for an entry that now starts at byte `start`.
    pub(super) fn at(&self, path: &str, start: u32) -> impl Iterator<Item = Diagnostic> {
        self.findings.iter().map(move |it| moved(it.clone(), path, &|it| it.shifted(start)))
    }
}

impl SectionFindings {
    /// Adds the findings of an entry of a section that starts at byte `base`: those that depend on the entry alone, and
    /// `kept`.
    pub(super) fn add(
        &mut self,
        (path, base): (&str, u32),
        entry: &EntryTree<'_>,
        findings: &[Diagnostic],
        kept: &KeptFindings,
    ) {
        let start = entry.start - base;
        self.findings.extend(findings.iter().map(|it| it.clone().shifted(start)));
        self.findings.extend(kept.at(path, start));
        self.words.extend_from_slice(&kept.words);
        self.files.extend_from_slice(&kept.files);
        self.keys += usize::from(matches!(entry.key.kind, NodeKind::Scalar { .. }));
    }

    pub(super) fn sorted(mut self) -> Self {
        self.words.sort_unstable();
        self.words.dedup();
        self.files.sort_unstable();
        self.files.dedup();
        self
    }

    /// Whether all findings are still valid after some edits.
    pub(super) fn is_still_true(&self, edited: &Edited<'_>) -> bool {
        !edited.words.iter().any(|word| self.words.binary_search(word).is_ok())
            && !self.files.iter().any(|file| edited.edits.files.contains(file))
    }

    /// The findings, for a section that now starts at byte `start`.
    pub(super) fn at(&self, path: &str, start: u32) -> impl Iterator<Item = Diagnostic> {
        self.findings.iter().map(move |it| moved(it.clone(), path, &|it| it.shifted(start)))
    }
}

/// The words of the root keys before and after an entry. `None` if one of them is broken, or may be edited under other names.
fn words_beside(data: &DataFile, entry: &EntryTree<'_>) -> Option<Vec<u64>> {
    let end = entry.start + entry.text.len() as u32;
    let before = entry.start.checked_sub(1);
    let after = (end < data.text().len() as u32).then_some(end);
    let mut words = Vec::new();
    for offset in before.into_iter().chain(after) {
        match data.entry_at(offset) {
            Some(other) => match &other.key.kind {
                NodeKind::Scalar { text: key, .. } if **key != *LOOKUP_OPTIONS => {
                    words.push(root_hash(longest_word(key)));
                }
                _ => return None,
            },
            // Before the first entry, there may be comments.
            None if data.is_broken() => return None,
            None => {}
        }
    }
    Some(words)
}

/// Moves the ranges of a finding in its own file.
fn moved(
    mut finding: Diagnostic,
    path: &str,
    place: &dyn Fn(TextRange) -> TextRange,
) -> Diagnostic {
    finding.range = place(finding.range);
    for related in finding.related.iter_mut().filter(|it| is_own(it.path.as_deref(), path)) {
        related.range = place(related.range);
    }
    for edit in finding.fixes.iter_mut().flat_map(|fix| &mut fix.edits) {
        edit.range = place(edit.range);
    }
    finding
}

/// Whether a place is in the file at `path`; the place itself does not say.
fn is_own(file: Option<&str>, path: &str) -> bool {
    file.is_none_or(|file| file == path)
}

/// The words that an edited root key must contain to affect an entry. They come from the texts of all entries that its
/// lookup may read.
pub(super) struct Mentions {
    index: Arc<KeyIndex>,
    /// The words in the calls of the entries of each root key.
    known: BTreeMap<Arc<str>, CallWords>,
}

impl Mentions {
    pub(super) fn new(world: &World, environment: &Environment) -> Self {
        Self { index: world.key_index(environment), known: BTreeMap::new() }
    }

    /// The words of an entry and of all that its calls lead to.
    pub(super) fn of(&mut self, entry: &EntryTree<'_>) -> Option<Arc<[u64]>> {
        let NodeKind::Scalar { text: key, .. } = &entry.key.kind else { return None };
        // `lookup_options` matter to all keys, and `<<` adds keys that the text does not show.
        if **key == *LOOKUP_OPTIONS || **key == *"<<" {
            return None;
        }
        let mut found = vec![root_hash(longest_word(key))];
        let mut seen: HashSet<Arc<str>> = HashSet::from([Arc::clone(key)]);
        let mut left = vec![Arc::clone(key)];
        while let Some(key) = left.pop() {
            if seen.len() > MAX_KEYS {
                return None;
            }
            for word in self.in_entries(&key)?.iter() {
                found.push(root_hash(word));
                // A word that is not a root key has no entries to follow.
                if seen.insert(Arc::clone(word)) && self.index.contains(word) {
                    left.push(Arc::clone(word));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        Some(found.into())
    }

    /// The words in the calls of all entries with a root key.
    fn in_entries(&mut self, key: &Arc<str>) -> CallWords {
        if let Some(known) = self.known.get(key) {
            return known.clone();
        }
        let found = self.index.call_words(key);
        self.known.insert(Arc::clone(key), found.clone());
        found
    }
}
