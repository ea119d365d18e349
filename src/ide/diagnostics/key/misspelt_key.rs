//! `misspelt-key`: a key that occurs once and is one letter away from a key of the same namespace in other files, or from a
//! key without a module that code looks up.

use std::sync::Arc;

use crate::data::{DataFile, Member, RootEntry, Value};
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::diagnostics::key::KeyContext;
use crate::ide::diagnostics::shared::declared_classes::DeclaredClasses;
use crate::ide::diagnostics::shared::fix::{Fix, in_style_of};
use crate::ide::diagnostics::shared::near::{distance, is_misspelling};
use crate::ide::diagnostics::{Check, Related, Report, Rule, Safety, Severity, Subject};
use crate::text::TextEdit;

pub(crate) const RULE: Rule = Rule {
    code: "misspelt-key",
    name: "Key that looks misspelt",
    severity: Severity::Information,
    since: "0.1.0",
    summary: "A key is found only here, and is one letter away from a key that other files have.",
    page: include_str!("../../../../docs/rules/misspelt-key.md"),
    explains: Some(Subject::KeyName),
    may_quote: |_| false,
    checks: &[Check::Key(check)],
    ..Rule::USUAL
};

/// Where there are more keys, classes are not compared: typing must stay fast.
const MAX_COMPARED: usize = 2_000;

/// The maximum number of wrong letters in a reserved key.
const MAX_WRONG: usize = 2;

/// The maximum number of keys of a class that was misspelt once.
const MAX_LONELY: usize = 2;

/// Shorter names often differ by one letter on purpose.
const MIN_LENGTH: usize = 6;

/// A namespace with more keys is not compared: typing must stay fast.
const MAX_SIBLINGS: usize = 1_000;

/// Checks a root key of the file.
pub(crate) fn check(at: &KeyContext<'_>, report: &mut Report) {
    // A key that several files have is hardly a slip.
    if at.key == LOOKUP_OPTIONS || at.known.count(at.key, 2) != 1 {
        return;
    }
    let is_explained =
        check_reserved(at, report) || check_looked_up(at, report) || check_siblings(at, report);
    if !is_explained {
        check_namespace(at, report);
    }
}

/// `lookup_option` and the like, with options in it. Returns whether it reports something.
fn check_reserved(at: &KeyContext<'_>, report: &mut Report) -> bool {
    let KeyContext { data, key, entry, .. } = *at;
    let is_option = |(_, member): (&Value, &Member)| {
        let options = member.value.value.as_hash();
        options.is_some_and(|it| it.get("merge").is_some() || it.get("convert_to").is_some())
    };
    let holds_options = || entry.value.value.as_hash().is_some_and(|it| it.iter().any(is_option));
    if distance(&key.replace('-', "_"), LOOKUP_OPTIONS, MAX_WRONG).is_none() || !holds_options() {
        return false;
    }
    let message = format!(
        "Puppet does not read options from the key `{key}`\nDid you mean `{LOOKUP_OPTIONS}`?"
    );
    let finding = report.add_as(&RULE, Severity::Warning, entry.key_place.range, message);
    let fix = renamed(data, entry, LOOKUP_OPTIONS);
    finding.fixes.extend(fix.filter(|_| data.get(LOOKUP_OPTIONS).is_none()));
    true
}

