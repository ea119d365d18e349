//! What packages need beside the program: man pages and completions for all of its commands.

use std::process::Command;

/// The subcommands, as the help lists them.
const COMMANDS: [&str; 7] = ["lookup", "check", "rule", "facts", "schema", "server", "completions"];

#[test]
fn every_command_has_a_man_page() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().to_str().expect("its path is UTF-8");
    run(&["man", path]);
    let main = std::fs::read_to_string(directory.path().join("hiera-ls.1")).expect("the main page");
    for command in COMMANDS {
        assert!(main.contains(&format!("hiera\\-ls\\-{command}(1)")), "{command}: {main}");
        let page = directory.path().join(format!("hiera-ls-{command}.1"));
        let page = std::fs::read_to_string(page).expect("each command has a page");
        assert!(page.contains(".SH SYNOPSIS"), "{command}: {page}");
    }
}

#[test]
fn man_pages_need_a_directory() {
    let output = hiera_ls(&["man", "/nowhere/at/all"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(said.contains("/nowhere/at/all"), "{said}");
}

#[test]
fn completions_know_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(&["completions", shell]);
        for command in COMMANDS {
            assert!(script.contains(command), "{shell}: {command}");
        }
    }
}

fn run(arguments: &[&str]) -> String {
    let output = hiera_ls(arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn hiera_ls(arguments: &[&str]) -> std::process::Output {
    let program = env!("CARGO_BIN_EXE_hiera-ls");
    Command::new(program).args(arguments).output().expect("the program runs")
}
