//! Shorthands for the messages that tests send most.

use std::time::Instant;

use hiera_ls::server::Features;
use serde_json::{Value, json};

use super::PATIENCE;
use super::client::Client;
use super::workspace::Workspace;

/// The replaceable features, which return nothing.
pub(crate) fn no_features() -> Features {
    Features {
        hover: |_, _, _, _| None,
        definition: |_, _, _, _| Vec::new(),
        references: |_, _, _, _| Vec::new(),
        workspace_symbols: |_, _, _| Vec::new(),
        workspace_files: |_, _| Vec::new(),
        diagnostics: |_, _, _| Vec::new(),
        warm_up: |_, _, _| {},
        set_log_level: |_| {},
    }
}

/// The URI of a path without anything to escape.
pub(crate) fn uri(path: &str) -> String {
    format!("file://{path}")
}

/// A position in JSON.
pub(crate) fn position((line, character): (u32, u32)) -> Value {
    json!({"line": line, "character": character})
}

impl Client {
    /// A session in a workspace. The client watches files, so the test has to report changes.
    pub(crate) fn in_workspace(features: Features, workspace: &Workspace) -> Self {
        let watches = json!({"didChangeWatchedFiles": {"dynamicRegistration": true}});
        let mut client = Self::start_with(
            features,
            json!({"capabilities": {"workspace": watches}, "rootUri": uri(workspace.root())}),
        );
        client.request_from_server("client/registerCapability");
        client
    }

    /// Reports changes on the disk.
    pub(crate) fn changed(&mut self, paths: &[String]) {
        let events = paths.iter().map(|path| json!({"uri": uri(path), "type": 2}));
        let events = Value::Array(events.collect());
        self.notify("workspace/didChangeWatchedFiles", json!({"changes": events}));
    }

    pub(crate) fn open(&mut self, path: &str, text: &str) {
        let document = json!({"uri": uri(path), "languageId": "yaml", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Replaces the text between two positions.
    pub(crate) fn edit(
        &mut self,
        path: &str,
        version: i32,
        range: ((u32, u32), (u32, u32)),
        text: &str,
    ) {
        let range = json!({"start": position(range.0), "end": position(range.1)});
        let params = json!({
            "textDocument": {"uri": uri(path), "version": version},
            "contentChanges": [{"range": range, "text": text}],
        });
        self.notify("textDocument/didChange", params);
    }

    /// Replaces the whole text.
    pub(crate) fn replace(&mut self, path: &str, version: i32, text: &str) {
        let params = json!({
            "textDocument": {"uri": uri(path), "version": version},
            "contentChanges": [{"text": text}],
        });
        self.notify("textDocument/didChange", params);
    }

    pub(crate) fn close(&mut self, path: &str) {
        self.notify("textDocument/didClose", json!({"textDocument": {"uri": uri(path)}}));
    }

    /// Chooses a node, and waits until the server has confirmed it.
    #[track_caller]
    pub(crate) fn choose_node(&mut self, name: &str) {
        self.ask("hiera/selectNode", json!({ "name": name })).expect("there is such a node");
        assert_eq!(self.notification("hiera/activeNode")["name"], name);
    }

    /// Asks for a hover and does not wait.
    pub(crate) fn request_hover(&mut self, path: &str, at: (u32, u32)) -> i64 {
        let params = json!({"textDocument": {"uri": uri(path)}, "position": position(at)});
        self.request("textDocument/hover", params)
    }

    /// The text that a hover shows; empty if it shows none.
    pub(crate) fn hover(&mut self, path: &str, at: (u32, u32)) -> String {
        let id = self.request_hover(path, at);
        let answer = self.answer_to(id).expect("hover succeeds");
        answer["contents"]["value"].as_str().unwrap_or("").to_owned()
    }

    /// Hovers until the response is `text`, for changes that happen later.
    pub(crate) fn until_hover_shows(&mut self, path: &str, text: &str) {
        let begin = Instant::now();
        loop {
            let shown = self.hover(path, (0, 0));
            if shown == text {
                return;
            }
            assert!(begin.elapsed() < PATIENCE, "{shown} stays, {text} does not come");
        }
    }
}
