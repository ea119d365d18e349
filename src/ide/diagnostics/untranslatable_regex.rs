//! `untranslatable-regex`: a pattern of `lookup_options` that only Ruby can judge. Puppet reads it; we say that we do not.

use super::walk::{option_entries, text_of};
use super::{EntryContext, Report, Rule, Severity};
use crate::syntax::interpolation;
use crate::syntax::ruby_regex::{self, RegexProblem};

pub(super) const RULE: Rule = Rule {
    code: "untranslatable-regex",
    name: "Pattern that only Ruby can read",
    severity: Severity::Information,
    since: "0.1.0",
    summary: "A pattern in `lookup_options` uses what only Ruby's regular expressions have.",
    page: include_str!("../../../docs/rules/untranslatable-regex.md"),
    is_on: true,
};

pub(super) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    for pair in option_entries(entry) {
        let Some(pattern) = text_of(&pair.key).filter(|key| key.starts_with('^')) else { continue };
        if interpolation::may_have_tokens(pattern) {
            continue;
        }
        if let Err(RegexProblem::Unsupported(reason)) = ruby_regex::translate(pattern) {
            let message = format!(
                "hiera-ls cannot read this pattern: {reason}\n\
                 Puppet can; but which options keys have is not known here. A simpler pattern helps."
            );
            report.add(&RULE, pair.key.range, message);
        }
    }
}
