//! `missing-lookup-target`: a lookup of a key that no data file has. Puppet silently returns an empty string.

use crate::engine::module_of_key;
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::diagnostics::entry::alias_not_alone;
use crate::ide::diagnostics::lookup::LookupContext;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::shared::near::near_key;
use crate::ide::diagnostics::shared::targets::Dug;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::syntax::key_path;
use crate::text::{TextEdit, TextRange};

pub(crate) const RULE: Rule = Rule {
    code: "missing-lookup-target",
    name: "Lookup of a missing key",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A `%{lookup('…')}` looks up a key that no data file has.",
    page: include_str!("../../../../docs/rules/missing-lookup-target.md"),
    checks: &[Check::Lookup(check), Check::Lookup(check_members)],
    ..Rule::USUAL
};

/// Checks the root keys of what an entry looks up; `start` is where the entry starts.
pub(crate) fn check(at: &LookupContext<'_>, report: &mut Report) {
    let Some(known) = at.known() else { return };
    let start = at.entry.start;
    for token in &at.summary.looked_up {
        let Ok(path) = key_path::parse(&token.name) else { continue };
        let Some(key) = path.root_name() else { continue };
        // Puppet refuses the text before it looks anything up.
        if is_refused(at, token.range) {
            continue;
        }
        if &**key == LOOKUP_OPTIONS || known.contains(key) {
            continue;
        }
        if known.contains(&token.name) && *token.name != *at.key() {
            let message = format!(
                "no data file has the key `{key}`\nPuppet uses an empty string. For the key with a dot, write `'\"{}\"'` \
                 as the argument.",
                token.name
            );
            let finding = report.add(&RULE, token.range.shifted(start), message);
            finding.related.extend(known.related(&token.name));
            continue;
        }
        let near = known.near(key, at.key()).filter(|_| !at.is_parameter(key));
        // Even if keys may also come from elsewhere, a similar key makes a mistake likely.
        if near.is_none() && known.is_open(module_of_key(key)) || !known.is_missing(key) {
            continue;
        }
        let advice = near.as_ref().map_or(String::new(), |near| format!(" Did you mean `{near}`?"));
        let message =
            format!("no data file has the key `{key}`\nPuppet uses an empty string.{advice}");
        let finding = report.add(&RULE, token.range.shifted(start), message);
        finding.related.extend(near.as_ref().and_then(|near| known.related(near)));
        // A key with a dot or a quote would need quotes of its own within the call.
        if let Some(near) = near.filter(|near| key_path::is_verbatim(near))
            && let Some(range) = token.name_range.filter(|_| token.name.starts_with(&**key))
        {
            let root = TextRange::new(range.start, range.start + key.len() as u32).shifted(start);
            let edit = TextEdit::replace(root, &*near);
            finding.with_fix(Fix::changing(format!("Write `{near}`"), vec![edit]));
        }
    }
}

/// Checks the members that an entry looks up.
pub(crate) fn check_members(at: &LookupContext<'_>, report: &mut Report) {
    let (Some(targets), Some(known)) = (at.targets(), at.known()) else { return };
    // Some value may be in a file that Puppet refuses.
    let may_be_refused = |path: &str| {
        let root = key_path::parse(path).ok().and_then(|path| path.root_name().cloned());
        root.is_none_or(|root| known.may_be_refused(&root))
    };
    let start = at.entry.start;
    for token in at.summary.looked_up.iter().filter(|token| token.name.contains('.')) {
        let Some((key, member)) = token.name.rsplit_once('.') else { continue };
        let Some((found, true)) = targets.dug(&token.name) else { continue };
        let is_missing = !found.is_empty() && found.iter().all(|it| *it == Dug::Missing);
        if !is_missing || known.is_open(module_of_key(key)) || may_be_refused(key) {
            continue;
        }
        let Some((holders, _)) = targets.dug(key) else { continue };
        let hashes = holders.iter().filter_map(|it| it.found()?.value.as_hash());
        let members: Vec<_> =
            hashes.flat_map(|it| it.iter()).filter_map(|(name, _)| name.as_str()).collect();
        let near = near_key(member, members).filter(|near| key_path::is_verbatim(near));
        // Puppet interpolates a whole hash to find a member, so another member of the same entry never ends either.
        let near = near.filter(|_| !is_of(key, at.key()));
        let advice = near.map_or(String::new(), |near| format!(" Did you mean `{key}.{near}`?"));
        let message = format!(
            "no value of `{key}` has a member `{member}`\nPuppet uses an empty string.{advice}"
        );
        let finding = report.add(&RULE, token.range.shifted(start), message);
        if let (Some(near), Some(range)) = (near, token.name_range) {
            let range = TextRange::new(range.end - member.len() as u32, range.end).shifted(start);
            let edit = TextEdit::replace(range, near);
            finding.with_fix(Fix::changing(format!("Write `{key}.{near}`"), vec![edit]));
        }
    }
}

