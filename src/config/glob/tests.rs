//! The results of Ruby's `Dir.glob` for these trees and patterns, without directories.

use super::*;
use crate::data::MemoryFiles;

const TREE: &[&str] = &[
    "a/x.yaml",
    "a/y.yaml",
    "b/x.yaml",
    "b/y.yaml",
    "c/d/x.yaml",
    "c/d/y.yaml",
    "c/x.yaml",
    "c/y.yaml",
    ".h/x.yaml",
    ".h/y.yaml",
    "a.yaml",
    "b.yaml",
];

fn check(pattern: &str, expected: &[&str]) {
    check_in(TREE, pattern, expected);
}

fn check_in(tree: &[&str], pattern: &str, expected: &[&str]) {
    let files = MemoryFiles::new(tree.iter().map(|path| (format!("/t/{path}"), "")));
    let found = glob(&files, &format!("/t/{pattern}"));
    let found: Vec<&str> =
        found.iter().map(|path| path.strip_prefix("/t/").expect("the root is written")).collect();
    assert_eq!(found, expected, "{pattern}");
}

#[test]
fn a_pattern_without_magic_is_a_path_that_must_exist() {
    check("a.yaml", &["a.yaml"]);
    check("none.yaml", &[]);
    check("a", &[]);
    check("a//x.yaml", &["a//x.yaml"]);
    check("a/../b/x.yaml", &["a/../b/x.yaml"]);
    check("none/../b/x.yaml", &[]);
    check("a/x.yaml/", &[]);
    check("a/\\x.yaml", &["a/x.yaml"]);
}

#[test]
fn names_come_in_bytewise_order_and_files_and_directories_interleave() {
    let tree =
        ["a.yaml", "a/z.yaml", "b-c.yaml", "b/x.yaml", "b/c/d.yaml", "common.yaml", "z/a.yaml"];
    let all =
        ["a/z.yaml", "a.yaml", "b/c/d.yaml", "b/x.yaml", "b-c.yaml", "common.yaml", "z/a.yaml"];
    check_in(&tree, "**/*.yaml", &all);
    let odd =
        ["n1.yaml", "n10.yaml", "n1-x.yaml", "Z.yaml", "_.yaml", "[n].yaml", "10.yaml", "9.yaml"];
    let sorted =
        ["10.yaml", "9.yaml", "Z.yaml", "[n].yaml", "_.yaml", "n1-x.yaml", "n1.yaml", "n10.yaml"];
    check_in(&odd, "*.yaml", &sorted);
}

#[test]
fn dot_files_are_only_matched_by_a_written_dot() {
    check("*/x.yaml", &["a/x.yaml", "b/x.yaml", "c/x.yaml"]);
    check("?h/x.yaml", &[]);
    check("[.]h/x.yaml", &[]);
    check(".*/x.yaml", &[".h/x.yaml"]);
    check(".*/a.yaml", &["./a.yaml"]);
    check("c/.*/x.yaml", &["c/./x.yaml"]);
    check("?/.*/x.yaml", &[]);
    check("{*,.*}/x.yaml", &["a/x.yaml", "b/x.yaml", "c/x.yaml", ".h/x.yaml"]);
}

#[test]
fn two_stars_span_directories_only_as_a_whole_name() {
    check("**/x.yaml", &["a/x.yaml", "b/x.yaml", "c/d/x.yaml", "c/x.yaml"]);
    check("**/**/x.yaml", &["a/x.yaml", "b/x.yaml", "c/d/x.yaml", "c/x.yaml"]);
    check("**.yaml", &["a.yaml", "b.yaml"]);
    check("**", &["a.yaml", "b.yaml"]);
    check("**/", &[]);
    check("c/**", &["c/x.yaml", "c/y.yaml"]);
    check("**/d/*.yaml", &["c/d/x.yaml", "c/d/y.yaml"]);
}

#[test]
fn braces_are_multiplied_out_where_the_walk_meets_them() {
    check("{b,a}/*.yaml", &["b/x.yaml", "b/y.yaml", "a/x.yaml", "a/y.yaml"]);
    check("[ab]/{y,x}.yaml", &["a/y.yaml", "a/x.yaml", "b/y.yaml", "b/x.yaml"]);
    check("{a/x,b/{y,x}}.yaml", &["a/x.yaml", "b/y.yaml", "b/x.yaml"]);
    check("{,c/}d/x.yaml", &["c/d/x.yaml"]);
    check("{}a/x.yaml", &["a/x.yaml"]);
    check("[a]{,}/x.yaml", &["a/x.yaml", "a/x.yaml"]);
    check("{a", &[]);
    check("a/\\{x,y}.yaml", &[]);
}

#[test]
fn braces_below_two_stars_only_match_names() {
    check("c/**/{y,x}.yaml", &["c/d/x.yaml", "c/d/y.yaml", "c/x.yaml", "c/y.yaml"]);
    check("c/**/{d/y,x}.yaml", &["c/d/x.yaml", "c/x.yaml"]);
    check("{c,**}/x.yaml", &["c/x.yaml", "a/x.yaml", "b/x.yaml", "c/d/x.yaml", "c/x.yaml"]);
}

#[test]
fn brackets() {
    check("[!ab]/x.yaml", &["c/x.yaml"]);
    check("[^b-z]/x.yaml", &["a/x.yaml"]);
    check("a/[]x].yaml", &[]);
    check("a/[^].yaml", &["a/x.yaml", "a/y.yaml"]);
    check("a/[x-].yaml", &["a/x.yaml"]);
    check("a/[w\\-z].yaml", &[]);
    check("[a/b]/x.yaml", &["a/x.yaml", "b/x.yaml"]);
    check("a/[x.yaml", &[]);
}
