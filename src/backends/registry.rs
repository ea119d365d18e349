//! Which back end a level means: what the settings say of it, what is built in, or the bridge to Puppet's functions.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::announcer::Announcer;
use super::back_end::BackEnd;
use super::bridge::{self, Program, Remote};
use super::eyaml::EyamlLookupKey;
use super::files::FileData;
use super::settings::{BackEndSettings, DEFAULT_TIMEOUT, FunctionSettings};
use super::silent::Silent;
use super::stand_in::StandIn;
use crate::config::hiera_yaml::{Function, FunctionKind};
use crate::data::{Files, Format};

/// The reason for a program that only the workspace itself asks to start.
const NOT_TRUSTED: &str = "is not run, as the workspace is not trusted";

/// The back ends of a workspace.
#[derive(Debug, Default)]
pub struct Registry {
    settings: BackEndSettings,
    /// Relative paths of the settings are relative to this directory.
    root: Arc<str>,
    eyaml: EyamlLookupKey,
    announcer: Announcer,
    /// The programs that were asked for, by their commands.
    programs: Mutex<BTreeMap<Vec<Arc<str>>, Arc<Program>>>,
    /// Ruby with Puppet, once it was asked for.
    puppet: OnceLock<Arc<Program>>,
    quiet: OnceLock<Arc<Self>>,
}

impl Registry {
    /// The back ends that `settings` name, and those built in; `root` is the workspace's directory.
    pub fn new(settings: BackEndSettings, root: Arc<str>, announcer: Announcer) -> Self {
        Self { settings, root, announcer, ..Self::default() }
    }

    /// What answers for a level; `None` if nothing here does: the level is opaque.
    pub fn find(&self, function: &Function, level: &str) -> Option<Arc<dyn BackEnd>> {
        let settings = self.settings.of(level, &function.name, function.kind);
        settings
            .and_then(|it| self.of_settings(it))
            .or_else(|| self.built_in(function))
            .or_else(|| self.of_puppet(function.kind))
    }

    /// The same, but it starts no programs: for work that nobody asked for. `None` if it starts none anyway.
    pub fn quiet(&self) -> Option<Arc<Self>> {
        let make = || {
            let settings = self.settings.clone().quiet();
            Arc::new(Self::new(settings, Arc::clone(&self.root), self.announcer.clone()))
        };
        self.settings.starts_programs().then(|| Arc::clone(self.quiet.get_or_init(make)))
    }

    /// Ends all programs for good.
    pub fn stop(&self) {
        for program in self.programs().values().chain(self.puppet.get()) {
            program.stop();
        }
    }

    /// Whether a level is answered for, or was said not to be.
    pub fn knows(&self, function: &Function, level: &str) -> bool {
        Self::format(function).is_some()
            || self.runs_puppet(function.kind)
            || self.settings.of(level, &function.name, function.kind).is_some()
    }

    /// What keeps a level's function from answering; as [`Returned::Unknown`](super::Returned::Unknown) has it.
    pub fn problem(&self, function: &Function, level: &str, files: &dyn Files) -> Option<Arc<str>> {
        let name = &function.name;
        let settings = self.settings.of(level, name, function.kind);
        if let Some(stand_in) = settings.and_then(|it| self.stand_in(it)) {
            return stand_in.problem(files);
        }
        match settings.and_then(|it| it.command.as_ref()) {
            Some(command) => self.programs().get(command)?.problem(name),
            None => self.puppet.get()?.problem(name),
        }
    }

    /// The format of the files that a built-in function reads; `None` for any other function.
    pub fn format(function: &Function) -> Option<Format> {
        match (function.kind, &*function.name) {
            (FunctionKind::DataHash, "yaml_data")
            | (FunctionKind::LookupKey, "eyaml_lookup_key") => Some(Format::Yaml),
            (FunctionKind::DataHash, "json_data") => Some(Format::Json),
            (FunctionKind::DataHash, "hocon_data") => Some(Format::Hocon),
            _ => None,
        }
    }

    fn of_settings(&self, settings: &FunctionSettings) -> Option<Arc<dyn BackEnd>> {
        if let Some(stand_in) = self.stand_in(settings) {
            return Some(Arc::new(stand_in));
        }
        let command = settings.command.as_ref()?;
        if !settings.is_trusted {
            return Some(Arc::new(Silent(NOT_TRUSTED.into())));
        }
        let program = Arc::clone(self.programs().entry(command.clone()).or_insert_with(|| {
            Arc::new(Program::of_command(
                command.clone(),
                Arc::clone(&self.root),
                self.announcement(),
            ))
        }));
        let timeout = settings.timeout.unwrap_or(DEFAULT_TIMEOUT);
        Some(Arc::new(Remote { program, timeout }))
    }

    fn of_puppet(&self, kind: FunctionKind) -> Option<Arc<dyn BackEnd>> {
        let bridge = &self.settings.bridge;
        if !bridge.is_enabled || !bridge::can_run(kind) {
            return None;
        }
        if !bridge.is_trusted {
            return Some(Arc::new(Silent(NOT_TRUSTED.into())));
        }
        let start =
            || Arc::new(Program::puppet(bridge, Arc::clone(&self.root), self.announcement()));
        let program = Arc::clone(self.puppet.get_or_init(start));
        Some(Arc::new(Remote { program, timeout: bridge.timeout }))
    }

    fn runs_puppet(&self, kind: FunctionKind) -> bool {
        let bridge = &self.settings.bridge;
        bridge.is_enabled && bridge.is_trusted && bridge::can_run(kind)
    }

    fn announcement(&self) -> Arc<dyn Fn() + Send + Sync> {
        let announcer = self.announcer.clone();
        Arc::new(move || announcer.announce())
    }

    fn programs(&self) -> std::sync::MutexGuard<'_, BTreeMap<Vec<Arc<str>>, Arc<Program>>> {
        self.programs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stand_in(&self, settings: &FunctionSettings) -> Option<StandIn> {
        let files = settings.stand_in.clone();
        (!files.is_empty()).then(|| StandIn { root: Arc::clone(&self.root), files })
    }

    fn built_in(&self, function: &Function) -> Option<Arc<dyn BackEnd>> {
        match (function.kind, &*function.name) {
            (FunctionKind::LookupKey, "eyaml_lookup_key") => Some(Arc::new(self.eyaml)),
            _ => Some(Arc::new(FileData(Self::format(function)?))),
        }
    }
}
