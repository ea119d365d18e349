//! Directories that look like Hiera data but that no hierarchy of the workspace reads. Most often their hiera.yaml is
//! elsewhere, or names the directory on a server.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::links::Links;
use super::paths;
use super::reach::{Reach, format_by_name};
use super::roots::seems_to_be_environment;
use super::snapshot::World;
use crate::config::hiera_yaml::LayerKind;
use crate::config::{Environment, HieraYaml};
use crate::data::{Files as _, Format, PathKind};

/// Usual names of directories with Hiera data.
pub(super) const DATA_DIRECTORIES: [&str; 4] = ["hieradata", "hiera_data", "hiera", "data"];

/// Directories whose data belongs to something else.
const OTHERS: [&str; 6] = ["spec", "tests", "examples", "node_modules", "vendor", "modules"];

/// The maximum depth below a folder at which such a directory is searched for, and the maximum depth of files below it.
const MAX_DEPTH: usize = 4;

/// The maximum number of directories that are searched.
const MAX_DIRECTORIES: usize = 20_000;

/// A directory with files that no hierarchy reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadData {
    /// Its path.
    pub directory: Arc<str>,
    /// The number of files in it that look like data.
    pub files: usize,
    /// The first of them.
    pub first: Arc<str>,
}

/// Whether files of this name are usually data.
pub(super) fn is_usual_data(path: &str) -> bool {
    matches!(format_by_name(path), Some(Format::Yaml | Format::Json))
}

impl World {
    /// The directories of the workspace that look like Hiera data although no hierarchy can lead to any of their files.
    pub fn unread_data(&self) -> Vec<UnreadData> {
        let reaches: Vec<Arc<Reach>> =
            self.environments().iter().map(|environment| self.reach(environment)).collect();
        let environments = self.environments();
        let links = environments.iter().map(|it| self.links(it)).collect();
        let mut search =
            Search { world: self, reaches, links, left: MAX_DIRECTORIES, found: BTreeMap::new() };
        for folder in self.folders() {
            search.look_for_data(folder, 0);
        }
        search.look_into_modules();
        let unread = |(directory, (files, first)): (String, (usize, String))| UnreadData {
            directory: directory.into(),
            files,
            first: first.into(),
        };
        search.found.into_iter().map(unread).collect()
    }

    /// Whether a directory of data is at the top of an environment that has no `hiera.yaml`. No node reads it, even if
    /// modules have data of their own.
    pub fn lacks_hiera_yaml(&self, data: &str) -> bool {
        let top =
            paths::parent(data).filter(|_| DATA_DIRECTORIES.contains(&paths::file_name(data)));
        top.is_some_and(|top| {
            self.kind(&paths::join(top, "hiera.yaml")) == PathKind::Missing
                && seems_to_be_environment(self, top)
        })
    }

    /// The missing hiera.yaml of the module that has this directory of data. Puppet reads the data of a module only if it has one,
    /// or if its metadata.json names an older source of data.
    pub fn hiera_yaml_missing_in_module(&self, data: &str) -> Option<String> {
        let module = paths::parent(data)?;
        let is_module = |it: &Arc<Environment>| it.modules.values().any(|root| **root == *module);
        let config = paths::join(module, "hiera.yaml");
        if self.kind(&config) != PathKind::Missing || !self.environments().iter().any(is_module) {
            return None;
        }
        let layer = (LayerKind::Module, Some(paths::file_name(module)));
        let read = HieraYaml::of_layer(self, &config, layer, self.settings().puppet_version);
        matches!(read, Ok((None, _))).then_some(config)
    }

    /// The files named hiera.yaml below the workspace's folders, in places where Puppet does not look for them, sorted.
    pub fn other_hiera_yamls(&self) -> Vec<Arc<str>> {
        let mut found: Vec<Arc<str>> = Vec::new();
        let mut left: Vec<(String, usize)> =
            self.folders().iter().map(|folder| (folder.to_string(), 0)).collect();
        let mut looked_into = 0;
        while let Some((directory, depth)) = left.pop() {
            looked_into += 1;
            if looked_into > MAX_DIRECTORIES {
                break;
            }
            for item in self.list(&directory).iter() {
                let path = paths::join(&directory, &item.name);
                let is_hidden = item.name.starts_with('.') || OTHERS.contains(&&*item.name);
                if item.is_directory && !item.is_link && depth < MAX_DEPTH && !is_hidden {
                    left.push((path, depth + 1));
                } else if &*item.name == "hiera.yaml" && !self.is_configuration(&path) {
                    found.push(path.into());
                }
            }
        }
        found.sort();
        found
    }

