//! All files that an open path can lead to, and the ways to them.

use std::cmp::Ordering;
use std::ops::{Deref, Range};
use std::sync::{Arc, Mutex, PoisonError};

use super::assumptions::{Assumed, Condition, Way};
use crate::facts::open_path::Fit;

/// A file that an open path can lead to, and the way to it.
#[derive(Debug, Clone)]
pub struct FileWay {
    pub(super) path: Arc<str>,
    pub(super) way: Way,
}

impl From<Fit> for FileWay {
    fn from(fit: Fit) -> Self {
        let condition = |(variable, text)| Condition { variable, value: Assumed::Text(text) };
        Self { path: fit.path, way: fit.texts.into_iter().map(condition).collect() }
    }
}

/// The ways of one open path, sorted by the paths of their files.
#[derive(Debug, Default)]
pub struct PathFiles {
    ways: Box<[FileWay]>,
    /// Whether there are too many ways, so that none is listed.
    are_too_many: bool,
    numbered: Mutex<Option<(u64, Numbered)>>,
}

/// The numbers that an index gives to the files, ascending, each with the position of a way to the file.
type Numbered = Arc<[(u32, u32)]>;

impl Deref for PathFiles {
    type Target = [FileWay];

    fn deref(&self) -> &[FileWay] {
        &self.ways
    }
}

impl FromIterator<FileWay> for PathFiles {
    fn from_iter<I: IntoIterator<Item = FileWay>>(ways: I) -> Self {
        Self { ways: ways.into_iter().collect(), ..Self::default() }
    }
}

impl PathFiles {
    /// The files of a path of which `fits` are all ways, or `None` if there are too many.
    pub(super) fn new(fits: Option<Vec<Fit>>) -> Self {
        let are_too_many = fits.is_none();
        let ways = fits.into_iter().flatten().map(FileWay::from).collect();
        Self { ways, are_too_many, ..Self::default() }
    }

    /// Whether there are too many ways, so that none is listed.
    pub(super) fn are_too_many(&self) -> bool {
        self.are_too_many
    }

    /// Files without conditions.
    #[cfg(test)]
    pub(crate) fn of_paths(paths: impl IntoIterator<Item = Arc<str>>) -> Self {
        let ways = paths.into_iter().map(|path| FileWay { path, way: Way::default() });
        ways.collect()
    }

    /// The positions of the ways to those files that have a number in `holders`, which must be ascending. `index` identifies the
    /// index, and `number_of` is its number of a path. A path can lead to tens of thousands of files, so their numbers are kept.
    pub fn held_by(
        &self,
        (index, number_of): (u64, impl Fn(&str) -> Option<u32>),
        holders: &[u32],
    ) -> Vec<u32> {
        let numbered = self.numbered(index, number_of);
        let mut found = Vec::new();
        let (mut left, mut holders) = (&*numbered, holders);
        // Each step goes to the next number that both may have, and skips the numbers before it.
        while let (Some((number, at)), Some(holder)) = (left.first(), holders.first()) {
            match number.cmp(holder) {
                Ordering::Less => left = &left[count_until(left, |(it, _)| it < holder)..],
                Ordering::Greater => {
                    holders = &holders[count_until(holders, |it| it < number)..];
                }
                Ordering::Equal => {
                    found.push(*at);
                    left = &left[1..];
                }
            }
        }
        found
    }

    /// The positions of the ways to the file at `path`.
    pub fn positions_of(&self, path: &str) -> Range<u32> {
        let begin = self.ways.partition_point(|it| *it.path < *path);
        let count = self.ways[begin..].iter().take_while(|it| *it.path == *path).count();
        begin as u32..(begin + count) as u32
    }

    fn numbered(&self, index: u64, number_of: impl Fn(&str) -> Option<u32>) -> Numbered {
        let lock = || self.numbered.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, known)) = &*lock()
            && *of == index
        {
            return Arc::clone(known);
        }
        // No lock is held here. Two threads that do the same work get the same result.
        let numbers = (0..).zip(&self.ways).filter_map(|(at, it)| Some((number_of(&it.path)?, at)));
        let mut numbers: Vec<(u32, u32)> = numbers.collect();
        numbers.sort_unstable();
        let numbers = Numbered::from(numbers);
        *lock() = Some((index, Arc::clone(&numbers)));
        numbers
    }
}

/// The number of items at the start for which `is_before` holds. The time grows with the logarithm of this number.
fn count_until<T>(items: &[T], is_before: impl Fn(&T) -> bool) -> usize {
    let mut step = 1;
    while items.get(step - 1).is_some_and(&is_before) {
        step *= 2;
    }
    let near = &items[step / 2..items.len().min(step)];
    step / 2 + near.partition_point(is_before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_path_are_found_by_their_numbers() {
        let paths = ["/a", "/b", "/b", "/d", "/e", "/f", "/g", "/h", "/i", "/k"];
        let files = PathFiles::of_paths(paths.map(Arc::from));
        // The index has all files from `/a` to `/j` in another order, and not `/k`.
        let number_of = |path: &str| {
            let letter = u32::from(path.as_bytes()[1] - b'a');
            9u32.checked_sub(letter)
        };
        let check = |holders: &[u32], expected: &[u32]| {
            assert_eq!(files.held_by((1, number_of), holders), expected, "{holders:?}");
        };
        check(&[], &[]);
        check(&[0, 7], &[]);
        check(&[1, 5, 8, 9], &[8, 4, 1, 2, 0]);
        check(&(0..10).collect::<Vec<_>>(), &[8, 7, 6, 5, 4, 3, 1, 2, 0]);
        // Another index has other numbers.
        assert_eq!(files.held_by((2, |_| Some(3)), &[3]).len(), paths.len());
        assert_eq!(files.positions_of("/b"), 1..3);
        assert!(files.positions_of("/c").is_empty());
    }

    #[test]
    fn items_are_counted_up_to_the_first_that_does_not_fit() {
        for end in 0..20 {
            let items: Vec<usize> = (0..17).collect();
            assert_eq!(count_until(&items, |it| *it < end), end.min(17));
        }
    }
}
