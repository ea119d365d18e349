//! The locations of an environment's three layers.

use std::sync::Arc;

use indexmap::IndexMap;

/// An environment: the locations of its three layers of Hiera configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// Its name, e.g. `production`.
    pub name: Arc<str>,
    /// Whether this is certainly its name, because of its directory or the settings. A checkout of a control repository can
    /// be deployed as any environment; its name is then only what Puppet would assume.
    pub is_named: bool,
    /// The directory that contains its `hiera.yaml`; `None` if a single module is the workspace.
    pub root: Option<Arc<str>>,
    /// Path of the global layer's `hiera.yaml`, whether or not the file exists. `None` if no global layer is set, which is
    /// the same as an empty directory.
    pub global_config: Option<Arc<str>>,
    /// Module name to module directory, in modulepath order (the first of a name wins).
    pub modules: IndexMap<Arc<str>, Arc<str>>,
}

impl Environment {
    /// Its name, if it is certain.
    pub fn known_name(&self) -> Option<&Arc<str>> {
        self.is_named.then_some(&self.name)
    }

    /// The directory that users mean: that of the environment, or of the module that is the workspace.
    pub fn directory(&self) -> &str {
        let module = || self.modules.values().next();
        self.root.as_ref().or_else(module).map_or("", |directory| directory)
    }
}
