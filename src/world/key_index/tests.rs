//! The content of the index for some layouts and changes.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::call_words::{ASKED_OFTEN, FEW_FILES};
use super::tags::{
    MAY_CALL, MAY_NOT_BE_PLAIN, MAY_NOT_MERGE_AS_HASH, MAY_NOT_MERGE_AS_LIST, tags_of,
};
use super::{FileKeys, MIN_HASHED_KEYS};
use crate::data::{DataFile, FileId, Format, Value};
use crate::world::interner::Interner;
use crate::world::{Change, FileSet, Host, KeyIndex, MemoryDisk};

const HIERA_YAML: &str = "
version: 5
hierarchy:
  - name: nodes
    path: 'nodes/%{trusted.certname}.yaml'
  - name: roles
    glob: 'roles/*.yaml'
  - name: json
    data_hash: json_data
    path: 'common.json'
  - name: common
    path: common.yaml
";

const FILES: [(&str, &str); 8] = [
    ("/r/hiera.yaml", HIERA_YAML),
    ("/r/data/common.yaml", "a: 1\nb: 2\n"),
    ("/r/data/nodes/x.yaml", "b: 3\nc: 4\n"),
    ("/r/data/roles/web.yaml", "b: 5\n"),
    ("/r/data/roles/sub/db.yaml", "never: reached\n"),
    ("/r/data/README.yaml", "never: reached\n"),
    ("/r/modules/m/hiera.yaml", "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n"),
    ("/r/modules/m/data/common.yaml", "m::p: 1\n"),
];

/// All keys with their places: `key: path:start-end`.
fn dump(index: &KeyIndex) -> String {
    let mut text = String::new();
    for key in index.keys() {
        assert!(index.contains(&key));
        assert_eq!(index.first_places(&key, 100), (index.places(&key), true));
        for place in index.places(&key) {
            let (at, path) = (place.key, &place.path);
            let _ = writeln!(text, "{key}: {path}:{}-{}", at.start, at.end);
        }
    }
    text
}

fn index(host: &Host) -> Arc<KeyIndex> {
    let world = host.snapshot();
    let environment = world.environment_of("/r/hiera.yaml").expect("an environment");
    world.key_index(&environment)
}

fn opened(path: &str, text: &str) -> Change {
    Change::OpenBuffer { path: path.to_owned(), text: text.to_owned(), version: 1 }
}

#[track_caller]
fn check(host: &Host, expected: &str) {
    assert_eq!(dump(&index(host)), expected);
}

#[test]
fn keys_of_all_layers_are_found_where_hiera_yaml_leads() {
    check(
        &Host::new(Arc::new(MemoryDisk::new(FILES))),
        "a: /r/data/common.yaml:0-1\n\
         b: /r/data/common.yaml:5-6\n\
         b: /r/data/nodes/x.yaml:0-1\n\
         b: /r/data/roles/web.yaml:0-1\n\
         c: /r/data/nodes/x.yaml:5-6\n\
         m::p: /r/modules/m/data/common.yaml:0-4\n",
    );
}

#[test]
fn what_a_merge_key_brings_is_a_key_without_a_place() {
    let merged = ("/r/data/common.yaml", "a: &a {x: 1}\n<<: *a\n");
    let mut host = Host::new(Arc::new(MemoryDisk::new([FILES[0], merged])));
    let keys = |host: &mut Host| {
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        let world = host.snapshot();
        let environment = world.environment_of("/r/hiera.yaml").expect("an environment");
        let scanned: Vec<_> = world.scan_keys(&environment).into_iter().collect();
        let index = world.key_index(&environment);
        assert_eq!(index.keys(), scanned);
        assert!(scanned.iter().all(|it| index.contains(it)));
        assert_eq!(index.places("x"), []);
        scanned.join(" ")
    };
    assert_eq!(keys(&mut host), "a x");
    for (text, expected) in [
        ("a: &a {x: 1, y: 2}\n<<: *a\n", "a x y"),
        ("a: &a {x: 1, y: 2}\nb: 1\n", "a b"),
        ("a: &a {x: 1, y: 2}\nb: 1\n<<: *a\n", "a b x y"),
    ] {
        host.apply(opened("/r/data/common.yaml", text));
        assert_eq!(keys(&mut host), expected);
    }
}

