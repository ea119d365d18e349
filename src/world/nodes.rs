//! The sample nodes of an environment: from fact sets in the workspace, from the settings, and machines that data files are
//! named after.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use indexmap::{IndexMap, IndexSet};

use super::facts_files::{facts_files, files_below};
use super::indexes::key_of;
use super::links::Links;
use super::modulepath::codedir;
use super::paths;
use super::read_orders::ReadOrdersCache;
use super::shards::Shards;
use super::snapshot::{Choice, World};
use crate::config::Environment;
use crate::data::Format;
use crate::data::{Files, Hash, PathKind, inspect};
use crate::engine::sources::dig_value;
use crate::facts::formats::{self, FactsProblem};
use crate::facts::{NamePattern, Node, NodeParts, Origin, Reading, infer};
use crate::settings::{NodeSettings, PROJECT_FILE, Settings};
use crate::syntax::key_path;
use crate::text::TextRange;

/// Directories with fact sets, below an environment, a module or a folder of the workspace.
const FACTS_DIRECTORIES: [&str; 2] = [".hiera-ls/facts", "spec/factsets"];

/// The files that rspec-puppet merges over the fact sets of `spec`, in this order.
const DEFAULT_FACTS: [&str; 4] = [
    "spec/default_facts.yml",
    "spec/default_facts.yaml",
    "spec/default_module_facts.yml",
    "spec/default_module_facts.yaml",
];

/// The variable by which a pattern for names says which environment a node is in.
const ENVIRONMENT: &str = "environment";

/// The sample nodes of all environments, shared by snapshots until a fact set changes.
#[derive(Debug, Default)]
pub(super) struct NodesCache {
    by_environment: Shards<OnceLock<Arc<SampleNodes>>>,
    /// The files that they read, which depend only on the nodes and the hierarchies.
    pub(super) read_orders: ReadOrdersCache,
    /// The nodes *any node that reads this file*, by environment and by the variables in the path.
    pub(super) views: Shards<OnceLock<Arc<Node>>>,
    /// The nodes for which files are shown, by environment, assumptions and path.
    pub(super) views_of_files: Shards<OnceLock<Arc<Node>>>,
    /// The data files of environments, which are needed to infer nodes and are kept as long.
    pub(super) data_files: Shards<OnceLock<DataFiles>>,
    /// Which of them are read through links.
    pub(super) links: Shards<OnceLock<Arc<Links>>>,
}

impl NodesCache {
    /// The same cache for a snapshot that keeps its views to itself. Everything else is computed once for both.
    pub(super) fn without_views(&self, environments: &[Arc<Environment>]) -> Self {
        for key in environments.iter().map(|it| key_of(it)) {
            self.by_environment.slot(&key);
            self.read_orders.slot(&key);
            self.data_files.slot(&key);
            self.links.slot(&key);
        }
        Self {
            by_environment: self.by_environment.changed(|_, slot| Some(slot.clone())),
            read_orders: self.read_orders.changed(|_, slot| Some(slot.clone())),
            views: Shards::default(),
            views_of_files: Shards::default(),
            data_files: self.data_files.changed(|_, slot| Some(slot.clone())),
            links: self.links.changed(|_, slot| Some(slot.clone())),
        }
    }
}

/// Paths of data files, sorted, and their formats.
pub(super) type DataFiles = Arc<[(Arc<str>, Format)]>;

/// The format of one of some data files, which are sorted by path.
pub(super) fn format_in(files: &[(Arc<str>, Format)], path: &str) -> Option<Format> {
    let at = files.binary_search_by(|(it, _)| (**it).cmp(path)).ok()?;
    Some(files[at].1)
}

/// The sample nodes of one environment.
#[derive(Debug, Default)]
pub struct SampleNodes {
    /// Each name once: nodes from fact sets, from settings, then the machines that data files are named after.
    pub nodes: Arc<[Arc<Node>]>,
    /// Nodes that are not among these, because they are in other environments of the workspace.
    pub elsewhere: Vec<NodeElsewhere>,
    /// Problems of fact sets, by path.
    pub problems: Vec<(Arc<str>, FactsProblem)>,
    /// The numbers of the completely known nodes, by name; computed on demand.
    complete: OnceLock<HashMap<Arc<str>, u32, foldhash::fast::RandomState>>,
}

