//! What the disk refuses: output that cannot be written, and files that may not be read.

use std::process::{Command, Output, Stdio};

use crate::support::workspace::Workspace;

const HIERA_YAML: &str = "version: 5\nhierarchy: [{name: Common data, path: common.yaml}]\n";

fn workspace() -> Workspace {
    Workspace::new(&[("hiera.yaml", HIERA_YAML), ("data/common.yaml", "a: 1\n")])
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The result of a command with this standard output.
fn run_into(workspace: &Workspace, arguments: &str, out: Stdio) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hiera-ls"));
    command.args(arguments.split(' ')).current_dir(workspace.root()).stdout(out);
    command.stderr(Stdio::piped()).spawn().expect("it runs").wait_with_output().expect("it ends")
}

const COMMANDS: [&str; 12] = [
    "lookup a",
    "lookup --all --render-as jsonl",
    "lookup a --node x --explain",
    "check --format sarif",
    "check --format json",
    "nodes",
    "uses a",
    "readers data/common.yaml",
    "rule octal-number",
    "schema",
    "completions bash",
    "init --print",
];

/// Otherwise, a full disk would leave a part of a report, and a job in CI would pass.
#[cfg(target_os = "linux")]
#[test]
fn output_that_is_lost_is_a_failure() {
    let workspace = workspace();
    for arguments in COMMANDS {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("it is there");
        let output = run_into(&workspace, arguments, full.into());
        let said = said(&output);
        assert!(said.contains("hiera-ls: standard output: No space left"), "{arguments}: {said}");
        assert_eq!(said.matches("standard output").count(), 1, "{arguments}: {said}");
        assert_eq!(output.status.code(), Some(2), "{arguments}: {said}");
    }
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let workspace = workspace();
    for arguments in COMMANDS {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = run_into(&workspace, arguments, writer.into());
        assert_eq!(output.status.code(), Some(0), "{arguments}: {}", said(&output));
        assert!(!said(&output).contains("standard output"), "{arguments}: {}", said(&output));
    }
}

/// A lookup that reads such a file fails, and nothing is known of what is in such a directory.
#[test]
fn what_may_not_be_read_fails_the_check() {
    for name in [
        "data/common.yaml",
        "hiera.yaml",
        "data/roles",
        "modules",
        "manifests/site.pp",
        ".hiera-ls.yaml",
        ".hiera-ls/facts/web.yaml",
    ] {
        let workspace = workspace();
        for file in ["data/roles/x.yaml", "modules/m/metadata.json", "manifests/site.pp"] {
            workspace.write(file, "");
        }
        workspace.write(".hiera-ls.yaml", "diagnostics: {preset: ci}\n");
        workspace.write(".hiera-ls/facts/web.yaml", "role: web\n");
        let output = run_where_closed(&workspace, name, "check");
        let said = said(&output);
        assert_eq!(output.status.code(), Some(1), "{name}: {said}");
        assert!(said.contains("hiera-ls: 1 path cannot be read; 0 errors"), "{name}: {said}");
        let is_it =
            |it: &&str| it.contains("Permission denied @ ") && it.ends_with(&format!("/{name}"));
        let lines = said.lines().filter(is_it);
        assert_eq!(lines.count(), 1, "{name}: {said}");
    }
}

#[test]
fn facts_and_settings_that_are_not_read_are_named() {
    let workspace = workspace();
    workspace.write(".hiera-ls/facts/web.yaml", "role: web\n");
    for command in ["nodes", "lookup a --node web"] {
        let said = said(&run_where_closed(&workspace, ".hiera-ls/facts/web.yaml", command));
        assert!(said.contains("warning: Permission denied @ rb_sysopen"), "{command}: {said}");
    }
    let said_of_data = said(&run_where_closed(&workspace, "data", "uses a"));
    assert!(said_of_data.contains("Permission denied @ dir_initialize"), "{said_of_data}");
    workspace.write(".hiera-ls.yml", "{}\n");
    for command in ["nodes", "lookup a", "check"] {
        let said = said(&run_where_closed(&workspace, "data", command));
        assert!(
            said.contains("/.hiera-ls.yml is not read: rename it to .hiera-ls.yaml"),
            "{command}: {said}"
        );
    }
}

/// Runs a command while the user may not read a file or a directory of the workspace.
fn run_where_closed(workspace: &Workspace, name: &str, arguments: &str) -> Output {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;
    let closed = workspace.path(name);
    let rights = fs::metadata(&closed).expect("it exists").permissions();
    fs::set_permissions(&closed, Permissions::from_mode(0o000)).expect("its rights change");
    let mut command = if fs::read(&closed).is_err() && fs::read_dir(&closed).is_err() {
        Command::new(env!("CARGO_BIN_EXE_hiera-ls"))
    } else {
        // The superuser may read every file, so another user runs a copy of the program.
        let program = workspace.path("program");
        // A program that this process has written could still be open when it starts.
        let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_hiera-ls")).arg(&program).status();
        assert!(copied.expect("cp runs").success());
        let open = Permissions::from_mode(0o755);
        fs::set_permissions(workspace.root(), open).expect("its rights change");
        let mut command = Command::new(program);
        command.uid(65_534);
        command
    };
    let arguments = arguments.split_whitespace();
    let output = command.args(arguments).current_dir(workspace.root()).output().expect("it runs");
    fs::set_permissions(&closed, rights).expect("its rights change");
    output
}