#[test]
fn an_edited_file_counts_as_it_is_typed() {
    let mut host = Host::new(Arc::new(MemoryDisk::new([FILES[0], FILES[2], FILES[3]])));
    check(
        &host,
        "b: /r/data/nodes/x.yaml:0-1\nb: /r/data/roles/web.yaml:0-1\nc: /r/data/nodes/x.yaml:5-6\n",
    );
    host.apply(opened("/r/data/nodes/x.yaml", "new: 1\nb: 1\n"));
    let edited = "b: /r/data/nodes/x.yaml:7-8\nb: /r/data/roles/web.yaml:0-1\nnew: /r/data/nodes/x.yaml:0-3\n";
    check(&host, edited);
    host.apply(opened("/r/data/nodes/y.yaml", "y: 1\n"));
    check(&host, &format!("{edited}y: /r/data/nodes/y.yaml:0-1\n"));
    host.apply(opened("/r/data/elsewhere/y.yaml", "z: 1\n"));
    check(&host, &format!("{edited}y: /r/data/nodes/y.yaml:0-1\n"));
}

#[test]
fn what_is_built_is_only_asked_for_again_where_it_changed() {
    let disk = Arc::new(MemoryDisk::new(FILES));
    let mut host = Host::new(disk.clone());
    let before = host.snapshot();
    let environment = before.environment_of("/r/hiera.yaml").expect("an environment");
    assert!(before.key_index_if_built(&environment).is_none());
    let _ = before.key_index(&environment);
    let questions = disk.questions();
    disk.write("/r/data/nodes/x.yaml", "d: 1\n");
    host.apply(Change::DiskChanged(vec!["/r/data/nodes/x.yaml".to_owned()]));
    let index = host.snapshot().key_index_if_built(&environment).expect("the bulk is there");
    assert_eq!(index.keys_of("/r/data/nodes/x.yaml").len(), 1);
    assert!(index.places("c").is_empty());
    assert!(disk.questions() <= questions + 4, "only the changed file is read again");
    assert_eq!(before.key_index(&environment).places("c").len(), 1, "snapshots do not change");
}

#[test]
fn texts_are_searched_where_hiera_yaml_leads() {
    let world = Host::new(Arc::new(MemoryDisk::new(FILES))).snapshot();
    let environment = world.environment_of("/r/hiera.yaml").expect("an environment");
    let found = world.files_containing(&environment, "b:");
    let paths: Vec<_> = found.iter().map(|file| &*file.path).collect();
    assert_eq!(paths, ["/r/data/common.yaml", "/r/data/nodes/x.yaml", "/r/data/roles/web.yaml"]);
}

#[test]
fn another_hierarchy_reaches_other_files() {
    let disk = Arc::new(MemoryDisk::new(FILES));
    let mut host = Host::new(disk.clone());
    let _ = index(&host);
    disk.write("/r/hiera.yaml", "version: 5\nhierarchy: [{name: c, path: README.yaml}]\n");
    host.apply(Change::DiskChanged(vec!["/r/hiera.yaml".to_owned()]));
    check(&host, "m::p: /r/modules/m/data/common.yaml:0-4\nnever: /r/data/README.yaml:0-5\n");
}

#[test]
fn a_file_with_a_key_twice_is_listed_once() {
    let files = [
        ("/r/hiera.yaml", HIERA_YAML),
        ("/r/data/common.yaml", "a: 1\nb: 2\na: 3\n"),
        ("/r/data/nodes/x.yaml", "a: 4\n"),
    ];
    check(
        &Host::new(Arc::new(MemoryDisk::new(files))),
        "a: /r/data/common.yaml:0-1\n\
         a: /r/data/common.yaml:10-11\n\
         a: /r/data/nodes/x.yaml:0-1\n\
         b: /r/data/common.yaml:5-6\n",
    );
}

