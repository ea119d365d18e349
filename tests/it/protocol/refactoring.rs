//! Renames, level jumps, call hierarchies and selections, from the message to the answer.

use hiera_ls::server::Features;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::documents::{position, uri};
use crate::support::workspace::Workspace;

const HIERA_YAML: &str = "\
version: 5
hierarchy:
  - name: Nodes
    path: nodes/%{trusted.certname}.yaml
  - name: Common
    path: common.yaml
";

const COMMON: &str =
    "port: 80\nurl: \"😀 http://%{lookup('port')}/\"\nlookup_options: {^po: {merge: first}}\n";

fn workspace() -> Workspace {
    Workspace::new(&[
        ("hiera.yaml", HIERA_YAML),
        ("data/nodes/web01.yaml", "port: 8080\n"),
        ("data/common.yaml", COMMON),
    ])
}

/// A client with these capabilities for edits of the workspace, and others to match.
fn client(workspace: &Workspace, edits: &Value) -> Client {
    let capabilities = json!({
        "textDocument": {"rename": {"prepareSupport": true}},
        "workspace": {
            "workspaceEdit": edits,
            "fileOperations": {"willRename": true},
            "didChangeWatchedFiles": {"dynamicRegistration": true},
        },
    });
    let params = json!({"capabilities": capabilities, "rootUri": uri(workspace.root())});
    let mut client = Client::start_with(Features::ide(), params);
    client.request_from_server("client/registerCapability");
    client.notification("hiera/activeNode");
    client
}

fn place(path: &str, at: (u32, u32)) -> Value {
    json!({"textDocument": {"uri": uri(path)}, "position": position(at)})
}

fn rename(path: &str, at: (u32, u32), new_name: &str) -> Value {
    let mut params = place(path, at);
    params["newName"] = new_name.into();
    params
}

fn range(start: (u32, u32), end: (u32, u32)) -> Value {
    json!({"start": position(start), "end": position(end)})
}

#[test]
fn a_rename_names_the_versions_it_is_meant_for() {
    let workspace = workspace();
    let mut client = client(&workspace, &json!({"documentChanges": true}));
    let provider = &client.initialize_result["capabilities"]["renameProvider"];
    assert_eq!(provider["prepareProvider"], true);
    let common = workspace.path("data/common.yaml");
    let web01 = workspace.path("data/nodes/web01.yaml");
    client.open(&common, COMMON);
    client.edit(&common, 7, ((0, 6), (0, 8)), "81");
    let prepared =
        client.ask("textDocument/prepareRename", place(&common, (1, 27))).expect("an answer");
    assert_eq!(prepared, json!({"range": range((1, 26), (1, 30)), "placeholder": "port"}));
    let edit =
        client.ask("textDocument/rename", rename(&common, (1, 27), "portal")).expect("an edit");
    let document = |path: &str, version: Value| json!({"uri": uri(path), "version": version});
    let change = |range: Value| json!({"range": range, "newText": "portal"});
    let expected = json!([
        {
            "textDocument": document(&common, json!(7)),
            "edits": [change(range((0, 0), (0, 4))), change(range((1, 26), (1, 30)))],
        },
        {"textDocument": document(&web01, Value::Null), "edits": [change(range((0, 0), (0, 4)))]},
    ]);
    assert_eq!(edit, json!({"documentChanges": expected}));
}

#[test]
fn clients_that_group_edits_get_the_groups() {
    let workspace = workspace();
    let can = json!({"documentChanges": true, "changeAnnotationSupport": {"groupsOnLabel": true}});
    let mut client = client(&workspace, &can);
    let common = workspace.path("data/common.yaml");
    let edit = client.ask("textDocument/rename", rename(&common, (0, 1), "door")).expect("an edit");
    let edits = &edit["documentChanges"][0]["edits"];
    assert_eq!(edits[0]["annotationId"], "Keys");
    assert_eq!(edits[1]["annotationId"], "Interpolations");
    let warning = "The pattern `^po` in the lookup_options of data/common.yaml stops matching.";
    let keys = json!({"label": "Keys", "needsConfirmation": true, "description": warning});
    assert_eq!(edit["changeAnnotations"]["Keys"], keys);
    let message = client.notification("window/showMessage");
    assert_eq!(message, json!({"type": 2, "message": warning}));
}

#[test]
fn clients_that_know_no_versions_get_plain_edits() {
    let workspace = workspace();
    let mut client = client(&workspace, &json!({}));
    let common = workspace.path("data/common.yaml");
    let edit =
        client.ask("textDocument/rename", rename(&common, (0, 1), "ports")).expect("an edit");
    let web01 = uri(&workspace.path("data/nodes/web01.yaml"));
    let expected = json!([{"range": range((0, 0), (0, 4)), "newText": "ports"}]);
    assert_eq!(edit["changes"][&web01], expected);
    assert_eq!(edit["documentChanges"], Value::Null);
}

