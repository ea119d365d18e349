//! The server survives failures, and ends with its client.

use std::process::{Command, Stdio};

use hiera_ls::ide::Hover;
use hiera_ls::server::{Ending, Features};
use hiera_ls::text::TextRange;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::documents::{no_features, position, uri};
use crate::support::signal::Signal;

const PATH: &str = "/life/common.yaml";

/// LSP's codes.
const REQUEST_CANCELLED: i64 = -32800;
const INTERNAL_ERROR: i64 = -32603;
const INVALID_PARAMS: i64 = -32602;
const NOT_INITIALIZED: i64 = -32002;

/// Hovers return `fine`.
fn hovers_answer() -> Features {
    let hover: fn(&_, &_, u32, &_) -> _ = |_, _, offset, _| {
        Some(Hover { markdown: "fine".to_owned(), range: TextRange::empty(offset) })
    };
    Features { hover, ..no_features() }
}

#[track_caller]
fn check_lives(client: &mut Client) {
    client.open(PATH, "a: 1\n");
    assert_eq!(client.hover(PATH, (0, 0)), "fine");
}

#[test]
fn a_cancelled_request_is_answered_at_once_and_its_work_stops() {
    static BEGUN: Signal = Signal::new();
    static STOPPED: Signal = Signal::new();
    let mut client = Client::start(Features {
        definition: |_, _, _, cancel| {
            BEGUN.raise();
            while !cancel.is_cancelled() {
                std::thread::yield_now();
            }
            STOPPED.raise();
            Vec::new()
        },
        ..hovers_answer()
    });
    client.open(PATH, "a: 1\n");
    let at = json!({"textDocument": {"uri": uri(PATH)}, "position": position((0, 0))});
    let id = client.request("textDocument/definition", at);
    BEGUN.wait_for(1);
    client.notify("$/cancelRequest", json!({"id": id}));
    let error = client.answer_to(id).expect_err("a cancelled request is an error");
    assert_eq!(error["code"], REQUEST_CANCELLED);
    STOPPED.wait_for(1);
    check_lives(&mut client);
}

#[test]
fn requests_that_wait_for_a_thread_can_be_cancelled_and_are_not_begun() {
    static BEGUN: Signal = Signal::new();
    let mut client = Client::start(Features {
        definition: |_, _, _, cancel| {
            BEGUN.raise();
            while !cancel.is_cancelled() {
                std::thread::yield_now();
            }
            Vec::new()
        },
        ..hovers_answer()
    });
    client.open(PATH, "a: 1\n");
    let at = json!({"textDocument": {"uri": uri(PATH)}, "position": position((0, 0))});
    // More than the transport's queue and the threads can contain together.
    let ids: Vec<i64> =
        (0..500).map(|_| client.request("textDocument/definition", at.clone())).collect();
    BEGUN.wait_for(1);
    for id in ids.iter().rev() {
        client.notify("$/cancelRequest", json!({"id": id}));
    }
    for id in ids {
        let error = client.answer_to(id).expect_err("a cancelled request is an error");
        assert_eq!(error["code"], REQUEST_CANCELLED);
    }
    assert!(BEGUN.count() < 250, "cancelled requests were begun: {}", BEGUN.count());
    check_lives(&mut client);
}

#[test]
fn a_panic_is_answered_as_an_error_and_the_server_lives() {
    let mut client = Client::start(Features {
        definition: |_, _, _, _| panic!("on purpose"),
        diagnostics: |_, _, _| panic!("on purpose, too"),
        ..hovers_answer()
    });
    client.open(PATH, "a: 1\n");
    let at = json!({"textDocument": {"uri": uri(PATH)}, "position": position((0, 0))});
    for _ in 0..20 {
        let answer = client.ask("textDocument/definition", at.clone());
        let error = answer.expect_err("a panic is an error");
        assert_eq!(error["code"], INTERNAL_ERROR);
        let message = error["message"].as_str().expect("a message");
        assert!(message.contains("on purpose"), "{message}");
    }
    check_lives(&mut client);
}

#[test]
fn requests_that_the_client_never_answers_block_nothing() {
    let mut client = Client::start_with(
        hovers_answer(),
        json!({"capabilities": {"workspace": {"configuration": true}}}),
    );
    for _ in 0..150 {
        client.notify("workspace/didChangeConfiguration", json!({"settings": null}));
    }
    check_lives(&mut client);
    // One more message was sent after `initialized`.
    for _ in 0..151 {
        client.request_from_server("workspace/configuration");
    }
}

