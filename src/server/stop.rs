//! The end of a session: a switch that all long-running tasks watch, and an input that ends with it.

use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::watch;

/// A switch that cannot be reset. Clones are the same switch.
#[derive(Debug, Clone)]
pub(super) struct Stop(Arc<watch::Sender<bool>>);

impl Default for Stop {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Stop {
    pub(super) fn trip(&self) {
        self.0.send_replace(true);
    }

    /// Ends when the switch is thrown.
    pub(super) async fn tripped(&self) {
        let mut changes = self.0.subscribe();
        // An error would mean that there is no sender, but `self` owns it.
        let _ = changes.wait_for(|stopped| *stopped).await;
    }
}

/// An input that also ends when the switch is thrown. When the input ends, it throws the switch.
pub(super) struct StoppableInput<I> {
    inner: I,
    stop: Stop,
    tripped: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl<I> StoppableInput<I> {
    pub(super) fn new(inner: I, stop: Stop) -> Self {
        let switch = stop.clone();
        Self { inner, stop, tripped: Box::pin(async move { switch.tripped().await }) }
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for StoppableInput<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        match Pin::new(&mut self.inner).poll_read(context, buffer) {
            Poll::Ready(Ok(())) if buffer.filled().len() > before => Poll::Ready(Ok(())),
            // A read without bytes is the end of the input, and an error ends it as well.
            Poll::Ready(result) => {
                self.stop.trip();
                Poll::Ready(result)
            }
            // For the reader, a read without bytes is the end of the input.
            Poll::Pending => self.tripped.as_mut().poll(context).map(Ok),
        }
    }
}

/// The time between two checks whether the client's process exists.
const PROCESS_CHECKS: Duration = Duration::from_secs(2);

/// Throws the switch when the process `id` ends. If the process does not exist at the start, it runs on another machine or
/// in another container, and is not watched.
pub(super) fn stop_with_process(id: u32, stop: &Stop) {
    let process = PathBuf::from(format!("/proc/{id}"));
    // Without `/proc`, as on macOS and Windows, the process is not watched either.
    if !process.exists() {
        return;
    }
    let stop = stop.clone();
    tokio::spawn(async move {
        let mut checks = tokio::time::interval(PROCESS_CHECKS);
        while process.exists() {
            tokio::select! {
                _ = checks.tick() => {}
                () = stop.tripped() => return,
            }
        }
        tracing::info!("the client's process is gone");
        stop.trip();
    });
}
