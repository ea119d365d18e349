//! Reads the input before the protocol library does. It passes on JSON-RPC messages and answers others with an error.
//!
//! If the library cannot read a message, it treats that as the end of the input, so it must not get such a message. The
//! editor gets an error instead, and the session continues. The session only ends if the length of a message is not known.

use std::borrow::Cow;
use std::io;

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream,
};
use tower_lsp_server::jsonrpc::{ErrorCode, Id, Request};

use super::output::Wire;
use crate::limits::{MAX_MESSAGE_BYTES, MAX_MESSAGE_HEADER_BYTES};
use crate::text::marked_half;

/// Passes messages on until the input ends or does not contain messages.
pub(super) async fn pass_on<I>(input: I, mut library: DuplexStream, wire: Wire)
where
    I: AsyncRead + Unpin,
{
    let mut input = BufReader::new(input);
    loop {
        let body = match read_message(&mut input).await {
            // Some clients send empty messages to keep the pipe open.
            Ok(Some(body)) if body.is_empty() => continue,
            Ok(Some(body)) => body,
            Ok(None) => return,
            Err(error) => {
                tracing::error!("the session ends: {error}");
                // Without the length of a message, the start of the next one is not known, so the session cannot continue.
                wire.send(&answer(&Value::Null, ErrorCode::ParseError, &error.to_string()));
                return;
            }
        };
        match checked(&body) {
            Ok(message) => {
                let header = format!("Content-Length: {}\r\n\r\n", message.len());
                let sent = async {
                    library.write_all(header.as_bytes()).await?;
                    library.write_all(message.as_bytes()).await
                };
                // The library stops reading after `exit`.
                if sent.await.is_err() {
                    return;
                }
            }
            Err(refusal) => {
                tracing::warn!("a message is refused: {}", refusal.message);
                if let Some(id) = &refusal.answered {
                    wire.send(&answer(id, refusal.code, &refusal.message));
                }
            }
        }
    }
}

/// Reads the next message; `None` at the end of the input. An error says why the start of the next message is not known.
async fn read_message(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Vec<u8>>> {
    let Some(length) = read_length(input).await? else { return Ok(None) };
    if length > MAX_MESSAGE_BYTES {
        return Err(broken(&format!(
            "a message has {length} bytes, more than {MAX_MESSAGE_BYTES}"
        )));
    }
    // The buffer grows with the bytes that arrive: a large Content-Length alone costs no memory.
    let mut body = Vec::new();
    input.take(length).read_to_end(&mut body).await?;
    if (body.len() as u64) < length {
        return Err(broken("the input ends in the middle of a message"));
    }
    Ok(Some(body))
}

/// Reads the header lines and returns the length of the message; `None` at the end of the input.
async fn read_length(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<u64>> {
    // The limit is for all lines together. Otherwise, lines without an end could fill the memory.
    let mut input = input.take(MAX_MESSAGE_HEADER_BYTES);
    let mut length = None;
    let mut is_begun = false;
    loop {
        let mut line = Vec::new();
        input.read_until(b'\n', &mut line).await?;
        let Some(line) = line.strip_suffix(b"\n") else {
            // No line end and no bytes left to read: the limit is reached. Otherwise, the input has ended.
            return match (input.limit(), is_begun || !line.is_empty()) {
                (0, _) => Err(broken("the lines before a message do not end")),
                (_, true) => Err(broken("the input ends before a message")),
                (_, false) => Ok(None),
            };
        };
        let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
        // Empty lines before the first header are left over from a client that ends its messages with one.
        if line.is_empty() && is_begun {
            let missing = || broken("a message comes without a Content-Length");
            return length.ok_or_else(missing).map(Some);
        }
        is_begun |= !line.is_empty();
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("Content-Length")
        {
            let number = value.trim().parse();
            let no_number = |_| broken(&format!("`{}` is not a Content-Length", value.trim()));
            length = Some(number.map_err(no_number)?);
        }
    }
}

fn broken(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message.to_owned())
}

/// Why a message is not passed on.
#[derive(Debug)]
struct RefusedMessage {
    code: ErrorCode,
    message: String,
    /// The id of the request; `null` if it is not known; `None` if the client does not expect a response.
    answered: Option<Value>,
}

/// Checks a message, and returns it as the library gets it.
fn checked(body: &[u8]) -> Result<Cow<'_, str>, RefusedMessage> {
    let no_json = |message: String| RefusedMessage {
        code: ErrorCode::ParseError,
        message,
        answered: Some(Value::Null),
    };
    let text = std::str::from_utf8(body);
    let text = text.map_err(|error| no_json(format!("the message is not UTF-8: {error}")))?;
    let text = with_marked_halves(text);
    // serde also reads a list of the members' values as a request.
    let is_object = text.trim_start().starts_with('{');
    let error = match serde_json::from_str::<Request>(&text) {
        Ok(request) if is_object => return unless_unanswered(&request).map(|()| text),
        Ok(_) => String::from("it is not an object"),
        Err(error) => error.to_string(),
    };
    // The text is parsed a second time only to find out what the client may expect.
    let value = serde_json::from_str::<Value>(&text);
    let value = value.map_err(|error| no_json(format!("the message is not JSON: {error}")))?;
    // A response must not be answered, or both sides would answer each other forever.
    let is_answer = value.get("method").is_none()
        && (value.get("result").is_some() || value.get("error").is_some());
    let id = value.get("id").filter(|id| id.is_number() || id.is_string());
    let message = if value.is_array() {
        "the message is a batch, which the language server protocol does not have".to_owned()
    } else {
        format!("the message is not a JSON-RPC 2.0 request: {error}")
    };
    let answered = (!is_answer).then(|| id.cloned().unwrap_or_default());
    Err(RefusedMessage { code: ErrorCode::InvalidRequest, message, answered })
}

