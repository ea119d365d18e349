//! An index of the files that an open path can lead to, by root key, so that a lookup does not search all of them.

use std::hash::BuildHasher;
use std::sync::Arc;

use crate::data::DataFile;

/// Files by their numbers in the list of files that fit a path.
#[derive(Debug)]
pub(super) struct FitIndex {
    hasher: foldhash::fast::RandomState,
    /// The hash of a key and the number of a file that has it, sorted.
    pairs: Vec<(u64, u32)>,
    /// Files that matter for every key.
    always: Vec<u32>,
}

impl FitIndex {
    /// `None` is a file that matters for every key.
    pub(super) fn new(files: impl Iterator<Item = Option<Arc<DataFile>>>) -> Self {
        let hasher = foldhash::fast::RandomState::default();
        let mut pairs = Vec::new();
        let mut always = Vec::new();
        for (at, file) in (0..).zip(files) {
            match file {
                Some(file) => file.each_key(|key| pairs.push((hasher.hash_one(key), at))),
                None => always.push(at),
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        Self { hasher, pairs, always }
    }

    /// The files that may have `root`, in order: all that have it, and rarely some that have another key.
    pub(super) fn may_have(&self, root: &str) -> impl Iterator<Item = u32> {
        let hash = self.hasher.hash_one(root);
        let begin = self.pairs.partition_point(|(it, _)| *it < hash);
        let with_it = self.pairs[begin..].iter().take_while(|(it, _)| *it == hash);
        let mut all: Vec<u32> = with_it.map(|(_, at)| *at).chain(self.always.clone()).collect();
        all.sort_unstable();
        all.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::memory::MemoryFiles;
    use crate::data::{Files, Format};

    #[test]
    fn the_files_of_a_key_and_those_of_every_key_come_in_order() {
        let files = MemoryFiles::new([("/a", "x: 1\ny: 2\n"), ("/b", "y: 1\n"), ("/c", "x: 3\n")]);
        let read = |path: &str| Some(files.data(path, Format::Yaml).expect("a file"));
        let index = FitIndex::new([read("/a"), read("/b"), None, read("/c")].into_iter());
        assert_eq!(index.may_have("x").collect::<Vec<_>>(), [0, 2, 3]);
        assert_eq!(index.may_have("y").collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(index.may_have("z").collect::<Vec<_>>(), [2]);
    }
}
