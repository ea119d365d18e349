//! `unknown-parameter`: a key would set a parameter that its class does not have.
//!
//! Puppet looks up only the parameters of a class. A key that a lookup in code or data names is not a parameter, and is
//! ignored.

use crate::ide::diagnostics::code::ClassifierContext;
use crate::ide::diagnostics::key::KeyContext;
use crate::ide::diagnostics::shared::declared_classes::class_and_parameter;
use crate::ide::diagnostics::shared::ignored_key::IgnoredKey;
use crate::ide::diagnostics::shared::near::near_key;
use crate::ide::diagnostics::shared::refused_values::report_refused_values;
use crate::ide::diagnostics::{Check, Cost, Report, Rule, Severity, Subject};

pub(crate) const RULE: Rule = Rule {
    code: "unknown-parameter",
    name: "Key for a parameter that does not exist",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A key names a parameter that the class does not have.",
    page: include_str!("../../../../docs/rules/unknown-parameter.md"),
    cost: Cost::High,
    explains: Some(Subject::KeyName),
    may_quote: |_| false,
    checks: &[Check::Key(check), Check::Classifier(check_classifier)],
    ..Rule::USUAL
};

/// Checks a root key of the file.
pub(crate) fn check(at: &KeyContext<'_>, report: &mut Report) {
    let KeyContext { classes, data, key, entry, .. } = *at;
    let Some((class_name, parameter)) = class_and_parameter(key) else { return };
    let Some(class) = classes.only(class_name) else { return };
    if class.parameters().any(|it| it == parameter) || classes.is_used_otherwise(key) {
        return;
    }
    // A parameter that already has a key in this file was not meant.
    let is_free = |it: &&str| data.get(&format!("{class_name}::{it}")).is_none();
    let meant = if classes.is_like_a_parameter(key) {
        near_key(parameter, class.parameters().filter(is_free))
    } else {
        None
    };
    let ignored = IgnoredKey {
        rule: &RULE,
        problem: format!("class `{class_name}` has no parameter `{parameter}`"),
        meant: meant.map(|it| format!("{class_name}::{it}")),
        advice: "Puppet ignores this key.",
        related: vec![class.related(meant)],
    };
    ignored.report(classes, data, entry, report);
}

/// Checks the output of a node classifier.
pub(crate) fn check_classifier(at: &ClassifierContext<'_>, report: &mut Report) {
    report_refused_values(at, (&RULE, true), report);
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix, check_related};

    const WEB: &str = "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: x, path: common.yaml}]\n\
                       #- /modules/web/manifests/init.pp\nclass web(Integer $port, $fooBar = 1) { }\n";

    #[test]
    fn parameters_that_a_classifier_sets() {
        check(&format!(
            "{WEB}#- /.hiera-ls/facts/n1.json\n{{\"kernel\": \"Linux\"}}\n\
             #- /.hiera-ls/facts/n1.yaml\nclasses:\n  web:\n    port: '80'\n\
             #   ^^^^ error[value-type-mismatch]: parameter 'port' expects an Integer value, got String Catalogs with class `web` fail for n1.\n\
             \x20   prot: 80\n\
             #   ^^^^ error[unknown-parameter]: has no parameter named 'prot' Catalogs with class `web` fail for n1.\n\
             \x20   tag: x\n    fooBar: ~\n"
        ));
    }

    #[test]
    fn parameters_that_the_class_has_not() {
        check(&format!(
            "{WEB}#- /data/common.yaml\n\
             web::port: 1\n\
             web::fooBar: 1\n\
             web::prot: 1\n\
             #^^^^^^^^ warning[unknown-parameter]: class `web` has no parameter `prot` Puppet ignores this key.\n\
             web::foobaz: 1\n\
             #^^^^^^^^^^ warning[unknown-parameter]: class `web` has no parameter `foobaz` Puppet ignores this key.\n\
             other::prot: 1\n"
        ));
    }

    #[test]
    fn options_look_nothing_up() {
        let finding = "#^^^^^^^^^^^ warning[unknown-parameter]: class `web` has no parameter `modules` Puppet ignores this key.";
        check(&format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: x, paths: [a.yaml, common.yaml]}}]\n\
             #- /modules/web/manifests/init.pp\nclass web($port) {{ }}\n\
             #- /data/a.yaml\nweb::modules: [1]\n{finding}\n\
             #- /data/common.yaml\nlookup_options:\n  web::modules: {{merge: unique}}\nweb::modules: [2]\n{finding}\n"
        ));
    }

    #[test]
    fn what_is_looked_up_is_no_parameter() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, path: common.yaml}]
#- /modules/web/manifests/init.pp
class web($port) { lookup('web::one') lookup("web::${x}_two")
  call("lookup", "web::called") inline_epp('<%= lookup("web::inline") %>') $x = $web::three } # web::three
#- /modules/web/templates/a.epp
<%= lookup('web::template') %>
#- /modules/web/templates/b.erb
<%= scope.call_function('lookup', ['web::ruby']) %>
#- /modules/web/functions/level.pp
function web::level($key, $options, $context) { $context.interpolate("%{hiera('web::level')}") }
#- /data/common.yaml
web::one: 1
web::a_two: "%{lookup('web::in_data')}"
web::in_data: 1
web::template: 1
web::ruby: 1
web::level: 1
web::called: 1
web::inline: 1
web::three: 1
#^^^^^^^^^ warning[unknown-parameter]
"#,
        );
    }

    #[test]
    fn a_lookup_of_anything_leaves_only_what_is_nearly_a_parameter() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, path: common.yaml}]
#- /modules/web/manifests/init.pp
class web($port) { lookup($key) }
#- /data/common.yaml
web::three: 1
#^^^^^^^^^ hint[unknown-parameter]: class `web` has no parameter `three` Puppet ignores this key, unless code looks it up by a name that is put together.
web::porrt: 1
#^^^^^^^^^ warning[unknown-parameter]: class `web` has no parameter `porrt` Puppet ignores this key. Did you mean `web::port`?
",
        );
    }

    #[test]
    fn nothing_is_said_of_classes_that_are_broken_or_declared_twice() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, path: common.yaml}]
#- /manifests/site.pp
class twice($a) { }
#- /modules/twice/manifests/init.pp
class twice($b) { }
#     ^^^^^ warning[duplicate-class]
#- /modules/broken/manifests/init.pp
class broken($a) { file { ]
#                         ^ warning[broken-code]
#- /data/common.yaml
twice::c: 1
broken::c: 1
",
        );
    }

    #[test]
    fn the_parameter_that_was_meant() {
        let fixture = format!("a: 1\n'web::porrt': 1 # ours\n{WEB}");
        check_fix(&fixture, "Write `web::port`", "a: 1\n'web::port': 1 # ours\n");
        check_fix(&fixture, "Remove the entry (also removes a comment)", "a: 1\n");
        check_related(
            &format!("{WEB}#- /data/common.yaml\nweb::porrt: 1\n"),
            "unknown-parameter",
            &["/modules/web/manifests/init.pp: $port: `$port` is here"],
        );
    }
}
