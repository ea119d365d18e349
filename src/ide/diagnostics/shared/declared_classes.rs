//! What Puppet code says about keys: which classes have them as parameters, and which lookups name them.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use memchr::memmem;

use crate::code::file::language_of;
use crate::code::{ClassCode, CodeFile, CodeIndex};
use crate::config::{Environment, PuppetVersion};
use crate::data::Files as _;
use crate::engine::module_of_key;
use crate::ide::diagnostics::Related;
use crate::ide::diagnostics::shared::kept_by_name::KeptByName;
use crate::ide::diagnostics::shared::keys_in_code::KeysInCode;
use crate::ide::diagnostics::shared::near::near_key;
use crate::ide::diagnostics::shared::unread_code::{UnreadCode, ruby_files};
use crate::ide::searched_code::{holds_word, may_put_together};
use crate::syntax::puppet::{self, Declaration, DeclarationKind};
use crate::world::{World, paths};

/// The code of one environment. It is read for the first key.
pub(crate) struct DeclaredClasses<'a> {
    world: &'a Arc<World>,
    environment: &'a Arc<Environment>,
    index: OnceCell<Arc<CodeIndex>>,
    unread_code: OnceCell<Arc<UnreadCode>>,
    has_broken_hierarchy: OnceCell<bool>,
    known: Arc<KnownInCode>,
    /// The texts of Ruby files, by module.
    ruby: RefCell<HashMap<Arc<str>, Texts>>,
}

/// The texts of files.
type Texts = Rc<[Arc<str>]>;

/// What is found about names in the code of a snapshot. Thousands of its files have the same keys.
#[derive(Default)]
struct KnownInCode {
    keys: KeptByName<Arc<KnownKey>>,
    classes: KeptByName<Option<DeclaredClass>>,
}

#[derive(Default)]
struct KnownKey {
    is_used_otherwise: OnceLock<bool>,
    is_like_a_parameter: OnceLock<bool>,
}

/// A class or a defined type that is declared once, in a file that Puppet accepts.
#[derive(Clone)]
pub(crate) struct DeclaredClass {
    /// Where it is declared.
    pub(crate) path: Arc<str>,
    file: Arc<CodeFile>,
    index: usize,
}

impl<'a> DeclaredClasses<'a> {
    pub(crate) fn new(world: &'a Arc<World>, environment: &'a Arc<Environment>) -> Self {
        Self {
            world,
            environment,
            index: OnceCell::new(),
            unread_code: OnceCell::new(),
            has_broken_hierarchy: OnceCell::new(),
            known: world.of_snapshot(environment),
            ruby: RefCell::default(),
        }
    }

    /// The version of Puppet.
    pub(crate) fn puppet_version(&self) -> PuppetVersion {
        self.world.settings().puppet_version
    }

    /// The class of this name, if it is certain which class that is.
    pub(crate) fn only(&self, name: &str) -> Option<DeclaredClass> {
        self.known.classes.get_or(name, || self.only_of(DeclarationKind::Class, name))
    }

    /// The defined type of this name, if it is certain that nothing else has the name.
    pub(crate) fn only_defined_type(&self, name: &str) -> Option<DeclaredClass> {
        let classes = self.code().declared(DeclarationKind::Class, name);
        if classes.is_empty() { self.only_of(DeclarationKind::Define, name) } else { None }
    }

