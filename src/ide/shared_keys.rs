//! What lenses, tokens and hints say about the root keys of a file. It is kept between edits: an entry is only looked up
//! again if it was edited, or if a key that its lookup read was edited.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::code_lens::title;
use super::overridden::{Overridden, shared_key};
use super::perspective::Perspective;
use crate::config::Environment;
use crate::data::{DataFile, EntryTree, FileId, Format, Section, new_id};
use crate::engine::{CancelToken, root_hash};
use crate::facts::Node;
use crate::text::SharedText;
use crate::world::{KeyEdits, Moment};

type ByNumber<T> = HashMap<u64, T, foldhash::fast::RandomState>;

/// The maximum number of files whose entries are kept: those that were used last.
const MAX_FILES: usize = 16;

/// What is known about the root key of one entry.
#[derive(Debug)]
pub(crate) struct EntryAnswer {
    /// The title of a lens; `None` if no other file has the key, or if the node does not read this file.
    pub(crate) title: Option<String>,
    /// The parts of the entry that are not used, in bytes from the start of the entry.
    pub(crate) overridden: Box<[Overridden]>,
    /// The root keys that the lookup read; `None` if it can be any key.
    roots: Option<Box<[u64]>>,
    /// The files of the places in the result.
    files: Box<[FileId]>,
}

/// The results for the entries of one file and one node, by section.
pub(crate) struct EntryAnswers {
    sections: Vec<Arc<SectionAnswers>>,
}

/// The results for the entries of one section, in their order. It only has results that were needed.
pub(crate) struct SectionAnswers {
    /// The number of what is shown for the section: the same number means the same lenses and tokens.
    id: OnceLock<u64>,
    /// The number of the section.
    section: u64,
    entries: Box<[(u64, OnceLock<Arc<EntryAnswer>>)]>,
    reads: OnceLock<Reads>,
    /// What was shown before an edit elsewhere. Most results are the same again.
    before: Option<Shown>,
    /// Held while a result is found. Several requests arrive after an edit, and all need the same results.
    finding: Mutex<()>,
}

/// All results of a section, and the number of what is shown.
struct Shown {
    id: u64,
    answers: Box<[Arc<EntryAnswer>]>,
}

/// What all results of a section depend on.
struct Reads {
    /// The root keys that the lookups read, sorted; `None` if they can be any keys.
    roots: Option<Box<[u64]>>,
    /// The files of the places in the results.
    files: Box<[FileId]>,
}

/// The results that are kept, those that were used last first.
#[derive(Default)]
struct KeptAnswers(Mutex<VecDeque<Arc<KeptFile>>>);

struct KeptFile {
    file: FileId,
    format: Format,
    environment: Arc<Environment>,
    node: Arc<Node>,
    /// Locked while results are found. Requests for the same moment share them, so the others wait for the first one, but not
    /// those for other files.
    latest: Mutex<Option<Latest>>,
}

/// The results of the latest moment.
struct Latest {
    moment: Moment,
    answers: Arc<EntryAnswers>,
    text: SharedText,
    /// Those of the text before: after a character is deleted or an edit undone, they are valid again.
    earlier: Option<Earlier>,
}

/// The results for an earlier text of a file.
struct Earlier {
    moment: Moment,
    text: SharedText,
    answers: Arc<EntryAnswers>,
}

/// Results of an earlier moment, and which of them are still valid.
struct StillTrue<'a> {
    edits: &'a KeyEdits,
    edited: Vec<u64>,
    /// The results for sections that the file still has, by the numbers of these.
    same: ByNumber<&'a Arc<SectionAnswers>>,
    /// The valid results for entries of other sections, by the numbers of the entries.
    of_gone: ByNumber<&'a Arc<EntryAnswer>>,
}

/// What looks the keys of a file up.
#[derive(Clone, Copy)]
pub(crate) struct FileLookups<'a> {
    pub(crate) perspective: &'a Perspective,
    /// The file.
    pub(crate) path: &'a str,
    pub(crate) cancel: &'a CancelToken,
}

impl KeptAnswers {
    /// What is kept of a file for the node of `perspective`.
    fn file(&self, perspective: &Perspective, data: &DataFile) -> Arc<KeptFile> {
        let (environment, node) =
            (perspective.evaluator.environment(), perspective.evaluator.node());
        let is_it = |it: &Arc<KeptFile>| {
            it.file == data.file()
                && it.format == data.format()
                && Arc::ptr_eq(&it.node, node)
                && it.environment == *environment
        };
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = files.iter().position(is_it).and_then(|at| files.remove(at));
        let file = known.unwrap_or_else(|| {
            Arc::new(KeptFile {
                file: data.file(),
                format: data.format(),
                environment: environment.clone(),
                node: node.clone(),
                latest: Mutex::default(),
            })
        });
        files.push_front(file.clone());
        files.truncate(MAX_FILES);
        file
    }
}

