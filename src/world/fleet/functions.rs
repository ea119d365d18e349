//! Whether the code of functions that levels call was edited. It is not evaluated, so what the levels return then is unknown.

use super::difference::FleetPair;
use crate::config::Environment;
use crate::data::{Files as _, PathKind};
use crate::world::{World, paths};

impl FleetPair {
    /// Whether the functions of all levels, other than Puppet's own, have the same code before and after. Code that they call
    /// elsewhere is not searched for.
    pub(super) fn has_same_functions(&self) -> bool {
        let (before, after) = (self.before().world(), self.after().world());
        let environment = self.after().environment();
        let reaches = [before.reach(self.before().environment()), after.reach(environment)];
        let functions = reaches.iter().flat_map(|reach| &reach.functions);
        let mut files = functions.flat_map(|name| places_of(name, environment));
        files.all(|path| before.text(&path) == after.text(&path))
    }
}

impl World {
    /// Whether Puppet certainly finds no function of this name, as its loaders know it (`Function::loaded_name`). A name with a
    /// module belongs to this module alone. Any other name may belong to every module, of which the server may have more, so
    /// only the names that users leave out a part of count.
    pub fn lacks_function(&self, name: &str, environment: &Environment) -> bool {
        let exists = |path: &String| self.kind(path) != PathKind::Missing;
        let Some((module, _)) = name.split_once("::") else {
            let is_short = ["yaml", "json", "hocon", "eyaml"].contains(&name);
            return is_short && !places_of(name, environment).iter().any(exists);
        };
        let Some(root) = environment.modules.get(module) else { return false };
        !places_below(root, name).iter().any(exists)
    }
}

/// The files that may define a function: those in which Puppet's loaders search for it, and the back end of that name for Hiera 3.
fn places_of(name: &str, environment: &Environment) -> Vec<String> {
    let roots = environment.root.iter().chain(environment.modules.values());
    roots.flat_map(|root| places_below(root, name)).collect()
}

/// Those of them in one module, or in the environment itself.
fn places_below(root: &str, name: &str) -> [String; 3] {
    let below = name.replace("::", "/");
    let in_namespace = below.split_once('/').map_or(&*below, |(_, rest)| rest);
    let names = [
        format!("functions/{in_namespace}.pp"),
        format!("lib/puppet/functions/{below}.rb"),
        format!("lib/hiera/backend/{below}_backend.rb"),
    ];
    names.map(|name| paths::join(root, &name))
}
