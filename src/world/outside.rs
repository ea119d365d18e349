//! Directories that a workspace leads to but does not contain. They are not read, and a note says so once for each.

use super::loader::IS_OUTSIDE;
use super::snapshot::World;
use crate::data::{Files as _, PathKind};

impl World {
    /// Whether a directory is there, but must not be read because it is outside of the workspace.
    pub fn is_outside(&self, directory: &str) -> bool {
        !self.may_read_in(directory) && self.kind(directory) == PathKind::Directory
    }

    /// The same. If it is, a note says that the directory is not read.
    pub(super) fn leaves_out(&self, directory: &str) -> bool {
        let is_outside = self.is_outside(directory);
        if is_outside {
            self.left_out(directory, format!("{directory}{IS_OUTSIDE}"));
        }
        is_outside
    }
}
