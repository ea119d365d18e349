//! The values of a class's parameters when a node includes the class (from data, literal defaults, or nothing), and whether
//! they fit their types. Puppet calls this automatic parameter lookup.
//!
//! Code is not evaluated: if a default is an expression, it exists, but its value is not known.

mod given;
mod verdict;

use std::sync::Arc;

use crate::code::{ClassCode, CodeFile, literal};
use crate::config::Environment;
use crate::data::puppet_type::TypeAliases;
use crate::data::{Located, Value};
use crate::engine::{
    Answer, Caller, CancelToken, Condition, Evaluator, Failure, FailureClass, Request,
};
use crate::syntax::puppet::{DeclarationKind, Parameter};
use crate::text::TextRange;

pub use given::{RefusedValue, refusal_of_values, refused_values};
pub use verdict::{ParameterType, Unsure, Verdict};

/// A parameter with its value.
#[derive(Debug, Clone)]
pub struct Binding {
    /// Its name, without `$`.
    pub name: Arc<str>,
    /// The range of the name in the class's file.
    pub name_range: TextRange,
    /// The type as written, on one line.
    pub type_text: Option<String>,
    /// Where the default is written in the class's file.
    pub default_range: Option<TextRange>,
    /// The result of looking up its key.
    pub answer: Answer,
    /// The cases, at least one: the first whose conditions are true applies.
    pub cases: Vec<BoundCase>,
}

/// The value of a parameter under some conditions.
#[derive(Debug, Clone)]
pub struct BoundCase {
    /// The conditions of this case, if no earlier case matches; empty in the last case.
    pub conditions: Vec<Condition>,
    /// The value and its origin.
    pub bound: Bound,
    /// Whether Puppet accepts it.
    pub verdict: Verdict,
}

/// The value of a parameter and its origin.
#[derive(Debug, Clone)]
pub enum Bound {
    /// The value of its key.
    Data(Located),
    /// Its default, which is a constant.
    Default(Value),
    /// Its default, which is an expression that Puppet evaluates.
    Computed,
    /// Nothing: there is neither data nor a default.
    Nothing,
    /// The lookup of its key fails, or its type is an error, and with it every catalog with the class.
    Failed(Failure),
}

/// The shared inputs for binding parameters.
#[derive(Clone, Copy)]
pub struct Binder<'a> {
    /// Looks keys up for the node.
    pub evaluator: &'a Evaluator,
    /// The type aliases of its environment.
    pub aliases: &'a TypeAliases,
    /// Ends the work early.
    pub cancel: &'a CancelToken,
}

impl Binder<'_> {
    /// All parameters of a class that is included without explicit values, in the order of the class.
    pub fn bind_class(&self, class: &ClassCode) -> Vec<Binding> {
        let wanted = class.parameters().iter().take_while(|_| !self.cancel.is_cancelled());
        let mut bindings: Vec<_> = wanted.map(|it| self.bind(class, it)).collect();
        refuse_early_reads(class, &mut bindings);
        bindings
    }

    /// One parameter of a class.
    pub fn bind(&self, class: &ClassCode, parameter: &Parameter) -> Binding {
        let wanted = ParameterType::of(class, parameter, self.aliases);
        let key = class.key_of(&parameter.name);
        let request = Request { cancel: self.cancel.clone(), ..Request::key(key).with_sources() };
        // Puppet evaluates the parent first. Its scope contains that of the class, which has no `$title` yet.
        let parent = class.parent();
        let module = module_of(class, self.evaluator.environment());
        let parameters = Caller::parameters_of(module, Some(&class.name));
        let caller = Caller { title: parent.as_deref(), ..parameters };
        let mut answer = self.evaluator.parameter_of(&class.name, caller, &request);
        let default = parameter.default.as_ref();
        let bind = |conditions: &[Condition], answer: &Answer| {
            let mut case = BoundCase::new(parameter, &wanted, conditions, answer);
            if let (Verdict::Unsure(Unsure::Type(problem)), Some(range)) =
                (&mut case.verdict, parameter.type_range)
            {
                *problem = placed(problem, class, range.start);
            }
            if let (Some(problem), Some(range)) = (wanted.certain_refusal(), parameter.type_range) {
                let message = placed(problem, class, range.start);
                case.bound = Bound::Failed(Failure::of(FailureClass::Puppet, message));
                case.verdict = Verdict::Fails;
            }
            if case.verdict == Verdict::Fits && self.evaluator.version().is_strict() {
                let is_missing = |it: &&Arc<str>| self.evaluator.is_of_missing_class(it);
                let names: Vec<_> = answer.read_open.iter().filter(is_missing).cloned().collect();
                if !names.is_empty() {
                    case.verdict = Verdict::Unsure(Unsure::ClassesOf(names));
                }
            }
            case
        };
        let mut cases = match answer.cases.as_slice() {
            [] => vec![bind(&[], &answer)],
            cases => cases.iter().map(|it| bind(&it.conditions, &it.answer)).collect(),
        };
        drop_cases_with_the_same_default(&mut cases, &mut answer);
        Binding {
            name: parameter.name.as_str().into(),
            name_range: parameter.name_range,
            type_text: parameter.type_range.map(|it| class.text_in_a_line(it)),
            default_range: default.map(|it| it.range),
            answer,
            cases,
        }
    }
}

