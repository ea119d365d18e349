//! Which environment and which settings a command uses in any directory of a repository.

use std::process::Command;

use crate::support::workspace::Workspace;

const HIERA_YAML: &str = "version: 5\nhierarchy: [{name: Common data, path: common.yaml}]\n";

/// Runs the program in a directory of the workspace; returns standard output, or else standard error.
fn run(workspace: &Workspace, directory: &str, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_hiera-ls"))
        .args(arguments)
        .current_dir(workspace.path(directory))
        .output()
        .expect("the program runs");
    let said = if output.status.success() { output.stdout } else { output.stderr };
    let said = String::from_utf8(said).expect("UTF-8");
    said.replace(workspace.root(), "ROOT")
}

#[test]
fn the_project_file_counts_in_directories_below() {
    let workspace = Workspace::new(&[
        ("hiera.yaml", HIERA_YAML),
        (".hiera-ls.yaml", "variables: {site: bergen}\n"),
        ("data/common.yaml", "a: '%{site}'\n"),
        ("data/nodes/x.yaml", ""),
    ]);
    assert_eq!(run(&workspace, "data/nodes", &["lookup", "a"]), "--- bergen\n");
}

#[test]
fn settings_in_an_environment_are_not_those_of_the_workspace() {
    let workspace = Workspace::new(&[
        ("environments/dev/hiera.yaml", HIERA_YAML),
        ("environments/dev/.hiera-ls.yaml", "variables: {site: bergen}\n"),
        ("environments/dev/data/common.yaml", "a: '%{site}'\n"),
        ("environments/production/hiera.yaml", HIERA_YAML),
    ]);
    let not_found = run(&workspace, "", &["lookup", "b", "-E", "dev"]);
    let note = "hiera-ls: note: environments/dev/.hiera-ls.yaml is not read; --root environments/dev uses it\n";
    assert!(not_found.starts_with(note), "{not_found}");
    let lookup = ["lookup", "a", "--root", "environments/dev"];
    assert_eq!(run(&workspace, "", &lookup), "--- bergen\n");
    let not_found = run(&workspace, "", &["lookup", "b", "--root", "environments/dev"]);
    assert!(not_found.starts_with("hiera-ls: Function lookup()"), "{not_found}");
}

#[test]
fn errors_in_settings_are_said_with_their_places() {
    let workspace = Workspace::new(&[("hiera.yaml", HIERA_YAML), (".hiera-ls.yaml", "a: [\n")]);
    let said = |text: &str| {
        workspace.write(".hiera-ls.yaml", text);
        run(&workspace, "", &["lookup", "no_such_key"])
    };
    let broken = said("node: x\nvariables: {a: [}\n");
    assert!(broken.starts_with("hiera-ls: ROOT/.hiera-ls.yaml:2:"), "{broken}");
    let wrong = said("diagnostics:\n  severity:\n    unused-key: loud\n");
    let expected =
        "hiera-ls: ROOT/.hiera-ls.yaml:3:17: `diagnostics.severity.unused-key` must be one of ";
    assert!(wrong.starts_with(expected), "{wrong}");
}

#[test]
fn of_several_environments_the_one_that_puppet_takes() {
    let workspace = Workspace::new(&[
        ("environments/dev/hiera.yaml", HIERA_YAML),
        ("environments/dev/data/common.yaml", "a: dev\n"),
        ("environments/production/hiera.yaml", HIERA_YAML),
        ("environments/production/data/common.yaml", "a: production\n"),
    ]);
    assert_eq!(run(&workspace, "", &["lookup", "a"]), "--- production\n");
    assert_eq!(run(&workspace, "", &["lookup", "--environment", "dev", "a"]), "--- dev\n");
    assert_eq!(run(&workspace, "environments/dev/data", &["lookup", "a"]), "--- dev\n");
    let not_found = run(&workspace, "", &["lookup", "b"]);
    let taken = "hiera-ls: the environment production, one of 2; --environment chooses another\n";
    assert!(not_found.starts_with(taken), "{not_found}");
    assert_eq!(
        run(&workspace, "", &["lookup", "--environment", "test", "a"]),
        "hiera-ls: ROOT: there is no environment test; there are:\n  environments/dev\n  environments/production\n"
    );
}

