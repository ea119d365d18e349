//! The `lookup()` function as a library call: names, type, merge, default, overrides; and its answer.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::assumptions::{Assumptions, Condition, Texts};
use super::budget::CancelToken;
use super::cases::recording::{EditedEntries, Known, OfEdit, Recording};
use super::cases::{self, Case, Exploration, LeftOut};
use super::encrypted::Unread;
use super::evaluator::Evaluator;
use super::failure::{Failure, FailureClass};
use super::footprint::Footprint;
use super::invocation::{Invocation, OpaqueLevel};
use super::lookup;
use super::nested_sources::{MAX_NESTED_SOURCES, NestedSource};
use super::open_lookups::UnchangedKeys;
use super::open_names::OwnNames;
use super::sources::{Recorder, Source, UsedMerge};
use super::trace::TraceNode;
use crate::data::puppet_type::{self, TypeAliases, TypeProblem};
use crate::data::{Hash, Located, Value};
use crate::facts::mapped::without_member;
use crate::syntax::key_path;

/// A call of `lookup()`.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The names; the first that is found wins.
    pub names: Vec<Arc<str>>,
    /// The Puppet type the value must have.
    pub value_type: Option<String>,
    /// The aliases that the type may name.
    pub type_aliases: Option<Arc<TypeAliases>>,
    /// A strategy's name, or a hash with `strategy` and options; if `None`, lookup_options decide.
    pub merge: Option<Value>,
    /// The value if nothing is found.
    pub default: Option<Located>,
    /// Values that win over all data, by exact key.
    pub overrides: Hash,
    /// Values for keys that are not in the data, by exact key.
    pub default_values: Hash,
    /// What is true of the node in addition to what is known of it. It must be about variables that are not known.
    pub assuming: Vec<Condition>,
    /// The files whose values of the key matter; `None` if all do. A lookup that finds its first value in another file ends
    /// there, with [`FailureClass::Elsewhere`].
    pub only_from: Option<Arc<BTreeSet<Arc<str>>>>,
    /// Whether to record a trace, and of what.
    pub explain: Explain,
    /// Whether to record the sources: [`Answer::sources`] and [`Answer::merge`].
    pub wants_sources: bool,
    /// Whether to record what was read: [`Answer::footprint`].
    pub wants_footprint: bool,
    /// Whether texts leave the names of the node open, so that the answer serves other nodes as well. Only for nodes that are
    /// not completely known, and only `Names` knows how to read such an answer.
    pub leaves_names_open: bool,
    /// The keys whose lookups texts leave open as well, if the answer is only compared with one of the other side.
    pub unchanged: Option<Arc<dyn UnchangedKeys>>,
    /// Ends the lookup early.
    pub cancel: CancelToken,
}

/// What a trace contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Explain {
    /// No trace, which is fastest.
    #[default]
    Off,
    /// The lookup.
    On,
    /// The collection of lookup_options only.
    OptionsOnly,
}

/// The result of a lookup.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The value; `Ok(None)` if none of the names is found.
    pub outcome: Result<Option<Located>, Failure>,
    /// The steps, if requested.
    pub trace: Option<Box<TraceNode>>,
    /// Puppet's warnings, each once.
    pub warnings: Vec<Arc<str>>,
    /// Variables that were read but are not defined.
    pub unknown_variables: Vec<Arc<str>>,
    /// Levels that were skipped because their back end is not evaluated here: the outcome is that of the other levels.
    pub opaque: Vec<OpaqueLevel>,
    /// Unknown variables that the value contains, where they stay as `%{…}`.
    pub open: Vec<Arc<str>>,
    /// Unknown variables that were read for a string, in the value or in something else, such as another member of a hash. Puppet 8
    /// fails if one of them is not set. Some may be read only in a case that this answer stands for, too.
    pub read_open: Vec<Arc<str>>,
    /// What Puppet does with encrypted texts, which stay as they are written here.
    pub unread: Vec<Unread>,
    /// What the answer depends on in addition to `cases`. If it is not empty, the answer is not certain.
    pub left_out: Vec<LeftOut>,
    /// The cases if there are several: the first whose conditions are true applies. `outcome` is that of the last case, which
    /// has no conditions.
    pub cases: Vec<Case>,
    /// Files that Puppet refuses, so that its lookup fails, but whose readable entries were used:
    /// [`Evaluator::reading_broken_files`].
    pub broken: Vec<Arc<str>>,
    /// The sources of the key, the highest priority first, if requested. If nothing is found, they are those of the first
    /// name.
    pub sources: Vec<Source>,
    /// Where the values are written that texts of any value insert, if sources were requested: [`Self::inserted`] are those of
    /// the result.
    pub nested: Vec<NestedSource>,
    /// The merge that was used, if sources were requested and Puppet accepts the merge.
    pub merge: Option<Box<UsedMerge>>,
    /// What was read, if requested.
    pub footprint: Option<Footprint>,
}

