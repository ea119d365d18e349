//! `parameter-without-effect`: a key that looks like a parameter, but that Puppet never looks up because of its spelling or
//! because of what it names.
//!
//! Puppet looks up `class::parameter`, with the class in lower case and without a leading `::`. It looks up neither
//! parameters of defined types nor metaparameters, nor a hash of all parameters.

use std::borrow::Cow;

use crate::data::{DataFile, RootEntry};
use crate::ide::diagnostics::key::KeyContext;
use crate::ide::diagnostics::shared::declared_classes::{
    DeclaredClasses, class_and_parameter, has_form_of_a_parameter,
};
use crate::ide::diagnostics::shared::ignored_key::IgnoredKey;
use crate::ide::diagnostics::{Check, Cost, Report, Rule, Severity, Subject, Tag};
use crate::syntax::puppet::METAPARAMETERS;

pub(crate) const RULE: Rule = Rule {
    code: "parameter-without-effect",
    name: "Key that Puppet never looks up",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A key is written like a parameter, but Puppet looks up no parameter by this name.",
    page: include_str!("../../../../docs/rules/parameter-without-effect.md"),
    tag: Some(Tag::Unnecessary),
    cost: Cost::High,
    explains: Some(Subject::KeyName),
    may_quote: |_| false,
    checks: &[Check::Key(check)],
    ..Rule::USUAL
};

/// Checks a root key of the file.
pub(crate) fn check(at: &KeyContext<'_>, report: &mut Report) {
    let KeyContext { classes, data, key, entry, .. } = *at;
    let ignored = written_otherwise(classes, data, key)
        .or_else(|| metaparameter(classes, key))
        .or_else(|| of_a_defined_type(classes, key))
        .or_else(|| hash_of_parameters(classes, key, entry));
    let Some(ignored) = ignored.filter(|_| !classes.is_used_otherwise(key)) else { return };
    ignored.report(classes, data, entry, report);
}

/// A key that would set a parameter if it were written in the way in which Puppet looks it up.
fn written_otherwise(
    classes: &DeclaredClasses<'_>,
    data: &DataFile,
    key: &str,
) -> Option<IgnoredKey> {
    let asked = as_puppet_asks(key)?;
    let (class_name, name) = class_and_parameter(&asked)?;
    let class = classes.only(class_name)?;
    // Names of parameters are case-sensitive, so the same name counts before one that differs in case.
    let mut names = class.parameters();
    let name = names
        .find(|it| *it == name)
        .or_else(|| class.parameters().find(|it| it.eq_ignore_ascii_case(name)))?;
    let asked = format!("{class_name}::{name}");
    if asked == key {
        return None;
    }
    Some(IgnoredKey {
        rule: &RULE,
        problem: format!("Puppet looks up `{asked}` for this parameter"),
        related: vec![class.related(Some(name))],
        meant: data.get(&asked).is_none().then_some(asked),
        advice: "Puppet ignores this key.",
    })
}

fn metaparameter(classes: &DeclaredClasses<'_>, key: &str) -> Option<IgnoredKey> {
    let (class_name, name) = class_and_parameter(key)?;
    if !METAPARAMETERS.contains(&name) {
        return None;
    }
    let class = classes.only(class_name)?;
    (!class.parameters().any(|it| it == name)).then(|| IgnoredKey {
        rule: &RULE,
        problem: format!("`{name}` is a metaparameter, which Puppet does not look up for a class"),
        meant: None,
        advice: "Puppet ignores this key.",
        related: vec![class.related(None)],
    })
}

fn of_a_defined_type(classes: &DeclaredClasses<'_>, key: &str) -> Option<IgnoredKey> {
    let (name, parameter) = class_and_parameter(key)?;
    let defined_type = classes.only_defined_type(name)?;
    Some(IgnoredKey {
        rule: &RULE,
        problem: format!(
            "`{name}` is a defined type, and Puppet only looks up parameters of classes"
        ),
        meant: None,
        advice: "Puppet ignores this key.",
        related: vec![defined_type.related(Some(parameter))],
    })
}

