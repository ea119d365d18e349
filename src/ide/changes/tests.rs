//! The effects of edits in small workspaces.

mod secrets;

use std::sync::Arc;

use super::*;
use crate::data::Format;
use crate::engine::CancelToken;
use crate::world::{AnswerChange, Change, Host, MemoryDisk};

const HIERA_YAML: &str = "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                          - {name: r, path: 'roles/%{facts.role}.yaml'}\n- {name: c, path: common.yaml}\n";

const COMMON: &str = "port: 80\nurl: \"x:%{lookup('port')}\"\nsecret: ENC[PKCS7,b25l]\nlist: [1]\n";

const PATH: &str = "/r/data/common.yaml";

fn host() -> Host {
    host_with([].into_iter())
}

fn host_with(more: impl Iterator<Item = (String, String)>) -> Host {
    let facts = |role: &str| format!("role: {role}\n");
    let files = [
        ("/r/hiera.yaml".to_owned(), HIERA_YAML.to_owned()),
        (PATH.to_owned(), COMMON.to_owned()),
        ("/r/data/roles/web.yaml".to_owned(), "list: [2]\n".to_owned()),
        ("/r/spec/factsets/web1.yaml".to_owned(), facts("web")),
        ("/r/spec/factsets/web2.yaml".to_owned(), facts("web")),
        ("/r/spec/factsets/db1.yaml".to_owned(), facts("db")),
    ];
    let files = files.into_iter().chain(more);
    let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    host
}

fn edited(path: &str, text: &str) -> Host {
    let mut host = host();
    open(&mut host, path, text);
    host
}

fn open(host: &mut Host, path: &str, text: &str) {
    host.apply(Change::OpenBuffer { path: path.to_owned(), text: text.to_owned(), version: 1 });
}

fn question() -> Question {
    Question { path: Some(PATH.into()), ..Question::default() }
}

fn of(world: &Arc<World>, question: &Question) -> Changes {
    let found = changes(world, question, &Before::Saved, &CancelToken::default());
    found.expect("it can be compared").expect("there is an environment")
}

fn titles(world: &Arc<World>) -> Vec<String> {
    let found = edited_keys(world, PATH, &CancelToken::default());
    let text = world.text(PATH).expect("a text");
    found.iter().map(|it| format!("{}: {}", it.range.slice(&text), it.title)).collect()
}

#[test]
fn lookups_that_fail_for_all_keys_are_named() {
    let level = "version: 5\nhierarchy: [{name: x, path: \"%{lookup('port')}.yaml\"}]\n";
    let mut host = host_with([("/r/hiera.yaml".to_owned(), level.to_owned())].into_iter());
    open(&mut host, PATH, &COMMON.replace("80", "81"));
    let problems = of(&host.snapshot(), &question()).problems;
    let failure =
        "Interpolation using method syntax is not allowed in this context (file: /r/hiera.yaml)";
    let expected =
        ["saved", "now"].map(|side| format!("{side}: {failure}; its answers are errors"));
    assert_eq!(problems, expected);
}

#[test]
fn nothing_is_edited() {
    let world = host().snapshot();
    let found = of(&world, &question());
    assert_eq!(found.summary, "0 answers change: no key is edited");
    assert_eq!(titles(&world), Vec::<String>::new());
    assert!(!is_edited(&world, PATH, 0));
    let of_comment = of(&edited(PATH, &format!("# x\n{COMMON}")).snapshot(), &question());
    assert_eq!(of_comment.summary, "0 answers change: no key is edited");
}

#[test]
fn a_file_that_becomes_no_hash_fails_all_lookups_of_unlisted_nodes_too() {
    let found = of(&edited("/r/data/roles/web.yaml", "x\n").snapshot(), &question());
    assert_eq!(
        found.summary,
        "2 of 3 nodes change, and 1 case of unlisted nodes, 4 keys, and all keys that no data file has"
    );
    assert_eq!(found.preview.text.matches("any unlisted node where role is web").count(), 4);
}

