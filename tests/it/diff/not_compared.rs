//! What Git keeps elsewhere than in the objects of the repository: a comparison says what it does not see.

use std::process::Command;

use serde_json::json;

use super::{Repository, check_refused, run_in, text_of};

const POINTER: &str = "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n";

impl Repository {
    /// The reasons of `diff` why not everything is proved; nothing must change.
    #[track_caller]
    fn not_proved(&self, arguments: &[&str]) -> Vec<String> {
        let found = self.diff(arguments);
        assert_eq!(found["changes"], json!([]), "{found}");
        let reasons = found["not_proved"].as_array().into_iter().flatten();
        reasons.map(|it| it["reason"].as_str().expect("a text").to_owned()).collect()
    }

    /// Checks that nothing is proved because of one path, and that every format says so.
    #[track_caller]
    fn check_not_proved(&self, arguments: &[&str], start: &str) {
        let reasons = self.not_proved(arguments);
        assert!(reasons.len() == 1 && reasons[0].starts_with(start), "{reasons:?}");
        for format in ["text", "markdown", "github"] {
            let all = [&["diff", "--facts", "../facts", "--format", format], arguments].concat();
            let text = text_of(&self.run(&all));
            assert!(text.contains("as far as hiera-ls can tell"), "{text}");
            assert!(text.contains(&format!("not proved: {start}")), "{text}");
        }
    }

