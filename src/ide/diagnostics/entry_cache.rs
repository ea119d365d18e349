//! Caches the findings for single entries, and for sections of entries, until something that they depend on is edited. After
//! an edit in a large file, the rules only check one entry.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use super::Diagnostic;
use super::entry::{EntryContext, entry_diagnostics, unreachable_integer_key};
use super::kept_findings::{Edited, KeptFindings, SectionFindings};
use super::shared::option_tree::OptionTree;
use super::shared::text_lookup::TextLookup;
use super::shared::walk::plain_scalars;

use crate::config::Environment;
use crate::data::{DataFile, EntryTree, FileId, Section};
use crate::ide::strings::{PlacedName, interpolated_strings, looked_up_keys, variables};
use crate::world::{Moment, World};

/// The maximum number of files whose entries are kept. Editors usually show fewer at once.
const MAX_FILES: usize = 64;

/// The start of encrypted text.
const ENCRYPTED_MARK: &str = "ENC[";

/// What depends only on the entry itself. Ranges count from its first byte.
#[derive(Debug, Clone)]
pub(super) struct EntrySummary {
    /// The findings of the rules about single entries.
    pub(super) findings: Box<[Diagnostic]>,
    /// The variables that it reads.
    pub(super) variables: Box<[PlacedName]>,
    /// The keys that it looks up.
    pub(super) looked_up: Box<[PlacedName]>,
    /// Those keys whose values become strings.
    pub(super) texts: Box<[TextLookup]>,
    /// Whether something in it is encrypted.
    pub(super) has_encrypted: bool,
    /// How readers of YAML 1.2 read it, if a rule needed that.
    pub(super) disagreements: OnceCell<Box<[Diagnostic]>>,
    /// The words of the root keys that rules about other entries depend on, while no key and no call changes.
    pub(super) words: Option<Arc<[u64]>>,
    /// The findings of rules that also depend on other entries, while they are valid.
    pub(super) kept: Option<KeptFindings>,
}

impl EntrySummary {
    /// Whether the severity of findings depends on the function that reads the file.
    pub(super) fn depends_on_reader(&self) -> bool {
        self.has_encrypted
            || self.findings.iter().any(|it| it.code == unreachable_integer_key::RULE.code)
    }
}

/// The summaries of the files that were checked last.
#[derive(Default)]
pub(super) struct EntryCache {
    files: Mutex<HashMap<CacheKey, KeptFile>>,
}

type CacheKey = (FileId, Option<Box<str>>);

/// Summaries in the order of the file, each with the number of its trees.
type Summaries = VecDeque<(u64, Box<EntrySummary>)>;

#[derive(Default)]
struct KeptFile {
    /// By the numbers of the sections.
    sections: HashMap<u64, SectionSummaries>,
    /// When [`EntrySummary::kept`] was found; `None` if nothing is kept.
    moment: Option<Moment>,
}

/// The summaries of the entries of one section. Some may be missing if a check was cancelled.
#[derive(Default)]
struct SectionSummaries {
    entries: Summaries,
    /// All findings together, while they are valid.
    whole: Option<SectionFindings>,
}

/// What is checked next.
pub(super) enum Step<'a> {
    /// A section that starts at this byte, and whose findings are all valid.
    Section(&'a SectionFindings, u32),
    /// An entry. Its findings may be valid.
    Entry(EntryTree<'a>, &'a mut EntrySummary),
}

