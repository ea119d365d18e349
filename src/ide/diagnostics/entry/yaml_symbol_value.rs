//! `yaml-symbol-value`: an unquoted value starts with a colon. It is a Ruby symbol, which is not allowed as a value.

use crate::data::{Format, Value, scalar};
use crate::ide::diagnostics::shared::fix::{Fix, quote};
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::syntax::tree::NodeKind;

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
                "{}\n`{text}` is a Ruby symbol, and the lookup of the key fails. Put quotes around it.",
                refusal(entry)
            );
            let quoted = vec![quote(plain.node.range, text)];
            report
                .add(&RULE, plain.node.range, message)
                .with_fix(Fix::safe("Put quotes around it", quoted));
        }
    }
    let mut waiting = vec![entry.value];
    while let Some(node) = waiting.pop().filter(|_| entry.format == Format::Yaml) {
        match &node.kind {
            NodeKind::Scalar { text, style } if node.tag.is_some() => {
                let value = scalar::typed(text, *style, node.tag.as_deref());
                if matches!(value, Ok(Value::Symbol(_))) {
                    let message = format!(
                        "{}\nThe tag makes it a Ruby symbol, and the lookup of the key fails. Remove the tag.",
                        refusal(entry)
                    );
                    report.add(&RULE, node.range, message);
                }
            }
            NodeKind::Sequence(items) => waiting.extend(items.iter().rev()),
            NodeKind::Mapping(pairs) => waiting.extend(pairs.iter().rev().map(|pair| &pair.value)),
            _ => {}
        }
    }
}

fn refusal(entry: &EntryContext<'_>) -> String {
    let subject = entry.subject();
    format!("{subject} has wrong type, expects Puppet::LookupValue, got Runtime[ruby, 'Symbol']")
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
    fn tags_of_ruby() {
        check(
            r"
k: !ruby/sym x
#            ^ error[yaml-symbol-value]: Value for key 'k' has wrong type, expects Puppet::LookupValue, got Runtime[ruby, 'Symbol'] The tag makes it a Ruby symbol…
l: [!ruby/symbol x, !!str :y]
#                ^ error[yaml-symbol-value]
",
        );
    }

    #[test]
    fn quotes_help() {
        check_fix("a:\n  - :c\nd: 1\n", "Put quotes around it", "a:\n  - ':c'\nd: 1\n");
    }
}
