//! Commands in a repository whose data directory is a symbolic link. Git knows the files only by their own paths.
#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::process::Command;

use crate::support::workspace::Workspace;

const HIERA_YAML: &str = "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                          - {name: c, path: common.yaml}\n";

/// A repository with a commit: `data` leads to `real`, and `nodes/n2.yaml` to `n1.yaml`.
fn repository() -> Workspace {
    let files = [
        ("hiera.yaml", HIERA_YAML),
        ("real/common.yaml", "a: 1\n"),
        ("real/nodes/n1.yaml", "b: 1\n"),
    ];
    let repository = Workspace::new(&files);
    symlink("real", repository.path("data")).expect("a link");
    symlink("n1.yaml", repository.path("real/nodes/n2.yaml")).expect("a link");
    git(&repository, &["init", "--quiet"]);
    git(&repository, &["add", "--all"]);
    git(&repository, &["commit", "--quiet", "--message", "x"]);
    repository
}

fn git(repository: &Workspace, arguments: &[&str]) {
    let user = ["-c", "user.name=x", "-c", "user.email=x@example.com"];
    let mut command = Command::new("git");
    let command = command.current_dir(repository.root()).args(user).args(arguments);
    assert!(command.output().expect("git runs").status.success());
}

/// Standard output and standard error.
fn run(repository: &Workspace, arguments: &[&str]) -> (String, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_hiera-ls"));
    let program = program.args(arguments).current_dir(repository.root());
    let output = program.output().expect("the program runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr))
}

#[test]
fn edited_files_are_checked_under_the_paths_of_their_links() {
    let repository = repository();
    let since = ["check", "--since", "HEAD", "--format", "concise"];
    let checked = |expected: &str, count: &str| {
        let (text, summary) = run(&repository, &since);
        assert!(text.starts_with(expected), "{text}");
        assert!(summary.contains(count), "{summary}");
    };
    checked("", "No file was checked");
    repository.write("real/common.yaml", "a: [\n");
    checked("data/common.yaml:1:", "1 error, 0 warnings in 1 file");
    git(&repository, &["checkout", "--quiet", "real/common.yaml"]);
    repository.write("real/nodes/n1.yaml", "b: [\n");
    checked("data/nodes/n1.yaml:1:", "2 errors, 0 warnings in 2 files");
    git(&repository, &["checkout", "--quiet", "real/nodes/n1.yaml"]);
    repository.write("other/common.yaml", "a: [\n");
    repository.remove("data");
    symlink("other", repository.path("data")).expect("a link");
    checked("data/common.yaml:1:", "1 error, 0 warnings in 1 file");
    repository.remove("data");
    symlink("real", repository.path("data")).expect("a link");
    // A linked hiera.yaml decides about all files, too.
    std::fs::rename(repository.path("hiera.yaml"), repository.path("five.yaml")).expect("a name");
    symlink("five.yaml", repository.path("hiera.yaml")).expect("a link");
    git(&repository, &["add", "--all"]);
    git(&repository, &["commit", "--quiet", "--message", "y"]);
    repository.write("five.yaml", &format!("{HIERA_YAML}# edited\n"));
    checked("", "All checks passed (4 files)");
}

#[test]
fn a_link_may_lead_out_of_the_directory_that_is_checked() {
    let repository = Workspace::new(&[
        ("env/hiera.yaml", HIERA_YAML),
        ("env/modules/m/data/m.yaml", "m::a: 1\n"),
        ("shared/common.yaml", "a: 1\n"),
        ("other/hiera.yaml", HIERA_YAML),
    ]);
    symlink("../shared", repository.path("env/data")).expect("a link");
    git(&repository, &["init", "--quiet"]);
    git(&repository, &["add", "--all"]);
    git(&repository, &["commit", "--quiet", "--message", "x"]);
    let check = |expected: &str| {
        let (_, summary) = run(&repository, &["check", "--root", "env", "--since", "HEAD"]);
        assert_eq!(summary, format!("hiera-ls: {expected}\n"));
    };
    repository.write("other/hiera.yaml", "version: 5\n");
    repository.write("env/untracked.txt", "x");
    check("No file was checked");
    repository.write("shared/common.yaml", "a: [\n");
    check("1 error, 0 warnings in 1 file");
    let (text, _) = run(&repository, &["check", "--root", "env", "--format", "github"]);
    assert!(text.contains("file=shared/common.yaml,"), "{text}");
}

#[test]
fn annotations_name_the_files_that_git_knows() {
    let repository = repository();
    repository.write("real/common.yaml", "a: [\n");
    repository.write("real/nodes/n1.yaml", "b: 05\nc: [\n");
    for (format, path) in
        [("github", "file="), ("gitlab", "\"path\": \""), ("sarif", "\"uri\": \"")]
    {
        let (text, _) = run(&repository, &["check", "--format", format]);
        let names = |file: &str| text.contains(&format!("{path}{file}"));
        assert!(names("real/common.yaml") && names("real/nodes/n1.yaml"), "{text}");
        assert!(!names("data/"), "{text}");
        assert_eq!(text.matches("`05` is").count(), 1, "{text}");
    }
    let (text, _) = run(&repository, &["check", "--format", "concise"]);
    assert!(text.starts_with("data/common.yaml:1:"), "{text}");
    repository.write("real/common.yaml", "a: 2\n");
    repository.write("real/nodes/n1.yaml", "b: 2\n");
    for format in ["github", "gitlab"] {
        let (text, _) = run(&repository, &["diff", "--format", format]);
        assert!(text.contains("real/common.yaml") && !text.contains("data/"), "{text}");
        assert!(text.contains("real/nodes/n1.yaml"), "{text}");
    }
}

#[test]
fn a_link_in_a_linked_directory_has_two_paths() {
    let repository = repository();
    let readers = |path: &str| run(&repository, &["readers", path]).0;
    let linked = readers("data/nodes/n2.yaml");
    assert!(linked.starts_with("data/nodes/n2.yaml: read by 1 of 2 nodes\n  n2\n"), "{linked}");
    let own = readers("real/nodes/n2.yaml");
    let expected =
        "real/nodes/n2.yaml: read by 1 of 2 nodes\n  n2\nThrough the links\n  data/nodes/n2.yaml\n";
    assert!(own.starts_with(expected), "{own}");
    let (_, summary) = run(&repository, &["check", "real/nodes/n2.yaml"]);
    assert_eq!(summary, "hiera-ls: All checks passed (1 file)\n");
}
