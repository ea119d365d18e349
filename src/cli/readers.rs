//! `hiera-ls readers FILE`: which nodes read a data file, and under which conditions any node does.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use serde_json::{Map, Value as Json, json};

use super::fleet::{self, Selection};
use super::place::{Place, PlaceArguments};
use super::print_or_complain;
use super::shown::{as_seen_from_here, counted, in_a_line, seen_from};
use super::uses::ListFormat;
use super::workspace::absolute;
use crate::data::{Files as _, PathKind};
use crate::engine::cases::in_a_list;
use crate::engine::{Caller, Evaluator};
use crate::facts::Node;
use crate::ide::changes::first_line;
use crate::world::{UnclearWay, UnseenModuleAt, UnusedConfig, WayToFile, parallel, paths};

/// The maximum number of names of nodes that are shown to people.
const MAX_NAMES: usize = 40;

/// The arguments.
#[derive(Debug, Args)]
pub struct ReadersArguments {
    /// The data file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub place: PlaceArguments,
    /// Only these nodes: `all`, or names with * and ?, separated by commas
    #[arg(long, value_name = "all|GLOB,…", help_heading = "The nodes")]
    pub nodes: Option<String>,
    /// A directory of fact sets: the name of each file is the name of its node, unless it has several. Or one file
    #[arg(long, value_name = "DIR|FILE", help_heading = "The nodes")]
    pub facts: Option<PathBuf>,
    /// text, or jsonl: one JSON object {"file", "environment", "nodes", "perhaps", "modules", "cases", "unclear"} for each environment
    /// that reads the file
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "FORMAT")]
    pub render_as: ListFormat,
}

/// Runs the command.
pub fn run(arguments: &ReadersArguments) -> ExitCode {
    print_or_complain(list(arguments))
}

/// The readers of a file.
struct Readers {
    path: Arc<str>,
    /// The paths by which levels read it through links.
    links: Vec<Arc<str>>,
    /// What users call the environment, and its directory.
    environment: Arc<str>,
    directory: String,
    /// Whether the workspace has several environments, and the file is in the directory of none or of another one.
    is_shared: bool,
    all: usize,
    certain: Vec<Arc<str>>,
    /// Nodes that are not completely known.
    perhaps: Vec<Arc<str>>,
    /// The nodes that read it only in lookups by a module, by the module.
    by_modules: BTreeMap<Arc<str>, Vec<Arc<str>>>,
    ways: Vec<WayToFile>,
    /// Levels that may lead to the file in other ways.
    unclear: Vec<UnclearWay>,
    /// The `hiera.yaml` that Puppet does not use, if that is why no hierarchy reads the file.
    unused: Option<UnusedConfig>,
    /// The module around it that Puppet does not see, for the same reason.
    unseen: Option<UnseenModuleAt>,
    /// Why every lookup fails, if Puppet refuses the `environment.conf` or the `hiera.yaml` of the environment.
    refusal: Option<String>,
}

fn list(arguments: &ReadersArguments) -> Result<String, String> {
    let path = absolute(&arguments.file)?;
    let (places, elsewhere) = arguments.place.open_for(&path)?;
    match places[0].world.kind(&path) {
        PathKind::File => {}
        PathKind::Directory => {
            return Err(format!("{path}: this is a directory; name a data file in it"));
        }
        PathKind::Missing => return Err(format!("{path}: no such file")),
    }
    let facts = arguments.facts.as_deref().map(fleet::fact_sets).transpose()?;
    let names = arguments.nodes.as_deref();
    let wanted = Selection { names, facts: facts.as_deref(), elsewhere };
    let mut all = Vec::new();
    for place in &places {
        let nodes = fleet::nodes(place, wanted)?;
        // The nodes that the user names are all in other environments.
        if nodes.is_empty() && wanted.names.is_some() {
            continue;
        }
        all.push(readers(place, path.clone(), &nodes));
    }
    if all.is_empty() {
        let names = names.unwrap_or_default();
        return Err(format!(
            "--nodes {names}: no such node is in an environment that reads the file"
        ));
    }
    // An environment can have the module of the file, and no hierarchy that reads it.
    let are_unread = all.iter().all(Readers::is_unread);
    all.retain(|it| are_unread || !it.is_unread());
    if are_unread {
        all.truncate(1);
    }
    let texts = all.iter().map(|it| match arguments.render_as {
        ListFormat::Text => text(it),
        ListFormat::Jsonl => format!("{}\n", json_of(it)),
    });
    let between = if arguments.render_as == ListFormat::Text { "\n" } else { "" };
    Ok(texts.collect::<Vec<_>>().join(between))
}

impl Readers {
    /// Whether no hierarchy of the environment reads the file.
    fn is_unread(&self) -> bool {
        let Self { ways, unclear, certain, perhaps, .. } = self;
        ways.is_empty() && unclear.is_empty() && certain.is_empty() && perhaps.is_empty()
    }

