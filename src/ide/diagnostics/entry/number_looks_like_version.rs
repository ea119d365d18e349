//! `number-looks-like-version`: a number instead of a string. `version: 1.10` is 1.1, and `mode: 644` is not a mode.

use std::cell::LazyCell;
use std::sync::Arc;

use crate::data::{Format, Value, inspect, scalar};
use crate::ide::diagnostics::shared::fix::{Fix, quoted};
use crate::ide::diagnostics::shared::walk::{pairs_of, text_of};
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::syntax::tree::{Node, NodeKind, ScalarStyle};
use crate::text::TextEdit;

pub(crate) const RULE: Rule = Rule {
    code: "number-looks-like-version",
    name: "Number instead of a string",
    severity: Severity::Warning,
    since: "0.2.0",
    summary: "A version such as `1.10` is the number 1.1 without quotes, and a mode such as `644` is not a string.",
    page: include_str!("../../../../docs/rules/number-looks-like-version.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    let format = entry.format;
    if format == Format::Hocon {
        return;
    }
    let Some(key) = text_of(entry.key) else { return };
    check_value(format, key, entry.value, report);
    let mut waiting = vec![entry.value];
    while let Some(node) = waiting.pop() {
        if let NodeKind::Sequence(items) = &node.kind {
            waiting.extend(items.iter().rev());
        }
        for pair in pairs_of(node) {
            if let Some(key) = text_of(&pair.key) {
                check_value(format, key, &pair.value, report);
            }
            waiting.push(&pair.value);
        }
    }
}

/// What the name of a key implies about its value.
struct NameOf {
    is_version: bool,
    is_mode: bool,
}

impl NameOf {
    fn new(key: &str) -> Self {
        let name = key.rsplit("::").next().unwrap_or(key).to_ascii_lowercase();
        let is_word = |word: &str| name.split(['_', '-', '.']).any(|it| it == word);
        Self {
            is_version: ["version", "versions", "release", "ensure"].into_iter().any(is_word),
            is_mode: name == "mode"
                || ["_mode", "filemode", "dirmode"].iter().any(|end| name.ends_with(end)),
        }
    }
}

/// Checks the value of a key, or the items of a list of such values.
fn check_value(format: Format, key: &str, value: &Node, report: &mut Report) {
    // Few values look like a version or a mode, so most names need no look.
    let name = LazyCell::new(|| NameOf::new(key));
    match &value.kind {
        NodeKind::Sequence(items) => {
            for item in items {
                check_number(format, &name, item, report);
            }
        }
        _ => check_number(format, &name, value, report),
    }
}

fn check_number(
    format: Format,
    name: &LazyCell<NameOf, impl FnOnce() -> NameOf>,
    node: &Node,
    report: &mut Report,
) {
    let Some(text) = plain_text_of(node) else { return };
    let is_meant = is_version(text) && name.is_version || is_mode(text) && name.is_mode;
    if !is_meant {
        return;
    }
    let Ok(number) = scalar::by_looks(text) else { return };
    match &number {
        Value::Float(_) => {
            let read = inspect::to_s(&number);
            // `1.5` is read as it is written, so its text is still the version that was meant.
            if *read == **text {
                return;
            }
            let message = format!("`{text}` is the number {read}\nPut quotes around the version.");
            let finding = report.add(&RULE, node.range, message);
            let edits = vec![TextEdit::replace(node.range, in_quotes(format, text))];
            finding.with_fix(Fix::changing("Put quotes around it: a string", edits));
        }
        Value::Integer(_) => {
            let mode = format!("0{text}");
            let meant = in_quotes(format, &mode);
            let message = format!(
                "`{text}` is a number, and a mode is a string\nWrite `{meant}`: Puppet refuses numbers for the mode of a file."
            );
            let finding = report.add(&RULE, node.range, message);
            let title = format!("Write `{meant}`");
            finding.with_fix(Fix::changing(title, vec![TextEdit::replace(node.range, meant)]));
        }
        _ => {}
    }
}

/// A number as a string.
fn in_quotes(format: Format, number: &str) -> String {
    match format {
        Format::Json => format!("\"{number}\""),
        _ => quoted(number),
    }
}

/// The text of a scalar without quotes and without a tag.
fn plain_text_of(node: &Node) -> Option<&Arc<str>> {
    match &node.kind {
        NodeKind::Scalar { text, style: ScalarStyle::Plain } if node.tag.is_none() => Some(text),
        _ => None,
    }
}

/// `1.10` and `22.0`: digits, a point, digits.
fn is_version(text: &str) -> bool {
    let are_digits = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('.').is_some_and(|(major, minor)| are_digits(major) && are_digits(minor))
}

/// `644` and `1777`, but not `100`: the owner of a file can read it. With a leading zero, the number is octal, which another rule
/// reports.
fn is_mode(text: &str) -> bool {
    matches!(text.len(), 3 | 4)
        && !text.starts_with('0')
        && text.as_bytes()[text.len() - 3] >= b'4'
        && text.bytes().all(|byte| matches!(byte, b'0'..=b'7'))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn versions_that_lose_a_digit() {
        check(
            r"
version: 1.10
#        ^^^^ warning[number-looks-like-version]: `1.10` is the number 1.1 Put quotes around the version.
a::php_version: 8.20
#               ^^^^ warning[number-looks-like-version]
b: {ensure: 3.0, version: 3.00, versions: [1.20, '1.30', 1.5], ratio: 0.10, conversion: 1.10}
#                         ^^^^ warning[number-looks-like-version]
#                                          ^^^^ warning[number-looks-like-version]
c_version: {any: 1.10}
",
        );
    }

    #[test]
    fn modes() {
        check(
            r"
a::config_mode: 644
#               ^^^ warning[number-looks-like-version]: `644` is a number, and a mode is a string…
b: {mode: 1777, dirmode: '0755', run_mode: 4, mode2: 644}
#         ^^^^ warning[number-looks-like-version]
c::mode: 899
vlan::mode: 100
d::mode: 1000
",
        );
    }

    #[test]
    fn numbers_that_the_class_wants() {
        check(
            r"
m::mode: 644
m::version: 1.10
m::file_mode: 644
#             ^^^ warning[number-looks-like-version]
m::modes: {dirmode: 755, mode: 644}
#                              ^^^ warning[number-looks-like-version]
#- /hiera.yaml
version: 5
hierarchy: [{name: c, path: common.yaml}]
#- /modules/m/manifests/init.pp
class m(
  Integer $mode,
  Float $version,
  Variant[Integer, String] $file_mode,
  Struct[{dirmode => Integer, mode => Scalar}] $modes,
) { }
",
        );
    }

    #[test]
    fn in_json() {
        check(
            r#"
#- /data/x.json
{"php::version": 1.10, "a": {"mode": 644, "version": 1.5}}
#                ^^^^ warning[number-looks-like-version]: `1.10` is the number 1.1…
#                                    ^^^ warning[number-looks-like-version]: `644` is a number, and a mode is a string Write `"0644"`: …
#- /hiera.yaml
version: 5
hierarchy: [{name: x, path: x.json, data_hash: json_data}]
"#,
        );
        let json = |number: &str| {
            format!(
                "#- /data/x.json\n{{\"version\": {number}}}\n#- /hiera.yaml\nversion: 5\n\
                 hierarchy: [{{name: x, path: x.json, data_hash: json_data}}]\n"
            )
        };
        let quoted = "{\"version\": \"1.10\"}\n";
        check_fix(&json("1.10"), "Put quotes around it: a string", quoted);
    }

    #[test]
    fn quotes() {
        check_fix("version: 1.10\n", "Put quotes around it: a string", "version: '1.10'\n");
        check_fix("a: {mode: 644}\n", "Write `'0644'`", "a: {mode: '0644'}\n");
    }
}
