//! What the tests share.

pub(crate) mod client;
pub(crate) mod documents;
pub(crate) mod signal;
pub(crate) mod workspace;

/// How long to wait for what must come.
pub(crate) const PATIENCE: std::time::Duration = std::time::Duration::from_secs(30);
