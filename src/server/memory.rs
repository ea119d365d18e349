//! Returns free memory to the system.
//!
//! glibc keeps free memory between blocks that are in use. Every edit of a large workspace leaves some: after an hour of
//! edits, the server had five times the memory that it used.

use std::time::Duration;

/// The time between two calls while the server works. Each call takes a moment.
pub(super) const KEPT: Duration = Duration::from_secs(30);

/// Returns free memory to the system.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the C library has no other way to say it")]
pub(super) fn give_back() {
    // SAFETY: the function takes no pointer, and any thread may call it at any time.
    unsafe { libc::malloc_trim(0) };
}

/// Other systems do this by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn give_back() {}
