//! `diff`, and `lookup` for many nodes, run as programs in real repositories.

mod below;
mod causes;
mod not_compared;
mod other_nodes;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value as Json, json};

const HIERA_YAML: &str = "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                          - {name: r, path: 'roles/%{facts.role}.yaml'}\n- {name: c, path: common.yaml}\n";

const COMMON: &str =
    "port: 80\nurl: \"http://x:%{lookup('port')}\"\nsecret: ENC[PKCS7,b25l]\nlist: [1]\n";

/// A repository with one commit and a directory of fact sets beside it.
struct Repository {
    folder: tempfile::TempDir,
}

impl Repository {
    fn new() -> Self {
        let repository = Self { folder: tempfile::tempdir().expect("a temporary directory") };
        repository.write("repository/hiera.yaml", HIERA_YAML);
        repository.write("repository/data/common.yaml", COMMON);
        repository.write("repository/data/roles/web.yaml", "port: 8080\nlist: [2]\n");
        repository.write("facts/web1.json", r#"{"role": "web"}"#);
        repository.write("facts/web2.json", r#"{"role": "web", "clientcert": "other"}"#);
        repository.write("facts/db1.example.com.yaml", "role: db\n");
        repository.git(&["init", "--quiet"]);
        repository.commit();
        repository
    }

    /// A repository with these environments and no other data.
    fn of_environments(names: [&str; 2], hiera_yaml: &str, common: &str) -> Self {
        let repository = Self::new();
        repository.git(&["rm", "--quiet", "-r", "hiera.yaml", "data"]);
        for name in names {
            let file = |path: &str| format!("repository/environments/{name}/{path}");
            repository.write(&file("hiera.yaml"), hiera_yaml);
            repository.write(&file("data/common.yaml"), common);
        }
        repository.commit();
        repository
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, text).expect("a file");
    }

    /// Writes a data file.
    fn data(&self, name: &str, text: &str) {
        self.write(&format!("repository/data/{name}"), text);
    }

    fn git(&self, arguments: &[&str]) {
        let user = ["-c", "user.name=x", "-c", "user.email=x@example.com"];
        let mut command = Command::new("git");
        command.arg("-C").arg(self.path("repository")).args(user).args(arguments);
        let output = command.output().expect("git runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "x"]);
    }

    fn run(&self, arguments: &[&str]) -> Output {
        run_in(&self.path("repository"), arguments)
    }

    /// The output of `diff` for the fact sets.
    fn diff(&self, arguments: &[&str]) -> Json {
        let all = ["diff", "--facts", "../facts", "--format", "json"];
        let output = self.run(&[&all, arguments].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("JSON")
    }
}

fn run_in(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hiera-ls"));
    command.current_dir(directory).args(arguments).output().expect("the program runs")
}

fn text_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[track_caller]
fn check_refused(output: &Output, words: &str) {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains(words), "{said}");
}

#[test]
fn an_edit_of_the_working_tree() {
    let repository = Repository::new();
    assert_eq!(repository.diff(&[]), json!({"nodes": 3, "changes": []}));
    repository.data("roles/web.yaml", "port: 8081\nlist: [2]\n");
    let of_web = |key: &str, before: Json, after: Json| {
        json!({
            "key": key,
            "before": {"status": "found", "value": before},
            "after": {"status": "found", "value": after},
            "nodes": ["web1", "web2"],
            "cases": [],
            "causes": [{"file": "data/roles/web.yaml", "line": 1}],
        })
    };
    let port = of_web("port", json!(8080), json!(8081));
    let url = of_web("url", json!("http://x:8080"), json!("http://x:8081"));
    assert_eq!(repository.diff(&[]), json!({"nodes": 3, "changes": [port, url]}));
    assert_eq!(repository.diff(&["--", "url"]), json!({"nodes": 3, "changes": [url]}));
    assert_eq!(repository.diff(&["--nodes", "db*"]), json!({"nodes": 1, "changes": []}));
    let status = |arguments: &[&str]| repository.run(arguments).status.code();
    assert_eq!(status(&["diff", "--exit-code"]), Some(1));
    assert_eq!(status(&["diff", "--exit-code", "--", "secret"]), Some(0));
    assert_eq!(status(&["diff"]), Some(0));
}

/// A root key with a dot is found only if it is quoted.
#[test]
fn keys_with_dots_are_compared_as_lookups_name_them() {
    let repository = Repository::new();
    let common = |value: &str| format!("a.b: {value}\nc: '%{{lookup(\"''a.b''\")}}'\n");
    repository.data("common.yaml", &common("1"));
    repository.commit();
    repository.data("common.yaml", &common("2"));
    let found = repository.diff(&["--nodes", "db*"]);
    let told =
        |it: &Json| format!("{} {} {}", it["key"], it["before"]["value"], it["after"]["value"]);
    let changes = found["changes"].as_array().expect("a list").iter();
    assert_eq!(changes.map(told).collect::<Vec<_>>(), [r#""'a.b'" 1 2"#, r#""c" "1" "2""#]);
    let facts = ["--facts", "../facts/db1.example.com.yaml", "--render-as", "jsonl"];
    let output = repository.run(&[&["lookup", "--all"], &facts[..]].concat());
    assert!(
        text_of(&output).contains(r#"{"key":"'a.b'","status":"found","value":2"#),
        "{output:?}"
    );
}

#[test]
fn settings_change_what_fact_sets_say() {
    let repository = Repository::new();
    let changed = |settings: &str| -> Vec<String> {
        repository.write("repository/.hiera-ls.yaml", settings);
        let found = repository.diff(&["--", "port"]);
        let changes = found["changes"].as_array().expect("a list").iter();
        changes.map(|it| format!("{} {}", it["nodes"], it["after"]["value"])).collect()
    };
    assert_eq!(changed("nodes: {web1: {facts: {role: db}}}\n"), [r#"["web1"] 80"#]);
    assert_eq!(changed("variables: {facts: 1}\n"), Vec::<String>::new());
    repository.commit();
    assert_eq!(
        changed("nodes: {db1.example.com: {facts: {role: web}}}\n"),
        [r#"["db1.example.com"] 8080"#]
    );
}

#[test]
fn any_other_node_is_compared_case_by_case() {
    let repository = Repository::new();
    repository.data("roles/web.yaml", "port: 8081\nlist: [2]\n");
    let output = repository.run(&["diff", "--format", "json", "--", "port"]);
    let json: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["changes"][0]["cases"], json!([{"role": "web"}]));
    assert_eq!(json["changes"][0]["nodes"], json!([]));
}

#[test]
fn a_node_can_be_in_another_case_after_an_edit() {
    let repository = Repository::new();
    let levels = |paths: &str| {
        let hiera_yaml =
            format!("version: 5\nhierarchy:\n- {{name: x, paths: [{paths}, common.yaml]}}\n");
        repository.write("repository/hiera.yaml", &hiera_yaml);
    };
    let (role, site) = ("'roles/%{facts.role}.yaml'", "'sites/%{facts.site}.yaml'");
    levels(&format!("{role}, {site}"));
    repository.data("sites/oslo.yaml", "port: 1\n");
    repository.commit();
    levels(&format!("{site}, {role}"));
    let arguments = ["diff", "--", "port"];
    let text = text_of(&repository.run(&arguments));
    assert!(
        text.contains("  any node where role is web and site is oslo\n  - 8080\n  + 1\n"),
        "{text}"
    );
    assert!(text.ends_with("\n1 case changes, 1 key\n"), "{text}");
    repository.data("common.yaml", &COMMON.replace("80", "81"));
    let text = text_of(&repository.run(&arguments));
    assert!(
        text.contains("  any node unless role is web, or site is oslo\n  - 80\n  + 81\n"),
        "{text}"
    );
    let output = repository.run(&["diff", "--format", "json", "--", "port"]);
    let json: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    let changes = json["changes"].as_array().expect("a list");
    let rest = changes.iter().find(|it| it["after"]["value"] == 81).expect("a change");
    assert_eq!(rest["cases"], json!([{}]));
    assert_eq!(rest["unless"], json!([[{"role": "web"}, {"site": "oslo"}]]));
    let swapped = changes.iter().find(|it| it["before"]["value"] == 8080).expect("a change");
    assert_eq!(swapped.get("unless"), None);
}

#[test]
fn a_broken_file_is_the_cause_of_what_fails() {
    let repository = Repository::new();
    repository.data("common.yaml", &format!("{COMMON}broken: [1\n"));
    let broken = repository.diff(&["--nodes", "db*", "--", "port"]);
    assert_eq!(broken["changes"][0]["after"]["status"], "error");
    assert_eq!(broken["changes"][0]["causes"][0]["file"], "data/common.yaml");
    repository.commit();
    repository.data("common.yaml", COMMON);
    let mended = repository.diff(&["--nodes", "db*", "--", "port"]);
    assert_eq!(mended["changes"][0]["before"]["status"], "error");
    assert_eq!(mended["changes"][0]["causes"][0]["file"], "data/common.yaml");
}

/// What was edited besides must be seen.
#[test]
fn an_error_of_many_keys_is_shown_once() {
    let repository = Repository::new();
    repository.data("roles/web.yaml", "port: \"8080\n");
    repository.data("common.yaml", &format!("{COMMON}new: 1\n"));
    let text = text_of(&repository.run(&["diff", "--facts", "../facts", "--nodes", "*"]));
    assert!(text.starts_with("new\n") && text.contains(", port, secret, url\n  "), "{text}");
    assert!(text.matches("+ (error: Unable to parse").count() <= 2, "{text}");
    let markdown = ["diff", "--facts", "../facts", "--nodes", "*", "--format", "markdown"];
    let comment = text_of(&repository.run(&markdown));
    assert!(comment.matches("+ (error: Unable to parse").count() <= 2, "{comment}");
    assert!(comment.contains(" keys: 2 nodes</summary>\n\n"), "{comment}");
    assert!(comment.contains("<code>new</code>"), "{comment}");
    let json = repository.diff(&["--nodes", "*"]);
    let changes = json["changes"].as_array().expect("changes");
    let failing = changes.iter().filter(|it| it["after"]["status"] == "error");
    assert!(failing.count() > 3, "{json}");
}

/// Hosts of repositories refuse long comments.
#[test]
fn a_comment_is_bounded_and_counts_what_it_leaves_out() {
    let repository = Repository::new();
    let keys = |value: &str| (0..1_000).map(|it| format!("key{it}: {value}\n")).collect::<String>();
    repository.data("common.yaml", &keys("old"));
    repository.commit();
    repository.data("common.yaml", &keys("new"));
    let markdown = ["diff", "--facts", "../facts", "--format", "markdown"];
    let comment = text_of(&repository.run(&markdown));
    assert!((50_000..61_000).contains(&comment.len()), "{}", comment.len());
    let shown = comment.matches("<details>").count();
    let left = format!("\n{} more keys not shown: the comment would be too long.\n", 1_000 - shown);
    assert!(comment.ends_with(&left), "{}", &comment[comment.len() - 200..]);
}

/// Code may look these keys up, too.
#[test]
fn a_broken_file_also_fails_keys_that_no_level_finds() {
    let repository = Repository::new();
    repository.data("vagrant.yaml", "unread: 1\nport: 1\n");
    repository.write("repository/.rubocop.yml", "rubocop: 1\n");
    repository.commit();
    repository.data("vagrant.yaml", "unread: 2\n");
    assert_eq!(repository.diff(&[])["changes"], json!([]));
    repository.data("common.yaml", &format!("{COMMON}broken: [1\n"));
    let broken = repository.diff(&["--nodes", "db*"]);
    let changes = broken["changes"].as_array().expect("changes");
    let change = |key: &str| changes.iter().find(|it| it["key"] == key);
    let unread = change("unread").expect("a change");
    assert_eq!(unread["before"]["status"], "not_found");
    assert_eq!(unread["after"]["status"], "error");
    assert_eq!(unread["causes"][0]["file"], "data/common.yaml");
    assert!(change("port").is_some() && change("rubocop").is_none(), "{broken}");
}

#[test]
fn keys_that_no_file_has_may_change_too() {
    let repository = Repository::new();
    let summary = || {
        let text = text_of(&repository.run(&["diff", "--facts", "../facts"]));
        text.lines().find(|line| line.contains(" change")).map(str::to_owned).expect("a summary")
    };
    repository.data("roles/db.yaml", "- [oops\n");
    assert_eq!(summary(), "1 of 3 nodes changes, 4 keys, and all keys that no data file has");
    let others = repository.diff(&[])["other_keys"].clone();
    assert_eq!(others[0]["before"]["status"], "not_found");
    assert_eq!(others[0]["after"]["status"], "error");
    assert_eq!(others[0]["nodes"], json!(["db1.example.com"]));
    for name in ["common.yaml", "roles/web.yaml"] {
        repository.data(name, "");
    }
    repository.data("roles/db.yaml", "");
    repository.commit();
    repository.data("roles/db.yaml", "- [oops\n");
    assert_eq!(summary(), "only keys that no data file has change");
    let status = repository.run(&["diff", "--exit-code", "--facts", "../facts"]).status;
    assert_eq!(status.code(), Some(1));
}

/// hiera-ls does not evaluate the code, so it cannot tell what the level returns now.
#[test]
fn nothing_is_proved_after_edits_in_the_code_of_functions() {
    let repository = Repository::new();
    let level = "- {name: f, data_hash: mydata}\n";
    repository.write("repository/hiera.yaml", &format!("{HIERA_YAML}{level}"));
    for file in ["functions/mydata.pp", "modules/m/lib/puppet/functions/mydata.rb"] {
        repository.write(&format!("repository/{file}"), "# one\n");
        repository.commit();
        assert_eq!(repository.diff(&[])["not_proved"], json!(null), "{file}");
        repository.write(&format!("repository/{file}"), "# two\n");
        let text = text_of(&repository.run(&["diff"]));
        let first = "0 answers change: 4 keys compared for any node, as far as hiera-ls can tell\n\
                     not proved for keys that no data file has: level 'f' (mydata ";
        assert!(text.starts_with(first), "{file}: {text}");
    }
}

#[test]
fn errors_show_no_secrets() {
    let repository = Repository::new();
    let levels = "version: 5\nhierarchy:\n  - {name: j, data_hash: json_data, path: j.json}\n  \
                  - {name: c, path: common.yaml}\n";
    repository.write("repository/hiera.yaml", levels);
    repository.write("repository/data/j.json", "{\n\"x\": 1,\n\"pw\": \"hunter2\"\n}\n");
    let common =
        "number: \"a ENC[PKCS7,hunter2] b\"\nlookup_options:\n  pw: {convert_to: Sensitive}\n";
    repository.write("repository/data/common.yaml", common);
    repository.commit();
    repository.write("repository/data/j.json", "{\n\"x\": 1,\noops\n\"pw\": \"hunter2\"\n}\n");
    for format in ["text", "markdown", "json"] {
        let text = text_of(&repository.run(&["diff", "--format", format]));
        assert!(text.contains("859: unexpected token"), "{format}: {text}");
        assert!(!text.contains("hunter2"), "{format}: {text}");
    }
    repository.write("repository/data/j.json", "{}\n");
    repository.commit();
    let options = format!("{common}  number: {{convert_to: Integer}}\n");
    repository.write("repository/data/common.yaml", &options);
    for format in ["text", "markdown", "json"] {
        let text = text_of(&repository.run(&["diff", "--format", format]));
        assert!(text.contains("ENC[…] b' cannot be converted to Integer"), "{format}: {text}");
        assert!(!text.contains("hunter2"), "{format}: {text}");
    }
}

#[test]
fn environment_conf_is_a_cause() {
    let repository = Repository::new();
    repository.write(
        "repository/modules/m/hiera.yaml",
        "version: 5\nhierarchy: [{name: c, path: c.yaml}]\n",
    );
    repository.write("repository/modules/m/data/c.yaml", "m::a: 1\n");
    repository.commit();
    repository.write("repository/environment.conf", "# modules\nmodulepath = other\n");
    let found = repository.diff(&["--", "m::a"]);
    assert_eq!(found["changes"][0]["after"]["status"], "not_found");
    assert_eq!(found["changes"][0]["causes"][0]["file"], "environment.conf");
}

#[test]
fn a_list_of_nodes_must_name_some() {
    let repository = Repository::new();
    let output = repository.run(&["lookup", "port", "--nodes", ","]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("--nodes: the list is empty"), "{message}");
    let unknown = repository.run(&["lookup", "port", "--nodes", "x*"]);
    let message = String::from_utf8_lossy(&unknown.stderr);
    assert!(message.contains("--nodes x*: no node has such a name"), "{message}");
    let twice = repository.run(&["lookup", "port", "--nodes", "x,x", "--render-as", "jsonl"]);
    let record: Json = serde_json::from_slice(&twice.stdout).expect("one record");
    assert_eq!(record["nodes"], json!(["x"]));
}

#[test]
fn two_revisions_and_files_that_come_and_go() {
    let repository = Repository::new();
    repository.git(&["rm", "--quiet", "data/roles/web.yaml"]);
    repository.data("nodes/db1.example.com.yaml", "port: 5432\n");
    repository.commit();
    repository.data("common.yaml", "everything: else\n");
    let json = repository.diff(&["HEAD~1", "--to", "HEAD", "--", "port"]);
    let changes = json["changes"].as_array().expect("a list");
    let shown: Vec<_> = changes
        .iter()
        .map(|it| (&it["nodes"], &it["before"]["value"], &it["after"]["value"]))
        .collect();
    let (db, web) = (json!(["db1.example.com"]), json!(["web1", "web2"]));
    assert_eq!(shown, [(&db, &json!(80), &json!(5432)), (&web, &json!(8080), &json!(80))]);
    assert_eq!(changes[1]["causes"], json!([{"file": "data/roles/web.yaml", "line": 1}]));
    assert_eq!(repository.diff(&["HEAD", "--to", "HEAD"])["changes"], json!([]));
}

#[test]
fn hierarchies_count_and_broken_ones_are_errors() {
    let repository = Repository::new();
    repository.write("repository/hiera.yaml", "version: 5\nhierarchy: [\n");
    let json = repository.diff(&["--", "port"]);
    let after: Vec<_> = json["changes"].as_array().expect("a list").iter().collect();
    assert!(after.iter().all(|it| it["after"]["status"] == "error"), "{json}");
    assert_eq!(after.len(), 2);
    assert_eq!(after[0]["causes"][0]["file"], "hiera.yaml");
    let refused = "(../repository/hiera.yaml): did not find expected";
    let complaint = |arguments: &[&str]| {
        let said = String::from_utf8_lossy(&repository.run(arguments).stderr).into_owned();
        said.replace(repository.path("repository").to_str().expect("UTF-8"), "../repository")
    };
    let said = complaint(&["diff"]);
    assert!(said.starts_with(&format!("hiera-ls: the working tree: {refused}")), "{said}");
    assert!(said.ends_with("; its answers are errors\n"), "{said}");
    repository.commit();
    let said = complaint(&["diff", "HEAD~1", "--to", "HEAD"]);
    assert!(said.starts_with(&format!("hiera-ls: HEAD: {refused}")), "{said}");
    repository.write("repository/hiera.yaml", "version: 5\nhierarchy: [1\n");
    assert_eq!(repository.diff(&[])["changes"], json!([]), "two errors are the same");
}

#[test]
fn lookups_that_fail_for_all_keys_are_named() {
    let repository = Repository::new();
    let level = "version: 5\nhierarchy:\n- {name: x, path: \"%{lookup('port')}.yaml\"}\n";
    repository.write("repository/hiera.yaml", level);
    repository.commit();
    repository.write("repository/data/common.yaml", "port: 1\n");
    let said = String::from_utf8_lossy(&repository.run(&["diff"]).stderr).into_owned();
    let failure = "Interpolation using method syntax is not allowed in this context";
    for side in ["HEAD", "the working tree"] {
        let line = format!("hiera-ls: {side}: {failure} (file: ");
        assert!(said.contains(&line), "{said}");
    }
}

/// A report without changes must not look like proof that the edit is good.
#[test]
fn files_that_are_broken_on_both_sides_are_named() {
    let repository = Repository::new();
    let said = || {
        let output = repository.run(&["diff"]);
        (text_of(&output), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    repository.data("common.yaml", "port: \"80\nother: 1\n");
    assert!(said().1.is_empty(), "the text says that lookups fail");
    repository.commit();
    assert!(said().1.is_empty(), "the file is not edited");
    repository.data("common.yaml", "port: \"81\nother: 1\n");
    let (text, complaints) = said();
    assert!(text.starts_with("0 answers change"), "{text}");
    let expected = "data/common.yaml: Puppet cannot read the file before or after; lookups that read it fail on both sides\n";
    assert!(complaints.ends_with(expected), "{complaints}");
    assert_eq!(complaints.lines().count(), 1, "{complaints}");
}

/// Every key has the same error. Its other lines would only be repeated.
#[test]
fn errors_are_shown_by_their_first_lines() {
    let repository = Repository::new();
    repository.write("repository/hiera.yaml", &HIERA_YAML.replace("version: 5", "version: 4"));
    let text = text_of(&repository.run(&["diff", "--facts", "../facts", "--", "port"]));
    let said = repository.run(&["diff"]).stderr;
    let said = String::from_utf8_lossy(&said);
    assert!(said.starts_with("hiera-ls: the working tree: The Lookup Configuration at "), "{said}");
    assert!(said.contains("'backend'; The Lookup Configuration at "), "{said}");
    let shown: Vec<_> = text.lines().filter(|line| line.contains("+ (error: ")).collect();
    assert!(!shown.is_empty(), "{text}");
    for line in shown {
        assert!(line.starts_with("  + (error: The Lookup Configuration at "), "{line}");
        assert!(line.ends_with("'backend' …)") && !line.contains("\\n"), "{line}");
    }
    let json = repository.diff(&["--", "port"])["changes"][0]["after"]["error"].to_string();
    assert!(json.matches("The Lookup Configuration at").count() > 1, "{json}");
}

#[test]
fn secrets_are_not_shown() {
    let repository = Repository::new();
    repository.data("common.yaml", &COMMON.replace("b25l", "dHdv"));
    for format in ["text", "markdown", "json"] {
        let output = repository.run(&["diff", "--format", format]);
        let text = text_of(&output);
        assert!(text.contains("secret") && text.contains("(encrypted, not shown)"), "{text}");
        assert!(!text.contains("b25l") && !text.contains("dHdv"), "{text}");
    }
}

#[test]
fn encrypted_values_can_change_although_their_text_stays() {
    let hierarchy = |level: &str| {
        format!("version: 5\nhierarchy:\n- {{name: all, path: common.yaml, {level}}}\n")
    };
    let keys = |name: &str| {
        let files = format!("pkcs7_private_key: /{name}.pem, pkcs7_public_key: /{name}.pem");
        hierarchy(&format!("lookup_key: eyaml_lookup_key, options: {{{files}}}"))
    };
    let pw = "pw: ENC[PKCS7,b25l]\n";
    let repository = Repository::new();
    repository.write("repository/hiera.yaml", &keys("one"));
    repository.data("common.yaml", pw);
    repository.commit();

    // Nodes get the encrypted text itself.
    repository.write("repository/hiera.yaml", &hierarchy("data_hash: yaml_data"));
    let changes = &repository.diff(&["--", "pw"])["changes"];
    assert_eq!(changes.as_array().map(Vec::len), Some(1), "{changes}");
    let said = text_of(&repository.run(&["diff", "--", "pw"]));
    assert!(!said.contains("not proved"), "{said}");
    assert!(said.contains("+ the same text, no longer decrypted (not shown)"), "{said}");

    let not_proved = || {
        let json = repository.diff(&["--", "pw"]);
        assert_eq!(json["changes"], json!([]), "{json}");
        json["not_proved"].to_string()
    };
    repository.write("repository/hiera.yaml", &keys("two"));
    assert!(not_proved().contains("the value is encrypted"));
    assert!(not_proved().contains(r#""keys":1,"names":["pw"]"#), "{}", not_proved());
    repository.write("repository/hiera.yaml", &keys("one"));
    assert_eq!(not_proved(), "null");
    let options = "lookup_options: {pw: {convert_to: Integer}}\n";
    repository.data("common.yaml", &[options, pw].concat());
    assert!(not_proved().contains("the value is encrypted"));
}

#[test]
fn what_is_no_longer_sensitive_is_not_shown() {
    let repository = Repository::new();
    let data = "pw: hunter2\nuse: \"x %{lookup('pw')} y\"\n";
    repository
        .data("common.yaml", &format!("lookup_options: {{pw: {{convert_to: Sensitive}}}}\n{data}"));
    repository.commit();
    repository.data("common.yaml", data);
    for format in ["text", "markdown", "github", "gitlab"] {
        for keys in [&["--"][..], &["--", "use"]] {
            let output = repository.run(&[&["diff", "--format", format], keys].concat());
            let text = text_of(&output);
            assert!(text.contains("use") && !text.contains("hunter2"), "{format}: {text}");
            let says_so = text.contains("no longer Sensitive (not shown)");
            assert!(says_so || format.starts_with("git"), "{format}: {text}");
        }
    }
}

#[test]
fn formats_for_merge_requests() {
    let repository = Repository::new();
    repository.data("roles/web.yaml", "port: '`````'\nlist: ['<b>', '@all']\n");
    let in_format =
        |format| text_of(&repository.run(&["diff", "--facts", "../facts", "--format", format]));
    let markdown = in_format("markdown");
    assert!(markdown.starts_with("**2 of 3 nodes change, 3 keys; nothing else**\n"), "{markdown}");
    assert!(markdown.contains("<details><summary><code>port</code>: 2 nodes</summary>"));
    assert!(markdown.contains("\n``````diff\n- 8080\n"), "{markdown}");
    let github = in_format("github");
    let expected = "::notice file=data/roles/web.yaml,line=1,title=hiera-ls diff::Changes port, url for 2 of 3 nodes\n";
    assert!(github.contains(expected), "{github}");
    let gitlab: Json = serde_json::from_str(&in_format("gitlab")).expect("JSON");
    assert_eq!(
        gitlab[0]["location"],
        json!({"path": "data/roles/web.yaml", "lines": {"begin": 1}})
    );
    let many: String =
        (0..4_000).map(|number| format!("key{number}: {}\n", "x".repeat(40))).collect();
    repository.data("common.yaml", &many);
    let markdown = in_format("markdown");
    assert!(markdown.len() < 65_000 && markdown.contains("not shown"), "{}", markdown.len());
}

#[test]
fn what_cannot_be_compared_is_said() {
    let repository = Repository::new();
    check_refused(
        &repository.run(&["diff", "nothing"]),
        "nothing is not a commit of the repository",
    );
    check_refused(&repository.run(&["diff", "--to=--all"]), "--all is not a commit");
    check_refused(&repository.run(&["diff", ""]), "'' is not a commit");
    let tree = "HEAD^{tree} is not a commit of the repository";
    check_refused(&repository.run(&["diff", "HEAD^{tree}"]), tree);
    check_refused(&repository.run(&["diff", "HEAD~1..HEAD"]), "write HEAD~1 --to HEAD");
    let words = "write $(git merge-base HEAD~1 HEAD) --to HEAD";
    check_refused(&repository.run(&["diff", "HEAD~1...HEAD"]), words);
    assert_eq!(repository.run(&["diff", ":/x"]).status.code(), Some(0));
    check_refused(&repository.run(&["diff", ":/nope"]), ":/nope is not a commit");
    check_refused(&repository.run(&["diff", "--format", "nothing"]), "nothing");
    check_refused(&repository.run(&["diff", "--facts", "none"]), "none");
    let outside = tempfile::tempdir().expect("a temporary directory");
    check_refused(&run_in(outside.path(), &["diff"]), "is not in a Git repository");
    let made = Command::new("git").args(["init", "--quiet"]).current_dir(outside.path()).status();
    assert!(made.expect("git runs").success());
    check_refused(&run_in(outside.path(), &["diff"]), "has no commits yet");
    check_refused(&repository.run(&["diff", "a::b"]), "for a key, write `hiera-ls diff -- a::b`");
    check_refused(&repository.run(&["diff", "data/common.yaml"]), "not files");
    let (from, to) = (repository.path("repository"), repository.path("bare"));
    let bare =
        Command::new("git").args(["clone", "--quiet", "--bare"]).arg(&from).arg(&to).status();
    assert!(bare.expect("git runs").success());
    check_refused(&run_in(&to, &["diff"]), "bare repository");
    let output = run_in(&to, &["diff", "HEAD", "--to", "HEAD", "--facts", "../facts"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    repository.data("common.yaml", "x: 1\n");
    repository.commit();
    let shallow = repository.path("shallow");
    let url = format!("file://{}", from.display());
    let clone = ["clone", "--quiet", "--depth", "1", &url];
    let made = Command::new("git").args(clone).arg(&shallow).status();
    assert!(made.expect("git runs").success());
    check_refused(&run_in(&shallow, &["diff", "HEAD~1"]), "this clone is shallow");
    check_refused(&run_in(&shallow, &["diff", &"1".repeat(40)]), "this clone is shallow");
    let tree =
        String::from_utf8_lossy(&run_in(&shallow, &["diff", "HEAD:data"]).stderr).into_owned();
    assert!(tree.contains("is not a commit") && !tree.contains("is shallow"), "{tree}");
    repository.data("common.yaml", "<<<<<<< HEAD\nx: 1\n=======\nx: 2\n>>>>>>> other\n");
    repository.data("roles/web.yaml", "version https://git-lfs.github.com/spec/v1\noid sha256:1\n");
    let said = String::from_utf8_lossy(&repository.run(&["diff"]).stderr).into_owned();
    assert!(said.contains("data/common.yaml: has conflicts"), "{said}");
    assert!(said.contains("data/roles/web.yaml: only a pointer"), "{said}");
    // No lookup reads the settings, and their error is said in other words.
    repository.write("repository/.hiera-ls.yaml", "<<<<<<< HEAD\n=======\n>>>>>>> other\n");
    let said = String::from_utf8_lossy(&repository.run(&["diff"]).stderr).into_owned();
    assert!(!said.contains(".hiera-ls.yaml: has conflicts"), "{said}");
    repository.write("repository/.hiera-ls.yaml", "node: x\n");
    // A file of a revision is not the one in the working tree.
    repository.commit();
    repository.data("common.yaml", "x: 1\n");
    repository.data("roles/web.yaml", "x: 1\n");
    let said = |arguments: &[&str]| {
        String::from_utf8_lossy(&repository.run(arguments).stderr).into_owned()
    };
    let before = said(&["diff"]);
    assert!(before.contains("HEAD: data/common.yaml: has conflicts"), "{before}");
    let after = said(&["diff", "HEAD~1", "--to", "HEAD"]);
    assert!(after.contains("HEAD: data/common.yaml: has conflicts"), "{after}");
}

/// No program that a repository's own settings name is run.
#[cfg(unix)]
#[test]
fn no_program_of_the_repository_runs() {
    use std::os::unix::fs::PermissionsExt as _;
    let repository = Repository::new();
    let proof = repository.path("proof");
    let program = repository.path("program");
    fs::write(&program, format!("#!/bin/sh\ntouch {}\ncat\n", proof.display())).expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it can be run");
    let program = program.to_str().expect("UTF-8");
    repository.write("repository/.gitattributes", "* filter=evil diff=evil\n");
    repository.commit();
    for setting in [
        "core.fsmonitor",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "diff.evil.textconv",
        "diff.evil.command",
        "diff.external",
        "core.pager",
        "core.sshCommand",
    ] {
        repository.git(&["config", setting, program]);
    }
    repository.data("common.yaml", "port: 1\n");
    let _ = fs::remove_file(&proof);
    let found = repository.diff(&["--", "port"]);
    assert_eq!(found["not_proved"].as_array().map(Vec::len), Some(1), "{found}");
    assert!(!proof.exists(), "a program was run");
    let checked = repository.run(&["check", "--since", "HEAD"]);
    assert!(!proof.exists(), "a program was run: {checked:?}");
    let blamed = repository.run(&["lookup", "port", "--explain", "--blame"]);
    assert!(text_of(&blamed).contains("not committed yet"), "{}", text_of(&blamed));
    assert!(!proof.exists(), "a program was run: {blamed:?}");
    // Attributes that are in no commit.
    repository.write(
        "repository/.git/info/attributes",
        "*.yaml filter=evil diff=evil\nroles/* filter=a=b\n",
    );
    repository.git(&["config", "--file", ".git/config", "filter.a=b.clean", program]);
    repository.data("roles/web.yaml", "port: 8080\nlist: [2, 3]\n");
    let checked = repository.run(&["check", "--since", "HEAD"]);
    assert!(!proof.exists(), "a program was run: {checked:?}");
    let blamed = repository.run(&["lookup", "list", "--explain", "--blame"]);
    assert!(!proof.exists(), "a program was run: {blamed:?}");
    // A filter that cannot be named.
    let config = repository.path("repository/.git/config");
    let mut text = fs::read(&config).expect("it is there");
    text.extend(b"[filter \"x\xff\"]\n\tclean = cat\n");
    fs::write(&config, text).expect("it can be written");
    let checked = repository.run(&["check", "--since", "HEAD"]);
    assert!(!proof.exists(), "a program was run: {checked:?}");
    let said = String::from_utf8_lossy(&checked.stderr);
    assert!(said.contains("a filter whose name is not UTF-8"), "{said}");
}

/// Git sets variables for hooks that mean another directory.
#[test]
fn a_hook_in_a_linked_worktree_sees_the_same_files() {
    let repository = Repository::new();
    repository.git(&["worktree", "add", "--quiet", "../tree"]);
    let tree = repository.path("tree");
    let directory = repository.path("repository/.git/worktrees/tree");
    fs::create_dir(tree.join("sub")).expect("a directory");
    fs::rename(tree.join("data"), tree.join("sub/data")).expect("it moves");
    fs::rename(tree.join("hiera.yaml"), tree.join("sub/hiera.yaml")).expect("it moves");
    let git = |arguments: &[&str]| {
        let command = Command::new("git").arg("-C").arg(&tree).args(arguments).status();
        assert!(command.expect("git runs").success());
    };
    git(&["add", "--all"]);
    git(&["-c", "user.name=x", "-c", "user.email=x@x", "commit", "--quiet", "--message", "x"]);
    fs::write(tree.join("sub/data/common.yaml"), COMMON.replace("80", "81")).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_hiera-ls"));
    command.args(["diff", "--root", "sub", "--format", "github"]).current_dir(&tree);
    let by_hand = text_of(&command.output().expect("the program runs"));
    command.env("GIT_DIR", directory).env("GIT_PREFIX", "");
    let in_hook = text_of(&command.output().expect("the program runs"));
    assert!(by_hand.contains("file=sub/data/common.yaml"), "{by_hand}");
    assert_eq!(in_hook, by_hand);
}

/// What git-crypt does, without the program.
#[cfg(unix)]
#[test]
fn encrypted_files_are_not_shown_as_changes() {
    let repository = Repository::new();
    repository.git(&[
        "config",
        "filter.git-crypt.clean",
        "printf '\\0GITCRYPT\\0x'; cat >/dev/null",
    ]);
    repository.write("repository/.gitattributes", "data/common.yaml filter=git-crypt\n");
    repository.data("common.yaml", &COMMON.replace("80", "topsecret"));
    repository.commit();
    let output = repository.run(&["diff"]);
    assert!(text_of(&output).starts_with("0 answers change"), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("data/common.yaml: encrypted by git-crypt"), "{said}");
    assert!(!text_of(&output).contains("topsecret"));
}

#[test]
fn an_explanation_names_commits() {
    let repository = Repository::new();
    repository.data("common.yaml", &COMMON.replace("80", "81"));
    repository.git(&["commit", "--quiet", "--all", "--message", "Set the port\n\nand more"]);
    // Lines before it that are in no commit.
    repository.data("common.yaml", &format!("new: 1\n{}", COMMON.replace("80", "81")));
    let facts = ["--facts", "../facts/db1.example.com.yaml", "--explain"];
    let run = |key: &str, how: &str| {
        let mut all = vec!["lookup", key, how];
        all.extend(facts);
        text_of(&repository.run(&all))
    };
    let ask = |key: &str| run(key, "--blame");
    let text = ask("port");
    let line = text.lines().find(|it| it.contains("Found key")).unwrap_or_default();
    assert!(line.contains("data/common.yaml:2:7") && line.ends_with(" x: Set the port"), "{text}");
    let text = ask("list");
    let line = text.lines().find(|it| it.contains("Found key")).unwrap_or_default();
    assert!(line.ends_with(" x: x"), "{text}");
    let text = ask("new");
    assert!(text.contains("  # not committed yet"), "{text}");
    let plain = run("port", "--origins");
    assert!(!plain.contains("Set the port"), "{plain}");
    fs::remove_dir_all(repository.path("repository/.git")).expect("it was there");
    let text = ask("port");
    assert!(
        text.contains("data/common.yaml:2:7\n"),
        "where Git knows nothing, the place stands alone: {text}"
    );
}

/// A link to a file that only the server has is not there for Puppet: it must not fail lookups on one side.
#[cfg(unix)]
#[test]
fn links_of_a_revision_that_lead_nowhere() {
    let repository = Repository::new();
    let levels =
        "version: 5\nhierarchy:\n  - {name: x, paths: [secret.yaml, other.yaml, common.yaml]}\n";
    repository.write("repository/hiera.yaml", levels);
    for (name, target) in [("secret.yaml", "/nowhere/secret.yaml"), ("other.yaml", "none.yaml")] {
        let link = repository.path(&format!("repository/data/{name}"));
        std::os::unix::fs::symlink(target, link).expect("a link");
    }
    repository.commit();
    let output = repository.run(&["diff", "--facts", "../facts"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("0 answers change"), "{text}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn links_and_submodules_of_a_revision() {
    let repository = Repository::new();
    repository.git(&["rm", "--quiet", "-r", "data/roles"]);
    repository.data("other/web.yaml", "port: 1\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink("other", repository.path("repository/data/roles")).expect("a link");
    repository.git(&["add", "--all"]);
    let link = "160000,1234567890123456789012345678901234567890,sub";
    repository.git(&["update-index", "--add", "--cacheinfo", link]);
    repository.git(&["commit", "--quiet", "--message", "x"]);
    repository.data("other/web.yaml", "port: 2\n");
    let output = repository.run(&["diff", "--facts", "../facts", "--format", "json", "--", "port"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("sub: a submodule"));
    #[cfg(unix)]
    {
        let json: Json = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(json["changes"][0]["before"]["value"], json!(1), "{json}");
        assert_eq!(json["changes"][0]["nodes"], json!(["web1", "web2"]));
    }
}

#[test]
fn lookups_for_many_nodes() {
    let repository = Repository::new();
    let lines = |arguments: &[&str]| -> Vec<Json> {
        let all = ["lookup", "--facts", "../facts", "--render-as", "jsonl"];
        let text = text_of(&repository.run(&[&all, arguments].concat()));
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let of_db =
        json!({"key": "port", "status": "found", "value": 80, "nodes": ["db1.example.com"]});
    let of_web =
        json!({"key": "port", "status": "found", "value": 8080, "nodes": ["web1", "web2"]});
    let none =
        json!({"key": "none", "status": "not_found", "nodes": ["db1.example.com", "web1", "web2"]});
    assert_eq!(lines(&["port", "none"]), [&of_db, &of_web, &none].map(Clone::clone));
    assert_eq!(lines(&["port", "--nodes", "web?,db*"]), [&of_db, &of_web].map(Clone::clone));
    let all: Vec<Json> = lines(&["--all"]).iter().map(|it| it["key"].clone()).collect();
    assert_eq!(all, ["list", "list", "port", "port", "secret", "url", "url"].map(Json::from));
    let output = repository.run(&["lookup", "port", "--facts", "../facts"]);
    let table = "port: 2 different answers for 3 nodes\n  1 node: db1.example.com\n    80\n  2 nodes: web1, web2\n    8080\n";
    assert_eq!(text_of(&output), table);
    let output = repository.run(&["lookup", "port", "--facts", "../facts", "--render-as", "json"]);
    assert_eq!(
        serde_json::from_slice::<Json>(&output.stdout).expect("JSON"),
        json!([of_db, of_web])
    );
    let output = repository.run(&["lookup", "port", "--nodes", "all"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("there are no nodes"));
    let output = repository.run(&["lookup", "port", "--nodes", "one", "--render-as", "jsonl"]);
    assert_eq!(output.status.code(), Some(3), "it depends on the role");
    let output = repository.run(&["lookup", "port", "--nodes", "all", "--explain"]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn records_for_many_nodes_list_the_open_variables_of_each() {
    let repository = Repository::new();
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: n, path: 'n/%{trusted.certname}.yaml'}\n\
                      - {name: r, path: 'roles/%{role}.yaml'}\n- {name: c, path: c.yaml}\n";
    repository.write("repository/hiera.yaml", hiera_yaml);
    repository.data("c.yaml", "k: {a: 1, b: \"%{alias('u')}\"}\nu: x\n");
    repository.data("roles/web.yaml", "k: {a: 2}\n");
    repository.data("n/n1.yaml", "u: '%{y}'\n");
    repository.data("n/n2.yaml", "u: z\n");
    let all = repository.run(&["lookup", "k.a", "--nodes", "n1,n2", "--render-as", "jsonl"]);
    let records: Vec<Json> = String::from_utf8_lossy(&all.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let otherwise: Vec<(&Json, &Json)> =
        records.iter().map(|it| (&it["nodes"], &it["cases"][1]["open"])).collect();
    assert_eq!(otherwise, [(&json!(["n1"]), &json!(["y"])), (&json!(["n2"]), &Json::Null)]);
    let table = repository.run(&["lookup", "k.a", "--nodes", "n1,n2"]);
    assert!(String::from_utf8_lossy(&table.stdout).contains("for all 2 nodes"), "{table:?}");
}

#[test]
fn only_json_lines_contain_sensitive_values() {
    let repository = Repository::new();
    repository.data(
        "common.yaml",
        "lookup_options: {'^(pw|app::)': {convert_to: Sensitive}}\npw: hunter2\napp::pw: hunter2\n",
    );
    repository.data("roles/web.yaml", "pw: hunter2, too\n");
    repository.write("repository/modules/app/manifests/init.pp", "class app(Sensitive $pw) { }\n");
    for asked in [
        &["pw", "--node", "one"][..],
        &["pw", "--node", "one", "--set", "role=web"],
        &["pw", "--nodes", "one,two"],
        &["pw", "--nodes", "all", "--facts", "../facts"],
        &["--class", "app"],
    ] {
        for format in ["s", "json", "yaml", "jsonl"] {
            // The formats for many nodes are others.
            if matches!(format, "s" | "yaml") && asked.contains(&"--nodes") {
                continue;
            }
            let options = ["--render-as", format];
            let output = repository.run(&[&["lookup"], asked, &options].concat());
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(!text.is_empty(), "{asked:?} {format}: {output:?}");
            let is_shown = text.contains("hunter2");
            assert_eq!(is_shown, format == "jsonl", "{asked:?} {format}: {text}");
        }
    }
}

#[test]
fn readers_and_uses() {
    let repository = Repository::new();
    let readers = ["readers", "data/roles/web.yaml", "--facts", "../facts", "--render-as", "jsonl"];
    let json: Json = serde_json::from_slice(&repository.run(&readers).stdout).expect("JSON");
    let expected = json!({
        "file": "data/roles/web.yaml",
        "environment": "production",
        "nodes": ["web1", "web2"],
        "perhaps": [],
        "modules": {},
        "cases": [{"if": {"role": "web"}, "level": "r", "module": null}],
        "unclear": [],
    });
    assert_eq!(json, expected);
    let uses = text_of(&repository.run(&["uses", "port"]));
    let expected = "data/common.yaml:1:1: key: port\ndata/common.yaml:2:26: interpolation: port\n\
                    data/roles/web.yaml:1:1: key: port\n";
    assert_eq!(uses, expected);
    repository.write("repository/manifests/site.pp", "class a($port) { notice($::a::port) }\n");
    let uses = text_of(&repository.run(&["uses", "a::port"]));
    assert!(uses.contains("variable: ::a::port\n"), "{uses}");
    let nothing = repository.run(&["uses", "prot"]);
    assert_eq!(
        String::from_utf8_lossy(&nothing.stderr),
        "hiera-ls: nothing mentions prot; did you mean `port`?\n"
    );
}

/// A path in output for people can be opened from the current directory.
#[test]
fn paths_are_relative_to_the_current_directory() {
    let repository = Repository::new();
    repository.write("repository/manifests/site.pp", "class base { lookup('port') }\n");
    let folder = repository.path("").canonicalize().expect("it is there");
    let root = folder.join("repository");
    let root = root.to_str().expect("UTF-8");
    let file = format!("{root}/data/common.yaml");
    let commands: [(&[&str], &str); 5] = [
        (&["uses", "--root", root, "port"], "data/common.yaml:1:1: key: port"),
        (&["readers", "--root", root, &file], "data/common.yaml: no nodes are known"),
        (&["classes", "--root", root], "manifests/site.pp:1: class base"),
        (&["lookup", "port", "--root", root, "--why"], "data/common.yaml:1"),
        (&["check", "--root", root, "--format", "concise", "--select", "unused-key"], "data/"),
    ];
    repository.write("repository/data/common.yaml", &COMMON.replace("list", "lits"));
    for (arguments, expected) in commands {
        for (directory, start) in
            [(&*folder, "repository/"), (&*folder.join("facts"), &*format!("{root}/"))]
        {
            let text = text_of(&run_in(directory, arguments));
            let is_shown = |line: &str| line.trim_start().contains(&format!("{start}{expected}"));
            assert!(text.lines().any(is_shown), "{arguments:?} in {directory:?}: {text}");
        }
    }
    let text = text_of(&repository.run(&["uses", "port"]));
    assert!(text.starts_with("data/common.yaml:1:1"), "{text}");
}

#[test]
fn readers_takes_the_environment_of_the_file() {
    let repository = Repository::new();
    let hiera_yaml = "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n";
    for name in ["production", "test"] {
        let file = |path: &str| format!("repository/environments/{name}/{path}");
        repository.write(&file("hiera.yaml"), hiera_yaml);
        repository.write(&file("data/common.yaml"), "a: 1\n");
    }
    fs::remove_file(repository.path("repository/hiera.yaml")).expect("it was there");
    let output = repository.run(&["readers", "environments/test/data/common.yaml"]);
    let text = text_of(&output);
    assert!(
        text.starts_with("environments/test/data/common.yaml: no nodes are known\nRead by any"),
        "{text}"
    );
    let named = ["readers", "-E", "production", "environments/test/data/common.yaml"];
    assert!(text_of(&repository.run(&named)).contains("no hierarchy reads this file"));
    repository.write("repository/environments/test/hiera.yaml", "version: 3\n");
    let text = text_of(&repository.run(&["readers", "environments/test/data/common.yaml"]));
    assert!(text.ends_with("version 3 cannot be used in an environment\n"), "{text}");
    repository.write("repository/environments/test/hiera.yaml", "version: 5\nhierarchie: []\n");
    let text = text_of(&repository.run(&["readers", "environments/test/data/common.yaml"]));
    assert!(text.contains("every lookup fails, because Puppet refuses hiera.yaml: "), "{text}");
    // A file of the global layer belongs to all environments.
    repository
        .write("repository/environments/production/hiera.yaml", "version: 5\nhierarchie: []\n");
    repository.write("repository/global/hiera.yaml", hiera_yaml);
    repository.write("repository/global/data/common.yaml", "b: 1\n");
    let global = ["readers", "global/data/common.yaml", "--hiera-config", "global/hiera.yaml"];
    let text = text_of(&repository.run(&global));
    let expected = "global/data/common.yaml: in the environment production, every lookup fails, because Puppet refuses hiera.yaml: ";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn readers_names_levels_that_may_lead_to_a_file() {
    let repository = Repository::new();
    let hiera_yaml = "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy:\n\
                      - {name: set, glob: 'sets/[%{role}]*.yaml'}\n- {name: role, path: 'roles/%{role}.yaml'}\n\
                      - {name: two, path: 'two/%{role}%{site}.yaml'}\n\
                      - {name: node, path: 'nodes/%{clientcert}.yaml'}\n\
                      - {name: own, path: 'own/%{role}/%{trusted.certname}.yaml'}\n\
                      - {name: deep, path: 'deep/%{role}.yaml'}\n\
                      - {name: pair, path: 'deep/%{role}/%{site}.yaml'}\n";
    repository.write("repository/hiera.yaml", hiera_yaml);
    let readers = |file: &str| {
        repository.write(&format!("repository/{file}"), "a: 1\n");
        text_of(&repository.run(&["readers", file, "--facts", "../facts"]))
    };
    let none = |file: &str| format!("{file}: read by 0 of 3 nodes\n");
    let expected = "Perhaps read by any node\n  depending on role (level \"set\")\n";
    assert_eq!(readers("data/sets/a.yaml"), none("data/sets/a.yaml") + expected);
    let expected = "Read by any node\n  where role is a/b (level \"role\")\n";
    assert_eq!(readers("data/roles/a/b.yaml"), none("data/roles/a/b.yaml") + expected);
    // A certname contains no slash.
    let expected =
        "Read by any node\n  where role is a/b and trusted.certname is c (level \"own\")\n";
    assert_eq!(readers("data/own/a/b/c.yaml"), none("data/own/a/b/c.yaml") + expected);
    let expected = "Read by any node\n  where role is a and site is b (level \"pair\")\n\
                    Perhaps read by any node\n  where role contains a slash (level \"deep\")\n";
    assert_eq!(readers("data/deep/a/b.yaml"), none("data/deep/a/b.yaml") + expected);
    let outside = readers("data/nodes/old/web1.yaml");
    assert_eq!(outside, "data/nodes/old/web1.yaml: no hierarchy reads this file\n");
    let text = readers("data/two/x.yaml");
    assert!(text.contains("\n  where role is x and site is empty (level \"two\")\n"), "{text}");
    let outside = readers("data/other/a.yaml");
    assert_eq!(outside, "data/other/a.yaml: no hierarchy reads this file\n");
}

#[cfg(unix)]
#[test]
fn readers_of_a_file_behind_links() {
    let repository = Repository::new();
    repository.data("shared/x.yaml", "port: 1\nport: 2\n");
    repository.data("nodes/web1.yaml", "list: [3]\n");
    let link = repository.path("repository/data/nodes/web2.yaml");
    std::os::unix::fs::symlink("../shared/x.yaml", link).expect("a link");
    let text = text_of(&repository.run(&["readers", "data/shared/x.yaml", "--facts", "../facts"]));
    let expected = "data/shared/x.yaml: read by 1 of 3 nodes\n  web2\nThrough the links\n  data/nodes/web2.yaml\n\
                    Read by any node\n  where trusted.certname is web2 (level \"n\")\n";
    assert_eq!(text, expected);
    let check = |more: &[&str]| {
        let check = ["check", "--format", "concise", "--min-severity", "hint"];
        text_of(&repository.run(&[&check, more].concat()))
    };
    // The finding is not repeated for the target, which is no orphan.
    let text = check(&["--select", "orphan-file", "--select", "duplicate-key"]);
    assert_eq!(text.matches("[duplicate-key]").count(), 1, "{text}");
    assert!(text.starts_with("data/nodes/web2.yaml:2:1"), "{text}");
    let text = check(&["data/shared/x.yaml"]);
    assert!(text.starts_with("data/shared/x.yaml:2:1: warning[duplicate-key]"), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
}

#[test]
fn all_environments_are_compared() {
    let repository = Repository::of_environments(["production", "staging"], HIERA_YAML, COMMON);
    let staging = "repository/environments/staging/data/common.yaml";
    repository.write(staging, &COMMON.replace("80", "81"));
    let arguments = ["diff", "--facts", "../facts"];
    let text = text_of(&repository.run(&arguments));
    assert!(text.starts_with("staging: port\n  3 nodes"), "{text}");
    assert!(
        text.ends_with(
            "production: 0 answers change: 4 keys compared for 3 nodes\n\
             staging: 3 of 3 nodes change, 2 keys; nothing else\n"
        ),
        "{text}"
    );
    let json = repository.diff(&[]);
    assert_eq!(json["nodes"], json!(3));
    assert_eq!(json["changes"][0]["environment"], json!("staging"), "{json}");
    let markdown = text_of(&repository.run(&[&arguments[..], &["--format", "markdown"]].concat()));
    assert!(markdown.starts_with("**production: 0 answers change"), "{markdown}");
    assert!(markdown.contains("\n\n**staging: 3 of 3 nodes change"), "{markdown}");
    assert!(markdown.contains("<summary>staging: <code>port</code>: 3 nodes"), "{markdown}");
    let one = text_of(&repository.run(&[&arguments[..], &["--environment", "staging"]].concat()));
    assert!(one.ends_with("\n3 of 3 nodes change, 2 keys; nothing else\n"), "{one}");
    // An environment that only one side has.
    repository.git(&["rm", "--quiet", "-r", "--force", "environments/staging"]);
    let json = repository.diff(&["--", "port"]);
    assert_eq!(json["changes"][0]["environment"], json!("staging"), "{json}");
    assert_eq!(json["changes"][0]["after"]["status"], json!("not_found"), "{json}");
}

#[test]
fn a_node_is_compared_in_its_own_environment_only() {
    let repository = Repository::of_environments(["production", "qa"], HIERA_YAML, "a: 1\n");
    let nodes = "nodes: {here: {environment: production}, there: {environment: qa}}\n";
    repository.write("repository/.hiera-ls.yaml", nodes);
    repository.commit();
    repository.write("repository/environments/production/data/common.yaml", "a: 2\n");
    let diff = |arguments: &[&str]| text_of(&repository.run(&[&["diff"], arguments].concat()));
    let text = diff(&[]);
    assert!(text.starts_with("production: a\n  1 node: here; any unlisted node\n"), "{text}");
    let text = diff(&["--nodes", "all"]);
    assert!(text.starts_with("production: a\n  1 node: here\n"), "{text}");
    assert!(
        text.ends_with(
            "production: 1 of 1 node changes, 1 key; nothing else\n\
             qa: 0 answers change: 1 key compared for 1 node\n"
        ),
        "{text}"
    );
    let text = diff(&["--nodes", "there"]);
    assert_eq!(text, "0 answers change: 1 key compared for 1 node\n");
    // An environment that the user names counts.
    let text = diff(&["--nodes", "there", "-E", "production"]);
    assert!(text.starts_with("a\n  1 node: there\n"), "{text}");
}

#[test]
fn an_environment_without_fact_sets_is_not_compared() {
    let repository = Repository::of_environments(["production", "qa"], HIERA_YAML, "a: 1\n");
    repository
        .write("facts/web1.json", r#"{"certname":"web1","environment":"qa","facts":{"a":1}}"#);
    let arguments = ["diff", "--exit-code", "--facts", "../facts/web1.json"];
    repository.write("repository/environments/production/data/common.yaml", "a: 2\n");
    let output = repository.run(&arguments);
    assert_eq!(text_of(&output), "0 answers change: 1 key compared for 1 node\n");
    let said = String::from_utf8_lossy(&output.stderr);
    let note = "note: production is not compared: --facts has no node of it\n";
    assert!(said.contains(note), "{said}");
    for names in [&[][..], &["--nodes", "w*"]] {
        let output = repository.run(&[&arguments[..], &["-E", "production"], names].concat());
        check_refused(
            &output,
            "all nodes are in other environments: 1 in qa; --environment chooses one",
        );
    }
}

/// The code directory of a server has the `hiera.yaml` of the global layer.
#[test]
fn all_environments_below_a_global_layer_are_compared() {
    let repository = Repository::new();
    repository.git(&["rm", "--quiet", "-r", "data"]);
    let file = |name: &str, path: &str| format!("repository/environments/{name}/{path}");
    for name in ["production", "qa"] {
        repository.write(&file(name, "hiera.yaml"), HIERA_YAML);
        repository.write(&file(name, "data/common.yaml"), COMMON);
    }
    repository.commit();
    let data = file("qa", "data/common.yaml");
    repository.write(&data, &COMMON.replace("80", "81"));
    let run = |below: &str, arguments: &[&str]| {
        let directory = repository.path("repository").join(below);
        text_of(&run_in(&directory, &[&["diff"], arguments].concat()))
    };
    let expected = "production: 0 answers change: 4 keys compared for any node\n\
                    qa: every node changes, 2 keys; nothing else\n";
    repository.write("repository/doc/README.md", "");
    for below in ["", "environments", "doc"] {
        let text = run(below, &[]);
        assert!(text.starts_with("qa: port\n") && text.ends_with(expected), "{text}");
    }
    let only = "0 answers change: 4 keys compared for any node\n";
    assert_eq!(run("environments/production", &[]), only);
    assert_eq!(run("", &["--environment", "production"]), only);
}

#[test]
fn environments_with_the_same_name_are_told_apart() {
    let repository = Repository::new();
    repository.git(&["rm", "--quiet", "-r", "hiera.yaml", "data"]);
    for name in ["development", "production"] {
        let file = |path: &str| format!("repository/control/{name}/{path}");
        repository.write(&file("hiera.yaml"), HIERA_YAML);
        repository.write(&file("data/common.yaml"), COMMON);
    }
    repository.commit();
    let data = "repository/control/development/data/common.yaml";
    repository.write(data, &COMMON.replace("80", "81"));
    let text = text_of(&repository.run(&["diff"]));
    let expected = "control/development: every node changes, 2 keys; nothing else\n\
                    control/production: 0 answers change: 4 keys compared for any node\n";
    assert!(text.starts_with("control/development: port\n") && text.ends_with(expected), "{text}");
}

#[test]
fn a_submodule_that_is_checked_out_is_the_same_on_both_sides() {
    let repository = Repository::new();
    repository.write("repository/sub/.git", "gitdir: nowhere\n");
    repository.write("repository/sub/web.yaml", "port: 1\n");
    repository.write("repository/hiera.yaml", &HIERA_YAML.replace("roles/", "../sub/"));
    let link = "160000,1234567890123456789012345678901234567890,sub";
    repository.git(&["add", "hiera.yaml"]);
    repository.git(&["update-index", "--add", "--cacheinfo", link]);
    repository.git(&["commit", "--quiet", "--message", "x"]);
    let text = text_of(&repository.run(&["diff", "--facts", "../facts"]));
    assert!(text.starts_with("0 answers change: 4 keys compared for 3 nodes, as far"), "{text}");
}

/// A report may be posted where people see it who cannot read the files of this machine.
#[cfg(unix)]
#[test]
fn nothing_outside_of_the_repository_is_read_without_trust() {
    use std::os::unix::fs::symlink;
    let repository = Repository::new();
    repository.write("other/x.yaml", "port: hunter2\nmore: hunter2\n");
    let elsewhere = repository.path("other");
    let file = elsewhere.join("x.yaml");
    let levels = [
        format!("path: {}", file.display()),
        format!("glob: '{}/*.y*ml'", elsewhere.display()),
        "path: ../../other/x.yaml".to_owned(),
        format!("datadir: {}, path: x.yaml", elsewhere.display()),
        "path: link.yaml".to_owned(),
        "glob: 'linked/*.yaml'".to_owned(),
    ];
    symlink(&file, repository.path("repository/data/link.yaml")).expect("a link");
    symlink(&elsewhere, repository.path("repository/data/linked")).expect("a link");
    repository.commit();
    let bare = repository.path("bare");
    for level in levels {
        let level_first = format!("hierarchy:\n- {{name: o, {level}}}\n");
        let config = HIERA_YAML.replace("hierarchy:\n", &level_first);
        repository.write("repository/hiera.yaml", &config);
        let run = |directory: &Path, arguments: &[&str]| {
            let output = run_in(directory, &[&["diff"], arguments].concat());
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            (text_of(&output), said)
        };
        let here = repository.path("repository");
        let check = |directory: &Path, arguments: &[&str]| {
            for format in ["text", "json"] {
                let all = [arguments, &["--format", format]].concat();
                let (text, said) = run(directory, &all);
                assert!(!text.contains("hunter2") && !text.contains("more"), "{level}: {text}");
                assert!(said.contains("is outside of the workspace and is not read"), "{said}");
            }
            let (text, said) = run(directory, &[arguments, &["--trust"]].concat());
            assert!(text.contains("hunter2"), "{level}: {text}");
            assert!(!said.contains("outside"), "{said}");
        };
        check(&here, &[]);
        repository.commit();
        check(&here, &["HEAD~1", "--to", "HEAD"]);
        let _ = fs::remove_dir_all(&bare);
        let mut clone = Command::new("git");
        clone.args(["clone", "--quiet", "--bare"]).arg(&here).arg(&bare);
        assert!(clone.status().expect("git runs").success());
        check(&bare, &["HEAD~1", "--to", "HEAD"]);
        repository.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    }
}

#[test]
fn sample_data_is_compared() {
    let repository = Repository::new();
    let level = "hierarchy:\n- {name: v, lookup_key: vault, uri: 'x://y'}\n";
    repository.write("repository/hiera.yaml", &HIERA_YAML.replace("hierarchy:\n", level));
    repository.write("repository/.hiera-ls.yaml", "backends: {vault: {stand_in: f/vault.yaml}}\n");
    repository.write("repository/f/vault.yaml", "v: 1\n");
    repository.commit();
    repository.write("repository/f/vault.yaml", "v: 2\n");
    let found = repository.diff(&[]);
    let change = &found["changes"][0];
    assert_eq!((&change["key"], &change["after"]["value"]), (&json!("v"), &json!(2)), "{found}");
    let output = repository.run(&["diff", "--facts", "../facts", "--", "v"]);
    assert!(!String::from_utf8_lossy(&output.stderr).contains("no data file"), "{output:?}");
    let facts = ["--facts", "../facts/db1.example.com.yaml", "--render-as", "jsonl"];
    let output = repository.run(&[&["lookup", "--all"], &facts[..]].concat());
    assert!(text_of(&output).contains(r#"{"key":"v","status":"found","value":2"#), "{output:?}");
}

#[test]
fn keys_that_are_hard_to_see_are_in_quotes() {
    let repository = Repository::new();
    repository.data("common.yaml", &format!("{COMMON}'': 1\n'::lead': 1\n"));
    let text = text_of(&repository.run(&["diff", "--facts", "../facts"]));
    assert!(
        text.starts_with("\"\"\n  3 nodes") && text.contains("\n\"::lead\"\n  3 nodes"),
        "{text}"
    );
}

#[test]
fn a_key_that_is_in_no_file_is_named() {
    let repository = Repository::new();
    let output = repository.run(&["diff", "--facts", "../facts", "--", "prot", "port", "po*"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let prot = "hiera-ls: prot: no data file has this key, before or after\n";
    let pattern =
        "hiera-ls: po*: no data file has this key, before or after; keys are not patterns\n";
    assert_eq!(said, format!("{pattern}{prot}"));
    let output = repository.run(&["diff", "--facts", "/nowhere/to be found"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(said, "hiera-ls: /nowhere/to be found: no such file or directory\n");
}

#[test]
fn a_moved_environment_is_noted() {
    let repository = Repository::new();
    fs::create_dir(repository.path("repository/env")).expect("a directory");
    for name in ["hiera.yaml", "data"] {
        let (from, to) = (format!("repository/{name}"), format!("repository/env/{name}"));
        fs::rename(repository.path(&from), repository.path(&to)).expect("it moves");
    }
    let said = String::from_utf8_lossy(&repository.run(&["diff"]).stderr).into_owned();
    assert!(said.contains("the environment moved from "), "{said}");
}

/// Puppet uses its own default hierarchy there, which has no data.
#[test]
fn a_later_revision_may_have_no_hiera_yaml() {
    let repository = Repository::new();
    repository.git(&["rm", "--quiet", "hiera.yaml"]);
    repository.commit();
    let changes = |arguments: &[&str]| {
        let output = repository.run(arguments);
        assert!(output.status.success(), "{output:?}");
        text_of(&output)
    };
    let text = changes(&["diff", "HEAD~1", "--to", "HEAD"]);
    assert!(text.contains("  - 80\n  + (not found)\n    because of hiera.yaml:1\n"), "{text}");
    assert_eq!(changes(&["diff", "HEAD~1"]), text);
    let text = changes(&["diff", "HEAD", "--to", "HEAD~1"]);
    assert!(text.contains("  - (not found)\n  + 80\n    because of hiera.yaml:1\n"), "{text}");
    let neither = repository.run(&["diff", "HEAD", "--to", "HEAD"]);
    check_refused(&neither, "no hiera.yaml here");
}
