//! The workspace before an edit: the saved files, or a Git revision.
//!
//! The snapshots are kept, because a view that follows typing needs the same one again and again.

use std::sync::{Arc, Mutex, PoisonError};

use crate::config::Environment;
use crate::world::World;
use crate::world::git::{GitDisk, Repository};
use crate::world::paths;

/// The maximum number of earlier snapshots that are kept: those that were used last.
const MAX_KEPT: usize = 4;

/// The other side of a comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Before {
    /// The files on the disk, without unsaved edits.
    #[default]
    Saved,
    /// A revision of Git.
    Revision(Arc<str>),
}

/// The snapshots that are kept.
#[derive(Default)]
struct KeptBefores(Mutex<Vec<KeptBefore>>);

struct KeptBefore {
    /// The moment from which it was made.
    of: Arc<World>,
    /// The commit and the directory; `None` for the saved files.
    commit: Option<(String, String)>,
    world: Arc<World>,
    revision: Option<Arc<GitDisk>>,
}

/// An earlier workspace, and the revision that it is read from, if it is one.
type Earlier = (Arc<World>, Option<Arc<GitDisk>>);

impl World {
    /// The earlier workspace, and the revision that it is read from. `directory` selects the repository.
    ///
    /// # Errors
    /// What is wrong with the repository or the revision.
    pub(crate) fn before(
        self: &Arc<Self>,
        before: &Before,
        directory: &str,
    ) -> Result<Earlier, String> {
        let revision = match before {
            Before::Saved => None,
            Before::Revision(revision) => {
                let repository = Repository::of(directory)?;
                let commit = repository.commit(revision)?;
                Some((repository, commit))
            }
        };
        let wanted = revision.as_ref().map(|(_, commit)| (commit.clone(), directory.to_owned()));
        let kept = self.attached::<KeptBefores>();
        let is_it = |it: &KeptBefore| it.commit == wanted && self.has_same_disk(&it.of);
        if let Some(found) = kept.find(is_it) {
            return Ok(found);
        }
        let (world, revision) = match revision {
            None => (self.as_saved(), None),
            Some((repository, commit)) => {
                let disk = GitDisk::new(repository, &commit, self.texts.base.reader())?;
                let disk = Arc::new(disk);
                (self.at_revision(disk.clone()), Some(disk))
            }
        };
        let made = KeptBefore {
            // A snapshot in storage that it owns itself would never be dropped.
            of: self.detached(),
            commit: wanted,
            world: world.detached(),
            revision,
        };
        Ok(kept.keep(made))
    }

    /// The other side that the settings name.
    pub fn usual_before(&self) -> Before {
        let revision = self.settings().changes_before.clone();
        revision.map_or(Before::Saved, Before::Revision)
    }

    /// Why edits in these environments cannot be compared with the other side that the settings name.
    pub fn usual_before_problem(&self, environments: &[Arc<Environment>]) -> Option<String> {
        let Before::Revision(revision) = self.usual_before() else { return None };
        let why = environments.iter().find_map(|environment| {
            let repository = Repository::of(&self.directory_of_revision(environment));
            repository.and_then(|it| it.commit(&revision)).err()
        })?;
        Some(format!("`changes.before`: {why}"))
    }

    /// The directory whose repository has the revision: that of the environment, or else the first folder of the workspace.
    pub fn directory_of_revision(&self, environment: &Environment) -> String {
        let root = environment.root.as_deref().or_else(|| self.folders().first().map(|it| &**it));
        paths::normalise(root.unwrap_or("/"))
    }
}

impl KeptBefores {
    fn find(&self, is_it: impl Fn(&KeptBefore) -> bool) -> Option<Earlier> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(is_it)?;
        let found = kept.remove(at);
        let answer = (found.world.clone(), found.revision.clone());
        kept.insert(0, found);
        Some(answer)
    }

    fn keep(&self, made: KeptBefore) -> Earlier {
        let answer = (made.world.clone(), made.revision.clone());
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert(0, made);
        kept.truncate(MAX_KEPT);
        answer
    }
}
