//! The words for a value that does not fit: `Found value has wrong type, expects a String value, got Undef`.

use super::{IntegerRange, StringKind, Type, Wrapper, type_set_of};
use crate::data::value::Value;

/// Checks that the value is of the type.
///
/// # Errors
/// Puppet's message; `subject` is its beginning, e.g. `Found value`.
pub fn assert_instance(subject: &str, expected: &Type, value: &Value) -> Result<(), String> {
    if expected.is_instance(value) {
        return Ok(());
    }
    Err(describe_mismatch(subject, expected, &type_set_of(value)))
}

fn describe_mismatch(subject: &str, expected: &Type, actual: &Type) -> String {
    let path = vec![Step::Text(format!("{subject} has wrong type,"))];
    let found = describe(expected, actual, &path);
    match found.as_slice() {
        [only] => only.text().trim().to_owned(),
        several => several.iter().map(Mismatch::text).collect::<Vec<_>>().join("\n "),
    }
}

/// One step from the whole to the part that does not fit.
#[derive(Debug, Clone, PartialEq)]
enum Step {
    Text(String),
    Variant(usize),
}

#[derive(Debug, Clone)]
struct Mismatch {
    path: Vec<Step>,
    problem: Problem,
}

#[derive(Debug, Clone)]
enum Problem {
    MissingKey(String),
    ExtraneousKey(String),
    Unresolved(String),
    Type { expected: Type, actual: Type },
    Pattern { expected: Type, actual: Type },
    Size { expected: IntegerRange, actual: IntegerRange },
}

impl Mismatch {
    fn new(path: &[Step], problem: Problem) -> Self {
        Self { path: path.to_vec(), problem }
    }

    fn of_type(path: &[Step], expected: &Type, actual: &Type) -> Self {
        let problem =
            Problem::Type { expected: expected.normalized(), actual: actual.normalized() };
        Self::new(path, problem)
    }

    fn canonical_path(&self) -> Vec<&Step> {
        self.path.iter().filter(|it| !matches!(it, Step::Variant(_))).collect()
    }

    fn text(&self) -> String {
        let position = self.path.iter().fold(String::new(), |path, step| match step {
            Step::Text(text) => path + " " + text,
            Step::Variant(index) => format!("{path} variant {index}"),
        });
        match &self.problem {
            Problem::MissingKey(key) => format!("{position} expects a value for key '{key}'"),
            Problem::ExtraneousKey(key) => format!("{position} unrecognized key '{key}'"),
            Problem::Unresolved(name) => {
                format!("{position} references an unresolved type '{name}'")
            }
            Problem::Type { expected, actual } => {
                format!("{position} {}", type_text(expected, actual))
            }
            Problem::Pattern { expected, actual } => {
                format!("{position} {}", pattern_text(expected, actual))
            }
            Problem::Size { expected, actual } => format!(
                "{position} expects size to be {}, got {}",
                size_text(*expected),
                size_text(*actual)
            ),
        }
    }

    fn without_step(mut self, index: usize) -> Self {
        if index < self.path.len() {
            self.path.remove(index);
        }
        self
    }
}

fn type_text(expected: &Type, actual: &Type) -> String {
    let (is_optional, expected) = match expected {
        Type::Wrapped(Wrapper::Optional, Some(inner)) => (true, &**inner),
        other => (false, other),
    };
    let alternatives = match expected {
        Type::Variant(types) => types.as_slice(),
        single => std::slice::from_ref(single),
    };
    let (mut names, got): (Vec<String>, String) = if is_detailed(alternatives, actual) {
        let names = alternatives.iter().map(ToString::to_string).collect();
        (names, detailed_actual(alternatives, actual))
    } else {
        let mut names: Vec<String> = Vec::new();
        for it in alternatives.iter().map(Type::short_name) {
            if !names.contains(&it) {
                names.push(it);
            }
        }
        (names, actual.short_name())
    };
    if is_optional {
        names.insert(0, "Undef".to_owned());
    }
    match names.as_slice() {
        [only] => format!("expects {} {only} value, got {got}", article(only)),
        [first, second] => format!("expects a value of type {first} or {second}, got {got}"),
        [firsts @ .., last] => {
            format!("expects a value of type {}, or {last}, got {got}", firsts.join(", "))
        }
        [] => format!("expects a Variant value, got {got}"),
    }
}