/// The library ignores everything whose method starts with `$/`, but the protocol demands an answer to requests among them.
fn unless_unanswered(request: &Request) -> Result<(), RefusedMessage> {
    let id = request.id().filter(|id| !matches!(id, Id::Null));
    let Some(id) = id.filter(|_| request.method().starts_with("$/")) else { return Ok(()) };
    Err(RefusedMessage {
        code: ErrorCode::MethodNotFound,
        message: format!("there is no request `{}`", request.method()),
        answered: Some(json!(id)),
    })
}

fn answer(id: &Value, code: ErrorCode, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code.code(), "message": message}})
}

/// Replaces escapes that name only half a character (`\ude00`). JSON parsers refuse them.
fn with_marked_halves(json: &str) -> Cow<'_, str> {
    let mut result = String::new();
    let mut done = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &json.as_bytes()[at..]) {
        at += found;
        // Two halves in this order make one character, which JSON parsers accept.
        match (unit_at(json, at), unit_at(json, at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => at += 12,
            (Some(half @ 0xd800..=0xdfff), _) => {
                result.push_str(&json[done..at]);
                result.extend(marked_half(half));
                at += 6;
                done = at;
            }
            // The escaped character may be a backslash. The JSON parser reports an escape that is cut off.
            _ => at = (at + 2).min(json.len()),
        }
    }
    if done == 0 {
        return Cow::Borrowed(json);
    }
    result.push_str(&json[done..]);
    Cow::Owned(result)
}

