//! Builds an evaluator from the arguments of `lookup`: the workspace, the environment and the node.

use std::path::Path;
use std::sync::Arc;

use super::arguments::{Encrypted, LookupArguments};
use crate::backends::eyaml::Decryption;
use crate::cli::input;
use crate::cli::place::{NodeArgument, Place};
use crate::cli::shown::counted;
use crate::cli::terminal::complain;
use crate::cli::workspace;
use crate::config::{DatadirMap, Environment};
use crate::data::{Files, Hash, PathKind, Value};
use crate::engine::{Evaluator, module_of_key};
use crate::facts::{Node, NodeParts, Origin, formats, variable};
use crate::ide::all_hierarchy_variables;
use crate::ide::diagnostics::near_key;
use crate::settings::{PROJECT_FILE, SettingsProblem};
use crate::syntax::key_path;
use crate::world::{UnreadData, World, paths};

/// Everything that lookups of the keys need.
pub(super) struct Setup {
    pub(super) evaluator: Evaluator,
    files: Arc<dyn Files>,
    datadirs: DatadirMap,
    pub(super) place: Place,
}

impl Setup {
    /// Possible reasons why one of these keys is not found: its module is not in the modulepath, or no hierarchy reads a
    /// directory that looks like data.
    pub(super) fn hints(&self, keys: &[Arc<str>]) -> Vec<String> {
        let unread = self.place.world.unread_data().into_iter();
        let hint = |it: UnreadData| {
            let (look, them) = if it.files == 1 { ("looks", "it") } else { ("look", "them") };
            let is_top = self.world().lacks_hiera_yaml(&it.directory);
            let own = self.evaluator.environment().directory();
            // An environment that nothing marks may have a module that counts as the environment.
            let top = paths::parent(&it.directory).filter(|_| is_top).unwrap_or(own);
            let of_module = self.world().hiera_yaml_missing_in_module(&it.directory);
            let config = of_module.unwrap_or_else(|| paths::join(top, "hiera.yaml"));
            let why = match self.files.kind(&config) {
                PathKind::Missing => format!("there is no {config} to read {them}"),
                _ => format!("{config} does not read {them}"),
            };
            let rule = if is_top { "nothing-checked" } else { "unread-data" };
            format!(
                "{} in {} {look} like Hiera data, but {why}; see `hiera-ls rule {rule}`",
                counted(it.files, "file"),
                it.directory
            )
        };
        keys.iter().filter_map(|it| self.module_hint(it)).chain(unread.map(hint)).collect()
    }

    fn module_hint(&self, key: &str) -> Option<String> {
        let module = module_of_key(key)?;
        let environment = self.evaluator.environment();
        let directory = environment.directory();
        let unseen = self.world().unseen_modules(environment);
        if let Some(unseen) =
            unseen.iter().find(|it| *it.name == *module && environment.root.is_some())
        {
            let metadata = unseen.metadata();
            let shown = paths::below(directory, &metadata).unwrap_or(&metadata);
            let why = &unseen.why.message;
            return Some(format!("Puppet does not see the module {module}: {why} ({shown})"));
        }
        let found = self.world().module_outside(environment, module)?;
        let shown = paths::below(directory, &found).unwrap_or(&found);
        let holder = shown.rsplit_once('/').map_or(shown, |(holder, _)| holder);
        Some(format!(
            "the module {module} in {shown} is not in the modulepath; add {holder} to modulepath in {directory}/environment.conf"
        ))
    }

    pub(super) fn world(&self) -> &Arc<World> {
        &self.place.world
    }

    pub(super) fn files(&self) -> &Arc<dyn Files> {
        &self.files
    }

    /// An evaluator without cached results, so that an explanation is complete.
    pub(super) fn fresh_evaluator(&self) -> Evaluator {
        let known = &self.evaluator;
        let (environment, node) = (Arc::clone(known.environment()), Arc::clone(known.node()));
        // It shares nothing with the other evaluator, which would leave out steps that it knows already.
        Evaluator::new(Arc::clone(&self.files), environment, node, known.version())
            .with_datadir_map(self.datadirs.clone())
            .with_back_ends(known.back_ends().clone())
    }
}

