//! `literal-argument`: a `%{literal('…')}` that is of no use, or that Puppet takes for a recursion.
//!
//! `literal` is there to write a `%{` that is not interpolated. While its result is interpolated again, the argument
//! stands on the stack of keys: if it is the name of the very key, Puppet thinks that the key looks itself up.

use super::walk::text_of;
use super::{EntryContext, Report, Rule, Severity};
use crate::syntax::interpolation::{Expression, Method};

pub(super) const RULE: Rule = Rule {
    code: "literal-argument",
    name: "Argument of literal",
    severity: Severity::Information,
    since: "0.1.0",
    summary: "A `%{literal('…')}` holds a text that needs no `literal`, or the name of its own key.",
    page: include_str!("../../../docs/rules/literal-argument.md"),
    is_on: true,
};

pub(super) fn check(entry: &EntryContext<'_>, report: &mut Report) {
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
                report.add_as(&RULE, Severity::Error, range, message);
            } else if !argument.contains(['%', '{', '}']) {
                let message = format!(
                    "`literal` changes nothing here: write `{argument}`\n\
                     It is only needed for a `%` before a `{{`."
                );
                report.add(&RULE, range, message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

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
#                                         ^^^^^^^^^^^^ error[brace-cut-by-quote]
"#,
        );
    }
}
