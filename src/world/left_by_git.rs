//! What Git wrote in the place of data: the pointers of Git LFS, encrypted files, and the marks of conflicts.

use memchr::memmem;

use super::World;
use crate::data::{Files as _, Format};
use crate::text::TextRange;

/// The start of a file that git-crypt has encrypted.
const GIT_CRYPT: &str = "\0GITCRYPT\0";

/// The start of a pointer of Git LFS.
const LFS_POINTER: &str = "version https://git-lfs.github.com/spec/";

/// What Git writes into a file that is no data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftByGit {
    /// The name of an object that Git LFS keeps, in the place of its content.
    Pointer,
    /// The file as git-crypt encrypts it.
    Encrypted,
    /// The marks around both sides of a conflict.
    ConflictMarks,
}

impl LeftByGit {
    /// Looks for it in the text of a file.
    pub(super) fn in_text(text: &str) -> Option<Self> {
        let stands_for_content = Self::at_start(text.as_bytes());
        if stands_for_content.is_some() {
            return stands_for_content;
        }
        // Most files have no marks, and a search for marks costs less than a look at the rest of the file.
        let may_have_marks = ["<<<<<<< ", ">>>>>>> "]
            .iter()
            .any(|mark| memmem::find(text.as_bytes(), mark.as_bytes()).is_some());
        (may_have_marks && text.lines().any(is_conflict_mark)).then_some(Self::ConflictMarks)
    }

    /// What stands for the content of a file that Git has in another form.
    pub(super) fn at_start(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(LFS_POINTER.as_bytes()) {
            return Some(Self::Pointer);
        }
        bytes.starts_with(GIT_CRYPT.as_bytes()).then_some(Self::Encrypted)
    }
}

/// Whether a line is one of the marks around a conflict.
fn is_conflict_mark(line: &str) -> bool {
    line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ")
}

/// The marks around the conflicts of a text, without their line ends.
pub fn conflict_marks(text: &str) -> Vec<TextRange> {
    let mut marks = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if is_conflict_mark(line) {
            marks.push(TextRange::new(at, at + line.trim_end().len() as u32));
        }
        at += line.len() as u32;
    }
    marks
}

impl World {
    /// What Git wrote into a file in the place of data. A file that Puppet can parse may have marks of a conflict in a string.
    pub fn left_by_git(&self, path: &str, format: Format) -> Option<LeftByGit> {
        let found = self.file(path).ok()?.left_by_git()?;
        let is_certain = || self.data(path, format).is_ok_and(|data| data.is_unparsable());
        (found != LeftByGit::ConflictMarks || is_certain()).then_some(found)
    }
}
