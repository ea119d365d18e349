//! `hiera-ls check` and `hiera-ls rule` as people, hooks and CI run them.

use std::process::{Command, Output};

use serde_json::Value as Json;

use crate::support::workspace::Workspace;

const HIERA_YAML: &str = "\
version: 5
hierarchy:
  - name: Nodes
    path: \"nodes/%{trusted.certname}.yaml\"
  - name: Common data
    path: common.yaml
";

fn workspace(common: &str) -> Workspace {
    Workspace::new(&[("hiera.yaml", HIERA_YAML), ("data/common.yaml", common)])
}

fn run(workspace: &Workspace, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_hiera-ls"))
        .args(arguments)
        .current_dir(workspace.root())
        .output()
        .expect("the program runs");
    let Output { status, stdout, stderr } = output;
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (status.code(), text(stdout), text(stderr))
}

#[track_caller]
fn check(common: &str, arguments: &[&str], status: i32, expected: &str) {
    let found = run(&workspace(common), &[&["check"], arguments].concat());
    assert_eq!((found.0, &*found.1), (Some(status), expected), "{}", found.2);
}

#[test]
fn findings_are_shown_in_the_text() {
    check(
        "\na: \"ü %{lokup('b')} x\"\n",
        &[],
        1,
        "\
error[unknown-function]: Unknown interpolation method 'lokup'
 --> data/common.yaml:2:7
  |
2 | a: \"ü %{lokup('b')} x\"
  |       ^^^^^^^^^^^^^
  = Did you mean `lookup`?

",
    );
}

#[test]
fn one_line_each() {
    check(
        "a: \"%{lokup('b')}\"\n",
        &["--format", "concise"],
        1,
        "data/common.yaml:1:5: error[unknown-function] Unknown interpolation method 'lokup'. Did you mean `lookup`?\n",
    );
}

#[test]
fn nothing_found() {
    check("a: 1\n", &[], 0, "");
    check("a: 1\n", &["--format", "json"], 0, "[]\n");
    let (_, _, complaint) = run(&workspace("a: 1\n"), &["check"]);
    assert_eq!(complaint, "hiera-ls: All checks passed (2 files)\n");
}

#[test]
fn nothing_checked() {
    let workspace = workspace("a: 1\n");
    workspace.write("README.md", "a\n");
    let said = |more: &[&str]| {
        let (status, _, complaint) =
            run(&workspace, &[&["check", "--skip-other-files"], more].concat());
        (status, complaint)
    };
    assert_eq!(said(&["README.md"]), (Some(0), "hiera-ls: No file was checked\n".to_owned()));
    assert_eq!(
        said(&["README.md", "hiera.yaml"]),
        (Some(0), "hiera-ls: All checks passed (1 file)\n".to_owned())
    );
}

#[test]
fn exit_zero_and_min_severity() {
    let duplicate = "a: 1\na: 2\n";
    let concise = "data/common.yaml:2:1: warning[duplicate-key] `a` is already a key of this hash. Only this last \
                   value counts; remove one of them.\n";
    check(duplicate, &["--format", "concise"], 1, concise);
    check(duplicate, &["--format", "concise", "--exit-zero"], 0, concise);
    check(duplicate, &["--min-severity", "error"], 0, "");
}

#[test]
fn statistics() {
    check(
        "a: '%{lookup('''')}'\nb: \"%{lokup('x')} %{lokup('y')}\"\n",
        &["--statistics"],
        1,
        "     2  unknown-function            A `%{…}` calls something other than `lookup`, `hiera`, `alias`, `literal` or `scope`.\n     1  \
         malformed-token             A `%{…}` is neither a variable nor a call of the form `name('argument')`.\n",
    );
}

#[test]
fn statistics_for_programs() {
    let workspace = workspace("a: '%{lookup('''')}'\nb: \"%{lokup('x')} %{lokup('y')}\"\n");
    let (status, text, _) = run(&workspace, &["check", "--statistics", "--format", "json"]);
    let counts: Json = serde_json::from_str(&text).expect("JSON");
    let expected = serde_json::json!([
        {"code": "unknown-function", "findings": 2}, {"code": "malformed-token", "findings": 1},
    ]);
    assert_eq!((status, counts), (Some(1), expected));
    let (status, _, why) = run(&workspace, &["check", "--statistics", "--format", "sarif"]);
    assert_eq!(status, Some(2));
    assert!(why.contains("--statistics prints a text, or with --format json an array"), "{why}");
}

