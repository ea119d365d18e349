//! `octal-number`: a number with a leading zero is read in base 8.

use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::shared::walk::numbers;
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::text::TextEdit;

pub(crate) const RULE: Rule = Rule {
    code: "octal-number",
    name: "Octal number",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A number with a leading zero is octal.",
    page: include_str!("../../../../docs/rules/octal-number.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    for (plain, number) in numbers(entry) {
        if !is_octal(plain.text) {
            continue;
        }
        // A single digit has the same value in base 8 and in base 10.
        let digits = plain.text.trim_start_matches(['+', '-']).trim_start_matches('0');
        let is_same = digits == number.trim_start_matches('-') || number == "0";
        let (severity, what) = if is_same {
            (Severity::Information, "The leading zero is lost.")
        } else {
            (RULE.severity, "A leading zero makes it octal.")
        };
        let message = format!(
            "`{}` is the number {number}\n{what} Put quotes around it, or write the number without the zero.",
            plain.text
        );
        let range = plain.node.range;
        let finding = report.add_as(&RULE, severity, range, message);
        if is_same {
            let title = format!("Write `{number}`");
            finding.with_fix(Fix::safe(title, vec![TextEdit::replace(range, number)]));
        }
        finding.fixes.extend(plain.as_text(entry));
    }
}

/// `0777` and `-07`; not `0`, `0x1f`, `0b1` and `0.5`.
fn is_octal(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    digits.len() > 1
        && digits.starts_with('0')
        && digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b','))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn leading_zeros() {
        check(
            r"
a: [0644, 0, 00, 0x1f, 0.5, 08, '0644', 0b1]
#   ^^^^ warning[octal-number]: `0644` is the number 420 A leading zero makes it octal…
#            ^^ information[octal-number]: `00` is the number 0 The leading zero is lost…
b: {010: x, 07: y}
#   ^^^ warning[octal-number]
#           ^^ information[octal-number]
c: [+07, -07, -010]
#   ^^^ information[octal-number]: `+07` is the number 7 The leading zero is lost…
#        ^^^ information[octal-number]: `-07` is the number -7 The leading zero is lost…
#             ^^^^ warning[octal-number]: `-010` is the number -8 A leading zero makes it octal…
",
        );
    }

    #[test]
    fn fixes() {
        check_fix("a: 0644 # mode\n", "Put quotes around it: a string", "a: '0644' # mode\n");
        check_fix("a: [007]\n", "Write `7`", "a: [7]\n");
    }
}
