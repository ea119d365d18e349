//! `hiera-ls lookup --class`: the parameters of a class as people and programs see them.

use std::process::Command;

use serde_json::{Value as Json, json};

use crate::support::workspace::Workspace;

const FILES: [(&str, &str); 7] = [
    (
        "hiera.yaml",
        "version: 5\nhierarchy:\n  - {name: Roles, path: 'roles/%{role}.yaml'}\n  - {name: Common, path: common.yaml}\n",
    ),
    ("data/roles/db.yaml", "web::port: '80'\nweb::owner: root\n"),
    ("data/common.yaml", "web::port: 8080\nweb::modules: [ssl, php]\n"),
    ("modules/web/manifests/refused.pp", "class web::refused ($name = 1) { }\n"),
    ("modules/web/types/port.pp", "type Web::Port = Integer[1, 65535]\n"),
    (
        "modules/web/manifests/init.pp",
        "class web (\n  Web::Port $port,\n  Array[String] $modules = [],\n  Boolean $tls = true,\n  \
         String $owner,\n  $user = $owner,\n) { }\n",
    ),
    (
        "modules/web/manifests/fine.pp",
        "class web::fine (Web::Port $port = 80, $user = upcase('x')) { }\n",
    ),
];

#[track_caller]
fn check(arguments: &[&str], status: i32, expected: &str) {
    let found = run(arguments);
    assert_eq!((found.0, &*found.1), (Some(status), expected), "{}", found.2);
}

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    run_in(&Workspace::new(&FILES), arguments)
}

