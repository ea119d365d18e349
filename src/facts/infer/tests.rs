//! Templates and files in, nodes out.

use std::collections::BTreeMap;

use super::*;
use crate::facts::formats::test_support::show_hash;

/// A disk of empty files.
fn lister(files: &[String]) -> impl Fn(&str) -> Arc<[DirItem]> {
    let mut directories: BTreeMap<String, BTreeMap<String, bool>> = BTreeMap::new();
    for file in files {
        let mut parent = String::new();
        let names: Vec<&str> = file.split('/').skip(1).collect();
        for (depth, name) in names.iter().enumerate() {
            let is_directory = depth + 1 < names.len();
            let directory = if parent.is_empty() { "/" } else { &parent };
            let items = directories.entry(directory.to_owned()).or_default();
            items.insert((*name).to_owned(), is_directory);
            parent = format!("{parent}/{name}");
        }
    }
    move |directory| {
        let items = directories.get(directory).into_iter().flatten();
        let item = |(name, is_directory): (&String, &bool)| DirItem {
            name: Arc::from(name.as_str()),
            is_directory: *is_directory,
            is_link: false,
        };
        items.map(item).collect()
    }
}

/// Infers from templates and files, both below `/d` and separated by blanks; a template that starts with `*` is a glob.
fn infer_from(templates: &str, files: &str) -> Vec<NodeParts> {
    let templates: Vec<Template> = templates
        .split_whitespace()
        .map(|path| Template {
            datadir: "/d".to_owned(),
            path: path.trim_start_matches('*').to_owned(),
            is_glob: path.starts_with('*'),
            mapped: None,
        })
        .collect();
    let files: Vec<String> = files.split_whitespace().map(|path| format!("/d/{path}")).collect();
    let templates = Templates { own: &templates, of_modules: &Vec::new };
    infer(&templates, &lister(&files), Vec::new(), Wanted::All)
}

fn show(node: &NodeParts) -> String {
    let mut shown = node.name.clone();
    if let Some(environment) = &node.environment {
        shown.extend([" in ", environment]);
    }
    let hashes = [
        Some(&node.facts),
        node.trusted.as_ref(),
        node.server_facts.as_ref(),
        Some(&node.variables),
    ];
    for (mark, hash) in ["", "trusted", "server_facts", "variables"].iter().zip(hashes) {
        if let Some(hash) = hash.filter(|it| !it.is_empty()) {
            shown.extend([" ", mark, &show_hash(hash).replace('"', "")]);
        }
    }
    shown
}

#[track_caller]
fn check(templates: &str, files: &str, expected: &[&str]) {
    let shown: Vec<String> = infer_from(templates, files).iter().map(show).collect();
    assert_eq!(shown, expected);
}

#[test]
fn one_node_per_file_of_the_level_that_names_machines() {
    check(
        "nodes/%{trusted.certname}.yaml common.yaml",
        "nodes/web01.ex.com.yaml nodes/db01.ex.com.yaml nodes/README.md nodes/.hidden.yaml common.yaml",
        &[
            "db01.ex.com trusted{certname:db01.ex.com}",
            "web01.ex.com trusted{certname:web01.ex.com}",
        ],
    );
    check(
        "n/%{facts.networking.fqdn}.yaml",
        "n/web01.ex.com.yaml",
        &["web01.ex.com {networking:{fqdn:web01.ex.com}}"],
    );
    check("n/%{::hostname}.yaml", "n/web01.yaml", &["web01 {hostname:web01}"]);
    check("n/%{scope('clientcert')}.yaml", "n/web01.yaml", &["web01 {clientcert:web01}"]);
}

#[test]
fn all_spellings_of_the_name_agree() {
    check(
        "p/%{trusted.certname}.yaml n/%{::fqdn}.yaml h/%{hostname}.yaml d/%{facts.networking.domain}.yaml",
        "p/web01.ex.com.yaml n/db01.ex.com.yaml h/db01.yaml h/mail.yaml",
        &[
            "web01.ex.com {fqdn:web01.ex.com,hostname:web01,networking:{domain:ex.com}} \
             trusted{certname:web01.ex.com}",
            "db01.ex.com {fqdn:db01.ex.com,hostname:db01,networking:{domain:ex.com}} \
             trusted{certname:db01.ex.com}",
            "mail {fqdn:mail,hostname:mail} trusted{certname:mail}",
        ],
    );
}

