//! Runs the work of requests on a few threads, one job each, and catches panics.

use std::any::Any;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::sync::oneshot;
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result};

use super::stop::Stop;
use super::{CancelToken, STACK_BYTES};
use crate::world::parallel;

/// LSP's `ServerCancelled`.
const SERVER_CANCELLED: i64 = -32802;

/// LSP's `ContentModified`.
const CONTENT_MODIFIED: i64 = -32801;

/// Runs jobs in the order of their arrival, on threads of its own. The threads end when the last clone is dropped.
#[derive(Debug, Clone)]
pub(super) struct Pool {
    jobs: Arc<Jobs>,
    stop: Stop,
}

/// The end of the queue to which jobs are added.
#[derive(Debug)]
struct Jobs {
    queue: Arc<Queue>,
    size: usize,
    is_background: bool,
}

/// The jobs that wait for a thread.
#[derive(Debug, Default)]
struct Queue {
    state: Mutex<State>,
    /// Wakes a thread that has no job.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Job>,
    threads: usize,
    /// The threads that have no job.
    idle: usize,
    is_closed: bool,
}

type Job = Box<dyn FnOnce() + Send>;

impl Pool {
    /// Creates a pool for `size` jobs at a time, which ends with `stop`.
    pub(super) fn new(size: usize, stop: Stop) -> Self {
        Self::with(stop, Jobs { queue: Arc::default(), size, is_background: false })
    }

    /// Creates a pool for one job at a time, which gives way to the jobs of other pools.
    pub(super) fn background(stop: Stop) -> Self {
        Self::with(stop, Jobs { queue: Arc::default(), size: 1, is_background: true })
    }

    fn with(stop: Stop, jobs: Jobs) -> Self {
        Self { jobs: Arc::new(jobs), stop }
    }

    /// Runs `work`. If the future is dropped, waiting work does not start, and the token of running work is cancelled.
    pub(super) async fn run<R: Send + 'static>(
        &self,
        work: impl FnOnce(&CancelToken) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let token = CancelToken::default();
        // The value has a name, because `_` alone would drop it at once and cancel the work.
        let _cancel = CancelOnDrop(token.clone());
        let (done, result) = oneshot::channel();
        // The work may take seconds. On the thread of the runtime, it would stop messages from being passed on.
        self.jobs.add(Box::new(move || {
            if !token.is_cancelled() {
                // Nobody waits for the result if the future was dropped meanwhile.
                let _ = done.send(guarded(|| work(&token)));
            }
        }));
        // At the end of the session, no response may be missing, so work in progress gets an error.
        tokio::select! {
            result = result => result.unwrap_or_else(|_| Err(Error::internal_error())),
            () = self.stop.tripped() => Err(error(SERVER_CANCELLED, "the server is going down")),
        }
    }
}

impl Jobs {
    fn add(&self, job: Job) {
        let mut state = self.queue.lock();
        state.waiting.push_back(job);
        if state.idle >= state.waiting.len() {
            // If the lock were still held, the thread would wake up only to wait for it.
            drop(state);
            self.queue.changed.notify_one();
        } else if state.threads < self.size {
            let queue = Arc::clone(&self.queue);
            let thread = thread::Builder::new().name("hiera-ls".to_owned()).stack_size(STACK_BYTES);
            let begin_job = if self.is_background { parallel::begin_in_background } else { || () };
            match thread.spawn(move || queue.work(begin_job)) {
                Ok(_) => state.threads += 1,
                Err(error) => tracing::error!("a thread cannot be started: {error}"),
            }
            if state.threads == 0 {
                // Dropped jobs are answered with an error; otherwise, they would wait forever.
                state.waiting.clear();
            }
        }
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.queue.lock().is_closed = true;
        self.queue.changed.notify_all();
    }
}

impl Queue {
    /// Runs jobs until the queue is closed, and `begin_job` before each of them.
    fn work(&self, begin_job: fn()) {
        while let Some(job) = self.next() {
            begin_job();
            job();
        }
    }

    /// Waits for a job; `None` if the queue is closed.
    fn next(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(job) = state.waiting.pop_front() {
                return Some(job);
            }
            state.idle += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for State {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} jobs wait, {} of {} threads",
            self.waiting.len(),
            self.idle,
            self.threads
        )
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
