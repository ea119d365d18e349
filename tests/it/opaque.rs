//! The output of `hiera-ls lookup` for what is not known: levels that cannot be evaluated, and the cases of open facts.

use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::support::workspace::Workspace;

const HIERA_YAML: &str = "\
version: 5
hierarchy:
  - {name: High, path: high.yaml}
  - {name: Vault, data_hash: hiera_vault, uri: 'https://vault'}
  - {name: Low, path: low.yaml}
";

fn workspace() -> Workspace {
    Workspace::new(&[
        ("hiera.yaml", HIERA_YAML),
        ("data/high.yaml", "a: high\n"),
        ("data/low.yaml", "a: low\nb: low\nc: {x: 1}\n"),
        ("sample.yaml", "b: \"sampled %{lookup('a')}\"\nc: {y: 2}\n"),
    ])
}

fn lookup(workspace: &Workspace, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hiera-ls"))
        .args(["lookup", "--root", workspace.root()])
        .args(arguments)
        .output()
        .expect("the command runs")
}

#[track_caller]
fn check(workspace: &Workspace, arguments: &[&str], expected: &Value) {
    let output = lookup(workspace, &[arguments, &["--render-as", "jsonl"]].concat());
    let line: Value = serde_json::from_slice(&output.stdout).expect("a line of JSON");
    assert_eq!(&line, expected);
}

#[test]
fn what_an_opaque_level_may_decide_is_unknown() {
    let workspace = workspace();
    check(&workspace, &["a"], &json!({"key": "a", "status": "found", "value": "high"}));
    let unknown = json!({"key": "b", "status": "unknown", "value": "low", "opaque": ["Vault"]});
    check(&workspace, &["b"], &unknown);
    check(&workspace, &["d"], &json!({"key": "d", "status": "unknown", "opaque": ["Vault"]}));
    let merged = json!({
        "key": "c", "status": "unknown", "value": {"x": 1}, "opaque": ["Vault"], "merge": "hash",
    });
    check(&workspace, &["c", "--merge", "hash"], &merged);
    let said = lookup(&workspace, &["b"]);
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    let expected = "may come from level 'Vault' (hiera_vault is not evaluated here)";
    assert!(said.contains(expected), "no `{expected}` in: {said}");
    let explained = lookup(&workspace, &["b", "--explain"]);
    let explained = String::from_utf8_lossy(&explained.stdout).into_owned();
    let expected = "Unknown: back end \"hiera_vault\" is not evaluated here";
    assert!(explained.contains(expected), "no `{expected}` in: {explained}");
}