/// A node that is in another environment of the workspace than the one whose nodes were asked for.
#[derive(Debug, Clone)]
pub struct NodeElsewhere {
    /// Its name.
    pub name: Arc<str>,
    /// The environment that it is in.
    pub environment: Arc<Environment>,
}

impl SampleNodes {
    /// The completely known node of this name.
    pub(super) fn complete(&self, name: &str) -> Option<&Arc<Node>> {
        let complete = self.complete.get_or_init(|| {
            let nodes = (0..).zip(self.nodes.iter()).filter(|(_, node)| node.is_complete());
            nodes.map(|(number, node)| (node.name.clone(), number)).collect()
        });
        complete.get(name).map(|number| &self.nodes[*number as usize])
    }
}

/// A node that is being built.
struct Draft {
    /// What files say of the node.
    parts: NodeParts,
    /// What the settings for its name say, and over that the command line.
    over: NodeParts,
    origin: Origin,
    /// The variables that name machines in the paths of data files called after the node.
    named_by: BTreeSet<Arc<str>>,
}

impl Draft {
    fn new(parts: NodeParts, origin: Origin) -> Self {
        Self { parts, over: NodeParts::default(), origin, named_by: BTreeSet::new() }
    }

    /// What a file says of a node.
    fn of_file(path: &str, parts: NodeParts) -> Self {
        let origin = if parts.holds_facts() { Origin::File(path.into()) } else { Origin::Name };
        Self::new(parts, origin)
    }

    /// Adds what the settings for its name say.
    fn lay_settings_over(&mut self, of_name: &Self) {
        formats::lay_over(&mut self.parts, &of_name.parts);
        formats::lay_over(&mut self.over, &of_name.over);
    }

    fn is_only_name(&self) -> bool {
        self.parts.is_only_name() && self.over.is_only_name()
    }

    /// The name of the environment that the node is in, as its settings, a classifier, a fact set or a pattern for its name say.
    fn own_environment(&self, settings: &Settings) -> Option<Cow<'_, str>> {
        let said = self.over.environment.as_deref().or(self.parts.environment.as_deref());
        let of_pattern = || {
            // A fact set says more than a name.
            let patterns = Some(&settings.node_name).filter(|_| self.origin == Origin::Name)?;
            // Few patterns have the group, and there can be thousands of names.
            let has_group = |it: &NamePattern| it.groups().iter().any(|it| **it == *ENVIRONMENT);
            patterns.iter().find(|it| has_group(it))?;
            let proved = patterns.proved_by(&self.parts.name);
            let found = proved.into_iter().find(|(variable, _)| **variable == *ENVIRONMENT)?;
            Some(Cow::Owned(found.1.to_string()))
        };
        said.map(Cow::Borrowed).or_else(of_pattern)
    }
}

impl World {
    /// The sample nodes of the environment.
    pub fn nodes(&self, environment: &Environment) -> Arc<[Arc<Node>]> {
        self.sample_nodes(environment).nodes.clone()
    }

    /// The sample nodes, and the problems of the files that they come from.
    pub fn sample_nodes(&self, environment: &Environment) -> Arc<SampleNodes> {
        let slot = self.nodes.by_environment.slot(&key_of(environment));
        slot.get_or_init(|| {
            let mut found = drafts(self, environment);
            found.infer(environment);
            Arc::new(found.finish_those_here(environment))
        })
        .clone()
    }

    /// The nodes of fact sets that a user names, each with the path that it was read from. Settings for a node of the same
    /// name are merged over it.
    pub fn nodes_of_fact_sets(
        &self,
        environment: &Environment,
        sets: &[(String, NodeParts)],
    ) -> SampleNodes {
        self.drafts_of_fact_sets(sets).finish_those_here(environment)
    }

