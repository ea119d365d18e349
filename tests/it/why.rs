//! `lookup --why`: the value and its reasons in a few lines, and a suggestion for a missing key.

use std::process::Command;

use crate::support::workspace::Workspace;

const HIERA_YAML: &str = "version: 5\nhierarchy:\n  - {name: Roles, path: 'roles/%{role}.yaml'}\n  - {name: Common, path: common.yaml}\n";
const COMMON: &str =
    "lookup_options: {list: {merge: unique}}\nlist: [b]\nport: 80\nsecret: ENC[PKCS7,abc]\n";

/// Runs `lookup`; returns its exit status and both outputs.
fn run(arguments: &[&str]) -> (i32, String, String) {
    let workspace = Workspace::new(&[
        ("hiera.yaml", HIERA_YAML),
        ("data/roles/web.yaml", "list: [a]\nport: 8080\n"),
        ("data/common.yaml", COMMON),
    ]);
    let output = Command::new(env!("CARGO_BIN_EXE_hiera-ls"))
        .arg("lookup")
        .args(arguments)
        .current_dir(workspace.path(""))
        .output()
        .expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let status = output.status.code().expect("the program ends by itself");
    (status, text(output.stdout), text(output.stderr))
}

#[test]
fn each_level_is_named_with_its_line() {
    let (status, shown, _) = run(&["list", "--why", "--set", "role=web"]);
    let expected = "\
list for any node, environment production

- a
- b

Merge strategy unique, set in data/common.yaml:1

1. level \"Roles\" · data/roles/web.yaml:1
2. level \"Common\" · data/common.yaml:2
";
    assert_eq!((status, &*shown), (0, expected));
}

#[test]
fn what_depends_on_facts_is_told_in_cases() {
    let (status, shown, _) = run(&["port", "--why"]);
    assert_eq!(status, 3);
    assert!(shown.contains("- 8080 if role is web (data/roles/web.yaml:2)"), "{shown}");
}

#[test]
fn of_several_keys_each_is_told_and_a_missing_one_fails() {
    let (status, shown, _) = run(&["list", "nope", "--why", "--set", "role=db"]);
    assert_eq!(status, 1);
    assert!(shown.contains("nope for any node"), "{shown}");
    assert!(shown.contains("Not found: a lookup of this key fails."), "{shown}");
}

#[test]
fn what_is_encrypted_is_not_shown() {
    let (_, shown, _) = run(&["secret", "--why", "--set", "role=db"]);
    assert!(shown.contains("ENC[…] (encrypted, not shown)"), "{shown}");
    assert!(!shown.contains("abc"), "{shown}");
}

#[test]
fn what_the_server_sets_is_not_known_even_with_a_fact_set() {
    let workspace = Workspace::new(&[
        (
            "hiera.yaml",
            "version: 5\nhierarchy: [{name: Server, path: '%{settings::environment}.yaml'}, {name: Common, path: common.yaml}]\n",
        ),
        ("data/test.yaml", "port: 1\n"),
        ("data/common.yaml", "port: 2\nname: 'in %{settings::environment}'\n"),
        ("web01.json", r#"{"os": {"family": "Debian"}}"#),
    ]);
    let said = |key: &str, more: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_hiera-ls"))
            .args(["lookup", key, "--facts", "web01.json"])
            .args(more)
            .current_dir(workspace.path(""))
            .output()
            .expect("the program runs");
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(said).expect("UTF-8"))
    };
    let (status, name) = said("name", &[]);
    assert_eq!(status, Some(3), "{name}");
    assert!(name.contains("--- in %{settings::environment}\n"), "{name}");
    let (status, port) = said("port", &[]);
    assert_eq!(status, Some(3), "{port}");
    assert!(port.contains("--- 2\n"), "{port}");
    assert_eq!(
        said("port", &["--set", "settings::environment=test"]),
        (Some(0), "--- 1\n".to_owned())
    );
    std::fs::write(workspace.path("vars.json"), r#"{"settings::environment": "test"}"#)
        .expect("the directory is there");
    assert_eq!(said("port", &["--vars", "vars.json"]), (Some(0), "--- 1\n".to_owned()));
}

#[test]
fn a_misspelt_key_is_met_with_the_one_that_is_there() {
    let (status, shown, said) = run(&["lits", "--set", "role=db"]);
    assert_eq!((status, &*shown), (1, ""));
    assert!(said.contains("hiera-ls: did you mean `list`?"), "{said}");
}

