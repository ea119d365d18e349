//! The sample nodes of an environment: from fact sets in the workspace and the settings, else inferred.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;

use super::indexes::key_of;
use super::modulepath::codedir;
use super::paths;
use super::read_orders::ReadOrdersCache;
use super::shards::Shards;
use super::snapshot::World;
use crate::config::{Environment, glob};
use crate::data::{Files, Hash, PathKind};
use crate::facts::formats::{self, FactsProblem};
use crate::facts::infer::{Templates, Wanted};
use crate::facts::{Node, NodeParts, Origin, infer};
use crate::settings::{NodeSettings, PROJECT_FILE, Settings};

/// Directories with fact sets, below an environment, a module or a folder of the workspace.
const FACTS_DIRECTORIES: [&str; 2] = [".hiera-ls/facts", "spec/factsets"];

/// What rspec-puppet lays over the fact sets of `spec`, in this order.
const DEFAULT_FACTS: [&str; 4] = [
    "spec/default_facts.yml",
    "spec/default_facts.yaml",
    "spec/default_module_facts.yml",
    "spec/default_module_facts.yaml",
];

/// Extensions of files that are taken for fact sets.
const FACTS_EXTENSIONS: [&str; 4] = ["json", "yaml", "yml", "facts"];

/// How deep below a directory of fact sets files are looked for.
const MAX_DEPTH: usize = 4;

/// The sample nodes of all environments: shared by snapshots until a fact set changes.
#[derive(Debug, Default)]
pub(super) struct NodesCache {
    by_environment: Shards<OnceLock<Arc<SampleNodes>>>,
    /// What they read, which follows from what they are.
    pub(super) read_orders: ReadOrdersCache,
}

/// The sample nodes of one environment.
#[derive(Debug, Default)]
pub struct SampleNodes {
    /// At least one; each name once. Those from fact sets come first.
    pub nodes: Arc<[Arc<Node>]>,
    /// What is wrong with fact sets, by path.
    pub problems: Vec<(Arc<str>, FactsProblem)>,
}

/// A node in the making.
struct Draft {
    parts: NodeParts,
    origin: Origin,
}

impl World {
    /// The sample nodes to look at the environment's data with.
    pub fn nodes(&self, environment: &Environment) -> Arc<[Arc<Node>]> {
        self.sample_nodes(environment).nodes.clone()
    }

    /// The sample nodes, and what is wrong with the files they come from.
    pub fn sample_nodes(&self, environment: &Environment) -> Arc<SampleNodes> {
        let slot = self.nodes.by_environment.slot(&key_of(environment));
        slot.get_or_init(|| {
            Arc::new(drafts(self, environment, Wanted::All).finish(environment, Wanted::All))
        })
        .clone()
    }

    /// One sample node, by its name or (`None`) the active one, without making the others, and the names of all if there is
    /// no such node. For one question only: nothing is kept.
    pub fn sample_node(
        &self,
        environment: &Environment,
        name: Option<&str>,
    ) -> (Option<Arc<Node>>, Vec<String>) {
        let chosen = self.active_node.as_ref().or(self.settings.node.as_ref());
        let wanted = match name {
            Some(name) => Wanted::Named(name),
            None => Wanted::NamedOrFirst(chosen.map(|it| &**it)),
        };
        let found = drafts(self, environment, wanted);
        let names = found.drafts.keys().cloned().collect();
        let nodes = found.finish(environment, wanted).nodes;
        let named = name.or(chosen.map(|it| &**it));
        let named = nodes.iter().find(|node| Some(&*node.name) == named);
        let first = || nodes.first().filter(|_| name.is_none());
        (named.or_else(first).cloned(), names)
    }

    /// The node that somebody chose: the user, else the settings.
    pub fn chosen_node(&self, environment: &Environment) -> Option<Arc<Node>> {
        let nodes = self.nodes(environment);
        let named = |name: &Arc<str>| nodes.iter().find(|node| node.name == *name).cloned();
        let chosen = self.active_node.as_ref().and_then(named);
        chosen.or_else(|| self.settings.node.as_ref().and_then(named))
    }

    /// The node that answers are shown for which are about no file: the one chosen, else the first.
    pub fn active_node(&self, environment: &Environment) -> Option<Arc<Node>> {
        let chosen = self.chosen_node(environment);
        chosen.or_else(|| self.nodes(environment).first().cloned())
    }

    /// Whether a change of the file at `path` may change sample nodes.
    pub fn may_hold_facts(&self, path: &str) -> bool {
        may_hold_facts(path, self)
    }
}

