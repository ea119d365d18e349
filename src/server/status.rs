//! `hiera/serverStatus`: whether anything is under way, and whether anything is wrong.

use serde::Serialize;

/// What is under way.
#[derive(Debug, Default)]
pub(super) struct Status {
    /// The workspace is being read.
    pub(super) is_reading: bool,
    /// Diagnostics are being made.
    pub(super) is_checking: bool,
    sent: Option<ServerStatus>,
}

/// What clients get.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct ServerStatus {
    health: &'static str,
    quiescent: bool,
    message: Option<String>,
}

impl Status {
    /// The status to send, if it is another one than that sent before. `problem` is what is wrong.
    pub(super) fn news(&mut self, problem: Option<String>) -> Option<ServerStatus> {
        let now = ServerStatus {
            health: if problem.is_some() { "warning" } else { "ok" },
            quiescent: !self.is_reading && !self.is_checking,
            message: problem,
        };
        let is_new = self.sent.as_ref() != Some(&now);
        is_new.then(|| self.sent.insert(now).clone())
    }
}
