//! The three layers and how one of them answers: levels in order, locations in order, each through its back end.

use std::sync::{Arc, OnceLock};

use super::failure::{Failure, FailureClass};
use super::hierarchy::{self, Location, ResolvedLevel};
use super::holders::{Holders, Spot};
use super::interpolate::interpolate;
use super::invocation::{Context, Found, Invocation, OpaqueLevel};
use super::key::Key;
use super::merge::Merge;
use super::merge_sources::merge_sources;
use super::trace::{Outcome, TraceKind};
use crate::config::hiera_yaml::{FunctionKind, LayerKind};
use crate::config::{HieraYaml, PuppetVersion, path};
use crate::data::{DataFile, Format, PathKind, RootEntry, Value, Verdict, inspect};

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
    levels: OnceLock<Result<Vec<ResolvedLevel>, Failure>>,
    default_levels: OnceLock<Result<Vec<ResolvedLevel>, Failure>>,
    holders: Holders,
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
            holders: Holders::default(),
        }
    }

    /// Its levels with paths expanded, or why they cannot be.
    pub(crate) fn levels(
        &self,
        invocation: &Invocation<'_>,
        which: Which,
    ) -> &Result<Vec<ResolvedLevel>, Failure> {
        let (cell, levels) = match which {
            Which::Hierarchy => (&self.levels, &self.config.hierarchy),
            Which::DefaultHierarchy => (&self.default_levels, &self.config.default_hierarchy),
        };
        cell.get_or_init(|| {
            // Templates have a stack of names of their own, and explain does not show them.
            let evaluator = invocation.evaluator;
            let mut own = evaluator.invocation(invocation.overrides, invocation.default_values);
            let resolved = hierarchy::resolve(&mut own, &self.config, levels);
            evaluator.keep_config_warnings(own.warnings);
            if which == Which::Hierarchy && resolved.is_ok() {
                self.default_hierarchy_is_expanded_with_the_other(invocation)?;
            }
            if let Ok(levels) = &resolved {
                announce(invocation, levels);
            }
            resolved
        })
    }

    /// A default hierarchy that cannot be expanded breaks the whole layer, even for keys that need no default.
    fn default_hierarchy_is_expanded_with_the_other(
        &self,
        invocation: &Invocation<'_>,
    ) -> Result<(), Failure> {
        match self.levels(invocation, Which::DefaultHierarchy) {
            Ok(_) => Ok(()),
            Err(failure) => Err(failure.clone()),
        }
    }

    /// Asks the default hierarchy. One without levels is not even mentioned as a layer by explain.
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

    /// Asks the layer's levels for the root of `key`, with the name of the key on the stack.
    pub(crate) fn key_lookup(
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
                if levels.is_empty() {
                    invocation.report_not_found(key.text());
                    return Ok(None);
                }
                if which == Which::Hierarchy
                    && !invocation.is_traced()
                    && let Some(index) = self.holders.ask(levels)
                {
                    let spots = index.spots(key.root());
                    // Other strategies count the sources that have nothing, too.
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
        levels: &[ResolvedLevel],
        spots: &[Spot],
        key: &Key,
    ) -> Found {
        for spot in spots {
            let level = &levels[spot.level as usize];
            let locations = level.locations.as_deref().unwrap_or_default();
            let location = &locations[spot.location as usize];
            let found = self.location_lookup(invocation, level, location, key)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
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
                return Self::ask_without_location(invocation, level, key);
            };
            merge_sources(invocation, merge, locations, |invocation, location| {
                self.location_lookup(invocation, level, location, key)
            })
        })
    }

    fn ask_without_location(
        invocation: &mut Invocation<'_>,
        level: &ResolvedLevel,
        key: &Key,
    ) -> Found {
        match built_in_format(level) {
            Some(_) => Err(location_is_required(level)),
            None => opaque(invocation, level, key),
        }
    }

    fn location_lookup(
        &self,
        invocation: &mut Invocation<'_>,
        level: &ResolvedLevel,
        location: &Location,
        key: &Key,
    ) -> Found {
        let kind = || TraceKind::Location {
            is_uri: location.is_uri,
            original: Arc::clone(&location.original),
            location: Arc::clone(&location.location),
        };
        invocation.within(kind, |invocation| {
            invocation.budget.step()?;
            if !location.exists {
                invocation.report(|| Outcome::LocationNotFound);
                return Ok(None);
            }
            let Some(format) = built_in_format(level) else {
                return opaque(invocation, level, key);
            };
            if location.is_uri {
                return Err(location_is_required(level));
            }
            self.file_lookup(invocation, level, location, key, format)
        })
    }

    fn file_lookup(
        &self,
        invocation: &mut Invocation<'_>,
        level: &ResolvedLevel,
        location: &Location,
        key: &Key,
        format: Format,
    ) -> Found {
        let file = location
            .data
            .get_or_init(|| self.load(invocation, level, location, format))
            .as_ref()
            .map_err(Clone::clone)?;
        let root = key.root();
        let Some(entry) = self.entry(file, root) else {
            invocation.report_not_found(root);
            return Ok(None);
        };
        if let Some(got) = entry.misfit() {
            let message = wrong_value_type(level, location, root, got);
            return Err(Failure::of(FailureClass::TypeAssertion, message).at(entry.value.place));
        }
        let value = if invocation.is_traced() && level.function.kind == FunctionKind::DataHash {
            // Puppet's interpolation copies whatever it goes through, and explain tells copies apart.
            interpolate(invocation, &entry.value.copied(), Context::Data)?
        } else if entry.has_tokens() {
            interpolate(invocation, &entry.value, Context::Data)?
        } else {
            entry.value.clone()
        };
        invocation.report_found(root, &value);
        Ok(Some(value))
    }

    /// Keys of module data without the module's prefix are as if they were not there.
    fn entry<'f>(&self, file: &'f DataFile, root: &str) -> Option<&'f RootEntry> {
        if let Some(module) = &self.module {
            let prefixed = root.strip_prefix(&**module).is_some_and(|rest| rest.starts_with("::"));
            if !prefixed && root != "lookup_options" {
                return None;
            }
        }
        file.get(root)
    }

    /// Reads a file and has it judged, once per location.
    fn load(
        &self,
        invocation: &mut Invocation<'_>,
        level: &ResolvedLevel,
        location: &Location,
        format: Format,
    ) -> Result<Arc<DataFile>, Failure> {
        if yaml_data_refuses_any_option(level) {
            return Err(location_is_required(level));
        }
        let files = invocation.evaluator.files();
        let path = &location.location;
        if path::kind(files.as_ref(), path) == PathKind::Directory {
            let message = format!("Is a directory @ io_fread - {path}");
            return Err(Failure::ruby("Errno::EISDIR", message).at(location.template_place));
        }
        let real_path = path::resolve(files.as_ref(), path);
        let file = files.data(real_path.as_deref().unwrap_or(path), format).map_err(|message| {
            Failure::ruby("Errno::ENOENT", message).at(location.template_place)
        })?;
        judge(invocation, level, location, &file)?;
        self.check_module_keys(invocation, level, location, &file)?;
        Ok(file)
    }

    /// Module data must be qualified with the module's name; a key that is no string makes Puppet fall.
    fn check_module_keys(
        &self,
        invocation: &mut Invocation<'_>,
        level: &ResolvedLevel,
        location: &Location,
        file: &DataFile,
    ) -> Result<(), Failure> {
        let Some(module) = &self.module else { return Ok(()) };
        if level.function.kind != FunctionKind::DataHash {
            return Ok(());
        }
        let prefix = format!("{module}::");
        for entry in file.entries() {
            let Value::String(key) = &entry.key else {
                let message = format!(
                    "undefined method `start_with?' for {}:{}",
                    inspect::inspect(&entry.key),
                    inspect::ruby_class(&entry.key)
                );
                return Err(Failure::ruby("NoMethodError", message).at(Some(entry.key_place)));
            };
            if &**key != "lookup_options" && !key.starts_with(&prefix) {
                let is_eight = invocation.evaluator.version() == PuppetVersion::V8;
                let suffix = if is_eight { format!("; got {key}") } else { String::new() };
                invocation.warn(format!(
                    "Module '{module}': Value returned from data_hash function '{}', when using location '{}', \
                     must use keys qualified with the name of the module{suffix}",
                    level.function.name, location.location,
                ));
            }
        }
        Ok(())
    }
}

