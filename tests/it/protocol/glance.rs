//! Code lenses, inlay hints and semantic tokens over the wire.

use hiera_ls::server::Features;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::documents::{no_features, position, uri};
use crate::support::signal::Signal;
use crate::support::workspace::Workspace;

const FILES: [(&str, &str); 3] = [
    (
        "hiera.yaml",
        "version: 5\nhierarchy:\n  - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}\n  - {name: Common, path: common.yaml}\n",
    ),
    (".hiera-ls.yaml", "node: web01\nnodes: {web01: {facts: {a: 1}}, web02: {facts: {a: 22}}}\n"),
    ("data/nodes/web01.yaml", "port: 8080\n"),
];

const COMMON: &str = "port: 80\ntext: \"😀%{facts.a}\"\n";

fn client(capabilities: &Value) -> (Workspace, Client, String) {
    let workspace = Workspace::new(&FILES);
    let root = uri(workspace.root());
    let params = json!({"capabilities": capabilities, "rootUri": root});
    let mut client = Client::start_with(Features::ide(), params);
    assert_eq!(client.notification("hiera/activeNode")["name"], "web01");
    let common = workspace.path("data/common.yaml");
    client.open(&common, COMMON);
    (workspace, client, common)
}

#[track_caller]
fn ask(client: &mut Client, method: &str, path: &str, more: &Value) -> Value {
    let mut params = json!({"textDocument": {"uri": uri(path)}});
    for (name, value) in more.as_object().expect("an object") {
        params[name] = value.clone();
    }
    client.ask(method, params).expect("an answer")
}

fn lines(from: u32, to: u32) -> Value {
    json!({"range": {"start": position((from, 0)), "end": position((to, 0))}})
}

#[test]
fn lenses_use_commands_that_the_client_has() {
    let commands = json!({"commands": {"commands": ["other", "hiera.allNodes", "hiera.preview"]}});
    let (_workspace, mut client, common) = client(&json!({ "experimental": commands }));
    let lenses = ask(&mut client, "textDocument/codeLens", &common, &json!({}));
    assert_eq!(lenses.as_array().map(Vec::len), Some(1), "{lenses:#}");
    let command = &lenses[0]["command"];
    assert_eq!(command["command"], "hiera.preview");
    let title = "2 levels · first · overridden in data/nodes/web01.yaml";
    assert_eq!(command["title"], title);
    let question = command["arguments"][0].clone();
    let preview = client.ask("hiera/mergedValue", question).expect("it is a question");
    assert_eq!(preview["key"], "port");
}

#[test]
fn clients_without_commands_get_no_lenses() {
    let (_workspace, mut client, common) = client(&json!({}));
    assert_eq!(client.initialize_result["capabilities"].get("codeLensProvider"), None);
    assert_eq!(ask(&mut client, "textDocument/codeLens", &common, &json!({})), Value::Null);
}

#[test]
fn hints_follow_the_active_node() {
    let refresh = json!({"refreshSupport": true});
    let (_workspace, mut client, common) = client(
        &json!({"workspace": {"inlayHint": refresh, "semanticTokens": refresh, "codeLens": refresh}}),
    );
    let labels = |client: &mut Client| -> Vec<(Value, String)> {
        let hints = ask(client, "textDocument/inlayHint", &common, &lines(0, 9));
        let hints = hints.as_array().expect("a list").iter();
        hints
            .map(|hint| {
                let parts = hint["label"].as_array().expect("parts").iter();
                let parts = parts.map(|part| part["value"].as_str().expect("a text"));
                (hint["position"].clone(), parts.collect())
            })
            .collect()
    };
    let overridden = "node gets 8080".to_owned();
    let token_end = position((1, 19));
    assert_eq!(
        labels(&mut client),
        [(position((0, 8)), overridden), (token_end.clone(), "= 1".to_owned())]
    );
    let first = &ask(&mut client, "textDocument/inlayHint", &common, &lines(0, 9))[0]["label"][0];
    assert_eq!(first["tooltip"], "data/nodes/web01.yaml:1");
    assert_eq!(first["location"]["range"]["start"]["line"], 0);
    let hints = ask(&mut client, "textDocument/inlayHint", &common, &lines(1, 2));
    assert_eq!(hints.as_array().map(Vec::len), Some(1), "{hints:#}");

    client.ask("hiera/selectNode", json!({"name": "web02"})).expect("it is there");
    assert_eq!(labels(&mut client), [(token_end, "= 22".to_owned())]);
    for what in ["codeLens", "inlayHint", "semanticTokens"] {
        client.request_from_server(&format!("workspace/{what}/refresh"));
    }
    client.forget("hiera/activeNode");
}

