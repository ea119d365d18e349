//! Puppet's words for a variable that is not set, and the classes that it finds while it looks for one.

use std::sync::Arc;

use super::code_variables::is_variable_of_class;
use super::evaluator::Evaluator;
use crate::code::CodeFile;
use crate::code::roots::files_of_class;
use crate::code::summary::known_as;
use crate::syntax::key_path;
use crate::syntax::puppet::DeclarationKind;

/// What Puppet says of the class of a variable that is not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClassOfVariable {
    /// The class exists, but no code included it before the variable was read.
    NotEvaluated,
    /// Puppet finds no class of this name.
    NotFound,
}

impl ClassOfVariable {
    /// The reason that a message gives.
    pub fn in_words(self, class: &str) -> String {
        match self {
            Self::NotEvaluated => format!("class {class} has not been evaluated"),
            Self::NotFound => format!("class {class} could not be found"),
        }
    }
}

impl Evaluator {
    /// The name of a variable that is not set, and the reason, as Puppet's messages have them. The variable of a class loses its leading
    /// `::`, and the reason is its class. For any other variable, there is none.
    pub(super) fn undefined_in_words<'n>(&self, name: &'n str) -> (&'n str, String) {
        let unqualified = name.strip_prefix("::").unwrap_or(name);
        // For Puppet, `::::a` is a variable of the top scope.
        let class = unqualified.rsplit_once("::").map(|(class, _)| class);
        let Some(class) = class.filter(|it| !it.is_empty()) else {
            return (name, String::new());
        };
        let is_too_early = self.code_variables().is_some_and(|it| it.is_too_early(unqualified));
        let state = if is_too_early || self.finds_class(class) {
            ClassOfVariable::NotEvaluated
        } else {
            ClassOfVariable::NotFound
        };
        (unqualified, state.in_words(class))
    }

    /// Whether a variable is one of a class that neither the modules nor the main manifests declare.
    pub fn is_of_missing_class(&self, variable: &str) -> bool {
        let path = key_path::parse(variable).ok().filter(is_variable_of_class);
        let root = path.as_ref().and_then(|it| it.root_name());
        let class = root.and_then(|it| it.trim_start_matches("::").rsplit_once("::"));
        class.is_some_and(|(class, _)| {
            !self.finds_class(class) && !self.code_variables().is_some_and(|it| it.declares(class))
        })
    }

    /// Whether Puppet finds a class. `puppet lookup` does not read the main manifests, so only the files count that modules have for the
    /// class.
    fn finds_class(&self, class: &str) -> bool {
        let name = known_as(DeclarationKind::Class, class);
        let module = name.split("::").next().unwrap_or_default();
        let Some(root) = self.environment().modules.get(module) else { return false };
        let files = self.files().as_ref();
        files_of_class(&name).iter().any(|file| {
            let path = format!("{root}/manifests/{file}");
            self.prepared().classes_in(files, &path).contains(&name)
        })
    }
}

/// The classes that a text of Puppet code declares, by the names that Puppet uses; none if Puppet refuses it.
pub(super) fn classes_of(path: &str, text: &Arc<str>) -> Arc<[Arc<str>]> {
    let file = CodeFile::of_text(path, Arc::clone(text));
    if !file.manifest.errors.is_empty() {
        return Arc::default();
    }
    let declared = file.manifest.declarations.iter();
    let classes = declared.filter(|it| it.kind == DeclarationKind::Class);
    classes.filter_map(|it| Some(known_as(it.kind, it.name.as_deref()?))).collect()
}
