//! Code actions depend on the capabilities of the client.

use hiera_ls::server::Features;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::documents::{position, uri};
use crate::support::workspace::Workspace;

const TEXT: &str = "a: 'ä😀'\nb: yes\n";

fn workspace() -> Workspace {
    Workspace::new(&[
        ("hiera.yaml", "version: 5\nhierarchy: [{name: Common, path: common.yaml}]\n"),
        ("data/common.yaml", TEXT),
    ])
}

/// A client that supports code actions, and edits of this form.
fn client(workspace: &Workspace, workspace_edit: &Value) -> Client {
    client_that(workspace, workspace_edit, &json!({}))
}

/// The same with more capabilities for code actions.
fn client_that(workspace: &Workspace, workspace_edit: &Value, knows: &Value) -> Client {
    let mut code_action = knows.clone();
    code_action["codeActionLiteralSupport"] = json!({"codeActionKind": {"valueSet": ["quickfix"]}});
    let capabilities = json!({
        "textDocument": {"codeAction": code_action},
        "workspace": {"workspaceEdit": workspace_edit},
    });
    let root = uri(workspace.root());
    let params = json!({"capabilities": capabilities, "rootUri": root});
    let mut client = Client::start_with(Features::ide(), params);
    client.forget("hiera/activeNode");
    client.forget("textDocument/publishDiagnostics");
    client
}

fn ask(client: &mut Client, path: &str, context: Value) -> Vec<Value> {
    ask_at(client, path, (1, 4), context)
}

#[expect(clippy::needless_pass_by_value, reason = "tests write contexts in place")]
fn ask_at(client: &mut Client, path: &str, at: (u32, u32), context: Value) -> Vec<Value> {
    let range = json!({"start": position(at), "end": position(at)});
    let params = json!({"textDocument": {"uri": uri(path)}, "range": range, "context": context});
    let actions = client.ask("textDocument/codeAction", params).expect("an answer");
    actions.as_array().expect("a list").clone()
}

fn edit_to(text: &str) -> Value {
    let range = json!({"start": position((1, 3)), "end": position((1, 6))});
    json!({"range": range, "newText": text})
}

#[test]
fn edits_name_the_version_that_they_are_for() {
    let workspace = workspace();
    let mut client = client(&workspace, &json!({"documentChanges": true}));
    let kinds = &client.initialize_result["capabilities"]["codeActionProvider"]["codeActionKinds"];
    assert!(kinds.as_array().expect("a list").contains(&json!("source.fixAll.hiera")));
    let path = workspace.path("data/common.yaml");
    client.open(&path, "x");
    client.replace(&path, 7, TEXT);
    let action = ask(&mut client, &path, json!({"diagnostics": []})).swap_remove(0);
    assert_eq!(action["title"], "Write `true`");
    assert_eq!(action["kind"], "quickfix");
    assert_eq!(action["isPreferred"], true);
    assert_eq!(action["diagnostics"][0]["code"], "yaml-1.1-boolean");
    let document = json!({"uri": uri(&path), "version": 7});
    let change = json!({"textDocument": document, "edits": [edit_to("true")]});
    assert_eq!(action["edit"], json!({"documentChanges": [change]}));
}

#[test]
fn older_clients_get_edits_by_uri() {
    let workspace = workspace();
    let mut client = client(&workspace, &Value::Null);
    let path = workspace.path("data/common.yaml");
    client.open(&path, TEXT);
    let action = ask(&mut client, &path, json!({"diagnostics": []})).swap_remove(0);
    let mut changes = json!({});
    changes[uri(&path)] = json!([edit_to("true")]);
    assert_eq!(action["edit"], json!({ "changes": changes }));
}

#[test]
fn only_the_kinds_that_are_asked_for() {
    let workspace = workspace();
    let mut client = client(&workspace, &Value::Null);
    let path = workspace.path("data/common.yaml");
    let mut kinds = |only: Value| {
        let actions = ask(&mut client, &path, json!({"diagnostics": [], "only": only}));
        let kinds: Vec<_> = actions.into_iter().map(|mut it| it["kind"].take()).collect();
        kinds
    };
    assert_eq!(kinds(json!(["source"])), ["source.fixAll.hiera"]);
    assert_eq!(kinds(json!(["source.fixAll"])), ["source.fixAll.hiera"]);
    assert_eq!(kinds(json!(["source.fixAll.eslint", "source.fix"])), [""; 0]);
    assert_eq!(kinds(json!(["quickfix"])), ["quickfix"; 4]);
    assert_eq!(kinds(json!([""])).len(), 5);
}

