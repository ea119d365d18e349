//! The engine as a whole, on workspaces in memory. The conformance cases show that it equals real Puppet; these tests cover
//! what Puppet does not have: positions, opaque levels, nodes without facts, budgets.

use std::fmt::Write as _;
use std::sync::Arc;

use super::{Answer, CancelToken, Evaluator, FailureClass, Request};
use crate::config::{Environment, PuppetVersion};
use crate::data::memory::MemoryFiles;
use crate::data::{Files, Hash, Located, Value, inspect};
use crate::facts::{Node, NodeParts, Origin};

const HIERA_YAML: &str = "\
version: 5
hierarchy:
  - name: Node
    path: nodes/%{trusted.certname}.yaml
  - name: Common
    path: common.yaml
";

struct Workspace {
    files: Arc<MemoryFiles>,
    origin: Origin,
}

impl Workspace {
    fn new(files: &[(&str, &str)]) -> Self {
        let hiera = [("/env/hiera.yaml", HIERA_YAML)];
        let has_config = files.iter().any(|(path, _)| path.ends_with("hiera.yaml"));
        let all = hiera.iter().filter(|_| !has_config).chain(files).copied();
        Self { files: Arc::new(MemoryFiles::new(all)), origin: Origin::File("/facts".into()) }
    }

    fn evaluator(&self) -> Evaluator {
        let environment = Environment {
            name: "production".into(),
            root: Some("/env".into()),
            ..Environment::default()
        };
        let parts = NodeParts { name: "web01".to_owned(), ..NodeParts::default() };
        Evaluator::new(
            Arc::clone(&self.files) as Arc<dyn Files>,
            Arc::new(environment),
            Arc::new(Node::new(parts, self.origin.clone())),
            PuppetVersion::V8,
        )
    }

    fn lookup(&self, key: &str) -> Answer {
        self.evaluator().lookup(key)
    }
}

fn text(answer: &Answer) -> String {
    match &answer.outcome {
        Ok(Some(value)) => inspect::inspect(&value.value),
        Ok(None) => "not found".to_owned(),
        Err(failure) => format!("error: {}", failure.message),
    }
}

/// Every leaf with the file and line it is written in.
fn origins(workspace: &Workspace, value: &Located) -> String {
    let mut out = String::new();
    match &value.value {
        Value::Hash(hash) => {
            for (key, member) in hash.as_ref() {
                for line in origins(workspace, &member.value).lines() {
                    let _ = writeln!(out, "{}.{line}", inspect::to_s(key));
                }
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                for line in origins(workspace, item).lines() {
                    let _ = writeln!(out, "{at}.{line}");
                }
            }
        }
        leaf => {
            let place = value.place.expect("every leaf of the test's data has a place");
            let path = workspace.files.path(place.file);
            let source = workspace.files.text(&path).expect("the file is there");
            let line = source[..place.range.start as usize].matches('\n').count() + 1;
            let _ = writeln!(out, " {} {path}:{line}", inspect::inspect(leaf));
        }
    }
    out
}

#[test]
fn the_higher_level_wins() {
    let workspace = Workspace::new(&[
        ("/env/data/nodes/web01.yaml", "a: node\n"),
        ("/env/data/common.yaml", "a: common\nb: common\n"),
    ]);
    assert_eq!(text(&workspace.lookup("a")), "\"node\"");
    assert_eq!(text(&workspace.lookup("b")), "\"common\"");
    assert_eq!(text(&workspace.lookup("c")), "not found");
}

#[test]
fn every_leaf_of_a_merged_value_knows_where_it_comes_from() {
    let workspace = Workspace::new(&[
        ("/env/data/nodes/web01.yaml", "h:\n  a: 1\n  l: [x]\n"),
        ("/env/data/common.yaml", "lookup_options:\n  h: {merge: deep}\nh:\n  b: 2\n  l: [y]\n"),
    ]);
    let answer = workspace.lookup("h");
    let value = answer.outcome.expect("no error").expect("found");
    assert_eq!(
        origins(&workspace, &value),
        "b. 2 /env/data/common.yaml:4\n\
         l.0. \"y\" /env/data/common.yaml:5\n\
         l.1. \"x\" /env/data/nodes/web01.yaml:3\n\
         a. 1 /env/data/nodes/web01.yaml:2\n"
    );
}

