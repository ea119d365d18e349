//! `unscoped-variable`: a variable that a local variable of the same name may hide. The rule is off by default.

use crate::facts::legacy::modern_name;
use crate::ide::diagnostics::lookup::VariablesContext;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::ide::strings::PlacedName;
use crate::syntax::key_path;
use crate::text::TextEdit;

pub(crate) const RULE: Rule = Rule {
    code: "unscoped-variable",
    name: "Unscoped variable",
    severity: Severity::Information,
    since: "0.1.0",
    summary: "A `%{…}` reads a variable without saying where it comes from.",
    page: include_str!("../../../../docs/rules/unscoped-variable.md"),
    is_on: false,
    checks: &[Check::Variables(check)],
    ..Rule::USUAL
};

/// Variables that Puppet sets itself, and that code cannot hide.
const OF_PUPPET: [&str; 7] =
    ["facts", "trusted", "server_facts", "environment", "module_name", "caller_module_name", "tmp"];

/// Checks what an entry reads; `start` is where the entry starts.
pub(crate) fn check(at: &VariablesContext<'_>, report: &mut Report) {
    let VariablesContext { variables, start, .. } = *at;
    for variable in variables {
        let Ok(path) = key_path::parse(&variable.name) else { continue };
        let Some(name) = path.root_name() else { continue };
        // A name with `::` says already which scope it means.
        if name.contains("::") || OF_PUPPET.contains(&&**name) {
            continue;
        }
        // Another rule reports what is not a name.
        if !name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_') {
            continue;
        }
        if let Some(modern) = modern_name(name) {
            check_legacy(variable, name, &modern, start, report);
            continue;
        }
        let message = format!(
            "`{name}` may be a variable of any scope\nWrite `%{{facts.{name}}}` for the fact, `%{{::{name}}}` for \
             the variable of the top scope."
        );
        let finding = report.add(&RULE, variable.range.shifted(start), message);
        if let Some(range) = variable.name_range {
            for prefix in ["facts.", "::"] {
                let edit = TextEdit::insert(range.start + start, prefix);
                let title = format!("Write `%{{{prefix}{}}}`", variable.name);
                finding.with_fix(Fix::changing(title, vec![edit]));
            }
        }
    }
}

/// For a legacy fact, the fix writes the modern fact with the same value.
fn check_legacy(variable: &PlacedName, name: &str, modern: &str, start: u32, report: &mut Report) {
    let message = format!(
        "`{name}` may be a variable of any scope\nWrite `%{{facts.{modern}}}` for the fact."
    );
    let finding = report.add(&RULE, variable.range.shifted(start), message);
    if let Some(range) = variable.name_range.filter(|_| !variable.name.contains('.')) {
        let edit = TextEdit::replace(range.shifted(start), format!("facts.{modern}"));
        let title = format!("Write `%{{facts.{modern}}}`");
        finding.with_fix(Fix::changing(title, vec![edit]));
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn only_when_asked_for() {
        check("a: '%{role}'\n");
        check(
            r#"
#- /.hiera-ls.yaml
diagnostics: {severity: {unscoped-variable: hint}}
#- /data/common.yaml
a: "%{role.x} %{::role} %{facts.x} %{trusted.certname} %{a::b}"
#   ^^^^^^^^^ hint[unscoped-variable]
b: "%{lookup(a)}"
#   ^^^^^^^^^^^^ warning[malformed-token]: `lookup(a)` is read as the name of a variable…
"#,
        );
    }

    #[test]
    fn the_fact_or_the_top_scope() {
        let settings = "#- /.hiera-ls.yaml\ndiagnostics: {severity: {unscoped-variable: hint}}\n\
                        nodes: {one: {facts: {role: {x: y}}}}\n";
        let file = format!("a: \"é %{{ role.x }}\"\n{settings}");
        check_fix(&file, "Write `%{facts.role.x}`", "a: \"é %{ facts.role.x }\"\n");
        check_fix(&file, "Write `%{::role.x}`", "a: \"é %{ ::role.x }\"\n");
    }

    #[test]
    fn legacy_facts_are_not_recommended() {
        let settings = "#- /.hiera-ls.yaml\ndiagnostics: {severity: {unscoped-variable: hint, legacy-fact: off}}\n";
        check(&format!(
            "{settings}#- /data/common.yaml\na: '%{{osfamily}}'\n\
             #   ^^^^^^^^^^^ hint[unscoped-variable]: `osfamily` may be a variable of any scope Write `%{{facts.os.family}}` for the fact.\n"
        ));
        check_fix(
            &format!("a: '%{{osfamily}}'\n{settings}"),
            "Write `%{facts.os.family}`",
            "a: '%{facts.os.family}'\n",
        );
    }

    #[test]
    fn in_hiera_yaml() {
        check(
            r#"
#- /.hiera-ls.yaml
diagnostics: {severity: {unscoped-variable: hint}}
#- /hiera.yaml
version: 5
hierarchy:
  - {name: x, path: "%{role}.yaml"}
#                    ^^^^^^^ hint[unscoped-variable]
  - {name: y, mapped_paths: [facts.roles, hostname, "%{hostname}/%{role}.yaml"]}
#                                                                ^^^^^^^ hint[unscoped-variable]
#- /data/web.yaml
a: 1
#- /data/one/web.yaml
a: 1
"#,
        );
    }
}
