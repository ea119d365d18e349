//! The state of a running lookup: the stack of names that detects recursion, the trace, the warnings, the budget.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::assumptions::{Assumed, Assumptions, Condition, Fork, Limits, Turn, Way, only_ways};
use super::budget::Budget;
use super::cases::{Exploration, LeftOut};
use super::evaluator::{Evaluator, ModuleScope};
use super::failure::{Failure, FailureClass};
use super::footprint::Footprint;
use super::hierarchy::Location;
use super::key::Key;
use super::layer::Layer;
use super::lookup::LOOKUP_OPTIONS;
use super::nested_values::NestedValues;
use super::notes::{self, Notes};
use super::open_lookups::UnchangedKeys;
use super::open_names::OwnNames;
use super::part::Unneeded;
use super::request::Explain;
use super::sources::Recorder;
use super::trace::{FoundIn, Outcome, TraceKind, Tracer};
use crate::backends::Returned;
use crate::data::{Hash, Located, Value};
use crate::facts::Reading;
use crate::facts::mapped::is_its_variable;
use crate::facts::variable::{VARIABLES_OF_HIERA_3, VariablePath};
use crate::syntax::key_path::Segment;

/// The result of a step: a value, nothing (`:no_such_key` in Puppet), or the end of the whole lookup.
pub(crate) type Found = Result<Option<Located>, Failure>;

/// A level that could not be evaluated, most often because hiera-ls does not know its back end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpaqueLevel {
    /// The level's name.
    pub level: Arc<str>,
    /// The back end's function.
    pub function: Arc<str>,
    /// The reason, to follow the function's name: `is not evaluated here`.
    pub reason: Arc<str>,
}

impl OpaqueLevel {
    /// `level 'Vault' (vault_lookup is not evaluated here)`
    pub fn in_words(&self) -> String {
        format!("level '{}' ({} {})", self.level, self.function, self.reason)
    }
}

/// How strictly variables are treated during an interpolation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InterpolatedText {
    /// Data: functions are allowed; an undefined variable is an error in Puppet 8.
    Data,
    /// `datadir` and `options` of hiera.yaml: no functions; an undefined variable is an error in Puppet 8.
    Config,
    /// Locations of hiera.yaml: no functions; an undefined variable is never an error in Puppet 8.
    ConfigLocation,
}

/// The state of a variable of a node without a fact set.
#[derive(Debug, Clone)]
pub(crate) enum Stand {
    /// This value, and the segments that must still be dug out of it.
    Known(Located, Vec<Segment>),
    /// It is not set.
    Unset,
    /// It is not known.
    Open(Arc<str>),
}

/// The variables that texts can read in addition to those of the node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Scope {
    /// Those of Puppet's top scope.
    Top,
    /// In the global layer of version 3, those of Hiera 3 as well.
    OfHiera3,
}

/// The state of collecting lookup_options.
#[derive(Debug, Default)]
pub(crate) struct Collecting {
    /// Whether the global layer is searched for lookup_options: lookups during that time have no options.
    pub(crate) asks_global_options: bool,
    /// The root key whose options are needed, if they are collected only for this key.
    pub(crate) wanted_for: Option<Arc<str>>,
    /// Whether the options of every file count for that key, because those of some layer are odd.
    pub(crate) are_odd: bool,
    /// The variable expressions that were read while options were collected only for that key, with their values. If the
    /// request needs a footprint, they belong to it.
    pub(crate) variables: Vec<(Arc<str>, Value)>,
    /// Whether options of a module are collected. Puppet then already knows those of the global layer and of the environment.
    pub(crate) shared_are_known: bool,
    /// Modules whose options do not count. An explanation has mentioned them.
    without_own: Vec<Option<Arc<str>>>,
}

/// What the variable of a `mapped_paths` template stands for.
pub(crate) enum Mapped {
    /// A member of the list.
    Member(Located),
    /// Any member of a list that is not known, by its name.
    AnyOf(Arc<str>),
}

