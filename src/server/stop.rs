//! The end of a session: one switch that everything long-lived watches, and an input that ends with it.

use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::watch;

/// A switch that goes one way. Clones are the same switch.
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

    /// Ends once the switch is thrown.
    pub(super) async fn tripped(&self) {
        let mut changes = self.0.subscribe();
        // An error would mean that the sender is gone, but `self` holds it.
        let _ = changes.wait_for(|stopped| *stopped).await;
    }
}

/// An input that ends when it ends, or when the switch is thrown; and throws the switch when it ends.
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
            Poll::Ready(result) => {
                self.stop.trip();
                Poll::Ready(result)
            }
            Poll::Pending => self.tripped.as_mut().poll(context).map(Ok),
        }
    }
}

/// How often it is looked whether the client still lives.
const PROCESS_CHECKS: Duration = Duration::from_secs(2);

/// Throws the switch when the process `id` ends. One that is not there to begin with lives on another machine, or in
/// another container, and is not watched.
pub(super) fn stop_with_process(id: u32, stop: &Stop) {
    let process = PathBuf::from(format!("/proc/{id}"));
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
