//! `puppet-style-interpolation`: `${facts['os']}`, `% {facts.os}`, `%(facts.os)`: text that was meant to be interpolated.
//! Hiera only interpolates `%{…}`, and leaves everything else as it is.

use crate::data::Format;
use crate::facts::variable::NODE_HASHES;
use crate::ide::diagnostics::config::ConfigTextContext;
use crate::ide::diagnostics::shared::fix::{Fix, quote};
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::ide::strings::StringNode;
use crate::syntax::interpolation::Expression;
use crate::syntax::key_path;
use crate::syntax::tree::{Node, NodeKind, ScalarStyle};
use crate::text::{TextEdit, TextRange};

pub(crate) const RULE: Rule = Rule {
    code: "puppet-style-interpolation",
    name: "Text that looks like an interpolation",
    severity: Severity::Warning,
    since: "0.2.0",
    summary: "A text such as `${facts['os']}` or `% {facts.os}` is not interpolated: Hiera only knows `%{…}`.",
    page: include_str!("../../../../docs/rules/puppet-style-interpolation.md"),
    checks: &[Check::Entry(check), Check::ConfigText(check_config)],
    ..Rule::USUAL
};

/// The text before an expression, and the text after it.
const BRACKETS: [(&str, &str); 5] =
    [("${", "}"), ("% {", "}"), ("%(", ")"), ("$(", ")"), ("{{", "}}")];

/// The functions that look up keys.
const FUNCTIONS: [&str; 4] = ["lookup", "hiera", "alias", "literal"];

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    check_texts(entry.text, entry.format, entry.value, report);
    check_names(&entry.strings, report);
}

/// Checks the strings of a `hiera.yaml`.
pub(crate) fn check_config(file: &ConfigTextContext<'_>, report: &mut Report) {
    if let Some(root) = file.root {
        check_texts(file.text, Format::Yaml, root, report);
    }
    check_names(file.strings, report);
}

/// Checks strings that Puppet interpolates for names that start with a `$`, as in Puppet code, or with a second `{`.
fn check_names(strings: &[StringNode<'_>], report: &mut Report) {
    for string in strings {
        for token in &string.tokens {
            let Expression::Variable(name) = &token.expression else { continue };
            let Some(meant) = meant_variable(name) else { continue };
            let advice = if name.starts_with('$') {
                ": names have no `$` in Hiera"
            } else {
                ", with one pair of braces"
            };
            let message = format!("there is no variable `{name}`\nWrite `%{{{meant}}}`{advice}.");
            let finding = report.add(&RULE, string.source_range(token.range), message);
            let edit = string.rewritten_expression(token, &meant);
            let fix = |edit| Fix::changing(format!("Write `%{{{meant}}}`"), vec![edit]);
            finding.fixes.extend(edit.map(fix));
        }
    }
}

/// The variable that `%{$name}` or `%{{facts.name}}` means.
pub(crate) fn meant_variable(name: &str) -> Option<String> {
    if let Some(name) = name.strip_prefix('$') {
        return Some(name.to_owned());
    }
    // Another rule reports what is not a name at all.
    let inner = name.strip_prefix('{').filter(|_| key_path::parse(name).is_ok())?;
    as_hiera_writes(inner.trim())
}

/// Checks the strings in a value. The node's ranges refer to `source`.
fn check_texts(source: &str, format: Format, value: &Node, report: &mut Report) {
    // One search of the entry's text avoids the walk through all entries that have none of these brackets.
    let written = value.range.slice(source);
    let is_possible = BRACKETS.iter().any(|(open, _)| written.contains(open));
    let mut waiting = vec![(value, false)];
    while let Some((node, is_in_flow)) = waiting.pop().filter(|_| is_possible) {
        let is_in_flow = is_in_flow || node.range.slice(source).starts_with(['[', '{']);
        match &node.kind {
            NodeKind::Scalar { style, .. } => {
                let surrounding = match style {
                    _ if format == Format::Hocon && !node.range.slice(source).starts_with('"') => {
                        Surrounding::NoBraces
                    }
                    ScalarStyle::Plain if is_in_flow => Surrounding::PlainInFlow,
                    ScalarStyle::Plain => Surrounding::Plain,
                    _ => Surrounding::Other,
                };
                check_text(source, node.range, surrounding, report);
            }
            NodeKind::Sequence(items) => {
                waiting.extend(items.iter().rev().map(|item| (item, is_in_flow)));
            }
            NodeKind::Mapping(pairs) => {
                waiting.extend(pairs.iter().rev().map(|pair| (&pair.value, is_in_flow)));
            }
            NodeKind::Alias(_) => {}
        }
    }
}

/// What the string around a text allows there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Surrounding {
    /// A string of YAML without quotes: it cannot start with `%`.
    Plain,
    /// The same between brackets, where it cannot contain braces either.
    PlainInFlow,
    /// A string of HOCON without quotes, which cannot contain braces.
    NoBraces,
    /// A string with quotes, or a block of text.
    Other,
}

