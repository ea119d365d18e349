//! Progress that can be cancelled, the server's status, and the trace of messages.

use hiera_ls::server::Features;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::documents::{no_features, uri};
use crate::support::signal::Signal;
use crate::support::workspace::Workspace;

#[test]
fn reading_can_be_cancelled() {
    static STARTED: Signal = Signal::new();
    static STOPPED: Signal = Signal::new();
    let mut client = Client::start_with(
        Features {
            warm_up: |_, cancel, tell| {
                STARTED.raise();
                while !cancel.is_cancelled() {
                    std::thread::yield_now();
                }
                tell(1, 2);
                STOPPED.raise();
            },
            ..no_features()
        },
        json!({"capabilities": {"window": {"workDoneProgress": true}}}),
    );
    let (id, created) = client.request_from_server("window/workDoneProgress/create");
    client.answer(&id, &Value::Null);
    let begun = client.notification("$/progress");
    assert_eq!(begun["value"]["cancellable"], true);
    // What is cancelled before a thread takes it does not start at all.
    STARTED.wait_for(1);
    client.notify("window/workDoneProgress/cancel", json!({"token": "another"}));
    client.notify("window/workDoneProgress/cancel", json!({"token": created["token"]}));
    assert_eq!(client.notification("$/progress")["value"]["kind"], "end");
    STOPPED.wait_for(1);
}

#[test]
fn reading_tells_how_far_it_is() {
    static MAY_GO_ON: Signal = Signal::new();
    let mut client = Client::start_with(
        Features {
            warm_up: |_, _, tell| {
                MAY_GO_ON.wait_for(1);
                tell(1, 4);
            },
            ..no_features()
        },
        json!({"capabilities": {"window": {"workDoneProgress": true}}}),
    );
    let (id, _) = client.request_from_server("window/workDoneProgress/create");
    client.answer(&id, &Value::Null);
    assert_eq!(client.notification("$/progress")["value"]["kind"], "begin");
    MAY_GO_ON.raise();
    let report = client.notification("$/progress");
    assert_eq!(report["value"]["percentage"], 25);
    assert_eq!(report["value"]["message"], "1 of 4 files");
    assert_eq!(client.notification("$/progress")["value"]["kind"], "end");
}

#[test]
fn the_status_says_when_nothing_is_under_way_and_what_is_wrong() {
    let workspace =
        Workspace::new(&[("hiera.yaml", "version: 5\n"), (".hiera-ls.yaml", "nod: 1\n")]);
    let params = json!({
        "capabilities": {"experimental": {"serverStatusNotification": true}},
        "rootUri": uri(workspace.root()),
    });
    let mut client = Client::start_with(Features::ide(), params);
    loop {
        let status = client.notification("hiera/serverStatus");
        if status["quiescent"] == true {
            assert_eq!(status["health"], "warning");
            let message = status["message"].as_str().expect("a message");
            assert!(message.starts_with(".hiera-ls.yaml: `nod`"), "{message}");
            break;
        }
    }
    client.forget("hiera/serverStatus");
    client.forget("textDocument/publishDiagnostics");
    client.forget("hiera/activeNode");
}

#[test]
fn hovers_have_no_marks_for_clients_that_do_not_read_markdown() {
    let hover = |formats: Value| {
        let hierarchy = "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n";
        let workspace =
            Workspace::new(&[("hiera.yaml", hierarchy), ("data/common.yaml", "a: 1\n")]);
        let params = json!({
            "capabilities": {"textDocument": {"hover": formats}},
            "rootUri": uri(workspace.root()),
        });
        let mut client = Client::start_with(Features::ide(), params);
        let path = workspace.path("data/common.yaml");
        client.open(&path, "a: 1\n");
        let place =
            json!({"textDocument": {"uri": uri(&path)}, "position": {"line": 0, "character": 0}});
        let found = client.ask("textDocument/hover", place).expect("a hover");
        client.forget("textDocument/publishDiagnostics");
        client.forget("hiera/activeNode");
        let text = found["contents"]["value"].as_str().expect("a text").to_owned();
        (found["contents"]["kind"].clone(), text.contains(['`', '*']))
    };
    assert_eq!(hover(json!({"contentFormat": ["markdown"]})), (json!("markdown"), true));
    assert_eq!(hover(json!({"contentFormat": ["plaintext"]})), (json!("plaintext"), false));
    assert_eq!(hover(json!({"contentFormat": []})), (json!("plaintext"), false));
}

