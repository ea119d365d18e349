//! Nodes that only one side has, and nodes in another environment than before.

use super::{HIERA_YAML, Repository, json, text_of};

fn settings_of_one(environment: &str) -> String {
    format!("nodes: {{one: {{environment: {environment}}}, two: {{environment: qa}}}}\n")
}

#[test]
fn a_node_moves_to_another_environment() {
    let repository = Repository::of_environments(["production", "qa"], HIERA_YAML, "a: 1\n");
    repository.write("repository/environments/qa/data/common.yaml", "a: 2\n");
    repository.write("repository/.hiera-ls.yaml", &settings_of_one("production"));
    repository.commit();
    repository.write("repository/.hiera-ls.yaml", &settings_of_one("qa"));
    let diff = |arguments: &[&str]| text_of(&repository.run(&[&["diff"], arguments].concat()));
    let moved = "from production to qa: a\n  1 node: one\n  - 1\n  + 2\n    because of .hiera-ls.yaml:1\n\n";
    let summary = "from production to qa: 1 of 1 node changes, 1 key; nothing else\n";
    let (production, qa) = (
        "production: 0 answers change: 1 key compared for any node\n",
        "qa: 0 answers change: 1 key compared for 1 node\n",
    );
    assert_eq!(diff(&[]), format!("{moved}{production}{qa}{summary}"));
    assert_eq!(diff(&["-E", "qa"]), format!("{moved}{qa}{summary}"));
    assert_eq!(diff(&["-E", "production"]), format!("{moved}{production}{summary}"));
    assert_eq!(diff(&["--nodes", "o*"]), format!("{moved}{summary}"));
    let json = repository.run(&["diff", "--format", "json", "--nodes", "one"]).stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    let change = &json["changes"][0];
    assert_eq!([&change["environment_before"], &change["environment"]], ["production", "qa"]);
    assert_eq!(change["nodes"], json!(["one"]));
}

#[test]
fn a_node_moves_to_a_new_environment() {
    let repository = Repository::of_environments(["production", "qa"], HIERA_YAML, "a: 1\n");
    repository.write("facts/two.yaml", "environment: qa\nvalues: {role: db}\n");
    repository.write("repository/.hiera-ls.yaml", &settings_of_one("qa"));
    repository.commit();
    repository.write("repository/.hiera-ls.yaml", &settings_of_one("staging"));
    repository.write("repository/environments/staging/hiera.yaml", HIERA_YAML);
    repository.write("repository/environments/staging/data/common.yaml", "a: 3\n");
    let text = text_of(&repository.run(&["diff", "--nodes", "all"]));
    assert!(text.starts_with("from qa to staging: a\n  1 node: one\n  - 1\n  + 3\n"), "{text}");
    assert!(!text.contains("not found"), "{text}");
}

/// Puppet refuses to look anything up in an environment without a directory, also in modules that other environments have.
#[test]
fn an_environment_that_is_gone_has_no_data() {
    let repository = Repository::of_environments(["production", "qa"], HIERA_YAML, "a: 1\n");
    let levels = "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n";
    for (path, text) in [
        ("modules/m/hiera.yaml", levels),
        ("modules/m/data/common.yaml", "m::x: 1\n"),
        ("hiera.yaml", levels),
        ("data/common.yaml", "global: 1\n"),
    ] {
        repository.write(&format!("repository/{path}"), text);
    }
    repository.commit();
    repository.git(&["rm", "--quiet", "-r", "environments/qa"]);
    let text = text_of(&repository.run(&["diff"]));
    for key in ["a", "global", "m::x"] {
        let expected = format!("qa: {key}\n  any node\n  - 1\n  + (not found)\n");
        assert!(text.contains(&expected), "{text}");
    }
}

/// Nothing says any more which environment the node is in, so it counts in both.
#[test]
fn a_node_that_names_no_environment_any_more_does_not_move() {
    let repository = Repository::of_environments(["production", "qa"], HIERA_YAML, "a: 1\n");
    repository.write("repository/environments/qa/data/common.yaml", "a: 2\n");
    repository.write("repository/.hiera-ls.yaml", &settings_of_one("production"));
    repository.commit();
    repository.write("repository/.hiera-ls.yaml", "nodes: {one: {}, two: {environment: qa}}\n");
    let text = text_of(&repository.run(&["diff"]));
    assert_eq!(
        text,
        "production: 0 answers change: 1 key compared for 1 node\n\
         qa: 0 answers change: 1 key compared for 1 node\n"
    );
}