/// A code directory in a repository, with what both of its environments share.
fn code_directory() -> Workspace {
    let levels = "version: 5\nhierarchy: [{name: g, path: g.yaml, datadir: global}]\n";
    let environment_conf = "modulepath = ../../modules\n";
    Workspace::new(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("hiera.yaml", levels),
        ("global/g.yaml", "g: '%{environment}'\n"),
        ("environments/dev/hiera.yaml", HIERA_YAML),
        ("environments/dev/environment.conf", environment_conf),
        ("environments/dev/data/common.yaml", "m::x: [dev]\n"),
        ("environments/production/hiera.yaml", HIERA_YAML),
        ("environments/production/environment.conf", environment_conf),
        ("environments/production/data/common.yaml", "m::x: [production]\n"),
        ("modules/m/hiera.yaml", HIERA_YAML),
        ("modules/m/manifests/init.pp", "class m($x) {}\n"),
        ("modules/m/data/common.yaml", "lookup_options: {m::x: {merge: unique}}\nm::x: [m]\n"),
        (".hiera-ls.yaml", "nodes: {n: {environment: dev}, p: {environment: production}}\n"),
    ])
}

#[test]
fn an_environment_is_chosen_in_any_directory() {
    let workspace = code_directory();
    let directories =
        ["", "global", "modules", "modules/m", "environments/dev", "environments/production/data"];
    for directory in directories {
        for name in ["dev", "production"] {
            let lookup = |key: &str| run(&workspace, directory, &["lookup", key, "-E", name]);
            assert_eq!(lookup("m::x"), format!("---\n- {name}\n- m\n"), "{directory}");
            assert_eq!(lookup("g"), format!("--- {name}\n"), "{directory}");
        }
        let refused = run(&workspace, directory, &["lookup", "g", "-E", "test"]);
        assert!(refused.contains(": there is no environment test; there are:\n"), "{refused}");
    }
    let path = ["lookup", "g", "-E", "../production"];
    assert_eq!(run(&workspace, "environments/dev", &path), "--- production\n");
}

#[test]
fn what_environments_share_is_in_none_of_them() {
    let workspace = code_directory();
    for directory in ["", "global", "modules", "modules/m"] {
        assert_eq!(run(&workspace, directory, &["lookup", "g", "--node", "n"]), "--- dev\n");
        let not_found = run(&workspace, directory, &["lookup", "no_such_key"]);
        let taken = "hiera-ls: the environment production, one of 2;";
        assert!(not_found.starts_with(taken), "{not_found}");
    }
}

/// The directory of one environment does not contain the others.
#[test]
fn nodes_of_environments_beside_are_left_out() {
    let workspace = code_directory();
    let nodes = ["nodes", "--names"];
    assert_eq!(run(&workspace, "environments/dev", &nodes), "n\n");
    assert_eq!(run(&workspace, "environments/production", &nodes), "p\n");
    let all = run(&workspace, "environments/dev", &["lookup", "m::x", "--nodes", "all"]);
    assert_eq!(all, "m::x: the answer for 1 node\n  1 node: n\n    - dev\n    - m\n");
}

