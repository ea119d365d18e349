//! Variables that code may have set when a lookup runs. `puppet lookup` evaluates no code and has none of them, so only an evaluator
//! that stands for catalogs knows them: for it, they are open.

use std::collections::HashSet;
use std::sync::Arc;

use super::evaluator::Evaluator;
use super::request::{Answer, Request};
use super::within::Caller;
use crate::code::summary::known_as;
use crate::facts::node::is_set_by_server;
use crate::facts::variable::VariablePath;
use crate::facts::{Basis, Reading};
use crate::syntax::key_path::KeyPath;
use crate::syntax::puppet::DeclarationKind;

/// The variables that code of an environment may set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeVariables {
    /// Those that the main manifests assign, and those of functions that look something up or include classes; without `$`.
    pub assigned: HashSet<Arc<str>>,
    /// The classes that the main manifests declare.
    pub declared: HashSet<Arc<str>>,
    /// The class that is not evaluated yet, because its parameters are being looked up.
    pub not_evaluated: Option<Arc<str>>,
    /// Those of scopes between the lookup and the top scope, such as the node's block. They hide facts of the same name.
    pub hiding: HashSet<Arc<str>>,
}

impl CodeVariables {
    /// Whether code may set the variable. Any class may have been evaluated before, also one that is not in the workspace.
    pub fn may_set(&self, name: &str) -> bool {
        let name = name.strip_prefix("::").unwrap_or(name);
        name.contains("::") && !self.is_too_early(name) || self.assigned.contains(name)
    }

    /// Whether code may hide what is known of the variable, as it is written. A leading `::` means the top scope.
    pub fn may_hide(&self, name: &str) -> bool {
        self.hiding.contains(name)
    }

    /// Whether a main manifest declares the class.
    pub(super) fn declares(&self, class: &str) -> bool {
        self.declared.contains(&*known_as(DeclarationKind::Class, class))
    }

    /// The same with more variables that hide others.
    #[must_use]
    pub fn hidden_by<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut other = self.clone();
        other.hiding.extend(names.into_iter().map(Arc::from));
        other
    }

    /// Whether the variable, without a leading `::`, is one of the class that is not evaluated yet.
    pub(super) fn is_too_early(&self, name: &str) -> bool {
        self.not_evaluated.as_ref().is_some_and(|class| is_of_class(name, class))
    }
}

/// Whether a variable, without a leading `::`, is one of this class. It may have members.
pub fn is_of_class(variable: &str, class: &str) -> bool {
    let name = variable.strip_prefix(class).and_then(|it| it.strip_prefix("::"));
    name.is_some_and(|it| !it.contains("::"))
}

/// Whether `path` reads a variable of a class, which only code sets.
pub(crate) fn is_variable_of_class(path: &KeyPath) -> bool {
    path.root_name().is_some_and(|root| {
        let unqualified = root.strip_prefix("::").unwrap_or(root);
        unqualified.contains("::") && !is_set_by_server(unqualified)
    })
}

impl Evaluator {
    /// Whether the variable that `path` reads is open although everything is known of the node.
    pub(super) fn leaves_open(&self, path: &KeyPath) -> bool {
        self.node().leaves_to_server(path) || self.leaves_to_code(path)
    }

    fn leaves_to_code(&self, path: &KeyPath) -> bool {
        self.may_differ(path) || self.is_of_code(path, CodeVariables::may_set)
    }

    /// Whether the variable that `path` reads may have another value in catalogs than the one that the node has.
    fn may_differ(&self, path: &KeyPath) -> bool {
        self.may_be_hidden(path) || self.code_variables().is_some() && self.node().assumes(path)
    }

    /// Whether `is_it` for the variable that `path` reads, without a leading `::`, if it is none of the node's.
    fn is_of_code(&self, path: &KeyPath, is_it: fn(&CodeVariables, &str) -> bool) -> bool {
        let Some((variables, root)) = self.code_variables().zip(path.root_name()) else {
            return false;
        };
        let unqualified = root.strip_prefix("::").unwrap_or(root);
        is_it(variables, unqualified) && self.node().variable(unqualified).is_none()
    }