#[cfg(unix)]
#[test]
fn links_in_circles_are_walked_once() {
    use crate::world::{Disk, paths};
    let directory = tempfile::tempdir().expect("a temporary directory");
    let root = directory.path().canonicalize().expect("a directory");
    let root = paths::normalise(root.to_str().expect("a path that is a text"));
    let write = |path: &str, text: &str| {
        let path = format!("{root}/{path}");
        std::fs::create_dir_all(paths::parent(&path).expect("a directory")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    write(
        "hiera.yaml",
        "version: 5\nhierarchy: [{name: n, paths: ['%{x}.yaml', 'in/%{y}.yaml']}]\n",
    );
    write("data/nodes/x.yaml", "a: 1\n");
    write("elsewhere/y.yaml", "b: 1\n");
    std::fs::create_dir(format!("{root}/data/dir.yaml")).expect("made");
    for (link, target) in [("a_loop", "."), ("in", "../elsewhere"), ("nodes/up", "..")] {
        std::os::unix::fs::symlink(target, format!("{root}/data/{link}")).expect("linked");
    }
    let world = Host::new(Arc::new(Disk)).snapshot();
    let environment = world.environment_of(&format!("{root}/data/x")).expect("an environment");
    assert_eq!(
        dump(&world.key_index(&environment)),
        format!("a: {root}/data/nodes/x.yaml:0-1\nb: {root}/data/in/y.yaml:0-1\n")
    );
}

#[test]
fn reading_ahead_can_be_stopped() {
    let host = Host::new(Arc::new(MemoryDisk::new(FILES)));
    let world = host.snapshot();
    let environment = world.environment_of("/r/data/x").expect("an environment");
    let told = Mutex::new(Vec::new());
    let tell = |read, all| told.lock().expect("no panic").push((read, all));
    world.read_ahead(&environment, &|| true, &tell);
    assert_eq!(*told.lock().expect("no panic"), []);
    world.read_ahead(&environment, &|| false, &tell);
    let files = world.key_index(&environment).files().len();
    assert_eq!(*told.lock().expect("no panic"), [(files, files)]);
    world.read_ahead(&environment, &|| false, &tell);
    assert_eq!(told.lock().expect("no panic").len(), 1, "what is read is not read again");
}

#[test]
fn the_first_files_of_a_key_are_those_with_the_first_paths() {
    let mut host = Host::new(Arc::new(MemoryDisk::new(FILES)));
    let first = |host: &Host, most| {
        let (places, is_whole) = index(host).first_places("b", most);
        let paths: Vec<String> = places.iter().map(|it| it.path.replace("/r/data/", "")).collect();
        (paths.join(" "), is_whole)
    };
    assert_eq!(first(&host, 1), ("common.yaml".to_owned(), false));
    assert_eq!(first(&host, 2), ("common.yaml nodes/x.yaml".to_owned(), false));
    assert_eq!(first(&host, 3), ("common.yaml nodes/x.yaml roles/web.yaml".to_owned(), true));
    host.apply(opened("/r/data/common.yaml", "a: 1\n"));
    assert_eq!(first(&host, 1), ("nodes/x.yaml".to_owned(), false));
    host.apply(opened("/r/data/common.yaml", "b: 1\n"));
    assert_eq!(first(&host, 1), ("common.yaml".to_owned(), false));
}

#[test]
fn values_that_may_call_functions_are_told_from_others() {
    let files = [
        ("/r/hiera.yaml", HIERA_YAML),
        ("/r/data/common.yaml", "a: '%{lookup(\"b\")}'\nb: '%{facts.os.name} 5% < \\'\nc: 1\n"),
        ("/r/data/nodes/x.yaml", "a: 1\nb: \"\\x25{lookup('a')}\"\nc: [*d]\n"),
        ("/r/data/roles/web.yaml", "a: ['%{hiera(\"b\")}', '%{a}']\nc: 2\n"),
    ];
    let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
    let words = |host: &Host, key: &str| index(host).call_words(key).map(|it| it.join(" "));
    assert_eq!(words(&host, "a").as_deref(), Some("b hiera lookup"));
    assert_eq!(words(&host, "b"), None, "an escape hides a call");
    assert_eq!(words(&host, "c"), None, "an alias may bring a call");
    assert_eq!(words(&host, "none").as_deref(), Some(""));
    host.apply(opened("/r/data/common.yaml", "a: 1\nb: 2\nd: '%{alias(\"a\")}'\n"));
    assert_eq!(words(&host, "a").as_deref(), Some("b hiera lookup"), "more words do no harm");
    assert_eq!(words(&host, "d").as_deref(), Some("a alias"));
    host.apply(opened("/r/data/roles/web.yaml", "a: '%{lookup(\"e\")}'\n"));
    assert_eq!(words(&host, "a").as_deref(), Some("b e hiera lookup"));
}

#[test]
fn the_words_in_calls_are_the_same_for_one_key_and_for_all() {
    let number = 2 * ASKED_OFTEN;
    let mut files = vec![("/r/hiera.yaml".to_owned(), HIERA_YAML.to_owned())];
    for file in 0..=FEW_FILES {
        let mut text = String::new();
        for key in 0..number {
            let value = match (key + file) % 40 {
                0 => "\"\\x25{lookup('x')}\"".to_owned(),
                it if it % 3 == 0 => format!("[x, \"%{{lookup('k{it}')}}\"]"),
                _ => "x".to_owned(),
            };
            let _ = writeln!(text, "k{key}: {value}");
        }
        files.push((format!("/r/data/nodes/n{file}.yaml"), text));
    }
    let host = Host::new(Arc::new(MemoryDisk::new(
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())),
    )));
    let all = index(&host);
    // A host of its own for each key: only one key is asked for there.
    for key in (0..number).map(|key| format!("k{key}")) {
        let alone = Host::new(Arc::new(MemoryDisk::new(
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())),
        )));
        assert_eq!(all.call_words(&key), index(&alone).call_words(&key), "{key}");
    }
}