#[test]
fn a_node_is_looked_up_in_its_own_environment() {
    let workspace = Workspace::new(&[
        ("environments/dev/hiera.yaml", HIERA_YAML),
        ("environments/dev/data/common.yaml", "a: 'dev %{environment}'\n"),
        ("environments/production/hiera.yaml", HIERA_YAML),
        ("environments/production/data/common.yaml", "a: production\n"),
        (
            ".hiera-ls/facts/export.json",
            r#"[{"certname": "x1", "environment": "dev", "name": "role", "value": "web"},
                {"certname": "x3", "environment": "old", "name": "role", "value": "web"}]"#,
        ),
        (".hiera-ls.yaml", "nodes: {x2: {environment: dev}, x4: {facts: {role: db}}}\n"),
        ("x5.json", r#"{"name": "x5", "environment": "dev", "values": {"role": "db"}}"#),
    ]);
    let lookup = |arguments: &[&str]| run(&workspace, "", &[&["lookup", "a"], arguments].concat());
    assert_eq!(lookup(&["--node", "x1"]), "--- dev dev\n");
    assert_eq!(lookup(&["--node", "x2"]), "--- dev dev\n");
    assert_eq!(lookup(&["--node", "x3"]), "--- production\n", "there is no `old`");
    assert_eq!(lookup(&["--node", "x4"]), "--- production\n");
    assert_eq!(lookup(&["--facts", "x5.json"]), "--- dev dev\n");
    assert_eq!(lookup(&["--node", "x1", "--environment", "production"]), "--- production\n");
    let below = run(&workspace, "environments/production", &["lookup", "a", "--node", "x2"]);
    assert_eq!(below, "--- production\n");
    let not_found = run(&workspace, "", &["lookup", "b", "--node", "x3"]);
    let warning = "hiera-ls: warning: node x3 is in the environment old, which is not here\nhiera-ls: the environment production, one of 2;";
    assert!(not_found.starts_with(warning), "{not_found}");
}

