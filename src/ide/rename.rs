//! Rename: a key or a sub key, wherever data or code has it or looks it up. A rename that would change other values is
//! refused, and messages say what it leaves unchanged.
//!
//! A class parameter and its key have one name, so both are renamed; renaming a class renames its keys.

mod behind_alias;
mod class;
mod code_target;
mod file;
mod in_code;
mod inline_templates;
mod left_alone;
mod options;
mod parameter;
mod renaming;
mod ruby;
mod spelling;
mod target;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::changes::counted;
use super::context::LOOKUP_OPTIONS;
use super::labelled_edits::{EditLabel, LabelledEdit, LabelledEdits};
use super::references::files_that_may_ask_for;
use crate::config::Environment;
use crate::config::hiera_yaml::LayerKind;
use crate::data::Format;
use crate::engine::CancelToken;
use crate::syntax::key_path::Segment;
use crate::text::TextRange;
use crate::world::{World, parallel, paths};
use file::{FileRenaming, RenameObstacle, rename_in};
use renaming::Renaming;

pub(super) use spelling::{inside as inside_string, is_plain_yaml, key as key_spelling};
use target::TargetKind;
pub use target::{RenameTarget, prepare_rename};

/// The maximum number of places that a warning names.
const MAX_PLACES_IN_A_WARNING: usize = 5;

/// Renames what is at `offset` (bytes) of the file at `path` to `new_name`, in all data of the environments that share it.
/// `Ok(None)` if nothing there has a name; `Err` says why it cannot be renamed.
pub fn rename(
    world: &Arc<World>,
    path: &str,
    offset: u32,
    new_name: &str,
    cancel: &CancelToken,
) -> Result<Option<LabelledEdits>, String> {
    let Some(target) = target::target(world, path, offset)? else { return Ok(None) };
    let Some(environment) = world.environment_of(path) else { return Ok(None) };
    let new_name = new_name.trim();
    if target.kind == TargetKind::Class {
        return class::rename(world, path, &environment, &target, new_name, cancel).map(Some);
    }
    let new_name = target.full_name(new_name)?;
    let renaming = Renaming { path: target.path, new_name: new_name.into() };
    check_name(&renaming)?;
    if renaming.path.last() == Some(&Segment::Name(renaming.new_name.clone())) {
        return Ok(Some(LabelledEdits::default()));
    }
    Work::new(world, &renaming, Carried::Parameter, cancel).run(&environment).map(Some)
}

fn check_name(renaming: &Renaming) -> Result<(), String> {
    let name = &*renaming.new_name;
    if name.is_empty() {
        return Err("the new name is empty".to_owned());
    }
    if name.chars().any(char::is_control) {
        return Err("the name of a key must be one line".to_owned());
    }
    if name.contains("%{") || name == "<<" {
        return Err(format!("`{name}` means something else to Puppet or to YAML"));
    }
    let is_root = renaming.path.len() == 1;
    if is_root && (name == "lookup_options" || name.starts_with("lookup_options.")) {
        return Err(format!("Puppet never finds a key called `{name}`"));
    }
    if is_root && name.starts_with('^') {
        return Err(format!("as a key of lookup_options, `{name}` would be a pattern"));
    }
    Ok(())
}

/// What is renamed together with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Carried {
    /// The class parameter that it sets.
    Parameter,
    /// Nothing: its class is renamed.
    Nothing,
}

struct Work<'a> {
    world: &'a Arc<World>,
    renaming: &'a Renaming,
    carried: Carried,
    cancel: &'a CancelToken,
    /// The edits of each file looked at; most have none.
    files: BTreeMap<Arc<str>, Vec<LabelledEdit>>,
    warnings: BTreeSet<String>,
    /// Sentences without an end, about values that classes lose, and the environments in which they do.
    lost: BTreeMap<String, BTreeSet<Arc<str>>>,
}

impl<'a> Work<'a> {
    fn new(
        world: &'a Arc<World>,
        renaming: &'a Renaming,
        carried: Carried,
        cancel: &'a CancelToken,
    ) -> Self {
        let (files, warnings, lost) = (BTreeMap::new(), BTreeSet::new(), BTreeMap::new());
        Self { world, renaming, carried, cancel, files, warnings, lost }
    }

    /// All edits, in the environment and in others that share its files.
    fn run(mut self, environment: &Arc<Environment>) -> Result<LabelledEdits, String> {
        self.environment(environment)?;
        self.other_environments(environment)?;
        self.warn_of_lost_values();
        Ok(self.edit())
    }