/// An edited file is searched for one key after another, whatever its size.
#[test]
fn keys_of_long_files_are_found_after_edits() {
    let mut text = String::new();
    for number in 0..MIN_HASHED_KEYS + 10 {
        let _ = writeln!(text, "k{number}: x");
    }
    let files = [("/r/hiera.yaml", HIERA_YAML), ("/r/data/common.yaml", &*text)];
    let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
    let before = dump(&index(&host));
    host.apply(opened("/r/data/common.yaml", &format!("{text}k7: y\nnew: 1\n")));
    let after = dump(&index(&host));
    let end = text.len();
    let again = format!("k7: /r/data/common.yaml:{end}-{}\n", end + 2);
    let new = format!("new: /r/data/common.yaml:{}-{}\n", end + 6, end + 9);
    assert_eq!(after.replace(&again, "").replace(&new, ""), before);
    assert!(after.contains(&again) && after.contains(&new));
    assert_eq!(index(&host).keys_in("new"), [Arc::from("new")]);
}

#[test]
fn keys_that_several_files_share() {
    let files = [
        ("/r/hiera.yaml", HIERA_YAML),
        ("/r/data/common.yaml", "a::x: 1\na::y: 2\nb: 3\n"),
        ("/r/data/nodes/n.yaml", "a::x: 1\na::z: 2\n"),
    ];
    let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
    let shared = |host: &Host, prefix: &str| {
        let (count, shared) = index(host).shared_keys_in(prefix);
        format!("{} of {count}", shared.join(" "))
    };
    assert_eq!(shared(&host, "a::"), "a::x of 3");
    assert_eq!(shared(&host, ""), "a::x of 4");
    host.apply(opened("/r/data/nodes/n.yaml", "a::y: 1\na::z: 1\na::new: 1\n"));
    assert_eq!(shared(&host, "a::"), "a::y of 4");
    host.apply(opened("/r/data/common.yaml", "a::new: 1\n"));
    assert_eq!(shared(&host, "a::"), "a::new of 3");
}

