//! What a comparison with a revision does not see although it may differ: submodules, and files that the commit has in another
//! form than a checkout.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::OnceLock;

use super::{GitDisk, NotAsData, files_other_than};
use crate::world::paths;

/// Why nothing is known of a submodule.
const SUBMODULE: &str = "a submodule; what it holds in a commit is not in this repository, so its changes are not compared";

/// The side with which a revision is compared.
#[derive(Clone, Copy)]
pub(crate) enum Other<'a> {
    Revision(&'a GitDisk),
    WorkingTree,
}

impl std::fmt::Display for NotAsData {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Encrypted => formatter.write_str("encrypted by git-crypt in the commit")?,
            Self::Pointer => {
                formatter.write_str("only a pointer to what Git LFS keeps in the commit")?;
            }
            Self::Filtered(name) => {
                write!(
                    formatter,
                    "converted by Git's filter '{name}', which hiera-ls does not run"
                )?;
            }
        }
        formatter.write_str("; its changes are not compared")
    }
}

impl GitDisk {
    /// The paths that were read so far, may differ from the other side, and are not compared, each with the reason. `no_data` are
    /// the files that contain no data on some side, with the reasons.
    pub(crate) fn not_compared(
        &self,
        other: Other<'_>,
        no_data: &BTreeMap<String, String>,
    ) -> BTreeMap<String, String> {
        let mut found = no_data.clone();
        let disks = [Some(self), other.disk()];
        for disk in disks.into_iter().flatten() {
            found.extend(disk.not_as_data().into_iter().map(|(path, why)| (path, why.to_string())));
        }
        let edited: OnceLock<Option<BTreeSet<String>>> = OnceLock::new();
        // If Git does not tell, everything may be edited.
        let is_edited = |path: &str| {
            let edited = edited
                .get_or_init(|| files_other_than(&self.repository().root, self.commit()).ok());
            edited.as_ref().is_none_or(|it| it.contains(path))
        };
        found.retain(|path, _| match other {
            Other::Revision(other) => {
                let object = |disk: &Self| disk.object_of(path).map(|(_, object)| object);
                object(self) != object(other)
            }
            Other::WorkingTree => {
                let own = self.inside(path);
                let target = self.object_of(path).map(|(path, _)| path);
                // Git may ignore a file that the commit lacks.
                target.is_none() || own.into_iter().chain(target).any(|it| is_edited(&it))
            }
        });
        let submodules = disks.into_iter().flatten().flat_map(Self::submodules);
        for path in submodules.collect::<BTreeSet<_>>() {
            let commit = self.commit_of_submodule(&path);
            let whole = self.repository().path_of(&path);
            let may_differ = match other {
                Other::Revision(other) => commit != other.commit_of_submodule(&path),
                Other::WorkingTree => {
                    is_edited(&path) || commit.is_none_or(|it| is_edited_submodule(&whole, it))
                }
            };
            if may_differ {
                found.insert(whole, SUBMODULE.to_owned());
            }
        }
        found
    }
}

impl<'a> Other<'a> {
    fn disk(self) -> Option<&'a GitDisk> {
        match self {
            Self::Revision(disk) => Some(disk),
            Self::WorkingTree => None,
        }
    }
}

/// Whether the files of a submodule may be others than those of its commit. One that is not checked out has no files.
fn is_edited_submodule(directory: &str, commit: &str) -> bool {
    let is_there = Path::new(&paths::join(directory, ".git")).exists();
    is_there && files_other_than(directory, commit).map_or(true, |files| !files.is_empty())
}
