//! Merged values, explanations, comparisons and the hierarchy over the wire.

use hiera_ls::server::Features;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::documents::{position, uri};
use crate::support::workspace::Workspace;

const FILES: [(&str, &str); 5] = [
    (
        "hiera.yaml",
        "version: 5\nhierarchy:\n  - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}\n  - {name: Common, path: common.yaml}\n",
    ),
    (".hiera-ls.yaml", "node: web01\nnodes: {web01: {facts: {a: 1}}, web02: {facts: {a: 2}}}\n"),
    ("data/nodes/web01.yaml", "port: 8080\nlist: [own]\n"),
    ("data/common.yaml", COMMON),
    ("data/other.yaml", "x: 1\n"),
];

const COMMON: &str =
    "lookup_options: {list: {merge: unique}}\nport: 80\nlist: [\"😀 %{facts.a}\"]\n";

fn client(capabilities: &Value) -> (Workspace, Client, String) {
    let workspace = Workspace::new(&FILES);
    let root = uri(workspace.root());
    let params = json!({"capabilities": capabilities, "rootUri": root});
    let mut client = Client::start_with(Features::ide(), params);
    assert_eq!(client.notification("hiera/activeNode")["name"], "web01");
    let common = workspace.path("data/common.yaml");
    (workspace, client, common)
}

/// A request about a place of a file.
fn question(path: &str, at: (u32, u32)) -> Value {
    json!({"textDocument": {"uri": uri(path)}, "position": position(at)})
}

#[track_caller]
fn ask(client: &mut Client, method: &str, params: &Value) -> Value {
    client.ask(method, params.clone()).expect("an answer")
}

/// The location of the line that starts with `text`.
#[track_caller]
fn location_of<'a>(preview: &'a Value, text: &str) -> &'a Value {
    let lines = preview["text"].as_str().expect("a text").lines();
    let number = lines.clone().position(|line| line.trim_start().starts_with(text));
    let number = number.unwrap_or_else(|| panic!("no {text} in {preview:#}"));
    let lines = preview["lines"].as_array().expect("a list");
    let line = lines.iter().find(|line| line["line"] == number);
    &line.unwrap_or_else(|| panic!("nothing on line {number} of {preview:#}"))["location"]
}

#[test]
fn a_preview_follows_unsaved_text_and_the_active_node() {
    let (workspace, mut client, common) = client(&json!({}));
    client.open(&common, COMMON);
    let params = question(&common, (1, 1));
    let preview = ask(&mut client, "hiera/mergedValue", &params);
    assert_eq!(preview["key"], "port");
    assert_eq!(preview["node"], "web01");
    assert_eq!(preview["title"], "port · web01");
    assert_eq!(preview["languageId"], "yaml");
    let winner = location_of(&preview, "port: 8080");
    assert_eq!(winner["uri"], uri(&workspace.path("data/nodes/web01.yaml")));
    let hidden = location_of(&preview, "# port: 80");
    assert_eq!(hidden["range"]["start"], position((1, 6)));

    client.edit(&common, 2, ((1, 6), (1, 8)), "81");
    let edited = ask(&mut client, "hiera/mergedValue", &params);
    assert!(edited["text"].as_str().expect("a text").contains("# port: 81"), "{edited:#}");
    assert_eq!(edited["uri"], preview["uri"], "the same question");

    client.ask("hiera/selectNode", json!({"name": "web02"})).expect("it is there");
    let other = ask(&mut client, "hiera/mergedValue", &params);
    assert_eq!(other["node"], "web02");
    assert!(other["text"].as_str().expect("a text").contains("\nport: 81  # "), "{other:#}");
    assert_eq!(client.notification("hiera/activeNode")["name"], "web02");
}

#[test]
fn origins_are_counted_as_the_client_counts() {
    let (_workspace, mut client, common) = client(&json!({}));
    let params = json!({"textDocument": {"uri": uri(&common)}, "key": "list"});
    let preview = ask(&mut client, "hiera/mergedValue", &params);
    let lines = preview["lines"].as_array().expect("a list");
    let line = lines.last().expect("the item of the lowest level is the last line");
    // `  - "😀 1"`: two UTF-16 units and four bytes for the one character.
    assert!(preview["text"].as_str().expect("a text").contains("😀 1"), "{preview:#}");
    assert_eq!(line["origin"]["start"], 12, "{preview:#}");
}

