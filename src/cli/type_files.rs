//! Where the modules of an environment define their types.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use indexmap::IndexMap;
use regex::Regex;

use crate::config::Environment;
use crate::data::puppet_type::{AliasFile, AliasFiles, TypeAliases};

/// The directories of modules, and of an environment's own types.
#[derive(Debug, Default)]
struct TypeFiles {
    modules: IndexMap<String, PathBuf>,
    environment: Option<PathBuf>,
}

/// The aliases of an environment and its modules.
pub(super) fn aliases_of(environment: &Environment) -> Arc<TypeAliases> {
    let modules = environment.modules.iter();
    let modules = modules.map(|(name, path)| (name.to_string(), PathBuf::from(&**path)));
    TypeAliases::new(Box::new(TypeFiles {
        modules: modules.collect(),
        environment: environment.root.as_ref().map(|it| PathBuf::from(&**it)),
    }))
}

/// The aliases of the modules in these directories; the first module of a name wins.
pub(super) fn aliases_in(directories: &[PathBuf]) -> Arc<TypeAliases> {
    let mut files = TypeFiles::default();
    for directory in directories {
        let Ok(entries) = std::fs::read_dir(directory) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if is_module_name(&name) && entry.path().is_dir() {
                files.modules.entry(name).or_insert_with(|| entry.path());
            }
        }
    }
    TypeAliases::new(Box::new(files))
}

impl AliasFiles for TypeFiles {
    fn alias(&self, name: &str) -> Option<AliasFile> {
        let (first, rest) = name.split_once("::").unwrap_or(("", name));
        let directory = match (first, &self.environment) {
            ("", environment) => environment.as_ref()?.clone(),
            ("environment", Some(environment)) => environment.clone(),
            (module, _) => self.module(module)?.clone(),
        };
        let mut path = directory.join("types");
        if first == "environment" {
            path.push(first);
        }
        path.extend(rest.split("::"));
        path.set_extension("pp");
        let text = std::fs::read_to_string(&path).ok()?;
        Some(AliasFile { path: path.to_string_lossy().into_owned(), text })
    }

    fn is_resource_type(&self, name: &str) -> bool {
        let mut path: PathBuf = ["lib", "puppet", "type"].iter().collect();
        path.extend(name.split("::"));
        path.set_extension("rb");
        self.modules.values().any(|it| it.join(&path).is_file()) || self.is_define(name)
    }
}

impl TypeFiles {
    /// A module is not visible to Puppet if its metadata name no dependencies.
    fn module(&self, name: &str) -> Option<&PathBuf> {
        let directory = self.modules.get(name)?;
        let metadata = std::fs::read_to_string(directory.join("metadata.json")).ok();
        let metadata = metadata.and_then(|it| serde_json::from_str::<serde_json::Value>(&it).ok());
        let is_hidden =
            metadata.is_some_and(|it| it.is_object() && it.get("dependencies").is_none());
        (!is_hidden).then_some(directory)
    }

    fn is_define(&self, name: &str) -> bool {
        let (module, rest) = name.split_once("::").unwrap_or((name, "init"));
        let Some(directory) = self.module(module) else { return false };
        let mut path = directory.join("manifests");
        path.extend(rest.split("::"));
        path.set_extension("pp");
        std::fs::read_to_string(path).is_ok_and(|text| defines(&text, name))
    }
}

/// Whether a manifest begins a line with the definition of this resource type.
fn defines(text: &str, name: &str) -> bool {
    let pattern = format!(r"(?mi)^\s*define\s+(::)?{}\b", regex::escape(name));
    Regex::new(&pattern).is_ok_and(|it| it.is_match(text))
}

/// Puppet only takes directories with such names for modules.
fn is_module_name(name: &str) -> bool {
    let is_part = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_';
    name.starts_with(|it: char| it.is_ascii_lowercase()) && name.chars().all(is_part)
}

/// The directories in a path like `A:B`.
pub(super) fn directories(path: &str) -> Vec<PathBuf> {
    std::env::split_paths(path).filter(|it| it != Path::new("")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_define_is_a_resource_type() {
        assert!(defines("# a\ndefine a::b (\n) { }\n", "a::b"));
        assert!(!defines("# define a::b is gone\nclass a::b { }\n", "a::b"));
        assert!(!defines("define a::bc { }\n", "a::b"));
    }
}