    /// The same for one fact set, with more parts, which win.
    pub fn node_of_fact_set(
        &self,
        environment: &Environment,
        set: (String, NodeParts),
        given: &NodeParts,
    ) -> Option<Arc<Node>> {
        let mut found = self.drafts_of_fact_sets(&[set]);
        found.drafts.values_mut().for_each(|it| formats::lay_over(&mut it.over, given));
        found.finish(environment).nodes.first().cloned()
    }

    fn drafts_of_fact_sets(&self, sets: &[(String, NodeParts)]) -> Found<'_> {
        let mut found = Found { world: self, drafts: IndexMap::new(), problems: Vec::new() };
        for (path, parts) in sets {
            let draft = Draft::of_file(path, parts.clone());
            found.drafts.entry(parts.name.clone()).or_insert(draft);
        }
        let settings = self.settings.clone();
        for (name, of_name) in found.of_settings(&settings) {
            if let Some(draft) = found.drafts.get_mut(&name) {
                draft.lay_settings_over(&of_name);
            }
        }
        found
    }

    /// The node of this name: a sample node, or a node of which only its name and what it proves are known.
    pub fn node_named(&self, environment: &Environment, name: &str) -> Arc<Node> {
        self.node_named_with(environment, name, &NodeParts::default()).0
    }

    /// The same with more parts, which win, and the problems of all fact sets: a fact set that cannot be read may be that of
    /// the node.
    pub fn node_named_with(
        &self,
        environment: &Environment,
        name: &str,
        given: &NodeParts,
    ) -> (Arc<Node>, Vec<(Arc<str>, FactsProblem)>) {
        let mut found = drafts(self, environment);
        found.infer(environment);
        // Only this node is built, because a fleet may have thousands.
        found.drafts.retain(|known, _| known == name);
        // This adds nothing if the node is known already.
        found.add_machine(name, &[]);
        found.drafts.values_mut().for_each(|it| formats::lay_over(&mut it.over, given));
        let SampleNodes { nodes, problems, .. } = found.finish(environment);
        let node = nodes.first().cloned().unwrap_or_else(|| self.any_node_with(environment, given));
        (node, problems)
    }

    /// The nodes of these names. Each is also the value of the variables beside it.
    pub(super) fn nodes_named_by(
        &self,
        environment: &Environment,
        named: &[(&Arc<str>, Vec<Arc<str>>)],
    ) -> Arc<[Arc<Node>]> {
        if named.is_empty() {
            return Arc::default();
        }
        let mut found = drafts(self, environment);
        found.infer(environment);
        let names: HashSet<&str> = named.iter().map(|(name, _)| &***name).collect();
        found.drafts.retain(|known, _| names.contains(&**known));
        for (name, named_by) in named {
            found.add_machine(name, named_by);
        }
        found.finish(environment).nodes
    }

    /// The name of the environment that a node is in, as its settings, a classifier or a fact set beside `environment` or a
    /// pattern for its name say.
    pub fn environment_named_by(&self, environment: &Environment, name: &str) -> Option<String> {
        let mut found = drafts(self, environment);
        // This adds nothing if something is said of the node.
        found.add_machine(name, &[]);
        let draft = found.drafts.swap_remove(name)?;
        draft.own_environment(&self.settings).map(Cow::into_owned)
    }

    /// The only environment of the workspace with a node of this name, if that is not `environment`.
    pub fn only_other_environment_with_node(
        &self,
        environment: &Arc<Environment>,
        name: &str,
    ) -> Option<Arc<Environment>> {
        let has_node = |it: &&Arc<Environment>| self.nodes(it).iter().any(|it| *it.name == *name);
        let all = self.environments();
        if all.len() < 2 || has_node(&environment) {
            return None;
        }
        let mut found = all.iter().filter(has_node);
        found.next().filter(|_| found.next().is_none()).cloned()
    }

    /// The environment of the workspace that a node is in whose own environment is called `own`, if that is not `environment`.
    /// Nothing else decides whether a node belongs to the nodes of an environment.
    fn other_environment(&self, environment: &Environment, own: &str) -> Option<Arc<Environment>> {
        if *own == *environment.name {
            return None;
        }
        let found = self.environment_called(own)?;
        (found.directory() != environment.directory()).then_some(found)
    }

    /// The node chosen by the user or else by the settings. `None` also if the user chose *any node*.
    pub fn chosen_node(&self, environment: &Environment) -> Option<Arc<Node>> {
        // To find all nodes, the data files are listed. If no node is chosen, nothing has to wait for that.
        let named = |name: &Arc<str>| {
            self.nodes(environment).iter().find(|node| node.name == *name).cloned()
        };
        let chosen = self.names_of_choices().find_map(named)?;
        Some(self.as_assumed(environment, chosen))
    }

    /// The names of the node that the user chose and of the one in the settings. The first one that an environment has counts.
    pub(super) fn names_of_choices(&self) -> impl Iterator<Item = &Arc<str>> {
        let of_settings = match self.choice {
            Choice::AnyNode => None,
            Choice::None | Choice::Node(_) => self.settings.node.as_ref(),
        };
        self.active_node_name().into_iter().chain(of_settings)
    }

    /// The node for results that are not about a file: the chosen one, or else any node of the environment.
    pub fn active_node(&self, environment: &Environment) -> Arc<Node> {
        self.chosen_node(environment).unwrap_or_else(|| self.any_node(environment))
    }

    /// Whether a change of the file at `path` may change sample nodes.
    pub fn may_hold_facts(&self, path: &str) -> bool {
        may_hold_facts(path, self)
    }

    /// Whether `path` may hold facts of the nodes of some environment, wherever that has them.
    pub fn may_hold_facts_of_environments(&self, path: &str) -> bool {
        let is_at_home = |environment: &Arc<Environment>| {
            let mut homes = homes(self, environment).into_iter();
            homes.any(|home| paths::below(&home, path).is_some_and(is_usual_place_of_facts))
        };
        may_hold_facts_of_settings(path, self) || self.environments().iter().any(is_at_home)
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
    FACTS_DIRECTORIES.into_iter().any(is_in)
        || DEFAULT_FACTS.iter().any(is_default)
        || may_hold_facts_of_settings(path, world)
}

