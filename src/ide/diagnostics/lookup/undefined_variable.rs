//! `undefined-variable`: none of the sample nodes that read the file has a variable.
//!
//! Only completely known nodes are used: nothing is known about the facts of a node that was inferred from the names of
//! data files. A few sample nodes do not represent all nodes, so this is not an error even if Puppet makes it one. A
//! variable of a class exists once the class is evaluated, so it is only reported in data for a parameter of this class. Missing
//! members of a known variable are not reported either, because Puppet does not report them.

use std::sync::Arc;

use crate::data::{Hash, Value};
use crate::engine::{ClassOfVariable, CodeVariables, is_of_class, undefined_variable_never_warns};
use crate::facts::variable::{VARIABLES_OF_HIERA_3, is_added_by_agents};
use crate::facts::{Node, Reading, legacy};
use crate::ide::diagnostics::entry::puppet_style_interpolation::meant_variable;
use crate::ide::diagnostics::key::KeyContext;
use crate::ide::diagnostics::lookup::VariablesContext;
use crate::ide::diagnostics::shared::declared_classes::{DeclaredClass, class_and_parameter};
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::shared::near::near_key;
use crate::ide::diagnostics::shared::targets;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::ide::strings::{PlacedName, interpolated_strings, variables};
use crate::syntax::key_path;
use crate::text::{TextEdit, TextRange};

pub(crate) const RULE: Rule = Rule {
    code: "undefined-variable",
    name: "Undefined variable",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A `%{…}` reads a variable, and none of the nodes with facts that read the file has it.",
    page: include_str!("../../../../docs/rules/undefined-variable.md"),
    checks: &[Check::Variables(check), Check::Key(check_parameter)],
    ..Rule::USUAL
};

/// What is known about the nodes that may read a file.
pub(crate) struct KnownVariables<'a> {
    /// The nodes that read the file and whose variables are all known.
    pub(crate) nodes: Vec<&'a Arc<Node>>,
    /// Whether Puppet fails instead of using an empty string.
    pub(crate) is_error: bool,
    /// Whether these are variables of a hiera.yaml.
    pub(crate) is_config: bool,
    /// What code may set.
    pub(crate) of_code: Arc<CodeVariables>,
}

impl KnownVariables<'_> {
    /// Whether top-scope variables of some node are known that are not facts. Then the settings contain what a classifier
    /// sets.
    fn holds_more_than_facts(&self) -> bool {
        const OF_PUPPET: [&str; 6] =
            ["environment", "trusted", "server_facts", "facts", "name", "title"];
        self.nodes.iter().any(|node| {
            let members = |name| node.variable(name).and_then(|it| it.value.as_hash());
            let (facts, of_server) = (members("facts"), members("server_facts"));
            node.variables().iter().filter_map(|(name, _)| name.as_str()).any(|name| {
                let is_in = |hash: Option<&Hash>| hash.is_some_and(|it| it.get(name).is_some());
                !OF_PUPPET.contains(&name) && !is_in(facts) && !is_in(of_server)
            })
        })
    }
}