fn run_in(workspace: &Workspace, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_hiera-ls"))
        .arg("lookup")
        .args(arguments)
        .current_dir(workspace.root())
        .output()
        .expect("the program runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn what_is_missing_comes_first() {
    check(
        &["--class", "::Web", "--set", "role=web"],
        1,
        "\
web for any node (modules/web/manifests/init.pp:1)
  missing  owner
           expects a value for parameter 'owner'
  ok       port     8080           data/common.yaml:1
  ok       modules  [\"ssl\",\"php\"]  data/common.yaml:2
  ok       tls      true           default, modules/web/manifests/init.pp:4
  ?        user                    computed by code, modules/web/manifests/init.pp:6
",
    );
}

#[test]
fn cases_where_facts_are_open() {
    check(
        &["--class", "web"],
        3,
        "\
web for any node (modules/web/manifests/init.pp:1)
  ok       owner if role is db  \"root\"         data/roles/db.yaml:2
  missing    otherwise
           expects a value for parameter 'owner'
  error    port if role is db   \"80\"           data/roles/db.yaml:1
           parameter 'port' expects a Web::Port = Integer[1, 65535] value, got String
  ok         otherwise          8080           data/common.yaml:1
  ok       modules              [\"ssl\",\"php\"]  data/common.yaml:2
  ok       tls                  true           default, modules/web/manifests/init.pp:4
  ?        user                                computed by code, modules/web/manifests/init.pp:6
",
    );
}

/// Puppet does not look up what the classifier sets.
#[test]
fn parameters_that_the_classifier_sets() {
    let workspace = Workspace::new(&[
        ("hiera.yaml", "version: 5\n"),
        ("data/common.yaml", "web::p: x\n"),
        ("modules/web/manifests/init.pp", "class web(Integer $p, String $q, Integer $r = 1) { }\n"),
        (".hiera-ls/facts/n1.json", "{\"name\": \"n1\", \"values\": {\"a\": 1}}\n"),
        (".hiera-ls/facts/n1.yaml", "classes: {web: {p: 5, q: ok}}\n"),
    ]);
    let arguments = ["--class", "web", "--node", "n1"];
    let (status, shown, _) = run_in(&workspace, &arguments);
    assert_eq!(
        (status, &*shown),
        (
            Some(0),
            "\
web for n1 (modules/web/manifests/init.pp:1)
  The classifier of n1 sets p, q
  ok  r  1  default, modules/web/manifests/init.pp:1
"
        )
    );
    let (_, shown, _) = run_in(&workspace, &[&arguments[..], &["--render-as", "json"]].concat());
    let class: Json = serde_json::from_str(&shown).expect("JSON");
    assert_eq!((&class["status"], &class["classifier"]), (&json!("ok"), &json!(["p", "q"])));
}

#[test]
fn a_class_that_puppet_takes() {
    check(
        &["--class", "web::fine"],
        0,
        "\
web::fine for any node (modules/web/manifests/fine.pp:1)
  ok  port  80  default, modules/web/manifests/fine.pp:1
  ?   user      computed by code, modules/web/manifests/fine.pp:1
",
    );
    check(
        &["--class", "web::fine", "--render-as", "yaml"],
        0,
        "\
---
class: web::fine
status: unknown
error:
node: any node
file: modules/web/manifests/fine.pp
line: 1
parameters:
- param: port
  type: Web::Port
  line: 1
  status: ok
  from: default
  value: 80
  error:
- param: user
  type:
  line: 1
  status: unknown
  from: code
  error:
  why: 'not known: computed by code'
",
    );
}

#[test]
fn programs_get_every_case() {
    let (status, out, _) = run(&["--class", "web", "--render-as", "jsonl"]);
    let lines: Vec<Json> =
        out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(status, Some(3));
    assert_eq!(lines.len(), 6);
    let message = "parameter 'port' expects a Web::Port = Integer[1, 65535] value, got String";
    let expected = json!({
        "class": "web", "param": "port", "type": "Web::Port", "line": 2, "status": "depends", "on": ["role"], "complete": true,
        "cases": [
            {"if": {"role": "db"}, "status": "error", "from": "data", "value": "80", "error": message,
             "origins": ["data/roles/db.yaml:1"]},
            {"if": {}, "status": "ok", "from": "data", "value": 8080, "error": null, "origins": ["data/common.yaml:1"]},
        ],
    });
    assert_eq!(lines[0], expected);
    assert_eq!(lines[5]["status"], "depends");
    let (status, out, _) = run(&["--class", "web", "--class", "web::fine", "--render-as", "json"]);
    let found: Json = serde_json::from_str(&out).expect("JSON");
    assert_eq!(found[1]["status"], "unknown");
    assert_eq!((status, found.as_array().map(Vec::len)), (Some(3), Some(2)));
}

/// The current directory is neither that of the environment nor above it.
#[test]
fn programs_get_paths_below_the_environment() {
    let workspace = Workspace::new(&FILES);
    let data = format!("{}/data", workspace.root());
    let run = |format: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hiera-ls"));
        let arguments = ["lookup", "--class", "web", "--root", "..", "--render-as", format];
        let output = command.args(arguments).current_dir(&data).output();
        String::from_utf8(output.expect("the program runs").stdout).expect("UTF-8")
    };
    let found: Json = serde_json::from_str(&run("json")).expect("JSON");
    assert_eq!(found["file"], "modules/web/manifests/init.pp");
    assert_eq!(found["parameters"][1]["origins"], json!(["data/common.yaml:2"]));
    let table = run("table");
    assert!(table.contains("  common.yaml:2\n"), "{table}");
}

#[test]
fn puppets_words_about_the_class() {
    let (status, out, _) =
        run(&["--class", "web", "--set", "role=web", "--render-as", "json", "--node", "x"]);
    let found: Json = serde_json::from_str(&out).expect("JSON");
    assert_eq!((status, &found["status"]), (Some(1), &json!("error")));
    assert_eq!(found["error"], "Class[Web]: expects a value for parameter 'owner'");
}

#[test]
fn a_class_that_puppet_refuses() {
    let (status, out, _) = run(&["--class", "web::refused", "--render-as", "json"]);
    let found: Json = serde_json::from_str(&out).expect("JSON");
    assert_eq!((status, &found["status"]), (Some(1), &json!("error")));
    let message = "The parameter $name redefines a built in parameter in the Host Class Definition";
    assert_eq!(found["error"], message);
}

#[test]
fn a_class_that_is_not_there() {
    let (status, out, err) = run(&["--class", "web::none"]);
    assert_eq!((status, &*out), (Some(1), ""));
    assert!(err.contains("there is no class web::none in"), "{err}");
    let (status, _, err) = run(&["--class", "web", "key"]);
    assert_eq!(status, Some(1));
    assert!(err.contains("cannot be used with"), "{err}");
}

#[test]
fn a_level_that_depends_on_the_module_of_the_class() {
    let workspace = Workspace::new(&[
        (
            "hiera.yaml",
            "version: 5\nhierarchy:\n- {name: m, path: 'mods/%{module_name}.yaml'}\n- {name: c, path: common.yaml}\n",
        ),
        ("data/common.yaml", "m::b: 'of %{module_name}'\n"),
        ("data/mods/m.yaml", "m::a: 1\n"),
        ("modules/m/manifests/init.pp", "class m ($a, $b) { }\n"),
        (".hiera-ls/facts/n1.json", "{\"x\": 1}"),
    ]);
    let said = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hiera-ls"));
        let output = command.args(arguments).current_dir(workspace.root()).output();
        String::from_utf8(output.expect("the program runs").stdout).expect("UTF-8")
    };
    assert_eq!(
        said(&["lookup", "--class", "m", "--node", "n1"]),
        "m for n1 (modules/m/manifests/init.pp:1)\n  ok  a  1       data/mods/m.yaml:1\n\
         \x20 ok  b  \"of m\"  data/common.yaml:1\n"
    );
    // `puppet lookup` calls from no module.
    assert_eq!(said(&["lookup", "m::b", "--node", "n1"]), "--- 'of '\n");
    assert_eq!(
        said(&["readers", "data/mods/m.yaml"]),
        "data/mods/m.yaml: read by 0 of 1 node\nRead for classes of module m by 1 node:\n  n1\nRead by any node\n  \
         where module_name is m (level \"m\")\n"
    );
}

/// Puppet 7.23 and 8.11 compile the catalog: `y` is 1.
#[test]
fn variables_of_a_node_block_hide_facts() {
    let special = "node default {\n  $role = 'special'\n  include m\n}\n";
    let with_site = |site: &str, more: &str| {
        Workspace::new(&[
            (
                "hiera.yaml",
                "version: 5\nhierarchy: [{name: r, path: '%{role}.yaml'}, {name: f, path: '%{facts.role}.yaml'}]\n",
            ),
            ("data/web.yaml", "m::y: from-web\nm::z: '%{::role}'\n"),
            ("data/special.yaml", "m::y: 1\n"),
            ("modules/m/manifests/init.pp", "class m(Integer $y, Enum['web'] $z) { }\n"),
            ("manifests/site.pp", site),
            (".hiera-ls/facts/web01.json", "{\"role\": \"web\"}"),
            (".hiera-ls.yaml", more),
        ])
    };
    let run = |workspace: &Workspace, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hiera-ls"));
        let output = command.args(arguments).current_dir(workspace.root()).output();
        let output = output.expect("the program runs");
        [output.stdout, output.stderr].map(|it| String::from_utf8(it).expect("UTF-8")).concat()
    };
    let wrong = "parameter 'y' expects an Integer value, got String";
    let check = |workspace: &Workspace, is_wrong: bool| {
        let of_class = run(workspace, &["lookup", "--class", "m", "--node", "web01"]);
        let is_open = of_class.contains("may decide this, depending on role");
        assert_eq!(is_open, !is_wrong, "{of_class}");
        let is_z = |line: &str| line.split_whitespace().take(3).eq(["ok", "z", "\"web\""]);
        assert!(of_class.lines().any(is_z), "{of_class}");
        let checked = run(workspace, &["check"]);
        assert_eq!(
            checked.contains(&format!("error[value-type-mismatch]: {wrong}")),
            is_wrong,
            "{checked}"
        );
    };
    check(&with_site(special, ""), false);
    check(&with_site("['special'].each |$role| { include m }\n", ""), false);
    // Only the block of the node counts.
    let other = "node db01 {\n  $role = 'special'\n}\nnode web01 { include m }\n";
    check(&with_site(other, ""), true);
    // The settings say what code sets.
    check(&with_site(special, "variables: {role: web}\n"), true);
}

