//! Diagnostics: the one ordered table of rules, and running them over a file.
//!
//! Each rule lives in a file of its own with its row of the table, its checks and its tests; `docs/rules/<code>.md` explains
//! it to users. The row names the phases that ask the rule, and each phase has one context, which is all that its rules see.
//! The folders are named after the phases: `entry` for rules about one top-level entry (they see that entry only, so their
//! findings are kept as long as it is not edited), `lookup`, `key`, `file`, `config` and `code`.

mod code;
mod config;
mod entry;
mod entry_cache;
mod file;
mod kept_findings;
mod key;
mod lookup;
mod phases;
mod report;
mod rule;
mod rules;
mod run;
mod shared;
mod suppression;
#[cfg(test)]
mod testing;

pub(crate) use code::missing_required_parameter::{Missing, missing_in, nodes_that_lack};
pub use file::nothing_checked::{NothingChecked, nothing_checked};
pub use report::{Diagnostic, Related};
pub use rule::{Family, Rule, Severity, Tag};
pub use rules::RULES;
pub use run::{all_diagnostics, diagnostics, diagnostics_until};
pub use shared::fix::{Fix, Safety};
pub(crate) use shared::near::near_key;
pub use suppression::baseline::Baseline;

use entry::EntryContext;
use report::Report;
use rule::{Check, Cost, Subject};

/// Code and summary of all rules, for the settings that name them.
pub fn codes() -> Vec<(&'static str, &'static str)> {
    RULES.iter().map(|rule| (rule.code, rule.summary)).collect()
}

/// The rule with this code.
pub fn rule(code: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.code == code).copied()
}