impl Request {
    /// The key, if the request is only for its value, whatever it assumes and whichever files matter.
    pub fn plain_key(&self) -> Option<&Arc<str>> {
        let says_nothing = self.value_type.is_none()
            && self.merge.is_none()
            && self.default.is_none()
            && self.overrides.len() + self.default_values.len() == 0
            && self.explain == Explain::Off
            && !(self.wants_sources || self.wants_footprint);
        match self.names.as_slice() {
            [key] if says_nothing => Some(key),
            _ => None,
        }
    }

    /// A call with only a name.
    pub fn key(name: impl Into<Arc<str>>) -> Self {
        Self { names: vec![name.into()], ..Self::default() }
    }

    /// The same call, which also records the sources.
    #[must_use]
    pub fn with_sources(self) -> Self {
        Self { wants_sources: true, ..self }
    }

    /// The same call with a trace.
    #[must_use]
    pub fn explained(self) -> Self {
        Self { explain: Explain::On, ..self }
    }
}

/// Represents the keys that no data file has.
pub(crate) const KEY_OF_NO_FILE: &str = "any key that no data file has";

impl Evaluator {
    /// Looks up a key with all options at their defaults.
    pub fn lookup(&self, key: &str) -> Answer {
        self.call(&Request::key(key))
    }

    /// Why every lookup fails, whatever the key and the open variables are.
    pub fn failure_of_all_keys(&self) -> Option<Arc<str>> {
        self.config_failure(None).or_else(|| {
            // A function can fail for one key. Only what fails lookup_options, which each lookup reads first, fails all of them.
            let failure = self.certain_failure(KEY_OF_NO_FILE)?;
            let fails_all =
                !failure.class.is_our_own() && self.options_for(KEY_OF_NO_FILE).is_err();
            fails_all.then_some(failure.message)
        })
    }

    /// Why a lookup of a key fails for all nodes that this one represents; cheaper than a complete answer.
    pub fn certain_failure(&self, key: &str) -> Option<Failure> {
        cases::certain_failure(self, &Request::key(key))
    }

    /// Calls `lookup()`. For a node that is not completely known, the answer has a case for each way in which its open
    /// variables decide.
    pub fn call(&self, request: &Request) -> Answer {
        if !self.node().is_complete() {
            return cases::explore(self, request);
        }
        let mut invocation = self.invocation_of(request);
        let outcome = run(&mut invocation, request);
        Answer::of(request, outcome, invocation).0
    }

    /// [`Self::call`] for a node that is not completely known. The lookup is recorded, so that those for other nodes may use its
    /// runs, and with it which runs may have read one of the edited entries.
    pub(crate) fn call_and_record(
        &self,
        request: &Request,
        edited: Option<&EditedEntries>,
    ) -> (Answer, Recording) {
        cases::explore_and_record(self, request, edited)
    }

    /// [`Self::call`] for a node that is not completely known, with the runs of earlier lookups where they are the same.
    pub(crate) fn call_knowing(&self, request: &Request, known: Known<'_>) -> (Answer, OfEdit) {
        cases::explore_with(self, request, known)
    }

