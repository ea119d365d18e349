//! The type of a class parameter, with the aliases that modules and the environment define.

use std::sync::Arc;

use super::class_parameter::ClassParameter;
use crate::code::CodeIndex;
use crate::config::Environment;
use crate::data::Files as _;
use crate::data::puppet_type::{AliasFile, AliasFiles, Type, TypeAliases, evaluate};
use crate::syntax::puppet::DeclarationKind;
use crate::world::World;

/// The type of a parameter.
pub(super) struct ParameterType {
    /// The type itself.
    pub(super) of_values: Type,
    /// Types do not keep the aliases alive that they name.
    _aliases: Arc<TypeAliases>,
}

impl ParameterType {
    /// The type of the parameter; `None` if none is written, or Puppet refuses it.
    pub(super) fn of(
        world: &Arc<World>,
        environment: &Environment,
        parameter: &ClassParameter,
    ) -> Option<Self> {
        let text = parameter.type_text()?;
        let index = world.code_index(environment);
        let aliases = TypeAliases::new(Box::new(IndexedAliases { world: world.clone(), index }));
        let of_values = evaluate(text, &aliases).ok()?;
        Some(Self { of_values, _aliases: aliases })
    }
}

/// The aliases in the code of an environment.
struct IndexedAliases {
    world: Arc<World>,
    index: Arc<CodeIndex>,
}

impl AliasFiles for IndexedAliases {
    fn alias(&self, name: &str) -> Option<AliasFile> {
        let is_it = |it: &&Arc<str>| it.to_lowercase() == name;
        let names = self.index.names(DeclarationKind::TypeAlias);
        let declared = names.iter().find(is_it)?;
        let place = self.index.declared(DeclarationKind::TypeAlias, declared).first()?;
        let text = self.world.text(&place.path).ok()?;
        Some(AliasFile { path: place.path.to_string(), text: text.to_string() })
    }

    fn is_resource_type(&self, name: &str) -> bool {
        !self.index.declared(DeclarationKind::Define, name).is_empty()
    }
}
