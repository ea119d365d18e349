//! `hiera-ls server`: serves the language server protocol on standard input and output.

use std::fs::OpenOptions;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use clap::Args;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::writer::BoxMakeWriter;

use super::terminal::complain;
use crate::server::{Ending, Features, run_stdio};
use crate::settings::LogLevel;

/// What to log, in `tracing`'s words: `debug`, `hiera_ls=trace,warn`, …
const LOG_VARIABLE: &str = "HIERA_LS_LOG";

/// The maximum verbosity of the protocol's library.
const PROTOCOL_LOG: &str = "tower_lsp_server=info";

/// Changes the log level; empty if the command line or an environment variable set it.
static RELOAD: OnceLock<Box<dyn Fn(LogLevel) + Send + Sync>> = OnceLock::new();

/// The arguments.
#[derive(Debug, Args)]
pub(super) struct ServerArguments {
    /// Use standard input and output. This is the default and the only way; some editors pass it
    #[arg(long)]
    stdio: bool,
    /// Write the log to this file instead of standard error
    #[arg(long, value_name = "FILE")]
    log_file: Option<PathBuf>,
    /// What to log: off, error, warn, info, debug, trace; or a filter as in HIERA_LS_LOG. Overrides HIERA_LS_LOG
    #[arg(long, value_name = "FILTER")]
    log: Option<String>,
}

/// Serves until the editor disconnects. Exits with 0 if the editor sent `shutdown` before, otherwise with 1.
pub(super) fn run(arguments: &ServerArguments) -> ExitCode {
    if let Err(error) = start_log(arguments) {
        complain(&error);
        return ExitCode::from(2);
    }
    use_small_pages();
    match run_stdio(Features { set_log_level, ..Features::ide() }) {
        Ok(Ending::Orderly) => ExitCode::SUCCESS,
        Ok(Ending::Abrupt) => ExitCode::FAILURE,
        Err(error) => {
            complain(&format!("the server cannot start: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// With pages of 2 MB, a request that needs some memory waits until 2 MB are filled with zeros, and the memory of a server that
/// runs for days is full of holes. A short command is faster with large pages.
fn use_small_pages() {
    // If Linux refuses, the server only takes more memory. Other systems do not use large pages unless they are told to.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

fn set_log_level(level: LogLevel) {
    if let Some(reload) = RELOAD.get() {
        reload(level);
    }
}

fn start_log(arguments: &ServerArguments) -> Result<(), String> {
    let from_environment = std::env::var(LOG_VARIABLE).ok().filter(|it| !it.is_empty());
    let wanted = arguments.log.clone().or(from_environment);
    let filter = EnvFilter::try_new(wanted.as_deref().unwrap_or(LogLevel::default().name()))
        .map_err(|error| format!("the log filter is not valid: {error}"))?;
    let filter = without_messages(filter);
    let log = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(log_writer(arguments)?)
        .with_env_filter(filter)
        .with_filter_reloading();
    // A level on the command line or in the environment wins over the editor's setting.
    if wanted.is_none() {
        let handle = log.reload_handle();
        let reload = move |level: LogLevel| {
            // An error means that there is no log any more.
            let _ = handle.reload(without_messages(EnvFilter::new(level.name())));
        };
        // The log is started only once.
        let _ = RELOAD.set(Box::new(reload));
    }
    log.init();
    // Panics are caught and answered, so without this their places would not be in the log.
    std::panic::set_hook(Box::new(|panic| {
        let trace = std::backtrace::Backtrace::force_capture();
        tracing::error!("{panic}\n{trace}");
    }));
    Ok(())
}

/// The protocol's library logs whole messages at level `trace`, and a hover may contain text that must not be stored.
fn without_messages(filter: EnvFilter) -> EnvFilter {
    match filter.max_level_hint() {
        Some(LevelFilter::TRACE) => {
            filter.add_directive(PROTOCOL_LOG.parse().expect("the directive is well formed"))
        }
        _ => filter,
    }
}

fn log_writer(arguments: &ServerArguments) -> Result<BoxMakeWriter, String> {
    let Some(path) = &arguments.log_file else {
        return Ok(BoxMakeWriter::new(std::io::stderr));
    };
    let file = OpenOptions::new().create(true).append(true).open(path);
    let file = file.map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(BoxMakeWriter::new(Arc::new(file)))
}