    fn only_of(&self, kind: DeclarationKind, name: &str) -> Option<DeclaredClass> {
        let [only] = self.code().declared(kind, name) else { return None };
        // Puppet refuses the file, so its declarations are only what the parser could recover.
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
    pub(crate) fn is_missing(&self, name: &str) -> bool {
        let has_name = |kind| !self.code().declared(kind, name).is_empty();
        !has_name(DeclarationKind::Class)
            && !has_name(DeclarationKind::Define)
            && module_of_key(name).or(Some(name)).is_some_and(|module| self.is_readable(module))
    }

    /// Whether the key sets a parameter that its class has.
    pub(crate) fn is_parameter(&self, key: &str) -> bool {
        let class =
            class_and_parameter(key).and_then(|(class, name)| Some((self.only(class)?, name)));
        class.is_some_and(|(class, name)| class.parameters().any(|it| it == name))
    }

    /// Whether a class or a defined type has this name.
    pub(crate) fn is_declared(&self, name: &str) -> bool {
        let has_name = |kind| !self.code().declared(kind, name).is_empty();
        has_name(DeclarationKind::Class) || has_name(DeclarationKind::Define)
    }

    /// The names of all classes in the module of `name`, sorted.
    pub(crate) fn of_the_module_of(&self, name: &str) -> Vec<Arc<str>> {
        let module = module_of_key(name).unwrap_or(name);
        let mut names = self.code().names(DeclarationKind::Class);
        names.retain(|it| module_of_key(it).unwrap_or(it) == module);
        names
    }

    /// Whether the key is used for something other than a class parameter: by a lookup in code, by an interpolation in
    /// data, or in some way by the Ruby code of its module.
    pub(crate) fn is_used_otherwise(&self, key: &str) -> bool {
        let keys_in_code = || KeysInCode::of(self.world, self.environment);
        *self.known_key(key).is_used_otherwise.get_or_init(|| {
            self.code().is_looked_up(key)
                || self.is_looked_up_by_data(key)
                || keys_in_code()
                    .name(key, || self.is_in_ruby(key) || self.is_in_strings_of_code(key))
        })
    }

    /// Whether the class that a key names has a parameter that the key may have been meant for.
    pub(crate) fn is_like_a_parameter(&self, key: &str) -> bool {
        *self.known_key(key).is_like_a_parameter.get_or_init(|| {
            let class =
                class_and_parameter(key).and_then(|(class, name)| Some((self.only(class)?, name)));
            class.is_some_and(|(class, name)| near_key(name, class.parameters()).is_some())
        })
    }

    fn known_key(&self, key: &str) -> Arc<KnownKey> {
        self.known.keys.get_or(key, Arc::default)
    }

    /// Whether a string of Puppet code has the name: the code may look the key up in a way that is not recognized, such as
    /// `call('lookup', 'class::key')` or `inline_epp('<%= lookup("class::key") %>')`.
    fn is_in_strings_of_code(&self, key: &str) -> bool {
        self.code().files().iter().any(|(path, _)| {
            // Most files do not have the name at all, so only few are split into tokens.
            let Ok(text) = self.world.text(path) else { return false };
            memmem::find(text.as_bytes(), key.as_bytes()).is_some()
                && puppet::strings(&text, language_of(path))
                    .iter()
                    .any(|range| holds_word(range.slice(&text), key))
        })
    }

    /// Whether an interpolation or `lookup_options` of the data name the key, or may do so: while the hierarchy is broken, it is not
    /// known which files are data.
    pub(crate) fn is_named_by_data(&self, key: &str) -> bool {
        self.has_broken_hierarchy() || self.world.key_index(self.environment).is_named(key)
    }

    /// The same for an interpolation alone. Options look nothing up.
    fn is_looked_up_by_data(&self, key: &str) -> bool {
        self.has_broken_hierarchy() || self.world.key_index(self.environment).is_looked_up(key)
    }

    fn has_broken_hierarchy(&self) -> bool {
        let is_broken = || {
            let evaluator = self.world.active_evaluator(self.environment);
            evaluator.config_failure(None).is_some()
        };
        *self.has_broken_hierarchy.get_or_init(is_broken)
    }

    /// Whether the name of a key without a module occurs in the Ruby code of some module, or in code outside the
    /// modulepath.
    pub(crate) fn is_in_unread_code(&self, key: &str) -> bool {
        let new = || UnreadCode::of(self.world, self.environment);
        self.unread_code.get_or_init(new).hold(key)
    }

    /// A path for messages: relative to the environment's directory.
    pub(crate) fn shown(&self, path: &str) -> String {
        paths::below(self.environment.directory(), path).unwrap_or(path).to_owned()
    }

    /// Whether a lookup in code has a key that is completely unknown. It may be any key.
    pub(crate) fn has_lookups_of_anything(&self) -> bool {
        self.code().lookup_of_anything().is_some()
    }

    /// Whether the name of the key occurs in a function, a fact, a type or a template of its module, or may be put together
    /// there.
    fn is_in_ruby(&self, key: &str) -> bool {
        let module = module_of_key(key).and_then(|it| self.environment.modules.get_key_value(it));
        let Some((name, directory)) = module else { return false };
        let known = self.ruby.borrow().get(name).cloned();
        let texts = known.unwrap_or_else(|| {
            let files = ruby_files(self.world, directory).into_iter();
            let texts: Texts = files.filter_map(|path| self.world.text(&path).ok()).collect();
            self.ruby.borrow_mut().insert(name.clone(), texts.clone());
            texts
        });
        // Ruby code often passes a name on or puts it together, so any occurrence of the name counts as a use.
        texts.iter().any(|text| {
            memmem::find(text.as_bytes(), key.as_bytes()).is_some() || may_put_together(text, key)
        })
    }

    fn is_readable(&self, module: &str) -> bool {
        // A module that is not here may be installed on the servers only.
        let Some(directory) = self.environment.modules.get(module) else { return false };
        let manifests = paths::join(directory, "manifests");
        // A file that cannot be parsed may declare the class, and a module without manifests proves nothing.
        let files = self.code().files().iter();
        let mut of_module =
            files.filter(|(path, _)| paths::below(&manifests, path).is_some()).peekable();
        of_module.peek().is_some() && of_module.all(|(_, summary)| !summary.is_broken)
    }

    /// What code declares and looks up.
    pub(crate) fn code(&self) -> &CodeIndex {
        self.index.get_or_init(|| self.world.code_index(self.environment))
    }
}

impl DeclaredClass {
    /// The class itself; `None` for a defined type.
    pub(crate) fn code(&self) -> Option<ClassCode> {
        ClassCode::of(self.path.clone(), self.file.clone(), self.index)
    }

