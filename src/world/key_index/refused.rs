//! The files that Puppet refuses as a whole. What they are meant to have is not known.

use std::sync::Arc;

use super::{BulkIndex, IndexedFile, KeyIndex};
use crate::world::parallel;
use crate::world::texts::Texts;

impl KeyIndex {
    /// Whether some file that Puppet refuses may be meant to have a root key that the index does not find in it.
    pub fn may_be_refused(&self, key: &str) -> bool {
        self.refused().any(|file| may_have(&self.texts, file, key))
    }

    /// The paths of these files.
    pub fn refused_with(&self, key: &str) -> Vec<Arc<str>> {
        let files = self.refused().filter(|file| may_have(&self.texts, file, key));
        files.map(|file| file.path.clone()).collect()
    }

    /// Whether Puppet refuses some file.
    pub fn has_refused_files(&self) -> bool {
        self.refused().next().is_some()
    }

    fn refused(&self) -> impl Iterator<Item = &IndexedFile> {
        let kept = self.bulk.refused().iter().filter(|at| !self.replaced.contains(at));
        let kept = kept.map(|at| &self.bulk.files[*at as usize]);
        let changed = self.changed.values().flatten();
        kept.chain(changed.filter(|file| is_refused(&self.texts, file)))
    }
}

impl BulkIndex {
    /// The positions of the files that Puppet refuses. The first call parses all files.
    fn refused(&self) -> &[u32] {
        self.refused.get_or_init(|| {
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
