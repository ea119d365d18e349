//! Nodes without fact sets: machines whose names are names of data files, and the systems that a module supports.
//!
//! If there is a `nodes/%{trusted.certname}.yaml` and a file `nodes/web01.example.com.yaml`, there is a node
//! web01.example.com, and nothing else is known of it. A file belongs to the templates that spell out most of its path: if
//! there is also `nodes/common/%{role}.yaml`, `common` is not a machine of `nodes/%{site}/%{trusted.certname}.yaml`.

mod supported_systems;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use indexmap::IndexMap;
use indexmap::map::Entry;

pub use self::supported_systems::supported_systems;
use super::open_path::{Fit, OpenPath, hole};
use super::variable::HOSTNAMES;
use super::{mapped, variable};
use crate::config::hiera_yaml::{Level, Locations};
use crate::data::{Files, Located, inspect};
use crate::syntax::interpolation::{self, Expression, Method};

/// One path of a hierarchy level: both parts may contain `%{…}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// The absolute data directory, such as `/repo/data` or `/repo/hieradata/%{environment}`.
    pub datadir: String,
    /// The path below it, with its extension: an item of `path`, `paths`, `glob` or `globs`.
    pub path: String,
    /// Whether `*` and `?` match any name (`glob`, `globs`).
    pub is_glob: bool,
    /// The first members of `mapped_paths`, if the path is one.
    pub mapped: Option<Mapped>,
}

/// The first two members of `mapped_paths`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapped {
    /// The variable that contains a list, such as `teams` or `facts.teams`.
    pub variable: String,
    /// The template's variable for each member of the list, such as `team`.
    pub member: String,
}

impl Template {
    /// The templates of a level, each with what is written. `datadir` is the data directory of the level.
    pub fn all_of<'l>(level: &'l Level, datadir: &str) -> Vec<(&'l Located, Self)> {
        let (templates, is_glob): (&[Located], bool) = match &level.locations {
            Locations::Paths(templates) => (templates, false),
            Locations::Globs(templates) => (templates, true),
            // The first two parts of `mapped_paths` name the variable and its member. Only the rest are templates.
            Locations::MappedPaths(parts) => (&parts[2..], false),
            // A URI is never a file, even if it looks like a path.
            Locations::Uris(_) | Locations::None => (&[], false),
        };
        let mapped = if let Locations::MappedPaths(parts) = &level.locations {
            let [variable, member] = [&parts[0], &parts[1]].map(|it| inspect::to_s(&it.value));
            Some(Mapped { variable, member })
        } else {
            None
        };
        let template = |written: &'l Located| {
            let path = level.with_extension(inspect::to_s(&written.value).into()).to_string();
            let (datadir, mapped) = (datadir.to_owned(), mapped.clone());
            (written, Self { datadir, path, is_glob, mapped })
        };
        templates.iter().map(template).collect()
    }

    /// The path if nothing is known of a node but the name of its environment.
    pub fn path_of_any_node(&self, environment: Option<&str>) -> Option<OpenPath> {
        let is_environment =
            |name: &str| variable::name_of_text(name).is_some_and(|it| &*it == "environment");
        self.open_path(|name| environment.filter(|_| is_environment(name)).map(Arc::from))
    }

    /// The path with a hole for each variable for which `known` has no text; it gets the name as written. `None` if it reads
    /// something other than variables, such as another key.
    pub fn open_path(&self, known: impl Fn(&str) -> Option<Arc<str>>) -> Option<OpenPath> {
        let text = format!("{}/{}", self.datadir, self.path);
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
            if let Some(mapped) = &self.mapped
                && let Some(part) = mapped::part_read_by(&mapped.member, name)
            {
                let list = &*mapped.variable;
                let list = variable::name_of_text(list).unwrap_or_else(|| list.into());
                path.push_str(&hole(&mapped::member_of(&list, &part)));
                continue;
            }
            let canonical = variable::name_of_text(name)?;
            path.push_str(&known(name).map_or_else(|| hole(&canonical), |text| text.to_string()));
        }
        path.push_str(&text[done..]);
        Some(OpenPath::new(path.into(), self.is_glob))
    }

    /// The name by which the template reads a variable: `facts.role` for `role`.
    pub fn name_in_template(&self, variable: &str) -> Option<Arc<str>> {
        if mapped::is_member(variable) {
            return mapped::in_list(variable, &self.mapped.as_ref()?.variable);
        }
        let text = format!("{}/{}", self.datadir, self.path);
        interpolation::tokens(&text).iter().find_map(|token| {
            let (name, _) = token.variable()?;
            let is_it = variable::name_of_text(name).is_some_and(|it| *it == *variable);
            is_it.then(|| name.strip_prefix("::").map_or_else(|| Arc::clone(name), Arc::from))
        })
    }
}

