//! `legacy-fact`: a variable that is one of Facter's legacy facts. Agents of Puppet 8 do not send them by default.
//!
//! Old repositories read them in hundreds of places: each fact is reported once in a file, with a fix for all its places.

use std::fmt::Write as _;

use indexmap::IndexMap;

use crate::config::PuppetVersion;
use crate::facts::legacy::{modern_name, other_form};
use crate::ide::diagnostics::lookup::VariablesContext;
use crate::ide::diagnostics::lookup::undefined_variable;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::{Check, Diagnostic, Report, Rule, Severity, Tag};
use crate::syntax::key_path;
use crate::text::{TextEdit, TextRange};

pub(crate) const RULE: Rule = Rule {
    code: "legacy-fact",
    name: "Legacy fact",
    severity: Severity::Hint,
    since: "0.1.0",
    summary: "A `%{…}` reads a legacy fact, which Puppet 8 does not have by default.",
    page: include_str!("../../../../docs/rules/legacy-fact.md"),
    tag: Some(Tag::Deprecated),
    checks: &[Check::Variables(check)],
    ..Rule::USUAL
};

/// Checks what an entry reads; `start` is where the entry starts. Variables that are known to be undefined are already
/// reported.
pub(crate) fn check(at: &VariablesContext<'_>, report: &mut Report) {
    // Agents of Puppet 7 send legacy facts.
    if at.version == PuppetVersion::V7 {
        return;
    }
    let VariablesContext { variables, start, .. } = *at;
    for variable in variables {
        let Some(name) = fact_of(&variable.name) else { continue };
        let modern = modern_name(&name).map(|it| format!("facts.{it}"));
        let advice = match (&modern, other_form(&name)) {
            (Some(modern), _) => format!("Use `%{{{modern}}}`."),
            (None, Some(other)) => {
                format!("No other fact has the same value: `facts.{other}` has another form.")
            }
            (None, None) => continue,
        };
        let range = variable.range.shifted(start);
        if is_reported_as_undefined(report, range) {
            continue;
        }
        let message = format!(
            "`{name}` is a legacy fact, which agents of Puppet 8 do not send by default\n{advice}"
        );
        let finding = report.add(&RULE, range, message);
        let whole = variable.name_range.filter(|_| is_whole(&variable.name));
        if let (Some(modern), Some(range)) = (modern, whole) {
            let edits = vec![TextEdit::replace(range.shifted(start), &*modern)];
            let title = format!("Write `%{{{modern}}}`");
            // The value would change for a node that does not send legacy facts, even if it stays the same for many others.
            finding.with_fix(Fix::changing(title, edits));
        }
    }
}

/// Keeps the first finding of each fact in a file, and adds the number of the other places to it.
pub(crate) fn once_for_each_fact(findings: &mut Vec<Diagnostic>) {
    let mut places: IndexMap<String, (TextRange, Vec<Fix>, usize)> = IndexMap::new();
    let of_rule = |it: &Diagnostic| it.code == RULE.code;
    for finding in findings.iter().filter(|it| of_rule(it)) {
        let first = (finding.range, Vec::new(), 0);
        let (range, fixes, count) = places.entry(finding.message.clone()).or_insert(first);
        // The findings are not sorted yet.
        if finding.range.start < range.start {
            *range = finding.range;
        }
        fixes.extend(finding.fixes.iter().cloned());
        *count += 1;
    }
    findings.retain_mut(|finding| {
        if !of_rule(finding) {
            return true;
        }
        let Some((range, fixes, count)) = places.get(&finding.message) else { return true };
        if finding.range != *range {
            return false;
        }
        if *count > 1 {
            let _ = write!(finding.message, " {count} places of this file read it.");
            finding.fixes = in_all_places(fixes).into_iter().collect();
        }
        true
    });
}

/// One fix for all places.
fn in_all_places(fixes: &[Fix]) -> Option<Fix> {
    let title = match fixes {
        [] => return None,
        [only] => only.title.clone(),
        [first, ..] => format!("{} in {} places", first.title, fixes.len()),
    };
    Some(Fix::changing(title, fixes.iter().flat_map(|it| it.edits.iter().cloned()).collect()))
}

/// The fact that a variable reads, directly or as a member of `facts`.
fn fact_of(variable: &str) -> Option<String> {
    let path = key_path::parse(variable).ok()?;
    let root = path.root_name()?;
    let name = root.strip_prefix("::").unwrap_or(root);
    if name != "facts" {
        return Some(name.to_owned());
    }
    let key_path::Segment::Name(name) = path.rest.first()? else { return None };
    Some(name.to_string())
}