impl EntryAnswers {
    /// The results for the entries of `data`, in the order of [`DataFile::sections`]. Earlier results that are still valid
    /// are included.
    pub(crate) fn of(perspective: &Perspective, data: &DataFile) -> Arc<Self> {
        let world = &perspective.world;
        let kept = world.attached::<KeptAnswers>().file(perspective, data);
        let mut latest = kept.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let known = latest.take();
        let edits_since = |moment: &Moment| world.edits_since(moment, &kept.environment);
        let edits = known.as_ref().and_then(|it| edits_since(&it.moment));
        let answers = match (&known, edits) {
            (Some(known), Some(edits)) if edits.files.is_empty() => known.answers.clone(),
            // If keys were added or removed, the whole file may have another meaning.
            (Some(known), Some(edits)) if !edits.has_other_keys => {
                // To compare other texts would cost as much as what lies between two edits is long.
                let earlier = known.earlier.as_ref().filter(|it| it.text == *data.text());
                let earlier = earlier.and_then(|it| {
                    let edits = edits_since(&it.moment).filter(|it| !it.has_other_keys)?;
                    Some((&*it.answers, edits))
                });
                let earlier = earlier.as_ref().map(|(answers, edits)| (*answers, edits));
                let all: Vec<_> =
                    std::iter::once((&*known.answers, &edits)).chain(earlier).collect();
                Arc::new(Self::after(&all, data))
            }
            _ => Arc::new(Self::unknown(data)),
        };
        // A request for an older snapshot may be served later. It must not replace newer results.
        let is_newer = known.as_ref().is_none_or(|it| it.moment.revision() <= world.revision());
        *latest = Some(match known {
            Some(known) if !is_newer => known,
            known => Latest {
                moment: world.moment(),
                text: data.text().clone(),
                earlier: known.and_then(|it| match it {
                    Latest { moment, text, answers, .. } if text != *data.text() => {
                        Some(Earlier { moment, text, answers })
                    }
                    _ => it.earlier,
                }),
                answers: answers.clone(),
            },
        });
        answers
    }

    fn unknown(data: &DataFile) -> Self {
        let sections = data.sections().map(|it| SectionAnswers::of(it, None, |_, _| None));
        Self { sections: sections.collect() }
    }

    /// The results after some edits. `earlier` are the results of earlier moments with the edits since then, the latest ones
    /// first.
    fn after(earlier: &[(&Self, &KeyEdits)], data: &DataFile) -> Self {
        let numbers: HashSet<u64> = data.sections().map(|it| it.id).collect();
        let earlier = earlier.iter().map(|(answers, edits)| answers.still_true(edits, &numbers));
        let earlier: Vec<StillTrue<'_>> = earlier.collect();
        let sections = data.sections().map(|section| {
            let same = earlier.iter().find_map(|it| it.section(section.id));
            same.unwrap_or_else(|| {
                let before = earlier.first().and_then(|it| it.same.get(&section.id));
                SectionAnswers::of(section, before.and_then(|it| it.shown()), |number, entry| {
                    earlier.iter().find_map(|it| it.entry(section.id, number, entry))
                })
            })
        });
        Self { sections: sections.collect() }
    }

    /// Which results are valid after some edits; `numbers` are those of the sections that the file still has.
    fn still_true<'a>(&'a self, edits: &'a KeyEdits, numbers: &HashSet<u64>) -> StillTrue<'a> {
        let edited: Vec<u64> = edits.keys.iter().map(|key| root_hash(key)).collect();
        let (same, gone): (Vec<_>, Vec<_>) =
            self.sections.iter().partition(|it| it.section != 0 && numbers.contains(&it.section));
        // An edited section has most of its entries from the section before the edit.
        let of_gone = gone.iter().flat_map(|it| it.known());
        let of_gone = of_gone.filter(|(_, it)| it.is_still_true(&edited, edits)).collect();
        let same = same.into_iter().map(|it| (it.section, it)).collect();
        StillTrue { edits, edited, same, of_gone }
    }

    /// The results for the section with the number `number` in the file.
    pub(crate) fn section(&self, number: usize) -> &SectionAnswers {
        self.sections.get(number).expect("there are results for each section")
    }
}