fn check_text(source: &str, scalar: TextRange, surrounding: Surrounding, report: &mut Report) {
    let written = scalar.slice(source);
    for (open, close) in BRACKETS {
        for (at, _) in written.match_indices(open) {
            // The braces of a `%{{…}}` belong to a token.
            if open == "{{" && written[..at].ends_with('%') {
                continue;
            }
            let inner = &written[at + open.len()..];
            let Some(end) = inner.find(close) else { continue };
            let expression = inner[..end].trim();
            let Some(meant) = as_hiera_writes(expression) else { continue };
            let end = at + open.len() + end + close.len();
            let range = TextRange::new(scalar.start + at as u32, scalar.start + end as u32);
            let message = format!(
                "`{}` stays as it is: Hiera only interpolates `%{{…}}`\nWrite `%{{{meant}}}`.",
                &written[at..end]
            );
            let finding = report.add(&RULE, range, message);
            let token = format!("%{{{meant}}}");
            let title = format!("Write `{token}`");
            let fix = match surrounding {
                Surrounding::NoBraces => None,
                Surrounding::Plain | Surrounding::PlainInFlow
                    if at == 0 || surrounding == Surrounding::PlainInFlow =>
                {
                    let whole = format!("{}{token}{}", &written[..at], &written[end..]);
                    let quoted = |it| Fix::changing(format!("{title} in quotes"), vec![it]);
                    // Line ends of the source are not those of the string.
                    (!whole.contains('\n')).then(|| quoted(quote(scalar, &whole)))
                }
                // The text is inserted as it is, so its quotes must not end the string around it.
                _ => (!meant.contains(['\'', '"'])
                    || written.starts_with('"') && !meant.contains('"'))
                .then(|| Fix::changing(title, vec![TextEdit::replace(range, token)])),
            };
            finding.fixes.extend(fix);
        }
    }
}

