//! The same file after an edit. Only the text around the edit is scanned; everything else is shared with the version
//! before.

use super::super::rescan::{Broken, Scanned, scan};
use super::{Arc, Entries, Keys, OnceLock, Placed, Spot, placed_chunks, places};
use crate::syntax::entries::has_usual_lines;
use crate::syntax::plain_yaml::plain_entries;
use crate::syntax::yaml::EntryFlags;
use crate::text::{TextRange, common_prefix, common_suffix};

/// The number of bytes at the start of a line that decide whether it starts an entry (`--- `).
const MARK_LENGTH: u32 = 4;

/// A replacement: `start..old_end` of the old text became `start..new_end` of the new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Edit {
    start: u32,
    old_end: u32,
    new_end: u32,
}

impl Edit {
    fn between(old: &[u8], new: &[u8]) -> Self {
        let start = common_prefix(old, new);
        let end = common_suffix(&old[start..], &new[start..]);
        Self {
            start: start as u32,
            old_end: (old.len() - end) as u32,
            new_end: (new.len() - end) as u32,
        }
    }

    /// The new offset of a byte after the edit.
    fn moved(self, old: u32) -> u32 {
        old - self.old_end + self.new_end
    }

    fn moves_what_follows(self) -> bool {
        self.new_end != self.old_end
    }
}

impl Entries {
    /// The entries of `new`; `self` has the entries of `old`. `None` if the new text is not a plain block hash, or if
    /// parsers disagree about the lines of either text.
    pub(in super::super) fn edited(&self, old: &str, new: &str) -> Option<Self> {
        if !self.has_usual_lines {
            return None;
        }
        let edit = Edit::between(old.as_bytes(), new.as_bytes());
        // All other lines are as before.
        if !has_usual_lines(lines_around(new, edit.start, edit.new_end))
            || marks_a_document(old, edit.start, edit.old_end)
            || marks_a_document(new, edit.start, edit.new_end)
        {
            return None;
        }
        let first = self.first_touched(edit);
        let kept = &self.chunks[..first];
        let from = (first > 0 || self.is_behind_begin(edit)).then(|| self.chunks[first].base);
        let resume = |at: u32| self.chunk_to_resume(edit, first, at);
        // The old entries were split by their looks, so libyaml cannot continue at one of them.
        if self.gave_up {
            return None;
        }
        let plain = self.plain_entries_around(new, edit, first, from);
        let Scanned { heads, broken, met, gave_up } = match plain {
            Some(scanned) => scanned,
            None => scan(new, from, &|at| resume(at).is_some())?,
        };
        let resumed = met.and_then(resume).unwrap_or(self.chunks.len());
        let (replaced, behind) = self.chunks[first..].split_at(resumed - first);
        let end = met.unwrap_or(new.len() as u32);

        let mut next_chunk = self.next_chunk;
        let rescanned = placed_chunks(&heads, end, &mut next_chunk);
        adopt_trees(replaced, &rescanned, edit);
        let mut chunks = Vec::with_capacity(kept.len() + rescanned.len() + behind.len());
        chunks.extend_from_slice(kept);
        chunks.extend(rescanned.iter().cloned());
        let aliases = self.flags.has(EntryFlags::ALIAS);
        chunks.extend(behind.iter().map(|placed| moved(placed, edit, aliases)));
        if chunks.is_empty() {
            return None;
        }
        let broken = self.broken_after(edit, from, broken, behind);
        let edited = Self { gave_up, ..Self::new(self.file, chunks, broken, next_chunk) };
        if let Some(keys) =
            // Keys of removed chunks stay in the table, so it fills with every edit until it is built again.
            self.keys.get().and_then(|keys| edited.keys_after(keys, &rescanned, new))
        {
            edited.keys.get_or_init(|| keys);
        }
        Some(edited)
    }

    /// The first chunk that the edit may change: the one in which the edit starts, or one with a broken entry, if libyaml
    /// read up to the edit while it searched for the end of that entry.
    fn first_touched(&self, edit: Edit) -> usize {
        let safe = edit.start.saturating_sub(MARK_LENGTH);
        let reached = self.broken.iter().find(|broken| broken.reach >= edit.start);
        let low = reached.map_or(safe, |broken| safe.min(broken.start));
        let mut first = self.chunks.partition_point(|placed| placed.base <= low).saturating_sub(1);
        // libyaml must start at something that is certainly an entry.
        while first > 0 && self.chunks[first].begins_broken() {
            first -= 1;
        }
        first
    }

    /// Whether the edit is after the first entry. The first entry and the text before it make the text a block hash.
    fn is_behind_begin(&self, edit: Edit) -> bool {
        let first = &self.chunks[0];
        let second = first.chunk.heads().get(1).map(|head| first.base + head.start);
        !first.begins_broken() && second.is_some_and(|second| second + MARK_LENGTH <= edit.start)
    }

    /// The old chunk from which all chunks can be reused, from byte `at` of the new text on.
    fn chunk_to_resume(&self, edit: Edit, first: usize, at: u32) -> Option<usize> {
        if at <= edit.new_end {
            return None;
        }
        let old = at - edit.new_end + edit.old_end;
        let chunk = self.chunks.binary_search_by_key(&old, |placed| placed.base).ok()?;
        (chunk > first && !self.chunks[chunk].begins_broken()).then_some(chunk)
    }

