//! Commands that run below the directory with the settings and the facts, anywhere in the repository.

use serde_json::json;

use super::{Repository, check_refused, run_in, text_of};

const LEVELS: &str =
    "version: 5\nhierarchy:\n- {name: r, path: 'r/%{role}.yaml'}\n- {name: c, path: common.yaml}\n";

/// The directories from which `puppet` is compared.
const PLACES: [&str; 2] = ["puppet", "puppet/data/r"];

/// A repository that has its environment in `puppet`, and `.hiera-ls.yaml` and `.hiera-ls/facts` at its top.
fn with_part() -> Repository {
    let repository = Repository::new();
    repository.git(&["rm", "--quiet", "-r", "hiera.yaml", "data"]);
    repository.write("repository/puppet/hiera.yaml", LEVELS);
    repository.write("repository/puppet/data/common.yaml", "a: 1\n");
    repository.write("repository/puppet/data/r/x.yaml", "a: 2\n");
    repository
}

impl Repository {
    fn text_in(&self, directory: &str, arguments: &[&str]) -> String {
        text_of(&run_in(&self.path("repository").join(directory), arguments))
    }

    /// What `check --since HEAD` says at the end.
    fn checked_in(&self, directory: &str) -> String {
        let directory = self.path("repository").join(directory);
        let output = run_in(&directory, &["check", "--since", "HEAD"]);
        String::from_utf8_lossy(&output.stderr).into_owned()
    }
}

#[test]
fn each_revision_has_its_own_settings() {
    let repository = with_part();
    repository.write("repository/.hiera-ls.yaml", "variables: {role: x}\n");
    repository.commit();
    let none = "0 answers change: 1 key compared for any node\n";
    for place in PLACES {
        assert_eq!(repository.text_in(place, &["diff"]), none, "{place}");
        assert_eq!(repository.checked_in(place), "hiera-ls: No file was checked\n", "{place}");
    }
    repository.write("repository/.hiera-ls.yaml", "variables: {role: y}\n");
    let every = "a\n  any node\n  - 2\n  + 1\n    because of ";
    for place in PLACES {
        let text = repository.text_in(place, &["diff"]);
        assert!(text.starts_with(every), "{place}: {text}");
        let checked = "hiera-ls: All checks passed (3 files)\n";
        assert_eq!(repository.checked_in(place), checked, "{place}");
    }
    repository.commit();
    for place in PLACES {
        assert_eq!(repository.text_in(place, &["diff"]), none, "{place}");
        let text = repository.text_in(place, &["diff", "HEAD~", "--to", "HEAD"]);
        assert!(text.starts_with(every), "{place}: {text}");
    }
}

#[test]
fn facts_at_the_top_of_the_repository_are_known_below() {
    let repository = with_part();
    repository.write("repository/.hiera-ls/facts/w1.json", r#"{"role": "x"}"#);
    repository.commit();
    repository.write("repository/puppet/data/r/x.yaml", "a: 3\n");
    for place in ["", "puppet", "puppet/data/r"] {
        let json = repository.text_in(place, &["diff", "--format", "json"]);
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json["changes"][0]["nodes"], json!(["w1"]), "{place}: {json}");
        let nodes = repository.text_in(place, &["nodes"]);
        assert!(nodes.contains("  w1  (facts from "), "{place}: {nodes}");
    }
    repository.commit();
    repository.write("repository/.hiera-ls/facts/w1.json", r#"{"role": "y"}"#);
    for place in PLACES {
        let checked = "hiera-ls: All checks passed (3 files)\n";
        assert_eq!(repository.checked_in(place), checked, "{place}");
    }
}

/// Settings and facts of another part of the repository decide nothing.
#[test]
fn files_of_other_parts_decide_nothing() {
    let repository = with_part();
    repository.commit();
    for other in ["hiera.yaml", ".hiera-ls.yaml", ".hiera-ls/facts/w1.json", "spec/x.yaml"] {
        repository.write(&format!("repository/other/{other}"), "{}\n");
    }
    assert_eq!(repository.checked_in("puppet"), "hiera-ls: No file was checked\n");
}

#[test]
fn baselines_and_severities_name_paths_below_the_settings() {
    let repository = with_part();
    repository.write("repository/puppet/data/common.yaml", "a: 1\na: 2\n");
    repository.write("repository/.hiera-ls.yaml", "puppetVersion: 7\n");
    let status = |place: &str, arguments: &[&str]| {
        let directory = repository.path("repository").join(place);
        run_in(&directory, &[&["check"], arguments].concat()).status.code()
    };
    let all = ["", "puppet", "puppet/data"];
    assert_eq!(all.map(|place| status(place, &[])), [Some(1); 3]);
    for written_in in ["", "puppet"] {
        assert_eq!(status(written_in, &["--write-baseline"]), Some(0));
        assert_eq!(all.map(|place| status(place, &[])), [Some(0); 3], "{written_in}");
        assert_eq!(status("", &["--root", "puppet"]), Some(0), "{written_in}");
        std::fs::remove_file(repository.path("repository/.hiera-ls-baseline.json")).expect("there");
    }
    let by_path = "diagnostics: {severityByPath: {puppet/data/**: {duplicate-key: 'off'}}}\n";
    repository.write("repository/.hiera-ls.yaml", by_path);
    assert_eq!(all.map(|place| status(place, &[])), [Some(0); 3]);
}

#[test]
fn the_environments_of_both_sides_are_listed() {
    let repository = Repository::of_environments(["dev", "production"], LEVELS, "a: 1\n");
    repository.git(&["rm", "--quiet", "-r", "environments/dev"]);
    let listed =
        "no environment nope; there are:\n  environments/production\n  environments/dev, before\n";
    check_refused(&repository.run(&["diff", "-E", "nope"]), listed);
    assert!(repository.run(&["diff", "-E", "dev"]).status.success());
}

/// Environments need not have the same nodes.
#[test]
fn a_list_of_nodes_must_name_some_of_any_environment() {
    let repository = Repository::of_environments(["dev", "production"], LEVELS, "a: 1\n");
    let facts = "repository/environments/dev/.hiera-ls/facts/w1.json";
    repository.write(facts, r#"{"role": "x"}"#);
    repository.commit();
    repository.write("repository/environments/dev/data/common.yaml", "a: 2\n");
    let run = |nodes: &str| {
        let output = repository.run(&["diff", "--nodes", nodes]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), text_of(&output), said)
    };
    let changes = "a\n  1 node: w1\n  - 1\n  + 2\n    because of environments/dev/data/common.yaml:1\n\n\
                   1 of 1 node changes, 1 key; nothing else\n";
    let note = "hiera-ls: note: production is not compared: --nodes names none of its nodes\n";
    for nodes in ["all", "w*"] {
        assert_eq!(run(nodes), (Some(0), changes.to_owned(), note.to_owned()), "{nodes}");
    }
    let (status, _, said) = run("w1");
    assert_eq!((status, said), (Some(0), note.to_owned()));
    let (status, _, said) = run("zz");
    let note = "hiera-ls: note: zz is not a known node; only its name is used\n";
    assert_eq!((status, &*said), (Some(0), note));
    let (status, _, said) = run("w1,x*");
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("--nodes x*: no node has such a name"), "{said}");
}
