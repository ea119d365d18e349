//! What a lookup of a sub key depends on.

use std::sync::Arc;

use super::{check, evaluator, evaluator_for, told};
use crate::config::PuppetVersion;

#[test]
fn a_sub_key_has_the_cases_in_which_it_is_another_one() {
    let files = [
        ("common.yaml", "k: {list: [1], other: \"%{alias('u')}\"}\nu: '%{facts.fqdn2}'\n"),
        ("n/n1.yaml", "u: fixed\n"),
    ];
    let levels = "path: 'n/%{trusted.certname}.yaml'\npath: common.yaml";
    check(levels, &files, "k.list", "[1]");
    let other = "trusted.certname is n1: \"fixed\"\n: \"%{facts.fqdn2}\"";
    check(levels, &files, "k.other", other);
    let evaluator = evaluator(levels, &files);
    assert_eq!(evaluator.lookup("k.list").open, []);
    let token = &evaluator.lookup("k.other").open_tokens(evaluator.node())[0];
    assert_eq!((&*token.written, &*token.variable), ("%{facts.fqdn2}", "fqdn2"));
    assert!(!token.has_another_name());
    // Puppet 8 fails if it is not set, so programs must know of it.
    assert_eq!(evaluator.lookup("k.list").read_open, [Arc::from("fqdn2")]);
    let files =
        [("common.yaml", "k: {a: 1, b: \"%{alias('u')}\"}\nu: x\n"), ("n/n1.yaml", "u: '%{y}'\n")];
    let answer = self::evaluator(levels, &files).lookup("k.a");
    assert_eq!((answer.cases.len(), &*answer.read_open), (0, &[Arc::from("y")][..]));
}

#[test]
fn files_without_the_member_of_a_sub_key_do_not_matter_where_hashes_are_merged() {
    let with = |options: &str, top: &str| {
        let top = format!("lookup_options: {{k: {{merge: {options}}}}}\nk: {top}\n");
        let files = [
            ("top.yaml", &*top),
            ("role/web.yaml", "k: {a: 1, b: '%{facts.x}'}\n"),
            ("role/odd.yaml", "k: 3\n"),
            ("site/x.yaml", "k: {b: 3}\n"),
        ];
        let levels = "path: top.yaml\npath: 'role/%{role}.yaml'\npath: 'site/%{site}.yaml'";
        told(&evaluator(levels, &files).lookup("k.c")).trim_end().replace('\n', ", ")
    };
    let error =
        "error: The second element of the merge has wrong type, expects a Hash value, got Integer";
    assert_eq!(with("hash", "{c: 4}"), format!("role is odd: {error}, : 4"));
    assert_eq!(with("deep", "{c: 4}"), "4");
    // A merge removes duplicates and knockouts from the only value that there is.
    let lists = "role is web: [1], site is x: [1], : [1, 1]";
    assert_eq!(with("deep", "{c: [1, 1]}"), lists);
    let knockouts = "role is web: \"\", site is x: \"\", : \"--a\"";
    assert_eq!(with("{strategy: deep, knockout_prefix: '--'}", "{c: --a}"), knockouts);
    // A list of another member may be one that cannot be sorted.
    let sorted = with("{strategy: deep, sort_merged_arrays: true}", "{c: 4, d: [1, x]}");
    let error = "error: comparison of Integer with String failed";
    let errors = ["odd", "web"].map(|role| format!("role is {role}: {error}")).join(", ");
    assert_eq!(sorted, format!("{errors}, site is x: {error}, : 4"));
    // A hash without the member cannot be merged with something else.
    assert!(with("hash", "4").contains("role is web: error: The first element of the merge"));
}