/// Whether a change of `path` may change sample nodes.
pub(super) fn may_hold_facts(path: &str, world: &World) -> bool {
    let is_in = |directory: &str| {
        path.rfind(directory).is_some_and(|at| {
            path[..at].ends_with('/') && path[at + directory.len()..].starts_with('/')
        })
    };
    let is_default = |name: &&str| path.strip_suffix(*name).is_some_and(|it| it.ends_with('/'));
    let is_set = |entry: &Arc<str>| {
        let pattern = world.settings_path(entry);
        let fixed = pattern.find(['*', '?', '[', '{']).map_or(&*pattern, |at| &pattern[..at]);
        path.starts_with(fixed)
    };
    let in_settings = world.settings.nodes.values().filter_map(|it| it.facts_file.as_ref());
    FACTS_DIRECTORIES.into_iter().any(is_in)
        || DEFAULT_FACTS.iter().any(is_default)
        || world.settings.facts.iter().chain(in_settings).any(is_set)
}

fn drafts<'w>(world: &'w World, environment: &Environment, wanted: Wanted<'_>) -> Found<'w> {
    let mut found = Found { world, drafts: IndexMap::new(), problems: Vec::new() };
    for entry in &world.settings.facts {
        found.read_all(&expand(world, entry), &[]);
    }
    for directory in homes(world, environment) {
        let defaults = found.default_facts(&directory);
        for facts in FACTS_DIRECTORIES {
            let files = files_below(world, &paths::join(&directory, facts), MAX_DEPTH);
            let defaults = if facts.starts_with("spec/") { &*defaults } else { &[] };
            found.read_all(&files, defaults);
        }
    }
    let settings = world.settings.clone();
    let in_settings = found.of_settings(&settings);
    if found.drafts.is_empty() && !in_settings.iter().any(|(_, it)| it.origin != Origin::Inferred) {
        found.infer(environment, wanted);
    }
    for (name, over) in in_settings {
        match found.drafts.get_mut(&name) {
            Some(draft) => formats::lay_over(&mut draft.parts, &over.parts),
            None => {
                found.drafts.insert(name, over);
            }
        }
    }
    found
}

/// Nodes by name, as they are found: the first of a name stays.
struct Found<'a> {
    world: &'a World,
    drafts: IndexMap<String, Draft>,
    problems: Vec<(Arc<str>, FactsProblem)>,
}

impl Found<'_> {
    fn read_all(&mut self, files: &[String], defaults: &[NodeParts]) {
        for path in files {
            for mut parts in self.read(path) {
                for default in defaults {
                    formats::lay_over(&mut parts, default);
                }
                let origin = Origin::File(path.as_str().into());
                self.drafts.entry(parts.name.clone()).or_insert(Draft { parts, origin });
            }
        }
    }

    fn read(&mut self, path: &str) -> Vec<NodeParts> {
        let Ok(file) = self.world.file(path) else {
            return Vec::new();
        };
        let (nodes, problems) = formats::read(path, &file.text);
        self.problems.extend(problems.into_iter().map(|it| (file.path.clone(), it)));
        nodes
    }

    fn default_facts(&mut self, directory: &str) -> Vec<NodeParts> {
        let files = DEFAULT_FACTS.map(|name| paths::join(directory, name));
        let there = files.iter().filter(|path| self.world.kind(path) == PathKind::File);
        let there: Vec<&String> = there.collect();
        there.into_iter().flat_map(|path| self.read(path)).collect()
    }

    /// The nodes of the settings, by name. Such a node is only known to be complete if it says its facts.
    fn of_settings(&mut self, settings: &Settings) -> Vec<(String, Draft)> {
        let mut drafts = Vec::new();
        for (name, node) in &settings.nodes {
            let file = node.facts_file.as_ref().map(|path| self.world.settings_path(path));
            let read = file.as_ref().map(|path| self.read(path)).unwrap_or_default();
            let same_name = read.iter().position(|it| it.name == **name);
            let mut parts = read.into_iter().nth(same_name.unwrap_or(0)).unwrap_or_default();
            parts.name = name.to_string();
            formats::lay_over(&mut parts, &parts_of(node));
            let origin = match file {
                Some(path) => Origin::File(path.into()),
                None if node.facts.is_empty() => Origin::Inferred,
                None => Origin::File(self.world.settings_path(PROJECT_FILE).into()),
            };
            drafts.push((name.to_string(), Draft { parts, origin }));
        }
        drafts
    }

    fn finish(self, environment: &Environment, wanted: Wanted<'_>) -> SampleNodes {
        let drafts = self.drafts.into_iter().enumerate();
        let drafts = drafts.filter(|(number, (name, _))| wanted.is(*number, name));
        let settings = &self.world.settings;
        let finish = |(_, (_, draft))| Arc::new(finished(settings, environment, draft));
        SampleNodes { nodes: drafts.map(finish).collect(), problems: self.problems }
    }

    fn infer(&mut self, environment: &Environment, wanted: Wanted<'_>) {
        let own = self.world.own_reach(environment).templates();
        let is_own = |module: &str| is_own_module(environment, module);
        let of_modules = || self.world.reach(environment).templates_of_modules(is_own);
        let templates = Templates { own: &own, of_modules: &of_modules };
        let list = |directory: &str| self.world.list(directory);
        let known = self.supported_systems(environment);
        for parts in infer::infer(&templates, &list, known, wanted) {
            let draft = Draft { parts, origin: Origin::Inferred };
            self.drafts.entry(draft.parts.name.clone()).or_insert(draft);
        }
    }

    /// The systems that a module on its own supports.
    fn supported_systems(&self, environment: &Environment) -> Vec<NodeParts> {
        if environment.root.is_some() {
            return Vec::new();
        }
        let metadata = paths::join(environment.directory(), "metadata.json");
        self.world.text(&metadata).map_or_else(|_| Vec::new(), |it| infer::supported_systems(&it))
    }
}

