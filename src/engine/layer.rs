//! The three layers and how a lookup searches one of them: levels in order, locations in order, each through its back end.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use super::calls;
use super::evaluator::Evaluator;
use super::failure::{Failure, FailureClass};
use super::footprint::Footprint;
use super::hierarchy::{self, Location, ResolvedLevel};
use super::holders::{Holders, Spot};
use super::interpolate::interpolate;
use super::invocation::{Found, InterpolatedText, Invocation, Scope};
use super::key::Key;
use super::lookup::LOOKUP_OPTIONS;
use super::merge::Merge;
use super::merge_sources::merge_sources;
use super::open_options::OpenOptions;
use super::open_paths;
use super::trace::{Outcome, TraceKind};
use crate::backends::BackEnd;
use crate::config::hiera_yaml::{FunctionKind, LayerKind};
use crate::config::{HieraYaml, PuppetVersion};
use crate::data::{DataFile, Place, RootEntry, Value, inspect};

/// A layer of one environment for one node.
#[derive(Debug)]
pub struct Layer {
    /// Which of the three.
    pub kind: LayerKind,
    /// The module's name in the module layer.
    pub module: Option<Arc<str>>,
    /// Its configuration.
    pub config: Arc<HieraYaml>,
    title: Arc<str>,
    levels: OnceLock<Result<Vec<Arc<ResolvedLevel>>, Failure>>,
    default_levels: OnceLock<Result<Vec<Arc<ResolvedLevel>>, Failure>>,
    /// The variable expressions that its levels read, and those of its default hierarchy.
    variables: [OnceLock<Vec<Arc<str>>>; 2],
    holders: Holders,
    /// Open variables that must be set so that its levels can be expanded.
    must_be_set: [OnceLock<Vec<Arc<str>>>; 2],
    /// The lookup_options of the files that its open paths lead to, path by path.
    pub(super) open_options: OnceLock<Vec<Arc<[OpenOptions]>>>,
}

/// A location of a level, or one of the locations of an open glob.
enum LocationRef<'l> {
    Known(&'l Location),
    Filled(Arc<[Location]>, usize),
}

impl AsRef<Location> for LocationRef<'_> {
    fn as_ref(&self) -> &Location {
        match self {
            Self::Known(location) => location,
            Self::Filled(locations, at) => &locations[*at],
        }
    }
}

/// Which hierarchy of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    Hierarchy,
    DefaultHierarchy,
}

impl Layer {
    pub(crate) fn new(kind: LayerKind, module: Option<Arc<str>>, config: Arc<HieraYaml>) -> Self {
        let place = match kind {
            LayerKind::Global => "Global",
            LayerKind::Environment => "Environment",
            LayerKind::Module => "Module",
        };
        let module_text = module.as_ref().map_or(String::new(), |name| format!("\"{name}\" "));
        let version = config.version;
        let title =
            format!("{place} {module_text}Data Provider (hiera configuration version {version})");
        Self {
            kind,
            module,
            config,
            title: title.into(),
            levels: OnceLock::new(),
            default_levels: OnceLock::new(),
            variables: [OnceLock::new(), OnceLock::new()],
            holders: Holders::default(),
            must_be_set: [OnceLock::new(), OnceLock::new()],
            open_options: OnceLock::new(),
        }
    }