fn pattern_text(expected: &Type, actual: &Type) -> String {
    let (prefix, expected) = match expected {
        Type::Wrapped(Wrapper::Optional, Some(inner)) => ("an undef value or ", &**inner),
        other => ("", other),
    };
    let got = match actual {
        Type::String(StringKind::Exactly(text)) => format!("'{text}'"),
        other => other.short_name(),
    };
    format!("expects {prefix}a match for {expected}, got {got}")
}

fn size_text(range: IntegerRange) -> String {
    match (range.from.unwrap_or(0), range.to) {
        (min, Some(max)) if min == max => min.to_string(),
        (0, None) => "unlimited".to_owned(),
        (0, Some(max)) => format!("at most {max}"),
        (min, None) => format!("at least {min}"),
        (min, Some(max)) => format!("between {min} and {max}"),
    }
}

/// `a` or `an`, as Puppet chooses: `y` counts as a vowel.
fn article(text: &str) -> &'static str {
    let first = text.trim_start_matches(['"', '\'']).chars().next();
    match first.map(|it| it.to_ascii_lowercase()) {
        Some('a' | 'e' | 'i' | 'o' | 'u' | 'y') => "an",
        _ => "a",
    }
}

/// Whether the message shows the types with their parameters.
fn is_detailed(expected: &[Type], actual: &Type) -> bool {
    is_fully_detailed(expected, actual)
        || expected.iter().any(|it| default_of(resolved(it)).is_assignable(actual))
}

fn is_fully_detailed(expected: &[Type], actual: &Type) -> bool {
    expected.iter().any(|it| {
        std::mem::discriminant(it) == std::mem::discriminant(actual) && same_class(it, actual)
            || matches!(it, Type::Alias(_))
            || matches!((it, actual), (Type::Struct(_), Type::Hash(..)))
            || matches!((it, actual), (Type::Tuple(..), Type::Array(..)))
    })
}

fn same_class(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Wrapped(a, _), Type::Wrapped(b, _)) => a == b,
        (Type::Object { .. } | Type::Other(_), _) => a.name() == b.name(),
        _ => true,
    }
}

fn detailed_actual(expected: &[Type], actual: &Type) -> String {
    let expected: Vec<Type> = expected.iter().map(|it| resolved(it).clone()).collect();
    let generalized = actual.generalized();
    if is_fully_detailed(&expected, actual)
        || expected.iter().any(|it| it.is_assignable(&generalized))
    {
        actual.to_string()
    } else {
        actual.name().to_owned()
    }
}

fn resolved(it: &Type) -> &Type {
    match it {
        Type::Alias(alias) => resolved(alias.resolved()),
        other => other,
    }
}

/// The type of the same kind without any parameter.
fn default_of(it: &Type) -> Type {
    match it {
        Type::Boolean(_) => Type::Boolean(None),
        Type::Integer(_) => Type::integer(),
        Type::Float { .. } => Type::float(),
        Type::String(_) => Type::string(),
        Type::Enum { .. } => Type::Enum { values: Vec::new(), ignores_case: false },
        Type::Pattern(_) => Type::Pattern(Vec::new()),
        Type::Regexp(_) => Type::Regexp(None),
        Type::Collection(_) => Type::Collection(None),
        Type::Array(..) => Type::array(),
        Type::Hash(..) => Type::hash(),
        Type::Tuple(..) => Type::Tuple(Vec::new(), None),
        Type::Struct(_) => Type::Struct(Vec::new()),
        Type::Variant(_) => Type::Variant(Vec::new()),
        Type::Wrapped(wrapper, _) => Type::Wrapped(*wrapper, None),
        Type::Object { name, .. } => Type::Object { name: name.clone(), only: None },
        other => other.clone(),
    }
}

fn describe(expected: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    if let Some(name) = unresolved_name(expected) {
        return vec![Mismatch::new(path, Problem::Unresolved(name.to_owned()))];
    }
    describe_as(&expected.normalized(), expected, actual, path)
}

fn unresolved_name(expected: &Type) -> Option<&str> {
    match expected {
        Type::Other(text) if text.starts_with("TypeReference[") => Some(text),
        _ => None,
    }
}