pub(crate) struct Invocation<'a> {
    pub(crate) evaluator: &'a Evaluator,
    pub(crate) budget: Budget,
    pub(crate) overrides: &'a Hash,
    pub(crate) default_values: &'a Hash,
    /// The full key of the innermost lookup, which errors of the global layer name.
    pub(crate) top_key: Arc<str>,
    /// The module of the innermost lookup's key.
    pub(crate) module: Arc<ModuleScope>,
    /// The variables of the layer that is being searched.
    pub(crate) scope: Scope,
    /// A variable that exists only in a `mapped_paths` template.
    pub(crate) local: Option<(Arc<str>, Mapped)>,
    pub(crate) notes: Notes,
    /// The state of collecting lookup_options.
    pub(crate) collecting: Collecting,
    /// Whether only the collection of lookup_options is explained.
    pub(crate) explains_options_only: bool,
    /// Records the sources of the value, if the request needs them.
    pub(crate) recorder: Option<Recorder>,
    /// For how many values that texts insert it is noted where they are written; 0 if the request does not need it.
    pub(super) max_nested_sources: usize,
    /// Records what is read, if the request needs it.
    pub(crate) footprint: Option<Footprint>,
    /// What is assumed about open variables.
    pub(crate) assumptions: Assumptions,
    /// How choices at open paths are made; without it, none of their files exists.
    pub(crate) exploration: Option<Exploration<'a>>,
    /// Whether files that open paths lead to are ignored.
    pub(crate) skips_open_paths: bool,
    /// What texts contain where they read names of the node.
    pub(super) own_names: OwnNames,
    /// The keys whose lookups texts leave open, if any.
    pub(super) unchanged: Option<&'a dyn UnchangedKeys>,
    /// The files whose values of the requested key matter, if not all do.
    pub(super) only_from: Option<&'a BTreeSet<Arc<str>>>,
    /// Whether the requested key is being searched for, and its first value is the result.
    pub(super) ends_at_first_value: bool,
    /// What is not needed if only a part of the key's values is.
    pub(super) unneeded: Unneeded,
    /// The results of `lookup_key` functions for their files' keys, by the location's address, so that they are not explained
    /// again.
    explained: Vec<(usize, Arc<str>, Located)>,
    /// The values of keys that texts contain.
    pub(super) nested_values: NestedValues,
    pub(super) names: Vec<Arc<str>>,
    tracer: Option<Tracer>,
}

impl<'a> Invocation<'a> {
    pub(crate) fn new(
        evaluator: &'a Evaluator,
        budget: Budget,
        overrides: &'a Hash,
        default_values: &'a Hash,
    ) -> Self {
        Self {
            evaluator,
            budget,
            overrides,
            default_values,
            top_key: Arc::clone(evaluator.no_text()),
            module: Arc::clone(evaluator.no_module()),
            scope: Scope::Top,
            local: None,
            notes: Notes::default(),
            collecting: Collecting::default(),
            explains_options_only: false,
            recorder: None,
            max_nested_sources: 0,
            footprint: None,
            assumptions: Assumptions::default(),
            exploration: None,
            skips_open_paths: false,
            own_names: OwnNames::Known,
            unchanged: None,
            only_from: None,
            ends_at_first_value: false,
            unneeded: Unneeded::NOTHING,
            explained: Vec::new(),
            nested_values: NestedValues::default(),
            names: Vec::new(),
            tracer: None,
        }
    }

    pub(crate) fn explain(&mut self, explain: Explain) {
        self.explains_options_only = explain == Explain::OptionsOnly;
        self.tracer = (explain != Explain::Off).then(Tracer::new);
    }

    /// Whether the steps are recorded.
    pub(crate) fn is_traced(&self) -> bool {
        self.tracer.is_some()
    }

    /// Calls a function for a key of the file at `location`. A lookup with a trace calls it once for each key, as Puppet
    /// does: the trace contains its inner steps only the first time.
    pub(crate) fn explained_once(
        &mut self,
        location: &Location,
        key: &Arc<str>,
        ask: impl FnOnce(&mut Self) -> Result<Returned<Located>, Failure>,
    ) -> Result<Returned<Located>, Failure> {
        if !self.is_traced() {
            return ask(self);
        }
        let address = std::ptr::from_ref(location).addr();
        let is_it = |it: &&(usize, Arc<str>, Located)| it.0 == address && it.1 == *key;
        if let Some((.., known)) = self.explained.iter().find(is_it) {
            return Ok(Returned::Value(known.clone()));
        }
        let returned = ask(self)?;
        if let Returned::Value(value) = &returned {
            self.explained.push((address, Arc::clone(key), value.clone()));
        }
        Ok(returned)
    }

    pub(crate) fn take_tracer(&mut self) -> Option<Tracer> {
        self.tracer.take()
    }

    pub(super) fn put_tracer_back(&mut self, tracer: Option<Tracer>) {
        self.tracer = tracer;
    }

