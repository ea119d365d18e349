//! `yaml-1.1-boolean`: `yes`, `no`, `on` and `off` without quotes are booleans.

use crate::data::Value;
use crate::ide::diagnostics::shared::fix::{Fix, quote};
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::text::TextEdit;

pub(crate) const RULE: Rule = Rule {
    code: "yaml-1.1-boolean",
    name: "Boolean in disguise",
    severity: Severity::Hint,
    since: "0.1.0",
    summary: "`yes`, `no`, `on` and `off` without quotes are booleans.",
    page: include_str!("../../../../docs/rules/yaml-1.1-boolean.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    for plain in &entry.plain {
        let Ok(Value::Boolean(value)) = plain.value else { continue };
        let is_plain_word = ["true", "false"].iter().any(|it| plain.text.eq_ignore_ascii_case(it));
        if !plain.is_key && !is_plain_word {
            let text = plain.text;
            let message = format!(
                "`{text}` is the boolean `{value}`\nWrite `{value}`, or put quotes around it if you mean a string."
            );
            let range = plain.node.range;
            let write = vec![TextEdit::replace(range, value.to_string())];
            report
                .add(&RULE, range, message)
                .with_fix(Fix::safe(format!("Write `{value}`"), write))
                .with_fix(Fix::changing(
                    "Put quotes around it: a string",
                    vec![quote(range, text)],
                ));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix, fix_titles};

    #[test]
    fn words_that_are_booleans() {
        check(
            r"
a: [Yes, y, true, 'on', oFF]
#   ^^^ hint[yaml-1.1-boolean]: `Yes` is the boolean `true`…
#                       ^^^ hint[yaml-1.1-boolean]: `oFF` is the boolean `false`…
",
        );
    }

    /// Only what fits the type of a class parameter is offered.
    #[test]
    fn words_that_a_class_wants_as_strings() {
        let fixes = |key: &str, value: &str| {
            let class = "class w(String $a, Array[String] $b, Boolean $c, Hash[String, Variant[String, Boolean]] $d) { }";
            let fixture = format!(
                "#- /data/common.yaml\nw::{key}: {value}\n#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: c, path: common.yaml}}]\n\
                 #- /modules/w/manifests/init.pp\n{class}\n"
            );
            fix_titles(&fixture, "yaml-1.1-boolean")
        };
        let quotes = "Put quotes around it: a string";
        assert_eq!(fixes("a", "NO"), [quotes]);
        assert_eq!(fixes("b", "[NO]"), [quotes]);
        assert_eq!(fixes("c", "NO"), ["Write `false`"]);
        assert_eq!(fixes("d", "{x: NO}"), ["Write `false`", quotes]);
    }

    #[test]
    fn either_word() {
        check_fix("a: {b: [yes]} # why\n", "Write `true`", "a: {b: [true]} # why\n");
        check_fix("a: off\nb: 1\n", "Put quotes around it: a string", "a: 'off'\nb: 1\n");
    }
}
