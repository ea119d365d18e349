//! `unknown-fact-member`: a `%{…}` is nearly a fact, or nearly a member of the trusted data. Puppet silently returns an empty
//! string for a member that a hash does not have.
//!
//! The facts of known nodes and the table of Facter's core facts contain the existing names. Only names that are similar to
//! one of these are reported, because any module can define facts of its own.

use std::collections::BTreeSet;

use super::undefined_variable::{self, KnownVariables};
use crate::config::hiera_yaml::Locations;
use crate::data::Value;
use crate::engine::ClassOfVariable;
use crate::facts::core_facts::{CoreFact, core_fact};
use crate::facts::legacy::modern_name;
use crate::facts::variable::NODE_HASHES;
use crate::ide::diagnostics::config::ConfigContext;
use crate::ide::diagnostics::lookup::VariablesContext;
use crate::ide::diagnostics::shared::fix::{Fix, replaced_in};
use crate::ide::diagnostics::shared::near::{distance, is_misspelling, near_key};
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::ide::strings::PlacedName;
use crate::text::TextEdit;

pub(crate) const RULE: Rule = Rule {
    code: "unknown-fact-member",
    name: "Fact that looks misspelt",
    severity: Severity::Warning,
    since: "0.2.0",
    summary: "A `%{…}` names no fact and no member of `trusted`, but is only one or two letters away from one.",
    page: include_str!("../../../../docs/rules/unknown-fact-member.md"),
    checks: &[Check::Variables(check), Check::Config(check_mapped_paths)],
    ..Rule::USUAL
};

/// The members of `$trusted`.
const TRUSTED: [&str; 6] =
    ["authenticated", "certname", "domain", "extensions", "external", "hostname"];

/// The members of `$server_facts`.
const SERVER_FACTS: [&str; 5] =
    ["environment", "servername", "serverip", "serverip6", "serverversion"];

/// The certificate extensions that have names in Puppet.
const EXTENSIONS: [&str; 30] = [
    "pp_apptier",
    "pp_application",
    "pp_auth_auto_renew",
    "pp_auth_role",
    "pp_authorization",
    "pp_cli_auth",
    "pp_cloudplatform",
    "pp_cluster",
    "pp_cost_center",
    "pp_created_by",
    "pp_datacenter",
    "pp_department",
    "pp_employee",
    "pp_environment",
    "pp_hostname",
    "pp_image_name",
    "pp_instance_id",
    "pp_network",
    "pp_owner",
    "pp_preshared_key",
    "pp_product",
    "pp_project",
    "pp_provisioner",
    "pp_region",
    "pp_role",
    "pp_securitypolicy",
    "pp_service",
    "pp_software_version",
    "pp_uuid",
    "pp_zone",
];

/// Checks what an entry reads; `start` is where the entry starts. Variables that are known to be undefined are already
/// reported.
pub(crate) fn check(at: &VariablesContext<'_>, report: &mut Report) {
    let VariablesContext { variables, start, known, .. } = *at;
    for variable in variables {
        let range = variable.range.shifted(start);
        if report.holds(&undefined_variable::RULE, range) {
            continue;
        }
        let unqualified = variable.name.trim_start_matches("::");
        if let Some(meant) = member_written_as_variable(unqualified) {
            let name = unqualified.split('.').next().unwrap_or(unqualified);
            let class = name.rsplit_once("::").map_or(name, |(class, _)| class);
            let message = format!(
                "Undefined variable '{name}'; {}\nColons lead to a variable of a class, and {}. Did you mean `%{{{meant}}}`?",
                ClassOfVariable::NotFound.in_words(class),
                effect(known)
            );
            report_meant(variable, start, &meant, message, report);
            continue;
        }
        let Some(meant) = meant_instead(known, &variable.name) else { continue };
        let root = unqualified.split('.').next().unwrap_or(unqualified);
        let effect = if NODE_HASHES.contains(&root) { EMPTY } else { effect(known) };
        let message =
            format!("there is no `{}`, and {effect}\nDid you mean `%{{{meant}}}`?", variable.name);
        report_meant(variable, start, &meant, message, report);
    }
}