pub(super) fn prepare(arguments: &LookupArguments) -> Result<Setup, String> {
    if let Some(name) = arguments.node.as_ref().filter(|it| it.contains(['*', '?'])) {
        return Err(format!("--node {name}: this is one name; --nodes takes patterns"));
    }
    let facts = arguments.facts.as_deref();
    let facts = facts.map(|path| parts_of_facts(path, arguments.node.as_deref())).transpose()?;
    let place = arguments.place.open_for_node(&NodeArgument {
        name: arguments.node.as_deref(),
        is_any: arguments.any_node,
        facts: facts.as_ref(),
    })?;
    let Place { world, environment } = &place;
    let settings = world.settings();
    let version = settings.puppet_version;
    let datadirs = settings.datadirs();
    let node = node(arguments, facts, world, environment)?;
    let files: Arc<dyn Files> = Arc::clone(world) as Arc<dyn Files>;
    let (environment, node) = (Arc::clone(environment), Arc::new(node));
    let evaluator = Evaluator::new(Arc::clone(&files), environment, node, version)
        .with_datadir_map(datadirs.clone());
    let eyaml = world.eyaml(decryption(arguments.encrypted, world.reveals_secrets()));
    let back_ends = world.back_ends().with_eyaml(eyaml);
    let evaluator = evaluator.with_back_ends(Arc::new(back_ends));
    Ok(Setup { evaluator, files, datadirs, place })
}

/// Nothing is decrypted unless the settings or the command line request it.
pub(super) fn decryption(encrypted: Encrypted, is_allowed: bool) -> Decryption {
    match (encrypted, is_allowed) {
        (Encrypted::Keep, false) => Decryption::Off,
        (Encrypted::Keep, true) => Decryption::WhereKeysAreReadable,
        (Encrypted::Fail, false) => Decryption::Refused,
        (Encrypted::Fail, true) | (Encrypted::Decrypt, _) => Decryption::AsPuppet,
    }
}

fn node(
    arguments: &LookupArguments,
    facts: Option<NodeParts>,
    world: &Arc<World>,
    environment: &Arc<Environment>,
) -> Result<Node, String> {
    let given = given_parts(arguments)?;
    let node = match facts {
        Some(facts) => node_of_facts(arguments, facts, &given, world, environment),
        None => sample_node(arguments, &given, world, environment),
    };
    let node = node.in_environment(environment);
    let already_set = arguments.set.iter().find_map(|it| set_variable(&node, it));
    let set = set_variables(arguments)?;
    warn_of_useless_sets(&set, world, environment);
    already_set.map_or_else(|| node.with(&set), Err).map_err(|name| {
        let why = match &node.origin {
            Origin::File(_) => format!(
                "{} has a fact set, so nothing is open; choose another --node or --any-node, or change the facts \
                 under `nodes` in {PROJECT_FILE}",
                node.name
            ),
            Origin::Name => format!("{} already has a value for it", node.name),
            Origin::Any => "it is known for all nodes already".to_owned(),
        };
        format!("--set {name}: {why}")
    })
}

/// What --trusted, --vars and --server-facts say of the node.
fn given_parts(arguments: &LookupArguments) -> Result<NodeParts, String> {
    let mut parts = NodeParts::default();
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
    Ok(parts)
}

/// The node of a fact set that the user names. If the file is the output of a classifier, its facts are open.
fn node_of_facts(
    arguments: &LookupArguments,
    mut parts: NodeParts,
    given: &NodeParts,
    world: &Arc<World>,
    environment: &Arc<Environment>,
) -> Arc<Node> {
    if let Some(name) = &arguments.node {
        parts.name.clone_from(name);
    }
    let path = arguments.facts.as_ref().and_then(|it| it.to_str());
    let shown = path.unwrap_or_default().to_owned();
    let complete = if parts.holds_facts() {
        world.node_of_fact_set(environment, (shown, parts.clone()), given)
    } else {
        None
    };
    complete.unwrap_or_else(|| {
        formats::lay_over(&mut parts, given);
        sample_node(arguments, &parts, world, environment)
    })
}

