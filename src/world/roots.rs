//! Which environment a file belongs to, and which environments the workspace contains.
//!
//! The names of data directories are never used, because `hiera.yaml` defines them. Only the locations of `hiera.yaml`,
//! `environment.conf` and `metadata.json` matter.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;

use super::modulepath::{codedir, conf_of, modulepath, modules};
use super::reach::Reach;
use super::shards::Shards;
use super::unread::DATA_DIRECTORIES;
use super::{World, paths};
use crate::config::environment_conf;
use crate::config::hiera_yaml::LayerKind;
use crate::config::{Environment, EnvironmentRefusal, HieraYaml, Naming};
use crate::data::{DirItem, Files, PathKind};
use crate::limits::{MAX_SEARCH_DEPTH, MAX_SEARCHED_DIRECTORIES};

/// Puppet's name for an environment without a name.
const DEFAULT_ENVIRONMENT: &str = "production";

/// Directories whose `hiera.yaml` is for tests and tools, never for Puppet.
const NOT_FOR_PUPPET: [&str; 8] =
    ["spec", "test", "tests", "fixtures", "acceptance", "examples", "vendor", "node_modules"];

/// Those of them that are no environments beside others either.
const NEVER_ENVIRONMENTS: [&str; 3] = ["spec", "fixtures", "node_modules"];

/// Files whose text or existence determines which files belong together.
const STRUCTURAL_FILES: [&str; 4] =
    ["hiera.yaml", "environment.conf", "metadata.json", "Puppetfile"];

/// The known roots, shared by snapshots until a structural change.
#[derive(Debug, Default)]
pub(super) struct RootsCache {
    by_directory: Shards<OnceLock<Option<Root>>>,
    environments: Shards<OnceLock<Arc<Environment>>>,
    workspace: OnceLock<Arc<[Arc<Environment>]>>,
    beside: OnceLock<Arc<[Arc<Environment>]>>,
    has_only_modules: Shards<OnceLock<bool>>,
    pub(super) own_reaches: Shards<OnceLock<Arc<Reach>>>,
    pub(super) reaches: Shards<OnceLock<Arc<Reach>>>,
}

/// The directory from which an environment is built.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Root {
    /// The directory of an environment.
    Environment(Arc<str>),
    /// The directory of a module without an environment.
    Module(Arc<str>),
}

/// A directory that is marked as a root.
#[derive(Debug)]
enum Marked {
    /// An environment of a code directory.
    Environment(String),
    /// Another directory.
    Directory(String),
}

impl Marked {
    fn path(&self) -> &str {
        let (Self::Environment(path) | Self::Directory(path)) = self;
        path
    }
}

