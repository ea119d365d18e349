//! Files that paths with open variables lead to only if the text of a variable has a slash, and the paths of a hierarchy, which
//! decide about these files.
//!
//! `role/%{role}.yaml` leads to `role/web/front.yaml` if the role is `web/front`. With such texts, a path can lead to every file below
//! its directory, so a file counts only if no path of the hierarchy leads to it in another way.

use std::borrow::Cow;
use std::sync::Arc;

use super::evaluator::Evaluator;
use crate::config::hiera_yaml::Level;
use crate::config::{HieraYaml, path};
use crate::data::{Files, inspect};
use crate::facts::infer::Template;
use crate::facts::open_path::OpenPath;
use crate::limits::{MAX_DATA_FILES, MAX_DIRECTORIES, MAX_DIRECTORY_DEPTH};

impl Evaluator {
    /// The files to which the paths of a hiera.yaml lead only by a text with a slash, sorted. They are the same for all nodes.
    pub(super) fn files_by_slashes(&self, config: &HieraYaml) -> Arc<[Arc<str>]> {
        let key = (Arc::clone(&config.path), Arc::clone(&self.environment().name));
        self.prepared().files_by_slashes(key, || self.find_files_by_slashes(config).into())
    }

    /// The paths of a hiera.yaml. They are the same for all nodes.
    pub(super) fn paths_of(&self, config: &HieraYaml) -> Arc<[OpenPath]> {
        let key = (Arc::clone(&config.path), Arc::clone(&self.environment().name));
        self.prepared().paths_of_hierarchy(key, || self.find_paths_of(config).into())
    }

    fn find_paths_of(&self, config: &HieraYaml) -> Vec<OpenPath> {
        let root = path::parent(&config.path);
        let environment = self.environment().known_name().map(|it| &**it);
        let paths_of = |level: &Level| {
            let datadir = path::join(root, &inspect::to_s(&level.datadir.value));
            let templates = Template::all_of(level, &self.map_datadir_template(&datadir));
            let paths = templates.iter().filter_map(|(_, it)| it.path_of_any_node(environment));
            paths.collect::<Vec<_>>()
        };
        let levels = config.hierarchy.iter().chain(&config.default_hierarchy);
        levels.flat_map(paths_of).collect()
    }

    fn find_files_by_slashes(&self, config: &HieraYaml) -> Vec<Arc<str>> {
        let root = path::parent(&config.path);
        let all = self.paths_of(config);
        let files = self.files().as_ref();
        let searched = all.iter().filter(|it| it.searches_by_slashes(root));
        let directories = searched.filter_map(|it| path::resolve(files, it.directory()));
        let mut directories: Vec<String> = directories.map(Cow::into_owned).collect();
        directories.sort_unstable();
        let mut walk = Walk { files, found: Vec::new(), directories: 0 };
        let mut last: Option<String> = None;
        for directory in directories {
            let is_below = |last: &String| {
                let rest = directory.strip_prefix(last.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            if !last.as_ref().is_some_and(is_below) {
                walk.enter(&directory, 0, false);
                last = Some(directory);
            }
        }
        let mut found = walk.found;
        found.sort_unstable();
        OpenPath::files_by_slashes(&all, root, found)
    }
}

/// Lists all files below some directories, except those in hidden ones.
struct Walk<'a> {
    files: &'a dyn Files,
    found: Vec<Arc<str>>,
    directories: usize,
}

impl Walk<'_> {
    fn enter(&mut self, directory: &str, depth: usize, is_behind_link: bool) {
        self.directories += 1;
        if self.directories > MAX_DIRECTORIES || depth > MAX_DIRECTORY_DEPTH {
            return;
        }
        for item in self.files.list(directory).iter() {
            if self.found.len() >= MAX_DATA_FILES {
                return;
            }
            let path = format!("{directory}/{}", item.name);
            if !item.is_directory {
                self.found.push(path.into());
            } else if !(item.name.starts_with('.') || item.is_link && is_behind_link) {
                // Links can form cycles, so only one of them is followed.
                self.enter(&path, depth + 1, is_behind_link || item.is_link);
            }
        }
    }
}
