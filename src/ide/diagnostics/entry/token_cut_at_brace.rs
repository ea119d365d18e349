//! `token-cut-at-brace`: a `}` inside quotes ends a token, too. Puppet searches for the first `}` and ignores quotes.

use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::ide::strings::StringNode;
use crate::syntax::interpolation::Token;

pub(crate) const RULE: Rule = Rule {
    code: "token-cut-at-brace",
    former: &["brace-cut-by-quote"],
    name: "Brace within quotes",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A `}` within the quotes of a `%{…}` ends it: quotes do not protect it.",
    page: include_str!("../../../../docs/rules/token-cut-at-brace.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    check_strings(&entry.strings, report);
}

/// Checks strings that Puppet interpolates.
pub(crate) fn check_strings(strings: &[StringNode<'_>], report: &mut Report) {
    for string in strings {
        for token in string.tokens.iter().filter(|token| is_cut(string.text, token)) {
            let cut = token.range.slice(string.text);
            let message = format!(
                "Puppet reads `{cut}` and no further\n\
                 The first `}}` ends a token, even within quotes. Names with braces cannot be interpolated."
            );
            report.add(&RULE, string.source_range(token.range), message);
        }
    }
}

/// Whether a quote is open where the token ends, and closed after it.
pub(crate) fn is_cut(text: &str, token: &Token) -> bool {
    let inside = token.expression_range.slice(text);
    let mut open: Option<char> = None;
    for c in inside.chars() {
        match open {
            Some(quote) if quote == c => open = None,
            None if c == '\'' || c == '"' => open = Some(c),
            _ => {}
        }
    }
    // The token was meant to go on if the quote and another brace follow.
    let behind = &text[token.range.end as usize..];
    token.is_malformed()
        && open.is_some_and(|quote| {
            behind.split_once(quote).is_some_and(|(_, rest)| rest.contains('}'))
        })
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn only_where_the_quote_is_closed_behind() {
        check(
            r#"
a: "%{lookup('o}ver')}"
#   ^^^^^^^^^^^^ error[token-cut-at-brace]: Puppet reads `%{lookup('o}` and no further…
b: "%{facts.'x}y'}"
#   ^^^^^^^^^^^ error[token-cut-at-brace]
c: "%{lookup('o}"
#   ^^^^^^^^^^^^ error[malformed-token]
d: "%{facts.'a'.b} it's }"
"#,
        );
    }
}
