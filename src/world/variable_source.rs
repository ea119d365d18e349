//! Where a variable of a node with a fact set comes from. Not all of its variables are in the fact set: Puppet and the settings
//! set some.

use super::nodes::{of_all_nodes, parts_of};
use super::paths;
use super::snapshot::World;
use crate::data::{Files as _, Hash, Value};
use crate::engine::sources::dig_value;
use crate::facts::{Node, NodeParts, Origin, formats};
use crate::settings::PROJECT_FILE;
use crate::syntax::key_path::{KeyPath, Segment};

/// The origin of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableSource {
    /// The file with the node's facts.
    FactSet,
    /// The settings.
    Settings,
    /// Puppet, which sets it to the name of the environment.
    Environment,
    /// Puppet, which reads data in the class `main`.
    MainClass,
    /// The node's name, because the fact set does not say it.
    Name,
    /// Puppet's usual value, because the fact set does not say it.
    Assumed,
}

impl World {
    /// The origin of a variable of a node with a fact set; `None` if it is not known.
    pub fn variable_source(&self, node: &Node, path: &KeyPath) -> Option<VariableSource> {
        let Origin::File(file) = &node.origin else { return None };
        let root = path.root_name()?;
        let root = root.strip_prefix("::").unwrap_or(root);
        let member = match path.rest.first() {
            Some(Segment::Name(name)) => Some(&**name),
            _ => None,
        };
        match (root, member) {
            ("name" | "title", _) => return Some(VariableSource::MainClass),
            ("environment", _) | ("server_facts", Some("environment")) => {
                return Some(VariableSource::Environment);
            }
            ("facts", None) => return Some(VariableSource::FactSet),
            // The members of the whole hash have several origins.
            ("trusted" | "server_facts", None) => return None,
            _ => {}
        }
        let says = |parts: &NodeParts| says(parts, root, &path.rest);
        let is_project_file = paths::file_name(file) == PROJECT_FILE;
        if self.settings().nodes.get(&node.name).is_some_and(|it| says(&parts_of(it))) {
            let source = VariableSource::Settings;
            return Some(if is_project_file { VariableSource::FactSet } else { source });
        }
        let written = if is_project_file { None } else { self.fact_set(file, &node.name) };
        // Trusted data and server facts of the settings override those of files, and variables override facts of the same names.
        let has_variable = |it: &NodeParts| it.variables.get(root).is_some();
        if says(&of_all_nodes(self.settings())) && !written.as_ref().is_some_and(has_variable) {
            return Some(VariableSource::Settings);
        }
        match (root, member) {
            _ if written.as_ref().is_some_and(says) => Some(VariableSource::FactSet),
            ("trusted", Some("certname" | "hostname" | "domain")) => Some(VariableSource::Name),
            ("trusted" | "server_facts", _) => Some(VariableSource::Assumed),
            // It is in another file, such as the output of a classifier or the defaults of rspec-puppet.
            _ => None,
        }
    }

    /// What a file says of a node. A file for a single machine may call it otherwise.
    fn fact_set(&self, file: &str, name: &str) -> Option<NodeParts> {
        let text = self.text(file).ok()?;
        let mut nodes = formats::read(file, &text).0;
        let at = nodes.iter().position(|it| it.name == name).unwrap_or(0);
        (at < nodes.len()).then(|| nodes.swap_remove(at))
    }
}

/// Whether the parts of a node contain a variable, or the wanted part of one.
fn says(parts: &NodeParts, root: &str, rest: &[Segment]) -> bool {
    let has_part = |hash: &Hash| dig_value(&Value::hash(hash.clone()).into(), rest).is_some();
    match root {
        "facts" => has_part(&parts.facts),
        "trusted" => parts.trusted.as_ref().is_some_and(has_part),
        "server_facts" => parts.server_facts.as_ref().is_some_and(has_part),
        name => {
            let value = parts.variables.get(name).or_else(|| parts.facts.get(name));
            value.is_some_and(|it| dig_value(&it.value, rest).is_some())
        }
    }
}
