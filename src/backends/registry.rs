//! Which back end a level means.

use std::sync::Arc;

use super::back_end::BackEnd;
use super::eyaml::{Eyaml, EyamlLookupKey};
use super::files::FileData;
use crate::config::hiera_yaml::{Function, FunctionKind};
use crate::data::Format;

/// The back ends of a workspace.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    eyaml: EyamlLookupKey,
}

impl Registry {
    /// The same back ends, with encrypted values treated so.
    #[must_use]
    pub fn with_eyaml(&self, eyaml: Eyaml) -> Self {
        let mut back_ends = self.clone();
        back_ends.eyaml = EyamlLookupKey { eyaml };
        back_ends
    }

    /// What answers for a level; `None` if nothing here does: the level is opaque.
    pub fn find(&self, function: &Function, _level: &str) -> Option<Arc<dyn BackEnd>> {
        self.built_in(function)
    }

    fn built_in(&self, function: &Function) -> Option<Arc<dyn BackEnd>> {
        match (function.kind, &*function.name) {
            (FunctionKind::LookupKey, "eyaml_lookup_key") => Some(Arc::new(self.eyaml.clone())),
            _ => Some(Arc::new(FileData(Self::format(function)?))),
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
}
