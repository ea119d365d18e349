//! Answers about whole files, put together from what was made of their entries before: lines count from the begin of an entry
//! until the answer goes out, so what an edit left alone is written again and not made again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::context::Context;
use crate::ide::{EntryPart, Known};
use crate::text::{LineCol, TextRange};
use crate::world::FileEntry;

/// How many entries an edit may take away before those behind it are made anew.
const MAX_GAP: usize = 256;

/// A place in an entry: the line counts from that at which the entry begins.
pub(super) type Spot = LineCol;

/// The pieces of open files, by path. Others are not kept.
#[derive(Debug)]
pub(super) struct Pieces<P>(Mutex<HashMap<Arc<str>, Arc<List<P>>>>);

/// The pieces of one file in order, with the numbers of the findings that they are made of.
type List<P> = Vec<(u64, Arc<P>)>;

/// The pieces of a file, each with the line at which it begins.
pub(super) type Placed<P> = Vec<(u32, Arc<P>)>;

impl<P> Default for Pieces<P> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<P> Pieces<P> {
    /// The pieces of a file: those of parts that `ask` finds to be known are those that were made before, `make` makes the
    /// others.
    pub(super) fn of<T>(
        &self,
        context: &Context,
        file: &FileEntry,
        ask: impl FnOnce(Known<'_>) -> Vec<EntryPart<T>>,
        make: impl Fn(&Places<'_>, Vec<T>) -> P,
    ) -> Placed<P> {
        let before = self.lock().get(&file.path).cloned().unwrap_or_default();
        let mut known = Walk { rest: &before, met: Vec::new() };
        let parts = ask(&mut |id| known.knows(id));
        let mut met = known.met.into_iter();
        let index = file.line_index();
        let mut line = 0;
        let mut placed = Placed::with_capacity(parts.len());
        let mut list = List::with_capacity(parts.len());
        for part in parts {
            line = index.line_from(line, part.start);
            let piece = match part.found {
                Some(found) => {
                    Some(Arc::new(make(&Places { context, file, start: part.start, line }, found)))
                }
                None => met.next(),
            };
            let Some(piece) = piece else { continue };
            placed.push((line, piece.clone()));
            list.push((part.id, piece));
        }
        let is_whole = !context.cancel.is_cancelled();
        if is_whole && context.world.open_file(&file.path).is_some() {
            self.lock().insert(file.path.clone(), Arc::new(list));
        }
        placed
    }

    /// Lets go of what is known of a file.
    pub(super) fn forget(&self, path: &str) {
        self.lock().remove(path);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Arc<str>, Arc<List<P>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A walk through known pieces, beside that through the entries of the file as it is now.
struct Walk<'a, P> {
    rest: &'a [(u64, Arc<P>)],
    met: Vec<Arc<P>>,
}

impl<P> Walk<'_, P> {
    fn knows(&mut self, id: u64) -> bool {
        let Some(at) = self.rest.iter().take(MAX_GAP).position(|(known, _)| *known == id) else {
            return false;
        };
        self.met.push(self.rest[at].1.clone());
        self.rest = &self.rest[at + 1..];
        true
    }
}

/// Where things stand in a part of a file.
pub(super) struct Places<'a> {
    context: &'a Context,
    file: &'a FileEntry,
    start: u32,
    line: u32,
}

impl<'a> Places<'a> {
    /// Those in the part that begins at byte `start`.
    pub(super) fn new(context: &'a Context, file: &'a FileEntry, start: u32) -> Self {
        Self { context, file, start, line: file.line_index().line_of(start) }
    }

    /// Begin and end of a range that counts from the begin of the part.
    pub(super) fn range(&self, range: TextRange) -> [Spot; 2] {
        [self.spot(range.start), self.spot(range.end)]
    }

    fn spot(&self, offset: u32) -> Spot {
        let (text, encoding) = (&self.file.text, self.context.encoding);
        let at = self.file.line_index().line_col(text, self.start + offset, encoding);
        Spot { line: at.line - self.line, col: at.col }
    }

    /// A range that counts from the begin of the part, in bytes of the file.
    pub(super) fn in_file(&self, range: TextRange) -> TextRange {
        range.shifted(self.start)
    }

    /// The line at which the part begins.
    pub(super) fn line(&self) -> u32 {
        self.line
    }
}
