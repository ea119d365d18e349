//! `dig-type-mismatch`: a dotted key or variable leads into something without members. Puppet fails instead of returning an
//! empty string.
//!
//! The contents of files only raise the suspicion; the engine decides whether the lookup fails for some node that reads the
//! file.

use std::sync::Arc;

use crate::config::hiera_yaml::Locations;
use crate::data::Value;
use crate::facts::Node;
use crate::ide::diagnostics::config::ConfigContext;
use crate::ide::diagnostics::lookup::LookupContext;
use crate::ide::diagnostics::lookup::VariablesContext;
use crate::ide::diagnostics::shared::targets;
use crate::ide::diagnostics::shared::targets::Dug;
use crate::ide::diagnostics::shared::users::Users;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::syntax::key_path;

pub(crate) const RULE: Rule = Rule {
    code: "dig-type-mismatch",
    name: "Sub key of a value that has none",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A dotted key leads into a value that has no members, so the lookup fails.",
    page: include_str!("../../../../docs/rules/dig-type-mismatch.md"),
    checks: &[
        Check::Variables(check_variables),
        Check::Lookup(check),
        Check::Config(check_mapped_paths),
    ],
    ..Rule::USUAL
};

/// Puppet's message, or Ruby's if the value is an integer.
const WORDS: [&str; 2] = ["Data Provider type mismatch", "undefined method `include?'"];

const WAY_ADVICE: &str = "the part before a dot must be a hash or a list.";

/// Checks what an entry looks up; `start` is where the entry starts.
pub(crate) fn check(at: &LookupContext<'_>, report: &mut Report) {
    let Some(targets) = at.targets() else { return };
    let (start, users) = (at.entry.start, Users::of_entry(at.file, &at.entry));
    for token in at.summary.looked_up.iter().filter(|token| token.name.contains('.')) {
        let Some((dug, _)) = targets.dug(&token.name) else { continue };
        let in_the_way = dug.iter().find_map(|it| match it {
            Dug::Mismatch(value) => Some(value),
            _ => None,
        });
        let Some(in_the_way) = in_the_way else { continue };
        // Values in files only show that the lookup may fail, so the lookup of a node must confirm it.
        let failures = targets.readers().into_iter().filter_map(|evaluator| {
            let message = evaluator.certain_failure(&token.name)?.message;
            let is_it = WORDS.iter().any(|words| message.contains(words));
            is_it.then_some((message, evaluator))
        });
        let failures: Vec<_> = failures.collect();
        if let Some((words, _)) = failures.first() {
            let is_used = failures.iter().any(|(_, evaluator)| users.may_include(evaluator));
            let (severity, what) = if is_used {
                (RULE.severity, "The lookup")
            } else {
                (Severity::Warning, "A lookup that uses this value")
            };
            let message = format!(
                "{words}\n{what} fails: the part before the last dot must be a hash or a list."
            );
            let finding = report.add_as(&RULE, severity, token.range.shifted(start), message);
            let related = targets.related(in_the_way, "this has no members".to_owned());
            finding.related.extend(related);
        }
    }
}

/// Checks the variables that an entry reads, for nodes whose variables are known and which use its value.
pub(crate) fn check_variables(at: &VariablesContext<'_>, report: &mut Report) {
    let VariablesContext { variables, start, known, .. } = *at;
    for variable in variables.iter().filter(|variable| variable.name.contains('.')) {
        let is_mismatch = |node: &Arc<Node>| {
            matches!(self::variable(node, &variable.name), Some(Dug::Mismatch(_)))
        };
        if !known.nodes.iter().any(|it| is_mismatch(it)) {
            continue;
        }
        if let Some(node) = at.users.nodes().iter().find(|it| is_mismatch(it)) {
            let message = format!(
                "`{}` leads into a value without members\n\
                 The lookup fails for node {}: {WAY_ADVICE}",
                variable.name, node.name
            );
            report.add(&RULE, variable.range.shifted(start), message);
        }
    }
}

