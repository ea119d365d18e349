//! Long responses in parts, for clients that send a token for them.

use std::sync::Arc;

use hiera_ls::ide::{Occurrence, WorkspaceSymbol};
use hiera_ls::server::Features;
use hiera_ls::text::TextRange;
use hiera_ls::world::World;
use serde_json::{Value, json};

use super::diagnostics::exclamations;
use crate::support::client::Client;
use crate::support::documents::{no_features, position, uri};
use crate::support::signal::Signal;

const PATH: &str = "/r/a.yaml";
const TEXT: &str = "a: 1\n";

fn many_places(_: &Arc<World>, path: &str) -> Vec<Occurrence> {
    let place = |number: u32| Occurrence {
        path: path.into(),
        range: TextRange::new(number % 2, 2),
        is_declaration: false,
    };
    (0..450).map(place).collect()
}

fn many_symbols() -> Vec<WorkspaceSymbol> {
    let symbol = |number: u32| WorkspaceSymbol {
        name: format!("key{number}").into(),
        container: "a.yaml".to_owned(),
        path: PATH.into(),
        range: TextRange::new(0, 1),
    };
    (0..201).map(symbol).collect()
}

/// The next part and how many items it has.
#[track_caller]
fn part(client: &mut Client, token: &str) -> (usize, Value) {
    let mut progress = client.notification("$/progress");
    assert_eq!(progress["token"], token);
    let value = progress["value"].take();
    let items = value.get("items").unwrap_or(&value);
    (items.as_array().expect("a list").len(), value)
}

fn references(token: &Value) -> Value {
    json!({
        "textDocument": {"uri": uri(PATH)},
        "position": position((0, 0)),
        "context": {"includeDeclaration": true},
        "partialResultToken": token,
    })
}

#[test]
fn references_come_in_parts() {
    let features =
        Features { references: |world, path, _, _| many_places(world, path), ..no_features() };
    let mut client = Client::start(features);
    client.open(PATH, TEXT);
    let rest = client.ask("textDocument/references", references(&json!("t"))).expect("an answer");
    assert_eq!(rest, json!([]), "everything was said before");
    let parts = [(); 3].map(|()| part(&mut client, "t"));
    assert_eq!(parts.each_ref().map(|it| it.0), [200, 200, 50]);
    assert_eq!(parts[2].1[1]["range"]["start"], position((0, 1)));
    let all = client.ask("textDocument/references", references(&Value::Null)).expect("an answer");
    assert_eq!(all.as_array().expect("a list").len(), 450, "without a token as a whole");
}

#[test]
fn symbols_come_in_parts() {
    let features = Features { workspace_symbols: |_, _, _| many_symbols(), ..no_features() };
    let mut client = Client::start(features);
    client.open(PATH, TEXT);
    let params = json!({"query": "k", "partialResultToken": "s"});
    assert_eq!(client.ask("workspace/symbol", params).expect("an answer"), json!([]));
    let (first, symbols) = part(&mut client, "s");
    assert_eq!((first, symbols[0]["name"].as_str()), (200, Some("key0")));
    assert_eq!(part(&mut client, "s").0, 1);
}

/// A client for a workspace with this number of files, each with a finding.
fn client_with_findings(features: Features) -> Client {
    let capabilities = json!({"textDocument": {"diagnostic": {}}});
    let mut client = Client::start_with(features, json!({"capabilities": capabilities}));
    for number in 0..70 {
        client.open(&format!("/r/{number}.yaml"), "a: 1!\n");
    }
    client
}

#[test]
fn the_first_files_are_reported_while_others_are_looked_at() {
    static LOOKED_AT: Signal = Signal::new();
    static FIRST_PART_IS_THERE: Signal = Signal::new();
    let features = Features {
        diagnostics: |world, path, cancel| {
            LOOKED_AT.raise();
            if path == "/r/60.yaml" {
                FIRST_PART_IS_THERE.wait_for(1);
            }
            exclamations(world, path, cancel)
        },
        workspace_files: |_, _| (0..70).map(|number| format!("/r/{number}.yaml")).collect(),
        ..no_features()
    };
    let mut client = client_with_findings(features);
    let params = json!({"previousResultIds": [], "partialResultToken": "d"});
    let asked = client.request("workspace/diagnostic", params.clone());
    let (count, report) = part(&mut client, "d");
    FIRST_PART_IS_THERE.raise();
    assert_eq!(count, 50);
    assert_eq!(report["items"][0]["kind"], "full");
    assert_eq!(part(&mut client, "d").0, 20);
    assert_eq!(client.answer_to(asked).expect("an answer"), json!({"items": []}));
    let looked_at = LOOKED_AT.count();
    client.ask("workspace/diagnostic", params).expect("an answer");
    assert_eq!([part(&mut client, "d").0, part(&mut client, "d").0], [50, 20]);
    assert_eq!(LOOKED_AT.count(), looked_at, "reports are kept, in parts or not");
}

#[test]
fn no_part_comes_behind_the_end() {
    static BEGUN: Signal = Signal::new();
    static CANCELLED: Signal = Signal::new();
    static DONE: Signal = Signal::new();
    let features = Features {
        references: |world, path, _, _| {
            BEGUN.raise();
            CANCELLED.wait_for(1);
            DONE.raise();
            many_places(world, path)
        },
        ..no_features()
    };
    let mut client = Client::start(features);
    client.open(PATH, TEXT);
    let id = client.request("textDocument/references", references(&json!("t")));
    BEGUN.wait_for(1);
    client.notify("$/cancelRequest", json!({ "id": id }));
    let error = client.answer_to(id).expect_err("it was cancelled");
    assert_eq!(error["code"], -32800);
    CANCELLED.raise();
    DONE.wait_for(1);
    client.ask("hiera/nodes", Value::Null).expect("an answer");
    // When the client ends, it fails if another message came.
}
