//! `hiera-ls nodes`: the nodes of a workspace, what is known of each and from which source, and what is open.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use serde_json::{Map, Value as Json};

use super::completions;
use super::fleet;
use super::print_or_complain;
use super::shown::{as_seen_from_here, counted, in_a_line};
use super::workspace::{self, absolute};
use crate::data::{Value, inspect, render};
use crate::engine::CodeVariables;
use crate::engine::sources::dig_value;
use crate::facts::{Basis, Node, Origin, Reading, variable};
use crate::ide::{hierarchy_variables, open_variables};
use crate::syntax::key_path;
use crate::world::{DiskReader, World, loader};

/// The maximum number of nodes that are listed for people; the others are counted.
const MAX_LISTED: usize = 40;

/// How to add the first node.
const NO_NODES: &str = "\
No nodes are known. Save the facts of some in .hiera-ls/facts, or describe them under `nodes` in .hiera-ls.yaml, \
which `hiera-ls init` writes.
";

/// Facts of a machine contain no certificate, so extensions seem to be missing.
const NO_EXTENSIONS: &str = "\
A fact set without `trusted` sets no extensions, and `puppet facts` prints no `trusted`. `nodes` in .hiera-ls.yaml can \
set them.
";

/// The arguments.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct NodesArguments {
    /// The directory of the environment, or a directory below it
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub root: PathBuf,
    /// The name of the environment, or its directory. Selects one if there are several
    #[arg(long, short = 'E', value_name = "NAME", add = completions::environments())]
    pub environment: Option<String>,
    /// Trust the directory: its settings may name files outside of it
    #[arg(long)]
    pub trust: bool,
    /// Print only the names, one per line
    #[arg(long)]
    pub names: bool,
    /// Print JSON: a list of {"name", "known": {variable: value}, "proved": {variable: value}, "open": [variable]}
    #[arg(long, conflicts_with = "names")]
    pub json: bool,
    /// List every node, however many there are
    #[arg(long, conflicts_with_all = ["names", "json"])]
    pub all: bool,
}

/// Lists the nodes; the one in the settings is marked with a star.
pub fn run(arguments: &NodesArguments) -> ExitCode {
    let root = absolute(&arguments.root);
    print_or_complain(root.and_then(|root| list(arguments, &root, Arc::new(loader::Disk))))
}

/// The list as text for an assistant, which sees only what belongs to the workspace.
pub(super) fn list_for_others(arguments: &NodesArguments) -> Result<String, String> {
    let root = absolute(&arguments.root)?;
    list(arguments, &root, Arc::new(workspace::usual_disk(&root, std::iter::empty())))
}

fn list(
    arguments: &NodesArguments,
    root: &str,
    disk: Arc<dyn DiskReader>,
) -> Result<String, String> {
    let settings = workspace::settings_on(disk.clone(), root, arguments.trust);
    let folders: Vec<Arc<str>> = vec![root.into()];
    let world = World::on_disk(disk, folders, settings);
    let environment = workspace::environment(&world, root, arguments.environment.as_deref())?;
    workspace::complain_of_name_patterns(&world);
    workspace::complain_of_setup(&world, &environment);
    let found = world.sample_nodes(&environment);
    fleet::note_of_others(&world, &found.elsewhere);
    let nodes = Arc::clone(&found.nodes);
    if arguments.names {
        let names: Vec<_> = nodes.iter().map(|node| in_a_line(&node.name)).collect();
        return Ok(names.iter().fold(String::new(), |text, name| text + name + "\n"));
    }
    let read = hierarchy_variables(&world, &environment);
    if arguments.json {
        let nodes: Vec<Json> = nodes.iter().map(|node| json_of(node, &read)).collect();
        return Ok(format!("{:#}\n", Json::Array(nodes)));
    }
    let mut text = String::new();
    for config in world.unused_configs(&environment).iter().filter(|it| it.module.is_none()) {
        let _ = writeln!(text, "{}", config.in_words(&in_a_line(as_seen_from_here(&config.path))));
    }
    if nodes.is_empty() {
        let is_known = !found.elsewhere.is_empty();
        text.push_str(if is_known { "No nodes are in this environment.\n" } else { NO_NODES });
    }
    let chosen = world.chosen_node(&environment).map(|node| node.name.clone());
    let shown = if arguments.all { nodes.len() } else { MAX_LISTED };
    for node in nodes.iter().take(shown) {
        let mark = if chosen.as_ref() == Some(&node.name) { '*' } else { ' ' };
        let _ = writeln!(
            text,
            "{mark} {}  ({})",
            in_a_line(&node.name),
            in_a_line(&about(node, &read))
        );
    }
    if nodes.len() > shown {
        let _ = writeln!(text, "  and {} more; --all lists them", nodes.len() - shown);
    }
    text.push_str(&summary(&nodes, &read, &world.code_variables(&environment)));
    if let Some(suggestion) = world.suggested_name_pattern(&environment) {
        let _ = write!(
            text,
            "\nThe names suggest a pattern. In .hiera-ls.yaml, it {}:\n  node_name: '{}'\n",
            suggestion.effect(),
            suggestion.pattern.replace('\'', "''")
        );
    }
    Ok(text)
}

