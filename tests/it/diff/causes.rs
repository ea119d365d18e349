//! The files and lines that `diff` names as the causes of changes.

use serde_json::Value as Json;

use super::{Repository, run_in, text_of};

#[test]
fn files_above_the_root_are_named_by_their_paths_in_the_repository() {
    let repository = Repository::new();
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: o, path: other.yaml}\n\
                      - {name: s, path: common.yaml, datadir: ../../shared}\n";
    repository.write("repository/sites/ctl/hiera.yaml", hiera_yaml);
    repository.write("repository/sites/ctl/data/other.yaml", "own: 1\n");
    repository.write("repository/shared/common.yaml", "both: 1\n");
    repository.commit();
    repository.write("repository/sites/ctl/data/other.yaml", "own: 2\n");
    repository.write("repository/shared/common.yaml", "both: 2\n");
    let root = repository.path("repository/sites/ctl");
    let in_format = |format| text_of(&run_in(&root, &["diff", "--nodes", "x", "--format", format]));
    let json: Json = serde_json::from_str(&in_format("json")).expect("JSON");
    let files = json["changes"].as_array().expect("a list").iter();
    let files: Vec<&Json> = files.map(|it| &it["causes"][0]["file"]).collect();
    assert_eq!(files, ["../../shared/common.yaml", "data/other.yaml"]);
    for (format, around) in [("github", ["file=", ","]), ("markdown", ["because of ", ":1)"])] {
        let text = in_format(format);
        for path in ["shared/common.yaml", "sites/ctl/data/other.yaml"] {
            let expected = format!("{}{path}{}", around[0], around[1]);
            assert!(text.contains(&expected), "{format}: {text}");
        }
    }
    let gitlab: Json = serde_json::from_str(&in_format("gitlab")).expect("JSON");
    let issues = gitlab.as_array().expect("a list").iter();
    let files: Vec<&Json> = issues.map(|it| &it["location"]["path"]).collect();
    assert_eq!(files, ["shared/common.yaml", "sites/ctl/data/other.yaml"]);
}

/// A repository in which `other.yaml` is above `common.yaml`.
fn two_levels() -> Repository {
    let repository = Repository::new();
    let hiera_yaml = "version: 5\nhierarchy:\n  - name: o\n    path: other.yaml\n  - name: c\n    path: common.yaml\n";
    repository.write("repository/hiera.yaml", hiera_yaml);
    repository.data("other.yaml", "a: 1\n");
    repository.data("common.yaml", "b: 1\nlist: [1]\nlast: 1\n");
    repository.commit();
    repository
}

/// The causes of each change of a key, as `path:line`.
fn causes_of(repository: &Repository, key: &str) -> Vec<String> {
    let output = repository.run(&["diff", "--format", "json", "--", key]);
    let json: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    let changes = json["changes"].as_array().expect("a list").iter();
    let shown = |it: &Json| format!("{}:{}", it["file"].as_str().expect("a path"), it["line"]);
    let causes = |it: &Json| {
        let causes = it["causes"].as_array().expect("a list").iter();
        causes.map(shown).collect::<Vec<_>>().join(", ")
    };
    changes.map(causes).collect()
}

#[test]
fn a_deleted_line_has_the_number_that_it_had() {
    let repository = two_levels();
    let levels = "version: 5\nhierarchy:\n  - name: o\n    path: other.yaml\n";
    repository.write("repository/hiera.yaml", levels);
    assert_eq!(causes_of(&repository, "b"), ["hiera.yaml:5"]);
    let repository = two_levels();
    repository.data("other.yaml", "hash:\n  one: 1\n  two: 2\nlist:\n- 1\n- 2\n- 3\n");
    repository.commit();
    repository.data("other.yaml", "hash:\n  one: 1\nlist:\n- 1\n- 3\n");
    assert_eq!(causes_of(&repository, "hash"), ["data/other.yaml:3"]);
    assert_eq!(causes_of(&repository, "list"), ["data/other.yaml:6"]);
}

