//! Changes that are the same apart from the names of their nodes.

use std::hash::{BuildHasher as _, Hash, Hasher};

use crate::engine::Answer;
use crate::ide::own_names::{together, value_without_names, without_names};
use crate::world::{AnswerChange, Differences, parallel};

impl Differences {
    /// The changes of a key in groups: those of single nodes that differ only in the names of these nodes are in one group.
    pub fn alike<'a>(&self, changes: &[&'a AnswerChange]) -> Vec<Vec<&'a AnswerChange>> {
        if let [only] = changes {
            return vec![vec![*only]];
        }
        let fingerprints = parallel::map(changes, |change| self.fingerprint(change));
        together(fingerprints.into_iter().zip(changes.iter().copied()), |it| it.nodes.len())
    }

    /// A hash of a change without the name of its node; `None` if it has another number of nodes.
    fn fingerprint(&self, change: &AnswerChange) -> Option<u64> {
        let ([node], []) = (&*change.nodes, &*change.others) else { return None };
        let node = &self.nodes[*node as usize];
        let mut hasher = foldhash::fast::FixedState::default().build_hasher();
        for answer in [&change.before, &change.after] {
            hash_without_names(answer, node, &mut hasher);
        }
        for cause in &change.causes {
            (&cause.path, cause.line).hash(&mut hasher);
        }
        Some(hasher.finish())
    }
}

/// Hashes what is shown of an answer, without the names of a node.
fn hash_without_names(answer: &Answer, node: &str, hasher: &mut impl Hasher) {
    for left_out in &answer.left_out {
        (&left_out.level, &left_out.variables, left_out.files).hash(hasher);
    }
    for (conditions, case) in answer.each_case() {
        let levels: Vec<_> = case.opaque.iter().map(|it| &it.level).collect();
        (conditions, &case.open, levels).hash(hasher);
        let outcome = case.outcome.as_ref();
        outcome
            .map(|found| found.as_ref().map(|it| value_without_names(&it.value, node)))
            .map_err(|failure| without_names(&failure.message, node))
            .hash(hasher);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Hash as HashValue, Value};

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

    #[test]
    fn the_groups_with_the_fewest_nodes_come_first() {
        let of = |node, text: &str| change(node, Value::string(text), Value::Undef);
        let mut all = [of(0, "web01"), of(1, "web02"), of(2, "x")];
        check(&all, &[&[2], &[0, 1]]);
        // Changes of several nodes stay as they are.
        all[0].nodes = vec![0, 3];
        check(&all, &[&[1], &[2], &[0, 3]]);
    }
}