/// Checks the variables whose members `mapped_paths` go through. Puppet goes through a list, a hash or a string.
pub(crate) fn check_mapped_paths(at: &ConfigContext<'_>, report: &mut Report) {
    for level in at.config.hierarchy.iter().chain(&at.config.default_hierarchy) {
        let Locations::MappedPaths(parts) = &level.locations else { continue };
        let [variable, ..] = &**parts;
        let (Some(name), Some(place)) = (variable.value.as_str(), variable.place) else { continue };
        let Some((node, found)) = at.nodes.iter().find_map(|it| Some((it, refused(it, name)?)))
        else {
            continue;
        };
        let (problem, advice) = match found {
            Refused::Way => ("leads into a value without members", WAY_ADVICE),
            Refused::Value(what) => (what, "the variable must be a list, a hash or a string."),
        };
        let message = format!("`{name}` {problem}\nLookups fail for node {}: {advice}", node.name);
        report.add_once(&RULE, RULE.severity, place.range, message);
    }
}

/// Why `mapped_paths` cannot go through a variable.
enum Refused {
    /// A part of the way to it has no members.
    Way,
    /// The value is of a wrong type.
    Value(&'static str),
}

fn refused(node: &Node, name: &str) -> Option<Refused> {
    match variable(node, name)? {
        Dug::Mismatch(_) => Some(Refused::Way),
        Dug::Found(value) => match value.value {
            Value::Boolean(_) => Some(Refused::Value("is a boolean")),
            Value::Integer(_) | Value::BigInteger(_) | Value::Float(_) => {
                Some(Refused::Value("is a number"))
            }
            _ => None,
        },
        _ => None,
    }
}

/// What a name with members leads to.
fn variable(node: &Node, name: &str) -> Option<Dug> {
    let path = key_path::parse(name).ok()?;
    let root = path.root_name()?;
    // `::facts` and `facts` are the same variable at top scope.
    let root = root.strip_prefix("::").unwrap_or(root);
    node.variable(root).map(|value| targets::dig(value, &path.rest))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_related};

    #[test]
    fn keys() {
        check(
            r#"
a: text
b: "%{lookup('a.x')} %{lookup('c.d')} %{lookup('c.0.x')} %{lookup('e.x')}"
#                                                        ^^^^^^^^^^^^^^^^ warning[missing-lookup-target]
#   ^^^^^^^^^^^^^^^^ error[dig-type-mismatch]: Data Provider type mismatch: Got String when a hash-like object was expected to access value using 'x' from key 'a.x'…
#                    ^^^^^^^^^^^^^^^^ error[dig-type-mismatch]
c: [{x: 1}]
d: "%{alias('f.x')}"
#   ^^^^^^^^^^^^^^^ error[dig-type-mismatch]: undefined method `include?' for 1:Integer…
e: ~
f: 1
"#,
        );
    }

    #[test]
    fn strings_with_tokens_are_strings() {
        check(
            r#"
a: "a %{facts.role}"
b: "%{lookup('a.x')}"
#   ^^^^^^^^^^^^^^^^ error[dig-type-mismatch]: Data Provider type mismatch: Got String…
c: "%{facts.role}"
d: "%{lookup('c.x')}"
#   ^^^^^^^^^^^^^^^^ error[dig-type-mismatch]
e: "%{alias('f')}"
f: {x: 1}
g: "%{lookup('e.x')}"
"#,
        );
    }

    #[test]
    fn the_engine_decides() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]
#- /data/a.yaml
a: {x: y}
b: "%{lookup('a.x')}"
#- /data/b.yaml
a: text
"#,
        );
    }

    #[test]
    fn variables_of_known_nodes() {
        check(
            r#"
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {os: {family: Debian}}}}
#- /data/common.yaml
a: "%{facts.os.family.x} %{facts.os.nope.x} %{facts.os.family}"
#   ^^^^^^^^^^^^^^^^^^^^ error[dig-type-mismatch]: `facts.os.family.x` leads into a value without members…
"#,
        );
    }

    /// Nothing fails yet, because a higher level has the key.
    #[test]
    fn values_that_are_not_used() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]
