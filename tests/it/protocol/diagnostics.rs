//! Diagnostics are sent if they differ from those before, for the text that they belong to.

use std::sync::Arc;

use hiera_ls::ide::{Diagnostic, Severity};
use hiera_ls::server::{CancelToken, Features};
use hiera_ls::text::TextRange;
use hiera_ls::world::World;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::documents::{no_features, uri};
use crate::support::signal::Signal;
use crate::support::workspace::Workspace;

const PATH: &str = "/diagnostics/common.yaml";
const PUBLISH: &str = "textDocument/publishDiagnostics";

/// One finding for each `!` of the text.
pub(super) fn exclamations(world: &Arc<World>, path: &str, _: &CancelToken) -> Vec<Diagnostic> {
    let text = world.file(path).map(|file| file.text.to_string()).unwrap_or_default();
    let finding = |(at, _)| Diagnostic {
        range: TextRange::new(at as u32, at as u32 + 1),
        severity: Severity::Warning,
        code: "exclamation",
        is_secret: false,
        message: "not so loud".to_owned(),
        related: Vec::new(),
        url: None,
        fixes: Vec::new(),
    };
    text.match_indices('!').map(finding).collect()
}

/// The version and the number of findings of the next set for `path`.
#[track_caller]
fn check(client: &mut Client, path: &str, version: &Value, findings: usize) {
    let published = client.notification(PUBLISH);
    assert_eq!(published["uri"], uri(path));
    assert_eq!(published["version"], *version);
    assert_eq!(published["diagnostics"].as_array().expect("a list").len(), findings);
}

#[test]
fn only_sets_that_changed_are_sent() {
    static ROUNDS: Signal = Signal::new();
    let mut client = Client::start(Features {
        diagnostics: |world, path, cancel| {
            ROUNDS.raise();
            exclamations(world, path, cancel)
        },
        ..no_features()
    });
    client.open(PATH, "a: 1\n");
    check(&mut client, PATH, &json!(1), 0);
    client.replace(PATH, 2, "a: 1!\n");
    check(&mut client, PATH, &json!(2), 1);
    let rounds = ROUNDS.count();
    client.replace(PATH, 3, "b: 2!\n");
    ROUNDS.wait_for(rounds + 1);
    client.replace(PATH, 4, "b: 2!!\n");
    check(&mut client, PATH, &json!(4), 2);
    client.close(PATH);
    check(&mut client, PATH, &Value::Null, 0);
    client.open(PATH, "a: 1!\n");
    check(&mut client, PATH, &json!(1), 1);
}

#[test]
fn only_files_whose_sets_changed_are_sent() {
    let other = "/diagnostics/other.yaml";
    let mut client = Client::start(Features { diagnostics: exclamations, ..no_features() });
    client.open(PATH, "a: 1!\n");
    check(&mut client, PATH, &json!(1), 1);
    client.open(other, "b: 1!\n");
    check(&mut client, other, &json!(1), 1);
    client.replace(PATH, 2, "a: 1\n");
    check(&mut client, PATH, &json!(2), 0);
}

#[test]
fn what_was_found_in_an_older_text_is_not_sent() {
    static ROUNDS: Signal = Signal::new();
    static SENT: Signal = Signal::new();
    let mut client = Client::start(Features {
        diagnostics: |world, path, cancel| {
            let findings = exclamations(world, path, cancel);
            ROUNDS.raise();
            if findings.len() == 1 {
                SENT.wait_for(1);
            }
            findings
        },
        ..no_features()
    });
    client.open(PATH, "a: !\n");
    ROUNDS.wait_for(1);
    client.replace(PATH, 2, "a: !!\n");
    // The response proves that the edit has arrived.
    client.hover(PATH, (0, 0));
    SENT.raise();
    check(&mut client, PATH, &json!(2), 2);
}

#[test]
fn a_burst_of_edits_is_one_round_or_few() {
    static ROUNDS: Signal = Signal::new();
    let mut client = Client::start(Features {
        diagnostics: |world, path, cancel| {
            ROUNDS.raise();
            exclamations(world, path, cancel)
        },
        ..no_features()
    });
    client.open(PATH, "a: 1\n");
    for version in 2..1_000 {
        client.edit(PATH, version, ((0, 0), (0, 1)), "a");
    }
    client.replace(PATH, 1_000, "a: !\n");
    while client.notification(PUBLISH)["version"] != 1_000 {}
    assert!(ROUNDS.count() < 100, "{} rounds for one burst", ROUNDS.count());
}

#[test]
fn the_client_s_own_spelling_of_a_path_is_used() {
    let mut client = Client::start(Features { diagnostics: exclamations, ..no_features() });
    let spelled = "file:///diagnostics/%63ommon%2Eyaml";
    let document = json!({"uri": spelled, "languageId": "yaml", "version": 7, "text": "!"});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
    assert_eq!(client.notification(PUBLISH)["uri"], spelled);
}

/// A client that pulls the diagnostics of open files, and pulls them again when the server asks for it.
fn pulling_client(workspace: &Workspace) -> Client {
    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    let features = Features { diagnostics: exclamations, ..no_features() };
    let root = uri(workspace.root());
    let params = json!({ "capabilities": capabilities, "rootUri": root });
    let mut client = Client::start_with(features, params);
    assert_eq!(client.notification("hiera/activeNode")["name"], "one");
    client
}

fn two_nodes() -> Workspace {
    Workspace::new(&[
        ("hiera.yaml", "version: 5\n"),
        (".hiera-ls.yaml", "node: one\nnodes: {one: {facts: {a: 1}}, two: {facts: {a: 2}}}\n"),
    ])
}

