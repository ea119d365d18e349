//! `hiera/serverStatus`: whether the server is working, and whether anything is wrong.

use serde::Serialize;

/// The work in progress.
#[derive(Debug, Default)]
pub(super) struct Status {
    /// The server reads the workspace.
    pub(super) is_reading: bool,
    /// The server computes diagnostics.
    pub(super) is_checking: bool,
    sent: Option<ServerStatus>,
}

/// The parameters of the notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct ServerStatus {
    health: &'static str,
    quiescent: bool,
    message: Option<String>,
}

impl Status {
    /// The status to send, if it has changed. `problem` is what is wrong.
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
