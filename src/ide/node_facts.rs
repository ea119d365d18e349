//! The facts that distinguish sample nodes: the variables of the hierarchy, with a node's values.

use std::sync::Arc;

use crate::config::Environment;
use crate::data::{Value, inspect};
use crate::engine::sources::dig_value;
use crate::facts::infer::Mapped;
use crate::facts::mapped::part_read_by;
use crate::facts::{Node, Reading, variable};
use crate::syntax::{interpolation, key_path};
use crate::world::{Reach, World};

/// One variable of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeFact {
    /// The variable as written in the hierarchy, such as `trusted.extensions.pp_role`.
    pub name: String,
    /// Its value as text.
    pub value: String,
}

/// The variables that the environment's hierarchy reads, in the order of the levels, each once: those in paths, and then those in
/// URIs and options. The hierarchies of modules
/// are ignored: there can be hundreds, and they use the same variables.
pub fn hierarchy_variables(world: &World, environment: &Environment) -> Vec<Arc<str>> {
    variables_of(&world.own_reach(environment))
}

/// The same with the hierarchies of modules.
pub fn all_hierarchy_variables(world: &World, environment: &Environment) -> Vec<Arc<str>> {
    variables_of(&world.reach(environment))
}

fn variables_of(reach: &Reach) -> Vec<Arc<str>> {
    let mut names: Vec<Arc<str>> = Vec::new();
    for template in reach.templates() {
        let location = format!("{}/{}", template.datadir, template.path);
        let mapped = template.mapped.as_ref();
        let list = mapped.map(|it| Arc::from(&*it.variable));
        let tokens = interpolation::tokens(&location);
        let read = tokens.iter().filter_map(|token| Some(token.variable()?.0));
        // The template's own variable is none of the node.
        let is_own = |it: &Mapped, name: &str| part_read_by(&it.member, name).is_some();
        let read = read.filter(|name| mapped.is_none_or(|it| !is_own(it, name))).cloned();
        for name in list.into_iter().chain(read) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let beside = reach.beside_paths.iter().filter(|it| !names.contains(it));
    names.extend(beside.cloned().collect::<Vec<_>>());
    names
}

/// The values of `node` for `names`. Values that are missing, not scalars, or equal to the node's name are left out.
pub fn node_facts(node: &Node, names: &[Arc<str>]) -> Vec<NodeFact> {
    let fact = |name: &Arc<str>| {
        let value = value_of(node, name)?;
        // The name of the node is shown already.
        (value != *node.name).then(|| NodeFact { name: name.to_string(), value })
    };
    names.iter().filter_map(fact).collect()
}

/// Those of `names` that are not known for `node`, by their canonical names, each once.
pub fn open_variables(node: &Node, names: &[Arc<str>]) -> Vec<Arc<str>> {
    let mut open: Vec<Arc<str>> = Vec::new();
    for name in names {
        let Ok(path) = key_path::parse(name) else { continue };
        let name = match node.read(&path) {
            Reading::Open(name) => Some(name),
            Reading::Known(..) if node.assumes(&path) => variable::name_of(&path),
            Reading::Known(..) | Reading::Unset => None,
        };
        open.extend(name.filter(|it| !open.contains(it)));
    }
    open
}

fn value_of(node: &Node, name: &str) -> Option<String> {
    let path = key_path::parse(name).ok().filter(|it| !node.assumes(it))?;
    let Reading::Known(value, rest) = node.read(&path) else { return None };
    let value = dig_value(&value, &rest)?.value;
    let is_single =
        matches!(value, Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_));
    let text = inspect::to_s(&value);
    (is_single && !text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::ide::fixture::Fixture;

    #[track_caller]
    fn check(files: &str, expected: &Expect) {
        let fixture = Fixture::parse(files);
        let world = fixture.world();
        let environment = world.environments().first().expect("the fixture has one").clone();
        let names = hierarchy_variables(&world, &environment);
        let line = |node: &Arc<Node>| {
            let facts = node_facts(node, &names);
            let facts: Vec<_> =
                facts.iter().map(|it| format!("{}={}", it.name, it.value)).collect();
            format!("{}: {}\n", node.name, facts.join(" "))
        };
        let shown: String = world.nodes(&environment).iter().map(line).collect();
        expected.assert_eq(&shown);
    }

    #[test]
    fn a_level_for_each_member_of_a_list_reads_the_list() {
        let fixture = Fixture::parse(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n- name: Groups\n  \
             mapped_paths: [facts.groups, group, '%{site}/%{group}.yaml']\n",
        );
        let world = fixture.world();
        let environment = world.environments()[0].clone();
        let names = hierarchy_variables(&world, &environment);
        assert_eq!(names.iter().map(|it| &**it).collect::<Vec<_>>(), ["facts.groups", "site"]);
    }

    #[test]
    fn what_the_hierarchy_asks_for_in_its_order() {
        check(
            "
#- /hiera.yaml
version: 5
hierarchy:
  - name: Nodes
    path: 'nodes/%{trusted.certname}.yaml'
  - name: Roles
    path: '%{trusted.extensions.pp_role}/%{::zone}.yaml'
  - name: Systems
    paths: ['%{facts.os.name}-%{facts.os.release.major}.yaml', '%{facts.os.name}.yaml', '%{facts.os}.yaml']
#- /.hiera-ls.yaml
nodes:
  web01:
    facts: {os: {name: Debian, release: {major: 12}}, zone: north}
    trusted: {certname: web01, extensions: {pp_role: web}}
  db01: {facts: {os: {name: RedHat}, zone: ''}}
",
            &expect![[r"
                web01: trusted.extensions.pp_role=web ::zone=north facts.os.name=Debian facts.os.release.major=12
                db01: facts.os.name=RedHat
            "]],
        );
    }
}
