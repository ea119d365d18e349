//! Builds results about whole files from cached results of their entries. Lines are counted from the start of the entry
//! until the response is written, so an edit elsewhere does not change the cached result of an entry.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::context::Context;
use crate::ide::{EntryPart, Known};
use crate::text::{LineCol, TextRange};
use crate::world::FileEntry;

/// The number of removed entries up to which the entries after an edit keep their results.
const MAX_GAP: usize = 256;

/// A place in an entry. Its line is counted from the first line of the entry.
pub(super) type Spot = LineCol;

/// The pieces of open files, by path. For other files, nothing is kept.
#[derive(Debug)]
pub(super) struct Pieces<P>(Mutex<HashMap<Arc<str>, Arc<List<P>>>>);

/// The pieces of one file in order, with the numbers of the findings that they were built from.
type List<P> = Vec<(u64, Arc<P>)>;

/// The pieces of a file, each with its first line.
pub(super) type Placed<P> = Vec<(u32, Arc<P>)>;

impl<P> Default for Pieces<P> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<P> Pieces<P> {
    /// Returns the pieces of a file. Parts for which `ask` finds nothing new keep their earlier pieces; `make`
    /// builds the others.
    pub(super) fn of<T>(
        &self,
        context: &Context,
        file: &FileEntry,
        ask: impl FnOnce(Known<'_>) -> Vec<EntryPart<T>>,
        make: impl Fn(&Places<'_>, Vec<T>) -> P,
    ) -> Placed<P> {
        let before = self.lock().get(&file.path).cloned().unwrap_or_default();
        let mut known = Walk { rest: &before, met: Vec::new() };
        // The lock is not held here, because this may take long, and requests about other files need the pieces, too.
        let parts = ask(&mut |id| known.knows(id));
        let mut met = known.met.into_iter();
        let index = file.line_index();
        let mut line = 0;
        let mut placed = Placed::with_capacity(parts.len());
        let mut list = List::with_capacity(parts.len());
        for part in parts {
            // Parts are in order, so the search for each line continues where the last one ended.
            line = index.line_from(line, part.start);
            let piece = match part.found {
                Some(found) => {
                    Some(Arc::new(make(&Places { context, file, start: part.start, line }, found)))
                }
                // `known` was called for the parts in their order, so the known pieces come out in that order, too.
                None => met.next(),
            };
            let Some(piece) = piece else { continue };
            placed.push((line, piece.clone()));
            list.push((part.id, piece));
        }
        // A cancelled request may have left out parts.
        let is_whole = !context.cancel.is_cancelled();
        // Nobody closes a file that is not open, so its pieces would stay in memory.
        if is_whole && context.world.open_file(&file.path).is_some() {
            self.lock().insert(file.path.clone(), Arc::new(list));
        }
        placed
    }

    /// Removes the pieces of a file.
    pub(super) fn forget(&self, path: &str) {
        self.lock().remove(path);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Arc<str>, Arc<List<P>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Walks through the known pieces in parallel with the entries of the file as it is now.
struct Walk<'a, P> {
    rest: &'a [(u64, Arc<P>)],
    met: Vec<Arc<P>>,
}

impl<P> Walk<'_, P> {
    fn knows(&mut self, id: u64) -> bool {
        // Entries that the edit removed are skipped, but not many: otherwise each new entry would search the whole list.
        let Some(at) = self.rest.iter().take(MAX_GAP).position(|(known, _)| *known == id) else {
            return false;
        };
        self.met.push(self.rest[at].1.clone());
        self.rest = &self.rest[at + 1..];
        true
    }
}

/// Converts places in a part of a file.
pub(super) struct Places<'a> {
    context: &'a Context,
    file: &'a FileEntry,
    start: u32,
    line: u32,
}

impl<'a> Places<'a> {
    /// For the part that starts at byte `start`.
    pub(super) fn new(context: &'a Context, file: &'a FileEntry, start: u32) -> Self {
        Self { context, file, start, line: file.line_index().line_of(start) }
    }

    /// The start and end of a range, relative to the start of the part.
    pub(super) fn range(&self, range: TextRange) -> [Spot; 2] {
        [self.spot(range.start), self.spot(range.end)]
    }

    fn spot(&self, offset: u32) -> Spot {
        let (text, encoding) = (&self.file.text, self.context.encoding);
        let at = self.file.line_index().line_col(text, self.start + offset, encoding);
        Spot { line: at.line - self.line, col: at.col }
    }

    /// A range relative to the start of the part, in bytes of the file.
    pub(super) fn in_file(&self, range: TextRange) -> TextRange {
        range.shifted(self.start)
    }

    /// The first line of the part.
    pub(super) fn line(&self) -> u32 {
        self.line
    }
}
