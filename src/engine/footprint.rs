//! What an answer read: with equal reads, the answer is equal. Two nodes that read the same get the same.
//!
//! Of the hierarchy it counts which files with the root key were read and in which order, not the variables in paths: two
//! nodes of which neither has a file of its own with the key have equal footprints.

use std::hash::{BuildHasher, Hash as _, Hasher};
use std::sync::Arc;

use super::invocation::Invocation;
use super::lookup_options::Options;
use crate::data::{DataFile, FileId, RootEntry, Value};

/// The reads of one lookup, nested lookups included, each once, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Footprint {
    reads: Vec<Read>,
}

/// One read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Read {
    /// A variable for a text, and its value; undef if it is not set.
    Variable(Arc<str>, u64),
    /// An entry of a file, by the file, the root key and what is written there.
    Entry(FileId, Arc<str>, u64),
    /// The row of lookup_options that applies to a root key.
    Options(Arc<str>, Option<u64>),
}

impl Footprint {
    fn add(&mut self, read: Read) {
        if !self.reads.contains(&read) {
            self.reads.push(read);
        }
    }
}

impl Invocation<'_> {
    /// Notes that an entry of a file was read.
    pub(super) fn note_read(&mut self, file: &DataFile, root: &Arc<str>, entry: &RootEntry) {
        if let Some(footprint) = &mut self.footprint {
            footprint.add(Read::Entry(file.file(), Arc::clone(root), hash_of(&entry.value.value)));
        }
    }

    /// Notes the options that apply to a root key.
    pub(super) fn note_options(&mut self, root: &Arc<str>, options: Option<&Options>) {
        if let Some(footprint) = &mut self.footprint {
            let row = options.map(|options| hash_of(options.written()));
            footprint.add(Read::Options(Arc::clone(root), row));
        }
    }

    /// Notes that a variable was read for a text.
    pub(super) fn note_variable(&mut self, expression: &str, value: &Value) {
        if let Some(footprint) = &mut self.footprint {
            footprint.add(Read::Variable(expression.into(), hash_of(value)));
        }
    }
}

/// The order of a hash's members counts: an answer keeps it.
fn hash_of(value: &Value) -> u64 {
    fn add(value: &Value, hasher: &mut impl Hasher) {
        match value {
            Value::Hash(hash) => {
                hash.len().hash(hasher);
                for (key, member) in hash.iter() {
                    add(key, hasher);
                    add(&member.value.value, hasher);
                }
            }
            Value::Array(items) => {
                items.len().hash(hasher);
                items.iter().for_each(|item| add(&item.value, hasher));
            }
            other => other.hash(hasher),
        }
    }
    let mut hasher = foldhash::quality::FixedState::default().build_hasher();
    add(value, &mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::config::{Environment, PuppetVersion};
    use crate::data::{Hash, MemoryFiles, Value};
    use crate::engine::{Evaluator, Request};
    use crate::facts::{Node, NodeParts, Origin};

    const FILES: [(&str, &str); 5] = [
        (
            "/e/hiera.yaml",
            "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
             - {name: r, path: 'roles/%{role}.yaml'}\n- {name: c, path: c.yaml}\n",
        ),
        ("/e/data/nodes/one.yaml", "own: 1\n"),
        ("/e/data/roles/web.yaml", "port: 80\n"),
        ("/e/data/roles/db.yaml", "port: 5432\n"),
        ("/e/data/c.yaml", "url: \"http://x:%{lookup('port')}\"\nport: 1\nmotd: '%{site}'\n"),
    ];

    /// The answers of two nodes, and whether their footprints are the same.
    #[track_caller]
    fn check(key: &str, nodes: [(&str, &str, &str); 2], is_same: bool) {
        let files = Arc::new(MemoryFiles::new(FILES));
        let ask = |(name, role, site): (&str, &str, &str)| {
            let mut facts = Hash::new();
            for (fact, text) in [("role", role), ("site", site)] {
                facts.insert(Value::string(fact), None, Value::string(text).into());
            }
            let parts = NodeParts { name: name.to_owned(), facts, ..NodeParts::default() };
            let node = Node::new(parts, Origin::File("/facts".into()));
            let environment = Environment {
                name: "production".into(),
                root: Some("/e".into()),
                modules: indexmap::IndexMap::new(),
                global_config: None,
            };
            let (environment, node) = (Arc::new(environment), Arc::new(node));
            let evaluator = Evaluator::new(files.clone(), environment, node, PuppetVersion::V8);
            let request = Request { wants_footprint: true, ..Request::key(key) };
            let answer = evaluator.call(&request);
            (answer.outcome.expect("it is found").map(|it| it.value), answer.footprint)
        };
        let (one, other) = (ask(nodes[0]), ask(nodes[1]));
        assert_eq!(one.1 == other.1, is_same, "{one:?} {other:?}");
        if is_same {
            assert_eq!(one.0, other.0);
        }
    }

    #[test]
    fn nodes_that_read_the_same_have_the_same_footprint() {
        check("url", [("one", "web", "x"), ("two", "web", "y")], true);
        check("url", [("one", "web", "x"), ("two", "db", "x")], false);
        check("url", [("one", "web", "x"), ("two", "none", "x")], false);
        check("motd", [("one", "web", "x"), ("two", "db", "x")], true);
        check("motd", [("one", "web", "x"), ("one", "web", "y")], false);
    }
}