#[test]
fn a_level_that_is_not_evaluated_makes_the_answer_uncertain_only_if_it_was_asked() {
    let config = "\
version: 5
hierarchy:
  - {name: Node, path: node.yaml}
  - {name: Vault, lookup_key: hiera_vault, uri: 'https://vault'}
  - {name: Common, path: common.yaml}
";
    let workspace = Workspace::new(&[
        ("/env/hiera.yaml", config),
        ("/env/data/node.yaml", "a: 1\n"),
        ("/env/data/common.yaml", "b: 2\n"),
    ]);
    assert_eq!(workspace.lookup("a").opaque, []);
    for key in ["b", "c"] {
        let answer = workspace.lookup(key);
        let opaque: Vec<_> = answer.opaque.iter().map(|it| (&*it.level, &*it.function)).collect();
        assert_eq!(opaque, [("Vault", "hiera_vault")], "{key}");
    }
}

#[test]
fn back_ends_of_hiera_3_are_unknown_and_say_so() {
    let check = |global: &str, origin: Origin, version: PuppetVersion| {
        let workspace = Workspace::new(&[
            ("/global/hiera.yaml", global),
            ("/env/hiera.yaml", HIERA_YAML),
            ("/env/data/common.yaml", "a: 1\n"),
        ]);
        let environment = Environment {
            name: "production".into(),
            root: Some("/env".into()),
            global_config: Some("/global/hiera.yaml".into()),
            ..Environment::default()
        };
        let parts = NodeParts { name: "web01".to_owned(), ..NodeParts::default() };
        let evaluator = Evaluator::new(
            Arc::clone(&workspace.files) as Arc<dyn Files>,
            Arc::new(environment),
            Arc::new(Node::new(parts, origin)),
            version,
        );
        let answer = evaluator.lookup("a");
        assert_eq!(text(&answer), "1", "{global}");
        let opaque: Vec<_> = answer.opaque.iter().map(|it| (&*it.level, &*it.reason)).collect();
        let reason = "is a back end of Hiera 3, which is not evaluated here";
        assert_eq!(opaque, [("old", reason)], "{global}");
    };
    // Puppet calls them for each path, whether or not there is a file.
    for global in [
        "version: 5\nhierarchy: [{name: old, hiera3_backend: mongodb}]\n",
        "version: 5\nhierarchy: [{name: old, hiera3_backend: mongodb, path: nope}]\n",
        "version: 5\nhierarchy: [{name: old, hiera3_backend: mongodb, path: 'n/%{role}'}]\n",
        ":backends: [old]\n:old:\n  :datadir: /d\n:hierarchy: [n/x, common]\n",
    ] {
        for origin in [Origin::File("/facts.json".into()), Origin::Any] {
            check(global, origin.clone(), PuppetVersion::V7);
            check(global, origin, PuppetVersion::V8);
        }
    }
}

#[test]
fn hiera_3_takes_an_empty_text_for_a_variable_without_a_value() {
    let global = "\
:backends: yaml
:yaml:
  :datadir: /global/data
:hierarchy: ['r/%{empty.x}', common]
";
    let workspace = Workspace::new(&[
        ("/global/hiera.yaml", global),
        ("/global/data/common.yaml", "a: '%{empty.x}|'\nb: '%{module_name.x}|'\nc: '%{empty}|'\n"),
        ("/env/hiera.yaml", HIERA_YAML),
        ("/env/data/common.yaml", "d: '%{empty.x}|'\n"),
    ]);
    let environment = Environment {
        name: "production".into(),
        root: Some("/env".into()),
        global_config: Some("/global/hiera.yaml".into()),
        ..Environment::default()
    };
    let mut facts = Hash::new();
    facts.insert(Value::string("empty"), None, Value::string("").into());
    let parts = NodeParts { name: "web01".to_owned(), facts, ..NodeParts::default() };
    let evaluator = Evaluator::new(
        Arc::clone(&workspace.files) as Arc<dyn Files>,
        Arc::new(environment),
        Arc::new(Node::new(parts, workspace.origin.clone())),
        PuppetVersion::V8,
    );
    for key in ["a", "b", "c"] {
        assert_eq!(text(&evaluator.lookup(key)), "\"|\"", "{key}");
    }
    assert!(text(&evaluator.lookup("d")).contains("Data Provider type mismatch"));
}

#[test]
fn unknown_variables_are_errors_only_for_nodes_with_facts() {
    let mut workspace = Workspace::new(&[("/env/data/common.yaml", "a: x%{nope}y\n")]);
    assert_eq!(text(&workspace.lookup("a")), "error: Undefined variable 'nope'; ");
    workspace.origin = Origin::Any;
    let answer = workspace.lookup("a");
    assert_eq!(text(&answer), "\"x%{nope}y\"");
    assert_eq!(answer.open, [Arc::from("nope")]);
    assert!(answer.is_certain());
}