impl EntryCache {
    /// Runs `work` on all sections or entries of a file, with data of `module` if there is one, until it returns that it is
    /// enough. Findings are kept if the moment is known for which they are valid.
    pub(super) fn each(
        &self,
        (world, environment): (&World, Option<&Environment>),
        (data, path, module): (&DataFile, &str, Option<&str>),
        moment: Option<Moment>,
        mut work: impl FnMut(Step<'_>) -> ControlFlow<()>,
    ) {
        let key = (data.file(), module.map(Box::from));
        // Take the summaries out, so that the lock is not held while rules run. Another thread that comes meanwhile starts
        // without summaries.
        let known = self.lock().remove(&key).unwrap_or_default();
        let earlier = known.moment.as_ref().filter(|_| moment.is_some()).zip(environment);
        let edits = earlier.and_then(|(earlier, it)| world.edits_since(earlier, it));
        let edited = edits.as_ref().and_then(Edited::new);
        let mut known = Known::new(known.sections, data, edited.as_ref());
        let mut sections = HashMap::new();
        let mut is_enough = false;
        for section in data.sections() {
            let mut summaries = known.take(section);
            // The rest of the file is not checked, but all of the file gets the new moment. So nothing is kept that an edit
            // has changed.
            if !is_enough {
                let goes_on = match &summaries.whole {
                    Some(findings) => work(Step::Section(findings, section.range.start)),
                    None => {
                        summaries.check(section, |entry| summary(entry, data, module), &mut work)
                    }
                };
                is_enough = goes_on.is_break();
                if moment.is_some() && !is_enough && summaries.whole.is_none() {
                    summaries.whole = summaries.findings(section, path);
                }
            }
            sections.insert(section.id, summaries);
        }
        let mut files = self.lock();
        if files.len() >= MAX_FILES {
            // Nothing tells which file is least needed, so all are dropped. Each costs one complete check.
            files.clear();
        }
        files.insert(key, KeptFile { sections, moment });
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<CacheKey, KeptFile>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The summaries from before some edits.
struct Known<'a> {
    sections: HashMap<u64, SectionSummaries>,
    /// The summaries of sections that are no longer there. An edited section has most of its entries from the section before
    /// the edit.
    others: HashMap<u64, Box<EntrySummary>>,
    edited: Option<&'a Edited<'a>>,
}

impl<'a> Known<'a> {
    fn new(
        mut sections: HashMap<u64, SectionSummaries>,
        data: &DataFile,
        edited: Option<&'a Edited<'a>>,
    ) -> Self {
        let numbers: HashSet<u64> = data.sections().map(|it| it.id).filter(|id| *id != 0).collect();
        let gone = sections.extract_if(|id, _| !numbers.contains(id));
        let others = gone.flat_map(|(_, summaries)| summaries.entries).collect();
        Self { sections, others, edited }
    }

    /// The summaries of the entries of a section, with findings only if they are still valid.
    fn take(&mut self, section: Section<'_>) -> SectionSummaries {
        let mut summaries = self.sections.remove(&section.id).unwrap_or_else(|| {
            let entry = |tree: EntryTree<'_>| Some((tree.id, self.others.remove(&tree.id)?));
            SectionSummaries { entries: section.trees().filter_map(entry).collect(), whole: None }
        });
        let edited = self.edited;
        summaries.whole.take_if(|it| edited.is_none_or(|edited| !it.is_still_true(edited)));
        // If the findings of the whole section are valid, so are those of each entry.
        if summaries.whole.is_none() {
            for (_, summary) in &mut summaries.entries {
                // The words change only with the keys and calls of the environment.
                summary.words.take_if(|_| edited.is_none());
                summary.kept.take_if(|kept| edited.is_none_or(|it| !kept.is_still_true(it)));
            }
        }
        summaries
    }
}

impl SectionSummaries {
    /// Runs `work` on all entries of the section. `make` makes summaries that are missing.
    fn check(
        &mut self,
        section: Section<'_>,
        make: impl Fn(EntryTree<'_>) -> EntrySummary,
        work: &mut impl FnMut(Step<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut known = std::mem::take(&mut self.entries);
        for entry in section.trees() {
            let is_known = known.front().is_some_and(|(id, _)| *id == entry.id);
            let summary = if is_known { known.pop_front() } else { None };
            let summary = summary.filter(|_| !OptionTree::depends_on_others(&entry));
            let mut summary = summary.map_or_else(|| Box::new(make(entry)), |(_, it)| it);
            let goes_on = work(Step::Entry(entry, &mut summary));
            self.entries.push_back((entry.id, summary));
            if goes_on.is_break() {
                self.entries.append(&mut known);
                return goes_on;
            }
        }
        ControlFlow::Continue(())
    }

    /// The findings of all entries together; `None` if they are not all kept.
    fn findings(&self, section: Section<'_>, path: &str) -> Option<SectionFindings> {
        let mut all = SectionFindings::default();
        for (entry, (_, summary)) in section.trees().zip(&self.entries) {
            let kept = summary.kept.as_ref().filter(|_| !summary.depends_on_reader())?;
            all.add((path, section.range.start), &entry, &summary.findings, kept);
        }
        Some(all.sorted())
    }
}

fn summary(entry: EntryTree<'_>, data: &DataFile, module: Option<&str>) -> EntrySummary {
    let EntryTree { text, key, value, .. } = entry;
    let options = OptionTree::of(data, &entry);
    let strings = interpolated_strings(text, value);
    let (variables, looked_up) = (variables(&strings).into(), looked_up_keys(&strings).into());
    let format = data.format();
    let plain = plain_scalars(format, key, value);
    let context = EntryContext { text, format, module, key, value, strings, plain, options };
    EntrySummary {
        findings: entry_diagnostics(&context).into(),
        variables,
        looked_up,
        texts: TextLookup::all(&context.strings).into(),
        // The text may be that of the whole file.
        has_encrypted: value.range.slice(text).contains(ENCRYPTED_MARK),
        disagreements: OnceCell::new(),
        words: None,
        kept: None,
    }
}
