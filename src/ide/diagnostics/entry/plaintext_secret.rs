//! `plaintext-secret`: a password in plain text. The rule only checks the name of the key, so it is off by default.
//!
//! Neither the message nor the range shows the value.

use crate::ide::diagnostics::shared::walk::text_of;
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::syntax::interpolation;
use crate::syntax::tree::{Node, NodeKind, ScalarStyle};

pub(crate) const RULE: Rule = Rule {
    code: "plaintext-secret",
    name: "Secret in plain text",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A key that is named like a secret has a value in plain text.",
    page: include_str!("../../../../docs/rules/plaintext-secret.md"),
    is_on: false,
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

/// Last words of names whose values are secrets.
const SECRET_WORDS: [&str; 10] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "private_key",
    "api_key",
    "apikey",
    "access_key",
    "credentials",
];

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    let mut waiting = vec![(entry.key, entry.value)];
    while let Some((key, value)) = waiting.pop() {
        if text_of(key).is_some_and(|name| is_secret_name(name)) && is_plain_text(entry, value) {
            let message = "this looks like a secret in plain text\n\
                           Encrypt it, e.g. with `eyaml encrypt`, or keep it out of the repository.";
            report.add(&RULE, key.range, message);
        }
        match &value.kind {
            NodeKind::Sequence(items) => waiting.extend(items.iter().map(|item| (item, item))),
            NodeKind::Mapping(pairs) => {
                waiting.extend(pairs.iter().map(|pair| (&pair.key, &pair.value)));
            }
            _ => {}
        }
    }
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let ends_so = |word: &&str| {
        name.strip_suffix(*word)
            .is_some_and(|before| before.is_empty() || before.ends_with(['_', '-', ':', '.']))
    };
    SECRET_WORDS.iter().any(ends_so)
}

/// Whether the value is a string that is not encrypted, not looked up, and not the path of a file.
fn is_plain_text(entry: &EntryContext<'_>, value: &Node) -> bool {
    let NodeKind::Scalar { text, style } = &value.kind else { return false };
    // `token: 5` and `password: true` are not strings for Psych.
    let is_typed = *style == ScalarStyle::Plain
        && entry.plain.iter().any(|plain| {
            plain.node.range == value.range
                && plain.value.as_ref().is_ok_and(|it| it.as_str().is_none())
        });
    !text.is_empty()
        && !is_typed
        && !text.contains("ENC[")
        && !text.starts_with('/')
        && !interpolation::may_have_tokens(text)
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn by_the_names_of_keys_at_any_depth() {
        check(
            r#"
#- /.hiera-ls.yaml
diagnostics: {severity: {plaintext-secret: warning, encrypted-but-not-sensitive: 'off'}}
#- /data/common.yaml
db::password: hunter2
#^^^^^^^^^^^ warning[plaintext-secret]
users: [{name: x, api_key: "abc"}]
#                 ^^^^^^^ warning[plaintext-secret]
db::root_password: ENC[GPG,YWJj]
db::admin_password: "%{lookup('db::password')}"
db::user_password: ""
db::use_password: true
tls::private_key: /etc/ssl/key.pem
no::password: 12345
a::secretary: x
"#,
        );
    }
}