    /// Runs `work` as a step of the trace.
    pub(crate) fn within<R>(
        &mut self,
        kind: impl FnOnce() -> TraceKind,
        work: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let Some(tracer) = &mut self.tracer else { return work(self) };
        tracer.push(kind());
        let result = work(self);
        self.tracer.as_mut().expect("the tracer stays for the whole lookup").pop();
        result
    }

    /// Whether a text in a global layer of version 3 looks a key up, where the environment has no `hiera.yaml` of version 5. Puppet
    /// then searches only the global layer, as Hiera 3 did.
    pub(super) fn is_confined_to_global_layer(&self) -> bool {
        let is_of_version_5 = |it: &Arc<Layer>| it.config.version >= 5;
        let has_data = |it: Option<&Arc<Layer>>| it.is_some_and(is_of_version_5);
        self.scope == Scope::OfHiera3
            && self.evaluator.environment_layer().is_ok_and(|it| !has_data(it))
    }

    /// Whose lookup_options apply to a key of `module`. In [`Self::is_confined_to_global_layer`], Puppet collects no options of a
    /// module, but it knows those of the module of the key that is looked up first.
    pub(super) fn scope_of_options(&mut self, module: &Arc<ModuleScope>) -> Arc<ModuleScope> {
        if module.name.is_none() || !self.is_confined_to_global_layer() {
            return Arc::clone(module);
        }
        let first = self.names.first().and_then(|it| Key::parse(it).ok());
        if first.is_some_and(|it| it.module() == module.name.as_deref()) {
            return Arc::clone(module);
        }
        // An explanation shows once for each module that it has no options of its own.
        if self.is_traced() && !self.collecting.without_own.contains(&module.name) {
            self.collecting.without_own.push(module.name.clone());
            let kind = || TraceKind::Search { key: LOOKUP_OPTIONS.into(), is_options: true };
            self.within(kind, |_| ());
        }
        Arc::clone(self.evaluator.no_module())
    }

    /// Runs `work` as the lookup of another key, and restores this one afterwards.
    pub(crate) fn for_key<R>(
        &mut self,
        key: &Arc<str>,
        module: Arc<ModuleScope>,
        work: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let outer_key = std::mem::replace(&mut self.top_key, Arc::clone(key));
        let outer_module = std::mem::replace(&mut self.module, module);
        let result = work(self);
        self.top_key = outer_key;
        self.module = outer_module;
        result
    }

    /// Runs `work` with `name` on the stack; the same name again is a recursion. Every `Puppet::Error` that leaves is a
    /// LookupError.
    pub(crate) fn guarded<R>(
        &mut self,
        name: &Arc<str>,
        work: impl FnOnce(&mut Self) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        if self.names.contains(name) {
            let message = format!("Recursive lookup detected in [{}]", self.names.join(", "));
            return Err(Failure::of(FailureClass::Recursive, message));
        }
        self.names.push(Arc::clone(name));
        let result = work(self);
        self.names.pop();
        result.map_err(Failure::leaving_provider)
    }

    /// Whether a value looks up the key that is being searched for.
    pub(super) fn is_nested(&self) -> bool {
        self.names.len() > 1
    }

    /// Whether a name, in two parts, is on the stack of [`Self::guarded`].
    pub(crate) fn is_on_stack(&self, [start, end]: [&str; 2]) -> bool {
        let (length, last) = (start.len() + end.len(), end.as_bytes().last());
        // The stack can be deep, and most names on it differ in their length or in their last byte.
        let may_be = |name: &&Arc<str>| {
            name.len() == length && (last.is_none() || name.as_bytes().last() == last)
        };
        let mut similar = self.names.iter().filter(may_be);
        similar.any(|name| name.starts_with(start) && name.ends_with(end))
    }

    pub(crate) fn report(&mut self, outcome: impl FnOnce() -> Outcome) {
        if let Some(tracer) = &mut self.tracer {
            tracer.current().outcome = Some(outcome());
        }
    }

    pub(crate) fn report_found(&mut self, key: &Arc<str>, value: &Located) {
        self.report(|| Outcome::Found {
            key: Arc::clone(key),
            value: value.clone(),
            source: FoundIn::Data,
        });
    }

    pub(crate) fn report_not_found(&mut self, key: &Arc<str>) {
        self.report(|| Outcome::NotFound { key: Arc::clone(key) });
    }

    pub(crate) fn report_text(&mut self, text: impl FnOnce() -> String) {
        if let Some(tracer) = &mut self.tracer {
            let text = text();
            tracer.current().texts.push(text.into());
        }
    }

