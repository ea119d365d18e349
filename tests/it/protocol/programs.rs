//! Functions that run in programs of the user: their responses, and what happens without them.

use hiera_ls::server::Features;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::documents::uri;
use crate::support::workspace::Workspace;

const HIERA_YAML: &str = "\
version: 5
hierarchy:
  - name: Program
    lookup_key: my_fn
    uri: https://example.com
    options: {a: \"%{trusted.certname}\"}
  - name: Common
    path: common.yaml
";

const COMMON: &str = "a: common\nslow: common\n";

/// Responds in its own way, by a `case` on the method or the key.
fn script(body: &str) -> String {
    format!(
        "while IFS= read -r line; do\n\
           id=$(printf '%s' \"$line\" | sed 's/.*\"id\":\\([0-9]*\\),\"method\".*/\\1/')\n\
           case \"$line\" in\n{body}\nesac\ndone\n"
    )
}

const NOT_FOUND: &str = r#"*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"not_found":true}}' ;;"#;

fn workspace(body: &str, timeout: f64) -> Workspace {
    let command = ["sh", "back-end.sh"];
    let settings = json!({
        "node": "web01",
        "nodes": {"web01": {"facts": {"a": 1}}},
        "backends": {"my_fn": {"kind": "lookup_key", "command": command, "timeout": timeout}},
    });
    Workspace::new(&[
        ("hiera.yaml", HIERA_YAML),
        ("data/nodes/web01.yaml", ""),
        (".hiera-ls.yaml", &settings.to_string()),
        ("data/common.yaml", COMMON),
        ("back-end.sh", &script(body)),
    ])
}

fn client(workspace: &Workspace, is_trusted: bool) -> Client {
    let params = json!({
        "capabilities": {},
        "initializationOptions": {"isWorkspaceTrusted": is_trusted},
        "workspaceFolders": [{"uri": uri(workspace.root()), "name": "w"}],
    });
    let mut client = Client::start_with(Features::ide(), params);
    assert_eq!(client.notification("hiera/activeNode")["name"], "web01");
    client.open(&workspace.path("data/common.yaml"), COMMON);
    client.open(&workspace.path("hiera.yaml"), HIERA_YAML);
    client
}

#[track_caller]
fn check(client: &mut Client, workspace: &Workspace, line: u32, expected: &str) {
    let shown = client.hover(&workspace.path("data/common.yaml"), (line, 0));
    assert!(shown.contains(expected), "no `{expected}` in:\n{shown}");
}

/// The next set of diagnostics of hiera.yaml that is not empty.
fn complaint(client: &mut Client) -> Value {
    loop {
        let mut set = client.notification("textDocument/publishDiagnostics");
        let is_config = set["uri"].as_str().is_some_and(|it| it.ends_with("/hiera.yaml"));
        if is_config && set["diagnostics"].as_array().is_some_and(|it| !it.is_empty()) {
            return set["diagnostics"][0].take();
        }
    }
}

#[test]
fn a_program_answers() {
    let value = r#"*'"key":"a"'*) echo '{"id":'$id',"result":{"value":["from", "program"]}}' ;;"#;
    let workspace = workspace(&format!("{value}\n{NOT_FOUND}"), 30.0);
    let mut client = client(&workspace, true);
    check(&mut client, &workspace, 0, "- from\n- program");
    check(&mut client, &workspace, 1, "common");
}

#[test]
fn it_is_told_where_and_may_ask_back() {
    let body = r#"*'"key":"a"'*)
        case "$line" in
        *'"options":{"a":"web01","uri":"https://example.com"}'*) ;;
        *) exit 3 ;;
        esac
        echo '{"id":"q1","method":"interpolate","params":{"value":"for %{trusted.certname}"}}'
        read -r answer
        echo '{"method":"explain","params":{"text":"not asked for"}}'
        echo '{"id":"q2","method":"cache","params":{"key":"k","value":[1]}}'
        read -r cached
        echo '{"id":"q3","method":"no_such_method","params":{}}'
        read -r refused
        case "$refused" in *-32601*) ;; *) exit 4 ;; esac
        value=$(printf '%s' "$answer" | sed 's/.*"value":\("[^"]*"\).*/\1/')
        echo '{"id":'$id',"result":{"value":'$value'}}' ;;"#;
    let workspace = workspace(&format!("{body}\n{NOT_FOUND}"), 30.0);
    let mut client = client(&workspace, true);
    check(&mut client, &workspace, 0, "for web01");
}