    /// The result of the lookup of a parameter of a class. Puppet looks the parameters up before it evaluates the class, so variables of
    /// the class are not set then.
    pub fn parameter_of(&self, class: &str, caller: Caller<'_>, request: &Request) -> Answer {
        let answer = self.call_from(caller, request);
        let of_class = |it: &Arc<str>| is_of_class(it, class);
        let variables = self.code_variables();
        // Hardly any data reads such a variable, and this evaluator has what other lookups found.
        let Some(variables) = variables.filter(|_| answer.may_depend_on(of_class)) else {
            return answer;
        };
        let variables =
            CodeVariables { not_evaluated: Some(class.into()), ..CodeVariables::clone(variables) };
        let before = self.for_node(Arc::clone(self.node()));
        before.with_code_variables(Arc::new(variables)).call_from(caller, request)
    }

    /// Whether the variable that `path` reads is one of the class that is not evaluated yet.
    fn is_too_early(&self, path: &KeyPath) -> bool {
        self.is_of_code(path, CodeVariables::is_too_early)
    }

    /// Whether code may hide what is known of the variable that `path` reads.
    pub(super) fn may_be_hidden(&self, path: &KeyPath) -> bool {
        let may_hide = |it: &CodeVariables| path.root_name().is_some_and(|root| it.may_hide(root));
        // What the path of a file requires is the value that Hiera reads.
        self.code_variables().is_some_and(may_hide)
            && self.node().basis_of(path) != Some(Basis::Path)
    }

