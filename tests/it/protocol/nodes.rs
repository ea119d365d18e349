//! The node that responses are for.

use hiera_ls::ide::Hover;
use hiera_ls::server::Features;
use hiera_ls::text::TextRange;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::documents::{no_features, uri};
use crate::support::workspace::Workspace;

const ACTIVE_NODE: &str = "hiera/activeNode";

/// Hovers show the name of the active node.
fn hovers_show_the_node() -> Features {
    Features {
        hover: |world, path, offset, _| {
            let node = world.active_node(&*world.environment_of(path)?);
            Some(Hover { markdown: node.name.to_string(), range: TextRange::empty(offset) })
        },
        ..no_features()
    }
}

/// A client in a workspace with the nodes web01 and web02, and the path of a file there.
fn client() -> (Workspace, Client, String) {
    let workspace = Workspace::new(&[
        ("hiera.yaml", "version: 5\n"),
        (".hiera-ls.yaml", "nodes: {web01: {facts: {a: 1}}, web02: {facts: {a: 2}}}\n"),
    ]);
    let mut client = Client::in_workspace(hovers_show_the_node(), &workspace);
    assert_eq!(client.notification(ACTIVE_NODE)["name"], "any node");
    let path = workspace.path("data/common.yaml");
    (workspace, client, path)
}

#[test]
fn nodes_are_listed_and_chosen() {
    let (_workspace, mut client, path) = client();
    client.open(&path, "a: 1\n");
    let nodes = client.ask("hiera/nodes", Value::Null).expect("nodes are listed");
    let names: Vec<_> = nodes.as_array().expect("a list").iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["web01", "web02"]);
    assert_eq!((&nodes[0]["active"], &nodes[1]["active"]), (&json!(false), &json!(false)));

    let chosen = client.ask("hiera/selectNode", json!({"name": "web02"})).expect("it is there");
    assert_eq!(chosen["name"], "web02");
    assert_eq!(chosen["active"], true);
    assert_eq!(client.notification(ACTIVE_NODE), chosen);

    let error = client.ask("hiera/selectNode", json!({"name": "web03"})).expect_err("not there");
    assert_eq!(error["message"], "no node has the name web03; there are: web01, web02");
    assert_eq!(client.hover(&path, (0, 0)), "web02", "the choice stays");

    client.ask("hiera/selectNode", json!({"name": null})).expect("any node");
    assert_eq!(client.notification(ACTIVE_NODE)["name"], "any node");
    assert_eq!(client.hover(&path, (0, 0)), "any node");
}

#[test]
fn any_node_can_be_chosen_where_the_settings_name_one() {
    let workspace = Workspace::new(&[
        ("hiera.yaml", "version: 5\n"),
        (".hiera-ls.yaml", "node: web01\nnodes: {web01: {facts: {a: 1}}}\n"),
    ]);
    let mut client = Client::in_workspace(hovers_show_the_node(), &workspace);
    assert_eq!(client.notification(ACTIVE_NODE)["name"], "web01");
    let any = client.ask("hiera/selectNode", json!({"name": null})).expect("any node");
    assert_eq!((&any["name"], &any["chosen"]), (&json!("any node"), &json!(false)));
    assert_eq!(client.notification(ACTIVE_NODE), any);
    client.choose_node("web01");
}

#[test]
fn a_file_is_shown_for_any_node_that_reads_it_until_one_is_chosen() {
    let hierarchy =
        "version: 5\nhierarchy: [{name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}]\n";
    let workspace = Workspace::new(&[
        ("hiera.yaml", hierarchy),
        ("data/nodes/web01.yaml", "a: 1\n"),
        ("data/nodes/web02.yaml", "a: 2\n"),
    ]);
    let mut client = Client::in_workspace(hovers_show_the_node(), &workspace);
    assert_eq!(client.notification(ACTIVE_NODE)["name"], "any node");
    let path = workspace.path("data/nodes/web02.yaml");
    let node_of = |client: &mut Client, path: &str| {
        let document = json!({"textDocument": {"uri": uri(path)}});
        let node = client.ask("hiera/nodeOf", document).expect("an answer");
        (node["name"].clone(), node["chosen"].clone())
    };
    assert_eq!(node_of(&mut client, &path), (json!("web02"), json!(false)));
    let common = workspace.path("data/common.yaml");
    assert_eq!(node_of(&mut client, &common), (json!("any node"), json!(false)));
    client.choose_node("web01");
    assert_eq!(node_of(&mut client, &path), (json!("web01"), json!(true)));
    assert_eq!(node_of(&mut client, "/elsewhere/x.yaml"), (Value::Null, Value::Null));
}

#[test]
fn a_chosen_node_is_active_for_what_is_asked_next() {
    let (_workspace, mut client, path) = client();
    client.open(&path, "a: 1\n");
    let mut hovers = Vec::new();
    for round in 0..100 {
        let name = if round % 2 == 0 { "web02" } else { "web01" };
        let chosen = client.request("hiera/selectNode", json!({ "name": name }));
        hovers.push((chosen, client.request_hover(&path, (0, 0)), name));
    }
    for (chosen, hover, name) in hovers {
        assert_eq!(client.answer_to(chosen).expect("it is there")["name"], name);
        let hover = client.answer_to(hover).expect("hover succeeds");
        assert_eq!(hover["contents"]["value"], name);
    }
    // It depends on timing whether a round of the publisher came between two choices.
    client.forget(ACTIVE_NODE);
}