/// lookup_options are collected from all files of a layer, so the first lookup reads them all.
fn announce(invocation: &Invocation<'_>, levels: &[ResolvedLevel]) {
    let formats = levels.iter().filter_map(|level| Some((level, built_in_format(level)?)));
    let files = formats.flat_map(|(level, format)| {
        let locations = level.locations.iter().flatten().filter(|it| it.exists && !it.is_uri);
        locations.map(move |it| (&*it.location, format))
    });
    invocation.evaluator.files().expect(&files.collect::<Vec<_>>());
}

/// The format of a level that is answered by a file here; `None` for a back end that is not.
pub(crate) fn built_in_format(level: &ResolvedLevel) -> Option<Format> {
    match (level.function.kind, &*level.function.name) {
        (FunctionKind::DataHash, "yaml_data") | (FunctionKind::LookupKey, "eyaml_lookup_key") => {
            Some(Format::Yaml)
        }
        (FunctionKind::DataHash, "json_data") => Some(Format::Json),
        (FunctionKind::DataHash, "hocon_data") => Some(Format::Hocon),
        _ => None,
    }
}

/// `yaml_data`, `json_data` and `hocon_data` accept a path and nothing else: one option breaks every lookup.
fn yaml_data_refuses_any_option(level: &ResolvedLevel) -> bool {
    level.function.kind == FunctionKind::DataHash && !level.options.is_empty()
}

