//! Merges; the expected results are those of real Puppet. `high <- low` is written as a JSON list, the highest priority
//! first.

use super::*;
use crate::data::render::to_exact_json;
use crate::data::value::{FileId, Place};
use crate::text::TextRange;

fn value(json: &serde_json::Value) -> Value {
    use serde_json::Value as Json;
    match json {
        Json::Null => Value::Undef,
        Json::Bool(it) => Value::Boolean(*it),
        Json::Number(it) => {
            it.as_i64().map_or_else(|| Value::Float(it.as_f64().expect("a float")), Value::Integer)
        }
        Json::String(it) => Value::string(it.as_str()),
        Json::Array(items) => Value::array(items.iter().map(|it| value(it).into()).collect()),
        Json::Object(members) => {
            let mut hash = Hash::new();
            for (key, it) in members {
                // Keys that consist of digits represent integers.
                let key = key.parse().map_or_else(|_| Value::string(key.as_str()), Value::Integer);
                hash.insert(key, None, value(it).into());
            }
            Value::hash(hash)
        }
    }
}

fn merged(merge: &str, sources: &str) -> Result<Value, String> {
    let merge = serde_json::from_str(merge).unwrap_or_else(|_| merge.into());
    let merge = Merge::of(Some(&value(&merge))).map_err(|it| it.message.to_string())?;
    let sources: serde_json::Value = serde_json::from_str(sources).expect("the sources are JSON");
    let mut sources = sources.as_array().expect("a list").iter().map(|it| value(it).unplaced());
    let first = merge.convert_first(sources.next().expect("a source"));
    sources
        .try_fold(first, |high, low| merge.merge(high, low))
        .map(|it| it.value)
        .map_err(|it| it.message.to_string())
}

/// The order of keys matters, so the texts are compared.
fn check(merge: &str, sources: &str, expected: &str) {
    let expected: serde_json::Value = serde_json::from_str(expected).expect("JSON");
    let text = merged(merge, sources).map(|it| to_exact_json(&it).to_string());
    assert_eq!(text, Ok(expected.to_string()), "{merge}: {sources}");
}

fn check_error(merge: &str, sources: &str, message: &str) {
    assert_eq!(merged(merge, sources), Err(message.to_owned()), "{merge}: {sources}");
}

const KNOCKOUT: &str = r#"{"strategy": "deep", "knockout_prefix": "--"}"#;

#[test]
fn strategies_by_name() {
    check_error("zork", "[1]", "Unknown merge strategy: 'zork'");
    check_error("Deep", "[1]", "Unknown merge strategy: 'Deep'");
    check_error("5", "[1]", "Unknown merge strategy: '5'");
    check("false", "[1, 2]", "1");
    check("first", "[null, 2]", "null");
    check_error(
        r#"{"strategy": "hash", "foo": 1}"#,
        "[1]",
        "The merge options has wrong type, unrecognized key 'foo'",
    );
    check_error(
        r#"{"strategy": "deep", "knockout_prefix": 5}"#,
        "[1]",
        "The merge options has wrong type, entry 'knockout_prefix' expects a value of type Undef or String, \
         got Integer",
    );
    check_error(
        r#"{"foo": 1}"#,
        "[1]",
        "The hash given as 'merge' must contain the name of a strategy in string form for the key 'strategy'",
    );
    check_error(
        r#"{"strategy": "deep", "knockout_prefix": ""}"#,
        "[1, 2]",
        "knockout_prefix cannot be an empty string in deep_merge!",
    );
}

