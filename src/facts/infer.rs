//! Sample nodes where no fact set exists: made up from the hierarchy's path templates and the files that are there.
//!
//! `nodes/%{trusted.certname}.yaml` and an existing `nodes/web01.example.com.yaml` give the node web01.example.com. A file
//! that none of these nodes reads gives a node of its own, named after the file: `role/db.yaml` the node role/db. So there
//! is a node for whom each file counts. A file belongs to the templates that spell out most of its path: beside
//! `common/roles/%{role}.yaml`, `common` is nobody's `%{location}`. A node's other variables are filled from the other levels,
//! so that as many levels as possible have a file:
//! 1. What follows from the name follows: host name, domain, every spelling of the certname.
//! 2. A level that fits what is known with exactly one file says its variables.
//! 3. When no level is left that fits with one file, the one that fits with the file whose values occur most in the
//!    node's name takes that (`role/web.yaml` for web01); where none occurs, the first level takes its first file by
//!    bytes (the environment `production` before all others). Then 2 again.
//!
//! The outcome depends on nothing but templates and file names.

mod files;
mod fill;
mod pattern;
mod readers;
mod supported_systems;
#[cfg(test)]
mod tests;
mod variables;

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;

use self::files::{Level, Row};
use self::fill::Filler;
use self::readers::Readers;
pub use self::supported_systems::supported_systems;
use self::variables::Variables;
use super::NodeParts;
use super::formats::lay_over;
use crate::data::DirItem;

/// The most nodes that are made up, and the most files that a level is asked for.
pub const MAX_INFERRED_NODES: usize = 5_000;

/// The name of the node that is made up where nothing can be inferred.
pub const UNKNOWN_NODE: &str = "unknown";

/// One path of a hierarchy level: both parts may hold `%{…}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// The absolute data directory, e.g. `/repo/data` or `/repo/hieradata/%{environment}`.
    pub datadir: String,
    /// The path within, with its extension: an item of `path`, `paths`, `glob` or `globs`.
    pub path: String,
    /// Whether `*` and `?` match any name (`glob`, `globs`).
    pub is_glob: bool,
    /// Of `mapped_paths`.
    pub mapped: Option<Mapped>,
}

/// The first two members of `mapped_paths`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapped {
    /// The variable that holds a list, e.g. `teams` or `facts.teams`.
    pub variable: String,
    /// What the template calls each of its members, e.g. `team`.
    pub member: String,
}

/// What a directory holds, sorted by bytes; empty if it does not exist. [`crate::data::Files::list`] is one.
pub type ListDirectory<'a> = &'a dyn Fn(&str) -> Arc<[DirItem]>;

/// Which nodes somebody needs. Nobody else's variables are filled, and of those that come after it there is not even the
/// name.
#[derive(Debug, Clone, Copy)]
pub enum Wanted<'a> {
    /// All of them.
    All,
    /// The one of this name.
    Named(&'a str),
    /// The one of this name if there is one, and the first.
    NamedOrFirst(Option<&'a str>),
}

impl Wanted<'_> {
    /// Whether the node with this number and name is one of them.
    pub fn is(self, number: usize, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Named(wanted) => wanted == name,
            Self::NamedOrFirst(wanted) => number == 0 || wanted == Some(name),
        }
    }

    /// Whether no more nodes are needed than those of `seeds`.
    fn are_enough(self, seeds: &[Seed]) -> bool {
        match self {
            Self::All => false,
            Self::NamedOrFirst(None) => !seeds.is_empty(),
            Self::Named(wanted) | Self::NamedOrFirst(Some(wanted)) => {
                seeds.iter().any(|seed| seed.name == wanted)
            }
        }
    }
}

/// Where templates come from.
pub struct Templates<'a> {
    /// The hierarchy's, in its order: what nodes are made from.
    pub own: &'a [Template],
    /// Those of modules that belong to the environment; asked for only if all nodes are wanted.
    pub of_modules: &'a dyn Fn() -> Vec<Template>,
}