#[test]
fn who_gets_what_and_why() {
    let world = edited(PATH, &COMMON.replace("80", "81").replace("[1]", "[3]")).snapshot();
    let found = of(&world, &question());
    assert_eq!(
        found.preview.text,
        "3 of 3 nodes change, and every unlisted node, 3 keys; nothing else\n\
         compared with the saved files, environment production\n\
         \n\
         list\n  1 node: db1; any unlisted node unless role is web\n  because of data/common.yaml:4\n- - 1\n+ - 3\n\
         \n\
         port\n  3 nodes: db1, web1, web2; any unlisted node\n  because of data/common.yaml:1\n- 80\n+ 81\n\
         \n\
         url\n  3 nodes: db1, web1, web2; any unlisted node\n  because of data/common.yaml:1\n- x:80\n+ x:81\n"
    );
    let place = found.preview.lines.last().and_then(|it| it.place).expect("a place");
    let text = world.text(PATH).expect("a text");
    assert_eq!(place.range.slice(&text), "port: 81");
    let found = of(&world, &Question { key: Some("list".into()), ..question() });
    // Other keys change, too.
    assert_eq!(found.summary, "1 of 3 nodes changes, and 1 case of unlisted nodes, 1 key");
}

#[test]
fn a_change_of_unlisted_nodes_alone_is_no_addition() {
    let of_databases = ("/r/data/roles/db.yaml".to_owned(), "list: [2]\n".to_owned());
    let mut host = host_with([of_databases].into_iter());
    open(&mut host, PATH, &COMMON.replace("[1]", "[3]"));
    assert_eq!(
        of(&host.snapshot(), &question()).summary,
        "0 of 3 nodes change, but 1 case of unlisted nodes does, 1 key; nothing else"
    );
}

#[test]
fn nodes_that_change_in_some_cases_are_counted_apart() {
    let mut host = host();
    // Only the name of this node is known.
    open(&mut host, "/r/data/nodes/n1.yaml", "other: 1\n");
    let role = "/r/data/roles/web.yaml";
    open(&mut host, role, "list: [3]\n");
    let world = host.snapshot();
    let key = Question { key: Some("list".into()), ..question() };
    assert_eq!(
        of(&world, &key).summary,
        "2 of 4 nodes change, 1 more in some cases, and 1 case of unlisted nodes, 1 key"
    );
    let found = edited_keys(&world, role, &CancelToken::default());
    let titles: Vec<&str> = found.iter().map(|it| &*it.title).collect();
    assert_eq!(
        titles,
        ["changes 2 of 4 nodes, 1 more in some cases, and 1 case of unlisted nodes"]
    );
    // All of its cases have another value now.
    open(&mut host, PATH, &COMMON.replace("80", "81"));
    let key = Question { key: Some("port".into()), ..question() };
    let summary = of(&host.snapshot(), &key).summary;
    assert!(summary.starts_with("4 of 4 nodes change, and every unlisted node"), "{summary}");
}

#[test]
fn an_edit_is_shown_once_for_values_that_differ_elsewhere() {
    let common = "lookup_options: {m: {merge: hash}}\nm: {a: 1, b: 1}\n";
    let node = |number: usize| {
        (format!("/r/data/nodes/n{number}.yaml"), format!("m: {{own: {number}}}\n"))
    };
    let role = ("/r/data/roles/web.yaml".to_owned(), "m: {a: 5}\n".to_owned());
    let files = (0..3).map(node).chain([role, (PATH.to_owned(), common.to_owned())]);
    let mut host = host_with(files);
    open(&mut host, PATH, &common.replace("a: 1", "a: 2"));
    let found = of(&host.snapshot(), &question());
    let (_, text) = found.preview.text.split_once("\nm\n").expect("the key changes");
    assert_eq!(
        text,
        "  1 node: db1; any unlisted node unless role is web\n  because of data/common.yaml:2\n- a: 1\n+ a: 2\n  b: 1\n\
         \u{20} 3 nodes: n0, n1, n2, all changed in the same way; n0 is shown\n\
         \u{20} because of data/common.yaml:2\n  unless role is web:\n- a: 1\n+ a: 2\n  b: 1\n  own: 0\n"
    );
}

