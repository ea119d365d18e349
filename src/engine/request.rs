//! The `lookup()` function as a library call: names, type, merge, default, overrides; and what comes back.

use std::sync::Arc;

use super::budget::CancelToken;
use super::evaluator::Evaluator;
use super::failure::{Failure, FailureClass};
use super::invocation::{Invocation, OpaqueLevel};
use super::lookup;
use super::trace::{TraceNode, Tracer};
use crate::data::puppet_type::{self, TypeAliases, TypeProblem};
use crate::data::{Hash, Located, Value};

/// A call of `lookup()`.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The names: the first that is found wins.
    pub names: Vec<Arc<str>>,
    /// The Puppet type the value must have.
    pub value_type: Option<String>,
    /// The aliases that the type may name.
    pub type_aliases: Option<Arc<TypeAliases>>,
    /// A strategy's name, or a hash with `strategy` and options; `None` leaves it to lookup_options.
    pub merge: Option<Value>,
    /// What is answered if nothing is found.
    pub default: Option<Located>,
    /// Values that win over all data, by exact key.
    pub overrides: Hash,
    /// Values for keys that no data has, by exact key.
    pub default_values: Hash,
    /// Whether a trace is wanted, and of what.
    pub explain: Explain,
    /// Ends the lookup early.
    pub cancel: CancelToken,
}

/// What to trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Explain {
    /// Nothing: the fastest.
    #[default]
    Off,
    /// The lookup.
    On,
    /// The collection of lookup_options only.
    OptionsOnly,
}

/// What a lookup gives.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The value; `Ok(None)` if nothing has any of the names.
    pub outcome: Result<Option<Located>, Failure>,
    /// The steps, if they were asked for.
    pub trace: Option<TraceNode>,
    /// Puppet's warnings, each once.
    pub warnings: Vec<Arc<str>>,
    /// Variables that were asked for and that nothing defines.
    pub unknown_variables: Vec<Arc<str>>,
    /// Levels that were passed without an answer, because their back end is not evaluated here: the outcome is what the
    /// other levels say.
    pub opaque: Vec<OpaqueLevel>,
}

impl Request {
    /// A call with a name and nothing else.
    pub fn key(name: impl Into<Arc<str>>) -> Self {
        Self { names: vec![name.into()], ..Self::default() }
    }

    /// The same call with a trace.
    #[must_use]
    pub fn explained(self) -> Self {
        Self { explain: Explain::On, ..self }
    }
}

impl Evaluator {
    /// Looks up a key with nothing but the defaults.
    pub fn lookup(&self, key: &str) -> Answer {
        self.call(&Request::key(key))
    }

    /// Calls `lookup()`.
    pub fn call(&self, request: &Request) -> Answer {
        let mut invocation = self.invocation_with(
            &request.overrides,
            &request.default_values,
            request.cancel.clone(),
        );
        invocation.explain(request.explain);
        let outcome = run(&mut invocation, request);
        Answer {
            outcome,
            trace: invocation.take_tracer().map(Tracer::finish),
            warnings: invocation.warnings,
            unknown_variables: invocation.unknown_variables,
            opaque: invocation.opaque,
        }
    }
}

impl Answer {
    /// What `lookup()` raises when nothing was found.
    pub fn not_found_message(names: &[Arc<str>]) -> String {
        lookup::not_found_message(names)
    }
}

fn run(invocation: &mut Invocation<'_>, request: &Request) -> Result<Option<Located>, Failure> {
    for name in &request.names {
        if let Some(member) = request.overrides.get(name) {
            let subject = format!("Value found for key '{name}' in override hash");
            return checked(request, &subject, member.value.clone()).map(Some);
        }
        if let Some(value) = lookup::search(invocation, name, request.merge.as_ref())? {
            return checked(request, "Found value", value).map(Some);
        }
    }
    for name in &request.names {
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