/// Checks the variables whose members `mapped_paths` go through. They are names without `%{…}`.
pub(crate) fn check_mapped_paths(at: &ConfigContext<'_>, report: &mut Report) {
    let Some(environment) = at.environment else { return };
    let known = KnownVariables {
        nodes: at.nodes.iter().collect(),
        is_error: false,
        is_config: true,
        of_code: at.world.code_variables(environment),
    };
    for level in at.config.hierarchy.iter().chain(&at.config.default_hierarchy) {
        let Locations::MappedPaths(parts) = &level.locations else { continue };
        let [variable, ..] = &**parts;
        let (Some(name), Some(place)) = (variable.value.as_str(), variable.place) else { continue };
        let Some(meant) = meant_instead(&known, name) else { continue };
        let message =
            format!("there is no `{name}`, and the level has no paths\nDid you mean `{meant}`?");
        let finding = report.add(&RULE, place.range, message);
        let edit = replaced_in(&at.config.text, place.range, name, &meant);
        let fix = |edit| Fix::changing(format!("Write `{meant}`"), vec![edit]);
        finding.fixes.extend(edit.map(fix));
    }
}

/// The name that was most likely meant by `name`, with its colons, if this one does not exist.
fn meant_instead(known: &KnownVariables<'_>, name: &str) -> Option<String> {
    let unqualified = name.trim_start_matches("::");
    let names: Vec<_> = unqualified.split('.').collect();
    let is_plain =
        |name: &&str| !name.is_empty() && !name.contains(['\'', '"', '(', ':', ' ', '$', '{']);
    let meant = meant(known, &names).filter(|_| names.iter().all(is_plain))?;
    let colons = &name[..name.len() - unqualified.len()];
    Some(format!("{colons}{}", meant.join(".")))
}

/// What Puppet does about a member that a hash does not have.
const EMPTY: &str = "Puppet uses an empty string";