fn parts_of_facts(path: &Path, node: Option<&str>) -> Result<NodeParts, String> {
    let text = input::read(path)?;
    let shown = path.display();
    let (mut nodes, problems) = formats::read(&path.to_string_lossy(), &text);
    for problem in problems {
        complain(&format!("{shown}: {}", problem.message));
    }
    let named = node.and_then(|name| nodes.iter().position(|it| it.name == name));
    match (named, node, nodes.len()) {
        (_, _, 0) => Err(format!("{shown}: no facts in it")),
        (Some(at), _, _) => Ok(nodes.swap_remove(at)),
        // A file for one machine may call it by another name.
        (None, _, 1) => Ok(nodes.swap_remove(0)),
        (None, Some(name), _) => Err(format!("no facts of {name} in {shown}")),
        (None, None, count) => {
            Err(format!("{shown}: the file has the facts of {count} nodes; choose one with --node"))
        }
    }
}

/// The node in --node, with or without a fact set; or else the one in the settings; or else any node. What is `given` is
/// added to what is known of it.
fn sample_node(
    arguments: &LookupArguments,
    given: &NodeParts,
    world: &Arc<World>,
    environment: &Arc<Environment>,
) -> Arc<Node> {
    let named = |name: &str| {
        let (node, problems) = world.node_named_with(environment, name, given);
        // Nothing is missing if the node has its fact set.
        if !node.is_complete() {
            for line in workspace::fact_set_lines(world, &problems) {
                complain(&format!("warning: {line}"));
            }
        }
        node
    };
    let takes_node_of_settings = arguments.node.is_none() && !arguments.any_node;
    let matters = |it: &SettingsProblem| takes_node_of_settings || it.key != "node";
    for problem in world.setting_problems().iter().filter(|it| matters(it)) {
        complain(&format!("warning: {PROJECT_FILE}: {}", problem.in_words()));
    }
    match (&arguments.node, &world.settings().node) {
        (Some(name), _) => named(name),
        (None, Some(name)) if !arguments.any_node => {
            complain(&format!("for node {name}, which the settings name"));
            named(name)
        }
        (None, _) => world.any_node_with(environment, given),
    }
}

/// The variable that --set names, if it is a top-scope variable that is set already.
fn set_variable(node: &Node, set: &str) -> Option<Arc<str>> {
    let (written, _) = set.split_once('=')?;
    let path = key_path::parse(written.trim()).ok()?;
    let root = path.root_name()?.trim_start_matches("::");
    node.set_variables().get_key_value(root).map(|(name, _)| Arc::clone(name))
}

/// The variables in --set, by their canonical names.
fn set_variables(arguments: &LookupArguments) -> Result<Vec<(Arc<str>, Value)>, String> {
    let mut variables: Vec<(Arc<str>, Value)> = Vec::new();
    for text in &arguments.set {
        let pair = text.split_once('=').filter(|(name, _)| !name.trim().is_empty());
        let (written, value) = pair.ok_or_else(|| format!("--set {text}: write NAME=VALUE"))?;
        let name = variable::settable_name(written.trim())
            .ok_or_else(|| format!("--set {text}: {written} is not the name of a variable"))?;
        if variables.iter().any(|(known, _)| *known == name) {
            return Err(format!("--set {text}: {name} is set twice"));
        }
        variables.push((name, Value::string(value)));
    }
    Ok(variables)
}

/// A misspelt variable changes nothing, and the value would seem to hold for it.
fn warn_of_useless_sets(
    set: &[(Arc<str>, Value)],
    world: &Arc<World>,
    environment: &Arc<Environment>,
) {
    if set.is_empty() {
        return;
    }
    let read = all_hierarchy_variables(world, environment);
    let read: Vec<_> = read.iter().filter_map(|it| variable::name_of_text(it)).collect();
    for (name, _) in set {
        // A text can name a variable in several ways, but its last part is in all of them.
        let last = name.rsplit('.').next().unwrap_or(name);
        if read.contains(name) || !world.files_containing(environment, last).is_empty() {
            continue;
        }
        let meant = near_key(name, read.iter().map(|it| &**it));
        let meant = meant.map_or_else(String::new, |it| format!("; did you mean {it}?"));
        complain(&format!("warning: --set {name}: no hierarchy and no data file reads it{meant}"));
    }
}

fn hash_file(path: &Path) -> Result<Hash, String> {
    let text = input::read(path)?;
    let shown = path.display();
    let yaml = formats::read_yaml(&text).map_err(|error| format!("{shown}: {}", error.message))?;
    match formats::without_places(&yaml).value {
        Value::Hash(hash) => Ok(hash.as_ref().clone()),
        Value::Undef => Ok(Hash::new()),
        _ => Err(format!("{shown}: not a hash")),
    }
}
