//! What suppresses a finding: settings, comments in the file, and the baseline.

pub(super) mod baseline;
mod certain;
pub(super) mod control;
pub(super) mod ignored;
pub(super) mod unused_ignore;
