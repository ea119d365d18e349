//! Cases of a key if no node is chosen: listing them, and assuming one.

use hiera_ls::server::Features;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::documents::{position, uri};
use crate::support::workspace::Workspace;

const HIERA_YAML: &str = "\
version: 5
hierarchy:
  - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}
  - {name: Roles, path: 'roles/%{role}-%{variant}.yaml'}
  - {name: Common, path: common.yaml}
";

const COMMON: &str = "port: 80\nsame: 1\n";

fn client() -> (Workspace, Client, String) {
    let workspace = Workspace::new(&[
        ("hiera.yaml", HIERA_YAML),
        ("data/nodes/web01.yaml", "own: 1\n"),
        ("data/roles/web-alice.yaml", "port: 8080\n"),
        ("data/roles/web-bob.yaml", "port: 8081\n"),
        ("data/common.yaml", COMMON),
    ]);
    let mut client = Client::in_workspace(Features::ide(), &workspace);
    assert_eq!(client.notification("hiera/activeNode")["name"], "any node");
    let common = workspace.path("data/common.yaml");
    client.open(&common, COMMON);
    (workspace, client, common)
}

#[track_caller]
fn cases(client: &mut Client, path: &str, at: (u32, u32)) -> Value {
    let place = json!({"textDocument": {"uri": uri(path)}, "position": position(at)});
    client.ask("hiera/cases", place).expect("an answer")
}

#[test]
fn cases_are_listed_in_their_order() {
    let (_workspace, mut client, common) = client();
    assert_eq!(
        cases(&mut client, &common, (0, 0)),
        json!([
            {
                "when": "role is web and variant is alice",
                "variables": {"role": "web", "variant": "alice"},
                "canBeAssumed": true,
                "value": "8080",
            },
            {
                "when": "role is web and variant is bob",
                "variables": {"role": "web", "variant": "bob"},
                "canBeAssumed": true,
                "value": "8081",
            },
            {"when": "otherwise", "variables": {}, "canBeAssumed": false, "value": "80"},
        ])
    );
    assert_eq!(cases(&mut client, &common, (1, 0)), json!([]), "all nodes get the same");
    let of_file = json!({"textDocument": {"uri": uri(&common)}});
    assert_eq!(client.ask("hiera/cases", of_file), Ok(Value::Null), "there is no key");
    let by_name = json!({"textDocument": {"uri": uri(&common)}, "key": "port"});
    let by_name = client.ask("hiera/cases", by_name).expect("an answer");
    assert_eq!(by_name.as_array().map(Vec::len), Some(3));
}

#[test]
fn cases_that_are_not_listed_are_named() {
    let workspace = Workspace::new(&[
        ("hiera.yaml", "version: 5\nhierarchy: [{name: N, paths: ['n/%{x}.yaml', common.yaml]}]\n"),
        ("data/common.yaml", "port: 80\n"),
    ]);
    for number in 0..40 {
        workspace.write(&format!("data/n/{number}.yaml"), &format!("port: {number}\n"));
    }
    let mut client = Client::in_workspace(Features::ide(), &workspace);
    assert_eq!(client.notification("hiera/activeNode")["name"], "any node");
    let common = workspace.path("data/common.yaml");
    client.open(&common, "port: 80\n");
    let said = "40 files of level \"N\" may decide this, depending on x";
    assert_eq!(
        cases(&mut client, &common, (0, 0)),
        json!([
            {"when": said, "variables": {}, "canBeAssumed": false, "value": "not listed"},
            {"when": "otherwise", "variables": {}, "canBeAssumed": false, "value": "80"},
        ])
    );
}

#[test]
fn a_case_with_a_variable_that_is_not_set_cannot_be_assumed() {
    let common = "a: common\n";
    let workspace = Workspace::new(&[
        (
            "hiera.yaml",
            "version: 5\nhierarchy: [{name: N, paths: ['site-%{site}/role-%{role}.yaml', common.yaml]}]\n",
        ),
        ("data/site-/role-.yaml", "a: \"%{role}-%{site}\"\n"),
        ("data/common.yaml", common),
    ]);
    let mut client = Client::in_workspace(Features::ide(), &workspace);
    assert_eq!(client.notification("hiera/activeNode")["name"], "any node");
    let path = workspace.path("data/common.yaml");
    client.open(&path, common);
    let cases = cases(&mut client, &path, (0, 0));
    let cases = cases.as_array().expect("a list");
    let first = json!({"site": "", "role": null});
    assert_eq!((&cases[0]["variables"], &cases[0]["canBeAssumed"]), (&first, &json!(false)));
    assert_eq!(cases[0]["value"], "Undefined variable 'role'");
    let assumable = cases.iter().filter(|it| it["canBeAssumed"] == true);
    let assumable: Vec<_> = assumable.map(|it| &it["variables"]).collect();
    assert_eq!(assumable, [&json!({"site": "", "role": ""})]);
}