#[test]
fn unlisted_nodes_are_in_the_cases_of_listed_ones() {
    let files = [
        ("/r/hiera.yaml", HIERA_YAML),
        (PATH, "list: [1]\n"),
        ("/r/data/nodes/n1.yaml", "other: 1\n"),
        ("/r/data/roles/web.yaml", "list: [2]\n"),
    ];
    let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    open(&mut host, PATH, "list: [3]\n");
    let found = of(&host.snapshot(), &question());
    let (_, text) = found.preview.text.split_once("\nlist\n").expect("the key changes");
    assert_eq!(
        text,
        "  1 node: n1; any unlisted node\n  because of data/common.yaml:1\n  unless role is web:\n- - 1\n+ - 3\n"
    );
}

#[test]
fn edited_keys_say_whom_they_concern() {
    let world = edited(PATH, &COMMON.replace("80", "81").replace("[1]", "[3]")).snapshot();
    assert_eq!(
        titles(&world),
        [
            "port: changes 3 of 3 nodes, and every unlisted node, also through 1 other key",
            "list: changes 1 of 3 nodes, and 1 case of unlisted nodes"
        ]
    );
    assert!(is_edited(&world, PATH, 1));
    assert!(!is_edited(&world, PATH, 12), "url is as it was");
    let world = edited(PATH, &format!("{COMMON}unread: 1\n# x\n")).snapshot();
    assert_eq!(titles(&world), ["unread: changes 3 of 3 nodes, and every unlisted node"]);
    let world = edited(PATH, &COMMON.replace("port: 80", "port:   80 # the same")).snapshot();
    assert_eq!(titles(&world), Vec::<String>::new());
}

#[test]
fn a_key_is_not_changed_through_the_one_that_it_was_renamed_from() {
    let world = edited(PATH, &COMMON.replace("list:", "items:")).snapshot();
    assert_eq!(titles(&world), ["items: changes 3 of 3 nodes, and every unlisted node"]);
    // The URL looks up the old name.
    let world = edited(PATH, &COMMON.replace("port:", "ports:")).snapshot();
    let said = "ports: changes 3 of 3 nodes, and every unlisted node, also through 1 other key";
    assert_eq!(titles(&world), [said]);
}

/// Checks the titles of the first edited keys in `common.yaml` and in the file of a role, which overrides `list`.
#[track_caller]
fn check_titles_of_both(hiera_yaml: &str, role: &str, expected: [&str; 2]) {
    let of_role = "/r/data/roles/web.yaml";
    let mut host = host_with([("/r/hiera.yaml".to_owned(), hiera_yaml.to_owned())].into_iter());
    open(&mut host, PATH, &COMMON.replace("[1]", "[3]"));
    open(&mut host, of_role, role);
    let world = host.snapshot();
    let title = |path| edited_keys(&world, path, &CancelToken::default()).remove(0).title;
    assert_eq!([PATH, of_role].map(title), expected);
}

#[test]
fn an_edit_does_not_count_what_another_edit_of_its_key_changes() {
    let of_role = "changes 2 of 3 nodes, and 1 case of unlisted nodes";
    let of_others = "changes 1 of 3 nodes, and 1 case of unlisted nodes";
    check_titles_of_both(HIERA_YAML, "list: [4]\n", [of_others, of_role]);
    // Some nodes get the same new value from either file.
    check_titles_of_both(HIERA_YAML, "list: [3]\n", [of_others, of_role]);
    // The role does not override the list any more.
    let of_all = "changes 3 of 3 nodes, and 2 cases of unlisted nodes";
    check_titles_of_both(HIERA_YAML, "# none\nother: 1\n", [of_all, of_role]);
    let of_all = "changes 3 of 3 nodes, and every unlisted node";
    let for_all = HIERA_YAML.replace("%{facts.role}", "web");
    check_titles_of_both(&for_all, "list: [4]\n", ["changes no answer", of_all]);
}