#[test]
fn the_status_says_what_is_wrong_with_nodes() {
    let said = |files: &[(&str, &str)]| {
        let hiera_yaml = [("hiera.yaml", "version: 5\n")];
        let workspace = Workspace::new(&[&hiera_yaml[..], files].concat());
        let params = json!({
            "capabilities": {"experimental": {"serverStatusNotification": true}},
            "rootUri": uri(workspace.root()),
        });
        let mut client = Client::start_with(Features::ide(), params);
        let published = client.notification("textDocument/publishDiagnostics");
        let message = loop {
            let status = client.notification("hiera/serverStatus");
            if let Some(message) = status["message"].as_str() {
                break message.replace(workspace.root(), "ROOT");
            }
        };
        client.forget("hiera/serverStatus");
        client.forget("textDocument/publishDiagnostics");
        client.forget("hiera/activeNode");
        (message, published["diagnostics"][0]["message"].clone())
    };
    let no_node = "No fact set and no data file belongs to a node `webb01`.";
    assert_eq!(
        said(&[(".hiera-ls.yaml", "node: webb01\n")]),
        (format!(".hiera-ls.yaml: {no_node}"), json!(no_node))
    );
    let (message, published) = said(&[(".hiera-ls/facts/web01.yaml", "broken: [\n")]);
    let published = published.as_str().expect("a message");
    assert_eq!(message, format!("ROOT/.hiera-ls/facts/web01.yaml: {published}"));
}

#[test]
fn the_status_says_why_edits_are_compared_with_nothing() {
    let workspace = Workspace::new(&[("hiera.yaml", "version: 5\n")]);
    let params = json!({
        "capabilities": {"experimental": {"serverStatusNotification": true}},
        "rootUri": uri(workspace.root()),
        "initializationOptions": {"changes": {"before": "origin/main"}},
    });
    let mut client = Client::start_with(Features::ide(), params);
    let expected = format!("`changes.before`: {} is not in a Git repository", workspace.root());
    while client.notification("hiera/serverStatus")["message"] != *expected {}
    client.forget("hiera/serverStatus");
    client.forget("textDocument/publishDiagnostics");
    client.forget("hiera/activeNode");
}

#[test]
fn the_status_says_which_hiera_yaml_is_not_used() {
    let workspace = Workspace::new(&[("hiera.yaml", "version: 3\n"), ("data/a.yaml", "a: 1\n")]);
    let params = json!({
        "capabilities": {"experimental": {"serverStatusNotification": true}},
        "rootUri": uri(workspace.root()),
    });
    let mut client = Client::start_with(Features::ide(), params);
    client.open(&workspace.path("data/a.yaml"), "a: 2\n");
    let path = workspace.path("hiera.yaml");
    let expected = format!(
        "Puppet does not use {path}: hiera.yaml version 3 cannot be used in an environment"
    );
    while client.notification("hiera/serverStatus")["message"] != *expected {}
    client.forget("hiera/serverStatus");
    client.forget("textDocument/publishDiagnostics");
    client.forget("hiera/activeNode");
}

