//! `hiera-ls classes` as people and scripts run it.

use std::process::{Command, Output};

use serde_json::{Value as Json, json};

use crate::support::workspace::Workspace;

fn run(workspace: &Workspace, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_hiera-ls"))
        .arg("classes")
        .args(arguments)
        .current_dir(workspace.root())
        .output()
        .expect("the program runs");
    let Output { status, stdout, stderr } = output;
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (status.code(), text(stdout), text(stderr))
}

fn records(workspace: &Workspace) -> Vec<Json> {
    let (status, out, err) = run(workspace, &["--render-as", "jsonl"]);
    assert_eq!(status, Some(0), "{err}");
    out.lines().map(|line| serde_json::from_str(line).expect("a JSON object a line")).collect()
}

#[test]
fn declarations_are_listed_for_people() {
    let manifest = "\
class a::b (
  Integer[1,
    9] $x = 1,
  $y,
) inherits c {
  include d, 'e'
  $z = lookup('k')
}
type A::Port = Integer
function a::f(Any *$all) >> String { 'x' }
node 'web', /db/ { }
";
    let workspace = Workspace::new(&[("manifests/b.pp", manifest)]);
    let expected = "\
manifests/b.pp:1: class a::b inherits c
    Integer[1, 9] $x = 1
    $y
manifests/b.pp:9: type alias A::Port = Integer
manifests/b.pp:10: function a::f >> String
    Any *$all
manifests/b.pp:11: node 'web', /db/
manifests/b.pp:6: include d, e
manifests/b.pp:7: lookup k
";
    assert_eq!(run(&workspace, &[]), (Some(0), expected.to_owned(), String::new()));
}

#[test]
fn json_lines_have_the_fields_of_puppets_model() {
    let manifest = "class a(Optional[String] $p = undef) { 'k'.lookup }\n";
    let workspace = Workspace::new(&[("a.pp", manifest)]);
    let class = json!({
        "kind": "class", "name": "a", "file": "a.pp", "line": 1, "offset": 0, "length": 51, "parent": null,
        "params": [{
            "name": "p", "type": "Optional[String]", "default": "undef", "default_kind": "literal",
            "literal": null, "captures_rest": false, "line": 1,
        }],
        "type": null, "return_type": null, "hosts": null,
    });
    let call = json!({
        "kind": "call", "function": "lookup", "form": "method", "keys": ["k"], "dynamic": false,
        "args": ["string"], "pattern": null, "attributes": null, "lambda": false, "in": "a",
        "file": "a.pp", "line": 1, "offset": 39, "length": 10,
    });
    assert_eq!(records(&workspace), [class, call]);
}

#[test]
fn files_come_in_the_order_of_their_bytes_without_those_that_begin_with_a_dot() {
    let workspace = Workspace::new(&[
        ("a/z.pp", "class z { }"),
        ("a.pp", "class a { }"),
        ("B.pp", "class b { }"),
        (".hidden/c.pp", "class c { }"),
        ("d/.e.pp", "class e { }"),
        ("f.pp/g.pp", "class g { }"),
        ("h.txt", "class h { }"),
    ]);
    let files: Vec<_> =
        records(&workspace).iter().map(|it| it["file"].as_str().unwrap().to_owned()).collect();
    assert_eq!(files, ["B.pp", "a.pp", "a/z.pp", "f.pp/g.pp"]);
}

#[test]
fn a_broken_file_gives_what_can_be_read_and_an_error() {
    let workspace = Workspace::new(&[("a.pp", "class a { include b }\nclass c {")]);
    let kinds: Vec<_> = records(&workspace)
        .iter()
        .map(|it| (it["kind"].as_str().unwrap().to_owned(), it["line"].as_u64().unwrap()))
        .collect();
    let expected = [("class", 1), ("call", 1), ("class", 2), ("error", 2)];
    assert_eq!(kinds, expected.map(|(kind, line)| (kind.to_owned(), line)));
}

#[test]
fn a_directory_that_is_not_there_is_an_error() {
    let workspace = Workspace::new(&[]);
    let (status, out, err) = run(&workspace, &["--root", "nowhere"]);
    assert_eq!((status, &*out), (Some(2), ""));
    assert!(err.contains("nowhere"), "{err}");
}

