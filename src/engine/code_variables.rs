//! Variables that code may have set when a lookup runs. `puppet lookup` evaluates no code and has none of them, so only an evaluator
//! that stands for catalogs knows them: for it, they are open.

use std::collections::HashSet;
use std::sync::Arc;

use super::evaluator::Evaluator;
use crate::facts::Reading;
use crate::facts::variable::VariablePath;
use crate::syntax::key_path::KeyPath;

/// The variables that code of an environment may set.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CodeVariables {
    /// Those that the main manifests assign, without `$`.
    pub assigned: HashSet<Arc<str>>,
}

impl CodeVariables {
    /// Whether code may set the variable. Any class may have been evaluated before, also one that is not in the workspace.
    pub fn may_set(&self, name: &str) -> bool {
        let name = name.strip_prefix("::").unwrap_or(name);
        name.contains("::") || self.assigned.contains(name)
    }
}

impl Evaluator {
    /// Whether the variable that `path` reads is open although everything is known of the node.
    pub(super) fn leaves_open(&self, path: &KeyPath) -> bool {
        self.node().leaves_to_server(path) || self.leaves_to_code(path)
    }

    fn leaves_to_code(&self, path: &KeyPath) -> bool {
        let Some((variables, root)) = self.code_variables().zip(path.root_name()) else {
            return false;
        };
        let unqualified = root.strip_prefix("::").unwrap_or(root);
        variables.may_set(unqualified) && self.node().variable(unqualified).is_none()
    }

    /// The state of a variable of the node, which code may have set.
    pub(super) fn read_variable(&self, variable: &VariablePath) -> Reading {
        let read = self.node().read_variable(variable);
        if matches!(read, Reading::Unset)
            && self.leaves_to_code(&variable.path)
            && let Some(name) = self.node().name_of(variable)
        {
            return Reading::Open(name);
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Environment, PuppetVersion};
    use crate::data::memory::MemoryFiles;
    use crate::data::{Files, inspect};
    use crate::engine::Answer;
    use crate::facts::{Node, NodeParts, Origin};

    #[test]
    fn variables_of_code_are_open_in_catalogs_only() {
        let files = MemoryFiles::new([
            (
                "/e/hiera.yaml",
                "version: 5\nhierarchy:\n- {name: r, path: 'roles/%{role}.yaml'}\n- {name: c, path: c.yaml}\n",
            ),
            (
                "/e/data/c.yaml",
                "k: common\nother: 1\ntext: '%{p::tier} %{fact}'\nnone: '%{none}'\n",
            ),
            ("/e/data/roles/web.yaml", "k: web\n"),
        ]);
        let environment = Environment { root: Some("/e".into()), ..Environment::default() };
        let node = Node::new(
            NodeParts { name: "n".into(), ..NodeParts::default() },
            Origin::File("/f.yaml".into()),
        );
        let (files, environment) = (Arc::new(files) as Arc<dyn Files>, Arc::new(environment));
        let new = || {
            let (files, environment) = (Arc::clone(&files), Arc::clone(&environment));
            Evaluator::new(files, environment, Arc::new(node.clone()), PuppetVersion::V8)
        };
        let show = |answer: &Answer| {
            let value = match &answer.outcome {
                Ok(Some(value)) => inspect::inspect(&value.value),
                Ok(None) => "nothing".to_owned(),
                Err(failure) => failure.message.to_string(),
            };
            let depends = answer.depends_on().join(", ");
            if depends.is_empty() { value } else { format!("{value} depending on {depends}") }
        };
        let top = |name: &str| HashSet::from([Arc::from(name)]);
        let variables = Arc::new(CodeVariables { assigned: top("role") });
        let (alone, in_catalogs) = (new(), new().with_code_variables(variables));
        let check = |key: &str, expected: [&str; 2]| {
            let found = [&alone, &in_catalogs].map(|it| show(&it.lookup(key)));
            assert_eq!(found, expected, "{key}");
        };
        check("k", [r#""common""#, r#""common" depending on role"#]);
        check("other", ["1", "1"]);
        let text = "Undefined variable 'p::tier'; class p could not be found";
        check("text", [text, "Undefined variable 'fact'; "]);
        let none = "Undefined variable 'none'; ";
        check("none", [none, none]);
    }
}
