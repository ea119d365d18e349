//! `flow-pair-without-space`: `{a:1}` is a hash with the key `a:1`. In YAML, a space must follow the colon.

use crate::data::Format;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::shared::walk::mappings;
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::syntax::tree::{NodeKind, Pair, ScalarStyle};
use crate::text::TextEdit;

pub(crate) const RULE: Rule = Rule {
    code: "flow-pair-without-space",
    name: "Pair without a space after its colon",
    severity: Severity::Warning,
    since: "0.2.0",
    summary: "`{a:1}` is a hash with the one key `a:1` and no value.",
    page: include_str!("../../../../docs/rules/flow-pair-without-space.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    if entry.format != Format::Yaml || !entry.written().contains('{') {
        return;
    }
    for pair in mappings(entry).into_iter().flatten() {
        let Some((name, value)) = joined(pair, entry.text) else { continue };
        let message = format!(
            "`{name}:{value}` is a key without a value\nWrite `{name}: {value}`, with a space after the colon."
        );
        let finding = report.add(&RULE, pair.key.range, message);
        let at = pair.key.range.start + name.len() as u32 + 1;
        let edit = TextEdit::insert(at, " ");
        finding.with_fix(Fix::changing(format!("Write `{name}: {value}`"), vec![edit]));
    }
}

/// The key and the value of a pair in braces that YAML reads as a key alone.
fn joined<'a>(pair: &Pair, source: &'a str) -> Option<(&'a str, &'a str)> {
    let NodeKind::Scalar { style: ScalarStyle::Plain, .. } = &pair.key.kind else { return None };
    let NodeKind::Scalar { text, style: ScalarStyle::Plain } = &pair.value.kind else {
        return None;
    };
    let written = pair.key.range.slice(source);
    let (name, value) = written.split_once(':')?;
    // Only between braces, a key does not need a colon after it.
    let rest = &source[pair.key.range.end as usize..];
    let is_in_braces = rest.trim_start().starts_with(['}', ',']);
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_name = !name.is_empty() && name.chars().all(is_word) && !written.contains('\n');
    // `{a::b}` and `{http://x}` are names and addresses without a value.
    let is_value = !value.is_empty() && !value.starts_with([':', '/']);
    (text.is_empty() && is_in_braces && is_name && is_value).then_some((name, value))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn keys_with_a_colon_inside() {
        check(
            r#"
a: {b:1, c: 2, d:e}
#   ^^^ warning[flow-pair-without-space]: `b:1` is a key without a value…
#              ^^^ warning[flow-pair-without-space]
f: {"g":1, h::i, http://x, j, 'k:1', l:1: 2}
m: [n:1]
o:
  p:1:
"#,
        );
    }

    #[test]
    fn the_blank() {
        check_fix("a: {b:1}\n", "Write `b: 1`", "a: {b: 1}\n");
    }
}
