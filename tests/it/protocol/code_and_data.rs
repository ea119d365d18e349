//! Puppet code and data of one workspace: findings in one after edits of the other, and links between them.

use hiera_ls::server::Features;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::documents::{position, uri};
use crate::support::workspace::Workspace;

const PUBLISH: &str = "textDocument/publishDiagnostics";

const WEB: &str = "class web(\n  Enum['on', 'off'] $mode,\n) {\n  $x = lookup('web::extra')\n}\n";

fn workspace() -> Workspace {
    Workspace::new(&[
        ("hiera.yaml", "version: 5\nhierarchy:\n  - {name: c, path: common.yaml}\n"),
        ("data/common.yaml", "web::mode: on\nclasses: ['web::none', 'web::other']\n"),
        ("modules/web/manifests/init.pp", WEB),
        ("modules/web/manifests/other.pp", "# Another.\nclass web::other { }\n"),
    ])
}

fn client(workspace: &Workspace) -> Client {
    let mut client = Client::in_workspace(Features::ide(), workspace);
    assert_eq!(client.notification("hiera/activeNode")["name"], "any node");
    client
}

/// The codes of the next set of findings for `path`.
#[track_caller]
fn codes(client: &mut Client, path: &str) -> Vec<String> {
    let published = client.notification(PUBLISH);
    assert_eq!(published["uri"], uri(path));
    let found = published["diagnostics"].as_array().expect("a list").iter();
    found.map(|it| it["code"].as_str().expect("a code").to_owned()).collect()
}

#[track_caller]
fn ask(client: &mut Client, method: &str, path: &str, at: (u32, u32)) -> Value {
    let mut params = json!({"textDocument": {"uri": uri(path)}, "position": position(at)});
    params["context"] = json!({"includeDeclaration": true, "triggerKind": 1});
    client.ask(method, params).expect("an answer")
}

#[test]
fn findings_in_code_follow_the_data_and_those_in_data_the_code() {
    let workspace = workspace();
    let mut client = client(&workspace);
    let manifest = workspace.path("modules/web/manifests/init.pp");
    client.open(&manifest, WEB);
    assert_eq!(codes(&mut client, &manifest), ["lookup-without-data"]);
    let common = workspace.path("data/common.yaml");
    workspace.write("data/common.yaml", "web::mode: 'on'\nweb::extra: 1\n");
    client.changed(std::slice::from_ref(&common));
    assert_eq!(codes(&mut client, &manifest), Vec::<String>::new());
    client.open(&common, "web::mode: 'on'\nweb::extra: 1\n");
    assert_eq!(codes(&mut client, &common), Vec::<String>::new());
    client.replace(&manifest, 2, "class web(\n  $mod,\n) { lookup('web::extra') }\n");
    assert_eq!(codes(&mut client, &common), ["unknown-parameter"]);
    client.replace(&manifest, 3, "class web(\n  $mode,\n) { lookup('web::extra')\n");
    // The file is broken, so nothing is certain any more.
    let mut seen = [client.notification(PUBLISH), client.notification(PUBLISH)];
    seen.sort_by_key(|it| it["uri"].to_string());
    assert_eq!(seen[0]["diagnostics"], json!([]));
    assert_eq!(seen[1]["diagnostics"][0]["code"], "broken-code");
}

#[test]
fn ways_from_data_to_code() {
    let workspace = workspace();
    let mut client = client(&workspace);
    let common = workspace.path("data/common.yaml");
    client.open(&common, "web::mode: on\nclasses: ['web::none', 'web::other']\nweb::extra: 1\n");
    client.forget(PUBLISH);
    let manifest = uri(&workspace.path("modules/web/manifests/init.pp"));
    let found = ask(&mut client, "textDocument/definition", &common, (0, 2));
    let targets: Vec<_> = found.as_array().expect("a list").iter().collect();
    assert_eq!(targets.len(), 2, "{found}");
    assert!(targets[1].to_string().contains(&manifest), "{found}");
    let found = ask(&mut client, "textDocument/references", &common, (2, 2));
    assert_eq!(found[1]["uri"], manifest, "{found}");
    assert_eq!(found[1]["range"]["start"], position((3, 15)));
    let params = json!({"textDocument": {"uri": uri(&common)}});
    let links = client.ask("textDocument/documentLink", params).expect("an answer");
    let other = uri(&workspace.path("modules/web/manifests/other.pp"));
    assert_eq!(links[0]["target"], format!("{other}#L2"), "{links}");
    assert_eq!(links.as_array().map(Vec::len), Some(1));
    let hover = client.hover(&common, (0, 2));
    assert!(hover.contains("`Enum['on', 'off']`, no default. Set by data"), "{hover}");
}
