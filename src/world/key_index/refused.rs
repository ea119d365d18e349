//! The files that Puppet refuses as a whole. What they are meant to have is not known.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{BulkIndex, IndexedFile, KeyIndex};
use crate::world::parallel;
use crate::world::texts::Texts;

/// The number of keys that are searched for in all texts before all files are parsed. Most snapshots need none or a few.
const MAX_SEARCHES: usize = 16;

/// The files that Puppet refuses, as far as they are known.
#[derive(Debug, Default)]
pub(super) struct Refused {
    /// The positions of all of them.
    all: OnceLock<Vec<u32>>,
    /// How many keys were searched for in the texts.
    searches: AtomicUsize,
}

impl KeyIndex {
    /// Whether some file that Puppet refuses may be meant to have a root key that the index does not find in it.
    pub fn may_be_refused(&self, key: &str) -> bool {
        let may_have = |file: &IndexedFile| may_have(&self.texts, file, key);
        let is_refused = |file: &IndexedFile| may_have(file) && is_refused(&self.texts, file);
        let mut changed = self.changed.values().flatten();
        changed.any(is_refused)
            || self.bulk.refused_if(may_have).any(|at| !self.replaced.contains(&at))
    }

    /// Whether Puppet refuses some file. The first call parses all files.
    pub fn has_refused_files(&self) -> bool {
        let mut changed = self.changed.values().flatten();
        changed.any(|file| is_refused(&self.texts, file))
            || self.bulk.all_refused().iter().any(|at| !self.replaced.contains(at))
    }
}

impl BulkIndex {
    /// The positions of the refused files for which `may_matter` holds, which costs less than parsing a file.
    fn refused_if(&self, may_matter: impl Fn(&IndexedFile) -> bool) -> impl Iterator<Item = u32> {
        let refused = &self.refused;
        let is_known = refused.all.get().is_some()
            || refused.searches.fetch_add(1, Ordering::Relaxed) >= MAX_SEARCHES;
        let known = is_known.then(|| self.all_refused().iter().copied());
        let all = (!is_known).then_some(0..self.files.len() as u32);
        let is_refused =
            |file: &IndexedFile| self.texts.as_ref().is_some_and(|it| is_refused(it, file));
        // Files are only parsed if they matter, unless that is known without.
        let matters = move |at: &u32| {
            let file = &self.files[*at as usize];
            may_matter(file) && (is_known || is_refused(file))
        };
        known.into_iter().flatten().chain(all.into_iter().flatten()).filter(matters)
    }

    /// The positions of all files that Puppet refuses. The first call parses all files.
    fn all_refused(&self) -> &[u32] {
        self.refused.all.get_or_init(|| {
            let Some(texts) = &self.texts else { return Vec::new() };
            let found = parallel::map(&self.files, |file| is_refused(texts, file));
            (0..).zip(found).filter_map(|(at, is_refused)| is_refused.then_some(at)).collect()
        })
    }
}

fn is_refused(texts: &Texts, file: &IndexedFile) -> bool {
    texts.file(&file.path).is_ok_and(|entry| entry.is_refused(file.format))
}

fn may_have(texts: &Texts, file: &IndexedFile, key: &str) -> bool {
    texts.file(&file.path).map_or(true, |entry| entry.may_spell(file.format, key))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::world::{Change, Host, MemoryDisk};

    const PATHS: [&str; 2] = ["/r/data/a.yaml", "/r/data/b.yaml"];

    /// Whether files that Puppet refuses may be meant to have `x` and `y`, and whether there are any.
    fn refused(host: &Host) -> [bool; 3] {
        let world = host.snapshot();
        let index = world.key_index(&world.environments()[0]);
        [index.may_be_refused("x"), index.may_be_refused("y"), index.has_refused_files()]
    }

    #[test]
    fn files_are_refused_on_disk_and_while_they_are_edited() {
        let files = [
            ("/r/hiera.yaml", "version: 5\nhierarchy: [{name: c, paths: [a.yaml, b.yaml]}]\n"),
            (PATHS[0], "a: @\nx: 1\n"),
            (PATHS[1], "b: 1\ny: 1\n"),
        ];
        let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        assert_eq!(refused(&host), [true, false, true]);
        let mut open = |path: &str, text: &str| {
            let (path, text) = (path.to_owned(), text.to_owned());
            host.apply(Change::OpenBuffer { path, text, version: 1 });
            refused(&host)
        };
        assert_eq!(open(PATHS[1], "b: @\ny: 1\n"), [true, true, true]);
        assert_eq!(open(PATHS[0], "a: 1\nx: 1\n"), [false, true, true]);
        assert_eq!(open(PATHS[1], "b: 1\ny: 1\n"), [false, false, false]);
    }
}
