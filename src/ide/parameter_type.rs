//! The type of a class parameter, with the aliases that modules and the environment define.

use std::sync::Arc;

use super::class_parameter::ClassParameter;
use crate::config::Environment;
use crate::data::puppet_type::{Type, TypeAliases, evaluate};
use crate::world::World;

/// The type of a parameter.
pub(super) struct ParameterType {
    /// The type itself.
    pub(super) of_values: Type,
    /// Types do not keep their aliases alive.
    _aliases: Arc<TypeAliases>,
}

impl ParameterType {
    /// The type of the parameter; `None` if it has none, or Puppet refuses it.
    pub(super) fn of(
        world: &Arc<World>,
        environment: &Environment,
        parameter: &ClassParameter,
    ) -> Option<Self> {
        let text = parameter.type_text()?;
        let aliases = world.type_aliases(environment);
        let of_values = evaluate(text, &aliases).ok()?;
        Some(Self { of_values, _aliases: aliases })
    }
}