/// Drops cases at the end in which the parameter gets the same default: a null and no value at all are different answers, but Puppet
/// uses the default for both.
fn drop_cases_with_the_same_default(cases: &mut Vec<BoundCase>, answer: &mut Answer) {
    let is_same = |one: &BoundCase, other: &BoundCase| {
        let is_same_default = match (&one.bound, &other.bound) {
            (Bound::Default(one), Bound::Default(other)) => one == other,
            (Bound::Computed, Bound::Computed) => true,
            _ => false,
        };
        is_same_default && one.verdict == other.verdict
    };
    while let [.., before, last] = cases.as_slice()
        && is_same(before, last)
    {
        let at = cases.len() - 2;
        cases.remove(at);
        answer.cases.remove(at);
    }
    // An answer has several cases or none.
    if cases.len() == 1 {
        answer.cases.clear();
    }
}

/// Puppet's message about a type, with the place in the file instead of that in the text of the type, which starts at `start`.
fn placed(problem: &str, class: &ClassCode, start: u32) -> String {
    let in_text = || {
        let (message, place) = problem.strip_suffix(')')?.rsplit_once(" (line: ")?;
        let (line, column) = place.split_once(", column: ")?;
        let (line, column): (u32, u32) = (line.parse().ok()?, column.parse().ok()?);
        let before = &class.file.text[..start as usize];
        let of_line = before.rsplit('\n').next().unwrap_or(before).chars().count() as u32;
        let column = if line == 1 { of_line + column } else { column };
        let line = class.file.line(start) + line - 1;
        Some(format!("{message} (file: {}, line: {line}, column: {column})", class.path))
    };
    in_text().unwrap_or_else(|| problem.to_owned())
}

/// Puppet evaluates the defaults from the first to the last, and refuses one that is a later parameter for which there is no data.
fn refuse_early_reads(class: &ClassCode, bindings: &mut [Binding]) {
    for reader in 0..bindings.len() {
        let Some(range) = bindings[reader].default_range else { continue };
        let Some(read) = class.file.slice(range).strip_prefix('$') else { continue };
        let is_read = |it: &Binding| &*it.name == read && it.has_no_data();
        if !bindings[reader..].iter().any(is_read) {
            continue;
        }
        let message = format!(
            "{}: default expression for ${} tries to illegally access not yet evaluated ${read}",
            class_reference(&class.name),
            bindings[reader].name
        );
        for case in &mut bindings[reader].cases {
            if matches!(
                (&case.bound, &case.verdict),
                (Bound::Computed, Verdict::Unsure(Unsure::Computed))
            ) {
                case.bound = Bound::Failed(Failure::of(FailureClass::Puppet, message.clone()));
                case.verdict = Verdict::Fails;
            }
        }
    }
}

/// The module that a class belongs to; `None` for a class of the environment's own manifests, also if its name is that of a class
/// of a module.
pub fn module_of<'a>(class: &ClassCode, environment: &'a Environment) -> Option<&'a str> {
    module_at(environment, &class.path)
}

/// The code at `position` of the file at `path`, as a caller of lookups, without the variables that it sets. Functions are called
/// in the top scope.
pub fn caller_at<'a>(
    environment: &'a Environment,
    path: &str,
    file: &'a CodeFile,
    position: u32,
) -> Caller<'a> {
    let around = file.declaration_around(position);
    let around = around.map(|it| &file.manifest.declarations[it]);
    match around {
        Some(it) if it.kind == DeclarationKind::Class => {
            let module = module_at(environment, path);
            let name = it.name.as_deref();
            Caller { title: name, ..Caller::parameters_of(module, name) }
        }
        Some(it) if it.kind == DeclarationKind::Define => {
            Caller::parameters_of(module_at(environment, path), None)
        }
        _ => Caller::MAIN,
    }
}

