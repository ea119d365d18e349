//! `legacy-fact`: a variable that is one of Facter's legacy facts. Agents of Puppet 8 do not send them by default.

use super::legacy_names::modern_name;
use super::{Report, Rule, Severity, undefined_variable};
use crate::ide::strings::PlacedName;
use crate::syntax::key_path;
use crate::text::TextRange;

pub(super) const RULE: Rule = Rule {
    code: "legacy-fact",
    name: "Legacy fact",
    severity: Severity::Information,
    since: "0.1.0",
    summary: "A `%{…}` reads a legacy fact, which Puppet 8 does not have by default.",
    page: include_str!("../../../docs/rules/legacy-fact.md"),
    is_on: true,
};

/// Checks what an entry reads; `start` is where the entry begins. What is known to be undefined is reported already.
pub(super) fn check(variables: &[PlacedName], start: u32, report: &mut Report) {
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
        report.add(&RULE, range, message);
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

fn is_reported_as_undefined(report: &Report, range: TextRange) -> bool {
    let undefined = undefined_variable::RULE.code;
    report.findings.iter().rev().any(|it| it.range == range && it.code == undefined)
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

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
nodes: {web01: {facts: {os: {family: Debian}}}}
#- /data/common.yaml
a: "%{osfamily}"
#   ^^^^^^^^^^^ warning[undefined-variable]
"#,
        );
    }
}
