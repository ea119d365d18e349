//! The disk, the workspace's folders, the settings, and what editors have open.

use hiera_ls::ide::{Diagnostic, Hover, Severity};
use hiera_ls::server::Features;
use hiera_ls::text::TextRange;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::documents::{no_features, position, uri};
use crate::support::workspace::Workspace;

/// Hovers show the content of `common.yaml` beside the file, and the folders and settings.
fn hovers_show_the_neighbour() -> Features {
    Features {
        hover: |world, path, offset, _| {
            let (directory, _) = path.rsplit_once('/')?;
            let neighbour = world.file(&format!("{directory}/common.yaml"));
            let text = neighbour.map(|file| file.text.to_string()).unwrap_or_default();
            Some(Hover { markdown: text, range: TextRange::empty(offset) })
        },
        ..no_features()
    }
}

/// Hovers show the names of the workspace's folders.
fn hovers_show_the_folders() -> Features {
    Features {
        hover: |world, _, offset, _| {
            let names = world.folders().iter().map(|it| it.rsplit('/').next().unwrap_or(""));
            let names = names.collect::<Vec<_>>().join(" ");
            Some(Hover { markdown: names, range: TextRange::empty(offset) })
        },
        ..no_features()
    }
}

#[test]
fn a_change_on_the_disk_is_seen_once_the_client_tells() {
    let workspace = Workspace::new(&[]);
    let (common, asking) = (workspace.path("common.yaml"), workspace.path("asking.yaml"));
    workspace.write("common.yaml", "first");
    let mut client = Client::start(hovers_show_the_neighbour());
    client.open(&asking, "a: 1\n");
    assert_eq!(client.hover(&asking, (0, 0)), "first");
    workspace.write("common.yaml", "second");
    client.changed(std::slice::from_ref(&common));
    assert_eq!(client.hover(&asking, (0, 0)), "second");
    workspace.remove("common.yaml");
    client.changed(&[common]);
    assert_eq!(client.hover(&asking, (0, 0)), "");
}

#[test]
fn an_open_buffer_wins_over_the_disk() {
    let workspace = Workspace::new(&[]);
    let (common, asking) = (workspace.path("common.yaml"), workspace.path("asking.yaml"));
    workspace.write("common.yaml", "disk");
    let mut client = Client::start(hovers_show_the_neighbour());
    client.open(&asking, "a: 1\n");
    client.open(&common, "buffer");
    workspace.write("common.yaml", "disk again");
    client.changed(std::slice::from_ref(&common));
    assert_eq!(client.hover(&asking, (0, 0)), "buffer");
    client.edit(&common, 2, ((0, 0), (0, 0)), "edited ");
    assert_eq!(client.hover(&asking, (0, 0)), "edited buffer");
    client.close(&common);
    assert_eq!(client.hover(&asking, (0, 0)), "disk again");
}

#[test]
fn a_checkout_of_a_thousand_files_is_one_change() {
    let workspace = Workspace::new(&[]);
    let (common, asking) = (workspace.path("common.yaml"), workspace.path("asking.yaml"));
    let names: Vec<String> = (0..1_000).map(|number| format!("{number}.yaml")).collect();
    let mut client = Client::start(Features {
        diagnostics: |world, path, _| {
            // Only the first file is open; its findings depend on the last one.
            let last = path.replace("asking", "999");
            let text = world.file(&last).map(|file| file.text.to_string()).unwrap_or_default();
            vec![Diagnostic {
                range: TextRange::empty(0),
                severity: Severity::Error,
                code: "code",
                is_secret: false,
                message: text,
                related: Vec::new(),
                url: None,
                fixes: Vec::new(),
            }]
        },
        ..hovers_show_the_neighbour()
    });
    workspace.write_all(&names, "before");
    workspace.write("common.yaml", "before");
    client.open(&asking, "a: 1\n");
    assert_eq!(client.hover(&asking, (0, 0)), "before");
    let message = |published: Value| published["diagnostics"][0]["message"].clone();
    assert_eq!(message(client.notification("textDocument/publishDiagnostics")), "before");
    workspace.write_all(&names, "after");
    workspace.write("common.yaml", "after");
    let mut all: Vec<String> = names.iter().map(|name| workspace.path(name)).collect();
    all.push(common);
    client.changed(&all);
    assert_eq!(client.hover(&asking, (0, 0)), "after");
    assert_eq!(message(client.notification("textDocument/publishDiagnostics")), "after");
}