    /// Its levels with expanded paths, or the reason why they cannot be expanded.
    pub(crate) fn levels(
        &self,
        invocation: &Invocation<'_>,
        which: Which,
    ) -> &Result<Vec<Arc<ResolvedLevel>>, Failure> {
        let cell = match which {
            Which::Hierarchy => &self.levels,
            Which::DefaultHierarchy => &self.default_levels,
        };
        cell.get_or_init(|| {
            // Templates have a stack of names of their own, which explain does not show.
            let evaluator = invocation.evaluator;
            let mut own = evaluator.invocation(invocation.overrides, invocation.default_values);
            own.footprint = Some(Footprint::default());
            own.scope = self.scope();
            let resolved = hierarchy::resolve(&mut own, &self.config, which);
            let resolved = resolved.map(|levels| match evaluator.shared_levels() {
                Some(shared) => shared.of(self, levels),
                None => levels.into_iter().map(Arc::new).collect(),
            });
            evaluator.keep_config_warnings(own.notes.warnings);
            let variables = own.footprint.as_ref().map_or_else(Vec::new, Footprint::variables);
            let number = usize::from(which == Which::DefaultHierarchy);
            let _ = self.variables[number].set(variables);
            let _ = self.must_be_set[number].set(own.notes.must_be_set);
            if which == Which::Hierarchy && resolved.is_ok() {
                self.default_hierarchy_is_expanded_with_the_other(invocation)?;
            }
            if let Ok(levels) = &resolved {
                announce(invocation, levels);
            }
            resolved
        })
    }

    /// The variable expressions that its levels read, as far as they were expanded.
    pub(super) fn variables(&self) -> impl Iterator<Item = &Arc<str>> {
        self.variables.iter().filter_map(OnceLock::get).flatten()
    }

    /// Open variables that must be set so that its levels can be expanded.
    pub(super) fn must_be_set(&self) -> impl Iterator<Item = &Arc<str>> {
        self.must_be_set.iter().filter_map(OnceLock::get).flatten()
    }

    /// A default hierarchy that cannot be expanded breaks the whole layer, even for keys that do not need it.
    fn default_hierarchy_is_expanded_with_the_other(
        &self,
        invocation: &Invocation<'_>,
    ) -> Result<(), Failure> {
        match self.levels(invocation, Which::DefaultHierarchy) {
            Ok(_) => Ok(()),
            Err(failure) => Err(failure.clone()),
        }
    }

    /// Searches the default hierarchy. If it has no levels, explain does not mention it as a layer.
    pub(crate) fn key_lookup_in_default(
        &self,
        invocation: &mut Invocation<'_>,
        key: &Key,
        merge: &Merge,
    ) -> Found {
        let which = Which::DefaultHierarchy;
        if self.levels(invocation, which).as_ref().map_err(Clone::clone)?.is_empty() {
            invocation.report_not_found(key.text());
            return Ok(None);
        }
        self.key_lookup(invocation, key, merge, which)
    }

    /// Searches the layer's levels for the root of `key`, with the name of the key on the stack.
    pub(crate) fn key_lookup(
        &self,
        invocation: &mut Invocation<'_>,
        key: &Key,
        merge: &Merge,
        which: Which,
    ) -> Found {
        let outer = std::mem::replace(&mut invocation.scope, self.scope());
        let found = self.key_lookup_in_scope(invocation, key, merge, which);
        invocation.scope = outer;
        found
    }

    /// Version 3 only exists in the global layer.
    fn scope(&self) -> Scope {
        if self.config.version == 3 { Scope::OfHiera3 } else { Scope::Top }
    }

    fn key_lookup_in_scope(
        &self,
        invocation: &mut Invocation<'_>,
        key: &Key,
        merge: &Merge,
        which: Which,
    ) -> Found {
        invocation.guarded(key.text(), |invocation| {
            let exists = self.config.exists;
            let kind = || TraceKind::Layer {
                title: Arc::clone(&self.title),
                config: exists.then(|| Arc::clone(&self.config.path)),
                module: self.module.clone(),
            };
            invocation.within(kind, |invocation| {
                let levels = self.levels(invocation, which).as_ref().map_err(Clone::clone)?;
                self.breaks_without_a_variable(invocation)?;
                if levels.is_empty() {
                    invocation.report_not_found(key.text());
                    return Ok(None);
                }
                // An explanation names every location. In a fleet, an index pays off only for modules: nodes share the layer of a module.
                if which == Which::Hierarchy
                    && !invocation.is_traced()
                    && (self.module.is_some() || !invocation.evaluator.is_one_of_many())
                    && let Some(index) = self.holders.ask(levels)
                {
                    let spots = index.spots(key.root());
                    // Other strategies also count the sources that do not have the key.
                    if spots.is_empty() || merge.is_first_found() {
                        return self.first_of(invocation, levels, spots, key);
                    }
                }
                merge_sources(invocation, merge, levels, |invocation, level| {
                    self.level_lookup(invocation, level, key, merge)
                })
            })
        })
    }