#[test]
fn only_the_given_files() {
    let workspace = workspace("a: 1\na: 2\n");
    workspace.write("data/nodes/one.yaml", "b: 1\nb: 2\n");
    workspace.write("notes.yaml", "c: 1\nc: 2\n");
    let count = |paths: &[&str]| {
        let arguments = [&["check", "--format", "concise"], paths].concat();
        let (status, text, _) = run(&workspace, &arguments);
        (status, text.lines().count())
    };
    assert_eq!(count(&[]), (Some(1), 2));
    assert_eq!(count(&["data/nodes"]), (Some(1), 1));
    assert_eq!(count(&["data/nodes/one.yaml", "data/common.yaml", "data"]), (Some(1), 2));
    assert_eq!(count(&["notes.yaml"]), (Some(2), 0));
    assert_eq!(count(&["notes.yaml", "data/common.yaml"]), (Some(2), 0));
    assert_eq!(count(&["--skip-other-files", "notes.yaml"]), (Some(0), 0));
    assert_eq!(count(&["nothing.yaml"]), (Some(2), 0));
}

#[test]
fn standard_input_must_be_a_file_of_the_workspace() {
    let workspace = workspace("a: 1\n");
    let status = |arguments: &[&str]| {
        let arguments = [&["check", "--stdin-filename"], arguments].concat();
        run(&workspace, &arguments).0
    };
    assert_eq!(status(&["docs/x.txt"]), Some(2));
    assert_eq!(status(&["docs/x.txt", "--skip-other-files"]), Some(0));
    assert_eq!(status(&["data/nodes/new.yaml"]), Some(0));
}

#[test]
fn a_check_without_rules_does_not_pass() {
    let arguments = ["check", "--select", "octal-number", "--ignore", "octal-number"];
    let (status, _, error) = run(&workspace("a: 010\n"), &arguments);
    assert_eq!(status, Some(2));
    assert!(error.contains("no rule is left"), "{error}");
}

#[test]
fn conflicts_are_not_fixed() {
    let text = "x: 1\n<<<<<<< HEAD\nplain: 1\n=======\nplain: 2\n>>>>>>> b\n";
    let workspace = workspace(text);
    let (status, found, _) = run(&workspace, &["check", "--fix", "--format", "concise"]);
    assert_eq!((status, found.lines().count()), (Some(1), 1), "{found}");
    assert!(found.contains("Unresolved merge conflict"), "{found}");
    let after = std::fs::read_to_string(format!("{}/data/common.yaml", workspace.root()));
    assert_eq!(after.expect("the file is there"), text);
}

#[test]
fn the_repository_around_the_named_files_is_the_workspace() {
    let workspace = Workspace::new(&[
        ("one/.git/HEAD", ""),
        ("one/hiera.yaml", HIERA_YAML),
        ("one/data/common.yaml", "a: 1\na: 2\n"),
        ("other/hiera.yaml", "not: read\n"),
        ("elsewhere/notes.txt", ""),
    ]);
    let from = |directory: &str, path: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_hiera-ls"))
            .args(["check", "--format", "concise", path])
            .current_dir(std::path::Path::new(workspace.root()).join(directory))
            .output()
            .expect("the program runs");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        (output.status.code(), text.split(": ").next().unwrap_or_default().to_owned())
    };
    assert_eq!(from("", "one/data"), (Some(1), "one/data/common.yaml:2:1".to_owned()));
    assert_eq!(from("one/data", "common.yaml"), (Some(1), "common.yaml:2:1".to_owned()));
    // This path is not below the current directory, and must still be one that can be opened from there.
    let shown = format!("{}/one/data/common.yaml:2:1", workspace.root());
    assert_eq!(from("elsewhere", "../one/data/common.yaml"), (Some(1), shown));
}

#[test]
fn wrong_arguments() {
    let empty = Workspace::new(&[]);
    assert_eq!(run(&empty, &["check", "--root", "no/such"]).0, Some(2));
    assert_eq!(run(&empty, &["check", "--format", "nope"]).0, Some(2));
}