    pub(crate) fn warn(&mut self, message: impl Into<Arc<str>>) {
        notes::add(&mut self.notes.warnings, message.into());
    }

    /// What is known of a variable that may be open. `None` if the variable does not depend on the node, or if the node is
    /// complete and neither the server nor code sets the variable.
    pub(crate) fn read_partial_node(
        &mut self,
        variable: &VariablePath,
        context: InterpolatedText,
    ) -> Option<Stand> {
        let node = self.evaluator.node();
        let path = &variable.path;
        let root = path.root_name()?;
        if node.is_complete() && !self.evaluator.leaves_open(path) {
            return None;
        }
        let is_local = self.local(root).is_some();
        // These do not come from the node, so they are known even where the node is not.
        let is_own =
            is_local || self.overrides.get(root).is_some() || self.own_variable(root).is_some();
        if is_own {
            return None;
        }
        Some(match self.evaluator.read_variable(variable) {
            Reading::Known(value, rest) => Stand::Known(value, rest),
            Reading::Unset => Stand::Unset,
            Reading::Open(name) => {
                // A path only decides that the variable is empty.
                if self.assumptions.of(&name).is_some()
                    && path.rest.is_empty()
                    && self.fails_if_unset(root, context)
                    && self.is_unset(&name)
                {
                    return Some(Stand::Unset);
                }
                let known = |text: &Arc<str>| {
                    Stand::Known(Value::String(Arc::clone(text)).unplaced(), Vec::new())
                };
                match self.assumptions.of(&name) {
                    Some(Assumed::Text(text)) => known(text),
                    Some(Assumed::Unset) => Stand::Unset,
                    None => {
                        let text = self.assumptions.foreseen_text_of(&name);
                        let text = text.filter(|_| context == InterpolatedText::Data);
                        text.map(known).unwrap_or(Stand::Open(name))
                    }
                }
            }
        })
    }

    /// Records that a text contains the value of a variable that is not known.
    pub(crate) fn read_open(&mut self, variable: &Arc<str>) {
        notes::add(&mut self.notes.open, Arc::clone(variable));
    }

    /// Records that Puppet would refuse a file.
    pub(crate) fn note_broken(&mut self, path: &Arc<str>) {
        notes::add(&mut self.notes.broken, Arc::clone(path));
    }

    /// Records that a layer fails if a variable is not set.
    pub(crate) fn must_be_set(&mut self, variable: &Arc<str>) {
        if self.evaluator.version().is_strict() {
            notes::add(&mut self.notes.must_be_set, Arc::clone(variable));
        }
    }

    /// Records what the answer depends on in addition to its cases.
    pub(crate) fn leave_out(&mut self, left_out: LeftOut) {
        notes::add(&mut self.notes.left_out, left_out);
    }

    /// Makes the choice at a fork, which `find` builds if no earlier run reached it. A lookup without exploration only counts
    /// files.
    pub(crate) fn turn_at(&mut self, find: impl FnOnce(&mut Self) -> Fork) -> Turn {
        if self.exploration.as_ref().is_none_or(|it| !it.script.is_repeating()) {
            let fork = find(self);
            match &mut self.exploration {
                Some(exploration) => exploration.script.add(fork),
                None => {
                    return match fork {
                        Fork::Ways(_) => Turn::Otherwise,
                        Fork::Counted(count) => Turn::Counted(count),
                    };
                }
            }
        }
        let node = self.evaluator.node();
        let script = self.exploration.as_mut().map(|it| &mut it.script);
        script.map_or(Turn::Otherwise, |it| it.turn(&mut self.assumptions, node))
    }

    /// Whether Puppet fails if a text contains a variable that is not set.
    pub(super) fn fails_if_unset(&self, name: &str, context: InterpolatedText) -> bool {
        self.evaluator.version().is_strict()
            && context != InterpolatedText::ConfigLocation
            && !self.may_be_missing(name)
    }

    /// Whether Puppet says nothing about a variable that is not set.
    fn may_be_missing(&self, name: &str) -> bool {
        // A name in the hash of default values is found there, so the variable is not missing.
        undefined_variable_never_warns(name) || self.default_values.get(name).is_some()
    }

