//! `function-in-hiera-yaml`: a call in a `%{…}` of `hiera.yaml`, where only variables are allowed.
//!
//! Puppet resolves all levels of a hierarchy at once, so one such token breaks every lookup.

use crate::ide::diagnostics::config::ConfigTextContext;
use crate::ide::diagnostics::entry::malformed_token::Functions;
use crate::ide::diagnostics::entry::{malformed_token, token_cut_at_brace};
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::syntax::interpolation::{Expression, Method};

pub(crate) const RULE: Rule = Rule {
    code: "function-in-hiera-yaml",
    name: "Function in hiera.yaml",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "`hiera.yaml` is interpolated with variables only; `lookup('…')` and the like are not allowed.",
    page: include_str!("../../../../docs/rules/function-in-hiera-yaml.md"),
    checks: &[Check::ConfigText(check)],
    ..Rule::USUAL
};

pub(crate) fn check(file: &ConfigTextContext<'_>, report: &mut Report) {
    for string in file.strings {
        for token in &string.tokens {
            if let Expression::Call { method, argument, .. } = &token.expression {
                let message = format!(
                    "Interpolation using method syntax is not allowed in this context\n\
                     Use a variable instead of `{}`: a fact, or `trusted`.",
                    method.name()
                );
                let finding = report.add(&RULE, string.source_range(token.range), message);
                // `scope('x')` is the variable `x`. The other functions have no counterpart here.
                if *method == Method::Scope {
                    let edit = string.rewritten(token, token.expression_range, argument);
                    let title = format!("Write `%{{{argument}}}`");
                    finding.fixes.extend(edit.map(|edit| Fix::safe(title, vec![edit])));
                }
            }
        }
    }
    malformed_token::check_strings(file.strings, Functions::Forbidden, report);
    token_cut_at_brace::check_strings(file.strings, report);
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn only_where_puppet_interpolates() {
        check(
            r#"
#- /hiera.yaml
version: 5
defaults:
  datadir: "%{literal('x')}"
#           ^^^^^^^^^^^^^^^ error[function-in-hiera-yaml]: Interpolation using method syntax is not allowed in this context…
  data_hash: yaml_data
hierarchy:
  - name: "%{lookup('x')}"
    path: "%{facts.x}.yaml"
  - name: y
    mapped_paths: [facts.x, tmp, "%{lookup('tmp')}.yaml"]
#                                 ^^^^^^^^^^^^^^^^ error[function-in-hiera-yaml]
"#,
        );
    }

    #[test]
    fn the_variable_itself() {
        check_fix(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {name: x, path: '%{scope(\"::environment\")}.yaml'} # y\n",
            "Write `%{::environment}`",
            "version: 5\nhierarchy:\n  - {name: x, path: '%{::environment}.yaml'} # y\n",
        );
    }

    #[test]
    fn tokens_that_are_none() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: x, path: "%{facts['os']}.yaml"}
#                    ^^^^^^^^^^^^^^ error[malformed-token]
  - {name: y, path: "%{facts.'a}b'}.yaml"}
#                    ^^^^^^^^^^^ error[token-cut-at-brace]
"#,
        );
    }
}