#[test]
fn settings_decide_severities() {
    let workspace = workspace("a: 1\na: 2\n");
    workspace.write(".hiera-ls.yaml", "diagnostics: {severity: {duplicate-key: error}}\n");
    let (_, text, _) = run(&workspace, &["check", "--format", "concise"]);
    assert!(text.contains("error[duplicate-key]"), "{text}");
    workspace.write(".hiera-ls.yaml", "diagnostics: {severity: {duplicate-key: 'off'}}\n");
    assert_eq!(run(&workspace, &["check"]).0, Some(0));
}

#[test]
fn secrets_are_never_shown() {
    let common = "\
lookup_options:
  secret: {convert_to: Sensitive}
secret: \"hunter2 %{lokup('b')}\"
encrypted: \"ENC[PKCS7,hunter2] %{lookup('')}\"
";
    for format in ["full", "concise", "json", "sarif", "github", "gitlab", "junit"] {
        let (status, text, _) = run(&workspace(common), &["check", "--format", format]);
        assert_eq!(status, Some(1));
        assert!(text.contains("unknown-function") && text.contains("malformed-token"), "{text}");
        assert!(!text.contains("hunter2"), "{format}: {text}");
    }
}

#[test]
fn files_that_cannot_be_parsed_show_no_secrets() {
    let levels = "version: 5\nhierarchy:\n  - {name: j, data_hash: json_data, path: j.json}\n  \
                  - {name: y, paths: [web.yaml, common.yaml]}\n";
    let files = [
        ("hiera.yaml", levels),
        ("data/common.yaml", "lookup_options:\n  pw: {convert_to: Sensitive}\n"),
        ("data/web.yaml", "pw: \"hunter2\" x\nport: 080 x: y\n"),
        ("data/j.json", "{\n\"x\": 1,\noops\n\"pw\": \"hunter2\"\n}\n"),
    ];
    for format in ["full", "concise", "json", "sarif", "github", "gitlab", "junit"] {
        let (status, text, _) = run(&Workspace::new(&files), &["check", "--format", format]);
        assert_eq!(status, Some(1));
        assert!(text.contains("json-syntax") && text.contains("yaml-syntax"), "{format}: {text}");
        assert!(!text.contains("hunter2"), "{format}: {text}");
    }
}

/// The words of the parser quote nothing, so they are shown; a name that Ruby does not know may be part of a secret.
#[test]
fn files_that_cannot_be_parsed_say_why_also_beside_secrets() {
    let shown = |web: &str| {
        let files = [
            (
                "hiera.yaml",
                "version: 5\nhierarchy:\n  - {name: y, paths: [web.yaml, common.yaml]}\n",
            ),
            ("data/common.yaml", "lookup_options:\n  '^pw.*': {convert_to: Sensitive}\n"),
            ("data/web.yaml", web),
        ];
        run(&Workspace::new(&files), &["check", "--format", "concise"]).1
    };
    let check = |web: &str, expected: &str| {
        let text = shown(web);
        assert!(text.contains(expected) && !text.contains("hunter2"), "{text}");
    };
    check(
        "pw: hunter2\n  x: y\n",
        "error[yaml-syntax] mapping values are not allowed in this context",
    );
    check(
        "pw:\n\thunter2: 1\n",
        "error[tab-indentation] found character that cannot start any token",
    );
    check("pw: %{hunter2}\n", "Put quotes around the value");
    check("pw: *hunter2\n", "error[yaml-syntax] Puppet cannot parse the YAML");
    check("- pw: hunter2\n", "error[not-a-hash] file does not contain a valid yaml hash");
    check("---\nz: 1\n---\npw: hunter2\n", "Puppet reads nothing from here on");
    check(
        "lookup_options: {'^(x': {merge: deep}}\npw: hunter2\n",
        "error[bad-regex] end pattern with unmatched parenthesis: /^(x/",
    );
}

/// If every lookup fails, it is not known which values are sensitive; then this holds if some are.
#[test]
fn values_are_shown_where_lookups_fail_and_none_is_sensitive() {
    let shown = |common: &str| {
        let workspace = Workspace::new(&[
            ("hiera.yaml", ":hierarchy: [common]\n"),
            ("environment.conf", ""),
            (".hiera-ls.yaml", "globalHieraYaml: global.yaml\n"),
            ("global.yaml", "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n"),
            ("data/common.yaml", common),
        ]);
        run(&workspace, &["check", "--format", "concise"]).1
    };
    let text = shown("version: 2.20\n");
    assert!(text.contains("hiera-yaml-version"), "{text}");
    assert!(text.contains("`2.20` is the number 2.2"), "{text}");
    let text = shown("version: 2.20\nlookup_options: {version: {convert_to: Sensitive}}\n");
    assert!(text.contains("number-looks-like-version") && !text.contains("2.20` is"), "{text}");
}

