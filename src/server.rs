//! LSP over stdio: the only layer that knows the protocol.
//!
//! The order of messages is kept in one place, `ingress`: what changes the state is done there, in the order of the
//! wire, and what asks gets the snapshot of that moment. Everything behind it may run in any order.

mod backend;
mod capabilities;
mod context;
mod features;
mod from_proto;
mod handlers;
mod ingress;
mod intake;
mod memory;
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
mod status;
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
pub use features::{
    ActionsFeature, ChangesFeature, Features, LevelJumpFeature, PartsFeature, PrepareRenameFeature,
    RenameFeature, SecretEditFeature, TokensFeature, WarmUpFeature,
};

use ingress::Ingress;
use output::Output;
use stop::{Stop, StoppableInput};

/// How many requests may be under way: more than any client has, so that reading never waits for answers.
const MAX_REQUESTS: usize = 10_000;

/// How much of what was read the library may leave untouched.
const PIPE_BYTES: usize = 64 << 10;

/// How long the last answers may take to leave once there is nothing more to read.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The stack of a worker: data nested as deeply as Puppet allows is walked recursively.
const STACK_BYTES: usize = 16 << 20;

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The client said `shutdown` before.
    Orderly,
    /// It said `exit` without `shutdown`, closed the pipe, or died.
    Abrupt,
}

/// Serves one client on standard input and output until it goes.
pub fn run_stdio(features: Features) -> io::Result<Ending> {
    let runtime = runtime()?;
    let ending = runtime.block_on(serve(tokio::io::stdin(), tokio::io::stdout(), features));
    // Standard input may still be waiting for a byte that never comes.
    runtime.shutdown_background();
    Ok(ending)
}

/// The runtime that [`serve`] is meant for.
pub fn runtime() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(STACK_BYTES)
        .thread_name("hiera-ls")
        .enable_time()
        .build()
}

/// Serves one client until it says `exit`, closes `input`, or its process dies.
pub async fn serve<I, O>(input: I, output: O, features: Features) -> Ending
where
    I: AsyncRead + Unpin + Send,
    O: AsyncWrite + Unpin + Send + 'static,
{
    let stop = Stop::default();
    let (output, written) = Output::start(output);
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
        // Once it has read everything, the library may still be answering.
        () = async { reading.await; std::future::pending().await } => {}
        () = patience => tracing::debug!("some answers were not taken"),
    }
    drop(background);
    session.with(|session| session.stop_back_ends());
    if session.with(|session| session.is_shut_down()) { Ending::Orderly } else { Ending::Abrupt }
}