/// The module that the code file at `path` belongs to; `None` if it is the environment's own.
fn module_at<'a>(environment: &'a Environment, path: &str) -> Option<&'a str> {
    let is_below =
        |root: &Arc<str>| path.strip_prefix(&**root).is_some_and(|it| it.starts_with('/'));
    let mut modules = environment.modules.iter();
    modules.find(|(_, root)| is_below(root)).map(|(name, _)| &**name)
}

impl BoundCase {
    /// The binding of a typed parameter to an answer.
    pub fn new(
        parameter: &Parameter,
        wanted: &ParameterType,
        conditions: &[Condition],
        answer: &Answer,
    ) -> Self {
        let bound = bound_to(parameter, answer);
        let verdict = Verdict::of(wanted, &bound, answer);
        Self { conditions: conditions.to_vec(), bound, verdict }
    }
}

impl Binding {
    /// Whether the binding is the same for all nodes that the evaluator's node represents.
    pub fn is_certain(&self) -> bool {
        self.answer.is_certain()
    }

    /// The answer that a case was created from.
    pub fn answer_of(&self, case: usize) -> &Answer {
        self.answer.cases.get(case).map_or(&self.answer, |it| &it.answer)
    }

    /// Whether certainly no level has a value for it.
    fn has_no_data(&self) -> bool {
        let is_without =
            |it: &Bound| matches!(it, Bound::Default(_) | Bound::Computed | Bound::Nothing);
        let mut answers = (0..self.cases.len()).map(|it| self.answer_of(it));
        self.answer.left_out.is_empty()
            && self.cases.iter().all(|it| is_without(&it.bound))
            && answers.all(|it| it.opaque.is_empty())
    }

    /// Whether the catalog fails for all nodes that the evaluator's node represents.
    pub fn certainly_fails(&self) -> bool {
        // What the cases leave out could be a value that fits.
        self.answer.left_out.is_empty() && self.cases.iter().all(|it| it.verdict.is_refused())
    }
}

/// Whether it is not known if Puppet accepts the value of some parameter.
pub fn is_open(bindings: &[Binding]) -> bool {
    let mut cases = bindings.iter().flat_map(|it| &it.cases);
    cases.any(|it| matches!(it.verdict, Verdict::Unsure(_)))
}

/// The error that Puppet raises if a class is included with these bindings; `None` if Puppet accepts them, or if that depends
/// on something that is not known.
pub fn refusal(class: &str, bindings: &[Binding]) -> Option<String> {
    let failing: Vec<&Binding> = bindings.iter().filter(|it| it.certainly_fails()).collect();
    // Puppet looks up all parameters before it checks a type, so a failed lookup comes before everything else.
    let failure = failing.iter().find_map(|it| match &it.cases.last()?.bound {
        Bound::Failed(failure) => Some(failure.message.to_string()),
        _ => None,
    });
    if failure.is_some() || failing.is_empty() {
        return failure;
    }
    let last = failing.iter().filter_map(|it| Some((it, it.cases.last()?)));
    let lines: Vec<String> = last.flat_map(|(it, case)| case.verdict.messages(&it.name)).collect();
    Some(refusal_in_words(class, &lines))
}

/// Puppet's error about the parameters of a class, with a line for each.
fn refusal_in_words(class: &str, lines: &[String]) -> String {
    let class = class_reference(class);
    match lines {
        [only] => format!("{class}: {only}"),
        lines => format!("{class}:\n  {}", lines.join("\n  ")),
    }
}

/// `Class[Profile::Web]`
fn class_reference(name: &str) -> String {
    let capitalized = |it: &str| {
        let (first, rest) = it.split_at(it.chars().next().map_or(0, char::len_utf8));
        first.to_uppercase() + rest
    };
    let segments: Vec<String> = name.split("::").map(capitalized).collect();
    format!("Class[{}]", segments.join("::"))
}

/// Data wins over the default, but null means that there is no data if there is a default.
fn bound_to(parameter: &Parameter, answer: &Answer) -> Bound {
    match &answer.outcome {
        Err(failure) => Bound::Failed(failure.clone()),
        Ok(Some(value)) if !is_null(value) => Bound::Data(value.clone()),
        Ok(Some(value)) if parameter.default.is_none() => Bound::Data(value.clone()),
        Ok(_) => match &parameter.default {
            None => Bound::Nothing,
            Some(default) => default
                .constant
                .as_ref()
                .and_then(literal::value_of)
                .map_or(Bound::Computed, Bound::Default),
        },
    }
}

/// YAML's null. The symbol `:undef` is different: it binds `undef` and hides the default.
fn is_null(value: &Located) -> bool {
    matches!(value.value, Value::Undef)
}

#[cfg(test)]
mod tests;
