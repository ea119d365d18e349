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
    may_quote: |_| false,
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

/// Last words of names whose lists contain secrets. Lists of `secrets` or `tokens` often contain only their names.
const SECRET_PLURALS: [&str; 5] = ["passwords", "passwds", "passphrases", "api_keys", "apikeys"];

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    let mut waiting = vec![(Some(entry.key), entry.value)];
    while let Some((key, value)) = waiting.pop() {
        let named = key.and_then(|key| Some((key, text_of(key)?)));
        if let Some((key, name)) = named
            && is_secret(entry, name, value)
        {
            let message = "this looks like a secret in plain text\n\
                           Encrypt it, e.g. with `eyaml encrypt`, or keep it out of the repository.";
            report.add(&RULE, key.range, message);
        }
        match &value.kind {
            NodeKind::Sequence(items) => waiting.extend(items.iter().map(|item| (None, item))),
            NodeKind::Mapping(pairs) => {
                waiting.extend(pairs.iter().map(|pair| (Some(&pair.key), &pair.value)));
            }
            _ => {}
        }
    }
}

/// The keys of a hash have names of their own, so a hash is no secret whatever it is called.
fn is_secret(entry: &EntryContext<'_>, name: &str, value: &Node) -> bool {
    match &value.kind {
        NodeKind::Sequence(items) => {
            (ends_with_word(name, &SECRET_WORDS) || ends_with_word(name, &SECRET_PLURALS))
                && items.iter().any(|item| is_plain_text(entry, item))
        }
        _ => ends_with_word(name, &SECRET_WORDS) && is_plain_text(entry, value),
    }
}

fn ends_with_word(name: &str, words: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    let ends_so = |word: &&str| {
        name.strip_suffix(*word)
            .is_some_and(|before| before.is_empty() || before.ends_with(['_', '-', ':', '.']))
    };
    words.iter().any(ends_so)
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
        // A path leads to the secret, and an interpolated text gets it from elsewhere.
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
    #[test]
    fn lists_of_secrets_and_lists_about_secrets() {
        check(
            r#"
#- /.hiera-ls.yaml
diagnostics: {severity: {plaintext-secret: warning, encrypted-but-not-sensitive: 'off'}}
#- /data/common.yaml
old::passwords: ['ENC[GPG,YWJj]', hunter2, hunter3]
#^^^^^^^^^^^^^ warning[plaintext-secret]
users: [{password: ["%{lookup('x')}", hunter2]}]
#        ^^^^^^^^ warning[plaintext-secret]
x: 1
form::fields: [user, password, api_key]
auth: {methods: [token, password]}
new::passwords: ["%{lookup('x')}", '', 5, /etc/secret]
nested::password: [[hunter2], {rule: strong}]
policy::password: {rule: strong}
image_pull_secrets: [registry]
"#,
        );
    }
}