#[test]
fn a_wrong_type_of_a_secret_is_told_without_the_secret() {
    let files = [
        ("hiera.yaml", HIERA_YAML),
        (
            "data/common.yaml",
            "lookup_options:\n  db::mode: {convert_to: Sensitive}\ndb::mode: hunter2\n",
        ),
        ("manifests/site.pp", "include db\n"),
        ("modules/db/manifests/init.pp", "class db(Sensitive[Enum['a', 'b']] $mode) { }\n"),
        (".hiera-ls/facts/db01.json", "{\"os\": \"Debian\"}"),
    ];
    for format in ["full", "concise", "json", "sarif", "github", "gitlab", "junit"] {
        let (_, text, _) = run(&Workspace::new(&files), &["check", "--format", format]);
        assert!(text.contains("value-type-mismatch"), "{format}: {text}");
        assert!(text.contains("Catalogs with class `db` fail for db01"), "{format}: {text}");
        assert!(!text.contains("hunter2"), "{format}: {text}");
    }
}

#[test]
fn formats_for_machines() {
    let workspace = workspace("a: \"%{lokup('b')}\"\na: \"%{lokup('b')}\"\n");
    let show =
        |format| run(&workspace, &["check", "--format", format, "--min-severity", "error"]).1;
    let json = |format| serde_json::from_str::<Json>(&show(format)).expect("JSON");
    assert_eq!(json("json")[0]["start"], serde_json::json!({"line": 1, "column": 5}));
    let sarif = json("sarif");
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "unknown-function");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "data/common.yaml");
    assert_eq!(place["region"]["endColumn"], 18);
    let gitlab = json("gitlab");
    assert_ne!(gitlab[0]["fingerprint"], gitlab[1]["fingerprint"]);
    assert_eq!(gitlab[1]["location"]["lines"]["begin"], 2);
    let first = "::error file=data/common.yaml,line=1,endLine=1,col=5,endColumn=17,title=hiera-ls (unknown-function)::\
                 Unknown interpolation method 'lokup'%0ADid you mean `lookup`?\n";
    assert!(show("github").starts_with(first), "{}", show("github"));
    let junit = show("junit");
    assert!(junit.contains("<testsuites name=\"hiera-ls\" tests=\"2\" failures=\"2\">"), "{junit}");
}

#[test]
fn rules_are_explained() {
    let workspace = Workspace::new(&[]);
    let (status, text, _) = run(&workspace, &["rule", "duplicate-key"]);
    assert!(status == Some(0) && text.starts_with("duplicate-key\n"), "{text}");
    let (status, _, complaint) = run(&workspace, &["rule", "duplicate-keys"]);
    let expected = "hiera-ls: there is no rule duplicate-keys; did you mean duplicate-key?\n";
    assert_eq!((status, &*complaint), (Some(2), expected));
    let (_, list, _) = run(&workspace, &["rule"]);
    assert!(list.contains("\nduplicate-key ") && list.starts_with("left-by-git "), "{list}");
}

#[test]
fn nodes_that_lack_required_parameters_are_counted() {
    let workspace = Workspace::new(&[
        ("hiera.yaml", HIERA_YAML),
        ("data/common.yaml", "web::owner: root\n"),
        ("data/nodes/web02.yaml", "web::port: 80\n"),
        ("manifests/site.pp", "include web\n"),
        ("modules/web/manifests/init.pp", "class web(Integer $port, String $owner) { }\n"),
        (".hiera-ls/facts/web01.json", "{\"os\": \"Debian\"}"),
        (".hiera-ls/facts/web02.json", "{\"os\": \"Debian\"}"),
        (".hiera-ls/facts/web03.json", "{\"os\": \"Debian\"}"),
    ]);
    let (status, _, err) = run(&workspace, &["check"]);
    assert_eq!(status, Some(1));
    let expected =
        "hiera-ls: 1 error, 0 warnings in 5 files; 2 of 3 nodes lack required parameters\n";
    assert_eq!(err, expected);
    for arguments in [&["check", "data"][..], &["check", "--ignore", "missing-required-parameter"]]
    {
        let (_, _, err) = run(&workspace, arguments);
        assert!(!err.contains("lack"), "{err}");
    }
    // The rule reports nothing if no file of the hierarchy is here.
    workspace.write("hiera.yaml", "version: 5\nhierarchy: [{name: x, path: elsewhere.yaml}]\n");
    let passed = "hiera-ls: All checks passed (5 files)\n".to_owned();
    assert_eq!(run(&workspace, &["check"]), (Some(0), String::new(), passed));
    workspace.write("hiera.yaml", HIERA_YAML);
    workspace.write("manifests/site.pp", "");
    workspace.write(".hiera-ls/facts/web01.yaml", "classes: [web]\n");
    let (_, _, err) = run(&workspace, &["check"]);
    assert!(err.contains("; 1 of 3 nodes lacks required parameters"), "{err}");
}

