//! Finds the parts of a value that do not fit a type, by comparing the type with the type of the value.

use super::describe_collections as collections;
use super::guard::Guard;
use super::misfit::Misfit;
use super::mismatch::{Mismatch, Problem, Step};
use super::normalize::Simplifier;
use super::{IntegerRange, Type, Wrapper, type_set_of};
use crate::data::value::Value;

/// Deeper types are not compared.
const MAX_DEPTH: usize = 1_000;

/// The maximum number of comparisons.
const MAX_STEPS: usize = 200_000;

/// Whether a value is of a type and, if not, Puppet's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit {
    /// Whether the value is of the type.
    pub is_instance: bool,
    /// One line for each part that does not fit. Puppet refuses some values without a message.
    pub message: Option<String>,
    /// The parts that do not fit, one for each line.
    pub misfits: Vec<Misfit>,
}

/// Whether the value is of the type.
///
/// # Errors
/// The error that Puppet raises if it cannot compare them.
pub fn fit(expected: &Type, value: &Value) -> Result<Fit, String> {
    let mut guard = Guard::default();
    let is_instance = expected.has_instance(value, &mut guard);
    if let Some(failure) = guard.failure() {
        return Err(failure);
    }
    if is_instance {
        return Ok(Fit { is_instance, message: None, misfits: Vec::new() });
    }
    // Puppet now compares the type of the value instead of the value, and may find nothing to complain about.
    let mut describer = Describer::default();
    let found = describer.describe(expected, &type_set_of(value), &[]);
    if let Some(failure) = describer.failure() {
        return Err(failure);
    }
    let misfits: Vec<Misfit> = found.iter().map(Misfit::of).collect();
    let lines: Vec<&str> = misfits.iter().map(|it| &*it.message).collect();
    let message = lines.join("\n");
    Ok(Fit { is_instance, message: (!message.is_empty()).then_some(message), misfits })
}

/// Checks that the value is of the type.
///
/// # Errors
/// Puppet's message, which starts with `subject`, for example `Found value`.
pub fn assert_instance(subject: &str, expected: &Type, value: &Value) -> Result<(), String> {
    match instance_problems(subject, expected, value).as_deref() {
        None => Ok(()),
        Some([only]) => Err(only.trim().to_owned()),
        Some(several) => Err(several.join("\n ")),
    }
}

/// The parts of Puppet's message for each thing that does not fit; `None` if the value is of the type. Puppet compares the type of
/// the value to find words, and sometimes finds none.
pub fn instance_problems(subject: &str, expected: &Type, value: &Value) -> Option<Vec<String>> {
    if expected.is_instance(value) {
        return None;
    }
    let path = vec![Step::Subject(format!("{subject} has wrong type,"))];
    let found = Describer::default().describe(expected, &type_set_of(value), &path);
    Some(found.iter().map(Mismatch::text).collect())
}

/// Compares types within the limits above.
#[derive(Default)]
pub(super) struct Describer {
    guard: Guard,
    simplifier: Simplifier,
    depth: usize,
    steps: usize,
}

impl Describer {
    /// The parts of `actual` that do not fit `expected`.
    pub(super) fn describe(
        &mut self,
        expected: &Type,
        actual: &Type,
        path: &[Step],
    ) -> Vec<Mismatch> {
        if let Some(name) = first_unresolved(expected) {
            return vec![Mismatch::new(path, Problem::Unresolved(name))];
        }
        let simplest = self.simplifier.simplest(expected);
        self.describe_as(&simplest, expected, actual, path)
    }

    /// The error that Puppet raises instead of a description.
    fn failure(self) -> Option<String> {
        let failure = self.simplifier.failure().map(str::to_owned);
        failure.or_else(|| self.guard.failure())
    }

    /// A mismatch of the whole value.
    pub(super) fn mismatch(&self, path: &[Step], expected: &Type, actual: &Type) -> Mismatch {
        let [expected, actual] = [expected, actual].map(|it| self.simplifier.simplest(it));
        Mismatch::new(path, Problem::Type { expected, actual })
    }

    pub(super) fn takes(&mut self, expected: &Type, actual: &Type) -> bool {
        self.guard.afresh(|guard| expected.assignable(actual, guard))
    }

