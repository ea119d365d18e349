//! From the arguments of `lookup` to an evaluator: which workspace, which environment, which node.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::complain;
use super::lookup::{Encrypted, LookupArguments};
use super::workspace::{self, absolute};
use crate::backends::eyaml::Decryption;
use crate::config::{DatadirMap, Environment, PuppetVersion};
use crate::data::{Files, Format, Hash, Value};
use crate::engine::Evaluator;
use crate::facts::{Node, NodeParts, Origin, formats, variable};
use crate::settings::Settings;
use crate::world::{UnreadData, World, loader};

/// Everything that the keys are asked against.
pub(super) struct Setup {
    pub(super) evaluator: Evaluator,
    files: Arc<dyn Files>,
    datadirs: DatadirMap,
    world: Arc<World>,
}

impl Setup {
    /// Directories that look like data and that no hierarchy reads: why a key may not be found.
    pub(super) fn hints(&self) -> Vec<String> {
        let config = format!("{}/hiera.yaml", self.evaluator.environment().directory());
        let unread = self.world.unread_data().into_iter();
        let hint = |it: UnreadData| {
            format!(
                "{} files in {} look like Hiera data, but {config} does not read them; see `hiera-ls rule unread-data`",
                it.files, it.directory
            )
        };
        unread.map(hint).collect()
    }

    pub(super) fn world(&self) -> &Arc<World> {
        &self.world
    }

    pub(super) fn files(&self) -> &Arc<dyn Files> {
        &self.files
    }

    /// An evaluator that has cached nothing yet, so that an explanation tells everything.
    pub(super) fn fresh_evaluator(&self) -> Evaluator {
        let known = &self.evaluator;
        let (environment, node) = (Arc::clone(known.environment()), Arc::clone(known.node()));
        Evaluator::new(Arc::clone(&self.files), environment, node, known.version())
            .with_datadir_map(self.datadirs.clone())
            .with_back_ends(known.back_ends().clone())
    }

    /// Every top-level key of every data file below the environment and its modules, sorted; files that no level reads
    /// count as well.
    pub(super) fn all_keys(&self) -> Vec<String> {
        let environment = self.evaluator.environment();
        let mut keys = BTreeSet::new();
        let roots = environment.root.iter().chain(environment.modules.values());
        for root in roots {
            self.collect_keys(root, MAX_DEPTH, &mut keys);
        }
        keys.remove("lookup_options");
        keys.into_iter().collect()
    }

    fn collect_keys(&self, directory: &str, depth: u32, keys: &mut BTreeSet<String>) {
        for item in self.files.list(directory).iter() {
            let path = format!("{directory}/{}", item.name);
            if item.is_directory {
                let is_data =
                    !item.is_link && !item.name.starts_with('.') && !NO_DATA.contains(&&*item.name);
                if is_data && depth > 0 {
                    self.collect_keys(&path, depth - 1, keys);
                }
            } else if let Some(format) = data_format(&item.name)
                && let Ok(file) = self.files.data(&path, format)
            {
                let names = file.entries().filter_map(|entry| entry.key.as_str());
                keys.extend(names.map(str::to_owned));
            }
        }
    }
}

/// How deep below an environment data is looked for.
const MAX_DEPTH: u32 = 32;

/// Directories that hold no data of the environment.
const NO_DATA: [&str; 4] = ["spec", "examples", "locales", "node_modules"];

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

pub(super) fn prepare(arguments: &LookupArguments) -> Result<Setup, String> {
    let root = absolute(&arguments.root)?;
    let settings = settings(arguments, &root)?;
    let version = settings.puppet_version;
    let datadirs = settings.datadirs();
    let world = World::on_disk(Arc::new(loader::Disk), vec![root.as_str().into()], settings);
    let environment = environment(arguments, &world, &root)?;
    let node = node(arguments, &world, &environment)?;
    let files: Arc<dyn Files> = Arc::clone(&world) as Arc<dyn Files>;
    let evaluator = Evaluator::new(Arc::clone(&files), environment, Arc::new(node), version)
        .with_datadir_map(datadirs.clone());
    let eyaml = world.eyaml(decryption(arguments.encrypted, world.reveals_secrets()));
    let back_ends = world.back_ends().with_eyaml(eyaml);
    let evaluator = evaluator.with_back_ends(Arc::new(back_ends));
    Ok(Setup { evaluator, files, datadirs, world })
}

/// Nothing is decrypted unless the settings or the command line ask for it.
fn decryption(encrypted: Encrypted, is_allowed: bool) -> Decryption {
    match (encrypted, is_allowed) {
        (Encrypted::Keep, false) => Decryption::Off,
        (Encrypted::Keep, true) => Decryption::WhereKeysAreReadable,
        (Encrypted::Fail, false) => Decryption::Refused,
        (Encrypted::Fail, true) | (Encrypted::Decrypt, _) => Decryption::AsPuppet,
    }
}

