//! What the commands know of a node, and from where: its environment, its facts, its other variables and its classes.

use std::process::Command;

use crate::support::workspace::Workspace;

/// The standard output of a command, which may end with any status.
fn said(workspace: &Workspace, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hiera-ls"));
    let output = command.args(arguments).current_dir(workspace.root()).output();
    let output = output.expect("the program runs");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[track_caller]
fn check(workspace: &Workspace, arguments: &[&str], expected: &str) {
    assert_eq!(said(workspace, arguments), expected, "{arguments:?}");
}

#[test]
fn a_node_is_in_the_environment_that_it_names() {
    let workspace = Workspace::new(&[
        (
            "hiera.yaml",
            "version: 5\nhierarchy: [{name: x, paths: ['env/%{environment}.yaml', common.yaml]}]\n",
        ),
        ("data/common.yaml", "a: \"%{environment}, %{server_facts.environment}\"\n"),
        ("data/env/qa.yaml", "b: qa\n"),
        (".hiera-ls.yaml", "nodes: {n1: {environment: qa}}\n"),
        (".hiera-ls/facts/n1.json", "{\"x\": 1}"),
        (".hiera-ls/facts/n2.json", "{\"x\": 1}"),
        (".hiera-ls/facts/n2.yaml", "classes: {}\nenvironment: qa\n"),
        (".hiera-ls/facts/n3.json", "{\"x\": 1}"),
    ]);
    for name in ["n1", "n2"] {
        check(&workspace, &["lookup", "a", "--node", name], "--- qa, qa\n");
        let elsewhere = ["lookup", "a", "--node", name, "--environment", "test"];
        check(&workspace, &elsewhere, "--- test, test\n");
    }
    check(&workspace, &["lookup", "a", "--node", "n3"], "--- production, production\n");
    check(
        &workspace,
        &["lookup", "b", "--nodes", "all"],
        "b: 2 different answers for 3 nodes\n  1 node: n3\n    # not found\n  2 nodes: n1, n2\n    qa\n",
    );
    let readers = said(&workspace, &["readers", "data/env/qa.yaml"]);
    assert!(readers.starts_with("data/env/qa.yaml: read by 2 of 3 nodes\n"), "{readers}");
    // The setting is only for nodes that do not name an environment themselves.
    workspace.write(".hiera-ls.yaml", "environment: test\nnodes: {n1: {environment: qa}}\n");
    check(&workspace, &["lookup", "a", "--node", "n1"], "--- qa, qa\n");
    check(&workspace, &["lookup", "a", "--node", "n3"], "--- test, test\n");
    let readers = said(&workspace, &["readers", "data/env/qa.yaml"]);
    assert!(readers.starts_with("data/env/qa.yaml: read by 2 of 3 nodes\n"), "{readers}");
}

/// A checkout can be deployed as any environment. Puppet compiles all of these catalogs in `dev`.
#[test]
fn no_finding_takes_the_environment_of_a_fact_set_for_certain() {
    let hierarchy =
        "version: 5\nhierarchy: [{name: x, paths: ['env/%{environment}.yaml', common.yaml]}]\n";
    let workspace = Workspace::new(&[
        ("hiera.yaml", hierarchy),
        ("data/common.yaml", "k2::q: text\nx: 1\n"),
        ("data/env/dev.yaml", "k1::p: 1\nk2::q: 1\n"),
        ("modules/k1/manifests/init.pp", "class k1(Integer $p) { }\n"),
        ("modules/k2/manifests/init.pp", "class k2(Integer $q) { }\n"),
        ("modules/k3/manifests/init.pp", "class k3(Integer $r) { }\n"),
        (
            "manifests/site.pp",
            "include k1\ninclude k2\nif $environment == 'production' { include k3 }\n",
        ),
        (".hiera-ls/facts/n1.json", "{\"x\": 1}"),
    ]);
    let errors = || said(&workspace, &["check"]).matches("error[").count();
    assert_eq!(errors(), 0, "{}", said(&workspace, &["check"]));
    check(&workspace, &["lookup", "k2::q", "--node", "n1"], "--- text\n");
    let nodes = said(&workspace, &["nodes"]);
    assert!(nodes.contains("environment  open for 1 node\n"), "{nodes}");
    workspace.write(".hiera-ls.yaml", "environment: production\n");
    assert_eq!(errors(), 3, "{}", said(&workspace, &["check"]));
    let nodes = said(&workspace, &["nodes"]);
    assert!(nodes.contains("environment  known for 1 node\n"), "{nodes}");
}

#[test]
fn no_fact_is_the_environment() {
    let workspace = Workspace::new(&[
        (
            "hiera.yaml",
            "version: 5\nhierarchy: [{name: x, paths: ['e/%{facts.environment}.yaml', common.yaml]}]\n",
        ),
        ("data/e/production.yaml", "k: of the fact\n"),
        ("data/common.yaml", "k: common\nfe: '<%{facts.environment}> <%{environment}>'\n"),
        (".hiera-ls/facts/n1.json", "{\"x\": 1}"),
        (".hiera-ls/facts/n2.json", "{\"environment\": \"production\", \"x\": 1}"),
        (".hiera-ls.yaml", "environment: production\n"),
    ]);
    check(&workspace, &["lookup", "k", "--node", "n1"], "--- common\n");
    check(&workspace, &["lookup", "fe", "--node", "n1"], "--- \"<> <production>\"\n");
    check(&workspace, &["lookup", "k", "--node", "n2"], "--- of the fact\n");
    // Without a fact set, it is not known whether there is such a fact.
    let cases =
        "# if facts.environment is production:\n--- of the fact\n# otherwise:\n--- common\n";
    check(&workspace, &["lookup", "k", "--node", "w1"], cases);
    check(&workspace, &["lookup", "fe"], "--- \"<%{facts.environment}> <production>\"\n");
    let set = ["lookup", "k", "--set", "facts.environment=production"];
    check(&workspace, &set, "--- of the fact\n");
}

const BY_ROLE: (&str, &str) =
    ("hiera.yaml", "version: 5\nhierarchy: [{name: x, paths: ['%{role}.yaml', common.yaml]}]\n");

#[test]
fn options_add_what_they_say_and_leave_facts_open() {
    let workspace = Workspace::new(&[
        BY_ROLE,
        ("data/web.yaml", "a: web\n"),
        ("data/common.yaml", "a: common\nb: \"%{site}%{trusted.extensions.x}%{server_facts.x}\"\n"),
        ("data/db.yaml", "b: \"db %{site}\"\n"),
        ("given.json", "{\"site\": \"s\", \"extensions\": {\"x\": \"t\"}, \"x\": \"f\"}"),
        (".hiera-ls/facts/db01.json", "{\"role\": \"db\"}"),
        ("enc.yaml", "classes: {}\nparameters: {site: s}\n"),
    ]);
    let open = "# if role is web:\n--- web\n# otherwise:\n--- common\n";
    for option in ["--vars", "--trusted", "--server-facts"] {
        check(&workspace, &["lookup", "a", option, "given.json"], open);
        check(&workspace, &["lookup", "a", "--node", "n1", option, "given.json"], open);
    }
    check(&workspace, &["lookup", "a", "--facts", "enc.yaml"], open);
    let all = ["--vars", "given.json", "--trusted", "given.json", "--server-facts", "given.json"];
    let given = said(&workspace, &[&["lookup", "b", "--set", "role=x"], &all[..]].concat());
    assert_eq!(given, "--- stf\n");
    // A fact set stays, too.
    let known = ["lookup", "b", "--node", "db01", "--vars", "given.json"];
    check(&workspace, &known, "--- db s\n");
}

#[test]
fn settings_count_for_a_fact_set_that_the_command_line_names() {
    let workspace = Workspace::new(&[
        ("hiera.yaml", "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n"),
        (
            "data/common.yaml",
            "a: \"%{site} %{facts.site} %{trusted.extensions.x} %{server_facts.x} %{role}\"\n",
        ),
        (
            ".hiera-ls.yaml",
            "variables: {site: set}\ntrusted: {extensions: {x: t}}\nserverFacts: {x: s}\n\
             nodes: {n1: {variables: {role: web}}}\n",
        ),
        (
            "facts/n1.json",
            "{\"name\": \"n1\", \"values\": {\"site\": \"f\"}, \"trusted\": {\"extensions\": {\"x\": \"own\"}}}",
        ),
        ("given.json", "{\"site\": \"g\", \"extensions\": {\"x\": \"h\"}, \"x\": \"i\"}"),
    ]);
    let file = ["lookup", "a", "--facts", "facts/n1.json"];
    check(&workspace, &file, "--- set f t s web\n");
    // Puppet 8 refuses `role`, which is set for another node only.
    let other = ["--node", "n2", "--puppet-version", "7"];
    check(&workspace, &[&file[..], &other[..]].concat(), "--- 'set f t s '\n");
    let given = ["--vars", "given.json", "--trusted", "given.json", "--server-facts", "given.json"];
    check(&workspace, &[&file[..], &given[..]].concat(), "--- g f h i web\n");
    let all = said(&workspace, &["lookup", "a", "--facts", "facts"]);
    assert!(all.contains("set f t s web"), "{all}");
}

#[test]
fn the_output_of_a_classifier_says_nothing_of_facts() {
    let workspace = Workspace::new(&[
        BY_ROLE,
        ("data/web.yaml", "a: web %{site}\n"),
        ("data/common.yaml", "a: common %{site}\n"),
        ("spec/factsets/n1.yaml", "classes: {}\nparameters: {site: x}\n"),
        ("spec/default_facts.yml", "y: 1\n"),
    ]);
    let open = "# if role is web:\n--- web x\n# otherwise:\n--- common x\n";
    check(&workspace, &["lookup", "a", "--node", "n1"], open);
    let nodes = said(&workspace, &["nodes"]);
    assert!(nodes.contains("n1  (known by its name; open: role)"), "{nodes}");
    assert!(nodes.contains("role  open for 1 node\n"), "{nodes}");
    workspace.write("spec/factsets/n1.json", "{\"role\": \"web\"}");
    check(&workspace, &["lookup", "a", "--node", "n1"], "--- web x\n");
    let nodes = said(&workspace, &["nodes"]);
    assert!(nodes.contains("n1  (facts from spec/factsets/n1.json)"), "{nodes}");
    assert!(nodes.contains("role  known for 1 node\n"), "{nodes}");
    workspace.remove("spec/factsets/n1.json");
    workspace.write("spec/factsets/z/n1.json", "{\"role\": \"web\"}");
    check(&workspace, &["lookup", "a", "--node", "n1"], "--- web x\n");
    workspace.remove("spec/factsets/z/n1.json");
    workspace.write(".hiera-ls.yaml", "nodes: {n1: {facts: {role: web}}}\n");
    check(&workspace, &["lookup", "a", "--node", "n1"], "--- web x\n");
}

#[test]
fn a_module_outside_of_the_modulepath_is_named() {
    let config = "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n";
    let workspace = Workspace::new(&[
        ("hiera.yaml", config),
        ("data/common.yaml", "a: 1\n"),
        ("site/m/hiera.yaml", config),
        ("site/m/data/common.yaml", "m::x: 1\n"),
    ]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_hiera-ls"));
    let output = command.args(["lookup", "m::x"]).current_dir(workspace.root()).output();
    let output = output.expect("the program runs");
    assert_eq!(output.status.code(), Some(1));
    let hint = String::from_utf8_lossy(&output.stderr);
    let words = "the module m in site/m is not in the modulepath; add site to modulepath in";
    assert!(hint.contains(words), "{hint}");
    workspace.write("environment.conf", "modulepath = s*te\n");
    check(&workspace, &["lookup", "m::x"], "--- 1\n");
}

#[test]
fn a_variable_of_the_settings_is_no_fact() {
    let workspace = Workspace::new(&[
        (
            "hiera.yaml",
            "version: 5\nhierarchy: [{name: x, paths: ['sites/%{facts.site}.yaml', '%{role}.yaml', common.yaml]}]\n",
        ),
        (".hiera-ls.yaml", "variables: {site: here, role: web}\n"),
        ("data/sites/oslo.yaml", "b: oslo\n"),
        ("data/sites/here.yaml", "b: here\n"),
        ("data/web.yaml", "c: web\n"),
        ("data/common.yaml", "a: \"%{site}|%{::site}|%{facts.site}\"\nb: common\n"),
        (".hiera-ls/facts/n1.json", "{\"x\": 1}"),
    ]);
    check(
        &workspace,
        &["lookup", "a", "--node", "n1", "--puppet-version", "7"],
        "--- here|here|\n",
    );
    for node in [&[][..], &["--node", "n2"]] {
        let said =
            |key: &str, more: &[&str]| said(&workspace, &[&["lookup", key], node, more].concat());
        assert_eq!(said("a", &[]), "--- here|here|%{facts.site}\n");
        assert_eq!(
            said("b", &[]),
            "# if facts.site is here:\n--- here\n# if facts.site is oslo:\n--- oslo\n# otherwise:\n--- common\n"
        );
        assert_eq!(said("c", &[]), "--- web\n");
        assert_eq!(said("b", &["--set", "site=oslo"]), "", "the variable is known");
        assert_eq!(said("b", &["--set", "facts.site=oslo"]), "--- oslo\n");
        assert_eq!(said("a", &["--set", "facts.site=oslo"]), "--- here|here|oslo\n");
    }
    let readers = said(&workspace, &["readers", "data/sites/oslo.yaml"]);
    assert!(readers.contains("where facts.site is oslo"), "{readers}");
}

#[test]
fn the_classes_of_a_classifier_are_in_its_file() {
    let workspace = Workspace::new(&[
        BY_ROLE,
        ("modules/base/manifests/init.pp", "class base { }\n"),
        (".hiera-ls/facts/n1.json", "{\"x\": 1}"),
        (".hiera-ls/facts/n1.yaml", "classes:\n  base: {}\n"),
        (".hiera-ls/facts/n2.json", "{\"classes\": [\"base\"]}"),
    ]);
    let classes = |name: &str| said(&workspace, &["classes", "--node", name]);
    let (n1, n2) = (classes("n1"), classes("n2"));
    assert!(n1.contains("base  .hiera-ls/facts/n1.yaml:2\n"), "{n1}");
    assert!(n2.contains("base  .hiera-ls/facts/n2.json:1\n"), "{n2}");
}

#[test]
fn nodes_with_their_own_names_in_a_value_share_an_answer() {
    let workspace = Workspace::new(&[
        ("hiera.yaml", "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n"),
        ("data/common.yaml", "a: \"%{trusted.certname}:%{facts.port}\"\n"),
        (".hiera-ls/facts/web01.example.org.json", "{\"port\": 80}"),
        (".hiera-ls/facts/web02.example.org.json", "{\"port\": 80}"),
        (".hiera-ls/facts/web03.example.org.json", "{\"port\": 81}"),
    ]);
    let table = "a: 3 different answers for 3 nodes\n  1 node: web03.example.org\n    web03.example.org:81\n  \
                 2 nodes: web01.example.org, web02.example.org, each with its own name in the value; web01.example.org is shown\n    \
                 web01.example.org:80\n";
    check(&workspace, &["lookup", "a", "--nodes", "all"], table);
}

#[test]
fn any_node_can_be_chosen_although_the_settings_name_one() {
    let workspace = Workspace::new(&[
        BY_ROLE,
        ("data/web.yaml", "a: web\n"),
        ("data/common.yaml", "a: common\n"),
        (".hiera-ls.yaml", "node: web01\n"),
        (".hiera-ls/facts/web01.json", "{\"role\": \"web\"}"),
    ]);
    check(&workspace, &["lookup", "a"], "--- web\n");
    let open = "# if role is web:\n--- web\n# otherwise:\n--- common\n";
    check(&workspace, &["lookup", "a", "--any-node"], open);
    check(&workspace, &["lookup", "a", "--any-node", "--set", "role=db"], "--- common\n");
}

/// No case is before the only one, so it is not called `otherwise`.
#[test]
fn a_list_that_is_not_known_leaves_one_case() {
    let workspace = Workspace::new(&[
        (
            "hiera.yaml",
            "version: 5\nhierarchy:\n- {name: node, path: 'nodes/%{trusted.certname}.yaml'}\n\
             - {name: tiers, mapped_paths: [facts.tiers, tier, 't/%{tier}.yaml']}\n\
             - {name: common, path: common.yaml}\n",
        ),
        ("data/t/gold.yaml", "a: gold\n"),
        ("data/common.yaml", "a: 😀\n"),
        ("data/nodes/web01.yaml", ""),
    ]);
    let why = "# 1 file of level \"tiers\" may decide this, depending on tiers\n";
    let only = "# unless one of the following decides:\n";
    let psychs = format!("{only}--- \"\\U0001F600\"\n{why}");
    check(&workspace, &["lookup", "a", "--any-node"], &psychs);
    let of_nodes = said(&workspace, &["lookup", "a", "--nodes", "all"]);
    assert!(of_nodes.contains("    --- \"😀\"\n"), "{of_nodes}");
}

/// The messages of a command.
fn complaints(workspace: &Workspace, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hiera-ls"));
    let output = command.args(arguments).current_dir(workspace.root()).output();
    String::from_utf8(output.expect("the program runs").stderr).expect("UTF-8")
}

#[test]
fn arguments_that_change_nothing_are_named() {
    let workspace = Workspace::new(&[
        BY_ROLE,
        ("data/common.yaml", "a: \"%{facts.os.family}\"\n"),
        ("modules/m/hiera.yaml", "version: 5\nhierarchy: [{name: x, path: '%{site}.yaml'}]\n"),
        ("other/x.txt", ""),
    ]);
    let useless =
        "warning: --set rolle: no hierarchy and no data file reads it; did you mean role?\n";
    let said = complaints(&workspace, &["lookup", "a", "--set", "rolle=x"]);
    assert!(said.starts_with(&format!("hiera-ls: {useless}")), "{said}");
    for set in ["role=x", "facts.os.family=x", "site=x"] {
        let said = complaints(&workspace, &["lookup", "a", "--set", set]);
        assert!(!said.contains("--set"), "{said}");
    }
    let missing = [("--modulepath", "directory"), ("--hiera-config", "file")];
    for (option, kind) in missing {
        let said = complaints(&workspace, &["lookup", "a", option, "nowhere"]);
        assert!(said.contains(&format!("nowhere: no such {kind}\n")), "{said}");
    }
    let said = complaints(&workspace, &["lookup", "a", "--hiera-config", "data"]);
    assert!(said.contains("data: this is not a file\n"), "{said}");
    workspace.write(".hiera-ls.yaml", "facts: .hiera-ls/facts\n");
    workspace.write(".hiera-ls/facts/web.json", "{");
    let said = complaints(&workspace, &["lookup", "a", "--node", "x"]);
    assert_eq!(said.matches("web.json:1: ").count(), 1, "{said}");
    let said = complaints(&workspace, &["lookup", "a", "--explain", "--blame"]);
    assert!(said.contains("no commits are shown: "), "{said}");
    let said = complaints(&workspace, &["check", "other"]);
    assert!(said.contains("nothing to check: "), "{said}");
}

#[test]
fn variables_that_fact_sets_lack_are_counted() {
    let workspace = Workspace::new(&[
        (
            "hiera.yaml",
            "version: 5\nhierarchy: [{name: x, path: '%{trusted.extensions.pp_role}.yaml'}]\n",
        ),
        (".hiera-ls/facts/a.json", "{\"x\": 1}"),
        (
            ".hiera-ls/facts/b.json",
            "{\"x\": 1, \"trusted\": {\"extensions\": {\"pp_role\": \"web\"}}}",
        ),
    ]);
    let listed = said(&workspace, &["nodes"]);
    let expected = "  trusted.extensions.pp_role  known for all 2 nodes; not set for 1\nA fact set without `trusted`";
    assert!(listed.contains(expected), "{listed}");
}

/// The standard error of a command.
fn complaint(workspace: &Workspace, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hiera-ls"));
    let output = command.args(arguments).current_dir(workspace.root()).output();
    String::from_utf8(output.expect("the program runs").stderr).expect("UTF-8")
}

#[test]
fn two_fact_sets_of_a_node() {
    let workspace = Workspace::new(&[
        BY_ROLE,
        ("data/web.yaml", "a: web\n"),
        ("data/db.yaml", "a: db\n"),
        (".hiera-ls/facts/copy.json", "{\"role\": \"web\", \"fqdn\": \"web9.x\"}"),
        (".hiera-ls/facts/web9.x.json", "{\"role\": \"db\", \"fqdn\": \"web9.x\"}"),
    ]);
    check(&workspace, &["lookup", "a", "--node", "web9.x"], "--- db\n");
    for command in ["nodes", "check"] {
        let said = complaint(&workspace, &[command]);
        assert!(said.contains("copy.json:1: two fact sets describe web9.x: "), "{said}");
        assert_eq!(said.matches("two fact sets").count(), 1, "{said}");
    }
}

#[test]
fn a_file_with_the_facts_of_several_nodes() {
    let workspace = Workspace::new(&[
        BY_ROLE,
        ("data/web.yaml", "a: web\n"),
        ("data/db.yaml", "a: db\n"),
        (
            "facts.json",
            "[{\"certname\": \"n1\", \"facts\": {\"role\": \"web\"}}, {\"certname\": \"n2\", \"facts\": {\"role\": \"db\"}}]",
        ),
    ]);
    let lookup = ["lookup", "a", "--facts", "facts.json"];
    check(&workspace, &[&lookup[..], &["--node", "n2"]].concat(), "--- db\n");
    let said = complaint(&workspace, &lookup);
    assert!(said.contains("the file has the facts of 2 nodes; choose one with --node"), "{said}");
    let said = complaint(&workspace, &[&lookup[..], &["--node", "nope"]].concat());
    assert!(said.contains("no facts of nope in facts.json"), "{said}");
}

#[test]
fn names_of_nodes_that_are_not_known() {
    let workspace = Workspace::new(&[
        BY_ROLE,
        ("data/common.yaml", "a: 1\n"),
        (".hiera-ls/facts/n1.json", "{\"role\": \"db\"}"),
    ]);
    let said = complaint(&workspace, &["lookup", "a", "--nodes", "n1,zz"]);
    assert_eq!(said.matches("is not a known node").count(), 1, "{said}");
    assert!(said.contains("zz is not a known node; only its name is used"), "{said}");
    let said = complaint(&workspace, &["lookup", "a", "--node", "n*"]);
    assert!(said.contains("--nodes takes patterns"), "{said}");
}

/// A name brings all facts of its fact set, and a variable that is set brings only itself.
#[test]
fn a_node_is_named_where_its_name_is_open() {
    let workspace = Workspace::new(&[
        (
            "hiera.yaml",
            "version: 5\nhierarchy: [{name: x, paths: ['%{trusted.certname}.yaml', '%{role}.yaml', c.yaml]}]\n",
        ),
        ("data/n1.yaml", "a: 1\n"),
        ("data/web.yaml", "a: 2\nb: 2\n"),
    ]);
    let said = complaint(&workspace, &["lookup", "a"]);
    let expected = "hiera-ls: a depends on trusted.certname and role, which are not known; name the node with --node NAME\n";
    assert_eq!(said, expected);
    let set = "hiera-ls: b depends on role, which is not known; set it with --set role=VALUE\n";
    assert_eq!(complaint(&workspace, &["lookup", "b", "--node", "n2"]), set);
}

/// A node may have the structured fact and not the legacy one, and the other way round.
#[test]
fn a_legacy_fact_of_a_fact_set_is_not_its_structured_fact() {
    let workspace = Workspace::new(&[
        (
            "hiera.yaml",
            "version: 5\nhierarchy: [{name: x, paths: ['%{fqdn}.yaml', '%{facts.networking.fqdn}.yaml', c.yaml]}]\n",
        ),
        (".hiera-ls/facts/n1.json", "{\"fqdn\": \"a.x\"}"),
        (".hiera-ls/facts/n2.json", "{\"fqdn\": \"b.x\", \"networking\": {\"fqdn\": \"c.x\"}}"),
    ]);
    let listed = said(&workspace, &["nodes"]);
    let read = "  fqdn                   known for all 2 nodes\n\
                \x20 facts.networking.fqdn  known for all 2 nodes; not set for 1\n";
    assert!(listed.ends_with(read), "{listed}");
    let json = said(&workspace, &["nodes", "--json"]);
    let known = |facts: &str| json.contains(&format!("\"known\": {{\n      {facts}\n"));
    assert!(known("\"fqdn\": \"a.x\""), "{json}");
    assert!(known("\"fqdn\": \"b.x\",\n      \"facts.networking.fqdn\": \"c.x\""), "{json}");
}

/// A program that fills in the values must know which facts they show.
#[test]
fn json_has_one_name_for_each_open_fact() {
    let workspace = Workspace::new(&[
        ("hiera.yaml", "version: 5\nhierarchy: [{name: x, path: common.yaml}]\n"),
        (
            "data/common.yaml",
            "a: '%{facts.role}%{::role}%{role}'\nb: '%{osfamily}%{facts.os.family}'\n",
        ),
    ]);
    let line = |key| said(&workspace, &["lookup", key, "--render-as", "jsonl"]);
    assert!(line("a").ends_with("\"open\":[\"role\"]}\n"), "{}", line("a"));
    assert!(line("b").ends_with("\"open\":[\"facts.os.family\"]}\n"), "{}", line("b"));
}