impl World {
    /// The environments of some files, each once, in the order of their first files.
    pub fn environments_of<'p>(
        &self,
        paths: impl Iterator<Item = &'p str>,
    ) -> Vec<Arc<Environment>> {
        let mut found: Vec<Arc<Environment>> = Vec::new();
        for environment in paths.filter_map(|path| self.environment_of(path)) {
            if !found.iter().any(|it| it.directory() == environment.directory()) {
                found.push(environment);
            }
        }
        found
    }

    /// The environment that a file or directory belongs to: that of the nearest `hiera.yaml` above it, unless only another
    /// environment of the workspace has its data there. `None` if there is none.
    pub fn environment_of(&self, path: &str) -> Option<Arc<Environment>> {
        if let Some(view) = self.viewing(path) {
            return Some(view);
        }
        let directory = match self.kind(path) {
            PathKind::Directory => path,
            PathKind::File | PathKind::Missing => paths::parent(path)?,
        };
        let nearest = self.root_of(directory).map(|root| self.environment_at(&root));
        let reaches = |it: &Arc<Environment>| {
            it.global_config.as_deref() == Some(path) || self.own_reach(it).reaches(path)
        };
        // The nearest environment is checked alone first, because a list of all of them would have to search the whole workspace.
        if nearest.as_ref().is_some_and(|it| is_part_of(it, path) || reaches(it)) {
            return nearest;
        }
        let environments = self.environments();
        let other = || environments.iter().find(|it| reaches(it)).cloned();
        let around = || environments.iter().find(|it| self.own_reach(it).surrounds(path)).cloned();
        // Modules come last, because there can be hundreds of them to read.
        let through_module =
            || environments.iter().find(|it| self.reach(it).reaches(path)).cloned();
        other().or(nearest).or_else(around).or_else(through_module)
    }

    /// The environment in the same directory as one of another snapshot, where it can have other modules; that one if there is
    /// none here. What is kept for an environment is found by its name and directory, so the one of another snapshot must
    /// not be asked about here.
    pub fn environment_like(&self, other: &Arc<Environment>) -> Arc<Environment> {
        self.environment_of(other.directory()).unwrap_or_else(|| other.clone())
    }

    /// All environments of the workspace, those of the first folder first; a single module counts as one.
    pub fn environments(&self) -> Arc<[Arc<Environment>]> {
        let find = || {
            let mut roots = Vec::new();
            for folder in self.folders.iter() {
                self.roots_in(folder, &mut roots);
            }
            roots.iter().map(|root| self.environment_at(root)).collect()
        };
        self.roots.workspace.get_or_init(find).clone()
    }

    /// What users call an environment of the workspace: its name, or its path if others have the name, too.
    pub fn environment_label(&self, environment: &Environment) -> Arc<str> {
        let all = self.environments();
        if { all.iter() }.filter(|it| it.name == environment.name).count() < 2 {
            return environment.name.clone();
        }
        let directory = environment.directory();
        let below = self.folders.iter().filter_map(|folder| paths::below(folder, directory));
        let below = below.filter(|it| !it.is_empty());
        below.min_by_key(|it| it.len()).unwrap_or(directory).into()
    }

    /// The environments beside those of the workspace, in the same code directories. The workspace may be a part of one.
    pub fn environments_beside(&self) -> Arc<[Arc<Environment>]> {
        let find = || {
            let all = self.environments();
            let codedirs: BTreeSet<String> =
                all.iter().filter_map(|it| codedir(it.directory())).collect();
            let beside = codedirs.iter().flat_map(|it| environments_below(self, it));
            let is_in_workspace = |path: &str| all.iter().any(|it| it.directory() == path);
            let beside = beside.filter(|it| !is_in_workspace(it) && self.may_read_in(it));
            beside.map(|it| self.environment_at(&Root::Environment(it.into()))).collect()
        };
        self.roots.beside.get_or_init(find).clone()
    }

    /// The environment of the workspace with this label, or else the only one with this name for its directory, or else for
    /// itself. If the workspace has none, one beside its environments.
    pub fn environment_called(&self, name: &str) -> Option<Arc<Environment>> {
        let all = self.environments();
        let only = |is_it: &dyn Fn(&Environment) -> bool| {
            let mut found = all.iter().filter(|it| is_it(it));
            found.next().filter(|_| found.next().is_none()).cloned()
        };
        let beside = || self.environments_beside().iter().find(|it| *it.name == *name).cloned();
        only(&|it| *self.environment_label(it) == *name)
            .or_else(|| only(&|it| paths::file_name(it.directory()) == name))
            .or_else(|| only(&|it| *it.name == *name))
            .or_else(beside)
    }

    /// The module of `environment` that contains `path`: its name and directory.
    pub fn module_of(&self, environment: &Environment, path: &str) -> Option<(Arc<str>, Arc<str>)> {
        let holds = |directory: &str| paths::below(directory, path).is_some();
        let module = environment.modules.iter().find(|(_, directory)| holds(directory));
        module.map(|(name, directory)| (name.clone(), directory.clone()))
    }

    /// Whether a file is the `environment.conf` of an environment.
    pub fn is_environment_conf(&self, path: &str) -> bool {
        paths::file_name(path) == "environment.conf"
            && self
                .environment_of(path)
                .is_some_and(|it| it.root.as_deref().is_some_and(|root| conf_of(root) == path))
    }

    /// The directory of a module of this name that is beside the modules of `environment`, but not in its modulepath.
    pub fn module_outside(&self, environment: &Environment, name: &str) -> Option<String> {
        let root = environment.root.as_deref()?;
        let is_known = environment.modules.contains_key(name);
        super::modulepath::module_outside(self, root, name).filter(|_| !is_known)
    }

    fn root_of(&self, directory: &str) -> Option<Root> {
        let slot = self.roots.by_directory.slot(directory);
        slot.get_or_init(|| roots_around(self, directory).next()).clone()
    }

    fn environment_at(&self, root: &Root) -> Arc<Environment> {
        let (Root::Environment(path) | Root::Module(path)) = root;
        let slot = self.roots.environments.slot(path);
        let make = || match root {
            Root::Environment(path) => Arc::new(environment(self, path)),
            Root::Module(path) => Arc::new(module_alone(self, path)),
        };
        slot.get_or_init(make).clone()
    }

    fn roots_in(&self, folder: &str, roots: &mut Vec<Root>) {
        let before = roots.len();
        // The folder's own `hiera.yaml` is the global layer if there are environments below it.
        if is_root(self, folder) && !is_codedir(self, folder) {
            add_new(roots, roots_around(self, folder));
        }
        let below = environments_below(self, folder).into_iter();
        add_new(roots, below.map(|it| Root::Environment(it.into())));
        if roots.len() == before {
            for marked in self.marked_below(folder) {
                match marked {
                    Marked::Environment(path) => {
                        add_new(roots, std::iter::once(Root::Environment(path.into())));
                    }
                    Marked::Directory(path) => add_new(roots, roots_around(self, &path)),
                }
            }
        }
        // Some editors open only a part of a repository. Then the root is above the folder.
        if roots.len() == before {
            add_new(roots, roots_around(self, folder));
        }
        // Data in its own repository, whose hiera.yaml is elsewhere.
        if roots.len() == before && self.settings.global_hiera_yaml.is_some() {
            roots.push(Root::Environment(folder.into()));
        }
    }

    /// The nearest directories below that are marked as roots.
    fn marked_below(&self, directory: &str) -> Vec<Marked> {
        let mut marked = Vec::new();
        self.search_below(
            directory,
            MAX_SEARCH_DEPTH,
            &mut { MAX_SEARCHED_DIRECTORIES },
            &mut marked,
        );
        marked
    }

    /// Visits at most `left` directories.
    fn search_below(
        &self,
        directory: &str,
        depth: usize,
        left: &mut usize,
        marked: &mut Vec<Marked>,
    ) {
        for item in self.list(directory).iter().filter(|item| item.is_directory) {
            // Repositories contain test fixtures that look like environments of their own.
            if item.name.starts_with('.') || is_not_for_puppet(self, directory, &item.name) {
                continue;
            }
            if *left == 0 {
                let why = format!(
                    "hiera-ls searches at most {MAX_SEARCHED_DIRECTORIES} directories for a hiera.yaml"
                );
                self.texts.left_out(directory, why);
                return;
            }
            *left -= 1;
            let child = paths::join(directory, &item.name);
            if is_marked(self, &child) && self.leaves_out(&child) {
                continue;
            }
            let environments = environments_of_codedir(self, &child);
            if !environments.is_empty() {
                marked.extend(environments.into_iter().map(Marked::Environment));
            } else if is_root(self, &child) {
                marked.push(Marked::Directory(child));
            } else if depth > 1 {
                self.search_below(&child, depth - 1, left, marked);
            }
        }
    }
}

