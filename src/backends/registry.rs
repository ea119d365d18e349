//! Which back end a level means: what the settings say of it, what is built in, or the bridge to Puppet's functions.

use std::sync::Arc;

use super::back_end::BackEnd;
use super::eyaml::{Eyaml, EyamlLookupKey};
use super::files::FileData;
use super::settings::{BackEndSettings, FunctionSettings};
use super::silent::Silent;
use super::stand_in::StandIn;
use crate::config::hiera_yaml::{Function, FunctionKind};
use crate::data::{Files, Format};

/// The reason for a program that only the workspace itself asks to start.
const NOT_TRUSTED: &str = "is not run, as the workspace is not trusted";

/// The back ends of a workspace.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    settings: BackEndSettings,
    /// Relative paths of the settings are relative to this directory.
    root: Arc<str>,
    eyaml: EyamlLookupKey,
}

impl Registry {
    /// The back ends that `settings` name, and those built in; `root` is the workspace's directory.
    pub fn new(settings: BackEndSettings, root: Arc<str>) -> Self {
        Self { settings, root, eyaml: EyamlLookupKey::default() }
    }

    /// The same back ends, with encrypted values treated so.
    #[must_use]
    pub fn with_eyaml(&self, eyaml: Eyaml) -> Self {
        let mut back_ends = self.clone();
        back_ends.eyaml = EyamlLookupKey { eyaml };
        back_ends
    }

    /// What answers for a level; `None` if nothing here does: the level is opaque.
    pub fn find(&self, function: &Function, level: &str) -> Option<Arc<dyn BackEnd>> {
        let settings = self.settings.of(level, &function.name, function.kind);
        settings.and_then(|it| self.of_settings(it)).or_else(|| self.built_in(function))
    }

    /// Whether a level is answered for, or was said not to be.
    pub fn knows(&self, function: &Function, level: &str) -> bool {
        Self::format(function).is_some()
            || self.settings.of(level, &function.name, function.kind).is_some()
    }

    /// What keeps a level's function from answering; as [`Returned::Unknown`](super::Returned::Unknown) has it.
    pub fn problem(&self, function: &Function, level: &str, files: &dyn Files) -> Option<Arc<str>> {
        let settings = self.settings.of(level, &function.name, function.kind)?;
        self.stand_in(settings)?.problem(files)
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
        settings.command.as_ref()?;
        Some(Arc::new(Silent(NOT_TRUSTED.into())))
    }

    fn stand_in(&self, settings: &FunctionSettings) -> Option<StandIn> {
        let files = settings.stand_in.clone();
        (!files.is_empty()).then(|| StandIn { root: Arc::clone(&self.root), files })
    }

    fn built_in(&self, function: &Function) -> Option<Arc<dyn BackEnd>> {
        match (function.kind, &*function.name) {
            (FunctionKind::LookupKey, "eyaml_lookup_key") => Some(Arc::new(self.eyaml.clone())),
            _ => Some(Arc::new(FileData(Self::format(function)?))),
        }
    }
}
