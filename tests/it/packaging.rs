//! What packages need beside the program: man pages and completions for all of its commands.

use std::process::Command;

/// The subcommands, as the help lists them.
const COMMANDS: [&str; 8] =
    ["lookup", "check", "classes", "rule", "facts", "schema", "server", "completions"];

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

#[test]
fn the_extension_has_the_program_s_version_and_address() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/editors/vscode/package.json");
    let text = std::fs::read_to_string(path).expect("the extension's manifest");
    let manifest: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    let address = manifest["repository"]["url"].as_str().unwrap_or_default();
    assert_eq!(address, env!("CARGO_PKG_REPOSITORY"));
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
