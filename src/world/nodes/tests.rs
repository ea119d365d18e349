//! The sample nodes of a workspace.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::data::inspect;
use crate::settings::Settings;
use crate::world::{Change, Host, MemoryDisk};

const HIERA_YAML: (&str, &str) = (
    "/r/hiera.yaml",
    "version: 5\nhierarchy: [{name: n, paths: ['nodes/%{trusted.certname}.yaml', common.yaml]}]\n",
);
const NODE: (&str, &str) = ("/r/data/nodes/web01.example.com.yaml", "a: 1\n");
const FACTS: (&str, &str) = ("/r/.hiera-ls/facts/db.json", r#"{"os": {"name": "Debian"}, "x": 1}"#);

fn host(files: &[(&str, &str)], settings: &str) -> Host {
    let mut host = Host::new(Arc::new(MemoryDisk::new(files.iter().copied())));
    let (settings, problems) = Settings::read(Some(settings), None, &[]);
    assert_eq!(problems, []);
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    host.apply(Change::Settings(settings));
    host
}

/// Each node's name, with `?` if it is a guess, and the values of some variables.
fn show(host: &Host) -> Vec<String> {
    let world = host.snapshot();
    let environment = world.environment_of("/r/hiera.yaml").expect("an environment");
    let nodes = world.nodes(&environment);
    let show = |node: &Arc<crate::facts::Node>| {
        let mut text = node.name.to_string();
        if !node.is_complete() {
            text.push('?');
        }
        for name in ["x", "y", "environment"] {
            if let Some(value) = node.variable(name) {
                let _ = write!(text, " {name}={}", inspect::to_s(&value.value));
            }
        }
        text
    };
    nodes.iter().map(show).collect()
}

#[track_caller]
fn check(files: &[(&str, &str)], settings: &str, expected: &[&str]) {
    assert_eq!(show(&host(files, settings)), expected);
}

#[test]
fn data_files_tell_of_machines() {
    check(&[HIERA_YAML, NODE], "", &["web01.example.com?"]);
    check(&[HIERA_YAML], "", &[]);
}

#[test]
fn files_that_name_no_machine_are_no_nodes() {
    let config = "version: 5\nhierarchy: [{name: Systems, path: '%{facts.os.family}.yaml'}]\n";
    check(
        &[
            HIERA_YAML,
            NODE,
            ("/r/modules/ntp/hiera.yaml", config),
            ("/r/modules/ntp/data/RedHat.yaml", "ntp::a: 1\n"),
        ],
        "",
        &["web01.example.com?"],
    );
}

#[test]
fn any_name_is_a_node() {
    let pattern = "node_name: '(?<x>[a-z]+)-(?<y>\\w+)'\n";
    let host = host(&[HIERA_YAML, NODE, FACTS], pattern);
    let world = host.snapshot();
    let environment = world.environment_of("/r/hiera.yaml").expect("an environment");
    let known = |name: &str| {
        let node = world.node_named(&environment, name);
        assert_eq!(&*node.name, name);
        let value = |(name, known): (&Arc<str>, &crate::facts::KnownVariable)| {
            format!("{name}={}", inspect::to_s(&known.value))
        };
        node.known().iter().map(value).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(known("db"), "", "it has a fact set");
    assert_eq!(
        known("web-1.ex.com"),
        "trusted.certname=web-1.ex.com clientcert=web-1.ex.com facts.networking.fqdn=web-1.ex.com \
         trusted.hostname=web-1 facts.networking.hostname=web-1 trusted.domain=ex.com \
         facts.networking.domain=ex.com"
    );
    assert!(known("web-1").starts_with("x=web y=1 trusted.certname=web-1 "));
}

#[test]
fn a_module_on_its_own_has_a_node_for_each_system_it_supports() {
    let metadata =
        r#"{"name": "acme-ntp", "operatingsystem_support": [{"operatingsystem": "Debian"}]}"#;
    check(&[("/r/metadata.json", metadata), ("/r/hiera.yaml", "version: 5\n")], "", &["Debian?"]);
}

#[test]
fn fact_sets_are_found_where_they_usually_lie() {
    let default = ("/r/spec/default_facts.yml", "x: 7\n");
    let factset = ("/r/spec/factsets/web.json", r#"{"name": "web", "values": {"x": 1, "y": 2}}"#);
    // Such copies are no fact sets of their own.
    let hidden = ("/r/.hiera-ls/facts/.db2.json", FACTS.1);
    check(
        &[HIERA_YAML, NODE, FACTS, hidden, factset, default],
        "",
        &[
            "db x=1 environment=production",
            "web x=7 y=2 environment=production",
            "web01.example.com?",
        ],
    );
}

#[test]
fn settings_name_fact_sets_and_lay_over_nodes() {
    let other = ("/r/facts/other.yaml", "x: 5\n");
    check(
        &[HIERA_YAML, FACTS, other],
        "facts: ['facts/*.yaml']\nvariables: {y: all}\nnodes: {db: {variables: {y: own}}}\n",
        &["other x=5 y=all environment=production", "db x=1 y=own environment=production"],
    );
    check(
        &[HIERA_YAML, NODE],
        "environment: test\nnodes: {one: {facts: {x: 3}, environment: dev}}\n",
        &["one x=3 environment=dev", "web01.example.com? environment=test"],
    );
    check(
        &[HIERA_YAML, NODE],
        "variables: {x: 1}\nnodes: {web01.example.com: {variables: {y: 2}}}\n",
        &["web01.example.com? x=1 y=2"],
    );
}

/// Such a node would otherwise be one without any facts, for which each condition is decided.
#[test]
fn a_fact_set_that_cannot_be_read_leaves_the_facts_open() {
    check(
        &[HIERA_YAML, ("/r/facts/broken.json", "{broken")],
        "nodes: {n1: {facts: facts/nope.json}, n2: {facts: facts/broken.json, variables: {y: 2}}}\n",
        &["n1?", "n2? y=2"],
    );
}

#[test]
fn the_name_of_a_directory_wins_over_what_nodes_say() {
    let data = "version: 5\nhierarchy: [{name: n, path: 'nodes/%{trusted.certname}.yaml'}]\n";
    let root = "/r/environments/test";
    let files = [
        (format!("{root}/hiera.yaml"), data),
        (format!("{root}/data/nodes/qa-web.yaml"), ""),
        (format!("{root}/.hiera-ls/facts/db.json"), "{\"y\": 1}"),
    ];
    let files: Vec<_> = files.iter().map(|(path, text)| (&**path, *text)).collect();
    let settings = "node_name: '(?<environment>[a-z]+)-[a-z]+'\nnodes: {db: {environment: dev}}\n";
    let world = host(&files, settings).snapshot();
    let environment = world.environment_of(root).expect("an environment");
    let names: Vec<_> = world.nodes(&environment).iter().map(|it| it.environment.clone()).collect();
    assert_eq!(names, [Some("test".into()), Some("test".into())]);
    let fleet = world.fleet_nodes(&environment);
    assert!(fleet.iter().all(|it| it.environment.as_deref() == Some("test")));
}

#[test]
fn the_active_node_is_the_one_chosen_or_any() {
    let mut host =
        host(&[HIERA_YAML, FACTS, ("/r/.hiera-ls/facts/a.json", "{\"x\": 0}")], "node: db");
    let active = |host: &Host| {
        let world = host.snapshot();
        let environment = world.environment_of("/r/hiera.yaml").expect("an environment");
        world.active_node(&environment).name.to_string()
    };
    assert_eq!(active(&host), "db");
    host.apply(Change::ActiveNode(Some("a".into())));
    assert_eq!(active(&host), "a");
    host.apply(Change::ActiveNode(Some("nobody".into())));
    assert_eq!(active(&host), "db");
    host.apply(Change::ActiveNode(None));
    assert_eq!(active(&host), "any node", "a choice, too: the settings do not count then");
    host.apply(Change::ActiveNode(Some("nobody".into())));
    host.apply(Change::Settings(Settings::default()));
    assert_eq!(active(&host), "any node");
}

#[test]
fn nodes_follow_the_files() {
    let disk = Arc::new(MemoryDisk::new([HIERA_YAML, NODE]));
    let mut host = Host::new(disk.clone());
    assert_eq!(show(&host), ["web01.example.com?"]);
    disk.write("/r/data/nodes/a.example.com.yaml", "");
    let changed = vec!["/r/data/nodes/a.example.com.yaml".to_owned()];
    assert!(host.apply(Change::DiskChanged(changed)).is_structural);
    assert_eq!(show(&host).len(), 2);
    disk.write(FACTS.0, FACTS.1);
    host.apply(Change::DiskChanged(vec![FACTS.0.to_owned()]));
    assert_eq!(show(&host)[0], "db x=1 environment=production");
    assert_eq!(show(&host).len(), 3, "they stay beside each other");
    let text = FACTS.1.replace('1', "2");
    host.apply(Change::OpenBuffer { path: FACTS.0.to_owned(), text, version: 1 });
    assert_eq!(show(&host)[0], "db x=2 environment=production");
}

#[test]
fn the_server_is_of_the_version_that_the_settings_name() {
    for (settings, version) in [("{puppetVersion: 7}", "7.34.0"), ("{}", "8.11.0")] {
        let host = host(&[HIERA_YAML, FACTS], settings);
        let world = host.snapshot();
        let environment = world.environment_of("/r/hiera.yaml").expect("an environment");
        let nodes = world.nodes(&environment);
        let node = nodes.iter().find(|node| node.is_complete()).expect("a node with a fact set");
        let found = node.variable("serverversion").expect("the server has a version");
        assert_eq!(found.value, crate::data::Value::string(version));
    }
}
