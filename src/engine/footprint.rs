//! What an answer read: with equal reads, the answer is equal. Two nodes that read the same get the same.
//!
//! Of the hierarchy it counts which files with the root key were read and in which order, not the variables in paths: two
//! nodes of which neither has a file of its own with the key have equal footprints.

use std::hash::{BuildHasher, Hash as _, Hasher};
use std::sync::Arc;

use super::invocation::Invocation;
use super::lookup_options::{AppliedOptions, Options};
use super::request::Answer;
use super::sources::dig_value;
use crate::data::{DataFile, FileId, Format, Located, Place, RootEntry, Value};
use crate::facts::{Node, Reading};
use crate::syntax::key_path;

/// The reads of one lookup, nested lookups included, each once, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Footprint {
    reads: Vec<Read>,
}

/// One read.
#[derive(Debug, Clone)]
enum Read {
    /// A variable for a text, and its value; undef if it is not set or not known.
    Variable(Arc<str>, Value),
    /// An entry of a file: the file and how it is read, the root key, what is written there.
    Entry(FileId, Format, Arc<str>, Located, Place),
    /// A root key was searched for, and this row of lookup_options applies to it.
    Key(Arc<str>, Option<AppliedOptions>),
    /// A function that may ask for anything.
    Function,
}

/// Something that an answer depends on and that may differ from node to node. It is asked in this order, and as long as the
/// answers to these questions are the same, the next question is the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Dependency {
    /// The value of a variable expression.
    Variable(Arc<str>),
    /// Which files that hold this root key are asked, and which lookup_options apply to it.
    Key(Arc<str>),
    /// Everything that is known of the node.
    Node,
}

/// An entry of a file that was read.
#[derive(Debug, Clone)]
pub struct ReadEntry<'a> {
    /// The file.
    pub file: FileId,
    /// How it is read.
    pub format: Format,
    /// The root key.
    pub root: &'a Arc<str>,
    /// What is written there.
    pub value: &'a Located,
    /// Where the root key is written.
    pub key_place: Place,
}

impl Footprint {
    /// What may differ from node to node, in the order in which it was read.
    pub fn dependencies(&self) -> impl Iterator<Item = Dependency> {
        self.reads.iter().filter_map(|read| match read {
            Read::Variable(expression, _) => Some(Dependency::Variable(Arc::clone(expression))),
            Read::Key(root, _) => Some(Dependency::Key(Arc::clone(root))),
            Read::Function => Some(Dependency::Node),
            Read::Entry(..) => None,
        })
    }

    /// The root keys that were searched for, as numbers of [`root_hash`]; `None` if a function may have read anything.
    pub fn roots(&self) -> Option<Box<[u64]>> {
        let roots = self.reads.iter().filter_map(|read| match read {
            Read::Key(root, _) => Some(Some(root_hash(root))),
            Read::Function => Some(None),
            _ => None,
        });
        roots.collect()
    }

    /// The variable expressions that were read.
    pub(super) fn variables(&self) -> Vec<Arc<str>> {
        let variables = self.reads.iter().filter_map(|read| match read {
            Read::Variable(expression, _) => Some(Arc::clone(expression)),
            _ => None,
        });
        variables.collect()
    }

    /// The entries of files that were read.
    pub fn entries(&self) -> impl Iterator<Item = ReadEntry<'_>> {
        self.reads.iter().filter_map(|read| match read {
            Read::Entry(file, format, root, value, key_place) => {
                let (file, format, key_place) = (*file, *format, *key_place);
                Some(ReadEntry { file, format, root, value, key_place })
            }
            _ => None,
        })
    }

    /// The root keys that were searched for, each with the lookup_options that apply to it.
    pub fn options(&self) -> impl Iterator<Item = (&Arc<str>, Option<&AppliedOptions>)> {
        self.reads.iter().filter_map(|read| match read {
            Read::Key(root, options) => Some((root, options.as_ref())),
            _ => None,
        })
    }

    /// Adds what another run read.
    pub(super) fn add_all(&mut self, other: &Self) {
        for read in &other.reads {
            self.add(read.clone());
        }
    }

    fn add(&mut self, read: Read) {
        if !self.reads.iter().any(|known| known.is_about_the_same(&read)) {
            self.reads.push(read);
        }
    }
}

impl Read {
    /// Whether both read the same thing, whatever they found there.
    fn is_about_the_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Variable(one, _), Self::Variable(other, _))
            | (Self::Key(one, _), Self::Key(other, _)) => one == other,
            (Self::Entry(one, _, key, ..), Self::Entry(other, _, other_key, ..)) => {
                one == other && key == other_key
            }
            (Self::Function, Self::Function) => true,
            _ => false,
        }
    }
}

