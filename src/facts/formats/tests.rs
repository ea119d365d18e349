//! One text for each format, and the expected nodes.

use super::test_support::{hash, show_hash};
use super::*;

/// `name environment facts trusted variables` of each node, then the problems, one per line; missing parts are left out.
fn render(path: &str, text: &str) -> String {
    let (nodes, problems) = read(path, text);
    let mut lines: Vec<String> = nodes.iter().map(render_node).collect();
    lines.extend(
        problems.iter().map(|it| format!("{}..{}: {}", it.range.start, it.range.end, it.message)),
    );
    lines.join("\n")
}

fn render_node(node: &NodeParts) -> String {
    let mut line = node.name.clone();
    if let Some(environment) = &node.environment {
        line.extend([" in ", environment]);
    }
    let hashes = [
        ("facts", Some(&node.facts)),
        ("trusted", node.trusted.as_ref()),
        ("server_facts", node.server_facts.as_ref()),
        ("variables", Some(&node.variables)),
    ];
    for (label, hash) in hashes {
        if let Some(hash) = hash.filter(|it| !it.is_empty()) {
            line.extend([" ", label, "=", &show_hash(hash)]);
        }
    }
    line
}

#[track_caller]
fn check(path: &str, text: &str, expected: &str) {
    assert_eq!(render(path, text), expected);
}

