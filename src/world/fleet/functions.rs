//! Whether the code of functions that levels call was edited. It is not evaluated, so what the levels return then is unknown.

use super::difference::FleetPair;
use crate::backends::places_of_function;
use crate::data::Files as _;

impl FleetPair {
    /// Whether the functions of all levels, other than Puppet's own, have the same code before and after. Code that they call
    /// elsewhere is not searched for.
    pub(super) fn has_same_functions(&self) -> bool {
        let (before, after) = (self.before().world(), self.after().world());
        let environment = self.after().environment();
        let reaches = [before.reach(self.before().environment()), after.reach(environment)];
        let functions = reaches.iter().flat_map(|reach| &reach.functions);
        let mut files = functions.flat_map(|name| places_of_function(name, environment));
        files.all(|path| before.text(&path) == after.text(&path))
    }
}
