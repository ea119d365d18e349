//! Data outside of the workspace: it is read only if the user trusts the workspace, or names it in the editor's settings.
#![cfg(unix)]

use std::os::unix::fs::symlink;

use hiera_ls::server::Features;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::documents::uri;
use crate::support::workspace::Workspace;

fn start(workspace: &Workspace, options: &Value) -> Client {
    let params = json!({
        "capabilities": {},
        "initializationOptions": options,
        "workspaceFolders": [{"uri": uri(workspace.root()), "name": "w"}],
    });
    Client::start_with(Features::ide(), params)
}

/// What a hover on the key `token` shows, which a linked file and a file of the workspace have.
fn shown(workspace: &Workspace, options: &Value) -> String {
    let mut client = start(workspace, options);
    client.open(&workspace.path("data/common.yaml"), "token: own\n");
    let shown = client.hover(&workspace.path("data/common.yaml"), (0, 0));
    client.forget("textDocument/publishDiagnostics");
    shown
}

#[test]
fn a_repository_leads_out_only_if_the_user_allows_it() {
    let elsewhere = Workspace::new(&[("secret.yaml", "token: hunter2\n")]);
    let hiera_yaml = "version: 5\nhierarchy:\n  - {name: Link, path: link.yaml}\n  - {name: Common, path: common.yaml}\n";
    let workspace =
        Workspace::new(&[("hiera.yaml", hiera_yaml), ("data/common.yaml", "token: own\n")]);
    symlink(elsewhere.path("secret.yaml"), workspace.path("data/link.yaml")).expect("a link");
    let refused = shown(&workspace, &json!({}));
    assert!(!refused.contains("hunter2"), "{refused}");
    assert!(refused.contains("is outside of the workspace and is not read"), "{refused}");
    let allowed = [
        json!({"isWorkspaceTrusted": true}),
        json!({"datadirMap": {"/elsewhere": elsewhere.root()}}),
    ];
    for options in allowed {
        let found = shown(&workspace, &options);
        assert!(found.contains("hunter2"), "{found}");
    }
}

#[test]
fn the_status_names_a_directory_that_is_not_read() {
    let elsewhere = Workspace::new(&[("m/manifests/init.pp", "class m {}\n")]);
    let workspace = Workspace::new(&[("hiera.yaml", "version: 5\n"), ("data/common.yaml", "")]);
    symlink(elsewhere.root(), workspace.path("modules")).expect("a link");
    let params = json!({
        "capabilities": {"experimental": {"serverStatusNotification": true}},
        "workspaceFolders": [{"uri": uri(workspace.root()), "name": "w"}],
    });
    let mut client = Client::start_with(Features::ide(), params);
    let message = loop {
        let status = client.notification("hiera/serverStatus");
        if let Some(message) = status["message"].as_str() {
            break message.to_owned();
        }
    };
    assert_eq!(
        message,
        format!("{} is outside of the workspace and is not read", workspace.path("modules"))
    );
    client.forget("hiera/serverStatus");
    client.forget("textDocument/publishDiagnostics");
}

#[test]
fn settings_elsewhere_are_not_read() {
    let elsewhere = Workspace::new(&[("settings.yaml", "password: hunter2\n")]);
    let workspace = Workspace::new(&[("data/common.yaml", "a: 1\n")]);
    symlink(elsewhere.path("settings.yaml"), workspace.path(".hiera-ls.yaml")).expect("a link");
    let mut client = start(&workspace, &json!({}));
    let said = client.notification("window/showMessage")["message"].to_string();
    assert!(said.contains(".hiera-ls.yaml is outside of the workspace and is not read"), "{said}");
}