/// Checks what an entry reads; `start` is where the entry starts.
pub(crate) fn check(at: &VariablesContext<'_>, report: &mut Report) {
    let VariablesContext { variables, start, known, .. } = *at;
    if known.nodes.is_empty() {
        check_names(known, variables, start, report);
        return;
    }
    for variable in variables.iter().filter(|it| meant_variable(&it.name).is_none()) {
        let Some(name) = undefined(known, &variable.name) else { continue };
        let modern = modern_name(&name);
        // A member that no node has would turn the visible mistake into an empty string.
        let absent = modern.as_ref().filter(|it| !known.nodes.iter().any(|node| has(node, it)));
        let meant =
            if absent.is_some() { None } else { modern.clone().or_else(|| near(known, &name)) };
        // Variables that a classifier or a manifest sets are not in fact sets, and an empty string in a path may be
        // intended.
        let may_be_intended = known.is_config && !known.is_error;
        if meant.is_none() && absent.is_none() && may_be_intended && !known.holds_more_than_facts()
        {
            continue;
        }
        let advice = match &meant {
            Some(meant) => format!(" Did you mean `%{{{meant}}}`?"),
            None if absent.is_some() => {
                let modern = modern.as_deref().unwrap_or_default();
                format!(" The modern name is `%{{{modern}}}`, but no node with facts has it.")
            }
            None if is_impossible(&variable.name) => format!(" {AS_TEXT}"),
            None if is_added_by_agents(&name) => format!(" {ADDED_BY_AGENTS}"),
            None => String::new(),
        };
        let effect = effect_for_nodes(known, at.users.nodes());
        let message = format!("Undefined variable '{name}'\n{effect}.{advice}");
        let finding = report.add(&RULE, variable.range.shifted(start), message);
        let range = variable.name_range.filter(|_| variable.name.starts_with(&*name));
        if let (Some(meant), Some(range)) = (meant, range) {
            let range = TextRange::new(range.start, range.start + name.len() as u32);
            let edits = vec![TextEdit::replace(range.shifted(start), &*meant)];
            let members = &variable.name[name.len()..];
            let title = format!("Write `%{{{meant}{members}}}`");
            // A lookup that fails returns no value, so the fix cannot change one.
            let make = if known.is_error { Fix::safe } else { Fix::changing };
            finding.with_fix(make(title, edits));
        }
    }
}

/// Checks the value of a class parameter: Puppet looks it up before it evaluates the class.
pub(crate) fn check_parameter(at: &KeyContext<'_>, report: &mut Report) {
    let KeyContext { classes, data, key, entry, .. } = *at;
    let Some((class, parameter)) = class_and_parameter(key).filter(|_| entry.has_tokens()) else {
        return;
    };
    let is_parameter = |it: DeclaredClass| it.parameters().any(|it| it == parameter);
    let Some(tree) = data.entry_at(entry.key_place.range.start) else { return };
    for variable in variables(&interpolated_strings(tree.text, tree.value)) {
        let path = key_path::parse(&variable.name).ok();
        let Some(root) = path.as_ref().and_then(|it| it.root_name()) else { continue };
        let name = root.strip_prefix("::").unwrap_or(root);
        if !is_of_class(name, class) || !classes.only(class).is_some_and(is_parameter) {
            continue;
        }
        let effect = if classes.puppet_version().is_strict() {
            "the lookup fails"
        } else {
            "it is an empty string"
        };
        let advice = if at.known.contains(name) {
            format!(" `%{{lookup('{name}')}}` inserts the value in the data.")
        } else {
            String::new()
        };
        let message = format!(
            "Undefined variable '{name}'; {}\nPuppet looks up the parameters of a class before it evaluates the class, so \
             {effect}.{advice}",
            ClassOfVariable::NotEvaluated.in_words(class)
        );
        report.add(&RULE, variable.range.shifted(tree.start), message);
    }
}

/// Checks names that hardly any variable can have, if no node is known: the `%{Referer}i` of a log format is literal text.
fn check_names(
    known: &KnownVariables<'_>,
    variables: &[PlacedName],
    start: u32,
    report: &mut Report,
) {
    // Other rules report what is not a name, or one of Puppet code.
    let is_name = |name: &str| key_path::parse(name).is_ok() && meant_variable(name).is_none();
    for variable in variables.iter().filter(|it| is_impossible(&it.name) && is_name(&it.name)) {
        let effect = effect(known);
        let message = format!(
            "Undefined variable '{}'\n{effect}: names of variables start with a small letter. {AS_TEXT}",
            variable.name
        );
        report.add(&RULE, variable.range.shifted(start), message);
    }
}

/// What to write for the `%{Referer}i` of a log format.
const AS_TEXT: &str = "Write `%{literal('%')}{…}` if you mean this as text.";

const ADDED_BY_AGENTS: &str =
    "Agents add this fact to those of Facter: add it to the fact set, too.";