#[test]
fn a_client_that_writes_a_lot_before_it_reads_blocks_nothing() {
    static HOVERS: Signal = Signal::new();
    let mut client = Client::start(Features {
        hover: |_, _, offset, _| {
            HOVERS.raise();
            Some(Hover { markdown: "fine".repeat(100), range: TextRange::empty(offset) })
        },
        ..no_features()
    });
    client.open(PATH, "a: 1\n");
    client.listen(false);
    let ids: Vec<i64> = (0..3_000).map(|_| client.request_hover(PATH, (0, 0))).collect();
    HOVERS.wait_for(3_000);
    client.listen(true);
    for id in ids {
        client.answer_to(id).expect("hover succeeds");
    }
}

#[test]
fn what_makes_no_sense_is_refused_and_the_server_lives() {
    let mut client = Client::start(hovers_answer());
    client.notify("textDocument/didOpen", json!({"nonsense": true}));
    client.notify("textDocument/didChange", Value::Null);
    client.notify("$/unknownNotification", json!({}));
    client.notify("hiera/unknownNotification", json!({}));
    client.edit("/not/open.yaml", 2, ((0, 0), (0, 1)), "x");
    client.close("/not/open.yaml");
    client.notify(
        "textDocument/didOpen",
        json!({"textDocument":
            {"uri": "untitled:1", "languageId": "yaml", "version": 1, "text": "a: 1"}}),
    );
    let error = client.ask("textDocument/hover", json!({"position": 1}));
    assert_eq!(error.expect_err("no such parameters")["code"], INVALID_PARAMS);
    check_lives(&mut client);
}

#[test]
fn before_initialize_nothing_else_is_answered() {
    let mut client = Client::connect(hovers_answer());
    let hover = json!({"textDocument": {"uri": uri(PATH)}, "position": position((0, 0))});
    let error = client.ask("textDocument/hover", hover).expect_err("too early");
    assert_eq!(error["code"], NOT_INITIALIZED);
    client.open(PATH, "too early\n");
    client.ask("initialize", json!({"capabilities": {}})).expect("initialize succeeds");
    client.notify("initialized", json!({}));
    assert_eq!(client.hover(PATH, (0, 0)), "", "what was opened too early is not open");
    check_lives(&mut client);
}

#[test]
fn the_end_of_the_input_is_the_end_of_the_server() {
    static BEGUN: Signal = Signal::new();
    static STOPPED: Signal = Signal::new();
    let mut client = Client::start(Features {
        definition: |_, _, _, cancel| {
            BEGUN.raise();
            while !cancel.is_cancelled() {
                std::thread::yield_now();
            }
            STOPPED.raise();
            Vec::new()
        },
        ..hovers_answer()
    });
    client.open(PATH, "a: 1\n");
    let at = json!({"textDocument": {"uri": uri(PATH)}, "position": position((0, 0))});
    client.request("textDocument/definition", at);
    BEGUN.wait_for(1);
    client.hang_up();
    assert_eq!(client.ending(), Ending::Abrupt);
    STOPPED.wait_for(1);
}

#[test]
fn exit_without_shutdown_is_abrupt() {
    let mut client = Client::start(hovers_answer());
    client.notify("exit", Value::Null);
    assert_eq!(client.ending(), Ending::Abrupt);
    client.hang_up();
}

#[cfg(target_os = "linux")]
#[test]
fn the_server_ends_with_the_process_of_its_client() {
    let editor = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn();
    let mut editor = editor.expect("a process that stands for an editor");
    let params = json!({"capabilities": {}, "processId": editor.id()});
    let mut client = Client::start_with(hovers_answer(), params);
    check_lives(&mut client);
    editor.kill().expect("it runs");
    editor.wait().expect("it ends");
    assert_eq!(client.ending(), Ending::Abrupt);
    client.hang_up();
}

#[test]
fn reading_ahead_shows_its_progress_and_holds_nobody_up() {
    static MAY_END: Signal = Signal::new();
    let mut client = Client::start_with(
        Features { warm_up: |_, _, _| MAY_END.wait_for(1), ..hovers_answer() },
        json!({"capabilities": {"window": {"workDoneProgress": true}}}),
    );
    let (id, created) = client.request_from_server("window/workDoneProgress/create");
    check_lives(&mut client);
    client.answer(&id, &Value::Null);
    let begun = client.notification("$/progress");
    assert_eq!(begun["token"], created["token"]);
    assert_eq!(begun["value"]["kind"], "begin");
    check_lives(&mut client);
    MAY_END.raise();
    assert_eq!(client.notification("$/progress")["value"]["kind"], "end");
}
