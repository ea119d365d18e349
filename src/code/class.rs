//! A class, with the file that declares it.

use std::sync::Arc;

use super::CodeFile;
use super::summary::known_as;
use crate::syntax::puppet::{Declaration, DeclarationKind, Parameter};
use crate::text::TextRange;

/// A class that some file declares.
#[derive(Debug, Clone)]
pub struct ClassCode {
    /// The name that Puppet uses: in lower case, without a leading `::`.
    pub name: Arc<str>,
    /// The file.
    pub path: Arc<str>,
    /// The content of the file.
    pub file: Arc<CodeFile>,
    index: usize,
}

impl ClassCode {
    /// The class that is the file's declaration with this index; `None` if that is not a class.
    pub fn of(path: Arc<str>, file: Arc<CodeFile>, index: usize) -> Option<Self> {
        let declaration = file.manifest.declarations.get(index)?;
        let is_class = declaration.kind == DeclarationKind::Class;
        let name = known_as(DeclarationKind::Class, declaration.name.as_deref()?);
        is_class.then_some(Self { name, path, file, index })
    }

    /// The index of its declaration in the file.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Its declaration.
    pub fn declaration(&self) -> &Declaration {
        &self.file.manifest.declarations[self.index]
    }

    /// Its parameters, in source order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.declaration().parameters
    }

    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters().iter().find(|it| it.name == name)
    }

    /// The key that sets a parameter.
    pub fn key_of(&self, parameter: &str) -> String {
        format!("{}::{parameter}", self.name)
    }

    /// The class that this one inherits from, by the name that Puppet uses.
    pub fn parent(&self) -> Option<Arc<str>> {
        let written = self.file.slice(self.declaration().parent?);
        // Puppet's parser accepts `inherits default`, but no class has this name.
        (written != "default").then(|| known_as(DeclarationKind::Class, written))
    }

    /// The text of a type or a default, on one line.
    pub fn text_in_a_line(&self, range: TextRange) -> String {
        self.file.slice(range).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Why Puppet refuses the file, and with it the class.
    pub fn syntax_error(&self) -> Option<&str> {
        self.file.manifest.errors.first().map(|it| &*it.message)
    }
}