/// Whether hardly any variable can have the name.
fn is_impossible(name: &str) -> bool {
    let first = name.split('.').next().unwrap_or(name);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '-');
    let is_word = !first.is_empty() && first.chars().all(is_name);
    is_word && first.starts_with(|c: char| c.is_ascii_uppercase() || c == '-')
        || first.starts_with(['{', '<', '%'])
}

fn effect(known: &KnownVariables<'_>) -> &'static str {
    if known.is_error { "The lookup fails" } else { "Puppet uses an empty string" }
}

/// The effect for the nodes that use the value, which may be fewer than those that read the file.
fn effect_for_nodes(known: &KnownVariables<'_>, users: &[Arc<Node>]) -> String {
    let (effect, readers) = (effect(known), known.nodes.len());
    match users {
        [] if known.is_error => "A lookup that uses this value fails".to_owned(),
        [] => effect.to_owned(),
        [node] => format!("{effect} for node {}", node.name),
        // No hierarchy decides which nodes use a `hiera.yaml`.
        _ if known.is_config => format!("{effect} for all {readers} nodes with facts"),
        _ if users.len() == readers => {
            format!("{effect} for all {readers} nodes with facts that read this file")
        }
        _ => {
            let users = users.len();
            format!("{effect} for {users} of {readers} nodes with facts that read this file")
        }
    }
}

fn undefined(known: &KnownVariables<'_>, name: &str) -> Option<String> {
    let path = key_path::parse(name).ok()?;
    let root = path.root_name()?;
    let unqualified = root.strip_prefix("::").unwrap_or(root);
    // Another rule reports calls without quotes. Puppet does not warn about numbers and `module_name`, and sets the others
    // itself in some lookups.
    let never_reported = unqualified.contains("::")
        || unqualified.contains('(')
        || unqualified.is_empty()
        || undefined_variable_never_warns(root)
        || VARIABLES_OF_HIERA_3.contains(&unqualified)
        || ["module_name", "caller_module_name", "name", "title"].contains(&unqualified);
    let is_defined = known.nodes.iter().any(|node| !matches!(node.read(&path), Reading::Unset));
    let is_assigned = known.of_code.may_set(unqualified);
    (!never_reported && !is_defined && !is_assigned).then(|| root.to_string())
}

/// Whether a node has a value for a name with members.
fn has(node: &Node, name: &str) -> bool {
    let Ok(path) = key_path::parse(name) else { return false };
    let root = path.root_name().and_then(|root| node.variable(root));
    let found = root.map(|value| targets::dig(value, &path.rest));
    found.is_some_and(|it| it.found().is_some_and(|found| found.value != Value::Undef))
}

/// A variable of the nodes with a similar name.
fn near(known: &KnownVariables<'_>, name: &str) -> Option<String> {
    let unqualified = name.strip_prefix("::").unwrap_or(name);
    let variables = known.nodes.iter().flat_map(|node| node.variables());
    let near = near_key(unqualified, variables.filter_map(|(variable, _)| variable.as_str()))?;
    Some(format!("{}{near}", &name[..name.len() - unqualified.len()]))
}

/// The replacement of an old fact.
fn modern_name(name: &str) -> Option<String> {
    let name = name.strip_prefix("::").unwrap_or(name);
    match name {
        "clientcert" | "certname" => Some("trusted.certname".to_owned()),
        _ => legacy::modern_name(name).map(|modern| format!("facts.{modern}")),
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn of_complete_nodes() {
        check(
            r#"
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {os: {family: Debian}}}}
#- /data/common.yaml
a: "%{osfamily} %{os.family} %{os.nope} %{facts.nope} %{::environment} %{trusted.certname}"
#   ^^^^^^^^^^^ warning[undefined-variable]: Undefined variable 'osfamily' The lookup fails for node web01. Did you mean `%{facts.os.family}`?
b: "%{a::class} %{0} %{module_name} %{scope('nope')}"
#                                   ^^^^^^^^^^^^^^^^ warning[undefined-variable]
c: "%{12} %{::1} %{01}"
#                ^^^^^ warning[undefined-variable]
"#,
        );
    }

    /// A fact set is taken as it is, as `puppet lookup --facts` does.
    #[test]
    fn facts_that_agents_add() {
        check(
            r#"
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {os: {family: Debian}}}}
#- /data/common.yaml
a: "%{clientnoop} %{::clientcert}"
#   ^^^^^^^^^^^^^ warning[undefined-variable]: Undefined variable 'clientnoop' The lookup fails for node web01. Agents add this fact to those of Facter: add it to the fact set, too.
#                 ^^^^^^^^^^^^^^^ warning[undefined-variable]: Undefined variable '::clientcert' The lookup fails for node web01. Did you mean `%{trusted.certname}`?
"#,
        );
    }

    /// The modern name would be an empty string, without a message of Puppet.
    #[test]
    fn modern_names_that_no_node_has() {
        check(
            r#"
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {networking: {interfaces: {eth0: {ip: 10.0.0.1}}}}}}
#- /data/common.yaml
a: "%{ipaddress_trp1} %{ipaddress_eth0}"
#   ^^^^^^^^^^^^^^^^^ warning[undefined-variable]: Undefined variable 'ipaddress_trp1' The lookup fails for node web01. The modern name is `%{facts.networking.interfaces.trp1.ip}`, but no node with facts has it.
#                     ^^^^^^^^^^^^^^^^^ warning[undefined-variable]: Undefined variable 'ipaddress_eth0' The lookup fails for node web01. Did you mean `%{facts.networking.interfaces.eth0.ip}`?
"#,
        );
    }

    #[test]
    fn nothing_is_said_of_nodes_without_facts() {
        check(
            r#"
a: "%{nope}"
"#,
        );
    }

    #[test]
    fn names_that_no_variable_has() {
        check(
            r"
a: '%{Referer}i %{User-Agent}i %{referer} %{::Foo.x} %{{x} %{Foo::bar}'
#   ^^^^^^^^^^ warning[undefined-variable]: Undefined variable 'Referer' The lookup fails: names of variables…
#               ^^^^^^^^^^^^^ warning[undefined-variable]
#                                                    ^^^^^ warning[undefined-variable]
#                                                          ^^^^^^^^^^^ warning[undefined-variable]
",
        );
    }

    #[test]
    fn a_log_format_is_meant_as_text() {
        check(
            r"
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {os: {family: Debian}}}}
#- /data/common.yaml
a: '%{Referer}i'
#   ^^^^^^^^^^ warning[undefined-variable]: Undefined variable 'Referer' The lookup fails for node web01. Write `%{literal('%')}{…}` if you mean this as text.
",
        );
    }

    #[test]
    fn puppet_7_goes_on() {
        check(
            r#"
#- /.hiera-ls.yaml
puppetVersion: 7
node: web01
nodes: {web01: {facts: {os: {family: Debian}}}}
#- /data/common.yaml
a: "%{nope}"
#   ^^^^^^^ warning[undefined-variable]: Undefined variable 'nope' Puppet uses an empty string for node web01.
"#,
        );
    }

    #[test]
    fn what_a_classifier_may_set_is_left_alone_in_paths() {
        check(
            r#"
#- /.hiera-ls.yaml
nodes: {web01: {facts: {os: {family: Debian}}}}
#- /hiera.yaml
version: 5
hierarchy:
  - {name: x, paths: ["%{role}.yaml", "%{::osfamily}.yaml"]}
#                                      ^^^^^^^^^^^^^ warning[undefined-variable]
"#,
        );
    }

    #[test]
    fn paths_of_hiera_yaml_go_on_with_an_empty_text() {
        check(
            r#"
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {os: {family: Debian}}, variables: {tier: front}}}
#- /hiera.yaml
version: 5
hierarchy:
  - name: x
    path: "%{role}.yaml"