/// The UTF-16 unit of `\u` and four digits at byte `at`.
fn unit_at(json: &str, at: usize) -> Option<u16> {
    let digits = json.as_bytes().get(at..at + 6)?.strip_prefix(b"\\u")?;
    let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
    let digits = std::str::from_utf8(digits).ok().filter(|_| is_hex)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::without_halves;

    const PIECES: &[&str] = &[
        "{",
        "}",
        "\"jsonrpc\":\"2.0\"",
        ",",
        "\"id\":1",
        "\"method\":\"x\"",
        "\"params\":",
        "\"",
        "\\ud83d",
        "\\ude00",
        "\\",
        "\\\\",
        "\\u",
        "[",
        "]",
        "1.5",
        "null",
    ];

    #[track_caller]
    fn check_refused(body: &[u8], code: i64, answered: Option<Value>) {
        let refusal = checked(body).expect_err("the message is refused");
        assert_eq!(
            (refusal.code.code(), refusal.answered),
            (code, answered),
            "{}",
            refusal.message
        );
    }

    #[test]
    fn what_is_no_message_is_refused_under_its_number() {
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":1,"params":{}1{}}}"#,
            "[".repeat(200),
            "]".repeat(200)
        );
        check_refused(b"\xff", -32700, Some(Value::Null));
        check_refused(b"{", -32700, Some(Value::Null));
        check_refused(deep.as_bytes(), -32700, Some(Value::Null));
        check_refused(br#"{"jsonrpc":"2.0","id":1,"params":1e999}"#, -32700, Some(Value::Null));
        check_refused(b"{}", -32600, Some(Value::Null));
        check_refused(b"[]", -32600, Some(Value::Null));
        check_refused(br#"["2.0","exit"]"#, -32600, Some(Value::Null));
        check_refused(b"null", -32600, Some(Value::Null));
        check_refused(br#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#, -32600, Some(json!(1.5)));
        check_refused(br#"{"id":7,"method":"x"}"#, -32600, Some(json!(7)));
        check_refused(br#"{"jsonrpc":"2.0","id":3,"method":"$/x"}"#, -32601, Some(json!(3)));
        check_refused(br#"{"jsonrpc":"2.0","id":"a","method":"$/x"}"#, -32601, Some(json!("a")));
        check_refused(br#"{"jsonrpc":"2.0","id":[],"method":"x"}"#, -32600, Some(Value::Null));
        check_refused(br#"{"jsonrpc":"2.0","id":{},"result":1}"#, -32600, None);
    }

    #[test]
    fn messages_pass_as_they_are() {
        let messages = [
            r#"{"jsonrpc":"2.0","method":"exit"}"#,
            r#"{"jsonrpc":"2.0","method":"$/x","params":{"id":1}}"#,
            r#" {"jsonrpc":"2.0","id":"a","result":null}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"text":"\ud83d\ude00 \\ud83d \\"}}"#,
        ];
        for message in messages {
            assert_eq!(checked(message.as_bytes()).expect("it passes"), message);
        }
    }

    proptest! {
        #[test]
        fn whatever_passes_is_json(
            bytes in prop::collection::vec(any::<u8>(), 0..40),
            pieces in prop::collection::vec(prop::sample::select(PIECES), 0..30),
        ) {
            for body in [bytes, pieces.concat().into_bytes()] {
                if let Ok(message) = checked(&body) {
                    prop_assert!(serde_json::from_str::<Value>(&message).is_ok());
                }
                let text = String::from_utf8_lossy(&body);
                let marked = with_marked_halves(&text);
                prop_assert_eq!(marked.chars().filter(|it| *it == '"').count(), text.matches('"').count());
            }
        }
    }

    #[test]
    fn halves_of_characters_are_marked() {
        #[track_caller]
        fn check(escaped: &str, expected: &str) {
            let marked = with_marked_halves(escaped);
            assert!(marked == escaped || serde_json::from_str::<Value>(escaped).is_err());
            let text: String = serde_json::from_str(&marked).expect("JSON now");
            assert_eq!(without_halves(&text), expected);
        }
        check(r#""\ude01""#, "\u{fffd}");
        check(r#""a\uD83Db""#, "a\u{fffd}b");
        check(r#""\ud83d\u0041""#, "\u{fffd}A");
        check(r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀");
        check(r#""\\ud83d\\\ud83d""#, "\\ud83d\\\u{fffd}");
        assert_eq!(with_marked_halves(r#""\ud83"#), r#""\ud83"#);
        assert_eq!(with_marked_halves("\"ä\\"), "\"ä\\");
    }
}
