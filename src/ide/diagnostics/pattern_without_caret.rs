//! `pattern-without-caret`: a key of `lookup_options` that looks like a regular expression. Only what begins with `^` is one.

use super::walk::{option_entries, text_of};
use super::{EntryContext, Report, Rule, Severity};
use crate::syntax::interpolation;

pub(super) const RULE: Rule = Rule {
    code: "pattern-without-caret",
    name: "Pattern without `^`",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A key of `lookup_options` looks like a pattern, but patterns begin with `^`.",
    page: include_str!("../../../docs/rules/pattern-without-caret.md"),
    is_on: true,
};

pub(super) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    for pair in option_entries(entry) {
        let Some(key) = text_of(&pair.key).filter(|key| looks_like_pattern(key)) else { continue };
        let message = format!(
            "these options are for a key of the very name `{key}`\n\
             Only what begins with `^` is a pattern: write `^{key}`."
        );
        report.add(&RULE, pair.key.range, message);
    }
}

/// Whether a key holds what regular expressions have and names of keys have not.
pub(super) fn looks_like_pattern(key: &str) -> bool {
    !key.starts_with('^')
        && !interpolation::may_have_tokens(key)
        && (key.contains(['*', '\\', '|'])
            || key.contains(".+")
            || key.ends_with('$')
            || key.contains('[') && key.contains(']')
            || key.contains('(') && key.contains(')'))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn what_looks_like_a_pattern() {
        check(
            r#"
lookup_options:
  "ntp::.*": {merge: deep}
# ^^^^^^^^^ warning[pattern-without-caret]: these options are for a key of the very name `ntp::.*` Only what begins with `^` is a pattern: write `^ntp::.*`.
  (ntp|ssh)::a: {merge: deep}
# ^^^^^^^^^^^^ warning[pattern-without-caret]
  ::servers$: {merge: deep}
# ^^^^^^^^^^ warning[pattern-without-caret]
  ntp::.+: {merge: deep}
# ^^^^^^^ warning[pattern-without-caret]
  ^ntp::.*: {merge: deep}
  ntp::servers: {merge: deep}
ntp::servers: []
"#,
        );
    }
}
