//! Messages that are invalid: each gets an error or is logged, and the session continues as long as it is clear where the
//! next message starts.

use hiera_ls::server::Ending;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::documents::{no_features, uri};

fn send_body(client: &mut Client, body: &[u8]) {
    client.send_raw(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
    client.send_raw(body);
}

/// The code of the error for a message, and the message's id.
fn refusal(client: &mut Client, body: &[u8], id: &Value) -> i64 {
    send_body(client, body);
    let mut answer = client.answer_with(id);
    let error = answer["error"].take();
    assert!(error["message"].as_str().is_some_and(|it| !it.is_empty()), "{error}");
    error["code"].as_i64().expect("a number")
}

#[test]
fn what_is_no_message_gets_an_error_and_the_session_goes_on() {
    let mut client = Client::start(no_features());
    let deep = format!(r#"{{"jsonrpc":"2.0","method":"x","params":{}"#, "[".repeat(100_000));
    let null = Value::Null;
    let cases: [(&[u8], i64, &Value); 8] = [
        (b"{}", -32600, &null),
        (b"[]", -32600, &null),
        (br#"[{"jsonrpc":"2.0","id":5,"method":"shutdown"}]"#, -32600, &null),
        (br#"{"jsonrpc":"2.0","id":1.5,"method":"hiera/nodes"}"#, -32600, &json!(1.5)),
        (br#"{"jsonrpc":"1.0","id":7,"method":"hiera/nodes"}"#, -32600, &json!(7)),
        (b"nonsense", -32700, &null),
        (b"\xff\xfe", -32700, &null),
        (deep.as_bytes(), -32700, &null),
    ];
    for (body, code, id) in cases {
        assert_eq!(refusal(&mut client, body, id), code, "{}", String::from_utf8_lossy(body));
        client.ask("hiera/nodes", Value::Null).expect("the server lives");
    }
    // A response gets no response, and neither does an empty message.
    send_body(&mut client, b"");
    send_body(&mut client, br#"{"jsonrpc":"2.0","id":1.5,"result":null}"#);
    client.ask("hiera/nodes", Value::Null).expect("the server lives");
}

#[test]
fn an_editor_may_replace_half_a_character() {
    let features = hiera_ls::server::Features {
        hover: |world, path, _, _| {
            let markdown = world.file(path).ok()?.text.to_string();
            Some(hiera_ls::ide::Hover { markdown, range: hiera_ls::text::TextRange::empty(0) })
        },
        ..no_features()
    };
    let mut client = Client::start(features);
    client.open("/half/a.yaml", "a: 😀\n");
    let change = |version: i32, from: u32, to: u32, text: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"textDocument/didChange","params":{{"textDocument":{{"uri":"{}","version":{version}}},"contentChanges":[{{"range":{{"start":{{"line":0,"character":{from}}},"end":{{"line":0,"character":{to}}}}},"text":"{text}"}}]}}}}"#,
            uri("/half/a.yaml")
        )
    };
    send_body(&mut client, change(2, 4, 5, "\\ude01").as_bytes());
    assert_eq!(client.hover("/half/a.yaml", (0, 0)), "a: 😁\n");
    send_body(&mut client, change(3, 3, 3, "\\ud83d").as_bytes());
    assert_eq!(client.hover("/half/a.yaml", (0, 0)), "a: \u{fffd}😁\n");
    client.edit("/half/a.yaml", 4, ((0, 6), (0, 6)), "!");
    assert_eq!(client.hover("/half/a.yaml", (0, 0)), "a: \u{fffd}😁!\n");
}

#[test]
fn a_message_without_a_length_ends_the_session_with_an_error() {
    let headers: [&[u8]; 4] = [
        b"{\"jsonrpc\":\"2.0\"}\n\n",
        b"Content-Length: many\r\n\r\n{}",
        b"Content-Length: -1\r\n\r\n{}",
        b"Content-Length: 99999999999\r\n\r\n{}",
    ];
    for header in headers {
        let mut client = Client::start(no_features());
        client.send_raw(header);
        let answer = client.answer_with(&Value::Null);
        assert_eq!(answer["error"]["code"], -32700, "{}", String::from_utf8_lossy(header));
        assert_eq!(client.ending(), Ending::Abrupt);
        client.hang_up();
    }
}

#[test]
fn lines_before_a_message_may_be_spelt_otherwise() {
    let mut client = Client::start(no_features());
    let body = r#"{"jsonrpc":"2.0","id":"a","method":"hiera/nodes"}"#;
    let header = format!(
        "\r\ncontent-length: {}\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\nX: y\r\n\r\n",
        body.len()
    );
    client.send_raw(format!("{header}{body}").as_bytes());
    assert!(client.answer_with(&json!("a")).get("result").is_some());
}