#[test]
fn an_entry_of_a_broken_file_is_the_same_before_and_after_the_file_was_parsed() {
    let broken = "a: 1\nb]\nc: 2\n";
    let mut files = FILES.to_vec();
    files.push(("/r/data/nodes/broken.yaml", broken));
    let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    let world = host.snapshot();
    let environment = world.environment_of("/r/data/common.yaml").expect("an environment");
    let index = world.key_index(&environment);
    for key in ["a", "c"] {
        let places = index.places(key);
        let place = places.iter().find(|it| it.path.ends_with("broken.yaml")).expect("a place");
        let value = || world.entry_at(key, place).map(|entry| entry.value);
        let before = value();
        assert!(before.is_some());
        world.file(&place.path).expect("a file").data(place.format);
        assert_eq!(value(), before);
    }
}

#[test]
fn whether_a_set_of_files_has_a_key() {
    let mut host = Host::new(Arc::new(MemoryDisk::new(FILES)));
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    let set = |paths: &[&str]| -> Arc<FileSet> {
        let world = host.snapshot();
        Arc::new(paths.iter().map(|path| world.file(path).expect("a file").id).collect())
    };
    let (two, one) = (
        set(&["/r/data/nodes/x.yaml", "/r/data/roles/web.yaml"]),
        set(&["/r/data/roles/web.yaml"]),
    );
    let held = |host: &Host, set: &Arc<FileSet>| -> String {
        let index = index(host);
        ["a", "b", "c", "new"].into_iter().filter(|key| index.is_held_by(key, set)).collect()
    };
    assert_eq!([held(&host, &two), held(&host, &one)], ["bc", "b"]);
    host.apply(opened("/r/data/roles/web.yaml", "a: 1\nnew: 1\n"));
    assert_eq!([held(&host, &two), held(&host, &one)], ["abcnew", "anew"]);
    host.apply(opened("/r/data/nodes/x.yaml", "x: 1\n"));
    assert_eq!([held(&host, &two), held(&host, &one)], ["anew", "anew"]);
}

fn value() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        " ",
        "\n",
        "\n  ",
        "\n- ",
        " - ",
        "a",
        "a:",
        ": ",
        "b: 1",
        " [",
        "]",
        " {",
        "}",
        "'",
        "\"",
        " 12",
        " true",
        " words",
        " long-word.x",
        "%{x}",
        "\\x25{",
        " ~",
        " null",
        " #c",
        " |\n  ",
        " &x ",
        " *x",
        " !!str",
        ",",
        "\n  'a': 1",
    ]);
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn what_a_value_cannot_be_is_seen_by_its_look(value in value()) {
        check_tags(Format::Yaml, &format!("k:{value}\nz: 1\n"))?;
    }

    #[test]
    fn what_a_value_of_json_cannot_be_is_seen_by_its_look(value in json_value()) {
        check_tags(Format::Json, &format!("{{\"k\":{value},\n\"z\": 1}}\n"))?;
    }
}

fn json_value() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "{}",
        "{\n\"a\": [\n1]}",
        "[\n{}]",
        "\"{}\"",
        "\"[\\n\"",
        "1",
        "null",
        "true",
        "-1.5",
    ])
    .prop_map(str::to_owned)
}

