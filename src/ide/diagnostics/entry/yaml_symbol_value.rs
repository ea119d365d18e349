//! `yaml-symbol-value`: an unquoted value starts with a colon. It is a Ruby symbol, which is not allowed as a value.

use crate::data::Value;
use crate::ide::diagnostics::shared::fix::{Fix, quote};
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};

pub(crate) const RULE: Rule = Rule {
    code: "yaml-symbol-value",
    name: "Ruby symbol",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A value starts with a colon and has no quotes, so it is a Ruby symbol, which Puppet refuses.",
    page: include_str!("../../../../docs/rules/yaml-symbol-value.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    for plain in &entry.plain {
        if !plain.is_key && matches!(plain.value, Ok(Value::Symbol(_))) {
            let text = plain.text;
            let message = format!(
                "{} has wrong type, expects Puppet::LookupValue, got Runtime[ruby, 'Symbol']\n\
                 `{text}` is a Ruby symbol, and the lookup of the key fails. Put quotes around it.",
                entry.subject()
            );
            let quoted = vec![quote(plain.node.range, text)];
            report
                .add(&RULE, plain.node.range, message)
                .with_fix(Fix::safe("Put quotes around it", quoted));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn values_and_not_keys() {
        check(
            r"
a: :x
#  ^^ error[yaml-symbol-value]
b:
  - ::1
#   ^^^ error[yaml-symbol-value]
c: {x: ':d'}
:d: 1
e: fe80::1
",
        );
    }

    #[test]
    fn quotes_help() {
        check_fix("a:\n  - :c\nd: 1\n", "Put quotes around it", "a:\n  - ':c'\nd: 1\n");
    }
}