/// Whether the token is an alias in a longer text.
fn is_refused(at: &LookupContext<'_>, token: TextRange) -> bool {
    let code = alias_not_alone::RULE.code;
    at.summary.findings.iter().any(|it| it.code == code && it.range == token)
}

/// Whether a path of sub keys starts at the root key `root`.
fn is_of(path: &str, root: &str) -> bool {
    key_path::parse(path).is_ok_and(|path| path.root_name().is_some_and(|it| **it == *root))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix, check_related, fix_counts};

    #[test]
    fn keys_of_all_levels_are_known() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: nodes, path: "nodes/%{trusted.certname}.yaml"}
  - {name: common, path: common.yaml}
#- /data/nodes/one.yaml
only::here: {x: 1}
#- /data/common.yaml
a: "%{lookup('only::here.x')} %{alias('b')} %{lookup('lookup_options')}"
#                             ^^^^^^^^^^^^^ error[alias-not-alone]
b: "%{hiera('missing')}"
#   ^^^^^^^^^^^^^^^^^^^ warning[missing-lookup-target]: no data file has the key `missing` Puppet uses an empty string.
c: "%{lookup('only::hree.x')}"
#   ^^^^^^^^^^^^^^^^^^^^^^^^^ warning[missing-lookup-target]: no data file has the key `only::hree` Puppet uses an empty string. Did you mean `only::here`?
"#,
        );
    }

    /// The key of the data is misspelt, and another rule says so.
    #[test]
    fn the_name_of_a_parameter_is_right() {
        let class = "#- /modules/p/manifests/init.pp\nclass p($host = 'x') { }\n";
        let data = "p::hosst: y\nz: \"%{lookup('p::host')}\"\n";
        let hiera = "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: c, path: common.yaml}]\n";
        let fixture = format!("#- /data/common.yaml\n{data}{hiera}{class}");
        assert_eq!(fix_counts(&fixture, super::RULE.code), [0]);
        assert_eq!(fix_counts(&fixture.replace("$host", "$other"), super::RULE.code), [1]);
    }

    #[test]
    fn keys_that_an_alias_brings_to_the_root_are_known() {
        check("a: &a {x: 1, p::y: 3}\n<<: *a\nz: \"%{lookup('x')} %{lookup('p::y')}\"\n");
    }

    #[test]
    fn a_refused_alias_looks_nothing_up() {
        check(
            r#"
a: "%{alias('b')} x"
#   ^^^^^^^^^^^^^ error[alias-not-alone]
"#,
        );
    }

    /// A lookup takes what follows a dot for a member, also if a key has the whole name.
    #[test]
    fn keys_with_dots() {
        check(
            r#"
a.b: 1
c: "%{lookup('a.b')} %{lookup('\"a.b\"')}"
#   ^^^^^^^^^^^^^^^^ warning[missing-lookup-target]: no data file has the key `a` Puppet uses an empty string. For the key with a dot, write `'"a.b"'` as the argument.
"#,
        );
    }

    #[test]
    fn members_that_no_value_has() {
        check(
            r#"
a: "%{lookup('b.naem')} %{lookup('b.name')} %{lookup('b.name.x')} %{lookup('c.0')} %{lookup('d.x')} %{lookup('b.zz')}"
#   ^^^^^^^^^^^^^^^^^^^ warning[missing-lookup-target]: no value of `b` has a member `naem` Puppet uses an empty string. Did you mean `b.name`?
#                                           ^^^^^^^^^^^^^^^^^^^^^ error[dig-type-mismatch]
#                                                                                                   ^^^^^^^^^^^^^^^^^ warning[missing-lookup-target]
b: {name: 1.5}
c: [1]
d: "%{alias('b')}"
"#,
        );
        check_fix(
            "a: \"%{alias('b.naem')}\"\nb: {name: x}\n",
            "Write `b.name`",
            "a: \"%{alias('b.name')}\"\nb: {name: x}\n",
        );
    }

    #[test]
    fn where_files_do_not_tell_everything() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: secrets, lookup_key: vault_lookup, uri: "https://vault"}
