//! What packages need in addition to the program: man pages and completions for all of its commands.

use std::process::Command;

/// The sample repository.
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/control-repo");

/// The subcommands, as the help lists them.
const COMMANDS: [&str; 10] = [
    "lookup",
    "check",
    "classes",
    "type-check",
    "rule",
    "nodes",
    "schema",
    "server",
    "mcp",
    "completions",
];

#[test]
fn every_command_has_a_man_page() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().to_str().expect("its path is UTF-8");
    run(&["man", path]);
    let main = std::fs::read_to_string(directory.path().join("hiera-ls.1")).expect("the main page");
    for command in COMMANDS {
        let shown = command.replace('-', "\\-");
        assert!(main.contains(&format!("hiera\\-ls\\-{shown}(1)")), "{command}: {main}");
        let page = directory.path().join(format!("hiera-ls-{command}.1"));
        let page = std::fs::read_to_string(page).expect("each command has a page");
        assert!(page.contains(".SH SYNOPSIS"), "{command}: {page}");
    }
    let page = std::fs::read_to_string(directory.path().join("hiera-ls-check.1")).expect("a page");
    let synopsis = page.split(".SH").nth(2).expect("the second section").replace('\\', "");
    for part in
        ["hiera-ls check", "[--since REV]", "[-q|--quiet]", "[--format FORMAT]", "[PATH]..."]
    {
        assert!(synopsis.contains(part), "{part}: {synopsis}");
    }
    let page = std::fs::read_to_string(directory.path().join("hiera-ls-diff.1")).expect("a page");
    assert!(page.replace('\\', "").contains("[REV] [-- KEY]..."), "{page}");
    let examples = "Examples:\n.nf\n  hiera\\-ls diff";
    assert!(page.contains(examples) && !page.contains("EXTRA"), "{page}");
}

#[test]
fn man_pages_need_a_directory() {
    let output = hiera_ls(&["man", "/nowhere/at/all"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(said.contains("/nowhere/at/all"), "{said}");
}

#[test]
fn completions_ask_the_program() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(&["completions", shell]);
        assert!(script.contains("HIERA_LS_COMPLETE") && script.contains("hiera-ls"), "{script}");
        assert_eq!(script.contains("_files"), shell == "zsh", "zsh quotes the `~` of suggestions");
        let offered = completed(shell, &[""]);
        for command in COMMANDS {
            assert!(offered.contains(command), "{shell}: {command}: {offered}");
        }
    }
}

#[test]
fn completions_know_keys_nodes_classes_and_rules() {
    let check = |words: &[&str], expected: &[&str]| {
        let offered = completed("bash", words);
        let offered: Vec<&str> = offered.split('\n').collect();
        assert_eq!(offered, expected, "{words:?}");
    };
    check(&["lookup", "--root", SAMPLE, "timesync::servi"], &["timesync::service"]);
    check(&["uses", &format!("--root={SAMPLE}"), "timesync::servi"], &["timesync::service"]);
    check(&["lookup", "--root", SAMPLE, "--node", "web01"], &["web01.kittiwake.example"]);
    let listed = "web01.kittiwake.example,db";
    let both = "web01.kittiwake.example,db01.kittiwake.example";
    check(&["lookup", "--root", SAMPLE, "--nodes", listed], &[both]);
    check(&["lookup", "--root", SAMPLE, "--class", "profile::w"], &["profile::web"]);
    check(&["diff", "--root", SAMPLE, "--nodes", listed], &[both]);
    check(&["diff", "--root", SAMPLE, "HEAD", "--", "timesync::servi"], &["timesync::service"]);
    check(&["lookup", "--root", SAMPLE, "-E", "prod"], &["production"]);
    check(&["rule", "octal"], &["octal-number"]);
    check(&["check", "--ignore", "octal"], &["octal-number"]);
    check(&["lookup", "--root", "/nowhere/at/all", "a"], &[""]);
}

/// Bash itself splits keys at their colons.
#[cfg(target_os = "linux")]
#[test]
fn bash_completes_keys() {
    let script = "eval \"$(\"$1\" completions bash)\"; hiera-ls() { \"$program\" \"$@\"; }; program=$1
        COMP_LINE=\"hiera-ls lookup --root $2 timesync::servi\"; COMP_POINT=${#COMP_LINE}; _hiera_ls; echo \"${COMPREPLY[*]}\"
        COMP_LINE=\"hiera-ls lookup --root $2 'timesync::servi\"; COMP_POINT=${#COMP_LINE}; _hiera_ls; echo \"${COMPREPLY[*]}\"
        COMP_LINE='hiera-ls che'; COMP_POINT=${#COMP_LINE}; _hiera_ls; echo \"${COMPREPLY[*]}\"
        COMP_LINE='hiera-ls check --format '; COMP_POINT=${#COMP_LINE}; _hiera_ls; echo \"${COMPREPLY[*]}\"";
    let program = env!("CARGO_BIN_EXE_hiera-ls");
    let output = Command::new("bash").args(["-c", script, "bash", program, SAMPLE]).output();
    let output = output.expect("bash runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        said, "service\ntimesync::service\ncheck\nfull concise json sarif github gitlab junit\n",
        "{output:?}"
    );
}

/// The suggestions of a shell for the last of the words.
fn completed(shell: &str, words: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hiera-ls"));
    command
        .env("HIERA_LS_COMPLETE", shell)
        .env("_CLAP_IFS", "\n")
        .args(["--", "hiera-ls"])
        .args(words);
    let output =
        command.env("_CLAP_COMPLETE_INDEX", words.len().to_string()).output().expect("it runs");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
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

#[test]
fn the_hooks_install_this_version() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/pyproject.toml");
    let text = std::fs::read_to_string(path).expect("what pre-commit installs");
    let version = env!("CARGO_PKG_VERSION");
    assert!(text.contains(&format!("\nversion = \"{version}\"\n")), "{text}");
    assert!(text.contains(&format!("[\"hiera-ls=={version}\"]")), "{text}");
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