#[test]
fn what_is_assumed_holds_until_something_else_is() {
    let (_workspace, mut client, common) = client();
    let hover = client.hover(&common, (0, 0));
    for part in ["80", "8080", "variant is alice", "8081", "variant is bob"] {
        assert!(hover.contains(part), "no {part} in {hover}");
    }

    let alice = json!({"variables": {"role": "web", "::variant": "alice"}});
    let assumed = client.ask("hiera/assume", alice).expect("names of variables");
    let texts = json!([{"name": "variant", "value": "alice"}, {"name": "role", "value": "web"}]);
    assert_eq!(assumed["assumed"], texts);
    assert_eq!(assumed["open"], json!(["trusted.certname"]));
    assert_eq!(assumed["chosen"], false);
    assert_eq!(client.notification("hiera/activeNode"), assumed);
    assert_eq!(cases(&mut client, &common, (0, 0)), json!([]));
    let hover = client.hover(&common, (0, 0));
    assert!(hover.contains("8080") && !hover.contains("8081"), "{hover}");
    let place = json!({"textDocument": {"uri": uri(&common)}, "position": position((0, 0))});
    let preview = client.ask("hiera/mergedValue", place).expect("an answer");
    assert!(
        preview["text"].as_str().is_some_and(|it| it.contains("\nport: 8080  #")),
        "{preview:#}"
    );

    // The name of a chosen node proves neither of them.
    client.choose_node("web01");
    let hover = client.hover(&common, (0, 0));
    assert!(hover.contains("8080") && !hover.contains("8081"), "{hover}");
    client.ask("hiera/selectNode", json!({"name": null})).expect("any node");
    client.notification("hiera/activeNode");

    for name in ["a..b", "", "a b", "%{role}"] {
        let nonsense = client.ask("hiera/assume", json!({"variables": {name: "x"}}));
        assert_eq!(nonsense.expect_err("no variable")["code"], -32602);
    }
    assert_eq!(cases(&mut client, &common, (0, 0)), json!([]), "what was assumed stays");

    let forgotten = client.ask("hiera/assume", json!({"variables": {}})).expect("nothing");
    assert_eq!(forgotten["assumed"], json!([]));
    assert_eq!(forgotten["open"], json!(["trusted.certname", "role", "variant"]));
    assert_eq!(client.notification("hiera/activeNode"), forgotten);
    assert_eq!(cases(&mut client, &common, (0, 0)).as_array().map(Vec::len), Some(3));
}

#[test]
fn previews_and_the_hierarchy_show_what_only_some_nodes_get() {
    let (workspace, mut client, common) = client();
    let place = json!({"textDocument": {"uri": uri(&common)}, "position": position((0, 0))});
    let preview = client.ask("hiera/mergedValue", place.clone()).expect("an answer");
    let kinds: Vec<&Value> =
        preview["lines"].as_array().expect("a list").iter().map(|it| &it["kind"]).collect();
    assert_eq!(kinds.iter().filter(|it| **it == "case").count(), 2, "{preview:#}");
    let hierarchy = client.ask("hiera/hierarchy", place).expect("an answer");
    let files = &hierarchy["layers"][0]["levels"][1]["files"];
    let files = files.as_array().expect("a list");
    assert_eq!((&files[0]["uri"], &files[0]["exists"]), (&Value::Null, &json!(false)));
    assert_eq!(files[0]["label"], "data/roles/%{role}-%{variant}.yaml");
    let open: Vec<_> = files.iter().filter(|it| it["key"]["part"] == "open").collect();
    assert_eq!(open.len(), 2, "{hierarchy:#}");
    assert_eq!(open[0]["template"], "roles/%{role}-%{variant}.yaml");
    assert_eq!(open[0]["uri"], uri(&workspace.path("data/roles/web-alice.yaml")));
}