fn add_new(roots: &mut Vec<Root>, found: impl Iterator<Item = Root>) {
    for root in found {
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
}

/// Files that belong to an environment but are not data.
fn is_part_of(environment: &Environment, path: &str) -> bool {
    paths::file_name(path) == "hiera.yaml" || environment.root.as_deref() == Some(path)
}

/// Whether a change of `path` may change which files belong together, or which modules exist.
pub(super) fn is_structural(path: &str, before: &World, after: &World) -> bool {
    let is_global = || global_config(before).is_some_and(|it| &*it == path);
    if STRUCTURAL_FILES.contains(&paths::file_name(path)) || is_global() {
        return true;
    }
    match (before.texts.overlay.get(path), after.texts.overlay.get(path)) {
        // Typing never changes what is on the disk. This is the common case, so it reads nothing.
        (Some(_), Some(_)) => false,
        (None, None) => {
            before.texts.base.knows_directory(path)
                || after.texts.base.is_directory_now(path)
                || paths::parent(path).is_some_and(|it| comes_or_goes(it, before, after))
        }
        // An open, unsaved file can be the only content of its directory.
        _ => paths::parent(path).is_some_and(|it| after.texts.base.kind(it) != PathKind::Directory),
    }
}

fn comes_or_goes(directory: &str, before: &World, after: &World) -> bool {
    before.texts.base.knows_directory(directory) != after.texts.base.is_directory_now(directory)
}

/// The roots that a directory belongs to, the preferred one first. There are several for what environments share, such as a
/// module, or the data of the global layer.
fn roots_around<'w>(world: &'w World, directory: &'w str) -> Box<dyn Iterator<Item = Root> + 'w> {
    let mut upwards = std::iter::once(directory).chain(paths::ancestors(directory));
    // The directory may be a module without a `hiera.yaml`, to which only an environment's modulepath leads.
    let Some(nearest) = upwards.find(|it| is_root(world, it)) else {
        return Box::new(owners(world, directory, directory));
    };
    if is_codedir(world, nearest) {
        let environments = by_preference(world, nearest).into_iter();
        return Box::new(environments.map(|it| Root::Environment(it.into())));
    }
    // A module with a `hiera.yaml` of its own still belongs to the environments that load it.
    let above = paths::parent(nearest).into_iter();
    let mut owners = above.flat_map(|it| owners(world, nearest, it)).peekable();
    if owners.peek().is_some() {
        return Box::new(owners);
    }
    let is_module = is_module(world, nearest);
    let root =
        if is_module { Root::Module(nearest.into()) } else { Root::Environment(nearest.into()) };
    Box::new(std::iter::once(root))
}

/// The environment at or nearest above `from` whose modulepath contains `path`, or those of the nearest code directory.
fn owners<'w>(world: &'w World, path: &'w str, from: &'w str) -> impl Iterator<Item = Root> + 'w {
    let has_module = move |root: &str| {
        let directories = modulepath(world, root);
        // A modulepath directory is not a module itself.
        directories.iter().any(|it| paths::below(it, path).is_some_and(|rest| !rest.is_empty()))
    };
    let mut upwards = std::iter::once(from).chain(paths::ancestors(from));
    let nearest = upwards.find_map(move |above| {
        let is_environment = is_root(world, above) && !is_codedir(world, above);
        let own = is_environment.then(|| above.to_owned());
        let all = own.into_iter().chain(by_preference(world, above));
        let mut owners = all.filter(move |it| has_module(it)).peekable();
        owners.peek().is_some().then_some(owners)
    });
    nearest.into_iter().flatten().map(|it| Root::Environment(it.into()))
}

