//! A language client in the same process, at the other end of an in-memory pipe.
//!
//! It speaks JSON, so that tests show the messages themselves. A test must ask for every message that the server sends: when
//! the client is dropped, it ends the session in an orderly way and fails if a message is left.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};

use hiera_ls::server::{Ending, Features, runtime, serve};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf};
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;

use super::PATIENCE;

/// The bytes that fit in a pipe: as many as in one of Linux.
const PIPE_BYTES: usize = 64 << 10;

pub(crate) struct Client {
    runtime: Runtime,
    to_server: Option<UnboundedSender<Vec<u8>>>,
    from_server: Receiver<Value>,
    ending: Receiver<Ending>,
    inbox: VecDeque<Value>,
    listening: watch::Sender<bool>,
    forgotten: Vec<&'static str>,
    last_id: i64,
    pub(crate) initialize_result: Value,
}

impl Client {
    /// An empty session: no folder, and a client without special capabilities.
    pub(crate) fn start(features: Features) -> Self {
        Self::start_with(features, json!({"capabilities": {}}))
    }

    /// A session that starts with these parameters of `initialize`. The client reads Markdown unless they say otherwise.
    pub(crate) fn start_with(features: Features, mut params: Value) -> Self {
        let hover = &mut params["capabilities"]["textDocument"]["hover"];
        if hover["contentFormat"].is_null() {
            hover["contentFormat"] = json!(["markdown"]);
        }
        let mut client = Self::connect(features);
        client.initialize_result = client.ask("initialize", params).expect("initialize succeeds");
        client.notify("initialized", json!({}));
        client
    }

    /// A connection without any message so far.
    pub(crate) fn connect(features: Features) -> Self {
        let runtime = runtime().expect("a runtime");
        let (to_server, input) = tokio::io::duplex(PIPE_BYTES);
        let (output, from_server) = tokio::io::duplex(PIPE_BYTES);
        let (bytes, queue) = unbounded_channel();
        let (messages, inbox) = channel();
        let (ended, ending) = channel();
        let (listening, may_read) = watch::channel(true);
        runtime.spawn(write(tokio::io::split(to_server).1, queue));
        runtime.spawn(read(tokio::io::split(from_server).0, messages, may_read));
        runtime.spawn(async move {
            // The test may have ended before.
            let _ = ended.send(serve(input, output, features).await);
        });
        Self {
            runtime,
            to_server: Some(bytes),
            from_server: inbox,
            ending,
            inbox: VecDeque::new(),
            listening,
            forgotten: Vec::new(),
            last_id: 0,
            initialize_result: Value::Null,
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "tests write parameters in place")]
    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and does not wait. The number is for [`Self::answer_to`].
    pub(crate) fn request(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        let id = self.last_id;
        let mut message = json!({"jsonrpc": "2.0", "id": id, "method": method});
        if !params.is_null() {
            message["params"] = params;
        }
        self.send(&message);
        id
    }

    /// The result, or the error, of an earlier request.
    pub(crate) fn answer_to(&mut self, id: i64) -> Result<Value, Value> {
        let mut message = self.answer_with(&id.into());
        match message.get_mut("error") {
            Some(error) => Err(error.take()),
            None => Ok(message["result"].take()),
        }
    }

    /// The whole response with this number, which may be `null`.
    pub(crate) fn answer_with(&mut self, id: &Value) -> Value {
        let is_answer = |it: &Value| it.get("method").is_none() && it["id"] == *id;
        self.take(&format!("an answer to request {id}"), is_answer)
    }

