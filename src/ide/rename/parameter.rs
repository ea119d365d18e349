//! A key that sets a class parameter takes the parameter along: its declaration, what the class and those that inherit from it
//! read of it, and who gives it a value.

use std::sync::Arc;

use super::Work;
use crate::code::documentation::tag_of_parameter;
use crate::code::summary::known_as;
use crate::config::Environment;
use crate::data::Files as _;
use crate::engine::cases::in_a_list;
use crate::ide::code::given::{Given, given_values};
use crate::ide::code::variables::{is_of_lambda, last_segment, names_of, qualified_variables};
use crate::ide::labelled_edits::{EditLabel, LabelledEdit};
use crate::ide::searched_code::{RUBY, files_below, holds_word};
use crate::syntax::key_path::Segment;
use crate::syntax::puppet::METAPARAMETERS;
use crate::syntax::puppet::{self, DeclarationKind, Names};
use crate::text::{TextEdit, TextRange};
use crate::world::paths;

/// Names that Puppet keeps for itself. It sets the last two in every class before the parameters.
const RESERVED: [&str; 7] =
    ["title", "name", "facts", "trusted", "server_facts", "module_name", "caller_module_name"];

/// A parameter that gets another name.
struct Parameter<'a> {
    class: &'a str,
    old: &'a str,
    new: &'a str,
}

/// Why a name is none for a class parameter, as a part of a sentence.
pub(super) fn refused_name(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("type a name".to_owned());
    }
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    let is_word = name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
    if !(begins && is_word) {
        return Some(format!("`{name}` is not a name for a parameter"));
    }
    if ["true", "false"].contains(&name) {
        return Some(format!(
            "in a string, Puppet reads `${{{name}}}` as a value and not as a variable"
        ));
    }
    RESERVED.contains(&name).then(|| format!("Puppet reserves the name `${name}`"))
}

/// Whether Puppet parses the name of a parameter before `=>`. A variable may also start with `_`, but an attribute may not.
fn is_attribute_name(parameter: &str) -> bool {
    !parameter.starts_with('_')
}

