//! `unknown-class`: a key would set a parameter of a class that its module does not have.
//!
//! Only modules in the workspace are checked. A key that a lookup in code or data names is not a parameter, and is ignored.

use crate::ide::diagnostics::key::KeyContext;
use crate::ide::diagnostics::shared::declared_classes::class_and_parameter;
use crate::ide::diagnostics::shared::ignored_key::IgnoredKey;
use crate::ide::diagnostics::shared::near::near_key;
use crate::ide::diagnostics::{Check, Cost, Report, Rule, Severity, Subject};

pub(crate) const RULE: Rule = Rule {
    code: "unknown-class",
    name: "Key for a class that does not exist",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A key names a class that its module does not have.",
    page: include_str!("../../../../docs/rules/unknown-class.md"),
    cost: Cost::High,
    explains: Some(Subject::KeyName),
    may_quote: |_| false,
    checks: &[Check::Key(check)],
    ..Rule::USUAL
};

/// Checks a root key of the file.
pub(crate) fn check(at: &KeyContext<'_>, report: &mut Report) {
    let KeyContext { classes, data, key, entry, .. } = *at;
    let Some((class, parameter)) = class_and_parameter(key) else { return };
    if !classes.is_missing(class) || classes.is_used_otherwise(key) {
        return;
    }
    // `web.port` for `web::port`: `malformed-key` says so.
    if key.contains('.') && classes.is_parameter(&key.replace('.', "::")) {
        return;
    }
    let known = classes.of_the_module_of(class);
    // A class whose parameter already has a key in this file was not meant.
    let is_free = |it: &&str| data.get(&format!("{it}::{parameter}")).is_none();
    let has_it = |it: &&str| classes.is_parameter(&format!("{it}::{parameter}"));
    let meant = near_key(class, known.iter().map(|it| &**it).filter(has_it).filter(is_free));
    let ignored = IgnoredKey {
        rule: &RULE,
        problem: format!("there is no class `{class}`"),
        meant: meant.map(|it| format!("{it}::{parameter}")),
        advice: "Puppet ignores this key, and no code looks it up by its name.",
        related: meant.and_then(|it| classes.only(it)).iter().map(|it| it.related(None)).collect(),
    };
    ignored.report(classes, data, entry, report);
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    /// Any file may be data that names the keys.
    #[test]
    fn nothing_is_said_while_the_hierarchy_is_broken() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: r, pth: 'roles/%{facts.role}.yaml'}
#             ^^^ error[hiera-yaml-schema]
  - {name: c, path: common.yaml}
#- /modules/web/manifests/init.pp
class web($port) { }
#- /data/common.yaml
web::old::port: 1
web::prot: 1
#- /data/roles/web.yaml
a: '%{lookup("web::old::port")} %{lookup("web::prot")}'
"#,
        );
    }

    #[test]
    fn classes_that_the_module_has_not() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, path: common.yaml}]
#- /modules/web/manifests/server.pp
class web::server($port, $ports) { lookup('web::x::looked_up') lookup('web::site::looked_up') }
define web::site($name2) { }
#- /modules/empty/README.md
no code
#- /modules/broken/manifests/init.pp
class broken { ]
#              ^ warning[broken-code]
#- /modules/web/lib/puppet/functions/web/find.rb
call_function('lookup', "web::ruby::#{name}")
#- /data/common.yaml
web::server::port: 1
web::sever::ports: 1
#^^^^^^^^^^^^^^^^ warning[unknown-class]: there is no class `web::sever` Puppet ignores this key. Did you mean `web::server::ports`?
web::port: 1
#^^^^^^^^ warning[unknown-class]: there is no class `web` Puppet ignores this key, and no code looks it up by its name.
web::site::looked_up: 1
web::x::looked_up: 1
web::ruby::x: 1
empty::x: 1
broken::y::x: 1
elsewhere::x: 1
Web::Sever::port: 1
#^^^^^^^^^^^^^^^ warning[malformed-key]
"#,
        );
    }

    #[test]
    fn a_class_without_the_parameter_was_not_meant() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, path: common.yaml}]
#- /modules/p/manifests/web.pp
class p::web($port) { }
#- /modules/p/manifests/db.pp
class p::db($name2) { }
#- /data/common.yaml
p::wb::name2: 1
#^^^^^^^^^^^ warning[unknown-class]: there is no class `p::wb` Puppet ignores this key. Did you mean `p::db::name2`?
p::bd::port: 1
#^^^^^^^^^^ warning[unknown-class]: there is no class `p::bd` Puppet ignores this key, and no code looks it up by its name.
",
        );
    }

    #[test]
    fn the_class_that_was_meant() {
        check_fix(
            "web::sever::port: 1\n#- /modules/web/manifests/server.pp\nclass web::server($port) { }\n\
             #- /hiera.yaml\nversion: 5\nhierarchy: [{name: x, path: common.yaml}]\n",
            "Write `web::server::port`",
            "web::server::port: 1\n",
        );
    }
}