impl PartialEq for Read {
    fn eq(&self, other: &Self) -> bool {
        let found = |read: &Self| match read {
            Self::Variable(_, value) => Some(hash_of(value)),
            Self::Entry(_, _, _, value, _) => Some(hash_of(&value.value)),
            Self::Key(_, options) => options.as_ref().map(|it| hash_of(&it.options.value)),
            Self::Function => None,
        };
        self.is_about_the_same(other) && found(self) == found(other)
    }
}

impl Eq for Read {}

impl Invocation<'_> {
    /// Notes that an entry of a file was read.
    pub(super) fn note_read(&mut self, file: &DataFile, root: &Arc<str>, entry: &RootEntry) {
        if let Some(footprint) = &mut self.footprint {
            let value = entry.value.clone();
            let (number, format) = (file.file(), file.format());
            footprint.add(Read::Entry(number, format, Arc::clone(root), value, entry.key_place));
        }
    }

    /// Notes that a root key is searched for, and the options that apply to it.
    pub(super) fn note_key(&mut self, root: &Arc<str>, options: Option<&Options>) {
        if let Some(footprint) = &mut self.footprint {
            footprint.add(Read::Key(Arc::clone(root), options.map(Options::applied)));
        }
    }

    /// Notes that a variable was read, and what was found.
    pub(super) fn note_variable(&mut self, expression: &str, found: Option<&Value>) {
        if let Some(footprint) = &mut self.footprint {
            let value = found.cloned().unwrap_or(Value::Undef);
            footprint.add(Read::Variable(expression.into(), value));
        }
    }

    /// Notes that a function is asked which may ask for anything.
    pub(super) fn note_any_read(&mut self) {
        if let Some(footprint) = &mut self.footprint {
            footprint.add(Read::Function);
        }
    }

    /// Runs `ask`; what it reads is not noted, as it is kept for other lookups that do not ask again.
    pub(super) fn without_footprint<R>(&mut self, ask: impl FnOnce(&mut Self) -> R) -> R {
        let footprint = self.footprint.take();
        let result = ask(self);
        self.footprint = footprint;
        result
    }
}

/// What a node has for a variable expression, as a number: with equal numbers, lookups read the same there.
pub fn reading_of(node: &Node, expression: &str) -> u64 {
    let mut hasher = new_hasher();
    if let Ok(path) = key_path::parse(expression) {
        match node.read(&path) {
            Reading::Unset => 0_u8.hash(&mut hasher),
            Reading::Open(name) => (1_u8, name).hash(&mut hasher),
            Reading::Known(value, rest) => {
                let is_dug = dig_value(&value, &rest);
                2_u8.hash(&mut hasher);
                add_value(is_dug.as_ref().map_or(&value.value, |it| &it.value), &mut hasher);
                is_dug.is_some().hash(&mut hasher);
            }
        }
    }
    hasher.finish()
}

/// A root key as a number.
pub fn root_hash(root: &str) -> u64 {
    let mut hasher = new_hasher();
    root.hash(&mut hasher);
    hasher.finish()
}

/// A value as a number. The order of a hash's members counts: an answer keeps it.
pub fn hash_of(value: &Value) -> u64 {
    let mut hasher = new_hasher();
    add_value(value, &mut hasher);
    hasher.finish()
}

/// How a lookup ended, as a number: different for different outcomes, but for rare accidents.
pub fn outcome_hash(answer: &Answer) -> u64 {
    let mut hasher = new_hasher();
    let mut add = |answer: &Answer| match &answer.outcome {
        Ok(Some(value)) => add_value(&value.value, &mut hasher),
        Ok(None) => 0_u8.hash(&mut hasher),
        Err(failure) => failure.message.hash(&mut hasher),
    };
    add(answer);
    answer.cases.iter().for_each(|case| add(&case.answer));
    hasher.finish()
}

/// The same for the same input in each run of the program.
pub(crate) fn new_hasher() -> impl Hasher {
    foldhash::quality::FixedState::default().build_hasher()
}

fn add_value(value: &Value, hasher: &mut impl Hasher) {
    match value {
        Value::Hash(hash) => {
            (20_u8, hash.len()).hash(hasher);
            for (key, member) in hash.iter() {
                add_value(key, hasher);
                add_value(&member.value.value, hasher);
            }
        }
        Value::Array(items) => {
            (21_u8, items.len()).hash(hasher);
            items.iter().for_each(|item| add_value(&item.value, hasher));
        }
        Value::Sensitive(inner) => {
            22_u8.hash(hasher);
            add_value(&inner.value, hasher);
        }
        other => other.hash(hasher),
    }
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
                is_named: true,
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
