//! `legacy-fact`: a variable that is one of Facter's legacy facts. Agents of Puppet 8 do not send them by default.

use crate::facts::legacy::modern_name;
use crate::ide::diagnostics::lookup::VariablesContext;
use crate::ide::diagnostics::lookup::undefined_variable;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::{Check, Report, Rule, Severity, Tag};
use crate::syntax::key_path;
use crate::text::{TextEdit, TextRange};

pub(crate) const RULE: Rule = Rule {
    code: "legacy-fact",
    name: "Legacy fact",
    severity: Severity::Information,
    since: "0.1.0",
    summary: "A `%{…}` reads a legacy fact, which Puppet 8 does not have by default.",
    page: include_str!("../../../../docs/rules/legacy-fact.md"),
    tag: Some(Tag::Deprecated),
    checks: &[Check::Variables(check)],
    ..Rule::USUAL
};

/// Checks what an entry reads; `start` is where the entry begins. What is known to be undefined is reported already.
pub(crate) fn check(at: &VariablesContext<'_>, report: &mut Report) {
    let VariablesContext { variables, start, .. } = *at;
    for variable in variables {
        let Some((name, modern)) = legacy(&variable.name) else { continue };
        let range = variable.range.shifted(start);
        if is_reported_as_undefined(report, range) {
            continue;
        }
        let message = format!(
            "`{name}` is a legacy fact, which agents of Puppet 8 do not send by default\n\
             Use `%{{facts.{modern}}}`."
        );
        let finding = report.add(&RULE, range, message);
        let modern = format!("facts.{modern}");
        if let Some(range) = variable.name_range.filter(|_| is_whole(&variable.name)) {
            let edits = vec![TextEdit::replace(range.shifted(start), &*modern)];
            let title = format!("Write `%{{{modern}}}`");
            // A node that does not send legacy facts has another answer then, however many others have the same.
            finding.with_fix(Fix::changing(title, edits));
        }
    }
}

/// The name of a legacy fact that a variable reads, directly or as a member of `facts`, and what holds the same.
fn legacy(variable: &str) -> Option<(String, String)> {
    let path = key_path::parse(variable).ok()?;
    let root = path.root_name()?;
    let name = root.strip_prefix("::").unwrap_or(root);
    if name != "facts" {
        return Some((name.to_owned(), modern_name(name)?));
    }
    let key_path::Segment::Name(name) = path.rest.first()? else { return None };
    Some((name.to_string(), modern_name(name)?))
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
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn bare_and_in_facts() {
        check(
            r#"
a: "%{fqdn} %{facts.hostname} %{facts.os.family} %{::ipaddress_eth0} %{a::domain} %{scope('uuid')}"
#   ^^^^^^^ information[legacy-fact]: `fqdn` is a legacy fact, which agents of Puppet 8 do not send by default Use `%{facts.networking.fqdn}`.
#           ^^^^^^^^^^^^^^^^^ information[legacy-fact]
#                                                ^^^^^^^^^^^^^^^^^^^ information[legacy-fact]
#                                                                                 ^^^^^^^^^^^^^^^^ information[legacy-fact]
"#,
        );
    }

    #[test]
    fn in_hiera_yaml() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: x, path: "%{::osfamily}.yaml"}
#                    ^^^^^^^^^^^^^ information[legacy-fact]
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
