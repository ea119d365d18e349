//! The real features, from the message to the response; the details are tested beside each feature.

use hiera_ls::server::Features;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::documents::{no_features, position, uri};
use crate::support::signal::Signal;
use crate::support::workspace::Workspace;

const HIERA_YAML: &str = "\
version: 5
hierarchy:
  - name: Nodes
    path: nodes/%{trusted.certname}.yaml
  - name: Common
    path: common.yaml
";

fn workspace() -> Workspace {
    Workspace::new(&[
        ("hiera.yaml", HIERA_YAML),
        ("data/nodes/web01.yaml", "port: 8080\n"),
        ("data/common.yaml", "port: 80\nurl: \"http://%{lookup('port')}/\"\n"),
    ])
}

fn client(workspace: &Workspace) -> Client {
    let mut client = Client::in_workspace(Features::ide(), workspace);
    assert_eq!(client.notification("hiera/activeNode")["name"], "any node");
    client.choose_node("web01");
    client
}

#[test]
fn hover_shows_what_the_node_gets() {
    let workspace = workspace();
    let mut client = client(&workspace);
    let common = workspace.path("data/common.yaml");
    client.open(&common, "port: 80\nurl: \"http://%{lookup('port')}/\"\n");
    let shown = client.hover(&common, (0, 0));
    assert!(shown.contains("8080"), "{shown}");
    let web01 = workspace.path("data/nodes/web01.yaml");
    client.open(&web01, "port: 8081\n");
    let shown = client.hover(&common, (0, 0));
    assert!(shown.contains("8081"), "{shown}");
    client.close(&web01);
    let shown = client.hover(&common, (0, 0));
    assert!(shown.contains("8080"), "{shown}");
}

#[test]
fn definition_leads_to_the_levels_in_order() {
    let workspace = workspace();
    let mut client = client(&workspace);
    let common = workspace.path("data/common.yaml");
    client.open(&common, "port: 80\nurl: \"http://%{lookup('port')}/\"\n");
    let params = json!({"textDocument": {"uri": uri(&common)}, "position": position((1, 24))});
    let targets = client.ask("textDocument/definition", params).expect("definition succeeds");
    let location = |path: &str| {
        let range = json!({"start": position((0, 0)), "end": position((0, 4))});
        json!({"uri": uri(&workspace.path(path)), "range": range})
    };
    assert_eq!(targets, json!([location("data/nodes/web01.yaml"), location("data/common.yaml")]));
}

#[test]
fn diagnostics_come_and_go_with_what_is_typed() {
    let workspace = workspace();
    let mut client = client(&workspace);
    let common = workspace.path("data/common.yaml");
    client.open(&common, "port: \"%{nothing('x')}\"\n");
    let published = client.notification("textDocument/publishDiagnostics");
    assert_eq!(published["version"], 1);
    let codes: Vec<&Value> = published["diagnostics"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|diagnostic| &diagnostic["code"])
        .collect();
    assert_eq!(codes, ["unknown-function"]);
    client.replace(&common, 2, "port: 80\n");
    let published = client.notification("textDocument/publishDiagnostics");
    assert_eq!(published["diagnostics"], json!([]));
}

#[test]
fn a_storm_of_edits_and_real_hovers_stays_in_order() {
    let workspace = workspace();
    let mut client = client(&workspace);
    let web01 = workspace.path("data/nodes/web01.yaml");
    let common = workspace.path("data/common.yaml");
    client.open(&web01, "port: 10000\n");
    let hovers: Vec<(i64, i32)> = (2..1_002)
        .map(|version| {
            client.edit(&web01, version, ((0, 6), (0, 11)), &(10_000 + version).to_string());
            (client.request_hover(&common, (0, 0)), 10_000 + version)
        })
        .collect();
    for (id, expected) in hovers {
        let hover = client.answer_to(id).expect("hover succeeds");
        let shown = hover["contents"]["value"].as_str().expect("a text");
        assert!(shown.contains(&expected.to_string()), "not {expected}: {shown}");
    }
}

/// The answer to a request about a place.
#[track_caller]
fn ask_at(client: &mut Client, method: &str, path: &str, at: (u32, u32)) -> Value {
    let mut params = json!({"textDocument": {"uri": uri(path)}, "position": position(at)});
    params["context"] = json!({"includeDeclaration": true, "triggerKind": 1});
    client.ask(method, params).expect("an answer")
}

#[track_caller]
fn ask_about(client: &mut Client, method: &str, path: &str) -> Value {
    client.ask(method, json!({"textDocument": {"uri": uri(path)}})).expect("an answer")
}

fn range(start: (u32, u32), end: (u32, u32)) -> Value {
    json!({"start": position(start), "end": position(end)})
}

#[test]
fn references_highlights_and_levels() {
    let workspace = workspace();
    let mut client = client(&workspace);
    let common = workspace.path("data/common.yaml");
    let web01 = workspace.path("data/nodes/web01.yaml");
    // Two UTF-16 units and four bytes in front of the token.
    client.open(&common, "port: 80\nurl: \"😀%{lookup('port')}/\"\n");
    let use_range = range((1, 18), (1, 22));
    let expected = json!([
        {"uri": uri(&common), "range": range((0, 0), (0, 4))},
        {"uri": uri(&common), "range": use_range},
        {"uri": uri(&web01), "range": range((0, 0), (0, 4))},
    ]);
    assert_eq!(ask_at(&mut client, "textDocument/references", &common, (1, 19)), expected);
    let highlights = ask_at(&mut client, "textDocument/documentHighlight", &common, (0, 1));
    assert_eq!(highlights[0]["kind"], 3);
    assert_eq!(highlights[1], json!({"range": use_range, "kind": 2}));
    let lowest = ask_at(&mut client, "textDocument/declaration", &web01, (0, 1));
    assert_eq!(lowest, json!([{"uri": uri(&common), "range": range((0, 0), (0, 4))}]));
    let all = ask_at(&mut client, "textDocument/implementation", &web01, (0, 1));
    assert_eq!(all.as_array().expect("a list").len(), 2);
}

