//! The place of a command: the arguments that `lookup`, `diff` and others have in common.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::completions;
use super::fleet::{Elsewhere, Selection};
use super::terminal::{complain, complain_once};
use super::workspace::{self, absolute};
use crate::config::{Environment, PuppetVersion};
use crate::data::{Files, Format};
use crate::engine::LOOKUP_OPTIONS;
use crate::facts::NodeParts;
use crate::ide::diagnostics::near_key;
use crate::settings::{PROJECT_FILE, Settings};
use crate::syntax::key_path;
use crate::world::{DiskReader, World, loader};

// This is not a doc comment, because clap would show it as the description of the command.
#[derive(Debug, Clone, Default, Args)]
pub struct PlaceArguments {
    /// The directory of the environment, or a directory below it
    #[arg(long, value_name = "DIR", default_value = ".", help_heading = "Where")]
    pub root: PathBuf,
    /// Trust the directory: its settings may decrypt values, name files outside of it, and start programs and Ruby
    /// as back ends
    #[arg(long, help_heading = "Where")]
    pub trust: bool,
    /// The name of the environment, or its directory. Selects one if there are several
    #[arg(long, short = 'E', value_name = "NAME", help_heading = "Where", add = completions::environments())]
    pub environment: Option<String>,
    /// Directories with modules, separated as in PATH
    #[arg(long, value_name = "DIRS", help_heading = "Where")]
    pub modulepath: Option<String>,
    /// The hiera.yaml of the global layer
    #[arg(long, value_name = "FILE", help_heading = "Where")]
    pub hiera_config: Option<PathBuf>,
    /// The Puppet version: 7 or 8
    #[arg(long, value_name = "7|8", value_parser = clap::value_parser!(u8).range(7..=8), help_heading = "Where")]
    pub puppet_version: Option<u8>,
    /// Whether only the workspace is read without trust: others than the user see what is read, such as the company behind an
    /// assistant, or the workspace could make the command read the whole disk.
    #[arg(skip)]
    pub is_bounded: bool,
}

/// A snapshot, and the environment in it that is used.
pub(super) struct Place {
    pub(super) world: Arc<World>,
    pub(super) environment: Arc<Environment>,
}

/// The single node of a command.
#[derive(Default)]
pub(super) struct NodeArgument<'a> {
    /// Its name; without it, the node in the settings counts.
    pub(super) name: Option<&'a str>,
    /// Whether the node in the settings does not count either.
    pub(super) is_any: bool,
    /// Its fact set, if the command line names one.
    pub(super) facts: Option<&'a NodeParts>,
}

impl NodeArgument<'_> {
    /// The name of the node, and that of the environment that it is in, if anything says it.
    fn in_environment(&self, world: &World) -> Option<(String, String)> {
        let settings = world.settings();
        let of_settings = || settings.node.as_deref().filter(|_| !self.is_any);
        let of_facts = self.facts.map(|it| &*it.name).filter(|it| !it.is_empty());
        let name = self.name.or(of_facts).or_else(of_settings)?;
        let environment = if let Some(facts) = self.facts {
            let of_name = settings.nodes.get(name).and_then(|it| it.environment.as_deref());
            of_name.or(facts.environment.as_deref())?.to_owned()
        } else {
            let usual = workspace::usual_environment(world)?;
            let only = || {
                let found = world.only_other_environment_with_node(&usual, name)?;
                Some(world.environment_label(&found).to_string())
            };
            world.environment_named_by(&usual, name).or_else(only)?
        };
        Some((name.to_owned(), environment))
    }
}

impl PlaceArguments {
    /// The directory on this machine.
    pub(super) fn open(&self) -> Result<Place, String> {
        self.open_on(self.disk()?)
    }

    /// The same for a single node: if no environment is named, the one that the node is in.
    pub(super) fn open_for_node(&self, node: &NodeArgument<'_>) -> Result<Place, String> {
        let (root, world) = self.world_on(self.disk()?)?;
        let environment = match self.environment_of_node(&world, &root, node) {
            Some(environment) => environment,
            None => self.environment_in(&world, &root)?,
        };
        Ok(Place { world, environment })
    }

