//! `unknown-function`: a call in `%{…}` whose name Puppet does not know.
//!
//! There are five interpolation functions: `lookup`, `hiera` (the same), `alias`, `literal` and `scope`. Their names
//! are case-sensitive, and Puppet functions cannot be called.

use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::settings::nearest_name;
use crate::syntax::interpolation::{Expression, Method};
use crate::text::{TextEdit, TextRange};

pub(crate) const RULE: Rule = Rule {
    code: "unknown-function",
    name: "Unknown interpolation function",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A `%{…}` calls something other than `lookup`, `hiera`, `alias`, `literal` or `scope`.",
    page: include_str!("../../../../docs/rules/unknown-function.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    for string in &entry.strings {
        for token in &string.tokens {
            let Expression::Call { method: Method::Unknown(name), argument_range, .. } =
                &token.expression
            else {
                continue;
            };
            let message = format!("Unknown interpolation method '{name}'\n{}", advice(name));
            let range = string.source_range(token.range);
            let finding = report.add(&RULE, range, message);
            // The name is directly before the bracket and the quote.
            let end = argument_range.start - 2;
            let written = string.part_range(token, TextRange::new(end - name.len() as u32, end));
            if let Some(known) =
                nearest_name(name, Method::NAMES).filter(|_| written.slice(entry.text) == &**name)
            {
                let edit = TextEdit::replace(written, known);
                finding.with_fix(Fix::safe(format!("Write `{known}`"), vec![edit]));
            }
        }
    }
}

fn advice(name: &str) -> String {
    match nearest_name(name, Method::NAMES) {
        Some(known) => format!("Did you mean `{known}`?"),
        None => "Hiera has `lookup`, `hiera`, `alias`, `literal` and `scope`.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn names_are_case_sensitive() {
        check(
            r#"
a: "%{Lookup('b')}"
#   ^^^^^^^^^^^^^^ error[unknown-function]: Unknown interpolation method 'Lookup' Did you mean `lookup`?
b: "%{hiera('c')} %{literal('%')} %{scope('environment')}"
c: 1
"#,
        );
    }

    #[test]
    fn functions_of_puppet_cannot_be_called() {
        check(
            r#"
a: {b: ["%{template('x')}"]}
#        ^^^^^^^^^^^^^^^^ error[unknown-function]: Unknown interpolation method 'template' Hiera has…
"#,
        );
    }

    #[test]
    fn keys_of_hashes_are_interpolated_but_root_keys_are_not() {
        check(
            r#"
"%{foo('x')}":
#^^^^^^^^^^^^ warning[malformed-key]
  "%{foo('x')}": 1
#  ^^^^^^^^^^^ error[unknown-function]
"#,
        );
    }

    #[test]
    fn the_near_name() {
        check_fix(
            "a: \"é %{lokup('b')}\"\nb: 1\n",
            "Write `lookup`",
            "a: \"é %{lookup('b')}\"\nb: 1\n",
        );
        check_fix("a: '%{Hiera(\"b\")}'\nb: 1\n", "Write `hiera`", "a: '%{hiera(\"b\")}'\nb: 1\n");
    }
}