#[test]
fn the_status_says_why_the_baseline_has_no_effect() {
    let hiera_yaml = "version: 5\nhierarchy: [{name: a, path: a.yaml}]\n";
    let workspace = Workspace::new(&[
        ("hiera.yaml", hiera_yaml),
        ("data/a.yaml", "a: 1\n"),
        (".hiera-ls-baseline.json", "{}"),
    ]);
    let params = json!({
        "capabilities": {"experimental": {"serverStatusNotification": true}},
        "rootUri": uri(workspace.root()),
    });
    let mut client = Client::start_with(Features::ide(), params);
    client.open(&workspace.path("data/a.yaml"), "a: 2\n");
    let path = workspace.path(".hiera-ls-baseline.json");
    let why = "the baseline cannot be read, so all findings are reported: the version is not 1";
    let expected = format!("{path}: {why}");
    while client.notification("hiera/serverStatus")["message"] != *expected {}
    client.forget("hiera/serverStatus");
    client.forget("textDocument/publishDiagnostics");
    client.forget("hiera/activeNode");
}

#[cfg(unix)]
#[test]
fn the_status_says_what_is_left_out() {
    let hierarchy = "version: 5\nhierarchy: [{name: c, glob: '*.yaml'}]\n";
    let workspace = Workspace::new(&[("hiera.yaml", hierarchy), ("data/a.yaml", "a: 1\n")]);
    std::os::unix::fs::symlink("/dev/zero", workspace.path("data/zero.yaml")).expect("a link");
    let params = json!({
        "capabilities": {"experimental": {"serverStatusNotification": true}},
        "initializationOptions": {"isWorkspaceTrusted": true},
        "rootUri": uri(workspace.root()),
    });
    let mut client = Client::start_with(Features::ide(), params);
    client.open(&workspace.path("data/a.yaml"), "a: 2\n");
    loop {
        let status = client.notification("hiera/serverStatus");
        let message = status["message"].as_str().unwrap_or("");
        if message.starts_with("Not a regular file @ rb_sysopen - ") {
            assert_eq!(status["health"], "warning");
            break;
        }
    }
    client.forget("hiera/serverStatus");
    client.forget("textDocument/publishDiagnostics");
    client.forget("hiera/activeNode");
}

#[test]
fn the_status_stays_as_it_is_when_a_message_changes_nothing() {
    let params = json!({"capabilities": {"experimental": {"serverStatusNotification": true}}});
    let mut client = Client::start_with(Features::ide(), params);
    while client.notification("hiera/serverStatus")["quiescent"] != true {}
    client.notify("workspace/didChangeConfiguration", json!({"settings": {}}));
    client.close("/never/opened.yaml");
    client.edit("/never/opened.yaml", 2, ((0, 0), (0, 0)), "x");
    client.notify("workspace/didChangeWatchedFiles", json!({"changes": []}));
    client.forget("hiera/activeNode");
    // Any other message would come before the response; when the client is dropped, it looks at the remaining ones.
    client.ask("hiera/nodes", Value::Null).expect("an answer");
}

#[test]
fn messages_are_traced_when_the_client_wants_to_know() {
    let mut client = Client::start(no_features());
    client.ask("hiera/nodes", Value::Null).expect("an answer");
    client.notify("$/setTrace", json!({"value": "messages"}));
    let id = client.request("hiera/nodes", Value::Null);
    client.answer_to(id).expect("an answer");
    let trace = client.notification("$/logTrace");
    let message = trace["message"].as_str().expect("a text");
    assert!(message.starts_with(&format!("hiera/nodes ({id}): ")), "{message}");
    assert_eq!(trace.get("verbose"), None);
    client.notify("$/setTrace", json!({"value": "verbose"}));
    client.open("/r/secret.yaml", "password: hunter2\n");
    let trace = client.notification("$/logTrace");
    assert!(trace["message"].as_str().expect("a text").starts_with("textDocument/didOpen: "));
    assert!(trace["verbose"].as_str().expect("a text").ends_with(" bytes of parameters"));
    assert!(!trace.to_string().contains("hunter2"));
    client.notify("$/setTrace", json!({"value": "off"}));
    client.ask("hiera/nodes", Value::Null).expect("an answer");
}
