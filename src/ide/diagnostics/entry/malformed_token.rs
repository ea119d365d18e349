//! `malformed-token`: a `%{…}` that Puppet cannot parse, or parses differently than it looks.
//!
//! The braces contain either a call of exactly the form `name('argument')`, or a variable with dotted sub keys. Everything
//! that is not exactly a call is the name of a variable. If it contains quotes or brackets, it is usually not a valid key,
//! and every lookup of the string fails. Otherwise the variable does not exist.

use crate::engine::{refusal_of_numbered_key, refusal_of_numbered_variable};
use crate::ide::diagnostics::entry::{token_cut_at_brace, typographic_character};
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::ide::strings::StringNode;
use crate::syntax::interpolation::{self, Expression, Method, Token};
use crate::syntax::key_path::{self, Segment};
use crate::syntax::tree::{NodeKind, ScalarStyle};
use crate::text::{TextEdit, TextRange};

pub(crate) const RULE: Rule = Rule {
    code: "malformed-token",
    name: "Malformed interpolation token",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A `%{…}` is neither a variable nor a call of the form `name('argument')`.",
    page: include_str!("../../../../docs/rules/malformed-token.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

/// The advice for a token that contains another one.
const UNCLOSED: &str = "The first `%{` is not closed. Write a `}` after its name.";

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    check_strings(&entry.strings, Functions::Allowed, report);
}

/// Whether functions such as `literal` are allowed at this place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Functions {
    /// In data.
    Allowed,
    /// In `hiera.yaml`.
    Forbidden,
}

/// Checks strings that Puppet interpolates.
pub(crate) fn check_strings(strings: &[StringNode<'_>], functions: Functions, report: &mut Report) {
    for string in strings {
        for token in &string.tokens {
            // Another rule reports typographic quotes.
            let is_explained = functions == Functions::Allowed
                && typographic_character::has_quotes(token.range.slice(string.text));
            if is_explained || token_cut_at_brace::is_cut(string.text, token) {
                continue;
            }
            let is_unclosed =
                !is_literal(token) && token.expression_range.slice(string.text).contains("%{");
            if token.is_malformed() {
                let advice = if is_unclosed { UNCLOSED } else { advice(token) };
                let message = format!("Syntax error in string: {}\n{advice}", short(string.text));
                let finding = report.add(&RULE, string.source_range(token.range), message);
                let start = token.range.start;
                let meant = || {
                    let end = end_of_meant(&string.text[start as usize..])?;
                    closed(string, start, start + end)
                };
                finding.fixes.extend(if is_unclosed {
                    meant()
                } else {
                    mended(string, token, functions)
                });
            } else if let Some(key) = broken_key(token) {
                let message = format!(
                    "Syntax error in key: '{}'\nSegments must not be empty, and quotes go around a whole segment: \
                     `%{{lookup(\"a.'b.c'\")}}`.",
                    short(key)
                );
                report.add(&RULE, string.source_range(token.range), message);
            } else if let Some(message) = begins_with_number(token) {
                let advice = "A first segment of digits is a number, and the lookup fails. Put quotes around it.";
                let message = format!("{message}\n{advice}");
                report.add(&RULE, string.source_range(token.range), message);
            } else if is_unclosed {
                let message = format!("a `%{{` within a `%{{…}}`\n{UNCLOSED}");
                let range = string.source_range(token.range);
                report.add_as(&RULE, Severity::Warning, range, message);
            } else if let Some(call) = call_without_quotes(token) {
                let message = not_a_call(call);
                let range = string.source_range(token.range);
                let finding = report.add_as(&RULE, Severity::Warning, range, message);
                finding.fixes.extend(with_quotes(string, token, call, functions));
            }
        }
        if let Some(start) = interpolation::unclosed(string.text) {
            let range = string.source_range(TextRange::new(start, start + 2));
            let message = "`%{` has no closing `}`, so Puppet keeps the text as it is. Add `}`; only if the text is meant, write \
                 `%{literal('%')}{`.";
            let finding = report.add_as(&RULE, Severity::Warning, range, message);
            if functions == Functions::Allowed && range.len() == 2 {
                let quote = inner_quote(string);
                let percent = format!("%{{literal({quote}%{quote})}}");
                let title = format!("Write `{percent}{{`");
                let edit = TextEdit::replace(TextRange::new(range.start, range.start + 1), percent);
                if let Some(end) = end_of_meant(&string.text[start as usize..]) {
                    // It is more likely that the `}` was forgotten than that the text is meant.
                    finding.fixes.extend(closed(string, start, start + end));
                    finding.with_fix(Fix::by_hand(title, vec![edit]));
                } else {
                    finding.with_fix(Fix::safe(title, vec![edit]));
                }
            }
        }
    }
}

/// Whether the token is a call of `literal`, whose argument may contain a `%{`.
fn is_literal(token: &Token) -> bool {
    matches!(token.expression, Expression::Call { method: Method::Literal, .. })
}

/// How much of a text that starts with `%{` looks like a call or a variable without its `}`.
fn end_of_meant(text: &str) -> Option<u32> {
    let expression = text.strip_prefix("%{")?;
    let name = expression.trim_start().trim_start_matches("::");
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return None;
    }
    let after = name.trim_start_matches(|c: char| is_word(c) || c == ':');
    let length = |rest: &str| (text.len() - rest.len()) as u32;
    if let Some(arguments) = after.strip_prefix('(') {
        let call_end = arguments.split_once(')').map_or("", |(_, rest)| rest);
        return Some(length(call_end));
    }
    // A dot may end a sentence, and then it does not belong to the name.
    let path = name.trim_start_matches(|c: char| is_word(c) || matches!(c, ':' | '.' | '-'));
    let end = &text[..text.len() - path.len()];
    Some(end.trim_end_matches(['.', ':', '-']).len() as u32)
}

