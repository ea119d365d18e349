//! Finds the back end of a level: the one in the settings, a built-in one, or the bridge to Puppet's functions.

use std::sync::Arc;

use super::announcer::Announcer;
use super::back_end::BackEnd;
use super::bridge::{self, Remote};
use super::eyaml::{Eyaml, EyamlLookupKey};
use super::files::FileData;
use super::programs::Programs;
use super::settings::{BackEndSettings, DEFAULT_TIMEOUT, FunctionSettings};
use super::silent::Silent;
use super::stand_in::StandIn;
use crate::config::hiera_yaml::{Function, FunctionKind};
use crate::data::{Files, Format};

/// The reason for a program that only the workspace itself requests.
const NOT_TRUSTED: &str = "is not run, as the workspace is not trusted";

/// The back ends of a workspace. Clones share the started programs.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    settings: BackEndSettings,
    /// Relative paths in the settings are relative to this directory.
    root: Arc<str>,
    eyaml: EyamlLookupKey,
    programs: Arc<Programs>,
}

impl Registry {
    /// The back ends in `settings` and the built-in ones; `root` is the workspace's directory.
    pub fn new(settings: BackEndSettings, root: Arc<str>, announcer: Announcer) -> Self {
        let programs = Arc::new(Programs::new(Arc::clone(&root), announcer));
        Self { settings, root, eyaml: EyamlLookupKey::default(), programs }
    }

    /// The same back ends, which handle encrypted values like this.
    #[must_use]
    pub fn with_eyaml(&self, eyaml: Eyaml) -> Self {
        let mut back_ends = self.clone();
        back_ends.eyaml = EyamlLookupKey { eyaml };
        back_ends
    }

    /// The same back ends without programs, for background work. `None` if no programs would be started anyway.
    pub fn quiet(&self) -> Option<Self> {
        let settings = || self.settings.clone().quiet();
        self.settings.starts_programs().then(|| Self { settings: settings(), ..self.clone() })
    }

    /// The back end of a level; `None` if there is none, so that the level is opaque.
    pub fn find(&self, function: &Function, level: &str) -> Option<Arc<dyn BackEnd>> {
        let settings = self.settings.of(level, &function.loaded_name(), function.kind);
        settings
            .and_then(|it| self.of_settings(it))
            .or_else(|| self.built_in(function))
            .or_else(|| self.of_puppet(function.kind))
    }

    /// Whether the level has a back end, or the settings say that it has none.
    pub fn knows(&self, function: &Function, level: &str) -> bool {
        let bridge = &self.settings.bridge;
        Self::format(function).is_some()
            || bridge.is_enabled && bridge.is_trusted && bridge::can_run(function.kind)
            || self.settings.of(level, &function.loaded_name(), function.kind).is_some()
    }

    /// Why a level's function fails, in the form of [`Returned::Unknown`](super::Returned::Unknown).
    pub fn problem(&self, function: &Function, level: &str, files: &dyn Files) -> Option<Arc<str>> {
        let settings = self.settings.of(level, &function.loaded_name(), function.kind);
        if let Some(stand_in) = settings.and_then(|it| self.stand_in(it)) {
            return stand_in.problem(files);
        }
        let command = settings.and_then(|it| it.command.as_deref());
        self.programs.problem(command, &function.name)
    }

    /// The files with sample data, with their formats.
    pub fn sample_files(&self) -> Vec<(String, Format)> {
        let functions = self.settings.functions.values();
        functions
            .filter_map(|it| self.stand_in(it))
            .flat_map(|it| it.paths().collect::<Vec<_>>())
            .collect()
    }

    /// Stops all programs for good.
    pub fn stop(&self) {
        self.programs.stop();
    }

    /// The format of the files that a built-in function reads; `None` for any other function.
    pub fn format(function: &Function) -> Option<Format> {
        match (function.kind, &*function.loaded_name()) {
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
        let program = self.programs.of_command(command);
        let timeout = settings.timeout.unwrap_or(DEFAULT_TIMEOUT);
        Some(Arc::new(Remote { program, timeout }))
    }

    fn stand_in(&self, settings: &FunctionSettings) -> Option<StandIn> {
        let files = settings.stand_in.clone();
        (!files.is_empty()).then(|| StandIn { root: Arc::clone(&self.root), files })
    }

    fn built_in(&self, function: &Function) -> Option<Arc<dyn BackEnd>> {
        match (function.kind, &*function.loaded_name()) {
            (FunctionKind::LookupKey, "eyaml_lookup_key") => Some(Arc::new(self.eyaml.clone())),
            _ => Some(Arc::new(FileData(Self::format(function)?))),
        }
    }

    fn of_puppet(&self, kind: FunctionKind) -> Option<Arc<dyn BackEnd>> {
        let bridge = &self.settings.bridge;
        if !bridge.is_enabled || !bridge::can_run(kind) {
            return None;
        }
        if !bridge.is_trusted {
            return Some(Arc::new(Silent(NOT_TRUSTED.into())));
        }
        let program = self.programs.puppet(bridge);
        Some(Arc::new(Remote { program, timeout: bridge.timeout }))
    }
}
