//! Diagnostics: the one ordered table of rules, and running them over a file.
//!
//! Each rule has its own file with its row of the table, its checks and its tests; `docs/rules/<code>.md` explains it to
//! users. The row names the phases that run the rule, and each phase has one context, which is all that its rules see. The
//! folders are named after the phases: `entry` for rules about one top-level entry (they see only that entry, so their
//! findings are cached until it is edited), `lookup`, `key`, `file`, `config` and `code`.

mod code;
mod config;
mod entry;
mod entry_cache;
mod environments;
mod file;
mod kept_findings;
mod key;
mod lookup;
mod phases;
mod report;
mod rule;
mod rules;
mod run;
mod secrets;
mod shared;
mod suppression;
#[cfg(test)]
mod testing;

#[cfg(test)]
mod fixes_tests;
#[cfg(test)]
mod pages_tests;

pub(crate) use code::missing_required_parameter::{Missing, missing_in, nodes_that_lack};
pub use file::nothing_checked::{NothingChecked, nothing_checked, nothing_checked_about};
pub use report::{Diagnostic, Related};
pub use rule::{Family, Rule, Severity, Tag};
pub use rules::RULES;
pub use run::{all_diagnostics, diagnostics, diagnostics_until};
pub use shared::fix::{Fix, Safety};
pub(crate) use shared::known_keys::{KnownKeys, missing_places};
pub(crate) use shared::near::near_key;
pub use suppression::baseline::Baseline;
pub(crate) use suppression::unused_ignore::heeds_comments;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::settings::RuleName;
use entry::EntryContext;
use report::Report;
use rule::{Check, Cost, Subject};

/// The names of the rules in settings.
pub fn rule_names() -> Vec<RuleName> {
    let name = |it: &&Rule| RuleName { code: it.code, former: it.former, summary: it.summary };
    RULES.iter().map(name).collect()
}

/// The rule that has, or had, this code.
pub fn rule(code: &str) -> Option<&'static Rule> {
    // Each finding of a file asks after each edit.
    static BY_CODE: LazyLock<HashMap<&str, &Rule>> = LazyLock::new(|| {
        let named = |rule: &'static Rule| rule.codes().map(move |code| (code, rule));
        RULES.iter().flat_map(|rule| named(rule)).collect()
    });
    BY_CODE.get(code).copied()
}

/// The current code of a rule; any other text stays as it is.
fn current_code(code: &str) -> &str {
    rule(code).map_or(code, |rule| rule.code)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use testing::{check, check_fix};

    #[test]
    fn a_code_means_one_rule() {
        let codes: Vec<&str> =
            RULES.iter().flat_map(|it| it.former.iter().copied().chain([it.code])).collect();
        assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len());
        assert_eq!(current_code("undef-wins"), "null-hides-value");
        assert_eq!(current_code("no-such-rule"), "no-such-rule");
    }

    #[test]
    fn former_codes_may_be_written_everywhere() {
        check(
            r#"
#- /.hiera-ls.yaml
diagnostics:
  severity: {brace-cut-by-quote: hint}
  severityByPath: {data/web.yaml: {brace-cut-by-quote: "off"}}
#- /data/common.yaml
a: "%{lookup('o}p')}"
#   ^^^^^^^^^^^^ hint[token-cut-at-brace]
b: "%{lookup('o}p')}" # hiera-ls: ignore[brace-cut-by-quote]
c: "x" # hiera-ls: ignore[brace-cut-by-quote]
#                         ^^^^^^^^^^^^^^^^^^ information[unused-ignore]: `brace-cut-by-quote` reports nothing here…
#- /data/web.yaml
w: "%{lookup('o}p')}"
#- /hiera.yaml
version: 5
hierarchy: [{name: All, paths: [web.yaml, common.yaml]}]
"#,
        );
        check(
            r#"
#- /.hiera-ls-baseline.json
{"version": 1, "findings": {"data/common.yaml": {
  "brace-cut-by-quote": {"a": 1}, "token-cut-at-brace": {"a": 1, "b": 1}}}}
#- /data/common.yaml
a: ["%{lookup('o}p')}", "%{lookup('q}r')}"]
b: "%{lookup('o}p')}"
c: "%{lookup('o}p')}"
#   ^^^^^^^^^^^^ error[token-cut-at-brace]
"#,
        );
        let title = "Remove `undef-wins` from the comment";
        check_fix("a: 1 # hiera-ls: ignore[undef-wins]\n", title, "a: 1\n");
    }
}