/// The nodes that templates and the existing files suggest; at least one.
///
/// First those of `known`, of whom something is known already. Then one node per file of the levels whose paths name a
/// machine (`trusted.certname`, `clientcert`, `fqdn`, `hostname`, or a name that ends in `host`), of all such levels
/// together. Then, level by level, one per file that none of the nodes before it reads, those of modules last. Nodes
/// come in the order of levels and files.
pub fn infer(
    templates: &Templates<'_>,
    list: ListDirectory<'_>,
    known: Vec<NodeParts>,
    wanted: Wanted<'_>,
) -> Vec<NodeParts> {
    let mut variables = Variables::default();
    let levels = files::levels(templates.own, list, &mut variables);
    let (of_machines, of_many) = of_machines_and_of_many(&levels, &variables);
    let machines: Vec<Row> = of_machines.iter().flat_map(|level| &level.rows).cloned().collect();
    let mut seeds: Vec<Seed> = known.into_iter().map(|it| Seed::known(it, &variables)).collect();
    seeds.extend(join_seeds(&machines, &variables).into_iter().map(Seed::machine));
    let fillers = Fillers::new(&levels, &of_many, &variables);
    if wanted.are_enough(&seeds) {
        let seeds = seeds.into_iter().enumerate();
        let node = |(number, seed): (usize, Seed)| {
            if wanted.is(number, &seed.name) {
                seed.node(&fillers.fill(&seed), &variables)
            } else {
                NodeParts { name: seed.name, ..NodeParts::default() }
            }
        };
        return seeds.map(node).collect();
    }
    let rows: Vec<Row> = seeds.iter().map(|seed| fillers.fill(seed)).collect();
    let with_rows = seeds.iter().zip(&rows);
    let mut nodes: Vec<_> = with_rows.map(|(seed, row)| seed.node(row, &variables)).collect();

    let mut wider = variables.clone();
    let of_modules = files::levels(&(templates.of_modules)(), list, &mut wider);
    let (_, of_modules) = of_machines_and_of_many(&of_modules, &wider);
    let fillers = Fillers::new(&levels, &of_many, &wider);
    let of_many_and_modules: Vec<&Level> = of_many.iter().chain(&of_modules).copied().collect();
    let mut readers = Readers::new(&of_many_and_modules, &mut nodes);
    readers.mark_all_of(&of_machines);
    for row in &rows {
        readers.mark(row);
    }
    readers.add_missing(&fillers, &wider);
    if nodes.is_empty() {
        return vec![NodeParts { name: UNKNOWN_NODE.to_owned(), ..NodeParts::default() }];
    }
    nodes
}

/// The levels whose paths name machines, and the others.
fn of_machines_and_of_many<'l>(
    levels: &'l [Level],
    variables: &Variables,
) -> (Vec<&'l Level>, Vec<&'l Level>) {
    levels.iter().partition(|level| level.variables().any(|it| variables.is_machine(it)))
}

/// What makes a node before it is filled.
struct Seed {
    name: String,
    row: Row,
    is_machine: bool,
    known: Option<NodeParts>,
}

impl Seed {
    fn machine((name, row): (String, Row)) -> Self {
        Self { name, row, is_machine: true, known: None }
    }

    fn known(parts: NodeParts, variables: &Variables) -> Self {
        let row = variables.row_of(&parts);
        Self { name: parts.name.clone(), row, is_machine: false, known: Some(parts) }
    }

    /// The node that it becomes, filled to `row`.
    fn node(&self, row: &Row, variables: &Variables) -> NodeParts {
        let mut parts = variables.parts(self.name.clone(), row);
        if let Some(known) = &self.known {
            lay_over(&mut parts, known);
        }
        parts
    }
}

/// Levels that name machines fill only nodes that are machines.
struct Fillers<'a> {
    of_machines: Filler<'a>,
    of_many: Filler<'a>,
}

impl<'a> Fillers<'a> {
    fn new(all: &'a [Level], of_many: &[&'a Level], variables: &'a Variables) -> Self {
        let all: Vec<&Level> = all.iter().collect();
        Self { of_machines: Filler::new(&all, variables), of_many: Filler::new(of_many, variables) }
    }

    fn fill(&self, seed: &Seed) -> Row {
        let filler = if seed.is_machine { &self.of_machines } else { &self.of_many };
        filler.fill(&seed.name, &seed.row)
    }
}

/// One row per machine, with its name: rows of the same machine are joined if they do not contradict each other; if
/// they do, the name of the later one tells what is different. A host name alone is that of the first certname that
/// begins with it.
fn join_seeds(seeds: &[Row], variables: &Variables) -> IndexMap<String, Row> {
    let mut joined: IndexMap<String, Row> = IndexMap::new();
    let mut by_hostname: HashMap<String, String> = HashMap::new();
    let (hosts, machines): (Vec<&Row>, Vec<&Row>) =
        seeds.iter().partition(|seed| variables.lone_hostname(seed).is_some());
    for seed in machines.into_iter().chain(hosts) {
        let whole = variables.lone_hostname(seed).and_then(|it| by_hostname.get(&**it)).cloned();
        let row = if whole.is_some() { seed.clone() } else { variables.with_what_follows(seed) };
        let name = whole.or_else(|| variables.machine_of(&row).map(|it| it.to_string()));
        let mut name = name.unwrap_or_else(|| seed.texts().join("-"));
        if joined.get(&name).is_some_and(|there| !there.agrees_with(&row)) {
            let others = row.texts().into_iter().filter(|it| !name.starts_with(&**it));
            name = format!("{name} ({})", others.collect::<Vec<_>>().join(", "));
        }
        if joined.len() == MAX_INFERRED_NODES && !joined.contains_key(&name) {
            break;
        }
        let hostname = name.split('.').next().unwrap_or(&name).to_owned();
        by_hostname.entry(hostname).or_insert_with(|| name.clone());
        joined.entry(name).or_default().take_missing_from(&row);
    }
    joined
}
