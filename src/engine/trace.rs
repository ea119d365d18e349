//! The explain trace: everything that a lookup searched and found, as a tree with positions.
//!
//! Its structure is that of Puppet's explainer, so that `explain` can print it as `puppet lookup --explain` does. Hovers,
//! previews and diagnostics use the same tree.

use std::sync::Arc;

use crate::data::{Located, Place, Value};
use crate::syntax::key_path::Segment;

/// A step of a lookup with all its inner steps.
#[derive(Debug, Clone)]
pub struct TraceNode {
    /// The kind of step.
    pub kind: TraceKind,
    /// How it ended; `None` if the branches show it.
    pub outcome: Option<Outcome>,
    /// Remarks, for example about `convert_to`.
    pub texts: Vec<Arc<str>>,
    /// The inner steps, in order.
    pub branches: Vec<TraceNode>,
}

/// The kind of a step.
#[derive(Debug, Clone)]
pub enum TraceKind {
    /// The whole explanation.
    Explanation,
    /// A search for a key (`is_options`: the collection of `lookup_options`).
    Search {
        /// The full key.
        key: Arc<str>,
        /// Whether this is the collection of `lookup_options`.
        is_options: bool,
    },
    /// A key that cannot be looked up.
    InvalidKey(Arc<str>),
    /// Where the merge strategy was found: always `lookup_options`.
    MergeSource,
    /// A module that does not exist or has no data.
    Module(Arc<str>),
    /// One layer.
    Layer {
        /// The name in explain: `Environment Data Provider (hiera configuration version 5)`.
        title: Arc<str>,
        /// Path of its hiera.yaml, if that file exists.
        config: Option<Arc<str>>,
        /// The module's name in the module layer.
        module: Option<Arc<str>>,
    },
    /// One hierarchy level.
    Level {
        /// Its name in hiera.yaml.
        name: Arc<str>,
        /// The name in explain: `Hierarchy entry "x"`.
        title: Arc<str>,
        /// Where hiera.yaml defines it.
        place: Option<Place>,
    },
    /// One path or URI of a level.
    Location {
        /// Whether it is a URI.
        is_uri: bool,
        /// The template in hiera.yaml.
        original: Arc<str>,
        /// The path or URI for this node.
        location: Arc<str>,
    },
    /// Several sources under a merge strategy.
    Merge {
        /// The strategy's name.
        strategy: &'static str,
        /// Its options without `strategy`, if there are any.
        options: Option<Value>,
    },
    /// A string with `%{…}`.
    Interpolation(Arc<str>),
    /// A named group of steps: `Global Scope` for variables, and the default hierarchy's headings.
    Scope(Arc<str>),
    /// Digging into a found value.
    SubKey(Arc<[Segment]>),
    /// One segment of it.
    Segment(Segment),
}

/// How a step ended.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// Found.
    Found {
        /// The key as explain shows it.
        key: Arc<str>,
        /// The value.
        value: Located,
        /// In the override or default hash of the call rather than in data.
        source: FoundIn,
    },
    /// A merge's result.
    Result(Located),
    /// Not found.
    NotFound {
        /// The key as explain shows it.
        key: Arc<str>,
    },
    /// The file does not exist.
    LocationNotFound,
    /// Which file the location is depends on variables that are not known.
    LocationNotKnown {
        /// These variables, each once.
        variables: Arc<[Arc<str>]>,
        /// How many files the location can be; 0 if that is not known either.
        files: usize,
    },
    /// The module does not exist.
    ModuleNotFound,
    /// The module has no hiera.yaml.
    ModuleProviderNotFound,
    /// The level's back end is not evaluated here, and may have the key.
    Opaque {
        /// The back end's name.
        function: Arc<str>,
        /// The reason, to follow the name: `is not evaluated here`.
        reason: Arc<str>,
    },
}

/// Where a value was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundIn {
    /// In data.
    Data,
    /// In `override`.
    Overrides,
    /// In `default_values_hash`.
    Defaults,
}

impl TraceNode {
    /// A step that has not ended yet.
    pub(crate) fn new(kind: TraceKind) -> Self {
        Self { kind, outcome: None, texts: Vec::new(), branches: Vec::new() }
    }

    /// This step and all its inner steps, outermost first.
    pub fn walk(&self) -> Vec<&TraceNode> {
        let mut all = Vec::new();
        self.collect(&mut all);
        all
    }

    fn collect<'a>(&'a self, all: &mut Vec<&'a TraceNode>) {
        all.push(self);
        self.branches.iter().for_each(|branch| branch.collect(all));
    }
}

/// Collects the trace of a running lookup.
#[derive(Debug)]
pub(crate) struct Tracer {
    open: Vec<TraceNode>,
}

impl Tracer {
    pub(crate) fn new() -> Self {
        Self { open: vec![TraceNode::new(TraceKind::Explanation)] }
    }

    pub(crate) fn push(&mut self, kind: TraceKind) {
        self.open.push(TraceNode::new(kind));
    }

    pub(crate) fn pop(&mut self) {
        let done = self.open.pop().expect("every pop has its push");
        self.current().branches.push(done);
    }

    pub(crate) fn current(&mut self) -> &mut TraceNode {
        self.open.last_mut().expect("the explanation itself is never popped")
    }

    pub(crate) fn finish(mut self) -> TraceNode {
        while self.open.len() > 1 {
            self.pop();
        }
        self.open.pop().expect("the explanation itself is never popped")
    }
}