/// `original` is the type as written, which messages name; `expected` is what it means.
fn describe_as(expected: &Type, original: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    match expected {
        Type::Variant(types) => describe_variant(types, original, actual, path),
        Type::Struct(_) => describe_struct(expected, original, actual, path),
        Type::Hash(..) => describe_hash(expected, original, actual, path),
        Type::Tuple(..) => describe_tuple(expected, original, actual, path),
        Type::Array(..) => describe_array(expected, original, actual, path),
        Type::Wrapped(Wrapper::Optional, inner) => match inner {
            Some(inner) if *actual != Type::Undef => {
                let original = if matches!(original, Type::Alias(_)) { original } else { expected };
                describe_as(inner, original, actual, path)
            }
            _ => Vec::new(),
        },
        Type::Pattern(_) | Type::Enum { .. } => {
            let problem =
                Problem::Pattern { expected: original.normalized(), actual: actual.normalized() };
            vec![Mismatch::new(path, problem)]
        }
        Type::Alias(alias) => describe_as(&alias.resolved().normalized(), expected, actual, path),
        _ if expected.is_assignable(actual) => Vec::new(),
        _ => vec![Mismatch::of_type(path, original, actual)],
    }
}

fn below(path: &[Step], step: impl Into<String>) -> Vec<Step> {
    let mut path = path.to_vec();
    path.push(Step::Text(step.into()));
    path
}

fn describe_variant(
    types: &[Type],
    original: &Type,
    actual: &Type,
    path: &[Step],
) -> Vec<Mismatch> {
    let undef = original.is_optional().then_some(&Type::Undef);
    let mut branches = Vec::new();
    for (index, branch) in undef.into_iter().chain(types).enumerate() {
        let mut branch_path = path.to_vec();
        branch_path.push(Step::Variant(index));
        let found = describe(branch, actual, &branch_path);
        if found.is_empty() {
            return Vec::new();
        }
        branches.push(found);
    }
    let found = merge_descriptions(path.len(), &branches);
    if matches!(original, Type::Alias(_)) && found.len() == 1 {
        return vec![Mismatch::of_type(path, original, actual)];
    }
    found
}

/// When every branch has the same kind of complaint about the same spot, they become one.
fn merge_descriptions(varying_step: usize, branches: &[Vec<Mismatch>]) -> Vec<Mismatch> {
    let mut found: Vec<Mismatch> = branches.iter().flatten().cloned().collect();
    let is_size = |it: &&Mismatch| matches!(it.problem, Problem::Size { .. });
    let is_type =
        |it: &&Mismatch| matches!(it.problem, Problem::Type { .. } | Problem::Pattern { .. });
    let sizes: Vec<&Mismatch> = found.iter().filter(is_size).collect();
    let types: Vec<&Mismatch> = found.iter().filter(is_type).collect();
    let merged = [sizes, types]
        .into_iter()
        .filter(|alike| alike.len() == branches.len())
        .find_map(|alike| merge_alike(&alike));
    if let Some(merged) = merged {
        found = vec![merged];
    }
    if found.len() == 1 {
        found = found.into_iter().map(|it| it.without_step(varying_step)).collect();
    }
    found
}

fn merge_alike(alike: &[&Mismatch]) -> Option<Mismatch> {
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
                Problem::Type { expected: joined(expected, other), actual }
            }
            (Problem::Pattern { expected, actual }, other) => {
                Problem::Pattern { expected: joined(expected, other), actual }
            }
            (other, _) => other,
        };
        Some(Mismatch { path: merged.path, problem })
    })
}

fn joined(expected: Type, other: &Problem) -> Type {
    match other {
        Problem::Type { expected: more, .. } | Problem::Pattern { expected: more, .. } => {
            Type::variant_of([expected, more.clone()]).normalized()
        }
        _ => expected,
    }
}

fn describe_array(expected: &Type, original: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    let Type::Array(item, range) = expected else { return Vec::new() };
    let wanted = range.unwrap_or(IntegerRange::SIZES);
    match actual {
        Type::Tuple(types, size) => {
            let actual_size = size.unwrap_or_else(|| IntegerRange::of_size(types.len()));
            if !wanted.includes(actual_size) {
                return vec![size_mismatch(path, wanted, actual_size)];
            }
            let wrong = types.iter().enumerate().filter(|(_, it)| !item.is_assignable(it));
            wrong
                .flat_map(|(index, it)| describe(item, it, &below(path, format!("index {index}"))))
                .collect()
        }
        Type::Array(actual_item, size) => {
            let actual_size = size.unwrap_or(IntegerRange::SIZES);
            if wanted.includes(actual_size) {
                let actual = Type::Array(actual_item.clone(), None);
                vec![Mismatch::of_type(path, original, &actual)]
            } else {
                vec![size_mismatch(path, wanted, actual_size)]
            }
        }
        _ => vec![Mismatch::of_type(path, original, actual)],
    }
}

