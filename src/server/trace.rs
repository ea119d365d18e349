//! `$/logTrace`: reports each message to clients that ask for it.

use std::time::Instant;

use tower_lsp_server::jsonrpc::Request;
use tower_lsp_server::ls_types::notification::LogTrace;
use tower_lsp_server::ls_types::{LogTraceParams, TraceValue};

use super::outgoing::Outgoing;

/// A message that is reported. The report never contains the content of the message.
pub(super) struct Traced {
    outgoing: Outgoing,
    message: String,
    verbose: Option<String>,
    begun: Instant,
}

impl Traced {
    /// Starts the clock; `None` if tracing is off.
    pub(super) fn begin(trace: TraceValue, outgoing: &Outgoing, request: &Request) -> Option<Self> {
        if trace == TraceValue::Off || request.method() == "$/setTrace" {
            return None;
        }
        let id = request.id().map_or(String::new(), |id| format!(" ({id})"));
        let size = || {
            let size = request.params().map_or(0, |params| params.to_string().len());
            format!("{size} bytes of parameters")
        };
        Some(Self {
            outgoing: outgoing.clone(),
            message: format!("{}{id}", request.method()),
            verbose: (trace == TraceValue::Verbose).then(size),
            begun: Instant::now(),
        })
    }

    /// Reports how long the message took.
    pub(super) fn end(self) {
        let milliseconds = self.begun.elapsed().as_secs_f64() * 1_000.0;
        self.outgoing.notify::<LogTrace>(&LogTraceParams {
            message: format!("{}: {milliseconds:.3} ms", self.message),
            verbose: self.verbose,
        });
    }
}
