//! The edits that changes are said to follow from.

use super::super::causes::{causes, causes_of_each};
use super::super::random_data::Texts;
use super::*;

/// The edits that a change is said to follow from, as `path:line`.
#[track_caller]
fn check_causes(key: &str, edits: &[(&str, &str)], expected: &[&str]) {
    let files = [
        (
            "hiera.yaml",
            "version: 5\nhierarchy:\n- {name: r, path: 'roles/%{role}.yaml'}\n- {name: c, path: c.yaml}\n",
        ),
        ("data/roles/web.yaml", "x: 1\na: {p: 1,\n  q: 2}\ngone: 1\n"),
        (
            "data/c.yaml",
            "lookup_options:\n  a: {merge: deep}\na: {r: 1}\nb: \"%{lookup('a.q')}\"\ngone: 2\n",
        ),
        (".hiera-ls/facts/one.json", "{\"certname\": \"one\",\n\"role\": \"web\"}"),
    ];
    let texts = |edits: &[(&str, &str)]| -> Texts {
        let path = |path: &str| format!("{ROOT}/{path}");
        let all = files.iter().chain(edits);
        all.map(|(name, text)| (path(name), (*text).to_owned())).collect()
    };
    let version = PuppetVersion::V8;
    let after = world_of(&texts(edits), version);
    let disk = MemoryDisk::new(texts(&[]));
    let before = after.on_other_disk(Arc::new(disk), after.settings().as_ref().clone());
    let pair = pair_of(&before, &after, false).expect("environments on both sides");
    let difference = pair.difference(&key.into());
    let change = difference.changes.iter().find(|it| !it.nodes.is_empty()).expect("a change");
    let shown = |cause: &Cause| format!("{}:{}", &cause.path[ROOT.len() + 1..], cause.line);
    assert_eq!(change.causes.iter().map(shown).collect::<Vec<_>>(), expected);
}

#[test]
fn changes_are_traced_to_lines() {
    let web = "x: 1\na: {p: 1,\n  q: 3}\ngone: 1\n";
    check_causes("a", &[("data/roles/web.yaml", web)], &["data/roles/web.yaml:3"]);
    check_causes("b", &[("data/roles/web.yaml", web)], &["data/roles/web.yaml:3"]);
    let without = ("data/roles/web.yaml", "x: 1\na: {p: 1,\n  q: 2}\n");
    check_causes("gone", &[without], &["data/roles/web.yaml:4"]);
    let options =
        "a: {r: 1}\nb: \"%{lookup('a.q')}\"\ngone: 2\nlookup_options:\n  a: {merge: first}\n";
    check_causes("a", &[("data/c.yaml", options)], &["data/c.yaml:5"]);
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: c, path: c.yaml}\n";
    check_causes("gone", &[("hiera.yaml", hiera_yaml)], &["hiera.yaml:3"]);
    // Then nothing reads the options of the key any more, which are as they were.
    check_causes("a", &[("hiera.yaml", &hiera_yaml.replace("c.y", "d.y"))], &["hiera.yaml:3"]);
    let facts = "{\"certname\": \"one\",\n\"role\": \"db\"}";
    check_causes("x", &[(".hiera-ls/facts/one.json", facts)], &[".hiera-ls/facts/one.json:2"]);
}

#[test]
fn edits_that_read_the_same_cause_nothing() {
    let web = ("data/roles/web.yaml", "x: 1\na: {p: 1,\n  q: 3}\ngone: 1\n");
    let common =
        |b: &str| format!("lookup_options:\n  a: {{merge: deep}}\na: {{r: 1}}\nb: {b}\ngone: 2\n");
    let other_quotes = common("'%{hiera(\"a.q\")}'");
    check_causes("b", &[web, ("data/c.yaml", &other_quotes)], &["data/roles/web.yaml:3"]);
    let another = common("'%{hiera(\"a.q\")}!'");
    let both = ["data/c.yaml:4", "data/roles/web.yaml:3"];
    check_causes("b", &[web, ("data/c.yaml", &another)], &both);
}

/// Only the earlier lookup comes to the lower file, which still has the key.
#[test]
fn edits_below_a_new_value_cause_nothing() {
    let common = "lookup_options:\n  a: {merge: deep}\na: {r: 1}\nb: other\ngone: 2\n";
    let web = "b: new\nx: 1\na: {p: 1,\n  q: 2}\ngone: 1\n";
    let edits = [("data/c.yaml", common), ("data/roles/web.yaml", web)];
    check_causes("b", &edits, &["data/roles/web.yaml:1"]);
}