#[test]
fn a_cycle_names_every_key_in_it() {
    let data = "a: \"%{lookup('b')}\"\nb: \"%{lookup('c.x')}\"\nc: {x: \"%{lookup('a')}\"}\n";
    let workspace = Workspace::new(&[("/env/data/common.yaml", data)]);
    assert_eq!(
        text(&workspace.lookup("a")),
        "error: Lookup of key 'a' failed: Recursive lookup detected in [a, b, c.x]"
    );
}

#[test]
fn a_chain_without_end_is_given_up() {
    let mut data = String::new();
    for at in 0..2_000 {
        let _ = writeln!(data, "k{at}: \"%{{lookup('k{}')}}\"", at + 1);
    }
    let workspace = Workspace::new(&[("/env/data/common.yaml", &data)]);
    let failure = workspace.lookup("k0").outcome.expect_err("too deep");
    assert_eq!(failure.class, FailureClass::GivenUp);
}

#[test]
fn a_cancelled_lookup_ends() {
    let data = format!("a: \"{}\"\nb: x\n", "%{lookup('b')}".repeat(200));
    let workspace = Workspace::new(&[("/env/data/common.yaml", &data)]);
    let cancel = CancelToken::default();
    cancel.cancel();
    let request = Request { cancel, ..Request::key("a") };
    let failure = workspace.evaluator().call(&request).outcome.expect_err("cancelled");
    assert_eq!(failure.class, FailureClass::Cancelled);
}

#[test]
fn overrides_win_and_defaults_come_last() {
    let workspace =
        Workspace::new(&[("/env/data/common.yaml", "a: data\nb: \"%{lookup('c')}\"\n")]);
    let hash = |key: &str, value: &str| {
        let mut hash = Hash::new();
        hash.insert(Value::string(key), None, Value::string(value).into());
        hash
    };
    let ask = |request: Request| text(&workspace.evaluator().call(&request));
    let overrides = hash("a", "override");
    assert_eq!(ask(Request { overrides, ..Request::key("a") }), "\"override\"");
    let default_values = hash("c", "inner default");
    assert_eq!(ask(Request { default_values, ..Request::key("b") }), "\"inner default\"");
    let default = Some(Value::Integer(7).unplaced());
    assert_eq!(ask(Request { default, ..Request::key("nope") }), "7");
}

/// A known value costs as much as the lookup that found it. Otherwise, lists of lists would fill the memory when they are written.
#[test]
fn a_value_that_is_used_again_and_again_is_given_up() {
    let mut common = "k0: [1]\n".to_owned();
    for number in 0..9 {
        let next = format!("'%{{alias(\"k{number}\")}}', ");
        let _ = writeln!(common, "k{}: [{}]", number + 1, next.repeat(6));
    }
    let mut workspace = Workspace::new(&[("/env/data/common.yaml", &common)]);
    for origin in [Origin::File("/facts".into()), Origin::Any] {
        workspace.origin = origin;
        let said = text(&workspace.lookup("k9"));
        assert!(said.starts_with("error: the lookup was given up after"), "{}", said.len());
        assert!(text(&workspace.lookup("k4")).starts_with("[[[["));
    }
}

/// The names of the functions are those of `puppet lookup` 7.23 and 8.11.
#[test]
fn functions_of_hiera_3_have_their_own_names() {
    let files = MemoryFiles::new([
        ("/g/hiera.yaml", ":backends: [yaml]\n:hierarchy: [c]\n:yaml:\n  :datadir: /g\n"),
        ("/g/c.yaml", "a: {true: x}\n"),
        ("/e/hiera.yaml", "version: 5\nhierarchy: [{name: c, path: c.yaml}]\n"),
        ("/e/data/c.yaml", "b: {true: x}\n"),
    ]);
    let environment = Environment {
        root: Some("/e".into()),
        global_config: Some("/g/hiera.yaml".into()),
        ..Environment::default()
    };
    let parts = NodeParts { name: "n".into(), ..NodeParts::default() };
    let evaluator = Evaluator::new(
        Arc::new(files),
        Arc::new(environment),
        Arc::new(Node::new(parts, Origin::Name)),
        PuppetVersion::V8,
    );
    for (key, function) in [("a", "v3_data_hash"), ("b", "data_hash")] {
        let found = text(&evaluator.lookup(key));
        let expected =
            format!("in hash returned from {function} function 'yaml_data', when using location");
        assert!(found.contains(&expected), "{found}");
    }
}

