//! `comma-number`: YAML drops commas between digits.

use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::shared::walk::numbers;
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::text::TextEdit;

pub(crate) const RULE: Rule = Rule {
    code: "comma-number",
    name: "Number with commas",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "YAML ignores commas between digits: `1,5` is the number 15.",
    page: include_str!("../../../../docs/rules/comma-number.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    for (plain, number) in numbers(entry) {
        if plain.text.contains(',') {
            let message = format!(
                "`{}` is the number {number}\nYAML ignores the commas. Put quotes around it, or remove the commas.",
                plain.text
            );
            let range = plain.node.range;
            let finding = report.add(&RULE, range, message);
            // `1,5` was probably meant as a decimal number, so only groups of three digits can be written without the commas.
            if groups_thousands(plain.text) {
                let plain = plain.text.replace(',', "");
                let title = format!("Write `{plain}`");
                finding.with_fix(Fix::safe(title, vec![TextEdit::replace(range, plain)]));
            }
            finding.fixes.extend(plain.as_text(entry));
        }
    }
}

/// `1,234,567`: the commas only group digits.
fn groups_thousands(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut groups = digits.split(',');
    let are_digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let starts_well = |first: &str| (1..=3).contains(&first.len()) && !first.starts_with('0');
    groups.next().is_some_and(|first| starts_well(first) && are_digits(first))
        && groups.all(|group| group.len() == 3 && are_digits(group))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

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

    #[test]
    fn fixes() {
        check_fix("a: 1,000\n", "Write `1000`", "a: 1000\n");
        check_fix("a: 1,5\n", "Put quotes around it: a string", "a: '1,5'\n");
    }
}
