//! Lookups for which only some files matter, such as those that were edited.
//!
//! If the first value wins and it is in another file, nothing else about the lookup matters: it ends there. The texts of that
//! value are not interpolated, and it does not matter what is known of the variables and keys in them.

use std::sync::Arc;

use super::failure::{Failure, FailureClass};
use super::hierarchy::Location;
use super::invocation::{Found, Invocation};
use super::lookup::LOOKUP_OPTIONS;
use super::merge::Merge;
use super::request::Answer;

impl Invocation<'_> {
    /// Searches for a key with `work`, which may end early in a file that does not matter.
    pub(super) fn ending_elsewhere(
        &mut self,
        merge: &Merge,
        work: impl FnOnce(&mut Self) -> Found,
    ) -> Found {
        if self.only_from.is_none() || self.budget.is_nested() {
            return work(self);
        }
        self.ends_at_first_value = merge.is_first_found();
        let found = work(self);
        self.ends_at_first_value = false;
        found
    }

    /// Whether the result is in this file, and the file does not matter.
    ///
    /// # Errors
    /// [`FailureClass::Elsewhere`] if it is.
    pub(super) fn end_if_elsewhere(&self, file: &Arc<str>, root: &str) -> Result<(), Failure> {
        if !self.is_elsewhere(file, root) {
            return Ok(());
        }
        Err(elsewhere())
    }

    /// Whether the result would be in this file, and the file does not matter.
    pub(super) fn is_elsewhere(&self, file: &Arc<str>, root: &str) -> bool {
        let files = self.only_from.filter(|_| self.is_at_result(root));
        files.is_some_and(|files| !files.contains(file))
    }

    /// Notes that files of an open location are left out. If they include one that matters, the lookup may have read it.
    pub(super) fn note_left_out_files(&mut self, location: &Location, root: &str) {
        let Some(files) = self.only_from.filter(|_| self.is_at_result(root)) else { return };
        let may_matter = files.iter().any(|file| location.may_lead_somehow_to(file));
        if let Some(exploration) = self.exploration.as_mut().filter(|_| may_matter) {
            exploration.reads_of_edited += 1;
        }
    }

    /// Whether the requested key is being searched for, and not one that its texts, its options or a function look up.
    fn is_at_result(&self, root: &str) -> bool {
        self.ends_at_first_value && !self.budget.is_nested() && root != LOOKUP_OPTIONS
    }
}

fn elsewhere() -> Failure {
    let message = "the value does not come from one of the files that matter";
    Failure::of(FailureClass::Elsewhere, message)
}

impl Answer {
    /// Any value in files that do not matter.
    pub(crate) fn elsewhere() -> Self {
        Self { outcome: Err(elsewhere()), ..Self::nothing() }
    }

    /// Whether the value is in a file that does not matter for the request.
    pub fn is_elsewhere(&self) -> bool {
        matches!(&self.outcome, Err(failure) if failure.class == FailureClass::Elsewhere)
    }
}
