//! Renames a class: its keys in the data, and its constant names in code. Messages say what stays.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::left_alone::{class_place, strings_that_read};
use super::renaming::Renaming;
use super::target::RenameTarget;
use super::{Carried, Work, listed};
use crate::code::file::language_of;
use crate::code::roots::files_of_class;
use crate::code::summary::known_as;
use crate::code::{CodeFile, CodeIndex, DeclaredAt};
use crate::config::Environment;
use crate::data::Files as _;
use crate::engine::CancelToken;
use crate::engine::cases::in_a_list;
use crate::ide::code::variables::names_of;
use crate::ide::labelled_edits::{EditLabel, LabelledEdit, LabelledEdits};
use crate::ide::searched_code::{
    EXAMPLES, RUBY, WITH_EXAMPLES, WITH_RUBY, files_of_environment, word_places,
};
use crate::syntax::key_path::Segment;
use crate::syntax::puppet::{self, CalledName, Declaration, DeclarationKind, is_bare_name};
use crate::text::{TextEdit, TextRange};
use crate::world::World;

/// Classes with more keys are not renamed, because each key requires a search.
const MAX_KEYS: usize = 500;

/// The edits of each file.
type Edited = BTreeMap<Arc<str>, BTreeSet<LabelledEdit>>;

/// Renames the class that `target` is to `new`.
pub(super) fn rename(
    world: &Arc<World>,
    path: &str,
    environment: &Arc<Environment>,
    target: &RenameTarget,
    new: &str,
    cancel: &CancelToken,
) -> Result<LabelledEdits, String> {
    let old = target.name.as_str();
    let new = new.strip_prefix("::").unwrap_or(new);
    if old == new {
        return Ok(LabelledEdits::default());
    }
    let Some((loaded, file, index)) = world.loaded_class(environment, old) else {
        return Ok(LabelledEdits::default());
    };
    let index_of_code = world.code_index(environment);
    let class = Class { world, environment, old, new, path: &loaded, file: &file };
    let declaration = &file.manifest.declarations[index];
    class.refuse(path, declaration, &index_of_code)?;
    let mut files = Edited::new();
    let mut warnings = BTreeSet::new();
    for key in class.keys(declaration)? {
        let renaming = Renaming {
            path: vec![Segment::Name(format!("{old}::{key}").into())],
            new_name: format!("{new}::{key}").into(),
        };
        // The parameters keep their names. Only the class in their keys changes.
        let edits = Work::new(world, &renaming, Carried::Nothing, cancel).run(environment)?;
        for file in edits.files {
            files.entry(file.path).or_default().extend(file.edits);
        }
        warnings.extend(edits.warnings);
    }
    let mut left = Vec::new();
    for (path, _) in index_of_code.files() {
        if cancel.is_cancelled() {
            return Err("the request was cancelled".to_owned());
        }
        let edits = class.in_code(path, declaration, &mut left);
        // Code outside of the workspace, such as an installed module, is not edited.
        if world.is_in_workspace(path) {
            files.entry(path.clone()).or_default().extend(edits);
        } else if !edits.is_empty() {
            left.push(class.shown(path, edits[0].edit.range));
        }
    }
    warnings.extend(class.what_stays(&left, &files));
    warnings.extend(class.other_environments());
    let files = files.into_iter().map(|(path, edits)| (path, edits.into_iter().collect()));
    Ok(LabelledEdits::of_files(world, files, warnings))
}

/// A class with the name of its module keeps it.
pub(super) fn refuse_class_of_module(
    world: &World,
    environment: &Environment,
    path: &str,
    name: &str,
) -> Result<(), String> {
    if name.contains("::") || world.module_of(environment, path).is_none() {
        return Ok(());
    }
    Err(format!("`{name}` has the name of its module: Puppet finds it only by that name"))
}

/// A class that is being renamed.
struct Class<'a> {
    world: &'a Arc<World>,
    environment: &'a Arc<Environment>,
    old: &'a str,
    new: &'a str,
    path: &'a Arc<str>,
    file: &'a CodeFile,
}

