//! `dotted-option-key`: `lookup_options` apply to root keys, so an entry for `a.b` is never read.

use crate::ide::diagnostics::entry::pattern_without_caret::looks_like_pattern;
use crate::ide::diagnostics::key::OptionsContext;
use crate::ide::diagnostics::shared::fix::{Fix, in_style_of};
use crate::ide::diagnostics::shared::walk::{has_key, pairs_of, text_of};
use crate::ide::diagnostics::{Check, Report, Rule, Severity, Tag};
use crate::syntax::interpolation;
use crate::text::TextEdit;

pub(crate) const RULE: Rule = Rule {
    code: "dotted-option-key",
    name: "Options of a key with dots",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "`lookup_options` for a key with a dot in it never apply.",
    page: include_str!("../../../../docs/rules/dotted-option-key.md"),
    tag: Some(Tag::Unnecessary),
    checks: &[Check::Options(check)],
    ..Rule::USUAL
};

/// Checks the entries of `lookup_options`.
pub(crate) fn check(at: &OptionsContext<'_>, report: &mut Report) {
    let OptionsContext { known, tree, .. } = *at;
    let pairs = pairs_of(tree.value);
    for pair in pairs {
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
        let finding = report.add(&RULE, pair.key.range.shifted(tree.start), message);
        if known.contains(root) && !has_key(pairs, root) {
            let written = in_style_of(&pair.key, tree.text, at.data.format(), root);
            let edit = written.map(|it| TextEdit::replace(pair.key.range, it));
            let title = format!("Write `{root}`: for the whole value");
            let fix = edit.map(|edit| Fix::changing(title, vec![edit]).shifted(tree.start));
            finding.fixes.extend(fix);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

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

    #[test]
    fn the_root_key() {
        check_fix(
            "lookup_options:\n  a.b: {merge: deep}\na: {b: {}}\n",
            "Write `a`: for the whole value",
            "lookup_options:\n  a: {merge: deep}\na: {b: {}}\n",
        );
    }
}
