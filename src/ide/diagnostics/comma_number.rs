//! `comma-number`: commas between digits are left out.

use super::{EntryContext, Report, Rule, Severity};
use crate::data::{Value, inspect};

pub(super) const RULE: Rule = Rule {
    code: "comma-number",
    name: "Number with commas",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "Commas between digits are left out: `1,5` is the number 15.",
    page: include_str!("../../../docs/rules/comma-number.md"),
    is_on: true,
};

pub(super) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    for plain in &entry.plain {
        let Ok(value @ (Value::Integer(_) | Value::BigInteger(_) | Value::Float(_))) = &plain.value
        else {
            continue;
        };
        if plain.text.contains(',') {
            let message = format!(
                "`{}` is the number {}\nThe commas are left out. Put quotes around it, or leave them out yourself.",
                plain.text,
                inspect::to_s(value)
            );
            report.add(&RULE, plain.node.range, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn lists_and_thousands() {
        check(
            r"
a: 1,2,3
#  ^^^^^ warning[comma-number]: `1,2,3` is the number 123…
b: [1,2]
c: '1,2'
d: 1,,2
e: 1_000
",
        );
    }
}
