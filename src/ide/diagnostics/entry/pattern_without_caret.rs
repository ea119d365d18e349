//! `pattern-without-caret`: a key of `lookup_options` looks like a regular expression. Only keys that start with `^` are
//! patterns.

use crate::ide::diagnostics::shared::fix::{Fix, in_style_of};
use crate::ide::diagnostics::shared::walk::{option_entries, text_of};
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::syntax::tree::{Node, NodeKind, ScalarStyle};
use crate::syntax::{interpolation, ruby_regex};
use crate::text::TextEdit;

pub(crate) const RULE: Rule = Rule {
    code: "pattern-without-caret",
    name: "Pattern without `^`",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A key of `lookup_options` looks like a pattern, but patterns start with `^`.",
    page: include_str!("../../../../docs/rules/pattern-without-caret.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    let options = option_entries(entry);
    for pair in options {
        let Some(key) = text_of(&pair.key).filter(|key| looks_like_pattern(key)) else { continue };
        let pattern = meant(key);
        let message = format!(
            "these options only apply to a key with exactly the name `{key}`\n\
             Only a name that starts with `^` is a pattern: write `{pattern}`."
        );
        let finding = report.add(&RULE, pair.key.range, message);
        // An equal key would replace the options of the other pattern, because Psych keeps the last of equal keys.
        let is_there = options.iter().any(|it| text_of(&it.key).is_some_and(|it| **it == *pattern));
        if !is_there && ruby_regex::translate(&pattern).is_ok() {
            finding.fixes.extend(written(entry, (&pair.key, key), &pattern));
        }
    }
}

/// The pattern that was meant. Between slashes, as in Puppet code, or after options (`(?i)`), a `^` may already be there.
fn meant(key: &str) -> String {
    let inner = between_slashes(key).unwrap_or(key);
    let is_option = |c: char| c.is_ascii_lowercase() || c == '-';
    let after_options =
        |text: &str| text.trim_start_matches(is_option).strip_prefix(')').map(str::len);
    let rest = inner.strip_prefix("(?").and_then(after_options).unwrap_or(inner.len());
    let (options, rest) = inner.split_at(inner.len() - rest);
    format!("^{options}{}", rest.strip_prefix('^').unwrap_or(rest))
}

fn between_slashes(key: &str) -> Option<&str> {
    key.strip_prefix('/')?.strip_suffix('/').filter(|it| !it.is_empty())
}

fn written(entry: &EntryContext<'_>, (node, key): (&Node, &str), pattern: &str) -> Option<Fix> {
    let NodeKind::Scalar { style, .. } = &node.kind else { return None };
    let title = format!("Write `{pattern}`");
    if pattern.strip_prefix('^') != Some(key) {
        let written = in_style_of(node, entry.text, entry.format, pattern)?;
        return Some(Fix::changing(title, vec![TextEdit::replace(node.range, written)]));
    }
    let quote = match style {
        ScalarStyle::Plain => 0,
        // The caret goes inside the quotes.
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => 1,
        ScalarStyle::Literal | ScalarStyle::Folded => return None,
    };
    let edit = TextEdit::insert(node.range.start + quote, "^");
    Some(Fix::changing(title, vec![edit]))
}

/// Whether a key contains characters of regular expressions that names of keys do not have.
pub(crate) fn looks_like_pattern(key: &str) -> bool {
    !key.starts_with('^')
        && !interpolation::may_have_tokens(key)
        && (key.contains(['*', '\\', '|'])
            || key.contains(".+")
            || key.ends_with('$')
            || between_slashes(key).is_some()
            || key.contains('[') && key.contains(']')
            || key.contains('(') && key.contains(')'))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn what_looks_like_a_pattern() {
        check(
            r#"
lookup_options:
  "ntp::.*": {merge: deep}
# ^^^^^^^^^ warning[pattern-without-caret]: these options only apply to a key with exactly the name `ntp::.*` Only a name that starts with `^` is a pattern: write `^ntp::.*`.
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

    #[test]
    fn the_caret() {
        check_fix(
            "lookup_options:\n  'ntp::.*': {merge: unique} # all\nntp::a: [1, 1]\n",
            "Write `^ntp::.*`",
            "lookup_options:\n  '^ntp::.*': {merge: unique} # all\nntp::a: [1, 1]\n",
        );
        check_fix(
            "lookup_options:\n  ntp::.*: {merge: unique}\nntp::a: [1, 1]\n",
            "Write `^ntp::.*`",
            "lookup_options:\n  ^ntp::.*: {merge: unique}\nntp::a: [1, 1]\n",
        );
    }
    #[test]
    fn slashes_as_in_puppet_code() {
        let fixed = "lookup_options:\n  \"^ntp::.*$\": {merge: unique}\nntp::a: [1, 1]\n";
        for written in ["/^ntp::.*$/", "/ntp::.*$/"] {
            let file = fixed.replace("^ntp::.*$", written);
            check_fix(&file, "Write `^ntp::.*$`", fixed);
        }
        check_fix(
            "lookup_options:\n  /^ntp::/: {merge: unique}\nntp::a: [1, 1]\n",
            "Write `^ntp::`",
            "lookup_options:\n  '^ntp::': {merge: unique}\nntp::a: [1, 1]\n",
        );
    }

    #[test]
    fn a_caret_behind_options() {
        check_fix(
            "lookup_options:\n  '(?i)^ntp::.*': {merge: unique}\nntp::a: [1, 1]\n",
            "Write `^(?i)ntp::.*`",
            "lookup_options:\n  '^(?i)ntp::.*': {merge: unique}\nntp::a: [1, 1]\n",
        );
        check_fix(
            "lookup_options:\n  '(?i)ntp::.*': {merge: unique}\nntp::a: [1, 1]\n",
            "Write `^(?i)ntp::.*`",
            "lookup_options:\n  '^(?i)ntp::.*': {merge: unique}\nntp::a: [1, 1]\n",
        );
    }
}