    fn environment(&mut self, environment: &Arc<Environment>) -> Result<(), String> {
        self.refuse_taken_name(environment)?;
        let mut candidates = self.candidates(environment);
        // A file that several environments share was edited when the first of them was searched.
        candidates.retain(|(path, ..)| !self.files.contains_key(path));
        let (world, renaming, cancel) = (self.world, self.renaming, self.cancel);
        let renamed = parallel::map(&candidates, |(path, format, keys)| {
            let file = world.file(path).ok().filter(|_| !cancel.is_cancelled())?;
            Some(rename_in(file.data(*format), renaming, keys))
        });
        if cancel.is_cancelled() {
            return Err("the request was cancelled".to_owned());
        }
        let mut whole_uses = Vec::new();
        for ((path, ..), found) in candidates.into_iter().zip(renamed) {
            let Some(found) = found else { continue };
            let shown = |at: TextRange| self.shown(environment, &path, at);
            // One obstacle refuses the whole rename, because half of it would break lookups.
            let found =
                found.map_err(|RenameObstacle { at, why }| format!("{}: {why}", shown(at)))?;
            whole_uses.extend(found.whole_uses.iter().map(|at| shown(*at)));
            self.refuse_foreign_module(environment, &path, &found)?;
            if found.is_partly_broken && (found.may_be_left || !found.edits.is_empty()) {
                let shown = shown(TextRange::empty(0));
                let shown = shown.rsplit_once(':').map_or(&*shown, |(path, _)| path);
                self.warnings.insert(format!(
                    "{shown} has syntax errors: hiera-ls could not read some parts and only searched them as text."
                ));
            }
            self.warn_of_unreadable(environment, &path);
            self.files.insert(path, found.edits);
        }
        self.warn_of_whole_uses(whole_uses);
        if self.carried == Carried::Parameter {
            self.class_parameter(environment)?;
        }
        self.lookups_in_code(environment)?;
        self.warn_of_reads_behind_aliases(environment);
        self.warn_of_ruby(environment);
        options::warn(self.world, environment, self.renaming, &mut self.warnings);
        self.warn_of_waiting(environment);
        Ok(())
    }

    /// Searches the other environments that read an edited file.
    fn other_environments(&mut self, first: &Arc<Environment>) -> Result<(), String> {
        let mut searched = vec![Arc::clone(first)];
        let mut known = BTreeSet::new();
        // Each edited file may concern more environments, so this goes on until no other file is edited.
        loop {
            let edited = self.files.iter().filter(|(_, edits)| !edits.is_empty());
            let edited = edited.map(|(path, _)| path).filter(|it| !known.contains(*it));
            let edited: Vec<Arc<str>> = edited.cloned().collect();
            if edited.is_empty() {
                return Ok(());
            }
            for reader in edited.iter().flat_map(|it| self.readers(it)).collect::<Vec<_>>() {
                if searched.iter().all(|it| it.directory() != reader.directory()) {
                    self.environment(&reader)?;
                    searched.push(reader);
                }
            }
            known.extend(edited);
        }
    }

    /// The environments that read a file of data, or have the module of a file.
    fn readers(&self, path: &str) -> Vec<Arc<Environment>> {
        let mut readers = self.world.environments_with(path);
        // The modulepath of an environment may name a directory of another one.
        let environments = self.world.environments();
        let has_module = |it: &&Arc<Environment>| self.world.module_of(it, path).is_some();
        readers.extend(environments.iter().filter(has_module).cloned());
        readers
    }

    /// The files that may contain the name, with the places where an index found it as a root key.
    fn candidates(&self, environment: &Environment) -> Vec<(Arc<str>, Format, Vec<TextRange>)> {
        let root = self.renaming.root();
        let reach = self.world.reach(environment);
        let mut files: BTreeMap<Arc<str>, (Format, Vec<TextRange>)> = BTreeMap::new();
        for file in self.world.files_containing(environment, root) {
            if let Some(format) = reach.format_of(&file.path) {
                files.insert(file.path.clone(), (format, Vec::new()));
            }
        }
        // Escapes may spell the name in tokens and in lookup_options.
        for (file, format) in files_that_may_ask_for(self.world, environment, root) {
            files.entry(file.path.clone()).or_insert((format, Vec::new()));
        }
        for place in self.world.key_index(environment).places(LOOKUP_OPTIONS) {
            files.entry(place.path).or_insert((place.format, Vec::new()));
        }
        // The places of the keys are needed where a part of a file cannot be parsed.
        for place in self.world.key_index(environment).places(root) {
            let file = files.entry(place.path).or_insert((place.format, Vec::new()));
            file.1.push(place.key);
        }
        files.into_iter().map(|(path, (format, keys))| (path, format, keys)).collect()
    }

    /// If two keys became one, their values would be mixed.
    fn refuse_taken_name(&self, environment: &Environment) -> Result<(), String> {
        if self.renaming.path.len() > 1 {
            return Ok(());
        }
        let name = &self.renaming.new_name;
        match self.world.key_index(environment).places(name).first() {
            Some(place) => Err(format!(
                "{}: `{name}` exists already",
                self.shown(environment, &place.path, place.key)
            )),
            None => Ok(()),
        }
    }