#[test]
fn variables_that_code_may_have_set() {
    let workspace = Workspace::new(&[
        (
            "hiera.yaml",
            "version: 5\nhierarchy:\n- {name: r, path: 'roles/%{role}.yaml'}\n- {name: c, path: common.yaml}\n",
        ),
        (
            "data/common.yaml",
            "lookup_options: {'m::i': {convert_to: Integer}}\nm::i: '%{m::params::v}'\nm::t: '%{role}'\nk: '%{role}'\n",
        ),
        ("data/roles/web.yaml", "m::a: 1\n"),
        (
            "modules/m/manifests/init.pp",
            "class m (String $t, Integer $i, $a) inherits m::params { }\n",
        ),
        ("modules/m/manifests/params.pp", "class m::params { $v = 5 }\n"),
        ("manifests/site.pp", "$role = 'web'\ninclude m\n"),
        (".hiera-ls/facts/n1.json", "{\"x\": 1}"),
    ]);
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hiera-ls"));
        let output = command.args(arguments).current_dir(workspace.root()).output();
        let output = output.expect("the program runs");
        [output.stdout, output.stderr].map(|it| String::from_utf8(it).expect("UTF-8")).concat()
    };
    assert_eq!(
        run(&["lookup", "--class", "m", "--node", "n1"]),
        "m for n1 (modules/m/manifests/init.pp:1)\n  missing  a\n           expects a value for parameter 'a'\n           \
         1 file of level \"r\" may decide this, depending on role\n  \
         ok       t  \"%{role}\"          data/common.yaml:3\n  \
         ?        i  \"%{m::params::v}\"  data/common.yaml:2\n           \
         not known: it depends on the text of m::params::v\n           The value itself depends on m::params::v\n\
         hiera-ls: not known, and left in the text: role, m::params::v\n"
    );
    assert_eq!(run(&["check"]), "hiera-ls: All checks passed (6 files)\n");
    // `puppet lookup` evaluates no code.
    let undefined = run(&["lookup", "k", "--node", "n1"]);
    assert!(undefined.contains("hiera-ls: Undefined variable 'role'; "), "{undefined}");
    assert_eq!(
        run(&["readers", "data/roles/web.yaml"]),
        "data/roles/web.yaml: read by 0 of 1 node\nPerhaps read by 1 node with open facts:\n  n1\nRead by any node\n  \
         where role is web (level \"r\")\n"
    );
    let nodes = run(&["nodes"]);
    assert!(
        nodes.ends_with("role  known for 1 node; not set for 1, unless code sets it\n"),
        "{nodes}"
    );
}

