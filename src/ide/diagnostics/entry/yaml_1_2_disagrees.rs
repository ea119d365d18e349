//! `yaml-1.2-disagrees`: a YAML 1.2 reader refuses an entry, or reads it differently than Puppet.
//!
//! Puppet reads YAML 1.1. Most other tools, such as yaml-language-server, read 1.2. The rule is off unless a team wants files
//! that mean the same to both.

use crate::data::{Format, Value};
use crate::ide::diagnostics::lookup::LookupContext;
use crate::ide::diagnostics::shared::walk::plain_scalars;
use crate::ide::diagnostics::{Check, Cost, Diagnostic, Report, Rule, Severity};
use crate::syntax::yaml_1_2::{self, Reading};
use crate::text::TextRange;

pub(crate) const RULE: Rule = Rule {
    code: "yaml-1.2-disagrees",
    name: "Entry that YAML 1.2 reads differently",
    severity: Severity::Hint,
    since: "0.1.0",
    summary: "A reader of YAML 1.2 refuses this entry, or reads something else.",
    page: include_str!("../../../../docs/rules/yaml-1.2-disagrees.md"),
    is_on: false,
    cost: Cost::High,
    checks: &[Check::Lookup(check)],
    ..Rule::USUAL
};

/// Checks an entry. The findings are cached with the entry.
pub(crate) fn check(at: &LookupContext<'_>, report: &mut Report) {
    if at.file.data.format() != Format::Yaml {
        return;
    }
    let findings = at.summary.disagreements.get_or_init(|| {
        let mut report = Report::default();
        check_entry(at, &mut report);
        report.findings.into()
    });
    report.findings.extend(findings.iter().map(|it| it.clone().shifted(at.entry.start)));
}

/// Ranges count from the entry's first byte.
fn check_entry(at: &LookupContext<'_>, report: &mut Report) {
    let entry = &at.entry;
    // If the file cannot be split into entries, the text is that of the whole file. It is read once.
    let is_whole = entry.text.len() == at.file.data.text().len();
    let is_first = || at.file.data.trees().next().is_none_or(|it| it.key.range == entry.key.range);
    let refusal = if is_whole && !is_first() { None } else { yaml_1_2::refusal(entry.text) };
    if let Some(refusal) = refusal {
        let range = entry.key.range;
        // If the text is that of the whole file, something before the entry may cause the refusal.
        if refusal.offset >= range.start {
            let message = format!(
                "a reader of YAML 1.2 refuses this entry: {}\nPuppet reads it. Other tools may not.",
                refusal.message
            );
            report.add(&RULE, range, message);
        }
    }
    for plain in plain_scalars(Format::Yaml, entry.key, entry.value) {
        let Ok(value) = &plain.value else { continue };
        let reading = yaml_1_2::read_plain(plain.text);
        if !is_same(value, &reading) {
            let message = format!(
                "Puppet reads {}, a reader of YAML 1.2 {}\nWrite the value in a way that both read alike.",
                kind_of_value(value),
                kind_of_reading(&reading)
            );
            report.add(&RULE, plain.node.range, message);
        }
    }
    report.findings.sort_by_key(|it: &Diagnostic| start_of(it.range));
}

fn start_of(range: TextRange) -> (u32, u32) {
    (range.start, range.end)
}

#[expect(clippy::float_cmp, reason = "the same digits give the same number")]
fn is_same(value: &Value, reading: &Reading) -> bool {
    match (value, reading) {
        (Value::Boolean(a), Reading::Boolean(b)) => a == b,
        (Value::Integer(a), Reading::Integer(b)) => a == b,
        (Value::Float(a), Reading::Float(b)) => a == b || a.is_nan() && b.is_nan(),
        // A number that is too large for the reader is still a number.
        (Value::Undef, Reading::Null)
        | (Value::String(_), Reading::Text)
        | (Value::BigInteger(_), Reading::Float(_) | Reading::Text) => true,
        _ => false,
    }
}

fn kind_of_value(value: &Value) -> String {
    match value {
        Value::Undef => "null".to_owned(),
        Value::Boolean(it) => format!("the boolean `{it}`"),
        Value::Integer(it) => format!("the integer {it}"),
        Value::Float(it) => format!("the number {it}"),
        Value::Symbol(_) => "a symbol".to_owned(),
        _ => "a string".to_owned(),
    }
}

fn kind_of_reading(reading: &Reading) -> String {
    match reading {
        Reading::Null => "null".to_owned(),
        Reading::Boolean(it) => format!("the boolean `{it}`"),
        Reading::Integer(it) => format!("the integer {it}"),
        Reading::Float(it) => format!("the number {it}"),
        Reading::Text => "a string".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn types_and_syntax() {
        check(
            r#"
#- /.hiera-ls.yaml
diagnostics: {severity: {yaml-1.2-disagrees: hint, yaml-1.1-boolean: 'off', octal-number: 'off', sexagesimal-number: 'off'}}
#- /data/common.yaml
a: yes
#  ^^^ hint[yaml-1.2-disagrees]: Puppet reads the boolean `true`, a reader of YAML 1.2 a string…
b: [1:30, 0644, 12, true, x, 1.5, ~]
#   ^^^^ hint[yaml-1.2-disagrees]: Puppet reads the integer 5400, a reader of YAML 1.2 a string…
#         ^^^^ hint[yaml-1.2-disagrees]: Puppet reads the integer 420, a reader of YAML 1.2 the integer 644…
cc: 'x'# comment
#^ hint[yaml-1.2-disagrees]: a reader of YAML 1.2 refuses this entry…
d: "yes"
e: [false, &x fALSE]
#             ^^^^^ hint[yaml-1.2-disagrees]: Puppet reads the boolean `false`, a reader of YAML 1.2 a string…
ff: *x
"#,
        );
    }
}