/// What the settings say of every node lies under what the node itself says; a guess lies under the settings.
fn finished(settings: &Settings, environment: &Environment, draft: Draft) -> Node {
    let of_all = NodeParts {
        name: draft.parts.name.clone(),
        environment: settings.environment.as_ref().map(ToString::to_string),
        facts: Hash::new(),
        trusted: some_members(&settings.trusted),
        server_facts: some_members(&settings.server_facts),
        variables: settings.variables.clone(),
    };
    let (mut parts, over) = match draft.origin {
        Origin::Inferred => (draft.parts, of_all),
        Origin::File(_) => (of_all, draft.parts),
    };
    formats::lay_over(&mut parts, &over);
    // A directory in `environments` is one environment; a repository alone may be any of its branches.
    let is_one = environment.root.as_ref().is_some_and(|root| codedir(root).is_some());
    if is_one || parts.environment.is_none() {
        parts.environment = Some(environment.name.to_string());
        return Node::new(parts, draft.origin).in_environment(&environment.name);
    }
    Node::new(parts, draft.origin)
}

fn parts_of(node: &NodeSettings) -> NodeParts {
    NodeParts {
        name: String::new(),
        environment: node.environment.as_ref().map(ToString::to_string),
        facts: node.facts.clone(),
        trusted: some_members(&node.trusted),
        server_facts: some_members(&node.server_facts),
        variables: node.variables.clone(),
    }
}

fn some_members(members: &Hash) -> Option<Hash> {
    (!members.is_empty()).then(|| members.clone())
}

/// Whether a module is written in the environment's repository. What lies in `modules` was fetched by r10k or
/// librarian-puppet; its many files for operating systems are no reason for nodes.
fn is_own_module(environment: &Environment, module: &str) -> bool {
    let Some(root) = &environment.root else { return true };
    let directory = environment.modules.get(module);
    let within = directory.and_then(|directory| paths::below(root, directory));
    within.is_some_and(|within| !within.starts_with("modules/"))
}

/// Where fact sets of an environment may lie: beside its `hiera.yaml`, and in the workspace's folders that hold it.
fn homes(world: &World, environment: &Environment) -> Vec<String> {
    let own = environment.directory();
    let mut homes = vec![own.to_owned()];
    let holding = world.folders().iter().filter(|folder| paths::below(folder, own).is_some());
    homes.extend(holding.map(ToString::to_string));
    homes.extend(codedir(own));
    let mut seen = BTreeSet::new();
    homes.retain(|home| seen.insert(home.clone()));
    homes
}

/// The files that one member of the setting `facts` means.
fn expand(world: &World, entry: &str) -> Vec<String> {
    let path = world.settings_path(entry);
    match world.kind(&path) {
        PathKind::Directory => files_below(world, &path, MAX_DEPTH),
        PathKind::File => vec![path],
        PathKind::Missing => glob::glob(world, &path).iter().map(ToString::to_string).collect(),
    }
}

fn files_below(world: &World, directory: &str, depth: usize) -> Vec<String> {
    let mut files = Vec::new();
    for item in world.list(directory).iter() {
        let path = paths::join(directory, &item.name);
        if item.is_directory {
            if depth > 1 {
                files.extend(files_below(world, &path, depth - 1));
            }
        } else if FACTS_EXTENSIONS.contains(&paths::extension(&path)) {
            files.push(path);
        }
    }
    files
}

#[cfg(test)]
mod tests;
