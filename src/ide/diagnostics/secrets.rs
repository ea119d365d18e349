//! Findings about values that lookup options make sensitive: what they may say.
//!
//! Editors show findings to whoever looks at the screen, and `check` writes them to logs.

use std::sync::Arc;

use super::shared::bound_values::told_without_value;
use super::{Diagnostic, Rule, Subject, rule};
use crate::ide::sensitive_keys::SensitiveKeys;
use crate::world::World;

/// What stands between the backticks of a text instead of what may be a secret.
const NOT_SHOWN: &str = "`…`";

/// Marks the findings in the file at `path` that are about secret values, and removes from them what may quote these.
pub(super) fn hide(world: &Arc<World>, path: &str, findings: &mut [Diagnostic]) {
    if findings.is_empty() {
        return;
    }
    let Some(sensitive) = SensitiveKeys::of_file(world, path) else { return };
    for finding in findings.iter_mut().filter(|it| sensitive.hold(it.range.start)) {
        finding.is_secret = true;
        let rule = rule(finding.code);
        if rule.is_none_or(|rule| (rule.may_quote)(&finding.message)) {
            without_values(finding, rule);
        }
    }
}

fn without_values(finding: &mut Diagnostic, rule: Option<&'static Rule>) {
    let is_about_type = rule.is_some_and(|it| it.explains == Some(Subject::ParameterType));
    let summary = rule.map_or("", |it| it.summary);
    finding.message = if is_about_type {
        told_without_value(&finding.message, summary)
    } else {
        summary.to_owned()
    };
    // What is related to a parameter is the parameter.
    if !is_about_type {
        finding.related.iter_mut().for_each(|it| it.message = without_quotes(&it.message));
    }
    finding.fixes.iter_mut().for_each(|it| it.title = without_quotes(&it.title));
}

/// A short text without what it quotes. A quoted value can contain backticks, so the last one counts.
fn without_quotes(text: &str) -> String {
    let Some(start) = text.find('`') else { return text.to_owned() };
    let end = text.rfind('`').filter(|end| *end > start).map_or(text.len(), |end| end + 1);
    format!("{}{NOT_SHOWN}{}", &text[..start], &text[end..])
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::without_quotes;
    use crate::ide::fixture::Fixture;

    const OPTIONS: &str = "lookup_options: {'^m::': {convert_to: Sensitive}}\n";

    /// Everything that a finding says in the only data file, below its options.
    #[track_caller]
    fn check(data: &str, others: &str, expected: &Expect) {
        let fixture = Fixture::parse_without_marks(&format!(
            "#- /data/common.yaml\n{OPTIONS}{data}#- /hiera.yaml\nversion: 5\n\
             hierarchy: [{{name: c, path: common.yaml}}]\n{others}"
        ));
        let mut said = String::new();
        for finding in crate::ide::diagnostics(&fixture.world(), &fixture.files[0].world_path()) {
            let _ = writeln!(said, "{}: {}", finding.code, finding.message);
            for related in finding.related {
                let _ = writeln!(said, "  {}", related.message);
            }
            for fix in finding.fixes {
                let _ = writeln!(said, "  [{}]", fix.title);
            }
        }
        expected.assert_eq(&said);
    }

    #[test]
    fn values_are_not_quoted() {
        check(
            "m::pw: “hunter2”\nm::pin: 0777\nm::other: \"%{lookup(hunter2)}\"\npin: 0777\n",
            "",
            &expect![[r"
                typographic-character: Typographic quotes, or no-break spaces. For YAML, they are letters.
                  [Write straight quotes]
                octal-number: A number with a leading zero is octal.
                  [Put quotes around it: a string]
                malformed-token: A `%{…}` is neither a variable nor a call of the form `name('argument')`.
                  [Write `…`]
                octal-number: `0777` is the number 511
                A leading zero makes it octal. Put quotes around it if you mean a string, or write the number that you mean without a leading zero.
                  [Put quotes around it: a string]
            "]],
        );
    }

    /// The parser's words about a no-break space quote nothing, so they are shown.
    #[test]
    fn what_breaks_the_file_is_said() {
        check(
            "m::h:\n  a:\u{a0}hunter2\n  b: 1\n",
            "",
            &expect![[r"
                typographic-character: mapping values are not allowed in this context
                This character is not a space for YAML; it may be a no-break space. Write an ordinary space.
                  [Write ordinary spaces]
            "]],
        );
    }

    /// Only options that may apply to a key can make it secret, even if it depends on the node which of them do.
    #[test]
    fn other_keys_are_no_secrets() {
        let files = "
#- /data/common.yaml
lookup_options: {'^.*::password$': {convert_to: Sensitive}, mode: {merge: hash}, NAME: {convert_to: Sensitive}}
mode: 0644
#- /data/os/Debian.yaml
lookup_options: {mode: {merge: deep}}
#- /hiera.yaml
version: 5
hierarchy: [{name: o, path: 'os/%{facts.os.family}.yaml'}, {name: c, path: common.yaml}]
";
        let is_secret = |name: &str| {
            let fixture = Fixture::parse_without_marks(&files.replace("NAME", name));
            let path = fixture.files[0].world_path();
            let found = crate::ide::diagnostics(&fixture.world(), &path);
            found.iter().find(|it| it.code == "octal-number").expect("a finding").is_secret
        };
        assert!(!is_secret("other"));
        assert!(is_secret("'^mode$'"));
        assert!(is_secret("'%{facts.x}'"));
    }

    #[test]
    fn keys_and_types_are_shown() {
        check(
            "m::pass: hunter2\nm::mode: hunter2\nm::undef: ~\nm::ports: {hunter2: x}\n",
            "#- /modules/m/manifests/init.pp\n\
             class m(Sensitive[String] $word, Sensitive[Enum['a', 'b']] $mode, Sensitive[String] $undef,\n\
             Sensitive[Struct[{a => String}]] $ports) {}\n",
            &expect![[r"
                unknown-parameter: class `m` has no parameter `pass`
                Puppet ignores this key.
                  `m` is here
                  [Remove the entry]
                value-type-mismatch: parameter 'mode' expects a Sensitive[String[1, 1]] value, got Sensitive[String]
                Catalogs with class `m` fail for any node.
                  `$mode` is here
                value-type-mismatch: parameter 'undef' expects a Sensitive[String] value, got Sensitive[Undef]
                Catalogs with class `m` fail for any node.
                  `$undef` is here
                value-type-mismatch: parameter 'ports' expects a Sensitive[Struct[{'a' => String}]] value
                Catalogs with class `m` fail for any node.
                  `$ports` is here
            "]],
        );
    }

    #[test]
    fn what_a_short_text_quotes() {
        assert_eq!(without_quotes("Write `a`b`: a number"), "Write `…`: a number");
        assert_eq!(without_quotes("Write `a"), "Write `…`");
        assert_eq!(without_quotes("Put quotes around it"), "Put quotes around it");
    }
}
