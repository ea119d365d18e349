//! `redundant-override`: for every sample node that reads the file, the next lower level has the same value.
//!
//! Only keys without a merge are checked: in a merge, the same value twice may be intended.

use crate::data::DataFile;
use crate::ide::diagnostics::key::KeyContext;
use crate::ide::diagnostics::shared::fix::{Fix, Safety};
use crate::ide::diagnostics::shared::lower::KeyBelow;
use crate::ide::diagnostics::{Check, Report, Rule, Severity, Tag};
use crate::ide::pair_edits::{holds_anchor, remove_entry};
use crate::text::TextRange;

pub(crate) const RULE: Rule = Rule {
    code: "redundant-override",
    name: "Override that changes nothing",
    severity: Severity::Hint,
    since: "0.1.0",
    summary: "The next lower level has the same value for the key, whatever the node.",
    page: include_str!("../../../../docs/rules/redundant-override.md"),
    tag: Some(Tag::Unnecessary),
    may_quote: |_| false,
    checks: &[Check::Key(check)],
    ..Rule::USUAL
};

pub(crate) fn check(at: &KeyContext<'_>, report: &mut Report) {
    let Some(above) = at.above() else { return };
    let own = &above.own.value;
    let is_repeated = |order: &KeyBelow| {
        order.merge.is_first_found()
            && order.values.first().is_some_and(|lower| lower.value == *own)
            && !order.is_first_uncertain
            // If the merge depends on open variables, the result is not known.
            && order.evaluator().options_for(above.key).is_ok()
    };
    let key = above.own.key_place.range;
    if !above.is_whole || !above.orders.iter().all(is_repeated) || is_needed(at.data, key) {
        return;
    }
    let Some(lower) = above.orders.first().and_then(|order| order.values.first()) else { return };
    let message = format!(
        "A lower level has the same value for `{}`\nRemoving this entry changes nothing for any node.",
        above.key
    );
    let finding = report.add_as(&RULE, RULE.severity, key, message);
    finding.related.push(lower.related("the same value"));
    let removal = remove_entry(at.data, key);
    let title = "Remove the entry: the lower level has the same value";
    finding.fixes.extend(removal.map(|it| Fix::removing(title, Safety::Safe, it)));
}

/// Whether the entry must stay: another entry of the file uses its anchor, or it is encrypted, and a level that decrypts
/// would return another value.
fn is_needed(data: &DataFile, key: TextRange) -> bool {
    let Some(entry) = data.entry_at(key.start) else { return true };
    holds_anchor(&entry) || entry.range().slice(data.text()).contains("ENC[")
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix, check_related};

    const HIERARCHY: &str = r"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: nodes, path: 'nodes/%{trusted.certname}.yaml'}
  - {name: others, paths: ['roles/%{facts.role}.yaml', common.yaml]}
";

    #[track_caller]
    fn check_files(files: &str) {
        check(&format!("{HIERARCHY}{files}"));
    }

    #[test]
    fn the_same_value_below() {
        check_files(
            r"
#- /data/nodes/one.yaml
aa: {b: [1]}
#^ hint[redundant-override]: A lower level has the same value for `aa`…
c: 1
d: '1'
e: 1
#- /data/common.yaml
aa: {b: [1]}
c: 2
d: 1
",
        );
    }

    #[test]
    fn a_level_between_may_have_another_value() {
        check_files(
            r"
#- /data/nodes/one.yaml
a: 1
bb: 1
#^ hint[redundant-override]
#- /data/roles/web.yaml
a: 2
#- /data/common.yaml
a: 1
bb: 1
",
        );
    }

    #[test]
    fn all_nodes_that_read_the_file_count() {
        check_files(
            r"
#- /.hiera-ls.yaml
nodes:
  one: {facts: {role: web}}
  two: {facts: {role: db}}
#- /data/nodes/one.yaml
aa: 1
#^ hint[redundant-override]
bb: 2
#- /data/roles/web.yaml
aa: 1
bb: 3
#- /data/roles/db.yaml
aa: 2
#^ hint[redundant-override]
#- /data/common.yaml
aa: 2
bb: 2
",
        );
    }

    #[test]
    fn merged_values_are_not_redundant() {
        check_files(
            r"
#- /data/nodes/one.yaml
a: [1]
bb: [1]
#^ hint[redundant-override]
#- /data/common.yaml
lookup_options:
  a: {merge: unique}
  bb: {merge: first}
a: [1]
bb: [1]
",
        );
    }

    #[test]
    fn data_of_modules_is_lower_still() {
        check_files(
            r"
#- /data/nodes/one.yaml
m::b: 2
#- /modules/m/hiera.yaml
version: 5
#- /modules/m/data/common.yaml
m::a: 1
#- /data/common.yaml
m::a: 1
#^^^ hint[redundant-override]
m::b: 1
",
        );
    }

    #[test]
    fn files_that_no_node_is_known_to_read_together_are_no_levels_of_each_other() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: A, path: "roles/%{facts.puppet_role}.yaml"}
  - {name: B, path: "roles/%{facts.custom_win_role}.yaml"}
