//! What is written, on its way to a client that may be slow to read.
//!
//! A client that writes thousands of messages before it reads one must not stop us from reading: what it does not take
//! yet waits here, in memory.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::{
    UnboundedReceiver, UnboundedSender, WeakUnboundedSender, unbounded_channel,
};

/// The end that never blocks. The transport writes whole messages at a time.
pub(super) struct Output(UnboundedSender<Chunk>);

/// Bytes that stay together, in pieces.
type Chunk = Vec<Vec<u8>>;

/// A way for single messages into the same output, as long as there is one. Clones are the same way.
#[derive(Debug, Clone)]
pub(super) struct Wire(WeakUnboundedSender<Chunk>);

impl Output {
    /// Starts passing bytes on to `target`; the future ends when all are written, or `target` takes no more.
    pub(super) fn start<O>(target: O) -> (Self, impl Future<Output = ()>)
    where
        O: AsyncWrite + Unpin + Send + 'static,
    {
        let (sender, receiver) = unbounded_channel();
        let writer = tokio::spawn(write_all(receiver, target));
        (Self(sender), async move {
            if let Ok(Err(error)) = writer.await {
                tracing::debug!("the client reads no more: {error}");
            }
        })
    }

    /// Another way in. It does not keep the output open.
    pub(super) fn wire(&self) -> Wire {
        Wire(self.0.downgrade())
    }
}

impl Wire {
    /// Writes a message behind those that are written already.
    pub(super) fn send(&self, message: &Value) {
        self.send_parts(vec![message.to_string().into_bytes()]);
    }

    /// The same for a message that is written in parts.
    pub(super) fn send_parts(&self, mut parts: Vec<Vec<u8>>) {
        let length: usize = parts.iter().map(Vec::len).sum();
        parts.insert(0, format!("Content-Length: {length}\r\n\r\n").into_bytes());
        // Nobody reads any more once the session is over.
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
        let sent = self.0.send(vec![bytes.to_vec()]);
        Poll::Ready(sent.map(|()| bytes.len()).map_err(|_| io::ErrorKind::BrokenPipe.into()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