#[test]
fn edited_options_name_the_nodes_that_change() {
    let options =
        |of_list: &str| format!("lookup_options:\n  port: {{merge: first}}\n{of_list}{COMMON}");
    let unique = options("  list: {merge: unique}\n");
    let world = edited(PATH, &unique).snapshot();
    let title = ["lookup_options: changes 2 of 3 nodes, and 1 case of unlisted nodes, in 1 key"];
    assert_eq!(titles(&world), title);
    assert!(is_edited(&world, PATH, unique.find("unique").expect("there") as u32));
    let host = |now: &str| {
        let mut host = host_with([(PATH.to_owned(), unique.clone())].into_iter());
        open(&mut host, PATH, now);
        host.snapshot()
    };
    // Without the option, or without any.
    assert_eq!(titles(&host(&options(""))), title);
    assert_eq!(titles(&host(&options("  list: {merge: first}\n"))), title);
    assert_eq!(
        titles(&host(&unique.replace("unique}", "unique} # the same"))),
        Vec::<String>::new()
    );
    let world = host(&options("  list: {merge: unique}\n  none: {merge: hash}\n"));
    assert_eq!(titles(&world), ["lookup_options: changes no answer"]);
}

#[test]
fn a_key_with_a_dot_concerns_somebody_too() {
    let world = edited(PATH, &format!("{COMMON}a.b: 1\n")).snapshot();
    assert_eq!(titles(&world), ["a.b: changes 3 of 3 nodes, and every unlisted node"]);
}

/// The titles after an edit of `common.yaml`, where 300 nodes without fact sets have files with this text.
fn titles_with_many_nodes(of_nodes: &str, common: &str) -> Vec<String> {
    titles_with_role(of_nodes, "other: 1\n", common)
}

/// The same with a file for a role.
fn titles_with_role(of_nodes: &str, of_role: &str, common: &str) -> Vec<String> {
    let path = |number: usize| format!("/r/data/nodes/n{number}.yaml");
    let nodes = (0..300).map(|number| (path(number), of_nodes.to_owned()));
    let role = ("/r/data/roles/db.yaml".to_owned(), of_role.to_owned());
    let mut host = host_with(nodes.chain([role]));
    open(&mut host, PATH, common);
    titles(&host.snapshot())
}

#[test]
fn whom_an_edit_concerns_is_not_counted_where_that_takes_long() {
    let list = |value: &str| COMMON.replace("[1]", value);
    let unknown = ["list: show which nodes change"];
    assert_eq!(
        titles_with_many_nodes("other: 1\n", &list("[3]")),
        ["list: changes 1 of 303 nodes, 300 more in some cases, and 1 case of unlisted nodes"]
    );
    // Each node may have a value of its own: with its name, from its file, merged, or for another key that is built from this one.
    assert_eq!(titles_with_many_nodes("other: 1\n", &list("['%{trusted.certname}']")), unknown);
    assert_eq!(titles_with_many_nodes("list: [4]\n", &list("[3]")), unknown);
    let options = "lookup_options: {list: {merge: unique}}\n";
    assert_eq!(titles_with_role("other: 1\n", options, &list("[3]")), unknown);
    let built = titles_with_many_nodes("other: 1\n", &COMMON.replace("80", "81"));
    assert_eq!(built, ["port: show which nodes change"]);
}

/// How many values of the edited file are made to say what comes of an edit of one key.
fn values_made(entries: usize) -> usize {
    let entry = |number: usize| match number % 4 {
        1 => format!("key_{number}: \"%{{lookup('key_{}')}}\"\n", number - 1),
        _ => format!("key_{number}: {number}\n"),
    };
    let saved: String = (0..entries).map(entry).collect();
    let mut host = Host::new(Arc::new(MemoryDisk::new([
        ("/r/hiera.yaml", HIERA_YAML),
        (PATH, saved.as_str()),
        ("/r/spec/factsets/web1.yaml", "role: web\n"),
    ])));
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    host.snapshot().data(PATH, Format::Yaml).expect("a file").verdict();
    open(&mut host, PATH, &saved.replace("key_8: 8\n", "key_8: eight\n"));
    let world = host.snapshot();
    let said = "key_8: changes 1 of 1 node, and every unlisted node, also through 1 other key";
    assert_eq!(titles(&world), [said]);
    let before = world.before(&Before::Saved, "/r").expect("what is saved").0;
    let made =
        [&world, &before].map(|it| it.data(PATH, Format::Yaml).map(|it| it.lowered_entries()));
    made.into_iter().flatten().sum()
}