/// Checks the tags of the key `k` of a text.
fn check_tags(format: Format, text: &str) -> Result<(), TestCaseError> {
    let data = DataFile::new(FileId(0), format, text.to_owned().into());
    let names = Interner::default();
    let keys = FileKeys::new(&data, &names);
    let own = keys.keys.iter().filter(|here| &*names.text(here.name) == "k");
    let tags = own.fold(0, |all, here| all | tags_of(here.value.slice(text), format));
    // Of a file that Puppet refuses, the index may lack a key.
    if let Some(entry) = data.get("k").filter(|_| tags != 0) {
        let is_hash = matches!(entry.value.value, Value::Hash(_));
        let is_null = matches!(entry.value.value, Value::Undef);
        let merges = is_hash && !has_number_key(&entry.value.value);
        prop_assert!(merges || tags & MAY_NOT_MERGE_AS_HASH != 0, "{text:?}");
        let merges = !is_hash && !is_null && !has_number_key(&entry.value.value);
        prop_assert!(merges || tags & MAY_NOT_MERGE_AS_LIST != 0, "{text:?}");
        let value = &entry.value.value;
        let is_plain = matches!(value, Value::String(_) | Value::Integer(_) | Value::Boolean(_));
        let is_plain = is_plain && !value.has_tokens();
        prop_assert!(is_plain || tags & MAY_NOT_BE_PLAIN != 0, "{text:?}");
    }
    Ok(())
}

fn has_number_key(value: &Value) -> bool {
    let is_number = |key: &Value| matches!(key, Value::Integer(_) | Value::Float(_));
    match value {
        Value::Array(items) => items.iter().any(|it| has_number_key(&it.value)),
        Value::Hash(hash) => {
            hash.iter().any(|(key, member)| is_number(key) || has_number_key(&member.value.value))
        }
        _ => false,
    }
}

#[test]
fn numbers_as_keys() {
    let may_have = |source: &str| tags_of(source, Format::Yaml) & MAY_NOT_MERGE_AS_HASH != 0;
    for source in
        ["{1: a}", "1: a", "a:\n  -1: b", "{a: {1.5 : b}}", "{0x1f: a}", "{? 1 : a}", "{.5: a}"]
    {
        assert!(may_have(source), "{source}");
    }
    for source in ["{a1: a}", "{'1': a}", "a: 1", "a:\n  b-1: c", "{a: {b: [1]}}", "a: 10.0.0.1:80"]
    {
        assert!(!may_have(source), "{source}");
    }
    let may_have = |source: &str| tags_of(source, Format::Yaml) & MAY_NOT_MERGE_AS_LIST != 0;
    for source in ["[{1: a}]", "- 1: a", "- a\n- {b: {2: c}}"] {
        assert!(may_have(source), "{source}");
    }
    for source in ["[{a: 1}]", "- a: 1", "- 10.0.0.1:80\n- http://1:2"] {
        assert!(!may_have(source), "{source}");
    }
}

#[test]
fn a_text_that_calls_alias_may_be_anything() {
    let tags = |source: &str| tags_of(source, Format::Yaml) & !MAY_CALL;
    let anything = MAY_NOT_MERGE_AS_HASH | MAY_NOT_MERGE_AS_LIST | MAY_NOT_BE_PLAIN;
    assert_eq!(tags("\"%{alias('a')}\""), anything);
    assert_eq!(tags("\"%{facts.a}\""), MAY_NOT_MERGE_AS_HASH | MAY_NOT_BE_PLAIN);
    assert_eq!(tags("[\"%{alias('a')}\"]"), MAY_NOT_MERGE_AS_HASH | MAY_NOT_BE_PLAIN);
}

#[test]
fn a_text_without_tokens_is_plain() {
    let is_plain = |source: &str| tags_of(source, Format::Yaml) & MAY_NOT_BE_PLAIN == 0;
    for source in ["1", "true", "some words", "http-server.example.org", "'a: b'", "\"x\""] {
        assert!(is_plain(source), "{source}");
    }
    for source in ["null", "a: b", "2026-11-26", "'%{a}'", "\"\\x25{a}\"", "[a]", ":symbol", "off"]
    {
        assert!(!is_plain(source), "{source}");
    }
}