    /// The place for each of some names of nodes, as [`Self::open_for_node`] finds it. `other` is a name that is no node: that place
    /// is the one without a node.
    pub(super) fn open_for_each(
        &self,
        names: &[String],
        other: &str,
    ) -> Result<Vec<Place>, String> {
        let (root, world) = self.world_on(self.disk()?)?;
        let mut usual: Option<Arc<Environment>> = None;
        let mut places = Vec::with_capacity(names.len());
        for name in names {
            let node = NodeArgument { name: Some(name), ..NodeArgument::default() };
            let is_node = name != other;
            let own = is_node.then(|| self.environment_of_node(&world, &root, &node)).flatten();
            let environment = match (own, &usual) {
                (Some(own), _) => own,
                (None, Some(usual)) => Arc::clone(usual),
                // A message names the environment, once.
                (None, None) => usual.insert(self.environment_in(&world, &root)?).clone(),
            };
            places.push(Place { world: Arc::clone(&world), environment });
        }
        Ok(places)
    }

    /// The same for several nodes: if no environment is named, and all nodes that the user lists are in another one than usual,
    /// that one.
    pub(super) fn open_for_nodes<'a>(
        &self,
        names: Option<&'a str>,
        facts: Option<&'a [(String, NodeParts)]>,
    ) -> Result<(Place, Selection<'a>), String> {
        let (root, world) = self.world_on(self.disk()?)?;
        let is_chosen = self.is_environment_chosen(&world, &root);
        let elsewhere = if is_chosen { Elsewhere::NamedHere } else { Elsewhere::Refused };
        let wanted = Selection { names, facts, elsewhere };
        let usual = || workspace::usual_environment(&world);
        let other = (elsewhere == Elsewhere::Refused).then(usual).flatten();
        let environment = match other.and_then(|usual| wanted.other_environment(&world, &usual)) {
            Some(other) => {
                let label = world.environment_label(&other);
                complain(&format!(
                    "the environment {label}, which these nodes are in; --environment chooses another"
                ));
                workspace::note_unread_settings(&world, &other);
                other
            }
            None => self.environment_in(&world, &root)?,
        };
        Ok((Place { world, environment }, wanted))
    }

    /// What happens to nodes of other environments in a command that asks about all environments, unless one is chosen.
    pub(super) fn elsewhere_of_each(&self, world: &World) -> Elsewhere {
        let is_chosen = absolute(&self.root).is_ok_and(|it| self.is_environment_chosen(world, &it));
        if is_chosen { Elsewhere::NamedHere } else { Elsewhere::Later }
    }

    /// Whether the command line says which environment is meant, by its name or by a directory in it.
    fn is_environment_chosen(&self, world: &World, root: &str) -> bool {
        self.environment.is_some() || workspace::environment_around(world, root).is_some()
    }

    fn environment_of_node(
        &self,
        world: &World,
        root: &str,
        node: &NodeArgument<'_>,
    ) -> Option<Arc<Environment>> {
        if self.is_environment_chosen(world, root) {
            return None;
        }
        let (name, environment) = node.in_environment(world)?;
        let found = world.environment_called(&environment);
        if let Some(found) = &found {
            let label = world.environment_label(found);
            complain(&format!(
                "the environment {label}, which node {name} is in; --environment chooses another"
            ));
            workspace::note_unread_settings(world, found);
        } else if world.environments().iter().any(|it| it.fixed_name().is_some()) {
            // Checkouts that are not below `environments` can be deployed as any environment, so nothing is said of them.
            complain(&format!(
                "warning: node {name} is in the environment {environment}, which is not here"
            ));
        }
        found
    }

    fn disk(&self) -> Result<Arc<dyn DiskReader>, String> {
        if self.is_bounded {
            return self.machine(&absolute(&self.root)?);
        }
        Ok(Arc::new(loader::Disk))
    }

    /// The directory on this machine for a file: if no environment is named, all that can read the file, and at least one. The
    /// second result is what happens to nodes that are in none of these.
    pub(super) fn open_for(&self, path: &str) -> Result<(Vec<Place>, Elsewhere), String> {
        let (root, world) = self.world_on(Arc::new(loader::Disk))?;
        let is_chosen = self.is_environment_chosen(&world, &root);
        let all = if is_chosen { Vec::new() } else { world.environments_with(path) };
        let elsewhere = match (is_chosen, all.len()) {
            (true, _) => Elsewhere::NamedHere,
            (false, 0 | 1) => Elsewhere::Refused,
            (false, _) => Elsewhere::Later,
        };
        let mut environments = match all.len() {
            0 => vec![self.environment_in(&world, &root)?],
            _ => all,
        };
        environments.sort_by(|one, other| one.directory().cmp(other.directory()));
        let place = |environment| Place { world: Arc::clone(&world), environment };
        Ok((environments.into_iter().map(place).collect(), elsewhere))
    }

    /// The directory on `disk`.
    pub(super) fn open_on(&self, disk: Arc<dyn DiskReader>) -> Result<Place, String> {
        let (root, world) = self.world_on(disk)?;
        let environment = self.environment_in(&world, &root)?;
        Ok(Place { world, environment })
    }

    /// The disk for a report that others read: without trust, only what belongs to the workspace at `root` and what the
    /// command line names.
    pub(super) fn machine(&self, root: &str) -> Result<Arc<dyn DiskReader>, String> {
        if self.trust {
            return Ok(Arc::new(loader::Disk));
        }
        let mut named = self.modulepath()?.unwrap_or_default();
        if let Some(config) = &self.hiera_config {
            named.push(absolute(config)?);
        }
        Ok(Arc::new(workspace::usual_disk(root, named.into_iter())))
    }

    /// All environments of the directory on `disk`, unless one is named or contains the directory. There is at least one.
    pub(super) fn open_all_on(&self, disk: Arc<dyn DiskReader>) -> Result<Vec<Place>, String> {
        let (root, world) = self.world_on(disk)?;
        self.all_in(&world, &root)
    }

    fn world_on(&self, disk: Arc<dyn DiskReader>) -> Result<(String, Arc<World>), String> {
        let root = absolute(&self.root)?;
        let settings = self.settings(&root, &disk)?;
        let world = World::on_disk(disk, vec![root.as_str().into()], settings);
        Ok((root, world))
    }

    /// The same on another disk than that of `world`.
    pub(super) fn open_all_beside(
        &self,
        world: &World,
        disk: Arc<dyn DiskReader>,
    ) -> Result<(Arc<World>, Vec<Place>), String> {
        let root = absolute(&self.root)?;
        let settings = self.settings(&root, &disk)?;
        let world = world.on_other_disk(disk, settings);
        // One side of a comparison may have no `hiera.yaml`. It is still compared, with no data.
        let places = self.all_in(&world, &root).unwrap_or_default();
        Ok((world, places))
    }

    fn all_in(&self, world: &Arc<World>, root: &str) -> Result<Vec<Place>, String> {
        let all = world.environments();
        let environments = if self.environment.is_some()
            || all.len() < 2
            || workspace::environment_around(world, root).is_some()
        {
            vec![self.environment_in(world, root)?]
        } else {
            all.to_vec()
        };
        let place = |environment| Place { world: Arc::clone(world), environment };
        Ok(environments.into_iter().map(place).collect())
    }

    fn environment_in(&self, world: &World, root: &str) -> Result<Arc<Environment>, String> {
        workspace::environment(world, root, self.environment.as_deref())
    }

    /// The settings of the workspace, with those in the arguments over them.
    fn settings(&self, root: &str, disk: &Arc<dyn DiskReader>) -> Result<Settings, String> {
        let mut settings = workspace::settings_on(disk.clone(), root, self.trust);
        match self.puppet_version {
            Some(7) => settings.puppet_version = PuppetVersion::V7,
            Some(_) => settings.puppet_version = PuppetVersion::V8,
            None => {}
        }
        if let Some(config) = &self.hiera_config {
            let path = absolute(config)?;
            complain_if_missing("--hiera-config", "file", &path, Path::is_file);
            settings.global_hiera_yaml = Some(path.into());
        }
        if let Some(directories) = self.modulepath()? {
            for directory in &directories {
                complain_if_missing("--modulepath", "directory", directory, Path::is_dir);
            }
            settings.modulepath = Some(directories.into_iter().map(Arc::from).collect());
        }
        Ok(settings)
    }

    fn modulepath(&self) -> Result<Option<Vec<String>>, String> {
        let directories = self
            .modulepath
            .as_ref()
            .map(|it| std::env::split_paths(it).map(|directory| absolute(&directory)).collect());
        directories.transpose()
    }
}

