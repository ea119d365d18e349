//! Messages for values that do not fit: `expects a String value, got Undef`.

use super::misfit::Part;
use super::{IntegerRange, StringKind, Type, Wrapper};

/// One step of the path from the whole value to the part that does not fit.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    /// Text about the whole value, before the path.
    Subject(String),
    Part(Part),
    Variant(usize),
}

/// A part that does not fit, and the reason.
#[derive(Debug, Clone)]
pub(super) struct Mismatch {
    pub(super) path: Vec<Step>,
    pub(super) problem: Problem,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Problem {
    MissingKey(String),
    ExtraneousKey(String),
    Unresolved(String),
    Type { expected: Type, actual: Type },
    Pattern { expected: Type, actual: Type },
    Size { expected: IntegerRange, actual: IntegerRange },
}

impl Mismatch {
    pub(super) fn new(path: &[Step], problem: Problem) -> Self {
        Self { path: path.to_vec(), problem }
    }

    pub(super) fn of_size(path: &[Step], expected: IntegerRange, actual: IntegerRange) -> Self {
        Self::new(path, Problem::Size { expected, actual })
    }

    /// The path without the variants that were tried.
    pub(super) fn canonical_path(&self) -> Vec<&Step> {
        self.path.iter().filter(|it| !matches!(it, Step::Variant(_))).collect()
    }

    pub(super) fn without_step(mut self, index: usize) -> Self {
        if index < self.path.len() {
            self.path.remove(index);
        }
        self
    }

    /// Puppet's text, with a leading space.
    pub(super) fn text(&self) -> String {
        let position = self.path.iter().fold(String::new(), |path, step| match step {
            Step::Subject(text) => path + " " + text,
            Step::Part(part) => format!("{path} {part}"),
            Step::Variant(index) => format!("{path} variant {index}"),
        });
        let words = match &self.problem {
            Problem::MissingKey(key) => format!("expects a value for key '{key}'"),
            Problem::ExtraneousKey(key) => format!("unrecognized key '{key}'"),
            Problem::Unresolved(name) => format!("references an unresolved type '{name}'"),
            Problem::Type { expected, actual } => type_text(expected, actual),
            Problem::Pattern { expected, actual } => pattern_text(expected, actual),
            Problem::Size { expected, actual } => {
                format!("expects size to be {}, got {}", size_text(*expected), size_text(*actual))
            }
        };
        format!("{position} {words}")
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
        let names = alternatives.iter().map(Type::expanded).collect();
        (names, detailed_actual(alternatives, actual))
    } else {
        let mut names: Vec<String> = Vec::new();
        // Several types with parameters may have the same short name, which Puppet shows once.
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
    format!("expects {prefix}a match for {}, got {got}", expected.expanded())
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

/// `a` or `an`, as Puppet chooses it: `y` counts as a vowel.
pub(super) fn article(text: &str) -> &'static str {
    let first = text.trim_start_matches(['"', '\'']).chars().next();
    match first.map(|it| it.to_ascii_lowercase()) {
        Some('a' | 'e' | 'i' | 'o' | 'u' | 'y') => "an",
        _ => "a",
    }
}

/// Whether the message shows the types with their parameters.
fn is_detailed(expected: &[Type], actual: &Type) -> bool {
    is_fully_detailed(expected, actual)
        || expected.iter().any(|it| default_of(it).is_assignable(actual))
}

fn is_fully_detailed(expected: &[Type], actual: &Type) -> bool {
    let is_alias = |it: &Type| matches!(it, Type::Alias(_) | Type::Named(_));
    is_alias(actual)
        || expected.iter().any(|it| {
            it.class_name() == actual.class_name()
                || is_alias(it)
                || matches!(
                    (it, actual),
                    (Type::Struct(_), Type::Hash(..)) | (Type::Tuple(..), Type::Array(..))
                )
        })
}

fn detailed_actual(expected: &[Type], actual: &Type) -> String {
    let expected: Vec<Type> = expected.iter().map(all_resolved).collect();
    let generalized = actual.generalized();
    if is_fully_detailed(&expected, actual)
        || expected.iter().any(|it| it.is_assignable(&generalized))
    {
        actual.expanded()
    } else {
        actual.class_name().to_owned()
    }
}

/// The type after all aliases are resolved. Puppet recurses endlessly for recursive ones.
fn all_resolved(it: &Type) -> Type {
    const MAX_ALIASES: usize = 100;
    let mut resolved = it.clone();
    for _ in 0..MAX_ALIASES {
        resolved = match &resolved {
            Type::Alias(alias) => alias.resolved().clone(),
            Type::Named(named) => named.with_resolved(Type::clone),
            _ => break,
        };
    }
    resolved
}

/// The type of the same kind without parameters; for an alias, that of its definition.
fn default_of(it: &Type) -> Type {
    match it {
        Type::Alias(alias) => without_parameters(alias.resolved()),
        Type::Named(named) => named.with_resolved(without_parameters),
        other => without_parameters(other),
    }
}

fn without_parameters(it: &Type) -> Type {
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
        Type::Timestamp(_) => Type::Timestamp(super::TimeRange::default()),
        Type::Timespan(_) => Type::Timespan(super::TimeRange::default()),
        Type::SemVer(_) => Type::SemVer(Vec::new()),
        Type::Uri(_) => Type::Uri(None),
        Type::Init(_) => Type::Init(None),
        Type::Callable(_) => Type::Callable(None),
        Type::Runtime { .. } => Type::Runtime { runtime: None, name: None },
        Type::Class(_) => Type::Class(None),
        Type::Resource { .. } => Type::Resource { name: None, title: None },
        Type::Object { .. } => Type::Object { name: "Object".into() },
        Type::Alias(_) | Type::Named(_) | Type::Reference(_) => Type::unresolved(),
        other => other.clone(),
    }
}
