//! `function-inside-lookup-options`: they are read before anything is looked up, so a lookup in them is a recursion.

use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::ide::strings::interpolated_strings;

pub(crate) const RULE: Rule = Rule {
    code: "function-inside-lookup-options",
    name: "Lookup inside lookup options",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "`lookup_options` look up a key, which is a recursion that breaks every lookup.",
    page: include_str!("../../../../docs/rules/function-inside-lookup-options.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    let Some(options) = &entry.options else { return };
    for string in interpolated_strings(entry.text, &options.value) {
        for token in string.tokens.iter().filter(|token| token.lookup_key().is_some()) {
            let message = "Recursive lookup detected in [lookup_options]\n\
                           Every lookup fails. Only variables may be used here.";
            let is_brought = options.is_brought(string.node);
            let written = || string.source_range(token.range);
            report.add(&RULE, if is_brought { string.node.range } else { written() }, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn variables_are_allowed() {
        check(
            r#"
lookup_options:
  a: {merge: "%{alias('b')}"}
#             ^^^^^^^^^^^^^ error[function-inside-lookup-options]
  c: {merge: "%{facts.merge}"}
a: 1
b: deep
c: 1
"#,
        );
    }
}