    /// `in the environment dev, `, if it is not the directory of the file that says this.
    fn in_environment(&self) -> String {
        if self.is_shared {
            format!("in the environment {}, ", in_a_line(&self.environment))
        } else {
            String::new()
        }
    }
}

fn readers(place: &Place, path: String, nodes: &[Arc<Node>]) -> Readers {
    let Place { world, environment } = place;
    let links = world.links_to(environment, &path);
    let path: Arc<str> = path.into();
    // Links and the file itself are paths of the same data.
    let all_paths: Vec<Arc<str>> = [std::slice::from_ref(&path), &links].concat();
    let ways: Vec<_> =
        all_paths.iter().flat_map(|it| world.ways_to_file(environment, it)).collect();
    let unclear: Vec<_> =
        all_paths.iter().flat_map(|it| world.unclear_ways_to_file(environment, it)).collect();
    // A node that names another environment may read a file that no other node reads.
    let modules: BTreeSet<Option<Arc<str>>> =
        all_paths.iter().flat_map(|it| world.layers_of_file(environment, it)).collect();
    let is_obscure = unclear.iter().any(|it| it.is_obscure);
    let found = parallel::map(nodes, |node| {
        let evaluator = world.exact_evaluator(environment, node, world.back_ends());
        let of_code = world.code_scopes(environment).of_node(node);
        let evaluator = evaluator.with_code_variables(of_code);
        let is_any = |reads: &dyn Fn(Option<&str>, &Arc<str>) -> bool| {
            modules.iter().any(|module| all_paths.iter().any(|it| reads(module.as_deref(), it)))
        };
        let is_read = is_any(&|module, path| evaluator.reads(module, path));
        let may_be = || {
            if is_obscure {
                is_any(&|module, path| evaluator.may_read_somehow(module, path))
            } else {
                is_any(&|module, path| evaluator.may_read(module, path))
            }
        };
        (is_read, !is_read && may_be())
    });
    let named = |wanted: fn(&(bool, bool)) -> bool| {
        let pairs = nodes.iter().zip(&found).filter(|(_, it)| wanted(it));
        pairs.map(|(node, _)| node.name.clone()).collect()
    };
    let (certain, perhaps): (Vec<Arc<str>>, _) = (named(|it| it.0), named(|it| it.1));
    let others = nodes.iter().zip(&found).filter(|(_, it)| !it.0).map(|(node, _)| node);
    let by_modules = by_modules(place, &ways, &others.collect::<Vec<_>>(), |evaluator| {
        let mut pairs =
            modules.iter().flat_map(|module| all_paths.iter().map(move |it| (module, it)));
        pairs.any(|(module, path)| evaluator.reads(module.as_deref(), path))
    });
    let unused = world.unused_config_of(&path);
    let unseen = world.unseen_module(&path).filter(|_| environment.root.is_some());
    let directory = environment.directory().to_owned();
    let is_shared = paths::below(&directory, &path).is_none() && world.environments().len() > 1;
    Readers {
        path,
        links,
        environment: world.environment_label(environment),
        directory,
        is_shared,
        all: nodes.len(),
        certain,
        perhaps,
        by_modules,
        ways,
        unclear,
        unused,
        unseen,
        refusal: refusal(place),
    }
}

/// Those of some nodes that read the file in lookups by the modules that conditions name.
fn by_modules(
    place: &Place,
    ways: &[WayToFile],
    nodes: &[&Arc<Node>],
    reads: impl Fn(&Evaluator) -> bool + Sync,
) -> BTreeMap<Arc<str>, Vec<Arc<str>>> {
    let Place { world, environment } = place;
    let conditions = ways.iter().flat_map(|it| &it.conditions);
    let is_module = |name: &str| ["module_name", "calling_module"].contains(&name);
    let named = conditions.filter(|(name, text)| is_module(name) && !text.is_empty());
    let modules: BTreeSet<&Arc<str>> = named.map(|(_, text)| text).collect();
    let found = modules.into_iter().map(|module| {
        let caller = Caller::parameters_of(Some(module), None);
        let read = parallel::map(nodes, |node| {
            let evaluator = world.exact_evaluator(environment, node, world.back_ends());
            reads(&evaluator.called_from(caller))
        });
        let readers = nodes.iter().zip(read).filter(|(_, is_read)| *is_read);
        (Arc::clone(module), readers.map(|(node, _)| node.name.clone()).collect())
    });
    found.filter(|(_, readers): &(_, Vec<_>)| !readers.is_empty()).collect()
}

/// Why every lookup fails, if Puppet refuses the `environment.conf` or the `hiera.yaml` of the environment.
pub(super) fn refusal(place: &Place) -> Option<String> {
    let Place { world, environment } = place;
    let any = world.any_node(environment);
    let failure = world.new_evaluator(environment, &any).config_failure(None)?;
    let refused = environment.refusal.as_ref().map_or("hiera.yaml", |it| it.file);
    let failure = first_line(&failure);
    Some(format!("every lookup fails, because Puppet refuses {refused}: {failure}"))
}

