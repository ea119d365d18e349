//! What Git wrote in the place of data: the pointers of Git LFS, encrypted files, and the marks of conflicts.

use memchr::memmem;

/// The start of a file that git-crypt has encrypted.
const GIT_CRYPT: &str = "\0GITCRYPT\0";

/// The start of a pointer of Git LFS.
const LFS_POINTER: &str = "version https://git-lfs.github.com/spec/";

/// What Git writes into a file that is no data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeftByGit {
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
        let is_mark = |line: &str| line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ");
        // Most files have no marks, and a search for marks costs less than a look at the rest of the file.
        let may_have_marks = ["<<<<<<< ", ">>>>>>> "]
            .iter()
            .any(|mark| memmem::find(text.as_bytes(), mark.as_bytes()).is_some());
        (may_have_marks && text.lines().any(is_mark)).then_some(Self::ConflictMarks)
    }

    /// What stands for the content of a file that Git has in another form.
    pub(super) fn at_start(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(LFS_POINTER.as_bytes()) {
            return Some(Self::Pointer);
        }
        bytes.starts_with(GIT_CRYPT.as_bytes()).then_some(Self::Encrypted)
    }
}