/// Whether a path below an environment, or another directory of facts, is one of those at which facts usually are.
fn is_usual_place_of_facts(below: &str) -> bool {
    DEFAULT_FACTS.contains(&below)
        || FACTS_DIRECTORIES.iter().any(|it| paths::below(it, below).is_some())
}

/// Whether the settings may name `path` as a file with facts.
fn may_hold_facts_of_settings(path: &str, world: &World) -> bool {
    let is_set = |entry: &Arc<str>| {
        let pattern = world.settings_path(entry);
        // Only the part before the first wildcard is compared, which may include a few paths too many.
        let fixed = pattern.find(['*', '?', '[', '{']).map_or(&*pattern, |at| &pattern[..at]);
        path.starts_with(fixed)
    };
    let in_settings = world.settings.nodes.values().filter_map(|it| it.facts_file.as_ref());
    world.settings.facts.iter().chain(in_settings).any(is_set)
}

/// The nodes from fact sets and settings.
fn drafts<'w>(world: &'w World, environment: &Environment) -> Found<'w> {
    let mut found = Found { world, drafts: IndexMap::new(), problems: Vec::new() };
    // The first fact set of a name wins, so those that the settings name come first.
    for entry in &world.settings.facts {
        found.read_all(&facts_files(world, entry), &[]);
    }
    for directory in homes(world, environment) {
        let defaults = found.default_facts(&directory);
        for facts in FACTS_DIRECTORIES {
            let files = files_below(world, &paths::join(&directory, facts));
            // rspec-puppet merges its defaults only over fact sets of `spec`.
            let defaults = if facts.starts_with("spec/") { &*defaults } else { &[] };
            found.read_all(&files, defaults);
        }
    }
    let settings = world.settings.clone();
    for (name, of_name) in found.of_settings(&settings) {
        match found.drafts.get_mut(&name) {
            Some(draft) => {
                draft.lay_settings_over(&of_name);
                if draft.origin == Origin::Name {
                    draft.origin = of_name.origin;
                }
            }
            None => {
                found.drafts.insert(name, of_name);
            }
        }
    }
    found
}