fn text(readers: &Readers) -> String {
    let Readers { path, links, all, certain, perhaps, ways, unclear, .. } = readers;
    let Readers { unused, unseen, refusal, by_modules, .. } = readers;
    let within = readers.in_environment();
    let refusal = refusal.as_deref().map(|it| format!("{within}{}", in_a_line(it)));
    let path = in_a_line(as_seen_from_here(path));
    if readers.is_unread() {
        let why = unused.as_ref().map(|it| it.in_words(&in_a_line(as_seen_from_here(&it.path))));
        let why = why.or_else(|| {
            let UnseenModuleAt { name, why, .. } = unseen.as_ref()?;
            Some(format!("Puppet does not see the module {name}: {}", why.message))
        });
        let why = why.or(refusal);
        let why = why.map_or_else(String::new, |why| format!("{why}\n"));
        return format!("{path}: no hierarchy reads this file\n{why}");
    }
    if let Some(refusal) = refusal {
        return format!("{path}: {refusal}\n");
    }
    let mut text = format!("{path}: {within}");
    match all {
        0 => text.push_str("no nodes are known\n"),
        _ => {
            let _ = writeln!(text, "read by {} of {}", certain.len(), counted(*all, "node"));
        }
    }
    add_names(&mut text, certain);
    for (module, names) in by_modules {
        let count = counted(names.len(), "node");
        let module = in_a_line(module);
        let _ = writeln!(text, "Read for classes of module {module} by {count}:");
        add_names(&mut text, names);
    }
    if !links.is_empty() {
        text.push_str("Through the links\n");
        add_names(
            &mut text,
            &links.iter().map(|it| as_seen_from_here(it).into()).collect::<Vec<_>>(),
        );
    }
    if !perhaps.is_empty() {
        let _ =
            writeln!(text, "Perhaps read by {} with open facts:", counted(perhaps.len(), "node"));
        add_names(&mut text, perhaps);
    }
    if !ways.is_empty() {
        text.push_str("Read by any node\n");
    }
    for way in ways {
        let conditions = match way.in_words() {
            Some(conditions) => format!("where {conditions}"),
            None => "whatever its facts are".to_owned(),
        };
        add_way(&mut text, &conditions, &way.level, way.module.as_deref());
    }
    if !unclear.is_empty() {
        text.push_str("Perhaps read by any node\n");
    }
    for way in unclear {
        let conditions = if way.is_obscure {
            format!("depending on {}", in_a_list(&way.names))
        } else {
            format!("where {} contains a slash", way.names.join(" or "))
        };
        add_way(&mut text, &conditions, &way.level, way.module.as_deref());
    }
    text
}

fn add_way(text: &mut String, conditions: &str, level: &str, module: Option<&str>) {
    let module = module.map_or(String::new(), |it| format!(" of module {it}"));
    let (conditions, level) = (in_a_line(conditions), in_a_line(level));
    let _ = writeln!(text, "  {conditions} (level \"{level}\"{})", in_a_line(&module));
}

fn add_names(text: &mut String, names: &[Arc<str>]) {
    for name in names.iter().take(MAX_NAMES) {
        let _ = writeln!(text, "  {}", in_a_line(name));
    }
    if names.len() > MAX_NAMES {
        let _ = writeln!(text, "  and {} more", names.len() - MAX_NAMES);
    }
}

fn json_of(readers: &Readers) -> Json {
    let names = |names: &[Arc<str>]| names.iter().map(|it| Json::from(&**it)).collect::<Vec<_>>();
    let case = |way: &WayToFile| {
        let conditions = way.conditions.iter();
        let conditions: Map<String, Json> =
            conditions.map(|(name, text)| (name.to_string(), Json::from(&**text))).collect();
        json!({"if": conditions, "level": &*way.level, "module": way.module.as_deref()})
    };
    let unclear = |way: &UnclearWay| {
        let (level, module) = (&*way.level, way.module.as_deref());
        let variables: Vec<&str> = way.variables.iter().map(|it| &**it).collect();
        json!({"variables": variables, "slash": !way.is_obscure, "level": level, "module": module})
    };
    let path = seen_from(&readers.directory, &readers.path);
    let by_modules = readers.by_modules.iter();
    let by_modules: Map<String, Json> =
        by_modules.map(|(module, nodes)| (module.to_string(), names(nodes).into())).collect();
    json!({
        "file": path,
        "environment": &*readers.environment,
        "nodes": names(&readers.certain),
        "perhaps": names(&readers.perhaps),
        "modules": by_modules,
        "cases": readers.ways.iter().map(case).collect::<Vec<_>>(),
        "unclear": readers.unclear.iter().map(unclear).collect::<Vec<_>>(),
    })
}