    /// The entries from byte `from`, or from the start of the text, to the next chunk that can be reused, if libyaml is not
    /// needed to find them. The chunk number `first` starts at `from`.
    fn plain_entries_around(
        &self,
        new: &str,
        edit: Edit,
        first: usize,
        from: Option<u32>,
    ) -> Option<Scanned> {
        let can_be_reused = |it: &&Placed| it.base > edit.old_end && !it.begins_broken();
        let behind = self.chunks[first + 1..].iter().find(can_be_reused);
        let met = behind.map(|placed| edit.moved(placed.base));
        let end = met.unwrap_or(new.len() as u32);
        let start = from.unwrap_or(0);
        let mut entries = plain_entries(TextRange::new(start, end).slice(new))?;
        for entry in &mut entries {
            entry.start += start;
        }
        let is_whole = |from: u32| entries.first().is_some_and(|entry| entry.start == from);
        from.is_none_or(is_whole).then(|| Scanned { met, ..Scanned::of_plain(&entries) })
    }

    /// The broken entries of the new version: the old ones before and after the scanned part, and the new ones in it.
    fn broken_after(
        &self,
        edit: Edit,
        from: Option<u32>,
        found: Vec<Broken>,
        behind: &[Placed],
    ) -> Vec<Broken> {
        let before =
            self.broken.iter().filter(|broken| from.is_some_and(|from| broken.start < from));
        let mut all: Vec<Broken> = before.cloned().collect();
        all.extend(found);
        if let Some(resumed) = behind.first() {
            let later = self.broken.iter().filter(|broken| broken.start >= resumed.base);
            all.extend(later.map(|broken| Broken {
                start: edit.moved(broken.start),
                reach: edit.moved(broken.reach),
                error: broken.error.clone().shifted(edit.old_end, edit.new_end),
            }));
        }
        all
    }

    /// The table of keys with those of the new chunks added; `None` if it must be built again.
    fn keys_after(&self, keys: &Keys, rescanned: &[Placed], new: &str) -> Option<Keys> {
        let more = rescanned.len() * super::ENTRIES_PER_CHUNK;
        // `places` has an item for each chunk that ever existed, so it grows with every edit until the index is built again.
        if !keys.table.has_room(more) || self.next_chunk as usize > 4 * self.chunks.len() + 1_000 {
            return None;
        }
        let mut keys = Keys {
            places: places(&self.chunks, self.next_chunk),
            lasts: OnceLock::new(),
            ..keys.clone()
        };
        // Each edit near a repeated key adds the spot of its other entry again.
        keys.repeated.sort_unstable();
        keys.repeated.dedup();
        let places = &keys.places;
        let is_there = |spot: &Spot| places[spot.chunk() as usize] != super::GONE;
        keys.repeated.retain(is_there);
        keys.later.retain(|_, spots| {
            spots.retain(is_there);
            !spots.is_empty()
        });
        for placed in rescanned {
            self.add_keys(new, placed, &mut keys);
        }
        Some(keys)
    }
}

/// Gives entries that were scanned again their old trees, if the edit did not change their source.
fn adopt_trees(replaced: &[Placed], rescanned: &[Placed], edit: Edit) {
    let spots = replaced.iter().flat_map(Placed::spots);
    let mut old = spots.peekable();
    for (placed, index) in rescanned.iter().flat_map(Placed::spots) {
        let range = placed.chunk.range(index).shifted(placed.base);
        let before = if range.end <= edit.start {
            range
        } else if range.start >= edit.new_end && range.start + edit.old_end >= edit.new_end {
            TextRange::new(range.start - edit.new_end, range.end - edit.new_end)
                .shifted(edit.old_end)
        } else {
            continue;
        };
        let begins_earlier = |(placed, index): &(&Placed, usize)| {
            placed.base + placed.chunk.heads()[*index].start < before.start
        };
        while old.next_if(begins_earlier).is_some() {}
        if let Some((was, at)) = old.peek()
            && was.chunk.range(*at).shifted(was.base) == before
            && was.chunk.heads()[*at].flags == placed.chunk.heads()[index].flags
            && let Some(tree) = was.chunk.tree_if_parsed(*at)
        {
            placed.chunk.adopt(index, tree);
        }
    }
}

/// A chunk after an edit. Its values contain places, so they are lowered again if the chunk moved. Aliases may also have
/// another meaning now.
fn moved(placed: &Placed, edit: Edit, aliases: bool) -> Placed {
    if !edit.moves_what_follows() && !aliases {
        return placed.clone();
    }
    Placed { base: edit.moved(placed.base), lowered: Arc::default(), ..placed.clone() }
}

impl Placed {
    fn begins_broken(&self) -> bool {
        self.chunk.heads().first().is_none_or(|head| head.flags.has(EntryFlags::BROKEN))
    }
}

/// Whether one of the lines that a range touches could start or end a document. Then the text after it may belong to
/// another document than before.
fn marks_a_document(text: &str, start: u32, end: u32) -> bool {
    lines_around(text, start, end)
        .split('\n')
        .any(|line| line.starts_with("---") || line.starts_with("...") || line.starts_with('%'))
}

/// The lines that a range touches, with the ends of the line before them and of the last one.
fn lines_around(text: &str, start: u32, end: u32) -> &str {
    let bytes = text.as_bytes();
    let before = memchr::memrchr(b'\n', &bytes[..start as usize]).unwrap_or(0);
    let behind = memchr::memchr(b'\n', &bytes[end as usize..]);
    &text[before..behind.map_or(bytes.len(), |at| end as usize + at + 1)]
}
