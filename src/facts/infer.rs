//! Nodes that no fact set tells of: machines whose names are names of data files, and the systems that a module supports.
//!
//! `nodes/%{trusted.certname}.yaml` and an existing `nodes/web01.example.com.yaml` tell that there is a node
//! web01.example.com, and nothing else of it. A file belongs to the templates that spell out most of its path: beside
//! `nodes/common/%{role}.yaml`, `common` is no machine of `nodes/%{site}/%{trusted.certname}.yaml`.

mod supported_systems;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use indexmap::IndexMap;

pub use self::supported_systems::supported_systems;
use super::open_path::{Fit, OpenPath, hole};
use super::variable;
use crate::data::Files;
use crate::syntax::interpolation::{self, Expression, Method};

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

impl Template {
    /// The path with a hole for each variable that `known` has no text for; `None` if it reads what is no variable, such as
    /// another key.
    pub fn open_path(&self, known: impl Fn(&str) -> Option<Arc<str>>) -> Option<OpenPath> {
        let text = format!("{}/{}", self.datadir, self.path);
        let member = self.mapped.as_ref().map(|mapped| &*mapped.member);
        let mut path = String::with_capacity(text.len());
        let mut done = 0;
        for token in interpolation::tokens(&text) {
            path.push_str(&text[done..token.range.start as usize]);
            done = token.range.end as usize;
            let name = match &token.expression {
                Expression::Empty => continue,
                Expression::Variable(name)
                | Expression::Call { method: Method::Scope, argument: name, .. } => name,
                Expression::Call { .. } => return None,
            };
            if member == Some(&**name) {
                path.push_str(&hole(MEMBER));
                continue;
            }
            let name = variable::name_of_text(name)?;
            path.push_str(&known(&name).map_or_else(|| hole(&name), |text| text.to_string()));
        }
        path.push_str(&text[done..]);
        Some(OpenPath::new(path.into(), self.is_glob))
    }
}

/// What stands for a member of a list in an open path: no variable is called so.
pub const MEMBER: &str = "[]";

/// What names a machine, the surest first.
const CERTNAMES: [&str; 3] = ["trusted.certname", "clientcert", "facts.networking.fqdn"];
const HOSTNAMES: [&str; 2] = ["trusted.hostname", "facts.networking.hostname"];

/// A machine that has a data file of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// Its name: the text of the variable that names machines in the file's path.
    pub name: Arc<str>,
    /// That variable, such as `trusted.certname`.
    pub variable: Arc<str>,
}

/// The machines that have a data file of their own, in the order of templates and files. `known`: the texts of variables that
/// are the same for all of them.
pub fn machines(
    templates: &[Template],
    files: &dyn Files,
    known: impl Fn(&str) -> Option<Arc<str>>,
) -> Vec<Machine> {
    let paths: Vec<OpenPath> = templates.iter().filter_map(|it| it.open_path(&known)).collect();
    let mut names: IndexMap<Arc<str>, Arc<str>> = IndexMap::new();
    let mut hostnames: IndexMap<Arc<str>, Arc<str>> = IndexMap::new();
    for path in &paths {
        let variables = path.variables();
        if !variables.iter().any(|name| names_machines(name)) {
            continue;
        }
        let rivals: Vec<&OpenPath> =
            paths.iter().filter(|other| other.literal_names() > path.literal_names()).collect();
        for fit in path.fits(files) {
            let is_rivals =
                rivals.iter().any(|it| !it.fits_among([&fit.path].into_iter()).is_empty());
            if is_rivals {
                continue;
            }
            if let Some((variable, name)) = text_of(&fit, |name| CERTNAMES.contains(&name)) {
                names.entry(name).or_insert(variable);
            } else if let Some((variable, name)) = text_of(&fit, |name| HOSTNAMES.contains(&name)) {
                hostnames.entry(name).or_insert(variable);
            } else if let Some((variable, name)) = text_of(&fit, names_machines) {
                names.entry(name).or_insert(variable);
            }
        }
    }
    let first_names: HashSet<String> =
        names.keys().filter_map(|it| Some(it.split_once('.')?.0.to_owned())).collect();
    names.extend(hostnames.into_iter().filter(|(it, _)| !first_names.contains(&**it)));
    names.into_iter().map(|(name, variable)| Machine { name, variable }).collect()
}

fn text_of(fit: &Fit, is_wanted: impl Fn(&str) -> bool) -> Option<(Arc<str>, Arc<str>)> {
    fit.texts.iter().find(|(name, text)| is_wanted(name) && !text.is_empty()).cloned()
}

/// Whether a variable tells machines apart.
pub fn names_machines(variable: &str) -> bool {
    let last = variable.rsplit(['.', ':']).next().unwrap_or(variable);
    ["certname", "clientcert", "hostname", "host", "fqdn", "nodename", "node"].contains(&last)
        || ["_host", "_hostname", "_fqdn", "_certname"].iter().any(|it| last.ends_with(it))
}