#- /data/a.yaml
b: 1
#- /data/b.yaml
a: text
b: "%{lookup('a.x')}"
#   ^^^^^^^^^^^^^^^^ warning[dig-type-mismatch]: Data Provider type mismatch: Got String when a hash-like object was expected to access value using 'x' from key 'a.x' A lookup that uses this value fails: the part before the last dot must be a hash or a list.
c: "%{lookup('a.x')}"
#   ^^^^^^^^^^^^^^^^ error[dig-type-mismatch]
"#,
        );
    }

    #[test]
    fn a_node_must_use_the_value() {
        check(
            r#"
#- /.hiera-ls.yaml
nodes: {web01: {facts: {role: web}}, db01: {facts: {role: db}}}
#- /hiera.yaml
version: 5
hierarchy: [{name: r, path: '%{facts.role}.yaml'}, {name: c, paths: [all.yaml, common.yaml]}]
#- /data/db.yaml
b: 1
#- /data/all.yaml
a: 1
#- /data/common.yaml
a: "%{facts.role.x}"
b: "%{facts.role.x}"
#   ^^^^^^^^^^^^^^^ error[dig-type-mismatch]: `facts.role.x` leads into a value without members The lookup fails for node web01…
"#,
        );
    }

    #[test]
    fn variables_of_mapped_paths() {
        check(
            r"
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {role: web, n: 5, yes_: true, list: [common], pairs: {a: b}, nothing: ~}}}
#- /hiera.yaml
version: 5
hierarchy:
  - {name: a, mapped_paths: [facts.role.x, x, '%{x}.yaml']}
#                            ^^^^^^^^^^^^ error[dig-type-mismatch]: `facts.role.x` leads into a value without members Lookups fail for node web01: the part before a dot must be a hash or a list.
  - {name: b, mapped_paths: [n, x, '%{x}.yaml']}
#                            ^ error[dig-type-mismatch]: `n` is a number Lookups fail for node web01: the variable must be a list, a hash or a string.
  - {name: c, mapped_paths: ['::yes_', x, '%{x}.yaml']}
#                            ^^^^^^^^ error[dig-type-mismatch]: `::yes_` is a boolean…
  - {name: d, mapped_paths: [facts.list, x, '%{x}.yaml']}
  - {name: e, mapped_paths: [pairs, x, '%{x.1}.yaml']}
  - {name: f, mapped_paths: [facts.nope, x, '%{x}.yaml']}
  - {name: g, mapped_paths: [nothing, x, '%{x}.yaml']}
#- /data/common.yaml
a: 1
",
        );
    }

    #[test]
    fn what_is_in_the_way_is_shown() {
        check_related(
            r#"
a: "%{lookup('b.c.d')}"
b: {c: text}
"#,
            "dig-type-mismatch",
            &["/data/common.yaml: text: this has no members"],
        );
    }

    #[test]
    fn other_failures_are_the_matter_of_other_rules() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]
#- /data/a.yaml
a: {x: "%{lookup('a.x')}"}
#       ^^^^^^^^^^^^^^^^ error[recursive-lookup]
b: "%{lookup('a.x')}"
#- /data/b.yaml
a: text
"#,
        );
    }

    #[test]
    fn variables_in_paths() {
        check(
            r#"
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {os: {family: Debian}}}}
#- /hiera.yaml
version: 5
hierarchy:
  - {name: x, path: "%{facts.os.family.x}.yaml"}
#                    ^^^^^^^^^^^^^^^^^^^^ error[dig-type-mismatch]
"#,
        );
    }

    #[test]
    fn in_the_data_of_a_module() {
        check(
            r#"
#- /modules/m/hiera.yaml
version: 5
#- /modules/m/data/common.yaml
m::a: text
m::b: "%{lookup('m::a.x')}"
#      ^^^^^^^^^^^^^^^^^^^ error[dig-type-mismatch]
"#,
        );
    }
}