#[test]
fn options_without_effect_are_refused() {
    let refused = |arguments: &[&str], message: &str| {
        let (status, shown, said) = run(arguments);
        assert_eq!((status, &*shown), (1, ""), "{arguments:?}");
        assert!(said.contains(message), "{said}");
    };
    let several = "--why is for one node and cannot be used with several";
    refused(&["port", "--why", "--nodes", "all"], several);
    let several = "--class is for one node and cannot be used with several";
    refused(&["--class", "ntp", "--nodes", "all"], several);
    refused(&["--class", "ntp", "--facts", "."], several);
    refused(&["port", "--why", "--merge", "deep"], "cannot be used with");
    refused(&["port", "--origins"], "--origins is for --explain");
    let explained = ["port", "--explain", "--blame", "--render-as", "json"];
    refused(&explained, "--blame is for explanations as text, without --render-as");
    let needs = "--explain is for the keys in the arguments; with --all or --keys-from, it needs --render-as jsonl";
    refused(&["--all", "--explain"], needs);
    refused(&["--all", "--set", "=x"], "--set =x: write NAME=VALUE");
    refused(&["--all", "--set", "a b=x"], "--set a b=x: a b is not the name of a variable");
    let (status, shown, _) =
        run(&["--all", "--explain", "--render-as", "jsonl", "--set", "role=db"]);
    assert!(status == 0 && shown.contains("explain"), "{shown}");
}

#[test]
fn lines_with_more_than_a_key_are_refused() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("keys");
    let file = file.to_str().expect("UTF-8");
    for (line, what) in [
        (r#"{"key":"nope","default":7}"#, "nope has default"),
        (r#"{"key":"port","type":"String"}"#, "port has type"),
    ] {
        std::fs::write(file, format!("list\n{line}\n")).expect("a file");
        let (status, shown, said) = run(&["--keys-from", file, "--why"]);
        let expected = format!(
            "hiera-ls: --why cannot be used with lines that have merge, default or type, and the line for {what}\n"
        );
        assert_eq!((status, &*shown, said), (1, "", expected));
    }
    std::fs::write(file, "list\n{\"key\":\"port\"}\n").expect("a file");
    let (status, shown, _) = run(&["--keys-from", file, "--why", "--set", "role=web"]);
    assert_eq!(status, 0);
    assert!(shown.contains("\nport for any node"), "{shown}");
}

/// The place of an inserted value is that of its key, also if an alias or a part of a merged list is there.
#[test]
fn inserted_values_are_named_where_their_keys_are() {
    let workspace = Workspace::new(&[
        (
            "hiera.yaml",
            "version: 5\nhierarchy: [{name: High, path: high.yaml}, {name: Common, path: common.yaml}]\n",
        ),
        ("data/high.yaml", "map: {q: \"%{alias('other')}\"}\nlist: [\"%{alias('other')}\"]\n"),
        (
            "data/common.yaml",
            "lookup_options: {map: {merge: deep}, list: {merge: unique}}\nmap: {q: [1]}\nlist: [1]\nother: [2]\n\
             alias: \"%{alias('text')}\"\ntext: abc\nhash: {member: \"%{alias('text')}\"}\n\
             outer: \"%{alias('hash')}\"\nboth: \"%{lookup('alias')} %{lookup('outer.member')} %{lookup('alias')}\"\n",
        ),
    ]);
    let inserted = |key: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_hiera-ls"))
            .args(["lookup", "--why", key])
            .current_dir(workspace.path(""))
            .output()
            .expect("the program runs");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let (_, inserted) = text.split_once("Inserted values: ").expect("some are inserted");
        inserted.trim_end().replace("data/common.yaml:", "").replace('`', "")
    };
    assert_eq!(inserted("map"), "other (4)");
    assert_eq!(inserted("list"), "other (4)");
    assert_eq!(inserted("both"), "alias (5), outer.member (8), text (6), hash (7)");
}

#[test]
fn a_name_that_nothing_knows_is_not_called_known() {
    let (_, shown, _) = run(&["list", "--why", "--node", "mistyped.example"]);
    let expected = "list for node mistyped.example (without facts and data of its own)";
    assert!(shown.starts_with(expected), "{shown}");
}
