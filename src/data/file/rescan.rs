//! Finds the entries of a text, or only those around an edit. libyaml reports where they start. If it refuses the text,
//! lines that look like the start of an entry are used.

use super::chunk::Head;
use crate::syntax::entries::{begins_entry, next_entry};
use crate::syntax::plain_yaml::PlainEntry;
use crate::syntax::yaml::{EntryFlags, RootScan, ScanStep, YamlError};

/// The maximum number of broken entries after which libyaml is started again.
const MAX_BROKEN: usize = 200;

/// What a scan found.
#[derive(Debug, Default)]
pub(super) struct Scanned {
    /// The entries, with places in the whole text.
    pub(super) heads: Vec<Head>,
    /// The broken ones among them.
    pub(super) broken: Vec<Broken>,
    /// The trusted place at which the scan ended; `None` if it was the end of the text.
    pub(super) met: Option<u32>,
    /// Whether the rest may not be entries: so much is broken that it was split without libyaml, or another document starts
    /// behind a broken entry.
    pub(super) gave_up: bool,
}

/// A broken entry, with places in the whole text.
#[derive(Debug, Clone)]
pub(super) struct Broken {
    pub(super) start: u32,
    /// Bytes after this one do not affect the error.
    pub(super) reach: u32,
    pub(super) error: YamlError,
}

/// The entries of `text` from byte `from` on (`None`: from the start), up to the first one for which `is_trusted`. `None`
/// if the text is not a plain block hash: then only a parser for the whole text can tell what it means.
pub(super) fn scan(
    text: &str,
    from: Option<u32>,
    is_trusted: &dyn Fn(u32) -> bool,
) -> Option<Scanned> {
    let mut found = scan_as_reported(text, from, is_trusted)?;
    if from.is_none()
        && let Some(first) = found.heads.first()
    {
        for broken in &mut found.broken {
            broken.error.name_root_hash(first.start);
        }
    }
    Some(found)
}

/// [`scan`] with errors as libyaml reports them.
fn scan_as_reported(
    text: &str,
    mut from: Option<u32>,
    is_trusted: &dyn Fn(u32) -> bool,
) -> Option<Scanned> {
    let mut found = Scanned::default();
    loop {
        let next = match found.run(text, from, is_trusted) {
            Outcome::NotEntries if found.broken.is_empty() => return None,
            // Puppet does not read beyond a broken entry, so a second way to read the text is not needed there. Once the entry
            // is mended, it is.
            Outcome::NotEntries => {
                found.gave_up = true;
                return Some(found);
            }
            Outcome::Done => return Some(found),
            Outcome::Failed(failure) if failure.error.is_of_reader => {
                found.pass_forbidden_character(text, from, failure, is_trusted)
            }
            Outcome::Failed(failure) => found.pass_broken_entry(text, from, failure),
        };
        match next {
            // libyaml starts again after each broken entry. In a file that is not YAML, that would be at nearly every line.
            Next::Entry(next) if found.broken.len() >= MAX_BROKEN => {
                found.add_unknown_entries(text, next);
                return Some(found);
            }
            Next::Entry(next) if is_trusted(next) => {
                found.met = Some(next);
                return Some(found);
            }
            Next::Entry(next) => from = Some(next),
            Next::Nothing => return Some(found),
            Next::NotEntries => return None,
        }
    }
}

/// How the scan continues after a broken entry.
enum Next {
    Entry(u32),
    Nothing,
    /// No entry could be the broken one.
    NotEntries,
}

enum Outcome {
    Done,
    NotEntries,
    Failed(Failure),
}

struct Failure {
    error: YamlError,
    reach: u32,
    /// The number of entries before the run.
    heads_before: usize,
}

impl Next {
    fn at(entry: Option<usize>) -> Self {
        entry.map_or(Self::Nothing, |at| Self::Entry(at as u32))
    }
}

impl Scanned {
    /// The entries of a text in which nothing is broken.
    pub(super) fn of_plain(entries: &[PlainEntry]) -> Self {
        let head = |entry: &PlainEntry| {
            let PlainEntry { start, plain_length, flags } = *entry;
            Head { start, plain_length, flags }
        };
        Self { heads: entries.iter().map(head).collect(), ..Self::default() }
    }

