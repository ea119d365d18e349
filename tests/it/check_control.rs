//! `hiera-ls check` on parts of a workspace, with fixes, with a baseline: as people, hooks and CI run it.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use crate::support::workspace::Workspace;

const HIERA_YAML: &str = "version: 5\nhierarchy: [{name: Common data, path: common.yaml}]\n";

fn workspace(common: &str) -> Workspace {
    Workspace::new(&[("hiera.yaml", HIERA_YAML), ("data/common.yaml", common)])
}

fn with_nodes(common: &str) -> Workspace {
    let levels =
        "[{name: n, path: 'nodes/%{trusted.certname}.yaml'}, {name: c, path: common.yaml}]";
    let hiera_yaml = format!("version: 5\nhierarchy: {levels}\n");
    Workspace::new(&[("hiera.yaml", &hiera_yaml), ("data/common.yaml", common)])
}

/// Status, standard output, standard error.
type Said = (Option<i32>, String, String);

fn run(workspace: &Workspace, arguments: &[&str]) -> Said {
    run_with_input(workspace, arguments, "")
}

fn run_with_input(workspace: &Workspace, arguments: &[&str], input: &str) -> Said {
    let mut program = Command::new(env!("CARGO_BIN_EXE_hiera-ls"))
        .arg("check")
        .args(arguments)
        .current_dir(workspace.root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut to_program = program.stdin.take().expect("a pipe");
    // A program that does not read its input may have ended.
    let _ = to_program.write_all(input.as_bytes());
    drop(to_program);
    let Output { status, stdout, stderr } = program.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (status.code(), text(stdout), text(stderr).replace(workspace.root(), "."))
}

#[track_caller]
fn check(workspace: &Workspace, arguments: &[&str], expected: (i32, &str, &str)) {
    let (status, text, complaint) = run(workspace, arguments);
    assert_eq!((status, &*text, &*complaint), (Some(expected.0), expected.1, expected.2));
}

fn read(workspace: &Workspace, name: &str) -> String {
    std::fs::read_to_string(workspace.path(name)).expect("it is there")
}

#[test]
fn fixes_are_done_until_nothing_is_left() {
    let workspace =
        workspace("# why\r\na: [yes] # ä\r\nn: 1,000\r\nb: \"%{lookup( 'c' )}\"\r\nc: 0644\r\n");
    let summary = "hiera-ls: 3 findings fixed; 0 errors, 1 warning in 2 files\n";
    let left = "data/common.yaml:5:4: warning[octal-number] `0644` is the number 420. A leading zero makes it octal. Put \
                quotes around it if you mean a string, or write the number that you mean without a leading zero.\n";
    let arguments = ["--fix", "--format", "concise", "--min-severity", "hint"];
    check(&workspace, &arguments, (1, left, summary));
    let fixed = "# why\r\na: [true] # ä\r\nn: 1000\r\nb: \"%{lookup('c')}\"\r\nc: 0644\r\n";
    assert_eq!(read(&workspace, "data/common.yaml"), fixed);
    check(
        &workspace,
        &["--fix", "--unsafe-fixes"],
        (0, "", "hiera-ls: 1 finding fixed; All checks passed (2 files)\n"),
    );
    assert!(read(&workspace, "data/common.yaml").ends_with("c: '0644'\r\n"));
    check(&workspace, &["--fix"], (0, "", "hiera-ls: All checks passed (2 files)\n"));
}

/// What stands behind the mark can only be fixed when it is gone.
#[test]
fn a_byte_order_mark_is_removed_once() {
    let workspace = workspace("\u{feff}---\na: 0644\nb: 1,000\n");
    let arguments = ["--fix", "--unsafe-fixes", "--min-severity", "hint"];
    let said = "hiera-ls: 3 findings fixed; All checks passed (2 files)\n";
    check(&workspace, &arguments, (0, "", said));
    assert_eq!(read(&workspace, "data/common.yaml"), "---\na: '0644'\nb: 1000\n");
}

/// On another node, the variable may be set.
#[test]
fn fixes_that_are_not_proved_are_withdrawn() {
    let workspace = with_nodes("a: \"%{::enviroment} x\"\nb: 1,000\n");
    workspace.write(".hiera-ls.yaml", "nodes: {web01: {facts: {os: {family: Debian}}}}\n");
    workspace.write("data/nodes/db01.yaml", "c: 1,000\n");
    let (status, _, said) = run(&workspace, &["--fix", "--format", "concise"]);
    assert_eq!(status, Some(1));
    assert!(
        said.contains("data/common.yaml: a fix withdrawn: the value of `a` would change for"),
        "{said}"
    );
    assert!(said.contains("2 findings fixed") && !said.contains("may fix"), "{said}");
    assert_eq!(read(&workspace, "data/common.yaml"), "a: \"%{::enviroment} x\"\nb: 1000\n");
    assert_eq!(read(&workspace, "data/nodes/db01.yaml"), "c: 1000\n");
}

/// Environments beside that of the workspace may read what is outside of it.
#[test]
fn shared_data_is_fixed_for_all_environments() {
    let config = "version: 5\ndefaults: {datadir: ../../data, data_hash: yaml_data}\nhierarchy: [{name: c, path: common.yaml}]\n";
    let workspace = Workspace::new(&[("data/common.yaml", "m::x: 1\nn: 1,000\n")]);
    for (environment, value) in [("production", 1), ("dev", 2)] {
        let write = |name: &str, text: &str| {
            workspace.write(&format!("environments/{environment}/{name}"), text);
        };
        write("hiera.yaml", config);
        write("modules/m/hiera.yaml", HIERA_YAML);
        write("modules/m/data/common.yaml", &format!("m::x: {value}\n"));
        write("modules/m/manifests/init.pp", "class m(Integer $x) { }\n");
    }
    let arguments = ["--root", "environments/production", "--fix", "--min-severity", "hint"];
    let (status, _, said) = run(&workspace, &arguments);
    assert!(status == Some(0) && said.contains("1 finding fixed"), "{said}");
    assert_eq!(read(&workspace, "data/common.yaml"), "m::x: 1\nn: 1000\n");
}

#[test]
fn fixes_of_findings_that_are_not_shown_are_not_done() {
    let common = "a: yes\nn: 1,000\n";
    let fixed = |arguments: &[&str]| {
        let workspace = with_nodes(common);
        workspace.write("data/nodes/one.yaml", "n: 1000\nm: 1\n");
        run(&workspace, &[&["--fix", "--exit-zero"], arguments].concat());
        (read(&workspace, "data/common.yaml"), read(&workspace, "data/nodes/one.yaml"))
    };
    let of = |common: &str, node: &str| (common.to_owned(), node.to_owned());
    assert_eq!(fixed(&[]), of("a: yes\nn: 1000\n", "n: 1000\nm: 1\n"));
    assert_eq!(fixed(&["--min-severity", "hint"]), of("a: true\nn: 1000\n", "m: 1\n"));
    let hidden = "a: yes\nn: 1,000\n";
    assert_eq!(fixed(&["--min-severity", "error"]), of(hidden, "n: 1000\nm: 1\n"));
}

/// Findings may depend on the part that is left out.
#[test]
fn settings_that_are_not_valid_are_a_failure() {
    let workspace = workspace("a: 1\n");
    for settings in [
        "a: [",
        "- a\n",
        "diagnostics: {severity: {octal-number: warn}}\n",
        "nod: web01\n",
        "nodes: {web01: {fact: {}}}\n",
        "globalHieraYaml: data\n",
    ] {
        workspace.write(".hiera-ls.yaml", settings);
        let (status, _, said) = run(&workspace, &[]);
        assert!(
            status == Some(1)
                && said.ends_with("wrong settings; 0 errors, 0 warnings in 2 files\n"),
            "{said}"
        );
    }
    workspace.write(".hiera-ls.yaml", "diagnostics: {severity: {octal-nubmer: warning}}\n");
    let unknown = "hiera-ls: ./.hiera-ls.yaml:1:26: `octal-nubmer` is not a rule. Did you mean `octal-number`?\n";
    let summary = "hiera-ls: wrong settings; 0 errors, 0 warnings in 2 files\n";
    check(&workspace, &[], (1, "", &format!("{unknown}{summary}")));
    // It is valid, but may have another effect than the one that was meant.
    workspace.write(".hiera-ls.yaml", "globalHieraYaml: none.yaml\n");
    assert_eq!(run(&workspace, &[]).0, Some(0));
}

/// Everyone who uses the repository would see the message at every command.
#[test]
fn settings_of_editors_are_not_named_if_they_are_held_back() {
    let workspace = workspace("a: 1\n");
    workspace.write(".hiera-ls.yaml", "hover: {blame: true}\nchanges: {before: HEAD}\n");
    check(&workspace, &[], (0, "", "hiera-ls: All checks passed (2 files)\n"));
    workspace.write(".hiera-ls.yaml", "eyaml: {decrypt: true}\n");
    let (_, _, said) = run(&workspace, &[]);
    assert!(said.contains("It has an effect only with `--trust`"), "{said}");
}

#[test]
fn presets_choose_rules() {
    let workspace = workspace("a: yes\nb: \"%{role}\"\nc: 0644\n");
    let codes = |preset: &str| {
        let (_, text, _) = run(&workspace, &["--preset", preset, "--statistics"]);
        let code = |line: &str| line.split_whitespace().nth(1).map(str::to_owned);
        text.lines().filter_map(code).collect::<Vec<_>>()
    };
    assert_eq!(codes("recommended"), ["octal-number"]);
    assert_eq!(codes("ci"), ["octal-number"]);
    let strict = ["yaml-1.2-disagrees", "octal-number", "unscoped-variable", "yaml-1.1-boolean"];
    assert_eq!(codes("strict"), strict);
}

#[test]
fn many_findings_begin_with_a_count_of_each_rule() {
    let lines = |count: usize| (0..count).map(|it| format!("k{it}: 0644\n")).collect::<String>();
    let (_, text, _) = run(&workspace(&lines(1000)), &[]);
    assert!(text.starts_with("1,000 findings, by rule:\n  1000  octal-number "), "{text:.200}");
    let (_, text, _) = run(&workspace(&lines(3)), &[]);
    assert!(text.starts_with("warning[octal-number]"), "{text:.200}");
}

/// Files beside the directories that the hierarchy reads.
#[test]
fn files_that_the_hierarchy_forgot() {
    let nodes = "version: 5\nhierarchy: [{name: n, path: 'nodes/%{trusted.certname}.yaml'}]\n";
    let workspace = Workspace::new(&[
        ("hiera.yaml", nodes),
        ("data/nodes/one.yaml", "a: 1\n"),
        ("data/common.yaml", "a: 1\n"),
        ("common.yaml", "a: 1\n"),
    ]);
    let orphan = "data/common.yaml:1:1: hint[orphan-file] no level of the hierarchy can load this file. Its keys are never found. \
                  Compare its path with those in hiera.yaml.\n";
    let arguments = ["--format", "concise", "--min-severity", "hint"];
    assert_eq!(run(&workspace, &arguments).1, orphan);
    assert_eq!(run(&workspace, &[&arguments[..], &["data/common.yaml"]].concat()).1, orphan);
    assert_eq!(run(&workspace, &["common.yaml"]).0, Some(2));
}

/// A run that prints "nothing found" would look like success.
#[test]
fn nothing_checked_is_no_success() {
    let workspace =
        Workspace::new(&[("environment.conf", ""), ("hieradata/common.yaml", "a: 1\n")]);
    let (status, text, said) = run(&workspace, &["--format", "concise"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(text.contains("warning[nothing-checked]"), "{text}");
    let (status, _, said) = run(&Workspace::new(&[("README.md", "")]), &[]);
    assert_eq!(status, Some(2), "{said}");
}

#[test]
fn differences_are_shown_and_nothing_is_written() {
    let common = "a: 1\nb: 2\nb: 3\nc: 4\nd: 5\ne: 6\nf: 1,000\n";
    let workspace = workspace(common);
    let difference = "\
--- data/common.yaml
+++ data/common.yaml
@@ -1,7 +1,6 @@
 a: 1
-b: 2
 b: 3
 c: 4
 d: 5
 e: 6
-f: 1,000
+f: 1000
";
    let summary = "hiera-ls: 2 findings would be fixed in 1 file\n";
    check(&workspace, &["--diff"], (1, difference, summary));
    check(&workspace, &["--diff", "--exit-zero"], (0, difference, summary));
    assert_eq!(read(&workspace, "data/common.yaml"), common);
    check(&workspace, &["--diff", "hiera.yaml"], (0, "", "hiera-ls: nothing to fix\n"));
}

#[test]
fn differences_show_no_secrets() {
    let common = "\
lookup_options:
  secret: {convert_to: Sensitive}
secret: [hunter2, yes]
other: >
  ENC[PKCS7,abc
  hunter2]
a: yes
more: >
  DEC(1)::PKCS7[top
  hunter2]!
";
    let (status, text, _) = run(&workspace(common), &["--diff", "--min-severity", "hint"]);
    assert!(status == Some(1) && text.contains("-(not shown)\n+(not shown)\n"), "{text}");
    assert!(text.contains("+a: true") && !text.contains("hunter2"), "{text}");
}

#[test]
fn what_can_be_fixed_is_counted() {
    let summary = "hiera-ls: 0 errors, 1 warning in 2 files; --fix may fix 1 of them\n";
    let (status, _, complaint) = run(&workspace("a: 1,000\n"), &[]);
    assert_eq!((status, &*complaint), (Some(1), summary));
}

#[test]
fn a_baseline_hides_what_is_known() {
    let workspace = workspace("a: 0644\n");
    let written = "hiera-ls: 1 finding written to ./.hiera-ls-baseline.json\n";
    check(&workspace, &["--write-baseline"], (0, "", written));
    let passed = "hiera-ls: All checks passed (2 files); the baseline lists 1 known finding\n";
    check(&workspace, &[], (0, "", passed));
    check(&workspace, &["data"], (0, "", "hiera-ls: All checks passed (1 file)\n"));
    workspace.write("data/common.yaml", "x: 1\n# moved\na: 0755\nb: 0644\n");
    let (status, text, _) = run(&workspace, &["--format", "concise"]);
    assert!(status == Some(1) && text.starts_with("data/common.yaml:4:4: "), "{text}");
    assert_eq!(text.lines().count(), 1);
    check(&workspace, &["--write-baseline"], (0, "", &written.replace("1 finding", "2 findings")));
    workspace.write("data/common.yaml", "a: 0755\nb: 1\n");
    let stale = "data/common.yaml:2:1: information[unused-ignore] the baseline lists 1 finding that is gone: \
                 `octal-number` of `b`. Write it again: `hiera-ls check --write-baseline`.\n";
    let (status, text, _) = run(&workspace, &["--format", "concise"]);
    assert_eq!((status, &*text), (Some(0), stale));
    workspace.write("data/common.yaml", "x: 1\n# moved\na: 0755\nb: 0644\n");
    let (status, text, complaint) =
        run(&workspace, &["--baseline", "no-such.json", "--statistics"]);
    assert!(status == Some(1) && text.starts_with("     2  octal-number"), "{text}");
    let missing = "note: ./no-such.json: no such file, so all findings are reported";
    assert!(complaint.contains(missing), "{complaint}");
    assert_eq!(run(&workspace, &["--write-baseline", "data"]).0, Some(2));
}

/// A baseline of some rules would lose the known findings of all others.
#[test]
fn a_baseline_is_of_all_rules() {
    let workspace = workspace("a: 0644\n");
    run(&workspace, &["--write-baseline"]);
    let written = read(&workspace, ".hiera-ls-baseline.json");
    for part in [
        ["--select", "unused-key"],
        ["--ignore", "octal-number"],
        ["--min-severity", "error"],
        ["--preset", "ci"],
    ] {
        let (status, _, said) = run(&workspace, &[&["--write-baseline"], &part[..]].concat());
        assert!(status == Some(2) && said.contains(part[0]), "{said}");
    }
    assert_eq!(read(&workspace, ".hiera-ls-baseline.json"), written);
    assert_eq!(run(&workspace, &["--write-baseline", "--min-severity", "hint"]).0, Some(0));
}

/// What the message advises must not lose the findings that only this preset has.
#[test]
fn a_baseline_of_the_strict_preset_is_written_again_with_it() {
    let workspace = workspace("a: 05432\nb: 0644\n");
    let strict = ["--preset", "strict"];
    run(&workspace, &[&strict[..], &["--write-baseline"]].concat());
    workspace.write("data/common.yaml", "a: 05432\nb: 1\n");
    let (_, text, _) = run(&workspace, &strict);
    assert!(text.contains("`hiera-ls check --preset strict --write-baseline`"), "{text}");
}

#[test]
fn a_baseline_that_cannot_be_read_is_said() {
    let workspace = workspace("a: 1\n");
    let all_passed = "hiera-ls: All checks passed (2 files)\n";
    let said = [
        ("<<<<<<< HEAD\n", "expected value at line 1 column 1"),
        ("{\"version\": 2}", "the version is not 1"),
        ("{\"version\": 1, \"findings\": []}", "invalid type: sequence, expected a map"),
    ];
    for (text, why) in said {
        workspace.write(".hiera-ls-baseline.json", text);
        let note = "hiera-ls: note: ./.hiera-ls-baseline.json: the baseline cannot be read, so all findings are reported";
        check(&workspace, &[], (0, "", &format!("{note}: {why}\n{all_passed}")));
    }
    let note = "hiera-ls: note: ./data: the baseline cannot be read, so all findings are reported: this is a directory";
    check(&workspace, &["--baseline", "data"], (0, "", &format!("{note}\n{all_passed}")));
}

/// A setting or a mistake in the command can lead to any file.
#[test]
fn a_baseline_is_written_over_no_other_file() {
    let workspace = workspace("a: 0644\n");
    let written = "hiera-ls: 1 finding written to ./known.json\n";
    let at = |path| ["--write-baseline", "--baseline", path];
    check(&workspace, &at("known.json"), (0, "", written));
    check(&workspace, &at("known.json"), (0, "", written));
    workspace.write("known.json", "\n");
    check(&workspace, &at("known.json"), (0, "", written));
    let other = "hiera-ls: ./data/common.yaml: this file is not a baseline, so it is not overwritten: \
                 expected value at line 1 column 1; delete it if nothing needs it\n";
    check(&workspace, &at("data/common.yaml"), (2, "", other));
    workspace.write(".hiera-ls.yaml", "diagnostics: {baseline: data/common.yaml}\n");
    check(&workspace, &["--write-baseline"], (2, "", other));
    assert_eq!(read(&workspace, "data/common.yaml"), "a: 0644\n");
    let directory = "hiera-ls: Is a directory @ io_fread - ./data\n";
    check(&workspace, &at("data"), (2, "", directory));
}

#[test]
fn strict_is_more() {
    let workspace = workspace("a: yes\nb: \"%{role}\"\n");
    check(&workspace, &[], (0, "", "hiera-ls: All checks passed (2 files)\n"));
    let (status, text, _) = run(&workspace, &["--strict", "--statistics"]);
    assert_eq!(status, Some(1));
    assert!(
        text.contains("1  yaml-1.1-boolean") && text.contains("1  unscoped-variable"),
        "{text}"
    );
}

#[test]
fn standard_input_in_the_place_of_a_file() {
    let workspace = workspace("a: 1\n");
    let arguments = ["--stdin-filename", "data/common.yaml", "--format", "concise"];
    let (status, text, _) = run_with_input(&workspace, &arguments, "a: 0644\n");
    assert!(status == Some(1) && text.starts_with("data/common.yaml:1:4: warning"), "{text}");
    let (status, text, _) = run_with_input(&workspace, &arguments, "a: 1\n");
    assert_eq!((status, &*text), (Some(0), ""));
    let arguments = ["--stdin-filename", "other/x.yaml", "--format", "concise"];
    let (status, _, said) = run_with_input(&workspace, &arguments, "a: 1\n");
    assert!(status == Some(2) && said.contains("--skip-other-files"), "{said}");
    let arguments = [&arguments[..], &["--skip-other-files"]].concat();
    let (status, _, said) = run_with_input(&workspace, &arguments, "a: 1\n");
    assert_eq!((status, &*said), (Some(0), "hiera-ls: No file was checked\n"));
}

#[test]
fn paths_from_standard_input() {
    let workspace = workspace("a: 0644\n");
    workspace.write("data/a b.yaml", "b: 0644\n");
    let arguments = ["--files-from", "-", "--format", "concise"];
    let count = |input: &str| {
        let (status, text, _) = run_with_input(&workspace, &arguments, input);
        (status, text.lines().count())
    };
    assert_eq!(count("data/common.yaml\n"), (Some(1), 1));
    assert_eq!(count("data/common.yaml\r\nhiera.yaml\r\n"), (Some(1), 1));
    assert_eq!(count("data/a b.yaml\0hiera.yaml\0"), (Some(0), 0));
    assert_eq!(count(""), (Some(0), 0));
    assert_eq!(count("nothing.yaml\n"), (Some(2), 0));
}

fn git(workspace: &Workspace, arguments: &[&str]) {
    let who = [
        "-c",
        "user.name=Tester",
        "-c",
        "user.email=tester@example.com",
        "-c",
        "init.defaultBranch=main",
    ];
    let status = Command::new("git")
        .args(who)
        .args(arguments)
        .current_dir(workspace.root())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("git runs");
    assert!(status.success(), "git {arguments:?}");
}

#[test]
fn only_what_changed_since_a_commit() {
    let workspace = workspace("a: 0644\n");
    let hierarchy = HIERA_YAML.replace("path: common.yaml", "glob: '*.yaml'");
    workspace.write("hiera.yaml", &hierarchy);
    for name in ["changed", "same", "gone"] {
        workspace.write(&format!("data/{name}.yaml"), &format!("{name}: 0644\n"));
    }
    let shown = |arguments: &[&str]| {
        let (status, text, complaint) =
            run(&workspace, &[arguments, &["--format", "concise"]].concat());
        let paths = text.lines().filter_map(|line| line.split(':').next()).map(str::to_owned);
        (status, paths.collect::<Vec<_>>(), complaint)
    };
    let (status, _, complaint) = shown(&["--since", "HEAD"]);
    assert!(status == Some(2) && complaint.contains("is not in a Git repository"), "{complaint}");
    // SHA-256 is what Git will use one day.
    git(&workspace, &["init", "-q", "--object-format=sha256"]);
    git(&workspace, &["add", "-A"]);
    git(&workspace, &["commit", "-qm", "first"]);
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        let name = std::ffi::OsStr::from_bytes(b"caf\xe9.txt");
        std::fs::write(std::path::Path::new(workspace.root()).join(name), "").expect("a file");
    }
    assert_eq!(shown(&["--since", "HEAD"]).0, Some(0));
    git(&workspace, &["checkout", "-qb", "topic"]);
    workspace.write("data/changed.yaml", "changed: 0755\n");
    git(&workspace, &["commit", "-qam", "on the branch"]);
    git(&workspace, &["checkout", "-q", "main"]);
    workspace.write("data/same.yaml", "same: 0755\n");
    git(&workspace, &["commit", "-qam", "meanwhile"]);
    git(&workspace, &["checkout", "-q", "topic"]);
    workspace.write("data/new ä.yaml", "new: 0644\n");
    workspace.remove("data/gone.yaml");
    let (status, paths, _) = shown(&["--since", "main"]);
    assert_eq!(
        (status, paths),
        (Some(1), vec!["data/changed.yaml".into(), "data/new ä.yaml".into()])
    );
    let (status, _, complaint) = shown(&["--since", "no-such-branch"]);
    assert_eq!(
        (status, &*complaint),
        (Some(2), "hiera-ls: no-such-branch is not a commit of the repository at .\n")
    );
    assert_eq!(shown(&["--since", "--output=x"]).0, Some(2));
}

#[test]
fn all_files_are_checked_when_the_hierarchy_or_facts_changed() {
    let count = |workspace: &Workspace| run(workspace, &["--since", "HEAD", "--format", "concise"]);
    for (name, before, after) in [
        (
            "hiera.yaml",
            Some(HIERA_YAML),
            Some("version: 5\nhierarchy: [{name: X, path: common.yaml}]\n"),
        ),
        (".hiera-ls.yaml", None, Some("puppetVersion: 7\n")),
        ("spec/factsets/one.yaml", Some("kernel: Linux\n"), None),
        ("modules/m/hiera.yaml", Some("version: 5\n"), None),
    ] {
        let workspace = workspace("a: 0644\n");
        workspace.write("README.md", "x");
        if let Some(text) = before {
            workspace.write(name, text);
        }
        git(&workspace, &["init", "-q"]);
        git(&workspace, &["add", "-A"]);
        git(&workspace, &["commit", "-qm", "first"]);
        workspace.write("README.md", "y");
        assert_eq!(count(&workspace).0, Some(0), "{name}");
        match after {
            Some(text) => workspace.write(name, text),
            None => workspace.remove(name),
        }
        let (status, text, _) = count(&workspace);
        assert!(status == Some(1) && text.starts_with("data/common.yaml:1:4"), "{name}: {text}");
    }
}

#[test]
fn comments_without_effect_are_reported_and_removed() {
    let workspace = workspace("a: 1 # hiera-ls: ignore[octal-number]\n");
    let found = "data/common.yaml:1:25: information[unused-ignore] `octal-number` reports nothing here. Remove it from \
                 the comment.\n";
    let summary = "hiera-ls: 0 errors, 0 warnings, 1 note in 2 files; --fix may fix 1 of them\n";
    check(&workspace, &["--format", "concise"], (0, found, summary));
    check(
        &workspace,
        &["--fix"],
        (0, "", "hiera-ls: 1 finding fixed; All checks passed (2 files)\n"),
    );
    assert_eq!(read(&workspace, "data/common.yaml"), "a: 1\n");
}