fn size_mismatch(path: &[Step], expected: IntegerRange, actual: IntegerRange) -> Mismatch {
    Mismatch::new(path, Problem::Size { expected, actual })
}

fn describe_hash(expected: &Type, original: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    let Type::Hash(key, value, range) = expected else { return Vec::new() };
    let wanted = range.unwrap_or(IntegerRange::SIZES);
    match actual {
        Type::Struct(elements) => {
            let actual_size = IntegerRange::of_size(elements.len());
            if !wanted.includes(actual_size) {
                return vec![size_mismatch(path, wanted, actual_size)];
            }
            let mut found = Vec::new();
            for element in elements {
                let key_type = Type::String(StringKind::Exactly(element.name.clone()));
                if !key.is_assignable(&key_type) {
                    let path = below(path, format!("key of entry '{}'", element.name));
                    found.extend(describe(key, &key_type, &path));
                }
                if !value.is_assignable(&element.value) {
                    let path = below(path, format!("entry '{}'", element.name));
                    found.extend(describe(value, &element.value, &path));
                }
            }
            found
        }
        Type::Hash(actual_key, actual_value, size) => {
            let actual_size = size.unwrap_or(IntegerRange::SIZES);
            if wanted.includes(actual_size) {
                let actual = Type::Hash(actual_key.clone(), actual_value.clone(), None);
                vec![Mismatch::of_type(path, original, &actual)]
            } else {
                vec![size_mismatch(path, wanted, actual_size)]
            }
        }
        _ => vec![Mismatch::of_type(path, original, actual)],
    }
}

fn describe_struct(
    expected: &Type,
    original: &Type,
    actual: &Type,
    path: &[Step],
) -> Vec<Mismatch> {
    let Type::Struct(elements) = expected else { return Vec::new() };
    match actual {
        Type::Struct(theirs) => {
            let mut found = Vec::new();
            for element in elements {
                let Some(it) = theirs.iter().find(|it| it.name == element.name) else {
                    if !element.is_optional {
                        let key = element.name.to_string();
                        found.push(Mismatch::new(path, Problem::MissingKey(key)));
                    }
                    continue;
                };
                if !element.value.is_assignable(&it.value) {
                    let path = below(path, format!("entry '{}'", element.name));
                    found.extend(describe(&element.value, &it.value, &path));
                }
            }
            let extraneous =
                theirs.iter().filter(|it| elements.iter().all(|element| element.name != it.name));
            found.extend(
                extraneous
                    .map(|it| Mismatch::new(path, Problem::ExtraneousKey(it.name.to_string()))),
            );
            found
        }
        Type::Hash(key, value, size) => {
            let actual_size = size.unwrap_or(IntegerRange::SIZES);
            let required = elements.iter().filter(|it| !it.is_optional).count();
            let wanted = IntegerRange {
                from: IntegerRange::of_size(required).from,
                to: IntegerRange::of_size(elements.len()).to,
            };
            if wanted.includes(actual_size) {
                let actual = Type::Hash(key.clone(), value.clone(), None);
                vec![Mismatch::of_type(path, original, &actual)]
            } else {
                vec![size_mismatch(path, wanted, actual_size)]
            }
        }
        _ => vec![Mismatch::of_type(path, original, actual)],
    }
}

fn describe_tuple(expected: &Type, original: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    let Type::Tuple(types, _) = expected else { return Vec::new() };
    if expected == actual || types.is_empty() && matches!(actual, Type::Array(..)) {
        return Vec::new();
    }
    let (Type::Tuple(..) | Type::Array(..)) = actual else {
        return vec![Mismatch::of_type(path, original, actual)];
    };
    let wanted = expected.size_range().unwrap_or(IntegerRange::SIZES);
    let actual_size = actual.size_range().unwrap_or(IntegerRange::SIZES);
    if !wanted.includes(actual_size) {
        return vec![size_mismatch(path, wanted, actual_size)];
    }
    let step = |index: usize| below(path, format!("index {index}"));
    match actual {
        Type::Tuple(theirs, _) if !types.is_empty() => theirs
            .iter()
            .enumerate()
            .flat_map(|(index, it)| {
                let index = index.min(types.len() - 1);
                describe(&types[index], it, &step(index))
            })
            .collect(),
        Type::Array(item, _) => types
            .iter()
            .enumerate()
            .flat_map(|(index, it)| describe(it, item, &step(index)))
            .collect(),
        _ => Vec::new(),
    }
}
