//! `alias-not-alone`: `%{alias('…')}` with other text before or after it.
//!
//! `alias` returns the value of another key as it is, of whatever type, so it cannot be inside a longer string. White space
//! inside the braces is allowed, outside it is not.

use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::text::TextRange;

pub(crate) const RULE: Rule = Rule {
    code: "alias-not-alone",
    name: "Alias is not the entire string",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "`%{alias('…')}` is only allowed as the entire string.",
    page: include_str!("../../../../docs/rules/alias-not-alone.md"),
    may_quote: |_| false,
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

/// What Puppet says.
const REFUSAL: &str =
    "'alias' interpolation is only permitted if the expression is equal to the entire string";

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    for string in &entry.strings {
        for token in string.tokens.iter().filter(|token| token.is_alias()) {
            if token.range.len() as usize != string.text.len() {
                // Only spaces around the token can be removed without a change of meaning. Other text would be lost.
                let alone = token.range.slice(string.text);
                let has_only_spaces = string.text.trim() == alone;
                let advice = if has_only_spaces {
                    "Remove the spaces around it."
                } else {
                    "Write `lookup` to insert the text of the key's value."
                };
                let message = format!("{REFUSAL}\n{advice}");
                let finding = report.add(&RULE, string.source_range(token.range), message);
                if has_only_spaces {
                    let edit = string.rewritten_text(alone);
                    let fix = |edit| Fix::safe("Remove the spaces around it", vec![edit]);
                    finding.fixes.extend(edit.map(fix));
                }
                let name = TextRange::new(
                    token.expression_range.start,
                    token.expression_range.start + "alias".len() as u32,
                );
                let edit = string.rewritten(token, name, "lookup");
                // The text of a list or a hash is hardly what was meant, and the entry does not show what the key has.
                finding.fixes.extend(edit.map(|edit| Fix::changing("Write `lookup`", vec![edit])));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn text_around_an_alias() {
        check(
            r#"
a: "x%{alias('b')}"
#    ^^^^^^^^^^^^^ error[alias-not-alone]: 'alias' interpolation is only permitted if the expression is equal to the entire string Write `lookup` to insert the text of the key's value.
b: " %{alias('c')}"
#    ^^^^^^^^^^^^^ error[alias-not-alone]: 'alias' interpolation is only permitted if the expression is equal to the entire string Remove the spaces around it.
c: 1
"#,
        );
    }

    #[test]
    fn blanks_inside_the_braces_are_fine() {
        check(
            r#"
a: "%{ alias('b') }"
b: [1]
c: ["%{alias('b')}", "%{lookup('a')}x"]
"#,
        );
    }

    #[test]
    fn each_of_two_aliases() {
        check(
            r#"
a: "%{alias('b')}%{alias('b')}"
#   ^^^^^^^^^^^^^ error[alias-not-alone]
#                ^^^^^^^^^^^^^ error[alias-not-alone]
b: 1
"#,
        );
    }

    #[test]
    fn fixes() {
        check_fix(
            "a: \"x %{alias('b')}\"\nb: 1\n",
            "Write `lookup`",
            "a: \"x %{lookup('b')}\"\nb: 1\n",
        );
        check_fix(
            "a: ' %{alias(\"b\")}'\nb: 1\n",
            "Remove the spaces around it",
            "a: '%{alias(\"b\")}'\nb: 1\n",
        );
    }
}
