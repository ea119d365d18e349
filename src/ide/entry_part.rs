//! Results entry by entry. The findings of an entry stay the same while the entry is not edited, even if it moves, so a
//! caller that already has them does not need them again.

/// What a feature found in one entry of a file, or between two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryPart<T> {
    /// The same number means the same findings in another version of the file; 0 if they are not known by a number.
    pub id: u64,
    /// Where ranges are counted from, in bytes of the file.
    pub start: u32,
    /// The findings; `None` if the caller knows the number.
    pub found: Option<Vec<T>>,
}

/// Says whether the caller already has the findings with a number. It is called in the order of the file.
pub type Known<'a> = &'a mut dyn FnMut(u64) -> bool;

impl<T> EntryPart<T> {
    /// The findings of an entry, unless they are known.
    pub(crate) fn of(id: u64, start: u32, known: Known<'_>, find: impl FnOnce() -> Vec<T>) -> Self {
        let found = if id != 0 && known(id) { None } else { Some(find()) };
        Self { id, start, found }
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

/// All findings, with ranges in bytes of the file, without those that the caller knows.
pub(crate) fn joined<T: Movable>(parts: Vec<EntryPart<T>>) -> Vec<T> {
    let of_part = |part: EntryPart<T>| {
        let mut found = part.found.unwrap_or_default();
        for it in &mut found {
            it.shift(part.start);
        }
        found
    };
    parts.into_iter().flat_map(of_part).collect()
}