/// The text from `start` to `end` as a token with its `}`, if that is a valid one.
fn closed(string: &StringNode<'_>, start: u32, end: u32) -> Option<Fix> {
    let token = format!("{}}}", TextRange::new(start, end).slice(string.text));
    let is_valid = interpolation::tokens(&token).iter().all(|it| !it.is_malformed());
    let at = string.source_range(TextRange::new(start, end));
    // A space is more likely in a text than in a token.
    let is_plain = is_valid && at.len() == end - start && !token.contains(' ');
    is_plain.then(|| {
        let edit = TextEdit::insert(at.end, "}");
        Fix::changing(format!("Write `{token}`"), vec![edit])
    })
}

/// The token that was most likely meant, if it is valid.
fn mended(string: &StringNode<'_>, token: &Token, functions: Functions) -> Option<Fix> {
    let written = token.expression_range.slice(string.text);
    let written = written.strip_prefix('{').map_or(written, str::trim);
    let call = called_without_blanks(written)
        .or_else(|| called_with_brackets(written, inner_quote(string)));
    let meant = match call {
        // Only data can call functions. In `hiera.yaml`, the mended call would be the next error.
        Some(call) => Some(call).filter(|_| functions == Functions::Allowed),
        None => with_dots(written),
    }?;
    // The mended text may still be malformed, for example with an empty segment, so it is parsed again.
    let is_fine = |it: &Token| !it.is_malformed() && begins_with_number(it).is_none();
    if !interpolation::tokens(&format!("%{{{meant}}}")).iter().all(is_fine) {
        return None;
    }
    let edit = string.rewritten_expression(token, &meant)?;
    Some(Fix::safe(format!("Write `%{{{meant}}}`"), vec![edit]))
}