impl StillTrue<'_> {
    /// The results for a section, if all of them are known and still valid.
    fn section(&self, section: u64) -> Option<Arc<SectionAnswers>> {
        let known = self.same.get(&section)?;
        known.is_still_true(&self.edited, self.edits).then(|| Arc::clone(known))
    }

    /// The result for an entry, by the number of its section, its place there, and its own number.
    fn entry(&self, section: u64, number: usize, entry: u64) -> Option<Arc<EntryAnswer>> {
        let Some(known) = self.same.get(&section) else {
            return self.of_gone.get(&entry).map(|it| Arc::clone(it));
        };
        let (_, slot) = known.entries.get(number)?;
        slot.get().filter(|it| it.is_still_true(&self.edited, self.edits)).cloned()
    }
}

impl SectionAnswers {
    fn of(
        section: Section<'_>,
        before: Option<Shown>,
        known: impl Fn(usize, u64) -> Option<Arc<EntryAnswer>>,
    ) -> Arc<Self> {
        let entry = |(number, entry): (usize, EntryTree<'_>)| {
            let slot = known(number, entry.id).map_or_else(OnceLock::new, OnceLock::from);
            (entry.id, slot)
        };
        Arc::new(Self {
            id: OnceLock::new(),
            section: section.id,
            entries: section.trees().enumerate().map(entry).collect(),
            reads: OnceLock::new(),
            before,
            finding: Mutex::default(),
        })
    }

    /// What is shown for the section, if all of it is known.
    fn shown(&self) -> Option<Shown> {
        let answers = self.entries.iter().map(|(_, slot)| slot.get().cloned());
        Some(Shown { id: *self.id.get()?, answers: answers.collect::<Option<_>>()? })
    }

    /// The number of the lenses and tokens of the section: they are the same if the number is. No section and no entry ever
    /// gets this number. `None` if the request was cancelled.
    pub(crate) fn id(&self, section: Section<'_>, lookups: FileLookups<'_>) -> Option<u64> {
        let Some(before) = self.before.as_ref().filter(|_| self.id.get().is_none()) else {
            return Some(*self.id.get_or_init(new_id));
        };
        let _others_wait = self.lock();
        let mut is_same = true;
        for ((number, entry), before) in section.trees().enumerate().zip(&before.answers) {
            is_same &= self.find(number, entry, lookups)?.shows_same(before);
        }
        Some(*self.id.get_or_init(|| if is_same { before.id } else { new_id() }))
    }

    /// The results that were needed, by the numbers of their entries.
    fn known(&self) -> impl Iterator<Item = (u64, &Arc<EntryAnswer>)> {
        self.entries.iter().filter_map(|(entry, slot)| Some((*entry, slot.get()?)))
    }

    /// Whether all results are known and still valid. A result that is missing would be added for a later moment, and no
    /// edit in between would be noticed.
    fn is_still_true(&self, edited: &[u64], edits: &KeyEdits) -> bool {
        let Some(reads) = self.reads() else { return false };
        let reads_edited = |roots: &[u64]| edited.iter().any(|it| roots.binary_search(it).is_ok());
        reads.roots.as_ref().is_some_and(|roots| !reads_edited(roots))
            && !reads.files.iter().any(|file| edits.files.contains(file))
    }

    /// What the results depend on; `None` if some are not known.
    fn reads(&self) -> Option<&Reads> {
        if self.reads.get().is_none() && self.known().count() < self.entries.len() {
            return None;
        }
        Some(self.reads.get_or_init(|| {
            let mut files: Vec<FileId> =
                self.known().flat_map(|(_, it)| &it.files).copied().collect();
            files.sort_unstable();
            files.dedup();
            let roots: Option<Vec<&[u64]>> =
                self.known().map(|(_, it)| it.roots.as_deref()).collect();
            let roots = roots.map(|roots| {
                let mut roots = roots.concat();
                roots.sort_unstable();
                roots.dedup();
                roots.into()
            });
            Reads { roots, files: files.into() }
        }))
    }

    /// The result for `entry`, which has the number `number` in the section; `None` if the request was cancelled.
    pub(crate) fn get(
        &self,
        number: usize,
        entry: EntryTree<'_>,
        lookups: FileLookups<'_>,
    ) -> Option<Arc<EntryAnswer>> {
        if let Some(known) = self.entries.get(number)?.1.get() {
            return Some(known.clone());
        }
        let _others_wait = self.lock();
        self.find(number, entry, lookups)
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.finding.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(
        &self,
        number: usize,
        entry: EntryTree<'_>,
        lookups: FileLookups<'_>,
    ) -> Option<Arc<EntryAnswer>> {
        let (_, slot) = self.entries.get(number)?;
        if let Some(known) = slot.get() {
            return Some(known.clone());
        }
        let made = EntryAnswer::new(entry, lookups);
        // The answer of a cancelled lookup is not complete, so it is not kept.
        if lookups.cancel.is_cancelled() {
            return None;
        }
        Some(slot.get_or_init(|| Arc::new(made)).clone())
    }
}

impl EntryAnswer {
    fn new(entry: EntryTree<'_>, lookups: FileLookups<'_>) -> Self {
        let FileLookups { perspective, path, cancel } = lookups;
        let (shared, roots) = shared_key(perspective, path, entry, cancel);
        let Some(shared) = shared else {
            return Self { title: None, overridden: Box::default(), roots, files: Box::default() };
        };
        let overridden: Box<[Overridden]> = shared.overridden(path, entry).into();
        let places = overridden.iter().flat_map(|it| {
            let value = it.winner.as_ref().and_then(|winner| winner.place);
            value.into_iter().chain(it.winner_place)
        });
        let mut files: Vec<FileId> = places.map(|place| place.file).collect();
        files.sort_unstable();
        files.dedup();
        let title = title(perspective, path, &shared);
        Self { title, overridden, roots, files: files.into() }
    }

