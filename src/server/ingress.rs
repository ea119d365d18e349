//! The only place that sees messages in the order in which they arrive.
//!
//! The service behind it polls the futures of several messages at the same time. So a message must not change the state in
//! its future: it does so here, when it is handed over. The snapshot of a request is also taken here. **Message k sees
//! every effect of messages 1…k−1, and none of those after it.**

use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tower::Service;
use tower_lsp_server::jsonrpc::{Request, Response};
use tower_lsp_server::{ClientSocket, ExitedError, LspService};

use super::backend::{Backend, with_custom_requests};
use super::outgoing::outgoing;
use super::output::Wire;
use super::pool::{Pool, guarded};
use super::preview_proto::SCHEME;
use super::session::{Session, SharedSession};
use super::stop::Stop;
use super::trace::Traced;
use super::{Features, from_proto, handlers, publish, warm_up, watch};

/// The service that the transport calls.
pub(super) struct Ingress {
    inner: LspService<Backend>,
    session: SharedSession,
    wire: Wire,
}

impl Ingress {
    /// A service for one client, the connection to that client, and the tasks that run until the service is dropped.
    pub(super) fn build(
        features: Features,
        wire: Wire,
        stop: &Stop,
    ) -> (Self, ClientSocket, JoinSet<()>) {
        let (outgoing, queue) = outgoing();
        let session = SharedSession::new(features, outgoing, wire.clone(), stop.clone());
        let mut background = JoinSet::new();
        // With one worker, a long request would block all others.
        let workers = std::thread::available_parallelism().map_or(2, usize::from);
        let builder = LspService::build(|client| {
            background.spawn(queue.send_to(client));
            Backend::new(Pool::new(workers.max(2), stop.clone()))
        });
        let (inner, socket) = with_custom_requests(builder).finish();
        // Subscribe before the first message, so that no change is missed.
        let (revisions, warm_ups, cancels, folders) = session.with(|session| {
            let signals = session.signals();
            let (warm_ups, cancels) = (signals.warm_ups(), signals.warm_up_cancels());
            (signals.revisions(), warm_ups, cancels, signals.folders_to_watch())
        });
        // Work in the background has pools of its own, so it never takes the place of a request.
        let pool = || Pool::background(stop.clone());
        background.spawn(publish::publish(session.clone(), revisions, pool()));
        background.spawn(warm_up::warm_up(session.clone(), warm_ups, cancels, pool()));
        background.spawn(watch::watch(session.clone(), folders, pool()));
        (Self { inner, session, wire }, socket, background)
    }

    /// The state behind the service.
    pub(super) fn session(&self) -> SharedSession {
        self.session.clone()
    }
}

impl Service<Request> for Ingress {
    type Response = Option<Response>;
    type Error = ExitedError;
    type Future = Pin<Box<dyn Future<Output = Result<Option<Response>, ExitedError>> + Send>>;

    fn poll_ready(&mut self, context: &mut TaskContext<'_>) -> Poll<Result<(), ExitedError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let request = with_valid_uris(request);
        let is_request = request.id().is_some();
        // The effect comes first, so a request that changes the state already sees the new state.
        let (context, traced) = self.session.with(|session| {
            let traced = Traced::begin(session.trace(), session.outgoing(), &request);
            let is_effect = apply(session, request.method(), request.params(), is_request);
            ((is_request || !is_effect).then(|| session.context()), traced)
        });
        // A notification that changes the state is done now. The library does not get it.
        let Some(context) = context else {
            traced.into_iter().for_each(Traced::end);
            return Box::pin(std::future::ready(Ok(None)));
        };
        let adds_documents =
            request.method() == "initialize" && context.client.text_document_content;
        let (raw, wire) = (context.raw.clone(), self.wire.clone());
        let answer = context.scope(self.inner.call(request));
        Box::pin(async move {
            let answer = answer.await;
            traced.into_iter().for_each(Traced::end);
            if let Ok(Some(response)) = &answer
                && response.is_ok()
                && let Some(message) = raw.take_message(response.id())
            {
                // The response is written here as JSON, so the library must not write one.
                wire.send_parts(message);
                return Ok(None);
            }
            if adds_documents { answer.map(|it| it.map(with_documents)) } else { answer }
        })
    }
}

