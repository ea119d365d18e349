//! Code that tests share.

pub(crate) mod client;
pub(crate) mod documents;
pub(crate) mod signal;
pub(crate) mod workspace;

/// The maximum time to wait for an expected message.
pub(crate) const PATIENCE: std::time::Duration = std::time::Duration::from_secs(30);
