//! The language server: LSP over standard input and output. Only this layer knows the protocol.
//!
//! Only `ingress` cares about the order of messages. Messages that change the state take effect there, in the order in
//! which they arrive. Requests get the snapshot of that moment, so everything after `ingress` may run in any order.

mod backend;
mod capabilities;
mod context;
mod features;
mod from_proto;
mod handlers;
mod ingress;
mod intake;
mod outgoing;
mod output;
mod parts;
mod pieces;
mod pool;
mod preview_proto;
mod publish;
mod raw;
mod remembered;
mod session;
mod signals;
mod status;
mod stdio;
mod stop;
mod to_proto;
mod trace;
mod warm_up;
mod watch;
mod workspace_edit;

use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::Runtime;
use tower_lsp_server::Server;

pub use crate::engine::CancelToken;
pub use features::{Features, WarmUpFeature};

use ingress::Ingress;
use output::Output;
use stdio::{StandardInput, standard_output};
use stop::{Stop, StoppableInput};

/// The maximum number of requests at one time. No client sends so many, so reading never waits for responses.
const MAX_REQUESTS: usize = 10_000;

/// The number of bytes that may wait to be read by the protocol library.
const PIPE_BYTES: usize = 64 << 10;

/// The time for writing the last responses after the input has ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The stack size of a worker. Functions walk data recursively, and Puppet allows deep nesting.
const STACK_BYTES: usize = 16 << 20;

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// After `shutdown`.
    Orderly,
    /// The client sent `exit` without `shutdown`, closed the pipe, or died.
    Abrupt,
}

/// Serves one client on standard input and output until the session ends.
pub fn run_stdio(features: Features) -> io::Result<Ending> {
    // The pool runs requests on other threads. Messages are passed on by this one alone, because a message that goes from
    // thread to thread costs more than its work.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .thread_stack_size(STACK_BYTES)
        .enable_time()
        .build()?;
    let input = StandardInput::start()?;
    let (output, written) = Output::start_thread(standard_output()?)?;
    let ending = runtime.block_on(serve_to(input, output, written, features));
    // A folder may still be searched for files to watch.
    runtime.shutdown_background();
    Ok(ending)
}

/// A runtime for [`serve`] beside other tasks.
pub fn runtime() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(STACK_BYTES)
        .thread_name("hiera-ls")
        .enable_time()
        .build()
}

/// Serves one client until it sends `exit`, closes `input`, or its process dies.
pub async fn serve<I, O>(input: I, output: O, features: Features) -> Ending
where
    I: AsyncRead + Unpin + Send,
    O: AsyncWrite + Unpin + Send + 'static,
{
    let (output, written) = Output::start(output);
    serve_to(input, output, written, features).await
}

/// [`serve`] for an output whose last byte is written when `written` ends.
async fn serve_to<I>(
    input: I,
    output: Output,
    written: impl Future<Output = ()>,
    features: Features,
) -> Ending
where
    I: AsyncRead + Unpin + Send,
{
    let stop = Stop::default();
    let (service, socket, background) = Ingress::build(features, output.wire(), &stop);
    let session = service.session();
    let (to_library, checked) = tokio::io::duplex(PIPE_BYTES);
    let reading =
        intake::pass_on(StoppableInput::new(input, stop.clone()), to_library, output.wire());
    let server =
        Server::new(checked, output, socket).concurrency_level(MAX_REQUESTS).serve(service);
    let patience = async {
        stop.tripped().await;
        tokio::time::sleep(LAST_WORDS).await;
    };
    tokio::select! {
        () = async { server.await; stop.trip(); written.await } => {}
        // After the library has read everything, it may still be writing responses.
        () = async { reading.await; std::future::pending().await } => {}
        () = patience => tracing::debug!("some answers were not taken"),
    }
    drop(background);
    session.with(|session| session.stop_back_ends());
    if session.with(|session| session.is_shut_down()) { Ending::Orderly } else { Ending::Abrupt }
}
