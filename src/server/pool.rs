//! Runs the work of requests on a few threads, one job each, and catches panics.

use std::any::Any;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::sync::Semaphore;
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result};

use super::CancelToken;
use super::stop::Stop;

/// LSP's `ServerCancelled`.
const SERVER_CANCELLED: i64 = -32802;

/// LSP's `ContentModified`.
const CONTENT_MODIFIED: i64 = -32801;

/// Limits the jobs that run at the same time. Others wait in the order of their arrival.
#[derive(Debug, Clone)]
pub(super) struct Pool {
    slots: Arc<Semaphore>,
    size: usize,
    stop: Stop,
}

impl Pool {
    /// Creates a pool for `size` jobs at a time, which ends with `stop`.
    pub(super) fn new(size: usize, stop: Stop) -> Self {
        Self { slots: Arc::new(Semaphore::new(size)), size, stop }
    }

    /// Whether other jobs run beside the job that calls this.
    pub(super) fn has_other_jobs(&self) -> bool {
        self.slots.available_permits() + 1 < self.size
    }

    /// Runs `work`. If the future is dropped, waiting work does not start, and the token of running work is cancelled.
    pub(super) async fn run<R: Send + 'static>(
        &self,
        work: impl FnOnce(&CancelToken) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let token = CancelToken::default();
        // The value has a name, because `_` alone would drop it at once and cancel the work.
        let _cancel = CancelOnDrop(token.clone());
        // At the end of the session, no response may be missing, so work in progress gets an error.
        tokio::select! {
            result = self.run_to_its_end(token, work) => result,
            () = self.stop.tripped() => Err(error(SERVER_CANCELLED, "the server is going down")),
        }
    }

    async fn run_to_its_end<R: Send + 'static>(
        &self,
        token: CancelToken,
        work: impl FnOnce(&CancelToken) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let slots = self.slots.clone();
        let slot = slots.acquire_owned().await.map_err(|_| Error::internal_error())?;
        // The work may take seconds. On a worker of the runtime, it would stop messages from being passed on.
        let job = tokio::task::spawn_blocking(move || {
            // The job owns its slot, not the future. Otherwise a dropped future would free the slot while the job still
            // runs.
            let _slot = slot;
            guarded(|| work(&token))
        });
        job.await.unwrap_or_else(|_| Err(Error::internal_error()))
    }
}

/// Cancels its token when it is dropped. A dropped future drops its values, so this notices it.
struct CancelOnDrop(CancelToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Runs `work`; a panic becomes an error that says what happened.
pub(super) fn guarded<R>(work: impl FnOnce() -> Result<R>) -> Result<R> {
    // Snapshots never change, and locks ignore poison, so a panic leaves nothing half done behind.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let message = panic_message(&*panic);
        tracing::error!("a request failed with a panic: {message}");
        Err(error(
            ErrorCode::InternalError.code(),
            format!("hiera-ls failed here, which is a bug worth reporting: {message}"),
        ))
    })
}

/// The error for a request whose text was edited meanwhile.
pub(super) fn content_modified() -> Error {
    error(CONTENT_MODIFIED, "the text was edited meanwhile")
}

fn error(code: i64, message: impl Into<Cow<'static, str>>) -> Error {
    Error { code: code.into(), message: message.into(), data: None }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}
