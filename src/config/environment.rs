//! Where the three layers of an environment lie.

use std::sync::Arc;

use indexmap::IndexMap;

/// An environment: where its three layers of Hiera configuration lie.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// Its name, e.g. `production`.
    pub name: Arc<str>,
    /// Whether something says that this is its name: the directory it lies in, or the settings. A checkout of a control
    /// repository can be deployed as any environment, and its name is only what Puppet would assume.
    pub is_named: bool,
    /// The directory that holds its `hiera.yaml`; `None` when a single module is the workspace.
    pub root: Option<Arc<str>>,
    /// Path of the global layer's `hiera.yaml`, whether the file exists or not. `None`: no global layer is set, which is
    /// as if its directory were empty.
    pub global_config: Option<Arc<str>>,
    /// Module name to module directory, in modulepath order (the first of a name wins).
    pub modules: IndexMap<Arc<str>, Arc<str>>,
}

impl Environment {
    /// Its name, if it is certain.
    pub fn known_name(&self) -> Option<&Arc<str>> {
        self.is_named.then_some(&self.name)
    }

    /// The directory that people have in mind: of the environment, or of the module that is the workspace.
    pub fn directory(&self) -> &str {
        let module = || self.modules.values().next();
        self.root.as_ref().or_else(module).map_or("", |directory| directory)
    }
}