/// The errors are those of `puppet lookup` 8.11. `data_hash` functions check a value first.
#[test]
fn what_lookup_key_functions_return_is_checked_after_interpolation() {
    let workspace = Workspace::new(&[
        (
            "/env/hiera.yaml",
            "version: 5\nhierarchy:\n- {name: e, path: s.eyaml, lookup_key: eyaml_lookup_key}\n\
             - {name: c, path: c.yaml}\n",
        ),
        (
            "/env/data/s.eyaml",
            "unset: {'%{nope}': 1, ~: 2}\nalias: {\"%{alias('hash')}\": 1}\nhash: {a: 1}\n\
             text: [{1.5: x, true: \"%{lookup('hash')}\"}]\n",
        ),
        ("/env/data/c.yaml", "hashed: {'%{nope}': 1, ~: 2}\n"),
    ]);
    let check = |key: &str, expected: &str| {
        let found = text(&workspace.lookup(key));
        assert!(found.ends_with(expected), "{found}");
    };
    check("unset", "Undefined variable 'nope'; ");
    let failure = workspace.lookup("alias").outcome.expect_err("the key is a hash");
    let file = failure.place.map(|it| workspace.files.path(it.file));
    assert_eq!(file.as_deref(), Some("/env/data/s.eyaml"));
    check("alias", "got Hash[Hash[String, Integer[1, 1], 1, 1], Integer[1, 1], 1, 1]");
    check("text", "got Array[Hash[ScalarData, Enum['x', '{\"a\"=>1}'], 2, 2], 1, 1]");
    check("hashed", "got Hash[String, Integer[1, 2], 2, 2]");
}

/// Recorded from `puppet lookup` 7.23 and 8.11.
#[test]
fn texts_in_hiera_3_look_up_in_the_global_layer_only() {
    let files = |hiera_yaml: &str| {
        let of_environment = (!hiera_yaml.is_empty()).then_some(("/e/hiera.yaml", hiera_yaml));
        MemoryFiles::new(of_environment.into_iter().chain([
            (
                "/g/hiera.yaml",
                ":backends: [yaml]\n:hierarchy: [common]\n:yaml:\n  :datadir: /g/data\n",
            ),
            (
                "/g/data/common.yaml",
                "lookup_options: {n::list: {merge: unique}}\nn::list: 1\nm::list: [g]\n\
                 list: \"%{alias('n::list')}\"\nmodule: \"[%{lookup('m::x')}]\"\n\
                 default: \"[%{lookup('m::y')}]\"\nnested: \"%{lookup('module')}\"\n\
                 options: \"%{alias('m::list')}\"\nm::options: \"%{alias('m::list')}\"\n",
            ),
            (
                "/e/modules/m/hiera.yaml",
                "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n\
                 default_hierarchy: [{name: d, path: default.yaml}]\n",
            ),
            (
                "/e/modules/m/data/common.yaml",
                "lookup_options: {m::list: {convert_to: String}}\nm::x: x\n\
                 m::z: \"%{lookup('m::x')}%{lookup('module')}%{lookup('m::x')}\"\n",
            ),
            ("/e/modules/m/data/default.yaml", "m::y: y\n"),
        ]))
    };
    let check = |hiera_yaml: &str, expected: &[(&str, &str)]| {
        let environment = Environment {
            root: Some("/e".into()),
            global_config: Some("/g/hiera.yaml".into()),
            modules: [("m".into(), "/e/modules/m".into())].into_iter().collect(),
            ..Environment::default()
        };
        let parts = NodeParts { name: "n".into(), ..NodeParts::default() };
        let evaluator = Evaluator::new(
            Arc::new(files(hiera_yaml)),
            Arc::new(environment),
            Arc::new(Node::new(parts, Origin::Name)),
            PuppetVersion::V8,
        );
        for (key, expected) in expected {
            let found = evaluator.call(&Request::key(*key)).outcome.ok().flatten();
            let shown = found.map(|it| inspect::inspect(&it.value));
            assert_eq!(shown.as_deref(), Some(*expected), "{key}");
        }
    };
    let confined = [
        ("n::list", "[1]"),
        ("list", "1"),
        ("m::x", r#""x""#),
        ("module", r#""[]""#),
        ("default", r#""[]""#),
        ("nested", r#""[]""#),
        ("m::z", r#""x[]x""#),
        ("options", r#"["g"]"#),
        ("m::options", r#""['g']""#),
    ];
    check("", &confined);
    check("version: 4\n", &confined);
    let elsewhere = [
        ("list", "[1]"),
        ("module", r#""[x]""#),
        ("default", r#""[y]""#),
        ("nested", r#""[x]""#),
        ("options", r#""['g']""#),
    ];
    check("version: 5\nhierarchy: []\n", &elsewhere);
}
