//! What edits change, over the wire: compared with the saved files and with revisions of a real repository.

use std::path::Path;
use std::process::Command;

use hiera_ls::server::Features;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::documents::{position, uri};
use crate::support::workspace::Workspace;

const HIERA_YAML: &str = "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                          - {name: c, path: common.yaml}\n";

const COMMON: &str = "port: 80\nsecret: ENC[PKCS7,b25l]\n";

const FILES: [(&str, &str); 4] = [
    ("hiera.yaml", HIERA_YAML),
    (".hiera-ls.yaml", "nodes: {web1: {facts: {a: 1}}, web2: {facts: {a: 2}}}\n"),
    ("data/nodes/web1.yaml", "port: 8080\n"),
    ("data/common.yaml", COMMON),
];

fn git(directory: &Path, arguments: &[&str]) {
    let user = ["-c", "user.name=x", "-c", "user.email=x@example.com"];
    let mut command = Command::new("git");
    let output = command.arg("-C").arg(directory).args(user).args(arguments).output();
    let output = output.expect("git runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn commit(workspace: &Workspace) {
    let root = Path::new(workspace.root());
    git(root, &["add", "--all"]);
    git(root, &["commit", "--quiet", "--message", "x"]);
}

fn repository() -> Workspace {
    let workspace = Workspace::new(&FILES);
    git(Path::new(workspace.root()), &["init", "--quiet"]);
    commit(&workspace);
    workspace
}

fn client_of(workspace: &Workspace, options: &Value) -> Client {
    let capabilities = json!({
        "experimental": {"commands": {"commands": ["hiera.changes"]}},
        "textDocument": {
            "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
            "diagnostic": {},
        },
    });
    let root = uri(workspace.root());
    let params = json!({
        "capabilities": capabilities, "rootUri": root, "initializationOptions": options
    });
    let mut client = Client::start_with(Features::ide(), params);
    client.notification("hiera/activeNode");
    client
}

#[track_caller]
fn ask(client: &mut Client, path: &str, with: &Value) -> Value {
    let params = json!({"textDocument": {"uri": uri(path)}, "with": with});
    client.ask("hiera/changes", params).expect("an answer")
}

#[test]
fn what_is_typed_is_compared_with_the_saved_files() {
    let workspace = Workspace::new(&FILES);
    let mut client = client_of(&workspace, &json!({}));
    let common = workspace.path("data/common.yaml");
    client.open(&common, &COMMON.replace("80", "81"));
    let found = ask(&mut client, &common, &json!({"saved": true}));
    assert_eq!(
        found["summary"],
        "1 of 2 nodes changes, and every unlisted node, 1 key; nothing else"
    );
    let change = &found["changes"][0];
    assert_eq!((&change["key"], &change["nodes"]), (&json!("port"), &json!(["web2"])));
    assert_eq!(change["before"], json!({"kind": "value", "text": "80\n"}));
    assert_eq!(change["after"], json!({"kind": "value", "text": "81\n"}));
    assert_eq!(change["causes"][0]["range"]["start"], position((0, 0)));
    assert_eq!(found["languageId"], "diff");
    assert_eq!((&found["nodes"], &found["problems"]), (&json!(2), &json!([])));
    let params = json!({"textDocument": {"uri": uri(&common)}, "documentOnly": true});
    let document = client.ask("hiera/changes", params).expect("an answer");
    assert_eq!((&document["text"], &document["changes"]), (&found["text"], &json!([])));
    // Without an argument, the settings name the revision.
    let same = client.ask("hiera/changes", json!({"textDocument": {"uri": uri(&common)}}));
    assert_eq!(same.expect("an answer")["summary"], found["summary"]);
    let secret = COMMON.replace("b25l", "dHdv");
    client.replace(&common, 2, &secret);
    let found = ask(&mut client, &common, &json!({"saved": true}));
    let text = found.to_string();
    assert!(text.contains("secret") && !text.contains("dHdv") && !text.contains("b25l"), "{text}");
}

#[test]
fn the_document_can_be_opened_by_its_uri() {
    let workspace = Workspace::new(&FILES);
    let mut client = client_of(&workspace, &json!({}));
    let common = workspace.path("data/common.yaml");
    client.open(&common, &COMMON.replace("80", "81"));
    let found = ask(&mut client, &common, &json!({"saved": true}));
    let params = json!({"uri": found["uri"]});
    let document = client.ask("workspace/textDocumentContent", params).expect("a document");
    assert_eq!(document["text"], found["text"]);
    // The diagnostics of the edit may be ready before or after the document is opened.
    client.forget("workspace/textDocumentContent/refresh");
}

#[test]
fn revisions_are_compared_with_what_is_typed() {
    let workspace = repository();
    let common = workspace.path("data/common.yaml");
    std::fs::write(&common, COMMON.replace("80", "81")).expect("a file");
    let mut client = client_of(&workspace, &json!({}));
    let found = ask(&mut client, &common, &json!({"revision": "HEAD"}));
    assert_eq!(found["changes"][0]["after"]["text"], "81\n");
    client.open(&common, &COMMON.replace("80", "82"));
    let found = ask(&mut client, &common, &json!({"revision": "HEAD"}));
    assert_eq!(found["changes"][0]["before"]["text"], "80\n");
    assert_eq!(found["changes"][0]["after"]["text"], "82\n");
    commit(&workspace);
    let found = ask(&mut client, &common, &json!({"revision": "HEAD"}));
    assert_eq!(found["changes"][0]["before"]["text"], "81\n", "HEAD is another commit now");
}

/// What git-crypt does, without the program.
#[cfg(unix)]
#[test]
fn a_file_that_the_revision_has_encrypted_is_named() {
    let workspace = repository();
    let filter = "printf '\\0GITCRYPT\\0x'; cat >/dev/null";
    git(Path::new(workspace.root()), &["config", "filter.git-crypt.clean", filter]);
    workspace.write(".gitattributes", "data/common.yaml filter=git-crypt\n");
    workspace.write("data/common.yaml", "port: 90\n");
    commit(&workspace);
    let mut client = client_of(&workspace, &json!({}));
    let common = workspace.path("data/common.yaml");
    let found = ask(&mut client, &common, &json!({"revision": "HEAD"}));
    assert_eq!(found["changes"], json!([]));
    let problem = found["problems"][0].as_str().unwrap_or_default();
    assert!(problem.starts_with("data/common.yaml: encrypted by git-crypt"), "{found}");
}

#[test]
fn what_cannot_be_compared_with_is_said() {
    let check = |workspace: &Workspace, with: Value, expected: &str| {
        let mut client = client_of(workspace, &json!({}));
        let common = workspace.path("data/common.yaml");
        let params = json!({"textDocument": {"uri": uri(&common)}, "with": with});
        let error = client.ask("hiera/changes", params).expect_err("no answer");
        assert!(error.to_string().contains(expected), "{error}");
    };
    let plain = Workspace::new(&FILES);
    check(&plain, json!({"revision": "HEAD"}), "is not in a Git repository");
    let workspace = repository();
    check(&workspace, json!({"revision": "nowhere"}), "nowhere is not a commit of the repository");
    check(&workspace, json!({"revision": "--output=/tmp/x"}), "is not a commit of the repository");
    // What a shell would need for two commits is not said in an editor.
    let end = format!("HEAD... is not a commit of the repository at {}\"", workspace.root());
    check(&workspace, json!({"revision": "HEAD..."}), &end);
    check(&workspace, json!({"node": "web1"}), "a `revision` here");
    let shallow = Workspace::new(&[]);
    std::fs::write(workspace.path("data/common.yaml"), "port: 1\n").expect("a file");
    commit(&workspace);
    let from = format!("file://{}", workspace.root());
    git(Path::new(shallow.root()), &["clone", "--quiet", "--depth", "1", &from, "clone"]);
    let mut client = client_of(&shallow, &json!({}));
    let path = shallow.path("clone/data/common.yaml");
    let params = json!({"textDocument": {"uri": uri(&path)}, "with": {"revision": "HEAD~1"}});
    let error = client.ask("hiera/changes", params).expect_err("no answer").to_string();
    assert!(error.contains("this clone is shallow"), "{error}");
}

/// The titles of lenses at the line, those of edits first.
fn lenses(client: &mut Client, path: &str) -> Vec<String> {
    let params = json!({"textDocument": {"uri": uri(path)}});
    let found = client.ask("textDocument/codeLens", params).expect("lenses");
    let found = found.as_array().expect("a list").iter();
    found.map(|it| format!("{} {}", it["command"]["command"], it["command"]["title"])).collect()
}

#[test]
fn an_edited_key_says_whom_it_concerns() {
    let workspace = Workspace::new(&FILES);
    let mut client = client_of(&workspace, &json!({}));
    let common = workspace.path("data/common.yaml");
    client.open(&common, COMMON);
    assert_eq!(lenses(&mut client, &common), Vec::<String>::new());
    client.replace(&common, 2, &COMMON.replace("80", "81"));
    let expected = r#""hiera.changes" "changes 1 of 2 nodes, and every unlisted node""#;
    assert_eq!(lenses(&mut client, &common), [expected]);
    let actions = |client: &mut Client, line: u32| {
        let at = position((line, 1));
        let params = json!({
            "textDocument": {"uri": uri(&common)},
            "range": {"start": at, "end": at},
            "context": {"diagnostics": []},
        });
        let found = client.ask("textDocument/codeAction", params).expect("actions");
        let found = found.as_array().expect("a list").clone();
        found.into_iter().find(|it| it["title"] == "Show which nodes change")
    };
    let action = actions(&mut client, 0).expect("an action");
    assert_eq!(action["command"]["command"], "hiera.changes");
    assert_eq!(action["command"]["arguments"][0]["textDocument"]["uri"], uri(&common));
    assert_eq!(actions(&mut client, 1), None, "the secret is as it was");
    let options = json!({"codeLens": {"changes": false}});
    let mut client = client_of(&workspace, &options);
    client.open(&common, &COMMON.replace("80", "81"));
    assert_eq!(lenses(&mut client, &common), Vec::<String>::new());
}

#[test]
fn only_the_user_says_that_git_runs() {
    let workspace = repository();
    let common = workspace.path("data/common.yaml");
    let edited = COMMON.replace("80", "81");
    std::fs::write(&common, &edited).expect("a file");
    std::fs::write(workspace.path(".hiera-ls.yaml"), "changes: {before: HEAD}\n").expect("a file");
    let start = |options: &Value| {
        let mut client = client_of(&workspace, options);
        let held = client.notification("textDocument/publishDiagnostics").to_string();
        assert!(held.contains("`changes.before` makes hiera-ls run Git"), "{held}");
        client.open(&common, &edited);
        client
    };
    let mut client = start(&json!({}));
    assert_eq!(lenses(&mut client, &common), Vec::<String>::new(), "a repository says it");
    let mut client = start(&json!({"changes": {"before": "HEAD"}}));
    assert_eq!(lenses(&mut client, &common).len(), 1, "the user says it");
}

#[test]
fn a_hover_names_commits_where_the_user_wants_it() {
    let workspace = repository();
    let common = workspace.path("data/common.yaml");
    let hover = |options: &Value| {
        let mut client = client_of(&workspace, options);
        client.open(&common, &format!("new: 1\n{COMMON}"));
        let mut ask = |line: u32| {
            let params =
                json!({"textDocument": {"uri": uri(&common)}, "position": position((line, 1))});
            client.ask("textDocument/hover", params).expect("a hover").to_string()
        };
        [ask(0), ask(2)]
    };
    for text in hover(&json!({})) {
        assert!(!text.contains("committed") && !text.contains(" x: x"), "{text}");
    }
    let [new, known] = hover(&json!({"hover": {"blame": true}}));
    assert!(new.contains("not committed yet"), "{new}");
    assert!(known.contains(" x: x"), "{known}");
}
