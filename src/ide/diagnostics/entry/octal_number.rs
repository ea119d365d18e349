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
            "`{}` is the number {number}\n{what} Put quotes around it if you mean a string, or write the number that you mean \
             without a leading zero.",
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
    use crate::ide::diagnostics::diagnostics;
    use crate::ide::diagnostics::testing::{check, check_fix, fix_titles};
    use crate::ide::fixture::Fixture;

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

    /// Only what fits the type of a class parameter is offered. If it takes no string, this is the number.
    #[test]
    fn numbers_that_a_class_wants() {
        let fixes = |data: &str, class: &str| {
            let fixture = format!(
                "#- /data/common.yaml\n{data}\n#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: c, path: common.yaml}}]\n\
                 #- /modules/w/manifests/init.pp\nclass w({class}) {{ }}\n"
            );
            fix_titles(&fixture, "octal-number")
        };
        let quotes = "Put quotes around it: a string";
        assert_eq!(fixes("w::a: 0022", "Integer $a"), ["Write `18`"]);
        assert_eq!(fixes("w::a: 0022", "String $a"), [quotes]);
        assert_eq!(fixes("w::a: 0022", "Scalar $a"), [quotes]);
        assert_eq!(fixes("w::a: 0022", "Hash $a"), [""; 0]);
        assert_eq!(fixes("w::a: {b: [07]}", "Hash[String, Array[Integer]] $a"), ["Write `7`"]);
        assert_eq!(fixes("w::a: {b: [07]}", "Hash[String, Array[String]] $a"), [quotes]);
        // What the conversion makes of either is not known.
        let options = "lookup_options: {w::a: {convert_to: Integer}}\nw::a: 0022";
        assert_eq!(fixes(options, "Integer $a"), [quotes]);
    }

    /// The value of an anchor is also that of its aliases, which may need the number.
    #[test]
    fn quotes_at_an_anchor_are_left_to_the_user() {
        let fixture = Fixture::parse_without_marks("a: &a 0644\nb: *a\n");
        let found = diagnostics(&fixture.world(), &fixture.files[0].world_path());
        let [fix] = &*found[0].fixes else { panic!("not one fix: {found:?}") };
        assert!(fix.is_by_hand());
    }

    #[test]
    fn fixes() {
        check_fix("a: 0644 # mode\n", "Put quotes around it: a string", "a: '0644' # mode\n");
        check_fix("a: [007]\n", "Write `7`", "a: [7]\n");
    }
}
