//! `malformed-key`: a key that is nearly `class::parameter`, but that no class and no parameter can have.
//!
//! A lookup may use any text as a key, so keys that code or data name are ignored. If a single character could be intended,
//! the other keys decide: `a:b` is reported if there are keys that start with `a::`.

use crate::engine::module_of_key;
use crate::ide::diagnostics::key::KeyContext;
use crate::ide::diagnostics::shared::declared_classes::{
    DeclaredClasses, class_and_parameter, has_form_of_a_parameter,
};
use crate::ide::diagnostics::shared::ignored_key::IgnoredKey;
use crate::ide::diagnostics::shared::known_keys::KnownKeys;
use crate::ide::diagnostics::{Check, Report, Rule, Severity, Subject};
use crate::syntax::interpolation;

pub(crate) const RULE: Rule = Rule {
    code: "malformed-key",
    name: "Key that is written wrongly",
    severity: Severity::Warning,
    since: "0.2.0",
    summary: "A key is nearly that of a class parameter, but with other punctuation, spaces or capital letters.",
    page: include_str!("../../../../docs/rules/malformed-key.md"),
    explains: Some(Subject::KeyName),
    may_quote: |_| false,
    checks: &[Check::Key(check)],
    ..Rule::USUAL
};

/// Checks a root key of the file.
pub(crate) fn check(at: &KeyContext<'_>, report: &mut Report) {
    let KeyContext { known, classes, data, key, entry, .. } = *at;
    let Some((problem, meant)) = problem(known, classes, key) else { return };
    // Code and data can look up a key with any name.
    if classes.is_used_otherwise(key) || classes.code().is_named(key) {
        return;
    }
    // `::a` is a symbol of Ruby, whose name has one colon less.
    let written = entry.key_place.range.slice(data.text());
    let shown = if written.strip_prefix(':') == Some(key) { written } else { key };
    let ignored = IgnoredKey {
        rule: &RULE,
        problem: format!("`{shown}` {problem}"),
        meant: meant.filter(|it| data.get(it).is_none() && can_be_meant(classes, it)),
        advice: "Puppet ignores this key.",
        related: Vec::new(),
    };
    ignored.report(classes, data, entry, report);
}

/// Whether Puppet looks the key up, as far as is known.
fn can_be_meant(classes: &DeclaredClasses<'_>, key: &str) -> bool {
    class_and_parameter(key).is_none_or(|(class, _)| {
        !classes.is_missing(class) && (classes.only(class).is_none() || classes.is_parameter(key))
    })
}

/// What is wrong with a key, and the key that was meant.
fn problem(
    known: &KnownKeys<'_>,
    classes: &DeclaredClasses<'_>,
    key: &str,
) -> Option<(&'static str, Option<String>)> {
    if interpolation::may_have_tokens(key) {
        return Some((
            "is not interpolated: keys at the root of a file are taken as they are",
            None,
        ));
    }
    let meant = as_of_a_class(key)?;
    // If other keys also have a dot or a dash, this site writes keys in that way.
    let is_other = |it: &std::sync::Arc<str>| &**it != key && !it.contains(['.', '-']);
    let is_of_module = |it: &str| {
        module_of_key(it).is_some_and(|it| known.keys_in(&format!("{it}::")).iter().any(is_other))
    };
    let problem = if key.contains(":::") || key.starts_with(':') || key.ends_with(':') {
        "has too many colons"
    } else if key.contains(": ") || key.contains(" :") || key.contains('$') {
        "has a space or a `$`, which a name cannot have"
    } else if has_capital(key) && key.contains("::") {
        "has a name that starts with a capital letter; names of classes and parameters do not"
    } else if has_single_colon(key) && (known.contains(&meant) || is_of_module(&meant)) {
        "has one colon where `::` separates names"
    } else if key.contains('.')
        && (is_of_module(&meant)
            || classes.is_used_otherwise(&meant)
            || classes.is_parameter(&meant))
    {
        "has a dot, so a lookup reads the part after it as a sub key"
    } else if key.contains('-') && known.contains(&meant) {
        "has a dash, which a parameter cannot have"
    } else {
        return None;
    };
    Some((problem, Some(meant)))
}

/// The key in the form of a class parameter; `None` if it already has that form, or cannot have it.
fn as_of_a_class(key: &str) -> Option<String> {
    // Most keys end here.
    if has_form_of_a_parameter(key) {
        return None;
    }
    let is_mark = |c: char| c == ':' || c == '.';
    let names = key.split(is_mark).map(|name| name.trim().trim_start_matches('$'));
    let names: Vec<String> = names.filter(|it| !it.is_empty()).map(as_name).collect();
    let is_name = |name: &String| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let meant = names.join("::");
    (names.len() > 1 && names.iter().all(is_name) && meant != key).then_some(meant)
}

fn as_name(name: &str) -> String {
    let mut letters = name.replace('-', "_");
    if let Some(first) = letters.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    letters
}

fn has_capital(key: &str) -> bool {
    key.split("::").any(|name| name.starts_with(|c: char| c.is_ascii_uppercase()))
}

fn has_single_colon(key: &str) -> bool {
    key.replace("::", "").contains(':')
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn keys_that_are_nearly_those_of_classes() {
        check(
            r#"
web::port: 1
web:::name: 1
#^^^^^^^^^ warning[malformed-key]: `web:::name` has too many colons Puppet ignores this key. Did you mean `web::name`?
web::one:two: 1
#^^^^^^^^^^^ warning[malformed-key]
Web::host: 1
#^^^^^^^^ warning[malformed-key]
web::Three: 1
#^^^^^^^^^ warning[malformed-key]
'web:: four': 1
#^^^^^^^^^^^ warning[malformed-key]
::web::five: 1
#^^^^^^^^^^ warning[malformed-key]: `::web::five` has too many colons…
web::six.seven: 1
#^^^^^^^^^^^^^ warning[malformed-key]
"%{facts.os.family}::x": 1
#^^^^^^^^^^^^^^^^^^^^^^ warning[malformed-key]
web::$eight: 1
#^^^^^^^^^^ warning[malformed-key]
web.nine: 1
#^^^^^^^ warning[malformed-key]
"#,
        );
    }

    #[test]
    fn a_dot_before_the_parameter() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, path: common.yaml}]
#- /modules/web/manifests/server.pp
class web::server($port) { }
#- /data/common.yaml
web::server.port: 1
#^^^^^^^^^^^^^^^ warning[malformed-key]: `web::server.port` has a dot, so a lookup reads the part after it as a sub key Puppet ignores this key. Did you mean `web::server::port`?
",
        );
    }

    #[test]
    fn any_text_can_be_looked_up() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, path: common.yaml}]
#- /manifests/site.pp
lookup('web:one') lookup("Web::${x}")
#- /data/common.yaml
web::port: 1
web:one: 1
Web::two: 1
other:one: 1
http://example.com: 1
web::a-b: 1
three: "%{lookup('web:four')} %{lookup('\"web.five\"')}"
web:four: 1
web.five: 1
Title: 1
a.b: 1
"#,
        );
    }

    #[test]
    fn the_key_that_was_meant() {
        check_fix(
            "web::port: 1\n'web:name': 1 # x\n",
            "Write `web::name`",
            "web::port: 1\n'web::name': 1 # x\n",
        );
    }
}