/// GitHub and GitLab know only paths from the top of the repository.
#[test]
fn paths_for_forges_start_at_the_top_of_the_repository() {
    let workspace = Workspace::new(&[
        (".git/HEAD", ""),
        ("puppet/hiera.yaml", "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n"),
        ("puppet/data/common.yaml", "a: 0644\n"),
    ]);
    for (format, expected) in [
        ("github", "file=puppet/data/common.yaml"),
        ("gitlab", "\"path\":\"puppet/data/common.yaml\""),
        ("sarif", "\"uri\":\"puppet/data/common.yaml\""),
        ("json", "\"data/common.yaml\""),
    ] {
        let (_, found, said) = run(&workspace, &["check", "--root", "puppet", "--format", format]);
        let found = found.replace(": ", ":");
        assert!(found.contains(expected), "{format}: {found}{said}");
    }
}

#[test]
fn why_missing_keys_are_not_reported() {
    let workspace = workspace("a: \"%{lookup('gone')}\"\n");
    let note = "hiera-ls: note: hiera.yaml: keys may be elsewhere, because data/nodes does not exist here; missing-lookup-target \
                and lookup-without-data report only names that are nearly a known key\n";
    let (status, found, said) = run(&workspace, &["check"]);
    assert_eq!((status, &*found), (Some(0), ""));
    assert!(said.contains(note), "{said}");
    workspace.write("data/nodes/web01.yaml", "b: 1\n");
    let (status, found, said) = run(&workspace, &["check"]);
    assert_eq!(status, Some(1));
    assert!(
        found.contains("missing-lookup-target") && !said.contains("elsewhere"),
        "{found}{said}"
    );
}

#[test]
fn what_a_classifier_gives_to_nodes() {
    let workspace = workspace("web::port: 80\n");
    workspace
        .write("modules/web/manifests/init.pp", "class web(Integer $port, String $owner) { }\n");
    workspace.write(".hiera-ls/facts/n1.json", "{\"kernel\": \"Linux\"}");
    workspace
        .write(".hiera-ls/facts/n1.yaml", "classes:\n  web: {owner: 1, ower: x}\n  web::none:\n");
    let (status, found, _) = run(&workspace, &["check", "--format", "concise"]);
    let expected = "\
.hiera-ls/facts/n1.yaml:2:9: error[value-type-mismatch] parameter 'owner' expects a String value, got Integer. \
Catalogs with class `web` fail for n1.
.hiera-ls/facts/n1.yaml:2:19: error[unknown-parameter] has no parameter named 'ower'. \
Catalogs with class `web` fail for n1.
.hiera-ls/facts/n1.yaml:3:3: error[missing-class] Could not find class ::web::none. Catalogs fail for n1.
";
    assert_eq!((status, &*found), (Some(1), expected));
    let (_, found, _) = run(&workspace, &["classes", "--node", "n1"]);
    let expected = "n1
  ! no catalog: Puppet refuses .hiera-ls/facts/n1.yaml:2: Class[Web]:\\n  has no parameter named 'ower'\\n  parameter 'owner' \
expects a String value, got Integer
  ! no catalog: Puppet refuses .hiera-ls/facts/n1.yaml:3: Could not find class ::web::none
";
    assert!(found.starts_with(expected), "{found}");
    let (status, found, _) = run(&workspace, &["lookup", "--class", "web", "--node", "n1"]);
    assert_eq!(status, Some(1));
    assert!(found.contains("parameter 'owner' expects a String value, got Integer"), "{found}");
}