    /// Whether the file is the hiera.yaml of a layer.
    fn is_configuration(&self, path: &str) -> bool {
        let Some(environment) = self.environment_of(path) else { return false };
        let roots = environment.root.iter().chain(environment.modules.values());
        let mut own = roots.map(|root| paths::join(root, "hiera.yaml"));
        environment.global_config.as_deref() == Some(path) || own.any(|it| it == path)
    }
}

struct Search<'w> {
    world: &'w World,
    reaches: Vec<Arc<Reach>>,
    links: Vec<Arc<Links>>,
    left: usize,
    /// The number of files, and the first of them.
    found: BTreeMap<String, (usize, String)>,
}

impl Search<'_> {
    fn look_for_data(&mut self, directory: &str, depth: usize) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        for item in self.world.list(directory).iter().filter(|item| item.is_directory) {
            let name = &*item.name;
            if name.starts_with('.') || OTHERS.contains(&name) {
                continue;
            }
            let path = paths::join(directory, name);
            if DATA_DIRECTORIES.contains(&name) {
                self.look_into(path);
            } else if depth < MAX_DEPTH {
                self.look_for_data(&path, depth + 1);
            }
        }
    }

    /// Most modules are below a directory in which nothing else is searched.
    fn look_into_modules(&mut self) {
        for environment in self.world.environments().iter() {
            let roots = environment.modules.values();
            let data = roots.flat_map(|root| DATA_DIRECTORIES.map(|it| paths::join(root, it)));
            for path in data {
                let is_ours =
                    self.world.folders().iter().any(|it| paths::below(it, &path).is_some());
                if is_ours && self.world.hiera_yaml_missing_in_module(&path).is_some() {
                    self.look_into(path);
                }
            }
        }
    }

    /// If a hierarchy leads to one file, the directory is in use, and the other files are not worth a report.
    fn look_into(&mut self, directory: String) {
        let mut files = Vec::new();
        if self.unread_files(&directory, 0, &mut files).is_some() && !files.is_empty() {
            files.sort_unstable();
            self.found.insert(directory, (files.len(), files.swap_remove(0)));
        }
    }

    /// The files that look like data; `None` if a hierarchy can lead to one of them.
    fn unread_files(
        &mut self,
        directory: &str,
        depth: usize,
        found: &mut Vec<String>,
    ) -> Option<()> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        for item in self.world.list(directory).iter() {
            let path = paths::join(directory, &item.name);
            if item.is_directory {
                if depth < MAX_DEPTH && !item.name.starts_with('.') {
                    self.unread_files(&path, depth + 1, found)?;
                }
            } else if is_usual_data(&path) {
                let is_linked = || self.links.iter().any(|links| links.contains_key(&*path));
                if self.reaches.iter().any(|reach| reach.reaches(&path)) || is_linked() {
                    return None;
                }
                found.push(path);
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::settings::Settings;
    use crate::world::{Change, Host, MemoryDisk};

    #[track_caller]
    fn check(files: &[(&str, &str)], settings: &str, expected: &[&str]) {
        let mut host = Host::new(Arc::new(MemoryDisk::new(files.iter().copied())));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        host.apply(Change::Settings(Settings {
            directory: Some("/r".into()),
            ..Settings::read(Some(settings), None, &[]).0
        }));
        let unread = host.snapshot().unread_data();
        let shown: Vec<_> =
            unread.iter().map(|it| format!("{} {}", it.directory, it.files)).collect();
        assert_eq!(shown, expected);
    }

    const DATA: (&str, &str) = ("/r/hieradata/common.yaml", "a: 1\n");

    #[test]
    fn a_hiera_yaml_that_reads_data_elsewhere() {
        let config = "version: 5\ndefaults: {datadir: /srv/data, data_hash: yaml_data}\n\
                      hierarchy: [{name: c, path: common.yaml}]\n";
        let files = [("/r/rake/hiera.yaml", config), DATA, ("/r/hieradata/role/web.yaml", "")];
        check(&files, "", &["/r/hieradata 2"]);
        check(&files, "datadirMap: {/srv/data: hieradata}\n", &[]);
    }

    #[test]
    fn data_that_is_read_is_none_of_them() {
        let config = "version: 5\nhierarchy: [{name: c, path: common.yaml, datadir: hieradata}]\n";
        check(&[("/r/hiera.yaml", config), DATA, ("/r/hieradata/x/y.yaml", "")], "", &[]);
    }

    #[test]
    fn a_relative_datadir_can_be_mapped() {
        let config = "version: 5\nhierarchy: [{name: c, path: common.yaml, datadir: hieradata}]\n";
        let files = [("/r/rake/hiera.yaml", config), DATA];
        check(&files, "", &["/r/hieradata 1"]);
        check(&files, "datadirMap: {rake/hieradata: hieradata}\n", &[]);
    }
}