/// Compares the key with those without a module that code looks up by their names. Returns whether it reports something.
fn check_looked_up(at: &KeyContext<'_>, report: &mut Report) -> bool {
    let KeyContext { known, classes, data, key, entry, .. } = *at;
    let code = classes.code();
    if key.contains("::") || key.len() < MIN_LENGTH || code.is_named(key) {
        return false;
    }
    let is_meant = |other: &str| is_nearly(key, other) && data.get(other).is_none();
    let Some(meant) = code.keys_without_module().iter().find(|it| is_meant(it)) else {
        return false;
    };
    // These questions search data and code, so they come after the comparison of names.
    if code.is_looked_up(key) || classes.is_named_by_data(key) || classes.is_in_unread_code(key) {
        return false;
    }
    let Some((path, range)) = code.lookups(meant).next() else { return false };
    // A lookup that finds nothing makes a mistake more likely.
    let finds_nothing = !known.contains(meant);
    let is_certain = finds_nothing && code.lookup_of_anything().is_none();
    let severity = if is_certain { Severity::Warning } else { RULE.severity };
    let path_shown = classes.shown(path);
    // The mistake may be in the code, so the user decides which name is right.
    let advice = if finds_nothing {
        format!("{path_shown} looks up `{meant}`, which no file has. Which name is misspelt?")
    } else {
        format!("Did you mean `{meant}`, which {path_shown} looks up?")
    };
    let message = format!("no code looks up `{key}`\n{advice}");
    let finding = report.add_as(&RULE, severity, entry.key_place.range, message);
    let message = format!("`{meant}` is looked up here");
    finding.related.push(Related { path: Some(path.clone()), range, message });
    finding.fixes.extend(renamed(data, entry, meant));
    if finds_nothing {
        finding.fixes.iter_mut().for_each(|fix| fix.safety = Safety::ByHand);
    }
    true
}

/// Compares the key with keys of its namespace that are in several other files, or in one other file if data or code names
/// only that key. Returns whether it reports something.
fn check_siblings(at: &KeyContext<'_>, report: &mut Report) -> bool {
    let KeyContext { known, classes, data, key, entry, .. } = *at;
    let (namespace, name) =
        key.rsplit_once("::").map_or(("", key), |(space, name)| (&key[..space.len() + 2], name));
    if name.len() < MIN_LENGTH {
        return false;
    }
    let siblings = known.shared_keys_in(namespace);
    if siblings.count > MAX_SIBLINGS {
        return false;
    }
    let is_meant = |other: &str| {
        other.strip_prefix(namespace).is_some_and(|it| is_nearly(name, it))
            && data.get(other).is_none()
    };
    let is_named = |key: &str| {
        let is_bare = !key.contains("::");
        is_on_purpose(classes, key) || is_bare && classes.is_in_unread_code(key)
    };
    let shared = siblings.shared.iter().find(|other| is_meant(other)).cloned();
    let lone = || {
        let others = known.keys_in(namespace);
        others.iter().find(|it| is_meant(it) && is_named(it)).cloned()
    };
    // A key that is looked up by its name exists on purpose.
    let Some(meant) = shared.or_else(lone).filter(|_| !is_named(key)) else { return false };
    let message =
        format!("only this file has the key `{key}`\nDid you mean `{meant}`, as in other files?");
    let finding = report.add(&RULE, entry.key_place.range, message);
    finding.related.extend(known.related(&meant));
    finding.fixes.extend(renamed(data, entry, &meant));
    true
}

/// Compares the class in a key with those of the keys that set the same parameter.
fn check_namespace(at: &KeyContext<'_>, report: &mut Report) {
    let KeyContext { known, classes, data, key, entry, .. } = *at;
    let Some((class_name, parameter)) = key.rsplit_once("::") else { return };
    let count = |class: &str| known.keys_in(&format!("{class}::")).len();
    let is_lonely = count(class_name) <= MAX_LONELY;
    let is_nearly_class = |other: &str| {
        let names = class_name.split("::").zip(other.split("::"));
        let mut differing = names.filter(|(own, other)| own != other);
        let (Some((own, other)), None) = (differing.next(), differing.next()) else { return false };
        own.len() >= MIN_LENGTH - 1 && is_nearly(own, other)
    };
    let is_meant = |other: &&Arc<str>| {
        other.rsplit_once("::").is_some_and(|(class, name)| {
            name == parameter
                && class.len().abs_diff(class_name.len()) <= 1
                && is_nearly_class(class)
                && count(class) > count(class_name)
        })
    };
    if class_name.len() < MIN_LENGTH - 1 || !is_lonely || known.keys().len() > MAX_COMPARED {
        return;
    }
    let Some(meant) = known.keys().iter().find(is_meant) else { return };
    let is_own = classes.is_declared(class_name) || is_on_purpose(classes, key);
    if is_own || data.get(meant).is_some() {
        return;
    }
    let message = format!(
        "hardly any other key starts with `{class_name}::`\nDid you mean `{meant}`, as in other files?"
    );
    let finding = report.add(&RULE, entry.key_place.range, message);
    finding.related.extend(known.related(meant));
    finding.fixes.extend(renamed(data, entry, meant));
}