#[test]
fn work_follows_the_edit_and_not_the_file() {
    let small = values_made(100);
    assert_eq!(values_made(1_600), small);
    assert!(small < 8, "{small}");
}

/// Each changed key with what is shown of it, before and after.
fn shown(before: &str, after: &str) -> Vec<String> {
    let config = "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n";
    let files = [("/r/hiera.yaml", config), (PATH, before)];
    let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    open(&mut host, PATH, after);
    let found = of(&host.snapshot(), &question());
    let secrets = Secrets::of(&found.differences.changes);
    let line = |change: &AnswerChange| {
        let [before, after] = change_texts(change, &secrets).map(|it| it.trim_end().to_owned());
        let is_in_view = |line: &str| {
            ["+", " "].iter().any(|sign| found.preview.text.contains(&format!("\n{sign} {line}\n")))
        };
        assert!(after.lines().all(is_in_view), "{}", found.preview.text);
        format!("{}: {before} -> {after}", change.key)
    };
    found.differences.changes.iter().map(line).collect()
}

#[test]
fn without_a_document_all_environments_are_compared() {
    let config = "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n";
    let path = |name: &str, file: &str| format!("/r/environments/{name}/{file}");
    let names = ["production", "qa", "test"];
    let files = names.iter().flat_map(|name| {
        [(path(name, "hiera.yaml"), config), (path(name, "data/common.yaml"), "a: 1\n")]
    });
    let files = files.chain([("/r/hiera.yaml".to_owned(), config)]);
    let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    let summary = |host: &Host| of(&host.snapshot(), &Question::default()).preview.text;
    let nothing = summary(&host);
    assert!(nothing.starts_with("0 answers change"), "{nothing}");
    open(&mut host, &path("qa", "data/common.yaml"), "a: 1\nq: 1\n");
    let one = summary(&host);
    assert!(one.contains("environment qa\n") && one.contains("\n+ 1"), "{one}");
    open(&mut host, &path("test", "data/common.yaml"), "a: 2\n");
    let two = summary(&host);
    assert!(two.contains("environment qa\n") && two.contains("\n+ 1"), "{two}");
    assert!(two.contains("\nenvironment test: every node changes, 1 key; nothing else\n"), "{two}");
}

#[test]
fn an_edit_of_a_file_that_environments_share_concerns_all_of_them() {
    let hiera_yaml = "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n";
    let files = [
        ("/r/hiera.yaml", "version: 5\nhierarchy: [{name: g, path: g.yaml}]\n"),
        ("/r/.hiera-ls.yaml", "globalHieraYaml: hiera.yaml\n"),
        ("/r/data/g.yaml", "shared: 1\nother: 1\n"),
        ("/r/environments/production/hiera.yaml", hiera_yaml),
        ("/r/environments/production/data/common.yaml", "a: 1\n"),
        ("/r/environments/dev/hiera.yaml", hiera_yaml),
        ("/r/environments/dev/data/common.yaml", "url: \"%{lookup('shared')}\"\n"),
        ("/r/environments/qa/hiera.yaml", hiera_yaml),
        ("/r/environments/qa/data/common.yaml", "q: 1\n"),
    ];
    let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    open(&mut host, "/r/data/g.yaml", "shared: 2\nother: 3\n");
    let world = host.snapshot();
    let found = edited_keys(&world, "/r/data/g.yaml", &CancelToken::default());
    let titles: Vec<_> = found.iter().map(|it| &*it.title).collect();
    let expected = [
        "changes every node; in dev, changes every node, also through 1 other key; the same in qa",
        "changes every node; the same in dev; the same in qa",
    ];
    assert_eq!(titles, expected);
    let question = Question { path: Some("/r/data/g.yaml".into()), ..Question::default() };
    let of_file = of(&world, &question);
    assert_eq!(of_file.summary, "every node changes, 2 keys; nothing else");
    let expected = [
        "environment dev: every node changes, 3 keys; nothing else",
        "environment qa: every node changes, 2 keys; nothing else",
    ];
    assert_eq!(of_file.problems, expected);
}

