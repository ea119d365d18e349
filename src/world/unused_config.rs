//! The `hiera.yaml` files that Puppet does not use because of their version or an error in them, and the data beside them.
//!
//! No lookup reads such data. Its files are still checked by the rules that look at one file only, and features say why
//! there is no value.

use std::sync::Arc;

use super::paths;
use super::snapshot::World;
use super::unread::{DATA_DIRECTORIES, is_usual_data};
use crate::config::hiera_yaml::{ConfigProblem, LayerKind, ProblemSubject};
use crate::config::{Environment, HieraYaml};
use crate::data::{Files as _, PathKind};

/// A `hiera.yaml` that Puppet ignores or refuses as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusedConfig {
    /// Its path.
    pub path: Arc<str>,
    /// The module whose layer it would be.
    pub module: Option<Arc<str>>,
    /// Why Puppet does not use it, in Puppet's words.
    pub reason: String,
    /// Whether it would be used if its version were another one. Otherwise, Puppet cannot read it.
    pub is_of_other_version: bool,
}

impl UnusedConfig {
    /// The reason, to end a message; `shown` is the path of the `hiera.yaml` for users.
    pub fn in_words(&self, shown: &str) -> String {
        format!("Puppet does not use {shown}: {}", self.reason)
    }

    /// The directories with the usual names of data directories beside it, whether or not they exist. The datadirs in an old
    /// file are those of a server.
    pub fn data_directories(&self) -> impl Iterator<Item = String> {
        let root = paths::parent(&self.path).unwrap_or("/");
        DATA_DIRECTORIES.iter().map(move |name| paths::join(root, name))
    }
}

impl World {
    /// The `hiera.yaml` that a data file seems to belong to, if Puppet does not use it and no other hierarchy leads to the
    /// file.
    pub fn unused_config_of(&self, path: &str) -> Option<UnusedConfig> {
        if !is_usual_data(path) {
            return None;
        }
        let environment = self.environment_of(path)?;
        let layer = match self.module_of(&environment, path) {
            Some((name, directory)) => (LayerKind::Module, Some(name), directory),
            None => (LayerKind::Environment, None, environment.root.clone()?),
        };
        // This is the cheap condition, and most files do not meet it.
        let (first, rest) = paths::below(&layer.2, path)?.split_once('/')?;
        if !DATA_DIRECTORIES.contains(&first) || format!("/{rest}").contains("/.") {
            return None;
        }
        if self.reach(&environment).reaches(path) {
            return None;
        }
        self.unused_config(&environment, layer)
    }

    /// All `hiera.yaml` files of an environment and its modules that Puppet does not use.
    pub fn unused_configs(&self, environment: &Environment) -> Vec<UnusedConfig> {
        let own = environment.root.iter().map(|it| (LayerKind::Environment, None, it.clone()));
        let modules = environment.modules.iter();
        let modules = modules.map(|(name, it)| (LayerKind::Module, Some(name.clone()), it.clone()));
        own.chain(modules).filter_map(|layer| self.unused_config(environment, layer)).collect()
    }

    fn unused_config(
        &self,
        environment: &Environment,
        (layer, module, root): (LayerKind, Option<Arc<str>>, Arc<str>),
    ) -> Option<UnusedConfig> {
        let path = paths::join(&root, "hiera.yaml");
        // A server's own hiera.yaml may have version 3, and can be at the root of a repository.
        let is_global = environment.global_config.as_deref() == Some(&*path);
        if is_global || self.kind(&path) != PathKind::File {
            return None;
        }
        let puppet = self.settings().puppet_version;
        match HieraYaml::of_file(self, &path, layer, puppet).ok()? {
            (None, problems) => {
                let is_of_other_version =
                    problems.iter().any(|it| it.subject != ProblemSubject::Content);
                let reason = reason(&problems);
                Some(UnusedConfig { path: path.into(), module, reason, is_of_other_version })
            }
            (Some(_), _) => None,
        }
    }
}

/// The error that stops Puppet, or else its last warning: that it ignores the file.
fn reason(problems: &[ConfigProblem]) -> String {
    let problem = problems.iter().find(|it| it.is_error()).or(problems.last());
    let detail = problem.and_then(|it| it.details.first());
    let reason = detail.map_or_else(String::new, |it| it.message.clone());
    if problems.iter().any(|it| it.subject == ProblemSubject::NoHash) {
        format!("it contains no hash and counts as version 3; {reason}")
    } else {
        reason
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::config::PuppetVersion;
    use crate::settings::Settings;
    use crate::world::{Change, Host, MemoryDisk};

    const DATA: &str = "/r/data/nodes/a.yaml";

    #[track_caller]
    fn check(
        files: &[(&str, &str)],
        (path, version): (&str, PuppetVersion),
        expected: Option<&str>,
    ) {
        let mut host = Host::new(Arc::new(MemoryDisk::new(files.iter().copied())));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        host.apply(Change::Settings(Settings { puppet_version: version, ..Settings::default() }));
        let found = host.snapshot().unused_config_of(path);
        let shown = found.map(|it| format!("{}: {}", it.path, it.reason));
        assert_eq!(shown.as_deref(), expected);
    }

    #[test]
    fn version_three_in_an_environment() {
        let files = [("/r/hiera.yaml", "version: 3\n"), (DATA, "a: 1\n")];
        let refused = "/r/hiera.yaml: hiera.yaml version 3 cannot be used in an environment";
        check(&files, (DATA, PuppetVersion::V8), Some(refused));
        let ignored =
            "/r/hiera.yaml: hiera.yaml version 3 found at the environment root was ignored";
        check(&files, (DATA, PuppetVersion::V7), Some(ignored));
        check(&files, ("/r/data/.git/a.yaml", PuppetVersion::V7), None);
        check(&files, ("/r/docs/a.yaml", PuppetVersion::V7), None);
    }

    #[test]
    fn an_empty_file_has_version_three() {
        let expected = "/r/hiera.yaml: it contains no hash and counts as version 3; hiera.yaml version 3 cannot be used \
                        in an environment";
        for text in ["", "# nothing yet\n", "---\n"] {
            let files = [("/r/hiera.yaml", text), (DATA, "a: 1\n")];
            check(&files, (DATA, PuppetVersion::V8), Some(expected));
        }
    }

    #[test]
    fn of_modules() {
        let files = [
            ("/r/hiera.yaml", "version: 5\n"),
            ("/r/modules/m/hiera.yaml", "version: 3\n"),
            ("/r/modules/m/data/common.yaml", "m::a: 1\n"),
            ("/r/data/common.yaml", "a: 1\n"),
        ];
        let expected = "/r/modules/m/hiera.yaml: hiera.yaml version 3 cannot be used in a module";
        check(&files, ("/r/modules/m/data/common.yaml", PuppetVersion::V8), Some(expected));
        check(&files, ("/r/data/common.yaml", PuppetVersion::V8), None);
    }
}