/// Applies a message to the state. Returns whether it is a message that changes the state.
fn apply(session: &mut Session, method: &str, params: Option<&Value>, is_request: bool) -> bool {
    let Some(effect) = effect_of(method, is_request) else {
        return false;
    };
    // Only the first `initialize`, and the messages between it and `shutdown`, have an effect.
    if session.is_running() != (method != "initialize") {
        return true;
    }
    let params = params.unwrap_or(&Value::Null);
    // A panic here must not end the session.
    let outcome = guarded(|| {
        if let Err(error) = effect(session, params) {
            tracing::warn!("{method} cannot be read: {error}");
        }
        Ok(())
    });
    if let Err(error) = outcome {
        tracing::error!("{method}: {}", error.message);
    }
    true
}

type Effect = fn(&mut Session, &Value) -> serde_json::Result<()>;

/// The messages that change the state, by method.
fn effect_of(method: &str, is_request: bool) -> Option<Effect> {
    Some(match (method, is_request) {
        ("initialize", true) => |session, params| {
            with(session, params, Session::initialize)?;
            if params["capabilities"]["workspace"]["textDocumentContent"].is_object() {
                session.takes_documents();
            }
            Ok(())
        },
        ("$/setTrace", false) => |session, params| with(session, params, handlers::set_trace),
        ("window/workDoneProgress/cancel", false) => {
            |session, params| with(session, params, handlers::work_done_progress_cancel)
        }
        ("shutdown", true) => |session, _| {
            session.shut_down();
            Ok(())
        },
        ("hiera/selectNode", true) => {
            |session, params| with(session, params, handlers::select_node::effect)
        }
        ("hiera/assume", true) => |session, params| with(session, params, handlers::assume::effect),
        ("initialized", false) => |session, _| {
            session.initialized();
            Ok(())
        },
        ("textDocument/didOpen", false) => {
            |session, params| with(session, params, handlers::did_open)
        }
        ("textDocument/didChange", false) => {
            |session, params| with(session, params, handlers::did_change)
        }
        ("textDocument/didSave", false) => {
            |session, params| with(session, params, handlers::did_save)
        }
        ("textDocument/didClose", false) => {
            |session, params| with(session, params, handlers::did_close)
        }
        ("workspace/didChangeWatchedFiles", false) => {
            |session, params| with(session, params, handlers::did_change_watched_files)
        }
        ("workspace/didChangeConfiguration", false) => {
            |session, params| with(session, params, handlers::did_change_configuration)
        }
        ("workspace/didChangeWorkspaceFolders", false) => {
            |session, params| with(session, params, handlers::did_change_workspace_folders)
        }
        _ => return None,
    })
}

fn with<P: DeserializeOwned>(
    session: &mut Session,
    params: &Value,
    effect: impl FnOnce(&mut Session, P),
) -> serde_json::Result<()> {
    P::deserialize(params).map(|params| effect(session, params))
}

/// The result of `initialize` with the capability to provide documents, which the types of the LSP library do not have yet.
fn with_documents(answer: Response) -> Response {
    let (id, mut result) = answer.into_parts();
    if let Ok(result) = &mut result
        && let Some(workspace) = result["capabilities"]["workspace"].as_object_mut()
    {
        workspace.insert("textDocumentContent".to_owned(), json!({"schemes": [SCHEME]}));
    }
    Response::from_parts(id, result)
}

fn with_valid_uris(request: Request) -> Request {
    let (method, id, params) = request.into_parts();
    let request = Request::build(method);
    let request = match id {
        Some(id) => request.id(id),
        None => request,
    };
    let request = match params {
        Some(mut params) => {
            from_proto::repair_uris(&mut params);
            request.params(params)
        }
        None => request,
    };
    request.finish()
}
