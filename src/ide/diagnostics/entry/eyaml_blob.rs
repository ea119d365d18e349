//! `eyaml-blob`: an `ENC[…]` that hiera-eyaml cannot decrypt, or does not even recognize as encrypted.
//!
//! A value that starts with `ENC[` is meant to be encrypted. Inside other text, only brackets with a method are checked,
//! because people also write about `ENC[…]`.

use crate::backends::eyaml::blob::{self, BlobProblemKind, OPENING};
use crate::backends::eyaml::{DEFAULT_METHOD, KNOWN_METHODS};
use crate::ide::diagnostics::{Check, Diagnostic, EntryContext, Report, Rule, Severity};
use crate::settings::nearest_name;
use crate::syntax::tree::{Node, NodeKind};
use crate::text::TextRange;

pub(crate) const RULE: Rule = Rule {
    code: "eyaml-blob",
    name: "Broken encrypted value",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "An `ENC[…]` is cut off, is not base64, or names a method that eyaml does not have.",
    page: include_str!("../../../../docs/rules/eyaml-blob.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    if !entry.written().contains(OPENING) {
        return;
    }
    let mut waiting = vec![entry.value];
    while let Some(node) = waiting.pop() {
        match &node.kind {
            NodeKind::Scalar { text, .. } => check_text(entry.text, node, text, report),
            NodeKind::Sequence(items) => waiting.extend(items.iter().rev()),
            NodeKind::Mapping(pairs) => waiting.extend(pairs.iter().rev().map(|it| &it.value)),
            NodeKind::Alias(_) => {}
        }
    }
}

/// Turns findings about decryption into warnings, because no level of the file decrypts.
pub(crate) fn make_warnings(findings: &mut [Diagnostic]) {
    for finding in findings.iter_mut().filter(|it| it.code == RULE.code) {
        finding.severity = Severity::Warning;
    }
}

fn check_text(source: &str, node: &Node, text: &str, report: &mut Report) {
    let is_meant_whole = text.trim_start().starts_with(OPENING);
    let openings = |text: &str| text.match_indices(OPENING).map(|it| it.0).collect::<Vec<_>>();
    // The source may have escapes and line breaks that the decoded text does not have, so a blob is found by the number of its `ENC[`.
    let (meant, written) = (openings(text), openings(node.range.slice(source)));
    for problem in blob::problems(text) {
        let blob = problem.range.slice(text);
        if is_meant_whole || names_a_method(blob) {
            let (severity, message) = words(&problem.kind);
            let nth = meant.partition_point(|at| *at < problem.range.start as usize);
            let range = source_range(source, node, blob, written.get(nth..).unwrap_or(&[]));
            report.add_as(&RULE, severity, range, message);
        }
    }
}

fn names_a_method(written: &str) -> bool {
    let inside = &written[OPENING.len()..];
    let Some((method, _)) = inside.split_once(',') else { return false };
    // hiera-eyaml finds a method in upper and lower case.
    KNOWN_METHODS.iter().any(|it| it.eq_ignore_ascii_case(method))
}

/// The range of a blob in a scalar: to its end if it is written without escapes, or else to its bracket or the end of the
/// scalar. It starts at the first of `openings`.
fn source_range(source: &str, node: &Node, blob: &str, openings: &[usize]) -> TextRange {
    let scalar = node.range.slice(source);
    let Some(at) = openings.first().copied() else { return node.range };
    let start = node.range.start + at as u32;
    if scalar[at..].starts_with(blob) {
        return TextRange::new(start, start + blob.len() as u32);
    }
    // The next one belongs to another blob.
    let own = &scalar[at..openings.get(1).copied().unwrap_or(scalar.len())];
    let end = at + own.find(']').map_or(own.trim_end().len(), |it| it + 1);
    TextRange::new(start, node.range.start + end as u32)
}