/// The variables whose text is usually the certname, the most certain first.
pub const CERTNAMES: [&str; 3] = ["trusted.certname", "clientcert", "facts.networking.fqdn"];
const DOMAINS: [&str; 2] = ["trusted.domain", "facts.networking.domain"];

/// A machine that has its own data file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// Its name: the text of the naming variable in the file's path, with the domain if the path has one.
    pub name: Arc<str>,
    /// The variables that have this name as their value, such as `trusted.certname`. None has that of a host name and a domain.
    pub variables: Vec<Arc<str>>,
}

/// The machines that have their own data file, in the order of templates and files. `known` returns the texts of variables
/// that are the same for all of them.
pub fn machines(
    templates: &[Template],
    files: &dyn Files,
    known: impl Fn(&str) -> Option<Arc<str>>,
) -> Vec<Machine> {
    let paths: Vec<OpenPath> = templates.iter().filter_map(|it| it.open_path(&known)).collect();
    let mut names: IndexMap<Arc<str>, Vec<Arc<str>>> = IndexMap::new();
    let mut hostnames: IndexMap<Arc<str>, Vec<Arc<str>>> = IndexMap::new();
    for path in &paths {
        let variables = path.variables();
        if !variables.iter().any(|name| names_machines(name)) {
            continue;
        }
        let rivals: Vec<&OpenPath> =
            paths.iter().filter(|other| other.literal_names() > path.literal_names()).collect();
        for fit in one_for_each_file(path.fits(files).unwrap_or_default()) {
            if rivals.iter().any(|it| it.may_lead_to(&fit.path)) {
                continue;
            }
            if let Some((variable, name)) = text_of(&fit, |name| CERTNAMES.contains(&name)) {
                add_once(names.entry(name).or_default(), variable);
            } else if let Some((variable, name)) = text_of(&fit, |name| HOSTNAMES.contains(&name)) {
                match text_of(&fit, |name| DOMAINS.contains(&name)) {
                    Some((_, domain)) => {
                        names.entry(format!("{name}.{domain}").into()).or_default();
                    }
                    None => add_once(hostnames.entry(name).or_default(), variable),
                }
            } else if let Some((variable, name)) = text_of(&fit, names_machines) {
                // Of a machine that is known by its certname, nothing says that another variable has the same text.
                names.entry(name).or_insert_with(|| vec![variable]);
            }
        }
    }
    // A hostname that is the first part of a certname belongs to the same machine.
    let first_names: HashSet<String> =
        names.keys().filter_map(|it| Some(it.split_once('.')?.0.to_owned())).collect();
    for (name, variables) in hostnames {
        if !first_names.contains(&*name) {
            names.entry(name).or_default().extend(variables);
        }
    }
    names.into_iter().map(|(name, variables)| Machine { name, variables }).collect()
}

fn add_once(variables: &mut Vec<Arc<str>>, variable: Arc<str>) {
    if !variables.contains(&variable) {
        variables.push(variable);
    }
}

/// A glob such as `%{trusted.certname}*.yaml` fits a file with any first part of its name. The whole name is that of the machine.
fn one_for_each_file(fits: Vec<Fit>) -> Vec<Fit> {
    let length = |fit: &Fit| text_of(fit, names_machines).map_or(0, |(_, text)| text.len());
    let mut files: IndexMap<Arc<str>, Fit> = IndexMap::with_capacity(fits.len());
    for fit in fits {
        match files.entry(Arc::clone(&fit.path)) {
            Entry::Vacant(it) => {
                it.insert(fit);
            }
            Entry::Occupied(mut known) if length(known.get()) < length(&fit) => {
                known.insert(fit);
            }
            Entry::Occupied(_) => {}
        }
    }
    files.into_values().collect()
}

fn text_of(fit: &Fit, is_wanted: impl Fn(&str) -> bool) -> Option<(Arc<str>, Arc<str>)> {
    fit.texts.iter().find(|(name, text)| is_wanted(name) && !text.is_empty()).cloned()
}

/// Whether a variable distinguishes machines.
pub fn names_machines(variable: &str) -> bool {
    let last = variable.rsplit(['.', ':']).next().unwrap_or(variable);
    let is_name = ["certname", "clientcert", "hostname", "host", "fqdn", "nodename", "node"]
        .contains(&last)
        || ["_host", "_hostname", "_fqdn", "_certname"].iter().any(|it| last.ends_with(it));
    // The `name.host` of the members of a list is not the name of the node.
    is_name && !mapped::is_member(variable)
}