#[test]
fn hashes_without_the_member_matter_above_a_value_that_is_no_hash() {
    let with = |first: &str| {
        let top = format!("lookup_options: {{k: {{merge: deep}}}}\n{first}\n");
        let files = [
            ("top.yaml", &*top),
            ("role/web.yaml", "k: {a: 1}\n"),
            ("site/x.yaml", "k: []\n"),
            ("common.yaml", "k: {c: 4}\n"),
        ];
        let paths = "paths: ['role/%{role}.yaml', 'site/%{site}.yaml', common.yaml]";
        told(&evaluator(&format!("path: top.yaml\n{paths}"), &files).lookup("k.c"))
    };
    let cases = |site: &str| format!("role is web and site is x: 4\nsite is x: {site}\n: 4\n");
    let error = "error: Data Provider type mismatch: Got Array when a hash-like object was expected to access \
                 value using 'c' from key 'k.c'";
    assert_eq!(with("other: 1"), cases(error));
    // The files of a level are merged before they are merged with those of the level above.
    assert_eq!(with("k: {z: 1}"), cases("not found"));
}

#[test]
fn members_that_no_hash_merge_takes_matter_for_a_sub_key() {
    let files = [
        ("web.yaml", "k: {a: {1: '%{facts.x}'}}\n"),
        ("common.yaml", "lookup_options: {k: {merge: hash}}\nk: {c: 4}\n"),
    ];
    let told = told(&evaluator("path: web.yaml\npath: common.yaml", &files).lookup("k.c"));
    assert!(told.starts_with("error: The first element of the merge has wrong type"), "{told}");
}

#[test]
fn files_without_the_member_of_a_sub_key_are_no_ways() {
    let levels = "path: 'role/%{role}.yaml'\npath: 'site/%{site}.yaml'\npath: common.yaml";
    let paths: Vec<String> = ["role", "site"]
        .iter()
        .flat_map(|it| (0..30).map(move |n| format!("{it}/{n}.yaml")))
        .collect();
    let with = |common: &str| {
        let mut files: Vec<_> = paths.iter().map(|it| (it.as_str(), "k: {a: 1}\n")).collect();
        files.push(("common.yaml", common));
        told(&evaluator(levels, &files).lookup("k.c"))
    };
    // There are too many pairs of a role and a site to run the lookup for each.
    assert!(with("k: {c: 4}\n").contains("may decide this"));
    assert_eq!(with("lookup_options: {k: {merge: hash}}\nk: {c: 4}\n"), "4\n");
    assert_eq!(with("lookup_options: {k: {merge: deep}}\nk: {c: 4}\n"), "4\n");
}

#[test]
fn open_items_of_another_list_decide_whether_it_can_be_sorted() {
    let with = |options: &str| {
        let common = format!(
            "lookup_options: {{k: {{merge: {{strategy: deep, {options}}}}}}}\nk: {{list: [1]}}\n"
        );
        let files =
            [("role/web.yaml", "k: {list: ['%{x}'], a: 1, b: '%{x}'}\n"), ("common.yaml", &common)];
        told(&evaluator("path: 'role/web.yaml'\npath: common.yaml", &files).lookup("k.a"))
            .trim_end()
            .to_owned()
    };
    assert_eq!(with("knockout_prefix: '--'"), "1");
    assert_eq!(with("merge_hash_arrays: true"), "1");
    let error = "error: comparison of Integer with String failed";
    assert!(with("sort_merged_arrays: true").starts_with(error));
    // `--1` removes the number.
    let undecided = with("knockout_prefix: '--', sort_merged_arrays: true");
    assert!(undecided.ends_with("The value itself depends on x"), "{undecided}");
}

/// Puppet 8 fails for a variable that is not set, whatever is dug out of it. The hashes of the node are always set.
#[test]
fn texts_beside_a_sub_key_can_fail() {
    let check = |text: &str, expected: &[&str]| {
        let file = format!("d: {{z: \"{text}\"}}\n");
        let files = [("role/db.yaml", &*file)];
        let evaluator = evaluator_for(PuppetVersion::V8, "path: 'role/%{role}.yaml'", &files);
        let answer = evaluator.lookup("d.a");
        let cases = answer.each_case();
        let read: Vec<&str> =
            { cases.iter() }.flat_map(|(_, case)| case.read_open.iter().map(|it| &**it)).collect();
        assert_eq!(read, expected, "{text}");
    };
    check("%{facts.site.name}", &[]);
    check("%{trusted.extensions.pp_role}", &[]);
    check("%{site.name}", &["facts.site.name"]);
    check("%{'site'.name}", &["facts.site.name"]);
}