#                               ^^^^^^^^^^^^ information[unknown-backend]
  - {name: common, path: common.yaml}
#- /data/common.yaml
a: "%{lookup('from_vault')}"
ntp::servers: x
b: "%{lookup('ntp::server')}"
#   ^^^^^^^^^^^^^^^^^^^^^^^^ warning[missing-lookup-target]
"#,
        );
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: secrets, path: "private/%{trusted.certname}.yaml"}
#          ^^^^^^^ hint[level-never-matches]
  - {name: common, path: common.yaml}
#- /data/common.yaml
a: "%{lookup('password')}"
"#,
        );
        check(
            r#"
a: "%{lookup('module::that_is_not_here')}"
"#,
        );
    }

    #[test]
    fn what_a_file_may_have_that_puppet_refuses_is_not_missing() {
        check(
            r#"
a: "%{lookup('pool')} %{lookup('none')}"
#                     ^^^^^^^^^^^^^^^^^ warning[missing-lookup-target]: no data file has the key `none`…
pool
#^^^ error[yaml-syntax]
b: 1
"#,
        );
    }

    #[test]
    fn the_near_key() {
        check_fix(
            "a: \"%{lookup('ntp::servr.0')}\"\nntp::server: [x]\n",
            "Write `ntp::server`",
            "a: \"%{lookup('ntp::server.0')}\"\nntp::server: [x]\n",
        );
    }

    #[test]
    fn names_of_one_letter_are_all_near() {
        check(
            r#"
a::p: "%{lookup('a::n')}"
#      ^^^^^^^^^^^^^^^^^ warning[missing-lookup-target]: no data file has the key `a::n` Puppet uses an empty string.
a::q: "%{lookup('ab::p')}"
#      ^^^^^^^^^^^^^^^^^^ warning[missing-lookup-target]: no data file has the key `ab::p` Puppet uses an empty string. Did you mean `a::p`?
#- /modules/a/manifests/init.pp
class a($p, $q) { }
"#,
        );
    }

    /// Neither the entry itself nor another member of it, which would be looked up without an end.
    #[test]
    fn the_entry_itself_is_not_meant() {
        check(
            r#"
proxy_host: "%{lookup('proxy_hots')}"
#            ^^^^^^^^^^^^^^^^^^^^^^^ warning[missing-lookup-target]: no data file has the key `proxy_hots` Puppet uses an empty string.
server_name: ["%{alias('server_nam')}", "%{hiera('server_naem.x')}"]
#              ^^^^^^^^^^^^^^^^^^^^^^ warning[missing-lookup-target]: no data file has the key `server_nam` Puppet uses an empty string.
#                                        ^^^^^^^^^^^^^^^^^^^^^^^^^ warning[missing-lookup-target]: no data file has the key `server_naem` Puppet uses an empty string.
other.key: "%{lookup('other.key')}"
#           ^^^^^^^^^^^^^^^^^^^^^^ warning[missing-lookup-target]: no data file has the key `other` Puppet uses an empty string.
"#,
        );
        let fixture = "hash:\n  name: x\n  other: \"%{lookup('hash.naem')}\"\n";
        let fixture = crate::ide::fixture::Fixture::parse(fixture);
        let found = crate::ide::diagnostics(&fixture.world(), &fixture.files[0].world_path());
        let is_advised = |it: &crate::ide::Diagnostic| it.message.contains("Did you mean");
        assert!(!found.iter().any(is_advised), "{found:?}");
    }

    #[test]
    fn the_near_key_is_shown() {
        check_related(
            r#"
a: "%{lookup('ntp::servr')}"
ntp::server: x
"#,
            "missing-lookup-target",
            &["/data/common.yaml: ntp::server: `ntp::server` is here"],
        );
    }

    #[test]
    fn the_global_layer_may_know_more() {
        check(
            r#"
#- /.hiera-ls.yaml
globalHieraYaml: global.yaml
#- /global.yaml
version: 5
hierarchy: [{name: secrets, lookup_key: vault_lookup, uri: "https://vault"}]
#                                       ^^^^^^^^^^^^ information[unknown-backend]
#- /data/common.yaml
a: "%{lookup('from_vault')}"
"#,
        );
    }
}
