//! The paths of one change on the disk, and what else may be different because of them.

use std::collections::HashSet;

use foldhash::fast::RandomState;

use super::paths;

/// Paths that changed on the disk.
pub(super) struct ChangedPaths<'a> {
    paths: HashSet<&'a str, RandomState>,
    directories: HashSet<&'a str, RandomState>,
}

impl<'a> ChangedPaths<'a> {
    /// A set of normalized paths.
    pub(super) fn new(paths: impl Iterator<Item = &'a str> + Clone) -> Self {
        // If a file is new, its directory may be new too, and so on up to the root.
        let directories = paths.clone().flat_map(paths::ancestors).collect();
        Self { paths: paths.collect(), directories }
    }

    /// Whether `path` or a directory that contains it changed.
    pub(super) fn touches(&self, path: &str) -> bool {
        self.paths.contains(path) || paths::ancestors(path).any(|it| self.paths.contains(it))
    }

    /// Whether `path` or what it contains may be something else now.
    pub(super) fn concerns(&self, path: &str) -> bool {
        self.touches(path) || self.directories.contains(path)
    }

    /// The paths themselves, in any order.
    pub(super) fn paths(&self) -> impl Iterator<Item = &'a str> {
        self.paths.iter().copied()
    }
}
