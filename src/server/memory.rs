//! Memory that is free goes back to the system.
//!
//! glibc keeps free memory that lies between memory in use. Every edit of a large workspace leaves some, and after an hour
//! of edits the server held five times of what it used.

use std::time::Duration;

/// How long free memory is kept while the server works. Looking for it takes a moment.
pub(super) const KEPT: Duration = Duration::from_secs(30);

/// Gives free memory back.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the C library has no other way to say it")]
pub(super) fn give_back() {
    // SAFETY: the function takes no pointer, and any thread may call it at any time.
    unsafe { libc::malloc_trim(0) };
}

/// Other systems do so by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn give_back() {}
