//! Workspaces that try to end the program, fill the memory, or fake its output: each gets an answer, within limits.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::symlink;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::support::workspace::Workspace;

/// A hierarchy of one level.
fn hierarchy(level: &str) -> String {
    format!("version: 5\nhierarchy:\n  - {{name: Data, {level}}}\n")
}

fn workspace(level: &str) -> Workspace {
    Workspace::new(&[("hiera.yaml", &*hierarchy(level)), ("data/c.yaml", "k: 1\n")])
}

fn run(workspace: &Workspace, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_hiera-ls"))
        .args(arguments)
        .current_dir(workspace.root())
        .output()
        .expect("the program runs");
    let Output { status, stdout, stderr } = output;
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8").replace(workspace.root(), "ROOT");
    (status.code(), text(stdout), text(stderr))
}

/// The standard error of `check` and `lookup` in the workspace.
#[track_caller]
fn check(workspace: &Workspace, checked: &str, looked_up: &str) {
    let (status, found, said) = run(workspace, &["check", "--trust"]);
    assert_eq!((status, &*found), (Some(0), ""), "{said}");
    assert!(said.contains(checked), "{said}");
    let (status, found, said) = run(workspace, &["lookup", "k"]);
    assert!(matches!(status, Some(0 | 1)), "{status:?}: {said}");
    assert!(said.contains(looked_up) || found.contains(looked_up), "{found}{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn files_that_never_end_are_not_read() {
    for endless in ["/proc/self/pagemap", "/proc/kmsg", "/dev/zero"] {
        let workspace = workspace("path: p.yaml");
        symlink(endless, workspace.path("data/p.yaml")).expect("a link");
        let error = "Not a regular file @ rb_sysopen - ROOT/data/p.yaml";
        check(&workspace, &format!("note: {error}"), error);
    }
    let workspace = workspace("path: p.yaml");
    let made = Command::new("mkfifo").arg(workspace.path("data/p.yaml")).status();
    assert!(made.expect("mkfifo runs").success());
    check(&workspace, "note: Not a regular file", "Not a regular file");
}

#[cfg(target_os = "linux")]
#[test]
fn code_that_never_ends_or_is_elsewhere_is_not_read() {
    let workspace =
        Workspace::new(&[("m/a.pp", "class a { }\n"), ("outside/x.pp", "class x { }\n")]);
    let path = |name: &str| workspace.path(&format!("m/{name}.pp"));
    for (name, target) in
        [("kmsg", "/proc/kmsg"), ("map", "/proc/self/pagemap"), ("x", "../outside/x.pp")]
    {
        symlink(target, path(name)).expect("a link");
    }
    let made = Command::new("mkfifo").arg(path("pipe")).status();
    assert!(made.expect("mkfifo runs").success());
    let large = std::fs::File::create(path("large")).expect("a file");
    large.set_len(300 << 20).expect("a size");
    let (status, found, said) = run(&workspace, &["classes", "--root", "m"]);
    assert_eq!((status, &*found), (Some(0), "m/a.pp:1: class a\n"), "{said}");
    for note in [
        "note: ROOT/m/kmsg.pp is outside of the workspace and is not read",
        "note: File too large (more than 268435456 bytes) @ io_fread - ROOT/m/large.pp",
        "note: ROOT/m/map.pp is outside of the workspace and is not read",
        "note: Not a regular file @ rb_sysopen - ROOT/m/pipe.pp",
        "note: ROOT/m/x.pp is outside of the workspace and is not read",
    ] {
        assert!(said.contains(note), "{said}");
    }
    let (_, found, _) = run(&workspace, &["classes", "--root", "m", "--trust"]);
    assert_eq!(found, "m/a.pp:1: class a\nm/x.pp:1: class x\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_main_manifest_elsewhere_is_not_read() {
    let workspace = workspace("path: p.yaml");
    for manifest in ["/", "/usr"] {
        workspace.write("environment.conf", &format!("manifest = {manifest}\n"));
        let note = format!(
            "note: {manifest} is outside of the workspace and is not read; with --trust, hiera-ls reads it\n"
        );
        let (status, found, said) = run(&workspace, &["classes", "--node", "n"]);
        assert_eq!((status, &*found), (Some(0), "n\n"), "{said}");
        assert!(said.contains(&note), "{said}");
        let (_, _, said) = run(&workspace, &["check"]);
        assert!(said.contains(&note), "{said}");
    }
}

#[test]
fn links_that_lead_to_their_own_directory_end() {
    let workspace = workspace("glob: '**/*.yaml'");
    for number in 0..10 {
        symlink(".", workspace.path(&format!("data/link{number}"))).expect("a link");
    }
    check(&workspace, "All checks passed (2 files)", "--- 1\n");
}

#[test]
fn names_in_conditions_give_the_terminal_no_commands() {
    let workspace = Workspace::new(&[
        ("hiera.yaml", &*hierarchy("paths: ['%{role}.yaml', c.yaml]")),
        ("data/w\u{1b}[31m.yaml", "k: 1\nl: [\"\\e[32m\"]\n"),
        ("data/c.yaml", "k: 2\n"),
        ("data/nodes/n.yaml", ""),
    ]);
    let commands: [&[&str]; 4] = [
        &["lookup", "k", "l"],
        &["lookup", "l", "--why"],
        &["lookup", "k", "--explain"],
        &["lookup", "k", "l", "--nodes", "n"],
    ];
    for arguments in commands {
        let (_, found, said) = run(&workspace, arguments);
        assert!(found.contains("[31m"), "{arguments:?}: {found}{said}");
        assert!(
            !found.contains('\u{1b}') && !said.contains('\u{1b}'),
            "{arguments:?}: {found}{said}"
        );
    }
}

#[test]
fn directories_below_one_another_end() {
    let workspace = workspace("glob: '**/*.yaml'");
    workspace.write(&format!("data/{}c.yaml", "d/".repeat(200)), "k: 2\n");
    let note = "is more than hiera-ls reads (100000 directories 64 deep, 250000 files)";
    check(&workspace, note, "--- 1\n");
}

#[test]
fn braces_end() {
    let deep = format!("glob: '{}{}'", "{".repeat(20_000), "}".repeat(20_000));
    check(&workspace(&deep), "All checks passed", "did not find a value");
    let many = format!("glob: '{}'", "{a,b}".repeat(40));
    check(&workspace(&many), "All checks passed", "did not find a value");
}

#[test]
fn paths_of_hocon_end() {
    let level = "data_hash: hocon_data, path: c.conf";
    for names in [5_000, 20_000, 40_000] {
        let hocon = format!("{}b = 1\n", "a.".repeat(names));
        let workspace =
            Workspace::new(&[("hiera.yaml", &*hierarchy(level)), ("data/c.conf", &*hocon)]);
        let (status, found, _) = run(&workspace, &["check", "--format", "concise"]);
        assert_eq!(status, Some(1));
        assert!(found.contains("stack level too deep"), "{found}");
        let (status, _, said) = run(&workspace, &["lookup", "k"]);
        assert_eq!(status, Some(1));
        assert!(said.contains("stack level too deep"), "{said}");
    }
}

#[test]
fn texts_that_multiply_end() {
    let long = "x".repeat(1 << 20);
    let lookups = "%{lookup('a')}".repeat(200);
    let data = format!("a: {long}\nk: \"{lookups}\"\n");
    let workspace =
        Workspace::new(&[("hiera.yaml", &*hierarchy("path: c.yaml")), ("data/c.yaml", &*data)]);
    let (status, _, said) = run(&workspace, &["lookup", "k"]);
    assert_eq!(status, Some(1));
    assert!(said.contains("its texts have more than 134217728 bytes"), "{said}");

    let level = "data_hash: hocon_data, path: c.conf";
    let hocon = format!("a = {long}\nk = {}\n", "${a}".repeat(200));
    let workspace = Workspace::new(&[("hiera.yaml", &*hierarchy(level)), ("data/c.conf", &*hocon)]);
    let (status, _, said) = run(&workspace, &["lookup", "k"]);
    assert_eq!(status, Some(1));
    assert!(said.contains("failed to allocate memory"), "{said}");
}

#[test]
fn nothing_in_a_workspace_speaks_to_the_terminal_or_to_the_server_of_builds() {
    let level = "glob: '*.yaml'";
    let key = "\"k\\e[31m\\n::error::key\"";
    let data = format!("{key}: \"%{{lokup('a\\e[2J\\n::error::value')}}\" # ##[error]x\n");
    let workspace = Workspace::new(&[
        ("hiera.yaml", &*hierarchy(level)),
        ("data/b\n::error::pwn.yaml", &*data),
        ("data/c\u{1b}[31m\u{202e}.yaml", "a: 1\na: 2\nb: yes\n"),
        ("spec/factsets/n\n::error::node.yaml", "{}\n"),
    ]);
    let commands: [&[&str]; 9] = [
        &["check"],
        &["check", "--format", "concise"],
        &["check", "--format", "github"],
        &["check", "--diff", "--unsafe-fixes"],
        &["check", "no\n::error::such\u{1b}[31m"],
        &["facts"],
        &["facts", "--names"],
        &["lookup", "--explain", "k\u{1b}[31m\n::error::key"],
        &["lookup", "no\u{1b}[31m\n::error::key"],
    ];
    for arguments in commands {
        let (_, found, said) = run(&workspace, arguments);
        for text in [&found, &said] {
            let is_hidden = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
            assert!(!text.contains(is_hidden), "{arguments:?}: {text:?}");
            assert!(!text.contains('\u{202e}'), "{arguments:?}: {text:?}");
            let own = |line: &&str| {
                line.starts_with("::") && line.contains(",title=hiera-ls (")
                    || line.trim_start().starts_with("::: data/")
            };
            let orders = text.lines().filter(|it| it.trim_start().starts_with("::"));
            assert_eq!(orders.filter(|it| !own(it)).collect::<Vec<_>>(), [""; 0], "{arguments:?}");
            assert!(!text.contains("##["), "{arguments:?}: {text}");
        }
    }
}

#[test]
fn check_reads_nothing_outside_of_the_workspace_without_trust() {
    let elsewhere = Workspace::new(&[("secret.yaml", "token: hunter2\ntoken: [\n")]);
    let workspace = workspace(&format!("datadir: {}, glob: '*.yaml'", elsewhere.root()));
    symlink(elsewhere.path("secret.yaml"), workspace.path("data/link.yaml")).expect("a link");
    let here = "version: 5\nhierarchy:\n  - {name: Here, path: link.yaml}\n";
    for config in [None, Some(here)] {
        if let Some(config) = config {
            workspace.write("hiera.yaml", config);
        }
        let (_, found, said) = run(&workspace, &["check"]);
        assert!(!found.contains("hunter2") && !found.contains("token"), "{found}");
        assert!(said.contains("is outside of the workspace and is not read"), "{said}");
        assert!(!said.contains("rb_sysopen"), "{said}");
        if config.is_none() {
            let (_, found, _) = run(&workspace, &["check", "--min-severity", "hint"]);
            assert!(!found.contains("level-never-matches"), "{found}");
        }
        let (_, found, _) = run(&workspace, &["check", "--trust"]);
        assert!(found.contains("token"), "{found}");
    }
}

#[test]
fn a_baseline_is_not_written_outside_of_the_workspace_without_trust() {
    let elsewhere = Workspace::new(&[("bashrc", "export A=1\n"), ("bl/empty.json", "")]);
    let new = |target: &str, link: &str, setting: &str| {
        let workspace = workspace("path: c.yaml");
        symlink(elsewhere.path(target), workspace.path(link)).expect("a link");
        workspace.write(".hiera-ls.yaml", &format!("diagnostics: {{baseline: {setting}}}\n"));
        workspace
    };
    let run = |workspace: &Workspace, trust: &[&str]| {
        run(workspace, &[&["check", "--write-baseline"], trust].concat())
    };
    let outside =
        " is outside of the workspace and is not written; with --trust, hiera-ls writes it\n";
    let file = new("bashrc", "b.json", "b.json");
    let (status, _, said) = run(&file, &[]);
    assert_eq!((status, said), (Some(2), format!("hiera-ls: ROOT/b.json{outside}")));
    let (status, _, said) = run(&file, &["--trust"]);
    assert!(status == Some(2) && said.contains("is not a baseline"), "{said}");
    assert_eq!(
        std::fs::read_to_string(elsewhere.path("bashrc")).ok().as_deref(),
        Some("export A=1\n")
    );
    for name in ["empty.json", "new.json"] {
        let directory = new("bl", "bl", &format!("bl/{name}"));
        let (status, _, said) = run(&directory, &[]);
        assert_eq!((status, said), (Some(2), format!("hiera-ls: ROOT/bl/{name}{outside}")));
        let new = std::path::Path::new(&elsewhere.path("bl/new.json")).exists();
        assert!(!new, "nothing is written there");
        assert_eq!(run(&directory, &["--trust"]).0, Some(0));
    }
    let nowhere = new("none.json", "b.json", "b.json");
    let (status, _, said) = run(&nowhere, &["--trust"]);
    assert!(status == Some(2) && said.contains("ROOT/b.json cannot be created"), "{said}");
    assert_eq!(run(&nowhere, &[]).0, Some(2));
}

#[test]
fn settings_elsewhere_are_not_read_without_trust() {
    let elsewhere = Workspace::new(&[("secret.yaml", "password: hunter2\n")]);
    let workspace = workspace("path: c.yaml");
    symlink(elsewhere.path("secret.yaml"), workspace.path(".hiera-ls.yaml")).expect("a link");
    let (status, _, said) = run(&workspace, &["check"]);
    let outside = "hiera-ls: ROOT/.hiera-ls.yaml is outside of the workspace and is not read; with --trust, hiera-ls reads it\n";
    assert_eq!(
        (status, said),
        (Some(0), format!("{outside}hiera-ls: All checks passed (2 files)\n"))
    );
    let (_, _, said) = run(&workspace, &["check", "--trust"]);
    assert!(said.contains("`password` is not a setting"), "{said}");
}

/// A repository whose levels lead to a file elsewhere: by a link, by a relative path, and by an absolute path.
fn workspace_that_leads_out(elsewhere: &Workspace) -> Workspace {
    let outside = elsewhere.path("secret.yaml");
    let hiera_yaml = format!(
        "version: 5\nhierarchy: [{{name: Link, path: link.yaml}}, {{name: Absolute, path: {outside}}}]\n"
    );
    let workspace = Workspace::new(&[
        ("hiera.yaml", &*hiera_yaml),
        ("data/c.yaml", "token: '%{lookup(\"token\")}'\n"),
    ]);
    symlink(outside, workspace.path("data/link.yaml")).expect("a link");
    workspace
}

#[test]
fn an_assistant_reads_nothing_outside_of_the_workspace() {
    let elsewhere = Workspace::new(&[("secret.yaml", "token: hunter2\n")]);
    let workspace = workspace_that_leads_out(&elsewhere);
    let mut program = Command::new(env!("CARGO_BIN_EXE_hiera-ls"))
        .args(["mcp", "--root", workspace.root()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut input = program.stdin.take().expect("it is piped");
    let mut lines = BufReader::new(program.stdout.take().expect("it is piped")).lines();
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}});
    let mut ask = |id: u32, method: &str, params: Value| {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(input, "{message}").expect("it reads");
        if method == "initialize" {
            let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
            writeln!(input, "{ready}").expect("it reads");
        }
        lines.next().expect("a response").expect("a line")
    };
    ask(1, "initialize", hello);
    for (number, tool) in ["lookup", "explain", "uses"].into_iter().enumerate() {
        let params = json!({"name": tool, "arguments": {"key": "token"}});
        let found = ask(number as u32 + 2, "tools/call", params);
        assert!(!found.contains("hunter2"), "{found}");
        assert!(tool == "uses" || found.contains("is outside of the workspace"), "{found}");
    }
    drop(input);
    program.wait().expect("it ends");
}

#[test]
fn check_says_that_linked_modules_are_not_read_without_trust() {
    let elsewhere = Workspace::new(&[("manifests/init.pp", "class om (Integer $p = 'x') {}\n")]);
    elsewhere.write("types/port.pp", "type Om::Port = Integer\n");
    let workspace = workspace("path: common.yaml");
    workspace.write("modules/x/metadata.json", "{}\n");
    workspace.write("modules/n/manifests/init.pp", "class n (Om::Port $p) {}\n");
    workspace.write("data/common.yaml", "n::p: 1\n");
    symlink(elsewhere.root(), workspace.path("modules/om")).expect("a link");
    let (_, found, said) = run(&workspace, &["check"]);
    // The files that are wanted from it are not worth a note each.
    assert_eq!(said.matches("is outside of the workspace").count(), 1, "{said}");
    assert!(!found.contains("default-type-mismatch"), "{found}");
    assert!(said.contains("modules/om is outside of the workspace and is not read"), "{said}");
    let (_, found, said) = run(&workspace, &["check", "--trust"]);
    assert!(found.contains("default-type-mismatch"), "{found}");
    assert!(!said.contains("is outside of the workspace"), "{said}");
}

/// Without these directories, a check has less to say, and would pass.
#[test]
fn a_linked_environment_modulepath_or_directory_of_facts_is_not_read_without_trust() {
    let elsewhere = Workspace::new(&[
        ("production/hiera.yaml", &*hierarchy("path: c.yaml")),
        ("production/data/c.yaml", "a: \"%{lokup('b')}\"\n"),
        ("modules/m/manifests/init.pp", "class m (Integer $x) {}\n"),
        ("facts/n1.json", "{\"role\": \"web\"}\n"),
    ]);
    let check = |own: &[(&str, &str)], target: &str, link: &str, read: &str| {
        let workspace = Workspace::new(own);
        workspace.write(&format!("{link}-beside"), "");
        symlink(elsewhere.path(target), workspace.path(link)).expect("a link");
        let note = format!(
            "hiera-ls: note: ROOT/{link} is outside of the workspace and is not read; with --trust, hiera-ls reads it\n"
        );
        let (_, found, said) = run(&workspace, &["check"]);
        assert!(!found.contains(read), "{found}");
        assert_eq!(said.matches("outside").count(), 1, "{said}");
        assert!(said.contains(&note), "{said}");
        let (_, found, said) = run(&workspace, &["check", "--trust"]);
        assert!(found.contains(read), "{link}: {found}{said}");
        assert!(!said.contains("outside"), "{said}");
    };
    let hiera_yaml = &*hierarchy("path: c.yaml");
    let dev =
        [("environments/dev/hiera.yaml", hiera_yaml), ("environments/dev/data/c.yaml", "a: 1\n")];
    check(&dev, "production", "environments/production", "unknown-function");
    let own = |data| [("hiera.yaml", hiera_yaml), ("data/c.yaml", data)];
    check(&own("m::x: foo\n"), "modules", "modules", "value-type-mismatch");
    let data = "a: \"%{rol}\"\n";
    check(&own(data), "facts", ".hiera-ls/facts", "undefined-variable");
    let set = [&own(data)[..], &[(".hiera-ls.yaml", "facts: sets/*.json\n")]].concat();
    check(&set, "facts", "sets", "undefined-variable");
}

#[test]
fn a_repository_within_another_one_does_not_belong_to_it() {
    let hiera_yaml = "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n";
    let workspace = Workspace::new(&[
        (".git/HEAD", ""),
        ("hiera.yaml", hiera_yaml),
        ("modules/inner/.git/HEAD", ""),
        ("modules/inner/hiera.yaml", hiera_yaml),
        ("modules/inner/data/common.yaml", "inner::a: 1\n"),
    ]);
    let arguments = ["lookup", "inner::a", "--root", "modules/inner"];
    let (status, found, said) = run(&workspace, &arguments);
    assert_eq!((status, &*found, &*said), (Some(0), "--- 1\n", ""));
}
