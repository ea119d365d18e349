//! Whether the code of functions that levels call was edited. It is not evaluated, so what the levels return then is unknown.

use std::sync::Arc;

use super::difference::FleetPair;
use crate::config::Environment;
use crate::data::Files as _;
use crate::world::paths;

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

/// The files that may define a function: those in which Puppet's loaders search for it, and the back end of that name for Hiera 3.
fn places_of(name: &str, environment: &Environment) -> Vec<String> {
    let below = name.replace("::", "/");
    let in_namespace = below.split_once('/').map_or(&*below, |(_, rest)| rest);
    let roots = environment.root.iter().chain(environment.modules.values());
    let names = [
        format!("functions/{in_namespace}.pp"),
        format!("lib/puppet/functions/{below}.rb"),
        format!("lib/hiera/backend/{below}_backend.rb"),
    ];
    let places = |root: &Arc<str>| names.each_ref().map(|name| paths::join(root, name));
    roots.flat_map(places).collect()
}
