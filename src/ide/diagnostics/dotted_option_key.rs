//! `dotted-option-key`: `lookup_options` are for root keys, so an entry for `a.b` is never read.

use super::known_keys::KnownKeys;
use super::pattern_without_caret::looks_like_pattern;
use super::walk::text_of;
use super::{Report, Rule, Severity};
use crate::syntax::interpolation;
use crate::syntax::tree::Pair;

pub(super) const RULE: Rule = Rule {
    code: "dotted-option-key",
    name: "Options of a key with dots",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "`lookup_options` for a key with a dot in it never apply.",
    page: include_str!("../../../docs/rules/dotted-option-key.md"),
    is_on: true,
};

/// Checks the entries of `lookup_options`; `start` is where they begin.
pub(super) fn check(known: &KnownKeys<'_>, options: &[Pair], start: u32, report: &mut Report) {
    for pair in options {
        let Some(key) = text_of(&pair.key) else { continue };
        let is_special = key.starts_with('^') || interpolation::may_have_tokens(key);
        // A root key may have a dot in its name, and be looked up in quotes.
        if !key.contains('.') || is_special || known.contains(key) || looks_like_pattern(key) {
            continue;
        }
        let root = key.split('.').next().unwrap_or(key);
        let message = format!(
            "these options never apply: options are those of root keys\nGive them to `{root}`, for the whole value."
        );
        report.add(&RULE, pair.key.range.shifted(start), message);
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn root_keys_may_have_dots() {
        check(
            r"
lookup_options:
  a.b: {merge: deep}
# ^^^ warning[dotted-option-key]: these options never apply: options are those of root keys Give them to `a`, for the whole value.
  c.d: {merge: deep}
  ^a.b: {merge: deep}
# ^^^^ hint[matches-no-key]
a: {b: {}}
'c.d': {}
",
        );
    }
}