#[test]
fn the_client_s_own_diagnostics_come_back() {
    let workspace = workspace();
    let mut client = client(&workspace, &Value::Null);
    let path = workspace.path("data/common.yaml");
    let known = json!({
        "range": {"start": position((1, 3)), "end": position((1, 6))},
        "code": "yaml-1.1-boolean",
        "message": "as it was shown",
        "data": 7,
    });
    let actions = ask(&mut client, &path, json!({ "diagnostics": [known] }));
    assert_eq!(actions[0]["diagnostics"], json!([known]));
}

/// An editor asks for the fixes of one finding, and another one is at the same place.
#[test]
fn fixes_of_another_finding_at_the_same_place_stay_away() {
    let workspace = Workspace::new(&[
        ("hiera.yaml", "version: 5\nhierarchy: [{name: Common, path: common.yaml}]\n"),
        ("data/common.yaml", "x: 1\n"),
        ("modules/web/manifests/init.pp", "class web(Integer $port) { include web::db }\n"),
        ("modules/web/manifests/db.pp", "class web::db(Integer $size) { }\n"),
        ("manifests/site.pp", "include web\n"),
    ]);
    let mut client = client(&workspace, &Value::Null);
    let path = workspace.path("manifests/site.pp");
    client.open(&path, "include web\n");
    let mut titles = |diagnostics: Value| {
        let actions = ask_at(&mut client, &path, (0, 9), json!({ "diagnostics": diagnostics }));
        let title = |it: &Value| it["title"].as_str().expect("a title").to_owned();
        let known: Vec<_> = actions.iter().filter_map(|it| it["diagnostics"].as_array()).collect();
        (actions.iter().map(title).collect::<Vec<_>>(), json!(known))
    };
    let (all, known) = titles(json!([]));
    let port = "Add `web::port` with the placeholder `0` to data/common.yaml (Common)";
    let size = "Add `web::db::size` with the placeholder `0` to data/common.yaml (Common)";
    let ignore = [
        "Ignore missing-required-parameter on line 1",
        "Ignore missing-required-parameter in this file",
    ];
    assert_eq!(all, [&[port, size][..], &ignore[..]].concat());
    let second = &known[1][0];
    assert_eq!(titles(json!([second])).0, [&[size][..], &ignore[..]].concat());
    let mut older = second.clone();
    older["message"] = json!("as it was shown");
    assert_eq!(titles(json!([older])).0, all);
}

#[test]
fn who_takes_only_commands_is_offered_nothing() {
    let workspace = workspace();
    let params = json!({"capabilities": {}, "rootUri": uri(workspace.root())});
    let mut client = Client::start_with(Features::ide(), params);
    client.forget("hiera/activeNode");
    assert_eq!(client.initialize_result["capabilities"]["codeActionProvider"], Value::Null);
}

#[test]
fn what_cannot_be_done_says_why_to_clients_that_show_it() {
    let workspace = workspace();
    workspace.write(
        "hiera.yaml",
        "version: 5\nhierarchy: [{name: Own, path: own.yaml}, {name: Common, path: common.yaml}]\n",
    );
    let refusals = |knows: Value| {
        let mut client = client_that(&workspace, &json!({"documentChanges": true}), &knows);
        let path = workspace.path("data/common.yaml");
        client.open(&path, "a: &x 1\nbee: *x\n");
        let asked = json!({"diagnostics": [], "only": ["refactor"]});
        let actions = ask_at(&mut client, &path, (1, 1), asked);
        let of = |action: &Value| (action["disabled"]["reason"].clone(), action["edit"].clone());
        actions.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(refusals(json!({})), [], "nothing that a client would take for something to do");
    let why = (json!("`bee` has an anchor or an alias."), Value::Null);
    assert_eq!(refusals(json!({"disabledSupport": true})), [why.clone(), why]);
}

#[cfg(unix)]
#[test]
fn no_file_is_created_below_a_link_that_leads_nowhere() {
    let workspace = Workspace::new(&[
        (
            "hiera.yaml",
            "version: 5\nhierarchy:\n  - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}\n  - {name: Roles, path: 'roles/web.yaml'}\n  - {name: Common, path: common.yaml}\n",
        ),
        (".hiera-ls.yaml", "node: web01\nnodes: {web01: {facts: {a: 1}}}\n"),
        ("data/common.yaml", TEXT),
    ]);
    std::os::unix::fs::symlink("/nowhere", workspace.path("data/nodes")).expect("a link");
    let creates = json!({"documentChanges": true, "resourceOperations": ["create"]});
    let mut client = client(&workspace, &creates);
    let path = workspace.path("data/common.yaml");
    client.open(&path, TEXT);
    let context = json!({"diagnostics": [], "only": ["refactor"]});
    let actions = ask_at(&mut client, &path, (0, 0), context);
    let titles = actions.iter().filter_map(|it| it["title"].as_str());
    let overrides: Vec<&str> = titles.filter(|it| it.starts_with("Override")).collect();
    assert_eq!(overrides, ["Override `a` in data/roles/web.yaml (Roles)"]);
}