/// The origin of a node, and its open variables in the hierarchy.
fn about(node: &Node, read: &[Arc<str>]) -> String {
    let origin = match &node.origin {
        Origin::File(path) => {
            return format!("facts from {}", as_seen_from_here(path));
        }
        Origin::Name => "known by its name",
        Origin::Any => "a system that the module supports",
    };
    let open = open_variables(node, read);
    if open.is_empty() {
        return origin.to_owned();
    }
    format!("{origin}; open: {}", open.iter().map(|it| &**it).collect::<Vec<_>>().join(", "))
}

/// For each variable in the hierarchy, the number of nodes for which it is open. Code may set it for the
/// others.
fn summary(nodes: &[Arc<Node>], read: &[Arc<str>], of_code: &CodeVariables) -> String {
    // Each with a spelling: a node may have a top-scope variable that hides a fact.
    let mut names: Vec<(Arc<str>, Arc<str>)> = Vec::new();
    for (written, name) in read.iter().filter_map(|it| Some((it, name_of_text(it)?))) {
        if !names.iter().any(|(known, _)| *known == name) {
            names.push((name, Arc::clone(written)));
        }
    }
    if names.is_empty() {
        return "\nThe hierarchy reads no variables.\n".to_owned();
    }
    let mut text = String::from("\nThe hierarchy reads:\n");
    let width = names.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let mut lacks_extensions = false;
    for (name, written) in &names {
        let is_open = |node: &&Arc<Node>| !open_variables(node, &[Arc::clone(written)]).is_empty();
        let open = nodes.iter().filter(is_open).count();
        let state = match (open, nodes.len()) {
            (_, 0) => "open: no node is known".to_owned(),
            (0, all) => format!("known for {}", all_nodes(all)),
            (open, all) if open == all => format!("open for {}", all_nodes(all)),
            (open, all) => format!("open for {open} of {all} nodes"),
        };
        let is_unset = |node: &&Arc<Node>| {
            let is_null = || value_of(node, written).is_none_or(|(_, value)| value.is_null());
            node.is_complete() && !is_open(node) && is_null()
        };
        let unset = match nodes.iter().filter(is_unset).count() {
            0 => String::new(),
            count if of_code.may_set(name) => format!("; not set for {count}, unless code sets it"),
            count => format!("; not set for {count}"),
        };
        lacks_extensions |= !unset.is_empty() && name.starts_with("trusted.extensions");
        let _ = writeln!(text, "  {name:width$}  {state}{unset}");
    }
    if lacks_extensions {
        text.push_str(NO_EXTENSIONS);
    }
    text
}

fn name_of_text(written: &str) -> Option<Arc<str>> {
    variable::name_beside_modern(&key_path::parse(written).ok()?)
}

/// `all 3 nodes`, or `1 node`.
fn all_nodes(count: usize) -> String {
    if count == 1 { counted(count, "node") } else { format!("all {}", counted(count, "node")) }
}

fn json_of(node: &Node, read: &[Arc<str>]) -> Json {
    let (mut known, mut proved) = (Map::new(), Map::new());
    for (name, it) in node.known() {
        let members = if it.basis == Basis::Set { &mut known } else { &mut proved };
        members.insert(name.to_string(), render::to_exact_json(&it.value));
    }
    for (name, value) in node.set_variables() {
        known.insert(name.to_string(), render::to_exact_json(value));
    }
    if node.is_complete() {
        for name in read {
            let Some((name, value)) = value_of(node, name) else { continue };
            known.insert(name.to_string(), value);
        }
    }
    let open = open_variables(node, read);
    serde_json::json!({
        "name": &*node.name,
        "known": known,
        "proved": proved,
        "open": open.iter().map(|it| &**it).collect::<Vec<_>>(),
    })
}

/// The value of a variable of the hierarchy for a node with a fact set.
fn value_of(node: &Node, written: &str) -> Option<(Arc<str>, Json)> {
    let path = key_path::parse(written).ok().filter(|it| !node.assumes(it))?;
    let name = variable::name_beside_modern(&path)?;
    let Reading::Known(value, rest) = node.read(&path) else { return None };
    let value = dig_value(&value, &rest)?.value;
    let json = match &value {
        Value::Undef => Json::Null,
        Value::String(_) | Value::Integer(_) | Value::Boolean(_) => render::to_exact_json(&value),
        other => Json::from(inspect::to_s(other)),
    };
    Some((name, json))
}
