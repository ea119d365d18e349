//! The locations of an environment's Puppet code: its own manifests, functions, types and plans, and those of its modules.

use std::sync::Arc;

use crate::data::Files;
use crate::limits::{MAX_CODE_DEPTH, MAX_CODE_FILES};

/// What follows the path of a directory that is left out.
pub(crate) const TOO_MUCH_CODE: &str = " is not searched for code, because there is too much of it";
pub(crate) const TOO_DEEP_FOR_CODE: &str = " is not searched for code, because it is too deep";

/// The directories of an environment that contain code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeRoots {
    /// The main manifest, or the directory of manifests.
    pub manifests: Option<Arc<str>>,
    /// The environment's directory, for its own functions, types and plans.
    pub environment: Option<Arc<str>>,
    /// Modules by name, with their directories.
    pub modules: Vec<(Arc<str>, Arc<str>)>,
}

impl CodeRoots {
    /// All code files, sorted. `is_new` is called for each directory, and returns false for one that was already visited by
    /// another path.
    pub fn files(&self, disk: &dyn Files, is_new: &mut dyn FnMut(&str) -> bool) -> Vec<Arc<str>> {
        let mut search = Search { disk, is_new, found: Vec::new() };
        if let Some(manifests) = &self.manifests {
            if is_code(manifests) {
                search.found.push(manifests.clone());
            }
            search.below(manifests, MAX_CODE_DEPTH);
        }
        let of_modules = ["manifests", "functions", "types", "plans", "templates"];
        let of_environments = ["functions", "types", "plans"];
        let environment = self.environment.iter().map(|it| (it, &of_environments[..]));
        let modules = self.modules.iter().map(|(_, directory)| (directory, &of_modules[..]));
        for (directory, names) in environment.chain(modules) {
            for name in names {
                search.below(&format!("{directory}/{name}"), MAX_CODE_DEPTH);
            }
        }
        let mut found = search.found;
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The files of the functions of the environment and of its modules. `is_new` is as for [`Self::files`].
    pub fn functions(
        &self,
        disk: &dyn Files,
        is_new: &mut dyn FnMut(&str) -> bool,
    ) -> Vec<Arc<str>> {
        let mut search = Search { disk, is_new, found: Vec::new() };
        let modules = self.modules.iter().map(|(_, directory)| directory);
        for directory in self.environment.iter().chain(modules) {
            search.below(&format!("{directory}/functions"), MAX_CODE_DEPTH);
        }
        search.found
    }
}

/// A walk through directories.
struct Search<'a> {
    disk: &'a dyn Files,
    is_new: &'a mut dyn FnMut(&str) -> bool,
    found: Vec<Arc<str>>,
}

impl Search<'_> {
    fn below(&mut self, directory: &str, depth: usize) {
        let items = self.disk.list(directory);
        if items.is_empty() || !(self.is_new)(directory) {
            return;
        }
        for item in items.iter().filter(|item| !item.name.starts_with('.')) {
            let path = format!("{directory}/{}", item.name);
            if self.found.len() >= MAX_CODE_FILES {
                return self.disk.left_out(directory, format!("{directory}{TOO_MUCH_CODE}"));
            }
            if item.is_directory && depth == 0 {
                self.disk.left_out(&path, format!("{path}{TOO_DEEP_FOR_CODE}"));
            } else if item.is_directory {
                self.below(&path, depth - 1);
            } else if is_code(&path) {
                self.found.push(path.into());
            }
        }
    }
}

/// Whether a path is that of a manifest or of an EPP template.
pub fn is_code(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').is_some_and(|(_, extension)| matches!(extension, "pp" | "epp"))
}

/// Where Puppet looks for the class `name` in its module, below the module's `manifests`: in its own file, and in the files
/// of the classes that enclose it by name. Puppet uses names in lower case.
pub fn files_of_class(name: &str) -> Vec<String> {
    let name = name.to_lowercase();
    let mut segments: Vec<&str> = name.split("::").skip(1).collect();
    let mut files = Vec::new();
    while !segments.is_empty() {
        files.push(format!("{}.pp", segments.join("/")));
        segments.pop();
    }
    files.push("init.pp".to_owned());
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_looked_for_in_its_file_and_in_those_above() {
        assert_eq!(files_of_class("m"), ["init.pp"]);
        assert_eq!(files_of_class("m::A::b"), ["a/b.pp", "a.pp", "init.pp"]);
    }
}
