//! `float-looking-string`: `1e3` is a string. An exponent needs a decimal point before it, and a sign.

use crate::data::Value;
use crate::ide::diagnostics::shared::fix::{Fix, quote};
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::text::TextEdit;

pub(crate) const RULE: Rule = Rule {
    code: "float-looking-string",
    name: "Text that looks like a number",
    severity: Severity::Hint,
    since: "0.1.0",
    summary: "A number with an exponent is a string, unless it has a point and a signed exponent.",
    page: include_str!("../../../../docs/rules/float-looking-string.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    for plain in &entry.plain {
        let is_text = matches!(plain.value, Ok(Value::String(_)));
        if is_text && !plain.is_key && looks_like_a_float(plain.text) {
            let text = plain.text;
            let message = format!(
                "`{text}` is a string, not a number\n\
                 An exponent needs a point before it and a sign: `1.0e+3`. Put quotes around it if you mean a string."
            );
            let range = plain.node.range;
            let finding = report.add(&RULE, range, message);
            finding.with_fix(Fix::safe("Put quotes around it", vec![quote(range, text)]));
            let number = as_float(text);
            let title = format!("Write `{number}`: a number");
            finding.with_fix(Fix::changing(title, vec![TextEdit::replace(range, number)]));
        }
    }
}

/// The number with a decimal point and a signed exponent.
fn as_float(text: &str) -> String {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let last = if mantissa.ends_with('.') { "0" } else { "" };
    let sign = if exponent.starts_with(['+', '-']) { "" } else { "+" };
    format!("{mantissa}{point}{last}e{sign}{exponent}")
}

fn looks_like_a_float(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let Some((mantissa, exponent)) = unsigned.split_once(['e', 'E']) else { return false };
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let are_digits =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // A longer one is more likely the hash of a commit.
    exponent.len() <= 3
        && are_digits(exponent)
        && mantissa.len() <= 6
        && are_digits(&mantissa.replacen('.', "", 1))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix, fix_titles};

    #[test]
    fn exponents() {
        check(
            r"
a: [1e3, 1.5e+3, 1.5e3, '1e3', e3, 12345678e3]
#   ^^^ hint[float-looking-string]: `1e3` is a string, not a number…
#                ^^^^^ hint[float-looking-string]
b: [1e308, 1e1234, 123456e3, 1234567e3]
#   ^^^^^ hint[float-looking-string]
#                  ^^^^^^^^ hint[float-looking-string]
",
        );
    }

    #[test]
    fn the_class_decides() {
        let titles = |parameter: &str| {
            let files = format!(
                "#- /data/common.yaml\nm::f: 1e3\n#- /hiera.yaml\nversion: 5\n\
                 hierarchy: [{{name: c, path: common.yaml}}]\n\
                 #- /modules/m/manifests/init.pp\nclass m({parameter}) {{ }}\n"
            );
            fix_titles(&files, "float-looking-string")
        };
        let (quotes, number) = ("Put quotes around it", "Write `1.0e+3`: a number");
        assert_eq!(titles("Float $f"), [number]);
        assert_eq!(titles("String $f"), [quotes]);
        assert_eq!(titles("$f"), [quotes, number]);
    }

    #[test]
    fn fixes() {
        check_fix("a: 1e3\n", "Put quotes around it", "a: '1e3'\n");
        check_fix("a: 1e-3\n", "Write `1.0e-3`: a number", "a: 1.0e-3\n");
        check_fix("a: -2E3\n", "Write `-2.0e+3`: a number", "a: -2.0e+3\n");
    }
}
