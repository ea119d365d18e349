//! `untranslatable-regex`: a pattern of `lookup_options` that hiera-ls cannot read. Whether Ruby can is not known here.

use crate::ide::diagnostics::shared::walk::option_patterns;
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::syntax::ruby_regex::{self, RegexProblem};

pub(crate) const RULE: Rule = Rule {
    code: "untranslatable-regex",
    name: "Pattern that only Ruby can read",
    severity: Severity::Information,
    since: "0.1.0",
    summary: "A pattern in `lookup_options` uses a feature that only Ruby's regular expressions have.",
    page: include_str!("../../../../docs/rules/untranslatable-regex.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    for (key, pattern) in option_patterns(entry) {
        if let Err(RegexProblem::Unsupported(reason)) = ruby_regex::translate(pattern) {
            let message = format!(
                "hiera-ls cannot read this pattern: {reason}\n\
                 It does not know whether Puppet can, and which keys have these options. Write a simpler pattern."
            );
            report.add(&RULE, key.range, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn what_puppet_reads_and_this_does_not() {
        check(
            r"
lookup_options:
  '^a(?~b)$': {merge: unique}
# ^^^^^^^^^^ information[untranslatable-regex]: hiera-ls cannot read this pattern…
  '^\p{foo}': {}
# ^^^^^^^^^^ information[untranslatable-regex]: hiera-ls cannot read this pattern: a character property in /^\p{foo}/ is not supported It does not know whether Puppet can…
  '^a(?!b)$': {merge: unique}
  '^%{facts.x}(?~b)$': {merge: unique}
  'a(?~b)$': {merge: unique}
# ^^^^^^^^^ warning[pattern-without-caret]
a: [1]
",
        );
    }
}
