//! The locations of an environment's three layers.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::config::hiera_yaml::LayerKind;

/// An environment: the locations of its three layers of Hiera configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// Its name, e.g. `production`.
    pub name: Arc<str>,
    /// Why it has this name.
    pub naming: Naming,
    /// The directory that contains its `hiera.yaml`; `None` if a single module is the workspace.
    pub root: Option<Arc<str>>,
    /// Path of the global layer's `hiera.yaml`, whether or not the file exists. `None` if no global layer is set, which is
    /// the same as an empty directory.
    pub global_config: Option<Arc<str>>,
    /// Why every lookup fails before Puppet comes to the first layer.
    pub refusal: Option<EnvironmentRefusal>,
    /// Module name to module directory, in modulepath order (the first of a name wins).
    pub modules: IndexMap<Arc<str>, Arc<str>>,
}

/// Why an environment has its name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Naming {
    /// It is only what Puppet would assume: a checkout of a control repository can be deployed as any environment.
    #[default]
    Assumed,
    /// The settings name it, for nodes that do not name one themselves.
    Usual,
    /// It is the name of its directory, or the command line gives it. All of its nodes are in it.
    Fixed,
}

/// The error with which Puppet refuses an environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentRefusal {
    /// The name of the file that it refuses: `environment.conf`, or the `metadata.json` of a module.
    pub file: &'static str,
    /// Its Ruby class.
    pub class: &'static str,
    /// Puppet's words.
    pub message: Arc<str>,
}

impl Environment {
    /// Its name, unless it is only assumed.
    pub fn known_name(&self) -> Option<&Arc<str>> {
        (self.naming != Naming::Assumed).then_some(&self.name)
    }

    /// Its name, if that is the name for all nodes.
    pub fn fixed_name(&self) -> Option<&Arc<str>> {
        (self.naming == Naming::Fixed).then_some(&self.name)
    }

    /// The name of the environment for a node that says that it is in `own`. Nothing else decides what `$environment` is for
    /// a node.
    pub fn name_for(&self, own: Option<&str>) -> Arc<str> {
        match own {
            Some(own) if self.naming != Naming::Fixed && *own != *self.name => own.into(),
            _ => self.name.clone(),
        }
    }

    /// The paths of its `hiera.yaml` files with their layers, whether or not they exist.
    pub fn hiera_yamls(&self) -> impl Iterator<Item = (LayerKind, String)> {
        let global = self.global_config.iter().map(|it| (LayerKind::Global, it.to_string()));
        let own = self.root.iter().map(|root| (LayerKind::Environment, root));
        let modules = self.modules.values().map(|root| (LayerKind::Module, root));
        global.chain(own.chain(modules).map(|(layer, root)| (layer, format!("{root}/hiera.yaml"))))
    }

    /// The directory that users mean: that of the environment, or of the module that is the workspace.
    pub fn directory(&self) -> &str {
        let module = || self.modules.values().next();
        self.root.as_ref().or_else(module).map_or("", |directory| directory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_keeps_its_environment_unless_another_name_is_certain() {
        let check = |naming, own: Option<&str>, expected: &str| {
            let name = "production".into();
            let environment = Environment { name, naming, ..Environment::default() };
            assert_eq!(&*environment.name_for(own), expected, "{naming:?} {own:?}");
        };
        for naming in [Naming::Assumed, Naming::Usual] {
            check(naming, Some("qa"), "qa");
            check(naming, None, "production");
        }
        check(Naming::Fixed, Some("qa"), "production");
        check(Naming::Fixed, None, "production");
    }
}
