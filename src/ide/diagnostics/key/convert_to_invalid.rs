//! `convert-to-invalid`: a `convert_to` that fails for all values, or for most.

use crate::data::puppet_type::{self, TypeProblem};
use crate::data::{Located, Value};
use crate::engine::convert_to;
use crate::ide::diagnostics::key::OptionsContext;
use crate::ide::diagnostics::shared::fix::{Fix, replaced_in};
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::settings::nearest_name;
use crate::syntax::interpolation;

pub(crate) const RULE: Rule = Rule {
    code: "convert-to-invalid",
    name: "Wrong convert_to",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A `convert_to` in `lookup_options` is not a type, or is a type that nothing can be converted to.",
    page: include_str!("../../../../docs/rules/convert-to-invalid.md"),
    checks: &[Check::Options(check)],
    ..Rule::USUAL
};

/// The types that people convert to.
const TYPES: [&str; 10] = [
    "Array",
    "Binary",
    "Boolean",
    "Float",
    "Hash",
    "Integer",
    "Numeric",
    "Sensitive",
    "String",
    "Timestamp",
];

/// Checks the entry `lookup_options` of a file.
pub(crate) fn check(options: &OptionsContext<'_>, report: &mut Report) {
    let source = options.data.text();
    let Some(options) = options.entry.value.value.as_hash() else { return };
    for (key, options) in options {
        let Some(key) = key.as_str() else { continue };
        let wanted = options.value.value.as_hash().and_then(|options| options.get("convert_to"));
        let Some(wanted) = wanted else { continue };
        let Some(place) = wanted.value.place else { continue };
        if is_left_out(&wanted.value.value) {
            continue;
        }
        if let Some((severity, message)) = problem(key, &wanted.value.value) {
            let finding = report.add_as(&RULE, severity, place.range, message);
            if let Some((name, near)) = near_type(&wanted.value.value) {
                let edit = replaced_in(source, place.range, name, near);
                let fix = |edit| Fix::changing(format!("Write `{near}`"), vec![edit]);
                finding.fixes.extend(edit.map(fix));
            }
        }
    }
}

/// A name that is not a type, and the type that was meant.
fn near_type(wanted: &Value) -> Option<(&str, &'static str)> {
    let name = type_text(wanted)?;
    let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let near = nearest_name(name, TYPES).filter(|near| is_word && *near != name)?;
    Some((name, near))
}

fn problem(key: &str, wanted: &Value) -> Option<(Severity, String)> {
    let name = type_text(wanted);
    if let Some(name) = name.filter(|name| !is_balanced(name)) {
        let message = format!(
            "Puppet cannot read the type `{name}`: its brackets are not closed\nThe lookup fails."
        );
        return Some((Severity::Error, message));
    }
    // Hardly any type accepts a symbol as it is, so it would have to be converted.
    let probe = Located::new(Value::Symbol("probe".into()), None);
    let failure = convert_to::convert(key, wanted, probe).err()?;
    let words = &failure.message;
    if convert_to::is_not_a_type(words) {
        let advice = "The lookup fails. Write a type, e.g. `Integer` or `Sensitive`.";
        return Some((Severity::Error, format!("{words}\n{advice}")));
    }
    if convert_to::is_about_the_type(words) {
        let message = "nothing can be converted to this type: the lookup of any other value fails\n\
                       Name a type that Puppet can create, e.g. `Integer`, `Array` or `Sensitive`.";
        return Some((Severity::Warning, message.to_owned()));
    }
    // All other failures are about the probe itself, unless the name is not a type.
    name.filter(|name| is_unknown(name))?;
    let near = near_type(wanted);
    near.map(|(_, near)| (Severity::Warning, format!("{words}\nDid you mean `{near}`?")))
}

fn type_text(wanted: &Value) -> Option<&str> {
    match wanted {
        Value::Array(items) => items.first()?.value.as_str(),
        wanted => wanted.as_str(),
    }
}

fn is_unknown(name: &str) -> bool {
    matches!(puppet_type::parse(name), Err(TypeProblem::Unknown(_)))
}

fn is_balanced(name: &str) -> bool {
    // Quotes may contain brackets.
    let count = |wanted: char| name.chars().filter(|c| *c == wanted).count();
    name.contains(['\'', '"', '/']) || count('[') == count(']')
}

/// Whether there is no conversion, or the conversion depends on a lookup.
fn is_left_out(wanted: &Value) -> bool {
    match wanted {
        Value::Undef | Value::Boolean(false) => true,
        Value::String(text) => interpolation::may_have_tokens(text),
        Value::Array(items) => {
            items.iter().any(|item| item.value.as_str().is_some_and(interpolation::may_have_tokens))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn types_and_what_is_none() {
        check(
            r#"
lookup_options:
  a: {convert_to: integer}
#                 ^^^^^^^ error[convert-to-invalid]: Invalid data type in lookup_options for key 'a' could not parse 'integer', error: 'The expression <integer> is not a valid type specification. The lookup fails…
  aa: {convert_to: "Array[String"}
#                  ^^^^^^^^^^^^^^ error[convert-to-invalid]: Puppet cannot read the type `Array[String`: its brackets are not closed…
  ab: {convert_to: Intger}
#                  ^^^^^^ warning[convert-to-invalid]: the type Intger is not known here Did you mean `Integer`?
  ac: {convert_to: Stdlib::Port}
  ad: {convert_to: ''}
#                  ^^ error[convert-to-invalid]: Invalid data type in lookup_options for key 'ad' could not parse '', error: 'The expression <> is not a valid type specification. The lookup fails…
  b: {convert_to: 5}
#                 ^ error[convert-to-invalid]: The convert_to lookup_option for key 'b' raised error: 'new' parameter 'type' expects a Type value, got Integer…
  c: {convert_to: "Enum[x]"}
#                 ^^^^^^^^^ warning[convert-to-invalid]: nothing can be converted to this type…
  d: {convert_to: [Integer, 16]}
  e: {convert_to: "%{facts.type}"}
  f: {convert_to: ~}
  g: {convert_to: Sensitive}
  h: {convert_to: "Array[String]"}
a: 1
aa: 1
ab: 1
ac: 1
ad: 1
b: 1
c: 1
d: 1
e: 1
f: 1
g: 1
h: []
"#,
        );
    }

    #[test]
    fn the_near_type() {
        check_fix(
            "lookup_options:\n  a: {convert_to: ['integer', 16]}\na: '0xff'\n",
            "Write `Integer`",
            "lookup_options:\n  a: {convert_to: ['Integer', 16]}\na: '0xff'\n",
        );
        check_fix(
            "lookup_options:\n  a: {convert_to: Sensitve}\na: x\n",
            "Write `Sensitive`",
            "lookup_options:\n  a: {convert_to: Sensitive}\na: x\n",
        );
    }
}