/// Whether code or data name the key: both hardly have the same slip.
fn is_on_purpose(classes: &DeclaredClasses<'_>, key: &str) -> bool {
    classes.is_used_otherwise(key) || classes.is_named_by_data(key)
}

fn renamed(data: &DataFile, entry: &RootEntry, name: &str) -> Option<Fix> {
    let range = entry.key_place.range;
    let tree = data.entry_at(range.start)?;
    let written = in_style_of(tree.key, tree.text, data.format(), name)?;
    Some(Fix::changing(format!("Write `{name}`"), vec![TextEdit::replace(range, written)]))
}

/// One letter apart, in the same namespace.
fn is_nearly(name: &str, other: &str) -> bool {
    !other.contains("::") && is_misspelling(name, other)
}

#[cfg(test)]
mod tests {
    use super::MAX_SIBLINGS;
    use crate::ide::diagnostics::testing::{check, check_fix, check_related};

    #[test]
    fn found_once_and_nearly_elsewhere() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: n, path: "nodes/%{trusted.certname}.yaml"}
#- /data/nodes/one.yaml
ntp::serveers: 1
#^^^^^^^^^^^^ information[misspelt-key]: only this file has the key `ntp::serveers` Did you mean `ntp::servers`, as in other files?
ssh::servers: 1
ntp::server: 1
ntp::servers2: 1
ntp::x: 1
ntp::listen_a: 1
ntp::https_port: 1
ntp::primary_vip: 1
ntp::app_prod_url: 1
#- /data/nodes/two.yaml
ntp::servers: 2
ntp::y: 2
ntp::listen_b: 1
ntp::http_port: 2
ntp::primary_ip: 2
ntp::app_prod_uri: 2
#- /data/nodes/three.yaml
ntp::servers: 3
ntp::y: 3
ntp::http_port: 3
ntp::primary_ip: 3
ntp::app_prod_uri: 3
ntp::sarvers: 3
"#,
        );
    }

    const HIERARCHY: &str = "#- /hiera.yaml\nversion: 5\nhierarchy:\n\
                             - {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n- {name: c, path: common.yaml}\n";

    #[test]
    fn keys_that_code_looks_up() {
        check(&format!(
            "{HIERARCHY}#- /manifests/site.pp\n\
             lookup('ntp_servers', undef, undef, []) lookup('dns_servers', undef, undef, []) lookup(\"dns_${{x}}\")\n\
             #- /data/common.yaml\nother: 1\n\
             #- /data/nodes/one.yaml\n\
             ntp_serveers: 1\n\
             #^^^^^^^^^^^ warning[misspelt-key]: no code looks up `ntp_serveers` manifests/site.pp \
             looks up `ntp_servers`, which no file has. Which name is misspelt?\n\
             dns_serveers: 1\n\
             ntp_server: 1\n\
             used_servers: \"%{{lookup('mtp_servers')}}\"\n\
             mtp_servers: 1\n"
        ));
        check(&format!(
            "{HIERARCHY}#- /manifests/site.pp\n\
             lookup('ntp_servers')\n\
             #- /modules/m/lib/facter/x.rb\nlookup('ntp_servors')\n\
             #- /data/common.yaml\nntp_servers: 2\n\
             #- /data/nodes/one.yaml\n\
             ntp_serveers: 1\n\
             #^^^^^^^^^^^ information[misspelt-key]: no code looks up `ntp_serveers`…\n\
             ntp_servors: 1\n"
        ));
        check_fix(
            &format!(
                "#- /data/nodes/one.yaml\n'ntp_serveers': 1 # ours\n{HIERARCHY}\
                 #- /data/common.yaml\nother: 1\n#- /manifests/site.pp\nhiera('ntp_servers', 1)\n"
            ),
            "Write `ntp_servers`",
            "'ntp_servers': 1 # ours\n",
        );
        check_related(
            &format!(
                "{HIERARCHY}#- /manifests/site.pp\nhiera('ntp_servers', 1)\n#- /data/common.yaml\nntp_serveers: 1\n"
            ),
            "misspelt-key",
            &["/manifests/site.pp: 'ntp_servers': `ntp_servers` is looked up here"],
        );
    }

    #[test]
    fn options_under_another_name() {
        check(
            r"
lookup_option: {a: {merge: deep}}
#^^^^^^^^^^^^ warning[misspelt-key]: Puppet does not read options from the key `lookup_option` Did you mean `lookup_options`?
lookup-options: {b: {convert_to: Integer}}
#^^^^^^^^^^^^^ warning[misspelt-key]
lookup_optionz: {a: b}
a: {}
b: 1
",
        );
        check_fix(
            "lookup_optins: {a: {merge: deep}}\na: {}\n",
            "Write `lookup_options`",
            "lookup_options: {a: {merge: deep}}\na: {}\n",
        );
    }

    #[test]
    fn a_key_of_one_other_file_that_options_name() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]
