//! Output on a terminal: colours if they are wanted, short messages of success, and plain words for what does not exist.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use crate::support::workspace::Workspace;

const HIERA_YAML: &str = "version: 5\nhierarchy: [{name: Common data, path: common.yaml}]\n";
const TWICE: &str = "a: 1\na: 2\n";

fn workspace(common: &str) -> Workspace {
    Workspace::new(&[("hiera.yaml", HIERA_YAML), ("data/common.yaml", common)])
}

/// Status, standard output, standard error.
fn run(
    workspace: &Workspace,
    arguments: &[&str],
    environment: &[(&str, &str)],
) -> (i32, String, String) {
    let output = command(workspace, arguments).envs(environment.iter().copied()).output();
    let output = output.expect("the program runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8").replace(workspace.root(), "ROOT");
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn command(workspace: &Workspace, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hiera-ls"));
    command.args(arguments).current_dir(workspace.root());
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command
}

#[test]
fn colours_are_for_those_who_want_them() {
    let workspace = workspace(TWICE);
    let is_coloured = |arguments: &[&str], environment: &[(&str, &str)]| {
        let (_, text, summary) = run(&workspace, arguments, environment);
        assert!(text.contains("duplicate-key"), "{text}");
        assert_eq!(text.contains('\u{1b}'), summary.contains('\u{1b}'), "{text}{summary}");
        text.contains('\u{1b}')
    };
    assert!(!is_coloured(&["check"], &[]), "a pipe is not a terminal");
    assert!(is_coloured(&["check", "--color", "always"], &[]));
    assert!(is_coloured(&["--color=always", "check", "--format", "concise"], &[("NO_COLOR", "1")]));
    assert!(is_coloured(&["check"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!is_coloured(&["check"], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(!is_coloured(&["check", "--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!is_coloured(&["check"], &[("CLICOLOR_FORCE", "0")]));
    let (_, json, _) = run(&workspace, &["check", "--format", "json", "--color", "always"], &[]);
    assert!(!json.contains('\u{1b}'), "{json}");
}

#[test]
fn colours_change_no_words() {
    let workspace = workspace("a: 1\nb: \"%{lookup('a')}\"\n");
    for arguments in [
        &["lookup", "b", "--explain"],
        &["lookup", "b", "--why"],
        &["rule", "octal-number", "--color=auto"],
    ] {
        let (_, plain, _) = run(&workspace, arguments, &[]);
        let (_, coloured, _) = run(&workspace, arguments, &[("CLICOLOR_FORCE", "1")]);
        assert!(coloured.contains('\u{1b}') && !plain.contains('\u{1b}'), "{coloured:?}");
        let mut stripped = String::new();
        for (index, part) in coloured.split("\u{1b}[").enumerate() {
            stripped += if index == 0 { part } else { part.split_once('m').expect("a style").1 };
        }
        assert_eq!(stripped, plain);
    }
}

#[test]
fn good_news_is_short_and_can_be_silent() {
    let passed = "hiera-ls: All checks passed (2 files)\n";
    let clean = workspace("a: 1\n");
    assert_eq!(run(&clean, &["check"], &[]), (0, String::new(), passed.to_owned()));
    assert_eq!(run(&clean, &["check", "-q"], &[]), (0, String::new(), String::new()));
    let (status, text, said) = run(&workspace(TWICE), &["check", "--quiet"], &[]);
    assert_eq!((status, &*said), (1, ""));
    assert!(text.contains("duplicate-key"), "{text}");
}

#[test]
fn rules_can_be_chosen() {
    let workspace = workspace("a: 0644\na: 0644\nb: \"x\\ty\"\n");
    let codes = |arguments: &[&str]| {
        let arguments = [&["check", "--format", "concise"], arguments].concat();
        let (_, text, _) = run(&workspace, &arguments, &[]);
        let code = |line: &str| line.split(['[', ']']).nth(1).expect("a code").to_owned();
        text.lines().map(code).collect::<Vec<_>>()
    };
    assert_eq!(codes(&[]), ["octal-number", "duplicate-key", "octal-number"]);
    assert_eq!(codes(&["--select", "duplicate-key"]), ["duplicate-key"]);
    assert_eq!(codes(&["--ignore", "duplicate-key"]), ["octal-number", "octal-number"]);
    assert_eq!(codes(&["--ignore=duplicate-key,octal-number"]), Vec::<String>::new());
    assert_eq!(codes(&["--select", "octal-number", "--select=duplicate-key"]).len(), 3);
    // It is off unless it is asked for, and a hint where a program could use the key.
    assert_eq!(codes(&["--select", "unused-key"]), ["unused-key", "unused-key"]);
    let (status, _, said) = run(&workspace, &["check", "--select", "octal-numbers"], &[]);
    let expected = "hiera-ls: there is no rule octal-numbers; did you mean octal-number?\n";
    assert_eq!((status, &*said), (2, expected));
    let (status, _, said) = run(&workspace, &["check", "--select", ""], &[]);
    let expected = "hiera-ls: there is no rule ''; `hiera-ls rule` lists all\n";
    assert_eq!((status, &*said), (2, expected));
    let (_, _, said) = run(&workspace, &["rule", "octal"], &[]);
    assert_eq!(said, "hiera-ls: there is no rule octal; did you mean octal-number?\n");
}

#[test]
fn rules_can_be_chosen_by_the_codes_that_they_had() {
    let workspace = workspace("a: \"%{lookup('o}p')}\"\n");
    let now = "token-cut-at-brace";
    let checked = |more: &[&str]| {
        run(&workspace, &[&["check", "--format", "concise", "-q"], more].concat(), &[])
    };
    let (status, text, _) = checked(&["--select", "brace-cut-by-quote"]);
    assert!(status == 1 && text.contains(now), "{text}");
    assert_eq!(checked(&["--ignore", "brace-cut-by-quote"]).0, 0);
    let (status, page, _) = run(&workspace, &["rule", "brace-cut-by-quote"], &[]);
    assert!(status == 0 && page.starts_with(now), "{page}");
}

#[test]
fn missing_directories_and_environments_are_named() {
    let workspace = Workspace::new(&[
        ("environments/one/hiera.yaml", HIERA_YAML),
        ("environments/two/hiera.yaml", HIERA_YAML),
    ]);
    let missing = "hiera-ls: ROOT/nope: no such directory\n";
    let commands: [&[&str]; 9] = [
        &["lookup", "a"],
        &["diff"],
        &["mcp"],
        &["uses", "a"],
        &["nodes"],
        &["check"],
        &["classes"],
        &["classes", "--node", "all"],
        &["init", "--print"],
    ];
    for command in commands {
        let (status, _, said) = run(&workspace, &[command, &["--root", "nope"]].concat(), &[]);
        let expected = if matches!(command[0], "lookup" | "mcp") { 1 } else { 2 };
        assert_eq!((status, &*said), (expected, missing));
    }
    for command in commands {
        let file = [command, &["--root", "environments/one/hiera.yaml"]].concat();
        let (_, _, said) = run(&workspace, &file, &[]);
        assert_eq!(said, "hiera-ls: ROOT/environments/one/hiera.yaml: this is not a directory\n");
    }
    let (_, _, said) = run(&workspace, &["lookup", "a", "-E", "nope"], &[]);
    let expected = "hiera-ls: ROOT: there is no environment nope; there are:\n  environments/one\n  environments/two\n";
    assert_eq!(said, expected);
}

#[test]
fn the_project_file_belongs_to_the_whole_environment() {
    let workspace = Workspace::new(&[
        ("one/hiera.yaml", HIERA_YAML),
        ("one/data/nodes/web01.yaml", "a: 1\n"),
        ("two/.git/HEAD", ""),
        ("two/docs/notes.txt", ""),
    ]);
    let init = |more: &[&str]| run(&workspace, &[&["init"], more].concat(), &[]);
    let said = init(&["--root", "one/data/nodes"]);
    assert_eq!(said, (0, "ROOT/one/.hiera-ls.yaml written\n".to_owned(), String::new()));
    let text =
        std::fs::read_to_string(workspace.path("one/.hiera-ls.yaml")).expect("it is written");
    assert!(text.contains("\n# Found: hiera.yaml\n"), "{text}");
    let said = init(&["--root", "two/docs"]);
    assert_eq!(said, (0, "ROOT/two/.hiera-ls.yaml written\n".to_owned(), String::new()));
    let (_, text, _) = init(&["--print"]);
    assert!(text.contains("\n# Found: one/hiera.yaml\n"), "{text}");
    let systems = r#"{"operatingsystem_support": [{"operatingsystem": "Debian", "operatingsystemrelease": ["11", "12"]}]}"#;
    workspace.write("three/metadata.json", systems);
    workspace.write("three/hiera.yaml", "version: 5\n");
    let (_, text, _) = init(&["--print", "--root", "three"]);
    let nodes = "\n# Nodes: 0 with fact sets, 2 that the module supports, 0 known by the names of data files.\n";
    assert!(text.contains(nodes), "{text}");
}

#[test]
fn diff_says_where_keys_are_written() {
    let workspace = Workspace::new(&[("hiera.yaml", "version: 5\n")]);
    let (status, _, said) = run(&workspace, &["diff", "HEAD", "company::domain"], &[]);
    let hint = "keys are written after '--': hiera-ls diff REV -- company::domain\n";
    assert!(status == 2 && said.contains(hint), "{said}");
}

#[test]
fn mistakes_in_fact_sets_and_settings_are_told() {
    let workspace = workspace("a: 1\n");
    workspace.write(".hiera-ls/facts/web01.yaml", "broken: [\n");
    workspace.write(".hiera-ls.yaml", "facts: [nofacts]\nnode: webb01\n");
    let of_fact_set = ": ROOT/.hiera-ls/facts/web01.yaml:2: ";
    let of_facts = ": .hiera-ls.yaml: facts: `nofacts` leads to no file with facts.";
    let of_node =
        ": .hiera-ls.yaml: node: No fact set and no data file belongs to a node `webb01`.";
    let commands: [&[&str]; 4] =
        [&["nodes"], &["check"], &["lookup", "a", "--nodes", "web01"], &["lookup", "a"]];
    for command in commands {
        let (_, _, said) = run(&workspace, command, &[]);
        for expected in [of_fact_set, of_facts, of_node] {
            assert!(said.contains(expected), "{command:?}: {said}");
        }
    }
    let (_, _, said) = run(&workspace, &["lookup", "a", "--node", "web01"], &[]);
    assert!(said.contains(of_fact_set), "{said}");
}

#[test]
fn readers_wants_a_file() {
    let workspace = workspace("a: 1\n");
    let (status, _, said) = run(&workspace, &["readers", "data"], &[]);
    let expected = "hiera-ls: ROOT/data: this is a directory; name a data file in it\n";
    assert_eq!((status, &*said), (2, expected));
}

#[test]
fn watching_checks_again() {
    let workspace = workspace(TWICE);
    let mut program = command(&workspace, &["check", "--watch", "--format", "concise"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program runs");
    let mut lines = BufReader::new(program.stdout.take().expect("a pipe")).lines();
    let mut next = || lines.next().expect("a line").expect("UTF-8");
    assert!(next().starts_with("data/common.yaml:2:1: warning[duplicate-key]"));
    workspace.write("data/common.yaml", "b: 0644\n");
    assert!(next().starts_with("data/common.yaml:1:4: warning[octal-number]"));
    program.kill().expect("it runs until then");
    program.wait().expect("it ends");
}