    /// One run of a lookup with the choices of `exploration`; also returns what it assumed.
    pub(super) fn run_assuming<'e>(
        &'e self,
        request: &'e Request,
        exploration: Exploration<'e>,
    ) -> (Answer, Vec<Condition>, Exploration<'e>) {
        let (mut answer, assumptions, mut exploration) =
            self.run_foreseeing(request, exploration, Texts::new());
        // A text can be read before a path decides what one of its variables is.
        let of_texts = answer.left_out.iter().flat_map(|it| it.variables.iter());
        let late = assumptions.texts_of(answer.open.iter().chain(of_texts));
        if !late.is_empty() {
            let (mut again, _, retraced) =
                self.run_foreseeing(request, exploration.to_retrace(), late);
            exploration.reads_of_edited += retraced.reads_of_edited;
            // If its texts lead it to other files, it is another run.
            if retraced.script.is_retraced() {
                if let (Some(all), Some(first)) = (&mut again.footprint, &answer.footprint) {
                    all.add_all(first);
                }
                answer = again;
            }
        }
        // Such a text may also have been replaced where a text around it was interpolated.
        let is_decided = |name: &str| assumptions.text_of(name).is_some_and(|it| !it.is_empty());
        answer.read_open.retain(|name| answer.open.contains(name) || !is_decided(name));
        (answer, assumptions.held().to_vec(), exploration)
    }

    /// One run of a lookup. Texts know from the start that it will assume `texts`.
    fn run_foreseeing<'e>(
        &'e self,
        request: &'e Request,
        exploration: Exploration<'e>,
        texts: Texts,
    ) -> (Answer, Assumptions, Exploration<'e>) {
        let mut invocation = self.invocation_of(request);
        invocation.assumptions.foresee(texts);
        invocation.exploration = Some(exploration);
        invocation.take_one_of_the_only_ways();
        let outcome = run(&mut invocation, request);
        let assumptions = std::mem::take(&mut invocation.assumptions);
        let (answer, exploration) = Answer::of(request, outcome, invocation);
        let exploration = exploration.expect("the exploration stays for the whole lookup");
        (answer, assumptions, exploration)
    }

    /// The answer for nodes of which `conditions` are true, and for which no other file of an open path matters.
    pub(crate) fn call_assuming(&self, request: &Request, conditions: &[Condition]) -> Answer {
        let mut invocation = self.invocation_of(request);
        invocation.exploration = Some(Exploration::without_ways());
        invocation.assumptions.assume(conditions, self.node());
        let outcome = run(&mut invocation, request);
        Answer::of(request, outcome, invocation).0
    }

    fn invocation_of<'e>(&'e self, request: &'e Request) -> Invocation<'e> {
        let (overrides, defaults) = (&request.overrides, &request.default_values);
        let mut invocation = self.invocation_with(overrides, defaults, request.cancel.clone());
        invocation.explain(request.explain);
        invocation.assumptions.assume(&request.assuming, self.node());
        invocation.only_from = request.only_from.as_deref();
        invocation.recorder = request.wants_sources.then(Recorder::default);
        invocation.max_nested_sources = if request.wants_sources { MAX_NESTED_SOURCES } else { 0 };
        invocation.footprint = request.wants_footprint.then(Footprint::default);
        invocation.own_names = OwnNames::of(request);
        invocation.unchanged = request.unchanged.as_deref();
        invocation
    }
}

impl Answer {
    /// Nothing found.
    pub(crate) fn nothing() -> Self {
        Self {
            outcome: Ok(None),
            trace: None,
            warnings: Vec::new(),
            unknown_variables: Vec::new(),
            opaque: Vec::new(),
            open: Vec::new(),
            read_open: Vec::new(),
            unread: Vec::new(),
            left_out: Vec::new(),
            cases: Vec::new(),
            broken: Vec::new(),
            sources: Vec::new(),
            nested: Vec::new(),
            merge: None,
            footprint: None,
        }
    }