#          ^^^^^^^ warning[undefined-variable]
"#,
        );
    }

    /// Puppet interpolates these for every lookup, and fails.
    #[test]
    fn other_texts_of_hiera_yaml() {
        let fixture = |version: u8, [of_directory, of_options]: [&str; 2]| {
            format!(
                r#"
#- /.hiera-ls.yaml
puppetVersion: {version}
nodes: {{web01: {{facts: {{a: 1}}}}, web02: {{facts: {{a: 1}}}}}}
#- /hiera.yaml
version: 5
hierarchy:
  - {{name: x, path: "%{{nope}}common.yaml", datadir: "%{{nope}}data"}}
{of_directory}
  - {{name: y, lookup_key: own::data, options: {{a: "%{{nope}}%{{facts.nope}}"}}}}
#                         ^^^^^^^^^ information[unknown-backend]
{of_options}
"#
            )
        };
        check(&fixture(
            8,
            [
                "#                                                   ^^^^^^^ warning[undefined-variable]: Undefined variable 'nope' The lookup fails for all 2 nodes with facts.",
                "#                                                  ^^^^^^^ warning[undefined-variable]",
            ],
        ));
        check(&fixture(7, ["", ""]));
    }

    /// Only the template of the level has the variable. Below `::` or in another template, it is one of the node.
    #[test]
    fn the_variable_of_mapped_paths() {
        check(
            r#"
#- /.hiera-ls.yaml
nodes: {web01: {facts: {apps: [crm]}}}
#- /hiera.yaml
version: 5
hierarchy:
  - {name: x, mapped_paths: [facts.apps, app, "apps/%{app}.yaml"]}
  - {name: y, mapped_paths: [facts.apps, app, "apps/%{app.0}/%{::app}.yaml"]}
#                                                            ^^^^^^^^ warning[undefined-variable]: Undefined variable '::app' Puppet uses an empty string for node web01. Did you mean `%{::apps}`?
  - {name: z, path: "apps/%{app}.yaml"}
#                         ^^^^^^ warning[undefined-variable]
#- /data/apps/crm.yaml
a: 1
"#,
        );
    }

    /// Nodes use a `hiera.yaml`, whichever data files they read.
    #[test]
    fn all_nodes_use_a_hierarchy() {
        check(
            r#"
#- /.hiera-ls.yaml
nodes: {web01: {facts: {a: 1}, variables: {tier: front}}, web02: {facts: {a: 1}}}
#- /hiera.yaml
version: 5
hierarchy:
  - name: x
    path: "%{role}.yaml"
#          ^^^^^^^ warning[undefined-variable]: Undefined variable 'role' Puppet uses an empty string for all 2 nodes with facts.
#- /data/.yaml
x: "%{role}"
#   ^^^^^^^ warning[undefined-variable]: Undefined variable 'role' The lookup fails for all 2 nodes with facts that read this file.
"#,
        );
    }

    #[test]
    fn only_nodes_that_use_the_value_are_named() {
        let nodes = "nodes: {web01: {facts: {role: web}}, web02: {facts: {role: web}}, db01: {facts: {role: db}}, x: {facts: {role: x}}}\n";
        let files = |version: u8, effects: [&str; 4]| {
            let [all, some, one, none] = effects;
            format!(
                "#- /.hiera-ls.yaml\npuppetVersion: {version}\n{nodes}\
                 #- /hiera.yaml\nversion: 5\nhierarchy:\n- {{name: r, path: '%{{facts.role}}.yaml'}}\n- {{name: c, paths: [all.yaml, common.yaml]}}\n\
                 #- /data/db.yaml\nb: 1\nc: 1\n#- /data/x.yaml\nb: 1\nc: 1\n#- /data/web.yaml\nc: '1%{{nope}}'\n\
                 #    ^^^^^^^ warning[undefined-variable]: Undefined variable 'nope' {one}.\n\
                 #- /data/all.yaml\nd: 1\n\
                 #- /data/common.yaml\nlookup_options: {{e: {{merge: unique}}}}\n\
                 a: '%{{nope}}'\n\
                 #   ^^^^^^^ warning[undefined-variable]: Undefined variable 'nope' {all}.\n\
                 b: '%{{nope}}'\n\
                 #   ^^^^^^^ warning[undefined-variable]: Undefined variable 'nope' {some}.\n\
                 c: '%{{nope}}'\n\
                 #   ^^^^^^^ warning[undefined-variable]: Undefined variable 'nope' {none}.\n\
                 d: '%{{nope}}'\n\
                 #   ^^^^^^^ warning[undefined-variable]: Undefined variable 'nope' {none}.\n\
                 e: ['%{{nope}}']\n\
                 #    ^^^^^^^ warning[undefined-variable]: Undefined variable 'nope' {all}.\n"
            )
        };
        check(&files(
            8,
            [
                "The lookup fails for all 4 nodes with facts that read this file",
                "The lookup fails for 2 of 4 nodes with facts that read this file",
                "The lookup fails for all 2 nodes with facts that read this file",
                "A lookup that uses this value fails",
            ],
        ));
        check(&files(
            7,
            [
                "Puppet uses an empty string for all 4 nodes with facts that read this file",
                "Puppet uses an empty string for 2 of 4 nodes with facts that read this file",
                "Puppet uses an empty string for all 2 nodes with facts that read this file",
                "Puppet uses an empty string",
            ],
        ));
    }

    #[test]
    fn variables_of_the_class_whose_parameter_is_looked_up() {
        let files = |version: u8, effect: &str| {
            format!(
                r#"
#- /.hiera-ls.yaml
puppetVersion: {version}
#- /hiera.yaml
version: 5
hierarchy: [{{name: x, path: common.yaml}}]
#- /modules/m/manifests/init.pp
class m(String $dir, String $file, Hash $all) {{ lookup('m::other') }}
#- /data/common.yaml
m::dir: /srv
m::file: "%{{m::dir}}/x"
#         ^^^^^^^^^ warning[undefined-variable]: Undefined variable 'm::dir'; class m has not been evaluated Puppet looks up the parameters of a class before it evaluates the class, so {effect}. `%{{lookup('m::dir')}}` inserts the value in the data.
m::all: {{a: "%{{scope('::m::dir')}} %{{n::dir}} %{{m::sub::dir}} %{{lookup('m::dir')}}"}}
#            ^^^^^^^^^^^^^^^^^^^^ warning[undefined-variable]
m::other: "%{{m::dir}}"
"#
            )
        };
        check(&files(8, "the lookup fails"));
        check(&files(7, "it is an empty string"));
    }

    #[test]
    fn variables_of_functions_that_include_classes() {
        check(
            r#"
#- /.hiera-ls.yaml
nodes: {web01: {facts: {os: {family: Debian}}}}
#- /hiera.yaml
version: 5
hierarchy: [{name: x, path: common.yaml}]
#- /modules/m/functions/f.pp
function m::f($tier) { $site = 'x' include m }
#- /modules/m/functions/g.pp
function m::g($other) { $more = 'x' }
#- /data/common.yaml
a: "%{site} %{tier}"
b: "%{other} %{more}"
#   ^^^^^^^^ warning[undefined-variable]
#            ^^^^^^^ warning[undefined-variable]
"#,
        );
    }

    #[test]
    fn the_near_name() {
        let nodes = "#- /.hiera-ls.yaml\nnode: web01\nnodes: {web01: {facts: {role: web, os: {family: x}}}}\n";
        check_fix(
            &format!("a: \"%{{::enviroment}} x\"\n{nodes}"),
            "Write `%{::environment}`",
            "a: \"%{::environment} x\"\n",
        );
        check_fix(
            &format!("a: '%{{scope(\"fcts.os.family\")}}'\n{nodes}"),
            "Write `%{facts.os.family}`",
            "a: '%{scope(\"facts.os.family\")}'\n",
        );
        check_fix(
            &format!("a: '%{{osfamily}}'\n{nodes}"),
            "Write `%{facts.os.family}`",
            "a: '%{facts.os.family}'\n",
        );
    }
}
