//! What Puppet code says of the keys of data: the classes whose parameters they could be, and the lookups that name them.

use std::cell::OnceCell;
use std::sync::Arc;

use super::Related;
use super::known_keys::module_of;
use super::referenced_keys::ReferencedKeys;
use crate::code::summary::{CodeSummary, KeyPattern};
use crate::code::{CodeFile, CodeIndex, DeclaredAt};
use crate::config::Environment;
use crate::syntax::puppet::{Declaration, DeclarationKind};
use crate::world::{World, paths};

/// The code of one environment, read when the first key asks.
pub(super) struct DeclaredClasses<'a> {
    world: &'a Arc<World>,
    environment: &'a Arc<Environment>,
    index: OnceCell<Arc<CodeIndex>>,
    referenced: OnceCell<ReferencedKeys>,
}

/// A class that is declared once, in a file that Puppet accepts.
pub(super) struct DeclaredClass {
    /// Where it is declared.
    pub(super) path: Arc<str>,
    file: Arc<CodeFile>,
    index: usize,
}

impl<'a> DeclaredClasses<'a> {
    pub(super) fn new(world: &'a Arc<World>, environment: &'a Arc<Environment>) -> Self {
        Self { world, environment, index: OnceCell::new(), referenced: OnceCell::new() }
    }

    /// The class of this name, if it is certain which one that is.
    pub(super) fn only(&self, name: &str) -> Option<DeclaredClass> {
        let [only] = self.places(name) else { return None };
        if only.is_broken {
            return None;
        }
        let file = self.world.code_file(&only.path)?;
        let index = only.index as usize;
        file.manifest.declarations.get(index)?;
        Some(DeclaredClass { path: only.path.clone(), file, index })
    }

    /// Whether no class and no defined type has this name, though the module that must hold it is here with code that Puppet
    /// accepts.
    pub(super) fn is_missing(&self, name: &str) -> bool {
        let has_name = |kind| !self.code().declared(kind, name).is_empty();
        !has_name(DeclarationKind::Class)
            && !has_name(DeclarationKind::Define)
            && module_of(name).or(Some(name)).is_some_and(|module| self.is_readable(module))
    }

    /// The names of all classes in the module of `name`, sorted.
    pub(super) fn of_the_module_of(&self, name: &str) -> Vec<Arc<str>> {
        let module = module_of(name).unwrap_or(name);
        let mut names = self.code().names(DeclarationKind::Class);
        names.retain(|it| module_of(it).unwrap_or(it) == module);
        names
    }

    /// Whether the key is used as no class parameter: by a lookup in code, or by an interpolation in data.
    pub(super) fn is_used_otherwise(&self, key: &str) -> bool {
        let referenced =
            || self.referenced.get_or_init(|| ReferencedKeys::new(self.world, self.environment));
        self.code().is_looked_up(key) || referenced().by_data(key)
    }

    /// Whether some lookup in code has a key of which nothing is known: it can be any.
    pub(super) fn has_lookups_of_anything(&self) -> bool {
        let is_anything = |(_, summary): &(Arc<str>, Arc<CodeSummary>)| {
            summary.patterns.iter().any(KeyPattern::is_anything)
        };
        self.code().files().iter().any(is_anything)
    }

    fn is_readable(&self, module: &str) -> bool {
        let Some(directory) = self.environment.modules.get(module) else { return false };
        let manifests = paths::join(directory, "manifests");
        let files = self.code().files().iter();
        let mut of_module =
            files.filter(|(path, _)| paths::below(&manifests, path).is_some()).peekable();
        of_module.peek().is_some() && of_module.all(|(_, summary)| !summary.is_broken)
    }

    fn places(&self, name: &str) -> &[DeclaredAt] {
        self.code().declared(DeclarationKind::Class, name)
    }

    fn code(&self) -> &CodeIndex {
        self.index.get_or_init(|| self.world.code_index(self.environment))
    }
}

impl DeclaredClass {
    /// The names of its parameters, in their order.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &str> {
        self.declaration().parameters.iter().map(|it| it.name.as_str())
    }

    /// Points to the class, or to its parameter of this name.
    pub(super) fn related(&self, parameter: Option<&str>) -> Related {
        let class = self.declaration();
        let found = class.parameters.iter().find(|it| Some(it.name.as_str()) == parameter);
        let (name, range) = match found {
            Some(parameter) => (format!("${}", parameter.name), parameter.name_range),
            None => (class.name.clone().unwrap_or_default(), class.name_range),
        };
        let message = format!("`{name}` is here");
        Related { path: Some(self.path.clone()), range, message }
    }

    fn declaration(&self) -> &Declaration {
        &self.file.manifest.declarations[self.index]
    }
}

/// The class and the parameter that a key would set. `None` for names that Puppet never asks for: its own are in lower case.
pub(super) fn class_and_parameter(key: &str) -> Option<(&str, &str)> {
    let (class, parameter) = key.rsplit_once("::")?;
    let is_class = !class.starts_with("::")
        && class.split("::").all(|it| it.starts_with(|c: char| c.is_ascii_lowercase()))
        && class.bytes().all(|it| !it.is_ascii_uppercase());
    (is_class && !parameter.is_empty()).then_some((class, parameter))
}