/// Whether the directory is marked as a root: by a `hiera.yaml`, an `environment.conf`, its place in `environments`, or its
/// modules.
fn is_root(world: &World, directory: &str) -> bool {
    let is_folder = world.folders.iter().any(|folder| **folder == *directory);
    // The `hiera.yaml` of the global layer does not make an environment of its directory.
    let is_global =
        || global_config(world).is_some_and(|it| *it == paths::join(directory, "hiera.yaml"));
    let says_so = (has_file(world, directory, "hiera.yaml")
        && (is_folder || !is_global() || is_codedir(world, directory)))
        || has_file(world, directory, "environment.conf")
        || (codedir(directory).is_some() && looks_like_environment(world, directory))
        || is_folder && has_only_modules(world, directory);
    // What must not be read cannot say which files belong together.
    says_so
        && world.may_read_in(directory)
        && !is_for_tests(world, directory)
        // A user who opens a directory as a folder wants it to be read, whatever version its `hiera.yaml` has.
        && (is_folder || codedir(directory).is_some() || !is_only_version_three(world, directory))
}

/// Whether the roots below a folder of the workspace are modules in its `modules`. Then it is an environment without a
/// `hiera.yaml`, which it does not need if it has no data of its own.
fn has_only_modules(world: &World, folder: &str) -> bool {
    let modules = paths::join(folder, "modules");
    let find = || {
        let marked = world.marked_below(folder);
        !marked.is_empty() && marked.iter().all(|it| paths::parent(it.path()) == Some(&modules))
    };
    world.kind(&modules) == PathKind::Directory
        && !is_module(world, folder)
        && *world.roots.has_only_modules.slot(folder).get_or_init(find)
}

/// Whether the directory is inside one of the workspace's directories that Puppet ignores.
fn is_for_tests(world: &World, directory: &str) -> bool {
    let folders = world.folders.iter().filter_map(|it| Some((it, paths::below(it, directory)?)));
    let Some((folder, below)) = folders.min_by_key(|(_, below)| below.len()) else { return false };
    let mut above = folder.to_string();
    below.split('/').any(|name| {
        let is_it = is_not_for_puppet(world, &above, name);
        above = paths::join(&above, name);
        is_it
    })
}

