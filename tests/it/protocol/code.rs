//! Puppet code that is open in the editor: beside a server for Puppet, and together with the data.

use hiera_ls::server::Features;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::documents::{position, uri};
use crate::support::workspace::Workspace;

const HIERA_YAML: &str = "version: 5\nhierarchy: [{name: Common, path: common.yaml}]\n";
const COMMON: &str = "web::port: 8080\n";
const INIT: &str = "class web(Integer $port = 80) {\n  $x = lookup('web::port')\n}\n";

fn client() -> (Workspace, Client, String, String) {
    let workspace = Workspace::new(&[
        ("hiera.yaml", HIERA_YAML),
        ("data/common.yaml", COMMON),
        ("modules/web/manifests/init.pp", INIT),
    ]);
    let mut client = Client::in_workspace(Features::ide(), &workspace);
    assert_eq!(client.notification("hiera/activeNode")["name"], "any node");
    let (common, init) =
        (workspace.path("data/common.yaml"), workspace.path("modules/web/manifests/init.pp"));
    (workspace, client, common, init)
}

fn at(path: &str, place: (u32, u32)) -> Value {
    json!({"textDocument": {"uri": uri(path)}, "position": position(place)})
}

#[test]
fn hovers_in_code_show_data_and_follow_their_edits() {
    let (_workspace, mut client, common, init) = client();
    client.open(&init, INIT);
    let shows = |client: &mut Client, place, text: &str| {
        let hover = client.ask("textDocument/hover", at(&init, place)).expect("an answer");
        let shown = hover["contents"]["value"].as_str().or(hover["contents"].as_str());
        assert!(shown.is_some_and(|it| it.contains(text)), "{hover:#}");
    };
    shows(&mut client, (0, 21), "8080");
    shows(&mut client, (1, 18), "8080");
    client.forget("textDocument/publishDiagnostics");
    client.open(&common, COMMON);
    client.replace(&common, 2, "web::port: 9090\n");
    shows(&mut client, (0, 21), "9090");
    client.replace(&common, 3, "x: 1\n");
    shows(&mut client, (0, 21), "No data: the default `80` is used.");
}

#[test]
fn edits_of_code_change_what_data_files_show() {
    let (_workspace, mut client, common, init) = client();
    client.open(&common, COMMON);
    client.open(&init, INIT);
    let findings = |client: &mut Client| loop {
        let said = client.notification("textDocument/publishDiagnostics");
        if said["uri"] == uri(&common) {
            return said["diagnostics"].as_array().expect("a list").clone();
        }
    };
    assert_eq!(findings(&mut client).len(), 0);
    client.edit(&init, 2, ((0, 19), (0, 23)), "prot");
    // The lookup in the body still names the key.
    client.edit(&init, 3, ((1, 0), (2, 0)), "");
    let found = findings(&mut client);
    assert_eq!(found[0]["code"], "unknown-parameter", "{found:#?}");
    let hover = client.ask("textDocument/hover", at(&common, (0, 2))).expect("an answer");
    assert!(!hover.to_string().contains("Parameter of class"), "{hover:#}");
    client.edit(&init, 4, ((0, 19), (0, 23)), "port");
    assert_eq!(findings(&mut client).len(), 0);
    client.forget("textDocument/publishDiagnostics");
}

/// hiera-ls leaves the features of a server for Puppet to that server.
#[test]
fn requests_about_data_have_empty_answers_in_code() {
    let (_workspace, mut client, _, init) = client();
    client.open(&init, INIT);
    let whole = json!({"start": position((0, 0)), "end": position((3, 0))});
    let is_empty = |answer: &Value| match answer {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => ["items", "data"]
            .iter()
            .any(|it| members.get(*it).is_some_and(|it| it.as_array().is_some_and(Vec::is_empty))),
        _ => false,
    };
    for method in [
        "documentSymbol",
        "foldingRange",
        "documentLink",
        "inlayHint",
        "semanticTokens/full",
        "documentHighlight",
        "completion",
        "prepareCallHierarchy",
        "selectionRange",
    ] {
        let mut params = at(&init, (2, 0));
        params["range"] = whole.clone();
        params["positions"] = json!([position((2, 0))]);
        let answer = client.ask(&format!("textDocument/{method}"), params).expect(method);
        assert!(is_empty(&answer), "{method}: {answer:#}");
    }
}

/// Odd files: each request gets a response, and the server continues.
#[test]
fn odd_files_of_code_are_answered() {
    let workspace = Workspace::new(&[
        ("hiera.yaml", HIERA_YAML),
        ("data/common.yaml", COMMON),
        ("modules/web/manifests/init.pp", INIT),
        ("modules/web/manifests/directory.pp/file.pp", "class web::directory::file($x) { }"),
    ]);
    let deep = 10_000;
    let texts = [
        "\u{feff}class web::bom($port) { $port }".to_owned(),
        "class web::odd($port = @(END), $x = \"${ {".to_owned(),
        format!("class web::deep($port) {{ {} $port }}", "{".repeat(deep)),
        format!("class web::deep($port = {}) {{", "[".repeat(deep)),
        format!("class web::wide({}) {{ }}", "$p = 1, ".repeat(deep)),
        "class web::nul($port\0 = 'é😀$port') { \"${port}\u{2028}$port\" }".to_owned(),
        "class 'web::quoted'($port) { lookup(lookup(lookup('".to_owned(),
        "lookup(['a', \"b${".to_owned(),
    ];
    let mut client = Client::in_workspace(Features::ide(), &workspace);
    client.forget("hiera/activeNode");
    client.forget("textDocument/publishDiagnostics");
    std::fs::write(
        workspace.path("modules/web/manifests/latin.pp"),
        b"class web::latin($p\xe9) { }",
    )
    .expect("it can be written");
    #[cfg(unix)]
    std::os::unix::fs::symlink(
        workspace.path("modules/web/manifests"),
        workspace.path("modules/web/manifests/loop"),
    )
    .expect("it can be linked");
    client.changed(&[workspace.path("modules/web/manifests")]);
    let mut paths = vec![
        workspace.path("modules/web/manifests/directory.pp"),
        workspace.path("modules/web/manifests/latin.pp"),
        workspace.path("modules/web/manifests/loop/loop/init.pp"),
    ];
    for (number, text) in texts.iter().enumerate() {
        let path = workspace.path(&format!("modules/web/manifests/odd{number}.pp"));
        client.open(&path, text);
        paths.push(path);
    }
    for path in &paths {
        for column in [0, 8, 18, 20, 31] {
            for method in
                ["hover", "definition", "references", "prepareRename", "codeAction", "rename"]
            {
                let mut params = at(path, (0, column));
                params["newName"] = json!("another");
                params["context"] = json!({"includeDeclaration": true, "diagnostics": []});
                params["range"] = json!({"start": params["position"], "end": params["position"]});
                let answer = client.ask(&format!("textDocument/{method}"), params);
                let is_refusal = |it: &Value| it["code"] == -32803;
                assert!(
                    answer.as_ref().err().is_none_or(is_refusal),
                    "{path} {method}: {answer:?}"
                );
            }
        }
    }
    let hover = client
        .ask("textDocument/hover", at(&workspace.path("modules/web/manifests/init.pp"), (0, 21)));
    assert!(hover.expect("an answer").to_string().contains("8080"));
}
