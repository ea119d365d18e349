//! The modules that Puppet does not see because of their `metadata.json`. They are not among those of an environment.

use std::sync::Arc;

use super::modulepath::{directories_of_modules, modulepath, unseen_by_puppet};
use super::paths;
use super::snapshot::World;
use crate::config::Environment;
use crate::config::module_metadata::UnseenModule;

/// A module whose data, classes, functions and types Puppet does not see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnseenModuleAt {
    /// Its name.
    pub name: Arc<str>,
    /// Its directory.
    pub directory: Arc<str>,
    /// Why it is not seen.
    pub why: UnseenModule,
}

impl UnseenModuleAt {
    /// The path of its `metadata.json`.
    pub fn metadata(&self) -> String {
        paths::join(&self.directory, "metadata.json")
    }
}

impl World {
    /// The modules in the modulepath of an environment that Puppet does not see; for a module as the whole workspace, that
    /// module itself, which counts nevertheless.
    pub fn unseen_modules(&self, environment: &Environment) -> Vec<UnseenModuleAt> {
        let modules = match &environment.root {
            Some(root) => {
                let directories = modulepath(self, root);
                directories_of_modules(self, &directories)
            }
            None => environment.modules.clone(),
        };
        let puppet = self.settings().puppet_version;
        let unseen = modules.into_iter().filter_map(|(name, directory)| {
            let why = unseen_by_puppet(self, &name, &directory, puppet)?;
            Some(UnseenModuleAt { name, directory, why })
        });
        unseen.collect()
    }

    /// The module around a file that Puppet does not see.
    pub fn unseen_module(&self, path: &str) -> Option<UnseenModuleAt> {
        let environment = self.environment_of(path)?;
        let holds = |it: &UnseenModuleAt| paths::below(&it.directory, path).is_some();
        self.unseen_modules(&environment).into_iter().find(holds)
    }
}

#[cfg(test)]
mod tests {
    use crate::settings::Settings;
    use crate::world::{MemoryDisk, World};

    use super::*;

    #[test]
    fn modules_without_metadata_that_puppet_needs() {
        let metadata = "{\"name\": \"a-m\"}";
        let files = [
            ("/r/hiera.yaml", "version: 5\n"),
            ("/r/modules/m/metadata.json", metadata),
            ("/r/modules/m/data/common.yaml", "m::a: 1\n"),
            ("/r/modules/n/manifests/init.pp", "class n { }\n"),
            ("/alone/m/hiera.yaml", "version: 5\n"),
            ("/alone/m/metadata.json", metadata),
        ];
        let disk = Arc::new(MemoryDisk::new(files));
        let folders = vec!["/r".into(), "/alone/m".into()];
        let world = World::on_disk(disk, folders, Settings::default());
        let environments = world.environments();
        let names =
            |it: &Environment| it.modules.keys().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(names(&environments[0]), ["n"]);
        let found = world.unseen_module("/r/modules/m/data/common.yaml").expect("a module");
        assert_eq!(found.metadata(), "/r/modules/m/metadata.json");
        assert_eq!(found.why.message, "No source module metadata provided for m");
        assert_eq!(world.unseen_module("/r/modules/n/manifests/init.pp"), None);
        assert_eq!(names(&environments[1]), ["m"]);
        assert_eq!(world.unseen_modules(&environments[1]).len(), 1);
    }
}
