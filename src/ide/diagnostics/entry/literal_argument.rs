//! `literal-argument`: a `%{literal('…')}` that is unnecessary, or that Puppet treats as a recursion.
//!
//! `literal` is for writing a `%{` that is not interpolated. While its result is interpolated again, the argument is on the
//! stack of keys: if it is the name of the key itself, Puppet reports that the key looks itself up.

use crate::ide::diagnostics::shared::fix::{Fix, is_plain_word};
use crate::ide::diagnostics::shared::walk::text_of;
use crate::ide::diagnostics::{Check, Diagnostic, EntryContext, Report, Rule, Severity};
use crate::ide::strings::StringNode;
use crate::syntax::interpolation::{Expression, Method, Token};
use crate::syntax::tree::{NodeKind, ScalarStyle};

pub(crate) const RULE: Rule = Rule {
    code: "literal-argument",
    name: "Argument of literal",
    severity: Severity::Information,
    since: "0.1.0",
    summary: "A `%{literal('…')}` contains text that does not need `literal`, or the name of its own key.",
    page: include_str!("../../../../docs/rules/literal-argument.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    let key = text_of(entry.key);
    for string in &entry.strings {
        for token in &string.tokens {
            let Expression::Call { method: Method::Literal, argument, .. } = &token.expression
            else {
                continue;
            };
            let range = string.source_range(token.range);
            if key.is_some_and(|key| key == argument) {
                let message = format!(
                    "Recursive lookup detected in [{argument}]\n\
                     Puppet takes the argument of `literal` for the key of that name. Write the text as it is."
                );
                let finding = report.add_as(&RULE, Severity::Error, range, message);
                write_the_text(finding, string, token, argument);
            } else if !argument.contains(['%', '{', '}']) {
                let message = format!(
                    "`literal` changes nothing here: write `{argument}`\n\
                     It is only needed for a `%` before a `{{`."
                );
                let finding = report.add(&RULE, range, message);
                write_the_text(finding, string, token, argument);
            }
        }
    }
}

/// Offers to replace the token with its argument, if the result is the same text.
fn write_the_text(
    finding: &mut Diagnostic,
    string: &StringNode<'_>,
    token: &Token,
    argument: &str,
) {
    let (start, end) = (token.range.start as usize, token.range.end as usize);
    let text = format!("{}{argument}{}", &string.text[..start], &string.text[end..]);
    let is_plain = matches!(string.node.kind, NodeKind::Scalar { style: ScalarStyle::Plain, .. });
    // In a plain scalar, the argument may turn the text into something other than a string, for example a number.
    let stays_text = !argument.contains(['%', '{', '}']) && (!is_plain || is_plain_word(&text));
    if let Some(edit) = string.rewritten(token, token.range, argument).filter(|_| stays_text) {
        finding.with_fix(Fix::safe(format!("Write `{argument}`"), vec![edit]));
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn the_name_of_the_key_and_needless_ones() {
        check(
            r#"
a: "%{literal('a')}"
#   ^^^^^^^^^^^^^^^ error[literal-argument]: Recursive lookup detected in [a]…
b: ["x %{literal('a')}"]
#      ^^^^^^^^^^^^^^^ information[literal-argument]: `literal` changes nothing here: write `a`…
"#,
        );
    }

    #[test]
    fn percent_signs_and_braces_need_it() {
        check(
            r#"
a: "%{literal('%')}{x} %%{literal('{')}x} %{literal('}')}"
#                                         ^^^^^^^^^^^^ error[token-cut-at-brace]
"#,
        );
    }

    #[test]
    fn the_text_itself() {
        check_fix("a: \"x %{literal('y \\\"')}\"\n", "Write `y \"`", "a: \"x y \\\"\"\n");
        check_fix("a: '%{literal(''a'')} b'\n", "Write `a`", "a: 'a b'\n");
        check_fix("a: x%{literal('1')}\n", "Write `1`", "a: x1\n");
        check_fix(
            "#- /data/a.conf\na = \"\"\"%{literal(\"b\\c\")} x\"\"\"\n#- /hiera.yaml\nversion: 5\n\
             hierarchy: [{name: a, path: a.conf, data_hash: hocon_data}]\n",
            "Write `b\\c`",
            "a = \"\"\"b\\c x\"\"\"\n",
        );
        check_fix("a: |\n  x\n  %{literal('1')}\n", "Write `1`", "a: |\n  x\n  1\n");
    }
}