#[test]
fn what_cannot_be_renamed_is_an_error_that_says_why() {
    let workspace = workspace();
    let mut client = client(&workspace, &json!({}));
    let common = workspace.path("data/common.yaml");
    let error = client.ask("textDocument/rename", rename(&common, (0, 1), "url"));
    let error = error.expect_err("there is such a key");
    assert_eq!(error["code"], -32803);
    assert_eq!(error["message"], "data/common.yaml:2: `url` exists already");
    let error = client.ask("textDocument/prepareRename", place(&common, (2, 18)));
    let error = error.expect_err("a pattern");
    assert_eq!(error["message"], "a pattern is not a key: edit it by hand");
    let nothing = client.ask("textDocument/prepareRename", place(&common, (0, 7)));
    assert_eq!(nothing, Ok(Value::Null));
}

#[test]
fn hiera_yaml_follows_a_file_that_gets_another_name() {
    let workspace = workspace();
    let mut client = client(&workspace, &json!({"documentChanges": true}));
    let operations = &client.initialize_result["capabilities"]["workspace"]["fileOperations"];
    assert!(operations["willRename"]["filters"].is_array());
    let renamed = |old: &str, new: &str| {
        let (old, new) = (uri(&workspace.path(old)), uri(&workspace.path(new)));
        json!({"files": [{"oldUri": old, "newUri": new}]})
    };
    let files = renamed("data/common.yaml", "data/base.yaml");
    let edit = client.ask("workspace/willRenameFiles", files).expect("an edit");
    let edits = &edit["documentChanges"][0];
    assert_eq!(edits["textDocument"]["uri"], uri(&workspace.path("hiera.yaml")));
    let expected = json!([{"range": range((5, 10), (5, 21)), "newText": "base.yaml"}]);
    assert_eq!(edits["edits"], expected);
    let files = renamed("data/nodes/web01.yaml", "data/nodes/web02.yaml");
    assert_eq!(client.ask("workspace/willRenameFiles", files), Ok(Value::Null));
}

#[test]
fn the_same_key_one_level_up_and_down() {
    let workspace = workspace();
    let mut client = client(&workspace, &json!({}));
    let common = workspace.path("data/common.yaml");
    let web01 = workspace.path("data/nodes/web01.yaml");
    let at = |path: &str| json!({"uri": uri(path), "range": range((0, 0), (0, 4))});
    assert_eq!(client.ask("hiera/levelUp", place(&common, (0, 6))), Ok(at(&web01)));
    assert_eq!(client.ask("hiera/levelUp", place(&web01, (0, 0))), Ok(Value::Null));
    assert_eq!(client.ask("hiera/levelDown", place(&web01, (0, 0))), Ok(at(&common)));
}

#[test]
fn who_interpolates_whom() {
    let workspace = workspace();
    let mut client = client(&workspace, &json!({}));
    let common = workspace.path("data/common.yaml");
    let items = client.ask("textDocument/prepareCallHierarchy", place(&common, (0, 0)));
    let items = items.expect("an answer");
    assert_eq!(items[0]["name"], "port");
    let calls =
        client.ask("callHierarchy/incomingCalls", json!({"item": items[0]})).expect("calls");
    assert_eq!(calls[0]["from"]["name"], "url");
    assert_eq!(calls[0]["fromRanges"], json!([range((1, 26), (1, 30))]));
    let params = json!({"item": calls[0]["from"]});
    let calls = client.ask("callHierarchy/outgoingCalls", params).expect("calls");
    assert_eq!(calls[0]["to"]["uri"], uri(&workspace.path("data/nodes/web01.yaml")));
}

#[test]
fn selections_grow() {
    let workspace = workspace();
    let mut client = client(&workspace, &json!({}));
    let common = workspace.path("data/common.yaml");
    let params = json!({"textDocument": {"uri": uri(&common)}, "positions": [position((1, 27)), position((0, 1))]});
    let selections = client.ask("textDocument/selectionRange", params).expect("selections");
    let mut widths = Vec::new();
    let mut next = &selections[0];
    while !next.is_null() {
        widths.push(next["range"].clone());
        next = &next["parent"];
    }
    assert_eq!(widths[0], range((1, 26), (1, 30)));
    assert_eq!(widths[1], range((1, 16), (1, 33)));
    assert_eq!(selections[1]["range"], range((0, 0), (0, 4)));
}