#[test]
fn hash_lists_the_keys_of_the_lower_priority_first() {
    check("hash", r#"[{"a": 1, "c": 3}, {"b": 2, "a": 9}]"#, r#"{"b": 2, "a": 1, "c": 3}"#);
    check("hash", r#"[{"a": null}, {"a": 1}]"#, r#"{"a": null}"#);
    check("hash", r#"["alone"]"#, r#""alone""#);
}

#[test]
fn hash_wants_hashes_of_data() {
    let wrong = |it: &str| format!("The first element of the merge has wrong type, {it}");
    check_error("hash", r#"["x", {}]"#, &wrong("expects a Hash value, got String"));
    check_error("hash", "[null, {}]", &wrong("expects a Hash value, got Undef"));
    check_error("hash", "[[1], {}]", &wrong("expects a Hash value, got Tuple"));
    check_error(
        "hash",
        r#"[{"x": {"1": 1}}, {}]"#,
        &wrong("entry 'x' expects a Data value, got Hash"),
    );
    check_error(
        "hash",
        r#"[{"1": 1}, {}]"#,
        &wrong("expects a Hash[String, Data] value, got Hash[Integer[1, 1], Integer[1, 1]]"),
    );
    check_error(
        "hash",
        "[{}, 1]",
        "The second element of the merge has wrong type, expects a Hash value, got Integer",
    );
}

#[test]
fn unique_lists_the_higher_priority_first() {
    check("unique", r#"["a", ["b"], "c"]"#, r#"["a", "b", "c"]"#);
    check("unique", r#"[[1, [2, "1"]], [1.0, 2, 3]]"#, r#"[1, 2, "1", 1.0, 3]"#);
    check("unique", r#"[{"a": 1}, ["b"]]"#, r#"[{"a": 1}, "b"]"#);
    check("unique", "[null, 1]", "[null, 1]");
    check_error(
        "unique",
        r#"["a", {"b": 1}]"#,
        "The second element of the merge has wrong type, expects a value of type Scalar or Array, got Struct",
    );
}

#[test]
fn unique_of_one_source_flattens_without_dropping_duplicates() {
    check("unique", r#"[[["x"], "x", ["y", "y"]]]"#, r#"["x", "x", "y", "y"]"#);
    check("unique", "[7]", "[7]");
}

#[test]
fn unique_of_a_single_variant_drops_duplicates_without_flattening() {
    let unique = Merge::parse(&Value::string("unique")).expect("a strategy");
    let list = value(&serde_json::json!(["x", "x", ["y", "y"]])).unplaced();
    let single = to_exact_json(&unique.merge_single(list).value);
    assert_eq!(single, serde_json::json!(["x", ["y", "y"]]));
}

#[test]
fn deep_lists_the_lower_priority_first() {
    check("deep", r#"[{"a": [1, 2]}, {"a": [2, 3]}]"#, r#"{"a": [2, 3, 1]}"#);
    check("deep", "[[1, 2], [3, 1]]", "[3, 1, 2]");
    check(
        "deep",
        r#"[{"a": {"x": 1}}, {"b": 2, "a": {"y": 2}}]"#,
        r#"{"b": 2, "a": {"y": 2, "x": 1}}"#,
    );
    check("deep", r#"[{"a": 1}, {"b": 2}, {"a": 3, "c": 4}]"#, r#"{"a": 1, "c": 4, "b": 2}"#);
}

#[test]
fn deep_and_nil() {
    check("deep", r#"[{"x": 1}, {"x": null}]"#, r#"{"x": 1}"#);
    check("deep", r#"[{"x": null}, {"x": 1}]"#, r#"{"x": 1}"#);
    check("deep", r#"[{"x": null}, {"x": false}]"#, r#"{"x": null}"#);
    check("deep", r#"[{"x": false}, {"x": null}]"#, r#"{"x": false}"#);
    check("deep", r#"[{"x": false}, {"x": 1}]"#, r#"{"x": false}"#);
    check("deep", r#"[{"x": null}, {"y": 1}]"#, r#"{"y": 1, "x": null}"#);
}

#[test]
fn deep_never_lets_an_empty_hash_win() {
    check("deep", r#"[{}, "s"]"#, r#""s""#);
    check("deep", r#"[{"x": {}}, {"x": [1]}]"#, r#"{"x": [1]}"#);
    check("deep", r#"[[], "s"]"#, "[]");
}

#[test]
fn deep_drops_duplicates_of_lists_that_only_the_higher_priority_has() {
    check("deep", r#"[{"a": [1, 1, 2]}, {"b": 1}]"#, r#"{"b": 1, "a": [1, 2]}"#);
    check("deep", r#"[{"b": 1}, {"a": [1, 1, 2]}]"#, r#"{"a": [1, 1, 2], "b": 1}"#);
}

#[test]
fn a_hash_over_something_else_is_merged_with_itself_but_for_its_first_key() {
    check(
        "deep",
        r#"[{"x": {"a": [1, 1], "b": [1, 1]}}, {"x": "s"}]"#,
        r#"{"x": {"a": [1, 1], "b": [1]}}"#,
    );
}

#[test]
fn knockout_in_lists() {
    check(KNOCKOUT, r#"[["--b", "c"], ["a", "b"]]"#, r#"["a", "c"]"#);
    check(KNOCKOUT, r#"[["--", "x"], ["a", "b"]]"#, r#"["x"]"#);
    check(KNOCKOUT, r#"[["--1"], [1, "1"]]"#, "[1]");
    check(KNOCKOUT, r#"[["x"], ["--x", "y"]]"#, r#"["--x", "y", "x"]"#);
    check(KNOCKOUT, r#"[["--x"], ["y"], ["x", "z"]]"#, r#"["x", "z", "y"]"#);
    check(KNOCKOUT, r#"[["--x"]]"#, r#"["--x"]"#);
}

#[test]
fn a_knocked_out_scalar_becomes_an_empty_string() {
    check(KNOCKOUT, r#"[{"a": "--"}, {"a": [1, 2]}]"#, r#"{"a": ""}"#);
    check(KNOCKOUT, r#"[{"a": "--t"}, {"a": "s"}]"#, r#"{"a": ""}"#);
    check(KNOCKOUT, r#"[{"a": "--z"}, {"b": 1}]"#, r#"{"b": 1, "a": ""}"#);
}

#[test]
fn keys_are_not_knocked_out() {
    check(KNOCKOUT, r#"[{"--a": 1}, {"a": 2}]"#, r#"{"a": 2, "--a": 1}"#);
}

#[test]
fn the_knockout_prefix_is_a_regular_expression() {
    let merge = r#"{"strategy": "deep", "knockout_prefix": "[-+]."}"#;
    check(merge, r#"[["+xb"], ["a", "b"]]"#, r#"["a"]"#);
    check(KNOCKOUT, r#"[["l1\n--l2"], ["l1\nl2", "b"]]"#, r#"["b"]"#);
}

#[test]
fn knockouts_behind_a_knockout_are_overlooked_in_a_list_merged_with_itself() {
    check(KNOCKOUT, r#"[{"a": ["--z", "y"]}, {"b": 1}]"#, r#"{"b": 1, "a": ["y"]}"#);
    check(KNOCKOUT, r#"[{"h": {"a": ["--z", "y", "x"]}}, {}]"#, r#"{"h": {"a": ["x"]}}"#);
}

#[test]
fn merge_hash_arrays_goes_by_index() {
    let merge = r#"{"strategy": "deep", "merge_hash_arrays": true}"#;
    check(merge, r#"[[{"a": 1}, {"c": 1}], [{"b": 2}]]"#, r#"[{"b": 2, "a": 1}, {"c": 1}]"#);
    check(merge, r#"[[{"a": 1}, "x"], [{"b": 2}]]"#, r#"[{"b": 2}, {"a": 1}, "x"]"#);
    let merge = r#"{"strategy": "deep", "merge_hash_arrays": true, "knockout_prefix": "--"}"#;
    check(merge, r#"[[{"a": "--"}], [{"a": 1}]]"#, r#"[{"a": ""}]"#);
}

#[test]
fn sort_merged_arrays_wants_comparable_items() {
    let merge = r#"{"strategy": "deep", "sort_merged_arrays": true}"#;
    check(merge, r#"[["b", "B"], ["_", "a"]]"#, r#"["B", "_", "a", "b"]"#);
    check(merge, "[[2.5, 1], [10, 2]]", "[1, 2, 2.5, 10]");
    check(merge, r#"[{"x": [2, 1]}, {"y": [2, 1]}]"#, r#"{"y": [2, 1], "x": [1, 2]}"#);
    check_error(merge, r#"[["a"], [1]]"#, "comparison of Integer with String failed");
    check_error(merge, r#"[[1], ["a"]]"#, "comparison of String with 1 failed");
    check_error(merge, r#"[[{"a": 1}], [{}]]"#, "comparison of Hash with Hash failed");
}

#[test]
fn options_of_the_gem() {
    let merge = r#"{"strategy": "unconstrained_deep", "overwrite_arrays": true}"#;
    check(merge, "[[1], [2]]", "[1]");
    let merge = r#"{"strategy": "unconstrained_deep", "unpack_arrays": ","}"#;
    check(merge, r#"[["1,2", "3"], ["4", "5,1"]]"#, r#"["4", "5", "1", "2", "3"]"#);
    let merge = r#"{"strategy": "unconstrained_deep", "extend_existing_arrays": true}"#;
    check(merge, r#"["x", [1]]"#, r#"[1, "x"]"#);
    check("reverse_deep", r#"[{"a": 1}, {"b": 2, "a": 9}]"#, r#"{"a": 9, "b": 2}"#);
}

#[test]
fn leaves_remember_where_they_are_written() {
    let place = |start| Some(Place { file: FileId(1), range: TextRange::new(start, start + 1) });
    let hash = |key: &str, start| {
        let mut hash = Hash::new();
        hash.insert(
            Value::string(key),
            place(start),
            Located::new(Value::Integer(1), place(start)),
        );
        Located::new(Value::hash(hash), place(start))
    };
    let deep = Merge::parse(&Value::string("deep")).expect("a strategy");
    let merged = deep.merge(hash("a", 1), hash("b", 5)).expect("a merge");
    let members = merged.value.as_hash().expect("a hash");
    assert_eq!(merged.place, None);
    assert_eq!(members.get("a").expect("a").value.place, place(1));
    assert_eq!(members.get("b").expect("b").key_place, place(5));
}