impl Work<'_> {
    /// Renames the parameter that the key sets. Where the new key cannot be that of a parameter of the class, a warning says
    /// what the class loses.
    pub(super) fn class_parameter(&mut self, environment: &Arc<Environment>) -> Result<(), String> {
        let [Segment::Name(key)] = &self.renaming.path[..] else { return Ok(()) };
        let Some((class, old)) = key.rsplit_once("::") else { return Ok(()) };
        let world = self.world;
        let Some((path, file, index)) = world.loaded_class(environment, class) else {
            return Ok(());
        };
        let declaration = &file.manifest.declarations[index];
        let Some(declared) = declaration.parameters.iter().find(|it| it.name == old) else {
            return Ok(());
        };
        let place = self.shown(environment, &path, declared.name_range);
        let new = self.renaming.new_name.strip_prefix(class).and_then(|it| it.strip_prefix("::"));
        let is_ours = world.is_in_workspace(&path);
        let Some(new) = new.filter(|it| is_ours && refused_name(it).is_none()) else {
            self.lost_value(environment, format!(
                "`{key}` sets a parameter of class `{class}` ({place}). The manifest keeps the parameter's name, so the class \
                 no longer gets this value"
            ));
            return Ok(());
        };
        if let Some(error) = file.manifest.errors.first() {
            let at = self.shown(environment, &path, error.range);
            return Err(format!(
                "{at}: a syntax error hides where the class uses `${old}`: {}",
                error.message
            ));
        }
        if METAPARAMETERS.contains(&new) {
            let so = match declared.default {
                Some(_) => "its value applies to all resources in the class",
                None => "Puppet refuses the class, because the parameter has no default",
            };
            self.warnings.insert(format!("`{new}` is a metaparameter: {so}."));
        }
        let parameter = Parameter { class, old, new };
        let names = names_of(world, &path).unwrap_or_default();
        let scope = names.scope_of(declaration.name_range);
        let scope = scope.ok_or_else(|| format!("{place}: the class cannot be read"))?;
        let uses = self.uses(environment, &path, &names, scope, &parameter)?;
        self.edit_code(&path, uses, new);
        if let Some(range) = tag_of_parameter(&file, declaration, old) {
            self.edit_code(&path, [range], new);
        }
        // Other code may name the variable by any class that inherits it.
        let classes = self.heirs(environment, &parameter)?;
        self.outside(environment, &parameter, &classes)?;
        let qualified: Vec<_> = classes.iter().map(|class| format!("{class}::{old}")).collect();
        self.warn_of_what_stays(environment, (class, old), &qualified);
        self.warn_of_examples(environment, class, old);
        self.warn_of_templates(environment, &parameter, declaration.range.slice(&file.text));
        Ok(())
    }

    /// Notes that a class loses the value of the key in an environment, if data there has the key.
    fn lost_value(&mut self, environment: &Arc<Environment>, sentence: String) {
        if !self.world.key_index(environment).places(self.renaming.root()).is_empty() {
            let label = self.world.environment_label(environment);
            self.lost.entry(sentence).or_default().insert(label);
        }
    }

    /// Says which values classes lose and, if these are values of several environments, in which ones.
    pub(super) fn warn_of_lost_values(&mut self) {
        for (sentence, environments) in std::mem::take(&mut self.lost) {
            let environments = Vec::from_iter(environments);
            let where_lost = match environments.len() {
                1 => String::new(),
                _ => format!(" in the environments {}", in_a_list(&environments)),
            };
            self.warnings.insert(format!("{sentence}{where_lost}."));
        }
    }

    /// The class parameter that gets the whole value of a key in which something is renamed.
    pub(super) fn parameter_with_whole_value(&self, environment: &Environment) -> Option<String> {
        let (class, name) = self.renaming.root().rsplit_once("::")?;
        if self.renaming.path.len() == 1 {
            return None;
        }
        let (path, file, index) = self.world.loaded_class(environment, class)?;
        let mut parameters = file.manifest.declarations[index].parameters.iter();
        let parameter = parameters.find(|it| it.name == name)?;
        Some(self.shown(environment, &path, parameter.name_range))
    }

    /// Where variables of a scope are called `old`. The new name must be free there.
    fn uses(
        &self,
        environment: &Environment,
        path: &str,
        names: &Names,
        scope: usize,
        parameter: &Parameter<'_>,
    ) -> Result<Vec<TextRange>, String> {
        let Parameter { old, new, .. } = parameter;
        let sees = |it: &puppet::VariableUse, name: &str| names.sees(it.scope, scope, name);
        let shown = |at: TextRange| self.shown(environment, path, at);
        if let Some(taken) = names.variables.iter().find(|it| it.name == *new && sees(it, new)) {
            return Err(format!("{}: `${new}` exists already", shown(taken.range)));
        }
        let uses = names.variables.iter().filter(|it| it.name == *old && sees(it, old));
        let uses: Vec<_> = uses.collect();
        match uses.iter().find(|it| !sees(it, new)) {
            Some(hidden) => Err(format!(
                "{}: `${new}` already names a parameter of the lambda there",
                shown(hidden.range)
            )),
            None => Ok(uses.into_iter().map(|it| it.range).collect()),
        }
    }

    /// Classes that inherit from the class read its variables by their plain names, unless they have their own. Gives the
    /// names of those that do not, the class's own first.
    fn heirs(
        &mut self,
        environment: &Arc<Environment>,
        parameter: &Parameter<'_>,
    ) -> Result<Vec<String>, String> {
        let world = self.world;
        let index = world.code_index(environment);
        // Few files have a class with a parent, and a search for the word costs less than parsing all files.
        let holds = |path: &str| {
            world
                .text(path)
                .is_ok_and(|it| memchr::memmem::find(it.as_bytes(), b"inherits").is_some())
        };
        let paths: Vec<_> = index.files().iter().filter(|(path, _)| holds(path)).collect();
        let mut known = vec![(parameter.class.to_owned(), true)];
        let mut done = 0;
        while let Some((parent, is_seen)) = known.get(done).cloned() {
            done += 1;
            for (path, _) in &paths {
                let Some(file) = world.code_file(path) else { continue };
                let is_heir = |it: &&puppet::Declaration| {
                    let written = it.parent.map(|range| file.slice(range));
                    written.is_some_and(|it| *known_as(DeclarationKind::Class, it) == *parent)
                };
                for heir in file.manifest.declarations.iter().filter(is_heir) {
                    // A class whose parent hides the variable does not see the parameter.
                    let is_seen = is_seen && self.heir(environment, path, heir, parameter)?;
                    let name = known_as(DeclarationKind::Class, heir.name.as_deref().unwrap_or(""));
                    // Broken code may have classes that inherit from each other in a circle.
                    if !known.iter().any(|(it, _)| **it == *name) {
                        known.push((name.to_string(), is_seen));
                    }
                }
            }
        }
        Ok(known.into_iter().filter(|(_, is_seen)| *is_seen).map(|(name, _)| name).collect())
    }

    /// Renames what an heir reads. Whether it has no variable of its own that hides the parameter.
    fn heir(
        &mut self,
        environment: &Arc<Environment>,
        path: &Arc<str>,
        heir: &puppet::Declaration,
        parameter: &Parameter<'_>,
    ) -> Result<bool, String> {
        let names = names_of(self.world, path).unwrap_or_default();
        let Some(scope) = names.scope_of(heir.name_range) else { return Ok(false) };
        let bound = &names.scopes[scope].bound;
        let reads = |name: &str| {
            names.variables.iter().any(|it| it.name == name && names.sees(it.scope, scope, name))
        };
        let hides = bound.contains(parameter.old);
        // Until now, the new name is that of a variable further up.
        let reads_another = reads(parameter.new) && !bound.contains(parameter.new);
        if reads_another || !hides && reads(parameter.old) {
            let uses = self.uses(environment, path, &names, scope, parameter)?;
            self.edit_code(path, uses, parameter.new);
        }
        Ok(!hides)
    }

    /// Variables with the name of one of `classes` before theirs, and values that `class { … }` gives. `Err` names a place where
    /// the new name would be that of a lambda's variable.
    fn outside(
        &mut self,
        environment: &Arc<Environment>,
        parameter: &Parameter<'_>,
        classes: &[String],
    ) -> Result<(), String> {
        let Parameter { class, old, new } = parameter;
        let world = self.world;
        let qualified: Vec<_> = classes.iter().map(|class| format!("{class}::{old}")).collect();
        let given = given_values(world, environment, class, old);
        for hash in given.iter().filter(|it| it.is_hash) {
            let place = self.shown(environment, &hash.path, hash.range);
            self.warnings.insert(format!(
                "{place} sets parameters of class `{class}` from a hash: a `{old}` in it stays."
            ));
        }
        let is_in_way =
            |it: &&Given| it.is_shared && !it.is_hash && world.is_in_workspace(&it.path);
        if let Some(shared) = given.iter().find(is_in_way) {
            return Err(format!(
                "{}: `{old}` is set there for other classes, too, and they keep this name",
                self.shown(environment, &shared.path, shared.range)
            ));
        }
        let is_attribute = |it: &&Given| !it.is_hash && world.is_in_workspace(&it.path);
        if !is_attribute_name(new)
            && let Some(attribute) = given.iter().find(is_attribute)
        {
            return Err(format!(
                "{}: Puppet does not parse `{new} =>`, so the class could not get the parameter there",
                self.shown(environment, &attribute.path, attribute.range)
            ));
        }
        for (path, _) in world.code_index(environment).files() {
            let Ok(text) = world.text(path) else { continue };
            let holds = |it: &str| memchr::memmem::find(text.as_bytes(), it.as_bytes()).is_some();
            let mut places = Vec::new();
            if qualified.iter().any(|it| holds(it)) {
                let names = names_of(world, path).unwrap_or_default();
                let renamed = qualified_variables(&text, &names, &qualified, (class, old));
                if let Some(hidden) =
                    renamed.iter().find(|it| is_of_lambda(&text, &names, it, class, new))
                {
                    return Err(format!(
                        "{}: `${new}` already names a parameter of the lambda there",
                        self.shown(environment, path, hidden.range)
                    ));
                }
                places.extend(renamed.iter().map(|it| last_segment(it, old)));
            }
            let given = given.iter().filter(|it| it.path == *path && !it.is_hash);
            places.extend(given.map(|it| it.range));
            if world.is_in_workspace(path) {
                self.edit_code(path, places, new);
            } else if let Some(first) = places.first() {
                let place = self.shown(environment, path, *first);
                self.warnings
                    .insert(format!("{place} is outside of the workspace: `{old}` stays there."));
            }
        }
        Ok(())
    }

    /// ERB templates that a class renders see its variables as `@name`.
    fn warn_of_templates(
        &mut self,
        environment: &Environment,
        parameter: &Parameter<'_>,
        class_text: &str,
    ) {
        // An ERB template reads the variables of the class that calls it.
        if !class_text.contains("template(") {
            return;
        }
        let module = parameter.class.split("::").next().unwrap_or_default();
        let Some(directory) = environment.modules.get(module) else { return };
        let templates = files_below(self.world, directory, &["templates"], &RUBY);
        let variable = format!("@{}", parameter.old);
        for path in templates {
            if self.world.text(&path).is_ok_and(|it| holds_word(&it, &variable)) {
                let shown = paths::below(environment.directory(), &path).unwrap_or(&path);
                self.warnings.insert(format!(
                    "{shown} has `{variable}`, which may be the parameter: it stays as it is."
                ));
            }
        }
    }

    /// Writes `new` into places of a file of code.
    pub(super) fn edit_code(
        &mut self,
        path: &Arc<str>,
        ranges: impl IntoIterator<Item = TextRange>,
        new: &str,
    ) {
        let edits = ranges.into_iter().map(|range| LabelledEdit {
            edit: TextEdit::replace(range, new),
            label: EditLabel::Code,
        });
        self.files.entry(path.clone()).or_default().extend(edits);
    }
}