#[test]
fn other_levels_fill_the_other_variables() {
    check(
        "nodes/%{trusted.certname}.yaml role/%{facts.role}.yaml os/%{facts.os.family}.yaml",
        "nodes/web01.ex.yaml nodes/x.ex.yaml role/db.yaml role/web.yaml os/Debian.yaml",
        &[
            "web01.ex {role:web,os:{family:Debian}} trusted{certname:web01.ex}",
            "x.ex {role:db,os:{family:Debian}} trusted{certname:x.ex}",
        ],
    );
}

#[test]
fn what_the_name_says_counts_more_than_the_order_of_levels() {
    check(
        "nodes/%{trusted.certname}.yaml role/%{role}-%{variant}.yaml role/%{role}.yaml",
        "nodes/ber-admin-01.yaml role/ceph-object.yaml role/ceph-mon.yaml role/admin.yaml role/ceph.yaml",
        &[
            "ber-admin-01 {role:admin} trusted{certname:ber-admin-01}",
            "role/ceph-mon {role:ceph,variant:mon}",
            "role/ceph-object {role:ceph,variant:object}",
        ],
    );
}

#[test]
fn a_path_with_several_variables_ties_them_together() {
    check(
        "nodes/%{::location}/%{::verified_host}.yaml %{::location}/roles/%{::role}-%{::variant}.yaml \
         %{::location}/roles/%{::role}.yaml",
        "nodes/osl/osl-login-01.yaml nodes/bgo/bgo-db-01.yaml osl/roles/login.yaml bgo/roles/db-big.yaml \
         bgo/roles/web.yaml",
        &[
            "bgo-db-01 {location:bgo,verified_host:bgo-db-01,role:db,variant:big}",
            "osl-login-01 {location:osl,verified_host:osl-login-01,role:login}",
            "bgo/roles/web {location:bgo,role:web}",
        ],
    );
    check(
        "n/%{clientcert}.yaml project/%{project}/%{app}.yaml project/%{project}/%{project}.yaml",
        "n/a.yaml project/x/one.yaml project/y/two.yaml project/y/y.yaml",
        &["a {clientcert:a,project:y,app:two}", "project/x/one {project:x,app:one}"],
    );
}

#[test]
fn the_same_machine_twice_with_different_variables() {
    check(
        "%{site}/%{trusted.certname}.yaml",
        "ber/web.yaml ham/web.yaml",
        &["web {site:ber} trusted{certname:web}", "web (ham) {site:ham} trusted{certname:web}"],
    );
}

#[test]
fn without_a_level_that_names_machines_the_first_with_variables() {
    check(
        "zone/%{zone}.yaml role/%{role}-%{tier}.yaml role/%{role}.yaml",
        "role/web-prod.yaml role/web-test.yaml role/db.yaml",
        &[
            "role/web-prod {role:web,tier:prod}",
            "role/web-test {role:web,tier:test}",
            "role/db {role:db}",
        ],
    );
    check(
        "os/%{facts.os.name}.yaml f/%{osfamily}.yaml",
        "os/Rocky.yaml f/Debian.yaml f/RedHat.yaml",
        &[
            "os/Rocky {os:{name:Rocky,family:RedHat},osfamily:RedHat}",
            "f/Debian {osfamily:Debian,os:{family:Debian}}",
        ],
    );
}

#[test]
fn a_file_that_no_node_reads_gets_one_of_its_own() {
    check(
        "nodes/%{trusted.certname}.yaml role/%{role}.yaml %{zone}.yaml",
        "nodes/web01.yaml role/db.yaml role/web.yaml ber.yaml ham.yaml",
        &[
            "web01 {role:web,zone:ber} trusted{certname:web01}",
            "role/db {role:db,zone:ber}",
            "ham {role:db,zone:ham}",
        ],
    );
}

#[test]
fn a_node_for_a_file_never_takes_the_name_of_a_machine() {
    check(
        "%{clientcert}.yaml %{role}.yaml",
        "web01.yaml",
        &["web01 {clientcert:web01,role:web01}"],
    );
    check(
        "nodes/%{clientcert}.yaml %{role}/x.yaml %{role}/%{zone}.eyaml",
        "nodes/x.yaml a/x.yaml b/x.yaml b/x.eyaml",
        &["x {clientcert:x,role:b,zone:x}", "a/x {role:a}"],
    );
}

