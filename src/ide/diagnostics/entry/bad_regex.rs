//! `bad-regex`: a pattern in `lookup_options` that Ruby cannot compile. Puppet compiles all of them at the first lookup.

use crate::ide::diagnostics::shared::walk::option_patterns;
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::syntax::ruby_regex::{self, RegexProblem};

pub(crate) const RULE: Rule = Rule {
    code: "bad-regex",
    name: "Invalid regular expression",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A pattern in `lookup_options` is not a regular expression, so every lookup fails.",
    page: include_str!("../../../../docs/rules/bad-regex.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    for (key, pattern) in option_patterns(entry) {
        if let Err(RegexProblem::Invalid(message)) = ruby_regex::translate(pattern) {
            report.add(&RULE, key.range, format!("{message}\nEvery lookup fails."));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn rubys_words() {
        check(
            r"
lookup_options:
  ^a(: {merge: deep}
# ^^^ error[bad-regex]: end pattern with unmatched parenthesis: /^a(/ Every lookup fails.
  ^a(?=b): {merge: deep}
  (: {merge: deep}
ab: 1
'(': 1
",
        );
    }
}
