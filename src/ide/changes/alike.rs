//! Changes that are alike: they edit the same in values that differ elsewhere, or they are the same apart from the names of their
//! nodes.

use std::collections::HashSet;

use super::edit;
use crate::ide::own_names::together;
use crate::world::{AnswerChange, Differences, parallel};

impl Differences {
    /// The changes of a key in groups: those that are alike are in one group, and the first of them stands for all.
    pub fn alike<'a>(&self, changes: &[&'a AnswerChange]) -> Vec<Vec<&'a AnswerChange>> {
        if let [only] = changes {
            return vec![vec![*only]];
        }
        let edit = |change: &&AnswerChange| {
            (edit::number_of(change, self.node_of(change)), edit::number_as_listed(change))
        };
        let edits = parallel::map(changes, edit);
        let of_listed: HashSet<u64> = edits
            .iter()
            .filter(|(_, as_listed)| as_listed.is_none())
            .map(|(own, _)| *own)
            .collect();
        let edits = edits.iter().map(|(own, as_listed)| {
            Some(as_listed.filter(|it| of_listed.contains(it)).unwrap_or(*own))
        });
        together(edits.zip(changes.iter().copied()), |it| it.nodes.len())
    }

    /// Whether the unlisted nodes of a change are in the same cases as the listed nodes of another one that is alike.
    pub(super) fn are_in_the_cases_of(&self, change: &AnswerChange, listed: &AnswerChange) -> bool {
        let number = || edit::number_of(listed, self.node_of(listed));
        !listed.nodes.is_empty() && edit::number_as_listed(change).is_some_and(|it| it == number())
    }

    /// Whether what a change edits contains the name of its node.
    pub(super) fn has_own_name(&self, change: &AnswerChange) -> bool {
        let node = self.node_of(change);
        node.is_some() && edit::number_of(change, node) != edit::number_of(change, None)
    }

    /// The node of a change, if it is one node.
    fn node_of(&self, change: &AnswerChange) -> Option<&str> {
        let ([node], []) = (&*change.nodes, &*change.others) else { return None };
        Some(&self.nodes[*node as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Hash as HashValue, Value};
    use crate::engine::{Answer, Assumed, Case, Condition};

    /// A change of the node with the number `node`.
    fn change(node: u32, before: Value, after: Value) -> AnswerChange {
        let answer = |value: Value| Answer { outcome: Ok(Some(value.into())), ..Answer::nothing() };
        AnswerChange {
            key: "k".into(),
            before: answer(before).into(),
            after: answer(after).into(),
            nodes: vec![node],
            others: Vec::new(),
            causes: Vec::new(),
        }
    }

    /// `expected`: the numbers of the changes in each group.
    #[track_caller]
    fn check(changes: &[AnswerChange], expected: &[&[u32]]) {
        let nodes = ["web01.example.org", "web02.example.org", "db", "kv"].map(Into::into).to_vec();
        let differences = Differences { nodes, ..Differences::default() };
        let groups = differences.alike(&changes.iter().collect::<Vec<_>>());
        let numbers =
            |group: &Vec<&AnswerChange>| group.iter().flat_map(|it| it.nodes.clone()).collect();
        assert_eq!(groups.iter().map(numbers).collect::<Vec<Vec<u32>>>(), expected);
    }

    #[test]
    fn only_names_of_nodes_may_differ() {
        let of =
            |node, one: &str, other: &str| change(node, Value::string(one), Value::string(other));
        let url =
            |node, name: &str| of(node, &format!("http://{name}:80"), &format!("http://{name}:81"));
        let names = ["web01.example.org", "web02.example.org"];
        check(&[url(0, names[0]), url(1, names[1])], &[&[0, 1]]);
        // The host name alone, in a value and as a member.
        check(&[of(0, "web01/a", "web01/b"), of(1, "web02/a", "web02/b")], &[&[0, 1]]);
        let hash = |node, name: &str, port| {
            let mut hash = HashValue::new();
            hash.insert(Value::string(name), None, Value::Integer(port).into());
            change(node, Value::hash(hash), Value::Undef)
        };
        check(&[hash(0, "web01", 1), hash(1, "web02", 1)], &[&[0, 1]]);
        check(&[hash(0, "web01", 1), hash(1, "web02", 2)], &[&[0], &[1]]);
        // Something else differs, too, or another name is in its place.
        check(&[of(0, "web01 a", "web01 b"), of(1, "web02 a", "web02 c")], &[&[0], &[1]]);
        check(&[of(0, "web01 a", "web01 b"), of(1, "web01 a", "web01 b")], &[&[0], &[1]]);
        check(&[of(0, "web01web01", "x"), of(1, "web02", "x")], &[&[0], &[1]]);
        // A short host name is a name as well if it is the whole name.
        check(&[of(2, "db a", "db b"), of(3, "kv a", "kv b")], &[&[2, 3]]);
    }

    /// A hash with one member of the node's own and a list.
    fn hash(own: i64, list: &[&str]) -> Value {
        let items = list.iter().map(|it| Value::string(*it).into()).collect();
        let mut hash = HashValue::new();
        hash.insert(Value::string("own"), None, Value::Integer(own).into());
        hash.insert(Value::string("list"), None, Value::array(items).into());
        Value::hash(hash)
    }

    #[test]
    fn what_is_not_edited_may_differ() {
        let of = |node, own, before: &[&str], after: &[&str]| {
            change(node, hash(own, before), hash(own, after))
        };
        check(&[of(0, 1, &["a"], &["b"]), of(1, 2, &["a"], &["b"])], &[&[0, 1]]);
        check(&[of(0, 1, &["x", "a"], &["x", "b"]), of(1, 2, &["a"], &["b"])], &[&[0, 1]]);
        check(&[of(0, 1, &["x"], &["x", "b"]), of(1, 2, &["y"], &["y", "b"])], &[&[0, 1]]);
        check(&[of(0, 1, &["a"], &["b"]), of(1, 1, &["a"], &["c"])], &[&[0], &[1]]);
        check(&[of(0, 1, &["a"], &["b"]), of(1, 1, &["a"], &["a", "b"])], &[&[0], &[1]]);
        // The edit is in another member.
        let other = change(1, hash(1, &["a"]), hash(2, &["a"]));
        check(&[of(0, 1, &["a"], &["b"]), other], &[&[0], &[1]]);
        // Members with another order, and a member that is gone.
        let reversed = |own| {
            let hash = hash(own, &["a"]);
            let members: Vec<_> = hash.as_hash().expect("a hash").iter().collect();
            let mut reversed = HashValue::new();
            for (key, member) in members.into_iter().rev() {
                reversed.insert(key.clone(), None, member.value.clone());
            }
            Value::hash(reversed)
        };
        let order = |node, own| change(node, hash(own, &["a"]), reversed(own));
        check(&[order(0, 1), order(1, 2)], &[&[0, 1]]);
        check(&[order(0, 1), of(1, 1, &["a"], &[])], &[&[0], &[1]]);
        let gone = |node, own| change(node, hash(own, &["a"]), Value::hash(HashValue::new()));
        check(&[gone(0, 1), gone(1, 2)], &[&[0], &[1]]);
        check(&[gone(0, 1), gone(1, 1)], &[&[0, 1]]);
    }

    #[test]
    fn lines_that_are_not_edited_may_differ() {
        let of =
            |node, one: &str, other: &str| change(node, Value::string(one), Value::string(other));
        let line = |node, os: &str, to: &str| {
            of(node, &format!("hello\n{os}\n"), &format!("{to}\n{os}\n"))
        };
        check(&[line(0, "Debian", "hi"), line(1, "RedHat", "hi")], &[&[0, 1]]);
        check(&[line(0, "Debian", "hi"), line(1, "RedHat", "hey")], &[&[0], &[1]]);
        check(&[of(0, "a\n1\n", "a\n2\n"), of(1, "b\n1\n", "b\n1\n2\n")], &[&[0], &[1]]);
        // In one line, all of it counts.
        check(&[of(0, "a 1", "a 2"), of(1, "b 1", "b 2")], &[&[0], &[1]]);
    }

    #[test]
    fn cases_count_only_if_they_differ() {
        let condition =
            |text: &str| Condition { variable: "role".into(), value: Assumed::Text(text.into()) };
        // The value is edited in the first case, and in all others if `everywhere` is.
        let of = |node, first: &str, everywhere| {
            let answer = |text: &str| {
                let last = if everywhere { text } else { "a" };
                let case = |conditions, own, text| {
                    let value = Ok(Some(hash(own, &[text]).into()));
                    Case { conditions, answer: Answer { outcome: value, ..Answer::nothing() } }
                };
                let cases = vec![case(vec![condition(first)], 1, text), case(Vec::new(), 2, last)];
                Answer { cases, ..Answer::nothing() }
            };
            let of_one = change(node, Value::Undef, Value::Undef);
            AnswerChange { before: answer("a").into(), after: answer("b").into(), ..of_one }
        };
        check(&[of(0, "web", true), of(1, "db", true)], &[&[0, 1]]);
        check(&[of(0, "web", false), of(1, "web", false)], &[&[0, 1]]);
        check(&[of(0, "web", false), of(1, "db", false)], &[&[0], &[1]]);
        check(&[of(0, "web", false), of(1, "web", true)], &[&[0], &[1]]);
    }

    #[test]
    fn the_groups_with_the_fewest_nodes_come_first() {
        let of = |node, text: &str| change(node, Value::string(text), Value::Undef);
        let mut all = [of(0, "web01"), of(1, "web02"), of(2, "x")];
        check(&all, &[&[2], &[0, 1]]);
        // The name of one of several nodes is a text like any other.
        all[0].nodes = vec![0, 3];
        check(&all, &[&[1], &[2], &[0, 3]]);
    }
}