/// A key moves from a file that a node may read to the last one.
#[test]
fn edits_that_change_nothing_in_a_case_are_no_causes_of_it() {
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                      - {name: r, path: 'roles/%{role}.yaml'}\n- {name: c, path: c.yaml}\n";
    let texts = |web: &str, common: &str| -> Texts {
        let files = [
            ("hiera.yaml", hiera_yaml),
            ("data/nodes/one.yaml", "z: 1\n"),
            ("data/roles/web.yaml", web),
            ("data/c.yaml", common),
        ];
        files.map(|(path, text)| (format!("{ROOT}/{path}"), text.to_owned())).into()
    };
    let after = world_of(&texts("w: 1\n", "z: 0\nk: 1\n"), PuppetVersion::V8);
    let disk = MemoryDisk::new(texts("k: 1\nw: 1\n", "z: 0\n"));
    let before = after.on_other_disk(Arc::new(disk), after.settings().as_ref().clone());
    let pair = pair_of(&before, &after, false).expect("environments on both sides");
    let difference = pair.difference(&"k".into());
    let change = difference.changes.iter().find(|it| !it.nodes.is_empty()).expect("a change");
    let shown = |cause: &Cause| format!("{}:{}", &cause.path[ROOT.len() + 1..], cause.line);
    assert_eq!(change.causes.iter().map(shown).collect::<Vec<_>>(), ["data/c.yaml:2"]);
}

/// The causes that nodes share are those of each.
#[test]
fn causes_that_nodes_share_are_those_of_each() {
    let mut traced = 0;
    for seed in 0..workspaces(WORKSPACES) {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xCA5E);
        let texts = random.texts();
        let edited = random.edited(&texts);
        let edited = random.edited(&edited);
        let after = world_of(&edited, PuppetVersion::V8);
        let disk = MemoryDisk::new(texts.iter().map(|(path, text)| (path.as_str(), text.as_str())));
        let before = after.on_other_disk(Arc::new(disk), after.settings().as_ref().clone());
        let Some(pair) = pair_of(&before, &after, false) else { continue };
        for key in KEYS {
            let difference = pair.difference(&key.into());
            // Other nodes with the same change may have more causes.
            let of_nodes = difference.changes.iter().filter(|it| it.others.is_empty());
            let changes: Vec<&AnswerChange> = of_nodes.filter(|it| !it.nodes.is_empty()).collect();
            for change in changes {
                let first = change.nodes[0];
                let alone = causes(&pair, first, &Request::key(key));
                let name = &pair.after().nodes()[first as usize].name;
                assert_eq!(change.causes, alone, "{key} of {name} in {seed}");
                traced += 1;
            }
        }
    }
    assert!(traced > 500, "{traced} changes have causes");
}

/// Each node has a text of its own, and two entries are edited.
#[test]
fn nodes_that_differ_only_in_names_share_causes() {
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                      - {name: r, path: 'roles/%{role}.yaml'}\n- {name: c, path: c.yaml}\n";
    let texts = |value: &str| -> Texts {
        let node = |it| (format!("{ROOT}/data/nodes/n{it}.yaml"), "z: 1\n".to_owned());
        let common = format!("k: \"%{{lookup('x')}} {value} %{{trusted.certname}}\"\nx: {value}\n");
        let others = [
            ("hiera.yaml", hiera_yaml),
            ("data/c.yaml", &*common),
            ("data/roles/web.yaml", "w: 1\n"),
        ];
        let others = others.map(|(path, text)| (format!("{ROOT}/{path}"), text.to_owned()));
        (0..20).map(node).chain(others).collect()
    };
    let after = world_of(&texts("2"), PuppetVersion::V8);
    let disk = MemoryDisk::new(texts("1"));
    let before = after.on_other_disk(Arc::new(disk), after.settings().as_ref().clone());
    let pair = pair_of(&before, &after, false).expect("environments on both sides");
    let found = causes_of_each(&pair, &pair.after().all_nodes(), &Request::key("k"));
    let first = &found[&0];
    assert_eq!((found.len(), first.len()), (20, 2));
    assert!(found.values().all(|it| Arc::ptr_eq(it, first)));
}