#[test]
fn scopes_and_nodes_that_are_not_there() {
    let (_workspace, mut client, common) = client(&json!({}));
    let of_file = json!({"textDocument": {"uri": uri(&common)}, "scope": "file"});
    let preview = ask(&mut client, "hiera/mergedValue", &of_file);
    assert_eq!(preview["key"], Value::Null);
    assert!(preview["text"].as_str().expect("a text").contains("\nlist:"), "{preview:#}");
    let of_node = json!({"scope": "node", "node": "web02"});
    let preview = ask(&mut client, "hiera/mergedValue", &of_node);
    assert_eq!(preview["title"], "whole node · web02");
    let error = client.ask("hiera/mergedValue", json!({"key": "port", "node": "web03"}));
    let error = error.expect_err("there is no such node");
    assert_eq!(error["code"], -32602);
    assert_eq!(error["message"], "no node has the name web03");
    assert_eq!(ask(&mut client, "hiera/mergedValue", &json!({})), Value::Null);
}

#[test]
fn explanations_have_a_tree() {
    let (_workspace, mut client, common) = client(&json!({}));
    let explained = ask(&mut client, "hiera/explain", &question(&common, (2, 1)));
    assert_eq!(explained["languageId"], "plaintext");
    let tree = explained["tree"].as_array().expect("a list");
    let search = tree.iter().find(|step| step["label"] == "search for list").expect("a search");
    assert_eq!(search["children"][0]["kind"], "result");
    assert_eq!(tree[0]["detail"], "[\"own\", \"😀 1\"]", "the answer comes first");
    assert_eq!(tree[0]["children"][0]["kind"], "found");
}

#[test]
fn explanations_in_full_are_documents_of_their_own() {
    let hierarchy = "version: 5\nhierarchy:\n  - {name: More, glob: 'more/*.yaml'}\n  - {name: Common, path: common.yaml}\n";
    let workspace = Workspace::new(&[("hiera.yaml", hierarchy), ("data/common.yaml", COMMON)]);
    for number in 1..=4 {
        workspace.write(&format!("data/more/{number}.yaml"), "other: 1\n");
    }
    let capabilities = json!({"workspace": {"textDocumentContent": {}}});
    let params = json!({"capabilities": capabilities, "rootUri": uri(workspace.root())});
    let mut client = Client::start_with(Features::ide(), params);
    client.forget("hiera/activeNode");
    let common = workspace.path("data/common.yaml");
    let text = |document: &Value| document["text"].as_str().expect("a text").to_owned();
    let mut params = json!({"textDocument": {"uri": uri(&common)}, "key": "port"});
    let folded = ask(&mut client, "hiera/explain", &params);
    assert!(text(&folded).contains("4 files: do not have it"), "{folded:#}");
    let lines = folded["lines"].as_array().expect("a list");
    assert!(lines.iter().any(|line| line["kind"] == "more"), "{folded:#}");
    params["full"] = true.into();
    let full = ask(&mut client, "hiera/explain", &params);
    assert!(text(&full).contains("data/more/3.yaml: does not have it"), "{full:#}");
    assert_ne!(full["uri"], folded["uri"]);
    let again = ask(&mut client, "workspace/textDocumentContent", &json!({"uri": full["uri"]}));
    assert_eq!(text(&again), text(&full));
    // It depends on timing whether a round of the publisher comes after the document.
    client.forget("workspace/textDocumentContent/refresh");
}

#[test]
fn two_nodes_and_two_texts_compared() {
    let (workspace, mut client, common) = client(&json!({}));
    let mut params = question(&common, (1, 1));
    params["with"] = json!({"node": "web02"});
    let both = ask(&mut client, "hiera/compare", &params);
    assert_eq!(both["differs"], true);
    assert_eq!(both["left"]["text"], "port: 8080\n");
    assert_eq!(both["right"]["text"], "port: 80\n");
    assert_eq!(both["diff"]["languageId"], "diff");
    let deleted = location_of(&both["diff"], "-port");
    assert_eq!(deleted["uri"], uri(&workspace.path("data/nodes/web01.yaml")));

    params["with"] = json!({"saved": true});
    assert_eq!(ask(&mut client, "hiera/compare", &params)["differs"], false);
    let web01 = workspace.path("data/nodes/web01.yaml");
    client.open(&web01, "port: 8081\n");
    let both = ask(&mut client, "hiera/compare", &params);
    assert_eq!(
        (&both["left"]["text"], &both["right"]["text"]),
        (&json!("port: 8080\n"), &json!("port: 8081\n"))
    );
    params["with"] = json!({});
    client.ask("hiera/compare", params).expect_err("compared with nothing");
}

