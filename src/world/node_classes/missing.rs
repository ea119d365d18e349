//! Parameters without a value in classes that nodes certainly have.

use std::sync::Arc;

use super::{FleetClasses, ParameterFleets};
use crate::code::ClassCode;
use crate::config::Environment;
use crate::engine::{Answer, Request};
use crate::world::fleet::Fleet;
use crate::world::snapshot::World;

/// A parameter without a default for which some nodes have no data.
#[derive(Debug, Clone)]
pub struct MissingParameter {
    /// The class.
    pub class: ClassCode,
    /// Without `$`.
    pub parameter: Arc<str>,
    /// The indexes of the nodes in [`FleetClasses::nodes`].
    pub nodes: Vec<u32>,
}

impl World {
    /// The parameters for which nodes with fact sets lack values, by class and in the order of its parameters. The catalogs
    /// of these nodes fail.
    pub fn missing_parameters(
        self: &Arc<Self>,
        environment: &Arc<Environment>,
    ) -> Arc<[MissingParameter]> {
        let classes = self.fleet_classes(environment);
        classes.missing.get_or_init(|| self.missing_in(environment, &classes)).clone()
    }

    /// The parameters for which some nodes certainly lack values.
    pub fn missing_in(
        self: &Arc<Self>,
        environment: &Arc<Environment>,
        classes: &FleetClasses,
    ) -> Arc<[MissingParameter]> {
        let fleets = ParameterFleets::new(self, environment, classes);
        let mut found = Vec::new();
        for name in classes.certain_classes() {
            let code = classes.holders(name).find_map(|(_, it)| it.code.clone());
            let Some(class) = code else { continue };
            for parameter in class.parameters().iter().filter(|it| it.default.is_none()) {
                let bound = classes.bound_by_lookup(name, &parameter.name);
                let key = class.key_of(&parameter.name);
                let nodes = fleets.for_class(&class, |fleet| without_data(fleet, &key, &bound));
                if !nodes.is_empty() {
                    let (class, parameter) = (class.clone(), parameter.name.as_str().into());
                    found.push(MissingParameter { class, parameter, nodes });
                }
            }
        }
        found.into()
    }
}

/// Those of the nodes, in order, for which certainly no level has the key.
fn without_data(fleet: &Fleet, key: &str, nodes: &[u32]) -> Vec<u32> {
    if nodes.is_empty() {
        return Vec::new();
    }
    // A back end that was not run may have the value, and so may a file that is left out.
    let is_nothing = |it: &Answer| {
        matches!(it.outcome, Ok(None)) && it.opaque.is_empty() && it.left_out.is_empty()
    };
    // A key that some case has is not missing for certain.
    let is_nothing =
        |it: &Answer| it.each_case().iter().all(|(_, it)| is_nothing(it)) && is_nothing(it);
    let answers = fleet.answers(&Request::key(key));
    let mut lacking: Vec<u32> =
        answers.into_iter().filter(|it| is_nothing(&it.answer)).flat_map(|it| it.nodes).collect();
    lacking.retain(|it| nodes.binary_search(it).is_ok());
    lacking.sort_unstable();
    lacking
}