/// Puppet 8: `Undefined variable 'nope::x'; class nope could not be found`.
#[test]
fn variables_of_classes_that_are_not_here() {
    let workspace = Workspace::new(&[
        ("hiera.yaml", "version: 5\n"),
        (
            "data/common.yaml",
            "m::a: '%{nope::x}'\nm::b: '%{of_main::x} %{m::sub::x}'\nm::c: '%{facts.role}'\nm::d: plain\n",
        ),
        ("modules/m/manifests/init.pp", "class m ($a, String $b, Enum['x'] $c, $d) { }\n"),
        ("modules/m/manifests/sub.pp", "class m::sub { $x = 1 }\n"),
        ("manifests/site.pp", "class of_main { $x = 1 }\ninclude m\n"),
    ]);
    let run = |arguments: &[&str]| {
        let (_, shown, said) = run_in(&workspace, &[&["--class", "m"], arguments].concat());
        shown + &said
    };
    let open = "hiera-ls: not known, and left in the text: nope::x, of_main::x, m::sub::x, role\n";
    let table = |of_a: &str, note: &str| {
        format!(
            "m for any node (modules/m/manifests/init.pp:1)\n  {of_a}  a  \"%{{nope::x}}\"                  \
             data/common.yaml:1\n{note}  ok  b  \"%{{of_main::x}} %{{m::sub::x}}\"  data/common.yaml:2\n  ?   c  \
             \"%{{facts.role}}\"               data/common.yaml:3\n      not known: it depends on the text of \
             role\n  ok  d  \"plain\"                       data/common.yaml:4\n{open}"
        )
    };
    let why = "not known: the lookup fails unless code sets nope::x, of a class that is not here";
    assert_eq!(run(&["--puppet-version", "8"]), table("? ", &format!("      {why}\n")));
    assert_eq!(run(&["--puppet-version", "7"]), table("ok", ""));
    let lines = run(&["--puppet-version", "8", "--render-as", "jsonl"]);
    let lines: Vec<Json> =
        lines.lines().map(|it| serde_json::from_str(it).expect("JSON")).collect();
    let of_a = json!({
        "class": "m", "param": "a", "type": null, "line": 1, "status": "unknown", "from": "data",
        "value": "%{nope::x}", "error": null, "why": why, "open": ["nope::x"],
        "origins": ["data/common.yaml:1"],
    });
    assert_eq!(lines[0], of_a);
    assert_eq!(lines[1]["open"], json!(["of_main::x", "m::sub::x"]));
    assert_eq!((&lines[3]["open"], &lines[4]["status"]), (&Json::Null, &json!("unknown")));
}
