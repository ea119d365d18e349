//! A fixture as a workspace: its files, its settings, and its diagnostics.

use std::fmt::Write as _;
use std::sync::Arc;

use super::diagnostics::{Diagnostic, rule_names};
use super::fixture::{Finding, Fixture, FixtureFile};
use crate::settings::{PROJECT_FILE, Settings};
use crate::world::{Change, Host, MemoryDisk, World};

/// The directory that is a fixture's `/`.
pub(crate) const ROOT: &str = "/repo";

/// The `/hiera.yaml` of a fixture without one.
const DEFAULT_HIERA_YAML: &str =
    "version: 5\nhierarchy:\n  - name: Common data\n    path: common.yaml\n";

/// The attribute of a `/hiera.yaml` that should not exist.
const ABSENT: [&str; 2] = ["there", "no"];

impl Fixture {
    /// A world with the fixture's files, and its settings (`/.hiera-ls.yaml`) applied.
    pub(crate) fn world(&self) -> Arc<World> {
        self.world_in("")
    }

    /// The same, except that the workspace is only one of its directories.
    pub(crate) fn world_in(&self, folder: &str) -> Arc<World> {
        let is_there =
            |file: &&FixtureFile| !file.attributes.contains(&ABSENT.map(str::to_owned).into());
        let files = self.files.iter().filter(is_there);
        let mut files: Vec<(String, String)> =
            files.map(|file| (file.world_path(), file.text.to_string())).collect();
        if self.file("/hiera.yaml").is_none() {
            files.push((format!("{ROOT}/hiera.yaml"), DEFAULT_HIERA_YAML.to_owned()));
        }
        let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
        host.apply(Change::Folders(vec![format!("{ROOT}{folder}")]));
        if let Some(file) = self.file(&format!("/{PROJECT_FILE}")) {
            let (settings, _) = Settings::read(Some(&file.text), None, &rule_names());
            let settings = Settings { directory: Some(ROOT.into()), ..settings };
            host.apply(Change::Settings(settings));
        }
        host.snapshot()
    }

    /// Compares all diagnostics with the expected ones; `Err` shows the differences.
    pub(crate) fn check_diagnostics(&self) -> Result<(), String> {
        let world = self.world();
        let mut problems = String::new();
        for file in &self.files {
            let diagnostics = super::diagnostics(&world, &file.world_path());
            let findings: Vec<_> = diagnostics.into_iter().map(finding).collect();
            if let Some(difference) = file.difference(&findings) {
                let _ = writeln!(problems, "{difference}");
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }
}

impl FixtureFile {
    /// The file's path in [`Fixture::world`].
    pub(crate) fn world_path(&self) -> String {
        format!("{ROOT}{}", self.path)
    }
}

fn finding(diagnostic: Diagnostic) -> Finding {
    Finding {
        range: diagnostic.range,
        severity: diagnostic.severity.name().to_owned(),
        code: diagnostic.code.to_owned(),
        message: diagnostic.message,
    }
}
