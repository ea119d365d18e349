//! What a value has that another one has not: a short way to show a large value that is nearly like another.

use std::collections::HashSet;

use super::inspect;
use super::value::{Hash, Located, Value};
use crate::syntax::key_path::quote_segment;

/// How a value differs from another one of its kind.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueDifference {
    /// Of two hashes.
    Members {
        /// The members that differ or are new. Of hashes inside, only such members.
        differing: Hash,
        /// The paths of members that only the other hash has, as a lookup names them.
        missing: Vec<String>,
    },
    /// Of two lists.
    Items {
        /// The items that only this list has, in its order.
        added: Vec<Located>,
        /// The items that only the other list has.
        missing: Vec<Located>,
    },
}

impl ValueDifference {
    /// How `value` differs from `base`. `None` if one of them is neither a hash nor a list, if they are of different kinds, or
    /// if only the order differs.
    pub fn between(base: &Located, value: &Located) -> Option<Self> {
        match (&base.value, &value.value) {
            (Value::Hash(base), Value::Hash(other)) => {
                let mut missing = Vec::new();
                let differing = members(base, other, &mut Vec::new(), &mut missing);
                if differing.is_empty() && missing.is_empty() {
                    return None;
                }
                Some(Self::Members { differing, missing })
            }
            (Value::Array(base), Value::Array(items)) => self::items(base, items),
            _ => None,
        }
    }
}

/// The members of `hash` that differ from those of `base`. `path` is where both hashes are.
fn members(base: &Hash, hash: &Hash, path: &mut Vec<String>, missing: &mut Vec<String>) -> Hash {
    let mut differing = Hash::new();
    for (key, member) in hash {
        let mut value = member.value.clone();
        match base.get_value(key).map(|it| &it.value) {
            Some(other) if *other == value => continue,
            Some(Located { value: Value::Hash(other), .. }) => {
                if let Value::Hash(own) = &value.value {
                    path.push(segment(key));
                    let inside = members(other, own, path, missing);
                    path.pop();
                    if inside.is_empty() {
                        continue;
                    }
                    value.value = Value::hash(inside);
                }
            }
            _ => {}
        }
        differing.insert(key.clone(), member.key_place, value);
    }
    for (key, _) in base.iter().filter(|(key, _)| hash.get_value(key).is_none()) {
        path.push(segment(key));
        missing.push(path.join("."));
        path.pop();
    }
    differing
}

/// `None` if the items that both lists have are in another order.
fn items(base: &[Located], items: &[Located]) -> Option<ValueDifference> {
    // Lists may have a hundred thousand items, so none of them is searched for in the other list.
    let (in_base, missing) = split(base, items);
    let (in_items, added) = split(items, base);
    if in_base != in_items || missing.is_empty() && added.is_empty() {
        return None;
    }
    let owned = |items: Vec<&Located>| items.into_iter().cloned().collect();
    Some(ValueDifference::Items { added: owned(added), missing: owned(missing) })
}

/// The items of a list that another list has, too, and those that it has not.
fn split<'a>(list: &'a [Located], other: &[Located]) -> (Vec<&'a Located>, Vec<&'a Located>) {
    let other: HashSet<&Value> = other.iter().map(|it| &it.value).collect();
    list.iter().partition(|it| other.contains(&it.value))
}

fn segment(key: &Value) -> String {
    let text = inspect::to_s(key);
    quote_segment(&text).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{DataFile, FileId, Format};

    fn read(yaml: &str) -> Located {
        let file = DataFile::new(FileId(0), Format::Yaml, format!("k: {yaml}\n").into());
        file.get("k").expect("the file has the key").value.clone()
    }

    /// `expected`: what is new, and what is missing.
    #[track_caller]
    fn check(base: &str, value: &str, expected: Option<(&str, &[&str])>) {
        let difference = ValueDifference::between(&read(base), &read(value));
        let found = difference.map(|it| match it {
            ValueDifference::Members { differing, missing } => {
                (inspect::inspect(&Value::hash(differing)), missing)
            }
            ValueDifference::Items { added, missing } => {
                let missing = missing.iter().map(|it| inspect::to_s(&it.value)).collect();
                (inspect::inspect(&Value::array(added)), missing)
            }
        });
        let found =
            found.as_ref().map(|(new, missing)| (new.as_str(), missing.iter().map(String::as_str)));
        let found = found.map(|(new, missing)| (new, missing.collect::<Vec<_>>()));
        assert_eq!(found, expected.map(|(new, missing)| (new, missing.to_vec())));
    }

    #[test]
    fn of_hashes_only_members_that_differ() {
        let base = "{a: 1, b: {c: 2, d: {e: 3, f: 4}}, g: [1]}";
        let changed = "{a: 1, b: {c: 2, d: {e: 3, f: 5}}, g: [1]}";
        check(base, changed, Some((r#"{"b"=>{"d"=>{"f"=>5}}}"#, &[])));
        let more = "{a: 1, b: {c: 2, d: {e: 3, f: 4}}, g: [1, 2], h: {}}";
        check(base, more, Some((r#"{"g"=>[1, 2], "h"=>{}}"#, &[])));
        let less = "{b: {c: [], d: {e: 3}}, g: [1]}";
        check(base, less, Some((r#"{"b"=>{"c"=>[]}}"#, &["b.d.f", "a"])));
        check(base, "{a: 1, b: {}, g: [1]}", Some(("{}", &["b.c", "b.d"])));
        check(base, "{a: 1, b: ~, g: [1]}", Some((r#"{"b"=>nil}"#, &[])));
    }

    #[test]
    fn a_path_is_quoted_as_in_a_lookup() {
        let base = "{x: 1, a.b: {8080: 1, c: 2}}";
        check(base, "{x: 1, a.b: {c: 2}}", Some(("{}", &["'a.b'.'8080'"])));
    }

    #[test]
    fn of_lists_only_items_that_are_in_one_of_them() {
        check("[a, b, c]", "[x, a, b, {d: 1}, c]", Some((r#"["x", {"d"=>1}]"#, &[])));
        check("[a, b, c]", "[a, c, x]", Some((r#"["x"]"#, &["b"])));
        check("[a, b, c]", "[c, b, a, x]", None);
        check("[a, b]", "[a, a, b]", None);
    }

    #[test]
    fn other_values_are_not_compared() {
        check("{a: 1}", "[a]", None);
        check("x", "y", None);
        check("{a: 1, b: 2}", "{b: 2, a: 1}", None);
        check("[a]", "[a]", None);
    }
}