    /// Whether a variable that is not known is not set; a fork, unless an earlier one decided it.
    pub(crate) fn is_unset(&mut self, variable: &Arc<str>) -> bool {
        if let Some(is_unset) = self.assumptions.is_unset(variable) {
            return is_unset;
        }
        let unset = Condition { variable: Arc::clone(variable), value: Assumed::Unset };
        let fork = |it: &mut Self| {
            let unset: Way = [unset].into();
            let is_possible = it.limits().allow(&unset);
            Fork::Ways(is_possible.then_some(unset).into_iter().collect())
        };
        self.turn_at(fork) == Turn::Taken
    }

    /// Decides which of its only ways is true of the node: the last one if none of the others is.
    pub(super) fn take_one_of_the_only_ways(&mut self) {
        let ways = only_ways(self.evaluator.node());
        let Some((last, others)) = ways.split_last() else { return };
        // What is true of every way is known of the node, so a way without conditions says nothing.
        if ways.iter().any(|it| it.is_empty()) {
            return;
        }
        if self.turn_at(|_| Fork::Ways(others.into())) == Turn::Otherwise {
            self.assumptions.conclude(last, self.evaluator.node());
        }
    }

    /// What this run allows.
    pub(crate) fn limits(&self) -> Limits<'_> {
        let node = self.evaluator.node();
        match &self.exploration {
            Some(exploration) => exploration.script.limits(&self.assumptions, node),
            None => Limits::of(&self.assumptions, node),
        }
    }

    /// Whether [`Self::limits`] may refuse conditions about some of `variables`.
    pub(crate) fn may_decide(&self, variables: &[Arc<str>]) -> bool {
        let excludes = self.exploration.as_ref().is_some_and(|it| it.script.excludes_by(variables));
        let is_assumed = |it: &Arc<str>| self.assumptions.of(it).is_some();
        let node = self.evaluator.node();
        let is_other = || variables.iter().any(|it| node.names_of_others(it).is_some());
        excludes || variables.iter().any(is_assumed) || !node.patterns().is_empty() || is_other()
    }

    /// What the variable of a `mapped_paths` template stands for, if it has this name.
    pub(super) fn local(&self, name: &str) -> Option<&Mapped> {
        let (local, stands_for) = self.local.as_ref()?;
        is_its_variable(local, name).then_some(stands_for)
    }

    /// A variable that Puppet sets itself, whatever the facts of the node are.
    fn own_variable(&self, name: &str) -> Option<Located> {
        let of_hiera_3 = || self.variable_of_hiera_3(name);
        of_hiera_3().or_else(|| of_main(name)).or_else(|| main_belongs_to_no_module(name))
    }

    /// `Hiera::Scope#[]`, which does not accept `::` before these names. Outside of classes, nothing calls.
    fn variable_of_hiera_3(&self, name: &str) -> Option<Located> {
        let evaluator = self.evaluator;
        let may_be_hidden = || evaluator.code_variables().is_some_and(|it| it.may_hide(name));
        if self.scope != Scope::OfHiera3 || !VARIABLES_OF_HIERA_3.contains(&name) || may_be_hidden()
        {
            return None;
        }
        let node = evaluator.node();
        let class = node.calling_class().unwrap_or_default();
        Some(match name {
            "calling_module" => node.variable("module_name").cloned().unwrap_or_else(undef),
            "calling_class_path" => Value::string(class.replace("::", "/")).unplaced(),
            _ => Value::string(class).unplaced(),
        })
    }

    /// The variable `name` as `scope[name]` finds it in Puppet; `None` if it is not defined, which may be an error.
    pub(crate) fn variable(&mut self, name: &str, context: InterpolatedText) -> Found {
        let found = self.variable_as_set(name, context)?;
        // `Hiera::Scope#[]`
        let is_nil = |it: &Located| self.scope == Scope::OfHiera3 && it.value.as_str() == Some("");
        Ok(found.map(|it| if is_nil(&it) { undef() } else { it }))
    }

    fn variable_as_set(&mut self, name: &str, context: InterpolatedText) -> Found {
        if let Some(Mapped::Member(value)) = self.local(name) {
            return Ok(Some(value.clone()));
        }
        if let Some(value) = self.variable_of_hiera_3(name).or_else(|| of_main(name)) {
            return Ok(Some(value));
        }
        let unqualified = name.strip_prefix("::").unwrap_or(name);
        if let Some(value) = self.evaluator.node().variable(unqualified) {
            return Ok(Some(value.clone()));
        }
        if let Some(value) = self.own_variable(name) {
            return Ok(Some(value));
        }
        self.undefined_variable(name, context).map(|()| None)
    }

    /// The result of reading a variable that is not set.
    pub(crate) fn undefined_variable(
        &mut self,
        name: &str,
        context: InterpolatedText,
    ) -> Result<(), Failure> {
        if self.may_be_missing(name) {
            return Ok(());
        }
        notes::add(&mut self.notes.unknown_variables, Arc::from(name));
        let (name, reason) = self.evaluator.undefined_in_words(name);
        if !self.evaluator.version().is_strict() {
            self.warn(format!("Undefined variable '{name}'; {reason}"));
            return Ok(());
        }
        if context == InterpolatedText::ConfigLocation {
            self.warn(format!(
                "Interpolation failed with '{name}', but compilation continuing; {reason}"
            ));
            return Ok(());
        }
        let message = format!("Undefined variable '{name}'; {reason}");
        Err(Failure::ruby("ArgumentError", message))
    }
}