/// What Puppet does about a variable that does not exist.
fn effect(known: &KnownVariables<'_>) -> &'static str {
    if known.is_error { "the lookup fails" } else { EMPTY }
}

fn report_meant(
    variable: &PlacedName,
    start: u32,
    meant: &str,
    message: String,
    report: &mut Report,
) {
    let finding = report.add(&RULE, variable.range.shifted(start), message);
    if let Some(range) = variable.name_range {
        let edits = vec![TextEdit::replace(range.shifted(start), meant)];
        finding.with_fix(Fix::changing(format!("Write `%{{{meant}}}`"), edits));
    }
}

/// `facts.os` for `facts::os`: the colons make it a variable of a class, and no class has the name of a hash of Puppet's.
fn member_written_as_variable(name: &str) -> Option<String> {
    let (root, members) = name.split_once("::")?;
    let is_it = NODE_HASHES.contains(&root) && !members.is_empty() && !members.contains(['(', ' ']);
    is_it.then(|| format!("{root}.{}", members.replace("::", ".")))
}

/// The path that was most likely meant, if this one does not exist.
fn meant(known: &KnownVariables<'_>, names: &[&str]) -> Option<Vec<String>> {
    if is_known(known, names) {
        return None;
    }
    match names {
        ["facts", names @ ..] => Some(with("facts", fact(known, names)?)),
        ["trusted", "extensions", extension] => {
            // A site may define extensions of its own, but only Puppet's start with `pp_`.
            let is_own = !extension.starts_with("pp_") || EXTENSIONS.contains(extension);
            let near = if is_own { None } else { near_key(extension, EXTENSIONS) }?;
            Some(replaced(names, 2, near))
        }
        ["trusted", member, ..] if !TRUSTED.contains(member) => {
            Some(replaced(names, 1, near_key(member, TRUSTED)?))
        }
        ["server_facts", member, ..] if !SERVER_FACTS.contains(member) => {
            Some(replaced(names, 1, near_key(member, SERVER_FACTS)?))
        }
        ["trusted" | "server_facts", ..] | [] => None,
        [root, ..] => of_puppet(known, names).or_else(|| {
            // A bare variable may be anything; with the members of a core fact, it is that fact.
            let is_nearly_core = names.len() > 1 && known.nodes.is_empty();
            let is_core = matches!(core_fact(&[root]), CoreFact::Exists);
            if is_core || is_nearly_core { fact(known, names) } else { None }
        }),
    }
}

/// `fact.os.family`, `trused.certname`, `enviroment`: nearly a variable of Puppet's own.
fn of_puppet(known: &KnownVariables<'_>, names: &[&str]) -> Option<Vec<String>> {
    let (root, rest) = names.split_first()?;
    let is_near = |name: &&str| distance(root, name, 1) == Some(1);
    let own = NODE_HASHES.into_iter().find(is_near);
    if let Some(own) = own.filter(|_| !rest.is_empty()) {
        let path = replaced(names, 0, own);
        let segments: Vec<_> = path.iter().map(String::as_str).collect();
        let exists = match own {
            // Custom facts may have any name, and hardly any variable is called `fact`.
            "facts" if *root == "fact" => true,
            "facts" => is_known(known, &segments) || matches!(core_fact(rest), CoreFact::Exists),
            "trusted" => TRUSTED.contains(&rest[0]),
            _ => SERVER_FACTS.contains(&rest[0]),
        };
        return exists.then_some(path);
    }
    let is_environment = rest.is_empty() && root.len() > 8 && is_near(&"environment");
    is_environment.then(|| vec!["environment".to_owned()])
}

/// The fact that a path without `facts` was meant to be.
fn fact(known: &KnownVariables<'_>, names: &[&str]) -> Option<Vec<String>> {
    let (at, mut members): (usize, BTreeSet<String>) = match core_fact(names) {
        CoreFact::Exists => return None,
        CoreFact::Missing { at, known } => (at, known.into_iter().map(str::to_owned).collect()),
    };
    // For facts that are not Facter's own, the nodes are a better source than the table.
    let at = if at == 0 { first_missing(known, names).unwrap_or(0) } else { at };
    if at > 0 || !known.nodes.is_empty() {
        members.extend(members_at(known, &names[..at]));
    }
    if at > 0 {
        let written = names[at];
        // `facts.os.osfamily` has the legacy name below the parent of the modern fact.
        let modern = modern_name(written).filter(|_| at + 1 == names.len()).filter(|it| {
            it.strip_prefix(&names[..at].join(".")).is_some_and(|rest| rest.starts_with('.'))
        });
        if let Some(modern) = modern {
            return Some(modern.split('.').map(str::to_owned).collect());
        }
        let near = near_key(written, members.iter().map(String::as_str))?;
        return Some(replaced(names, at, near));
    }
    // A custom fact may have any name, so only a path that exists completely is suggested.
    let is_meant = |name: &&String| {
        // Few names are alike, and the rest costs more.
        if !is_misspelling(names[0], name) {
            return false;
        }
        let path = replaced(names, 0, name);
        let segments: Vec<_> = path.iter().map(String::as_str).collect();
        let is_there = matches!(core_fact(&segments), CoreFact::Exists)
            || is_known(known, &with_facts(&segments));
        let is_long = names.len() > 1 || names[0].len() > 6 || is_everywhere(known, name);
        is_long && is_there
    };
    members.iter().find(is_meant).map(|name| replaced(names, 0, name))
}

/// Whether there are several nodes with facts, and all have the fact. Then even a short name is hardly another fact.
fn is_everywhere(known: &KnownVariables<'_>, name: &str) -> bool {
    const MIN_NODES: usize = 2;
    const MIN_LETTERS: usize = 4;
    let path = ["facts", name];
    name.len() >= MIN_LETTERS
        && known.nodes.len() >= MIN_NODES
        && values(known, &path).len() == known.nodes.len()
}

/// The first name of the path that no node with its parent has; `None` if no node has the fact at all.
fn first_missing(known: &KnownVariables<'_>, names: &[&str]) -> Option<usize> {
    (1..names.len()).find(|at| !members_at(known, &names[..*at]).is_empty()).and_then(|_| {
        (1..names.len()).rev().find(|at| !members_at(known, &names[..*at]).is_empty())
    })
}

/// The names that some node has below a fact; without names, those of all facts.
fn members_at(known: &KnownVariables<'_>, names: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for value in values(known, &with_facts(names)) {
        let members = value.as_hash().into_iter().flat_map(|hash| hash.iter());
        found.extend(members.filter_map(|(name, _)| name.as_str().map(str::to_owned)));
    }
    found
}

