//! Sample nodes where no fact set exists: made up from the hierarchy's path templates and the files that are there.
//!
//! `nodes/%{trusted.certname}.yaml` and an existing `nodes/web01.example.com.yaml` give the node web01.example.com. Its
//! other variables are filled from the other levels, so that as many levels as possible have a file:
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
#[cfg(test)]
mod tests;
mod variables;

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;

use self::files::{Level, Row};
use self::fill::Filler;
use self::variables::Variables;
use super::NodeParts;
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
}

/// What a directory holds, sorted by bytes; empty if it does not exist. [`crate::data::Files::list`] is one.
pub type ListDirectory<'a> = &'a dyn Fn(&str) -> Arc<[DirItem]>;

/// The nodes that `templates` (in the hierarchy's order) and the existing files suggest; at least one.
///
/// There is one node per file of the levels whose paths name a machine (`trusted.certname`, `clientcert`, `fqdn`,
/// `hostname`, or a name that ends in `host`), of all such levels together; where there are none, one per file of the
/// first level with variables that has files. Nodes come in the order of levels and files.
pub fn infer(templates: &[Template], list: ListDirectory<'_>) -> Vec<NodeParts> {
    infer_some(templates, list, &|_, _| true)
}

/// [`infer`], with only the names of nodes that nobody wants: `is_wanted` is asked with a node's number and name.
pub fn infer_some(
    templates: &[Template],
    list: ListDirectory<'_>,
    is_wanted: &dyn Fn(usize, &str) -> bool,
) -> Vec<NodeParts> {
    let mut variables = Variables::default();
    let levels: Vec<Level> = templates
        .iter()
        .filter_map(|template| files::level(template, list, &mut variables))
        .collect();
    let names_a_machine = |level: &&Level| level.variables().any(|it| variables.is_machine(it));
    let mut seeds: Vec<Row> = Vec::new();
    for level in levels.iter().filter(names_a_machine) {
        seeds.extend(level.rows.iter().cloned());
    }
    if seeds.is_empty() {
        let first = levels.iter().find(|level| !level.rows.is_empty());
        seeds.extend(first.into_iter().flat_map(|level| level.rows.iter().cloned()));
    }
    let filler = Filler::new(&levels, &variables);
    let mut nodes: Vec<NodeParts> = Vec::new();
    for (number, (name, seed)) in join_seeds(&seeds, &variables).into_iter().enumerate() {
        nodes.push(if is_wanted(number, &name) {
            let row = filler.fill(&name, &seed);
            variables.parts(name, &row)
        } else {
            NodeParts { name, ..NodeParts::default() }
        });
    }
    if nodes.is_empty() {
        return vec![NodeParts { name: UNKNOWN_NODE.to_owned(), ..NodeParts::default() }];
    }
    nodes
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