#[test]
fn the_client_is_asked_to_watch_if_it_can() {
    let mut client = Client::start_with(
        no_features(),
        json!({"capabilities": {"workspace": {
            "didChangeWatchedFiles": {"dynamicRegistration": true},
        }}}),
    );
    let (id, params) = client.request_from_server("client/registerCapability");
    assert_eq!(params["registrations"][0]["method"], "workspace/didChangeWatchedFiles");
    client.answer(&id, &Value::Null);
}

#[test]
fn we_watch_if_the_client_cannot() {
    let workspace = Workspace::new(&[]);
    let asking = workspace.path("asking.yaml");
    workspace.write("common.yaml", "0");
    let mut client = Client::start_with(
        Features {
            diagnostics: |world, path, _| {
                let common = path.replace("asking", "common");
                let text = world.file(&common).map(|file| file.text.to_string());
                vec![Diagnostic {
                    range: TextRange::empty(0),
                    severity: Severity::Error,
                    code: "code",
                    is_secret: false,
                    message: text.unwrap_or_default(),
                    related: Vec::new(),
                    url: None,
                    fixes: Vec::new(),
                }]
            },
            ..no_features()
        },
        json!({"capabilities": {}, "rootUri": uri(workspace.root())}),
    );
    client.open(&asking, "a: 1\n");
    for text in ["0", "1", "2"] {
        workspace.write("common.yaml", text);
        // A write consists of two changes, to nothing and to the text; a watcher may report each of them.
        loop {
            let published = client.notification("textDocument/publishDiagnostics");
            if published["diagnostics"][0]["message"] == text {
                break;
            }
        }
    }
    workspace.remove("common.yaml");
    let published = client.notification("textDocument/publishDiagnostics");
    assert_eq!(published["diagnostics"][0]["message"], "");
}

#[test]
fn folders_come_and_go() {
    let folder = |name: &str| json!({"uri": uri(&format!("/nowhere/{name}")), "name": name});
    let mut client = Client::start_with(
        hovers_show_the_folders(),
        json!({"capabilities": {}, "workspaceFolders": [folder("one"), folder("two")]}),
    );
    let path = "/nowhere/one/x.yaml";
    client.open(path, "a: 1\n");
    assert_eq!(client.hover(path, (0, 0)), "one two");
    let event = json!({"added": [folder("three"), folder("two")], "removed": [folder("one")]});
    client.notify("workspace/didChangeWorkspaceFolders", json!({"event": event}));
    assert_eq!(client.hover(path, (0, 0)), "two three");
}

/// Hovers show the setting `hover.maxLines`.
fn hovers_show_a_setting() -> Features {
    Features {
        hover: |world, _, offset, _| {
            let lines = world.settings().hover_max_lines.to_string();
            Some(Hover { markdown: lines, range: TextRange::empty(offset) })
        },
        ..no_features()
    }
}

#[test]
fn settings_that_the_client_pushes() {
    let options = json!({"hiera": {"hover": {"maxLines": 5}}});
    let mut client = Client::start_with(
        hovers_show_a_setting(),
        json!({"capabilities": {}, "initializationOptions": options}),
    );
    let path = "/nowhere/x.yaml";
    client.open(path, "a: 1\n");
    assert_eq!(client.hover(path, (0, 0)), "5");
    let settings = json!({"hiera": {"hover": {"maxLines": 6}}});
    client.notify("workspace/didChangeConfiguration", json!({"settings": settings}));
    assert_eq!(client.hover(path, (0, 0)), "6");
    client.notify("workspace/didChangeConfiguration", json!({"settings": null}));
    assert_eq!(client.hover(path, (0, 0)), "20");
}