    /// `original` is the type as written, which messages show; `expected` is its resolved form.
    fn describe_as(
        &mut self,
        expected: &Type,
        original: &Type,
        actual: &Type,
        path: &[Step],
    ) -> Vec<Mismatch> {
        self.steps += 1;
        if self.depth >= MAX_DEPTH || self.steps >= MAX_STEPS {
            self.guard.fail("stack level too deep".to_owned());
        }
        if self.guard.has_failed() {
            return Vec::new();
        }
        self.depth += 1;
        let found = match expected {
            Type::Variant(types) => self.describe_variant(types, original, actual, path),
            Type::Struct(elements) => {
                collections::of_struct(self, elements, original, actual, path)
            }
            Type::Hash(key, value, range) => {
                collections::of_hash(self, (key, value, *range), original, actual, path)
            }
            Type::Tuple(types, _) => {
                collections::of_tuple(self, (expected, types), original, actual, path)
            }
            Type::Array(item, range) => {
                collections::of_array(self, (item, *range), original, actual, path)
            }
            Type::Wrapped(Wrapper::Optional, inner) => match inner {
                Some(inner) if *actual != Type::Undef => {
                    let is_alias = matches!(original, Type::Alias(_) | Type::Named(_));
                    let original = if is_alias { original } else { expected };
                    self.describe_as(inner, original, actual, path)
                }
                // For a bare `Optional`, Puppet has no message, so a class parameter of this type accepts every value.
                _ => Vec::new(),
            },
            Type::Pattern(_) | Type::Enum { .. } => {
                let [expected, actual] = [original, actual].map(|it| self.simplifier.simplest(it));
                vec![Mismatch::new(path, Problem::Pattern { expected, actual })]
            }
            Type::Alias(alias) => {
                let resolved = self.simplifier.simplest(alias.resolved());
                self.describe_as(&resolved, expected, actual, path)
            }
            Type::Named(named) if !named.is_object() => {
                let resolved = named.with_resolved(|it| self.simplifier.simplest(it));
                self.describe_as(&resolved, expected, actual, path)
            }
            _ if self.takes(expected, actual) => Vec::new(),
            _ => vec![self.mismatch(path, original, actual)],
        };
        self.depth -= 1;
        found
    }

    fn describe_variant(
        &mut self,
        types: &[Type],
        original: &Type,
        actual: &Type,
        path: &[Step],
    ) -> Vec<Mismatch> {
        // Under `Optional`, Puppet compares with `Undef` before the types of the variant.
        let undef = original.is_optional().then_some(&Type::Undef);
        let mut branches = Vec::new();
        for (index, branch) in undef.into_iter().chain(types).enumerate() {
            let mut branch_path = path.to_vec();
            branch_path.push(Step::Variant(index));
            let found = self.describe(branch, actual, &branch_path);
            // If Puppet finds nothing wrong with one of the types, it accepts the value.
            if found.is_empty() {
                return Vec::new();
            }
            branches.push(found);
        }
        let found = self.merge_descriptions(path.len(), &branches);
        // Puppet reports an alias of a variant as a whole if its types fail at one place.
        if matches!(original, Type::Alias(_) | Type::Named(_)) && found.len() == 1 {
            return vec![self.mismatch(path, original, actual)];
        }
        found
    }
}

/// The first name without a definition in the type or its aliases.
fn first_unresolved(expected: &Type) -> Option<String> {
    let mut first = None;
    expected.visit(&mut Vec::new(), &mut |it| {
        if let Type::Reference(name) = it {
            first.get_or_insert_with(|| name.to_string());
        }
    });
    first
}

impl Describer {
    /// If every branch has the same kind of mismatch at the same place, they are merged into one.
    fn merge_descriptions(&self, varying_step: usize, branches: &[Vec<Mismatch>]) -> Vec<Mismatch> {
        let all: Vec<&Mismatch> = branches.iter().flatten().collect();
        let is_size = |it: &&&Mismatch| matches!(it.problem, Problem::Size { .. });
        let is_type =
            |it: &&&Mismatch| matches!(it.problem, Problem::Type { .. } | Problem::Pattern { .. });
        let sizes: Vec<&Mismatch> = all.iter().filter(is_size).copied().collect();
        let types: Vec<&Mismatch> = all.iter().filter(is_type).copied().collect();
        let merged = [sizes, types]
            .into_iter()
            .filter(|alike| alike.len() == branches.len())
            .find_map(|alike| self.merge_alike(&alike));
        // Puppet means to drop duplicates, but its mismatches never compare as equal.
        let mut found = merged.map_or_else(|| all.into_iter().cloned().collect(), |it| vec![it]);
        if found.len() == 1 {
            found = found.into_iter().map(|it| it.without_step(varying_step)).collect();
        }
        found
    }

    fn merge_alike(&self, alike: &[&Mismatch]) -> Option<Mismatch> {
        let (first, rest) = alike.split_first()?;
        rest.iter().try_fold((*first).clone(), |merged, it| {
            if merged.canonical_path() != it.canonical_path() {
                return None;
            }
            let problem = match (merged.problem, &it.problem) {
                (Problem::Size { expected: a, actual }, Problem::Size { expected: b, .. }) => {
                    let from = a.from.unwrap_or(0).min(b.from.unwrap_or(0));
                    let to = a.to.zip(b.to).map(|(a, b)| a.max(b));
                    Problem::Size { expected: IntegerRange { from: Some(from), to }, actual }
                }
                (Problem::Type { expected, actual }, other) => {
                    Problem::Type { expected: self.joined(expected, other), actual }
                }
                (Problem::Pattern { expected, actual }, other) => {
                    Problem::Pattern { expected: self.joined(expected, other), actual }
                }
                (other, _) => other,
            };
            Some(Mismatch { path: merged.path, problem })
        })
    }

    fn joined(&self, expected: Type, other: &Problem) -> Type {
        match other {
            Problem::Type { expected: more, .. } | Problem::Pattern { expected: more, .. } => {
                self.simplifier.simplest(&Type::variant_of([expected, more.clone()]))
            }
            _ => expected,
        }
    }
}
