//! The queue of notifications and requests to the client. A handler never waits for the client: it puts messages into this
//! queue, and another task sends them.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tower::Service;
use tower_lsp_server::Client;
use tower_lsp_server::jsonrpc::{Request, Result};
use tower_lsp_server::ls_types::notification::Notification;

/// The maximum number of requests without a response. Some clients never respond, and the memory for waiting requests must
/// not grow.
const MAX_UNANSWERED: usize = 1_000;

/// Accepts messages and never blocks. Clones send to the same client, in the order of the calls.
#[derive(Debug, Clone)]
pub(super) struct Outgoing(UnboundedSender<Message>);

type OnAnswer = Box<dyn FnOnce(Result<Value>) + Send>;

enum Message {
    Notification(Request),
    Request { method: &'static str, params: Value, on_answer: OnAnswer },
}

/// The receiving end, for [`Queue::send_to`].
pub(super) struct Queue(UnboundedReceiver<Message>);

/// Creates a queue and its sender.
pub(super) fn outgoing() -> (Outgoing, Queue) {
    let (sender, receiver) = unbounded_channel();
    (Outgoing(sender), Queue(receiver))
}

impl Outgoing {
    /// Sends a notification of the protocol.
    pub(super) fn notify<N: Notification>(&self, params: &N::Params) {
        self.notify_custom(N::METHOD, params);
    }

    /// Sends a notification that hiera-ls adds to LSP.
    pub(super) fn notify_custom(&self, method: &'static str, params: &impl Serialize) {
        let request = Request::build(method).params(to_json(params)).finish();
        self.push(Message::Notification(request));
    }

    /// Sends a request. `on_answer` runs when the client responds, which may be never.
    pub(super) fn request(
        &self,
        method: &'static str,
        params: &impl Serialize,
        on_answer: impl FnOnce(Result<Value>) + Send + 'static,
    ) {
        let params = to_json(params);
        self.push(Message::Request { method, params, on_answer: Box::new(on_answer) });
    }

    fn push(&self, message: Message) {
        // After the end of the session, there is no receiver.
        let _ = self.0.send(message);
    }
}

impl Queue {
    /// Passes messages on until the session ends.
    pub(super) async fn send_to(mut self, mut client: Client) {
        let unanswered = Arc::new(Semaphore::new(MAX_UNANSWERED));
        while let Some(message) = self.0.recv().await {
            match message {
                Message::Notification(request) => {
                    if client.call(request).await.is_err() {
                        return;
                    }
                }
                Message::Request { method, params, on_answer } => {
                    // The queue must not wait here: notifications behind the request would wait, too.
                    let Ok(slot) = Arc::clone(&unanswered).try_acquire_owned() else {
                        tracing::warn!("{method} is not sent: the client answers no requests");
                        continue;
                    };
                    let id = client.next_request_id();
                    let answer = client.call(Request::build(method).params(params).id(id).finish());
                    tokio::spawn(async move {
                        // The slot is free again when the client has responded.
                        let _slot = slot;
                        if let Ok(Some(response)) = answer.await {
                            on_answer(response.into_parts().1);
                        }
                    });
                }
            }
        }
    }
}

fn to_json(params: &impl Serialize) -> Value {
    serde_json::to_value(params).expect("messages have string keys and no failing parts")
}
