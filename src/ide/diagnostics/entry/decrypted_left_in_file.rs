//! `decrypted-left-in-file`: `DEC::PKCS7[…]!`, the mark that `eyaml edit` shows for an encrypted value. In a saved file, it
//! is a secret in plain text, and Puppet returns it including the mark.

use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::syntax::tree::{Node, NodeKind};
use crate::text::TextRange;

pub(crate) const RULE: Rule = Rule {
    code: "decrypted-left-in-file",
    name: "Decrypted value left in the file",
    severity: Severity::Warning,
    since: "0.2.0",
    summary: "A value has the mark `DEC::PKCS7[…]!` of `eyaml edit`: it is not encrypted, and the mark is part of it.",
    page: include_str!("../../../../docs/rules/decrypted-left-in-file.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    if !entry.written().contains("DEC") {
        return;
    }
    let mut waiting = vec![entry.value];
    while let Some(node) = waiting.pop() {
        match &node.kind {
            NodeKind::Sequence(items) => waiting.extend(items.iter().rev()),
            NodeKind::Mapping(pairs) => {
                waiting.extend(pairs.iter().rev().flat_map(|pair| [&pair.value, &pair.key]));
            }
            NodeKind::Scalar { .. } => check_scalar(entry, node, report),
            NodeKind::Alias(_) => {}
        }
    }
}

fn check_scalar(entry: &EntryContext<'_>, node: &Node, report: &mut Report) {
    // The mark is searched for in the source, not in the decoded text, so that its range is right in folded and escaped strings.
    let written = node.range.slice(entry.text);
    let Some((start, end)) = mark(written) else { return };
    let range = TextRange::new(node.range.start + start as u32, node.range.start + end as u32);
    let message = "this is what `eyaml edit` shows for an encrypted value\n\
                   It was not encrypted again: everyone who can read the file can read the secret, and Puppet returns it with the mark around it.";
    report.add(&RULE, range, message);
}

/// The range of the first mark in a text: `DEC::PKCS7[…]!` or `DEC(12)::PKCS7[…]!`.
fn mark(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(found) = text[from..].find("DEC") {
        let start = from + found;
        from = start + 3;
        let mut rest = &text[from..];
        // `eyaml edit` numbers the values: `DEC(1)::PKCS7[…]!`.
        if let Some(numbered) = rest.strip_prefix('(') {
            rest = numbered.trim_start_matches(|c: char| c.is_ascii_digit());
            rest = rest.strip_prefix(')').unwrap_or("");
        }
        let Some(rest) = rest.strip_prefix("::") else { continue };
        let method = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        if method.len() == rest.len() || !method.starts_with('[') {
            continue;
        }
        if let Some(length) = method.find("]!") {
            return Some((start, text.len() - method.len() + length + 2));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn marks() {
        check(
            r#"
a: DEC::PKCS7[secret]!
#  ^^^^^^^^^^^^^^^^^^^ warning[decrypted-left-in-file]: this is what `eyaml edit` shows for an encrypted value…
b: "user:DEC(12)::GPG[x]!@host"
#        ^^^^^^^^^^^^^^^^ warning[decrypted-left-in-file]
c: [DEC, "DEC::x", "DEC(1", "DEC::PKCS7[never closed", "DECEMBER::A[x]!"]
d: "12 DEC DEC::PKCS7[e]!"
#          ^^^^^^^^^^^^^^ warning[decrypted-left-in-file]
"#,
        );
    }
}