#[test]
fn modules_get_nodes_for_their_files_but_say_nothing_of_other_nodes() {
    let templates = |paths: &[&str]| -> Vec<Template> {
        let template = |path: &&str| Template {
            datadir: "/d".to_owned(),
            path: (*path).to_owned(),
            is_glob: false,
            mapped: None,
        };
        paths.iter().map(template).collect()
    };
    let own = templates(&["nodes/%{trusted.certname}.yaml", "os/%{::osfamily}.yaml"]);
    let of_modules =
        || templates(&["m/%{facts.os.family}.yaml", "m/%{facts.fqdn}.yaml", "m/%{arch}.yaml"]);
    let templates = Templates { own: &own, of_modules: &of_modules };
    let files =
        ["/d/nodes/a", "/d/os/Debian", "/d/m/Debian", "/d/m/RedHat"].map(|it| format!("{it}.yaml"));
    let nodes = |wanted| infer(&templates, &lister(&files), Vec::new(), wanted);
    let all: Vec<String> = nodes(Wanted::All).iter().map(show).collect();
    assert_eq!(
        all,
        [
            "a {osfamily:Debian,os:{family:Debian}} trusted{certname:a}",
            "m/RedHat {osfamily:RedHat,os:{family:RedHat}}",
        ]
    );
    let named: Vec<String> = nodes(Wanted::Named("a")).iter().map(show).collect();
    assert_eq!(named, all[..1], "nobody asks the modules for a node of the hierarchy");
    assert_eq!(nodes(Wanted::Named("m/RedHat")).len(), 2);
}

#[test]
fn only_the_wanted_nodes_are_filled() {
    let files = ["n/a.yaml", "n/b.yaml", "r/x.yaml"].map(|it| format!("/d/{it}"));
    let own = ["n/%{clientcert}.yaml", "r/%{role}.yaml"].map(|path| Template {
        datadir: "/d".to_owned(),
        path: path.to_owned(),
        is_glob: false,
        mapped: None,
    });
    let templates = Templates { own: &own, of_modules: &Vec::new };
    let shown = |wanted| {
        let nodes = infer(&templates, &lister(&files), Vec::new(), wanted);
        nodes.iter().map(show).collect::<Vec<_>>()
    };
    let (a, b) = ("a {clientcert:a,role:x}", "b {clientcert:b,role:x}");
    assert_eq!(shown(Wanted::All), [a, b]);
    assert_eq!(shown(Wanted::Named("b")), ["a", b]);
    assert_eq!(shown(Wanted::NamedOrFirst(None)), [a, "b"]);
    assert_eq!(shown(Wanted::NamedOrFirst(Some("b"))), [a, b]);
    assert_eq!(shown(Wanted::NamedOrFirst(Some("nobody"))), [a, b]);
}

#[test]
fn what_is_known_of_a_node_decides_what_else_it_reads() {
    let known = supported_systems(
        r#"{"operatingsystem_support": [{"operatingsystem": "Debian", "operatingsystemrelease": ["12"]}]}"#,
    );
    let own = ["%{facts.os.family}.yaml", "%{facts.os.name}-%{tier}.yaml"].map(|path| Template {
        datadir: "/d".to_owned(),
        path: path.to_owned(),
        is_glob: false,
        mapped: None,
    });
    let files = ["Debian.yaml", "RedHat.yaml", "Debian-front.yaml"].map(|it| format!("/d/{it}"));
    let templates = Templates { own: &own, of_modules: &Vec::new };
    let nodes = infer(&templates, &lister(&files), known, Wanted::All);
    assert_eq!(
        nodes.iter().map(show).collect::<Vec<_>>(),
        [
            "Debian 12 {os:{name:Debian,family:Debian,release:{major:12}},tier:front,operatingsystem:Debian,\
             osfamily:Debian,operatingsystemmajrelease:12}",
            "RedHat {os:{family:RedHat}}",
        ]
    );
}

#[test]
fn variables_that_meet() {
    check(
        "n/%{clientcert}.yaml platform/%{os_platform}%{os_version}.yaml",
        "n/a.yaml platform/debian12.yaml",
        &["a {clientcert:a,os_platform:debian,os_version:12}"],
    );
    check(
        "%{role}-%{tier}.yaml",
        "web-front-prod.yaml",
        &["web-front-prod {role:web-front,tier:prod}"],
    );
}

