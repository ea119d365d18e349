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