/// The parser may stop at another line, and the keys of the file are elsewhere, too.
#[test]
fn a_file_that_is_refused_is_named_by_its_first_edited_line() {
    let text = "b: 1\nlist: [1]\nlast: 1\n";
    let check = |text: &[u8], line: u32| {
        let repository = two_levels();
        std::fs::write(repository.path("repository/data/common.yaml"), text).expect("a file");
        let expected = [format!("data/common.yaml:{line}")];
        // Lookups of all keys read the lookup_options of all files.
        for key in ["b", "list", "last", "a"] {
            assert_eq!(causes_of(&repository, key), expected, "{key}");
        }
        repository.commit();
        repository.data("common.yaml", "b: 1\nlist: [1]\nlast: 1\n");
        assert_eq!(causes_of(&repository, "last"), expected, "if it is mended");
    };
    check(format!("{text}}}\n").as_bytes(), 4);
    check(&[text.as_bytes(), b"x: \xe9\n"].concat(), 4);
    check(format!("\u{feff}---\n{text}").as_bytes(), 1);
    check("b: 1\n<<<<<<< a\nlist: [1]\n=======\nlist: [2]\n>>>>>>> b\nlast: 1\n".as_bytes(), 2);
}

#[test]
fn an_edited_entry_that_is_not_reached_is_no_cause_of_an_error() {
    let repository = two_levels();
    repository.data("common.yaml", "b: 2\n");
    repository.data("other.yaml", "a: 1\nc: [3\n");
    assert_eq!(causes_of(&repository, "b"), ["data/other.yaml:2"]);
    let repository = two_levels();
    repository.data("common.yaml", "b: 2\n");
    let hiera_yaml = "version: 5\nfoo: 1\nhierarchy:\n  - name: c\n    path: common.yaml\n";
    repository.write("repository/hiera.yaml", hiera_yaml);
    assert_eq!(causes_of(&repository, "b"), ["hiera.yaml:2"]);
    // An entry that a value needs is gone.
    let repository = two_levels();
    repository.data("other.yaml", "a: \"%{alias('b')}\"\n");
    repository.commit();
    repository.data("common.yaml", "list: [1]\nlast: 1\n");
    let comment = std::fs::read_to_string(repository.path("repository/hiera.yaml")).expect("text");
    repository.write("repository/hiera.yaml", &format!("# two levels\n{comment}"));
    assert_eq!(causes_of(&repository, "a"), ["data/common.yaml:1"]);
}

#[test]
fn files_that_hold_no_data_any_more_are_causes() {
    let repository = two_levels();
    repository.data("other.yaml", "# no hash\nfoo\n");
    assert_eq!(causes_of(&repository, "b"), ["data/other.yaml:1"]);
    assert_eq!(causes_of(&repository, "a"), ["data/other.yaml:1"]);
    let repository = two_levels();
    std::fs::remove_file(repository.path("repository/data/other.yaml")).expect("it is there");
    std::fs::create_dir(repository.path("repository/data/other.yaml")).expect("a directory");
    assert_eq!(causes_of(&repository, "b"), ["data/other.yaml:1"]);
    #[cfg(unix)]
    {
        let repository = two_levels();
        let glob = "version: 5\nhierarchy:\n  - {name: g, glob: 'o*.yaml'}\n  - {name: c, path: common.yaml}\n";
        repository.write("repository/hiera.yaml", glob);
        repository.commit();
        let link = repository.path("repository/data/other.yaml");
        std::fs::remove_file(&link).expect("it is there");
        std::os::unix::fs::symlink("nowhere", link).expect("a link");
        assert_eq!(causes_of(&repository, "b"), ["data/other.yaml:1"]);
    }
}