#[test]
fn cases_that_an_opaque_level_may_decide() {
    let levels = "[{name: role, path: 'r/%{role}.yaml'}, {name: Vault, lookup_key: hiera_vault}, {name: low, path: low.yaml}]";
    let workspace = Workspace::new(&[
        ("hiera.yaml", &format!("version: 5\nhierarchy: {levels}\n")),
        ("data/r/web.yaml", "a: high\nb: high\n"),
        ("data/low.yaml", "b: low\nc: low\n"),
        (".hiera-ls.yaml", "nodes: {n: {variables: {x: 1}}}\n"),
    ]);
    let source = "may come from level 'Vault' (hiera_vault is not evaluated here)";
    let cases = format!(
        "# if role is web:\n--- high\n# otherwise:\n# not known\n# {source}\n\
         # if role is web:\n--- high\n# otherwise:\n--- low\n# {source}\n"
    );
    let shown = |arguments: &[&str]| {
        let output = lookup(&workspace, arguments);
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert_eq!([shown(&["a"]), shown(&["b"])].concat(), cases);
    let of_nodes = shown(&["b", "--nodes", "all"]);
    assert!(
        of_nodes.contains(&format!("    # otherwise:\n    --- low\n    # {source}\n")),
        "{of_nodes}"
    );
    let all = shown(&["--all"]);
    assert!(all.ends_with(&format!("# c: {source}\n--- low\n")), "{all}");
}

/// `--render-as json` prints one JSON value, whatever is asked for.
#[test]
fn each_case_has_its_explanation_and_each_key_its_record() {
    let workspace = Workspace::new(&[
        ("hiera.yaml", "version: 5\nhierarchy: [{name: r, paths: ['r/%{role}.yaml', low.yaml]}]\n"),
        ("data/r/web.yaml", "a: high\n"),
        ("data/low.yaml", "a: low\nb: ~\n"),
    ]);
    let json = |arguments: &[&str]| -> Value {
        let output = lookup(&workspace, &[arguments, &["--render-as", "json"]].concat());
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let explained = json(&["a", "--explain"]);
    let names = |it: &Value| it["explain"]["branches"].is_array();
    let cases = explained["cases"].as_array().expect("cases");
    assert!(cases.len() == 2 && cases.iter().all(names), "{explained}");
    let lines = lookup(&workspace, &["a", "--explain", "--render-as", "jsonl"]);
    let line: Value = serde_json::from_slice(&lines.stdout).expect("a line of JSON");
    let found = |case: &Value| {
        let text = case["explain"].as_str().expect("an explanation");
        text.contains(&format!("Found key: \"a\" value: {}", case["value"]))
    };
    let cases = line["cases"].as_array().expect("cases");
    assert!(cases.len() == 2 && cases.iter().all(found), "{line}");
    let role = ["--all", "--set", "role=web"];
    let all = json!([
        {"key": "a", "status": "found", "value": "high"},
        {"key": "b", "status": "found", "value": null},
    ]);
    assert_eq!(json(&role), all);
}

#[test]
fn a_null_is_no_empty_line_in_a_table() {
    let workspace = Workspace::new(&[
        ("hiera.yaml", "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n"),
        ("data/common.yaml", "a: ~\n"),
        (".hiera-ls.yaml", "nodes: {n: {facts: {x: 1}}}\n"),
    ]);
    let output = lookup(&workspace, &["a", "--nodes", "all"]);
    let shown = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(shown, "a: the answer for 1 node\n  1 node: n\n    ~\n");
}

#[test]
fn environment_variables_in_hocon_are_not_known() {
    let levels = "[{name: h, path: x.conf, data_hash: hocon_data}, {name: low, path: low.yaml}]";
    let workspace = Workspace::new(&[
        ("hiera.yaml", &format!("version: 5\nhierarchy: {levels}\n")),
        ("data/x.conf", "a = ${HOME}/x\nb = ${?HOME}\nq = 1\n"),
        ("data/low.yaml", "b: low\nc: \"%{alias('a')}\"\n"),
    ]);
    check(&workspace, &["q"], &json!({"key": "q", "status": "found", "value": 1}));
    check(&workspace, &["a"], &json!({"key": "a", "status": "unknown", "opaque": ["h"]}));
    let unknown = json!({"key": "b", "status": "unknown", "value": "low", "opaque": ["h"]});
    check(&workspace, &["b"], &unknown);
    let unknown = json!({"key": "c", "status": "unknown", "value": "", "opaque": ["h"]});
    check(&workspace, &["c"], &unknown);
    let said = lookup(&workspace, &["a"]);
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    let expected = "hiera-ls: the value may come from level 'h' (hocon_data depends on the environment variable `HOME` of the \
                    Puppet server)\n";
    assert_eq!(said, expected);
    let all = lookup(&workspace, &["--all"]);
    let all = String::from_utf8_lossy(&all.stdout).into_owned();
    let expected = "# a: not known, may come from level 'h' (hocon_data depends on the environment variable `HOME` of the Puppet \
                    server)\n";
    assert!(all.starts_with(expected), "{all}");
}

#[test]
fn environment_variables_in_options_end_lookups() {
    let workspace = Workspace::new(&[
        ("hiera.yaml", "version: 5\nhierarchy: [{name: h, path: x.conf, data_hash: hocon_data}]\n"),
        ("data/x.conf", "a = 1\nlookup_options { a { merge = ${?MERGE} } }\n"),
    ]);
    let said = lookup(&workspace, &["a"]);
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    let expected =
        "lookup_options depends on the environment variable `MERGE` of the Puppet server";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn sample_data_decide() {
    let workspace = workspace();
    workspace.write(".hiera-ls.yaml", "backends: {hiera_vault: {stand_in: sample.yaml}}\n");
    let found = json!({"key": "b", "status": "found", "value": "sampled high"});
    check(&workspace, &["b"], &found);
    let merged = json!({"key": "c", "status": "found", "value": {"x": 1, "y": 2}, "merge": "hash"});
    check(&workspace, &["c", "--merge", "hash"], &merged);
}

/// Options and locations decide nothing about sample data, whatever they read.
#[test]
fn sample_data_decide_for_any_node() {
    let vault = |rest: &str| format!("{{name: Vault, lookup_key: hiera_vault, {rest}}}");
    for level in [
        vault("options: {mounts: ['%{trusted.certname}', common]}"),
        vault("uri: 'https://vault/%{role}'"),
        vault(
            "options: {name: '%{trusted.certname}'}, uris: ['https://vault/%{role}', 'https://vault/common']",
        ),
        "{name: Old, hiera3_backend: hiera_vault, path: 'nodes/%{role}'}".to_owned(),
    ] {
        let is_global = level.contains("Old");
        let hierarchy =
            format!("version: 5\nhierarchy: [{level}, {{name: low, path: low.yaml}}]\n");
        let settings = if is_global { "globalHieraYaml: global.yaml\n" } else { "" };
        let settings = format!("{settings}backends: {{hiera_vault: {{stand_in: sample.yaml}}}}\n");
        let own = if is_global { "version: 5\n" } else { &*hierarchy };
        let workspace = Workspace::new(&[
            ("hiera.yaml", own),
            ("global.yaml", &hierarchy),
            (".hiera-ls.yaml", &settings),
            ("data/low.yaml", "b: low\n"),
            ("sample.yaml", "b: sampled\n"),
        ]);
        check(&workspace, &["b"], &json!({"key": "b", "status": "found", "value": "sampled"}));
    }
}

#[cfg(unix)]
#[test]
fn programs_run_only_if_the_directory_is_trusted() {
    let workspace = workspace();
    let settings = "backends: {hiera_vault: {command: [sh, program.sh], timeout: 30}}\n";
    workspace.write(".hiera-ls.yaml", settings);
    let program = "read -r line\necho '{\"id\":2,\"result\":{\"value\":{\"b\":\"asked\"}}}'\ncat\n";
    workspace.write("program.sh", program);
    let unknown = json!({"key": "b", "status": "unknown", "value": "low", "opaque": ["Vault"]});
    check(&workspace, &["b"], &unknown);
    check(&workspace, &["b", "--trust"], &json!({"key": "b", "status": "found", "value": "asked"}));
}
