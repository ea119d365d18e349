//! What a lookup read: if two lookups read the same, they have the same result. Two nodes that read the same get the same
//! value.
//!
//! For the hierarchy, the footprint contains which files with the root key were read and in which order, not the variables in
//! paths: two nodes have equal footprints if neither has its own file with the key.

use std::hash::{Hash as _, Hasher as _};
use std::sync::Arc;

use super::invocation::Invocation;
use super::lookup_options::{AppliedOptions, Options};
use super::open_names::own_name;
use super::request::Answer;
use super::sources::dig_value;
use crate::data::fingerprint::add_value;
pub use crate::data::fingerprint::hash_of;
pub(crate) use crate::data::fingerprint::new_hasher;
use crate::data::{DataFile, FileId, Format, Located, Place, RootEntry, Value};
use crate::facts::variable::VariablePath;
use crate::facts::{Node, Reading};
use crate::syntax::key_path::KeyPath;

/// The reads of one lookup including nested lookups, each once, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Footprint {
    reads: Vec<Read>,
}

/// One read.
#[derive(Debug, Clone)]
enum Read {
    /// A variable that was read for a text, and its value; undef if it is not set or not known.
    Variable(Arc<str>, Value),
    /// A variable that a text leaves open, because it is a name of the node.
    Name(Arc<str>),
    /// An entry of a file: the file and its format, the root key, and the value as written.
    Entry(FileId, Format, Arc<str>, Located, Place),
    /// A root key that was searched for, and the entry of lookup_options that applies to it.
    Key(Arc<str>, Option<AppliedOptions>),
    /// A function that may read anything.
    Function,
}

/// Something that a result depends on and that may differ between nodes. Dependencies are checked in order: as long as their
/// values are the same, the next dependency is the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Dependency {
    /// The value of a variable expression.
    Variable(Arc<str>),
    /// Whether a variable expression is a name of the node, and its value if it is not.
    Name(Arc<str>),
    /// Which files with this root key are read, and which lookup_options apply to it.
    Key(Arc<str>),
    /// Everything that is known of the node.
    Node,
}

/// An entry of a file that was read.
#[derive(Debug, Clone)]
pub struct ReadEntry<'a> {
    /// The file.
    pub file: FileId,
    /// Its format.
    pub format: Format,
    /// The root key.
    pub root: &'a Arc<str>,
    /// The value as written.
    pub value: &'a Located,
    /// Where the root key is written.
    pub key_place: Place,
}

impl Footprint {
    /// The dependencies that may differ between nodes, in the order in which they were read.
    pub fn dependencies(&self) -> impl Iterator<Item = Dependency> {
        self.reads.iter().filter_map(|read| match read {
            Read::Variable(expression, _) => Some(Dependency::Variable(Arc::clone(expression))),
            Read::Name(expression) => Some(Dependency::Name(Arc::clone(expression))),
            Read::Key(root, _) => Some(Dependency::Key(Arc::clone(root))),
            Read::Function => Some(Dependency::Node),
            Read::Entry(..) => None,
        })
    }

    /// Whether a function was called that may read anything.
    pub(super) fn reads_anything(&self) -> bool {
        self.reads.iter().any(|read| matches!(read, Read::Function))
    }

    /// The root keys that were searched for, as numbers from [`root_hash`]; `None` if a function may have read anything.
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

    /// Adds the reads of another run.
    pub(super) fn add_all(&mut self, other: &Self) {
        for read in &other.reads {
            self.add(read.clone());
        }
    }

    fn add(&mut self, read: Read) {
        // Other options can apply to a key in each case.
        let is_known = |known: &Read| match read {
            Read::Key(..) => *known == read,
            _ => known.is_about_the_same(&read),
        };
        if !self.reads.iter().any(is_known) {
            self.reads.push(read);
        }
    }
}

impl Read {
    /// Whether both read the same thing, whatever its value was.
    fn is_about_the_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Variable(one, _), Self::Variable(other, _))
            | (Self::Name(one), Self::Name(other))
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
        // Places do not count: two nodes whose own files contain the same text get the same value.
        let found = |read: &Self| match read {
            Self::Variable(_, value) => Some(hash_of(value)),
            Self::Entry(_, _, _, value, _) => Some(hash_of(&value.value)),
            Self::Key(_, options) => options.as_ref().map(|it| hash_of(&it.options.value)),
            Self::Name(_) | Self::Function => None,
        };
        self.is_about_the_same(other) && found(self) == found(other)
    }
}