#[test]
fn the_view_follows_typing_and_saving() {
    let mut host = edited(PATH, &COMMON.replace("80", "81"));
    let first = host.snapshot();
    assert!(of(&first, &question()).preview.text.contains("+ 81"));
    open(&mut host, PATH, &COMMON.replace("80", "82"));
    assert!(of(&host.snapshot(), &question()).preview.text.contains("+ 82"));
    // An earlier moment is asked again.
    assert!(of(&first, &question()).preview.text.contains("+ 81"));
    open(&mut host, PATH, COMMON);
    assert!(of(&host.snapshot(), &question()).preview.text.starts_with("0 answers change"));
    // A new file, which makes a node known.
    open(&mut host, "/r/data/nodes/db1.yaml", "port: 90\n");
    let text = of(&host.snapshot(), &question()).preview.text;
    assert!(text.contains("1 node: db1\n") && text.contains("+ x:90"), "{text}");
}

#[test]
fn half_typed_text_changes_only_what_is_typed() {
    let world = edited(PATH, &format!("{COMMON}half: \"\n")).snapshot();
    let found = of(&world, &question());
    assert!(found.differences.changes.is_empty(), "{}", found.preview.text);
    assert_eq!(
        found.problems,
        [
            "data/common.yaml: Puppet cannot read the file as it is now; hiera-ls compares the entries that it can read"
        ]
    );
    let conflict =
        COMMON.replace("list: [1]", "<<<<<<< a\nlist: [1]\n=======\nlist: [2]\n>>>>>>> b");
    let found = of(&edited(PATH, &conflict).snapshot(), &question());
    assert!(found.problems[0].contains("conflicts that are not resolved"), "{:?}", found.problems);
}

#[test]
fn a_saved_file_that_puppet_cannot_read_is_said() {
    let saved = format!("{COMMON}half: 'x\n");
    let mut host = Host::new(Arc::new(MemoryDisk::new([
        ("/r/hiera.yaml", HIERA_YAML),
        (PATH, saved.as_str()),
    ])));
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    let mut found = |text: &str| {
        open(&mut host, PATH, text);
        of(&host.snapshot(), &question())
    };
    let is = |when: &str| {
        format!(
            "data/common.yaml: Puppet cannot read the file {when}; hiera-ls compares the entries that it can read"
        )
    };
    let mended = found(&format!("{COMMON}half: 1\n"));
    assert_eq!(mended.problems, [is("as it was saved")]);
    assert_eq!(mended.summary, "every node changes, 1 key, as far as hiera-ls can tell");
    assert!(mended.preview.text.starts_with(&mended.summary), "{}", mended.preview.text);
    let broken = found(&format!("{saved}more: [\n"));
    assert_eq!(broken.problems, [is("as it was saved"), is("as it is now")]);
    assert!(found(&saved).problems.is_empty());
}

#[test]
fn a_hierarchy_that_does_not_load_is_said() {
    let world = edited("/r/hiera.yaml", "version: 5\nhierarchy: 1\n").snapshot();
    let found = of(&world, &question());
    assert!(found.problems[0].starts_with("now: "), "{:?}", found.problems);
    assert!(found.summary.starts_with("3 of 3 nodes change"), "{}", found.summary);
}

#[test]
fn a_level_that_reads_files_in_another_format_breaks_them() {
    let levels = HIERA_YAML.replace("path: common.yaml", "data_hash: json_data, path: common.yaml");
    let found = of(&edited("/r/hiera.yaml", &levels).snapshot(), &question());
    let expected = "data/common.yaml: Puppet cannot read the file as it is now";
    assert!(found.problems.iter().any(|it| it.starts_with(expected)), "{:?}", found.problems);
}

