//! `float-looking-string`: `1e3` is a text. An exponent counts only behind a point, and with a sign.

use super::{EntryContext, Report, Rule, Severity};
use crate::data::Value;

pub(super) const RULE: Rule = Rule {
    code: "float-looking-string",
    name: "Text that looks like a number",
    severity: Severity::Hint,
    since: "0.1.0",
    summary: "A number with an exponent is a text, unless it has a point and a signed exponent.",
    page: include_str!("../../../docs/rules/float-looking-string.md"),
    is_on: true,
};

pub(super) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    for plain in &entry.plain {
        let is_text = matches!(plain.value, Ok(Value::String(_)));
        if is_text && !plain.is_key && looks_like_a_float(plain.text) {
            let text = plain.text;
            let message = format!(
                "`{text}` is a text, not a number\n\
                 An exponent needs a point before it and a sign: `1.0e+3`. Put quotes around it if a text is meant."
            );
            report.add(&RULE, plain.node.range, message);
        }
    }
}

fn looks_like_a_float(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let Some((mantissa, exponent)) = unsigned.split_once(['e', 'E']) else { return false };
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let are_digits =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // Longer ones are rather the number of a commit.
    exponent.len() <= 3
        && are_digits(exponent)
        && mantissa.len() <= 6
        && are_digits(&mantissa.replacen('.', "", 1))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn exponents() {
        check(
            r"
a: [1e3, 1.5e+3, 1.5e3, '1e3', e3, 12345678e3]
#   ^^^ hint[float-looking-string]: `1e3` is a text, not a number…
#                ^^^^^ hint[float-looking-string]
",
        );
    }
}