#[test]
fn the_nodes_of_an_environment_are_not_in_another_one() {
    let hiera_yaml =
        "version: 5\nhierarchy: [{name: x, paths: ['n/%{trusted.certname}.yaml', common.yaml]}]\n";
    let workspace = Workspace::new(&[
        ("environments/dev/hiera.yaml", hiera_yaml),
        ("environments/dev/data/common.yaml", "a: dev\n"),
        ("environments/dev/data/n/file-dev.yaml", "b: 1\n"),
        ("environments/production/hiera.yaml", hiera_yaml),
        ("environments/production/data/common.yaml", "a: production\n"),
        ("environments/production/data/n/web.test.yaml", "b: 1\n"),
        ("environments/test/hiera.yaml", hiera_yaml),
        ("environments/test/data/common.yaml", "a: test\n"),
        (
            ".hiera-ls.yaml",
            "nodes: {set: {environment: dev}, here: {environment: production}, old: {environment: gone}}\n\
             node_name: '[a-z]+[.](?<environment>[a-z]+)'\n",
        ),
        (
            ".hiera-ls/facts/fact.json",
            r#"{"name": "fact", "environment": "dev", "values": {"x": 1}}"#,
        ),
        (".hiera-ls/facts/enc.json", r#"{"x": 1}"#),
        (".hiera-ls/facts/enc.yaml", "classes: {}\nenvironment: test\n"),
        ("sets/one.json", r#"{"name": "one", "environment": "dev", "values": {"x": 1}}"#),
        ("sets/two.json", r#"{"x": 1}"#),
    ]);
    let ran = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hiera-ls"));
        let output = command.args(arguments).current_dir(workspace.root()).output();
        let output = output.expect("the program runs");
        let said = [output.stdout, output.stderr].map(|it| String::from_utf8(it).expect("UTF-8"));
        said.concat()
    };
    let lookup = |arguments: &[&str]| ran(&[&["lookup", "a"], arguments].concat());
    let taken = "hiera-ls: the environment production, one of 3; --environment chooses another\n";
    let named =
        "hiera-ls: the environment dev, which these nodes are in; --environment chooses another\n";
    let note = |places: &str| {
        format!(
            "hiera-ls: note: nodes of other environments are left out ({places}); --environment chooses another\n"
        )
    };
    let same =
        |count: &str, names: &str, value: &str| format!("a: the {count}\n  {names}\n    {value}\n");
    let all = same("same for all 2 nodes", "2 nodes: here, old", "production");
    assert_eq!(lookup(&["--nodes", "all"]), format!("{all}{taken}{}", note("2 in dev, 2 in test")));
    let dev = same("same for all 3 nodes", "3 nodes: fact, file-dev, set", "dev");
    let listed = lookup(&["--nodes", "set,file-dev,fact"]);
    assert_eq!(listed, format!("{dev}{named}"));
    // An environment that the user names counts.
    let set = same("answer for 1 node", "1 node: set", "production");
    assert_eq!(lookup(&["--nodes", "set", "-E", "production"]), set);
    assert_eq!(
        lookup(&["--nodes", "set,here"]),
        format!(
            "{taken}hiera-ls: --nodes set: this node is in the environment dev; --environment chooses one for all nodes\n"
        )
    );
    assert_eq!(
        lookup(&["--nodes", "fac*"]),
        format!(
            "{taken}hiera-ls: --nodes fac*: all nodes are in other environments: 1 in dev; --environment chooses one\n"
        )
    );
    let two = same("answer for 1 node", "1 node: two", "production");
    let facts = lookup(&["--facts", "sets"]);
    assert_eq!(facts, format!("{two}{taken}{}", note("1 in dev")));
    let facts = lookup(&["--facts", "sets", "--nodes", "one"]);
    assert_eq!(facts, same("answer for 1 node", "1 node: one", "dev") + named);
    // A node that only one environment knows is in that one.
    let dev = "--- dev\nhiera-ls: the environment dev, which node file-dev is in; --environment chooses another\n";
    assert_eq!(lookup(&["--node", "file-dev"]), dev);
    let others = ran(&["nodes", "-E", "test"]);
    assert!(!others.contains("set  (known by its name"), "{others}");
    let readers = ran(&["readers", "environments/test/data/common.yaml", "--nodes", "set"]);
    assert_eq!(
        readers,
        "hiera-ls: --nodes set: this node is in the environment dev; --environment chooses one for all nodes\n"
    );
    let names = ran(&["nodes", "--names"]);
    assert_eq!(names, format!("here\nold\n{taken}{}", note("2 in dev, 2 in test")));
}

#[test]
fn readers_of_a_file_that_several_environments_share() {
    let environment_conf = "modulepath = ../../modules\n";
    let nodes = "version: 5\nhierarchy: [{name: n, path: 'n/%{trusted.certname}.yaml'}]\n";
    let workspace = Workspace::new(&[
        ("environments/dev/hiera.yaml", nodes),
        ("environments/dev/environment.conf", environment_conf),
        ("environments/dev/data/n/w-dev.yaml", "a: 1\n"),
        ("environments/production/hiera.yaml", nodes),
        ("environments/production/environment.conf", environment_conf),
        ("environments/production/data/n/w-production.yaml", "a: 1\n"),
        (
            "modules/m/hiera.yaml",
            "version: 5\nhierarchy: [{name: x, paths: ['%{environment}.yaml', common.yaml]}]\n",
        ),
        ("modules/m/data/dev.yaml", "m::p: 1\n"),
        ("modules/m/data/common.yaml", "m::p: 2\n"),
        ("modules/m/data/other.yaml", "m::p: 3\n"),
    ]);
    let readers = |below: &str, arguments: &[&str]| {
        run(&workspace, below, &[&["readers"], arguments].concat())
    };
    let of = |name: &str, file: &str, rest: &str| {
        format!(
            "{file}: in the environment {name}, read by 1 of 1 node\n  w-{name}\nRead by any node\n  {rest} of module m)\n"
        )
    };
    let always = "whatever its facts are (level \"x\"";
    let dev = of("dev", "modules/m/data/dev.yaml", always);
    assert_eq!(readers("", &["modules/m/data/dev.yaml"]), dev);
    assert_eq!(readers("", &["modules/m/data/dev.yaml", "-E", "dev"]), dev);
    let inside = readers("", &["modules/m/data/dev.yaml", "--root", "environments/dev"]);
    assert_eq!(inside, dev.replace("in the environment dev, ", ""));
    let unread = "modules/m/data/dev.yaml: no hierarchy reads this file\n";
    assert_eq!(readers("", &["modules/m/data/dev.yaml", "-E", "production"]), unread);
    let unread = "modules/m/data/other.yaml: no hierarchy reads this file\n";
    assert_eq!(readers("", &["modules/m/data/other.yaml"]), unread);
    let both = [
        of("dev", "modules/m/data/common.yaml", always),
        of("production", "modules/m/data/common.yaml", always),
    ];
    assert_eq!(readers("", &["modules/m/data/common.yaml"]), both.join("\n"));
    assert_eq!(readers("", &["modules/m/data/common.yaml", "--nodes", "w-dev"]), both[0]);
    let lines = readers("", &["modules/m/data/common.yaml", "--render-as", "jsonl"]);
    let environments = ["\"environment\":\"dev\"", "\"environment\":\"production\""];
    for (line, environment) in lines.lines().zip(environments) {
        assert!(line.contains(environment), "{line}");
    }
    // The directory of a file says which environment it is in.
    let own = readers("", &["environments/dev/data/n/w-dev.yaml"]);
    assert!(own.starts_with("environments/dev/data/n/w-dev.yaml: read by 1 of 1 node\n"), "{own}");
}

#[test]
fn environments_in_any_directory_are_chosen_by_the_names_in_messages() {
    let workspace = Workspace::new(&[
        ("control/dev/hiera.yaml", HIERA_YAML),
        ("control/dev/data/common.yaml", "a: dev\nb: '%{environment}'\n"),
        ("control/production/hiera.yaml", HIERA_YAML),
        ("control/production/data/common.yaml", "a: production\n"),
    ]);
    let lookup = |below: &str, arguments: &[&str]| {
        run(&workspace, below, &[&["lookup"], arguments].concat())
    };
    assert_eq!(lookup("", &["a"]), "--- production\n");
    let taken =
        "hiera-ls: the environment control/production, one of 2; --environment chooses another\n";
    let not_found = lookup("", &["c"]);
    assert!(not_found.starts_with(taken), "{not_found}");
    for name in ["dev", "control/dev"] {
        assert_eq!(lookup("", &["a", "--environment", name]), "--- dev\n");
    }
    assert_eq!(lookup("control", &["a", "--environment", "dev"]), "--- dev\n");
    assert_eq!(lookup("", &["b", "--environment", "dev"]), "--- dev\n");
    assert_eq!(lookup("", &["a", "--environment", "production"]), "--- production\n");
    let listed = "hiera-ls: ROOT: there is no environment test; there are:\n  control/dev\n  control/production\n";
    assert_eq!(lookup("", &["a", "--environment", "test"]), listed);
}

#[test]
fn a_directory_with_environments_is_in_none_of_them() {
    let workspace = Workspace::new(&[
        ("hiera.yaml", "version: 5\nhierarchy: []\n"),
        ("environments/dev/hiera.yaml", HIERA_YAML),
        ("environments/dev/data/common.yaml", "a: dev\n"),
        ("environments/qa/hiera.yaml", HIERA_YAML),
        ("environments/qa/data/common.yaml", "a: qa\n"),
    ]);
    let lookup = |arguments: &[&str]| run(&workspace, "", &[&["lookup"], arguments].concat());
    assert_eq!(lookup(&["a", "--environment", "qa"]), "--- qa\n");
    let listed = "hiera-ls: ROOT: there is no environment test; there are:\n  environments/dev\n  environments/qa\n";
    assert_eq!(lookup(&["a", "--environment", "test"]), listed);
    let taken = "hiera-ls: the environment dev, one of 2; --environment chooses another\n";
    let not_found = lookup(&["b"]);
    assert!(not_found.starts_with(taken), "{not_found}");
}

#[test]
fn the_only_environment_below() {
    let workspace = Workspace::new(&[
        ("puppet/hiera.yaml", HIERA_YAML),
        ("puppet/data/common.yaml", "a: 1\n"),
        ("docs/x.yaml", ""),
    ]);
    assert_eq!(run(&workspace, "", &["lookup", "a"]), "--- 1\n");
    let read = "No nodes are known. Save the facts of some in .hiera-ls/facts, or describe them under `nodes` in .hiera-ls.yaml, \
         which `hiera-ls init` writes.\n\nThe hierarchy reads no variables.\n";
    assert_eq!(run(&workspace, "", &["nodes"]), read);
    assert_eq!(run(&workspace, "", &["facts", "--names"]), "");
}

#[test]
fn data_in_a_repository_of_its_own() {
    let config = "version: 5\ndefaults: {datadir: /etc/hieradata, data_hash: yaml_data}\n\
                  hierarchy: [{name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}]\n";
    let workspace = Workspace::new(&[
        ("control/hiera.yaml", config),
        ("hieradata/nodes/web01.yaml", "a: 1\nb: 1\nb: 2\n"),
    ]);
    let said = run(&workspace, "hieradata", &["lookup", "a"]);
    assert_eq!(
        said,
        "hiera-ls: ROOT/hieradata: no hiera.yaml here, in a directory above, or at most 3 directories below; if it is deeper, name its \
         directory; if it is somewhere else, write globalHieraYaml in .hiera-ls.yaml\n"
    );
    let project = "globalHieraYaml: ../control/hiera.yaml\ndatadirMap: {/etc/hieradata: .}\n";
    workspace.write("hieradata/.hiera-ls.yaml", project);
    let said = run(&workspace, "hieradata", &["lookup", "a", "--node", "web01"]);
    assert!(said.contains("control/hiera.yaml` leads out of the workspace."), "{said}");
    let trusted = ["lookup", "--trust", "a", "--node", "web01"];
    assert_eq!(run(&workspace, "hieradata", &trusted), "--- 1\n");
    assert_eq!(
        run(&workspace, "hieradata", &["check", "--trust", "--format", "concise", "--exit-zero"]),
        "nodes/web01.yaml:3:1: warning[duplicate-key] `b` is already a key of this hash. Only this last value counts; remove one of \
         them.\n"
    );
}

#[test]
fn an_environment_may_have_no_hiera_yaml() {
    let workspace = Workspace::new(&[("environment.conf", ""), ("data/common.yaml", "a: 1\n")]);
    let said = run(&workspace, "", &["lookup", "a"]);
    assert!(said.contains("but there is no ROOT/hiera.yaml to read it; see"), "{said}");
    workspace.write("hiera.yaml", "version: 5\nhierarchy: [{name: o, path: other.yaml}]\n");
    workspace.write("hieradata/common.yaml", "a: 1\n");
    let said = run(&workspace, "", &["lookup", "a"]);
    assert!(said.contains("but ROOT/hiera.yaml does not read it; see"), "{said}");
}

/// As in repositories from the time of Hiera 3.
#[test]
fn environments_may_contain_nothing_but_data_beside_version_three() {
    let workspace = Workspace::new(&[
        (
            "hiera.yaml",
            ":backends: [yaml]\n:hierarchy: [common]\n:yaml:\n  \
             :datadir: /etc/puppetlabs/code/environments/%{environment}/hieradata\n",
        ),
        ("environments/production/hieradata/common.yaml", "w: 1\n"),
        ("environments/dev/hieradata/common.yaml", "w: 2\n"),
    ]);
    assert_eq!(run(&workspace, "", &["lookup", "w"]), "--- 1\n");
    assert_eq!(run(&workspace, "", &["lookup", "w", "-E", "dev"]), "--- 2\n");
    assert_eq!(run(&workspace, "environments/dev", &["lookup", "w"]), "--- 2\n");
}

/// Puppet accepts them, too; only in names of options, and before `--`.
#[test]
fn options_of_lookup_may_have_underscores() {
    let workspace = Workspace::new(&[
        ("hiera.yaml", HIERA_YAML),
        ("data/common.yaml", "a: {b: [1, 2]}\na_b: 1\n"),
    ]);
    let deep = ["lookup", "a", "--merge", "deep", "--sort_merged_arrays", "--render_as=json"];
    assert_eq!(run(&workspace, "", &deep), "{\"b\":[1,2]}\n");
    let prefix = ["lookup", "a", "--merge", "deep", "--knock_out_prefix", "--", "--render_as", "s"];
    assert_eq!(run(&workspace, "", &prefix), "{\"b\"=>[1, 2]}\n");
    assert_eq!(run(&workspace, "", &["lookup", "--default", "x_y", "a_b"]), "--- 1\n");
    let key = run(&workspace, "", &["lookup", "--", "--render_as"]);
    assert!(key.contains("'--render_as'"), "{key}");
}