/// Whether Puppet ignores the directory `name` in `above`. An environment may have such a name: one of those in
/// `environments`, or beside another environment.
fn is_not_for_puppet(world: &World, above: &str, name: &str) -> bool {
    if !NOT_FOR_PUPPET.contains(&name) || paths::file_name(above) == "environments" {
        return false;
    }
    let is_sibling = |item: &DirItem| {
        item.is_directory
            && !NOT_FOR_PUPPET.contains(&&*item.name)
            && is_marked(world, &paths::join(above, &item.name))
    };
    NEVER_ENVIRONMENTS.contains(&name)
        || is_marked(world, above)
        || !is_marked(world, &paths::join(above, name))
        || !world.list(above).iter().any(is_sibling)
}

/// Whether the directory has a file that only roots have.
fn is_marked(world: &World, directory: &str) -> bool {
    ["hiera.yaml", "environment.conf"].iter().any(|it| has_file(world, directory, it))
}

/// Whether the only sign of an environment is a `hiera.yaml` of version 3, which only a global layer can have.
fn is_only_version_three(world: &World, directory: &str) -> bool {
    let others = ["environment.conf", "metadata.json", "Puppetfile", "manifests/init.pp"];
    !others.iter().any(|name| has_file(world, directory, name))
        && has_version_three(world, directory)
        && environments_below(world, directory).is_empty()
}

/// Whether the directory has a `hiera.yaml` of version 3.
fn has_version_three(world: &World, directory: &str) -> bool {
    let path = paths::join(directory, "hiera.yaml");
    let is_version_three = |text: &Arc<str>| {
        let version = world.settings.puppet_version;
        let read = HieraYaml::of_file(world, &path, LayerKind::Global, version);
        let config = read.ok().and_then(|(config, _)| config);
        !text.trim().is_empty() && config.is_some_and(|config| config.version == 3)
    };
    world.text(&path).is_ok_and(|text| is_version_three(&text))
}

/// Data directories may be called `environments` too, but their content looks different. With Hiera 3, environments could contain
/// nothing but data.
fn looks_like_environment(world: &World, directory: &str) -> bool {
    const SIGNS: [&str; 8] = [
        "hiera.yaml",
        // A misspelt name: Puppet does not read it.
        "hiera.yml",
        "environment.conf",
        "Puppetfile",
        "manifests",
        "modules",
        "site-modules",
        "site",
    ];
    let listed = world.list(directory);
    let has_one_of = |names: &[&str]| listed.iter().any(|item| names.contains(&&*item.name));
    let has_hiera_3 = || codedir(directory).is_some_and(|it| has_version_three(world, &it));
    has_one_of(&SIGNS) || has_one_of(&DATA_DIRECTORIES) && has_hiera_3()
}

/// Whether the directory is an environment without a `hiera.yaml` of its own and of a global layer, or seems to be one that
/// nothing marks. Directories in an environment are not.
pub(super) fn seems_to_be_environment(world: &World, directory: &str) -> bool {
    let is_itself = |it: &Environment| match &it.root {
        Some(root) => **root == *directory && it.global_config.is_none(),
        None => it.global_config.is_none() && !is_module(world, directory),
    };
    looks_like_environment(world, directory)
        && world.environment_of(directory).is_none_or(|it| is_itself(&it))
}

/// Whether it is a module, and not an environment that happens to have metadata.
fn is_module(world: &World, directory: &str) -> bool {
    let is_module = has_file(world, directory, "metadata.json")
        || has_file(world, &paths::join(directory, "manifests"), "init.pp");
    is_module
        && !has_file(world, directory, "environment.conf")
        && !has_file(world, directory, "Puppetfile")
}

/// Whether there are environments below the directory, so that its own `hiera.yaml` is the global layer's.
fn is_codedir(world: &World, directory: &str) -> bool {
    !environments_of_codedir(world, directory).is_empty()
}

/// The environments below the directory; none if it is an environment itself.
fn environments_of_codedir(world: &World, directory: &str) -> Vec<String> {
    if has_file(world, directory, "environment.conf") {
        return Vec::new();
    }
    environments_below(world, directory)
}