    /// Sends a request and waits for the response.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.request(method, params);
        self.answer_to(id)
    }

    /// The parameters of the next notification of this kind.
    pub(crate) fn notification(&mut self, method: &str) -> Value {
        let is_it = |it: &Value| it.get("id").is_none() && it["method"] == method;
        self.take(method, is_it)["params"].take()
    }

    /// Ignores notifications of this kind, however many come.
    pub(crate) fn forget(&mut self, method: &'static str) {
        self.forgotten.push(method);
    }

    /// The number and the parameters of the next request of this kind that the server sends.
    pub(crate) fn request_from_server(&mut self, method: &str) -> (Value, Value) {
        let is_it = |it: &Value| it.get("id").is_some() && it["method"] == method;
        let mut message = self.take(method, is_it);
        (message["id"].take(), message["params"].take())
    }

    pub(crate) fn answer(&mut self, id: &Value, result: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    /// Whether to read what the server sends. Until then, it waits in the pipe.
    pub(crate) fn listen(&mut self, listening: bool) {
        self.listening.send_replace(listening);
    }

    /// Sends raw bytes.
    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        let to_server = self.to_server.as_ref().expect("the pipe is open");
        // The server may have ended; the test will see that.
        let _ = to_server.send(bytes.to_vec());
    }

    /// Closes the pipe to the server, as a crashing editor does.
    pub(crate) fn hang_up(&mut self) {
        self.to_server = None;
    }

    /// Waits until the server has ended.
    pub(crate) fn ending(&mut self) -> Ending {
        self.ending.recv_timeout(PATIENCE).expect("the server ends")
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.send_raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    fn take(&mut self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.inbox.iter().position(&is_it) {
            return self.inbox.remove(at).expect("it was found there");
        }
        loop {
            match self.from_server.recv_timeout(PATIENCE) {
                Ok(message) if is_it(&message) => return message,
                Ok(message) => self.inbox.push_back(message),
                Err(RecvTimeoutError::Timeout) => {
                    panic!("{what} did not come; instead: {:#?}", self.inbox)
                }
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("the server ended before {what}; it had sent: {:#?}", self.inbox)
                }
            }
        }
    }

    fn finish(&mut self) {
        self.ask("shutdown", Value::Null).expect("shutdown succeeds");
        self.notify("exit", Value::Null);
        assert_eq!(self.ending(), Ending::Orderly);
        self.inbox.extend(self.from_server.iter());
        self.inbox.retain(|message| !self.forgotten.iter().any(|it| message["method"] == *it));
        self.inbox.retain(|message| !says_that_all_is_well(message));
        assert!(self.inbox.is_empty(), "messages nobody asked for: {:#?}", self.inbox);
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if self.to_server.is_some() && !std::thread::panicking() {
            self.finish();
        }
        let runtime = std::mem::replace(&mut self.runtime, idle_runtime());
        runtime.shutdown_background();
    }
}

/// Whether it is the empty set of diagnostics that every open file gets; tests need not ask for it.
fn says_that_all_is_well(message: &Value) -> bool {
    message["method"] == "textDocument/publishDiagnostics"
        && message["params"]["version"].is_number()
        && message["params"]["diagnostics"].as_array().is_some_and(Vec::is_empty)
}

fn idle_runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime")
}

async fn write(mut pipe: WriteHalf<DuplexStream>, mut queue: UnboundedReceiver<Vec<u8>>) {
    while let Some(bytes) = queue.recv().await {
        if pipe.write_all(&bytes).await.is_err() {
            return;
        }
    }
    // An error means that the server has closed the pipe first.
    let _ = pipe.shutdown().await;
}

async fn read(
    mut pipe: ReadHalf<DuplexStream>,
    messages: Sender<Value>,
    mut may_read: watch::Receiver<bool>,
) {
    let mut bytes = Vec::new();
    while may_read.wait_for(|it| *it).await.is_ok()
        && pipe.read_buf(&mut bytes).await.is_ok_and(|count| count > 0)
    {
        while let Some((message, length)) = first_message(&bytes) {
            bytes.drain(..length);
            if messages.send(message).is_err() {
                return;
            }
        }
    }
}

/// The first complete message, and its length in bytes.
fn first_message(bytes: &[u8]) -> Option<(Value, usize)> {
    let header_end = bytes.windows(4).position(|it| it == b"\r\n\r\n")? + 4;
    let header = std::str::from_utf8(&bytes[..header_end]).expect("a header is ASCII");
    let length = header.lines().find_map(|line| line.strip_prefix("Content-Length: "));
    let length: usize = length.and_then(|it| it.parse().ok()).expect("a header has a length");
    let body = bytes.get(header_end..header_end + length)?;
    Some((serde_json::from_slice(body).expect("a body is JSON"), header_end + length))
}