#[test]
fn modules_come_and_go_with_an_unsaved_modulepath() {
    let files = [
        ("/r/hiera.yaml", HIERA_YAML),
        ("/r/environment.conf", "modulepath = site:modules\n"),
        ("/r/modules/m/hiera.yaml", "version: 5\nhierarchy: [{name: c, path: c.yaml}]\n"),
        ("/r/modules/m/data/c.yaml", "m::a: 1\nm::b: 2\n"),
        (PATH, COMMON),
    ];
    let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    open(&mut host, "/r/environment.conf", "modulepath = site\n");
    let world = host.snapshot();
    let found = of(&world, &question());
    assert!(found.summary.contains("2 keys"), "{}", found.summary);
    open(&mut host, "/r/environment.conf", "modulepath = site:modules\n");
    let found = of(&host.snapshot(), &question());
    assert!(found.summary.starts_with("0 answers change"), "{}", found.summary);
}

#[test]
fn nobody_waits_for_a_cancelled_answer() {
    let world = edited(PATH, &COMMON.replace("80", "81")).snapshot();
    let cancel = CancelToken::default();
    cancel.cancel();
    let found = changes(&world, &question(), &Before::Saved, &cancel);
    assert!(found.expect("it can be compared").is_none());
    assert_eq!(edited_keys(&world, PATH, &cancel), []);
    assert!(of(&world, &question()).summary.starts_with("3 of 3"), "it was not kept");
}

#[test]
fn a_snapshot_that_nobody_holds_goes() {
    let mut host = edited(PATH, &COMMON.replace("80", "81"));
    let before = host.snapshot();
    of(&before, &question());
    let still_there = Arc::downgrade(&before);
    drop(before);
    open(&mut host, PATH, COMMON);
    assert!(still_there.upgrade().is_none());
}

/// What a comparison after an edit of `data/common.yaml` shows of the values.
fn shown_values(before: &str, after: &str) -> Vec<String> {
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: o, lookup_key: 'other::data'}\n- {name: c, path: common.yaml}\n";
    let mut host =
        Host::new(Arc::new(MemoryDisk::new([("/r/hiera.yaml", hiera_yaml), (PATH, before)])));
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    open(&mut host, PATH, after);
    let text = of(&host.snapshot(), &question()).preview.text;
    let is_cause = |it: &&str| it.starts_with("  because of ");
    let after_cause = text.lines().skip_while(|it| !is_cause(it)).skip_while(is_cause);
    after_cause.take_while(|it| !it.is_empty()).map(str::to_owned).collect()
}

#[test]
fn not_every_node_is_said_to_change_if_cases_are_left_out() {
    let mut host = host();
    for number in 0..40 {
        open(&mut host, &format!("/r/data/roles/r{number}.yaml"), &format!("port: {number}\n"));
    }
    open(&mut host, PATH, &COMMON.replace("80", "81"));
    let found = of(&host.snapshot(), &Question { key: Some("port".into()), ..question() });
    let summary = &found.summary;
    assert!(!found.differences.not_proved.is_empty() && !summary.contains("every"), "{summary}");
}

#[test]
fn a_level_that_is_not_evaluated_is_named_if_nothing_else_differs() {
    let hiera_yaml =
        |level: &str| format!("version: 5\nhierarchy:\n{level}- {{name: c, path: common.yaml}}\n");
    let (path, before) = ("/r/hiera.yaml", hiera_yaml(""));
    let files = [(path, before.as_str()), (PATH, "a: 1\n")];
    let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    open(&mut host, path, &hiera_yaml("- {name: vault, lookup_key: vault}\n"));
    let text = of(&host.snapshot(), &question()).preview.text;
    assert!(text.contains("\n  1\n+ (unless level 'vault' has another value)\n"), "{text}");
}