#[test]
fn nothing_is_started_in_a_workspace_that_is_not_trusted() {
    let workspace = workspace("*) touch started ;;", 30.0);
    let mut client = client(&workspace, false);
    check(&mut client, &workspace, 0, "`my_fn` is not run, as the workspace is not trusted");
    assert!(!std::path::Path::new(&workspace.path("started")).exists());
}

#[test]
fn a_program_that_fails_is_a_message_and_the_server_goes_on() {
    let check_failure = |body: &str, expected: &str| {
        let workspace = workspace(body, 0.5);
        let mut client = client(&workspace, true);
        check(&mut client, &workspace, 0, expected);
        let complaint = complaint(&mut client);
        assert_eq!(complaint["code"], "failing-backend");
        let message = complaint["message"].as_str().unwrap_or_default();
        assert!(message.contains(expected), "no `{expected}` in: {message}");
        check(&mut client, &workspace, 1, "common");
        client.forget("textDocument/publishDiagnostics");
    };
    check_failure("*) sleep 60 ;;", "`my_fn` did not answer within 0.5 s");
    check_failure(
        "*) echo no such luck >&2; exit 3 ;;",
        "ended without an answer (exit status: 3)",
    );
    check_failure("*) echo what is this ;;", "wrote something that is not a JSON-RPC message");
    check_failure("*) cat /dev/zero ;;", "wrote a line of more than 16 MB");
    check_failure(
        "*) yes '{\"method\":\"explain\",\"params\":{\"text\":\"again\"}}' ;;",
        "`my_fn` ",
    );
    check_failure(
        "*) echo '{\"id\":999999,\"result\":{}}' ;;",
        "sent a response without a request",
    );
}

#[test]
fn an_error_of_a_program_is_the_error_of_the_lookup() {
    let error =
        r#"*'"key":"a"'*) echo '{"id":'$id',"error":{"code":1,"message":"no vault today"}}' ;;"#;
    let workspace = workspace(&format!("{error}\n{NOT_FOUND}"), 30.0);
    let mut client = client(&workspace, true);
    check(&mut client, &workspace, 0, "no vault today");
}

#[test]
fn a_program_that_answers_again_is_no_problem_any_more() {
    let body = r#"*'"key":"a"'*) [ -e ready ] || exit 1; echo '{"id":'$id',"result":{"value":"ready"}}' ;;"#;
    let workspace = workspace(&format!("{body}\n{NOT_FOUND}"), 30.0);
    let mut client = client(&workspace, true);
    check(&mut client, &workspace, 0, "ended without an answer");
    assert_eq!(complaint(&mut client)["code"], "failing-backend");
    workspace.write("ready", "");
    // The server waits for a second after the first failure.
    let path = workspace.path("data/common.yaml");
    while !client.hover(&path, (0, 0)).contains("ready") {}
    client.forget("textDocument/publishDiagnostics");
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_ends_with_the_server() {
    let workspace = workspace(NOT_FOUND, 30.0);
    // A program that ignores the end of its input.
    let endless = format!("echo $$ > pid\n{}trap '' HUP TERM\nsleep 1000\n", script(NOT_FOUND));
    workspace.write("back-end.sh", &endless);
    let mut client = client(&workspace, true);
    check(&mut client, &workspace, 1, "common");
    drop(client);
    let pid = std::fs::read_to_string(workspace.path("pid")).expect("it was started");
    assert!(!std::path::Path::new(&format!("/proc/{}", pid.trim())).exists(), "it still runs");
}
