//! `value-type-mismatch`: the value of a class parameter does not fit its type.
//!
//! The rule checks the final value: merged, interpolated, converted. The finding is at the part that does not fit, in the
//! file that contains it.

use crate::ide::diagnostics::code::ClassifierContext;
use crate::ide::diagnostics::key::KeyContext;
use crate::ide::diagnostics::shared::refused_values::report_refused_values;
use crate::ide::diagnostics::shared::type_fixes::fixes_of_parts;
use crate::ide::diagnostics::{Check, Cost, Report, Rule, Severity, Subject};

pub(crate) const RULE: Rule = Rule {
    code: "value-type-mismatch",
    name: "Value that does not fit the parameter's type",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A class parameter gets a value from here that does not fit its type.",
    page: include_str!("../../../../docs/rules/value-type-mismatch.md"),
    cost: Cost::High,
    explains: Some(Subject::ParameterType),
    checks: &[Check::Key(check), Check::Classifier(check_classifier)],
    ..Rule::USUAL
};

/// Reports all parts of a value that do not fit.
pub(crate) fn check(at: &KeyContext<'_>, report: &mut Report) {
    let Some(refused) = at.refused() else { return };
    let fits_as_written = refused.fits_as_written();
    for (part, fixes) in fixes_of_parts(refused) {
        let merge = part.merge.as_ref().filter(|_| fits_as_written);
        let advice = merge.map_or_else(String::new, |(options, merge)| {
            let entry = &options.entry;
            format!(
                "\nThe value fits as it is written, but the lookup options of `{entry}` request the merge `{merge}`."
            )
        });
        let finding = refused.report(&RULE, part, part.range, &advice, report);
        finding.related.extend(merge.and_then(|(options, _)| options.place.clone()));
        finding.fixes.extend(fixes);
    }
}

