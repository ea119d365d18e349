//! `SemVer.new`, `Regexp.new` and `Type.new`.

use std::sync::LazyLock;

use regex::Regex;

use super::{ConversionFailure, unknown_arguments};
use crate::data::puppet_type::{self, Type, TypeProblem, type_set_of};
use crate::data::value::{Located, Value};
use crate::syntax::ruby_regex;

/// Puppet's pattern for versions; the groups are the numbers, the pre-release and the build.
static VERSION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"\A(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?\n?\z",
    )
    .expect("a correct pattern")
});
static QUALIFIER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\A[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*\n?\z").expect("a correct pattern")
});

/// `SemVer.new(text)`, `SemVer.new(major, minor, patch, prerelease, build)`, `SemVer.new({…})`.
pub(super) fn version(
    wanted: &Type,
    value: &Value,
    arguments: &[Located],
) -> Result<Value, ConversionFailure> {
    let unknown = || unknown_arguments(wanted);
    let text = match (value, arguments) {
        (Value::String(text), []) => version_of_text(text)?,
        (Value::Integer(_), [_]) => {
            let message = "'new_Version' expects between 1 and 5 arguments, got 2";
            return Err(ConversionFailure::Error(message.to_owned()));
        }
        (major, [minor, patch, rest @ ..]) if rest.len() <= 2 => {
            let part = |index: usize| rest.get(index).map(|it| &it.value);
            version_of_parts(major, &minor.value, &patch.value, part(0), part(1))
                .ok_or_else(unknown)?
        }
        (Value::Hash(named), []) => {
            let member = |name: &str| named.get(name).map(|it| &it.value.value);
            let known = ["major", "minor", "patch", "prerelease", "build"];
            let count = known.iter().filter(|it| member(it).is_some()).count();
            match (member("major"), member("minor"), member("patch")) {
                (Some(major), Some(minor), Some(patch)) if count == named.len() => {
                    let (prerelease, build) = (member("prerelease"), member("build"));
                    version_of_parts(major, minor, patch, prerelease, build).ok_or_else(unknown)?
                }
                _ => return Err(unknown()),
            }
        }
        _ => return Err(unknown()),
    };
    Ok(Value::object("SemVer", text))
}

fn version_of_text(text: &str) -> Result<String, ConversionFailure> {
    let groups = VERSION.captures(text).ok_or_else(|| {
        ConversionFailure::Error(format!(
            "'new_Version' The string '{text}' cannot be converted to a SemVer"
        ))
    })?;
    let has_leading_zero = |it: &str| {
        it.len() > 1 && it.starts_with('0') && it.bytes().all(|digit| digit.is_ascii_digit())
    };
    if groups.get(4).is_some_and(|it| it.as_str().split('.').any(has_leading_zero)) {
        let message = "Numeric pre-release identifiers MUST NOT contain leading zeroes";
        return Err(ConversionFailure::Error(message.to_owned()));
    }
    // Puppet's pattern ends with `\Z`, which allows a newline at the end.
    Ok(text.trim_end_matches('\n').to_owned())
}

fn version_of_parts(
    major: &Value,
    minor: &Value,
    patch: &Value,
    prerelease: Option<&Value>,
    build: Option<&Value>,
) -> Option<String> {
    let number = |it: &Value| match it {
        Value::Integer(it) if *it >= 0 => Some(it.to_string()),
        _ => None,
    };
    let qualifier = |sign: &str, it: Option<&Value>| match it {
        None => Some(String::new()),
        Some(Value::String(text)) if QUALIFIER.is_match(text) => Some(format!("{sign}{text}")),
        Some(_) => None,
    };
    Some(format!(
        "{}.{}.{}{}{}",
        number(major)?,
        number(minor)?,
        number(patch)?,
        qualifier("-", prerelease)?,
        qualifier("+", build)?
    ))
}

/// `Regexp.new(text, escape)`. The function calls itself `new_float`, as Puppet's does.
pub(super) fn regexp(
    wanted: &Type,
    value: &Value,
    arguments: &[Located],
) -> Result<Value, ConversionFailure> {
    let refused = |parameter: &str, expected: &str, got: &Value| {
        let got = puppet_type::infer(got);
        ConversionFailure::Error(format!(
            "'new_float' parameter '{parameter}' expects a {expected} value, got {got}"
        ))
    };
    let Value::String(text) = value else { return Err(refused("pattern", "String", value)) };
    let source = match arguments {
        [] => text.to_string(),
        [escape] => match &escape.value {
            Value::Boolean(true) => escaped(text),
            Value::Boolean(false) => text.to_string(),
            other => return Err(refused("escape", "Boolean", other)),
        },
        _ => return Err(unknown_arguments(wanted)),
    };
    // This only checks whether Ruby accepts the expression. How Ruby words a refusal is not known.
    ruby_regex::translate(&source).map_err(|_| {
        ConversionFailure::Unknown(format!(
            "whether /{source}/ is a regular expression is not known here"
        ))
    })?;
    if source.starts_with("(?") {
        // Ruby has a special form for flags of the whole expression.
        return Err(ConversionFailure::Unknown(format!(
            "how Ruby shows /{source}/ is not known here"
        )));
    }
    Ok(Value::object("Regexp", shown_by_ruby(&source)))
}

/// Ruby's `Regexp.escape`.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for it in text.chars() {
        match it {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{c}' => out.push_str("\\f"),
            '\u{b}' => out.push_str("\\v"),
            ' ' | '#' | '$' | '(' | ')' | '*' | '+' | '-' | '.' | '?' | '[' | '\\' | ']' | '^'
            | '{' | '|' | '}' => {
                out.push('\\');
                out.push(it);
            }
            _ => out.push(it),
        }
    }
    out
}

/// Ruby's `Regexp#to_s`: with flags, and with slashes escaped if they are not yet.
fn shown_by_ruby(source: &str) -> String {
    let mut out = "(?-mix:".to_owned();
    let mut characters = source.chars();
    while let Some(it) = characters.next() {
        match it {
            '\\' => {
                out.push(it);
                out.extend(characters.next());
            }
            '/' => out.push_str("\\/"),
            _ => out.push(it),
        }
    }
    out.push(')');
    out
}

/// `Type.new(text)`.
pub(super) fn puppet_type_of(
    wanted: &Type,
    value: &Value,
    arguments: &[Located],
) -> Result<Value, ConversionFailure> {
    match (value, arguments) {
        (Value::String(text), []) if !text.is_empty() => {
            let parsed = puppet_type::parse(text).map_err(|problem| match problem {
                TypeProblem::Invalid(message) => ConversionFailure::Error(message),
                TypeProblem::Unknown(reason) => ConversionFailure::Unknown(reason),
            })?;
            Ok(Value::object("Type", parsed.to_string()))
        }
        (other, []) => {
            let expected = if other.as_str().is_some() { "String[1]" } else { "String" };
            let got = type_set_of(other).short_name();
            Err(ConversionFailure::Error(format!(
                "'new_type' parameter 'type_string' expects a {expected} value, got {got}"
            )))
        }
        _ => Err(unknown_arguments(wanted)),
    }
}