#[test]
fn facter_output() {
    check(
        "/a/web01.json",
        r#"{"os": {"family": "Debian"}, "n": 1, "f": 1.5, "b": true}"#,
        r#"web01 facts={"os":{"family":"Debian"},"n":1,"f":1.5,"b":true}"#,
    );
    check("a.json", r#"{"fqdn": "web.ex"}"#, r#"web.ex facts={"fqdn":"web.ex"}"#);
    check(
        "a.yaml",
        "networking:\n  fqdn: web.ex\nrole: web\n",
        r#"web.ex facts={"networking":{"fqdn":"web.ex"},"role":"web"}"#,
    );
    check(
        "facts",
        "{\"fqdn\": \"a\", \"clientcert\": \"b\"}",
        r#"b facts={"fqdn":"a","clientcert":"b"}"#,
    );
    check("facts", "---\nrole: web\n", r#"facts facts={"role":"web"}"#);
}

#[test]
fn a_byte_order_mark_is_skipped() {
    check("a.json", "\u{feff}{\"x\": 1}", r#"a facts={"x":1}"#);
    check("a.yaml", "\u{feff}x: 1\ny: 2\n", r#"a facts={"x":1,"y":2}"#);
    check("facts", "\u{feff}{\"x\": 1}", r#"facts facts={"x":1}"#);
    check(
        "a.yaml",
        "\u{feff}x: 1\ny: *no\n",
        "11..14: The file is not valid YAML: Unknown alias: no.",
    );
}

#[test]
fn utf_16_is_named() {
    let message = "0..14: The file is in UTF-16. Save it as UTF-8.";
    check("a.json", "\u{fffd}\u{fffd}{\0\"\0x\0\"\0", message);
    check("a.yaml", "\u{fffd}\u{fffd}x\0:\0 \0y\0", message);
}

#[test]
fn yaml_is_read_as_puppet_reads_it_but_for_objects() {
    check(
        "a.yaml",
        "mode: 0644\nyes: on\nday: 2024-01-01\nset: !ruby/object:Set {a: 1}\nbase: &b {x: 1}\nall: {<<: *b}\n",
        r#"a facts={"mode":420,"true":true,"day":"2024-01-01","set":{"a":1},"base":{"x":1},"all":{"x":1}}"#,
    );
    check("a.yaml", "x: *no\n", "3..6: The file is not valid YAML: Unknown alias: no.");
}

#[test]
fn puppet_facts_find() {
    check(
        "a.json",
        r#"{"name": "web.ex", "values": {"x": 1}, "timestamp": "2024-01-01T00:00:00", "expiration": "…"}"#,
        r#"web.ex facts={"x":1}"#,
    );
}

#[test]
fn onceover_trusted_spellings() {
    check(
        "a.json",
        r#"{"name": "web.ex", "trusted": {"pp_role": "web"}, "values": {"x": 1}}"#,
        r#"web.ex facts={"x":1} trusted={"extensions":{"pp_role":"web"}}"#,
    );
    check(
        "a.json",
        r#"{"values": {"x": 1, "trusted": {"certname": "db.ex", "extensions": {"pp_role": "db"}}}}"#,
        r#"db.ex facts={"x":1} trusted={"certname":"db.ex","extensions":{"pp_role":"db"}}"#,
    );
    check(
        "a.json",
        r#"{"trusted": {"pp_role": "web"},
            "values": {"x": 1, "trusted": {"certname": "db.ex", "extensions": {"pp_role": "db"}}}}"#,
        r#"db.ex facts={"x":1} trusted={"certname":"db.ex","extensions":{"pp_role":"web"}}"#,
    );
}

#[test]
fn a_fact_named_trusted_may_be_an_ordinary_fact() {
    check("a.json", r#"{"trusted": {"x": 1}}"#, r#"a facts={"trusted":{"x":1}}"#);
}

#[test]
fn facterdb_files_go_by_their_own_names() {
    check(
        "facts/4.2/debian-12-x86_64.facts",
        r#"{"fqdn": "foo.example.com"}"#,
        r#"debian-12-x86_64 facts={"fqdn":"foo.example.com"}"#,
    );
}

#[test]
fn puppet_server_cache() {
    check(
        "yaml/facts/web.ex.yaml",
        "--- !ruby/object:Puppet::Node::Facts\nname: web.ex\nvalues:\n  os:\n    family: Debian\n  \
         _timestamp: 2024-01-01 00:00:00 +00:00\ntimestamp: 2024-01-01 00:00:00 +00:00\n\
         expiration: 2024-01-01 00:30:00 +00:00\n",
        r#"web.ex facts={"os":{"family":"Debian"}}"#,
    );
}

#[test]
fn puppetdb_wire_format() {
    check(
        "a.json",
        r#"{"certname": "web.ex", "environment": "test", "producer_timestamp": "…", "producer": "p",
            "values": {"x": 1}, "package_inventory": [["vim", "1", "apt"]]}"#,
        r#"web.ex in test facts={"x":1}"#,
    );
}

#[test]
fn puppetdb_queries() {
    check(
        "inventory.json",
        r#"[{"certname": "a.ex", "environment": "test", "timestamp": "…", "facts": {"x": 1},
             "trusted": {"authenticated": "remote", "certname": "a.ex", "extensions": {}}},
            {"certname": "b.ex", "environment": null, "facts": {"x": 2}, "trusted": {}}]"#,
        "a.ex in test facts={\"x\":1} trusted={\"authenticated\":\"remote\",\"certname\":\"a.ex\",\"extensions\":{}}\n\
         b.ex facts={\"x\":2} trusted={\"extensions\":{}}",
    );
    check(
        "factsets.json",
        r#"[{"certname": "a.ex", "environment": "test", "hash": "…",
             "facts": {"href": "/pdb", "data": [{"name": "x", "value": {"y": 1}}]}}]"#,
        r#"a.ex in test facts={"x":{"y":1}}"#,
    );
    check(
        "facts.json",
        r#"[{"certname": "a.ex", "environment": "test", "name": "x", "value": 1},
            {"certname": "b.ex", "environment": "test", "name": "x", "value": 2},
            {"certname": "a.ex", "environment": "test", "name": "y", "value": [3]}]"#,
        "a.ex in test facts={\"x\":1,\"y\":[3]}\nb.ex in test facts={\"x\":2}",
    );
}

#[test]
fn trusted_data_among_the_rows_of_puppetdb() {
    check(
        "a.json",
        r#"[{"certname": "a.ex", "name": "x", "value": 1, "environment": "test"},
            {"certname": "a.ex", "name": "trusted", "value": {"extensions": {"pp_role": "web"}}}]"#,
        r#"a.ex in test facts={"x":1} trusted={"extensions":{"pp_role":"web"}}"#,
    );
}