/// `lookup ( 'key' )` without spaces outside the quotes, `lookup('key)` with its missing quote, and `lookup 'key'` with parentheses.
fn called_without_blanks(written: &str) -> Option<String> {
    let is_quote = |c: &char| matches!(c, '\'' | '"');
    let (name, rest) = written.split_at(written.find(['(', '\'', '"'])?);
    let argument = match rest.strip_prefix('(') {
        Some(rest) => rest.trim_end().strip_suffix(')')?.trim(),
        None => rest,
    };
    let quote = argument.chars().find(is_quote)?;
    let inner = argument.strip_prefix(quote).unwrap_or(argument);
    let inner = inner.strip_suffix(quote).unwrap_or(inner);
    let is_one = !inner.is_empty() && !inner.contains(|c| is_quote(&c) || c == '(');
    let name = name.trim();
    (is_one && Method::NAMES.contains(&name)).then(|| format!("{name}({quote}{inner}{quote})"))
}

/// `lookup['key']` with parentheses. With a dot, it would be a variable, which nothing sets.
fn called_with_brackets(written: &str, quote: char) -> Option<String> {
    let name = written.split('[').next()?;
    let path = with_dots(written).filter(|_| Method::NAMES.contains(&name))?;
    let key = path.strip_prefix(name)?.strip_prefix('.')?;
    Some(format!("{name}({quote}{key}{quote})"))
}

/// `facts['os']['family']` with dots.
fn with_dots(written: &str) -> Option<String> {
    let is_word = |text: &str| {
        let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        !text.is_empty() && text.bytes().all(is_inner)
    };
    // Puppet splits names at dots, so the fix leaves a member with a dot to the user: it would need quotes of its own.
    let (root, rest) = written.split_at(written.find('[')?);
    let mut path = root.to_owned();
    let members = rest.strip_prefix('[')?.strip_suffix(']')?.split("][");
    for member in members {
        let member = member.trim().trim_matches(['\'', '"']);
        path = is_word(member).then(|| format!("{path}.{member}"))?;
    }
    is_word(root.trim_start_matches("::").split('.').next()?).then_some(path)
}

/// `lookup(key)` with the quotes that turn it into a call.
fn with_quotes(
    string: &StringNode<'_>,
    token: &Token,
    call: &str,
    functions: Functions,
) -> Option<Fix> {
    let (name, argument) = call.strip_suffix(')')?.split_once('(')?;
    let is_known = Method::NAMES.contains(&name);
    let is_fine = is_known && !argument.is_empty() && !argument.contains(['\'', '"', '(', ')']);
    if functions == Functions::Forbidden || !is_fine {
        return None;
    }
    let quote = inner_quote(string);
    let meant = format!("{name}({quote}{}{quote})", argument.trim());
    let edit = string.rewritten(token, token.expression_range, &meant)?;
    Some(Fix::changing(format!("Write `%{{{meant}}}`"), vec![edit]))
}

/// The quotes that need no escape in a string.
fn inner_quote(string: &StringNode<'_>) -> char {
    match &string.node.kind {
        NodeKind::Scalar { style: ScalarStyle::SingleQuoted, .. } => '"',
        _ => '\'',
    }
}

/// The start of a string that may be long, on one line.
fn short(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    let mut chars = text.chars().map(|c| if c == '\n' { ' ' } else { c });
    let mut start: String = chars.by_ref().take(MAX_CHARS).collect();
    if chars.next().is_some() {
        start.push('…');
    }
    start
}

fn advice(token: &Token) -> &'static str {
    let Some((name, _)) = token.variable() else { return "" };
    if name.starts_with('{') {
        return "One pair of braces goes around a call or a name: `%{lookup('key')}`.";
    }
    let called = name.split(['(', '[', '\'', '"']).next().unwrap_or("").trim();
    if Method::NAMES.contains(&called) {
        if name.ends_with("('')") || name.ends_with("(\"\")") {
            "The argument of a call must not be empty."
        } else {
            "A call has one quoted argument and no spaces outside the quotes: `%{lookup('key')}`. A `}` ends it, even within quotes."
        }
    } else if name.contains('[') {
        "Members are reached with dots, not brackets: `%{facts.os.family}`."
    } else {
        "Segments of a dotted name must not be empty, and quotes go around a whole segment: `%{facts.'a.b'.c}`."
    }
}

