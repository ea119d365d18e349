//! Lookups from code of a module. Their scope has variables that the top scope does not have, such as `$module_name`.

use std::sync::{Arc, PoisonError};

use super::budget::CancelToken;
use super::evaluator::Evaluator;
use super::request::{Answer, Request};

/// The code that calls a lookup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Caller<'a> {
    /// The module that it belongs to; `None` for code of the environment itself.
    pub module: Option<&'a str>,
    /// The class, if a class calls.
    pub class: Option<&'a str>,
    /// The variables that only its own scope has. They hide others of the same name, and their values are not known.
    pub sets: &'a [String],
}

/// What is kept of a [`Caller`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CallerKey {
    module: Option<Arc<str>>,
    class: Option<Arc<str>>,
    sets: Box<[String]>,
}

/// Evaluators for other callers.
pub(super) type OfCallers = Vec<(CallerKey, Arc<Evaluator>)>;

/// The number of evaluators for other callers that are kept: most callers in a row are those of one module.
const MAX_KEPT: usize = 16;

/// Whether a variable, as it is written, depends on the code that calls.
pub(crate) fn depends_on_caller(name: &str) -> bool {
    matches!(name, "module_name" | "caller_module_name" | "title" | "name")
}

impl<'a> Caller<'a> {
    /// Puppet itself, which looks up the parameters of the classes of a module. `$title` is then still that of the class `main`.
    pub fn parameters_of(module: Option<&'a str>) -> Self {
        Self { module, class: None, sets: &[] }
    }

    /// Whether lookups in the top scope have the same variables.
    pub fn is_main(self) -> bool {
        self == Self::parameters_of(None)
    }

    /// What can be kept of it.
    pub fn key(self) -> CallerKey {
        let Self { module, class, sets } = self;
        CallerKey { module: module.map(Arc::from), class: class.map(Arc::from), sets: sets.into() }
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
        let find = || self.prepared().whoever_calls(|| look_up(self));
        let found = caller.sets.is_empty().then(find).flatten();
        found.unwrap_or_else(|| look_up(&self.called_from(caller)))
    }

    /// The evaluator whose lookups are those of a caller.
    pub fn called_from(&self, caller: Caller<'_>) -> Arc<Self> {
        let key = caller.key();
        let mut known = self.of_callers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = known.iter().find(|it| it.0 == key) {
            return Arc::clone(known);
        }
        let node = self.node().within(caller.module.unwrap_or_default(), caller.class);
        let mut made = self.for_node(Arc::new(node));
        if !caller.sets.is_empty() {
            let of_code = self.code_variables().cloned().unwrap_or_default();
            let of_code = of_code.hidden_by(caller.sets.iter().map(String::as_str));
            made = made.with_code_variables(Arc::new(of_code));
        }
        let made = Arc::new(made);
        known.insert(0, (key, Arc::clone(&made)));
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
            let class = Caller { class: Some("m::sub"), ..parameters };
            check(main, "k", r#""common""#);
            check(parameters, "k", r#""of m""#);
            check(class, "k", r#""of m""#);
            check(Caller::parameters_of(Some("q")), "k", r#""common""#);
            check(main, "text", r#"" main main ""#);
            check(parameters, "text", r#""m main main ""#);
            check(class, "text", r#""m m::sub m::sub ""#);
            // A resource of a defined type has its own title.
            let sets = ["name", "title"].map(str::to_owned);
            let define = Caller { sets: &sets, ..parameters };
            check(define, "text", r#""m %{title} %{name} ""#);
        }
    }
}
