//! Standard input and output.
//!
//! The runtime's own ones hand each read and each write over to another thread, which costs more than a short message.

use std::io::{self, PipeReader, PipeWriter, Read};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::thread;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// The number of bytes that are read at once.
const READ_BYTES: usize = 64 << 10;

/// The number of reads that may wait to be taken.
const MAX_WAITING: usize = 16;

/// Standard input, which a thread reads. The thread does not end before the input does.
pub(super) struct StandardInput {
    bytes: Receiver<Vec<u8>>,
    current: io::Cursor<Vec<u8>>,
}

impl StandardInput {
    /// Starts to read.
    pub(super) fn start() -> io::Result<Self> {
        let input = unbuffered(&io::stdin())?.into();
        let (sender, bytes) = channel(MAX_WAITING);
        thread::Builder::new().name("input".to_owned()).spawn(move || read_all(input, &sender))?;
        Ok(Self { bytes, current: io::Cursor::default() })
    }
}

impl AsyncRead for StandardInput {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let is_read = self.current.position() == self.current.get_ref().len() as u64;
        if is_read && let Some(bytes) = ready!(self.bytes.poll_recv(context)) {
            self.current = io::Cursor::new(bytes);
        }
        // A read without bytes is the end of the input.
        Pin::new(&mut self.current).poll_read(context, buffer)
    }
}

fn read_all(mut input: PipeReader, sender: &Sender<Vec<u8>>) {
    let mut buffer = vec![0; READ_BYTES];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return,
            // After the end of the session, nobody takes what is read.
            Ok(count) if sender.blocking_send(buffer[..count].to_vec()).is_err() => return,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                tracing::error!("the input cannot be read: {error}");
                return;
            }
        }
    }
}

/// Standard output without the buffer of Rust's library, which searches all that is written for line ends.
pub(super) fn standard_output() -> io::Result<PipeWriter> {
    Ok(unbuffered(&io::stdout())?.into())
}

#[cfg(unix)]
fn unbuffered(stream: &impl std::os::fd::AsFd) -> io::Result<std::os::fd::OwnedFd> {
    stream.as_fd().try_clone_to_owned()
}

#[cfg(windows)]
fn unbuffered(
    stream: &impl std::os::windows::io::AsHandle,
) -> io::Result<std::os::windows::io::OwnedHandle> {
    stream.as_handle().try_clone_to_owned()
}
