//! Machines that are inferred from data files.

use super::*;
use crate::data::MemoryFiles;

#[track_caller]
fn check(templates: &[&str], files: &[&str], expected: &[&str]) {
    let template = |path: &&str| Template {
        datadir: "/d".to_owned(),
        path: (*path).to_owned(),
        is_glob: path.contains('*'),
        mapped: None,
    };
    let templates: Vec<Template> = templates.iter().map(template).collect();
    let files = MemoryFiles::new(files.iter().map(|path| (*path, "")));
    let known = |name: &str| (name == "environment").then(|| Arc::from("production"));
    let names = machines(&templates, &files, known);
    assert_eq!(names.iter().map(|it| &*it.name).collect::<Vec<_>>(), expected);
}

#[test]
fn each_file_of_a_machine_names_one() {
    let files = ["/d/nodes/b.ex.com.yaml", "/d/nodes/a.ex.com.yaml", "/d/common.yaml"];
    check(&["nodes/%{trusted.certname}.yaml", "common.yaml"], &files, &["a.ex.com", "b.ex.com"]);
    check(&["nodes/%{::fqdn}.yaml"], &files, &["a.ex.com", "b.ex.com"]);
}

#[test]
fn roles_are_no_machines() {
    check(&["roles/%{role}.yaml", "%{facts.os.family}.yaml"], &["/d/roles/db.yaml"], &[]);
}

#[test]
fn a_file_names_one_machine_if_a_glob_leaves_the_end_open() {
    let files = ["/d/n/web.ex.com.yaml", "/d/n/web.ex.com-more.yaml"];
    check(&["n/%{trusted.certname}*.yaml"], &files, &["web.ex.com-more", "web.ex.com"]);
}

#[test]
fn a_host_name_is_that_of_the_certname_that_begins_with_it() {
    let files = ["/d/h/a.yaml", "/d/h/b.yaml", "/d/nodes/a.ex.com.yaml"];
    check(&["h/%{hostname}.yaml", "nodes/%{trusted.certname}.yaml"], &files, &["a.ex.com", "b"]);
}

#[test]
fn a_hostname_ends_at_the_first_dot_and_its_domain_follows() {
    let files = ["/d/n/db01.ex.org.yaml", "/d/n/web01.corp.ex.org.yaml", "/d/n/q.yaml"];
    let names = ["db01.ex.org", "web01.corp.ex.org"];
    check(&["n/%{trusted.hostname}.%{trusted.domain}.yaml"], &files, &names);
    check(&["n/%{::hostname}.%{::domain}.yaml"], &files, &names);
    check(&["n/%{trusted.hostname}.yaml"], &files, &["q"]);
    let files = ["/d/n/ex.org/q.yaml", "/d/n/r.yaml"];
    check(&["n/%{trusted.domain}/%{trusted.hostname}.yaml"], &files, &["q.ex.org", "r"]);
    let files = ["/d/ex.org/web1/production.yaml"];
    let template = "%{trusted.domain}/%{trusted.hostname}/%{environment}.yaml";
    check(&[template], &files, &["web1.ex.org"]);
}

#[test]
fn a_file_belongs_to_the_template_that_spells_out_most_of_its_path() {
    let files = ["/d/nodes/bgo/web.yaml", "/d/nodes/common/db.yaml"];
    let templates = ["nodes/%{site}/%{trusted.certname}.yaml", "nodes/common/%{role}.yaml"];
    check(&templates, &files, &["web"]);
}

#[test]
fn variables_that_are_known_are_no_choice() {
    let files = ["/d/production/n/a.yaml", "/d/testing/n/b.yaml"];
    check(&["%{environment}/n/%{trusted.certname}.yaml"], &files, &["a"]);
}

#[test]
fn the_variables_that_have_the_name_are_known() {
    let check = |templates: &[&str], expected: &[&str]| {
        let template = |path: &&str| Template {
            datadir: "/d".to_owned(),
            path: (*path).to_owned(),
            is_glob: false,
            mapped: None,
        };
        let templates: Vec<Template> = templates.iter().map(template).collect();
        let files = MemoryFiles::new([("/d/n/web.ex.com.yaml", ""), ("/d/n/db.yaml", "")]);
        let shown = machines(&templates, &files, |_| None);
        let shown = shown.iter().map(|it| format!("{}: {}", it.name, it.variables.join(", ")));
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    };
    let certname = "n/%{trusted.certname}.yaml";
    let both = "trusted.certname, facts.networking.fqdn";
    check(
        &[certname, "n/%{::fqdn}.yaml"],
        &[&format!("db: {both}"), &format!("web.ex.com: {both}")],
    );
    check(&["n/%{host}.yaml", "n/%{some_host}.yaml"], &["db: host", "web.ex.com: host"]);
    check(&["n/%{::hostname}.%{::domain}.yaml"], &["web.ex.com: "]);
    check(
        &["n/%{::hostname}.yaml", "n/%{trusted.hostname}.yaml"],
        &["db: facts.networking.hostname, trusted.hostname"],
    );
}