#[test]
fn foreman_facts() {
    let nested = r#"facts={"os":{"family":"Debian","release":{"major":"12"}},"uptime":"3"}"#;
    let flat = r#"{"os::family": "Debian", "os": null, "os::release": null, "os::release::major": "12", "uptime": "3"}"#;
    check("web01.json", flat, &format!("web01 {nested}"));
    check(
        "facts.json",
        &format!(r#"{{"total": 1, "subtotal": 1, "page": 1, "results": {{"web.ex": {flat}}}}}"#),
        &format!("web.ex {nested}"),
    );
    check(
        "hammer.json",
        r#"[{"Fact": "os::family", "Value": "Debian"}, {"Fact": "uptime", "Value": "3"}]"#,
        r#"hammer facts={"os":{"family":"Debian"},"uptime":"3"}"#,
    );
    check(
        "hammer.json",
        r#"[{"Host": "a", "Fact": "x", "Value": "1"}, {"Host": "b", "Fact": "x", "Value": "2"}]"#,
        "a facts={\"x\":\"1\"}\nb facts={\"x\":\"2\"}",
    );
}

#[test]
fn the_classes_of_a_classifier() {
    let shown = |text: &str| {
        let (nodes, _) = read("/facts/web01.yaml", text);
        let classes = nodes.into_iter().filter_map(|it| it.classes).flatten();
        let given = |it: &[GivenValue]| it.iter().map(|it| &*it.name).collect::<Vec<_>>().join(",");
        classes.map(|it| format!("{} {}", it.name, given(&it.given))).collect::<Vec<_>>()
    };
    assert_eq!(shown("classes: ['::A', b]\nenvironment: x"), ["a ", "b "]);
    assert_eq!(shown("classes: {a: {p: 1, q: null}, b: null}"), ["a p", "b "]);
    assert_eq!(shown("facts: {x: 1}\nname: web01\nclasses: {a: {}}"), ["a "]);
}

#[test]
fn node_classifier_output() {
    check(
        "enc/web.ex.yaml",
        "---\nclasses:\n  role::web:\nparameters:\n  location: ber\nenvironment: test\n",
        r#"web.ex in test variables={"location":"ber"}"#,
    );
}

#[test]
fn a_node_written_whole() {
    check(
        "a.yaml",
        "name: web.ex\nenvironment: test\nfacts: {x: 1}\ntrusted: {extensions: {pp_role: web}}\n\
         server_facts: {serverip: 10.0.0.1}\nvariables: {role: web}\n",
        "web.ex in test facts={\"x\":1} trusted={\"extensions\":{\"pp_role\":\"web\"}} \
         server_facts={\"serverip\":\"10.0.0.1\"} variables={\"role\":\"web\"}",
    );
}

#[test]
fn what_is_no_facts_is_named() {
    check("a.json", "", "0..0: The file is empty; facts were expected.");
    check("a.json", "{}", "0..2: The map is empty: it holds no facts.");
    check("a.json", "[]", "0..2: The list is empty: it describes no node.");
    check("a.json", "3", "0..1: Facts must be a map from name to value, or a list of nodes.");
    check(
        "a.json",
        "[{\"x\": 1}, 2]",
        "a facts={\"x\":1}\n0..13: 1 of 2 items do not describe a node: they are not maps.",
    );
    check(
        "a.yaml",
        "role: web\nprofile::web::port: 80\n",
        "10..28: This is not a fact set: `profile::web::port` looks like a Hiera key.",
    );
    check(
        "a.json",
        "{\n  \"x\": 1\n  \"y\": 2\n}",
        "13..19: The file is not valid JSON: expected `,` or `}` at line 3 column 3.",
    );
    check(
        "a.yaml",
        "a: [\n",
        "5..5: The file is not valid YAML: did not find expected node content while parsing a flow node.",
    );
    check("a.yaml", "[1]: 2\n", "0..6: This is not a fact set: [1] is not the name of a fact.");
}

#[test]
fn aliases_of_aliases_do_not_explode() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..20 {
        let inner = vec![format!("*a{}", level - 1); 10].join(", ");
        text.extend([format!("a{level}: &a{level} [{inner}]\n")]);
    }
    let message =
        "342..392: The file is not valid YAML: aliases expand to more than 10000000 values.";
    check("a.yaml", &text, message);
}

#[test]
fn default_facts_are_laid_over() {
    let mut base = NodeParts {
        name: "web.ex".into(),
        facts: hash(r#"{"x": 1, "y": 2}"#),
        trusted: Some(hash(r#"{"extensions": {"pp_role": "web", "pp_zone": "a"}}"#)),
        ..NodeParts::default()
    };
    let top = NodeParts {
        name: "default_facts".into(),
        facts: hash(r#"{"y": 3, "z": 4}"#),
        trusted: Some(hash(r#"{"extensions": {"pp_role": "db"}}"#)),
        ..NodeParts::default()
    };
    lay_over(&mut base, &top);
    assert_eq!(
        render_node(&base),
        r#"web.ex facts={"x":1,"y":3,"z":4} trusted={"extensions":{"pp_role":"db","pp_zone":"a"}}"#
    );
}
