//! What is said about any node is true of each node.

use std::sync::Arc;

use proptest::prelude::*;

use crate::data::inspect::inspect;
use crate::data::{Hash, Value};
use crate::engine::{Answer, Assumed, Condition, Evaluator, Request};
use crate::facts::{Node, NodeParts, Origin};
use crate::settings::Settings;
use crate::world::{MemoryDisk, World};

const HIERA_YAML: &str = "version: 5
hierarchy:
  - {name: both, path: 'both/%{facts.dc}/%{facts.role}.yaml'}
  - {name: role, path: 'role/%{facts.role}.yaml'}
  - {name: dc, path: 'dc/%{facts.dc}.yaml'}
  - {name: common, path: common.yaml}
";

const PATHS: [&str; 6] =
    ["both/d1/r1.yaml", "role/r1.yaml", "role/r2.yaml", "dc/d1.yaml", "dc/d2.yaml", "common.yaml"];

/// Of each fact, two values that files are named after, another one, and none.
const ROLES: [Option<&str>; 4] = [Some("r1"), Some("r2"), Some("r3"), None];
const DATACENTERS: [Option<&str>; 4] = [Some("d1"), Some("d2"), Some("d3"), None];

const KEYS: [&str; 7] = ["a", "a.m", "a.n", "a.n.o", "a.n.p", "b", "c"];

fn scalar() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "1",
        "some words",
        "'x'",
        "'%{facts.dc}'",
        "\"%{lookup('b')}\"",
        "\"%{lookup('c')}/%{facts.role}\"",
        "\"%{lookup('a.m')}\"",
        "\"%{lookup('missing')}\"",
        "\"%{alias('c')}\"",
        "\"x%{alias('c')}\"",
        "[1, x]",
        "['x%{facts.dc}', xd1]",
        "[\"%{lookup('c')}\", x]",
        "['%{facts.dc}', {q: '%{facts.role}'}]",
    ])
}

fn hash() -> impl Strategy<Value = String> {
    (scalar(), scalar(), scalar(), prop::bool::ANY).prop_map(|(m, o, p, has_m)| {
        let m = if has_m { format!("m: {m}, ") } else { String::new() };
        format!("{{{m}n: {{o: {o}, p: {p}}}}}")
    })
}

fn file() -> impl Strategy<Value = String> {
    let scalars = (prop::option::of(scalar()), prop::option::of(scalar()));
    (prop::option::of(hash()), scalars).prop_map(|(a, (b, c))| {
        let entry = |key: &str, value: Option<String>| {
            value.map_or_else(String::new, |value| format!("{key}: {value}\n"))
        };
        entry("a", a) + &entry("b", b.map(str::to_owned)) + &entry("c", c.map(str::to_owned))
    })
}

fn options() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "",
        "lookup_options: {a: {merge: deep}}\n",
        "lookup_options: {a: {merge: hash}}\n",
        "lookup_options: {a: {merge: {strategy: deep, knockout_prefix: x}}}\n",
        "lookup_options: {a: {merge: {strategy: deep, knockout_prefix: d}}}\n",
        "lookup_options: {a: {merge: {strategy: deep, knockout_prefix: s, sort_merged_arrays: true}}}\n",
        "lookup_options: {a: {merge: {strategy: deep, merge_hash_arrays: true, sort_merged_arrays: true}}}\n",
        "lookup_options: {b: {merge: unique}}\n",
        "lookup_options: {b: {convert_to: Integer}}\n",
    ])
}

fn world(files: &[String], options: &str) -> Arc<World> {
    let data = PATHS.iter().zip(files).map(|(path, text)| {
        let options = if *path == "common.yaml" { options } else { "" };
        (format!("/r/data/{path}"), format!("{text}{options}z: 1\n"))
    });
    let hiera_yaml = ("/r/hiera.yaml".to_owned(), HIERA_YAML.to_owned());
    let files: Vec<_> = data.chain([hiera_yaml]).collect();
    World::on_disk(Arc::new(MemoryDisk::new(files)), vec!["/r".into()], Settings::default())
}

fn node(role: Option<&str>, datacenter: Option<&str>) -> Arc<Node> {
    let mut facts = Hash::new();
    for (name, value) in [("role", role), ("dc", datacenter)] {
        if let Some(value) = value {
            facts.insert(Value::string(name), None, Value::string(value).unplaced());
        }
    }
    Arc::new(Node::new(
        NodeParts { name: "n".into(), facts, ..NodeParts::default() },
        Origin::File("/facts".into()),
    ))
}