#[test]
fn each_case_has_its_own_causes() {
    let repository = Repository::new();
    let hiera_yaml = |role: &str| {
        let levels = format!(
            "version: 5\nhierarchy:\n{role}- {{name: s, path: 'sites/%{{facts.site}}.yaml'}}\n\
             - {{name: c, path: common.yaml}}\n"
        );
        repository.write("repository/hiera.yaml", &levels);
    };
    let role = "- {name: r, path: 'roles/%{facts.role}.yaml'}\n";
    hiera_yaml(role);
    repository.data("common.yaml", "port: 1\n");
    repository.data("roles/web.yaml", "port: 2\n");
    repository.data("sites/oslo.yaml", "port: 3\n");
    repository.commit();
    repository.data("roles/web.yaml", "port: 22\n");
    repository.data("sites/oslo.yaml", "port: 33\n");
    let mut causes = causes_of(&repository, "port");
    causes.sort();
    assert_eq!(causes, ["data/roles/web.yaml:1", "data/sites/oslo.yaml:1"]);
    repository.git(&["checkout", "--quiet", "."]);
    repository.data("common.yaml", "port: 11\n");
    hiera_yaml("");
    let mut causes = causes_of(&repository, "port");
    causes.sort();
    let both = "data/common.yaml:1, hiera.yaml:3";
    // The role's value becomes the site's, or the edited one; elsewhere, the edited one was there before.
    assert_eq!(causes, ["data/common.yaml:1", both, "hiera.yaml:3"]);
}

#[test]
fn options_are_causes_beside_values() {
    let repository = two_levels();
    let common = |strategy: &str, item: u32| {
        let text = format!("lookup_options:\n  list:\n    merge: {strategy}\nlist: [{item}]\n");
        repository.data("common.yaml", &text);
    };
    repository.data("other.yaml", "list: [9]\n");
    common("unique", 1);
    repository.commit();
    common("first", 2);
    // The first value ends the lookup now.
    assert_eq!(causes_of(&repository, "list"), ["data/common.yaml:3"]);
    repository.data("other.yaml", "list: [8]\n");
    assert_eq!(causes_of(&repository, "list"), ["data/common.yaml:3, data/other.yaml:1"]);
}

#[test]
fn options_of_some_cases_are_causes() {
    let repository = Repository::new();
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                      - {name: r, path: 'role/%{facts.role}.yaml'}\n- {name: c, path: common.yaml}\n";
    repository.write("repository/hiera.yaml", hiera_yaml);
    repository.data("nodes/n3.yaml", "m::list: [b]\n");
    repository
        .data("common.yaml", "m::list: [3]\nlookup_options: {'^.*::list$': {merge: unique}}\n");
    repository.data("role/db.yaml", "other: 1\n");
    let levels = "version: 5\nhierarchy: [{name: o, path: 'os/%{facts.os.family}.yaml'}]\n";
    repository.write("repository/modules/m/hiera.yaml", levels);
    let options = "lookup_options: {'m::list': {convert_to: String}}\n";
    repository.write("repository/modules/m/data/os/RedHat.yaml", options);
    repository.commit();
    let options = "other: 1\nlookup_options:\n  '^.*::list$': {convert_to: Array}\n";
    repository.data("role/db.yaml", options);
    // The options of the first case, those of RedHat, stay the same.
    let causes = causes_of(&repository, "m::list");
    assert!(!causes.is_empty());
    assert!(causes.iter().all(|it| it == "data/role/db.yaml:3"), "{causes:?}");
}

#[test]
fn options_that_two_cases_exchange_are_causes() {
    let repository = Repository::new();
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: r, path: 'role/%{facts.role}.yaml'}\n- {name: c, path: common.yaml}\n";
    repository.write("repository/hiera.yaml", hiera_yaml);
    repository.data("common.yaml", "port: '80'\n");
    let options = |one: &str, other: &str| {
        for (role, of) in [("db", one), ("web", other)] {
            let text = format!("lookup_options:\n  port: {{convert_to: {of}}}\n");
            repository.data(&format!("role/{role}.yaml"), &text);
        }
    };
    options("Integer", "Array");
    repository.commit();
    options("Array", "Integer");
    let mut causes = causes_of(&repository, "port");
    causes.sort();
    assert_eq!(causes, ["data/role/db.yaml:2", "data/role/web.yaml:2"]);
}

#[test]
fn options_of_a_removed_level_are_causes_only_if_they_are_edited() {
    let repository = Repository::new();
    let levels = |site: &str| {
        let levels = format!("version: 5\nhierarchy:\n{site}- {{name: c, path: common.yaml}}\n");
        repository.write("repository/hiera.yaml", &levels);
    };
    levels("- {name: s, path: site.yaml}\n");
    repository.data("common.yaml", "port: '80'\n");
    let options = "lookup_options:\n  port: {convert_to: Integer}\n";
    repository.data("site.yaml", options);
    repository.commit();
    levels("");
    repository.data("site.yaml", &format!("# the only site\n{options}"));
    assert_eq!(causes_of(&repository, "port"), ["hiera.yaml:3"]);
}