impl Eq for Read {}

impl Invocation<'_> {
    /// Records that an entry of a file was read.
    pub(super) fn note_read(&mut self, file: &DataFile, root: &Arc<str>, entry: &RootEntry) {
        if let Some(exploration) = &mut self.exploration {
            exploration.note_read(file.file(), root);
        }
        if let Some(footprint) = &mut self.footprint {
            let value = entry.value.clone();
            let (number, format) = (file.file(), file.format());
            footprint.add(Read::Entry(number, format, Arc::clone(root), value, entry.key_place));
        }
    }

    /// Records that a root key is searched for, and the options that apply to it.
    pub(super) fn note_key(&mut self, root: &Arc<str>, options: Option<&Options>) {
        if let Some(footprint) = &mut self.footprint {
            footprint.add(Read::Key(Arc::clone(root), options.map(Options::applied)));
        }
    }

    /// Records that a variable was read, and its value.
    pub(super) fn note_variable(&mut self, expression: &str, found: Option<&Value>) {
        let value = || found.cloned().unwrap_or(Value::Undef);
        if let Some(footprint) = &mut self.footprint {
            footprint.add(Read::Variable(expression.into(), value()));
        } else if self.collecting.wanted_for.is_some() {
            self.collecting.variables.push((expression.into(), value()));
        }
    }

    /// Records that a text leaves a name of the node open.
    pub(super) fn note_name(&mut self, expression: &str) {
        if let Some(footprint) = &mut self.footprint {
            footprint.add(Read::Name(expression.into()));
        }
    }

    /// Records the variables in lookup_options that were collected only for this lookup.
    pub(super) fn note_variables_of_options(&mut self) {
        for (expression, value) in std::mem::take(&mut self.collecting.variables) {
            self.note_variable(&expression, Some(&value));
        }
    }

    /// Records a call of a function that may read anything.
    pub(super) fn note_any_read(&mut self) {
        if let Some(exploration) = &mut self.exploration {
            exploration.reads_of_edited += 1;
        }
        if let Some(footprint) = &mut self.footprint {
            footprint.add(Read::Function);
        }
    }

    /// Runs `ask` without recording its reads, because its result is kept for other lookups that do not run it again.
    pub(super) fn without_footprint<R>(&mut self, ask: impl FnOnce(&mut Self) -> R) -> R {
        let footprint = self.footprint.take();
        let result = ask(self);
        self.footprint = footprint;
        result
    }
}

/// The value of a variable expression for a node, as a number: if the numbers are equal, lookups read the same there.
/// An expression that is no path (`None`) is the same for all nodes.
pub fn reading_of(node: &Node, expression: Option<&KeyPath>) -> u64 {
    let mut hasher = new_hasher();
    if let Some(path) = expression {
        match node.read(path) {
            Reading::Unset => 0_u8.hash(&mut hasher),
            Reading::Open(name) => (1_u8, name).hash(&mut hasher),
            Reading::Known(value, rest) => {
                let is_dug = dig_value(&value, &rest);
                2_u8.hash(&mut hasher);
                // If the segments lead nowhere, the whole value decides whether that is an error, and with which message.
                add_value(is_dug.as_ref().map_or(&value.value, |it| &it.value), &mut hasher);
                is_dug.is_some().hash(&mut hasher);
            }
        }
    }
    hasher.finish()
}

/// The same, with one number for all nodes for which the expression is a name.
pub(crate) fn name_reading_of(node: &Node, expression: Option<&VariablePath>) -> u64 {
    match expression {
        Some(variable) if own_name(node, variable).is_some() => 0,
        expression => reading_of(node, expression.map(|it| &it.path)),
    }
}

/// A root key as a number.
pub fn root_hash(root: &str) -> u64 {
    let mut hasher = new_hasher();
    root.hash(&mut hasher);
    hasher.finish()
}

/// The outcome of a lookup as a number: different for different outcomes, except for rare collisions.
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::config::{Environment, Naming, PuppetVersion};
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

    /// Checks the values for two nodes, and whether their footprints are the same.
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
                naming: Naming::Fixed,
                name: "production".into(),
                root: Some("/e".into()),
                modules: indexmap::IndexMap::new(),
                global_config: None,
                refusal: None,
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
