//! Values without the names of their nodes: if a value contains the name of its node, each node has a value of its own, and
//! thousands of them say no more than one.

use std::borrow::Cow;
use std::hash::Hash;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::data::{self, Located, Value};

/// Shorter host names are not searched for in values, because they would be found everywhere.
const MIN_HOST: usize = 4;

/// A text with marks in place of the names by which it can call a node: its own, and its host name.
pub fn without_names<'t>(text: &'t str, node: &str) -> Cow<'t, str> {
    let host = node.split('.').next().filter(|host| host.len() >= MIN_HOST && *host != node);
    let mut shown = Cow::Borrowed(text);
    for name in [node].into_iter().chain(host) {
        if shown.contains(name) {
            shown = shown.replace(name, "\0").into();
        }
    }
    shown
}

/// A value with such marks in all of its texts and keys. It has no positions.
pub fn value_without_names(value: &Value, node: &str) -> Value {
    let of = |located: &Located| -> Located { value_without_names(&located.value, node).into() };
    match value {
        Value::String(text) => match without_names(text, node) {
            Cow::Borrowed(_) => Value::String(Arc::clone(text)),
            Cow::Owned(text) => Value::string(text),
        },
        Value::Array(items) => Value::array(items.iter().map(of).collect()),
        Value::Hash(hash) => {
            let mut nameless = data::Hash::with_capacity(hash.len());
            for (key, member) in hash.iter() {
                nameless.insert(value_without_names(key, node), None, of(&member.value));
            }
            Value::hash(nameless)
        }
        Value::Sensitive(inner) => Value::Sensitive(Arc::new(of(inner))),
        other => other.clone(),
    }
}

/// Puts items together that are the same without names: those with equal `nameless`. Items without one stay alone. The groups
/// with the fewest nodes come first, and those with none last: only unlisted nodes have them.
pub fn together<T, N: Hash + Eq>(
    items: impl IntoIterator<Item = (Option<N>, T)>,
    nodes: impl Fn(&T) -> usize,
) -> Vec<Vec<T>> {
    let mut groups: IndexMap<Result<N, usize>, Vec<T>> = IndexMap::new();
    for (at, (nameless, item)) in items.into_iter().enumerate() {
        groups.entry(nameless.ok_or(at)).or_default().push(item);
    }
    let mut groups: Vec<Vec<T>> = groups.into_values().collect();
    groups.sort_by_key(|group| match group.iter().map(&nodes).sum() {
        0 => usize::MAX,
        nodes => nodes,
    });
    groups
}

/// `2 nodes: web01, web02` with what it says of values that differ only in the names of the nodes: `shown` is the node whose
/// value is shown.
pub fn with_example(nodes: &str, shown: &str) -> String {
    format!("{nodes}, each with its own name in the value; {shown} is shown")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_host_names_are_taken_out() {
        let check = |text: &str, node: &str, expected: &str| {
            assert_eq!(without_names(text, node), expected);
        };
        check("http://web01.example.org:80", "web01.example.org", "http://\0:80");
        check("web01, web01.example.org", "web01.example.org", "\0, \0");
        check("web02.example.org", "web01.example.org", "web02.example.org");
        check("db and its db", "db", "\0 and its \0");
        // Such a short host name can be a part of any word.
        check("web.example.org is a website", "web.example.org", "\0 is a website");
    }

    #[test]
    fn texts_at_any_depth() {
        let mut hash = data::Hash::new();
        let items = vec![Value::string("on web01").into(), Value::Integer(1).into()];
        hash.insert(Value::string("web01"), None, Value::array(items).into());
        let nameless = value_without_names(&Value::hash(hash), "web01");
        let hash = nameless.as_hash().expect("a hash");
        let items = hash.get("\0").and_then(|it| it.value.value.as_array()).expect("a list");
        assert_eq!(items[0].value, Value::string("on \0"));
        assert_eq!(items[1].value, Value::Integer(1));
    }
}