/// The key of a call that cannot be split.
fn broken_key(token: &Token) -> Option<&str> {
    token.lookup_key().map(|(key, _)| &**key).filter(|key| key_path::parse(key).is_err())
}

/// Puppet's message if the first segment of a variable or a key is a number, as in `%{1.x}`.
pub(crate) fn begins_with_number(token: &Token) -> Option<String> {
    let index = |text: &str| match key_path::parse(text).ok()?.root {
        Segment::Index(index) => Some(index),
        Segment::Name(_) => None,
    };
    match token.lookup_key() {
        Some((key, _)) => index(key).map(refusal_of_numbered_key),
        None => index(token.variable()?.0).map(refusal_of_numbered_variable),
    }
}

/// `lookup(key)` or `foo()`: looks like a call, but is the name of a variable that cannot be set.
fn call_without_quotes(token: &Token) -> Option<&str> {
    let Expression::Variable(name) = &token.expression else { return None };
    let (called, rest) = name.split_once('(')?;
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_name = !called.is_empty() && called.bytes().all(is_word);
    (is_name && rest.ends_with(')')).then_some(&**name)
}

/// The message for a call that Puppet reads as a variable.
fn not_a_call(call: &str) -> String {
    let (called, rest) = call.split_once('(').unwrap_or((call, ""));
    let argument = rest.strip_suffix(')').unwrap_or(rest).trim();
    let read = format!("`{call}` is read as the name of a variable");
    if !Method::NAMES.contains(&called) {
        let known = Method::NAMES.join("`, `");
        return format!("{read}. Hiera has no function `{called}`; it has `{known}`.");
    }
    if argument.is_empty() {
        return format!("{read} because the call has no argument.");
    }
    format!("{read} because the argument has no quotes. Write `%{{{called}('{argument}')}}`.")
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix, fix_counts};
    use crate::ide::diagnostics::{Fix, diagnostics};
    use crate::ide::fixture::Fixture;

    #[test]
    fn numbers_at_the_start() {
        check(
            r#"
a: "%{1.2}"
#   ^^^^^^ error[malformed-token]: Scope variable name 1 is a Integer, not a string A first segment…
b: "%{lookup('1.2')}"
#   ^^^^^^^^^^^^^^^^ error[malformed-token]: undefined method `index' for 1:Integer A first segment…
c: "%{lookup(\"'1.2'\")}"
'1.2': x
"#,
        );
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy: [{name: a, path: "%{1.x}c"}]
#                            ^^^^^^ error[malformed-token]: Scope variable name 1 is a Integer…
#- /data/c.yaml
a: 1
"#,
        );
    }

    #[test]
    fn calls_that_are_none() {
        check(
            r#"
a: "%{lookup('')}"
#   ^^^^^^^^^^^^^ error[malformed-token]: Syntax error in string: %{lookup('')} The argument of a call must not be empty.
b: "%{lookup ('a')}"
#   ^^^^^^^^^^^^^^^ error[malformed-token]
d: "%{lookup()}"
#   ^^^^^^^^^^^ warning[malformed-token]: `lookup()` is read as the name of a variable because the call has no argument.
e: "%{foo()}"
#   ^^^^^^^^ warning[malformed-token]: `foo()` is read as the name of a variable. Hiera has no function `foo`; it has…
f: "%{foo(bar)}"
#   ^^^^^^^^^^^ warning[malformed-token]
"#,
        );
    }

    #[test]
    fn names_that_cannot_be_split() {
        check(
            r#"
n: "%{hiera['os']}"
#   ^^^^^^^^^^^^^^ error[malformed-token]: Syntax error in string: %{hiera['os']} A call has one quoted argument…
a: "%{facts..os}"
#   ^^^^^^^^^^^^ error[malformed-token]
b: "%{facts['os']}"
#   ^^^^^^^^^^^^^^ error[malformed-token]: Syntax error in string: %{facts['os']} Members are reached with dots…
c: "%{facts.'os'}"
"#,
        );
    }

    #[test]
    fn keys_that_cannot_be_split() {
        check(
            r#"
a: "%{lookup('b..c')}"
#   ^^^^^^^^^^^^^^^^^ error[malformed-token]: Syntax error in key: 'b..c'…
b: "%{lookup('a.0')} %{lookup('x y')}"
x y: 1
"#,
        );
    }

    #[test]
    fn a_token_within_a_token() {
        check(
            r#"
a: "%{facts.os.name-%{facts.kernel}"
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[malformed-token]: a `%{` within a `%{…}` The first `%{` is not closed…
b: "%{literal('%{')}Referer}i"
c: "at %{facts.role (%{lookup('e')})"
#      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[malformed-token]: Syntax error in string: at %{facts.role (%{lookup('e')}) The first `%{` is not closed…
e: 1
"#,
        );
        check_fix(
            "a: \"%{facts.role (%{lookup('e')})\"\ne: 1\n",
            "Write `%{facts.role}`",
            "a: \"%{facts.role} (%{lookup('e')})\"\ne: 1\n",
        );
    }

    #[test]
    fn unclosed_tokens_stay_text() {
        check(
            r#"
a: "100%{x"
#      ^^ warning[malformed-token]
b: "%{literal('%')}{x}"
"#,
        );
    }

    #[test]
    fn calls_are_mended() {
        check_fix(
            "a: \"%{lookup( 'b' )}\"\nb: 1\n",
            "Write `%{lookup('b')}`",
            "a: \"%{lookup('b')}\"\nb: 1\n",
        );
        check_fix(
            "a: '%{lookup (''b'')}'\nb: 1\n",
            "Write `%{lookup('b')}`",
            "a: '%{lookup(''b'')}'\nb: 1\n",
        );
        check_fix(
            "a: \"%{lookup('b)}\"\nb: 1\n",
            "Write `%{lookup('b')}`",
            "a: \"%{lookup('b')}\"\nb: 1\n",
        );
        check_fix(
            "a: \"%{lookup(b')}\"\nb: 1\n",
            "Write `%{lookup('b')}`",
            "a: \"%{lookup('b')}\"\nb: 1\n",
        );
        check_fix(
            "a: '%{lookup(b)}'\nb: 1\n",
            "Write `%{lookup(\"b\")}`",
            "a: '%{lookup(\"b\")}'\nb: 1\n",
        );
        check_fix(
            "a: \"%{alias(b)}\"\nb: 1\n",
            "Write `%{alias('b')}`",
            "a: \"%{alias('b')}\"\nb: 1\n",
        );
    }

    #[test]
    fn a_call_without_parentheses() {
        check(
            r#"
a: "%{lookup 'b'}"
#   ^^^^^^^^^^^^^ error[malformed-token]: Syntax error in string: %{lookup 'b'} A call has one quoted argument…
b: 1
"#,
        );
        check_fix(
            "a: \"%{lookup 'b'}\"\nb: 1\n",
            "Write `%{lookup('b')}`",
            "a: \"%{lookup('b')}\"\nb: 1\n",
        );
    }

    #[test]
    fn two_pairs_of_braces() {
        check(
            r#"
a: "%{{lookup('b')}}"
#   ^^^^^^^^^^^^^^^ error[malformed-token]: Syntax error in string: %{{lookup('b')}} One pair of braces goes around a call…
b: 1
"#,
        );
        let check_call = |before: &str, after: &str| {
            check_fix(
                &format!("{before}\nb: 1\n"),
                "Write `%{lookup('b')}`",
                &format!("{after}\nb: 1\n"),
            );
        };
        check_call("a: \"x %{{ lookup('b') }} y\"", "a: \"x %{lookup('b')} y\"");
        check_call("a: '%{{lookup(''b'')}}'", "a: '%{lookup(''b'')}'");
        check_call("a: \"%{{lookup('b')}\"", "a: \"%{lookup('b')}\"");
        check_fix("a: \"%{{facts['os']}}\"\n", "Write `%{facts.os}`", "a: \"%{facts.os}\"\n");
    }

    #[test]
    fn brackets_become_dots() {
        check_fix(
            "a: \"%{facts['os'][family]} x\"\n",
            "Write `%{facts.os.family}`",
            "a: \"%{facts.os.family} x\"\n",
        );
    }

    #[test]
    fn brackets_of_a_function_become_parentheses() {
        check_fix(
            "a: \"%{hiera['b']} x\"\nb: 1\n",
            "Write `%{hiera('b')}`",
            "a: \"%{hiera('b')} x\"\nb: 1\n",
        );
        check_fix(
            "a: '%{lookup[\"b\"][''c'']}'\nb: {c: 1}\n",
            "Write `%{lookup(\"b.c\")}`",
            "a: '%{lookup(\"b.c\")}'\nb: {c: 1}\n",
        );
        let code = "malformed-token";
        assert_eq!(fix_counts("a: \"%{alias['1']['c']}\"\n", code), [0]);
        let hiera_yaml =
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: x, path: \"%{hiera['b']}.yaml\"}]\n";
        assert_eq!(fix_counts(hiera_yaml, code), [0]);
    }

    /// HOCON has no escapes within triple quotes.
    #[test]
    fn calls_in_triple_quotes() {
        let hocon = |text: &str| {
            format!(
                "#- /data/a.conf\n{text}\n#- /hiera.yaml\nversion: 5\nhierarchy:\n  \
                 - {{name: a, path: a.conf, data_hash: hocon_data}}\n"
            )
        };
        check_fix(
            &hocon("a = \"\"\"%{lookup(\"b)} \\ \"\"\"\nb = 1"),
            "Write `%{lookup(\"b\")}`",
            "a = \"\"\"%{lookup(\"b\")} \\ \"\"\"\nb = 1\n",
        );
        check_fix(
            &hocon("a = \"%{lookup(\\\"b)}\"\nb = 1"),
            "Write `%{lookup(\"b\")}`",
            "a = \"%{lookup(\\\"b\\\")}\"\nb = 1\n",
        );
        // Only one of the two strings has escapes.
        let two = hocon("a = \"\"\"\\\"\"\" \"%{lookup(\\\"b)}\"\nb = 1");
        assert_eq!(fix_counts(&two, "malformed-token"), [0]);
    }

    /// The fix that keeps the text would make the typo permanent.
    #[test]
    fn a_forgotten_brace() {
        let text = "a: \"%{hiera('b').1/21\"\nb: 1\n";
        check_fix(text, "Write `%{hiera('b')}`", "a: \"%{hiera('b')}.1/21\"\nb: 1\n");
        check_fix("a: '%{facts.os.'\n", "Write `%{facts.os}`", "a: '%{facts.os}.'\n");
        for text in
            [text, "a: '%{facts.os.'\n", "a: '%{ x'\n", "a: '%{lookup(''b'", "a: \"%{::x\"\n"]
        {
            let fixture = Fixture::parse(text);
            let found = diagnostics(&fixture.world(), &fixture.files[0].world_path());
            let fixes = found.iter().flat_map(|it| &it.fixes);
            assert!(!fixes.clone().any(Fix::is_safe), "{text}");
            assert!(fixes.clone().any(Fix::is_by_hand) || text.ends_with("'b'"), "{text}");
        }
    }

    #[test]
    fn a_percent_that_is_meant() {
        check_fix(
            "a: \"50%{ off\"\n",
            "Write `%{literal('%')}{`",
            "a: \"50%{literal('%')}{ off\"\n",
        );
        check_fix("a: '%{'\n", "Write `%{literal(\"%\")}{`", "a: '%{literal(\"%\")}{'\n");
    }
}