fn location_is_required(level: &ResolvedLevel) -> Failure {
    let name = &level.function.name;
    let place = level.function.place.or(level.place);
    let message = if level.function.kind == FunctionKind::LookupKey {
        format!(
            "'{name}': one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml \
             when using this lookup_key function"
        )
    } else {
        format!(
            "'{name}' one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml \
             when using this data_hash function"
        )
    };
    Failure::ruby("ArgumentError", message).at(place)
}

/// A level that is not evaluated here neither finds nor misses: the answer remembers that it might have.
#[expect(clippy::unnecessary_wraps, reason = "an answer like any other level's")]
fn opaque(invocation: &mut Invocation<'_>, level: &ResolvedLevel, key: &Key) -> Found {
    let function = Arc::clone(&level.function.name);
    invocation.report(|| Outcome::Opaque { function: Arc::clone(&function) });
    let opaque = OpaqueLevel { level: Arc::clone(&level.name), function };
    if key.text().as_ref() != "lookup_options" && !invocation.opaque.contains(&opaque) {
        invocation.opaque.push(opaque);
    }
    Ok(None)
}

fn judge(
    invocation: &mut Invocation<'_>,
    level: &ResolvedLevel,
    location: &Location,
    file: &DataFile,
) -> Result<(), Failure> {
    let path = &location.location;
    let place = |range| Some(crate::data::Place { file: file.file(), range });
    match (file.verdict(), file.format()) {
        (Verdict::Hash, _) => Ok(()),
        (Verdict::Broken(error), _) => {
            let message = error.message.replace("{path}", path);
            Err(rings_exhaust_the_stack(message).at(place(error.range)))
        }
        (Verdict::Empty, Format::Yaml) => {
            invocation.warn(format!("{path}: file does not contain a valid yaml hash"));
            Ok(())
        }
        (Verdict::NotAHash { .. }, Format::Yaml) => {
            let message = format!("{path}: file does not contain a valid yaml hash");
            if invocation.evaluator.version().is_strict() {
                return Err(Failure::lookup(message));
            }
            invocation.warn(message);
            Ok(())
        }
        (verdict, _) => {
            let got = match verdict {
                Verdict::NotAHash { puppet_type } => puppet_type,
                _ => "Undef".to_owned(),
            };
            let message = format!(
                "Value returned from data_hash function '{}', when using location '{path}', has wrong type, \
                 expects a Hash value, got {got}",
                level.function.name
            );
            Err(Failure::of(FailureClass::TypeAssertion, message))
        }
    }
}

/// A list or hash that holds itself is legal YAML, but no code of Puppet gets through it: that is no LookupError.
fn rings_exhaust_the_stack(message: String) -> Failure {
    if message == "stack level too deep" {
        return Failure::ruby("SystemStackError", message);
    }
    Failure::lookup(message)
}

fn wrong_value_type(level: &ResolvedLevel, location: &Location, key: &str, got: &str) -> String {
    let kind = match level.function.kind {
        FunctionKind::LookupKey => "returned from lookup_key function",
        _ => "in hash returned from data_hash function",
    };
    format!(
        "Value for key '{key}', {kind} '{}', when using location '{}', has wrong type, expects Puppet::LookupValue, \
         got {got}",
        level.function.name, location.location,
    )
}