    /// Commits a submodule whose commit does not matter.
    fn commit_submodule(&self, digit: &str) {
        let link = format!("160000,{},sub", digit.repeat(40));
        self.git(&["update-index", "--add", "--cacheinfo", &link]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", "x"]);
    }
}

#[test]
fn a_submodule_that_differs() {
    let repository = Repository::new();
    repository.commit_submodule("1");
    repository.commit_submodule("2");
    repository.commit_submodule("2");
    repository.check_not_proved(&["HEAD~2", "--to", "HEAD~1"], "sub: a submodule");
    repository.check_not_proved(&["HEAD~3", "--to", "HEAD~1"], "sub: a submodule");
    assert_eq!(repository.not_proved(&["HEAD~1", "--to", "HEAD"]), [""; 0]);
    repository.check_not_proved(&["HEAD~2"], "sub: a submodule");
}

#[test]
fn a_submodule_is_compared_with_its_files() {
    let repository = Repository::new();
    let url = repository.path("repository").display().to_string();
    let allowed = ["-c", "protocol.file.allow=always"];
    let add = ["submodule", "--quiet", "add", &url, "sub"];
    repository.git(&[&allowed[..], &add].concat());
    repository.commit();
    assert_eq!(repository.not_proved(&[]), [""; 0]);
    repository.write("repository/sub/new.yaml", "a: 1\n");
    repository.check_not_proved(&[], "sub: a submodule");
    repository.write("repository/sub/.git", "gitdir: nowhere\n");
    repository.check_not_proved(&[], "sub: a submodule");
}

#[test]
fn pointers_of_git_lfs() {
    let repository = Repository::new();
    repository.data("roles/web.yaml", POINTER);
    repository.commit();
    assert_eq!(repository.not_proved(&[]), [""; 0]);
    let start = "data/roles/web.yaml: only a pointer";
    repository.data("roles/web.yaml", &POINTER.replace("size 1", "size 2"));
    repository.check_not_proved(&[], start);
    repository.data("roles/web.yaml", "port: 1\n");
    repository.check_not_proved(&[], start);
    repository.commit();
    repository.check_not_proved(&["HEAD~1", "--to", "HEAD"], start);
    repository.data("roles/web.yaml", POINTER);
    repository.check_not_proved(&[], start);
}

#[test]
fn files_that_git_converts() {
    let repository = Repository::new();
    repository.git(&["config", "filter.more.smudge", "sed s/80/81/"]);
    repository.git(&["config", "filter.more.clean", "sed s/81/80/"]);
    repository.git(&["config", "filter.clean.clean", "cat"]);
    repository
        .write("repository/.gitattributes", "data/common.yaml filter=more\n*.x filter=clean\n");
    repository.commit();
    repository.data("common.yaml", "port: 82\n");
    repository.commit();
    repository.data("common.yaml", "port: 81\n");
    let start = "data/common.yaml: converted by Git's filter 'more'";
    repository.check_not_proved(&[], start);
    repository.check_not_proved(&["HEAD~1", "--to", "HEAD"], start);
    // A filter that changes no file when it is checked out.
    repository.write("repository/.gitattributes", "data/common.yaml filter=clean\n");
    repository.commit();
    repository.data("common.yaml", "port: 83\n");
    assert_eq!(repository.diff(&["--", "port"])["changes"][0]["before"]["value"], json!(81));
}

#[test]
fn files_that_a_sparse_checkout_leaves_out() {
    let repository = Repository::new();
    repository.git(&["sparse-checkout", "set", "--no-cone", "/*", "!/data/roles"]);
    assert!(!repository.path("repository/data/roles").exists());
    assert_eq!(repository.diff(&[]), json!({"nodes": 3, "changes": []}));
    repository.data("common.yaml", "port: 81\nlist: [1]\n");
    let found = repository.diff(&["--", "port"]);
    assert_eq!(found["changes"][0]["nodes"], json!(["db1.example.com"]), "{found}");
}

/// Without trust, the files of such a directory are unknown.
#[cfg(unix)]
#[test]
fn directories_outside_of_the_repository() {
    for level in ["path: 'linked/%{facts.role}.yaml'", "glob: 'linked/*.yaml'"] {
        let repository = Repository::new();
        let hiera_yaml = format!(
            "version: 5\nhierarchy:\n- {{name: o, {level}}}\n- {{name: c, path: common.yaml}}\n"
        );
        repository.write("repository/hiera.yaml", &hiera_yaml);
        repository.write("elsewhere/web.yaml", "port: 1\n");
        let link = repository.path("repository/data/linked");
        std::os::unix::fs::symlink(repository.path("elsewhere"), link).expect("a link");
        repository.commit();
        repository.data("common.yaml", "port: 81\nlist: [1]\n");
        let text = text_of(&repository.run(&["diff"]));
        assert!(text.contains("not proved: ") && text.contains("linked is outside"), "{text}");
        assert!(!text.contains("nothing else") && !text.contains("every node"), "{text}");
        let text = text_of(&repository.run(&["diff", "--trust"]));
        assert!(!text.contains("not proved"), "{text}");
    }
}

#[test]
fn a_partial_clone() {
    let repository = Repository::new();
    repository.data("common.yaml", "port: 81\n");
    repository.commit();
    repository.git(&["config", "uploadpack.allowFilter", "true"]);
    let clone = repository.path("clone");
    let url = format!("file://{}", repository.path("repository").display());
    let arguments = ["clone", "--quiet", "--filter=blob:none", &url];
    let made = Command::new("git").args(arguments).arg(&clone).status();
    assert!(made.expect("git runs").success());
    let output = run_in(&clone, &["diff", "HEAD~1"]);
    check_refused(&output, "data/common.yaml at HEAD~1 is not in this clone");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("its answers are errors"));
    assert_eq!(text_of(&output), "");
    let output = run_in(&clone, &["diff"]);
    assert!(output.status.success(), "{output:?}");
    let fetched = Command::new("git").args(["diff", "HEAD~1"]).current_dir(&clone).output();
    assert!(fetched.expect("git runs").status.success());
    let output = run_in(&clone, &["diff", "HEAD~1"]);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn what_code_decides_is_not_proved() {
    let repository = Repository::new();
    repository.write(
        "repository/hiera.yaml",
        "version: 5\nhierarchy:\n- {name: t, path: 'tiers/%{tier}.yaml'}\n- {name: c, path: common.yaml}\n",
    );
    repository.write("repository/manifests/site.pp", "$tier = 'prod'\n");
    repository.data("tiers/prod.yaml", "port: 1\n");
    repository.commit();
    repository.data("tiers/prod.yaml", "port: 2\n");
    let reason = "levels depend on tier, which code may set, and hiera-ls does not evaluate code";
    assert_eq!(repository.not_proved(&[]), [reason]);
    repository.write(
        "repository/hiera.yaml",
        "version: 5\nhierarchy: [{name: m, paths: ['mods/%{module_name}.yaml', common.yaml]}]\n",
    );
    repository.data("mods/m.yaml", "m::a: 1\n");
    repository.commit();
    repository.data("mods/m.yaml", "m::a: 2\n");
    repository.check_not_proved(&[], "data depends on which code looks it up");
}

/// What Puppet makes of the text is not known: two such values are not the same.
#[test]
fn values_that_are_not_computed() {
    let repository = Repository::new();
    let data = |host: &str, b: u32| {
        let text =
            format!("lookup_options: {{uri: {{convert_to: URI}}}}\nuri: 'http://{host}'\nb: {b}\n");
        repository.data("common.yaml", &text);
    };
    data("x", 1);
    repository.data("roles/web.yaml", "uri: 'http://web'\n");
    repository.commit();
    let all = ["lookup", "uri", "--facts", "../facts"];
    let said = text_of(&repository.run(&all));
    assert!(said.starts_with("uri: not known for any of 3 nodes\n"), "{said}");
    data("x", 2);
    assert_eq!(repository.diff(&[]).get("not_proved"), None);
    data("y", 1);
    let reason = "hiera-ls cannot compute the value: what URI.new() gives is not known here";
    assert_eq!(repository.not_proved(&[]), [reason]);
    let text = text_of(&repository.run(&["diff", "--facts", "../facts"]));
    assert!(text.contains(&format!("not proved for 1 key (uri): {reason}")), "{text}");
}