/// Puppet ignores what is missing, but a misspelt path changes values.
pub(super) fn complain_if_missing(
    option: &str,
    kind: &str,
    path: &str,
    is_there: fn(&Path) -> bool,
) {
    let path = Path::new(path);
    if is_there(path) {
        return;
    }
    let (shown, is_other) = (path.display(), path.exists());
    let why = if is_other { format!("this is not a {kind}") } else { format!("no such {kind}") };
    complain_once(&format!("warning: {option} {shown}: {why}"));
}

/// The maximum depth below an environment at which data is searched for.
const MAX_DEPTH: u32 = 32;

/// If there are at most this many data files, all of them are searched for a similar key, which takes some milliseconds.
const MAX_FILES_READ_FOR_A_GUESS: usize = 2_000;

/// Directories that contain no data of the environment.
const NO_DATA: [&str; 4] = ["spec", "examples", "locales", "node_modules"];

impl Place {
    /// Every top-level key of every data file that some hierarchy of the environment and its modules can lead to, and of the
    /// sample data, sorted, as lookups name it.
    /// Files are only searched for the starts of entries; values are not parsed.
    pub(super) fn all_keys(&self) -> BTreeSet<Arc<str>> {
        let mut keys = self.world.scan_keys(&self.environment);
        keys.extend(self.world.sample_keys());
        keys.remove(LOOKUP_OPTIONS);
        keys.iter().map(key_path::of_root).collect()
    }