impl Class<'_> {
    /// What stays in the code of other environments that have the module of the class.
    fn other_environments(&self) -> Option<String> {
        let environments = self.world.environments_with(self.path);
        let others = environments.iter().filter(|it| {
            it.directory() != self.environment.directory()
                && self.world.module_of(it, self.path).is_some()
        });
        let names: Vec<&str> = others.map(|it| &*it.name).collect();
        let names = (!names.is_empty()).then(|| in_a_list(&names))?;
        Some(format!(
            "The module of `{}` also belongs to other environments: {names}. Their code is not changed.",
            self.old
        ))
    }

    fn refuse(&self, path: &str, declared: &Declaration, code: &CodeIndex) -> Result<(), String> {
        let Self { old, new, .. } = self;
        if !is_bare_name(new, language_of(path)) || new.contains(|it: char| it.is_ascii_uppercase())
        {
            return Err(format!("`{new}` is not a name for a class"));
        }
        if !self.world.is_in_workspace(path) {
            return Err("the class is outside of the workspace".to_owned());
        }
        if let Some(taken) = declaration_of(code, new) {
            return Err(format!("{}: `{new}` exists already", self.shown_path(&taken.path)));
        }
        if let Some(error) = self.file.manifest.errors.first() {
            let at = self.shown(self.path, error.range);
            return Err(format!("{at}: the file has a syntax error: {}", error.message));
        }
        let is_inside = |it: &&Declaration| {
            it.range != declared.range && declared.range.contains_range(it.range)
        };
        if let Some(inner) = self.file.manifest.declarations.iter().find(is_inside) {
            let name = inner.name.as_deref().unwrap_or_default();
            return Err(format!(
                "`{name}` is declared inside of the class and would be renamed, too"
            ));
        }
        if self.prefix(declared).and_then(|it| new.strip_prefix(it)).is_none() {
            return Err(format!(
                "`{old}` is declared inside of another class, whose name it starts with"
            ));
        }
        refuse_class_of_module(self.world, self.environment, self.path, old)?;
        let module = |name: &str| name.split("::").next().unwrap_or_default().to_owned();
        let is_in_module = self.world.module_of(self.environment, self.path).is_some();
        if is_in_module && (module(old) != module(new) || !new.contains("::")) {
            let name = module(old);
            return Err(format!(
                "Puppet only looks in the module {name} for classes that start with `{name}::`"
            ));
        }
        Ok(())
    }

    /// The names of the classes around the declaration, which are not written in it.
    fn prefix<'d>(&self, declared: &'d Declaration) -> Option<&'d str> {
        let written = declared.name_range.slice(&self.file.text);
        let written = written.strip_prefix("::").unwrap_or(written);
        declared.name.as_deref()?.strip_suffix(written)
    }

    /// The keys of its parameters, and keys in data without a parameter, without the class's name.
    fn keys(&self, declared: &Declaration) -> Result<BTreeSet<String>, String> {
        let mut keys: BTreeSet<String> =
            declared.parameters.iter().map(|it| it.name.clone()).collect();
        for key in self.world.all_keys(self.environment) {
            let own = key.strip_prefix(self.old).and_then(|it| it.strip_prefix("::"));
            keys.extend(own.filter(|it| !it.contains("::")).map(str::to_owned));
        }
        // For each key, all files are searched.
        if keys.len() > MAX_KEYS {
            return Err(format!(
                "the class has {} keys, which is too much for a rename",
                keys.len()
            ));
        }
        Ok(keys)
    }

    /// The edits of one code file.
    fn in_code(
        &self,
        path: &Arc<str>,
        declared: &Declaration,
        left: &mut Vec<String>,
    ) -> Vec<LabelledEdit> {
        let Ok(text) = self.world.text(path) else { return Vec::new() };
        // A nested class is declared by its last name only, so this name is in every file that speaks of the class.
        let last = self.old.rsplit("::").next().unwrap_or(self.old);
        if memchr::memmem::find(text.as_bytes(), last.as_bytes()).is_none() {
            return Vec::new();
        }
        let Some(file) = self.world.code_file(path) else { return Vec::new() };
        let names = names_of(self.world, path).unwrap_or_default();
        let mut edits = Vec::new();
        let mut write = |range: TextRange, new: &str| edits.push((range, new.to_owned()));
        if path == self.path {
            let prefix = self.prefix(declared).unwrap_or_default();
            write(declared.name_range, self.new.strip_prefix(prefix).unwrap_or(self.new));
        }
        let inclusions = file.manifest.calls.iter().filter(|it| !it.is_lookup());
        let called = inclusions.flat_map(|it| &it.names).chain(&names.class_references);
        for name in called.filter(|it| self.is_meant(&it.text)) {
            match inner_range(&file, name) {
                Some(range) => write(range, self.new),
                None => left.push(self.shown(path, name.range)),
            }
        }
        for parent in file.manifest.declarations.iter().filter_map(|it| it.parent) {
            let written = file.slice(parent);
            if self.is_meant(written) {
                let colons = written.len() - written.trim_start_matches(':').len();
                write(TextRange::new(parent.start + colons as u32, parent.end), self.new);
            }
        }
        for variable in &names.variables {
            let Some((class, name)) = variable.name.rsplit_once("::") else { continue };
            if class.strip_prefix("::").unwrap_or(class) == self.old {
                // In `$class::name`, the class ends before the last `::`.
                let end = variable.range.end - name.len() as u32 - 2;
                write(TextRange::new(end - self.old.len() as u32, end), self.new);
            }
        }
        let edit = |(range, new)| LabelledEdit {
            edit: TextEdit::replace(range, new),
            label: EditLabel::Code,
        };
        edits.into_iter().map(edit).collect()
    }

    fn is_meant(&self, name: &str) -> bool {
        *known_as(DeclarationKind::Class, name) == *self.old
    }

    /// What the user has to check.
    fn what_stays(&self, left: &[String], edited: &Edited) -> Vec<String> {
        let Self { old, new, .. } = self;
        let mut said = Vec::new();
        let module = self.world.module_of(self.environment, self.path);
        if let Some((_, directory)) = module
            && let [Some(is), Some(wanted)] =
                [old, new].map(|it| files_of_class(it).into_iter().next())
            && self.path.ends_with(&format!("/manifests/{is}"))
        {
            let wanted = self.shown_path(&format!("{directory}/manifests/{wanted}"));
            let is = self.shown_path(self.path);
            // Puppet refuses other classes in a file with the new name.
            let mut others = self
                .file
                .manifest
                .declarations
                .iter()
                .filter_map(|it| it.name.as_deref().filter(|name| !self.is_meant(name)));
            said.push(match others.next() {
                None => format!("Rename the file {is} to {wanted}: Puppet looks for the class there."),
                Some(other) => format!(
                    "Move the class from {is} to a file {wanted}, where Puppet looks for it. `{other}` has to stay in {is}."
                ),
            });
        }
        let searched =
            format!("`{old}` is used in examples, specs or Ruby code, which are not changed: ");
        let places = [
            ("The old name stays in ", left.to_vec(), ""),
            (
                "Strings in code that may mean the class or its variables stay as they are: ",
                self.strings_of_code(edited),
                "",
            ),
            (
                "Data reads variables of the class in ",
                self.variables_in_data(),
                ": the old name stays there",
            ),
            (
                "Values of the data that may mean the class stay as they are: ",
                self.values_of_data(),
                "",
            ),
            (&*searched, self.searched_code(), ""),
        ];
        let places = places.iter().filter(|(_, places, _)| !places.is_empty());
        said.extend(
            places.map(|(before, places, after)| format!("{before}{}{after}.", listed(places))),
        );
        said.push(format!(
            "`{old}` may also be used where hiera-ls cannot see it: in names that code computes, or in a node classifier."
        ));
        said
    }

    /// Where code that is not parsed names the class first, in each file: Puppet does not load it with the environment.
    fn searched_code(&self) -> Vec<String> {
        let wanted: [(&[&str], &[&str]); 2] = [(&WITH_EXAMPLES, &EXAMPLES), (&WITH_RUBY, &RUBY)];
        let files = files_of_environment(self.world, self.environment, &wanted);
        let place = |path: Arc<str>| {
            let at = class_place(&self.world.text(&path).ok()?, self.old)?;
            Some(self.shown(&path, TextRange::empty(at)))
        };
        files.into_iter().filter_map(place).collect()
    }

    /// Where a string of code that is not edited is the name of the class, or that of a variable in it: `$c = 'a::b'` and
    /// `getvar('a::b::c')`.
    fn strings_of_code(&self, edited: &Edited) -> Vec<String> {
        let mut places = Vec::new();
        let code = self.world.code_index(self.environment);
        for (path, _) in code.files() {
            let Ok(text) = self.world.text(path) else { continue };
            if memchr::memmem::find(text.as_bytes(), self.old.as_bytes()).is_none() {
                continue;
            }
            let edits = edited.get(path);
            let is_edited = |range: TextRange| {
                edits.is_some_and(|it| it.iter().any(|it| range.contains_range(it.edit.range)))
            };
            let strings = puppet::strings(&text, language_of(path)).into_iter();
            let meant =
                strings.filter(|it| self.may_mean(it.slice(&text), &code) && !is_edited(*it));
            places.extend(meant.map(|it| self.shown(path, it)));
        }
        places.dedup();
        places
    }

    /// Whether a string with its quotes is the name of the class, or that of one of its variables. A class or a type below it can
    /// have the same name as a variable.
    fn may_mean(&self, written: &str, code: &CodeIndex) -> bool {
        let text = written.trim_matches(['\'', '"']);
        let name = text.strip_prefix("::").unwrap_or(text);
        match name.strip_prefix(self.old).and_then(|it| it.strip_prefix("::")) {
            Some(variable) => {
                let is_of_class = || self.file.text.contains(&format!("${variable}"));
                !variable.is_empty()
                    && !variable.contains([':', ' '])
                    && (declaration_of(code, name).is_none() || is_of_class())
            }
            None => self.is_meant(text),
        }
    }

    /// Where texts of data interpolate variables of the class.
    fn variables_in_data(&self) -> Vec<String> {
        strings_that_read(self.world, self.environment, self.old, &|name| {
            let name = name.strip_prefix("::").unwrap_or(name);
            let variable = name.strip_prefix(self.old).and_then(|it| it.strip_prefix("::"));
            variable.is_some_and(|it| !it.contains(':'))
        })
        .into_iter()
        .map(|(path, at)| self.shown(&path, at))
        .collect()
    }

    /// Where data contains the name as a separate word that no key follows.
    fn values_of_data(&self) -> Vec<String> {
        let mut places = Vec::new();
        for file in self.world.files_containing(self.environment, self.old) {
            let whole = word_places(&file.text, self.old);
            places.extend(whole.map(|at| self.shown(&file.path, TextRange::empty(at))));
        }
        places
    }

    fn shown_path(&self, path: &str) -> String {
        super::shown_path(self.world, self.environment, path).to_owned()
    }

    fn shown(&self, path: &str, at: TextRange) -> String {
        let shown = self.shown_path(path);
        match self.world.file(path) {
            Ok(file) => format!("{shown}:{}", file.line_index().line_of(at.start) + 1),
            Err(_) => shown,
        }
    }
}

/// Where a class or a defined type with this name is declared.
fn declaration_of<'c>(code: &'c CodeIndex, name: &str) -> Option<&'c DeclaredAt> {
    let kinds = [DeclarationKind::Class, DeclarationKind::Define].into_iter();
    kinds.flat_map(|it| code.declared(it, name)).next()
}

/// The range of a name without quotes and a leading `::`; `None` if escapes or a heredoc hide it.
fn inner_range(file: &CodeFile, name: &CalledName) -> Option<TextRange> {
    let written = file.slice(name.range);
    let quote = u32::from(written.starts_with(['\'', '"']));
    let inner = TextRange::new(name.range.start + quote, name.range.end - quote);
    let text = inner.slice(&file.text);
    let colons = if text.starts_with("::") { 2 } else { 0 };
    (text == name.text).then(|| TextRange::new(inner.start + colons, inner.end))
}