/// Nodes by name, in the order in which they are found: the first one of a name is kept.
struct Found<'a> {
    world: &'a World,
    drafts: IndexMap<String, Draft>,
    problems: Vec<(Arc<str>, FactsProblem)>,
}

/// Moves the file that is called after a node before other files that describe the same node. Returns where the first one of
/// each node is, and its path.
fn put_named_files_first(read: &mut [(&String, NodeParts)]) -> HashMap<String, (usize, String)> {
    let mut firsts: HashMap<String, (usize, String)> = HashMap::new();
    for number in 0..read.len() {
        let (path, name) = (read[number].0, read[number].1.name.clone());
        let Some((first, used)) = firsts.get_mut(&name) else {
            firsts.insert(name, (number, path.clone()));
            continue;
        };
        let is_named = |path: &str| formats::file_stem(path) == name;
        if is_named(path) && !is_named(used) {
            used.clone_from(path);
            read.swap(*first, number);
        }
    }
    firsts
}

/// The problem of a fact set that is not used.
fn described_twice(path: &str, used: &str, name: &str) -> (Arc<str>, FactsProblem) {
    let message = format!("two fact sets describe {name}: this one is not used, because {used} is");
    (path.into(), FactsProblem { message, range: TextRange::empty(0) })
}

impl Found<'_> {
    fn read_all(&mut self, files: &[String], defaults: &[NodeParts]) {
        let read = files.iter().flat_map(|path| {
            let nodes = self.read(path);
            nodes.into_iter().map(move |parts| (path, parts)).collect::<Vec<_>>()
        });
        let mut read: Vec<(&String, NodeParts)> = read.collect();
        let firsts = put_named_files_first(&mut read);
        for (number, (path, mut parts)) in read.into_iter().enumerate() {
            if parts.holds_facts() {
                for default in defaults {
                    formats::lay_over(&mut parts, default);
                }
            }
            match self.drafts.get_mut(&parts.name) {
                None => {
                    let draft = Draft::of_file(path, parts);
                    self.drafts.insert(draft.parts.name.clone(), draft);
                }
                Some(draft) => {
                    let is_taken = formats::lay_beside(&mut draft.parts, &parts);
                    // The output of a classifier may have come before the fact set.
                    if is_taken && parts.holds_facts() {
                        draft.origin = Origin::File(path.as_str().into());
                    }
                    // Directories have an order, but the files of one directory do not mean one.
                    let first = firsts.get(&parts.name).filter(|it| it.0 < number);
                    if let (false, Some((_, used))) = (is_taken, first)
                        && used != path
                    {
                        self.problems.push(described_twice(path, used, &parts.name));
                    }
                }
            }
        }
    }

    fn read(&mut self, path: &str) -> Vec<NodeParts> {
        let (nodes, problems) = match self.world.file(path) {
            Ok(file) => formats::read(path, &file.text),
            Err(message) if self.world.kind(path) == PathKind::File => {
                (Vec::new(), vec![FactsProblem { message, range: TextRange::empty(0) }])
            }
            Err(_) => return Vec::new(),
        };
        self.problems.extend(problems.into_iter().map(|it| (Arc::from(path), it)));
        nodes
    }

    fn default_facts(&mut self, directory: &str) -> Vec<NodeParts> {
        let files = DEFAULT_FACTS.map(|name| paths::join(directory, name));
        let there = files.iter().filter(|path| self.world.kind(path) == PathKind::File);
        let there: Vec<&String> = there.collect();
        there.into_iter().flat_map(|path| self.read(path)).collect()
    }

    /// The nodes in the settings, by name. Such a node is complete only if its facts are given.
    fn of_settings(&mut self, settings: &Settings) -> Vec<(String, Draft)> {
        let mut drafts = Vec::new();
        for (name, node) in &settings.nodes {
            let file = node.facts_file.as_ref().map(|path| self.world.settings_path(path));
            let read = file.as_ref().map(|path| self.read(path)).unwrap_or_default();
            // A file that is missing or broken says nothing, not even that there are no facts.
            let is_read = !read.is_empty();
            let same_name = read.iter().position(|it| it.name == **name);
            // If no node in the file has this name, the first one counts: a file for one machine may call it otherwise.
            let mut parts = read.into_iter().nth(same_name.unwrap_or(0)).unwrap_or_default();
            parts.name = name.to_string();
            let origin = match file {
                Some(path) if is_read && parts.holds_facts() => Origin::File(path.into()),
                _ if node.facts.is_empty() => Origin::Name,
                _ => Origin::File(self.world.settings_path(PROJECT_FILE).into()),
            };
            let over = parts_of(node);
            drafts.push((name.to_string(), Draft { over, ..Draft::new(parts, origin) }));
        }
        drafts
    }

    fn finish(self, environment: &Environment) -> SampleNodes {
        let settings = &self.world.settings;
        let machine = Draft::new(NodeParts::default(), Origin::Name);
        let of_machines = all_parts(settings, environment, &machine).into();
        let finish = |draft| {
            let node = Arc::new(finished(settings, environment, &of_machines, draft));
            // Before this, a pattern for names may have set another environment.
            if node.environment.is_some() { node.in_environment(environment) } else { node }
        };
        let nodes = self.drafts.into_values().map(finish).collect();
        // The settings may name a usual place for facts.
        let problems: IndexSet<_> = self.problems.into_iter().collect();
        SampleNodes { nodes, problems: problems.into_iter().collect(), ..SampleNodes::default() }
    }

    /// The same without the nodes that are in other environments of the workspace.
    fn finish_those_here(mut self, environment: &Environment) -> SampleNodes {
        let (world, mut elsewhere) = (self.world, Vec::new());
        let mut others: HashMap<String, Option<Arc<Environment>>> = HashMap::new();
        self.drafts.retain(|name, draft| {
            let Some(own) = draft.own_environment(&world.settings) else { return true };
            // Thousands of nodes are in few environments.
            if !others.contains_key(&*own) {
                others.insert(own.to_string(), world.other_environment(environment, &own));
            }
            let Some(Some(other)) = others.get(&*own) else { return true };
            let environment = Arc::clone(other);
            elsewhere.push(NodeElsewhere { name: name.as_str().into(), environment });
            false
        });
        SampleNodes { elsewhere, ..self.finish(environment) }
    }

    /// Adds the machines that data files are named after, and the systems that a module on its own supports.
    fn infer(&mut self, environment: &Environment) {
        let templates = self.world.own_reach(environment).templates();
        let known = known_texts(&self.world.settings, environment);
        for machine in infer::machines(&templates, self.world, known) {
            self.add_machine(&machine.name, &machine.variables);
        }
        for parts in self.supported_systems(environment) {
            let draft = Draft::new(parts, Origin::Any);
            self.drafts.entry(draft.parts.name.clone()).or_insert(draft);
        }
    }

    fn add_machine(&mut self, name: &str, named_by: &[Arc<str>]) {
        let draft = self.drafts.entry(name.to_owned()).or_insert_with(|| {
            let parts = NodeParts { name: name.to_owned(), ..NodeParts::default() };
            Draft::new(parts, Origin::Name)
        });
        draft.named_by.extend(named_by.iter().cloned());
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

/// Builds a node. `of_machines` are the parts of all nodes that are known only by their names.
fn finished(
    settings: &Settings,
    environment: &Environment,
    of_machines: &Arc<NodeParts>,
    draft: Draft,
) -> Node {
    let patterns = &settings.node_name;
    let mut named_by: Vec<Arc<str>> = draft.named_by.iter().cloned().collect();
    let parts = || all_parts(settings, environment, &draft);
    let node = match &draft.origin {
        Origin::File(_) => {
            let mut parts = parts();
            parts.set_missing_server_version(settings.puppet_version.usual_server_version());
            let is_assumed = parts.environment.is_none();
            parts.environment.get_or_insert_with(|| environment.name.to_string());
            let node = Node::new(parts, draft.origin);
            if is_assumed { node.with_assumed_environment() } else { node }
        }
        Origin::Name => {
            let set = if draft.is_only_name() { of_machines.clone() } else { parts().into() };
            let name = draft.parts.name.as_str().into();
            let node = Node::of_name(name, &set, named_by.clone(), patterns);
            if draft.is_only_name() && patterns.is_empty() {
                return node;
            }
            node
        }
        Origin::Any => Node::partial(parts(), &[], draft.origin),
    };
    // A fact set, the settings or a pattern may say that the file is not that of this node.
    named_by.retain(|it| known_text(&node, it).is_some_and(|text| text == node.name));
    node.with_patterns(patterns.clone()).with_named_by(named_by.into())
}

/// All parts of a node. The trusted data and server facts of the settings override those of files; variables and the environment
/// are for nodes whose files do not say them.
fn all_parts(settings: &Settings, environment: &Environment, draft: &Draft) -> NodeParts {
    let mut parts = of_all_nodes(settings);
    parts.name.clone_from(&draft.parts.name);
    let (trusted, server_facts) = (parts.trusted.clone(), parts.server_facts.clone());
    formats::lay_over(&mut parts, &draft.parts);
    formats::lay_over(&mut parts, &NodeParts { trusted, server_facts, ..NodeParts::default() });
    formats::lay_over(&mut parts, &draft.over);
    if parts.environment.is_some() || environment.known_name().is_some() {
        let name = environment.name_for(parts.environment.as_deref());
        parts.environment = Some(name.to_string());
    }
    parts
}

/// The settings for all nodes.
pub(super) fn of_all_nodes(settings: &Settings) -> NodeParts {
    NodeParts {
        name: String::new(),
        environment: settings.environment.as_ref().map(ToString::to_string),
        facts: Hash::new(),
        trusted: some_members(&settings.trusted),
        server_facts: some_members(&settings.server_facts),
        variables: settings.variables.clone(),
        classes: None,
    }
}

/// The texts that variables have for all nodes of an environment, by their names as written.
pub(super) fn known_texts(
    settings: &Settings,
    environment: &Environment,
) -> impl Fn(&str) -> Option<Arc<str>> {
    let mut parts = of_all_nodes(settings);
    if let Some(name) = environment.known_name() {
        parts.environment.get_or_insert_with(|| name.to_string());
    }
    let node = Node::partial(parts, &[], Origin::Any);
    move |name| known_text(&node, name)
}

/// The text that a variable has for a node, by its name as written.
pub(super) fn known_text(node: &Node, name: &str) -> Option<Arc<str>> {
    let Reading::Known(value, rest) = node.read(&key_path::parse(name).ok()?) else {
        return None;
    };
    Some(inspect::to_s(&dig_value(&value, &rest)?.value).into())
}

/// What the settings say of a node of this name.
pub(super) fn parts_of(node: &NodeSettings) -> NodeParts {
    NodeParts {
        name: String::new(),
        environment: node.environment.as_ref().map(ToString::to_string),
        facts: node.facts.clone(),
        trusted: some_members(&node.trusted),
        server_facts: some_members(&node.server_facts),
        variables: node.variables.clone(),
        classes: None,
    }
}

fn some_members(members: &Hash) -> Option<Hash> {
    (!members.is_empty()).then(|| members.clone())
}

/// Where fact sets of an environment may be: beside its `hiera.yaml`, in the workspace's folders that contain it, and at the top
/// of its repository, because users may open only a part of that.
fn homes(world: &World, environment: &Environment) -> Vec<String> {
    let own = environment.directory();
    let mut homes = vec![own.to_owned()];
    let holding = world.folders().iter().filter(|folder| paths::below(folder, own).is_some());
    homes.extend(holding.map(ToString::to_string));
    homes.extend(codedir(own));
    homes.extend(world.repository_around(own).map(str::to_owned));
    let mut seen = BTreeSet::new();
    homes.retain(|home| seen.insert(home.clone()));
    homes
}

#[cfg(test)]
mod tests;
