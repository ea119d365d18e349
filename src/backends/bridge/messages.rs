//! Messages of JSON-RPC.

use serde_json::{Value as Json, json};

/// The message for output that is not a JSON-RPC message.
pub(super) const NO_MESSAGE: &str = "wrote something that is not a JSON-RPC message";

/// One message.
pub(super) enum Message {
    Request { id: Option<Json>, method: String, params: Json },
    Response { id: u64, answer: Result<Json, Json> },
    None,
}

/// Classifies a message.
pub(super) fn read(mut message: Json) -> Message {
    if let Some(method) = message.get("method").and_then(Json::as_str) {
        let method = method.to_owned();
        let id = message.get("id").filter(|id| !id.is_null()).cloned();
        return Message::Request { id, method, params: message["params"].take() };
    }
    let Some(id) = message.get("id").and_then(Json::as_u64) else {
        return Message::None;
    };
    let answer = match message.get_mut("error") {
        Some(error) if !error.is_null() => Err(error.take()),
        _ => Ok(message["result"].take()),
    };
    Message::Response { id, answer }
}

/// The response to a request.
pub(super) fn response(id: &Json, answer: Result<Json, Json>) -> Json {
    match answer {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
    }
}