#[test]
fn all_nodes_in_groups() {
    let (workspace, mut client, common) = client(&json!({}));
    let all = ask(&mut client, "hiera/allNodes", &question(&common, (1, 1)));
    assert_eq!(all["node"], Value::Null);
    let groups = all["groups"].as_array().expect("a list");
    assert_eq!(groups.len(), 2);
    assert_eq!(groups[0]["nodes"], json!(["web01"]));
    assert_eq!(groups[0]["value"], "8080\n");
    assert_eq!(groups[0]["locations"][0]["uri"], uri(&workspace.path("data/nodes/web01.yaml")));
}

#[test]
fn the_hierarchy_marks_the_files_that_have_the_key() {
    let (workspace, mut client, common) = client(&json!({}));
    let hierarchy = ask(&mut client, "hiera/hierarchy", &question(&common, (1, 1)));
    assert_eq!((&hierarchy["key"], &hierarchy["merge"]), (&json!("port"), &json!("first")));
    let layer = &hierarchy["layers"][0];
    assert_eq!(layer["kind"], "environment");
    assert_eq!(layer["config"]["uri"], uri(&workspace.path("hiera.yaml")));
    let file = &layer["levels"][0]["files"][0];
    assert_eq!(file["template"], "nodes/%{trusted.certname}.yaml");
    assert_eq!(file["uri"], uri(&workspace.path("data/nodes/web01.yaml")));
    assert_eq!((&file["exists"], &file["key"]["part"]), (&json!(true), &json!("wins")));
    assert_eq!(layer["levels"][1]["files"][0]["key"]["part"], "overridden");
    let none = ask(&mut client, "hiera/hierarchy", &json!({}));
    assert_eq!(none["layers"][0]["levels"][0]["files"][0]["key"], Value::Null);
}

#[test]
fn previews_are_documents_too() {
    let (workspace, mut client, common) =
        client(&json!({"workspace": {"textDocumentContent": {"dynamicRegistration": true}}}));
    let schemes = &client.initialize_result["capabilities"]["workspace"]["textDocumentContent"];
    assert_eq!(schemes["schemes"], json!(["hiera-ls"]));
    let preview = ask(&mut client, "hiera/mergedValue", &question(&common, (1, 1)));
    let document = json!({"uri": preview["uri"]});
    let content = ask(&mut client, "workspace/textDocumentContent", &document);
    assert_eq!(content["text"], preview["text"]);

    let line = preview["text"].as_str().expect("a text").lines().count() as u32 - 1;
    let at = json!({"textDocument": document, "position": position((line, 3))});
    let target = ask(&mut client, "textDocument/definition", &at);
    assert_eq!(target["uri"], uri(&common));
    assert_eq!(target["range"]["start"], position((1, 6)));

    client.open(&common, "port: 82\n");
    let (_, refreshed) = client.request_from_server("workspace/textDocumentContent/refresh");
    assert_eq!(refreshed["uri"], preview["uri"]);
    let content = ask(&mut client, "workspace/textDocumentContent", &document);
    assert!(content["text"].as_str().expect("a text").contains("# port: 82"), "{content}");
    client.notify("textDocument/didClose", json!({"textDocument": document}));
    let unknown = json!({"uri": "hiera-ls:/value/x.yaml?%7B%7D"});
    let content = ask(&mut client, "workspace/textDocumentContent", &unknown);
    assert_eq!(content["text"], "# not available\n");
    // It depends on timing whether this takes the publisher one round or two.
    client.forget("workspace/textDocumentContent/refresh");
    drop(workspace);
}

#[test]
fn clients_hear_that_previews_may_have_changed() {
    let (_workspace, mut client, common) =
        client(&json!({"experimental": {"previewChanged": true}}));
    let before = client.notification("hiera/previewChanged")["revision"].as_u64();
    client.open(&common, "port: 81\n");
    let after = client.notification("hiera/previewChanged")["revision"].as_u64();
    assert!(after > before, "{before:?} {after:?}");
    client.forget("hiera/previewChanged");
}

#[test]
fn places_in_hovers_are_links_for_clients_that_open_them() {
    let (_workspace, mut client, common) = client(&json!({"experimental": {"hoverLinks": true}}));
    client.open(&common, "port: 81\n");
    let hover = client.hover(&common, (0, 1));
    let link = format!("[`data/common.yaml:1`]({}#L1)", uri(&common));
    assert!(hover.contains(&link), "{hover}");

    let (_workspace, mut client, common) = self::client(&json!({}));
    client.open(&common, "port: 81\n");
    let hover = client.hover(&common, (0, 1));
    assert!(hover.contains("`data/common.yaml:1`") && !hover.contains("file://"), "{hover}");
}
