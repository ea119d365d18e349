//! `undefined-variable`: a variable that none of the sample nodes has that read the file.
//!
//! Only nodes whose variables are all known count: of a node made up from the names of data files, nothing is known. A
//! few sample nodes do not speak for all nodes, so this is no error even where Puppet makes it one. A variable of a
//! class exists once the class is evaluated, so it is never reported; nor are missing members of a known variable, for
//! Puppet says nothing about them either.

use std::sync::Arc;

use super::fix::Fix;
use super::{Report, Rule, Severity};
use crate::facts::Node;
use crate::ide::strings::PlacedName;
use crate::syntax::key_path;
use crate::text::TextEdit;

pub(super) const RULE: Rule = Rule {
    code: "undefined-variable",
    name: "Undefined variable",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A `%{…}` reads a variable that none of the sample nodes has that read the file.",
    page: include_str!("../../../docs/rules/undefined-variable.md"),
    is_on: true,
};

/// What is known of the nodes that may read a file.
pub(super) struct KnownVariables<'a> {
    /// The nodes that read the file and whose variables are all known.
    pub(super) nodes: Vec<&'a Arc<Node>>,
    /// Whether Puppet fails, instead of going on with an empty text.
    pub(super) is_error: bool,
}

/// Checks what an entry reads; `start` is where the entry begins.
pub(super) fn check(
    known: &KnownVariables<'_>,
    variables: &[PlacedName],
    start: u32,
    report: &mut Report,
) {
    if known.nodes.is_empty() {
        return;
    }
    for variable in variables {
        let Some(name) = undefined(known, &variable.name) else { continue };
        let effect = if known.is_error { "The lookup fails" } else { "It gives an empty text" };
        let message = format!(
            "Undefined variable '{name}'\n{effect} for {}.{}",
            nodes_text(&known.nodes),
            advice(&name)
        );
        let finding = report.add(&RULE, variable.range.shifted(start), message);
        if let Some(modern) = modern_name(&name)
            && let Some(range) = variable.name_range.filter(|_| *variable.name == *name)
        {
            let edits = vec![TextEdit::replace(range.shifted(start), modern)];
            let title = format!("Write `%{{{modern}}}`");
            let make = if known.is_error { Fix::safe } else { Fix::changing };
            finding.with_fix(make(title, edits));
        }
    }
}

fn nodes_text(nodes: &[&Arc<Node>]) -> String {
    match nodes {
        [node] => format!("node {}", node.name),
        nodes => format!("all {} sample nodes that read this file", nodes.len()),
    }
}

fn undefined(known: &KnownVariables<'_>, name: &str) -> Option<String> {
    let path = key_path::parse(name).ok()?;
    let root = path.root_name()?;
    let unqualified = root.strip_prefix("::").unwrap_or(root);
    let never_reported = unqualified.contains("::")
        || unqualified.contains('(')
        || unqualified.bytes().all(|b| b.is_ascii_digit())
        || [
            "module_name",
            "caller_module_name",
            "calling_module",
            "calling_class",
            "calling_class_path",
            "name",
            "title",
        ]
        .contains(&unqualified);
    let is_defined = known.nodes.iter().any(|node| node.variable(unqualified).is_some());
    (!never_reported && !is_defined).then(|| root.to_string())
}

fn advice(name: &str) -> String {
    modern_name(name).map_or(String::new(), |modern| format!(" Did you mean `%{{{modern}}}`?"))
}

/// What became of the old facts.
fn modern_name(name: &str) -> Option<&'static str> {
    let name = name.strip_prefix("::").unwrap_or(name);
    let modern = match name {
        "osfamily" => "facts.os.family",
        "operatingsystem" => "facts.os.name",
        "operatingsystemrelease" => "facts.os.release.full",
        "operatingsystemmajrelease" => "facts.os.release.major",
        "lsbdistcodename" => "facts.os.distro.codename",
        "architecture" => "facts.os.architecture",
        "hostname" => "facts.networking.hostname",
        "fqdn" => "facts.networking.fqdn",
        "domain" => "facts.networking.domain",
        "ipaddress" => "facts.networking.ip",
        "macaddress" => "facts.networking.mac",
        "clientcert" | "certname" => "trusted.certname",
        _ => return None,
    };
    Some(modern)
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn of_complete_nodes() {
        check(
            r#"
#- /.hiera-ls.yaml
nodes: {web01: {facts: {os: {family: Debian}}}}
#- /data/common.yaml
a: "%{osfamily} %{os.family} %{os.nope} %{facts.nope} %{::environment} %{trusted.certname}"
#   ^^^^^^^^^^^ warning[undefined-variable]: Undefined variable 'osfamily' The lookup fails for node web01. Did you mean `%{facts.os.family}`?
b: "%{a::class} %{0} %{module_name} %{scope('nope')}"
#                                   ^^^^^^^^^^^^^^^^ warning[undefined-variable]
"#,
        );
    }

    #[test]
    fn nothing_is_known_of_inferred_nodes() {
        check(
            r#"
a: "%{nope}"
"#,
        );
    }

    #[test]
    fn puppet_7_goes_on() {
        check(
            r#"
#- /.hiera-ls.yaml
puppetVersion: 7
nodes: {web01: {facts: {os: {family: Debian}}}}
#- /data/common.yaml
a: "%{nope}"
#   ^^^^^^^ warning[undefined-variable]: Undefined variable 'nope' It gives an empty text for node web01.
"#,
        );
    }

    #[test]
    fn paths_of_hiera_yaml_go_on_with_an_empty_text() {
        check(
            r#"
#- /.hiera-ls.yaml
nodes: {web01: {facts: {os: {family: Debian}}}}
#- /hiera.yaml
version: 5
hierarchy:
  - name: x
    path: "%{role}.yaml"
#          ^^^^^^^ warning[undefined-variable]
"#,
        );
    }
}