#[test]
fn settings_that_the_client_wants_to_be_asked_for() {
    let mut client = Client::start_with(
        hovers_show_a_setting(),
        json!({"capabilities": {"workspace": {"configuration": true}}}),
    );
    let path = "/nowhere/x.yaml";
    client.open(path, "a: 1\n");
    for lines in [7, 8] {
        let (id, params) = client.request_from_server("workspace/configuration");
        assert_eq!(params, json!({"items": [{"section": "hiera"}]}));
        client.answer(&id, &json!([{"hover": {"maxLines": lines}}]));
        client.until_hover_shows(path, &lines.to_string());
        if lines == 7 {
            client.notify("workspace/didChangeConfiguration", json!({"settings": null}));
        }
    }
}

#[test]
fn settings_in_the_project_file() {
    let workspace = Workspace::new(&[(".hiera-ls.yaml", "hover.maxLines: 3\n")]);
    let project_file = workspace.path(".hiera-ls.yaml");
    let mut client = Client::start_with(
        hovers_show_a_setting(),
        json!({"capabilities": {}, "rootUri": uri(workspace.root())}),
    );
    let path = workspace.path("x.yaml");
    client.open(&path, "a: 1\n");
    assert_eq!(client.hover(&path, (0, 0)), "3");
    client.open(&project_file, "hover.maxLines: 4\n");
    assert_eq!(client.hover(&path, (0, 0)), "4");
    client.close(&project_file);
    workspace.write(".hiera-ls.yaml", "hover.maxLines: 5\n");
    client.changed(&[project_file]);
    assert_eq!(client.hover(&path, (0, 0)), "5");
}

#[test]
fn mistakes_in_settings_are_shown_where_they_are() {
    let workspace = Workspace::new(&[
        ("hiera.yaml", "version: 5\n"),
        (".hiera-ls.yaml", "puppetVersion: 99\n"),
    ]);
    let mut client = Client::in_workspace(no_features(), &workspace);
    let published = client.notification("textDocument/publishDiagnostics");
    let project_file = workspace.path(".hiera-ls.yaml");
    assert_eq!(published["uri"], uri(&project_file));
    assert_eq!(published["diagnostics"][0]["code"], "setting");
    assert_eq!(published["diagnostics"][0]["range"]["start"], position((0, 15)));
    client.open(&project_file, "puppetVersion: 8\n");
    let published = client.notification("textDocument/publishDiagnostics");
    assert_eq!(published["diagnostics"], json!([]));

    let settings = json!({"hiera": {"puppetVersion": 99}});
    client.notify("workspace/didChangeConfiguration", json!({"settings": settings}));
    let shown = client.notification("window/showMessage");
    let message = shown["message"].as_str().expect("a text");
    assert!(message.contains("puppetVersion"), "{message}");
    client.forget("hiera/activeNode");
}

#[test]
fn settings_without_a_folder_are_not_read() {
    let workspace = Workspace::new(&[
        ("hiera.yaml", "version: 5\n"),
        (".hiera-ls.yaml", "puppetVersion: 7\n"),
        ("data/common.yaml", "a: 1\n"),
    ]);
    let mut client = Client::start_with(no_features(), json!({"capabilities": {}}));
    client.open(&workspace.path("data/common.yaml"), "a: 1\n");
    let shown = client.notification("window/showMessage");
    let message = shown["message"].as_str().expect("a text");
    assert!(
        message.ends_with(".hiera-ls.yaml is not read: open the folder, and not only a file of it"),
        "{message}"
    );
    client.forget("textDocument/publishDiagnostics");
    client.forget("hiera/activeNode");
}