#[test]
fn outlines_links_and_folds() {
    let workspace = workspace();
    let mut client = client(&workspace);
    let common = workspace.path("data/common.yaml");
    client.open(&common, "a: {b: 1}\nc:\n  - 1\n");
    let symbols = ask_about(&mut client, "textDocument/documentSymbol", &common);
    let names: Vec<&Value> =
        symbols.as_array().expect("a list").iter().map(|symbol| &symbol["name"]).collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert_eq!(symbols[1]["containerName"], "a");
    let folds = ask_about(&mut client, "textDocument/foldingRange", &common);
    assert_eq!(folds, json!([{"startLine": 1, "endLine": 2}]));
    let config = workspace.path("hiera.yaml");
    let links = ask_about(&mut client, "textDocument/documentLink", &config);
    assert_eq!(links[0]["target"], uri(&workspace.path("data/nodes/web01.yaml")));
    assert_eq!(links[1]["tooltip"], "data/common.yaml");
    let found = client.ask("workspace/symbol", json!({"query": "por"})).expect("an answer");
    assert_eq!(found[0]["name"], "port");
    assert_eq!(found[0]["containerName"], "data/nodes/web01.yaml");
}

#[test]
fn completions_are_made_and_resolved() {
    let workspace = workspace();
    let mut client = client(&workspace);
    let common = workspace.path("data/common.yaml");
    // The text is broken; the client is notified if the test takes long enough.
    client.forget("textDocument/publishDiagnostics");
    client.open(&common, "broken: [\nurl: \"😀%{lookup('po\n");
    let list = ask_at(&mut client, "textDocument/completion", &common, (1, 20));
    assert_eq!(list["isIncomplete"], false);
    let item = &list["items"][0];
    assert_eq!(item["label"], "port");
    assert_eq!(item["textEdit"], json!({"range": range((1, 18), (1, 20)), "newText": "port"}));
    let resolved = client.ask("completionItem/resolve", item.clone()).expect("an answer");
    let help = resolved["documentation"]["value"].as_str().expect("a text");
    assert!(help.contains("8080"), "{help}");
}

#[test]
fn work_that_nobody_waits_for_is_told() {
    static STARTED: Signal = Signal::new();
    static STOPPED: Signal = Signal::new();
    let mut client = Client::start(Features {
        workspace_symbols: |_, _, cancel| {
            STARTED.raise();
            while !cancel.is_cancelled() {
                std::thread::yield_now();
            }
            STOPPED.raise();
            Vec::new()
        },
        ..no_features()
    });
    let id = client.request("workspace/symbol", json!({"query": "a"}));
    STARTED.wait_for(1);
    client.notify("$/cancelRequest", json!({ "id": id }));
    client.answer_to(id).expect_err("it was cancelled");
    STOPPED.wait_for(1);
}

#[test]
fn findings_are_tagged_for_clients_that_know_tags() {
    let workspace = workspace();
    let text = "a: 1 # hiera-ls: ignore[octal-number]\nb: \"%{osfamily}\"\nc: 0644\n";
    workspace.write("data/common.yaml", text);
    let tags = |capabilities: Value| {
        let params = json!({"capabilities": capabilities, "rootUri": uri(workspace.root())});
        let mut client = Client::start_with(Features::ide(), params);
        client.forget("hiera/activeNode");
        client.open(&workspace.path("data/common.yaml"), text);
        let published = client.notification("textDocument/publishDiagnostics");
        let found = published["diagnostics"].as_array().expect("a list").clone();
        found.iter().map(|it| it["tags"].clone()).collect::<Vec<_>>()
    };
    let knows = |tags: Value| json!({"textDocument": {"publishDiagnostics": {"tagSupport": {"valueSet": tags}}}});
    assert_eq!(tags(knows(json!([1, 2]))), [json!([1]), json!([2]), Value::Null]);
    assert_eq!(tags(knows(json!([1]))), [json!([1]), Value::Null, Value::Null]);
    assert_eq!(tags(json!({})), [Value::Null, Value::Null, Value::Null]);
}

#[test]
fn the_workspace_s_files_are_checked_unless_only_open_ones_are_wanted() {
    let workspace = workspace();
    workspace.write("data/nodes/web01.yaml", "port: 0644\n");
    let ask = || {
        let capabilities = json!({"textDocument": {"diagnostic": {}}});
        let params = json!({"capabilities": capabilities, "rootUri": uri(workspace.root())});
        let mut client = Client::start_with(Features::ide(), params);
        client.forget("hiera/activeNode");
        let params = json!({"previousResultIds": []});
        let report = client.ask("workspace/diagnostic", params).expect("a report");
        report["items"].as_array().expect("a list").clone()
    };
    let found = ask();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["uri"], uri(&workspace.path("data/nodes/web01.yaml")));
    assert_eq!(found[0]["items"][0]["code"], "octal-number");
    workspace.write(".hiera-ls.yaml", "diagnostics: {scope: openFiles}\n");
    assert_eq!(ask(), [Value::Null; 0]);
}
