//! Lookups from code of a module. Their scope has variables that the top scope does not have, such as `$module_name`.

use std::sync::{Arc, PoisonError};

use super::budget::CancelToken;
use super::evaluator::Evaluator;
use super::request::{Answer, Request};
use crate::facts::Node;
use crate::facts::variable::VARIABLES_OF_HIERA_3;

/// The code that calls a lookup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Caller<'a> {
    /// The module that it belongs to; `None` for code of the environment itself.
    pub module: Option<&'a str>,
    /// The class that calls, or for whose parameters Puppet calls.
    pub class: Option<&'a str>,
    /// The class whose name is in `$title` and `$name`; `None` for `main`.
    pub title: Option<&'a str>,
    /// The variables that only its own scope has. They hide others of the same name, and their values are not known.
    pub sets: &'a [String],
}

/// What is kept of a [`Caller`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CallerKey {
    module: Option<Arc<str>>,
    class: Option<Arc<str>>,
    title: Option<Arc<str>>,
    sets: Box<[String]>,
}

/// Evaluators for other callers.
pub(super) type OfCallers = Vec<(CallerKey, Arc<Evaluator>)>;

/// The number of evaluators for other callers that are kept: most callers in a row are those of one module.
const MAX_KEPT: usize = 16;

/// Whether a variable, as it is written, depends on the code that calls.
pub(crate) fn depends_on_caller(name: &str) -> bool {
    matches!(name, "module_name" | "caller_module_name" | "title" | "name")
        || VARIABLES_OF_HIERA_3.contains(&name)
}

impl<'a> Caller<'a> {
    /// Code in the top scope.
    pub const MAIN: Self = Self { module: None, class: None, title: None, sets: &[] };

    /// Puppet itself, which looks up the parameters of a class of a module. `$title` is then still that of the class `main`.
    pub fn parameters_of(module: Option<&'a str>, class: Option<&'a str>) -> Self {
        Self { module, class, ..Self::MAIN }
    }

    /// The node as the caller sees it.
    pub fn node_seen(self, node: &Node) -> Node {
        node.within(self.module.unwrap_or_default(), self.title, self.class)
    }

    /// What can be kept of it.
    pub fn key(self) -> CallerKey {
        let Self { module, class, title, sets } = self;
        let [class, title] = [class, title].map(|it| it.map(Arc::from));
        CallerKey { module: module.map(Arc::from), class, title, sets: sets.into() }
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
        let caller = self.known_of(caller);
        if caller == Caller::MAIN {
            return look_up(self);
        }
        let find = || self.prepared().whoever_calls(|| look_up(self));
        let found = caller.sets.is_empty().then(find).flatten();
        found.unwrap_or_else(|| look_up(&self.called_from(caller)))
    }

    /// What lookups can know of a caller: only a global layer of version 3 has variables for the class.
    pub fn known_of<'c>(&self, caller: Caller<'c>) -> Caller<'c> {
        let class = caller.class.filter(|_| self.has_global_layer_of_version_3());
        Caller { class, ..caller }
    }

    /// The evaluator whose lookups are those of a caller.
    pub fn called_from(&self, caller: Caller<'_>) -> Arc<Self> {
        let caller = self.known_of(caller);
        let key = caller.key();
        let mut known = self.of_callers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = known.iter().find(|it| it.0 == key) {
            return Arc::clone(known);
        }
        let node = caller.node_seen(self.node());
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
                (Caller::MAIN, Caller::parameters_of(Some("m"), Some("m::sub")));
            let class = Caller { title: Some("m::sub"), ..parameters };
            check(main, "k", r#""common""#);
            check(parameters, "k", r#""of m""#);
            check(class, "k", r#""of m""#);
            check(Caller::parameters_of(Some("q"), Some("q")), "k", r#""common""#);
            check(main, "text", r#"" main main ""#);
            check(parameters, "text", r#""m main main ""#);
            check(class, "text", r#""m m::sub m::sub ""#);
            // A resource of a defined type has its own title.
            let sets = ["name", "title"].map(str::to_owned);
            let define = Caller { sets: &sets, ..parameters };
            check(define, "text", r#""m %{title} %{name} ""#);
        }
    }

    /// Recorded from catalogs of Puppet 7.23 and 8.11.
    #[test]
    fn in_hiera_3_the_class_has_variables_too() {
        let files = MemoryFiles::new([
            (
                "/g/hiera.yaml",
                ":backends: [yaml]\n:yaml:\n  :datadir: /g/data\n\
                 :hierarchy: ['m/%{calling_module}', 'c/%{calling_class}', 'p/%{calling_class_path}', common]\n",
            ),
            ("/g/data/m/m.yaml", "module: m\n"),
            ("/g/data/c/m::sub.yaml", "class: c\n"),
            ("/g/data/p/m/sub.yaml", "path: p\n"),
            (
                "/g/data/common.yaml",
                "text: '%{calling_module}|%{calling_class}|%{calling_class_path}|%{module_name}|%{title}'\n\
                 module: 'no'\nclass: 'no'\npath: 'no'\n",
            ),
        ]);
        let environment = Environment {
            root: Some("/e".into()),
            global_config: Some("/g/hiera.yaml".into()),
            ..Environment::default()
        };
        let (files, environment) = (Arc::new(files) as Arc<dyn Files>, Arc::new(environment));
        let parts = || NodeParts { name: "n".into(), ..NodeParts::default() };
        let complete = Node::new(parts(), Origin::File("/f.yaml".into()));
        for node in [complete, Node::partial(parts(), &[], Origin::Name)] {
            let (files, environment) = (Arc::clone(&files), Arc::clone(&environment));
            let evaluator = Evaluator::new(files, environment, Arc::new(node), PuppetVersion::V8);
            let check = |caller: Caller<'_>, expected: &str| {
                let shown = ["text", "module", "class", "path"].map(|key| {
                    let found = evaluator.call_from(caller, &Request::key(key)).outcome;
                    found.ok().flatten().map_or_else(String::new, |it| inspect::to_s(&it.value))
                });
                assert_eq!(shown.join(" "), expected, "{caller:?}");
            };
            check(Caller::MAIN, "||||main no no no");
            let parameters = Caller::parameters_of(Some("m"), Some("m::sub"));
            check(parameters, "m|m::sub|m/sub|m|main m c p");
            let class = Caller { title: Some("m::sub"), ..parameters };
            check(class, "m|m::sub|m/sub|m|m::sub m c p");
            // Which class declares a resource of a defined type is not known.
            let sets = ["title", "calling_class", "calling_class_path"].map(str::to_owned);
            let define = Caller { class: None, sets: &sets, ..parameters };
            check(define, "m|%{calling_class}|%{calling_class_path}|m|%{title} m no no");
        }
    }
}
