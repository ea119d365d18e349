//! The output to a client that may read slowly.
//!
//! A client may write thousands of messages before it reads one. The server must continue to read them, so its output waits
//! in memory.

use std::io::{self, IoSlice, Write};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::thread;

use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::{
    UnboundedReceiver, UnboundedSender, WeakUnboundedSender, unbounded_channel,
};
use tokio::sync::oneshot;

use super::raw::Bytes;

/// The number of pieces that are written at once. Systems have limits for this.
const PIECES_AT_ONCE: usize = 512;

/// The writing end, which never blocks. The transport writes a whole message at a time.
pub(super) struct Output(UnboundedSender<Chunk>);

/// The bytes of one message, in pieces.
type Chunk = Vec<Bytes>;

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

    /// The same for a `target` that is written by a thread of its own.
    pub(super) fn start_thread(
        target: impl Write + Send + 'static,
    ) -> io::Result<(Self, impl Future<Output = ()>)> {
        let (sender, receiver) = unbounded_channel();
        let (done, written) = oneshot::channel();
        thread::Builder::new().name("output".to_owned()).spawn(move || {
            let result = write_all_blocking(receiver, target);
            // At the end of the session, nobody waits any more.
            let _ = done.send(result);
        })?;
        let written = async move {
            if let Ok(Err(error)) = written.await {
                tracing::debug!("the client no longer reads: {error}");
            }
        };
        Ok((Self(sender), written))
    }

    /// Returns another writer. It does not keep the output open.
    pub(super) fn wire(&self) -> Wire {
        Wire(self.0.downgrade())
    }
}

impl Wire {
    /// Writes a message after those that were written before.
    pub(super) fn send(&self, message: &Value) {
        self.send_parts(vec![message.to_string().into_bytes().into()]);
    }

    /// The same for a message that is written in parts.
    pub(super) fn send_parts(&self, mut parts: Vec<Bytes>) {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        parts.insert(0, format!("Content-Length: {length}\r\n\r\n").into_bytes().into());
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

fn write_all_blocking(
    mut chunks: UnboundedReceiver<Chunk>,
    mut target: impl Write,
) -> io::Result<()> {
    while let Some(mut pieces) = chunks.blocking_recv() {
        // Messages that already wait are written with it.
        while let Ok(more) = chunks.try_recv() {
            pieces.extend(more);
        }
        for some in pieces.chunks(PIECES_AT_ONCE) {
            let mut slices: Vec<IoSlice<'_>> = some.iter().map(|it| IoSlice::new(it)).collect();
            write_slices(&mut target, &mut slices)?;
        }
    }
    target.flush()
}

fn write_slices(target: &mut impl Write, mut slices: &mut [IoSlice<'_>]) -> io::Result<()> {
    // Empty slices would look like an output that accepts nothing.
    IoSlice::advance_slices(&mut slices, 0);
    while !slices.is_empty() {
        match target.write_vectored(slices) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => IoSlice::advance_slices(&mut slices, count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

impl AsyncWrite for Output {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        // The bytes are copied, because the transport uses its buffer again.
        let sent = self.0.send(vec![bytes.into()]);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// An output that takes few bytes at a time.
    struct Narrow(Vec<u8>);

    impl Write for Narrow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(3);
            self.0.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn all_pieces_are_written_in_order() {
        let mut target = Narrow(Vec::new());
        let pieces = ["", "ab", "", "", "cdefgh", "i", ""];
        let mut slices: Vec<IoSlice<'_>> =
            pieces.iter().map(|it| IoSlice::new(it.as_bytes())).collect();
        write_slices(&mut target, &mut slices).expect("it accepts everything");
        assert_eq!(target.0, b"abcdefghi");
    }
}