fn is_true(condition: &Condition, role: Option<&str>, datacenter: Option<&str>) -> bool {
    let value = match &*condition.variable {
        "facts.role" | "role" => role,
        "facts.dc" | "dc" => datacenter,
        other => panic!("nothing else is open: {other}"),
    };
    match &condition.value {
        Assumed::Text(text) => value.unwrap_or_default() == &**text,
        Assumed::Unset => value.is_none(),
    }
}

fn outcome(answer: &Answer) -> String {
    match &answer.outcome {
        Ok(Some(value)) => inspect(&value.value),
        Ok(None) => "nothing".into(),
        // The message can name the key of another lookup.
        Err(_) => "an error".into(),
    }
}

/// Each key is answered for each node as in the first case that is true of the node.
fn check_nodes(world: &Arc<World>, any: &Evaluator) -> Result<(), TestCaseError> {
    let environment = any.environment();
    for key in KEYS {
        let answer = any.call(&Request::key(key));
        if !answer.left_out.is_empty() {
            continue;
        }
        for role in ROLES {
            for datacenter in DATACENTERS {
                let cases = answer.each_case();
                let holds = |conditions: &[Condition]| {
                    conditions.iter().all(|it| is_true(it, role, datacenter))
                };
                let (_, case) = cases.iter().find(|it| holds(it.0)).expect("the last case holds");
                let told = outcome(case)
                    .replace("%{facts.role}", role.unwrap_or_default())
                    .replace("%{facts.dc}", datacenter.unwrap_or_default());
                let known = world.evaluator(environment, &node(role, datacenter)).lookup(key);
                prop_assert_eq!(told, outcome(&known), "{} {:?} {:?}", key, role, datacenter);
            }
        }
    }
    Ok(())
}

/// An exploration that repeats steps of its runs has the same result as one that runs all of them.
fn check_steps(any: &Evaluator) -> Result<(), TestCaseError> {
    for key in ["a", "b", "c"] {
        let request = Request { wants_sources: true, wants_footprint: true, ..Request::key(key) };
        let with_steps = any.call(&request);
        let (without, _) = any.call_and_record(&request, None);
        let without = Answer { footprint: with_steps.footprint.clone(), ..without };
        prop_assert_eq!(format!("{with_steps:?}"), format!("{without:?}"), "{}", key);
    }
    Ok(())
}

proptest! {
    #[test]
    fn what_is_said_about_any_node_is_true_of_each_node(
        files in prop::collection::vec(file(), PATHS.len()),
        options in options(),
    ) {
        let world = world(&files, options);
        let environment = world.environments()[0].clone();
        // With the index of keys, a lookup of a sub key skips the texts of other members that never fail.
        world.key_index(&environment);
        let any = world.evaluator(&environment, &world.any_node(&environment));
        check_steps(&any)?;
        check_nodes(&world, &any)?;
    }
}

#[test]
fn a_sub_key_does_not_depend_on_files_for_texts_of_other_members() {
    // More than cases can list.
    let roles = (0..200).map(|number| (format!("/r/data/role/r{number}.yaml"), "c: 1\n".into()));
    let odd = ("/r/data/dc/d1.yaml".to_owned(), "d: [1]\n".to_owned());
    let lookup = |other: &str| {
        let common = format!("a: {{m: 1, n: {{o: \"{other}\"}}}}\nc: 2\nd: 3\n");
        let common = ("/r/data/common.yaml".to_owned(), common);
        let hiera_yaml = ("/r/hiera.yaml".to_owned(), HIERA_YAML.to_owned());
        let files: Vec<_> = roles.clone().chain([odd.clone(), common, hiera_yaml]).collect();
        let disk = Arc::new(MemoryDisk::new(files));
        let world = World::on_disk(disk, vec!["/r".into()], Settings::default());
        let environment = world.environments()[0].clone();
        world.key_index(&environment);
        let any = world.evaluator(&environment, &world.any_node(&environment));
        any.lookup("a.m")
    };
    for other in ["%{lookup('c')}", "%{alias('c')}"] {
        let answer = lookup(other);
        assert_eq!((outcome(&answer), answer.left_out), ("1".into(), vec![]), "{other}");
    }
    // The list is inserted as it is, and an alias has to be the whole text.
    assert!(lookup("%{alias('d')}").left_out.is_empty());
    assert_eq!(outcome(&lookup("x%{alias('c')}")), "an error");
}
