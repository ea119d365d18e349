//! Levels without files: unknown, and then evaluated with sample data as soon as the project file names some.

use hiera_ls::server::Features;
use serde_json::json;

use crate::support::client::Client;
use crate::support::documents::uri;
use crate::support::workspace::Workspace;

const HIERA_YAML: &str = "\
version: 5
hierarchy:
  - name: Nodes
    path: nodes/%{trusted.certname}.yaml
  - name: Vault
    lookup_key: hiera_vault
    uri: https://vault.example.com
  - name: Common
    path: common.yaml
";

const COMMON: &str = "\
lookup_options: {users: {merge: deep}}
password: default
port: 80
users: {root: 0}
";

fn workspace() -> Workspace {
    Workspace::new(&[
        ("hiera.yaml", HIERA_YAML),
        ("data/nodes/web01.yaml", "port: 8080\n"),
        ("data/common.yaml", COMMON),
        ("facts/vault-sample.yaml", "password: s3cret\nusers: {admin: 1}\n"),
    ])
}

fn client(workspace: &Workspace) -> (Client, String) {
    let mut client = Client::in_workspace(Features::ide(), workspace);
    assert_eq!(client.notification("hiera/activeNode")["name"], "any node");
    client.choose_node("web01");
    let common = workspace.path("data/common.yaml");
    client.open(&common, COMMON);
    (client, common)
}

/// Fails unless the hover of the key on a line of common.yaml contains all of `expected`.
#[track_caller]
fn check(client: &mut Client, common: &str, line: u32, expected: &[&str]) {
    let shown = client.hover(common, (line, 0));
    for expected in expected {
        assert!(shown.contains(expected), "no `{expected}` in:\n{shown}");
    }
}

const OPAQUE: &str = "level \"Vault\" (`hiera_vault` is not evaluated here)";

#[test]
fn an_opaque_level_is_named_until_sample_data_stand_in_for_it() {
    let workspace = workspace();
    let (mut client, common) = client(&workspace);
    let may_come = format!("May come from {OPAQUE}.");
    check(&mut client, &common, 1, &["default", &may_come]);
    let shown = client.hover(&common, (2, 0));
    assert!(!shown.contains("Vault"), "a higher level decides: {shown}");
    check(&mut client, &common, 3, &["root: 0", &format!("Partial: more may come from {OPAQUE}.")]);

    let project_file = workspace.path(".hiera-ls.yaml");
    workspace
        .write(".hiera-ls.yaml", "backends: {hiera_vault: {stand_in: facts/vault-sample.yaml}}\n");
    client.notify("textDocument/didSave", json!({"textDocument": {"uri": uri(&project_file)}}));
    let overridden = "2. level \"Common\" · `data/common.yaml:2` · overridden";
    check(
        &mut client,
        &common,
        1,
        &["s3cret", "1. **level \"Vault\" · `hiera_vault`**", overridden],
    );
    let both = ["1. level \"Vault\" · `hiera_vault`", "2. level \"Common\" · `data/common.yaml:4`"];
    check(&mut client, &common, 3, &["root: 0", "admin: 1", both[0], both[1]]);
    let shown = client.hover(&common, (1, 0));
    assert!(!shown.contains("May come"), "{shown}");

    let sample = workspace.path("facts/vault-sample.yaml");
    client.open(&sample, "password: typed\n");
    check(&mut client, &common, 1, &["typed"]);
}

#[test]
fn sample_data_that_are_not_there_leave_the_level_opaque() {
    let workspace = workspace();
    workspace.write(".hiera-ls.yaml", "backends: {Vault: {stand_in: facts/nope.yaml}}\n");
    let (mut client, common) = client(&workspace);
    let reason = "`hiera_vault` has sample data that cannot be read: No such file or directory";
    check(&mut client, &common, 1, &["May come from level \"Vault\"", reason]);
}
