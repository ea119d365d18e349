//! Lookups from code of a module. Their scope has variables that the top scope does not have, such as `$module_name`.

use std::sync::{Arc, PoisonError};

use super::budget::CancelToken;
use super::evaluator::Evaluator;
use super::request::{Answer, Request};

/// The code that calls a lookup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller<'a> {
    /// The module that it belongs to; `None` for code of the environment itself.
    pub module: Option<&'a str>,
    /// The class, if a class calls.
    pub class: Option<&'a str>,
}

/// Evaluators for other callers, with the module and the class.
pub(super) type OfCallers = Vec<(Option<Arc<str>>, Option<Arc<str>>, Arc<Evaluator>)>;

/// The number of evaluators for other callers that are kept: most callers in a row are those of one module.
const MAX_KEPT: usize = 16;

/// Whether a variable, as it is written, depends on the code that calls.
pub(crate) fn depends_on_caller(name: &str) -> bool {
    matches!(name, "module_name" | "caller_module_name" | "title" | "name")
}

impl<'a> Caller<'a> {
    /// Puppet itself, which looks up the parameters of the classes of a module. `$title` is then still that of the class `main`.
    pub fn parameters_of(module: Option<&'a str>) -> Self {
        Self { module, class: None }
    }

    /// Whether lookups in the top scope have the same variables.
    fn is_main(self) -> bool {
        self.module.is_none() && self.class.is_none()
    }
}

impl Evaluator {
    /// [`Self::call`] from code.
    pub fn call_from(&self, caller: Caller<'_>, request: &Request) -> Answer {
        self.seen_from(caller, |evaluator| evaluator.call(request))
    }

    /// [`Self::answer_with_sources`] from code.
    pub fn answer_from(&self, caller: Caller<'_>, key: &str, cancel: &CancelToken) -> Arc<Answer> {
        self.seen_from(caller, |evaluator| evaluator.answer_with_sources(key, cancel))
    }

    /// What `look_up` returns for the evaluator of a caller. Hardly any data reads what depends on it, and then this evaluator
    /// finds the same.
    fn seen_from<T>(&self, caller: Caller<'_>, look_up: impl Fn(&Self) -> T) -> T {
        if caller.is_main() {
            return look_up(self);
        }
        let found = self.prepared().whoever_calls(|| look_up(self));
        found.unwrap_or_else(|| look_up(&self.called_from(caller)))
    }

    /// The evaluator whose lookups are those of a caller.
    pub fn called_from(&self, caller: Caller<'_>) -> Arc<Self> {
        let Caller { module, class } = caller;
        let mut known = self.of_callers.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |of: &(Option<Arc<str>>, Option<Arc<str>>, _)| {
            of.0.as_deref() == module && of.1.as_deref() == class
        };
        if let Some((.., known)) = known.iter().find(|it| is_it(it)) {
            return Arc::clone(known);
        }
        let node = self.node().within(module.unwrap_or_default(), class);
        let made = Arc::new(self.for_node(Arc::new(node)));
        known.insert(0, (module.map(Arc::from), class.map(Arc::from), Arc::clone(&made)));
        known.truncate(MAX_KEPT);
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Environment, PuppetVersion};
    use crate::data::memory::MemoryFiles;
    use crate::data::{Files, inspect};
    use crate::facts::{Node, NodeParts, Origin};

    /// Recorded from catalogs of Puppet 7.23 and 8.11.
    #[test]
    fn a_class_has_variables_of_its_own() {
        let files = MemoryFiles::new([
            (
                "/e/hiera.yaml",
                "version: 5\nhierarchy:\n- {name: m, path: 'mods/%{module_name}.yaml'}\n- {name: c, path: c.yaml}\n",
            ),
            (
                "/e/data/c.yaml",
                "k: common\ntext: '%{module_name} %{title} %{name} %{::module_name}'\n",
            ),
            ("/e/data/mods/m.yaml", "k: of m\n"),
        ]);
        let environment = Environment { root: Some("/e".into()), ..Environment::default() };
        let (files, environment) = (Arc::new(files) as Arc<dyn Files>, Arc::new(environment));
        let parts = || NodeParts { name: "n".into(), ..NodeParts::default() };
        let complete = Node::new(parts(), Origin::File("/f.yaml".into()));
        for node in [complete, Node::partial(parts(), &[], Origin::Name)] {
            let (files, environment) = (Arc::clone(&files), Arc::clone(&environment));
            let evaluator = Evaluator::new(files, environment, Arc::new(node), PuppetVersion::V8);
            let check = |caller: Caller<'_>, key: &str, expected: &str| {
                let found = evaluator.call_from(caller, &Request::key(key)).outcome;
                let shown = found.ok().flatten().map(|it| inspect::inspect(&it.value));
                assert_eq!(shown.as_deref(), Some(expected), "{key} from {caller:?}");
            };
            let (main, parameters) =
                (Caller::parameters_of(None), Caller::parameters_of(Some("m")));
            let class = Caller { module: Some("m"), class: Some("m::sub") };
            check(main, "k", r#""common""#);
            check(parameters, "k", r#""of m""#);
            check(class, "k", r#""of m""#);
            check(Caller::parameters_of(Some("q")), "k", r#""common""#);
            check(main, "text", r#"" main main ""#);
            check(parameters, "text", r#""m main main ""#);
            check(class, "text", r#""m m::sub m::sub ""#);
        }
    }
}
