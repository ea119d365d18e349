//! A workspace on the disk for as long as a test runs.

use std::fs;

use tempfile::TempDir;

pub(crate) struct Workspace {
    root: String,
    _directory: TempDir,
}

impl Workspace {
    /// A directory with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = fs::canonicalize(directory.path()).expect("it is there");
        let root = root.to_str().expect("a path that is a text").to_owned();
        let workspace = Self { root, _directory: directory };
        for (name, text) in files {
            workspace.write(name, text);
        }
        workspace
    }

    pub(crate) fn root(&self) -> &str {
        &self.root
    }

    /// The path of a file.
    pub(crate) fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.root)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        let (directory, _) = path.rsplit_once('/').expect("paths are absolute");
        fs::create_dir_all(directory).expect("a directory can be made");
        fs::write(path, text).expect("a file can be written");
    }

    /// Writes the same text to many files.
    pub(crate) fn write_all(&self, names: &[String], text: &str) {
        for name in names {
            self.write(name, text);
        }
    }

    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.path(name)).expect("it is there");
    }
}