    /// Whether lenses and tokens show the same for both.
    fn shows_same(&self, other: &Self) -> bool {
        let marked = |it: &Overridden| (it.key, it.value, it.is_scalar);
        self.title == other.title
            && self.overridden.iter().map(marked).eq(other.overridden.iter().map(marked))
    }

    fn is_still_true(&self, edited: &[u64], edits: &KeyEdits) -> bool {
        let is_in_place = !self.files.iter().any(|file| edits.files.contains(file));
        let reads = |roots: &[u64]| roots.iter().any(|root| edited.contains(root));
        is_in_place && self.roots.as_ref().is_some_and(|roots| !reads(roots))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{Change, Host, MemoryDisk};

    const COMMON: &str = "/r/data/common.yaml";

    /// A key, other keys up to the next section, and a key that looks up the first one.
    fn common(value: &str) -> String {
        let others: Vec<String> = (0..40).map(|number| format!("other_{number}: 1\n")).collect();
        let others = others.concat();
        format!("first: {value}\n{others}last: \"%{{lookup('first')}}\"\n")
    }

    fn host() -> Host {
        let hiera_yaml =
            "version: 5\nhierarchy: [{name: all, paths: ['%{role}.yaml', common.yaml]}]\n";
        let files = [
            ("/r/hiera.yaml", hiera_yaml),
            ("/r/data/web.yaml", "last: 1\n"),
            (COMMON, &common("a")),
        ];
        let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        host
    }

    fn type_in(host: &mut Host, path: &str, text: String) {
        host.apply(Change::OpenBuffer { path: path.to_owned(), text, version: 1 });
    }

    /// How many results are known before they are needed, and the numbers of all sections.
    fn look(host: &Host) -> (usize, Vec<u64>) {
        let world = host.snapshot();
        let perspective = Perspective::of_file(&world, COMMON).expect("the file is read");
        let file = world.file(COMMON).expect("the file is there");
        let data = file.data(Format::Yaml);
        let answers = EntryAnswers::of(&perspective, data);
        let known = answers.sections.iter().map(|it| it.known().count()).sum();
        let cancel = CancelToken::default();
        let lookups = FileLookups { perspective: &perspective, path: COMMON, cancel: &cancel };
        let ids = data.sections().enumerate().map(|(number, section)| {
            let answers = answers.section(number);
            let id = answers.id(section, lookups);
            for (number, entry) in section.trees().enumerate() {
                answers.get(number, entry, lookups);
            }
            id.expect("nothing is cancelled")
        });
        (known, ids.collect())
    }

    #[test]
    fn a_section_keeps_its_number_while_it_shows_the_same() {
        let mut host = host();
        let (_, before) = look(&host);
        type_in(&mut host, COMMON, common("b"));
        let (known, after) = look(&host);
        assert_eq!((known, before.len()), (40, 2), "both keys are looked up again");
        assert_ne!(before[0], after[0]);
        assert_eq!(before[1], after[1]);
        // Its lens now says that another level has the key, too.
        type_in(&mut host, COMMON, common("{k: 1}"));
        type_in(&mut host, "/r/data/web.yaml", "last: 1\nfirst: 1\n".to_owned());
        assert_ne!(look(&host).1[1], after[1]);
    }

    #[test]
    fn what_was_known_is_known_again_after_an_undo() {
        let mut host = host();
        look(&host);
        type_in(&mut host, COMMON, common("b"));
        look(&host);
        type_in(&mut host, COMMON, common("a"));
        assert_eq!(look(&host).0, 41, "only the edited key is looked up again");
        type_in(&mut host, COMMON, common("c"));
        assert_eq!(look(&host).0, 40);
        // The results of before hold no longer if another file was edited meanwhile.
        type_in(&mut host, "/r/data/web.yaml", "last: 2\n".to_owned());
        type_in(&mut host, COMMON, common("a"));
        assert_eq!(look(&host).0, 40);
    }
}