#[test]
fn classes_that_are_created_from_data_are_not_known() {
    let site = "create_resources('class', lookup('classes'))\ncreate_resources('web::site', {'a' => {}})\n";
    let workspace = Workspace::new(&[
        ("hiera.yaml", "version: 5\n"),
        ("manifests/site.pp", site),
        ("modules/web/manifests/site.pp", "define web::site { include web }\n"),
        ("modules/web/manifests/init.pp", "class web { }\n"),
        (".hiera-ls/facts/web01.json", "{\"a\": 1}"),
    ]);
    let expected = "\
web01
  ? web  modules/web/manifests/site.pp:1
  ? and what manifests/site.pp:1 includes
";
    let found = run(&workspace, &["--node", "web01"]);
    assert_eq!(found, (Some(0), expected.to_owned(), String::new()));
}

#[test]
fn the_classes_of_nodes() {
    let workspace = Workspace::new(&[
        ("hiera.yaml", "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n"),
        ("data/common.yaml", "classes: [base]\n"),
        (
            "manifests/site.pp",
            "lookup('classes').include\nif $facts['os'] == 'Debian' {\n  include web\n}\ninclude \"x${y}\"\n",
        ),
        ("modules/web/manifests/init.pp", "class web($port) {\n  if $z { include other }\n}\n"),
        (".hiera-ls/facts/web01.json", "{\"os\": \"Debian\"}"),
        (".hiera-ls/facts/db01.json", "{\"os\": \"RedHat\"}"),
    ]);
    let expected = "\
web01
  ! no level has web::port
    base   manifests/site.pp:1, which is not here
    web    manifests/site.pp:3
  ? other  modules/web/manifests/init.pp:2, which is not here
  ? and what manifests/site.pp:5 includes
";
    let found = run(&workspace, &["--node", "web01"]);
    assert_eq!(found, (Some(0), expected.to_owned(), String::new()));
    let (_, out, _) = run(&workspace, &["--node", "all", "--render-as", "jsonl"]);
    let nodes: Vec<Json> = out.lines().map(|it| serde_json::from_str(it).expect("JSON")).collect();
    assert_eq!(nodes[0]["node"], "db01");
    assert_eq!(nodes[0]["missing"], json!([]));
    assert_eq!(nodes[1]["missing"], json!(["web::port"]));
    assert_eq!(nodes[1]["others"], json!([{"file": "manifests/site.pp", "line": 5}]));
    let web = json!({"name": "web", "certain": true, "here": true, "file": "manifests/site.pp", "line": 3});
    assert_eq!(nodes[1]["classes"][1], web);
}

/// A workspace with the class `m` and one node, whose fact `role` is `web`.
fn with_class_m(path: &str, files: &[(&str, &str)]) -> Workspace {
    let hierarchy = format!(
        "version: 5\nhierarchy:\n- {{name: a, path: '{path}.yaml'}}\n- {{name: c, path: common.yaml}}\n"
    );
    let known = [
        ("hiera.yaml", hierarchy.as_str()),
        (".hiera-ls/facts/web01.json", "{\"role\": \"web\"}"),
        ("modules/m/manifests/web.pp", "class m::web {}\n"),
        ("modules/m/manifests/old.pp", "class m::old {}\n"),
    ];
    Workspace::new(&[&known, files].concat())
}

#[test]
fn a_parameter_may_get_its_value_through_variables_of_code() {
    let class = ("modules/m/manifests/init.pp", "class m(Integer $x) {}\n");
    let p = ("modules/m/manifests/p.pp", "class m::p(String $role = 'web') { include m }\n");
    let in_block = "node default {\n  $tier = 'web'\n  include m\n}\n";
    for (path, file, site) in [
        ("%{module_name}", "data/m.yaml", "include m\n"),
        ("%{tier}", "data/web.yaml", in_block),
        ("%{m::p::role}", "data/web.yaml", "include m::p\n"),
    ] {
        let files = [class, p, (file, "m::x: 1\n"), ("manifests/site.pp", site)];
        let workspace = with_class_m(path, &files);
        let alone = run(&workspace, &["--node", "web01"]);
        assert!(!alone.1.contains('!'), "{path}: {}", alone.1);
        assert_eq!(alone, run(&workspace, &["--node", "all"]), "{path}");
    }
}