    /// The state of a variable of the node, which code may have set.
    pub(super) fn read_variable(&self, variable: &VariablePath) -> Reading {
        if self.is_too_early(&variable.path) {
            return Reading::Unset;
        }
        let read = self.node().read_variable(variable);
        if matches!(read, Reading::Open(_))
            && self.code_variables().is_none()
            && is_variable_of_class(&variable.path)
        {
            // Without code, no class is evaluated, whatever the node is.
            return Reading::Unset;
        }
        let is_left_to_code = self.may_differ(&variable.path)
            || matches!(read, Reading::Unset) && self.leaves_to_code(&variable.path);
        if is_left_to_code && let Some(name) = self.node().name_of(variable) {
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
    use crate::data::{Files, Value, inspect};
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
                "k: common\nother: 1\ntext: '%{p::tier} %{fact}'\nnone: '%{none}'\ntop: '%{::::none}'\n",
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
        let variables = CodeVariables { assigned: top("role"), ..CodeVariables::default() };
        let variables = Arc::new(variables);
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
        let top = "Undefined variable '::::none'; ";
        check("top", [top, top]);
    }

    /// `puppet lookup` evaluates no class, so nothing else has to be known of the node.
    #[test]
    fn variables_of_classes_are_not_set_without_code() {
        let files = MemoryFiles::new([
            (
                "/e/hiera.yaml",
                "version: 5\nhierarchy:\n- {name: r, path: 'tiers/%{m::tier}.yaml'}\n- {name: c, path: c.yaml}\n",
            ),
            (
                "/e/data/c.yaml",
                "k: common\ntext: '%{::m::tier}'\nserver: '%{settings::x}'\nfact: '%{x}'\n",
            ),
            ("/e/data/tiers/1.yaml", "k: tier\n"),
        ]);
        let environment = Environment { root: Some("/e".into()), ..Environment::default() };
        let (files, environment) = (Arc::new(files) as Arc<dyn Files>, Arc::new(environment));
        let parts = || NodeParts { name: "n".into(), ..NodeParts::default() };
        let new = |version| {
            let (files, environment) = (Arc::clone(&files), Arc::clone(&environment));
            let node = Arc::new(Node::partial(parts(), &[], Origin::Name));
            Evaluator::new(files, environment, node, version)
        };
        let find = |evaluator: &Evaluator, key: &str| {
            let answer = evaluator.lookup(key);
            let value = match &answer.outcome {
                Ok(Some(value)) => inspect::to_s(&value.value),
                Ok(None) => "nothing".to_owned(),
                Err(failure) => failure.message.to_string(),
            };
            (value, answer.depends_on().join(", "))
        };
        let check = |evaluator: &Evaluator, key: &str, value: &str, depends: &str| {
            assert_eq!(find(evaluator, key), (value.to_owned(), depends.to_owned()), "{key}");
        };
        let (seven, eight) = (new(PuppetVersion::V7), new(PuppetVersion::V8));
        check(&eight, "k", "common", "");
        check(&eight, "text", "Undefined variable 'm::tier'; class m could not be found", "");
        check(&seven, "text", "", "");
        check(&eight, "server", "%{settings::x}", "");
        check(&eight, "fact", "%{x}", "");
        let in_catalogs = eight.with_code_variables(Arc::default());
        let (text, _) = find(&in_catalogs, "text");
        assert!(text.starts_with("%{"), "{text}");
    }

    /// Recorded from catalogs of Puppet 7.23 and 8.11.
    #[test]
    fn variables_of_a_class_are_not_set_while_its_parameters_are_looked_up() {
        let files = MemoryFiles::new([
            (
                "/e/hiera.yaml",
                "version: 5\nhierarchy:\n- {name: t, path: 'tiers/%{m::tier}.yaml'}\n- {name: c, path: c.yaml}\n",
            ),
            (
                "/e/data/c.yaml",
                "m::file: '%{m::dir}/x'\nm::nested: \"%{lookup('other')}\"\nother: '%{::m::dir}'\nm::port: 1\n\
                 m::sub::file: '%{m::dir}/%{m::sub::x}'\n",
            ),
            ("/e/data/tiers/1.yaml", "m::port: 2\n"),
        ]);
        let environment = Environment { root: Some("/e".into()), ..Environment::default() };
        let (files, environment) = (Arc::new(files) as Arc<dyn Files>, Arc::new(environment));
        let parts = || NodeParts { name: "n".into(), ..NodeParts::default() };
        let complete = Node::new(parts(), Origin::File("/f.yaml".into()));
        for node in [complete, Node::partial(parts(), &[], Origin::Name)] {
            let find = |version, class: &str, key: &str| {
                let (files, environment) = (Arc::clone(&files), Arc::clone(&environment));
                let evaluator = Evaluator::new(files, environment, Arc::new(node.clone()), version)
                    .with_code_variables(Arc::default());
                let request = Request::key(key);
                let answer = evaluator.parameter_of(class, Caller::MAIN, &request);
                match &answer.outcome {
                    Ok(Some(value)) => inspect::inspect(&value.value),
                    Ok(None) => "nothing".to_owned(),
                    Err(failure) => failure.message.to_string(),
                }
            };
            let check = |class: &str, key: &str, expected: [&str; 2]| {
                let found = [PuppetVersion::V7, PuppetVersion::V8].map(|it| find(it, class, key));
                assert_eq!(found, expected, "{key} of {class}");
            };
            let too_early = "Undefined variable 'm::dir'; class m has not been evaluated";
            check("m", "m::file", [r#""/x""#, too_early]);
            check("m", "m::nested", [r#""""#, too_early]);
            check("m", "m::port", ["1", "1"]);
            let of_sub = "Undefined variable 'm::sub::x'; class m::sub has not been evaluated";
            check("m::sub", "m::sub::file", [r#""%{m::dir}/""#, of_sub]);
        }
    }

    #[test]
    fn variables_of_scopes_around_a_lookup_hide_facts() {
        let files = MemoryFiles::new([
            (
                "/e/hiera.yaml",
                "version: 5\nhierarchy:\n- {name: r, path: '%{role}.yaml'}\n- {name: t, path: '%{::role}.yaml'}\n",
            ),
            ("/e/data/web.yaml", "k: fact\ntext: '%{role} %{::role} %{facts.role}'\n"),
            ("/e/data/special.yaml", "k: special\n"),
        ]);
        let environment = Environment { root: Some("/e".into()), ..Environment::default() };
        let mut parts = NodeParts { name: "n".into(), ..NodeParts::default() };
        parts.set("role", &Value::string("web"));
        let node = Node::new(parts, Origin::File("/f.yaml".into()));
        let new = Evaluator::new(
            Arc::new(files),
            Arc::new(environment),
            Arc::new(node),
            PuppetVersion::V8,
        );
        let variables = CodeVariables::default().hidden_by(["role"]);
        let evaluator = new.with_code_variables(Arc::new(variables));
        let check = |key: &str, expected: &str| {
            let answer = evaluator.lookup(key);
            let value = answer.outcome.as_ref().ok().and_then(Option::as_ref);
            assert_eq!(value.map(|it| inspect::inspect(&it.value)).as_deref(), Some(expected));
            answer
        };
        assert_eq!(check("k", r#""fact""#).depends_on().join(" "), "role");
        assert_eq!(check("text", r#""%{role} web web""#).open.join(" "), "role");
    }
}