    fn first_of(
        &self,
        invocation: &mut Invocation<'_>,
        levels: &[Arc<ResolvedLevel>],
        spots: &[Spot],
        key: &Key,
    ) -> Found {
        merge_sources(invocation, &Merge::first(), spots, |invocation, spot| {
            let (level, location) = spot.of(levels);
            self.location_lookup(invocation, level, location, key)
        })
    }

    fn level_lookup(
        &self,
        invocation: &mut Invocation<'_>,
        level: &ResolvedLevel,
        key: &Key,
        merge: &Merge,
    ) -> Found {
        let kind = || TraceKind::Level {
            name: Arc::clone(&level.name),
            title: Arc::clone(&level.title),
            place: level.place,
        };
        invocation.within(kind, |invocation| {
            let Some(locations) = &level.locations else {
                return self.call(invocation, level, None, key);
            };
            if !level.has_open_glob {
                return merge_sources(invocation, merge, locations, |invocation, location| {
                    self.location_lookup(invocation, level, location, key)
                });
            }
            let locations = self.with_open_globs_filled(invocation, level, locations, key);
            merge_sources(invocation, merge, &locations, |invocation, location| {
                self.location_lookup(invocation, level, location.as_ref(), key)
            })
        })
    }

    /// The number of files that a glob finds matters for a merge, so open globs are decided first.
    fn with_open_globs_filled<'l>(
        &self,
        invocation: &mut Invocation<'_>,
        level: &'l ResolvedLevel,
        locations: &'l [Location],
        key: &Key,
    ) -> Vec<LocationRef<'l>> {
        if invocation.surveys() {
            return locations.iter().map(LocationRef::Known).collect();
        }
        let mut filled = Vec::new();
        for location in locations {
            if location.is_open_glob() {
                let found = open_paths::filled(self, invocation, (level, location), key);
                filled.extend((0..found.len()).map(|at| LocationRef::Filled(found.clone(), at)));
            } else {
                filled.push(LocationRef::Known(location));
            }
        }
        filled
    }

    /// Puppet 8 fails if `datadir` or options of a level read a variable that is not set. While the variable is not known,
    /// this is a separate case.
    pub(super) fn breaks_without_a_variable(
        &self,
        invocation: &mut Invocation<'_>,
    ) -> Result<(), Failure> {
        if invocation.surveys() {
            return Ok(());
        }
        for variable in self.must_be_set() {
            if invocation.is_unset(variable) {
                // The levels were expanded while the variable was open. Expanded with these assumptions, they yield Puppet's error.
                let evaluator = invocation.evaluator;
                let mut own = evaluator.invocation(invocation.overrides, invocation.default_values);
                own.assumptions = invocation.assumptions.clone();
                hierarchy::resolve(&mut own, &self.config, Which::Hierarchy)?;
                hierarchy::resolve(&mut own, &self.config, Which::DefaultHierarchy)?;
            }
        }
        Ok(())
    }

    fn location_lookup(
        &self,
        invocation: &mut Invocation<'_>,
        level: &ResolvedLevel,
        location: &Location,
        key: &Key,
    ) -> Found {
        if location.open.is_some() {
            return self.open_location_lookup(invocation, level, location, key);
        }
        invocation.within(
            || location.trace_kind(),
            |invocation| {
                if !invocation.surveys() {
                    // A survey comes after the value. It must not use up the steps that other lookups of the same request need.
                    invocation.budget.step()?;
                }
                if !location.exists && !level.is_called_without_a_file() {
                    invocation.report(|| Outcome::LocationNotFound);
                    return Ok(None);
                }
                match &level.back_end {
                    Some(back_end) if level.reads.is_some() => {
                        self.file_lookup(invocation, level, location, back_end.as_ref(), key)
                    }
                    _ => self.call(invocation, level, Some(location), key),
                }
            },
        )
    }

    /// Searches the file that an open path leads to in this run, if it leads to one that matters.
    fn open_location_lookup(
        &self,
        invocation: &mut Invocation<'_>,
        level: &ResolvedLevel,
        location: &Location,
        key: &Key,
    ) -> Found {
        if invocation.surveys() {
            return Ok(None);
        }
        if !level.is_called_without_a_file() {
            let found = open_paths::filled(self, invocation, (level, location), key);
            if let [filled] = &*found {
                return self.location_lookup(invocation, level, filled, key);
            }
        }
        invocation.within(
            || location.trace_kind(),
            |invocation| {
                invocation.budget.step()?;
                if location.is_uri || level.is_called_without_a_file() {
                    return self.call_while_open(invocation, level, location, key);
                }
                let evaluator = invocation.evaluator;
                invocation.report(|| location.outcome_while_open(evaluator));
                Ok(None)
            },
        )
    }

    fn file_lookup(
        &self,
        invocation: &mut Invocation<'_>,
        level: &ResolvedLevel,
        location: &Location,
        back_end: &dyn BackEnd,
        key: &Key,
    ) -> Found {
        let file = location
            .data
            .get_or_init(|| self.load(invocation, level, location, back_end).map_err(Box::new))
            .as_ref()
            .map_err(|failure| Failure::clone(failure))?;
        let root = key.root();
        // Options are collected once for many lookups, and only the first of them would be recorded.
        let is_collected = &**root == LOOKUP_OPTIONS;
        if invocation.evaluator.reads_broken_files() && !is_collected && file.is_broken() {
            invocation.note_broken(&location.file);
        }
        let Some(entry) = self.entry(invocation.evaluator, file, root) else {
            invocation.report_not_found(root);
            return Ok(None);
        };
        let entry = entry.as_ref();
        invocation.note_entry((self, level, location), entry);
        if invocation.surveys() {
            return Ok(None);
        }
        invocation.note_read(file, root, entry);
        invocation.end_if_elsewhere(&location.file, root)?;
        if let Some(why) = file.why_open(root) {
            return calls::open_entry(invocation, (self, level), key, why.into(), entry);
        }
        if level.function.kind == FunctionKind::LookupKey {
            let found =
                self.ask_for_key_of_file(invocation, (level, location), back_end, key, file)?;
            if let Some(value) = &found {
                invocation.note_interpolated(value);
            }
            return Ok(found);
        }
        // As in Puppet, only the value that is looked up is checked. The other values of the file do not fail this lookup.
        if let Some(got) = entry.misfit() {
            let message = self.wrong_value_type(level, Some(location), root, got);
            return Err(Failure::of(FailureClass::TypeAssertion, message).at(entry.value.place));
        }
        let value = if invocation.is_traced() {
            // Puppet's interpolation copies every value that it traverses, and explain distinguishes copies.
            interpolate(invocation, &entry.value.copied(), InterpolatedText::Data)?
        } else if entry.has_tokens() {
            let needed = invocation.needed_of(key, &entry.value);
            interpolate(invocation, &needed, InterpolatedText::Data)?
        } else {
            entry.value.clone()
        };
        invocation.report_found(root, &value);
        invocation.note_interpolated(&value);
        Ok(Some(value))
    }

    /// Keys of module data without the module's prefix do not exist.
    pub(super) fn entry<'f>(
        &self,
        evaluator: &Evaluator,
        file: &'f DataFile,
        root: &str,
    ) -> Option<Cow<'f, RootEntry>> {
        if !self.may_have(root) {
            return None;
        }
        // The values of thousands of nodes' own files would fill the memory, and each of them is read only a few times.
        if evaluator.is_one_of_many() { file.read(root) } else { file.get(root).map(Cow::Borrowed) }
    }

    /// Whether a `data_hash` of the layer may contain a key.
    pub(super) fn may_have(&self, root: &str) -> bool {
        let Some(module) = &self.module else { return true };
        let prefixed = root.strip_prefix(&**module).is_some_and(|rest| rest.starts_with("::"));
        prefixed || root == LOOKUP_OPTIONS
    }

    /// Reads and checks a file, once for each location.
    fn load(
        &self,
        invocation: &mut Invocation<'_>,
        level: &ResolvedLevel,
        location: &Location,
        back_end: &dyn BackEnd,
    ) -> Result<Arc<DataFile>, Failure> {
        let file = self.read_file(invocation, level, location, back_end)?;
        // Puppet does not check the keys in files that a `lookup_key` function reads, such as those of `eyaml_lookup_key`.
        if level.function.kind == FunctionKind::DataHash {
            let keys = file.entries().map(|entry| (&entry.key, Some(entry.key_place)));
            self.check_module_keys(invocation, level, Some(location), keys)?;
        }
        Ok(file)
    }

    /// Puppet's message for a value that no lookup may return.
    pub(super) fn wrong_value_type(
        &self,
        level: &ResolvedLevel,
        location: Option<&Location>,
        key: &str,
        got: &str,
    ) -> String {
        let kind = level.function.kind;
        let from = match kind {
            FunctionKind::DataHash => "in hash returned from",
            _ => "returned from",
        };
        // Version 3 has data_hash and lookup_key functions of its own.
        let of_version = if self.config.version == 3 { "v3_" } else { "" };
        format!(
            "Value for key '{key}', {from} {of_version}{} function '{}'{} has wrong type, expects Puppet::LookupValue, got \
             {got}",
            kind.key(),
            level.function.name,
            when_using(location),
        )
    }

    /// Keys in module data must start with the module's name; a key that is not a string makes Puppet crash.
    pub(super) fn check_module_keys<'k>(
        &self,
        invocation: &mut Invocation<'_>,
        level: &ResolvedLevel,
        location: Option<&Location>,
        keys: impl Iterator<Item = (&'k Value, Option<Place>)>,
    ) -> Result<(), Failure> {
        let Some(module) = &self.module else { return Ok(()) };
        let prefix = format!("{module}::");
        for (key, place) in keys {
            let Value::String(key) = key else {
                let message = format!(
                    "undefined method `start_with?' for {}:{}",
                    inspect::inspect(key),
                    inspect::ruby_class(key)
                );
                return Err(Failure::ruby("NoMethodError", message).at(place));
            };
            if &**key != LOOKUP_OPTIONS && !key.starts_with(&prefix) {
                let is_eight = invocation.evaluator.version() == PuppetVersion::V8;
                let suffix = if is_eight { format!("; got {key}") } else { String::new() };
                invocation.warn(format!(
                    "Module '{module}': Value returned from data_hash function '{}'{} must use keys qualified with the \
                     name of the module{suffix}",
                    level.function.name,
                    when_using(location),
                ));
            }
        }
        Ok(())
    }
}

/// lookup_options are collected from all files of a layer, so the first lookup reads all of them.
fn announce(invocation: &Invocation<'_>, levels: &[Arc<ResolvedLevel>]) {
    let formats = levels.iter().filter_map(|level| Some((level, level.reads?)));
    let files = formats.flat_map(|(level, format)| {
        let locations = level.locations.iter().flatten().filter(|it| it.exists && !it.is_uri);
        locations.map(move |it| (&*it.file, format))
    });
    invocation.evaluator.files().expect(&files.collect::<Vec<_>>());
}

/// The location in messages; empty for a level without one.
pub(super) fn when_using(location: Option<&Location>) -> String {
    location.map_or(String::new(), |it| format!(", when using location '{}',", it.location))
}