    /// Puppet finds only a module's own keys in its data.
    fn refuse_foreign_module(
        &self,
        environment: &Environment,
        path: &str,
        found: &FileRenaming,
    ) -> Result<(), String> {
        let name = &self.renaming.new_name;
        let is_key =
            |it: &&LabelledEdit| matches!(it.label, EditLabel::Key | EditLabel::LookupOption);
        let Some(edit) = found.edits.iter().find(is_key) else { return Ok(()) };
        if self.renaming.path.len() > 1 {
            return Ok(());
        }
        let reach = self.world.reach(environment);
        let is_foreign = |module: &Arc<str>| {
            !name.strip_prefix(&**module).is_some_and(|rest| rest.starts_with("::"))
        };
        let foreign = reach
            .places_of(path)
            .filter(|place| place.layer == LayerKind::Module)
            .find_map(|place| place.module.clone().filter(is_foreign));
        match foreign {
            Some(module) => Err(format!(
                "{}: in the data of the module {module}, Puppet only finds keys that start with `{module}::`",
                self.shown(environment, path, edit.edit.range)
            )),
            None => Ok(()),
        }
    }

    /// An editor may show other characters for bytes that are not UTF-8, so such a file is not edited.
    fn warn_of_unreadable(&mut self, environment: &Environment, path: &str) {
        let Ok(file) = self.world.file(path) else { return };
        if let Some(at) = file.invalid_utf8_at
            && file.text.contains(&**self.renaming.root())
        {
            let shown = self.shown(environment, path, TextRange::empty(at));
            self.warnings.insert(format!(
                "{shown} is not UTF-8, so hiera-ls cannot read this file: the old name stays there."
            ));
        }
    }

    fn warn_of_whole_uses(&mut self, mut whole_uses: Vec<String>) {
        whole_uses.sort_unstable();
        whole_uses.dedup();
        if !whole_uses.is_empty() {
            self.warnings.insert(format!(
                "The whole value of `{}` is also used in {}: the new name appears there, too.",
                self.renaming.root(),
                listed(&whole_uses)
            ));
        }
    }

    /// Lookups of the new name found nothing before.
    fn warn_of_waiting(&mut self, environment: &Environment) {
        if self.renaming.path.len() > 1 {
            return;
        }
        let wanted = [Segment::Name(self.renaming.new_name.clone())];
        let mut waiting = Vec::new();
        let new_name = &self.renaming.new_name;
        for (file, format) in files_that_may_ask_for(self.world, environment, new_name) {
            for entry in file.data(format).trees() {
                for string in super::strings::interpolated_strings(entry.text, entry.value) {
                    let keys = string.tokens.iter().filter_map(|token| token.lookup_key());
                    let mut keys = keys.map(|(key, _)| renaming::segments(key));
                    if keys.any(|key| key.starts_with(&wanted)) {
                        let at = string.node.range.shifted(entry.start);
                        waiting.push(self.shown(environment, &file.path, at));
                    }
                }
            }
        }
        if !waiting.is_empty() {
            self.warnings.insert(format!(
                "`{}` is already looked up in {}, where it is not found so far.",
                self.renaming.new_name,
                listed(&waiting)
            ));
        }
    }

    /// `path:line`, with the path for users.
    fn shown(&self, environment: &Environment, path: &str, at: TextRange) -> String {
        let shown = shown_path(self.world, environment, path);
        match self.world.file(path) {
            Ok(file) => format!("{shown}:{}", file.line_index().line_of(at.start) + 1),
            Err(_) => shown.to_owned(),
        }
    }

    fn edit(self) -> LabelledEdits {
        let mut changed = self.files;
        for edits in changed.values_mut() {
            edits.sort_unstable();
            edits.dedup();
        }
        LabelledEdits::of_files(self.world, changed, self.warnings)
    }
}

/// The path of a file for users: below its environment or, if there are several, below the workspace's folder, because
/// environments have files with the same names. In an environment beside the workspace, it starts with the name of the environment's
/// directory.
fn shown_path<'p>(world: &World, environment: &Environment, path: &'p str) -> &'p str {
    let folders = || world.folders().iter().filter_map(|it| paths::below(it, path));
    let in_folder = || folders().min_by_key(|it| it.len()).filter(|it| !it.is_empty());
    let in_environment = || paths::below(environment.directory(), path);
    let all = world.environments();
    let shown = if all.iter().all(|it| it.directory() != environment.directory()) {
        paths::below(paths::parent(environment.directory()).unwrap_or_default(), path)
    } else if all.len() < 2 {
        in_environment()
    } else {
        in_folder().or_else(in_environment)
    };
    shown.unwrap_or(path)
}

/// The first few of some places.
fn listed(places: &[String]) -> String {
    let shown = places[..places.len().min(MAX_PLACES_IN_A_WARNING)].join(", ");
    match places.len().checked_sub(MAX_PLACES_IN_A_WARNING) {
        None | Some(0) => shown,
        Some(more) => format!("{shown} and {}", counted(more, "more place")),
    }
}

#[cfg(test)]
mod tests;