/// The expression as Hiera writes it; `None` if it is not certain that Hiera or Puppet should evaluate it.
fn as_hiera_writes(expression: &str) -> Option<String> {
    if let Some((name, argument)) = expression.split_once('(') {
        let argument = argument.strip_suffix(')')?.trim();
        // A call with two arguments is one of another language, such as Jinja.
        let quote = argument.chars().next().filter(|it| matches!(it, '\'' | '"'))?;
        let is_one = argument.len() > 2 && argument[1..].find(quote) == Some(argument.len() - 2);
        return (FUNCTIONS.contains(&name) && is_one).then(|| format!("{name}({argument})"));
    }
    let name = expression.strip_prefix('$').unwrap_or(expression);
    let name = name.strip_prefix("::").unwrap_or(name);
    // A root alone, such as `${facts}`, is also ordinary text in templates and shell scripts, so a member is required.
    let (root, members) = name.split_at(name.find(['.', '['])?);
    // No other language has variables of these names.
    if !NODE_HASHES.contains(&root) {
        return None;
    }
    let mut meant = root.to_owned();
    for member in members.split(['.', '[']).filter(|it| !it.is_empty()) {
        let member = member.trim_end_matches(']').trim_matches(['\'', '"']);
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        if member.is_empty() || !member.chars().all(is_word) {
            return None;
        }
        meant.push('.');
        meant.push_str(member);
    }
    (meant.len() > root.len()).then_some(meant)
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix, fix_counts};

    #[test]
    fn what_puppet_interpolates() {
        check(
            r#"
a: "x ${facts['os']['family']} ${::facts.os.family} ${HOME} ${factor} ${facts}"
#     ^^^^^^^^^^^^^^^^^^^^^^^^ warning[puppet-style-interpolation]: `${facts['os']['family']}` stays as it is: Hiera only interpolates `%{…}` Write `%{facts.os.family}`.
#                              ^^^^^^^^^^^^^^^^^^^^ warning[puppet-style-interpolation]
b: ["% {trusted.certname}", "%(facts.os.family)", "{{ facts.os.family }}", "${lookup('a')}", "$(lookup x)", "100% {x}"]
#    ^^^^^^^^^^^^^^^^^^^^ warning[puppet-style-interpolation]
#                            ^^^^^^^^^^^^^^^^^^ warning[puppet-style-interpolation]
#                                                  ^^^^^^^^^^^^^^^^^^^^^ warning[puppet-style-interpolation]
#                                                                           ^^^^^^^^^^^^^^ warning[puppet-style-interpolation]
c: "%{$facts.os.family}"
#   ^^^^^^^^^^^^^^^^^^^ warning[puppet-style-interpolation]: there is no variable `$facts.os.family`…
d: "{{ item }} ${facts['a b']} ${facts[$x]} {{ lookup('env', 'HOME') }} {{ lookup(\"a\", \"b\") }} ${lookup('a)}"
"#,
        );
    }

    #[test]
    fn two_pairs_of_braces() {
        check(
            r#"
a: "%{{facts.os.family}} %{{ facts.os.family }"
#   ^^^^^^^^^^^^^^^^^^^ warning[puppet-style-interpolation]: there is no variable `{facts.os.family` Write `%{facts.os.family}`, with one pair of braces.
#                        ^^^^^^^^^^^^^^^^^^^^^ warning[puppet-style-interpolation]
#- /.hiera-ls.yaml
nodes: {web01: {facts: {os: {family: Debian}}}}
"#,
        );
        let mended = "a: \"x %{facts.os} y\"\n";
        check_fix("a: \"x %{{facts.os}} y\"\n", "Write `%{facts.os}`", mended);
        check_fix("a: \"x %{{facts.os} y\"\n", "Write `%{facts.os}`", mended);
    }

    #[test]
    fn in_hiera_yaml() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: x, path: "os/${facts['os']['family']}.yaml"}
#                       ^^^^^^^^^^^^^^^^^^^^^^^^ warning[puppet-style-interpolation]
  - {name: y, path: "%{$facts.os.family}.yaml"}
#                    ^^^^^^^^^^^^^^^^^^^ warning[puppet-style-interpolation]: there is no variable `$facts.os.family`…
#- /.hiera-ls.yaml
nodes: {web01: {facts: {os: {family: Debian}}}}
"#,
        );
    }

    #[test]
    fn as_hiera_writes_it() {
        check_fix(
            "a: x ${facts['os']['family']} y\n",
            "Write `%{facts.os.family}`",
            "a: x %{facts.os.family} y\n",
        );
        check_fix("a: \"%{$facts.os}\"\n", "Write `%{facts.os}`", "a: \"%{facts.os}\"\n");
    }

    #[test]
    fn with_quotes_where_yaml_needs_them() {
        let in_quotes = |before: &str, after: &str| {
            check_fix(before, "Write `%{facts.role}` in quotes", after);
        };
        in_quotes("a: ${facts.role}\n", "a: '%{facts.role}'\n");
        in_quotes("a:\n  - ${::facts.role} x # why\n", "a:\n  - '%{facts.role} x' # why\n");
        in_quotes("a: &q ${facts['role']}\n", "a: &q '%{facts.role}'\n");
        in_quotes("a: !!str ${facts.role} it's\n", "a: !!str \"%{facts.role} it's\"\n");
        in_quotes("a: [x %(facts.role)]\n", "a: ['x %{facts.role}']\n");
        check_fix(
            "a: ${lookup('b')}\nb: 1\n",
            "Write `%{lookup('b')}` in quotes",
            "a: \"%{lookup('b')}\"\nb: 1\n",
        );
        check_fix("a: |\n  ${facts.role}\n", "Write `%{facts.role}`", "a: |\n  %{facts.role}\n");
    }

    #[test]
    fn no_fix_where_quotes_are_not_simple() {
        let code = "puppet-style-interpolation";
        assert_eq!(fix_counts("a: ${facts.role}\n  x\n", code), [0]);
        assert_eq!(fix_counts("a: x\n  ${facts.role}\n", code), [1]);
    }
}