fn environments_below(world: &World, directory: &str) -> Vec<String> {
    let environments = paths::join(directory, "environments");
    if world.kind(&environments) != PathKind::Directory
        || !world.may_read_in(directory)
        || world.leaves_out(&environments)
    {
        return Vec::new();
    }
    let listed = world.list(&environments);
    let directories = listed.iter().filter(|item| item.is_directory);
    directories
        .map(|item| paths::join(&environments, &item.name))
        .filter(|path| !world.leaves_out(path) && looks_like_environment(world, path))
        .collect()
}

/// The environments below `directory`: first the one that represents all others, that of the setting or `production`.
fn by_preference(world: &World, directory: &str) -> Vec<String> {
    let mut below = environments_below(world, directory);
    let wanted = world.settings.environment.as_deref().unwrap_or(DEFAULT_ENVIRONMENT);
    // The sort is stable, so the others keep their order.
    below.sort_by_key(|path| paths::file_name(path) != wanted);
    below
}

fn environment(world: &World, root: &Arc<str>) -> Environment {
    let codedir = codedir(root);
    let (name, naming) = match &codedir {
        Some(_) => (paths::file_name(root).into(), Naming::Fixed),
        None => usual_name(world),
    };
    let beside = codedir.filter(|it| has_file(world, it, "hiera.yaml"));
    let beside = beside.map(|codedir| paths::join(&codedir, "hiera.yaml").into());
    let mut directories = modulepath(world, root);
    directories.retain(|it| !world.leaves_out(it));
    let (modules, refusal) = modules(world, &directories, world.settings.puppet_version);
    let of_conf = |message: String| EnvironmentRefusal {
        file: "environment.conf",
        class: "Puppet::Settings::SettingsError",
        message: message.into(),
    };
    Environment {
        name,
        naming,
        root: Some(root.clone()),
        // Puppet reads the global `hiera.yaml` from its own directory. In a copy of the code directory, it is next to `environments`.
        global_config: global_config(world).or(beside),
        refusal: environment_conf::refusal(world, &conf_of(root)).map(of_conf).or(refusal),
        modules,
    }
}

/// The name of an environment whose directory does not say it.
fn usual_name(world: &World) -> (Arc<str>, Naming) {
    match &world.settings.environment {
        Some(name) => (name.clone(), Naming::Usual),
        None => (DEFAULT_ENVIRONMENT.into(), Naming::Assumed),
    }
}

/// A module as the whole workspace: only its own layer, and the modules that its tests fetched. It counts even if Puppet
/// would not see it among other modules.
fn module_alone(world: &World, root: &Arc<str>) -> Environment {
    let mut found = IndexMap::from([(module_name(world, root), root.clone())]);
    let fixtures = [paths::join(root, "spec/fixtures/modules")];
    let (fixtures, _) = modules(world, &fixtures, world.settings.puppet_version);
    for (name, directory) in fixtures {
        found.entry(name).or_insert(directory);
    }
    let (name, naming) = usual_name(world);
    Environment {
        name,
        naming,
        root: None,
        global_config: global_config(world),
        refusal: None,
        modules: found,
    }
}

/// The name of the module, from `author-name` in `metadata.json`, or else from the directory, whose name may contain an
/// author too.
fn module_name(world: &World, root: &str) -> Arc<str> {
    let metadata = world.text(&paths::join(root, "metadata.json")).ok();
    let metadata: Option<serde_json::Value> =
        // Some editors write a byte order mark, which JSON does not allow.
        metadata.and_then(|text| serde_json::from_str(text.trim_start_matches('\u{feff}')).ok());
    let full = metadata.as_ref().and_then(|it| it.get("name")).and_then(|it| it.as_str());
    let full = full.unwrap_or_else(|| paths::file_name(root));
    full.rsplit(['-', '/']).next().unwrap_or(full).into()
}

fn global_config(world: &World) -> Option<Arc<str>> {
    let path = world.settings.global_hiera_yaml.as_ref()?;
    Some(world.settings_path(path).into())
}

fn has_file(world: &World, directory: &str, name: &str) -> bool {
    world.kind(&paths::join(directory, name)) == PathKind::File
}

#[cfg(test)]
mod tests;