/// A hash under the name of a class, whose members are parameters of the class and nothing else.
fn hash_of_parameters(
    classes: &DeclaredClasses<'_>,
    key: &str,
    entry: &RootEntry,
) -> Option<IgnoredKey> {
    let members = entry.value.value.as_hash().filter(|it| !it.is_empty())?;
    let class = classes.only(key)?;
    let is_parameter = |name: &str| class.parameters().any(|it| it == name);
    let mut names = members.iter().map(|(name, _)| name.as_str());
    let first = members.iter().next().and_then(|(name, _)| name.as_str())?;
    let is_all = names.all(|it| it.is_some_and(is_parameter));
    is_all.then(|| IgnoredKey {
        rule: &RULE,
        problem: format!(
            "`{key}` is a class, and Puppet looks up its parameters one by one: `{key}::{first}`"
        ),
        meant: None,
        advice: "Puppet ignores this key.",
        related: vec![class.related(Some(first))],
    })
}

/// The name that Puppet looks up if `key` means a parameter: segments joined by `::`, all but the last in lower case.
fn as_puppet_asks(key: &str) -> Option<Cow<'_, str>> {
    // Most keys are written in this way.
    if has_form_of_a_parameter(key) && class_and_parameter(key).is_some() {
        return Some(Cow::Borrowed(key));
    }
    // Without empty parts, `a:b`, `a:::b` and `::a::b` all become `a::b`.
    let segments: Vec<&str> = key.split(':').filter(|it| !it.is_empty()).collect();
    let (parameter, class) = segments.split_last().filter(|(_, class)| !class.is_empty())?;
    Some(Cow::Owned(format!("{}::{parameter}", class.join("::").to_ascii_lowercase())))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix, check_related};

    const CODE: &str = "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: x, path: common.yaml}]\n\
                        #- /modules/web/manifests/init.pp\nclass web($port, $fooBar = 1, $tag = 1) { }\n\
                        define web::site($docroot) { }\n";

    #[test]
    fn names_that_puppet_does_not_ask_for() {
        check(&format!(
            "{CODE}#- /manifests/site.pp\nlookup('web::site::all')\n#- /data/common.yaml\n\
             ::web::port: 1\n\
             #^^^^^^^^^^ warning[parameter-without-effect]: Puppet looks up `web::port` for this parameter Puppet ignores \
             this key. Did you mean `web::port`?\n\
             Web::Port: 1\n\
             #^^^^^^^^ warning[parameter-without-effect]\n\
             web::foobar: 1\n\
             #^^^^^^^^^^ warning[parameter-without-effect]: Puppet looks up `web::fooBar` for this parameter…\n\
             web:port: 1\n\
             #^^^^^^^ warning[parameter-without-effect]\n\
             web::stage: main\n\
             #^^^^^^^^^ warning[parameter-without-effect]: `stage` is a metaparameter, which Puppet does not look up for a \
             class Puppet ignores this key.\n\
             web::tag: 1\n\
             web::site::docroot: 1\n\
             #^^^^^^^^^^^^^^^^^ warning[parameter-without-effect]: `web::site` is a defined type, and Puppet only looks up parameters of classes Puppet ignores this key.\n\
             web::site::all: 1\n\
             Other::Port: 1\n\
             #^^^^^^^^^^ warning[malformed-key]\n\
             ::web::other: 1\n\
             #^^^^^^^^^^^ warning[malformed-key]\n\
             web: {{port: 1, fooBar: 2}}\n\
             #^^ warning[parameter-without-effect]: `web` is a class, and Puppet looks up its parameters one by one: \
             `web::port` Puppet ignores this key.\n\
             Web: {{port: 1, other: 2}}\n\
             ':': 1\n"
        ));
    }

    #[test]
    fn what_is_looked_up_by_its_name_has_an_effect() {
        check(&format!(
            "{CODE}#- /manifests/site.pp\nlookup('::web::port')\nlookup('Web::Port')\n\
             #- /data/common.yaml\n'::web::port': 1\nWeb::Port: \"%{{lookup('web:port')}}\"\nweb:port: 1\n"
        ));
    }

    #[test]
    fn the_name_that_puppet_asks_for() {
        let text = "'::web::port': 1 # ours\n";
        check_fix(&format!("{text}{CODE}"), "Write `web::port`", "'web::port': 1 # ours\n");
        let title = "Remove the entry (also removes a comment)";
        check_fix(&format!("a: 1\n{text}{CODE}"), title, "a: 1\n");
        check_related(
            &format!(
                "{CODE}#- /data/common.yaml\n::web::port: 1\nweb::site::docroot: 1\nweb::stage: 1\n"
            ),
            "parameter-without-effect",
            &[
                "/modules/web/manifests/init.pp: $port: `$port` is here",
                "/modules/web/manifests/init.pp: $docroot: `$docroot` is here",
                "/modules/web/manifests/init.pp: web: `web` is here",
            ],
        );
    }
}