#- /data/a.yaml
web::pacakges: [a]
#^^^^^^^^^^^^ information[misspelt-key]: only this file has the key `web::pacakges`…
web::verison: 1
#- /data/b.yaml
lookup_options: {web::packages: {merge: unique}}
web::packages: [b]
web::version: 1
",
        );
    }

    #[test]
    fn a_class_that_nobody_else_has() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]
#- /data/a.yaml
profile::mailsevrer::port: 25
#^^^^^^^^^^^^^^^^^^^^^^^^ information[misspelt-key]: hardly any other key starts with `profile::mailsevrer::`…
profile::mailservers::port: 25
profile::webserver::port: 25
profile::mailserver2::port: 25
#- /data/b.yaml
profile::mailserver::port: 26
profile::mailserver::name: a
",
        );
    }

    #[test]
    fn the_other_name() {
        check_fix(
            "#- /data/nodes/one.yaml\na: 1\n'ntp::serveers': 1 # ours\n#- /data/nodes/two.yaml\nntp::servers: 2\n\
             #- /data/nodes/three.yaml\nntp::servers: 3\n#- /hiera.yaml\nversion: 5\nhierarchy:\n  \
             - {name: n, path: \"nodes/%{trusted.certname}.yaml\"}\n",
            "Write `ntp::servers`",
            "a: 1\n'ntp::servers': 1 # ours\n",
        );
    }

    #[test]
    fn the_other_key_is_shown() {
        check_related(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: n, path: "nodes/%{trusted.certname}.yaml"}
#- /data/nodes/one.yaml
ntp::serveers: 1
#- /data/nodes/three.yaml
ntp::servers: 3
#- /data/nodes/two.yaml
ntp::servers: 2
"#,
            "misspelt-key",
            &["/data/nodes/three.yaml: ntp::servers: `ntp::servers` is here"],
        );
    }

    #[test]
    fn short_names_and_keys_of_several_files_are_names_of_their_own() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: n, path: "nodes/%{trusted.certname}.yaml"}
#- /data/nodes/one.yaml
ntp::confyg: 1
#^^^^^^^^^^ information[misspelt-key]
ntp::parts: 1
ntp::listen_a: 1
#- /data/nodes/two.yaml
ntp::config: 1
ntp::ports: 2
ntp::listen_a: 1
ntp::listen_b: 2
#- /data/nodes/three.yaml
ntp::config: 1
ntp::ports: 3
ntp::listen_b: 1
"#,
        );
    }

    #[test]
    fn a_namespace_with_very_many_keys_is_not_compared() {
        // Besides those, there are the two names that are similar.
        let fixture = |count: usize, mark: &str| {
            let many = (2..count).map(|number| format!("ntp::key{number}: 1\n"));
            let many: String = many.collect();
            check(&format!(
                "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: n, glob: '*.yaml'}}]\n\
                 #- /data/a.yaml\nntp::serveers: 3\n{mark}{many}\
                 #- /data/b.yaml\nntp::servers: 1\n#- /data/c.yaml\nntp::servers: 2\n"
            ));
        };
        fixture(MAX_SIBLINGS, "#^^^^^^^^^^^^ information[misspelt-key]\n");
        fixture(MAX_SIBLINGS + 1, "");
    }
}