    /// The top-level keys of files that lie among the data although no level leads to them, as lookups name them. Lookups never
    /// find these, but they fail like all others if a hierarchy is broken.
    pub(super) fn keys_of_unread_files(&self) -> BTreeSet<Arc<str>> {
        let reach = self.world.reach(&self.environment);
        let mut keys = BTreeSet::new();
        for (path, format) in self.data_files() {
            let is_among_data = reach.places_around(&self.environment, &path).next().is_some();
            if is_among_data && !reach.reaches(&path) {
                keys.extend(self.world.root_keys_of(&path, format));
            }
        }
        keys.remove(LOOKUP_OPTIONS);
        keys.iter().map(key_path::of_root).collect()
    }

    /// A key of the data that is similar to one that was not found.
    pub(super) fn meant_key(&self, names: &[Arc<str>]) -> Option<Arc<str>> {
        // A guess is not worth reading all files of a large repository.
        if self.data_files().len() > MAX_FILES_READ_FOR_A_GUESS {
            return None;
        }
        let keys = self.all_keys();
        names.iter().find_map(|name| near_key(name, keys.iter().map(|it| &**it)).map(Arc::from))
    }

    /// The files below the environment and its modules that look like data.
    pub(super) fn data_files(&self) -> Vec<(String, Format)> {
        let mut files = Vec::new();
        let environment = &self.environment;
        for root in environment.root.iter().chain(environment.modules.values()) {
            self.collect_files(root, MAX_DEPTH, &mut files);
        }
        files.sort_unstable();
        files.dedup();
        files
    }

    fn collect_files(&self, directory: &str, depth: u32, files: &mut Vec<(String, Format)>) {
        for item in self.world.list(directory).iter() {
            let path = format!("{directory}/{}", item.name);
            if item.is_directory {
                // A link may lead back to a directory above it.
                let is_data =
                    !item.is_link && !item.name.starts_with('.') && !NO_DATA.contains(&&*item.name);
                if is_data && depth > 0 {
                    self.collect_files(&path, depth - 1, files);
                }
            } else if let Some(format) = data_format(&item.name)
                && &*item.name != PROJECT_FILE
            {
                files.push((path, format));
            }
        }
    }
}

fn data_format(name: &str) -> Option<Format> {
    if matches!(name, "hiera.yaml" | "environment.yaml" | "metadata.json") {
        return None;
    }
    match Path::new(name).extension()?.to_str()? {
        "yaml" | "yml" | "eyaml" => Some(Format::Yaml),
        "json" => Some(Format::Json),
        _ => None,
    }
}