/// The settings of the workspace, with what the arguments say over them.
fn settings(arguments: &LookupArguments, root: &str) -> Result<Settings, String> {
    let mut settings = workspace::settings(root, &[], arguments.trust);
    match arguments.puppet_version {
        Some(7) => settings.puppet_version = PuppetVersion::V7,
        Some(_) => settings.puppet_version = PuppetVersion::V8,
        None => {}
    }
    if let Some(config) = &arguments.hiera_config {
        settings.global_hiera_yaml = Some(absolute(config)?.into());
    }
    if let Some(modulepath) = &arguments.modulepath {
        let directories: Result<Vec<_>, _> = std::env::split_paths(modulepath)
            .map(|directory| absolute(&directory).map(Arc::from))
            .collect();
        settings.modulepath = Some(directories?);
    }
    Ok(settings)
}

fn environment(
    arguments: &LookupArguments,
    world: &World,
    root: &str,
) -> Result<Arc<Environment>, String> {
    let mut environment = workspace::environment(world, root, arguments.environment.as_deref())?;
    if let Some(name) = &arguments.environment {
        Arc::make_mut(&mut environment).name = name.as_str().into();
    }
    Ok(environment)
}

fn node(
    arguments: &LookupArguments,
    world: &Arc<World>,
    environment: &Arc<Environment>,
) -> Result<Node, String> {
    let node = if arguments.facts.is_some() || has_node_parts(arguments) {
        node_from_files(arguments)?
    } else {
        sample_node(arguments, world, environment).as_ref().clone()
    };
    let node = node.in_environment(&environment.name);
    node.with(&set_variables(arguments)?).map_err(|name| {
        let why = match &node.origin {
            Origin::File(_) => format!("{} has a fact set, so nothing is open", node.name),
            Origin::Name => format!("{} has a value for it already", node.name),
            Origin::Any => "it is known of all nodes already".to_owned(),
        };
        format!("--set {name}: {why}")
    })
}

fn has_node_parts(arguments: &LookupArguments) -> bool {
    arguments.trusted.is_some() || arguments.vars.is_some() || arguments.server_facts.is_some()
}

/// The node that --facts, --trusted, --vars and --server-facts describe.
fn node_from_files(arguments: &LookupArguments) -> Result<Node, String> {
    let mut parts = match &arguments.facts {
        Some(path) => parts_of_facts(path, arguments.node.as_deref())?,
        None => NodeParts::default(),
    };
    if let Some(name) = &arguments.node {
        parts.name.clone_from(name);
    }
    if let Some(path) = &arguments.trusted {
        parts.trusted = Some(hash_file(path)?);
    }
    if let Some(path) = &arguments.vars {
        for (key, member) in &hash_file(path)? {
            parts.variables.insert(key.clone(), None, member.value.clone());
        }
    }
    if let Some(path) = &arguments.server_facts {
        parts.server_facts = Some(hash_file(path)?);
    }
    let path = arguments.facts.as_ref().map_or("", |path| path.to_str().unwrap_or(""));
    Ok(Node::new(parts, Origin::File(path.into())))
}

fn parts_of_facts(path: &Path, node: Option<&str>) -> Result<NodeParts, String> {
    let text = read(path)?;
    let shown = path.display();
    let (mut nodes, problems) = formats::read(&path.to_string_lossy(), &text);
    for problem in problems {
        complain(&format!("{shown}: {}", problem.message));
    }
    let at = match node {
        Some(name) => nodes.iter().position(|it| it.name == name).unwrap_or(0),
        None => 0,
    };
    if nodes.is_empty() {
        return Err(format!("{shown}: no facts in it"));
    }
    Ok(nodes.swap_remove(at))
}

/// The node that --node names, whether there is a fact set of it or not; else the one that the settings name; else any
/// node.
fn sample_node(
    arguments: &LookupArguments,
    world: &Arc<World>,
    environment: &Arc<Environment>,
) -> Arc<Node> {
    match (&arguments.node, &world.settings().node) {
        (Some(name), _) => world.node_named(environment, name),
        (None, Some(name)) => {
            complain(&format!("for node {name}, which the settings name"));
            world.node_named(environment, name)
        }
        (None, None) => world.any_node(environment),
    }
}

/// The variables that --set gives, by the names that stand for all spellings.
fn set_variables(arguments: &LookupArguments) -> Result<Vec<(Arc<str>, Value)>, String> {
    let mut variables: Vec<(Arc<str>, Value)> = Vec::new();
    for text in &arguments.set {
        let (written, value) =
            text.split_once('=').ok_or_else(|| format!("--set {text}: write NAME=VALUE"))?;
        let name = variable::name_of_text(written.trim())
            .ok_or_else(|| format!("--set {text}: {written} is not the name of a variable"))?;
        if variables.iter().any(|(known, _)| *known == name) {
            return Err(format!("--set {text}: {name} is set twice"));
        }
        variables.push((name, Value::string(value)));
    }
    Ok(variables)
}

fn hash_file(path: &Path) -> Result<Hash, String> {
    let text = read(path)?;
    let shown = path.display();
    let yaml: serde_json::Value =
        serde_yaml::from_str(&text).map_err(|error| format!("{shown}: {error}"))?;
    match crate::data::json::to_value(&yaml) {
        Value::Hash(hash) => Ok(hash.as_ref().clone()),
        Value::Undef => Ok(Hash::new()),
        _ => Err(format!("{shown}: not a hash")),
    }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
