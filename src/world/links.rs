//! Symbolic links in data directories: the files that hierarchies read under other paths than their own.
//!
//! A lookup reads `nodes/web01.yaml`, and that is a link to `shared/web.yaml`. Then no level leads to the latter path, but
//! users edit the file there. Only links within the workspace's folders count.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::disk::find;
use super::indexes::key_of;
use super::paths;
use super::snapshot::World;
use crate::config::Environment;
use crate::data::Files as _;

/// The paths that are read instead, sorted, by the path of each file.
pub(super) type Links = BTreeMap<Arc<str>, Vec<Arc<str>>>;

impl World {
    /// The paths by which the environment's hierarchies read the file at `path` through links, sorted.
    pub fn links_to(&self, environment: &Environment, path: &str) -> Vec<Arc<str>> {
        // Only data is worth listing the data directories.
        let is_data =
            matches!(paths::extension(path), "yaml" | "yml" | "eyaml" | "json" | "conf" | "hocon");
        if !is_data || paths::file_name(path) == "hiera.yaml" {
            return Vec::new();
        }
        self.links(environment).get(path).cloned().unwrap_or_default()
    }

    /// The path by which hierarchies lead to a file: its own, or else that of the first link.
    pub(super) fn read_as(&self, environment: &Environment, path: &str) -> Arc<str> {
        let is_read = self.reach(environment).reaches(path);
        let link = if is_read { None } else { self.links_to(environment, path).first().cloned() };
        link.unwrap_or_else(|| path.into())
    }

    /// All links that lead to files of the workspace.
    pub(super) fn links(&self, environment: &Environment) -> Arc<Links> {
        let slot = self.nodes.links.slot(&key_of(environment));
        slot.get_or_init(|| Arc::new(self.find_links(environment))).clone()
    }

    fn find_links(&self, environment: &Environment) -> Links {
        let real_path = |path: &str| self.texts.base.real_path(path);
        let folders: Vec<(&str, String)> =
            self.folders().iter().filter_map(|it| Some((&**it, real_path(it)?))).collect();
        // The folder itself may be behind a link, so the path in the workspace starts with the folder's own.
        let in_workspace = |real: &str| {
            folders.iter().find_map(|(folder, real_folder)| {
                Some(paths::join(folder, paths::below(real_folder, real)?))
            })
        };
        let mut directories: HashMap<&str, Option<String>> = HashMap::new();
        let mut links = Links::new();
        let files = self.data_files(environment);
        for (path, _) in files.iter() {
            let Some(directory) = paths::parent(path) else { continue };
            let name = paths::file_name(path);
            // Most files are not links, so it is enough to resolve their directories.
            let target = if self.is_link(path) {
                real_path(path).and_then(|real| in_workspace(&real))
            } else {
                let real = directories
                    .entry(directory)
                    .or_insert_with(|| real_path(directory).and_then(|it| in_workspace(&it)));
                real.as_ref().map(|it| paths::join(it, name))
            };
            if let Some(target) = target.filter(|it| **it != **path) {
                links.entry(target.into()).or_default().push(Arc::clone(path));
            }
        }
        links
    }

    /// Whether there is a symbolic link at `path`.
    pub(super) fn is_link(&self, path: &str) -> bool {
        let Some(directory) = paths::parent(path) else { return false };
        find(&self.list(directory), paths::file_name(path)).is_some_and(|it| it.is_link)
    }
}