/// Checks the output of a node classifier.
pub(crate) fn check_classifier(at: &ClassifierContext<'_>, report: &mut Report) {
    report_refused_values(at, (&RULE, false), report);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::RULE;
    use crate::ide::diagnostics::testing::{check, check_fix, check_related, fix_titles};
    use crate::ide::diagnostics::{Safety, diagnostics};
    use crate::ide::fixture::Fixture;
    use crate::settings::Settings;
    use crate::world::{Change, Host, MemoryDisk};

    const WEB: &str = "#- /hiera.yaml\nversion: 5\nhierarchy:\n- {name: r, path: '%{role}.yaml'}\n\
                       - {name: c, path: common.yaml}\n\
                       #- /modules/web/types/port.pp\ntype Web::Port = Integer[1, 65535]\n\
                       #- /modules/web/manifests/init.pp\nclass web(\n  Web::Port $port = 80, Array[String] $mods = [],\n  \
                       Hash[String, Struct[{a => Integer, Optional[b] => String}]] $sites = {}, Boolean $tls = true,\n  \
                       Optional[Enum['a', 'b']] $mode = undef, Float $f = 1.0, Sensitive[String] $s = Sensitive('x'),\n  \
                       No::Such $other = 1, $any = 1, String $text = '',\n) { }\n";

    #[test]
    fn values_that_do_not_fit_are_marked_where_they_stand() {
        check(&format!(
            "{WEB}#- /data/common.yaml\n\
             web::port: '8080'\n\
             #          ^^^^^^ warning[value-type-mismatch]: parameter 'port' expects a Web::Port = Integer[1, 65535] value, got String Catalogs with class `web` fail for any node.\n\
             web::mods: [a, 1, b]\n\
             #              ^ warning[value-type-mismatch]: parameter 'mods' index 1 expects a String value, got Integer Catalogs with class `web` fail for any node.\n\
             web::sites: {{x: {{a: 1}}, y: {{a: z, c: 1}}}}\n\
             #                              ^ warning[value-type-mismatch]: parameter 'sites' entry 'y' entry 'a' expects an Integer value, got String…\n\
             #                                 ^ warning[value-type-mismatch]: parameter 'sites' entry 'y' unrecognized key 'c'…\n\
             web::mode: \"c\\nd\"\n\
             #          ^^^^^^ warning[value-type-mismatch]: parameter 'mode' expects an undef value or a match for Enum['a', 'b'], got 'c\\nd' Catalogs with class `web` fail for any node.\n\
             web::other: x\n\
             web::any: x\n\
             web::tls: ~\n\
             web::f: 1.5\n"
        ));
    }

    #[test]
    fn the_case_is_named_and_the_file_that_brings_the_value() {
        check(&format!(
            "{WEB}#- /data/db.yaml\nweb::port: 8080\nweb::mods: a\n\
             #          ^ warning[value-type-mismatch]: parameter 'mods' expects an Array value, got String Catalogs with class `web` fail for any node where role is db.\n\
             #- /data/common.yaml\n\
             web::port: 0\n\
             #          ^ warning[value-type-mismatch]: parameter 'port' expects a Web::Port = Integer[1, 65535] value, got Integer[0, 0] Catalogs with class `web` fail for any node, unless another level decides.\n"
        ));
    }

    #[test]
    fn all_cases_with_the_part_count() {
        let check_with = |files: &str, nodes: &str| {
            check(&format!(
                "{WEB}{files}#- /data/common.yaml\n\
                 lookup_options: {{web::sites: {{merge: hash}}, web::mods: {{merge: unique}}}}\n\
                 web::sites: {{x: {{a: z}}}}\n\
                 #                   ^ warning[value-type-mismatch]: parameter 'sites' entry 'x' entry 'a' expects an Integer value, got String Catalogs with class `web` fail for any node{nodes}.\n\
                 web::mods: [1]\n\
                 #           ^ warning[value-type-mismatch]: parameter 'mods' index 1 expects a String value, got Integer Catalogs with class `web` fail for any node{nodes}.\n"
            ));
        };
        let file = |name: &str| {
            format!("#- /data/{name}.yaml\nweb::sites: {{{name}: {{a: 1}}}}\nweb::mods: [{name}]\n")
        };
        check_with(&file("db"), "");
        check_with(&format!("{}{}", file("db"), file("mail")), "");
        let hides = "#- /data/mail.yaml\nlookup_options: {web::sites: {merge: first}, web::mods: {merge: first}}\n\
                     web::sites: {}\nweb::mods: []\n";
        check_with(&format!("{}{hides}", file("db")), ", unless another level decides");
    }

    /// The value is too long in both cases, but is not the same.
    #[test]
    fn a_case_within_another_is_not_named() {
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
             - {name: r, path: 'role/%{role}.yaml'}\n- {name: o, path: 'os/%{os}.yaml'}\n- {name: c, path: common.yaml}\n\
             #- /modules/w/manifests/init.pp\nclass w(Array[String, 1, 2] $l) { }\n\
             #- /data/os/RedHat.yaml\nlookup_options: {w::l: {merge: unique}}\n\
             #- /data/role/web.yaml\nw::l: [c, d]\n\
             #^^^ warning[value-type-mismatch]: parameter 'l' expects size to be between 1 and 2, got 5 Catalogs with class `w` fail for any node where role is web, if os is RedHat.…\n\
             #- /data/nodes/n1.yaml\nw::l: [a, b]\n\
             #^^^ warning[value-type-mismatch]: parameter 'l' expects size to be between 1 and 2, got 5 Catalogs with class `w` fail for n1, if os is RedHat.…\n\
             #- /data/common.yaml\nw::l: [e]\n\
             #^^^ warning[value-type-mismatch]: parameter 'l' expects size to be between 1 and 2, got 5 Catalogs with class `w` fail for any node, if os is RedHat and trusted.certname is n1, or os is RedHat and role is web.…\n",
        );
    }

    #[test]
    fn merged_and_interpolated_values_count_as_they_are_in_the_end() {
        check(&format!(
            "{WEB}#- /data/db.yaml\nweb::mods: [x]\nweb::port: \"%{{lookup('number')}}\"\n\
             #          ^^^^^^^^^^^^^^^^^^^^^ warning[value-type-mismatch]: parameter 'port' expects a Web::Port = Integer[1, 65535] value, got String…\n\
             #- /data/common.yaml\nlookup_options: {{web::mods: {{merge: unique}}, web::tls: {{merge: unique}}}}\n\
             number: 1\nweb::mods: [2]\n\
             #           ^ warning[value-type-mismatch]: parameter 'mods' index 1 expects a String value, got Integer…\n\
             web::tls: true\n\
             #         ^^^^ warning[value-type-mismatch]: parameter 'tls' expects a Boolean value, got Tuple…\n\
             web::text: 'a %{{x}}'\nweb::mode: '%{{x}}'\nweb::port: \"%{{alias('number')}}\"\n"
        ));
    }

    /// A part that an alias brings from another file is marked at the alias.
    #[test]
    fn aliases_of_what_another_file_has() {
        let options = "lookup_options: {web::sites: {merge: hash}, web::mods: {merge: unique}, \
                       web::s: {convert_to: Sensitive}}\n";
        check(&format!(
            "{WEB}#- /data/db.yaml\nweb::port: \"%{{alias('port')}}\"\n\
             #          ^^^^^^^^^^^^^^^^^^ warning[value-type-mismatch]: parameter 'port' expects a Web::Port = Integer[1, 65535] value, got String Catalogs with class `web` fail for any node where role is db.\n\
             web::sites: {{x: \"%{{alias('site')}}\", y: \"%{{alias('site')}}\"}}\n\
             #               ^^^^^^^^^^^^^^^^^^ warning[value-type-mismatch]: parameter 'sites' entry 'x' entry 'a' expects an Integer value, got String…\n\
             #                                      ^^^^^^^^^^^^^^^^^^ warning[value-type-mismatch]: parameter 'sites' entry 'y' entry 'a' expects an Integer value, got String…\n\
             web::s: \"%{{alias('number')}}\"\n\
             #       ^^^^^^^^^^^^^^^^^^^^ warning[value-type-mismatch]: parameter 's' expects a Sensitive[String] value, got Sensitive[Integer]…\n\
             web::mods: [a, \"%{{alias('mods')}}\"]\n\
             #              ^^^^^^^^^^^^^^^^^^ warning[value-type-mismatch]: parameter 'mods' index 2 expects a String value, got Integer…\n\
             #- /data/common.yaml\n{options}port: '80'\nsite: {{a: z}}\nnumber: 1\nmods: [b, 2]\n"
        ));
        // A file that has the parameter, too, reports what is written there.
        check(&format!(
            "{WEB}#- /data/db.yaml\nweb::mods: \"%{{alias('mods')}}\"\n#- /data/common.yaml\n\
             lookup_options: {{web::mods: {{merge: unique}}}}\nmods: [b, 2]\n\
             #         ^ warning[value-type-mismatch]\nweb::mods: [c]\n"
        ));
    }

    /// A default does not help here, because the lookup returns a value.
    #[test]
    fn null_in_sensitive() {
        check(&format!(
            "{WEB}#- /data/common.yaml\nlookup_options: {{web::s: {{convert_to: Sensitive}}}}\nweb::s: ~\n\
             #       ^ warning[value-type-mismatch]: parameter 's' expects a Sensitive[String] value, got Sensitive[Undef]…\n"
        ));
    }

    #[test]
    fn a_value_that_is_left_out_is_marked_at_its_key() {
        check(
            "#- /modules/m/manifests/init.pp\nclass m(Integer $port, Hash[String, Integer] $h, Array[Integer] $l) { }\n\
             #- /data/common.yaml\nm::port:\n\
             #^^^^^^ warning[value-type-mismatch]: parameter 'port' expects an Integer value, got Undef…\n\
             m::h:\n  a:\n\
             # ^ warning[value-type-mismatch]: parameter 'h' entry 'a' expects an Integer value, got Undef…\n  b: 1\n\
             m::l:\n\
             #^^^ warning[value-type-mismatch]: parameter 'l' index 0 expects an Integer value, got Undef…\n  -\n",
        );
    }

    #[test]
    fn nodes_that_certainly_have_the_class_make_it_an_error() {
        let nodes = "#- /.hiera-ls.yaml\nnodes:\n  web01: {facts: {role: web}}\n  web02: {facts: {role: web}}\n  \
                     web03: {facts: {role: web}}\n  db01: {facts: {role: db}}\n";
        let code = "#- /manifests/site.pp\nnode web01, web02 { include web }\nnode web03 { class { 'web': port => 1 } }\n\
                    node default { if $x { include web } }\n";
        check(&format!(
            "{WEB}{nodes}{code}#- /data/common.yaml\n\
             web::port: '8080'\n\
             #          ^^^^^^ error[value-type-mismatch]: parameter 'port' expects a Web::Port = Integer[1, 65535] value, got String Catalogs with class `web` fail for 2 of 4 nodes: web01, web02.\n\
             web::text: 1\n\
             #          ^ error[value-type-mismatch]: parameter 'text' expects a String value, got Integer Catalogs with class `web` fail for 3 of 4 nodes: web01, web02, web03.\n\
             #- /data/db.yaml\nweb::mode: c\n\
             #          ^ warning[value-type-mismatch]: parameter 'mode' expects an undef value or a match for Enum['a', 'b'], got 'c' Catalogs with class `web` fail for any node where role is db.\n"
        ));
    }

    #[test]
    fn the_words_are_about_a_value_that_the_named_node_gets() {
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: r, path: '%{role}.yaml'}, {name: c, path: common.yaml}]\n\
             #- /.hiera-ls/facts/web01.json\n{\"role\": \"web\"}\n#- /manifests/site.pp\ninclude m\n\
             #- /modules/m/manifests/init.pp\nclass m(Enum['special'] $x) { }\n#- /data/common.yaml\nm::x: \"%{role}\"\n\
             #     ^^^^^^^^^ error[value-type-mismatch]: parameter 'x' expects a match for Enum['special'], got 'web' Catalogs with class `m` fail for web01.\n",
        );
    }

    /// Facts that a fact set lacks are not set, and keys that nothing has are empty texts.
    #[test]
    fn texts_that_are_empty_for_nodes_with_fact_sets() {
        let text = |nodes: &str| {
            format!(
                "expects a String[1] value, got String Catalogs with class `m` fail for {nodes}."
            )
        };
        let (both, one) = (text("2 of 2 nodes: db01, web01"), text("1 of 2 nodes: db01"));
        check(&format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: r, path: '%{{role}}.yaml'}}, {{name: c, path: common.yaml}}]\n\
             #- /.hiera-ls/facts/web01.json\n{{\"role\": \"web\"}}\n#- /.hiera-ls/facts/db01.json\n{{\"role\": \"db\"}}\n\
             #- /manifests/site.pp\ninclude m\n#- /data/web.yaml\npool: x\n\
             #- /modules/m/manifests/init.pp\nclass m(String[1] $a, Array[String[1]] $b, String[1] $c, String[1] $d, String $e) {{ }}\n\
             #- /data/common.yaml\nm::a: \"%{{facts.nope}}\"\n\
             #     ^^^^^^^^^^^^^^^ error[value-type-mismatch]: parameter 'a' {both}\n\
             m::b: [x, \"%{{lookup('gone')}}\"]\n\
             #          ^^^^^^^^^^^^^^^^^ warning[missing-lookup-target]\n\
             #         ^^^^^^^^^^^^^^^^^^^ error[value-type-mismatch]: parameter 'b' index 1 {both}\n\
             m::c: \"%{{lookup('pool')}}\"\n\
             #     ^^^^^^^^^^^^^^^^^^^ error[value-type-mismatch]: parameter 'c' {one}\n\
             m::d: \"%{{facts.role}}\"\n\
             m::e: \"%{{facts.nope}}\"\n"
        ));
    }

    /// Without nodes with facts, it is not known whether other nodes include the class.
    #[test]
    fn code_may_set_the_parameter() {
        check(&format!(
            "{WEB}#- /manifests/site.pp\nclass {{ 'web': port => 1 }}\n#- /data/db.yaml\nweb::port: a\n\
             #          ^ warning[value-type-mismatch]: parameter 'port' expects a Web::Port = Integer[1, 65535] value, got String Catalogs with class `web` fail for any node where role is db, unless code sets the parameter.\n\
             #- /data/common.yaml\nweb::port: b\n\
             #          ^ warning[value-type-mismatch]: parameter 'port' expects a Web::Port = Integer[1, 65535] value, got String Catalogs with class `web` fail for any node, unless another level decides or code sets the parameter.\n\
             web::text: 1\n\
             #          ^ warning[value-type-mismatch]: parameter 'text' expects a String value, got Integer Catalogs with class `web` fail for any node.\n"
        ));
    }

    #[test]
    fn code_may_set_the_parameters_of_classes_that_it_does_not_name() {
        let check_with = |code: &str, unless: &str| {
            check(&format!(
                "{WEB}#- /manifests/site.pp\n{code}\n#- /data/common.yaml\nweb::port: b\n\
                 #          ^ warning[value-type-mismatch]: parameter 'port' expects a Web::Port = Integer[1, 65535] value, got String Catalogs with class `web` fail for any node{unless}.\n"
            ));
        };
        let perhaps = ", unless code sets the parameter";
        check_with("create_resources('class', { '::web' => { 'port' => 1 } })", perhaps);
        check_with("create_resources('class', lookup('classes', Hash, first, {}))", perhaps);
        check_with("$h.each |$k, $v| { class { $k: * => $v } }", perhaps);
        check_with("$h.each |$k, $v| { class { $k: port => $v } }", perhaps);
        check_with("create_resources('class', { 'db' => { 'port' => 1 } })", "");
        check_with("create_resources('class', { 'web' => { 'mods' => [] } })", "");
        check_with("$h.each |$k, $v| { class { $k: mods => $v } }", "");
    }

    #[test]
    fn what_looks_up_keys_that_are_kept_elsewhere_is_left_alone() {
        check(&format!(
            "{WEB}#- /data/common.yaml\n\
             web::mode: \"%{{lookup('secret')}}\"\n\
             #           ^^^^^^^^^^^^^^^^^^^ warning[missing-lookup-target]\n"
        ));
    }

    /// Such a value is only a consequence of the error, and Puppet refuses the whole file.
    #[test]
    fn what_a_syntax_error_spoils_is_left_alone() {
        check(&format!(
            "{WEB}#- /data/common.yaml\n\
             web::mods: \"%{{alias('pool')}}\"\n\
             web::port: '8080'\n\
             #          ^^^^^^ warning[value-type-mismatch]: parameter 'port' expects a Web::Port = Integer[1, 65535] value, got String…\n\
             pool:\n  - a: b: c\n\
             #       ^^^ error[yaml-syntax]: mapping values are not allowed in this context…\n"
        ));
        check(&format!(
            "{WEB}#- /data/common.yaml\n\
             web::sites:\n  x:\n   a: 1\n  y: @1\n\
             #    ^^ error[yaml-syntax]\n\
             web::mods:\nweb::f: \"%{{alias('x')}}\"\nx:\n"
        ));
    }

    /// A part is marked where it is written, and a whole value where the key gets it.
    #[test]
    fn values_behind_anchors() {
        check(&format!(
            "{WEB}#- /data/common.yaml\n\
             numbers: &numbers [x, 1]\n\
             #                     ^ warning[value-type-mismatch]: parameter 'mods' index 1 expects a String value, got Integer…\n\
             web::mods: *numbers\n\
             port: &port '80'\n\
             web::port: *port\n\
             #          ^^^^^ warning[value-type-mismatch]: parameter 'port' expects a Web::Port = Integer[1, 65535] value, got String…\n"
        ));
    }

    #[test]
    fn quotes_are_added_and_taken_away_and_lists_made() {
        let common = |text: &str| format!("{text}\n{WEB}");
        check_fix(
            &common("web::port: '8080' # x"),
            "Write `8080` without quotes",
            "web::port: 8080 # x\n",
        );
        check_fix(&common("web::tls: \"true\""), "Write `true` without quotes", "web::tls: true\n");
        check_fix(&common("web::mods: [1]"), "Put quotes around it", "web::mods: ['1']\n");
        check_fix(&common("web::text: 1.50"), "Put quotes around it", "web::text: '1.50'\n");
        check_fix(&common("web::mods: php"), "Make a list of it", "web::mods: [php]\n");
    }

    /// Nothing is offered that Puppet refuses as well.
    #[test]
    fn lists_of_what_does_not_fit() {
        let fixes = |value: &str, class: &str| {
            let fixture = format!(
                "#- /data/common.yaml\nw::a: {value}\n#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: c, path: common.yaml}}]\n\
                 #- /modules/w/manifests/init.pp\nclass w({class} $a) {{ }}\n"
            );
            fix_titles(&fixture, RULE.code)
        };
        assert_eq!(fixes("4", "Array[Integer]"), ["Make a list of it"]);
        assert_eq!(fixes("eth0", "Array[Integer]"), [""; 0]);
        assert_eq!(fixes("c", "Array[Enum[a, b]]"), [""; 0]);
        assert_eq!(fixes("{k: x}", "Hash[String, Array[Integer]]"), [""; 0]);
        assert_eq!(fixes("!!int 4", "Array[Integer]"), [""; 0]);
    }

    /// The value of an anchor is also that of its aliases.
    #[test]
    fn a_value_with_an_anchor_is_left_to_the_user() {
        let fixture = Fixture::parse_without_marks(&format!(
            "{WEB}#- /data/common.yaml\nweb::text: &a 1\nother: *a\n"
        ));
        let found = diagnostics(&fixture.world(), "/repo/data/common.yaml");
        let safeties: Vec<_> = found.iter().flat_map(|it| &it.fixes).map(|it| it.safety).collect();
        assert_eq!(safeties, [Safety::ByHand]);
    }

    #[test]
    fn it_leads_to_the_parameter() {
        check_related(
            &format!("{WEB}#- /data/common.yaml\nweb::port: a\n"),
            "value-type-mismatch",
            &["/modules/web/manifests/init.pp: $port: `$port` is here"],
        );
    }

    #[test]
    fn it_leads_to_the_merge_that_made_the_value() {
        let fixture = "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: c, path: common.yaml}]\n\
                       #- /modules/s/manifests/init.pp\nclass s(String $user, Array[Integer] $ids) { }\n\
                       #- /data/common.yaml\nlookup_options: {'^s::.*': {merge: unique}}\n";
        check(&format!(
            "{fixture}s::user: bob\n\
             #        ^^^ warning[value-type-mismatch]: parameter 'user' expects a String value, got Tuple Catalogs with class `s` fail for any node. \
             The value fits as it is written, but the lookup options of `^s::.*` request the merge `unique`.\n\
             s::ids: [a]\n\
             #        ^ warning[value-type-mismatch]: parameter 'ids' index 0 expects an Integer value, got String Catalogs with class `s` fail for any node.\n"
        ));
        check_related(
            &format!("{fixture}s::user: bob\n"),
            "value-type-mismatch",
            &[
                "/modules/s/manifests/init.pp: $user: `$user` is here",
                "/data/common.yaml: '^s::.*': these lookup options merge it",
            ],
        );
    }

    /// The value is compared with the type once, whatever the number of its wrong members and of their fixes.
    #[test]
    fn many_wrong_members_are_found_at_once() {
        let found_of = |members: usize| {
            let lines = (0..members).map(|it| format!("  h{it}: '80'\n"));
            let data: String = lines.collect();
            let files = [
                ("/repo/hiera.yaml", "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n"),
                ("/repo/modules/w/manifests/init.pp", "class w(Hash[String, Integer] $a) { }\n"),
                ("/repo/data/common.yaml", &format!("w::a:\n{data}")),
            ];
            let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
            host.apply(Change::Folders(vec!["/repo".to_owned()]));
            let world = host.snapshot();
            let found = diagnostics(&world, "/repo/data/common.yaml");
            let with_fix = found.iter().filter(|it| it.code == RULE.code && it.fixes.len() == 1);
            let checked = world.type_aliases(&world.environments()[0]).checked_values();
            (with_fix.count(), checked)
        };
        assert_eq!(found_of(10), (10, 1));
        assert_eq!(found_of(160), (160, 1));
    }

    /// After an edit, only changed values are checked, and nodes with the same value share the result.
    #[test]
    fn values_are_checked_once() {
        let nodes = (1..=40).map(|it| format!("  web{it:02}: {{facts: {{role: web}}}}\n"));
        let nodes: String = nodes.collect();
        let (settings, _) = Settings::read(Some(&format!("nodes:\n{nodes}")), None, &[]);
        let common = "/repo/data/common.yaml";
        let data = "w::a: [1, x]\nw::b: 80\nw::c: {a: b}\nw::d: 1\n";
        let files = [
            ("/repo/hiera.yaml", "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n"),
            ("/repo/manifests/site.pp", "include w\n"),
            (
                "/repo/modules/w/manifests/init.pp",
                "class w(Array[Integer] $a, Integer $b, Hash[String, String] $c, String $d) { }\n",
            ),
            (common, data),
        ];
        let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
        host.apply(Change::Folders(vec!["/repo".to_owned()]));
        host.apply(Change::Settings(Settings { directory: Some("/repo".into()), ..settings }));
        let mut check = |version: i32, text: &str| {
            let (path, text) = (common.to_owned(), text.to_owned());
            host.apply(Change::OpenBuffer { path, text, version });
            let world = host.snapshot();
            let found = diagnostics(&world, common);
            let count = found.iter().filter(|it| it.code == RULE.code).count();
            (count, world.type_aliases(&world.environments()[0]).checked_values())
        };
        // Each of the four values once, whether for any node or for one of the forty.
        assert_eq!(check(1, data), (2, 4));
        assert_eq!(check(2, &data.replace("80", "8080")), (2, 5));
        assert_eq!(check(3, &format!("new: 1\n{data}# end\n")), (2, 5));
        assert_eq!(check(4, &data.replace('x', "2")), (1, 6));
    }
}