#- /data/roles/aaa.yaml
x::v: 5
#- /data/roles/b_1.yaml
x::v: 5
"#,
        );
    }

    #[test]
    fn a_file_that_several_levels_may_lead_to() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: family, path: "%{facts.os.family}.yaml"}
  - {name: name, path: "%{facts.os.name}.yaml"}
  - {name: common, path: common.yaml}
#- /data/Debian.yaml
x::service: ssh
#- /data/Solaris.yaml
x::service: svc
#- /data/common.yaml
x::service: ssh
"#,
        );
    }

    #[test]
    fn data_of_a_module_by_operating_system() {
        check(
            r#"
#- /metadata.json
{"name": "a-m", "source": "", "author": "", "version": "", "license": "", "dependencies": [], "operatingsystem_support": [
  {"operatingsystem": "CentOS", "operatingsystemrelease": ["8"]},
  {"operatingsystem": "AlmaLinux", "operatingsystemrelease": ["8"]}]}
#- /hiera.yaml
version: 5
hierarchy:
  - {name: os, path: "os/%{facts.os.name}.yaml"}
  - {name: kernel, path: "os/%{facts.kernel}.yaml"}
#- /data/os/CentOS.yaml
m::v: 5
#- /data/os/AlmaLinux.yaml
m::v: 5
"#,
        );
    }

    #[test]
    fn the_environment_of_a_checkout_is_open() {
        let files = |value: u8, expected: &str| {
            format!(
                r"
#- /hiera.yaml
version: 5
hierarchy:
  - {{name: n, path: 'nodes/%{{trusted.certname}}.yaml'}}
  - {{name: e, path: 'env/%{{environment}}.yaml'}}
  - {{name: c, path: common.yaml}}
#- /data/nodes/one.yaml
aaa: 1
{expected}
#- /data/env/test.yaml
aaa: {value}
{expected}
#- /data/common.yaml
aaa: 1
"
            )
        };
        check(&files(2, ""));
        let of_test = files(1, "#^^ hint[redundant-override]");
        check(&format!("#- /.hiera-ls.yaml\nenvironment: test\n{}", of_test.trim_start()));
    }

    #[test]
    fn what_other_entries_repeat_by_an_anchor_is_needed() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]
#- /data/a.yaml
.affinity: &affinity {x: 1}
k::v: *affinity
#- /data/b.yaml
.affinity: {x: 1}
",
        );
    }

    #[test]
    fn levels_may_decrypt() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: a, path: a.yaml}
  - {name: b, path: b.yaml, lookup_key: eyaml_lookup_key, options: {pkcs7_private_key: /k, pkcs7_public_key: /k}}
#- /data/a.yaml
secret: ENC[GPG,hQEMA4CCJR5i]
#- /data/b.yaml
secret: ENC[GPG,hQEMA4CCJR5i]
#^^^^^ hint[encrypted-but-not-sensitive]
",
        );
    }

    #[test]
    fn the_lower_level_answers() {
        let safe = "Remove the entry: the lower level has the same value";
        let one = "Remove the entry: the lower level has the same value (also removes a comment)";
        let two = "Remove the entry: the lower level has the same value (also removes 2 comments)";
        let fixture = |file: &str| format!("#- /data/nodes/one.yaml\n{file}{HIERARCHY}");
        let low = "#- /data/common.yaml\na: [x, y]\nb: 2\n";
        check_fix(
            &fixture(&format!("# of a\na:\n  - x # first\n  - y\n# of b\nb: 1\n{low}")),
            two,
            "# of b\nb: 1\n",
        );
        check_fix(&fixture(&format!("b: 1\na: [x, y] # why\n{low}")), one, "b: 1\n");
        check_fix(&fixture(&format!("b: 1\n# why\na: [x, y]\n{low}")), one, "b: 1\n");
        check_fix(&fixture(&format!("b: 1\na: [x, y]\n{low}")), safe, "b: 1\n");
    }

    #[test]
    fn the_same_value_is_shown() {
        check_related(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml, c.yaml]}]
#- /data/a.yaml
a: 1
#- /data/c.yaml
a: 1
",
            "redundant-override",
            &["/data/c.yaml: a: the same value"],
        );
    }

    #[test]
    fn lookup_options_are_no_values() {
        check_files(
            r"
#- /data/nodes/one.yaml
lookup_options: {a: {merge: unique}}
a: [1]
#- /data/common.yaml
lookup_options: {a: {merge: unique}}
",
        );
    }
}
