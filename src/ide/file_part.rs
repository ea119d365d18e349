//! Results part by part. A part is a section of a file, some dozen entries. Its findings stay the same while nothing in it is
//! edited, even if it moves, so a caller that already has them does not need them again.

/// What a feature found in one section of a file, or between two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePart<T> {
    /// The same number means the same findings in another version of the file; 0 if they are not known by a number.
    pub id: u64,
    /// Where ranges are counted from, in bytes of the file.
    pub start: u32,
    /// The findings; `None` if the caller knows the number.
    pub found: Option<Vec<T>>,
}

/// Says whether the caller already has the findings with a number. It is called in the order of the file.
pub type Known<'a> = &'a mut dyn FnMut(u64) -> bool;

impl<T> FilePart<T> {
    /// The findings of a part, unless they are known. `None` if `find` returns that the request was cancelled.
    pub(crate) fn of(
        id: u64,
        start: u32,
        known: Known<'_>,
        find: impl FnOnce() -> Option<Vec<T>>,
    ) -> Option<Self> {
        let found = if id != 0 && known(id) { None } else { Some(find()?) };
        Some(Self { id, start, found })
    }

    /// Findings that are returned each time.
    pub(crate) fn unnumbered(start: u32, found: Vec<T>) -> Self {
        Self { id: 0, start, found: Some(found) }
    }
}

/// Something with ranges in a file.
pub trait Movable {
    /// Moves ranges that count from byte `by` so that they count from the start of the file.
    fn shift(&mut self, by: u32);
}

/// The findings with ranges that count from a place `by` bytes earlier.
pub(crate) fn shifted<T: Movable>(mut found: Vec<T>, by: u32) -> Vec<T> {
    for it in &mut found {
        it.shift(by);
    }
    found
}

/// All findings, with ranges in bytes of the file, without those that the caller knows.
pub(crate) fn joined<T: Movable>(parts: Vec<FilePart<T>>) -> Vec<T> {
    let of_part = |part: FilePart<T>| shifted(part.found.unwrap_or_default(), part.start);
    parts.into_iter().flat_map(of_part).collect()
}