    fn of<'e>(
        request: &Request,
        outcome: Result<Option<Located>, Failure>,
        mut invocation: Invocation<'e>,
    ) -> (Self, Option<Exploration<'e>>) {
        let key = request.names.first().and_then(|name| key_path::parse(name).ok());
        let recorder = invocation.recorder.take();
        let (sources, merge) =
            recorder.map(|it| it.finish(key.as_ref(), outcome.as_ref().err())).unwrap_or_default();
        let open = match &outcome {
            Ok(Some(value)) => invocation.open_variables_of([&value.value]),
            Ok(None) => Vec::new(),
            // The message can contain a text.
            Err(failure) => invocation.open_variables_of([&Value::string(&*failure.message)]),
        };
        let notes = std::mem::take(&mut invocation.notes);
        let answer = Self {
            outcome,
            trace: invocation.take_tracer().map(|it| it.finish().into()),
            warnings: notes.warnings,
            unknown_variables: notes.unknown_variables,
            opaque: notes.opaque,
            open,
            read_open: notes.open,
            unread: notes.unread,
            left_out: notes.left_out,
            cases: Vec::new(),
            broken: notes.broken,
            sources,
            nested: notes.nested,
            merge: merge.map(Box::new),
            footprint: invocation.footprint,
        };
        (answer, invocation.exploration)
    }

    /// Whether the outcome is the same whatever the open variables are, except for strings that show them.
    pub fn is_certain(&self) -> bool {
        self.cases.is_empty() && self.left_out.is_empty()
    }

    /// Whether the answer is a value and nothing else: two such answers are equal if their values are.
    pub fn is_only_a_value(&self) -> bool {
        matches!(self.outcome, Ok(Some(_)))
            && self.is_certain()
            && self.opaque.is_empty()
            && self.open.is_empty()
    }

    /// Each case with its conditions; the answer itself if it has no cases.
    pub fn each_case(&self) -> Vec<(&[Condition], &Self)> {
        if self.cases.is_empty() {
            return vec![(&[], self)];
        }
        self.cases.iter().map(|case| (&*case.conditions, &case.answer)).collect()
    }

    /// Why the lookup fails, if it fails for all nodes that the answer is for.
    pub fn certain_failure(&self) -> Option<&Failure> {
        self.outcome.as_ref().err().filter(|_| self.is_certain())
    }

    /// Why it is not known what the lookup returns, value or error, in this case.
    pub fn unknown_outcome(&self) -> Option<&Failure> {
        self.outcome.as_ref().err().filter(|it| it.class.is_unknown())
    }

    /// The answers of both, case by case; `None` if the cases of the other answer have other conditions.
    pub fn case_by_case<'a>(&'a self, other: &'a Self) -> Option<Vec<(&'a Self, &'a Self)>> {
        let (one, other) = (self.each_case(), other.each_case());
        let pairs = || one.iter().zip(&other);
        let have_same_conditions = one.len() == other.len()
            && pairs().all(|((conditions, _), (others, _))| conditions == others);
        have_same_conditions.then(|| pairs().map(|((_, one), (_, other))| (*one, *other)).collect())
    }

    /// The variables that decide the answer, in the order of the cases, each once; a list for any member of it.
    pub fn depends_on(&self) -> Vec<Arc<str>> {
        let conditions = self.cases.iter().flat_map(|case| &case.conditions);
        let of_cases = conditions.map(|condition| &condition.variable);
        let mut names: Vec<Arc<str>> = Vec::new();
        for name in of_cases.chain(self.left_out.iter().flat_map(|it| it.variables.iter())) {
            let list = without_member(name);
            let name = if list == &**name { Arc::clone(name) } else { list.into() };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Whether the answer may depend on one of these variables, or has one in a text.
    pub(crate) fn may_depend_on(&self, is_it: impl Fn(&Arc<str>) -> bool) -> bool {
        let reads = |it: &Self| it.read_open.iter().chain(&it.open).any(&is_it);
        self.each_case().iter().any(|(_, case)| reads(case)) || self.depends_on().iter().any(&is_it)
    }

    /// The error that `lookup()` raises if nothing was found.
    pub fn not_found_message(names: &[Arc<str>]) -> String {
        lookup::not_found_message(names)
    }
}

fn run(invocation: &mut Invocation<'_>, request: &Request) -> Result<Option<Located>, Failure> {
    for name in &request.names {
        // Only the exact name counts: nothing is dug out of overrides.
        if let Some(member) = request.overrides.get(name) {
            let subject = format!("Value found for key '{name}' in override hash");
            return checked(request, &subject, member.value.clone()).map(Some);
        }
        if let Some(value) = lookup::search(invocation, name, request.merge.as_ref())? {
            let value_type = request.value_type.as_deref();
            if value_type.is_some_and(|it| invocation.is_type_undecided(it, &value.value)) {
                return Ok(Some(value));
            }
            return checked(request, "Found value", value).map(Some);
        }
    }
    for name in &request.names {
        // Puppet searches the data for all names before it takes a default value for one of them.
        if let Some(member) = request.default_values.get(name) {
            let subject = format!("Value found for key '{name}' in default values hash");
            return checked(request, &subject, member.value.clone()).map(Some);
        }
    }
    match &request.default {
        Some(default) => checked(request, "Default value", default.clone()).map(Some),
        None => Ok(None),
    }
}

fn checked(request: &Request, subject: &str, value: Located) -> Result<Located, Failure> {
    if let Some(value_type) = &request.value_type {
        check_type(value_type, request.type_aliases.as_deref(), subject, &value)?;
    }
    Ok(value)
}

fn check_type(
    value_type: &str,
    aliases: Option<&TypeAliases>,
    subject: &str,
    value: &Located,
) -> Result<(), Failure> {
    let checked = puppet_type::check_type(value_type, aliases, subject, &value.value);
    checked.map_err(|problem| match problem {
        TypeProblem::Invalid(message) => Failure::of(FailureClass::TypeAssertion, message),
        TypeProblem::Unknown(message) => Failure::of(FailureClass::Unsupported, message),
    })
}