    /// One run of libyaml, from byte `from` or from the start of the text.
    fn run(&mut self, text: &str, from: Option<u32>, is_trusted: &dyn Fn(u32) -> bool) -> Outcome {
        let heads_before = self.heads.len();
        let failed = |error, reach| Outcome::Failed(Failure { error, reach, heads_before });
        let mut scan = match from {
            None => RootScan::new(text),
            Some(from) => match RootScan::in_the_middle(text, from) {
                Ok(scan) => scan,
                Err((error, reach)) => return failed(error, reach),
            },
        };
        loop {
            match scan.step() {
                ScanStep::Key { start, plain_length, before } => {
                    self.set_flags(heads_before, before);
                    if is_trusted(start) {
                        self.met = Some(start);
                        return Outcome::Done;
                    }
                    let plain_length = u16::try_from(plain_length).unwrap_or(0);
                    let flags = EntryFlags::default();
                    self.heads.push(Head { start, plain_length, flags });
                }
                ScanStep::End(before) => {
                    self.set_flags(heads_before, before);
                    return Outcome::Done;
                }
                ScanStep::NotEntries => return Outcome::NotEntries,
                ScanStep::Failed(error) => return failed(error, scan.reach()),
            }
        }
    }

    /// Sets the flags of the last entry, if this run found it.
    fn set_flags(&mut self, heads_before: usize, flags: EntryFlags) {
        if self.heads.len() > heads_before
            && let Some(last) = self.heads.last_mut()
        {
            last.flags = flags;
        }
    }

    /// Marks the entry at which libyaml failed, and returns where the next one may start.
    fn pass_broken_entry(&mut self, text: &str, from: Option<u32>, failure: Failure) -> Next {
        let last = self.heads.get(failure.heads_before..).and_then(<[Head]>::last).copied();
        let mut start = match (last, from) {
            (Some(last), _) => last.start,
            (None, Some(from)) => from,
            (None, None) => match next_entry(text, 0) {
                Some(first) => first as u32,
                None => return Next::NotEntries,
            },
        };
        let mut end = next_entry(text, start as usize + 1);
        // libyaml reads ahead, so the present entry may be fine and the next one broken.
        let alone = end.filter(|_| last.is_some()).and_then(|end| flags_alone(&text[..end], start));
        match (last, end, alone) {
            (_, Some(next), Some(flags)) => {
                self.set_flags(failure.heads_before, flags);
                start = next as u32;
                end = next_entry(text, next + 1);
                self.push_broken(start);
            }
            (Some(_), ..) => self.set_flags(failure.heads_before, EntryFlags::BROKEN),
            (None, ..) => self.push_broken(start),
        }
        self.broken.push(Broken { start, reach: failure.reach, error: failure.error });
        Next::at(end)
    }

    /// The same is true for a character that YAML forbids: libyaml reports it as soon as it has read it.
    fn pass_forbidden_character(
        &mut self,
        text: &str,
        from: Option<u32>,
        failure: Failure,
        is_trusted: &dyn Fn(u32) -> bool,
    ) -> Next {
        let first = from.map_or_else(|| next_entry(text, 0), |from| Some(from as usize));
        let Some(first) = first else { return Next::NotEntries };
        let start = entry_around(text, failure.error.offset as usize, first);
        // The heads of this run are found again below, without the entry that has the forbidden character.
        self.heads.truncate(failure.heads_before);
        if start > first {
            match self.run(&text[..start], from, is_trusted) {
                Outcome::Done if self.met.is_some() => return Next::Nothing,
                Outcome::Done => {}
                Outcome::NotEntries if self.broken.is_empty() => return Next::NotEntries,
                Outcome::NotEntries => {
                    self.gave_up = true;
                    return Next::Nothing;
                }
                Outcome::Failed(earlier) => return self.pass_broken_entry(text, from, earlier),
            }
        }
        self.push_broken(start as u32);
        let Failure { reach, error, .. } = failure;
        self.broken.push(Broken { start: start as u32, reach, error });
        Next::at(next_entry(text, start + 1))
    }

    fn push_broken(&mut self, start: u32) {
        self.heads.push(Head { start, plain_length: 0, flags: EntryFlags::BROKEN });
    }

    /// Splits the text at lines that look like the start of an entry. Whether an entry is complete is only known when it is
    /// parsed.
    fn add_unknown_entries(&mut self, text: &str, from: u32) {
        self.gave_up = true;
        let mut next = Some(from as usize);
        while let Some(start) = next {
            self.push_broken(start as u32);
            next = next_entry(text, start + 1);
        }
    }
}

/// The last byte up to `at` at which an entry may start; not before `first`.
fn entry_around(text: &str, at: usize, first: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = at.min(bytes.len());
    while end > first {
        let line = memchr::memrchr(b'\n', &bytes[..end]).map_or(0, |line| line + 1);
        if line <= first || begins_entry(bytes, line) {
            return line.max(first);
        }
        end = line - 1;
    }
    first
}

/// The flags of the last entry of `text`, if it is complete and ends at the end of the text.
fn flags_alone(text: &str, start: u32) -> Option<EntryFlags> {
    let mut scan = RootScan::in_the_middle(text, start).ok()?;
    let ScanStep::Key { start: found, .. } = scan.step() else { return None };
    match scan.step() {
        ScanStep::End(flags) if found == start => Some(flags),
        _ => None,
    }
}
