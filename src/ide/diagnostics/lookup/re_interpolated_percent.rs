//! `re-interpolated-percent`: the result of `lookup` is interpolated once more, so a `%{` written with `literal` does not
//! survive.

use crate::data::{Located, Value};
use crate::ide::diagnostics::lookup::LookupContext;
use crate::ide::diagnostics::shared::targets::Dug;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::syntax::interpolation;

pub(crate) const RULE: Rule = Rule {
    code: "re-interpolated-percent",
    name: "Literal percent that is interpolated again",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A `%{lookup('…')}` interpolates a `%{…}` that the key protects with `literal`.",
    page: include_str!("../../../../docs/rules/re-interpolated-percent.md"),
    checks: &[Check::Lookup(check)],
    ..Rule::USUAL
};

/// Checks the lookups of an entry that return strings; `start` is where the entry starts.
pub(crate) fn check(at: &LookupContext<'_>, report: &mut Report) {
    let Some(targets) = at.targets() else { return };
    let start = at.entry.start;
    for lookup in &at.summary.texts {
        let Some((dug, _)) = targets.dug(&lookup.name) else { continue };
        let made = |value| Some((value, token_made(value)?));
        let Some((value, token)) = dug.iter().filter_map(Dug::found).find_map(made) else {
            continue;
        };
        let advice = if lookup.is_alone {
            format!("Write `%{{alias('{}')}}`, which takes the value as it is.", lookup.name)
        } else {
            "Only `alias` takes a value as it is, and it must be the whole string.".to_owned()
        };
        let message = format!(
            "the text of `{}` is interpolated again, including its `{token}`\n{advice}",
            lookup.name
        );
        let finding = report.add(&RULE, lookup.range.shifted(start), message);
        finding.related.extend(targets.related(value, "this text".to_owned()));
        finding.fixes.extend(lookup.as_alias(start));
    }
}

/// The token in a string after its `literal`s are replaced.
fn token_made(found: &Located) -> Option<String> {
    let Value::String(text) = &found.value else { return None };
    // Without a `literal`, nobody meant to protect the text.
    interpolation::token_made_by_literals(text)
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix, check_related};

    #[test]
    fn only_where_a_token_comes_out() {
        check(
            r#"
a: "%{literal('%')}{SERVER_NAME}"
b: "%{lookup('a')}"
#   ^^^^^^^^^^^^^^ warning[re-interpolated-percent]: the text of `a` is interpolated again, including its `%{SERVER_NAME}` Write `%{alias('a')}`, which takes the value as it is.
c: "x %{lookup('a')}"
#     ^^^^^^^^^^^^^^ warning[re-interpolated-percent]: the text of `a` is interpolated again, including its `%{SERVER_NAME}` Only `alias`…
d: "%{alias('a')}"
e: "100%{literal('%')} {x} %{facts.x}"
f: "%{lookup('e')} %{lookup('g')}"
g: "%{facts.x}"
"#,
        );
    }

    #[test]
    fn the_text_is_shown() {
        check_related(
            r#"
a: "%{literal('%')}{x}"
b: "%{lookup('a')}"
"#,
            "re-interpolated-percent",
            &["/data/common.yaml: \"%{literal('%')}{x}\": this text"],
        );
    }

    #[test]
    fn alias_takes_the_value_as_it_is() {
        check_fix(
            "a: \"%{literal('%')}{x}\"\nb: \"%{lookup('a')}\"\n",
            "Write `%{alias('a')}`",
            "a: \"%{literal('%')}{x}\"\nb: \"%{alias('a')}\"\n",
        );
    }
}
