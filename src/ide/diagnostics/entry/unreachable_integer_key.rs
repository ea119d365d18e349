//! `unreachable-integer-key`: a key at the root of a file is not a string. Lookups search for strings.

use crate::data::{Value, inspect};
use crate::ide::diagnostics::shared::fix::{Fix, quote};
use crate::ide::diagnostics::{Check, Diagnostic, EntryContext, Report, Rule, Severity};
use crate::syntax::tree::NodeKind;

pub(crate) const RULE: Rule = Rule {
    code: "unreachable-integer-key",
    name: "Key that cannot be looked up",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A key at the root of a file is not a string, so no lookup finds it.",
    page: include_str!("../../../../docs/rules/unreachable-integer-key.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

/// The effect if a `data_hash` function reads the file.
const EFFECT_IN_MODULE: &str = "In a module's data, every lookup of the module's keys fails.";

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    match &entry.key.kind {
        NodeKind::Sequence(_) => {
            report_key(entry, "a list", "", report);
            return;
        }
        NodeKind::Mapping(_) => {
            report_key(entry, "a hash", "", report);
            return;
        }
        NodeKind::Scalar { .. } | NodeKind::Alias(_) => {}
    }
    let Some(plain) = entry.plain.iter().find(|plain| std::ptr::eq(plain.node, entry.key)) else {
        return;
    };
    let Ok(value) = &plain.value else { return };
    // Symbols become strings.
    if matches!(value, Value::String(_) | Value::Symbol(_)) {
        return;
    }
    let range = plain.node.range;
    let finding = report_key(entry, &kind_of(value), "Put quotes around it.", report);
    if !range.is_empty() && entry.module.is_none() {
        let title = "Put quotes around it: a key that lookups find";
        finding.with_fix(Fix::changing(title, vec![quote(range, plain.text)]));
    }
}

/// Turns findings in a module's data into warnings, because the function that reads the file gets the keys one by one.
pub(crate) fn make_warnings(findings: &mut [Diagnostic]) {
    for finding in findings.iter_mut().filter(|it| it.code == RULE.code) {
        finding.severity = RULE.severity;
        let message = finding.message.replace(EFFECT_IN_MODULE, "").replace("\n ", "\n");
        message.trim_end().clone_into(&mut finding.message);
    }
}

/// Reports the key of the entry, which is `kind`.
fn report_key<'r>(
    entry: &EntryContext<'_>,
    kind: &str,
    advice: &str,
    report: &'r mut Report,
) -> &'r mut Diagnostic {
    let (severity, effect) = match entry.module {
        // Puppet calls `start_with?` on each root key of a module's data, which only strings have.
        Some(_) => (Severity::Error, EFFECT_IN_MODULE),
        None => (RULE.severity, ""),
    };
    let rest = [effect, advice].join(" ");
    let message = format!(
        "no lookup finds this key: it is {kind}, and lookups search for strings\n{}",
        rest.trim()
    );
    report.add_as(&RULE, severity, entry.key.range, message.trim_end())
}

/// What a key is if it is no string.
fn kind_of(value: &Value) -> String {
    match value {
        Value::Boolean(_) => "a boolean".to_owned(),
        Value::Undef => "null".to_owned(),
        value => {
            let class = inspect::ruby_class(value);
            let is_vowel = class.starts_with(['A', 'E', 'I', 'O', 'U']);
            format!("{} {class}", if is_vowel { "an" } else { "a" })
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn at_the_root() {
        check(
            r"
55: x
#^ warning[unreachable-integer-key]: no lookup finds this key: it is an Integer, and lookups search for strings Put quotes around it.
'6': x
yes: x
#^^ warning[unreachable-integer-key]: no lookup finds this key: it is a boolean…
:s: x
a: {7: x}
[a, b]: x
#^^^^^ warning[unreachable-integer-key]: no lookup finds this key: it is a list, and lookups search for strings
{a: b}: x
#^^^^^ warning[unreachable-integer-key]: no lookup finds this key: it is a hash, and lookups search for strings
",
        );
    }

    #[test]
    fn quotes_make_it_a_name() {
        check_fix(
            "80: http\nb: 1\n",
            "Put quotes around it: a key that lookups find",
            "'80': http\nb: 1\n",
        );
    }
}