#[test]
fn variables_of_code_decide_which_classes_data_lists() {
    let data =
        [("data/web.yaml", "classes: [m::web]\n"), ("data/common.yaml", "classes: [m::old]\n")];
    let site = ("manifests/site.pp", "include m\n");
    let m = "modules/m/manifests/init.pp";
    for (path, code) in [
        ("%{tier}", [("manifests/site.pp", "$tier = 'web'\nlookup('classes').include\n"), (m, "")]),
        ("%{tier}", [site, (m, "class m {\n  $tier = 'web'\n  lookup('classes').include\n}\n")]),
        ("%{tier}", [site, (m, "class m($tier = 'web') {\n  lookup('classes').include\n}\n")]),
        ("%{tier}", [site, (m, "class m inherits m::p {\n  hiera_include('classes')\n}\n")]),
    ] {
        let p = ("modules/m/manifests/p.pp", "class m::p { $tier = 'web' }\n");
        let workspace = with_class_m(path, &[&data[..], &code, &[p]].concat());
        let (_, alone, _) = run(&workspace, &["--node", "web01"]);
        assert!(alone.contains("? m::old"), "{alone}");
        assert!(alone.contains("? and what "), "{alone}");
        assert_eq!(alone, run(&workspace, &["--node", "all"]).1);
    }
    // The module is known.
    let of_module = [("data/m.yaml", "classes: [m::web]\n"), data[1], site];
    let class = (m, "class m { lookup('classes').include }\n");
    let workspace = with_class_m("%{module_name}", &[&of_module[..], &[class]].concat());
    let expected =
        "web01\n    m       manifests/site.pp:1\n    m::web  modules/m/manifests/init.pp:1\n";
    for node in ["web01", "all"] {
        assert_eq!(run(&workspace, &["--node", node]).1, expected);
    }
}

#[test]
fn manifests_that_puppet_refuses_leave_classes_unknown() {
    let workspace = Workspace::new(&[
        ("hiera.yaml", "version: 5\n"),
        ("manifests/site.pp", "include a\nif $x { include b }\n"),
        ("modules/a/manifests/init.pp", "class a {\n  include c\n"),
        ("modules/b/manifests/init.pp", "class b inherits c inherits d { }\n"),
    ]);
    let expected = "\
w1
  ! no catalog: Puppet refuses modules/a/manifests/init.pp:3: Syntax error at end of input
  ! perhaps no catalog: Puppet refuses modules/b/manifests/init.pp:1: Syntax error at 'inherits'
    a  manifests/site.pp:1
  ? b  manifests/site.pp:2
";
    let (status, out, _) = run(&workspace, &["--node", "w1"]);
    assert_eq!((status, &*out), (Some(0), expected));
    workspace.write("manifests/site.pp", "\nnode w1 { include a\n");
    let expected = "\
w1
  ! not known: Puppet refuses manifests/site.pp:3: Syntax error at end of input
";
    let found = run(&workspace, &["--node", "w1"]);
    assert_eq!(found, (Some(0), expected.to_owned(), String::new()));
    let (_, out, _) = run(&workspace, &["--node", "w1", "--render-as", "jsonl"]);
    let node: Json = serde_json::from_str(&out).expect("JSON");
    let mistake =
        json!({"file": "manifests/site.pp", "line": 3, "message": "Syntax error at end of input"});
    assert_eq!(node["refused"], mistake);
}

#[test]
fn a_pattern_is_no_name_of_a_node() {
    let workspace = Workspace::new(&[("hiera.yaml", "version: 5\n")]);
    let (_, out, said) = run(&workspace, &["--node", "web*"]);
    let expected =
        "hiera-ls: --node web*: this is one name; `all` means all nodes with fact sets\n";
    assert_eq!((&*out, &*said), ("", expected));
}

#[test]
fn a_node_that_nothing_names_is_not_known() {
    let manifest = ("manifests/site.pp", "node 'W1' { }\nnode /web/ { }\nnode default { }\n");
    let data = [("hiera.yaml", "version: 5\n"), (".hiera-ls/facts/w2.json", "{\"a\": 1}")];
    let workspace = Workspace::new(&[&[manifest][..], &data].concat());
    for name in ["w1", "w2"] {
        assert_eq!(run(&workspace, &["--node", name]).2, "", "{name}");
    }
    for name in ["web1", "default"] {
        let note = format!("hiera-ls: note: {name} is not a known node; only its name is used\n");
        assert_eq!(run(&workspace, &["--node", name]).2, note);
    }
}
