//! `sexagesimal-number`: `12:30` is hours and minutes, read as one number of seconds.

use crate::ide::diagnostics::shared::walk::numbers;
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};

pub(crate) const RULE: Rule = Rule {
    code: "sexagesimal-number",
    name: "Number in base 60",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "Numbers with colons between them are one number in base 60.",
    page: include_str!("../../../../docs/rules/sexagesimal-number.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    for (plain, number) in numbers(entry) {
        if plain.text.contains(':') {
            let message = format!(
                "`{}` is the number {number}\nColons make it a number in base 60. Put quotes around it if you mean a string, or write `{number}`.",
                plain.text
            );
            let finding = report.add(&RULE, plain.node.range, message);
            finding.fixes.extend(plain.as_text(entry));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn times_and_ports() {
        check(
            r"
a: [12:30, 22:22, 8080:80, 1:60, '1:30', 1:2:3]
#   ^^^^^ warning[sexagesimal-number]: `12:30` is the number 45000…
#          ^^^^^ warning[sexagesimal-number]: `22:22` is the number 80520…
#                                        ^^^^^ warning[sexagesimal-number]: `1:2:3` is the number 3723…
",
        );
    }

    #[test]
    fn quotes_make_it_a_text() {
        check_fix("a:\n  - 22:22\n", "Put quotes around it: a string", "a:\n  - '22:22'\n");
    }
}