    /// The names of its parameters, in their order.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &str> {
        self.declaration().parameters.iter().map(|it| it.name.as_str())
    }

    /// Points to the class, or to its parameter of this name.
    pub(crate) fn related(&self, parameter: Option<&str>) -> Related {
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

/// The class and the parameter that a key would set. `None` for names that Puppet never looks up: it uses lower case.
pub(crate) fn class_and_parameter(key: &str) -> Option<(&str, &str)> {
    // Several rules need this for each key, and a search for a text would cost more.
    let at = key.as_bytes().windows(2).rposition(|it| it == b"::")?;
    let (class, parameter) = (&key[..at], &key[at + 2..]);
    (is_in_lower_case(class) && !parameter.is_empty()).then_some((class, parameter))
}

/// Whether each of the names between `::` starts with a lower-case letter, and nothing is in upper case.
fn is_in_lower_case(class: &str) -> bool {
    // The first name starts as the others do.
    let mut colons = 2;
    for byte in class.bytes() {
        let starts = colons >= 2;
        if byte.is_ascii_uppercase() || starts && !byte.is_ascii_lowercase() {
            return false;
        }
        colons = if byte == b':' { colons + 1 } else { 0 };
    }
    colons < 2
}

/// Whether a key consists of names with `::` between them, each with a lower-case letter first.
pub(crate) fn has_form_of_a_parameter(key: &str) -> bool {
    // The first name starts as the others do.
    let mut colons = 2;
    for byte in key.bytes() {
        let is_expected = match colons {
            0 => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':'),
            1 => byte == b':',
            _ => byte.is_ascii_lowercase(),
        };
        if !is_expected {
            return false;
        }
        colons = if byte == b':' { colons + 1 } else { 0 };
    }
    colons == 0
}

#[cfg(test)]
mod tests {
    use super::{class_and_parameter, has_form_of_a_parameter};

    #[track_caller]
    fn check(key: &str, parameter: Option<(&str, &str)>, has_form: bool) {
        assert_eq!(class_and_parameter(key), parameter);
        assert_eq!(has_form_of_a_parameter(key), has_form);
    }

    #[test]
    fn keys_of_parameters() {
        check("a::b", Some(("a", "b")), true);
        check("a::b1::c_D", Some(("a::b1", "c_D")), true);
        check("a::B", Some(("a", "B")), false);
        check("aB::c", None, true);
        check("a", None, true);
    }

    #[test]
    fn other_keys() {
        check("", None, false);
        check("a::", None, false);
        check("::a", None, false);
        check("::a::b", None, false);
        check("A::b", None, false);
        check("a::B::c", None, false);
        check("a::1::c", None, false);
        check("a:::b", Some(("a:", "b")), false);
        check("a:b::c", Some(("a:b", "c")), false);
        check("a::::b", None, false);
        check("a:::b::c", None, false);
        check("a-b::c.d", Some(("a-b", "c.d")), false);
        check("a::é", Some(("a", "é")), false);
    }
}