#[test]
fn what_facts_and_settings_consist_of_is_a_cause() {
    let repository = two_levels();
    let hiera_yaml = "version: 5\nhierarchy:\n  - {name: v, lookup_key: vault}\n  \
                      - {name: r, path: 'roles/%{role}.yaml'}\n  - {name: c, path: common.yaml}\n";
    repository.write("repository/hiera.yaml", hiera_yaml);
    let settings = "backends: {vault: {stand_in: samples/vault.yaml}}\n";
    repository.write("repository/.hiera-ls.yaml", settings);
    repository.write("repository/samples/vault.yaml", "sample: 1\n");
    repository.write("repository/.hiera-ls/facts/n1.json", "{\"hostname\": \"n1\"}\n");
    let classifier = |role: &str| {
        format!("classes: {{}}\nparameters:\n  role: {role}\nenvironment: production\n")
    };
    repository.write("repository/.hiera-ls/facts/n1.yaml", &classifier("web"));
    repository.commit();
    repository.write("repository/.hiera-ls/facts/n1.yaml", &classifier("db"));
    repository.write("repository/samples/vault.yaml", "# a sample\nsample: 2\n");
    let causes = causes_of(&repository, "port");
    assert_eq!(causes, [".hiera-ls/facts/n1.yaml:3"]);
    repository.git(&["checkout", "--quiet", ".hiera-ls"]);
    assert_eq!(causes_of(&repository, "sample"), ["samples/vault.yaml:1"]);
}

#[test]
fn a_node_has_its_own_part_of_the_settings() {
    let repository = Repository::new();
    let settings = |one: &str, two: &str| {
        let node = |name: &str, role: &str| format!("  {name}:\n    facts: {{role: {role}}}\n");
        let nodes = [node("one", one), node("two", two)].concat();
        repository.write("repository/.hiera-ls.yaml", &format!("nodes:\n{nodes}"));
    };
    repository.data("roles/mail.yaml", "port: 25\n");
    settings("db", "db");
    repository.commit();
    settings("web", "mail");
    let mut causes = causes_of(&repository, "port");
    causes.sort();
    assert_eq!(causes, [".hiera-ls.yaml:3", ".hiera-ls.yaml:5"]);
}

/// The new file alone changes nothing, because the node reads another one first.
#[test]
fn two_edits_that_change_something_only_together() {
    let repository = Repository::new();
    let facts = |tags: &str| {
        repository.write("repository/.hiera-ls/facts/n1.yaml", &format!("tags: {tags}\n"));
    };
    let levels = "version: 5\nhierarchy: [{name: t, mapped_paths: [facts.tags, t, '%{t}.yaml']}]\n";
    repository.write("repository/hiera.yaml", levels);
    repository.data("x.yaml", "key: 1\n");
    facts("[x, y]");
    repository.commit();
    repository.data("y.yaml", "key: 2\n");
    facts("[y, x]");
    let causes = || {
        let text = text_of(&repository.run(&["diff", "--nodes", "n1", "--", "key"]));
        let cause = text.lines().find_map(|line| line.trim().strip_prefix("because of "));
        cause.unwrap_or(&text).to_owned()
    };
    assert_eq!(causes(), ".hiera-ls/facts/n1.yaml:1, data/y.yaml:1");
    // Such edited facts do not matter.
    facts("[x, z]");
    repository.data("x.yaml", "key: 2\n");
    assert_eq!(causes(), "data/x.yaml:1");
}

#[test]
fn the_metadata_of_a_module_is_a_cause() {
    let repository = Repository::new();
    let metadata = |name: &str| {
        repository.write("repository/metadata.json", &format!("{{\n\"name\": \"x-{name}\"}}\n"));
    };
    repository.data("common.yaml", "ntp::package: ntp\n");
    metadata("ntp");
    repository.commit();
    metadata("chrony");
    assert_eq!(causes_of(&repository, "ntp::package"), ["metadata.json:2"]);
}
