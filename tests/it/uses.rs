//! `hiera-ls uses` and `readers`, run as programs where data is not read.

use std::process::Command;

use crate::support::workspace::Workspace;

const HIERA_YAML: &str = "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n";

const MANIFEST: (&str, &str) = ("manifests/site.pp", "$x = lookup('g')\n");

/// Status, standard output and standard error.
fn run(workspace: &Workspace, arguments: [&str; 2]) -> (Option<i32>, String, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_hiera-ls"));
    let program = program.args(arguments).current_dir(workspace.root());
    let output = program.output().expect("the program runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8").replace(workspace.root(), ".");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[track_caller]
fn check(files: &[(&str, &str)], key: &str, uses: &str, notes: &str) {
    let workspace = Workspace::new(&[&[("data/common.yaml", "g: 1\n"), MANIFEST], files].concat());
    assert_eq!(run(&workspace, ["uses", key]), (Some(0), uses.to_owned(), notes.to_owned()));
}

const IN_DATA: &str = "data/common.yaml:1:1: key: g\n";
const IN_CODE: &str = "manifests/site.pp:1:14: manifest: g\n";

#[test]
fn what_is_no_key_may_be_something_else() {
    let files = [("hiera.yaml", HIERA_YAML), ("data/common.yaml", "m.dot: 1\n")];
    let workspace = Workspace::new(&files);
    let said = |key: &str| run(&workspace, ["uses", key]).2;
    assert!(said("m.dot").contains("is the key with dots in its name"), "{}", said("m.dot"));
    assert!(said("^m").contains("is a pattern in lookup_options, not a key"), "{}", said("^m"));
}

#[test]
fn data_that_a_refused_hierarchy_does_not_read_is_missing() {
    check(&[("hiera.yaml", HIERA_YAML)], "g", &format!("{IN_DATA}{IN_CODE}"), "");
    check(
        &[("hiera.yaml", "version: 3\n")],
        "g",
        IN_CODE,
        "hiera-ls: Puppet does not use hiera.yaml: hiera.yaml version 3 cannot be used in an environment\n",
    );
    check(
        &[("hiera.yaml", "version: 5\nhierarchy: 7\n")],
        "g",
        IN_CODE,
        "hiera-ls: every lookup fails, because Puppet refuses hiera.yaml: The Lookup Configuration at './hiera.yaml' has \
         wrong type, entry 'hierarchy' expects an Array value, got Integer\n",
    );
    let no_file = [("environment.conf", "modulepath = modules\n")];
    check(
        &no_file,
        "g",
        IN_CODE,
        "hiera-ls: no hierarchy reads data: there is no hiera.yaml in .\n",
    );
    let broken = [("hiera.yaml", HIERA_YAML), ("modules/m/hiera.yaml", "version: [\n")];
    check(&broken, "g", &format!("{IN_DATA}{IN_CODE}"), "");
    let why = "did not find expected node content while parsing a flow node at line 2 column 1";
    let expected = format!(
        "hiera-ls: nothing mentions m::a\nhiera-ls: Puppet does not use modules/m/hiera.yaml: (./modules/m/hiera.yaml): {why}\n"
    );
    check(&broken, "m::a", "", &expected);
}

#[test]
fn readers_says_that_the_hierarchy_is_refused() {
    let files = [("hiera.yaml", "version: 5\nhierarchy: 7\n"), ("data/common.yaml", "g: 1\n")];
    let (_, text, _) = run(&Workspace::new(&files), ["readers", "data/common.yaml"]);
    let why = "data/common.yaml: no hierarchy reads this file\nevery lookup fails, because Puppet refuses hiera.yaml: ";
    assert!(text.starts_with(why), "{text}");
}

#[test]
fn a_text_that_is_no_key_is_refused() {
    let workspace = Workspace::new(&[("hiera.yaml", HIERA_YAML)]);
    for (key, complaint) in [("", "an empty text is not a key"), ("a..b", "a..b is not a key")] {
        let complaint = format!("hiera-ls: {complaint}\n");
        assert_eq!(run(&workspace, ["uses", key]), (Some(2), String::new(), complaint));
    }
}

#[test]
fn programs_get_the_environment_of_a_file() {
    let workspace = Workspace::new(&[
        ("environments/production/hiera.yaml", HIERA_YAML),
        ("environments/production/data/common.yaml", "g: 1\n"),
    ]);
    let mut program = Command::new(env!("CARGO_BIN_EXE_hiera-ls"));
    let program = program.args(["uses", "g", "--render-as", "jsonl"]);
    let output = program.current_dir(workspace.root()).output().expect("the program runs");
    let expected = "{\"use\":\"key\",\"file\":\"data/common.yaml\",\"line\":1,\"column\":1,\"text\":\"g\",\
                    \"environment\":\"production\"}\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}