#[test]
fn environments_and_qualified_variables() {
    check(
        "%{environment}/n/%{clientcert}.yaml %{environment}/%{nest::service}.yaml",
        "test/n/a.yaml test/x.yaml",
        &["a in test {clientcert:a} variables{nest::service:x}"],
    );
    check(
        "n/%{clientcert}.yaml %{server_facts.environment}/x.yaml",
        "n/a.yaml dev/x.yaml production/x.yaml test/x.yaml",
        &[
            "a in production {clientcert:a} server_facts{environment:production}",
            "dev/x in dev server_facts{environment:dev}",
            "test/x in test server_facts{environment:test}",
        ],
    );
}

#[test]
fn globs() {
    check(
        "*nodes/%{trusted.certname}/*.yaml",
        "nodes/a.ex/x.yaml nodes/a.ex/y.yaml nodes/b.ex/z.json",
        &["a.ex trusted{certname:a.ex}"],
    );
    check("*nodes/%{trusted.certname}/**.yaml", "nodes/a.ex/x.yaml", &["unknown"]);
}

#[test]
fn templates_that_tell_nothing() {
    check("common.yaml", "common.yaml", &["unknown"]);
    check("n/%{trusted.certname}.yaml", "other/x.yaml", &["unknown"]);
    check("%{lookup('x')}/%{trusted.certname}.yaml", "a/b.yaml", &["unknown"]);
    check(
        "n/%{facts.list.0}.yaml %{}x/%{trusted}.yaml %{facts['os']}.yaml",
        "n/b.yaml x/y.yaml",
        &["unknown"],
    );
    check("n/./x/../%{clientcert}.yaml", "n/a.yaml", &["a {clientcert:a}"]);
}

#[test]
fn the_number_of_nodes_is_limited() {
    let files: Vec<String> = (0..MAX_INFERRED_NODES + 100)
        .map(|it| format!("n/node{it}.yaml role/role{it}.yaml"))
        .collect();
    let nodes = infer_from("n/%{trusted.certname}.yaml role/%{role}.yaml", &files.join(" "));
    assert_eq!(nodes.len(), MAX_INFERRED_NODES);
}

#[test]
fn a_member_of_a_mapped_list() {
    let template = |path: &str, variable: Option<&str>| Template {
        datadir: "/d".to_owned(),
        path: path.to_owned(),
        is_glob: false,
        mapped: variable.map(|it| Mapped { variable: it.to_owned(), member: "team".to_owned() }),
    };
    let own = [
        template("nodes/%{clientcert}.yaml", None),
        template("role/%{team}/%{role}.yaml", Some("teams")),
        template("%{team}.yaml", Some("facts.sections")),
    ];
    let files =
        ["nodes/web01", "role/ops/db", "role/ops/web", "x"].map(|it| format!("/d/{it}.yaml"));
    let templates = Templates { own: &own, of_modules: &Vec::new };
    let nodes = infer(&templates, &lister(&files), Vec::new(), Wanted::All);
    assert_eq!(
        nodes.iter().map(show).collect::<Vec<_>>(),
        [
            "web01 {clientcert:web01,teams:[ops],role:web,sections:[x]}",
            "role/ops/db {teams:[ops],role:db,sections:[x]}",
        ]
    );
}

#[test]
fn a_file_belongs_to_the_template_that_spells_out_most_of_its_path() {
    check(
        "%{location}/roles/%{role}.yaml *%{location}/modules/*.yaml %{location}/common.yaml common/roles/%{role}.yaml *common/modules/*.yaml common/common.yaml",
        "common/common.yaml common/modules/ntp.yaml common/roles/db.yaml oslo/roles/web.yaml oslo/modules/ntp.yaml",
        &["oslo/roles/web {location:oslo,role:web}", "common/roles/db {location:oslo,role:db}"],
    );
}

#[test]
fn names_that_another_template_spells_out_are_texts_where_no_other_template_fits() {
    check(
        "%{location}/roles/%{role}.yaml common/nodes/%{role}.yaml common/common.yaml",
        "common/roles/db.yaml common/common.yaml",
        &["common/roles/db {location:common,role:db}"],
    );
}