#[test]
fn a_module_supports_other_systems() {
    let repository = Repository::new();
    let metadata = |systems: &str| {
        repository.write(
            "repository/metadata.json",
            &format!(r#"{{"name": "x-ntp", "operatingsystem_support": [{systems}]}}"#),
        );
    };
    let [debian, redhat] = [
        r#"{"operatingsystem": "Debian", "operatingsystemrelease": ["12"]}"#,
        r#"{"operatingsystem": "RedHat", "operatingsystemrelease": ["9"]}"#,
    ];
    let levels =
        "version: 5\nhierarchy: [{name: c, paths: ['%{facts.os.family}.yaml', common.yaml]}]\n";
    repository.git(&["rm", "--quiet", "-r", "data"]);
    repository.write("repository/hiera.yaml", levels);
    repository.data("RedHat.yaml", "ntp::package: chrony\n");
    repository.data("common.yaml", "ntp::package: ntp\n");
    metadata(debian);
    repository.commit();
    let same = "0 answers change: 1 key compared for 2 nodes\n";
    metadata(&format!("{debian}, {redhat}"));
    assert_eq!(text_of(&repository.run(&["diff"])), same);
    repository.commit();
    metadata(redhat);
    assert_eq!(text_of(&repository.run(&["diff"])), same);
    repository.data("RedHat.yaml", "ntp::package: ntpsec\n");
    let text = text_of(&repository.run(&["diff", "--nodes", "all"]));
    assert!(
        text.starts_with("ntp::package\n  1 node: RedHat 9\n  - chrony\n  + ntpsec\n"),
        "{text}"
    );
}

/// A variable that data files are named by is the name of the node, whether its file is there or not.
#[test]
fn data_files_named_by_another_variable_come_and_go() {
    let repository = Repository::new();
    let levels = |path: &str| {
        format!("version: 5\nhierarchy: [{{name: n, paths: [{path}, common.yaml]}}]\n")
    };
    repository.git(&["rm", "--quiet", "-r", "data"]);
    repository.write("repository/hiera.yaml", &levels("'nodes/%{verified_host}.yaml'"));
    repository.data("common.yaml", "a: 0\n");
    repository.data("nodes/web1.yaml", "a: 1\n");
    repository.data("nodes/web2.yaml", "a: 2\nb: 2\n");
    repository.commit();
    let diff = |arguments: &[&str]| text_of(&repository.run(&[&["diff"], arguments].concat()));
    repository.data("nodes/web3.yaml", "{}\n");
    let same = "0 answers change: 2 keys compared for 3 nodes\n";
    assert_eq!(diff(&[]), same);
    assert_eq!(diff(&["--nodes", "web3"]), same.replace("3 nodes", "1 node"));
    repository.git(&["mv", "data/nodes/web1.yaml", "data/nodes/web4.yaml"]);
    let moved = "a\n  1 node: web1\n  - 1\n  + 0\n    because of data/nodes/web1.yaml:1\n  \
                 1 node: web4\n  - 0\n  + 1\n    because of data/nodes/web4.yaml:1\n\n";
    assert_eq!(
        diff(&["--nodes", "web*"]),
        format!("{moved}2 of 4 nodes change, 1 key; nothing else\n")
    );
    repository.commit();
    // Another variable names the same files, and the settings name one of the nodes.
    let both = "'nodes/%{facts.verified_fqdn}.yaml', 'nodes/%{verified_host}.yaml'";
    repository.write("repository/hiera.yaml", &levels(both));
    repository.write("repository/.hiera-ls.yaml", "nodes: {web2: {variables: {x: 1}}}\n");
    assert_eq!(diff(&["--nodes", "all"]), "0 answers change: 2 keys compared for 3 nodes\n");
}

/// With the pattern, the report names a role for each node. Nothing but the pattern changed, so the hint says so beforehand.
#[test]
fn a_pattern_for_names_is_suggested_with_what_its_report_lists() {
    let repository = Repository::new();
    for name in ["bgo-db-01", "bgo-db-02", "bgo-db-03", "osl-web-01", "osl-web-02", "osl-web-03"] {
        repository.data(&format!("nodes/{name}.yaml"), "x: 1\n");
    }
    repository.data("roles/db.yaml", "port: 5432\n");
    repository.commit();
    repository.data("common.yaml", "port: 81\n");
    let output = repository.run(&["diff", "--", "port"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("the setting node_name") && said.contains("Commit it alone"), "{said}");
}