#[test]
fn tokens_come_whole_in_parts_and_as_differences() {
    let (_workspace, mut client, common) = client(&json!({}));
    let legend = &client.initialize_result["capabilities"]["semanticTokensProvider"]["legend"];
    assert_eq!(legend["tokenTypes"][0], "property");
    assert_eq!(legend["tokenModifiers"], json!(["overridden"]));
    let full = ask(&mut client, "textDocument/semanticTokens/full", &common, &json!({}));
    let data = |tokens: &Value| -> Vec<u64> {
        let numbers = tokens["data"].as_array().expect("numbers").iter();
        numbers.map(|it| it.as_u64().expect("a number")).collect()
    };
    let line_0 = [0, 0, 4, 0, 1, 0, 6, 2, 5, 1];
    let line_1 = [1, 0, 4, 0, 0, 0, 9, 2, 3, 0, 0, 2, 7, 1, 0, 0, 7, 1, 3, 0];
    assert_eq!(data(&full), [line_0.as_slice(), &line_1].concat());
    let range = ask(&mut client, "textDocument/semanticTokens/range", &common, &lines(1, 2));
    assert_eq!(data(&range), line_1);

    client.edit(&common, 2, ((1, 0), (1, 0)), "new: 1\n");
    let before = json!({"previousResultId": full["resultId"]});
    let method = "textDocument/semanticTokens/full/delta";
    let delta = ask(&mut client, method, &common, &before);
    assert_eq!(delta["edits"], json!([{"start": 10, "deleteCount": 0, "data": [1, 0, 3, 0, 0]}]));
    let same = json!({"previousResultId": delta["resultId"]});
    let delta = ask(&mut client, method, &common, &same);
    assert_eq!(delta["edits"], json!([]));
    let whole = ask(&mut client, method, &common, &json!({"previousResultId": "unknown"}));
    assert_eq!(data(&whole).len(), 35);
}

#[test]
fn what_is_outdated_before_it_begins_is_not_made() {
    static RUNNING: Signal = Signal::new();
    static MAY_END: Signal = Signal::new();
    let mut client = Client::start(Features {
        hover: |_, _, _, _| {
            RUNNING.raise();
            MAY_END.wait_for(1);
            None
        },
        ..no_features()
    });
    client.open("/r/a.yaml", "a: 1\n");
    // As many as there are slots; later requests wait.
    let slots = std::thread::available_parallelism().map_or(2, usize::from).max(2);
    let hovers: Vec<i64> = (0..slots).map(|_| client.request_hover("/r/a.yaml", (0, 0))).collect();
    RUNNING.wait_for(u32::try_from(slots).expect("few"));
    let params = json!({"textDocument": {"uri": "file:///r/a.yaml"}});
    let outdated = client.request("textDocument/semanticTokens/full", params.clone());
    client.edit("/r/a.yaml", 2, ((0, 0), (0, 1)), "b");
    let current = client.request("textDocument/semanticTokens/full", params);
    // The edit has arrived when the response to a later message arrives.
    client.ask("shutdown/unknown", Value::Null).expect_err("there is no such method");
    MAY_END.raise();
    let error = client.answer_to(outdated).expect_err("the text was edited");
    assert_eq!(error["code"], -32801);
    client.answer_to(current).expect("it is the newest text");
    for hover in hovers {
        client.answer_to(hover).expect("hover succeeds");
    }
}