/// Whether the variable is the fact itself, and not a part of it.
fn is_whole(variable: &str) -> bool {
    let is_member = variable.trim_start_matches("::").starts_with("facts.");
    variable.matches('.').count() == usize::from(is_member)
}

fn is_reported_as_undefined(report: &Report, range: TextRange) -> bool {
    let undefined = undefined_variable::RULE.code;
    report.findings.iter().rev().any(|it| it.range == range && it.code == undefined)
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix, fix_counts};

    #[test]
    fn bare_and_in_facts() {
        check(
            r#"
a: "%{fqdn} %{facts.hostname} %{facts.os.family} %{::ipaddress_eth0} %{a::domain} %{scope('uuid')}"
#   ^^^^^^^ hint[legacy-fact]: `fqdn` is a legacy fact, which agents of Puppet 8 do not send by default Use `%{facts.networking.fqdn}`.
#           ^^^^^^^^^^^^^^^^^ hint[legacy-fact]
#                                                ^^^^^^^^^^^^^^^^^^^ hint[legacy-fact]
#                                                                                 ^^^^^^^^^^^^^^^^ hint[legacy-fact]
"#,
        );
    }

    /// `networking.interfaces` is a hash.
    #[test]
    fn facts_whose_successor_has_another_form() {
        check(
            r#"
a: "%{interfaces} %{facts.zones}"
#   ^^^^^^^^^^^^^ hint[legacy-fact]: `interfaces` is a legacy fact, which agents of Puppet 8 do not send by default No other fact has the same value: `facts.networking.interfaces` has another form.
#                 ^^^^^^^^^^^^^^ hint[legacy-fact]
"#,
        );
        assert_eq!(fix_counts("a: '%{interfaces}'\n", "legacy-fact"), [0]);
    }

    #[test]
    fn each_fact_is_reported_once_in_a_file() {
        let nodes = "#- /.hiera-ls.yaml\nnodes: {one: {facts: {fqdn: x, networking: {fqdn: x}}}}\n";
        check(&format!(
            "a: '%{{fqdn}}'\n\
             #   ^^^^^^^ hint[legacy-fact]: `fqdn` is a legacy fact, which agents of Puppet 8 do not send by default \
             Use `%{{facts.networking.fqdn}}`. 3 places of this file read it.\n\
             b: ['x%{{fqdn}}']\n\
             c: '%{{scope(''fqdn'')}}'\n{nodes}"
        ));
        check_fix(
            &format!("a: '%{{fqdn}}'\nb: ['x%{{fqdn}}']\nc: '%{{scope(''fqdn'')}}'\n{nodes}"),
            "Write `%{facts.networking.fqdn}` in 3 places",
            "a: '%{facts.networking.fqdn}'\nb: ['x%{facts.networking.fqdn}']\nc: '%{scope(''facts.networking.fqdn'')}'\n",
        );
    }

    #[test]
    fn agents_of_puppet_7_send_them() {
        check("a: '%{fqdn}'\n#- /.hiera-ls.yaml\npuppetVersion: 7\n");
    }

    #[test]
    fn in_hiera_yaml() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: x, path: "%{::osfamily}.yaml"}
#                    ^^^^^^^^^^^^^ hint[legacy-fact]
"#,
        );
    }

    #[test]
    fn what_is_undefined_is_said_once() {
        check(
            r#"
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {os: {family: Debian}}}}
#- /data/common.yaml
a: "%{osfamily}"
#   ^^^^^^^^^^^ warning[undefined-variable]
"#,
        );
    }

    #[test]
    fn the_modern_name() {
        let nodes = "#- /.hiera-ls.yaml\nnodes: {one: {facts: {osfamily: x, os: {family: x}}}}\n";
        check_fix(
            &format!("a: \"é %{{::osfamily}} x\" # y\n{nodes}"),
            "Write `%{facts.os.family}`",
            "a: \"é %{facts.os.family} x\" # y\n",
        );
        check_fix(
            &format!("a: '%{{scope(''facts.osfamily'')}}'\nb: 1\n{nodes}"),
            "Write `%{facts.os.family}`",
            "a: '%{scope(''facts.os.family'')}'\nb: 1\n",
        );
    }

    #[test]
    fn in_hiera_yaml_too() {
        check_fix(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {name: x, path: \"%{::osfamily}.yaml\"}\n",
            "Write `%{facts.os.family}`",
            "version: 5\nhierarchy:\n  - {name: x, path: \"%{facts.os.family}.yaml\"}\n",
        );
    }
}