#[track_caller]
fn pull(client: &mut Client, previous: &Value) -> Value {
    let params = json!({"textDocument": {"uri": uri(PATH)}, "previousResultId": previous});
    client.ask("textDocument/diagnostic", params).expect("a report")
}

#[test]
fn clients_that_ask_but_not_again_are_answered_and_not_told() {
    let workspace = two_nodes();
    let features = Features { diagnostics: exclamations, ..no_features() };
    let capabilities = json!({"textDocument": {"diagnostic": {}}});
    let params = json!({"capabilities": capabilities, "rootUri": uri(workspace.root())});
    let mut client = Client::start_with(features, params);
    assert_eq!(client.notification("hiera/activeNode")["name"], "one");
    client.open(PATH, "a: 1!\n");
    assert_eq!(pull(&mut client, &Value::Null)["items"].as_array().map(Vec::len), Some(1));
    client.ask("hiera/selectNode", json!({"name": "two"})).expect("it is there");
    assert_eq!(client.notification("hiera/activeNode")["name"], "two");
}

#[test]
fn clients_that_ask_are_answered_and_not_told() {
    let workspace = two_nodes();
    let mut client = pulling_client(&workspace);
    let provider = &client.initialize_result["capabilities"]["diagnosticProvider"];
    assert_eq!(provider["interFileDependencies"], true);
    client.open(PATH, "a: 1!\n");
    let first = pull(&mut client, &Value::Null);
    assert_eq!(first["kind"], "full");
    assert_eq!(first["items"].as_array().expect("a list").len(), 1);
    let same = pull(&mut client, &first["resultId"]);
    assert_eq!(same, json!({"kind": "unchanged", "resultId": first["resultId"]}));
    client.replace(PATH, 2, "a: 1\n");
    let second = pull(&mut client, &first["resultId"]);
    assert_eq!(second["items"], json!([]));
}

#[test]
fn clients_that_ask_are_told_when_they_cannot_know() {
    let workspace = two_nodes();
    let mut client = pulling_client(&workspace);
    client.open(PATH, "a: 1!\n");
    for name in ["two", "one"] {
        client.ask("hiera/selectNode", json!({ "name": name })).expect("it is there");
        assert_eq!(client.notification("hiera/activeNode")["name"], name);
    }
    client.request_from_server("workspace/diagnostic/refresh");
    client.forget("workspace/diagnostic/refresh");
}

/// Pulls the diagnostics of the workspace; returns kind, path and number of findings, and the result ids for the next
/// request.
fn pull_workspace(client: &mut Client, workspace: &Workspace, previous: &Value) -> (String, Value) {
    let params = json!({ "previousResultIds": previous });
    let report = client.ask("workspace/diagnostic", params).expect("a report");
    let mut shown = String::new();
    let mut ids = Vec::new();
    for item in report["items"].as_array().expect("a list") {
        let path = item["uri"].as_str().expect("a text").replace(&uri(workspace.root()), ".");
        let count = item["items"].as_array().map_or(0, Vec::len);
        shown += &format!("{} {path} {count}\n", item["kind"].as_str().expect("a text"));
        ids.push(json!({"uri": item["uri"], "value": item["resultId"]}));
    }
    (shown, Value::Array(ids))
}

#[test]
fn the_workspace_is_answered_for_as_a_whole() {
    static ROUNDS: Signal = Signal::new();
    let workspace = two_nodes();
    workspace.write("data/a.yaml", "a: 1!\n");
    workspace.write("data/b.yaml", "b: 1\n");
    let features = Features {
        diagnostics: |world, path, cancel| {
            ROUNDS.raise();
            exclamations(world, path, cancel)
        },
        workspace_files: |world, _| {
            let root = world.folders()[0].clone();
            ["a", "b"].map(|name| format!("{root}/data/{name}.yaml")).to_vec()
        },
        ..no_features()
    };
    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {
            "diagnostics": {"refreshSupport": true},
            "didChangeWatchedFiles": {"dynamicRegistration": true},
        },
    });
    let params = json!({"capabilities": capabilities, "rootUri": uri(workspace.root())});
    let mut client = Client::start_with(features, params);
    client.request_from_server("client/registerCapability");
    assert_eq!(client.notification("hiera/activeNode")["name"], "one");
    let provider = &client.initialize_result["capabilities"]["diagnosticProvider"];
    assert_eq!(provider["workspaceDiagnostics"], true);
    let (shown, first) = pull_workspace(&mut client, &workspace, &json!([]));
    assert_eq!(shown, "full ./data/a.yaml 1\n");
    let rounds = ROUNDS.count();
    let (shown, _) = pull_workspace(&mut client, &workspace, &first);
    assert_eq!(shown, "unchanged ./data/a.yaml 0\n");
    assert_eq!(ROUNDS.count(), rounds, "nothing has changed");
    client.open(&workspace.path("data/b.yaml"), "b: !!\n");
    let (shown, second) = pull_workspace(&mut client, &workspace, &first);
    assert_eq!(shown, "unchanged ./data/a.yaml 0\nfull ./data/b.yaml 2\n");
    client.open(&workspace.path("data/a.yaml"), "a: 1\n");
    let mut known = second;
    let other = json!({"uri": uri(&workspace.path("data/gone.yaml")), "value": "x"});
    known.as_array_mut().expect("a list").push(other);
    let (shown, _) = pull_workspace(&mut client, &workspace, &known);
    let all = "full ./data/a.yaml 0\nunchanged ./data/b.yaml 0\nfull ./data/gone.yaml 0\n";
    assert_eq!(shown, all);
}