/// The messages do not contain `ENC[`: `check` hides what follows it.
fn words(kind: &BlobProblemKind) -> (Severity, String) {
    let as_text = "Puppet takes it for plain text, and nothing is decrypted";
    let fails = "The lookup fails where it is decrypted";
    let encrypt_again = "Encrypt the value again, or take it from an earlier version of the file.";
    match kind {
        BlobProblemKind::Unterminated => (
            Severity::Warning,
            format!("The bracket after `ENC` is not closed: {as_text}.\n{encrypt_again}"),
        ),
        BlobProblemKind::Empty => {
            (Severity::Warning, format!("Nothing is encrypted between the brackets: {as_text}."))
        }
        BlobProblemKind::AcrossLines => (
            Severity::Warning,
            format!(
                "The value has line breaks, and Puppet looks for `ENC` and both brackets on one line: {as_text}.\n\
                 Write `>` instead of `|` above it."
            ),
        ),
        BlobProblemKind::NotBase64('=') => (
            Severity::Error,
            // hiera-eyaml accepts `=` anywhere in the brackets, so it treats the text as encrypted, and the decryption fails.
            format!("`=` is only allowed at the end of base64. {fails}.\n{encrypt_again}"),
        ),
        BlobProblemKind::NotBase64(character) => (
            Severity::Warning,
            // Text with such a character does not match the pattern of hiera-eyaml, so a lookup returns it as it is.
            format!("`{character}` is not a base64 character: {as_text}.\n{encrypt_again}"),
        ),
        BlobProblemKind::WrongLength(length) => (
            Severity::Error,
            format!(
                "The base64 text has {length} characters, which is not a multiple of 4: something was cut off. \
                 {fails}.\n{encrypt_again}"
            ),
        ),
        BlobProblemKind::NotPkcs7 => (
            Severity::Error,
            format!(
                "This is not a PKCS #7 message, or only a part of one. {fails}.\n{encrypt_again}"
            ),
        ),
        BlobProblemKind::UnknownMethod(method) => {
            let meant = nearest_name(method, KNOWN_METHODS.iter().copied());
            let meant = meant.unwrap_or(DEFAULT_METHOD);
            let message =
                format!("hiera-eyaml has no method `{method}`. {fails}.\nDid you mean `{meant}`?");
            (Severity::Error, message)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::backends::eyaml::test_keys::TEST_BLOB;
    use crate::ide::diagnostics::testing::check;

    const SETTINGS: &str = "
#- /.hiera-ls.yaml
diagnostics: {severity: {encrypted-but-not-sensitive: 'off'}}
#- /data/common.yaml
";

    #[test]
    fn nothing_fails_where_nothing_is_decrypted() {
        check(&format!(
            "{SETTINGS}a: ENC[PKSC7,YWJj]
#  ^^^^^^^^^^^^^^^ warning[eyaml-blob]: hiera-eyaml has no method `PKSC7`…
b: 0644
#  ^^^^ warning[octal-number]
"
        ));
    }

    #[test]
    fn broken_blobs() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - name: Encrypted
    lookup_key: eyaml_lookup_key
    path: common.yaml
    options: {pkcs7_private_key: /keys/private.pem, pkcs7_public_key: /keys/public.pem}
#- /.hiera-ls.yaml
diagnostics: {severity: {encrypted-but-not-sensitive: 'off'}}
#- /data/common.yaml
a: ENC[PKSC7,YWJj]
#  ^^^^^^^^^^^^^^^ error[eyaml-blob]: hiera-eyaml has no method `PKSC7`. The lookup fails where it is decrypted. Did you mean `PKCS7`?
b: {c: ['ENC[PKCS7,YWJ]', "x ENC[PKCS7,YWJj] y"]}
#        ^^^^^^^^^^^^^^ error[eyaml-blob]: The base64 text has 3 characters…
#                            ^^^^^^^^^^^^^^^ error[eyaml-blob]: This is not a PKCS #7 message…
d: ENC[PKCS7,YW-j]
#  ^^^^^^^^^^^^^^^ warning[eyaml-blob]: `-` is not a base64 character…
e: ENC[GPG,YWJj
#  ^^^^^^^^^^^^ warning[eyaml-blob]: The bracket after `ENC` is not closed…
f: ENC[]
#  ^^^^^ warning[eyaml-blob]: Nothing is encrypted…
g: "ENC[PKCS7,YW=j]"
#   ^^^^^^^^^^^^^^^ error[eyaml-blob]: `=` is only allowed at the end of base64…
"#,
        );
    }

    #[test]
    fn whole_blobs_and_words_about_them() {
        let blob = TEST_BLOB.trim();
        let folded: Vec<_> = blob.as_bytes().chunks(60).map(String::from_utf8_lossy).collect();
        let folded = folded.join("\n  ");
        check(&format!(
            "{SETTINGS}a: {blob}\nb: >\n  {folded}\nc: ['x {blob}', '{blob}']\n\
             d: write ENC[...] around it\ne: ENC[GPG,YWJj]\nf: the form ENC[PKSC7,x]\n"
        ));
    }

    #[test]
    fn a_literal_block_is_not_decrypted() {
        check(&format!(
            "{SETTINGS}
a: |
  ENC[GPG,YWJj
# ^^^^^^^^^^^^ warning[eyaml-blob]: The value has line breaks…
  YWJj]
",
        ));
    }

    #[test]
    fn an_open_bracket_ends_with_the_text() {
        check(
            r#"
a: "ENC[GPG,YWJj"
#   ^^^^^^^^^^^^ warning[eyaml-blob]: The bracket after `ENC` is not closed…
"#,
        );
    }
    #[test]
    fn methods_are_found_in_any_case_and_blobs_only_in_upper_case() {
        check(&format!(
            r"{SETTINGS}a: x ENC[pkcs7,YWJj] y
#    ^^^^^^^^^^^^^^^ warning[eyaml-blob]: This is not a PKCS #7 message…
b: ENC[gpg,YWJj]
c: x ENC[Gpg,YW-j] y
#    ^^^^^^^^^^^^^ warning[eyaml-blob]: `-` is not a base64 character…
d: enc[pksc7,YWJj]
"
        ));
    }
}