/// A variable of the class `main`, which `::` in front of its name means wherever the lookup is called from.
fn of_main(name: &str) -> Option<Located> {
    match name.strip_prefix("::")? {
        "title" | "name" => Some(Value::string("main").unplaced()),
        name => main_belongs_to_no_module(name),
    }
}

/// The top scope is that of class `main`, whose module has no name and no caller.
pub(crate) fn main_belongs_to_no_module(variable: &str) -> Option<Located> {
    match variable {
        "module_name" => Some(Value::string("").unplaced()),
        "caller_module_name" => Some(undef()),
        _ => None,
    }
}

/// For Puppet, `%{0}`, `%{1}` and so on always exist.
pub(crate) fn undefined_variable_never_warns(name: &str) -> bool {
    let digits = name.strip_prefix("::").unwrap_or(name);
    !digits.is_empty()
        && digits.bytes().all(|it| it.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'))
}

/// The undef that, for example, an alias to an undef value returns.
pub(crate) fn undef() -> Located {
    Value::Undef.unplaced()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Environment, PuppetVersion};
    use crate::data::{Files, MemoryFiles};
    use crate::engine::{Evaluator, Request};
    use crate::facts::{Node, NodeParts, Origin};

    #[test]
    fn main_has_the_variables_of_a_class_without_module() {
        assert_eq!(main_belongs_to_no_module("module_name"), Some(Value::string("").unplaced()));
        assert_eq!(main_belongs_to_no_module("caller_module_name"), Some(undef()));
        assert_eq!(main_belongs_to_no_module("calling_module"), None);
    }

    /// Recorded from `puppet lookup` 7.23 and 8.11.
    #[test]
    fn hiera_3_has_variables_of_its_own() {
        let files = MemoryFiles::new([
            ("/g/hiera.yaml", ":backends: [yaml]\n:yaml:\n  :datadir: /g/data\n"),
            (
                "/g/data/common.yaml",
                "a: 'v%{calling_module}w'\nb: \"%{lookup('a')}%{scope('calling_class.x')}\"\n\
                 c: '%{::calling_module}'\n",
            ),
        ]);
        let environment = Environment {
            root: Some("/e".into()),
            global_config: Some("/g/hiera.yaml".into()),
            ..Environment::default()
        };
        let (files, environment) = (Arc::new(files) as Arc<dyn Files>, Arc::new(environment));
        let parts = || NodeParts { name: "n".into(), ..NodeParts::default() };
        for node in [Node::new(parts(), Origin::Name), Node::partial(parts(), &[], Origin::Name)] {
            let evaluator = Evaluator::new(
                Arc::clone(&files),
                Arc::clone(&environment),
                Arc::new(node),
                PuppetVersion::V8,
            );
            for key in ["a", "b"] {
                let outcome = evaluator.call(&Request::key(key)).outcome;
                let value = outcome.ok().flatten().map(|it| it.value);
                assert_eq!(value, Some(Value::string("vw")), "{key}");
            }
            let outcome = evaluator.call(&Request::key("c")).outcome;
            let message = outcome.err().map(|it| it.message.to_string());
            let is_complete = evaluator.node().is_complete();
            let expected = is_complete.then(|| "Undefined variable '::calling_module'; ".into());
            assert_eq!(message, expected);
        }
    }

    #[test]
    fn numeric_variables_never_warn() {
        for name in ["0", "1", "12"] {
            assert!(undefined_variable_never_warns(name), "{name}");
        }
        for name in ["01", "", "x1", "modulename"] {
            assert!(!undefined_variable_never_warns(name), "{name}");
        }
    }
}
