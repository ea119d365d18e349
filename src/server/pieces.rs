//! Builds results about whole files from cached results of their parts. Lines are counted from the start of the part until
//! the response is written, so an edit elsewhere does not change the cached result of a part.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::context::Context;
use super::raw::{Bytes, Json};
use crate::ide::{FilePart, Known};
use crate::text::{LineCol, TextRange};
use crate::world::FileEntry;

/// The number of removed parts up to which the parts after an edit keep their results.
const MAX_GAP: usize = 256;

/// A place in a part. Its line is counted from the first line of the part.
pub(super) type Spot = LineCol;

/// The pieces of open files, by path. For other files, nothing is kept.
#[derive(Debug)]
pub(super) struct Pieces<P>(Mutex<HashMap<Arc<str>, Arc<List<P>>>>);

/// The pieces of one file in order, with the numbers of the findings that they were built from.
type List<P> = Vec<(u64, Arc<Piece<P>>)>;

/// The pieces of a file, each with its first line.
pub(super) type Placed<P> = Vec<(u32, Arc<Piece<P>>)>;

/// The result for one part of a file.
#[derive(Debug)]
pub(super) struct Piece<P> {
    pub(super) found: P,
    /// What was written last, and the first line of the part at that time. Most edits do not move lines.
    written: Mutex<Option<Written>>,
}

#[derive(Debug)]
struct Written {
    line: u32,
    /// What all pieces of the file depend on.
    common: Bytes,
    json: Bytes,
}

impl<P> Piece<P> {
    pub(super) fn new(found: P) -> Self {
        Self { found, written: Mutex::default() }
    }

    /// The JSON that `write` adds for a part that starts at `line`. It may also depend on `common`.
    fn json(&self, line: u32, common: &Bytes, write: impl FnOnce(&mut Json, u32, &P)) -> Bytes {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = written.as_ref().filter(|it| it.line == line && it.common == *common) {
            return known.json.clone();
        }
        let mut json = Json::default();
        write(&mut json, line, &self.found);
        let json: Bytes = json.into_bytes().into();
        *written = Some(Written { line, common: common.clone(), json: json.clone() });
        json
    }
}

/// Adds the items of all pieces to a list that is written as JSON. What `write` adds may also depend on `common`.
pub(super) fn write_list<P>(
    list: &mut Json,
    placed: &Placed<P>,
    common: &str,
    write: impl Fn(&mut Json, u32, &P),
) {
    let common: Bytes = common.as_bytes().into();
    for (line, piece) in placed {
        let json = piece.json(*line, &common, &write);
        if !json.is_empty() {
            list.comma().shared(json);
        }
    }
}

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
        ask: impl FnOnce(Known<'_>) -> Vec<FilePart<T>>,
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
                    let places = Places { context, file, start: part.start, line };
                    Some(Arc::new(Piece::new(make(&places, found))))
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
        // A file that is not open, or no longer, will not be closed, so its pieces would stay in memory.
        if is_whole && context.remembered.version(&file.path).is_some() {
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

/// Walks through the known pieces in parallel with the parts of the file as it is now.
struct Walk<'a, P> {
    rest: &'a [(u64, Arc<Piece<P>>)],
    met: Vec<Arc<Piece<P>>>,
}

impl<P> Walk<'_, P> {
    fn knows(&mut self, id: u64) -> bool {
        // Parts that the edit removed are skipped, but not many: otherwise each new part would search the whole list.
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
        let (text, encoding) = (&self.file.text, self.context.encoding);
        let index = self.file.line_index();
        let range = self.in_file(range);
        let line = index.line_of(range.start);
        let whole = index.line_range(text, line);
        let spot = |line: u32, offset: u32| {
            let col = index.col(text, line, offset, encoding);
            Spot { line: line - self.line, col }
        };
        let start = spot(line, range.start);
        if range.end <= whole.end {
            return [start, spot(line, range.end)];
        }
        [start, spot(index.line_of(range.end), range.end)]
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
