//! The output to a client that may read slowly.
//!
//! A client may write thousands of messages before it reads one. The server must continue to read them, so its output waits
//! in memory.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::{
    UnboundedReceiver, UnboundedSender, WeakUnboundedSender, unbounded_channel,
};

/// The writing end, which never blocks. The transport writes a whole message at a time.
pub(super) struct Output(UnboundedSender<Chunk>);

/// The bytes of one message, in pieces.
type Chunk = Vec<Vec<u8>>;

/// Writes single messages into the same output while it is open. Clones write into the same output.
#[derive(Debug, Clone)]
pub(super) struct Wire(WeakUnboundedSender<Chunk>);

impl Output {
    /// Starts to pass bytes on to `target`. The future ends when all bytes are written, or when `target` accepts no more.
    pub(super) fn start<O>(target: O) -> (Self, impl Future<Output = ()>)
    where
        O: AsyncWrite + Unpin + Send + 'static,
    {
        let (sender, receiver) = unbounded_channel();
        let writer = tokio::spawn(write_all(receiver, target));
        (Self(sender), async move {
            if let Ok(Err(error)) = writer.await {
                tracing::debug!("the client no longer reads: {error}");
            }
        })
    }

    /// Returns another writer. It does not keep the output open.
    pub(super) fn wire(&self) -> Wire {
        Wire(self.0.downgrade())
    }
}

impl Wire {
    /// Writes a message after those that were written before.
    pub(super) fn send(&self, message: &Value) {
        self.send_parts(vec![message.to_string().into_bytes()]);
    }

    /// The same for a message that is written in parts.
    pub(super) fn send_parts(&self, mut parts: Vec<Vec<u8>>) {
        let length: usize = parts.iter().map(Vec::len).sum();
        parts.insert(0, format!("Content-Length: {length}\r\n\r\n").into_bytes());
        // After the end of the session, the client no longer reads.
        let _ = self.0.upgrade().map(|output| output.send(parts));
    }
}

async fn write_all<O>(mut chunks: UnboundedReceiver<Chunk>, mut target: O) -> io::Result<()>
where
    O: AsyncWrite + Unpin,
{
    while let Some(chunk) = chunks.recv().await {
        for piece in &chunk {
            target.write_all(piece).await?;
        }
        // After several messages in a row, one flush is enough.
        if chunks.is_empty() {
            target.flush().await?;
        }
    }
    target.shutdown().await
}

impl AsyncWrite for Output {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        // The bytes are copied, because the transport uses its buffer again.
        let sent = self.0.send(vec![bytes.to_vec()]);
        Poll::Ready(sent.map(|()| bytes.len()).map_err(|_| io::ErrorKind::BrokenPipe.into()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The task that writes also flushes. The library must never wait for the client.
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