#[test]
fn of_a_long_value_only_lines_around_a_difference_are_shown() {
    let list = |last: &str| {
        let items: Vec<String> = (0..49).map(|number| format!("- {number}\n")).collect();
        format!("a:\n{}- {last}\n", items.concat())
    };
    let shown = shown_values(&list("u"), &list("v"));
    assert_eq!(shown, ["  … 47 lines", "  - 47", "  - 48", "- - u", "+ - v"]);
}

#[test]
fn the_hash_that_contains_a_difference_is_shown() {
    let users = |shell: &str| {
        format!(
            "users:\n  root: {{uid: 0, shell: sh}}\n  alice:\n    uid: 1\n    name: Alice\n    groups: [a, b]\n    shell: {shell}\n"
        )
    };
    let shown = shown_values(&users("sh"), &users("zsh"));
    let expected = ["  … 3 lines", "  alice:", "  … 2 lines", "    groups:", "    - a", "    - b"];
    assert_eq!(shown[..6], expected);
    assert_eq!(shown[6..], ["-   shell: sh", "+   shell: zsh"]);
}

#[test]
fn nodes_with_their_own_names_in_a_value_are_listed_together() {
    let common = |port: &str| {
        format!(
            "port: {port}\nurl: \"http://%{{trusted.certname}}:%{{lookup('port')}}/%{{facts.role}}\"\n"
        )
    };
    let mut host = host_with([(PATH.to_owned(), common("80"))].into_iter());
    open(&mut host, PATH, &common("81"));
    let text = of(&host.snapshot(), &question()).preview.text;
    let of_url = text.split_once("\nurl\n").expect("the key changes").1;
    let web = "  2 nodes: web1, web2, each with its own name in the value; web1 is shown\n  \
               because of data/common.yaml:1\n- http://web1:80/web\n+ http://web1:81/web\n";
    assert!(of_url.contains(web), "{of_url}");
    assert!(
        of_url.contains("  1 node: db1\n  because of data/common.yaml:1\n- http://db1:80/db\n")
    );
}

/// A key of which each node has a value of its own does not hide the other keys.
#[test]
fn only_some_changes_of_a_key_are_in_the_document() {
    let facts =
        (0..50).map(|at| (format!("/r/spec/factsets/n{at}.yaml"), format!("role: r{at}\n")));
    let mut files: Vec<(String, String)> = facts.collect();
    files.push(("/r/hiera.yaml".to_owned(), HIERA_YAML.to_owned()));
    let common = "port: 80\nrole: \"%{facts.role} %{lookup('port')}\"\n";
    files.push((PATH.to_owned(), common.to_owned()));
    let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    open(&mut host, PATH, &common.replace("80", "81"));
    let found = of(&host.snapshot(), &question());
    let of_role = found.differences.changes.iter().filter(|it| &*it.key == "role");
    let unlisted = of_role.clone().filter(|it| it.nodes.is_empty()).count();
    assert_eq!(of_role.count(), 50 + unlisted);
    let text = &found.preview.text;
    assert_eq!(text.matches("\n  1 node: ").count(), 20, "{text}");
    let said = format!("\n  {} more changes of this key not shown, for 30 nodes\n", 30 + unlisted);
    assert!(text.ends_with(&said), "{text}");
}

#[test]
fn what_was_typed_before_is_not_kept_for_comparisons() {
    let mut host = host();
    open(&mut host, PATH, &COMMON.replace("80", "81"));
    let fleets = |host: &Host| {
        let world = host.snapshot();
        let environment = world.environment_of("/r").expect("there is one");
        let (before, _) = world.before(&Before::Saved, "/r").expect("what is saved");
        let pair = world.beside(&before, &environment, Asker::User);
        [pair.before(), pair.after()].map(Arc::downgrade)
    };
    let [saved, first] = fleets(&host);
    assert!(first.upgrade().is_some());
    open(&mut host, PATH, &COMMON.replace("80", "82"));
    let [saved_again, second] = fleets(&host);
    assert!(saved.ptr_eq(&saved_again) && first.upgrade().is_none() && second.upgrade().is_some());
}