/// Whether some node has the variable.
fn is_known(known: &KnownVariables<'_>, names: &[&str]) -> bool {
    !values(known, names).is_empty()
}

fn values(known: &KnownVariables<'_>, names: &[&str]) -> Vec<Value> {
    let value_of = |node: &&std::sync::Arc<crate::facts::Node>| {
        let mut value = node.variable(names.first()?)?.value.clone();
        for name in &names[1..] {
            let next = match &value {
                Value::Hash(hash) => hash.get(name)?.value.value.clone(),
                Value::Array(items) => items.get(name.parse::<usize>().ok()?)?.value.clone(),
                _ => return None,
            };
            value = next;
        }
        Some(value)
    };
    known.nodes.iter().filter_map(value_of).collect()
}

fn with_facts<'a>(names: &[&'a str]) -> Vec<&'a str> {
    std::iter::once("facts").chain(names.iter().copied()).collect()
}

fn with(first: &str, rest: Vec<String>) -> Vec<String> {
    std::iter::once(first.to_owned()).chain(rest).collect()
}

fn replaced(names: &[&str], at: usize, name: &str) -> Vec<String> {
    let mut path: Vec<_> = names.iter().map(|&it| it.to_owned()).collect();
    name.clone_into(&mut path[at]);
    path
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn without_nodes_the_core_facts_are_known() {
        check(
            r#"
a: "%{facts.os.familly} %{facts.os.family} %{::facts.os.familly} %{os.familly} %{facts.ox.family}"
#   ^^^^^^^^^^^^^^^^^^^ warning[unknown-fact-member]: there is no `facts.os.familly`, and Puppet uses an empty string Did you mean `%{facts.os.family}`?
#                                          ^^^^^^^^^^^^^^^^^^^^^ warning[unknown-fact-member]
#                                                                ^^^^^^^^^^^^^ warning[unknown-fact-member]
#                                                                              ^^^^^^^^^^^^^^^^^^ warning[unknown-fact-member]
b: "%{fact.os.family} %{trusted.cername} %{trusted.extension.pp_role} %{trusted.extensions.pp_roel} %{server_facts.server_name}"
#   ^^^^^^^^^^^^^^^^^ warning[unknown-fact-member]
#                     ^^^^^^^^^^^^^^^^^^ warning[unknown-fact-member]
#                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[unknown-fact-member]
#                                                                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[unknown-fact-member]
#                                                                                                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[unknown-fact-member]
c: "%{facts.networking.ipaddress} %{enviroment} %{facts.networking.interfaces.eth0.ipp}"
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[unknown-fact-member]: there is no `facts.networking.ipaddress`, and Puppet uses an empty string Did you mean `%{facts.networking.ip}`?
#                                 ^^^^^^^^^^^^^ warning[unknown-fact-member]
#                                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[unknown-fact-member]
"#,
        );
    }

    #[test]
    fn colons_instead_of_dots() {
        check(
            r#"
a: "%{facts::os.family} %{::trusted::certname} %{facts::} %{fact.os.family}"
#   ^^^^^^^^^^^^^^^^^^^ warning[unknown-fact-member]: Undefined variable 'facts::os'; class facts could not be found Colons lead to a variable of a class, and the lookup fails. Did you mean `%{facts.os.family}`?
#                       ^^^^^^^^^^^^^^^^^^^^^^ warning[unknown-fact-member]
#                                                         ^^^^^^^^^^^^^^^^^ warning[unknown-fact-member]: there is no `fact.os.family`, and the lookup fails Did you mean `%{facts.os.family}`?
"#,
        );
        check_fix(
            "a: '%{facts::os::family}'\n",
            "Write `%{facts.os.family}`",
            "a: '%{facts.os.family}'\n",
        );
    }

    #[test]
    fn a_short_fact_that_all_nodes_have() {
        let files = |nodes: &str, finding: &str| {
            check(&format!(
                "#- /.hiera-ls.yaml\nnodes: {{a: {{facts: {{role: x, size: 1}}}}, {nodes}}}\n#- /hiera.yaml\nversion: 5\n\
                 hierarchy:\n  - {{name: x, path: '%{{facts.rol}}.yaml'}}\n{finding}"
            ));
        };
        files(
            "b: {facts: {role: y}}",
            "#                    ^^^^^^^^^^^^ warning[unknown-fact-member]\n",
        );
        files("b: {facts: {size: y}}", "");
        files("b: {facts: {role: y, rol: z}}", "");
    }

    #[test]
    fn facts_may_be_of_modules() {
        check(
            r#"
a: "%{facts.role} %{facts.os.shiny} %{facts.disk} %{role.x} %{fact} %{trusted.extensions.my_own} %{trusted.extensions.pp_zone} %{trusted.external.x}"
b: "%{facts.networking.interfaces.eth0.ip} %{facts.processors.models.0} %{facts.'a.b'} %{facts.site.family} %{profile::facts.os}"
"#,
        );
    }

    #[test]
    fn nodes_know_more() {
        check(
            r#"
#- /.hiera-ls.yaml
nodes: {web01: {facts: {os: {family: Debian, names: x}, site: {name: a, code: b}}}}
#- /data/common.yaml
a: "%{facts.site.nmae} %{facts.site.name} %{facts.os.names} %{facts.sitte.name} %{facts.other.name} %{facts.site.zzz}"
#   ^^^^^^^^^^^^^^^^^^ warning[unknown-fact-member]
#                                                           ^^^^^^^^^^^^^^^^^^^ warning[unknown-fact-member]
b: "%{osx.family}"
#   ^^^^^^^^^^^^^ warning[undefined-variable]
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
  - {name: x, path: "%{facts.os.familly}.yaml"}
#                    ^^^^^^^^^^^^^^^^^^^ warning[unknown-fact-member]
"#,
        );
    }

    #[test]
    fn the_list_of_mapped_paths() {
        let files = "\
#- /hiera.yaml
version: 5
hierarchy:
  - {name: a, mapped_paths: [facts.datacentr, a, 'x/%{a}.yaml']}
#                            ^^^^^^^^^^^^^^^ warning[unknown-fact-member]: there is no `facts.datacentr`, and the level has no \
                     paths Did you mean `facts.datacenter`?
  - {name: b, mapped_paths: [facts.datacenter, a, 'x/%{a}.yaml']}
  - {name: c, mapped_paths: ['::trusted.extension.pp_role', a, 'x/%{a}.yaml']}
#                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[unknown-fact-member]
  - {name: d, mapped_paths: [facts.other, a, 'x/%{a}.yaml']}
#- /.hiera-ls.yaml
nodes: {one: {facts: {datacenter: [x]}}}
#- /data/x/x.yaml
a: 1
";
        check(files);
        check_fix(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: a, mapped_paths: [facts.os.familly, a, '%{a}.yaml']}]\n",
            "Write `facts.os.family`",
            "version: 5\nhierarchy: [{name: a, mapped_paths: [facts.os.family, a, '%{a}.yaml']}]\n",
        );
    }

    #[test]
    fn the_fact_that_was_meant() {
        check_fix(
            "a: \"%{::trusted.cername} x\"\n",
            "Write `%{::trusted.certname}`",
            "a: \"%{::trusted.certname} x\"\n",
        );
    }
}
